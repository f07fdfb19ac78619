// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// Bulk copies from global to shared memory, and what touches their targets and sources.
namespace {

using namespace races;

} // namespace

TEST_CASE("cs-tma-read-early")
{
    const auto kernel = [](bool early) {
        return Variant{[early](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {4, 32}, f32), out = k.output("out", {4, 32}, f32);
                           k.cta(
                               tiles(4, 1),
                               [&](Scope cta, const Tile& t) {
                                   Block b{k, cta};
                                   const auto s = b.smem("s");
                                   b.set_up({1});
                                   b.agent(0, [&](Scope w) {
                                       const int written = load(k, w, s, in(t.index[0], all), 0);
                                       if (!early) w.mbarrier(wait_for(0));
                                       sites = {{written, b.at()}};
                                       w.copy(out(t.index[0], all), s);
                                       if (early) w.mbarrier(wait_for(0));
                                       w.mbarrier(invalidate(0));
                                   });
                               },
                               1);
                       },
                       {{"out", counted}}};
    };
    race(kernel(true));
    SECTION("the wait is before the read") { ok(kernel(false)); }
}

TEST_CASE("cs-tma-progress")
{
    ok({[](Kernel& k, Sites&) {
            const auto in = k.input("in", {2, 32}, f32), out = k.output("out", {2, 32}, f32);
            block(k, 2, [&](Block& b) {
                const auto s = b.smem("s", {2, 32});
                b.set_up({1, 1});
                for (int i = 0; i < 2; ++i)
                    b.agent(i, [&](Scope w) {
                        load(k, w, s(i, all), in(i, all), i);
                        w.mbarrier(wait_for(i));
                        w.copy(out(i, all), s(i, all));
                    });
            });
        },
        {{"out", counted}}});
}

TEST_CASE("cs-tma-wrong-bytes")
{
    for (const int more : {16, -16}) {
        INFO(more << " bytes more than the copy has are expected");
        fault({[more](Kernel& k, Sites& sites) {
                  const auto in = k.input("in", {32}, f32), out = k.output("out", {32}, f32);
                  block(k, 1, [&](Block& b) {
                      const auto s = b.smem("s");
                      b.set_up({1});
                      b.agent(0, [&](Scope w) {
                          w.mbarrier(expect(0, 128 + more));
                          w.copy_async(s, in, completes_on(0));
                          sites = {{b.at(), -1}};
                          w.mbarrier(wait_for(0));
                          w.copy(out, s);
                      });
                  });
              }},
              FaultKind::deadlock);
    }
}

TEST_CASE("cs-tma-wait-one-of-two")
{
    const auto kernel = [](int read) {
        return Variant{[read](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {2, 32}, f32), out = k.output("out", {32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s", {2, 32});
                               b.set_up({1, 1});
                               b.agent(0, [&](Scope w) {
                                   const int first = load(k, w, s(0, all), in(0, all), 0);
                                   load(k, w, s(1, all), in(1, all), 1);
                                   w.mbarrier(wait_for(1));
                                   sites = {{first, b.at()}};
                                   w.copy(out, s(read, all));
                                   w.mbarrier(wait_for(0));
                               });
                           });
                       },
                       {{"out", [](std::int64_t i) { return 32.0 + double(i); }}}};
    };
    race(kernel(0));
    SECTION("the slot is read whose barrier was waited for") { ok(kernel(1)); }
}

