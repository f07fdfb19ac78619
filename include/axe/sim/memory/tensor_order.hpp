// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_TENSOR_ORDER_HPP
#define AXE_SIM_MEMORY_TENSOR_ORDER_HPP

#include <axe/program/limits.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

/// What orders operations on tensor memory: neither barriers nor proxy fences, but waits and fences of its own.
/// [PTX ISA, Tensor Memory, Memory Consistency Model]
namespace axe {
inline namespace v0 {
namespace sim {

/// What an operation does in tensor memory. Events have it in place of a lane; products that add to sums have `sum` and the number of
/// their shape.
enum class TensorRole : std::uint8_t {
    none,    ///< it is not in tensor memory
    load,    ///< to registers
    store,   ///< from registers
    copy,    ///< from shared memory
    rows,    ///< the same, of four rows 32 lanes apart
    shift,   ///< of rows by one lane
    operand, ///< a product reads it
    sum,     ///< a product reads and writes its sums
};
inline constexpr int most_sum_shapes = most_lanes - static_cast<int>(TensorRole::sum);

/// What an agent knows of the operations on tensor memory, its own and others'. An event of agent a at time t is known where t is below
/// the number for a. Empty, where the block has had none. Agents have numbers in their cluster: those of one block after those of another,
/// by rank.
///
///   `own`     what the operations that it starts are after
///   `passed`  what comes to be so by the fence after a synchronization: what the fence before it, or a commit, has passed on
///   `told`    all that is complete, or has started, as far as synchronization alone tells: fences are lacking; and, as `issuers`, what
///             agents had seen that have committed: a commit does not make their ordinary accesses visible, but comes after their waits
struct TensorOrder {
    enum Kind : std::uint8_t { loads, stores, products, started, issuers };
    static constexpr std::size_t kinds = 5;
    using Times = std::vector<std::uint32_t>;

    Times own{}, passed{}, told{};
    std::uint32_t time = 1; ///< of the agent's next operation
    bool used = false;      ///< has one this time?

    [[nodiscard]] static constexpr std::size_t at(Kind kind, int agent) noexcept
    {
        const auto a = static_cast<std::size_t>(agent);
        return (a / most_agents * kinds + static_cast<std::size_t>(kind)) * most_agents + a % most_agents;
    }
    [[nodiscard]] static std::uint32_t known(const Times& times, Kind kind, int agent) noexcept
    {
        return at(kind, agent) < times.size() ? times[at(kind, agent)] : 0;
    }
    static void raise(Times& times, Kind kind, int agent, std::uint32_t to)
    {
        const std::size_t blocks = static_cast<std::size_t>(agent) / most_agents + 1;
        if (times.size() < blocks * kinds * most_agents) times.resize(blocks * kinds * most_agents, 0);
        times[at(kind, agent)] = std::max(times[at(kind, agent)], to);
    }
    static void join(Times& times, const Times& other)
    {
        if (times.size() < other.size()) times.resize(other.size(), 0);
        for (std::size_t i = 0; i < other.size(); ++i) times[i] = std::max(times[i], other[i]);
    }

    /// What starts now, one operation alone has this time: a shift reads what it writes, and is not before another one.
    void start_alone(int agent)
    {
        turn();
        start(agent);
    }
    void start(int agent)
    {
        used = true;
        raise(told, started, agent, time + 1);
    }
    /// What comes is of another time than what was.
    void turn() noexcept
    {
        time += used ? 1 : 0;
        used = false;
    }
    /// The agent's operations of a kind so far are complete.
    void complete(Kind kind, int agent)
    {
        raise(own, kind, agent, time + 1);
        raise(told, kind, agent, time + 1);
        used = true;
        turn();
    }
    /// The fence before a synchronization.
    void fence_before(int agent)
    {
        raise(own, started, agent, time + 1);
        join(passed, own);
        used = true;
        turn();
    }
    /// The fence after one.
    void fence_after() { join(own, passed); }
    /// What an mbarrier learns that gets an arrival when the agent's products and copies so far are complete.
    [[nodiscard]] TensorOrder committed(int agent)
    {
        TensorOrder out;
        raise(out.told, products, agent, time + 1);
        join(out.passed, own);
        for (const Kind kind : {products, started}) raise(out.passed, kind, agent, time + 1);
        used = true;
        turn();
        return out;
    }
    /// A synchronization with one that knows this.
    void join(const TensorOrder& other)
    {
        join(passed, other.passed);
        join(told, other.told);
    }
    /// Takes over what agents that have met know; what is its own stays.
    void meet(const TensorOrder& joined)
    {
        passed = joined.passed;
        told = joined.told;
    }

    [[nodiscard]] static constexpr Kind kind_of(int role) noexcept
    {
        return role == static_cast<int>(TensorRole::load) ? loads : role == static_cast<int>(TensorRole::store) ? stores : products;
    }
    /// Are two operations of these roles done in the order in which they start? A copy and a shift before the products that read it or add
    /// to it, products that add to the same sums in the same shape, a product before a shift, and a shift before a copy of four rows.
    [[nodiscard]] static constexpr bool in_order(int first, int second) noexcept
    {
        constexpr int copy = static_cast<int>(TensorRole::copy), rows = static_cast<int>(TensorRole::rows),
                      shift = static_cast<int>(TensorRole::shift), operand = static_cast<int>(TensorRole::operand),
                      sum = static_cast<int>(TensorRole::sum);
        if (first == copy || first == rows) return second >= operand;
        if (first == shift) return second >= operand || second == rows;
        if (first >= operand && second == shift) return true;
        return first >= sum && first == second;
    }
    /// Is an operation of agent a, of that role and time, before what agent `me` starts in role `role`?
    [[nodiscard]] bool is_before(int a, int first, std::uint32_t when, int me, int role) const noexcept
    {
        if (when < known(own, kind_of(first), a)) return true;
        if (role == static_cast<int>(TensorRole::shift) && first == role && a == me && when == time) return true; // the same one
        return in_order(first, role) && (a == me || when < known(own, started, a));
    }
    /// Of one that is not: would it be, with fences between?
    [[nodiscard]] bool lacks_fence(int a, int first, std::uint32_t when, int role) const noexcept
    {
        return when < known(told, kind_of(first), a) || (in_order(first, role) && when < known(told, started, a));
    }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
