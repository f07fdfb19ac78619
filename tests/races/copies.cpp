// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// Copies that lanes start (cp.async), in groups of each agent.
namespace {

using namespace races;

} // namespace

TEST_CASE("cs-cp-async-twice")
{
    const auto kernel = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {128}, f32), out = k.output("out", {128}, f32);
                           block(k, 4, [&](Block& b) {
                               const auto s = b.smem("s", {128});
                               sites = {{b.at(), -1}};
                               b.cta.copy_async(s, in, single).commit();
                               if (waits) b.cta.wait(0);
                               sites[0].second = b.at();
                               b.cta.copy_async(s, in, single).commit().wait(0).sync();
                               b.cta.copy(out, s);
                           });
                       },
                       {{"out", counted}}};
    };
    race(kernel(false));
    SECTION("the first is waited for") { ok(kernel(true)); }
}

TEST_CASE("cs-ws-cp-async-own-groups")
{
    const auto kernel = [](bool own) {
        return Variant{[own](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {10, 32}, f32), out = k.output("out", {2, 9, 32}, f32);
                           block(k, 2, [&](Block& b) {
                               const auto s = b.smem("s", {4, 32});
                               b.written_before({s}); // agent 1 may read the other agent's slots first
                               std::vector<int> copied, read;
                               for (int a = 0; a < 2; ++a)
                                   b.agent(a, [&](Scope w) {
                                       const int mine = 2 * a, taken = own ? mine : 0;
                                       const auto start = [&](int i) {
                                           if (a == 0) copied.push_back(b.at());
                                           w.copy_async(s(mine + i % 2, all), in(i, all), single).commit();
                                       };
                                       start(0);
                                       for (int i = 1; i < 10; ++i) {
                                           if (i < 9) start(i);
                                           w.wait(i < 9 ? 1 : 0);
                                           if (a == 1) read.push_back(b.at());
                                           w.copy(out(a, i - 1, all), s(taken + (i - 1) % 2, all), single);
                                           // The copy into a slot follows the reads of it by all lanes.
                                           w.sync();
                                       }
                                       if (a == 0) copied.push_back(b.at());
                                       w.fill(s(mine, all), 0);
                                   });
                               for (const int one : copied)
                                   for (const int other : read) sites.emplace_back(one, other);
                           });
                       },
                       {{"out", [](std::int64_t i) { return double(i % (9 * 32)); }}}};
    };
    race(kernel(false));
    SECTION("each agent reads its own buffers") { ok(kernel(true)); }
}

TEST_CASE("cs-ws-cp-async-partial")
{
    const auto kernel = [](int read) {
        return Variant{[read](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {2, 32}, f32), out = k.output("out", {32}, f32);
                           block(k, 2, [&](Block& b) {
                               const auto s = b.smem("s", {2, 32});
                               b.set_up({1});
                               int second = -1;
                               b.agent(0, [&](Scope w) {
                                   w.copy_async(s(0, all), in(0, all)).commit();
                                   second = b.at();
                                   w.copy_async(s(1, all), in(1, all)).commit().wait(1).mbarrier(arrive(0)).wait(0);
                               });
                               b.agent(1, [&](Scope w) {
                                   w.mbarrier(wait_for(0));
                                   sites = {{second, b.at()}};
                                   w.copy(out, s(read, all));
                               });
                           });
                       },
                       {{"out", counted}}};
    };
    race(kernel(1));
    SECTION("the slot is read that was waited for") { ok(kernel(0)); }
}
