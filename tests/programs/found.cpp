// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/programs/trial.hpp>

/// The smallest of the programs that random ones found wrong.

using namespace axe;
using enum DType;
using programs::Fate;

namespace {

/// Lowered, run and held against the reference; what went wrong, if anything.
void check_right(const Kernel& kernel)
{
    const auto program = kernel.program();
    REQUIRE(program);
    laws::Random r(1);
    const auto trial = programs::attempt(*program, programs::random_inputs(*program, r, 1));
    INFO(trial.text);
    CHECK(trial.fate == Fate::right);
}

} // namespace

TEST_CASE("a product of fewer tiles than warps: warps without a tile do not issue")
{
    for (const int warps : {2, 3, 5}) {
        INFO(warps << " warps");
        Kernel k("gemm", machines::sm80);
        const auto a = k.input("A", {16, 16}, f16), b = k.input("B", {16, 8}, f16);
        const auto d = k.output("D", {16, 8}, f32);
        k.cta(
            tiles(d, {16, 8}),
            [&](Scope cta, const Tile& t) {
                const auto here = cta.alloc(Role::shared, {16, 8}, f16, conflict_free);
                const auto acc = cta.alloc(Role::accumulator, {16, 8}, f32, accumulator);
                cta.copy(here, b).sync();
                cta.gemm(acc, a, here, {.accumulate = false});
                cta.copy(d(t), acc);
            },
            warps);
        check_right(k);
    }
}

TEST_CASE("a reduction into a memory, from registers that several lanes have, is added once")
{
    Kernel k("reduce", machines::sm80);
    const auto a = k.input("A", {3, 16}, f32);
    const auto d = k.inout("D", {16}, f32);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            const auto r =
                cta.alloc(Role::registers, {3, 16}, f32, Layout{{{3, 1, "reg"}, {16, 1, "lane"}}, {{2, 16, "lane"}}, {}});
            const auto s = cta.alloc(Role::shared, {16}, f32);
            cta.copy(r, a).copy(s, d).sync();
            cta.reduce(Function::add, s, r, {0}, true).sync();
            cta.copy(d, s);
        },
        1);
    check_right(k);
}

TEST_CASE("x = x + r where several lanes have r: who stores x has read it, and no agent else does")
{
    Kernel k("map", machines::sm80);
    const auto a = k.input("A", {8}, f32);
    const auto d = k.inout("D", {8}, f32);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            const auto r = cta.alloc(Role::registers, {8}, f32, Layout{{{8, 1, "lane"}}, {{2, 8, "lane"}, {2, 1, "warp"}}, {}});
            const auto s = cta.alloc(Role::shared, {8}, f32);
            cta.copy(r, a).copy(s, d).sync();
            cta.binary(Function::add, s, s, r).sync();
            cta.copy(d, s);
        },
        2);
    check_right(k);
}
