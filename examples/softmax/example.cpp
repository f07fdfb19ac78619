// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax of rows that lanes share, and whose length is what it is.
#include "../common/example.hpp"

#include <limits>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

/// y = exp(x − max x) / Σ exp(x − max x), a row a warp, two rows after each other. The row is made longer to fill the lanes, by −∞: it
/// is not a maximum, and exp makes 0 of it.
Result<Program, axe::Problem> softmax_program(const Setting& setting)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N"), wide = (N + 127) / 128 * 128;
    // Row 4i + w in warp w; four columns after each other in a lane, then the next lane. What is one number a row is in every lane.
    const Layout tile{{{2, wide / 32, "reg"}, {4, 1, "warp"}, {wide / 128, 4, "reg"}, {32, 1, "lane"}, {4, 1, "reg"}}, {}, {}};
    const Layout column{{{2, 1, "reg"}, {4, 1, "warp"}}, {{32, 1, "lane"}}, {}};
    Kernel k("softmax", setting.machine);
    const auto x = k.input("x", {M, N}, f32), y = k.output("y", {M, N}, f32);
    k.computes(y, axe::softmax(x, 1));
    k.cta(tiles(M, 8), [&](Scope cta, const Tile& t) {
        const auto e = cta.alloc(Role::registers, {8, wide}, f32, tile, "e");
        const auto most = cta.alloc(Role::registers, {8}, f32, column, "most");
        const auto total = cta.alloc(Role::registers, {8}, f32, column, "total");
        const auto there = e(all, Interval(0, N));
        cta.fill(e, -std::numeric_limits<double>::infinity());
        cta.copy(there, x(t.rows, all));
        cta.reduce(Function::max, most, e, {1});
        cta.binary(Function::sub, e, e, most.repeated(1, wide));
        cta.unary(Function::exp, e, e);
        cta.sum(total, e, 1);
        cta.binary(Function::div, e, e, total.repeated(1, wide));
        cta.copy(y(t.rows, all), there);
    });
    return k.program();
}

} // namespace

const Example softmax{"softmax",
                      "softmax of rows, each in the lanes of a warp: maximum, exponentials, sum, quotient",
                      {{"M", "37", "rows", 1 << 14}, {"N", "301", "columns", 1 << 12}},
                      {"sm80", "sm90"},
                      {1},
                      softmax_program,
                      made_inputs,
                      nullptr};

} // namespace examples
