// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// Bulk copies from shared to global memory, their groups, and proxy fences.
namespace {

using namespace races;

} // namespace

TEST_CASE("cn-fence-across-agents")
{
    enum Fence { none, producer, late_producer, consumer };
    const auto kernel = [](Fence fence) {
        return Variant{[fence](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {128, 32}, f32);
                           block(k, 2, [&](Block& b) {
                               const auto s = b.smem("s", {128, 32});
                               b.set_up({1});
                               int stored = -1;
                               b.agent(0, [&](Scope w) {
                                   stored = b.at();
                                   w.fill(s, 42);
                                   if (fence == producer) w.proxy_fence();
                                   w.mbarrier(arrive(0));
                                   if (fence == late_producer) w.proxy_fence();
                               });
                               b.agent(1, [&](Scope w) {
                                   w.mbarrier(wait_for(0));
                                   if (fence == consumer) w.proxy_fence();
                                   sites = {{stored, store(k, w, out, s)}};
                                   w.wait(0);
                               });
                           });
                       },
                       {{"out", always(42)}}};
    };
    fault(kernel(none), FaultKind::proxy);
    SECTION("the producer fences before it arrives") { ok(kernel(producer)); }
    SECTION("the consumer fences after its wait") { ok(kernel(consumer)); }
    SECTION("the producer fences after it has arrived") { fault(kernel(late_producer), FaultKind::proxy); }
}

TEST_CASE("cn-fence-read-then-async-read")
{
    const auto kernel = [](bool fence) {
        return Variant{[fence](Kernel& k, Sites&) {
                           const auto out = k.output("out", {2, 32}, f32);
                           block(k, 3, [&](Block& b) {
                               const auto s = b.smem("s");
                               b.agent(0, [&](Scope w) { w.fill(s, 42).proxy_fence(); });
                               b.cta.sync();
                               b.agent(2, [&](Scope w) { w.copy(out(0, all), s); });
                               b.cta.sync();
                               b.agent(0, [&](Scope w) {
                                   if (fence) w.proxy_fence();
                                   store(k, w, out(1, all), s);
                                   w.wait(0);
                               });
                           });
                       },
                       {{"out", always(42)}}};
    };
    // The row: missing_fence. "Decided here": a generic read before an asynchronous read is never a fault.
    ok(kernel(false));
    SECTION("with the fence") { ok(kernel(true)); }
}

TEST_CASE("cn-join-async-peer")
{
    const auto kernel = [](bool by_agent) {
        return Variant{[by_agent](Kernel& k, Sites&) {
                           const auto out = k.output("out", {32}, f32);
                           block(k, 3, [&](Block& b) {
                               const auto s = b.smem("s");
                               b.agent(2, [&](Scope w) {
                                   w.fill(s, 42);
                                   if (by_agent) w.proxy_fence();
                               });
                               b.cta.sync();
                               b.agent(0, [&](Scope w) {
                                   if (!by_agent) w.proxy_fence();
                                   store(k, w, out, s);
                                   w.wait(0);
                               });
                           });
                       },
                       {{"out", always(42)}}};
    };
    ok(kernel(true));
    SECTION("the parent fences after the join") { ok(kernel(false)); }
    SECTION("no asynchronous access at all")
    {
        ok({[](Kernel& k, Sites&) {
                const auto out = k.output("out", {32}, f32);
                block(k, 3, [&](Block& b) {
                    const auto s = b.smem("s");
                    b.agent(2, [&](Scope w) { w.fill(s, 42); });
                    b.cta.sync();
                    b.agent(0, [&](Scope w) { w.copy(out, s); });
                });
            },
            {{"out", always(42)}}});
    }
}

TEST_CASE("cs-tma-store-pending")
{
    const auto kernel = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {2, 32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s", {2, 32});
                               b.written_before({s});
                               b.agent(0, [&](Scope w) {
                                   store(k, w, out(0, all), s(0, all));
                                   const int second = store(k, w, out(1, all), s(1, all));
                                   w.wait(1);
                                   w.fill(s(0, all), 42);
                                   if (waits) w.wait(0);
                                   sites = {{second, b.at()}};
                                   w.fill(s(1, all), 42);
                                   w.wait(0);
                               });
                           });
                       },
                       {{"out", always(7)}}};
    };
    race(kernel(false));
    SECTION("all groups are waited for between the stores") { ok(kernel(true)); }
}

