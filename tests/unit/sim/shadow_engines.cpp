// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/random.hpp>

#include <axe/sim/memory/range_cells.hpp>

#include <map>
#include <string>

using namespace axe::sim;
using laws::Int;
using laws::Random;

namespace {

/// Engines of several agents of a block, in shared memory or, with roles, in tensor memory: what is found in runs of cells is what is
/// found in one cell after the other, and, without roles, what all accesses that there have been say.
class Engines {
  public:
    static constexpr Int cells = 29; // the last run is not whole
    static constexpr int agents = 3;
    Engines(Random& r, bool with_roles) : r_(r), with_roles_(with_roles)
    {
        runs_.make(cells, 4);
        one_by_one_.make(cells, 4);
        horizon_.floor = {1};
    }

    /// Empty when all agree.
    std::string run(int steps)
    {
        if (r_.in(0, 3) > 0) // what was never written is read early sooner or later, and then each write of it is a hazard
            if (std::string bad = write_all(); !bad.empty()) return bad;
        for (int i = 0; i < steps; ++i) {
            const int a = static_cast<int>(r_.in(0, agents - 1));
            if (r_.one_in(2))
                with_roles_ ? order_roles(a) : order(a);
            else if (std::string bad = access(a); !bad.empty())
                return bad;
        }
        return {};
    }
    Int hazards = 0, clean = 0;

  private:
    /// One agent writes every cell, and tells all agents.
    std::string write_all()
    {
        if (with_roles_) clock_[0].tensors.start(0);
        Actor actor{run_, products_of(0), with_roles_ ? clock_[0].tensors.time : group_[0], &clock_[0], &horizon_, 1, 1, 0};
        if (with_roles_) actor.tensor = 1;
        const std::vector<std::int32_t> places = {0};
        if (RangeCells(places, cells * 4, actor.tensor, runs_, true).touch(runs_, actor).found())
            return "a first write is a hazard";
        for (std::size_t i = 0; i < static_cast<std::size_t>(cells); ++i) {
            note(i, actor, true);
            if (one_by_one_.write(i, actor, actor.tensor, true).found()) return "a first write is a hazard";
        }
        for (int b = 0; b < agents; ++b) {
            if (with_roles_) {
                clock_[b].tensors.join(clock_[0].tensors.committed(0));
                clock_[b].tensors.fence_after();
            } else {
                clock_[b].known[products_of(0)] = std::max(clock_[b].known[products_of(0)], group_[0]);
            }
        }
        return {};
    }

    static constexpr std::uint64_t run_ = 1;
    struct Past_ {
        Event write = 0;
        std::vector<Event> reads{};
    };

    /// An agent begins a new group, or tells another one of those before.
    void order(int a)
    {
        const int b = static_cast<int>(r_.in(0, agents - 1));
        if (r_.one_in(2)) ++group_[a];
        clock_[b].join(clock_[a]);
        auto& known = clock_[b].known[products_of(a)];
        known = std::max(known, group_[a]);
    }
    void order_roles(int a)
    {
        const int b = static_cast<int>(r_.in(0, agents - 1));
        TensorOrder& own = clock_[a].tensors;
        switch (r_.in(0, 4)) {
        case 0: own.complete(static_cast<TensorOrder::Kind>(r_.in(0, 2)), a); break;
        case 1: own.fence_before(a); break;
        case 2: own.fence_after(); break;
        case 3: own.turn(); break;
        default: clock_[b].tensors.join(r_.one_in(2) ? TensorOrder(own) : own.committed(a));
        }
    }

