// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_TURNS_HPP
#define AXE_TESTS_TURNS_HPP

#include <axe/sim/report/fault.hpp>

#include <catch.hpp>

/// Orders in which a simulated device may go through the blocks of a grid and their agents.
namespace turns {

/// Calls act(options) for blocks in flight and steps of a turn, and for the other orders of a run; the first one is the default.
template <class Act>
void each(Act act, axe::sim::RunOptions options = {})
{
    for (const int resident : {1, 2, 3, 7})
        for (const std::int64_t quantum : {0, 1, 2, 5}) {
            options.resident = resident;
            options.quantum = quantum;
            INFO(resident << " blocks in flight, turns of " << quantum << " steps");
            act(options);
        }
    options.resident = 1;
    options.quantum = 0;
    for (const axe::sim::RunOrder order : axe::sim::all_run_orders) {
        if (order == axe::sim::RunOrder::issue) continue;
        options.order = order;
        INFO("order " << name(order));
        act(options);
    }
}

/// One of them, another one at each call.
inline axe::sim::RunOptions next(axe::sim::RunOptions options)
{
    static int calls = 0;
    constexpr int residents[] = {2, 3, 7, 1};
    constexpr std::int64_t quantums[] = {1, 0, 5, 2};
    options.resident = residents[calls % 4];
    options.quantum = quantums[calls / 4 % 4];
    options.order = axe::sim::all_run_orders[calls % 5];
    options.seed = static_cast<std::uint64_t>(calls);
    ++calls;
    return options;
}

} // namespace turns

#endif
