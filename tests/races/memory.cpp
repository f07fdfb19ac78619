// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// Global and shared memory without asynchronous operations.
namespace {

using namespace races;

/// One lane sums `count` elements of s from `first` on.
void sum(Scope w, const ViewRef& total, const ViewRef& s, int first, int count)
{
    w.fill(total, 0);
    w.loop(first, first + count, 1, [&](const Affine& i) { w.binary(Function::add, total, total, s(i)); });
}

} // namespace

TEST_CASE("gs-kernel-boundary")
{
    ok({[](Kernel& k, Sites&) {
            const auto x = k.output("x", {8, 32}, f32), y = k.output("y", {8, 32}, f32);
            k.cta(tiles(8, 1), [&](Scope cta, const Tile& t) { cta.fill(x(t.index[0], all), 3); }, 1);
            k.cta(tiles(8, 1), [&](Scope cta, const Tile& t) { cta.copy(y(t.index[0], all), x(Affine(7) - t.index[0], all)); }, 1);
        },
        {{"x", always(3)}, {"y", always(3)}}});
}

TEST_CASE("jax-shared-gmem-scratch")
{
    race({[](Kernel& k, Sites& sites) {
        const auto out = k.output("out", {2, 16, 128}, f32);
        const auto r = k.alloc(Role::global, {16, 128}, f32, {}, "r");
        block(k, 2, [&](Block& b) {
            int filled[2]{}, read[2]{};
            for (int a = 0; a < 2; ++a)
                b.agent(a, [&](Scope w) {
                    filled[a] = b.at();
                    w.fill(r, a);
                    read[a] = b.at();
                    w.copy(out(a, all, all), r);
                });
            sites = {{filled[0], filled[1]}, {filled[0], read[1]}, {filled[1], read[0]}};
        });
    }});
}

TEST_CASE("jax-two-agents-same-word")
{
    const auto kernel = [](int agents, bool same) {
        return Variant{[agents, same](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {same ? 1 : agents}, f32);
                           block(k, agents, [&](Block& b) {
                               std::vector<int> stored;
                               for (int a = 0; a < agents; ++a)
                                   b.agent(a, [&](Scope w) {
                                       stored.push_back(b.at());
                                       w.fill(out(Interval(same ? 0 : a, 1)), a);
                                   });
                               sites = {{stored.front(), stored.back()}};
                           });
                       },
                       {{"out", counted}}};
    };
    race(kernel(2, true));
    SECTION("each of N agents stores to an element of its own")
    {
        for (int agents = 1; agents <= 16; ++agents) ok(kernel(agents, false));
    }
}

TEST_CASE("nv-barrier-divergence")
{
    // A warp meets as a whole: it is the last warp that has no elements left.
    const auto kernel = [](int missing) {
        return Variant{[missing](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {16}, f32);
                           k.cta(
                               tiles(16, 1),
                               [&](Scope cta, const Tile& t) {
                                   const auto goes = cta.scalar("goes");
                                   for (int a = 0; a < 2; ++a)
                                       cta.warps(a, 1, [&](Scope w) {
                                           w.assign(goes, Expression(t.index[0]) * 64 + 32 * a < 16 * 64 - missing);
                                       });
                                   cta.when(goes, [&] {
                                       sites = {{next(k), -1}};
                                       cta.sync();
                                   });
                                   cta.warps(0, 1, [&](Scope w) { w.fill(out(Interval(t.index[0], 1)), 1); });
                               },
                               2);
                       },
                       {{"out", always(1)}}};
    };
    fault(kernel(32), FaultKind::divergence);
    SECTION("no element is missing") { ok(kernel(0)); }
}

TEST_CASE("nv-block-race")
{
    const auto kernel = [](bool meets) {
        return Variant{[meets](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {128}, f32), out = k.output("out", {1}, f32);
                           block(k, 4, [&](Block& b) {
                               const auto s = b.smem("s", {128});
                               b.written_before({s}); // thread 0 may come first
                               const int written = b.at();
                               b.cta.binary(Function::add, s, in, in);
                               if (meets) b.cta.sync();
                               const int first = b.at();
                               b.agent(0, [&](Scope w) { sum(w, out(0), s, 0, 128); });
                               for (int read = first; read < b.at(); ++read) sites.emplace_back(written, read);
                           });
                       },
                       {{"out", always(127 * 128)}}};
    };
    race(kernel(false));
    SECTION("with a barrier") { ok(kernel(true)); }
}

