// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/random.hpp>

#include <axe/sim/memory/shadow.hpp>

#include <array>
#include <string>

using namespace axe::sim;
using laws::Int;
using laws::Random;

namespace {

/// Two devices that run blocks, operations of their own and asynchronous ones, and meet; one granule that all touch. A shadow keeps a
/// little of its history, the oracle all: there is a hazard iff an access before, one of the two no read, not both atomic, is not known
/// to be over.
class World {
  public:
    explicit World(Random& r) : r_(r)
    {
        shadow_.make(1, 4);
        shadow_.mark_all(given);
        history_.push_back({given, 'w'});
        for (int d = 0; d < 2; ++d) devices_[d].horizon.floor = {1, 1};
    }

    /// Random steps. Empty when shadow and oracle agree on all of them.
    std::string run(int steps)
    {
        for (int i = 0; i < steps; ++i) {
            const int d = static_cast<int>(r_.in(0, 1));
            Device& device = devices_[d];
            if (r_.one_in(15)) mode_ = "rwa"[r_.in(0, 2)];
            switch (r_.in(0, 40)) {
            case 0: end_grid(d); break;
            case 1: start_block(d); break;
            case 2: meet_devices(); break;
            case 3: wait(d); break;
            case 4:
            case 5:
                if (std::string bad = alone(d); !bad.empty()) return bad;
                break;
            case 6:
            case 7:
            case 8: meet_agents(device); break;
            default:
                if (std::string bad = in_block(d); !bad.empty()) return bad;
            }
        }
        return {};
    }
    [[nodiscard]] Int hazards() const { return hazards_; }
    [[nodiscard]] Int clean() const { return clean_; }

  private:
    struct Access {
        Event event;
        char kind;
    };
    struct Agent {
        Clock clock{};
        std::uint32_t group = 1;
    };
    struct Device {
        std::uint32_t runs = 0;
        Horizon horizon{};
        bool in_grid = false, in_block = false;
        std::array<Agent, 3> agents{};
    };

    void start_grid(int d)
    {
        end_grid(d);
        devices_[d].in_grid = true;
        devices_[d].horizon.floor[static_cast<std::size_t>(d)] = devices_[d].runs + 1;
    }
    void start_block(int d)
    {
        if (!devices_[d].in_grid) start_grid(d);
        devices_[d].in_block = true;
        ++devices_[d].runs;
        devices_[d].agents = {};
    }
    void end_grid(int d)
    {
        if (!devices_[d].in_grid) return;
        devices_[d].in_grid = devices_[d].in_block = false;
        devices_[d].horizon.floor[static_cast<std::size_t>(d)] = devices_[d].runs + 1;
    }
    /// A barrier of agents, all or the first two; before it, perhaps, one waits for its copies.
    void meet_agents(Device& device)
    {
        if (!device.in_block) return;
        Agent& a = device.agents[static_cast<std::size_t>(r_.in(0, 2))];
        if (r_.one_in(2)) a.clock.waited = ++a.group;
        if (r_.one_in(4)) return;
        const std::size_t count = r_.one_in(2) ? 3 : 2;
        Clock joined;
        std::uint32_t latest = 0;
        for (std::size_t i = 0; i < count; ++i) {
            Clock& clock = device.agents[i].clock;
            clock.meet(static_cast<int>(i));
            joined.join(clock);
            joined.known[i] = std::max(joined.known[i], clock.time);
            latest = std::max(latest, clock.time);
        }
        for (std::size_t i = 0; i < count; ++i) {
            device.agents[i].clock = joined;
            device.agents[i].clock.time = latest;
        }
    }
    void meet_devices()
    {
        for (int d = 0; d < 2; ++d) end_grid(d);
        Horizon joined;
        for (std::size_t d = 0; d < 2; ++d) joined.floor.push_back(devices_[d].runs + 1);
        for (const Device& d : devices_)
            for (const std::uint64_t run : d.horizon.open)
                if (static_cast<int>(run >> 24) == static_cast<int>(&d - devices_)) joined.open.push_back(run);
        for (Device& d : devices_) d.horizon = joined;
    }
    void wait(int d)
    {
        if (devices_[d].in_grid) return;
        auto& open = devices_[d].horizon.open;
        open.erase(std::remove_if(open.begin(), open.end(), [&](std::uint64_t run) { return static_cast<int>(run >> 24) == d; }),
                   open.end());
    }

    /// An instruction outside grids, left open or not.
    std::string alone(int d)
    {
        end_grid(d);
        Device& device = devices_[d];
        const std::uint32_t run = ++device.runs;
        device.horizon.floor[static_cast<std::size_t>(d)] = run;
        Actor actor;
        actor.run = run_id(d, run);
        actor.horizon = &device.horizon;
        std::string bad = touch(actor, 0, r_.one_in(4) ? 'w' : 'r');
        if (r_.one_in(2)) device.horizon.open.push_back(actor.run);
        return bad;
    }
    std::string in_block(int d)
    {
        Device& device = devices_[d];
        if (!device.in_block) start_block(d);
        const int a = static_cast<int>(r_.in(0, 2));
        const Agent& agent = device.agents[static_cast<std::size_t>(a)];
        const bool engine = r_.one_in(6);
        const char any = "rwa"[r_.in(0, 2)], kind = r_.one_in(3) ? any : mode_;
        if (engine && kind == 'a') return {};
        const Actor actor{run_id(d, device.runs),
                          engine ? engine_of(a) : a,
                          engine ? agent.group : agent.clock.time,
                          &agent.clock,
                          &device.horizon,
                          agent.clock.time,
                          0};
        return touch(actor, static_cast<int>(r_.in(0, 3)), kind);
    }

    std::string touch(const Actor& actor, int lane, char kind)
    {
        bool hazard = false;
        for (const Access& h : history_) {
            const bool together = (kind == 'r' && h.kind == 'r') || (kind == 'a' && h.kind == 'a');
            hazard = hazard || (!together && !actor.after(h.event, lane));
        }
        const Conflict c = kind == 'r'   ? shadow_.read(0, actor, lane, false)
                           : kind == 'w' ? shadow_.write(0, actor, lane, false)
                                         : shadow_.atomic(0, actor, lane, false);
        (hazard ? hazards_ : clean_) += 1;
        if (!hazard) history_.push_back({actor.at(lane), kind}); // an access that is a hazard leaves no trace, so that it can go on
        if (c.found() == hazard) return {};
        return std::string("access ") + std::to_string(history_.size()) + " (" + kind + "): the shadow says " +
               (c.found() ? "hazard" : "none");
    }

    Random& r_;
    Shadow shadow_{};
    Device devices_[2]{};
    std::vector<Access> history_{};
    Int hazards_ = 0, clean_ = 0;
    char mode_ = 'r'; ///< what most do for a while
};

} // namespace

TEST_CASE("a shadow finds the hazards that the whole history has, and no other", "[sim][shadow]")
{
    Random r(11);
    Int hazards = 0, clean = 0;
    for (Int i = 0; i < laws::cases(3000); ++i) {
        World world(r);
        const std::string bad = world.run(200);
        INFO("case " << i << ": " << bad);
        REQUIRE(bad.empty());
        hazards += world.hazards();
        clean += world.clean();
    }
    REQUIRE(hazards > 50 * laws::cases(3000));
    REQUIRE(clean > 50 * laws::cases(3000));
}
