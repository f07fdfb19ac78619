// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// Requests for the work of blocks that have not started, dependent grids, and mbarriers that have the bytes of tensors.
namespace {

using namespace races;

/// So many clusters of `size` blocks each; alone where size is 1. Rows are of one cluster; the others are what there is to cancel.
void clusters_of(Kernel& k, int count, int size, int agents, const std::function<void(Block&, const Tile&)>& body)
{
    const auto write = [&](Scope cta, const Tile& t) {
        Block b{k, cta};
        body(b, t);
    };
    if (size == 1)
        k.cta(tiles(count, 1), write, agents);
    else
        k.cta(tiles(count * size, 1), {{size}, false}, write, agents);
}

Expression is_rank(const Tile& t, int rank) { return equals(Expression(t.rank), rank); }

/// Mbarriers of each block, tiles of one element each that are 7; then all meet.
void prepare_blocks(Block& b, int size, const std::vector<int>& arrivals, const std::vector<ViewRef>& tiles)
{
    b.cta.warps(0, 1, [&](Scope w) {
        for (std::size_t id = 0; id < arrivals.size(); ++id) w.mbarrier(init(static_cast<int>(id), arrivals[id]));
        for (const ViewRef& t : tiles) w.fill(t, 7);
        w.proxy_fence();
    });
    if (size == 1)
        b.cta.sync();
    else
        b.cta.cluster_sync();
}

void meet(Block& b, int size)
{
    if (size == 1)
        b.cta.sync();
    else
        b.cta.cluster_sync();
}

/// Block 0 of each cluster asks, and the reply comes to all.
int ask(Block& b, const Tile& t, int size, const TensorRef& reply, int mbarrier)
{
    int at = b.at();
    if (size == 1) {
        b.cta.try_cancel(reply, mbarrier);
    } else {
        b.cta.when(is_rank(t, 0), [&] {
            at = b.at();
            b.cta.try_cancel(reply, mbarrier, true);
        });
    }
    return at;
}

Scope& expect_reply(Scope& s, int mbarrier) { return s.mbarrier(expect(mbarrier, 16)); }

} // namespace

TEST_CASE("cs-clc-read-early")
{
    const auto kernel = [](int size, bool waits) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {3 * size}, i32);
                           clusters_of(k, 3, size, 1, [&](Block& b, const Tile& t) {
                               const auto r = b.cta.alloc(Role::shared, {4}, i32, {}, "r");
                               const ScalarRef found = k.scalar("found");
                               prepare_blocks(b, size, {1}, {r});
                               const int asked = ask(b, t, size, r, 0);
                               expect_reply(b.cta, 0);
                               if (waits) b.cta.mbarrier(wait_for(0));
                               sites = {{asked, b.at()}};
                               b.cta.assign(found, load(r(0)));
                               if (!waits) b.cta.mbarrier(wait_for(0));
                               // What a block has cancelled it does itself; the result is the same whoever does it.
                               b.cta.fill(out(Interval(t.index[0], 1)), 1);
                               b.cta.when(equals(Expression(found), 1), [&] {
                                   const Affine first = b.cta.index(load(r(1)), 0, 3 * size);
                                   b.cta.fill(out(Interval(first + t.rank, 1)), 1);
                               });
                               meet(b, size);
                           });
                       },
                       {{"out", always(1)}},
                       machines::sm100};
    };
    for (const int size : {1, 2, 4}) {
        race(kernel(size, false));
        ok(kernel(size, true));
    }
}