TEST_CASE("nv-warp-race")
{
    const auto kernel = [](bool meets) {
        return Variant{[meets](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {64}, f32), out = k.output("out", {1}, f32);
                           block(k, 2, [&](Block& b) {
                               const auto s = b.smem("s", {64}), r = b.smem("r", {2});
                               int written = -1;
                               for (int a = 0; a < 2; ++a)
                                   b.agent(a, [&](Scope w) {
                                       written = b.at();
                                       const ViewRef part = in(Interval(32 * a, 32));
                                       w.binary(Function::add, s(Interval(32 * a, 32)), part, part);
                                       if (meets) w.sync();
                                       const int first = b.at();
                                       sum(w, r(a), s, 32 * a, 32);
                                       for (int read = first; read < b.at(); ++read) sites.emplace_back(written, read);
                                   });
                               b.cta.sync();
                               b.agent(0, [&](Scope w) { sum(w, out(0), r, 0, 2); });
                           });
                       },
                       {{"out", always(63 * 64)}}};
    };
    race(kernel(false));
    SECTION("the warp meets") { ok(kernel(true)); }
}

TEST_CASE("nv-uninitialised-gmem")
{
    enum Form { short_fill, whole_fill, outside };
    const auto kernel = [](Form form) {
        return Variant{[form](Kernel& k, Sites& sites) {
                           const auto v = k.output("v", {64}, f32), i = k.input("i", {64}, f32);
                           one_block(k, 1, [&](Scope cta) { cta.fill(v(Interval(0, form == short_fill ? 16 : 64)), 0); });
                           k.cta(
                               tiles(2, 1),
                               [&](Scope cta, const Tile& t) {
                                   const Interval part(t.index[0] * 32 + (form == outside ? 16 : 0), 32);
                                   sites = {{next(k), -1}};
                                   cta.binary(Function::add, v(part).guarded(false), v(part).guarded(false), i(part));
                               },
                               1);
                       },
                       {{"v", counted}}};
    };
    fault(kernel(short_fill), FaultKind::uninitialized);
    SECTION("all of it is zeroed") { ok(kernel(whole_fill)); }
    SECTION("a store outside of the memory") { fault(kernel(outside), FaultKind::out_of_bounds); }
    SECTION("a store that is not aligned")
    {
        // Elements are at multiples of their bytes here: it is a vector that can be off.
        fault({[](Kernel& k, Sites& sites) {
                  const auto in = k.input("in", {68}, f32), out = k.output("out", {32}, f32);
                  block(k, 1, [&](Block& b) {
                      const auto r = b.cta.alloc(Role::registers, {32}, f32, "(8,4):(1@lane,1@reg)"_axe, "r");
                      sites = {{b.at(), -1}};
                      const auto four = [](int, int, int l, int e) { return l < 8 ? 4 * l + e : -1; };
                      b.cta.call(instruction("move", {taken(r, 1, 1, 32, 4, four), taken(in(Interval(1, 32)), 1, 1, 32, 4, four)}));
                      b.cta.copy(out, r);
                  });
              }},
              FaultKind::misaligned);
    }
}

TEST_CASE("tpu-uninitialised")
{
    // Shared memory for VMEM. The last of three outputs is never stored.
    const auto kernel = [](bool writes, bool stores) {
        return Variant{[writes, stores](Kernel& k, Sites& sites) {
            const auto out1 = k.output("out1", {32}, bf16), out2 = k.output("out2", {32}, i16), out3 = k.output("out3", {32}, f32);
            block(k, 1, [&](Block& b) {
                const auto t1 = b.cta.alloc(Role::shared, {32}, bf16, {}, "t1"),
                           t2 = b.cta.alloc(Role::shared, {32}, i16, {}, "t2");
                if (writes) b.cta.fill(t1, 1).fill(t2, 1);
                if (!writes) sites = {{b.at(), -1}};
                b.cta.copy(out1, t1).copy(out2, t2);
                if (stores) b.cta.fill(out3, 1);
            });
        }};
    };
    fault(kernel(false, true), FaultKind::uninitialized);
    SECTION("an output is not stored") { fault(kernel(true, false), FaultKind::uninitialized); }
    SECTION("all is written") { ok(kernel(true, true)); }
}
