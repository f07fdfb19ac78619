// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "independent.hpp"

#include <algorithm>
#include <tests/required.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using sim::FaultKind;

/// Clusters that share nothing run on several threads of the host, and nothing shows it.
namespace {

constexpr std::int64_t cluster_rows = 24;

/// Blocks of one warp, each with a row of D, in clusters of `size`; `body` in each.
all_threads::Write in_clusters(const std::function<void(Scope, const Tile&, const TensorRef&)>& body, std::int64_t size = 2)
{
    return [=](Kernel& k) {
        const auto D = k.inout("D", {cluster_rows, 32}, f32);
        k.cta(tiles(cluster_rows, 1), {{size}}, [&](Scope cta, const Tile& t) { body(cta, t, D); }, 1);
    };
}
bool clusters_are_independent(const all_threads::Write& write)
{
    return all_threads::independent(write, machines::sm90, targets::sm90);
}
Bindings counted_rows()
{
    Bindings in;
    Array d = Array::make({cluster_rows, 32}, f32).value();
    for (std::int64_t i = 0; i < d.size(); ++i) d.set(i, static_cast<double>(i));
    in.set("D", std::move(d));
    return in;
}
/// The fault of a run, the same on any number of threads in each order of agents and operations, and of one of the kinds in all.
sim::Fault same_for_clusters(const all_threads::Write& write, const std::vector<FaultKind>& kinds)
{
    const Program p = all_threads::written(write, machines::sm90);
    sim::Fault first;
    for (const sim::RunOrder order : sim::all_run_orders)
        for (const std::int64_t quantum : {0, 1}) {
            sim::RunOptions options;
            options.order = order;
            options.quantum = quantum;
            INFO("order " << name(order) << ", quantum " << quantum);
            const sim::Fault fault = all_threads::same_for_all_threads(p, counted_rows(), options, {2, 4});
            if (order == sim::RunOrder::issue && quantum == 0) first = fault;
            CHECK(std::find(kinds.begin(), kinds.end(), fault.kind) != kinds.end());
        }
    return first;
}

/// Each block gives its row to the next one of its cluster: all of D turns within clusters.
void turn_rows(Scope cta, const Tile& t, const TensorRef& D, std::int64_t size, bool waits = true)
{
    const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
    const auto r = cta.alloc(Role::registers, {32}, f32, "32:1@lane"_axe, "r");
    cta.cluster_sync().copy(r, D(t.index[0], all));
    for (std::int64_t rank = 0; rank < size; ++rank)
        cta.when(equals(t.rank, static_cast<double>(rank)), [&] { cta.copy(s.of_block((rank + 1) % size), r); });
    if (waits) cta.cluster_sync();
    cta.copy(r, s).copy(D(t.index[0], all), r);
}

} // namespace

