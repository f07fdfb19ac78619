// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_BLOCK_SCOPES_HPP
#define AXE_SCHEDULE_BLOCK_SCOPES_HPP

#include <axe/layout/points.hpp>
#include <axe/machine/axes.hpp>
#include <axe/program/levels.hpp>
#include <axe/program/limits.hpp>
#include <axe/schedule/dimension_digits.hpp>
#include <axe/schedule/schedule.hpp>

#include <algorithm>
#include <limits>

namespace axe {
inline namespace v0 {

/// What a block is made of on a machine, as `levels_of` says: agents, and the lanes of an agent.
struct BlockScopes {
    int block = -1;
    const ScopeLevel* agent = nullptr; ///< null where a block is one agent
    const ScopeLevel* lane = nullptr;  ///< null where an agent has one lane
    [[nodiscard]] int lanes() const noexcept { return lane == nullptr ? 1 : static_cast<int>(lane->count); }
};

inline BlockScopes block_scopes(const Machine& machine) noexcept
{
    const Levels levels = levels_of(machine);
    BlockScopes out;
    out.block = levels.block;
    if (levels.agent < 0) return out;
    out.agent = &machine.scopes.items[levels.agent];
    if (levels.agent + 1 < machine.scopes.size()) out.lane = &machine.scopes.items[levels.agent + 1];
    return out;
}

/// Does each lane (or agent) have its own, which no other can reach?
///
/// Where a machine has no agents below a block, its registers are agent 0's: who else might use them is not for layouts to say.
inline bool is_private(const Machine& machine, const Memory& memory) noexcept
{
    const BlockScopes scopes = block_scopes(machine);
    const int owner = scope_index(machine, memory.owner);
    const bool is_register = memory.roles.has(Role::registers) || memory.roles.has(Role::accumulator);
    return owner > scopes.block || (owner == scopes.block && scopes.agent == nullptr && is_register);
}

/// A lane of an agent of the block, and the register in which it holds an element.
struct Owner {
    int agent = 0, lane = 0;
    std::int64_t reg = 0;
    friend bool operator==(const Owner&, const Owner&) = default;
    friend auto operator<=>(const Owner&, const Owner&) = default;
};

/// Where the elements of a view are, by their row-major number in it.
///
/// The origin of a view may change at run time. What is told here is what holds where the program's variables have their first values
/// (`values_of`); from there all addresses (or registers) move alike, by multiples of `step`, so that what is consecutive stays so, and
/// what is aligned to a divisor of `step` stays aligned. Where that is not so, `widest` is 1 and `reason` says why: elements are then
/// to be moved one by one. A swizzle keeps runs of its lowest bit whole: then `widest` is that run. Owners never depend on run time.
struct ElementPlacement {
    std::string name{}; ///< of the tensor
    bool is_private = false;
    std::int64_t count = 0;
    int bytes = 1; ///< of an element

    std::vector<std::int64_t> address{}; ///< in a memory: elements from the tensor's base on the memory's last axis
    std::vector<std::int32_t> place{};   ///< in a memory: equal for equal coordinates on all other axes; empty when all are equal

    bool partitioned = false; ///< in a memory with partitions, where lanes do not load or store

    std::vector<std::int32_t> begin{}; ///< private: element e is held by `owner[begin[e]]` … `owner[begin[e + 1] − 1]`, ascending
    std::vector<Owner> owner{};        ///< elements that are never there have none

    std::int64_t step = 0;
    std::int64_t base = 0;      ///< bytes, as far as `alignment` tells
    std::int64_t alignment = 0; ///< bytes: the base is `base` modulo this; 0: it is `base`
    int widest = std::numeric_limits<int>::max();
    std::string reason{};

    /// Of a guarded view: for each element its indices in the tensor's dimensions, less the origin's.
    std::vector<std::int32_t> offset{};
    std::vector<Values> origin{};
    Shape shape{};

    /// Are the vector's elements inside the tensor all or none, whatever the origin?
    [[nodiscard]] bool is_whole(const std::int32_t* elements, int vector) const
    {
        if (offset.empty() || vector == 1) return true;
        for (int d = 0; d < shape.size(); ++d) {
            const auto at = [&](int i) {
                return offset[static_cast<std::size_t>(elements[i]) * static_cast<std::size_t>(shape.size()) +
                              static_cast<std::size_t>(d)];
            };
            std::int64_t low = at(0), high = low;
            for (int i = 1; i < vector; ++i) low = std::min<std::int64_t>(low, at(i)), high = std::max<std::int64_t>(high, at(i));
            if (low == high) continue;
            const Values& o = origin[static_cast<std::size_t>(d)];
            for (const std::int64_t edge : {std::int64_t{0}, shape[d]}) { // cut iff  low < edge − origin ≤ high  for some origin
                std::int64_t least = edge - o.greatest, most = edge - o.least;
                if (most <= low || least > high) continue;
                if (o.step == 0) return false;
                const std::int64_t beyond = edge - o.first - low; // modulo the step, the ways past `low`
                if (((beyond - 1) % o.step + o.step) % o.step < high - low) return false;
            }
        }
        return true;
    }

    /// May a lane reach these elements of a memory as one vector, of consecutive addresses, aligned to its bytes, whole?
    [[nodiscard]] bool is_vector(const std::int32_t* elements, int vector) const
    {
        if (vector == 1) return true;
        const std::int64_t size = std::int64_t{vector} * bytes;
        const std::int64_t first = address[static_cast<std::size_t>(elements[0])];
        if (vector > widest || step % vector != 0 || (alignment != 0 && alignment % size != 0)) return false;
        if (limited_sum(base, limited_product(first, bytes)) % size != 0) return false;
        for (int i = 1; i < vector; ++i) {
            const auto e = static_cast<std::size_t>(elements[i]);
            if (address[e] != first + i || (!place.empty() && place[e] != place[static_cast<std::size_t>(elements[0])]))
                return false;
        }
        return is_whole(elements, vector);
    }

    /// The element's owner there, its first register of several; null when that lane does not hold it. Cost: logarithmic in its copies.
    [[nodiscard]] const Owner* held_by(std::int32_t element, int agent, int lane) const
    {
        const Owner* const first = owner.data() + begin[static_cast<std::size_t>(element)];
        const Owner* const last = owner.data() + begin[static_cast<std::size_t>(element) + 1];
        const Owner* const found = std::lower_bound(first, last, Owner{agent, lane, std::numeric_limits<std::int64_t>::min()});
        return found != last && found->agent == agent && found->lane == lane ? found : nullptr;
    }
};

namespace detail {

/// What `element_placement` has found for schedules of one operator. Most of them ask for the same views.
struct KnownPlacements {
    struct One {
        View view{};
        int chosen = 0;
        ExecutionScope place{};
        Result<ElementPlacement, Problem> found;
    };
    std::vector<One> list{};
};

} // namespace detail

} // namespace v0
} // namespace axe

#endif
