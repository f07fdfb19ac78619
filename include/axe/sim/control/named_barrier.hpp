// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_CONTROL_NAMED_BARRIER_HPP
#define AXE_SIM_CONTROL_NAMED_BARRIER_HPP

#include <axe/program/levels.hpp>
#include <axe/program/statement.hpp>
#include <axe/tensor/problem.hpp>
#include <axe/text/common/words.hpp>

#include <cstdint>
#include <string>

namespace axe {
inline namespace v0 {
namespace sim {

/// What a named barrier counts: threads that have come, and how often it is complete.      [PTX, bar]
struct NamedCount {
    std::int64_t threads = 0; ///< that are to come this time; 0: none has come
    std::int64_t come = 0;
    std::int64_t completed = 0;

    /// An agent with so many lanes comes. True: the barrier is complete, and begins anew.
    bool arrive(std::int64_t lanes) noexcept
    {
        come += lanes;
        if (come < threads) return false;
        threads = come = 0;
        ++completed;
        return true;
    }
};

/// Why an agent with so many lanes may not come to a barrier that has counted so far what `count` says; "" if it may.
inline std::string named_barrier_problem(const NamedBarrier& b, const NamedCount& count, int agent, std::int64_t lanes)
{
    if (b.threads < 1 || b.threads % lanes != 0)
        return detail::worded("named barrier {0} is for {1} threads; it must be a multiple of {2}, the lanes of an agent",
                              {b.id, b.threads, lanes});
    if (count.threads == 0 || count.threads == b.threads) return {};
    return detail::worded("agent {0} comes to named barrier {1} for {2} threads; those before it came for {3}",
                          {agent, b.id, b.threads, count.threads});
}

/// An agent at a named barrier, of a simulation without time.
struct NamedWait {
    bool waits = false;
    std::int64_t before = 0; ///< how often it was complete when the agent came
};

/// The agent comes, or looks whether it still waits.
inline Result<void, Problem> come_to(const NamedBarrier& b, NamedCount& count, NamedWait& wait, int agent, std::int64_t lanes)
{
    if (!wait.waits) {
        if (std::string wrong = named_barrier_problem(b, count, agent, lanes); !wrong.empty())
            return {errc::bad_argument, std::move(wrong)};
        wait.before = count.completed;
        count.threads = b.threads;
        count.arrive(lanes);
    }
    wait.waits = b.action == NamedBarrier::Action::sync && count.completed == wait.before;
    return {};
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