TEST_CASE("which grids of clusters are independent", "[sim][independent][clusters]")
{
    for (const std::int64_t size : {1, 2, 4})
        CHECK(clusters_are_independent(
            in_clusters([=](Scope s, const Tile& t, const TensorRef& D) { turn_rows(s, t, D, size); }, size)));
    // Where a block is in its cluster may say where it writes, within the cluster's rows.
    const auto doubled = [](std::int64_t rows, std::int64_t step, std::int64_t of_rank) {
        return [=](Kernel& k) {
            const auto D = k.output("D", {rows, 32}, f32);
            k.cta(
                tiles(8, 1), {{2}}, [&](Scope cta, const Tile& t) { cta.fill(D(t.index[0] * step + t.rank * of_rank, all), 0); },
                1);
        };
    };
    CHECK(clusters_are_independent(doubled(16, 2, 1)));
    CHECK(!clusters_are_independent(doubled(16, 1, 1)));
    // Both blocks of a cluster write the same rows, which is for the checks to find; and so do all clusters of one column.
    CHECK(clusters_are_independent([](Kernel& k) {
        const auto D = k.output("D", {8, 32}, f32);
        k.cta(tiles({2, 8}, {1, 1}), {{2, 1}}, [&](Scope cta, const Tile& t) { cta.fill(D(t.index[1], all), 0); }, 1);
    }));
    CHECK(!clusters_are_independent([](Kernel& k) {
        const auto D = k.output("D", {8, 32}, f32);
        k.cta(tiles({4, 8}, {1, 1}), {{2, 1}}, [&](Scope cta, const Tile& t) { cta.fill(D(t.index[1], all), 0); }, 1);
    }));
    CHECK(!clusters_are_independent(
        in_clusters([](Scope s, const Tile& t, const TensorRef& D) { s.atomic(Function::add, D(t.rows, all), D(t.rows, all)); })));
    // Tiles of gemm_sm100: those of a pair below each other, in every n-th place for n blocks, and parts of a column.
    const auto tiles_of_pairs = [](std::int64_t below) {
        return [=](Kernel& k) {
            const auto D = k.output("D", {128, 64}, f32);
            k.cta(
                tiles({4, 2}, {1, 1}), {{2, 1}},
                [&](Scope cta, const Tile& t) {
                    cta.loop(0, 4, 1, [&](const Affine& i) {
                        for (const std::int64_t part : {0, 16})
                            cta.fill(D(Interval(t.index[0] * 8 + i * below, 8), Interval(t.index[1] * 32 + part, 16)), 0);
                    });
                },
                1);
        };
    };
    CHECK(clusters_are_independent(tiles_of_pairs(32)));
    CHECK(!clusters_are_independent(tiles_of_pairs(24)));
    // A flag, which blocks of other clusters may wait for.
    CHECK(!clusters_are_independent([](Kernel& k) {
        const auto D = k.output("D", {8, 32}, f32), f = k.inout("f", {8}, i32);
        k.cta(tiles(8, 1), {{2}}, [&](Scope cta, const Tile& t) { cta.fill(D(t.rows, all), 0).set_flag(f(t.index[0]), 1); }, 1);
    }));
}

TEST_CASE("blocks whose tiles are in every n-th place are independent", "[sim][independent]")
{
    const auto every = [](std::int64_t blocks, std::int64_t step, std::int64_t rows) {
        return [=](Kernel& k) {
            const auto D = k.output("D", {64, 32}, f32);
            k.cta(
                tiles(blocks, 1),
                [&](Scope cta, const Tile& t) {
                    cta.loop(0, 2, 1, [&](const Affine& i) { cta.fill(D(Interval(t.index[0] * 4 + i * step, rows), all), 0); });
                },
                1);
        };
    };
    CHECK(all_threads::independent(every(8, 32, 4)));
    CHECK(all_threads::independent(every(4, 32, 4)));  // 32 is a multiple of 16, too
    CHECK(!all_threads::independent(every(8, 28, 4))); // block 7's second tile is block 0's third, if it had one; here block 1's
    CHECK(!all_threads::independent(every(8, 32, 5)));
    Bindings none;
    CHECK(all_threads::same_for_all_threads(all_threads::written(every(8, 32, 4)), none).kind == FaultKind::none);
}

TEST_CASE("clusters give the same outputs, counts and faults on any number of threads", "[sim][independent][clusters][threads]")
{
    for (const std::int64_t size : {2, 4}) {
        const auto write = in_clusters([=](Scope s, const Tile& t, const TensorRef& D) { turn_rows(s, t, D, size); }, size);
        same_for_clusters(write, {FaultKind::none});
        sim::RunOptions options;
        options.threads = 4;
        const auto report = required(sim::run(all_threads::written(write, machines::sm90), counted_rows(), options));
        for (std::int64_t i = 0; i < cluster_rows * 32; ++i) {
            const std::int64_t row = i / 32, from = row / size * size + (row + size - 1) % size;
            REQUIRE(report->outputs.find("D")->at(i) == static_cast<double>(from * 32 + i % 32));
        }
    }
}

