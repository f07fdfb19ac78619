// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// Blocks of a cluster: their barrier, each other's shared memory and mbarriers, copies to several of them.
namespace {

using namespace races;

/// One cluster of so many blocks.
void cluster(Kernel& k, const Shape& shape, int agents, const std::function<void(Block&, const Tile&)>& body)
{
    k.cta(
        tiles(shape, shape.size() == 1 ? Shape{1} : Shape{1, 1}), {shape, false},
        [&](Scope cta, const Tile& t) {
            Block b{k, cta};
            body(b, t);
        },
        agents);
}

Expression is(const Tile& t, int rank) { return equals(Expression(t.rank), rank); }
Mbarrier arrive_at(int id, const Affine& rank) { return {Mbarrier::Action::arrive, id, 0, {}, rank}; }

/// mbarriers of each block, and tiles that are 7; then all blocks meet.
void prepare(Block& b, const std::vector<int>& arrivals, const std::vector<ViewRef>& tiles)
{
    b.cta.warps(0, 1, [&](Scope w) {
        for (std::size_t id = 0; id < arrivals.size(); ++id) w.mbarrier(init(static_cast<int>(id), arrivals[id]));
        for (const ViewRef& t : tiles) w.fill(t, 7);
        w.proxy_fence();
    });
    b.cta.cluster_sync();
}

Options to_all(int blocks)
{
    Options out = completes_on(0);
    out.multicast = static_cast<std::uint16_t>((1u << blocks) - 1);
    return out;
}

} // namespace

TEST_CASE("cn-cluster-barrier-ws-ok")
{
    for (const int blocks : {2, 4})
        ok({[blocks](Kernel& k, Sites&) {
                const auto out = k.output("out", {16, blocks}, i32);
                k.cta(
                    tiles({16, blocks}, {1, 1}), {{1, blocks}, false},
                    [&](Scope cta, const Tile& t) {
                        Block b{k, cta};
                        b.set_up({1, 1});
                        b.agent(0, [&](Scope w) { w.mbarrier(wait_for(0)).mbarrier(arrive(1)); });
                        b.agent(1, [&](Scope w) { w.mbarrier(arrive(0)).mbarrier(wait_for(1)); });
                        cta.sync().cluster_sync();
                        b.agent(0, [&](Scope w) { w.fill(out(t), 1); });
                    },
                    2);
            },
            {{"out", always(1)}}});
}

TEST_CASE("cn-dsmem-gather")
{
    enum Form { relaxed, full, scatter, adds };
    const auto kernel = [](Form form) {
        return Variant{[form](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {2, 32}, i32);
                           cluster(k, {2}, 1, [&](Block& b, const Tile& t) {
                               const auto s = b.cta.alloc(Role::shared, {32}, i32, {}, "s");
                               const auto r = b.cta.alloc(Role::registers, {32}, i32, "32:1@lane"_axe, "r");
                               const Affine peer = Affine(1) - t.rank;
                               prepare(b, {}, {s});
                               int moved = b.at();
                               if (form == relaxed) {
                                   b.cta.copy(r, s.of_block(peer)).cluster_arrive(MemoryOrder::relaxed).cluster_wait();
                                   sites = {{moved, b.at()}};
                                   b.cta.fill(s, 1).copy(out(t.rank, all), r).cluster_sync();
                                   return;
                               }
                               for (const int rank : {0, 1})
                                   b.cta.when(is(t, rank), [&] { b.cta.fill(form == full ? ViewRef(s) : ViewRef(r), rank); });
                               if (form == full) {
                                   b.cta.cluster_sync().copy(r, s.of_block(peer)).cluster_sync();
                                   b.cta.copy(out(t.rank, all), r);
                                   return;
                               }
                               if (form == adds)
                                   b.cta.atomic(Function::add, s.of_block(peer), r);
                               else
                                   b.cta.copy(s.of_block(peer), r);
                               b.cta.cluster_sync().copy(out(t.rank, all), s);
                           });
                       },
                       {{"out", [form](std::int64_t i) { return (i < 32 ? 1.0 : 0.0) + (form == adds ? 7 : 0); }}}};
    };
    race(kernel(relaxed));
    SECTION("the barriers are full") { ok(kernel(full)); }
    SECTION("stores to the other block") { ok(kernel(scatter)); }
    SECTION("atomic additions to the other block") { ok(kernel(adds)); }
}

