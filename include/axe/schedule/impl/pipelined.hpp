// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_IMPL_PIPELINED_HPP
#define AXE_SCHEDULE_IMPL_PIPELINED_HPP

#include <axe/program/allocation.hpp>
#include <axe/schedule/lower.hpp>
#include <axe/schedule/pipelined.hpp>
#include <axe/schedule/stages/loads.hpp>
#include <axe/schedule/stages/roles.hpp>

#include <limits>

/// Loops with stages, one after the other. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail::stages {

class Pipeliner {
  public:
    Pipeliner(const Program& program, const Target& target, const PipelineOptions& options) : target_(target), options_(options)
    {
        out_.program = program;
    }

    Result<Pipelined, Problem> run()
    {
        for (;;) {
            const Statement* loop = for_each_statement(std::as_const(out_.program.body), [](const Statement& s) {
                const auto* f = std::get_if<For>(&s.what);
                return f != nullptr && f->stages.count > 0 ? &s : nullptr;
            });
            if (loop == nullptr) return std::move(out_);
            if (auto e = one(*loop); !e.ok()) return e.error();
        }
    }

  private:
    Result<void, Problem> one(const Statement& loop)
    {
        auto round = RoundReader(out_.program, loop).read();
        if (!round) return round.error();
        auto all = planned(loop, std::move(*round));
        if (!all) return all.error();
        if (const auto fits = allocate(all->program); !fits) {
            std::vector<std::string> words;
            for (const auto& s : all->loops.back().slots)
                if (s.count > 1) words.push_back(worded("{0} of tensor {1}", {s.count, s.tensor}));
            if (!words.empty())
                return Problem(fits.error().code, statement_text(out_.program, loop.id) + ": " +
                                                      worded("the loop's slots, {0}, do not fit: ", {capped(words, ", ")}) +
                                                      fits.error().text);
        }
        auto before = std::move(out_.loops);
        out_ = std::move(*all);
        before.push_back(std::move(out_.loops.back()));
        out_.loops = std::move(before);
        return {};
    }

    Result<Pipelined, Problem> planned(const Statement& loop, Round round) const
    {
        Planner planner(out_.program, loop, round);
        auto plan = planner.plan();
        if (!plan) return plan.error();
        std::vector<Unit>& units = plan->round.units;
        const auto those = [&](auto&& condition) {
            std::vector<std::size_t> out;
            for (std::size_t u = 0; u < units.size(); ++u)
                if (condition(u)) out.push_back(u);
            return out;
        };
        const auto with = [&](bool Unit::* how, const std::vector<std::size_t>& may, const std::vector<std::size_t>& chosen) {
            for (const std::size_t u : may) units[u].*how = false;
            for (const std::size_t u : chosen) units[u].*how = true;
            return made(loop, *plan, planner.conflicts());
        };
        // Those of `may` that the target has such schedules for: all together, or one after the other each that has one beside those before.
        const auto choose = [&](const std::vector<std::size_t>& may, bool Unit::* how, std::int64_t most_slow) {
            auto all = with(how, may, may);
            if (!all || may.empty() || slow_choices(*all) <= most_slow) return all;
            std::vector<std::size_t> chosen;
            for (const std::size_t u : may) {
                std::string why;
                std::vector<std::size_t> more = chosen;
                more.push_back(u);
                if (const auto together = with(how, may, more); together && slow_choices(*together, &why) <= most_slow)
                    chosen = std::move(more);
                else if (how == &Unit::bulk)
                    units[u].why_not_bulk = std::move(why);
            }
            return with(how, may, chosen);
        };
        const bool asked = plan->round.loop->stages.bulk;
        for (std::size_t u = 0; u < units.size(); ++u)
            if (asked && units[u].is_load) units[u].why_not_bulk = why_not_bulk(out_.program, *plan, u, scope_around(loop).count);
        const auto bulk = those([&](std::size_t u) { return asked && units[u].is_load && units[u].why_not_bulk.empty(); });
        if (!bulk.empty()) {
            // Bulk copies ask for layouts, with which products must not become slower.
            const auto without = with(&Unit::bulk, bulk, {});
            if (!without) return without.error();
            if (auto e = choose(bulk, &Unit::bulk, std::min(slow_choices(*without), no_lowering - 1)); !e) return e.error();
        }
        if (const auto left = those([&](std::size_t u) { return units[u].flight > 0; });
            !left.empty() && commit_products(out_.program.machine)) {
            auto may = those([&](std::size_t u) { return units[u].flight > 0 && may_commit(*plan, planner.conflicts(), u); });
            if (may == left)
                if (const auto committed = with(&Unit::commits, left, left); !committed || slow_choices(*committed) == no_lowering)
                    may = {};
            if (may != left) { // those that may not are complete at once
                for (std::size_t u = 0; u < units.size(); ++u)
                    round.units[u].may_go_on = std::find(may.begin(), may.end(), u) != may.end();
                return planned(loop, std::move(round));
            }
        }
        auto all = choose(those([&](std::size_t u) {
                              return options_.asynchronous && !units[u].bulk && may_be_asynchronous(*plan, planner.conflicts(), u);
                          }),
                          &Unit::asynchronous, no_lowering - 1);
        return all;
    }

