// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

/// D = A's four neighbors less four times itself, 0 outside; tiles of 16×16 with a halo of one, which begins `halo` before the tile.
Program stencil(std::int64_t M, std::int64_t N, int halo)
{
    Kernel k("stencil", machines::sm80);
    const auto A = k.input("A", {M, N}, f32), D = k.output("D", {M, N}, f32);
    k.computes(D, shift(A, {-1, 0}) + shift(A, {1, 0}) + shift(A, {0, -1}) + shift(A, {0, 1}) - 4 * A);
    k.cta(tiles({M, N}, {16, 16}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {18, 18}, f32, {}, "a"), d = cta.alloc(Role::shared, {16, 16}, f32, {}, "d");
        const auto four = cta.alloc(Role::shared, {}, f32, {}, "four");
        cta.copy(a, A(Interval(t.rows.begin - halo, 18), Interval(t.cols.begin - 1, 18)).guarded()).fill(four, -4).sync();
        const auto part = [&](std::int64_t i, std::int64_t j) { return a(Interval(i, 16), Interval(j, 16)); };
        cta.binary(Function::add, d, part(0, 1), part(2, 1)).sync();
        cta.binary(Function::add, d, d, part(1, 0)).sync();
        cta.binary(Function::add, d, d, part(1, 2)).sync();
        cta.fma(d, part(1, 1), four.repeated(0, 16).repeated(0, 16), d).sync();
        cta.copy(D(t), d);
    });
    return trial::written(k);
}
Bindings inputs(std::int64_t M, std::int64_t N)
{
    laws::Random random(24);
    Bindings in;
    in.set("A", arrays::random({M, N}, f32, random));
    return in;
}

} // namespace

TEST_CASE("a stencil with a halo, of odd sizes, is what its specification says")
{
    trial::check_right(stencil(37, 21, 1), inputs(37, 21));
    trial::check_right(stencil(1, 1, 1), inputs(1, 1));
}
TEST_CASE("a stencil whose halo begins at the tile is wrong") { trial::check_wrong(stencil(37, 21, 0), inputs(37, 21)); }