TEST_CASE("cs-tma-multicast-read-early")
{
    const auto kernel = [](int blocks, bool waits) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {32}, f32), out = k.output("out", {blocks, 32}, f32);
                           cluster(k, {blocks}, 1, [&](Block& b, const Tile& t) {
                               const auto s = b.smem("s");
                               const auto r = b.cta.alloc(Role::registers, {32}, f32, "32:1@lane"_axe, "r");
                               prepare(b, {1}, {s});
                               b.cta.mbarrier(expect(0, 128));
                               int loaded = -1;
                               b.cta.when(is(t, 0), [&] {
                                   loaded = b.at();
                                   b.cta.copy_async(s, in, to_all(blocks));
                               });
                               if (waits) b.cta.mbarrier(wait_for(0));
                               sites = {{loaded, b.at()}};
                               b.cta.copy(r, s);
                               if (!waits) b.cta.mbarrier(wait_for(0));
                               b.cta.copy(out(t.rank, all), r).cluster_sync();
                           });
                       },
                       {{"out", [](std::int64_t i) { return double(i % 32); }}}};
    };
    for (const int blocks : {2, 4}) {
        race(kernel(blocks, false));
        ok(kernel(blocks, true));
    }
}

TEST_CASE("cs-tma-multicast-local-store")
{
    for (const int blocks : {2, 4})
        race({[blocks](Kernel& k, Sites& sites) {
            const auto in = k.input("in", {32}, f32), out = k.output("out", {blocks, 32}, f32);
            cluster(k, {blocks}, 1, [&](Block& b, const Tile& t) {
                const auto s = b.smem("s");
                prepare(b, {1}, {s});
                b.cta.mbarrier(expect(0, 128));
                int loaded = -1;
                b.cta.when(is(t, 0), [&] {
                    loaded = b.at();
                    b.cta.copy_async(s, in, to_all(blocks));
                });
                b.cta.cluster_sync();
                sites = {{loaded, b.at()}};
                b.cta.fill(s, 1).mbarrier(wait_for(0)).copy(out(t.rank, all), s);
            });
        }});
}

TEST_CASE("cs-multicast-after-peer-read")
{
    const auto kernel = [](bool meets) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {32}, f32), out = k.output("out", {4, 32}, f32);
                           cluster(k, {4}, 1, [&](Block& b, const Tile& t) {
                               const auto s = b.smem("s"), other = b.smem("other");
                               prepare(b, {1}, {s});
                               const int read = b.at();
                               b.cta.copy(other, s).proxy_fence();
                               if (meets) b.cta.cluster_sync();
                               b.cta.mbarrier(expect(0, 128));
                               b.cta.when(is(t, 0), [&] {
                                   sites = {{read, b.at()}};
                                   b.cta.copy_async(s, in, to_all(4));
                               });
                               b.cta.mbarrier(wait_for(0)).copy(out(t.rank, all), s).cluster_sync();
                           });
                       },
                       {{"out", [](std::int64_t i) { return double(i % 32); }}}};
    };
    race(kernel(false));
    SECTION("the blocks meet after the reads") { ok(kernel(true)); }
}

TEST_CASE("gs-relaxed-cluster-barrier")
{
    const auto kernel = [](MemoryOrder order) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto p = k.inout("p", {32}, f32), out = k.output("out", {32}, f32);
                           cluster(k, {2}, 1, [&](Block& b, const Tile& t) {
                               b.cta.cluster_sync();
                               int stored = -1;
                               b.cta.when(is(t, 0), [&] {
                                   stored = b.at();
                                   b.cta.fill(p, 1);
                               });
                               b.cta.cluster_arrive(order).cluster_wait();
                               b.cta.when(is(t, 1), [&] {
                                   sites = {{stored, b.at()}};
                                   b.cta.copy(out, p);
                               });
                           });
                       },
                       {{"out", always(1)}}};
    };
    race(kernel(MemoryOrder::relaxed));
    SECTION("a full one") { ok(kernel(MemoryOrder::release)); }
}

TEST_CASE("gs-mbarrier-post-arrival")
{
    const auto kernel = [](bool again) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const int rounds = again ? 4 : 2;
                           const auto p = k.inout("p", {rounds, 32}, f32), out = k.output("out", {rounds, 32}, f32);
                           cluster(k, {2}, 1, [&](Block& b, const Tile& t) {
                               prepare(b, {2}, {});
                               for (int i = 0; i < rounds; ++i) {
                                   const bool arrives = again || i == 0;
                                   int stored = -1;
                                   b.cta.when(is(t, 1), [&] {
                                       stored = b.at();
                                       b.cta.fill(p(i, all), i + 1);
                                       if (arrives) b.cta.mbarrier(arrive_at(0, 0));
                                   });
                                   b.cta.when(is(t, 0), [&] {
                                       if (arrives) b.cta.mbarrier(arrive(0)).mbarrier(wait_for(0, i % 2));
                                   });
                                   b.cta.cluster_arrive(MemoryOrder::relaxed).cluster_wait();
                                   b.cta.when(is(t, 0), [&] {
                                       sites = {{stored, b.at()}};
                                       b.cta.copy(out(i, all), p(i, all));
                                   });
                               }
                           });
                       },
                       {{"out", [](std::int64_t i) { return double(i / 32 + 1); }}}};
    };
    race(kernel(false));
    SECTION("an arrival and a wait after each write") { ok(kernel(true)); }
}

