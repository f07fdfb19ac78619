// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_STAGES_MEETINGS_HPP
#define AXE_SCHEDULE_STAGES_MEETINGS_HPP

#include <axe/machine/axes.hpp>
#include <axe/program/levels.hpp>
#include <axe/schedule/stages/plan.hpp>

/// Where the agents of a loop with stages meet, and what they wait for.
namespace axe {
inline namespace v0 {
namespace detail::stages {

/// Has each lane or agent its own memory there, which no other one accesses?
inline bool is_of_lanes(const Program& p, int tensor)
{
    if (tensor >= static_cast<int>(p.tensors.size())) return true; // a scalar
    const Memory* memory = find_memory(p.machine, p.tensors[static_cast<std::size_t>(tensor)].memory.c_str());
    const int block = levels_of(p.machine).block;
    if (memory == nullptr || block < 0) return false;
    for (int i = block + 1; i < p.machine.scopes.size(); ++i)
        if (same_text(p.machine.scopes[i].name, memory->owner)) return true;
    return false;
}

/// What is done between the statements of a turn: before the statement in place g, in this order, a wait, a barrier.
struct Gap {
    bool barrier = false;
    int pending = -1; ///< groups that may be unfinished; −1: no wait
};

/// The statements of one turn after each other, by some or all of the agents.
struct Turn {
    std::vector<int> units{};    ///< by their numbers in the round
    std::vector<Gap> gaps{};     ///< one before each
    std::vector<bool> commits{}; ///< after each: is a group closed?
};

/// Barriers between statements of agents that meet in each turn.
///
/// Statement u, in place p, comes d turns before v, in place q, and v needs what u did: so a barrier is in one of the gaps on the way from
/// p + 1 to q, d turns on; and where u is asynchronous, the barrier is after its group is closed, and right before it agents wait for that
/// group. Of the gaps those are taken first that most pairs of statements still lack.
///
/// Tensors that are allocated in the bodies of two statements may have the same bytes: one needs that the other one is done with them.
class Meetings {
  public:
    /// @param members the units of these agents, in the order of a turn
    Meetings(const Program& p, const Plan& plan, const std::vector<Conflict>& conflicts, std::vector<int> members)
        : plan_(plan), size_(static_cast<int>(members.size()))
    {
        turn_.units = std::move(members);
        turn_.gaps.resize(turn_.units.size());
        turn_.commits.resize(turn_.units.size());
        std::vector<int> place(plan.round.units.size(), -1);
        for (int i = 0; i < size_; ++i) place[static_cast<std::size_t>(turn_.units[static_cast<std::size_t>(i)])] = i;
        for (int i = 0; i < size_; ++i)
            if (unit(i).asynchronous && (i + 1 == size_ || !unit(i + 1).asynchronous))
                turn_.commits[static_cast<std::size_t>(i)] = true;
        for (const Conflict& c : conflicts)
            if (place[c.first] >= 0 && place[c.then] >= 0 && !is_of_lanes(p, c.a->what) && !is_by_mbarriers(c))
                add(c, place[c.first], place[c.then]);
        for (int i = 0; i < size_; ++i)
            for (int k = i + 1; k < size_; ++k)
                if (has_inner(p, i) && has_inner(p, k)) ways_.push_back({i, k, 0, false}), ways_.push_back({k, i, 1, false});
        for (int i = 0; i < size_; ++i) // groups that no statement here waits for stay open
            turn_.commits[static_cast<std::size_t>(i)] =
                std::any_of(ways_.begin(), ways_.end(), [&](const Way& w) { return w.waits && w.from == i; });
        place_barriers();
        place_waits();
    }
    [[nodiscard]] Turn turn() && { return std::move(turn_); }

  private:
    struct Way {
        int from, to, turns;
        bool waits;
    };
    [[nodiscard]] const Unit& unit(int place) const
    {
        return plan_.round.units[static_cast<std::size_t>(turn_.units[static_cast<std::size_t>(place)])];
    }
    /// Is memory that agents share allocated in the statement's bodies?
    [[nodiscard]] bool has_inner(const Program& p, int place) const
    {
        const std::vector<int>& inner = unit(place).inner_tensors;
        return std::any_of(inner.begin(), inner.end(), [&](int t) { return !is_of_lanes(p, t); });
    }
    /// Is it about what a bulk copy brings, or with a product that mbarriers alone order?
    [[nodiscard]] bool is_by_mbarriers(const Conflict& c) const
    {
        if (plan_.round.units[c.first].commits || plan_.round.units[c.then].commits) return true;
        const auto brings = [&](std::size_t u) {
            const Unit& one = plan_.round.units[u];
            return one.bulk && std::get<Operation>(one.statement->what).operands[0].tensor == c.a->what;
        };
        return brings(c.first) || brings(c.then);
    }
    void add(const Conflict& c, int from, int to)
    {
        const Unit &u = plan_.round.units[c.first], &v = plan_.round.units[c.then];
        const Distances distances(plan_.round, *c.a, *c.b);
        const auto way = [&](int rounds) {
            Way w{from, to, rounds + v.stage - u.stage - u.flight, u.asynchronous};
            while (w.waits && !turn_.commits[static_cast<std::size_t>(w.from)]) ++w.from;
            if (w.turns > 0 || (w.turns == 0 && w.from < w.to)) ways_.push_back(w);
        };
        const int first = c.first < c.then ? 0 : 1;
        if (const auto own = plan_.slots.find(c.a->what); own != plan_.slots.end()) {
            if (first == 0) way(0);
            way(own->second);
            return;
        }
        for (int k = first; k <= plan_.last + 1; ++k)
            if (distances.meet(k)) way(k);
        if (distances.meet_from(plan_.last + 2)) way(plan_.last + 2);
    }
    /// Is the gap on the way, at least once?
    [[nodiscard]] bool passes(const Way& w, int gap) const
    {
        if (w.turns == 0) return w.from < gap && gap <= w.to;
        return w.turns > 1 || gap > w.from || gap <= w.to;
    }
    void place_barriers()
    {
        std::vector<const Way*> lacking;
        for (const Way& w : ways_) lacking.push_back(&w);
        while (!lacking.empty()) {
            int best = 0;
            std::ptrdiff_t most = -1;
            for (int g = 0; g < size_; ++g) {
                const auto n = std::count_if(lacking.begin(), lacking.end(), [&](const Way* w) { return passes(*w, g); });
                if (n > most) most = n, best = g;
            }
            turn_.gaps[static_cast<std::size_t>(best)].barrier = true;
            std::erase_if(lacking, [&](const Way* w) { return passes(*w, best); });
        }
    }
    /// Before the last barrier on each way from an asynchronous statement, agents wait for its group.
    void place_waits()
    {
        int groups = 0;
        std::vector<int> closed(static_cast<std::size_t>(size_) + 1, 0); // before the statement in a place
        for (int i = 0; i < size_; ++i) {
            if (turn_.commits[static_cast<std::size_t>(i)]) ++groups;
            closed[static_cast<std::size_t>(i) + 1] = groups;
        }
        for (const Way& w : ways_) {
            if (!w.waits) continue;
            int gap = w.to, turns = w.turns; // turns from the statement to that barrier
            while (!turn_.gaps[static_cast<std::size_t>(gap)].barrier)
                if (--gap < 0) gap += size_, --turns;
            const int pending =
                turns * groups + closed[static_cast<std::size_t>(gap)] - closed[static_cast<std::size_t>(w.from) + 1];
            int& waits = turn_.gaps[static_cast<std::size_t>(gap)].pending;
            waits = waits < 0 ? pending : std::min(waits, pending);
        }
    }

    const Plan& plan_;
    int size_;
    Turn turn_{};
    std::vector<Way> ways_{};
};

} // namespace detail::stages
} // namespace v0
} // namespace axe

#endif
