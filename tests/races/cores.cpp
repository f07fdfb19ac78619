// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// Rows of TPUs, on machines that are here: cores are warps of a block, VMEM is shared memory, a DMA is a bulk copy, its semaphore an
/// mbarrier, a regular semaphore another one.
namespace {

using namespace races;

/// One of the machines, with several devices.
Machine devices(int count)
{
    Machine m = machines::sm90;
    m.scopes[0].count = count;
    return m;
}

} // namespace

TEST_CASE("tpu-dma-read-early")
{
    const auto kernel = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto x = k.input("x", {8, 128}, f32), out = k.output("out", {8, 128}, f32),
                                      y = k.input("y", {8, 128}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto t = b.smem("t", {8, 128});
                               b.set_up({1});
                               b.agent(0, [&](Scope w) {
                                   const int copied = load(k, w, t, x, 0);
                                   if (waits) w.mbarrier(wait_for(0));
                                   sites = {{copied, b.at()}};
                                   w.binary(Function::add, out, t, y);
                                   if (!waits) w.mbarrier(wait_for(0));
                               });
                           });
                       },
                       {{"out", [](std::int64_t i) { return 2 * double(i); }}}};
    };
    race(kernel(false));
    SECTION("the wait is before the read") { ok(kernel(true)); }
    // A DMA of Trainium that goes on by itself, until commit and wait.
    const auto trainium = [](bool waits) {
        return Variant{[waits](Kernel& k, Sites& sites) {
                           const auto x = k.input("x", {8, 128}, f32), out = k.output("out", {8, 128}, f32);
                           one_block(k, 4, [&](Scope core) {
                               const auto box = [&](const char* opcode, const std::vector<ViewRef>& views, int engine) {
                                   std::vector<Access> whole;
                                   for (const ViewRef& v : views) whole.push_back({v.view(), nullptr});
                                   return instruction(opcode, std::move(whole), 1, engine);
                               };
                               const Layout rows = "(8,128):(1@P,1@F)"_axe;
                               const auto t = core.alloc("sbuf", {8, 128}, f32, rows, "t"),
                                          o = core.alloc("sbuf", {8, 128}, f32, rows, "o");
                               Instruction dma = box("dma", {t, x}, 3);
                               dma.async = true;
                               const int brought = next(k);
                               core.call(dma);
                               if (waits) core.commit().wait(0).sync();
                               sites = {{next(k), brought}};
                               core.call(box("engine_map", {o, t}, 1));
                               if (!waits) core.commit().wait(0);
                               core.sync();
                               core.call(box("dma", {out, o}, 3));
                           });
                       },
                       {{"out", counted}},
                       machines::trn1,
                       true};
    };
    SECTION("of Trainium, waited for") { ok(trainium(true)); }
    SECTION("of Trainium, not waited for") { fault(trainium(false), FaultKind::race); }
}

TEST_CASE("tpu-oob-write")
{
    const auto kernel = [](int first, int count, int rows) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto x = k.input("x", {8, 128}, f32), out = k.output("out", {8, 128}, f32);
                           block(k, 1, [&](Block& b) {
                               const auto s = b.smem("s", {rows, 128});
                               const Interval box(first, count);
                               sites = {{b.at(), -1}};
                               b.cta.copy(s(box, all).guarded(false), x(Interval(0, count), all));
                               b.cta.copy(out(Interval(0, count), all), s(box, all).guarded(false));
                               if (count < 8) b.cta.copy(out(Interval(count, 8 - count), all), x(Interval(count, 8 - count), all));
                           });
                       },
                       {{"out", counted}}};
    };
    fault(kernel(10, 1, 10), FaultKind::out_of_bounds);
    SECTION("eight rows from the fourth") { fault(kernel(4, 8, 10), FaultKind::out_of_bounds); }
    SECTION("within") { ok(kernel(9, 1, 10)), ok(kernel(2, 8, 10)); }
}

