// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/pipeline.hpp>
#include <tests/defects/harness.hpp>

/// Blocks of a cluster: the barrier, memory and mbarriers of other blocks, copies to several of them.
namespace {

using namespace defects;
using Action = Mbarrier::Action;

using Write = std::function<void(Kernel&, Scope, const Tile&, bool, Marks&)>;

/// One cluster of blocks.
Pair cluster(int blocks, int agents, std::map<std::string, Numbers> given, std::map<std::string, Numbers> wanted,
             const std::function<Write(Kernel&)>& body)
{
    Pair p{machines::sm90, {}, std::move(given), std::move(wanted)};
    p.write = [=](Kernel& k, bool defect, Marks& marks) {
        const Write write = body(k);
        k.cta(tiles(blocks, 1), {{blocks}, false}, [&](Scope cta, const Tile& t) { write(k, cta, t, defect, marks); }, agents);
    };
    return p;
}
Expression is(const Tile& t, int rank) { return equals(Expression(t.rank), rank); }
Affine other(const Tile& t) { return Affine(1) - t.rank; }

/// Two blocks of one agent, each with a tile `s` of shared memory and one of registers, `r`, which is the rank; C is what each gives.
Pair exchange(const std::function<void(Kernel&, Scope, const Tile&, TensorRef, TensorRef, TensorRef, bool, Marks&)>& body)
{
    return cluster(2, 1, {}, {{"C", [](std::int64_t i) { return i < 32 ? 1.0 : 0.0; }}}, [body](Kernel& k) -> Write {
        const auto C = k.output("C", {2, 32}, f32);
        return [body, C](Kernel& kernel, Scope cta, const Tile& t, bool defect, Marks& marks) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s"), r = cta.alloc(Role::registers, {32}, f32, lanes, "r");
            for (const int rank : {0, 1}) cta.when(is(t, rank), [&] { cta.fill(r, rank); });
            body(kernel, cta, t, C, s, r, defect, marks);
        };
    });
}

} // namespace

TEST_CASE("a store to a block that may not have started")
{
    check_fault(exchange([](Kernel& k, Scope cta, const Tile& t, TensorRef C, TensorRef s, TensorRef r, bool defect, Marks& marks) {
                    if (!defect) cta.cluster_arrive(MemoryOrder::relaxed).cluster_wait();
                    marks.at = next(k);
                    cta.copy(s.of_block(other(t)), r).cluster_sync().copy(C(t.rank, all), s);
                }),
                FaultKind::lifetime,
                {"accesses the memory of the block of rank 1; no barrier or wait orders this after its start"});
}

TEST_CASE("a load from a block that may have ended")
{
    // Where the other block has ended, the load finds that; else the other block finds at its end that it does not know of the load.
    check_fault(exchange([](Kernel& k, Scope cta, const Tile& t, TensorRef C, TensorRef s, TensorRef r, bool defect, Marks& marks) {
                    cta.copy(s, r).cluster_sync();
                    marks.at = next(k);
                    cta.copy(r, s.of_block(other(t)));
                    if (!defect) cta.cluster_sync();
                    cta.copy(C(t.rank, all), r);
                }),
                FaultKind::lifetime, {"agent 0 accesses the memory of the block of rank 1, which has ended"});
}

TEST_CASE("a relaxed arrival before the end does not order the last load")
{
    check_fault(exchange([](Kernel& k, Scope cta, const Tile& t, TensorRef C, TensorRef s, TensorRef r, bool defect, Marks& marks) {
                    cta.copy(s, r).cluster_sync();
                    marks.at = next(k);
                    cta.copy(r, s.of_block(other(t)));
                    cta.cluster_arrive(defect ? MemoryOrder::relaxed : MemoryOrder::release).cluster_wait().copy(C(t.rank, all), r);
                }),
                FaultKind::lifetime, {"before the block's end"});
}

TEST_CASE("what another block has stored is read without a barrier")
{
    check_fault(exchange([](Kernel& k, Scope cta, const Tile& t, TensorRef C, TensorRef s, TensorRef r, bool defect, Marks& marks) {
                    cta.fill(s, 9).cluster_sync();
                    marks.other = next(k);
                    cta.copy(s.of_block(other(t)), r);
                    if (!defect) cta.cluster_sync();
                    marks.at = next(k);
                    cta.copy(C(t.rank, all), s).cluster_sync();
                    if (defect) std::swap(marks.at, marks.other); // the block that comes first has read before the other one stores
                }),
                FaultKind::race, {"race"});
}

TEST_CASE("an agent arrives twice at the barrier of its cluster")
{
    check_fault(exchange([](Kernel& k, Scope cta, const Tile& t, TensorRef C, TensorRef s, TensorRef r, bool defect, Marks& marks) {
                    cta.copy(s, r).cluster_arrive();
                    if (!defect) cta.cluster_wait();
                    marks.at = next(k);
                    cta.cluster_arrive().cluster_wait().copy(r, s.of_block(other(t))).copy(C(t.rank, all), r).cluster_sync();
                }),
                FaultKind::divergence, {"arrives at the barrier of its cluster again"});
}