    static constexpr std::int64_t no_lowering = std::numeric_limits<std::int64_t>::max();
    /// For how many operators the target has faster instructions that do not apply; `no_lowering` where it has none for one. `why`, if
    /// given: what the first of them lacks.
    std::int64_t slow_choices(const Pipelined& made, std::string* why = nullptr) const
    {
        const auto lowered = lower(in_program_order(made.program), target_);
        if (!lowered) {
            if (why != nullptr) *why = lowered.error().text;
            for (std::size_t at = 0; why != nullptr && (at = why->find("\n  ", at)) != std::string::npos;) why->replace(at, 3, " ");
            return no_lowering;
        }
        std::int64_t out = 0;
        for (const Choice& c : lowered->choices) {
            if (c.faster.empty()) continue;
            if (++out == 1 && why != nullptr)
                *why = worded("its layout would make products slower: {0}: {1}", {c.faster.front().first, c.faster.front().second});
        }
        return out;
    }

    Result<Pipelined, Problem> made(const Statement& loop, const Plan& plan, const std::vector<Conflict>& conflicts) const
    {
        Pipelined out;
        out.program = out_.program;
        Program& p = out.program;
        const auto& units = plan.round.units;
        // With asynchronous operators of its own a loop in the order of the program stays as it is.
        bool in_order = plan.last == 0 && plan.round.has_waits &&
                        std::none_of(units.begin(), units.end(), [](const Unit& unit) { return unit.bulk || unit.flight > 0; });
        for (std::size_t i = 0; i < plan.turn.size(); ++i) in_order = in_order && plan.turn[i] == static_cast<int>(i);
        PipelinedLoop report;
        report.statement = plan.round.id;
        for (const int u : plan.turn) {
            const Unit& unit = units[static_cast<std::size_t>(u)];
            report.steps.push_back(
                {unit.statement->id, unit.stage, unit.asynchronous, unit.bulk, unit.flight > 0, unit.why_not_bulk});
        }
        Body made;
        SlotTensors slots;
        const bool by_roles = !plan.round.loop->stages.executors.empty();
        if (by_roles) {
            if (auto e = make_slots(p, plan, slots, report); !e.ok()) return e.error();
            for (const auto& [tensor, ids] : slots) report.turns = std::lcm(report.turns, static_cast<int>(ids.size()));
            out.loops.push_back(std::move(report));
            add_slots(p, p.body, slots);
            auto e = with_roles(p, p.body, plan, conflicts, slots);
            if (!e.ok()) return e.error();
            return out;
        }
        if (in_order) {
            Statement same = loop;
            std::get<For>(same.what).stages = {};
            made.push_back(std::move(same));
            for (const auto& [tensor, needed] : plan.slots)
                report.slots.push_back({p.tensors[static_cast<std::size_t>(tensor)].name, needed, 1});
        } else {
            if (auto e = make_slots(p, plan, slots, report); !e.ok()) return e.error();
            Channels channels(p, plan, slots, {scope_around(loop)});
            if (auto e = channels.find(); !e.ok()) return e.error();
            const bool meets = !channels.empty() || outside_meets(loop, plan);
            Emitter emitter(p, plan, slots);
            report.turns = emitter.copies();
            for (const int t : plan.round.own_tensors) {
                made.push_back(new_statement(p, plan.round.id, Alloc{t}));
                for (std::size_t k = 1; slots.contains(t) && k < slots[t].size(); ++k)
                    made.push_back(new_statement(p, plan.round.id, Alloc{slots[t][k]}));
            }
            const Turn turn = Meetings(p, plan, conflicts, plan.turn).turn();
            Statement turns = emitter.loop(turn, 0, plan.last, channels.hooks(0));
            channels.begin(made);
            channels.fence_products(0, ProxyFence::Of::before_sync, made);
            if (meets) made.push_back(new_statement(p, plan.round.id, Barrier{}));
            channels.fence_products(0, ProxyFence::Of::after_sync, made);
            made.push_back(std::move(turns));
            emitter.wait_for_products(turn, made);
            channels.end_products(0, made);
            if (meets) made.push_back(new_statement(p, plan.round.id, Barrier{}));
            channels.end(made);
        }
        out.loops.push_back(std::move(report));
        add_slots(p, p.body, slots);
        replace(p.body, plan, made);
        return out;
    }

