// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_STAGES_PLAN_HPP
#define AXE_SCHEDULE_STAGES_PLAN_HPP

#include <axe/schedule/stages/distances.hpp>
#include <axe/schedule/stages/exposed.hpp>
#include <axe/support/sort.hpp>

#include <map>

/// In which order the rounds of a loop are done, and how many slots tensors need for it.
namespace axe {
inline namespace v0 {
namespace detail::stages {

/// Statement u of round i is done in turn  i + stage(u),  there in place(u). A tensor with n slots has that of round i in slot i mod n.
///
/// A statement v that must come after u, k rounds on, does so where  (stage(u), place(u)) < (stage(v) + k, place(v)),  the first that
/// differs deciding. Of a tensor that each round has for itself, a round needs that of the round n before it, which fixes n; of others,
/// every round that touches the same elements counts. An asynchronous product that agents wait for one turn later touches what it does
/// from stage(u) to stage(u) + 1.
struct Plan {
    Round round{};
    std::vector<int> turn{};    ///< units in the order of a turn
    std::vector<int> place{};   ///< of each unit in it
    int last = 0;               ///< the last stage
    std::map<int, int> slots{}; ///< of tensors that each round has for itself
};

/// Two touches of one tensor, one of which writes.
struct Conflict {
    std::size_t first = 0, then = 0; ///< units
    const Touch *a = nullptr, *b = nullptr;
};

/// Do two products that are left going add to the same sums? They do so in their order.
inline bool adds_on(const Round& round, const Conflict& c)
{
    const Unit &u = round.units[c.first], &v = round.units[c.then];
    if (u.flight == 0 || v.flight == 0) return false;
    const View &d = std::get<Operation>(u.statement->what).operands[0], &e = std::get<Operation>(v.statement->what).operands[0];
    return c.a->view == &d && c.b->view == &e && d == e;
}

/// Do mbarriers alone order the product with all that is not a product to the same sums? It reads what is handed on by them.
inline bool may_commit(const Plan& plan, const std::vector<Conflict>& conflicts, std::size_t u)
{
    const auto& units = plan.round.units;
    const Unit& product = units[u];
    if (std::get<Operation>(product.statement->what).options.pair) return false;
    // By who is the tensor brought, other than by what the product is ordered with otherwise?
    const auto brings = [&](const Unit& other, int tensor) {
        return (other.bulk && destination(other) == tensor) || other.executor != product.executor;
    };
    bool reads = false;
    for (const Conflict& c : conflicts) {
        if (c.first != u && c.then != u) continue;
        const bool is_first = c.first == u;
        const Unit& other = units[is_first ? c.then : c.first];
        const bool only_reads = !(is_first ? c.a : c.b)->writes && brings(other, c.a->what);
        if (!only_reads && !adds_on(plan.round, c)) return false;
        reads |= only_reads;
    }
    return reads;
}

class Planner {
  public:
    Planner(const Program& p, const Statement& loop, Round round) : p_(p), loop_(loop) { plan_.round = std::move(round); }

    Result<Plan, Problem> plan()
    {
        std::vector<Unit>& units = plan_.round.units;
        find_conflicts();
        find_private();
        const bool chosen = plan_.round.loop->stages.groups.empty();
        if (chosen) choose_stages();
        int least = 0;
        for (std::size_t u = 0; u < units.size(); ++u) least = u == 0 ? units[u].stage : std::min(least, units[u].stage);
        for (Unit& u : units) u.stage -= least, plan_.last = std::max(plan_.last, u.stage);
        order();
        leave_products();
        for (const Conflict& c : conflicts_)
            if (const auto k = violated(c)) return violation(c, *k, least);
        for (auto& [tensor, count] : plan_.slots)
            for (const Conflict& c : conflicts_)
                if (c.a->what == tensor)
                    count = std::max(count, units[c.first].stage + units[c.first].flight - units[c.then].stage +
                                                (plan_.place[c.first] < plan_.place[c.then] ? 0 : 1));
        if (plan_.round.count) // of rounds that do not come nothing is kept
            for (auto& [tensor, count] : plan_.slots)
                count = static_cast<int>(std::clamp<std::int64_t>(*plan_.round.count, 1, count));
        return std::move(plan_);
    }

    [[nodiscard]] const std::vector<Conflict>& conflicts() const noexcept { return conflicts_; }

  private:
    void find_conflicts()
    {
        const std::vector<Unit>& units = plan_.round.units;
        for (std::size_t u = 0; u < units.size(); ++u)
            for (std::size_t v = 0; v < units.size(); ++v)
                for (const Touch& a : units[u].touches)
                    for (const Touch& b : units[v].touches)
                        if (a.what == b.what && (a.writes || b.writes)) conflicts_.push_back({u, v, &a, &b});
    }
    /// Tensors whose values no round takes from another one, and nothing takes from the loop.
    void find_private()
    {
        const Round& round = plan_.round;
        for (const int t : round.own_tensors) plan_.slots[t] = 1;
        for (const Unit& u : round.units) {
            const int t = wholly_written(p_, *u.statement);
            if (t < 0 || plan_.slots.contains(t)) continue;
            const ProgramTensor& tensor = p_.tensors[static_cast<std::size_t>(t)];
            const Memory* memory = find_memory(p_.machine, tensor.memory.c_str());
            if (tensor.binding != Binding::local || memory == nullptr || memory->roles.has(Role::global)) continue;
            const Exposed exposed(p_, t);
            if (exposed.in(round.loop->body) == First::written && exposed.after(loop_) != First::read) plan_.slots[t] = 1;
        }
    }

    /// What brings elements of global memory is in stage 0, the rest in the last one, as far as dependences let it.
    void choose_stages()
    {
        std::vector<Unit>& units = plan_.round.units;
        const int last = std::max(1, plan_.round.loop->stages.count) - 1;
        for (Unit& u : units) {
            const bool first = u.is_load && plan_.slots.contains(std::get<Operation>(u.statement->what).operands[0].tensor);
            u.stage = first ? 0 : last;
        }
        for (bool changed = last > 0; changed;) {
            changed = false;
            for (Unit& u : units) u.order = u.stage == 0 ? 0 : 1;
            plan_.last = last;
            order();
            for (const Conflict& c : conflicts_)
                if (units[c.then].stage < last && violated(c)) units[c.then].stage = last, changed = true;
        }
        for (Unit& u : units) u.order = u.stage == 0 ? 0 : 1;
    }
    void order()
    {
        const std::vector<Unit>& units = plan_.round.units;
        plan_.turn.clear();
        for (std::size_t u = 0; u < units.size(); ++u) plan_.turn.push_back(static_cast<int>(u));
        sort_stably(plan_.turn, [&](int a, int b) {
            return units[static_cast<std::size_t>(a)].order < units[static_cast<std::size_t>(b)].order;
        });
        plan_.place.assign(units.size(), 0);
        for (std::size_t i = 0; i < plan_.turn.size(); ++i)
            plan_.place[static_cast<std::size_t>(plan_.turn[i])] = static_cast<int>(i);
    }
    /// Leaves asynchronous products going until those of the next round are started, where nothing needs them before, and nothing of
    /// their own round at all: after the last product of the loop no other one is started.
    void leave_products()
    {
        std::vector<Unit>& units = plan_.round.units;
        for (Unit& u : units) u.flight = u.is_product && u.may_go_on ? 1 : 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (const Conflict& c : conflicts_)
                if (units[c.first].flight > 0 && (violated(c) || needed_in_round(c))) units[c.first].flight = 0, changed = true;
        }
    }
    [[nodiscard]] bool needed_in_round(const Conflict& c) const
    {
        return c.first < c.then && !adds_on(plan_.round, c) && Distances(plan_.round, *c.a, *c.b).meet(0);
    }
    /// After how many rounds the second statement, which must be later, is not; nothing where it always is.
    [[nodiscard]] std::optional<int> violated(const Conflict& c) const
    {
        const std::vector<Unit>& units = plan_.round.units;
        const Distances distances(plan_.round, *c.a, *c.b);
        const bool own = plan_.slots.contains(c.a->what);
        for (int k = c.first < c.then ? 0 : 1; k <= (own ? 0 : plan_.last); ++k) {
            const int by = units[c.then].stage + k - units[c.first].stage - (adds_on(plan_.round, c) ? 0 : units[c.first].flight);
            const bool later = by > 0 || (by == 0 && (plan_.place[c.first] < plan_.place[c.then] || (c.first == c.then && k > 0)));
            if (!later && distances.meet(k)) return k;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::string unit_text(const Unit& u, int least) const
    {
        return worded("{0} (stage {1}, order {2})", {numbered_text(p_, u.statement->id), u.stage + least, u.order});
    }
    [[nodiscard]] Problem violation(const Conflict& c, int k, int least) const
    {
        const Unit &u = plan_.round.units[c.first], &v = plan_.round.units[c.then];
        const int tensors = static_cast<int>(p_.tensors.size());
        const std::string what = c.a->what < tensors ? p_.tensors[static_cast<std::size_t>(c.a->what)].name
                                                     : p_.scalars[static_cast<std::size_t>(c.a->what - tensors)].name;
        return {
            errc::bad_argument,
            statement_text(p_, plan_.round.id) + ": " +
                worded("{0} must come after {1} of {2}, for {3}: put it into stage {4} with a later order, or into a later stage",
                       {unit_text(v, least), unit_text(u, least),
                        k == 0 ? std::string("the same round") : count_words(k, "round") + " before", what,
                        std::max(0, u.stage + least - k)})};
    }

    const Program& p_;
    const Statement& loop_;
    Plan plan_{};
    std::vector<Conflict> conflicts_{};
};

} // namespace detail::stages
} // namespace v0
} // namespace axe

#endif