TEST_CASE("an agent waits at the barrier of its cluster and has not arrived")
{
    check_fault(exchange([](Kernel& k, Scope cta, const Tile& t, TensorRef C, TensorRef s, TensorRef r, bool defect, Marks& marks) {
                    cta.copy(s, r);
                    if (!defect) cta.cluster_arrive();
                    marks.at = next(k);
                    cta.cluster_wait().copy(r, s.of_block(other(t))).copy(C(t.rank, all), r).cluster_sync();
                }),
                FaultKind::divergence, {"waits at the barrier of its cluster, and has not arrived"});
}

TEST_CASE("the barrier of a cluster waits for all agents that have not ended")
{
    // The second agent of each block ends, or waits for an arrival that does not come.
    check_fault(cluster(2, 2, {}, {{"C", [](std::int64_t) { return 1.0; }}},
                        [](Kernel& k) -> Write {
                            const auto C = k.output("C", {2, 32}, f32);
                            return [C](Kernel& kernel, Scope cta, const Tile& t, bool defect, Marks& marks) {
                                cta.warps(0, 1, [&](Scope w) { w.mbarrier({Action::init, 0, 1, {}}); }).sync();
                                cta.warps(1, 1, [&](Scope w) {
                                    if (defect) w.when(is(t, 1), [&] { w.mbarrier({Action::wait, 0, 0, 0}); });
                                });
                                cta.warps(0, 1, [&](Scope w) {
                                    w.cluster_arrive();
                                    marks.at = next(kernel);
                                    w.cluster_wait().fill(C(t.rank, all), 1);
                                });
                            };
                        }),
                FaultKind::deadlock, {"at the barrier of its cluster for agent 1 of rank 1"});
}

TEST_CASE("an mbarrier of another block is used before its initialization is known")
{
    check_fault(exchange([](Kernel& k, Scope cta, const Tile& t, TensorRef C, TensorRef s, TensorRef r, bool defect, Marks& marks) {
                    cta.mbarrier({Action::init, 0, 1, {}});
                    cta.cluster_arrive(defect ? MemoryOrder::relaxed : MemoryOrder::release).cluster_wait();
                    cta.copy(s.of_block(other(t)), r);
                    marks.at = next(k);
                    cta.mbarrier({Action::arrive, 0, 0, {}, other(t)}).mbarrier({Action::wait, 0, 0, 0}).copy(C(t.rank, all), s);
                    cta.cluster_sync();
                }),
                FaultKind::transaction,
                {"mbarrier 0 of the block of rank 0 is used by agent 0; nothing orders this after its initialization"});
}

TEST_CASE("a block ends before the last arrival at its mbarrier")
{
    check_fault(
        exchange([](Kernel& k, Scope cta, const Tile& t, TensorRef C, TensorRef s, TensorRef r, bool defect, Marks& marks) {
            cta.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::init, 1, 1, {}}).cluster_sync().copy(s.of_block(other(t)), r);
            cta.mbarrier({Action::arrive, 0, 0, {}, other(t)}).mbarrier({Action::wait, 0, 0, 0}).copy(C(t.rank, all), s);
            marks.at = next(k);
            cta.mbarrier({Action::arrive, 1, 0, {}, other(t)});
            if (!defect) cta.mbarrier({Action::wait, 1, 0, 0});
        }),
        FaultKind::lifetime, {"block"});
}

TEST_CASE("stores that an mbarrier of the other block counts")
{
    check_fault(exchange([](Kernel& k, Scope cta, const Tile& t, TensorRef C, TensorRef s, TensorRef r, bool defect, Marks& marks) {
                    cta.mbarrier({Action::init, 0, 1, {}}).fill(s, 9).cluster_sync().mbarrier({Action::expect_bytes, 0, 128, {}});
                    marks.other = next(k);
                    cta.copy_async(s.of_block(other(t)), r, {.completes_on = 0});
                    if (!defect) cta.mbarrier({Action::wait, 0, 0, 0});
                    marks.at = next(k);
                    cta.copy(C(t.rank, all), s);
                    if (defect) cta.mbarrier({Action::wait, 0, 0, 0}), std::swap(marks.at, marks.other);
                }),
                FaultKind::race, {"race"});
}

