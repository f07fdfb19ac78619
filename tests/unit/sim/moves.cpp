// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include "boxes.hpp"

using namespace boxes;
using enum axe::DType;

namespace {

/// Element by element over four warps; each lane takes `vector` of them at once.
std::shared_ptr<const Distribution> distributed(Int n, int vector)
{
    auto out = std::make_shared<Distribution>();
    out->agents = 4;
    out->lanes = 32;
    out->vector = vector;
    for (Int i = 0; i < 128 * vector; ++i) out->element.push_back(static_cast<std::int32_t>(i < n ? i : -1));
    return out;
}
Instruction move(const View& d, const View& a, Int n, int vector = 1)
{
    Instruction out;
    out.opcode = out.text = "move";
    out.agents = 4;
    out.operands = {{d, distributed(n, vector)}, {a, distributed(n, vector)}};
    return out;
}
Layout by_lane(int vector)
{
    Layout out;
    out.shard = {{4, 1, "warp"}, {32, 1, "lane"}, {vector, 1, "reg"}};
    return out;
}
/// A view of the first elements of a tensor of one dimension, under another shape.
View shaped(View v, const Shape& extents)
{
    v.extents = extents;
    v.dims = {};
    v.steps = {};
    Int step = *volume(extents);
    for (int k = 0; k < extents.size(); ++k) {
        step /= extents[k];
        v.dims.push_back(0);
        v.steps.push_back(step);
    }
    return v;
}

} // namespace

TEST_CASE("moves through registers, at origins that a loop moves, in and out of guarded views", "[sim][moves]")
{
    Random r(8);
    for (Int i = 0; i < laws::cases(200); ++i) {
        const DType types[] = {f32, f16, i8, i4, b1};
        const DType type = types[r.in(0, 4)];
        const Shape sa{r.in(1, 12), r.in(1, 12)}, sd{r.in(1, 12), r.in(1, 12)}, box{r.in(1, 8), r.in(1, 12)};
        const Int turns = r.in(1, 4), n = *volume(box);
        Kernel k("moves", machines::sm80);
        const auto a = k.input("A", sa, type, random_layout(r, sa, 1, type, false)),
                   d = k.inout("D", sd, type, random_layout(r, sd, 1, type, false));
        View va = a.view(), vd = d.view();
        va.guarded = vd.guarded = true;
        va.extents = vd.extents = box;
        Int from[2], to[2], step_from[2], step_to[2];
        for (int q = 0; q < 2; ++q) {
            from[q] = r.in(-5, 5), to[q] = r.in(-5, 5);
            step_from[q] = r.in(-2, 3), step_to[q] = r.in(-2, 3);
        }
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto x = cta.alloc("reg", {128}, type, by_lane(1), "x");
            cta.loop(0, turns, 1, [&](const Affine& turn) {
                for (std::size_t q = 0; q < 2; ++q) {
                    va.origin[q] = from[q] + turn * step_from[q];
                    vd.origin[q] = to[q] + turn * step_to[q];
                }
                const View held = shaped(x.view(), box);
                cta.call(move(held, va, n));
                cta.sync();
                cta.call(move(vd, held, n));
                cta.sync();
            });
        });
        Bindings in;
        in.set("A", numbers(sa, type, r)).set("D", numbers(sd, type, r));
        Array expected = in.find("D")->clone().value();
        for (Int turn = 0; turn < turns; ++turn) {
            for (std::size_t q = 0; q < 2; ++q)
                va.origin[q] = from[q] + turn * step_from[q], vd.origin[q] = to[q] + turn * step_to[q];
            for (Int x = 0; x < n; ++x)
                if (const Int there = at(vd, sd, x), here = at(va, sa, x); there >= 0)
                    expected.set(there, here < 0 ? 0 : in.find("A")->at(here));
        }
        const auto full = run(k.program().value(), in), fast = run(k.program().value(), in, sim::Level::fast);
        INFO("case " << i << " " << name(type) << " " << full.fault.text);
        REQUIRE(full.ok());
        REQUIRE(same(*full.outputs.find("D"), expected));
        REQUIRE(same(*fast.outputs.find("D"), expected));
    }
}