    /// The agents of a block that do the loop; 0 of them: it is outside of blocks, or each agent or lane does it for itself.
    LoopStages::Executor scope_around(const Statement& loop) const
    {
        LoopStages::Executor out;
        find_scope(out_.program.body, loop, {}, out);
        return out;
    }
    static bool find_scope(const Body& body, const Statement& loop, const LoopStages::Executor& around, LoopStages::Executor& out)
    {
        for (const Statement& s : body) {
            if (&s == &loop) return out = around, true;
            LoopStages::Executor inside = around;
            const auto* slice = std::get_if<Slice>(&s.what);
            if (const auto* grid = std::get_if<Grid>(&s.what)) inside = {{}, 0, grid->agents, 1};
            if (slice != nullptr && slice->of == Slice::Of::agents)
                inside = {slice->name, slice->first, slice->count, slice->stride};
            if (std::holds_alternative<Each>(s.what)) inside = {};
            if (for_each_body(s, [&](const Body& inner) { return find_scope(inner, loop, inside, out); })) return true;
        }
        return false;
    }

    /// Makes the slots of tensors beyond the first.
    Result<void, Problem> make_slots(Program& p, const Plan& plan, SlotTensors& slots, PipelinedLoop& report) const
    {
        // The loop has as many turns as the least common multiple: where that is many, all have as many slots as one needs.
        int most = 1, turns = 1;
        for (const auto& [tensor, needed] : plan.slots) most = std::max(most, needed), turns = std::lcm(turns, needed);
        for (const auto& [tensor, needed] : plan.slots) {
            const ProgramTensor first = p.tensors[static_cast<std::size_t>(tensor)];
            int count = needed > 1 && turns > 2 * most ? most : needed;
            for (const auto& [name, asked] : options_.slots)
                if (name == first.name) count = std::max(1, asked);
            report.slots.push_back({first.name, needed, count});
            if (count == 1) continue;
            if (first.base >= 0)
                return Problem(errc::bad_argument,
                               statement_text(p, plan.round.id) + ": " +
                                   worded("{0} is at byte {1}, and the loop needs {2} of it; allocate it without a place",
                                          {first.name, first.base, count}));
            slots[tensor].push_back(tensor);
            for (int k = 1; k < count; ++k) {
                slots[tensor].push_back(static_cast<int>(p.tensors.size()));
                p.tensors.push_back(first);
                p.tensors.back().name += "." + std::to_string(k);
            }
        }
        return {};
    }

