// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/random.hpp>
#include <tests/unit/sim/plain_shadow.hpp>

#include <axe/sim/memory/column_cells.hpp>

#include <array>
#include <sstream>
#include <string>

using namespace axe::sim;
using laws::Int;
using laws::Random;

namespace {

/// Two devices with blocks of three agents and their engines, operations of the devices and open ones, all on some runs of cells: what
/// the shadow finds run by run is what it finds cell by cell.
class Twins {
  public:
    static constexpr Int cells = 37; // the last run is not whole
    explicit Twins(Random& r) : r_(r), plain_(cells), own_run_(r.one_in(3))
    {
        const bool written = !own_run_ && r.one_in(2);
        if (written) plain_.mark_all(given);
        if (!own_run_ && r.one_in(2)) {
            shadow_.make_settled(cells, 4, written);
        } else {
            shadow_.make(cells, 4);
            if (written) shadow_.mark_all(given);
        }
        for (Device& d : devices_) d.horizon.floor = {1, 1};
    }

    /// Random steps. Empty when both are the same after each of them.
    std::string run(int steps)
    {
        for (int i = 0; i < steps; ++i) {
            const int d = own_run_ ? 0 : static_cast<int>(r_.in(0, 1));
            Device& device = devices_[d];
            if (r_.one_in(6)) mode_ = r_.one_in(2) ? 'w' : 'r';
            std::string bad;
            switch (r_.in(0, 30)) {
            case 0: end_grid(d); break;
            case 1: start_block(d); break;
            case 2: meet_devices(); break;
            case 3: device.horizon.open.clear(); break;
            case 4: bad = alone(d); break;
            case 5:
            case 6:
            case 7:
            case 8:
            case 9: meet_agents(device); break;
            default: bad = in_block(d);
            }
            if (!bad.empty()) return bad;
        }
        return {};
    }
    Int hazards = 0, clean = 0;

  private:
    struct Agent {
        Clock clock{};
        std::uint32_t group = 1;
    };
    struct Block { ///< in flight; 0: none
        std::uint32_t run = 0;
        std::array<Agent, 3> agents{};
    };
    struct Device {
        std::uint32_t runs = 0;
        Horizon horizon{};
        bool in_grid = false;
        Block blocks[2]{};
    };

    void end_grid(int d)
    {
        if (!devices_[d].in_grid) return;
        devices_[d].in_grid = false;
        for (Block& block : devices_[d].blocks) block.run = 0;
        devices_[d].horizon.floor[static_cast<std::size_t>(d)] = devices_[d].runs + 1;
    }
    Block& start_block(int d)
    {
        Device& device = devices_[d];
        if (!device.in_grid) device.horizon.floor[static_cast<std::size_t>(d)] = device.runs + 1;
        device.in_grid = true;
        // Memory of a block is of one after another.
        Block& block = device.blocks[own_run_ ? 0 : r_.in(0, 1)];
        block.run = ++device.runs;
        block.agents = {};
        return block;
    }
    void meet_agents(Device& device)
    {
        Block& block = device.blocks[r_.in(0, 1)];
        Agent& a = block.agents[static_cast<std::size_t>(r_.in(0, 2))];
        if (r_.one_in(2)) a.clock.waited = ++a.group;
        if (r_.one_in(4)) return;
        const std::size_t count = r_.one_in(3) ? 2 : 3;
        Clock joined;
        std::uint32_t latest = 0;
        for (std::size_t i = 0; i < count; ++i) {
            Clock& clock = block.agents[i].clock;
            clock.meet(static_cast<int>(i));
            joined.join(clock);
            joined.known[i] = std::max(joined.known[i], clock.time);
            latest = std::max(latest, clock.time);
        }
        for (std::size_t i = 0; i < count; ++i) {
            block.agents[i].clock = joined;
            block.agents[i].clock.time = latest;
        }
    }
    void meet_devices()
    {
        for (int d = 0; d < 2; ++d) end_grid(d);
        for (Device& d : devices_) d.horizon.floor = {devices_[0].runs + 1, devices_[1].runs + 1};
    }
    std::string alone(int d)
    {
        end_grid(d);
        Device& device = devices_[d];
        const std::uint32_t run = ++device.runs;
        device.horizon.floor[static_cast<std::size_t>(d)] = run;
        Actor actor;
        actor.run = run_id(d, run);
        actor.horizon = &device.horizon;
        actor.access = static_cast<std::uint16_t>(r_.in(1, 3));
        std::string bad = column(actor, r_.one_in(3), 1);
        if (r_.one_in(3)) device.horizon.open.push_back(actor.run);
        return bad;
    }
    std::string in_block(int d)
    {
        Device& device = devices_[d];
        Block& chosen = device.blocks[own_run_ ? 0 : r_.in(0, 1)];
        const Block& block = chosen.run > 0 ? chosen : start_block(d);
        const int a = static_cast<int>(r_.in(0, 2));
        const Agent& agent = block.agents[static_cast<std::size_t>(a)];
        const bool engine = r_.one_in(6);
        const Actor actor{run_id(d, block.run), engine ? engine_of(a) : a, engine ? agent.group : agent.clock.time, &agent.clock,
                          &device.horizon,      agent.clock.time,          static_cast<std::uint16_t>(r_.in(1, 3))};
        if (!engine && r_.one_in(40)) return atomic(actor);
        const bool writing = r_.one_in(4) ? r_.one_in(2) : mode_ == 'w';
        return column(actor, writing, r_.one_in(2) ? 4 : 8);
    }

