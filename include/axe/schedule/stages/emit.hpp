// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_STAGES_EMIT_HPP
#define AXE_SCHEDULE_STAGES_EMIT_HPP

#include <axe/program/substitute.hpp>
#include <axe/schedule/block_scopes.hpp>
#include <axe/schedule/stages/meetings.hpp>

#include <functional>
#include <numeric>
#include <utility>

/// The loop that does the turns of a plan.
namespace axe {
inline namespace v0 {
namespace detail::stages {

/// Which tensor each slot of a tensor is.
using SlotTensors = std::map<int, std::vector<int>>;

/// A new statement of a program, from the line of another one.
inline Statement new_statement(Program& p, int from, StatementKind what)
{
    const StatementOrigin line{origin_of(p, from).line, {}};
    Statement out{p.statements++, std::move(what)};
    p.origins.resize(std::max(p.origins.size(), static_cast<std::size_t>(out.id) + 1));
    p.origins[static_cast<std::size_t>(out.id)] = line;
    return out;
}

/// Do products of the machine tell their completion to mbarriers, and not to waits of the agents that start them? Those of one agent into a
/// memory that several access.
inline bool commit_products(const Machine& machine)
{
    return has_instruction(machine, instruction_of(Mbarrier::Action::commit)) &&
           std::any_of(machine.memories.begin(), machine.memories.end(),
                       [&](const Memory& m) { return is_partitioned(m) && !is_private(machine, m); });
}

/// Is the product one of those? Products of a pair of blocks go on until the wait that the loop's body has for them.
inline bool may_tell_mbarriers(const Program& p, const Unit& product)
{
    return commit_products(p.machine) && !std::get<Operation>(product.statement->what).options.pair;
}

/// What agents of a role do for others around a statement: waits before it, signals after it.
struct Hooks {
    /// @param turn the copy of a turn that the loop's body has, @param round its number as an expression of the loop's variable
    std::function<void(int unit, int slot_turn, const Affine& variable, Body& out)> before{}, after{};
    /// What is done instead of the statement.
    std::function<void(int unit, int slot_turn, const Affine& variable, Statement statement, Body& out)> instead{};
};

/// A loop of turns:  for v = begin, begin + U·step, … < end + last·step:  U turns, of which number u does statement s for the round
/// v + (u − stage(s))·step,  if that is one.  U is a multiple of the slots of every tensor, so that the slot of each statement is known:
/// (u − stage(s)) mod n.
class Emitter {
  public:
    Emitter(Program& p, const Plan& plan, const SlotTensors& slots) : p_(p), plan_(plan), slots_(slots)
    {
        for (const auto& [tensor, ids] : slots_) copies_ = std::lcm(copies_, static_cast<int>(ids.size()));
    }
    [[nodiscard]] int copies() const noexcept { return copies_; }

    /// Appends the wait for the last products that a loop has left going, of those that agents wait for.
    void wait_for_products(const Turn& turn, Body& out)
    {
        if (waited_products(turn) > 0) out.push_back(added(Wait{0, Wait::Of::products}));
    }

    /// @param least the first stage of the units: what they do for round i is done in turn i + stage − least of the loop
    Statement loop(const Turn& turn, int least, int last, const Hooks& hooks = {})
    {
        const For& old = *plan_.round.loop;
        first_ = least, last_ = last - least;
        const Variable before = p_.variables[static_cast<std::size_t>(old.var.id)];
        For out;
        out.step = old.step * copies_;
        out.begin = old.begin;
        out.end = old.end + Affine(last_ * old.step);
        if (plan_.round.count) turns_ = (*plan_.round.count + last_ + copies_ - 1) / copies_;
        const int products = waited_products(turn);
        const bool never = plan_.round.count && *plan_.round.count == 0;
        if (never) out.end = old.begin;
        p_.variables.push_back({before.name, before.low, std::max(before.low + 1, before.high + last_ * old.step)});
        var_ = out.var = Var{static_cast<int>(p_.variables.size()) - 1};
        for (int u = 0; u < (never ? 0 : copies_); ++u)
            for (std::size_t i = 0; i < turn.units.size(); ++i) {
                const Gap& gap = turn.gaps[i];
                if (gap.pending >= 0 || gap.barrier) flush(out.body);
                if (gap.pending >= 0) out.body.push_back(added(Wait{gap.pending}));
                if (gap.barrier) out.body.push_back(added(Barrier{}));
                const Unit& unit = plan_.round.units[static_cast<std::size_t>(turn.units[i])];
                if (!guarded_.empty() && (u != guarded_turn_ || unit.stage != guarded_stage_)) flush(out.body);
                guarded_turn_ = u, guarded_stage_ = unit.stage;
                const Affine variable = Affine(var_) + Affine((u - (unit.stage - first_)) * old.step);
                if (hooks.before) hooks.before(turn.units[i], u - (unit.stage - first_), variable, guarded_);
                if (unit.is_product && !is_by_bulk_copies(unit)) guarded_.push_back(added(ProxyFence{}));
                Statement one = copy_of(unit, turn.units[i], u - (unit.stage - first_), variable);
                if (hooks.instead)
                    hooks.instead(turn.units[i], u - (unit.stage - first_), variable, std::move(one), guarded_);
                else
                    guarded_.push_back(std::move(one));
                // Those that were started since that of the round before, this one too, may go on.
                if (unit.is_product && !may_tell_mbarriers(p_, unit))
                    guarded_.push_back(added(Wait{unit.flight > 0 ? products : 0, Wait::Of::products}));
                if (hooks.after) hooks.after(turn.units[i], u - (unit.stage - first_), variable, guarded_);
                if (!turn.commits[i]) continue;
                flush(out.body);
                out.body.push_back(added(Commit{}));
            }
        flush(out.body);
        return {plan_.round.id, std::move(out)};
    }

  private:
    Statement added(StatementKind what) { return new_statement(p_, plan_.round.id, std::move(what)); }
    /// How many products does a turn leave going, for which agents wait?
    [[nodiscard]] int waited_products(const Turn& turn) const
    {
        return static_cast<int>(std::count_if(turn.units.begin(), turn.units.end(), [&](int u) {
            const Unit& unit = plan_.round.units[static_cast<std::size_t>(u)];
            return unit.flight > 0 && !may_tell_mbarriers(p_, unit);
        }));
    }

    /// Do bulk copies bring all that the product reads of shared memory? Then no ordinary access has written it.
    [[nodiscard]] bool is_by_bulk_copies(const Unit& product) const
    {
        const auto& operands = std::get<Operation>(product.statement->what).operands;
        return std::all_of(operands.begin() + 1, operands.end(), [&](const View& v) {
            bool brought = is_of_lanes(p_, v.tensor), written = false;
            for (const Unit& u : plan_.round.units)
                for (const Touch& t : u.touches)
                    if (t.what == v.tensor && t.writes) (u.bulk ? brought : written) = true;
            return brought && !written;
        });
    }
    /// Appends what has been kept, if the round is one.
    void flush(Body& out)
    {
        if (guarded_.empty()) return;
        const For& old = *plan_.round.loop;
        const int ahead = guarded_turn_ - (guarded_stage_ - first_); // the round is so many after that of the loop's variable
        const Affine variable = Affine(var_) + Affine(ahead * old.step);
        const bool may_begin = ahead < 0;
        const bool may_end = plan_.round.count ? (turns_ - 1) * copies_ + ahead >= *plan_.round.count : ahead + last_ > 0;
        if (!may_begin && !may_end) {
            out.insert(out.end(), std::make_move_iterator(guarded_.begin()), std::make_move_iterator(guarded_.end()));
            guarded_.clear();
            return;
        }
        const Expression begins = Expression(old.begin) <= Expression(variable), ends = Expression(variable) < Expression(old.end);
        If choice;
        choice.condition = !may_end ? begins : !may_begin ? ends : both(begins, ends);
        choice.then = std::exchange(guarded_, {});
        out.push_back(added(std::move(choice)));
    }

    /// The statement for a round, which is `round` after one of slot 0.
    Statement copy_of(const Unit& unit, int number, int round, const Affine& variable)
    {
        Substitution to;
        to.variables[plan_.round.loop->var.id] = variable;
        for (const auto& [tensor, ids] : slots_) {
            const int n = static_cast<int>(ids.size());
            to.tensors[tensor] = ids[static_cast<std::size_t>((round % n + n) % n)];
        }
        if (!emitted_.insert(number).second) rename_inner(unit, to);
        Statement out = *unit.statement;
        set_asynchronous(out, unit.asynchronous);
        // Where products commit, one that does not is complete when the statement is.
        if (unit.is_product && may_tell_mbarriers(p_, unit)) std::get<Operation>(out.what).options.async = unit.commits;
        to.apply(out);
        for (auto around = unit.indices.rbegin(); around != unit.indices.rend(); ++around) {
            const auto& let = std::get<Let>((*around)->what);
            Let copy{let.var, let.value, {}};
            copy.body.push_back(std::move(out));
            to.apply(copy.var);
            to.apply(copy.value);
            out = Statement{(*around)->id, std::move(copy)};
        }
        return out;
    }
    /// Variables of loops and indices inside are declared once for each copy; so are tensors.
    void rename_inner(const Unit& unit, Substitution& to)
    {
        const auto fresh = [&](const Var& v) {
            p_.variables.push_back(Variable(p_.variables[static_cast<std::size_t>(v.id)]));
            to.variables[v.id] = Affine(Var{static_cast<int>(p_.variables.size()) - 1});
        };
        const auto note = [&](const Statement& s) {
            if (const auto* loop = std::get_if<For>(&s.what)) fresh(loop->var);
            if (const auto* let = std::get_if<Let>(&s.what)) fresh(let->var);
            if (const auto* each = std::get_if<Each>(&s.what))
                for (const Var& v : each->vars) fresh(v);
            if (const auto* alloc = std::get_if<Alloc>(&s.what)) {
                p_.tensors.push_back(ProgramTensor(p_.tensors[static_cast<std::size_t>(alloc->tensor)]));
                to.tensors[alloc->tensor] = static_cast<int>(p_.tensors.size()) - 1;
            }
        };
        for (const Statement* let : unit.indices) fresh(std::get<Let>(let->what).var);
        note(*unit.statement);
        for_each_body(*unit.statement, [&](const Body& inner) { for_each_statement(inner, note); });
    }
    static void set_asynchronous(Statement& s, bool yes)
    {
        auto* o = std::get_if<Operation>(&s.what);
        if (o == nullptr) return;
        if (o->op == Op::copy || o->op == Op::copy_async) o->op = yes ? Op::copy_async : Op::copy;
        if (o->op == Op::gather) o->options.async = yes;
    }

    Program& p_;
    const Plan& plan_;
    const SlotTensors& slots_;
    int copies_ = 1, first_ = 0, last_ = 0;
    std::int64_t turns_ = 0; ///< of the loop, each of all copies
    Var var_{};
    Body guarded_{}; ///< statements of one stage that have no guard yet
    int guarded_turn_ = 0, guarded_stage_ = 0;
    std::set<int> emitted_{};
};

} // namespace detail::stages
} // namespace v0
} // namespace axe

#endif