TEST_CASE("a copy to several blocks that leaves one out which expects it")
{
    check_fault(cluster(4, 1, {{"A", counted}}, {{"C", [](std::int64_t i) { return double(i % 32); }}},
                        [](Kernel& k) -> Write {
                            const auto A = k.input("A", {32}, f32), C = k.output("C", {4, 32}, f32);
                            return [=](Kernel& kernel, Scope cta, const Tile& t, bool defect, Marks& marks) {
                                const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
                                cta.mbarrier({Action::init, 0, 1, {}}).cluster_sync().mbarrier({Action::expect_bytes, 0, 128, {}});
                                Options options;
                                options.completes_on = 0;
                                options.multicast = defect ? 0b1011 : 0b1111;
                                cta.when(is(t, 0), [&] { cta.copy_async(s, A, options); });
                                marks.at = next(kernel);
                                cta.mbarrier({Action::wait, 0, 0, 0}).copy(C(t.rank, all), s);
                            };
                        }),
                FaultKind::deadlock, {"lacks 0 of 1 arrival and 128 bytes"});
}

namespace {

/// A ring of slots that two blocks fill for each other: each brings one half of a tile to both, and both release it at both.
Pair ring(int form)
{
    constexpr int depth = 5, slots = 2;
    return cluster(2, 2, {{"A", counted}}, {{"C", [](std::int64_t i) { return double(i % (depth * 64)); }}},
                   [form](Kernel& k) -> Write {
                       const auto A = k.input("A", {depth, 64}, f32), C = k.output("C", {2, depth, 64}, f32);
                       return [=](Kernel& kernel, Scope cta, const Tile& t, bool defect, Marks& marks) {
                           const auto s = cta.alloc(Role::shared, {slots, 64}, f32, {}, "s");
                           const bool own_only = defect && form == 0, no_fence = defect && form == 1, no_wait = defect && form == 2;
                           cta.warps(0, 1, [&](Scope w) { // mbarriers: 0 and 1, full; 2 and 3, empty
                               for (int i = 0; i < slots; ++i)
                                   w.mbarrier({Action::init, i, 1, {}}).mbarrier({Action::init, slots + i, own_only ? 1 : 2, {}});
                           });
                           cta.cluster_sync();
                           cta.warps(0, 1, "producer", [&](Scope w) {
                               for (int i = 0; i < depth; ++i) {
                                   const int slot = i % slots;
                                   if (!no_wait) w.mbarrier({Action::wait, slots + slot, 0, (i / slots + 1) % 2});
                                   w.mbarrier({Action::expect_bytes, slot, 256, {}});
                                   Options options;
                                   options.completes_on = slot;
                                   options.multicast = 3;
                                   const auto half = Interval(t.rank * 32, 32);
                                   if (i == slots) marks.at = next(kernel);
                                   w.copy_async(s(slot, half), A(i, half), options);
                               }
                           });
                           cta.warps(1, 1, "consumer", [&](Scope w) {
                               for (int i = 0; i < depth; ++i) {
                                   const int slot = i % slots;
                                   w.mbarrier({Action::wait, slot, 0, i / slots % 2});
                                   if (i == 0) marks.other = next(kernel);
                                   w.copy(C(t.rank, i, all), s(slot, all));
                                   if (!no_fence) w.proxy_fence();
                                   w.mbarrier({Action::arrive, slots + slot, 0, {}});
                                   if (!own_only) w.mbarrier({Action::arrive, slots + slot, 0, {}, other(t)});
                               }
                           });
                           cta.cluster_sync();
                       };
                   });
}

} // namespace

TEST_CASE("a ring of slots that blocks fill for each other is released at both")
{
    // Nothing tells the producer of one block that the slots of the other one are free.
    const Pair p = ring(0);
    check_sound(p);
    std::set<std::string> found;
    turns::each([&](const sim::RunOptions& options) {
        Marks marks;
        found.insert(name(find(p, true, marks, options).fault.kind));
    });
    CHECK(found.count("race") == 1);
    CHECK(found.count("none") == 0);
}

TEST_CASE("a ring of slots that blocks fill for each other, without a fence of proxies")
{
    check_fault(ring(1), FaultKind::proxy, {"without a proxy fence between"});
}

TEST_CASE("a ring of slots that blocks fill for each other, without waits for empty slots")
{
    const Pair p = ring(2);
    std::set<std::string> found;
    turns::each([&](const sim::RunOptions& options) {
        Marks marks;
        found.insert(name(find(p, true, marks, options).fault.kind));
    });
    CHECK(found.count("none") == 0);
}

