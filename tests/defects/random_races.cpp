// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>
#include <tests/random.hpp>

#include <set>

/// Random programs of one block: the run finds a race if and only if there are two accesses that nothing orders, found here by the
/// definition: each event has the set of all events before it.
namespace {

using namespace defects;

constexpr int agents = 3, lanes_used = 3, cells = 3;

struct Event {
    int cell = 0;
    bool writes = false;
    std::set<int> before{};
};

/// What the text says: who knows of which events, statement by statement. The text has no branches, so that its order is one in which
/// the statements can be done.
class HappensBefore {
  public:
    void access(int agent, int lane, int cell, bool writes) { known(agent, lane).insert(add(agent, lane, cell, writes)); }
    void start(int agent, int lane, int cell) { open_[agent].insert({add(agent, lane, cell, true), lane}); }
    void commit(int agent)
    {
        groups_[agent].push_back(open_[agent]);
        open_[agent].clear();
    }
    void wait(int agent, int pending)
    {
        auto& groups = groups_[agent];
        for (; static_cast<int>(groups.size()) > pending; groups.erase(groups.begin()))
            for (const auto& [event, lane] : groups.front()) known(agent, lane).insert(event);
    }
    void barrier(int first, int count)
    {
        std::set<int> all_of_them;
        for (int a = first; a < first + count; ++a)
            for (int l = 0; l < lanes_used; ++l) all_of_them.insert(known(a, l).begin(), known(a, l).end());
        for (int a = first; a < first + count; ++a)
            for (int l = 0; l < lanes_used; ++l) known(a, l) = all_of_them;
    }
    [[nodiscard]] bool has_race() const
    {
        for (std::size_t f = 0; f < events_.size(); ++f)
            for (std::size_t e = 0; e < f; ++e)
                if (events_[e].cell == events_[f].cell && (events_[e].writes || events_[f].writes) &&
                    events_[f].before.count(static_cast<int>(e)) == 0 && events_[e].before.count(static_cast<int>(f)) == 0)
                    return true;
        return false;
    }

  private:
    std::set<int>& known(int agent, int lane) { return known_[agent][lane]; }
    int add(int agent, int lane, int cell, bool writes)
    {
        events_.push_back({cell, writes, known(agent, lane)});
        return static_cast<int>(events_.size()) - 1;
    }
    std::vector<Event> events_{};
    std::set<int> known_[agents][lanes_used]{};
    std::set<std::pair<int, int>> open_[agents]{};
    std::vector<std::set<std::pair<int, int>>> groups_[agents]{};
};

/// A program of `length` random statements, and what orders them.
void write(Kernel& k, laws::Random& random, int length, HappensBefore& order)
{
    const auto A = k.input("A", {cells}, f32);
    one_block(k, agents, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {cells}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {32 * agents}, f32, "(3,32):(1@warp,1@lane)"_axe, "r");
        const auto of_lanes = [](int, int, int l, int) { return l < cells ? l : -1; };
        cta.call(instruction("fill", {taken(s, 1, 1, 32, 1, of_lanes)}));
        for (int l = 0; l < cells; ++l) order.access(0, l, l, true);
        for (int a = 0; a < agents; ++a)
            cta.call(instruction("fill", {taken(r, 1, 1, 32, 1, [a](int, int, int l, int) { return 32 * a + l; })}, 1, a));
        const auto meet = [&](int first, int count) {
            cta.warps(first, count, [](Scope w) { w.sync(); });
            order.barrier(first, count);
        };
        meet(0, agents);
        for (int n = 0; n < length; ++n) {
            const int a = static_cast<int>(random.in(0, agents - 1));
            int cell[lanes_used];
            for (int& c : cell) c = static_cast<int>(random.in(-2 * cells, cells - 1)); // most lanes take no part
            const auto of_s = [&](int, int, int l, int) { return l < lanes_used && cell[l] >= 0 ? cell[l] : -1; };
            const auto of_r = [&](int, int, int l, int) { return l < lanes_used && cell[l] >= 0 ? 32 * a + l : -1; };
            const auto act = [&](const std::function<void(int)>& on) {
                for (int l = 0; l < lanes_used; ++l)
                    if (cell[l] >= 0) on(l);
            };
            switch (random.in(0, 9)) {
            case 0:
            case 1:
                cta.call(instruction("move", {taken(s, 1, 1, 32, 1, of_s), taken(r, 1, 1, 32, 1, of_r)}, 1, a));
                act([&](int l) { order.access(a, l, cell[l], true); });
                break;
            case 2:
            case 3:
            case 4:
                cta.call(instruction("move", {taken(r, 1, 1, 32, 1, of_r), taken(s, 1, 1, 32, 1, of_s)}, 1, a));
                act([&](int l) { order.access(a, l, cell[l], false); });
                break;
            case 5: {
                Instruction copy = instruction("cp_async", {taken(s, 1, 1, 32, 1, of_s), taken(A, 1, 1, 32, 1, of_s)}, 1, a);
                copy.async = true;
                cta.call(copy);
                act([&](int l) { order.start(a, l, cell[l]); });
                cta.warps(a, 1, [](Scope w) { w.commit(); });
                order.commit(a);
                break;
            }
            case 6: {
                const int pending = static_cast<int>(random.in(0, 1));
                cta.warps(a, 1, [&](Scope w) { w.wait(pending); });
                order.wait(a, pending);
                break;
            }
            case 7: meet(a, 1); break;
            case 8: meet(a, std::min(2, agents - a)); break;
            default: meet(0, agents); break;
            }
        }
        for (int a = 0; a < agents; ++a) {
            cta.warps(a, 1, [](Scope w) { w.wait(0); });
            order.wait(a, 0);
        }
    });
}

} // namespace

TEST_CASE("a race is found if and only if nothing orders two accesses")
{
    int races = 0, sound = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        laws::Random random(seed);
        Kernel k("random", machines::sm80);
        HappensBefore order;
        write(k, random, static_cast<int>(random.in(2, 24)), order);
        const Program program = k.program().value();
        const Found f = find(program, inputs_of(program, {{"A", counted}}), {}, true);
        INFO("seed " << seed << ": " << f.text);
        REQUIRE(f.refused == errc::ok);
        REQUIRE((f.fault.kind == FaultKind::race || f.ended()));
        REQUIRE((f.fault.kind == FaultKind::race) == order.has_race());
        ++(order.has_race() ? races : sound);
    }
    CHECK(races > 300);
    CHECK(sound > 300);
}