TEST_CASE("cs-tma-interleave")
{
    const auto kernel = [](bool both, bool fence) {
        return Variant{[both, fence](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {2, 32}, f32), out = k.output("out", {2, 32}, f32),
                                      copied = k.output("copied", {32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s", {2, 32});
                               b.set_up({1, 1});
                               b.agent(0, [&](Scope w) {
                                   load(k, w, s(0, all), in(0, all), 0);
                                   const int second = load(k, w, s(1, all), in(1, all), 1);
                                   w.mbarrier(wait_for(0));
                                   if (both) w.mbarrier(wait_for(1));
                                   w.copy(out(0, all), s(0, all));
                                   sites = {{second, b.at()}};
                                   w.copy(out(1, all), s(1, all));
                                   if (fence) w.proxy_fence();
                                   store(k, w, copied, s(0, all));
                                   w.wait(0);
                               });
                           });
                       },
                       {{"out", counted}, {"copied", counted}}};
    };
    race(kernel(false, true));
    SECTION("both are waited for") { ok(kernel(true, true)); }
    // "Decided here": a generic read before an asynchronous read asks for no fence.
    SECTION("without the fence before the store") { ok(kernel(true, false)); }
}

TEST_CASE("cs-tma-overwrite-unwaited")
{
    // wait: for the first copy before the second starts; last: the mbarrier waited for before the read
    const auto kernel = [](bool wait, int last) {
        return Variant{[wait, last](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {2, 32}, f32), out = k.output("out", {32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s");
                               b.set_up({1, 1});
                               b.agent(0, [&](Scope w) {
                                   const int first = load(k, w, s, in(0, all), 0);
                                   if (wait) w.mbarrier(wait_for(0));
                                   const int second = load(k, w, s, in(1, all), 1);
                                   w.mbarrier(wait_for(last));
                                   sites = {{second, b.at()}};
                                   if (!wait) sites = {{first, second}};
                                   w.copy(out, s);
                                   w.mbarrier(wait_for(1));
                               });
                           });
                       },
                       {{"out", [](std::int64_t i) { return 32.0 + double(i); }}}};
    };
    // The row names the read, as its checker takes the copies of one agent to be in order. They are not: that comes first.
    race(kernel(false, 0));
    SECTION("the second mbarrier is waited for: the copies overlap all the same") { race(kernel(false, 1)); }
    SECTION("the first copy is waited for, then the second") { ok(kernel(true, 1)); }
    SECTION("the first copy is waited for twice") { race(kernel(true, 0)); }
}

TEST_CASE("cs-alias-tma-over-store")
{
    const auto kernel = [](bool fence) {
        return Variant{[fence](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {4, 32}, f32), out = k.output("out", {4, 32}, f32);
                           block(k, 2, [&](Block& b) {
                               const auto s = b.smem("s", {4, 64});
                               const auto tail = s(all, Interval(32, 32));
                               b.set_up({1});
                               b.agent(0, [&](Scope w) {
                                   const int stored = b.at();
                                   w.fill(s, 42);
                                   if (fence) w.proxy_fence();
                                   sites = {{stored, load(k, w, tail, in, 0)}};
                               });
                               b.agent(1, [&](Scope w) {
                                   w.mbarrier(wait_for(0));
                                   w.copy(out, tail);
                               });
                           });
                       },
                       {{"out", counted}}};
    };
    ok(kernel(true));
    SECTION("without the fence, which the row's compiler inserts") { fault(kernel(false), FaultKind::proxy); }
}

TEST_CASE("cn-invalidate-pending")
{
    const auto kernel = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {32}, f32), out = k.output("out", {32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s");
                               b.set_up({1});
                               b.agent(0, [&](Scope w) {
                                   const int copied = load(k, w, s, in, 0);
                                   if (waits) w.mbarrier(wait_for(0));
                                   sites = {{b.at(), copied}};
                                   w.mbarrier(invalidate(0));
                                   w.fill(out, 0);
                               });
                           });
                       },
                       {{"out", always(0)}}};
    };
    // A fault of the mbarrier: its bytes have no address here.
    fault(kernel(false), FaultKind::transaction);
    SECTION("the wait is before") { ok(kernel(true)); }
}