    /// Do agents access what others access outside of the loop, or when it comes again?
    bool outside_meets(const Statement& loop, const Plan& plan) const
    {
        const Program& p = out_.program;
        std::vector<Touch> inside, outside;
        for (const Unit& u : plan.round.units) inside.insert(inside.end(), u.touches.begin(), u.touches.end());
        bool again = false;
        note_outside(p.body, loop, outside, false, again);
        for (const Touch& a : inside) {
            if (is_of_lanes(p, a.what) ||
                std::find(plan.round.own_tensors.begin(), plan.round.own_tensors.end(), a.what) != plan.round.own_tensors.end())
                continue;
            for (const Touch& b : outside)
                if (a.what == b.what && (a.writes || b.writes)) return true;
            if (again && a.writes) return true;
        }
        return false;
    }
    /// What statements beside the loop touch in its block; `again`: a loop around has it.
    bool note_outside(const Body& body, const Statement& loop, std::vector<Touch>& out, bool in_block, bool& again) const
    {
        bool found = false;
        for (const Statement& s : body) {
            if (&s == &loop) {
                found = true;
                continue;
            }
            const bool grid = std::holds_alternative<Grid>(s.what);
            bool holds = false;
            const bool here = for_each_body(s, [&](const Body& inner) {
                holds = true;
                return note_outside(inner, loop, out, in_block || grid, again);
            });
            if (here && repeats(s)) again = true;
            found |= here;
            if (!holds && in_block) append_touches(out_.program, s, out);
        }
        return found;
    }

    /// Allocates slots beside what they are slots of.
    static void add_slots(Program& p, Body& body, const SlotTensors& slots)
    {
        rewrite(body, [&](Statement& s, Body& out) {
            for_each_body(s, [&](Body& inner) { add_slots(p, inner, slots); });
            const auto* alloc = std::get_if<Alloc>(&s.what);
            const int tensor = alloc != nullptr ? alloc->tensor : -1, id = s.id;
            out.push_back(std::move(s));
            if (const auto of = slots.find(tensor); of != slots.end())
                for (std::size_t k = 1; k < of->second.size(); ++k) out.push_back(new_statement(p, id, Alloc{of->second[k]}));
        });
    }
    static bool is_loop(const Statement& s, const Plan& plan)
    {
        return s.id == plan.round.id && std::holds_alternative<For>(s.what);
    }

    /// Puts the new loop in the place of the old one.
    static void replace(Body& body, const Plan& plan, Body& made)
    {
        rewrite(body, [&](Statement& s, Body& out) {
            if (is_loop(s, plan)) {
                out.insert(out.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
                return;
            }
            for_each_body(s, [&](Body& inner) { replace(inner, plan, made); });
            out.push_back(std::move(s));
        });
    }
    static Result<void, Problem> with_roles(Program& p, Body& body, const Plan& plan, const std::vector<Conflict>& conflicts,
                                            const SlotTensors& slots)
    {
        for (std::size_t i = 0; i < body.size(); ++i) {
            if (is_loop(body[i], plan)) return Roles(p, plan, conflicts, slots).replace(body, i);
            auto e = for_each_body(body[i], [&](Body& inner) { return with_roles(p, inner, plan, conflicts, slots); });
            if (!e.ok()) return e;
        }
        return {};
    }

    const Target& target_;
    const PipelineOptions& options_;
    Pipelined out_{};
};

} // namespace detail::stages

AXE_DECL Result<Pipelined, Problem> pipelined(const Program& program, const Target& target, const PipelineOptions& options)
{
    return detail::stages::Pipeliner(program, target, options).run();
}

AXE_DECL bool has_stages(const Program& program)
{
    return for_each_statement(program.body, [](const Statement& s) {
        const auto* loop = std::get_if<For>(&s.what);
        return loop != nullptr && loop->stages.count > 0;
    });
}

AXE_DECL Program in_program_order(Program program)
{
    for_each_statement(program.body, [](Statement& s) {
        if (auto* loop = std::get_if<For>(&s.what)) loop->stages = {};
    });
    return program;
}

} // namespace v0
} // namespace axe

#endif
