// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_TURN_ORDER_HPP
#define AXE_SIM_AGENTS_TURN_ORDER_HPP

#include <axe/sim/report/ends_by.hpp>
#include <axe/sim/report/run_order.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// What an order of the run decides in one block: whose turn it is, for how long, and when asynchronous operations access memory.
class TurnOrder {
  public:
    /// Before a block starts; two blocks of one run have different numbers, and so different chances.
    void start(RunOrder order, std::uint64_t seed, std::uint64_t block)
    {
        order_ = order;
        state_ = seed * 0x9e3779b97f4a7c15u ^ block;
    }
    [[nodiscard]] bool is_issue() const noexcept { return order_ == RunOrder::issue; }
    /// Before each agent has a turn.
    void next_round(std::size_t agents)
    {
        if (order_ != RunOrder::random) return;
        turns_.resize(agents);
        for (std::size_t i = 0; i < agents; ++i) {
            const auto j = static_cast<std::size_t>(below(i + 1)); // Fisher and Yates, from the inside
            turns_[i] = turns_[j];
            turns_[j] = static_cast<int>(i);
        }
    }
    /// Who has turn i of `agents`.
    [[nodiscard]] int agent(int i, int agents) const noexcept
    {
        if (order_ == RunOrder::reversed) return agents - 1 - i;
        return order_ == RunOrder::random ? turns_[static_cast<std::size_t>(i)] : i;
    }
    /// How many steps the turn has, where the options of the run ask for `asked`; 0: until the agent waits.
    std::int64_t steps(std::int64_t asked)
    {
        return order_ == RunOrder::random && asked == 0 ? static_cast<std::int64_t>(below(9)) : asked;
    }
    /// Does an operation that starts now leave its accesses of memory for later?
    bool is_later()
    {
        return order_ == RunOrder::late || order_ == RunOrder::reversed || (order_ == RunOrder::random && below(4) > 0);
    }
    /// Does an operation that may have its effect now have it?
    bool is_early() { return order_ == RunOrder::early || (order_ == RunOrder::random && below(4) == 0); }
    /// Is a request to cancel a launch denied while there is one to cancel?  Hardware may do so, and goes on to launch the blocks.
    bool is_denied() { return order_ == RunOrder::random && below(4) == 0; }
    /// Which of so many operations that were left for later is the next one after a turn of all agents; `count`: none is.
    std::size_t next_operation(std::size_t count)
    {
        if (count == 0 || order_ == RunOrder::reversed) return count == 0 ? 0 : count - 1;
        return order_ == RunOrder::random ? static_cast<std::size_t>(below(2 * count)) % (count + 1) : count;
    }

  private:
    /// SplitMix64: the same on every machine.
    std::uint64_t below(std::uint64_t n)
    {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return (z ^ (z >> 31)) % n;
    }

    RunOrder order_ = RunOrder::issue;
    std::uint64_t state_ = 0;
    std::vector<int> turns_{};
};

/// What an asynchronous operation of an agent still has to do, in an order in which it does it later.
struct LeftOperation {
    /// What waits for it. Bulk copies are among `copies`; products and copies in tensor memory are done in order.
    EndsBy until = EndsBy::copies;
    int of = 0;               ///< the agent; of products, the first of those that multiply; of a phase, the mbarrier; of tensors, 0
    std::int64_t number = 0;  ///< of the group, phase, or operation in tensor memory
    int agent = 0, count = 1; ///< who does it: so many agents from this one on
    std::function<bool()> finish{};                ///< what is left after `read`
    std::function<bool()> read{};                  ///< reads its sources, where that is done apart; empty once it has
    std::vector<std::vector<std::int64_t>> vars{}; ///< of the agents, when it started
    class Block* in = nullptr;                     ///< whose agents they are, if not those of the block that does it
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
