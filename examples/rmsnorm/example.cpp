// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows divided by the root of their mean square: one row after the other in the lanes of a block, which keeps the weights.
#include "../common/bytes.hpp"

#include <optional>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr double rmsnorm_epsilon = 1e-6;
constexpr int rmsnorm_warps = 4;

/// y = x·rsqrt(mean x² + ε)·gamma; or, of h = x + r, which is stored, h·rsqrt(mean h² + ε)·gamma + beta. Columns behind the last are 0 in registers, which adds nothing to the sum, and are not written.
Result<Program, axe::Problem> rmsnorm_program(const Setting& setting)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N"), together = setting.number("rows");
    const DType type = parse_dtype(setting.word("type")).value_or(f32);
    const bool adds = setting.word("form") == "add_bias";
    // Lanes have 16 bytes after each other, then comes the next lane, then the next warp.
    const std::int64_t vector = 16 / storage_bytes(type), once = rmsnorm_warps * 32 * vector, wide = (N + once - 1) / once * once;
    const Layout row{{{wide / once, vector, "reg"}, {rmsnorm_warps, 1, "warp"}, {32, 1, "lane"}, {vector, 1, "reg"}}, {}, {}};
    const Layout one{{{1, 1, "reg"}}, {{rmsnorm_warps, 1, "warp"}, {32, 1, "lane"}}, {}};
    Kernel k("rmsnorm", setting.machine);
    const auto X = k.input("X", {M, N}, type), gamma = k.input("gamma", {N}, type), Y = k.output("Y", {M, N}, type);
    std::optional<TensorRef> R, beta, H;
    if (adds) R = k.input("R", {M, N}, type), beta = k.input("beta", {N}, type), H = k.output("H", {M, N}, type);
    const Formula x_of = adds ? cast(Formula(X) + *R, type) : Formula(X);
    const Formula normed = x_of * rsqrt(sum(x_of * x_of, 1, keep_dims) / static_cast<double>(N) + rmsnorm_epsilon) * gamma;
    if (adds) k.computes(*H, x_of);
    k.computes(Y, adds ? normed + *beta : normed);
    k.cta(
        tiles(M, together),
        [&](Scope cta, const Tile& t) {
            const auto registers = [&](const Shape& shape, DType of, const Layout& layout, const char* name) {
                return cta.alloc(Role::registers, shape, of, layout, name);
            };
            const auto x = registers({wide}, type, row, "x"), w = registers({wide}, type, row, "w");
            const auto y = registers({wide}, f32, row, "y"), weights = registers({wide}, f32, row, "weights");
            const auto scale = registers({1}, f32, one, "scale"), share = registers({1}, f32, one, "share");
            const auto epsilon = registers({1}, f32, one, "epsilon");
            const Interval columns(0, wide);
            cta.fill(share, 1.0 / static_cast<double>(N)).fill(epsilon, rmsnorm_epsilon);
            cta.copy(w, gamma(columns)).copy(weights, w);
            std::optional<TensorRef> r, b;
            if (adds) r = registers({wide}, type, row, "r"), b = registers({wide}, type, row, "b");
            if (adds) cta.copy(*b, (*beta)(columns));
            cta.loop(0, together, 1, [&](const Affine& i) {
                const Affine at = t.rows.begin + i;
                cta.copy(x, X(at, columns));
                if (adds) cta.copy(*r, (*R)(at, columns)).binary(Function::add, x, x, *r).copy((*H)(at, columns), x);
                cta.copy(y, x);
                cta.binary(Function::mul, y, y, y);
                cta.sum(scale(0), y, 0);
                cta.fma(scale, scale, share, epsilon).unary(Function::rsqrt, scale, scale);
                cta.copy(y, x);
                cta.binary(Function::mul, y, y, scale(0).repeated(0, wide)).binary(Function::mul, y, y, weights);
                if (adds) cta.binary(Function::add, y, y, *b);
                cta.copy(Y(at, columns), y);
            });
        },
        rmsnorm_warps);
    return k.program();
}

/// Each block reads the weights once, and its rows; each row is written once. With an addition, twice as much of each.
Result<Conclusion, axe::Problem> rmsnorm_conclusion(const Setting& setting, const Ending& end)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N"), together = setting.number("rows");
    const std::int64_t row = N * storage_bytes(parse_dtype(setting.word("type")).value_or(f32));
    const std::int64_t times = setting.word("form") == "add_bias" ? 2 : 1;
    return global_bytes(end.total, times * (M + (M + together - 1) / together) * row, times * M * row);
}

} // namespace

const Example rmsnorm{"rmsnorm",
                      "rows divided by the root of their mean square, times weights",
                      {{"M", "37", "rows", 1 << 14},
                       {"N", "301", "columns", 1 << 13},
                       {"rows", "4", "rows of a block", 1 << 10},
                       {"type", "f16", "of X, gamma and Y", 0, {"f16", "bf16", "f32"}},
                       {"form", "plain", "whether R is added before and beta behind", 0, {"plain", "add_bias"}}},
                      {"sm80", "sm90", "sm100"},
                      {1},
                      rmsnorm_program,
                      made_inputs,
                      rmsnorm_conclusion};

} // namespace examples