TEST_CASE("tpu-fault-must-not-hang")
{
    fault({[](Kernel& k, Sites& sites) {
              const auto x = k.input("x", {8, 128}, f32), out = k.output("out", {8, 128}, f32);
              block(k, 2, [&](Block& b) {
                  const auto v = b.smem("v", {8, 128});
                  b.written_before({v});
                  b.set_up({1});
                  b.agent(0, [&](Scope w) { w.mbarrier(wait_for(0)).copy(out, x); });
                  b.agent(1, [&](Scope w) {
                      sites = {{b.at(), -1}};
                      w.copy(out(Interval(0, 1), Interval(0, 1)), v(Interval(100, 1), Interval(0, 1)).guarded(false))
                          .mbarrier(arrive(0));
                  });
              });
          }},
          FaultKind::out_of_bounds);
    SECTION("devices in a ring, of which one reads out of bounds before they meet")
    {
        fault({[](Kernel& k, Sites& sites) {
                   const auto x = k.input("x", {8}, f32, "8:1@m + [4:1@gpuid]"_axe);
                   const auto out = k.output("out", {4, 32}, f32, "(4,32):(1@gpuid,1@m)"_axe);
                   for (int device = 0; device < 4; ++device)
                       k.devices(device, 1, [&](Scope) {
                           block(k, 1, [&](Block& b) {
                               if (device == 0) sites = {{b.at(), -1}};
                               b.cta.copy(out(device, Interval(0, 1)), x(Interval(device == 0 ? 100 : 0, 1)).guarded(false));
                           });
                       });
                   k.sync();
                   block(k, 1, [&](Block& b) { b.cta.fill(out(k.device(), all), 0); });
               },
               {},
               devices(4)},
              FaultKind::out_of_bounds);
    }
}

TEST_CASE("tpu-core-barrier")
{
    for (const int cores : {1, 2, 4}) {
        INFO(cores << " cores");
        ok({[cores](Kernel& k, Sites&) {
                const auto x = k.input("x", {cores, 32}, f32), y = k.output("y", {cores, 32}, f32);
                block(k, cores, [&](Block& b) {
                    const auto in = b.smem("a", {cores, 32}), out = b.smem("b", {cores, 32});
                    std::vector<int> arrivals(static_cast<std::size_t>(cores), cores); // of the semaphores
                    arrivals.insert(arrivals.end(), static_cast<std::size_t>(cores), 1);
                    b.set_up(arrivals);
                    for (int c = 0; c < cores; ++c)
                        b.agent(c, [&](Scope w) {
                            for (int other = 0; other < cores; ++other) w.mbarrier(arrive(other));
                            w.mbarrier(wait_for(c));
                            load(k, w, in(c, all), x(c, all), cores + c);
                            w.mbarrier(wait_for(cores + c));
                            w.fill(out(c, all), c + 1).binary(Function::add, out(c, all), out(c, all), in(c, all)).proxy_fence();
                            store(k, w, y(c, all), out(c, all));
                            w.wait(0);
                        });
                });
            },
            {{"y", [](std::int64_t i) { return double(i) + double(i / 32) + 1; }}}});
    }
}

namespace {

/// Two cores bring x to one tile of global memory, by way of their own memory, and from there to a tile of their own.
Variant shared_tile(bool serial, int first)
{
    return {[serial, first](Kernel& k, Sites& sites) {
                const auto x = k.input("x", {32}, f32), z = k.output("z", {2, 32}, f32);
                const auto h = k.alloc(Role::global, {32}, f32, {}, "h");
                block(k, 2, [&](Block& b) {
                    const auto s = b.smem("s", {2, 32});
                    b.set_up({1, 1, 1});
                    int written[2]{}, read[2]{};
                    for (int c = 0; c < 2; ++c)
                        b.agent(c, [&](Scope w) {
                            if (serial && c != first) w.mbarrier(wait_for(2));
                            load(k, w, s(c, all), x, c);
                            w.mbarrier(wait_for(c));
                            written[c] = store(k, w, h, s(c, all));
                            w.wait(0);
                            read[c] = load(k, w, s(c, all), h, c);
                            w.mbarrier(wait_for(c, 1));
                            store(k, w, z(c, all), s(c, all));
                            w.wait(0);
                            if (serial && c == first) w.mbarrier(arrive(2));
                        });
                    sites = {{written[0], written[1]}, {written[0], read[1]}, {written[1], read[0]}};
                });
            },
            {{"z", [](std::int64_t i) { return double(i % 32); }}}};
}

} // namespace

TEST_CASE("tpu-shared-hbm-race") { race(shared_tile(false, 0)); }

TEST_CASE("tpu-shared-hbm-serialised")
{
    ok(shared_tile(true, 0));
    SECTION("the other core first") { ok(shared_tile(true, 1)); }
}
