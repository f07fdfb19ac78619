// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

/// Y = (X − mean)·rsqrt(variance + ε)·gamma + beta of rows of N, four rows a block. The kernel divides by `count`.
Program layernorm(std::int64_t M, std::int64_t N, double count)
{
    const double epsilon = 1e-5;
    Kernel k("layernorm", machines::sm80);
    const auto X = k.input("X", {M, N}, f32), gamma = k.input("gamma", {N}, f32), beta = k.input("beta", {N}, f32);
    const auto Y = k.output("Y", {M, N}, f32);
    const Formula centered = X - sum(X, 1, keep_dims) / static_cast<double>(N);
    const Formula variance = sum(centered * centered, 1, keep_dims) / static_cast<double>(N);
    k.computes(Y, centered * rsqrt(variance + epsilon) * gamma + beta);
    k.cta(
        tiles(M, 4),
        [&](Scope cta, const Tile& t) {
            const auto x = cta.alloc(Role::shared, {4, N}, f32, {}, "x"),
                       squares = cta.alloc(Role::shared, {4, N}, f32, {}, "squares");
            const auto row = cta.alloc(Role::shared, {4}, f32, {}, "row"), number = cta.alloc(Role::shared, {}, f32, {}, "number");
            const auto parameters = cta.alloc(Role::shared, {2, N}, f32, {}, "parameters");
            cta.copy(x, X(t.rows, all)).copy(parameters(0, all), gamma).copy(parameters(1, all), beta);
            cta.fill(number, 1 / count).sync();
            cta.sum(row, x, 1).sync();
            cta.binary(Function::mul, row, row, number.repeated(0, 4)).sync();
            cta.binary(Function::sub, x, x, row.repeated(1, N)).sync();
            cta.binary(Function::mul, squares, x, x).sync();
            cta.sum(row, squares, 1).sync();
            cta.binary(Function::mul, row, row, number.repeated(0, 4)).sync();
            cta.fill(number, epsilon).sync();
            cta.binary(Function::add, row, row, number.repeated(0, 4)).sync();
            cta.unary(Function::rsqrt, row, row).sync();
            cta.binary(Function::mul, x, x, row.repeated(1, N)).sync();
            cta.fma(x, x, parameters(0, all).repeated(0, 4), parameters(1, all).repeated(0, 4)).sync();
            cta.copy(Y(t.rows, all), x);
        },
        4);
    return trial::written(k);
}
Bindings inputs(std::int64_t M, std::int64_t N)
{
    laws::Random random(21);
    Bindings in;
    in.set("X", arrays::random({M, N}, f32, random));
    in.set("gamma", arrays::random({N}, f32, random)).set("beta", arrays::random({N}, f32, random));
    return in;
}

} // namespace

TEST_CASE("layernorm of odd rows is what its specification says")
{
    trial::check_right(layernorm(7, 301, 301), inputs(7, 301));
    trial::check_right(layernorm(4, 1, 1), inputs(4, 1));
}
TEST_CASE("layernorm that divides by one less is wrong") { trial::check_wrong(layernorm(7, 301, 300), inputs(7, 301)); }