TEST_CASE("jax-store-then-tma-store-nofence")
{
    // fences: bit 0 before (1), bit 1 between (1) and (2), bit 2 between (2) and (3)
    const auto kernel = [](int fences) {
        return Variant{[fences](Kernel& k, Sites& sites) {
                           const auto g = k.output("g", {32}, f32), out = k.output("out", {32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s");
                               b.agent(0, [&](Scope w) {
                                   if ((fences & 1) != 0) w.proxy_fence();
                                   const int stored = b.at();
                                   w.fill(s, 42);
                                   if ((fences & 2) != 0) w.proxy_fence();
                                   sites = {{stored, store(k, w, g, s)}};
                                   if ((fences & 4) != 0) w.proxy_fence();
                                   w.wait(0);
                                   w.copy(out, g);
                               });
                           });
                       },
                       {{"out", always(42)}, {"g", always(42)}}};
    };
    fault(kernel(0), FaultKind::proxy);
    SECTION("a fence between (1) and (2)") { ok(kernel(2)); }
    SECTION("fences only elsewhere")
    {
        for (const int fences : {1, 4, 5}) fault(kernel(fences), FaultKind::proxy);
    }
}

TEST_CASE("jax-tma-store-readwait-smem1")
{
    enum Target { first_source, second_source, first_target, second_target };
    const auto kernel = [](Target target, bool full_wait) {
        return Variant{[target, full_wait](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {2, 32}, f32), out = k.output("out", {2, 32}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s", {2, 32});
                               b.agent(0, [&](Scope w) {
                                   w.copy(s, in).proxy_fence();
                                   const int first = store(k, w, out(0, all), s(0, all)),
                                             second = store(k, w, out(1, all), s(1, all));
                                   w.wait_sources(1);
                                   if (full_wait) w.wait(1);
                                   sites = {{target == first_target ? first : second, b.at()}};
                                   w.fill(target == first_source    ? s(0, all)
                                          : target == second_source ? s(1, all)
                                          : target == first_target  ? out(0, all)
                                                                    : out(1, all),
                                          3);
                                   w.wait_sources(0);
                               });
                           });
                       },
                       target == first_target
                           ? std::map<std::string, Numbers>{{"out", [](std::int64_t i) { return i < 32 ? 3.0 : double(i); }}}
                           : std::map<std::string, Numbers>{{"out", counted}}};
    };
    race(kernel(second_source, false));
    SECTION("the older source is written") { ok(kernel(first_source, false)); }
    SECTION("the newer target is written") { race(kernel(second_target, false)); }
    SECTION("with a wait for the older target, too")
    {
        race(kernel(second_source, true));
        race(kernel(second_target, true));
        ok(kernel(first_target, true));
    }
    SECTION("the older target is written when only the sources are free") { race(kernel(first_target, false)); }
}

TEST_CASE("jax-tma-store-wait-other-agent-smem")
{
    const auto kernel = [](bool source) {
        return Variant{[source](Kernel& k, Sites& sites) {
            const auto out = k.output("out", {32}, f32);
            block(k, 2, [&](Block& b) {
                const auto s = b.smem("s");
                b.written_before({s});
                b.set_up({1, 1});
                int started = -1;
                b.agent(0, [&](Scope w) {
                    started = store(k, w, out, s);
                    w.mbarrier(arrive(0)).mbarrier(wait_for(1)).wait(0);
                });
                b.agent(1, [&](Scope w) {
                    w.mbarrier(wait_for(0)).wait(0);
                    sites = {{started, b.at()}};
                    w.fill(source ? ViewRef(s) : ViewRef(out), 43);
                    w.mbarrier(arrive(1));
                });
            });
        }};
    };
    race(kernel(true));
    SECTION("agent 1 stores to the target") { race(kernel(false)); }
}

TEST_CASE("jax-tma-store-waited-then-handoff")
{
    ok({[](Kernel& k, Sites&) {
            const auto g = k.output("g", {32}, f32), out = k.output("out", {32}, f32);
            block(k, 2, [&](Block& b) {
                const auto s = b.smem("s");
                b.set_up({1});
                b.agent(0, [&](Scope w) {
                    w.fill(s, 42).proxy_fence();
                    store(k, w, g, s);
                    w.wait(0).mbarrier(arrive(0));
                });
                b.agent(1, [&](Scope w) { w.mbarrier(wait_for(0)).copy(out, g); });
            });
        },
        {{"g", always(42)}, {"out", always(42)}}});
}

TEST_CASE("jax-two-tma-stores-same-gmem")
{
    race({[](Kernel& k, Sites& sites) {
        const auto g = k.output("g", {32}, f32);
        block(k, 1, [&](Block& b) {
            const auto s = b.smem("s", {2, 32});
            b.written_before({s});
            b.agent(0, [&](Scope w) {
                w.proxy_fence();
                const int first = store(k, w, g, s(0, all)), second = store(k, w, g, s(0, all));
                sites = {{first, second}};
                w.wait(0);
            });
        });
    }});
}