TEST_CASE("vectors go through swizzled tiles whose place a loop moves", "[sim][moves]")
{
    Random r(9);
    for (Int i = 0; i < laws::cases(60); ++i) {
        const int vector = 1 << r.in(0, 3);
        const Int rows = 128 * vector / 32, stages = r.in(1, 3), turns = r.in(1, 5);
        const Shape tile{rows, 32}, whole{rows * turns, 32};
        Swizzled<Layout> smem{{2, 4, static_cast<int>(r.in(2, 3))}, "m", 2, {}};
        smem.layout.shard = {{stages * rows * 32, 1, "m"}};
        Kernel k("vectors", machines::sm80);
        const auto a = k.input("A", whole, f16), d = k.output("D", whole, f16);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto x = cta.alloc("reg", {128 * vector}, f16, by_lane(vector), "x");
            const auto s = cta.alloc("smem", {stages, rows, 32}, f16, smem, "s");
            const View held = shaped(x.view(), tile);
            const auto stage_at = [&](const Affine& stage) {
                View v = s.view();
                v.origin[0] = stage;
                v.extents = tile;
                v.dims = {1, 2};
                v.steps = {1, 1};
                return v;
            };
            cta.loop(0, turns, 1, [&](const Affine& turn) {
                View va = a.view(), vd = d.view();
                va.origin[0] = vd.origin[0] = turn * rows;
                va.extents = vd.extents = tile;
                cta.loop(0, stages, 1, [&](const Affine& stage) {
                    cta.call(move(held, va, 128 * vector, vector));
                    cta.call(move(stage_at(stage), held, 128 * vector, vector));
                    cta.sync();
                    cta.call(move(held, stage_at(stage), 128 * vector, vector));
                    cta.call(move(vd, held, 128 * vector, vector));
                    cta.sync();
                });
            });
        });
        Bindings in;
        in.set("A", arrays::random(whole, f16, r));
        const auto full = run(k.program().value(), in), fast = run(k.program().value(), in, sim::Level::fast);
        INFO("case " << i << " " << full.fault.text);
        REQUIRE(full.ok());
        REQUIRE(same(*full.outputs.find("D"), *in.find("A")));
        REQUIRE(same(*fast.outputs.find("D"), *in.find("A")));
    }
}

TEST_CASE("devices side by side give the same on any number of threads", "[sim][moves]")
{
    constexpr int devices = 5;
    Kernel k("threads", many(devices));
    Layout parts{{{devices, 1, "gpuid"}, {128, 1, "m"}}, {}, {}}, copied{{{devices * 128, 1, "m"}}, {{devices, 1, "gpuid"}}, {}};
    const auto a = k.input("A", {devices, 128}, f32, parts), b = k.inout("B", {devices, 128}, f32, parts),
               d = k.output("D", {devices, 128}, f32, copied);
    k.cta(tiles(3, 1), [&](Scope cta, const Tile&) {
        const auto x = cta.alloc("reg", {128}, f32, by_lane(1), "x");
        View va = a.view(), vb = b.view();
        va.origin[0] = vb.origin[0] = k.device();
        va.extents = vb.extents = {128};
        va.dims = vb.dims = {1};
        va.steps = vb.steps = {1};
        cta.call(move(x.view(), va, 128));
        Instruction add;
        add.opcode = add.text = "atomic";
        add.function = Function::add;
        add.agents = 4;
        add.operands = {{vb, distributed(128, 1)}, {x.view(), distributed(128, 1)}};
        cta.call(add);
    });
    k.sync();
    k.call(instruction("peer_copy", {d.view(), b.view()}, {0}));
    k.sync();
    const Program p = k.program().value();
    Random r(10);
    Bindings in;
    in.set("A", arrays::random({devices, 128}, f32, r)).set("B", arrays::random({devices, 128}, f32, r));
    const auto one = run(p, in);
    REQUIRE(one.ok());
    for (const int threads : {2, 4, 9}) {
        const auto more = run(p, in, sim::Level::full, threads);
        REQUIRE(more.ok());
        REQUIRE(same(*one.outputs.find("D"), *more.outputs.find("D")));
        REQUIRE(one.total == more.total);
    }
    REQUIRE(one.total.link_bytes == devices * (devices - 1) * 128 * 4);
}
