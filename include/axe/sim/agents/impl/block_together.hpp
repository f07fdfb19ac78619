// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_TOGETHER_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_TOGETHER_HPP

#include <axe/sim/agents/block.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Without checks nothing shows which of several agents comes first between two barriers. As long as all of them are at one step with
/// the same variables they take it together: an instruction's columns become one, a barrier nothing. Where they part – a condition, a
/// scope of some, a phase of an mbarrier, an instruction whose order counts – each goes on by itself from there.
///
/// False: the block has a fault.
inline bool Block::go_together()
{
    const RunOptions& options = compiled_->options;
    if (full() || options.counters || options.trace != nullptr || options.watch != nullptr) return true;
    const auto& steps = grid_->code.steps;
    const int count = static_cast<int>(agents_.size());
    Members everyone;
    for (int agent = 0; agent < count; ++agent) everyone.set(static_cast<std::size_t>(agent));
    int pc = 0;
    bool together = true;
    while (together && pc < static_cast<int>(steps.size())) {
        const Step& s = steps[static_cast<std::size_t>(pc)];
        if (!count_step(agents_.front(), 0, s)) return false; // as many as any other has gone
        switch (s.kind) {
        case Step::Kind::instruction: {
            const auto is = [&](int at, auto&& what) {
                const auto u = static_cast<std::size_t>(at);
                return u < steps.size() && steps[u].kind == Step::Kind::instruction &&
                       what(*grid_->instructions[static_cast<std::size_t>(steps[u].item)]);
            };
            together = is(pc, [](const Executable& e) { return !e.in_agent_order; });
            if (!together) break;
            if (is(pc, [&](const Executable& e) { return e.at_once && e.run_at_once(*this); })) {
                ++pc;
                break;
            }
            // What each agent does by itself it does without a stop: its registers are near then. What several run as one comes after
            // all that each of them has done before, and before what each does then.
            const auto alone = [](const Executable& e) { return e.together == 1; };
            const int from = pc++;
            while (is(from, alone) && is(pc, [&](const Executable& e) { return !e.at_once && !e.in_agent_order && alone(e); }))
                ++pc;
            for (int at = from + 1; at < pc; ++at)
                if (!count_step(agents_.front(), 0, steps[static_cast<std::size_t>(at)])) return false;
            for (int agent = 0; agent < count; ++agent)
                for (int at = from; at < pc; ++at)
                    if (!run_instruction(steps[static_cast<std::size_t>(at)], agent)) return false;
            break;
        }
        case Step::Kind::loop:
        case Step::Kind::next: {
            const int from = pc;
            for (Agent& a : agents_) pc = turn(s, from, a.vars);
            break;
        }
        case Step::Kind::enter:
            together = s.members == everyone || s.members.none();
            if (together) pc = s.members.any() ? pc + 1 : s.target;
            break;
        case Step::Kind::barrier:
            together = s.members == everyone;
            if (!together) break;
            worker_->barriers += count;
            ++pc;
            break;
        case Step::Kind::commit:
            for (Agent& a : agents_) {
                ++a.group;
                a.groups.push_back({a.group, {}});
            }
            ++pc;
            break;
        case Step::Kind::wait:
            for (int agent = 0; agent < count; ++agent)
                if (!wait_groups(agents_[static_cast<std::size_t>(agent)], agent, std::get<Wait>(s.source->what))) return false;
            ++pc;
            break;
        case Step::Kind::let: {
            for (int agent = 0; agent < count; ++agent)
                if (!set_index(s, agent)) return false;
            const auto v = static_cast<std::size_t>(std::get<Let>(s.source->what).var.id);
            together = std::all_of(agents_.begin(), agents_.end(), [&](const Agent& a) { return a.vars[v] == agents_[0].vars[v]; });
            if (together) ++pc;
            break;
        }
        case Step::Kind::jump: pc = s.target; break;
        case Step::Kind::alloc:
        case Step::Kind::fence:
        case Step::Kind::each:
        case Step::Kind::each_end: ++pc; break;
        case Step::Kind::test:
        case Step::Kind::assign:
        case Step::Kind::mbarrier:
        case Step::Kind::flag:
        case Step::Kind::cluster:
        case Step::Kind::named:
        case Step::Kind::launch:
        case Step::Kind::registers:
        case Step::Kind::columns:
        case Step::Kind::grid: together = false; break;
        }
    }
    if (!together) --agents_.front().steps; // the last one is to come for each
    for (Agent& a : agents_) {
        a.steps = agents_.front().steps;
        a.pc = pc;
        a.done = pc >= static_cast<int>(steps.size());
    }
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
