// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_RUN_ORDER_HPP
#define AXE_SIM_REPORT_RUN_ORDER_HPP

#include <axe/support/config.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace axe {
inline namespace v0 {
namespace sim {

/// In which order the agents of a block have their turns, and when asynchronous operations access memory. A program without a fault has the
/// same bits in each, but for atomic sums of floats.
enum class RunOrder : std::uint8_t {
    issue,    ///< agents by their numbers; operations when they start, copies of lanes (cp.async) when a wait needs them
    reversed, ///< agents from the last to the first; operations after the turn of all agents, the last one first
    random, ///< agents in an order of chance, some steps each; operations at any time from their start to the wait that needs them
    early,  ///< agents by their numbers; operations when they start
    late,   ///< agents by their numbers; operations when a wait needs them, which is also when they read their sources
};

inline constexpr RunOrder all_run_orders[] = {RunOrder::issue, RunOrder::reversed, RunOrder::random, RunOrder::early,
                                              RunOrder::late};

constexpr const char* name(RunOrder order) noexcept
{
    switch (order) {
    case RunOrder::issue: return "issue";
    case RunOrder::reversed: return "reversed";
    case RunOrder::random: return "random";
    case RunOrder::early: return "early";
    case RunOrder::late: return "late";
    }
    return "?";
}

/// The order of that name, if there is one.
constexpr std::optional<RunOrder> run_order(std::string_view text) noexcept
{
    for (const RunOrder order : all_run_orders)
        if (text == name(order)) return order;
    return std::nullopt;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