TEST_CASE("cs-clc-reuse-after-cluster-barrier")
{
    // The row has the fence in a note: who asks for a second reply has others read the first one before it.
    const auto kernel = [](bool fences, bool meets) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {12}, i32);
                           clusters_of(k, 6, 2, 1, [&](Block& b, const Tile& t) {
                               const auto r = b.cta.alloc(Role::shared, {4}, i32, {}, "r");
                               const ScalarRef found = k.scalar("found");
                               prepare_blocks(b, 2, {1}, {r});
                               b.cta.fill(out(Interval(t.index[0], 1)), 1);
                               expect_reply(b.cta, 0);
                               const int first_asked = ask(b, t, 2, r, 0);
                               b.cta.mbarrier(wait_for(0));
                               const int read = b.at();
                               b.cta.assign(found, load(r(0)));
                               b.cta.when(equals(Expression(found), 1), [&] {
                                   const Affine first = b.cta.index(load(r(1)), 0, 12);
                                   b.cta.fill(out(Interval(first + t.rank, 1)), 1);
                                   if (fences) b.cta.proxy_fence();
                                   if (meets) b.cta.cluster_sync();
                                   expect_reply(b.cta, 0);
                                   const int asked = ask(b, t, 2, r, 0);
                                   sites = {{read, asked}, {read + 2, asked}, {first_asked, asked}};
                                   b.cta.mbarrier(wait_for(0, 1)).assign(found, load(r(0)));
                                   b.cta.when(equals(Expression(found), 1), [&] {
                                       const Affine second = b.cta.index(load(r(1)), 0, 12);
                                       b.cta.fill(out(Interval(second + t.rank, 1)), 1);
                                   });
                               });
                               b.cta.cluster_sync();
                           });
                       },
                       {{"out", always(1)}},
                       machines::sm100};
    };
    ok(kernel(true, true));
    SECTION("without the fence") { fault(kernel(false, true), FaultKind::proxy); }
    SECTION("without the barrier") { fault(kernel(true, false), FaultKind::race); }
}

TEST_CASE("cs-clc-two-requests")
{
    // The row: ok, as its checker has the requests of one agent in order, and says that a stricter one may not. Here they are unordered.
    const auto kernel = [](bool apart) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {32}, f32);
                           clusters_of(k, 1, 2, 1, [&](Block& b, const Tile& t) {
                               const auto r = b.cta.alloc(Role::shared, {4}, i32, {}, "r");
                               const auto other = b.cta.alloc(Role::shared, {4}, i32, {}, "other");
                               prepare_blocks(b, 2, {1, 1}, {r, other});
                               expect_reply(b.cta, 0);
                               const int one = ask(b, t, 2, r, 0);
                               expect_reply(b.cta, 1);
                               const int two = ask(b, t, 2, apart ? other : r, 1);
                               sites = {{one, two}};
                               b.cta.mbarrier(wait_for(0)).mbarrier(wait_for(1));
                               b.cta.when(is_rank(t, 0), [&] { b.cta.fill(out, 1); });
                               b.cta.cluster_sync();
                           });
                       },
                       {{"out", always(1)}},
                       machines::sm100};
    };
    race(kernel(false));
    SECTION("the replies have places of their own") { ok(kernel(true)); }
}

TEST_CASE("cn-clc-relayed-handoff")
{
    // Mbarrier 0 is C, 1 is D, of which that of block 0 is used. Agent 0 consumes, agent 1 asks.
    const auto kernel = [](bool leader_expects) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {2, 32}, f32);
                           clusters_of(k, 1, 2, 2, [&](Block& b, const Tile& t) {
                               const auto slot = b.smem("slot");
                               const auto r = b.cta.alloc(Role::shared, {4}, i32, {}, "r");
                               const ScalarRef found = k.scalar("found");
                               prepare_blocks(b, 2, {1, 2}, {slot, r});
                               const int read = b.at() + 1;
                               b.agent(0, [&](Scope w) {
                                   w.copy(out(t.rank, all), slot);
                                   w.mbarrier({Mbarrier::Action::arrive, 1, 0, {}, Affine(0)});
                               });
                               b.agent(1, [&](Scope w) {
                                   w.when(is_rank(t, 0), [&] { w.mbarrier(wait_for(1)); });
                                   if (!leader_expects) {
                                       expect_reply(w, 0);
                                   } else {
                                       w.when(is_rank(t, 0), [&] {
                                           for (const int rank : {0, 1})
                                               w.mbarrier({Mbarrier::Action::expect_bytes, 0, 16, {}, Affine(rank)});
                                       });
                                   }
                                   w.when(is_rank(t, 0), [&] { w.try_cancel(r, 0, true); });
                                   w.mbarrier(wait_for(0)).assign(found, load(r(0)));
                                   sites = {{read, b.at()}};
                                   w.fill(slot, 3);
                               });
                               b.cta.cluster_sync();
                           });
                       },
                       {{"out", always(7)}},
                       machines::sm100};
    };
    race(kernel(false));
    SECTION("block 0 expects the bytes of both") { ok(kernel(true)); }
}