TEST_CASE("cn-join-pending-tma")
{
    const auto kernel = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {32}, f32), out = k.output("out", {32}, f32);
                           block(k, 3, [&](Block& b) {
                               const auto s = b.smem("s");
                               b.set_up({1});
                               int copied = -1;
                               b.agent(1, [&](Scope w) {
                                   copied = load(k, w, s, in, 0);
                                   if (waits) w.mbarrier(wait_for(0));
                               });
                               b.cta.sync();
                               b.agent(0, [&](Scope w) {
                                   sites = {{copied, b.at()}};
                                   w.copy(out, s);
                                   w.mbarrier(wait_for(0));
                               });
                           });
                       },
                       {{"out", counted}}};
    };
    race(kernel(false));
    SECTION("the agent waits before it ends") { ok(kernel(true)); }
}

TEST_CASE("jax-2agents-store-tma-nofence")
{
    // fences: bit 0 before (1), bit 1 between (1) and (2), bit 2 after (2), bits 3 to 5 of agent 1 before (4), (5), and after (5)
    const auto kernel = [](int fences) {
        return Variant{[fences](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {32}, f32), out = k.output("out", {32}, f32);
                           const auto fence = [&](Scope w, int place) {
                               if ((fences >> place & 1) != 0) w.proxy_fence();
                           };
                           block(k, 2, [&](Block& b) {
                               const auto s = b.smem("s");
                               b.set_up({1, 1});
                               b.agent(0, [&](Scope w) {
                                   fence(w, 0);
                                   const int stored = b.at();
                                   w.fill(s, 100);
                                   fence(w, 1);
                                   sites = {{stored, load(k, w, s, in, 1)}};
                                   fence(w, 2);
                                   w.mbarrier(arrive(0));
                               });
                               b.agent(1, [&](Scope w) {
                                   fence(w, 3);
                                   w.mbarrier(wait_for(0));
                                   fence(w, 4);
                                   w.mbarrier(wait_for(1));
                                   fence(w, 5);
                                   w.copy(out, s);
                               });
                           });
                       },
                       {{"out", counted}}};
    };
    for (int fences = 0; fences < 64; ++fences) {
        INFO("fences " << fences);
        if ((fences & 2) != 0)
            ok(kernel(fences));
        else
            fault(kernel(fences), FaultKind::proxy);
    }
}

TEST_CASE("jax-tma-load-read-early")
{
    const auto kernel = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {2, 8}, f32), out = k.output("out", {2, 8}, f32);
                           block(k, 2, [&](Block& b) {
                               const auto s = b.smem("s", {2, 8});
                               b.written_before({s}); // else agent 1 may come first, and read what was never written
                               b.set_up({1});
                               int copied = -1;
                               b.agent(0, [&](Scope w) { copied = load(k, w, s, in, 0); });
                               b.agent(1, [&](Scope w) {
                                   if (waits) w.mbarrier(wait_for(0));
                                   sites = {{copied, b.at()}};
                                   w.copy(out, s);
                                   if (!waits) w.mbarrier(wait_for(0));
                               });
                           });
                       },
                       {{"out", counted}}};
    };
    race(kernel(false));
    SECTION("agent 1 waits") { ok(kernel(true)); }
    const auto alone = [](int agents, bool waits) {
        return Variant{[agents, waits](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {agents, 16}, f32), out = k.output("out", {agents, 16}, f32);
                           block(k, agents, [&](Block& b) {
                               const auto s = b.smem("s", {agents, 16});
                               b.set_up(std::vector<int>(static_cast<std::size_t>(agents), 1));
                               for (int i = 0; i < agents; ++i)
                                   b.agent(i, [&](Scope w) {
                                       const int copied = load(k, w, s(i, all), in(i, all), i);
                                       if (waits) w.mbarrier(wait_for(i));
                                       sites.emplace_back(copied, b.at());
                                       w.copy(out(i, all), s(i, all));
                                       if (!waits) w.mbarrier(wait_for(i));
                                   });
                           });
                       },
                       {{"out", counted}}};
    };
    SECTION("a single agent") { race(alone(1, false)), ok(alone(1, true)); }
    SECTION("two agents, each with its own buffer and barrier") { race(alone(2, false)), ok(alone(2, true)); }
}

