// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows divided by the root of their mean square: one row after the other in the lanes of a block, which keeps the weights.
#include "../common/bytes.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr double rmsnorm_epsilon = 1e-6;
constexpr int rmsnorm_warps = 4;

/// y = x·rsqrt(mean x² + ε)·gamma. Columns behind the last are 0 in registers, which adds nothing to the sum, and are not written.
Result<Program, axe::Problem> rmsnorm_program(const Setting& setting)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N"), together = setting.number("rows");
    const DType type = parse_dtype(setting.word("type")).value_or(f32);
    // Lanes have 16 bytes after each other, then comes the next lane, then the next warp.
    const std::int64_t vector = 16 / storage_bytes(type), once = rmsnorm_warps * 32 * vector, wide = (N + once - 1) / once * once;
    const Layout row{{{wide / once, vector, "reg"}, {rmsnorm_warps, 1, "warp"}, {32, 1, "lane"}, {vector, 1, "reg"}}, {}, {}};
    const Layout one{{{1, 1, "reg"}}, {{rmsnorm_warps, 1, "warp"}, {32, 1, "lane"}}, {}};
    Kernel k("rmsnorm", setting.machine);
    const auto X = k.input("X", {M, N}, type), gamma = k.input("gamma", {N}, type), Y = k.output("Y", {M, N}, type);
    const Formula squares = sum(X * X, 1, keep_dims);
    k.computes(Y, X * rsqrt(squares / static_cast<double>(N) + rmsnorm_epsilon) * gamma);
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
            cta.loop(0, together, 1, [&](const Affine& i) {
                const Affine at = t.rows.begin + i;
                cta.copy(x, X(at, columns)).copy(y, x);
                cta.binary(Function::mul, y, y, y);
                cta.sum(scale(0), y, 0);
                cta.fma(scale, scale, share, epsilon).unary(Function::rsqrt, scale, scale);
                cta.copy(y, x);
                cta.binary(Function::mul, y, y, scale(0).repeated(0, wide)).binary(Function::mul, y, y, weights);
                cta.copy(Y(at, columns), y);
            });
        },
        rmsnorm_warps);
    return k.program();
}

/// Each block reads the weights once, and its rows; each row is written once.
Result<Conclusion, axe::Problem> rmsnorm_conclusion(const Setting& setting, const Ending& end)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N"), together = setting.number("rows");
    const std::int64_t row = N * storage_bytes(parse_dtype(setting.word("type")).value_or(f32));
    return global_bytes(end.total, (M + (M + together - 1) / together) * row, M * row);
}

} // namespace

const Example rmsnorm{"rmsnorm",
                      "rows divided by the root of their mean square, times weights",
                      {{"M", "37", "rows", 1 << 14},
                       {"N", "301", "columns", 1 << 13},
                       {"rows", "4", "rows of a block", 1 << 10},
                       {"type", "f16", "of X, gamma and Y", 0, {"f16", "bf16", "f32"}}},
                      {"sm80", "sm90", "sm100"},
                      {1},
                      rmsnorm_program,
                      made_inputs,
                      rmsnorm_conclusion};

} // namespace examples
