// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_AGENTS_HPP
#define AXE_SIM_REFERENCE_AGENTS_HPP

#include <axe/sim/control/named_barrier.hpp>
#include <axe/sim/control/waits.hpp>
#include <axe/sim/reference/mbarriers.hpp>
#include <axe/sim/reference/statements.hpp>
#include <axe/sim/report/fault_lines.hpp>

#include <map>

/// Blocks whose agents wait for each other.
namespace axe {
inline namespace v0 {
namespace ref {

/// A block whose agents go through its body each for itself, in an order that their waits allow.
///
/// Each has its loop variables and scalars. It stops at an mbarrier whose phase is not complete, by the counts that the simulator keeps,
/// and at what several do together, an operator or a barrier, until all of them are there; then that is done once. Agents take turns in
/// the order of their numbers, each until it stops. An operator is done by all of its agents at one time, so that of the orders that
/// a run may have, those are left in which no agent is past an operator that another one has not begun.
class Agents {
  public:
    /// @param code of the grid's body, with operators; it must outlive this
    Agents(Walk& walk, const sim::Code& code, int agents, const Frame& block) : walk_(walk), code_(code)
    {
        for (int i = 0; i < agents; ++i) {
            Team alone;
            alone.frames.push_back(block.inner());
            agents_.emplace_back();
            agents_.back().teams.push_back(std::move(alone));
        }
    }

    Result<void, Problem> run()
    {
        while (true) {
            bool moved = false, done = true;
            for (std::size_t i = 0; i < agents_.size(); ++i) {
                if (auto e = go(i, moved); !e.ok()) return placed(i, e.error());
                done = done && agents_[i].at.done;
            }
            if (done) return {};
            if (!moved) return stuck();
        }
    }

  private:
    struct Agent {
        sim::Standing at{};
        std::vector<Team> teams{};                          ///< the agent; inside `Each`, its lanes or itself as one of many
        std::map<int, std::int64_t> allocated{};            ///< how often, of each tensor
        std::map<int, std::shared_ptr<Elements>> tensors{}; ///< those of now
        std::map<int, std::int64_t> rounds{};               ///< of each `while`, by its step
        bool comes_back = false;                            ///< from the end of a `while`
        sim::NamedWait named{};                             ///< at a named barrier
    };
    struct
        Instance { ///< of an allocation: its members come to it one after the other, some in the next round of a loop before others
        std::shared_ptr<Elements> elements{};
        std::size_t taken = 0;
    };

    [[nodiscard]] static Walk::Active all_of(const Team& team)
    {
        Walk::Active out;
        for (std::size_t i = 0; i < team.frames.size(); ++i) out.push_back(i);
        return out;
    }
    [[nodiscard]] const sim::Step& step_of(const Agent& a) const { return code_.steps[static_cast<std::size_t>(a.at.pc)]; }

    /// The problem with the statement that the agent is at, unless it names one.
    Result<void, Problem> placed(std::size_t agent, const Problem& e) const
    {
        const Agent& a = agents_[agent];
        if (a.at.done) return e;
        return walk_.in_statement(*step_of(a).source, e);
    }

    /// One agent, until it stops.
    Result<void, Problem> go(std::size_t number, bool& moved)
    {
        Agent& a = agents_[number];
        using Kind = sim::Step::Kind;
        while (!a.at.done) {
            if (a.at.pc >= static_cast<int>(code_.steps.size())) {
                a.at.done = moved = true;
                break;
            }
            const sim::Step& s = step_of(a);
            Team& team = a.teams.back();
            if (!goes_on(&walk_.pulse_, 100 * static_cast<std::int64_t>(team.frames.size()))) return stopped();
            switch (s.kind) {
            case Kind::instruction:
            case Kind::barrier: {
                const bool was = a.at.meets;
                a.at.meets = true;
                if (!all_meet(s, a.at.pc)) {
                    moved = moved || !was;
                    return {};
                }
                if (s.kind == Kind::instruction)
                    if (auto e = together(s); !e.ok()) return e;
                for (std::size_t i = 0; i < agents_.size(); ++i)
                    if (s.members.test(i)) agents_[i].at = {a.at.pc + (i == number ? 0 : 1), false, false};
                ++a.at.pc;
                moved = true;
                continue;
            }
            case Kind::enter: a.at.pc = s.members.test(number) ? a.at.pc + 1 : s.target; break;
            case Kind::loop:
            case Kind::next: {
                const For& loop = std::get<For>(s.source->what);
                if (loop.step < 1) return {errc::bad_argument, loop_step_text(loop.step)};
                int next = -1;
                for (Frame& frame : team.frames) {
                    const int to = sim::turn(s, a.at.pc, frame.variables);
                    if (next >= 0 && next != to) return {errc::bad_argument, in_step_text("how often the loop runs")};
                    next = to;
                }
                a.at.pc = next;
                break;
            }
            case Kind::test: {
                if (!a.comes_back) a.rounds[a.at.pc] = 0;
                a.comes_back = false;
                const auto holds =
                    same_for_all(team, "the condition", [&](const Frame& f) { return walk_.holds(*s.condition, f); });
                if (!holds) return holds.error();
                if (*holds != 0)
                    if (auto e = walk_.need_end(a.rounds[a.at.pc], team.frames.front()); !e.ok()) return e;
                a.at.pc = *holds != 0 ? a.at.pc + 1 : s.target;
                break;
            }
            case Kind::jump:
                a.comes_back = s.target <= a.at.pc;
                a.at.pc = s.target;
                if (!a.comes_back) break;
                ++a.rounds[s.target];
                moved = true;
                return {}; // what it looks at may be another agent's to change
            case Kind::assign:
                if (auto e = walk_.does(std::get<Assign>(s.source->what), team, active_ = all_of(team)); !e.ok()) return e;
                ++a.at.pc;
                break;
            case Kind::alloc:
                if (auto e = allocate(a, s); !e.ok()) return e;
                ++a.at.pc;
                break;
            case Kind::let:
                for (Frame& frame : a.teams.back().frames)
                    if (auto e = walk_.set(std::get<Let>(s.source->what), frame); !e.ok()) return e;
                ++a.at.pc;
                break;
            case Kind::commit:
            case Kind::flag:
            case Kind::cluster:
            case Kind::fence:
            case Kind::columns:
            case Kind::registers:
            case Kind::wait: ++a.at.pc; break; // copies are complete when they are begun
            case Kind::launch:
                if (const auto* request = std::get_if<CancelLaunch>(&s.source->what)) {
                    if (auto e = walk_.does(*request, team, active_ = all_of(team)); !e.ok()) return e;
                    if (auto e = mbarriers_.bring(request->mbarrier, 16); !e.ok()) return e;
                }
                ++a.at.pc;
                break;
            case Kind::mbarrier: {
                bool blocked = false;
                if (auto e = mbarrier(number, std::get<Mbarrier>(s.source->what), blocked); !e.ok()) return e;
                if (blocked) return {};
                ++a.at.pc;
                break;
            }
            case Kind::named:
                if (auto e = come_to(number, std::get<NamedBarrier>(s.source->what), moved); !e.ok()) return e;
                if (a.named.waits) return {};
                ++a.at.pc;
                break;
            case Kind::each:
                if (auto e = enter(number, s); !e.ok()) return e;
                ++a.at.pc;
                break;
            case Kind::each_end:
                leave(a);
                ++a.at.pc;
                break;
            case Kind::grid: return {errc::bad_argument, nested_grid_text()};
            }
            moved = true;
        }
        return {};
    }

    [[nodiscard]] bool all_meet(const sim::Step& s, int pc) const
    {
        for (std::size_t i = 0; i < agents_.size(); ++i)
            if (s.members.test(i) && (!agents_[i].at.meets || agents_[i].at.pc != pc)) return false;
        return true;
    }

    /// A statement that all of its members are at.
    Result<void, Problem> together(const sim::Step& s)
    {
        Team* first = nullptr;
        for (std::size_t i = 0; i < agents_.size(); ++i) {
            if (!s.members.test(i)) continue;
            Team& team = agents_[i].teams.back();
            const bool alone = agents_[i].teams.size() == 1;
            if (const auto* operation = std::get_if<Operation>(&s.source->what)) {
                if (alone && first != nullptr && !same_place(*operation, first->frames.front(), team.frames.front()))
                    return {errc::bad_argument, "the agents that run this statement together have operands at different places"};
                if (!alone || first == nullptr)
                    if (auto e = walk_.does(*operation, team, active_ = all_of(team)); !e.ok()) return e;
                if (first == nullptr && operation->options.completes_on >= 0)
                    if (auto e = mbarriers_.complete(walk_.program_, *operation); !e.ok()) return e;
                first = first == nullptr ? &team : first;
            } else if (std::holds_alternative<Each>(s.source->what)) {
                continue;
            } else {
                return walk_.does(std::get<Instruction>(s.source->what), team, active_);
            }
        }
        if (const auto* each = std::get_if<Each>(&s.source->what)) return in_lanes(*each, s.members);
        return {};
    }
    /// An `Each` in which no agent waits: all lanes or agents of it in step.
    Result<void, Problem> in_lanes(const Each& each, const sim::Members& members)
    {
        Team inner;
        std::vector<Frame*> from;
        std::size_t rank = 0;
        for (std::size_t i = 0; i < agents_.size(); ++i) {
            if (!members.test(i)) continue;
            if (auto e = spread(each, agents_[i], rank++, members.count(), inner, from); !e.ok()) return e;
        }
        if (auto e = walk_.body(each.body, inner, all_of(inner)); !e.ok()) return e;
        for (std::size_t k = 0; k < inner.frames.size(); ++k) from[k]->scalars = inner.frames[k].scalars;
        return {};
    }
    /// The same with waits inside: the agent goes on with its part of the lanes.
    Result<void, Problem> enter(std::size_t number, const sim::Step& s)
    {
        std::size_t rank = 0;
        for (std::size_t i = 0; i < number; ++i) rank += s.members.test(i) ? 1 : 0;
        Team inner;
        std::vector<Frame*> from;
        Agent& a = agents_[number];
        if (auto e = spread(std::get<Each>(s.source->what), a, rank, s.members.count(), inner, from); !e.ok()) return e;
        a.teams.push_back(std::move(inner));
        return {};
    }
    static void leave(Agent& a)
    {
        const Team inner = std::move(a.teams.back());
        a.teams.pop_back();
        const std::size_t share = inner.frames.size() / a.teams.back().frames.size();
        for (std::size_t k = 0; k < a.teams.back().frames.size(); ++k)
            a.teams.back().frames[k].scalars = inner.frames[k * share].scalars;
    }
    /// The frames of one agent's part of an `Each`; `from`: which frame each of them is within.
    Result<void, Problem> spread(const Each& each, Agent& a, std::size_t rank, std::size_t agents, Team& inner,
                                 std::vector<Frame*>& from)
    {
        const auto count = static_cast<std::size_t>(volume(each.counts).value_or(0));
        const bool nested = a.teams.size() > 1;
        const std::size_t parts = nested ? 1 : agents;
        if (count == 0 || count % parts != 0)
            return Problem(errc::size_mismatch, "{0} agents or lanes are distributed to {1} agents; each must have as many",
                           {count, parts});
        for (Frame& frame : a.teams.back().frames)
            for (std::size_t n = 0; n < count / parts; ++n) {
                const std::size_t first = nested ? 0 : rank * (count / parts);
                inner.frames.push_back(Walk::numbered(frame, each.vars, each.counts, static_cast<std::int64_t>(first + n)));
                from.push_back(&frame);
            }
        return {};
    }

    /// The n-th time that a member comes to an allocation it is given the n-th instance: others may still use an earlier one.
    Result<void, Problem> allocate(Agent& a, const sim::Step& s)
    {
        const Alloc& alloc = std::get<Alloc>(s.source->what);
        if (a.teams.size() > 1) return walk_.does(alloc, a.teams.back(), active_ = all_of(a.teams.back()));
        const std::pair<int, std::int64_t> which{alloc.tensor, a.allocated[alloc.tensor]++};
        Instance& instance = instances_[which];
        if (!instance.elements)
            instance.elements = std::make_shared<Elements>(walk_.program_.tensors[static_cast<std::size_t>(alloc.tensor)]);
        a.tensors[alloc.tensor] = instance.elements;
        a.teams.back().frames.front().tensors[static_cast<std::size_t>(alloc.tensor)] = instance.elements.get();
        if (++instance.taken == s.members.count()) instances_.erase(which);
        return {};
    }

    Result<void, Problem> mbarrier(std::size_t number, const Mbarrier& m, bool& blocked)
    {
        const int agent = static_cast<int>(number);
        if (m.action != Mbarrier::Action::wait) return mbarriers_.act(agent, m);
        if (auto e = mbarriers_.need_set_up(m.id, "waited for", agent); !e.ok()) return e;
        const auto parity = same_for_all(agents_[number].teams.back(), "the parity",
                                         [&](const Frame& f) { return walk_.whole(m.parity, f, "the parity"); });
        if (!parity) return parity.error();
        blocked = !mbarriers_.phase(m.id).passes(*parity);
        return {};
    }

    Result<void, Problem> come_to(std::size_t number, const NamedBarrier& b, bool& moved)
    {
        moved = moved || !agents_[number].named.waits;
        const std::int64_t lanes = levels_of(walk_.program_.machine).lanes;
        return sim::come_to(b, named_[b.id], agents_[number].named, static_cast<int>(number), lanes);
    }

    /// The number that `of` gives for each frame of the team, which must be one.
    template <class Of>
    static Result<std::int64_t, Problem> same_for_all(const Team& team, const char* what, Of of)
    {
        std::int64_t value = 0;
        for (std::size_t i = 0; i < team.frames.size(); ++i) {
            const Result<std::int64_t, Problem> here = of(team.frames[i]);
            if (!here) return here;
            if (i > 0 && *here != value) return Problem(errc::bad_argument, in_step_text(what));
            value = *here;
        }
        return value;
    }
    static bool same_place(const Operation& operation, const Frame& a, const Frame& b)
    {
        for (const View& view : operation.operands)
            for (const Affine& at : view.origin)
                if (at(a.variables) != at(b.variables)) return false;
        return true;
    }

    Result<void, Problem> stuck()
    {
        std::vector<sim::Standing> standing;
        std::size_t first = agents_.size();
        bool undecided = false;
        sim::Fault waiting;
        for (std::size_t i = 0; i < agents_.size(); ++i) {
            const Agent& a = agents_[i];
            standing.push_back(a.at);
            if (a.named.waits) standing.back().come = named_[std::get<NamedBarrier>(step_of(a).source->what).id].come;
            if (a.at.done) continue;
            first = std::min(first, i);
            waiting.waits.push_back(step_of(a).statement);
            // In a run an agent does its part of an operator without the others, and might bring what they wait for.
            if (a.at.meets && step_of(a).kind == sim::Step::Kind::instruction)
                undecided =
                    undecided || sim::any_to_come(code_, static_cast<int>(i), a.at.pc, [&](const sim::Step& s) {
                        return std::any_of(agents_.begin(), agents_.end(), [&](const Agent& other) {
                            return !other.at.done && !other.at.meets && sim::arrives_for(s, static_cast<int>(i), step_of(other));
                        });
                    });
        }
        waiting.text = sim::stuck_text(sim::waits_text(code_, standing, [&](int id) { return mbarriers_.phase(id); }));
        if (undecided)
            waiting.text =
                detail::worded("{0}; in a run, agents may be past an operator that others have not begun", {waiting.text});
        waiting.lines = sim::fault_lines(walk_.program_, waiting);
        return walk_.in_statement(*step_of(agents_[first]).source,
                                  Problem(undecided ? errc::too_hard : errc::out_of_domain, waiting.message()));
    }

    Walk& walk_;
    const sim::Code& code_;
    std::vector<Agent> agents_{};
    Mbarriers mbarriers_{};
    std::map<int, sim::NamedCount> named_{};
    std::map<std::pair<int, std::int64_t>, Instance> instances_{};
    Walk::Active active_{};
};

} // namespace ref
} // namespace v0
} // namespace axe

#endif
