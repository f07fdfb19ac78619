// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// Agents that hand tiles over with mbarriers.
namespace {

using namespace races;

} // namespace

TEST_CASE("cs-alias-write-read")
{
    enum Form { early, waits, left };
    const auto kernel = [](Form form) {
        return Variant{[form](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {4, 32}, f32);
                           block(k, 2, [&](Block& b) {
                               const auto s = b.smem("s", {4, 64});
                               b.written_before({s}); // the reader may come first
                               b.set_up({1});
                               int stored = -1;
                               b.agent(0, [&](Scope w) {
                                   stored = b.at();
                                   w.fill(form == left ? s(all, Interval(0, 32)) : ViewRef(s), 42).mbarrier(arrive(0));
                               });
                               b.agent(1, [&](Scope w) {
                                   if (form == waits) w.mbarrier(wait_for(0));
                                   sites = {{stored, b.at()}};
                                   w.copy(out, s(all, Interval(32, 32)));
                               });
                           });
                       },
                       {{"out", always(form == left ? 7 : 42)}}};
    };
    race(kernel(early));
    SECTION("the reader waits") { ok(kernel(waits)); }
    SECTION("the writer stores the left half") { ok(kernel(left)); }
}

TEST_CASE("cs-ws-2prod-2cons")
{
    // bit c: consumer c waits
    const auto kernel = [](int waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {2, 10, 32}, f32), out = k.output("out", {2, 10, 32}, f32);
                           block(k, 4, [&](Block& b) {
                               const auto s = b.smem("s", {4, 32});
                               b.written_before({s}); // a consumer may come first
                               b.set_up({2, 2, 2, 2});
                               b.agent(0, [&](Scope w) {
                                   for (const int id : {2, 2, 3, 3}) w.mbarrier(arrive(id));
                               });
                               b.cta.sync();
                               std::vector<int> stored[2], read[2];
                               for (int p = 0; p < 2; ++p)
                                   b.agent(p, [&](Scope w) {
                                       for (int i = 0; i < 10; ++i) {
                                           w.mbarrier(wait_for(2 + p, i % 2));
                                           stored[p].push_back(b.at());
                                           w.copy(s(p, all), in(p, i, all)).mbarrier(arrive(0));
                                       }
                                   });
                               for (int c = 0; c < 2; ++c)
                                   b.agent(2 + c, [&](Scope w) {
                                       for (int i = 0; i < 10; ++i) {
                                           if ((waits >> c & 1) != 0) w.mbarrier(wait_for(0, i % 2));
                                           read[c].push_back(b.at());
                                           w.copy(out(c, i, all), s(c, all)).mbarrier(arrive(2)).mbarrier(arrive(3));
                                       }
                                   });
                               for (int c = 0; c < 2; ++c)
                                   for (const int one : stored[c])
                                       for (const int other : read[c]) sites.emplace_back(one, other);
                           });
                       },
                       {{"out", counted}}};
    };
    // An arrival for a phase that its agent has not seen begin is a fault of the mbarrier, which comes first where the consumer runs ahead.
    fault(kernel(2), FaultKind::race, {FaultKind::transaction});
    SECTION("both consumers wait") { ok(kernel(3)); }
    SECTION("the other consumer does not wait") { fault(kernel(1), FaultKind::race, {FaultKind::transaction}); }
}

TEST_CASE("cs-ws-load-order")
{
    const auto kernel = [](int read) {
        return Variant{[read](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {10, 32}, f32), out = k.output("out", {10, 32}, f32);
                           block(k, 2, [&](Block& b) {
                               const auto s = b.smem("s", {3, 32});
                               b.written_before({s});
                               b.set_up({1, 1, 1});
                               b.agent(0, [&](Scope w) { w.mbarrier(arrive(2)); });
                               b.cta.sync();
                               std::vector<int> stored, taken;
                               b.agent(0, [&](Scope w) {
                                   for (int i = 0; i < 10; ++i) {
                                       w.mbarrier(wait_for(2, i % 2)).copy(s(0, all), in(i, all)).mbarrier(arrive(0));
                                       stored.push_back(b.at());
                                       w.copy(s(1, all), in(i, all)).mbarrier(arrive(1));
                                   }
                               });
                               b.agent(1, [&](Scope w) {
                                   for (int i = 0; i < 10; ++i) {
                                       w.mbarrier(wait_for(0, i % 2));
                                       taken.push_back(b.at());
                                       w.copy(out(i, all), s(read, all)).mbarrier(wait_for(1, i % 2)).mbarrier(arrive(2));
                                   }
                               });
                               for (const int one : stored)
                                   for (const int other : taken) sites.emplace_back(one, other);
                           });
                       },
                       {{"out", counted}}};
    };
    race(kernel(1));
    SECTION("what is read was handed over") { ok(kernel(0)); }
}