TEST_CASE("jax-tma-load-then-gmem-store")
{
    const auto kernel = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto g = k.inout("g", {32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s");
                               b.set_up({1});
                               b.agent(0, [&](Scope w) {
                                   const int copied = load(k, w, s, g, 0);
                                   if (waits) w.mbarrier(wait_for(0));
                                   w.proxy_fence();
                                   sites = {{copied, b.at()}};
                                   w.fill(g, 42);
                                   if (!waits) w.mbarrier(wait_for(0));
                               });
                           });
                       },
                       {{"g", always(42)}}};
    };
    race(kernel(false));
    SECTION("the wait is before") { ok(kernel(true)); }
}

TEST_CASE("jax-tma-load-then-store-nowait")
{
    const auto kernel = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto g = k.input("g", {32}, f32), out = k.output("out", {32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s");
                               b.set_up({1});
                               b.agent(0, [&](Scope w) {
                                   const int copied = load(k, w, s, g, 0);
                                   if (waits) w.mbarrier(wait_for(0));
                                   sites = {{copied, b.at()}};
                                   w.fill(s, 42);
                                   w.copy(out, s);
                               });
                           });
                       },
                       {{"out", always(42)}}};
    };
    race(kernel(false));
    SECTION("the wait is before, and no fence") { ok(kernel(true)); }
}

TEST_CASE("jax-two-tma-loads-one-barrier")
{
    const auto kernel = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto g = k.input("g", {2, 32}, f32), out = k.output("out", {32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s", {2, 32});
                               b.set_up({2});
                               b.agent(0, [&](Scope w) {
                                   for (int i = 0; i < 2; ++i) sites.emplace_back(load(k, w, s(i, all), g(i, all), 0), 0);
                                   if (waits) w.mbarrier(wait_for(0));
                                   for (auto& site : sites) site.second = b.at();
                                   w.binary(Function::add, out, s(0, all), s(1, all));
                                   if (!waits) w.mbarrier(wait_for(0));
                               });
                           });
                       },
                       {{"out", [](std::int64_t i) { return 32.0 + 2 * double(i); }}}};
    };
    race(kernel(false));
    SECTION("the wait is before the reads") { ok(kernel(true)); }
}

TEST_CASE("jax-two-tma-loads-two-barriers-same-smem")
{
    race({[](Kernel& k, Sites& sites) {
        const auto g = k.input("g", {2, 32}, f32), out = k.output("out", {32}, f32);
        block(k, 1, [&](Block& b) {
            const auto s = b.smem("s");
            b.set_up({1, 1});
            b.agent(0, [&](Scope w) {
                const int first = load(k, w, s, g(0, all), 0), second = load(k, w, s, g(1, all), 1);
                sites = {{first, second}};
                w.mbarrier(wait_for(0)).mbarrier(wait_for(1));
                w.binary(Function::add, out, g(0, all), g(1, all));
            });
        });
    }});
}

TEST_CASE("jax-cluster-tma-load-same-gmem")
{
    // Two blocks; what they do is no different in a cluster.
    ok({[](Kernel& k, Sites&) {
            const auto g = k.input("g", {32}, f32), out = k.output("out", {2, 32}, f32);
            k.cta(
                tiles(2, 1),
                [&](Scope cta, const Tile& t) {
                    Block b{k, cta};
                    const auto s = b.smem("s");
                    b.set_up({1});
                    b.agent(0, [&](Scope w) {
                        load(k, w, s, g, 0);
                        w.mbarrier(wait_for(0));
                        w.copy(out(t.index[0], all), s);
                    });
                },
                1);
        },
        {{"out", [](std::int64_t i) { return double(i % 32); }}}});
}