TEST_CASE("flags at the scope of a cluster order blocks of one cluster, and no others")
{
    // Block 0 hands a tile to block 1, which is in its cluster, or not.
    Pair p{machines::sm90, {}, {{"f", [](std::int64_t) { return 0.0; }}}, {{"C", [](std::int64_t) { return 5.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto f = k.inout("f", {1}, i32), T = k.output("T", {32}, f32), C = k.output("C", {32}, f32);
        k.cta(
            tiles(4, 1), {{2}, false},
            [&](Scope cta, const Tile& t) {
                cta.when(equals(Expression(t.index[0]), 0), [&] {
                    cta.fill(T, 5);
                    marks.other = next(k); // the flag is what races first
                    cta.add_to_flag(f, 1, MemoryOrder::release, Within::cluster);
                });
                cta.when(equals(Expression(t.index[0]), defect ? 2 : 1), [&] {
                    marks.at = next(k);
                    cta.wait_equal(f, 1, MemoryOrder::acquire, Within::cluster).copy(C, T);
                });
            },
            1);
    };
    sim::RunOptions options;
    for (const int resident : {0, 4})
        for (const std::int64_t quantum : {0, 1, 2}) {
            options.resident = resident;
            options.quantum = quantum;
            Marks marks;
            CHECK(find(p, false, marks, options).ended());
            const Found f = find(p, true, marks, options);
            INFO(f.text);
            CHECK(f.fault.kind == FaultKind::race);
            CHECK(f.fault.statement == marks.at);
            CHECK(f.fault.other_statement == marks.other);
        }
}

TEST_CASE("clusters of a grid follow each other in the same memory")
{
    // Six clusters of two blocks, in as many places as the run has: none finds what one before has left.
    Pair p{machines::sm90, {}, {}, {{"C", [](std::int64_t i) { return double(i / 32 % 2 == 0 ? 1 : 0); }}}};
    p.write = [](Kernel& k, bool, Marks&) {
        const auto C = k.output("C", {4, 6, 32}, f32);
        k.cta(
            tiles({4, 6}, {1, 1}), {{1, 2}, false},
            [&](Scope cta, const Tile& t) {
                const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s"), r = cta.alloc(Role::registers, {32}, f32, lanes, "r");
                for (const int rank : {0, 1}) cta.when(is(t, rank), [&] { cta.fill(r, rank); });
                cta.copy(s, r).cluster_sync().copy(r, s.of_block(other(t))).cluster_sync();
                cta.copy(C(t.index[0], t.index[1], all), r);
            },
            1);
    };
    check_sound(p);
}

TEST_CASE("loads and stores of another block's memory go over a link")
{
    // Each of 2 blocks stores 128 bytes to the other one, loads 64 from it, and loads as many of its own by its rank.
    Pair p = cluster(2, 1, {}, {}, [](Kernel&) -> Write {
        return [](Kernel&, Scope cta, const Tile& t, bool, Marks&) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s"), r = cta.alloc(Role::registers, {32}, f32, lanes, "r");
            const auto q = cta.alloc(Role::registers, {16}, f32, "16:1@lane"_axe, "q");
            cta.fill(r, 1).cluster_sync().copy(s.of_block(other(t)), r).cluster_sync();
            cta.copy(q, s(Interval(0, 16)).of_block(other(t))).copy(q, s(Interval(0, 16)).of_block(t.rank)).cluster_sync();
        };
    });
    Marks marks;
    const Found f = find(p, false, marks);
    INFO(f.text);
    REQUIRE(f.ended());
    CHECK(f.total.link_bytes == 2 * (128 + 64));
    CHECK(f.total.memories.at("smem").bytes_written == 2 * 128);
    CHECK(f.total.memories.at("smem").bytes_read == 2 * 128);
    CHECK(f.total.by_text.count("st.shared::cluster.b32") == 1);
    CHECK(f.total.by_text.count("ld.shared::cluster.b32") == 1);
}

TEST_CASE("a copy to several blocks reads its source once, and writes to each")
{
    const auto counters = [](int blocks) {
        Pair p = cluster(blocks, 1, {{"A", counted}}, {}, [blocks](Kernel& k) -> Write {
            const auto A = k.input("A", {64}, f32), C = k.output("C", {blocks, 64}, f32);
            return [=](Kernel&, Scope cta, const Tile& t, bool, Marks&) {
                const auto s = cta.alloc(Role::shared, {64}, f32, {}, "s");
                cta.mbarrier({Action::init, 0, 1, {}}).cluster_sync().mbarrier({Action::expect_bytes, 0, 256, {}});
                Options options;
                options.completes_on = 0;
                options.multicast = static_cast<std::uint16_t>((1 << blocks) - 1);
                cta.when(is(t, 0), [&] { cta.copy_async(s, A, options); });
                cta.mbarrier({Action::wait, 0, 0, 0});
            };
        });
        Marks marks;
        const Found f = find(p, false, marks);
        INFO(f.text);
        return f.total;
    };
    for (const int blocks : {1, 2, 4, 8}) {
        const sim::Counters c = counters(blocks);
        CHECK(c.instructions == 1);
        CHECK(c.memories.at("gmem").bytes_read == 256);
        CHECK(c.memories.at("gmem").sectors == 8);
        CHECK(c.memories.at("smem").bytes_written == 256 * blocks);
    }
}