TEST_CASE("the first cluster with a fault is the run's, whichever thread comes to it", "[sim][independent][clusters][threads]")
{
    const auto from = [](std::int64_t first, const std::function<void(Scope, const Tile&, const TensorRef&)>& wrong) {
        return in_clusters([=](Scope s, const Tile& t, const TensorRef& D) {
            s.when(Expression(t.index[0]) < static_cast<double>(first), [&] { turn_rows(s, t, D, 2); }, [&] { wrong(s, t, D); });
        });
    };
    for (const std::int64_t first : {2, 10}) {
        const std::string block = "block (" + std::to_string(first);
        // Nothing orders what the two blocks of a cluster do; one waits for what none does; both divide by zero.
        same_for_clusters(from(first, [](Scope s, const Tile& t, const TensorRef& D) { turn_rows(s, t, D, 2, false); }),
                          {FaultKind::race, FaultKind::lifetime, FaultKind::uninitialized});
        const auto waits = [](Scope s, const Tile& t, const TensorRef&) {
            s.when(equals(t.rank, 0),
                   [&] { s.mbarrier({Mbarrier::Action::init, 0, 1, {}}).mbarrier({Mbarrier::Action::wait, 0, 0, 0.0}); });
        };
        CHECK(same_for_clusters(from(first, waits), {FaultKind::deadlock}).text.find(block) != std::string::npos);
        const auto divides = [](Scope s, const Tile& t, const TensorRef& D) {
            s.when(floor_div(1, 0), [&] { s.fill(D(t.rows, all), 3); });
        };
        CHECK(same_for_clusters(from(first, divides), {FaultKind::arithmetic}).text.find(block) != std::string::npos);
    }
}

TEST_CASE("a race between clusters is found on any number of threads", "[sim][independent][clusters][threads]")
{
    same_for_clusters(in_clusters([](Scope s, const Tile&, const TensorRef& D) { s.fill(D(Interval(3), all), 0); }),
                      {FaultKind::race});
}

TEST_CASE("unchecked, what a block of a cluster left in shared memory is not seen by the next cluster",
          "[sim][independent][clusters][threads]")
{
    // Each reads the other's memory before anything is there, and fills its own at the end.
    const Program p = all_threads::written(in_clusters([](Scope cta, const Tile& t, const TensorRef& D) {
                                               const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
                                               const auto r = cta.alloc(Role::registers, {32}, f32, "32:1@lane"_axe, "r");
                                               for (const int rank : {0, 1})
                                                   cta.when(equals(t.rank, rank), [&] { cta.copy(r, s.of_block(1 - rank)); });
                                               cta.copy(D(t.index[0], all), r).cluster_sync().fill(s, 5);
                                           }),
                                           machines::sm90);
    for (const int threads : {1, 2, 4}) {
        sim::RunOptions options;
        options.level = sim::Level::fast;
        options.threads = threads;
        const auto report = required(sim::run(p, counted_rows(), options));
        REQUIRE(report->ok());
        for (std::int64_t i = 0; i < cluster_rows * 32; ++i) REQUIRE(report->outputs.find("D")->at(i) == 0);
    }
}

TEST_CASE("a run of clusters can be stopped on any number of threads", "[sim][independent][clusters][threads]")
{
    const Program p = all_threads::written(in_clusters([](Scope s, const Tile& t, const TensorRef& D) { turn_rows(s, t, D, 2); }),
                                           machines::sm90);
    for (const int threads : {1, 2, 4}) {
        sim::RunOptions options;
        options.threads = threads;
        std::int64_t most = 0, known = 0;
        options.progress = [&](std::int64_t done, std::int64_t all_blocks) {
            most = std::max(most, done);
            known = all_blocks;
            return done < 7;
        };
        const auto stopped = required(sim::run(p, counted_rows(), options));
        CHECK(stopped->fault.kind == FaultKind::stopped);
        CHECK(known == cluster_rows);
        CHECK(most >= 7);
        options.progress = [&](std::int64_t done, std::int64_t) { return most = done, true; };
        const auto whole = required(sim::run(p, counted_rows(), options));
        CHECK(whole->ok());
        CHECK(most == cluster_rows);
    }
}
