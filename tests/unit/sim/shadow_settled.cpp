// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/random.hpp>

#include <axe/sim/memory/shadow.hpp>

#include <thread>
#include <vector>

using namespace axe::sim;
using laws::Int;
using laws::Random;

namespace {

constexpr std::size_t cells = 37; // the last run is not whole

/// A block of a grid whose runs begin at `floor`.
struct Block {
    Horizon horizon{};
    Clock clock{};
    Actor actor{};
    Block(std::uint32_t floor, std::uint32_t run)
    {
        horizon.floor = {floor};
        actor = {run_id(0, run), 0, clock.time, &clock, &horizon, clock.time, 1};
    }
};

} // namespace

TEST_CASE("a settled shadow knows what was written, and nothing else", "[sim][shadow]")
{
    Shadow shadow;
    shadow.make_settled(cells, 4, false);
    CHECK(shadow.exists());
    CHECK(shadow.size() == cells);
    CHECK_FALSE(shadow.written(9));
    Block first(1, 1);
    CHECK(shadow.write(9, first.actor, 3, false).hazard == Hazard::none);
    CHECK(shadow.written(9));
    CHECK_FALSE(shadow.written(8));
    // Another block of the grid is not ordered after it; once it is settled, everyone is.
    Block second(1, 2);
    CHECK(shadow.read(9, second.actor, 0, false).hazard == Hazard::write_read);
    CHECK(shadow.read(8, second.actor, 0, false).hazard == Hazard::unwritten);
    shadow.settle();
    CHECK(shadow.written(9));
    CHECK(shadow.read(9, second.actor, 0, false).hazard == Hazard::none);
    CHECK(shadow.read(8, second.actor, 0, false).hazard == Hazard::unwritten);
    shadow.settle();
    CHECK_FALSE(shadow.written(8));

    shadow.make_settled(cells, 4, true);
    for (std::size_t i = 0; i < cells; ++i) CHECK(shadow.written(i));
    CHECK(shadow.atomic(5, first.actor, 0, false).hazard == Hazard::none);
    CHECK(shadow.read(5, second.actor, 0, false).hazard == Hazard::write_read);
    shadow.settle();
    CHECK(shadow.read(5, second.actor, 0, false).hazard == Hazard::none);
}

TEST_CASE("threads with shadows over one write granules of one run, and all of it is known after", "[sim][shadow][threads]")
{
    Random r(1);
    for (Int round = 0; round < laws::cases(200); ++round) {
        const auto threads = static_cast<std::size_t>(r.in(1, 4));
        std::vector<int> owner(cells), before(cells), expected(cells); // a granule is one thread's, or no thread's
        Shadow whole;
        whole.make_settled(cells, 4, false);
        Block former(1, 1);
        for (std::size_t i = 0; i < cells; ++i) {
            owner[i] = static_cast<int>(r.in(-1, static_cast<Int>(threads) - 1));
            before[i] = expected[i] = r.one_in(3) ? 1 : 0;
            if (before[i] != 0) REQUIRE(whole.write(i, former.actor, 0, false).hazard == Hazard::none);
        }
        whole.settle();
        std::vector<std::uint64_t> seeds;
        for (std::size_t t = 0; t < threads; ++t) seeds.push_back(static_cast<std::uint64_t>(r.in(1, 1 << 20)));
        std::vector<std::vector<int>> wrote(threads, std::vector<int>(cells));
        std::vector<int> wrong(threads);
        const auto work = [&](std::size_t t) {
            Random mine(seeds[t]);
            Shadow own;
            own.make_over(whole);
            std::vector<int> written(cells);
            for (std::uint32_t block = 0; block < 3; ++block) { // one after the other, each for other granules
                Block b(2, 2 + static_cast<std::uint32_t>(t) * 3 + block);
                for (std::size_t i = block; i < cells; i += 3) {
                    if (owner[i] != static_cast<int>(t)) continue;
                    const bool known = before[i] != 0;
                    if (own.written(i) != known) ++wrong[t];
                    if ((own.read(i, b.actor, 0, false).hazard == Hazard::unwritten) == known) ++wrong[t];
                    if (mine.one_in(2)) continue;
                    if (own.write(i, b.actor, 0, false).found()) ++wrong[t];
                    wrote[t][i] = 1;
                }
                own.settle();
            }
        };
        std::vector<std::thread> others;
        for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work, t);
        work(0);
        for (std::thread& other : others) other.join();
        for (std::size_t t = 0; t < threads; ++t) {
            CHECK(wrong[t] == 0);
            for (std::size_t i = 0; i < cells; ++i) expected[i] |= wrote[t][i];
        }
        for (std::size_t i = 0; i < cells; ++i)
            if (whole.written(i) != (expected[i] != 0)) FAIL("granule " << i << " of round " << round);
    }
}