    std::string atomic(const Actor& actor)
    {
        const auto i = static_cast<std::size_t>(r_.in(0, cells - 1));
        const int lane = static_cast<int>(r_.in(0, 3));
        const Conflict one = plain_.atomic(i, actor, lane, own_run_), other = shadow_.atomic(i, actor, lane, own_run_);
        return same(one, other) ? difference() : "an atomic operation of cell " + std::to_string(i);
    }

    /// Accesses of 1, 2, 4 or 8 cells by each lane: neighbors mostly, some anywhere, some nowhere.
    std::string column(const Actor& actor, bool writing, int lanes)
    {
        const auto each = Int{1} << r_.in(0, 3);
        const Int issues = r_.in(1, 3), room = cells - each, base = r_.in(0, room);
        std::vector<std::int32_t> table;
        const Int step = r_.one_in(4) ? 0 : each;
        for (Int i = 0; i < issues * lanes; ++i) {
            const Int at = r_.one_in(12) ? r_.in(0, room) : std::min(base + i * step, room);
            table.push_back(r_.one_in(20) ? (r_.one_in(2) ? outside : inactive) : static_cast<std::int32_t>(at - base));
        }
        // An element is half a cell, so that the base is inside a run at any byte that a cell begins at.
        for (auto& t : table) t = t > outside ? 2 * t : t;
        const std::int64_t byte = base * 4, run_bytes = 4 * static_cast<std::int64_t>(run_cells);
        const ColumnTable places{table.data(), table.size(), lanes, 2, static_cast<int>(4 * each), byte % run_bytes};
        const FirstConflict found =
            ColumnCells::make(places, shadow_, writing).touch(places, shadow_, actor, byte / run_bytes, writing, own_run_);
        FirstConflict first;
        for (std::size_t i = 0; i < table.size(); ++i)
            for (Int k = 0; k < each && table[i] > outside; ++k) {
                const auto cell = static_cast<std::size_t>(base + table[i] / 2 + k);
                const int lane = static_cast<int>(i) % lanes;
                first.note(i, cell, writing ? plain_.write(cell, actor, lane, own_run_) : plain_.read(cell, actor, lane, own_run_));
            }
        (first.found() ? hazards : clean) += 1;
        std::ostringstream what;
        what << (writing ? "write" : "read") << " of " << each << " cells each by " << table.size() << " accesses from cell "
             << base << ": hazard " << static_cast<int>(found.conflict.hazard) << " at access " << found.entry << ", cell "
             << found.cell << ", by event " << found.conflict.other << "; cell by cell " << static_cast<int>(first.conflict.hazard)
             << " at " << first.entry << ", " << first.cell << ", by " << first.conflict.other;
        const bool agree =
            same(first.conflict, found.conflict) && (!first.found() || (first.entry == found.entry && first.cell == found.cell));
        return agree ? difference() : what.str();
    }

    static bool same(const Conflict& a, const Conflict& b)
    {
        return a.hazard == b.hazard && a.other == b.other && a.access == b.access;
    }
    /// What is noted of each cell; empty if it is the same.
    [[nodiscard]] std::string difference() const
    {
        for (std::size_t i = 0; i < static_cast<std::size_t>(cells); ++i) {
            const Cell a = plain_[i], b = shadow_[i];
            if (a.write != b.write || a.read != b.read || a.when != b.when || (a.write != 0 && a.write_access != b.write_access) ||
                (a.read != 0 && a.read_access != b.read_access)) {
                std::ostringstream what;
                what << "cell " << i << ": written by " << b.write << ", read by " << b.read << ", " << b.when << "; cell by cell "
                     << a.write << ", " << a.read << ", " << a.when;
                return what.str();
            }
        }
        return {};
    }

    Random& r_;
    Shadow shadow_{};
    plain::PlainShadow plain_;
    Device devices_[2]{};
    bool own_run_;
    char mode_ = 'r';
};

} // namespace

TEST_CASE("runs of cells are checked as their cells are, one by one", "[sim][shadow]")
{
    Random r(23);
    Int hazards = 0, clean = 0;
    for (Int i = 0; i < laws::cases(3000); ++i) {
        Twins twins(r);
        const std::string bad = twins.run(120);
        INFO("case " << i << ": " << bad);
        REQUIRE(bad.empty());
        hazards += twins.hazards;
        clean += twins.clean;
    }
    REQUIRE(hazards > 10 * laws::cases(3000));
    REQUIRE(clean > 10 * laws::cases(3000));
}