TEST_CASE("cs-ws-store-load")
{
    const auto kernel = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {32}, f32);
                           block(k, 3, [&](Block& b) {
                               const auto s = b.smem("s", {2, 32});
                               b.written_before({s});
                               b.set_up({1, 1});
                               int stored = -1;
                               b.agent(1, [&](Scope w) {
                                   stored = b.at();
                                   w.fill(s(0, all), 42).mbarrier(arrive(0));
                               });
                               b.agent(0, [&](Scope w) {
                                   if (waits) w.mbarrier(wait_for(0));
                                   sites = {{stored, b.at()}};
                                   w.copy(s(1, all), s(0, all)).mbarrier(arrive(1));
                               });
                               b.cta.sync();
                               b.agent(2, [&](Scope w) { w.mbarrier(wait_for(1)).copy(out, s(0, all)); });
                           });
                       },
                       {{"out", always(42)}}};
    };
    race(kernel(false));
    SECTION("agent 0 waits") { ok(kernel(true)); }
}

TEST_CASE("cs-ws-two-readers")
{
    // waited: bit i, agent 2 waits for mbarrier i; warps of the three agents
    const auto kernel = [](int waited, const std::vector<int>& warps) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {3, 256}, f32);
                           block(k, warps[0] + warps[1] + warps[2], [&](Block& b) {
                               const auto s = b.smem("s", {256});
                               b.written_before({s});
                               b.set_up({warps[0], warps[1], warps[2]});
                               int read[2]{}, stored = -1;
                               int first = 0;
                               for (int a = 0; a < 2; ++a) {
                                   b.cta.warps(first, warps[static_cast<std::size_t>(a)], [&](Scope w) {
                                       read[a] = b.at();
                                       w.copy(out(a, all), s, single).mbarrier(arrive(a));
                                   });
                                   first += warps[static_cast<std::size_t>(a)];
                               }
                               b.cta.warps(first, warps[2], [&](Scope w) {
                                   for (int a = 0; a < 2; ++a)
                                       if ((waited >> a & 1) != 0) w.mbarrier(wait_for(a));
                                   stored = b.at();
                                   w.fill(s, 42).mbarrier(arrive(2));
                               });
                               b.cta.sync();
                               b.agent(0, [&](Scope w) { w.mbarrier(wait_for(2)).copy(out(2, all), s); });
                               // An element's history keeps one statement for readers that nothing orders, that of the last: the message has
                               // the right agent, and may have the other reader's statement.
                               sites = {{read[0], stored}, {read[1], stored}};
                           });
                       },
                       {{"out", [](std::int64_t i) { return i < 512 ? 7.0 : 42.0; }}}};
    };
    race(kernel(2, {1, 1, 1}));
    SECTION("the writer waits for both readers") { ok(kernel(3, {1, 1, 1})); }
    SECTION("it waits for the first alone") { race(kernel(1, {1, 1, 1})); }
    SECTION("agents of 4, 2 and 8 warps")
    {
        race(kernel(2, {4, 2, 8}));
        race(kernel(1, {4, 2, 8}));
        ok(kernel(3, {4, 2, 8}));
    }
}

TEST_CASE("jax-serial-accumulate")
{
    const auto kernel = [](bool token) {
        return Variant{[token](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {2, 2, 32}, f32), out = k.output("out", {2, 32}, f32);
                           k.cta(
                               tiles(2, 1),
                               [&](Scope cta, const Tile& t) {
                                   Block b{k, cta};
                                   const auto acc = b.smem("acc");
                                   if (!token) b.written_before({acc});
                                   b.set_up({1, 1});
                                   int added[2]{};
                                   for (int a = 0; a < 2; ++a)
                                       b.agent(a, [&](Scope w) {
                                           if (token && a == 0) w.fill(acc, 7).mbarrier(arrive(0));
                                           if (token) w.mbarrier(wait_for(a));
                                           added[a] = b.at();
                                           w.binary(Function::add, acc, acc, in(t.index[0], a, all));
                                           if (token) w.mbarrier(arrive((a + 1) % 2));
                                           if (token && a == 0) w.mbarrier(wait_for(0, 1)).copy(out(t.index[0], all), acc);
                                       });
                                   if (!token) b.cta.copy(out(t.index[0], all), acc);
                                   // Of several readers at one time the statement of the last one is named.
                                   sites = {{added[0], added[1]}, {added[0], added[0]}, {added[1], added[1]}};
                               },
                               2);
                       },
                       {{"out", [](std::int64_t i) { return 7.0 + double(64 * (i / 32) + i % 32) * 2 + 32; }}}};
    };
    race(kernel(false));
    SECTION("a token goes from agent to agent") { ok(kernel(true)); }
}

TEST_CASE("jax-cluster-smem-private")
{
    // Two blocks; what they do is no different in a cluster.
    ok({[](Kernel& k, Sites&) {
            const auto out = k.output("out", {2, 32}, f32);
            k.cta(
                tiles(2, 1),
                [&](Scope cta, const Tile& t) {
                    Block b{k, cta};
                    const auto s = b.smem("s");
                    for (int a = 0; a < 2; ++a)
                        b.agent(a, [&](Scope w) {
                            w.when(equals(t.index[0], a), [&] { w.fill(s, 42 + a).copy(out(t.index[0], all), s); });
                        });
                },
                2);
        },
        {{"out", [](std::int64_t i) { return i < 32 ? 42.0 : 43.0; }}}});
}
