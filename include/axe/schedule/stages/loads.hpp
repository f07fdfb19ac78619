// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_STAGES_LOADS_HPP
#define AXE_SCHEDULE_STAGES_LOADS_HPP

#include <axe/schedule/stages/plan.hpp>

#include <string>

/// Which statements that bring elements of global memory may go on by themselves, as far as the loop is concerned.
namespace axe {
inline namespace v0 {
namespace detail::stages {

/// Does a wait before each use of what it brings come in a later turn?
inline bool may_be_asynchronous(const Plan& plan, const std::vector<Conflict>& conflicts, std::size_t u)
{
    const Unit& unit = plan.round.units[u];
    if (!unit.is_load || plan.last == 0) return false;
    const int d = destination(unit);
    if (!plan.slots.contains(d)) return false;
    bool used = false; // what nothing uses nothing waits for
    for (const Conflict& c : conflicts) {
        if (c.a->what != d || c.first >= c.then) continue;
        const Unit &x = plan.round.units[c.first], &y = plan.round.units[c.then];
        if ((c.first == u && y.stage <= unit.stage) || (c.then == u && x.stage >= unit.stage)) return false;
        used |= c.first == u;
    }
    return used;
}

/// Why no bulk copy may bring it; empty: one may. It must be what a round begins with, and what it is copied from must not be written by
/// ordinary accesses in the loop.
/// @param agents that do the loop; 0: it is outside of blocks, or each agent or lane does it for itself
inline std::string why_not_bulk(const Program& p, const Plan& plan, std::size_t u, int agents)
{
    const auto& units = plan.round.units;
    if (!has_instruction(p.machine, instruction_of(Mbarrier::Action::expect_bytes)))
        return worded("{0} has no copies whose bytes an mbarrier counts", {p.machine.name});
    if (agents == 0) return "the agents of a block do not do the loop together";
    const auto& o = std::get<Operation>(units[u].statement->what);
    const int d = o.operands[0].tensor, from = o.operands[1].tensor;
    const auto name = [&](int t) { return p.tensors[static_cast<std::size_t>(t)].name; };
    if (!plan.slots.contains(d)) return worded("{0} is needed after its round, so rounds have none of their own", {name(d)});
    if (wholly_written(p, *units[u].statement) != d) return worded("it does not write all of {0}", {name(d)});
    bool used = false;
    const auto when = [&](std::size_t v) { return std::pair(units[v].stage, plan.place[v]); };
    for (std::size_t v = 0; v < units.size(); ++v)
        for (const Touch& t : units[v].touches) {
            if (t.what == from && t.writes)
                return worded("{0} writes {1} in the loop", {numbered_text(p, units[v].statement->id), name(from)});
            if (v == u || t.what != d) continue;
            if (when(v) < when(u)) return worded("{0} uses {1} before it", {numbered_text(p, units[v].statement->id), name(d)});
            if (t.writes && !plan.round.loop->stages.executors.empty())
                return worded("{0} writes {1}, too, and roles hand it on", {numbered_text(p, units[v].statement->id), name(d)});
            used = true;
        }
    return used ? std::string() : worded("nothing in the loop uses {0}", {name(d)});
}

} // namespace detail::stages
} // namespace v0
} // namespace axe

#endif