    std::string access(int a)
    {
        const bool writing = r_.one_in(4);
        if (with_roles_) clock_[a].tensors.start(a);
        Actor actor{run_,
                    products_of(a),
                    with_roles_ ? clock_[a].tensors.time : group_[a],
                    &clock_[a],
                    &horizon_,
                    1,
                    static_cast<std::uint32_t>(r_.in(1, 3)),
                    a};
        if (with_roles_) actor.tensor = static_cast<int>(r_.in(1, 6));
        const Int each = Int{1} << r_.in(0, 4);
        std::vector<std::int32_t> places;
        Int at = r_.in(0, cells - each);
        for (Int i = r_.in(1, 4); i > 0 && at + each <= cells; --i) {
            places.push_back(static_cast<std::int32_t>(at * 4));
            at = r_.one_in(4) ? r_.in(0, cells - each) : at + each;
        }
        Past::Log log;
        const FirstConflict found =
            RangeCells(places, each * 4, actor.tensor, runs_, writing).touch(runs_, actor, writing ? nullptr : &log);
        FirstConflict first;
        bool expected = false;
        for (std::size_t i = 0; i < places.size(); ++i)
            for (Int k = 0; k < each; ++k) {
                const auto cell = static_cast<std::size_t>(places[i] / 4 + k);
                expected = note(cell, actor, writing) || expected;
                first.note(i, cell,
                           writing ? one_by_one_.write(cell, actor, actor.tensor, true)
                                   : one_by_one_.read(cell, actor, actor.tensor, true));
            }
        (first.found() ? hazards : clean) += 1;
        if (first.found() != found.found() ||
            (found.found() && (first.entry != found.entry || first.cell != found.cell ||
                               first.conflict.hazard != found.conflict.hazard || first.conflict.other != found.conflict.other)))
            return "runs and cells differ";
        if (!with_roles_ && expected != first.found()) return expected ? "a hazard is missed" : "there is no hazard";
        for (std::size_t i = 0; i < static_cast<std::size_t>(cells); ++i) {
            const Cell x = runs_[i], y = one_by_one_[i];
            if (x.write != y.write || x.read != y.read || x.when != y.when) return "cell " + std::to_string(i) + " differs";
        }
        return writing || found.found() ? "" : again(actor, places, each, log);
    }

    /// Another agent of the same engine, to which the log says that all is before it, finds and changes nothing.
    std::string again(const Actor& actor, const std::vector<std::int32_t>& places, Int each, const Past::Log& log)
    {
        Actor other = actor;
        other.clock = &clock_[r_.in(0, agents - 1)];
        if (with_roles_ || !log.complete) return {};
        for (const Event e : log.writes)
            if (!other.after(e, 0)) return {};
        ++repeated;
        std::vector<Cell> before;
        for (std::size_t i = 0; i < static_cast<std::size_t>(cells); ++i) before.push_back(one_by_one_[i]);
        const RangeCells same(places, each * 4, 0, one_by_one_, false);
        if (same.touch(one_by_one_, other).found()) return "the other agent finds a hazard";
        for (std::size_t i = 0; i < static_cast<std::size_t>(cells); ++i)
            if (before[i].read != one_by_one_[i].read || before[i].when != one_by_one_[i].when)
                return "the other agent changes a cell";
        return {};
    }

    /// The truth, by all that there has been: is it a hazard? What is none is noted.
    bool note(std::size_t cell, const Actor& actor, bool writing)
    {
        Past_& past = past_[cell];
        bool bad = past.write == 0 ? !writing : !actor.after(past.write, 0);
        for (const Event e : past.reads) bad = bad || (writing && !actor.after(e, 0));
        if (bad) {
            if (!writing && past.write == 0)
                past.reads.push_back(actor.at(0)); // read early: a later write that it is not before is one
            return true;
        }
        if (writing)
            past = {actor.at(0), {}};
        else
            past.reads.push_back(actor.at(0));
        return false;
    }

    Random& r_;
    bool with_roles_;
    Horizon horizon_{};
    Clock clock_[agents]{};
    std::uint32_t group_[agents] = {1, 1, 1};
    Shadow runs_{}, one_by_one_{};
    std::map<std::size_t, Past_> past_{};

  public:
    Int repeated = 0;
};

void check_engines(bool with_roles)
{
    Random r(31);
    Int hazards = 0, clean = 0, repeated = 0;
    for (Int i = 0; i < laws::cases(2000); ++i) {
        Engines engines(r, with_roles);
        const std::string bad = engines.run(60);
        INFO("case " << i << ": " << bad);
        REQUIRE(bad.empty());
        hazards += engines.hazards;
        clean += engines.clean;
        repeated += engines.repeated;
    }
    CHECK(hazards > 5 * laws::cases(2000));
    CHECK(clean > laws::cases(2000));
    if (!with_roles) CHECK(2 * repeated > laws::cases(2000));
}

} // namespace

TEST_CASE("what engines of several agents access is checked in runs of cells as in one cell after the other", "[sim][shadow]")
{
    check_engines(false);
}

TEST_CASE("what has roles in tensor memory is checked in runs of cells as in one cell after the other", "[sim][shadow]")
{
    check_engines(true);
}