TEST_CASE("gs-pdl-no-wait")
{
    // after: a grid of the ordinary kind follows, and reads. other: the dependent grid waits in its other block alone.
    enum class Form { waits, none, other_block_alone, ordinary, chain, chain_without };
    const auto kernel = [](Form form) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto p = k.output("p", {2, 32}, f32), out = k.output("out", {2, 32}, f32);
                           int stored = -1;
                           k.cta(
                               tiles(2, 1),
                               [&](Scope cta, const Tile& t) {
                                   stored = next(k);
                                   cta.fill(p(t.index[0], all), 1000).launch_dependents();
                               },
                               1);
                           const bool chain = form == Form::chain || form == Form::chain_without;
                           if (chain)
                               k.cta(tiles(2, 1), [&](Scope cta, const Tile&) { cta.wait_for_grids(); }, 1).dependent_launch();
                           if (chain)
                               k.cta(tiles(2, 1), [&](Scope cta, const Tile&) { cta.wait_for_grids(); }, 1).dependent_launch();
                           const bool ordinary = form == Form::ordinary || form == Form::chain;
                           const int grid = next(k);
                           k.cta(
                               tiles(2, 1),
                               [&](Scope cta, const Tile& t) {
                                   if (form == Form::waits) cta.wait_for_grids();
                                   if (form == Form::other_block_alone)
                                       cta.when(equals(Expression(t.index[0]), 1), [&] { cta.wait_for_grids(); });
                                   sites = {{stored, next(k)}};
                                   if (form == Form::other_block_alone) {
                                       sites = {{grid, -1}};
                                       cta.when(
                                           equals(Expression(t.index[0]), 1), [&] { cta.copy(out(1, all), p(1, all)); },
                                           [&] { cta.fill(out(0, all), 1000); });
                                       return;
                                   }
                                   cta.copy(out(t.index[0], all), p(1 - t.index[0], all));
                               },
                               1);
                           if (!ordinary) k.dependent_launch();
                       },
                       {{"p", always(1000)}, {"out", always(1000)}}};
    };
    race(kernel(Form::none));
    SECTION("it waits") { ok(kernel(Form::waits)); }
    SECTION("a block without a wait") { fault(kernel(Form::other_block_alone), FaultKind::async_unfinished); }
    SECTION("an ordinary launch") { ok(kernel(Form::ordinary)); }
    SECTION("an ordinary launch after a chain of dependent ones") { ok(kernel(Form::chain)); }
    SECTION("the last of a chain does not wait") { race(kernel(Form::chain_without)); }
}

TEST_CASE("cn-barrier-init-over-pending-copy")
{
    const auto kernel = [](bool waits_first) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {32}, f32), out = k.output("out", {32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s");
                               const int copied = b.at();
                               b.cta.copy_async(s, in).commit();
                               if (waits_first) b.cta.wait(0);
                               sites = {{copied, b.at()}};
                               b.cta.place_mbarrier(0, 1, s(Interval(0, 2)));
                               if (!waits_first) b.cta.wait(0);
                               b.cta.mbarrier(invalidate(0)).fill(out, 1);
                           });
                       },
                       {{"out", always(1)}}};
    };
    race(kernel(false));
    SECTION("the wait is before the init") { ok(kernel(true)); }
}

TEST_CASE("cn-barrier-storage-reuse")
{
    enum class Use { stores, copies, read };
    const auto kernel = [](Use use, bool invalidates) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {128}, f32), out = k.output("out", {128}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto buffer = b.smem("buffer", {128});
                               if (use == Use::read) b.cta.fill(buffer, 7);
                               const int placed = b.at();
                               b.cta.place_mbarrier(0, 1, buffer(Interval(2, 2)));
                               if (invalidates) b.cta.mbarrier(invalidate(0));
                               sites = {{b.at(), placed}};
                               if (use == Use::read) {
                                   b.cta.copy(out, buffer);
                                   return;
                               }
                               if (use == Use::copies)
                                   b.cta.copy_async(buffer, in).commit().wait(0);
                               else
                                   b.cta.copy(buffer, in);
                               b.cta.sync().copy(out, buffer);
                           });
                       },
                       {{"out", [](std::int64_t i) { return double(i); }}}};
    };
    fault(kernel(Use::stores, false), FaultKind::lifetime);
    SECTION("a read") { fault(kernel(Use::read, false), FaultKind::lifetime); }
    SECTION("a cp.async") { fault(kernel(Use::copies, false), FaultKind::lifetime); }
    SECTION("invalidated before")
    {
        ok(kernel(Use::stores, true));
        ok(kernel(Use::copies, true));
    }
}