TEST_CASE("jax-cluster-barrier-diagonal")
{
    // A block arrives at its own mbarrier and at those of the blocks that differ in one place; at those of all.
    const auto kernel = [](bool all_blocks) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto x = k.output("x", {4, 32}, f32), out = k.output("out", {4, 32}, f32);
                           cluster(k, {2, 2}, 1, [&](Block& b, const Tile& t) {
                               prepare(b, {all_blocks ? 4 : 3}, {});
                               const int stored = b.at();
                               b.cta.fill(x(t.rank, all), 3);
                               for (int rank = 0; rank < 4; ++rank)
                                   for (int other = 0; other < 4; ++other)
                                       if (all_blocks || (rank ^ other) != 3)
                                           b.cta.when(is(t, rank), [&] { b.cta.mbarrier(arrive_at(0, other)); });
                               b.cta.mbarrier(wait_for(0));
                               b.cta.when(
                                   is(t, 3),
                                   [&] {
                                       sites = {{stored, b.at()}};
                                       b.cta.copy(out(3, all), x(0, all));
                                   },
                                   [&] { b.cta.copy(out(t.rank, all), x(t.rank, all)); });
                               b.cta.cluster_sync();
                           });
                       },
                       {{"out", always(3)}}};
    };
    race(kernel(false));
    SECTION("each arrives at all") { ok(kernel(true)); }
}

TEST_CASE("jax-cluster-rounds")
{
    const auto kernel = [](int n, int skipped) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {n, 32}, f32), x = k.output("x", {n + 1, n, 32}, f32);
                           const auto out = k.output("out", {n, 32}, f32);
                           cluster(k, {n}, 1, [&](Block& b, const Tile& t) {
                               const auto r = b.cta.alloc(Role::registers, {32}, f32, "32:1@lane"_axe, "r");
                               const auto one = b.cta.alloc(Role::registers, {32}, f32, "32:1@lane"_axe, "one");
                               prepare(b, std::vector<int>(static_cast<std::size_t>(n), n), {});
                               b.cta.fill(one, 1);
                               int stored = b.at();
                               b.cta.copy(x(0, t.rank, all), in(t.rank, all));
                               for (int i = 0; i < n; ++i) {
                                   for (int other = 0; other < n; ++other) b.cta.mbarrier(arrive_at(i, other));
                                   if (i != skipped) b.cta.mbarrier(wait_for(i));
                                   const int reads = b.at() + 1;
                                   b.cta.when(
                                       Expression(t.rank) < n - 1, [&] { b.cta.copy(r, x(i, t.rank + 1, all).guarded()); },
                                       [&] { b.cta.copy(r, x(i, 0, all)); });
                                   if (i == skipped) sites = {{stored, reads}, {stored, reads + 1}};
                                   b.cta.binary(Function::add, r, r, one);
                                   stored = b.at();
                                   b.cta.copy(x(i + 1, t.rank, all), r);
                               }
                               b.cta.copy(out(t.rank, all), r).cluster_sync();
                           });
                       },
                       {{"out", [n](std::int64_t i) { return double(i + n); }}}};
    };
    fault(kernel(4, 1), FaultKind::race);
    SECTION("any round of any cluster")
    {
        for (int n = 2; n <= 8; n += 2)
            for (int skipped = 0; skipped < n; ++skipped) fault(kernel(n, skipped), FaultKind::race);
    }
    SECTION("no round, or one block")
    {
        for (int n = 1; n <= 8; ++n) ok(kernel(n, -1));
        ok(kernel(1, 0));
    }
}

TEST_CASE("cs-st-async-bytes")
{
    // Each block stores a quarter (a half) of what all have, to each of them; 4 bytes more are expected than come.
    const auto kernel = [](int blocks, int more) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {blocks, 128}, i32);
                           const int share = 128 / blocks;
                           cluster(k, {blocks}, 1, [&](Block& b, const Tile& t) {
                               const auto s = b.cta.alloc(Role::shared, {128}, i32, {}, "s");
                               const auto r = b.cta.alloc(Role::registers, {share}, i32,
                                                          blocks == 2 ? "(32,2):(1@lane,1@reg)"_axe : "32:1@lane"_axe, "r");
                               prepare(b, {1}, {});
                               for (int rank = 0; rank < blocks; ++rank) b.cta.when(is(t, rank), [&] { b.cta.fill(r, rank); });
                               b.cta.mbarrier(expect(0, 512 + more));
                               for (int other = 0; other < blocks; ++other)
                                   b.cta.copy_async(s(Interval(t.rank * share, share)).of_block(other), r, completes_on(0));
                               sites = {{b.at(), -1}};
                               b.cta.mbarrier(wait_for(0)).copy(out(t.rank, all), s).cluster_sync();
                           });
                       },
                       {{"out", [blocks](std::int64_t i) { return double(i % 128 / (128 / blocks)); }}}};
    };
    for (const int blocks : {2, 4}) {
        fault(kernel(blocks, 4), FaultKind::deadlock);
        ok(kernel(blocks, 0));
    }
}
