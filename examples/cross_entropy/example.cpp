// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss of a classifier: log Σ exp x − x of the target, for rows that are too long for registers. One pass, the sum rescaled on the way.
#include "../common/bytes.hpp"

#include <limits>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

/// A block goes through its row in pieces. Columns behind the last are −∞, by a comparison of the column's number.
Result<Program, axe::Problem> cross_entropy_program(const Setting& setting)
{
    const std::int64_t M = setting.number("M"), V = setting.number("V");
    const DType type = parse_dtype(setting.word("type")).value_or(f32);
    const std::int64_t vector = 16 / storage_bytes(type), wide = 128 * vector;
    const Layout row{{{4, 1, "warp"}, {32, 1, "lane"}, {vector, 1, "reg"}}, {}, {}};
    const Layout one{{{1, 1, "reg"}}, {{4, 1, "warp"}, {32, 1, "lane"}}, {}};
    const double least = -std::numeric_limits<double>::infinity();
    Kernel k("cross_entropy", setting.machine);
    const auto X = k.input("X", {M, V}, type), target = k.input("target", {M}, i32), loss = k.output("loss", {M}, f32);
    const Formula most = maximum_of(X, 1, keep_dims), sums = log(sum(exp(X - most), 1)) + reshape(most, {M});
    const Formula place = iota({M}, 0) * static_cast<int>(V) + target;
    k.computes(loss, sums - gather(reshape(X, {M * V}), place));
    k.cta(tiles(M, 1), [&](Scope cta, const Tile& t) {
        const auto registers = [&](std::int64_t n, DType of, const Layout& layout, const char* name) {
            return cta.alloc(Role::registers, {n}, of, layout, name);
        };
        const auto x = registers(wide, type, row, "x");
        const auto y = registers(wide, f32, row, "y"), none = registers(wide, f32, row, "none");
        const auto column = registers(wide, i32, row, "column"), end = registers(wide, i32, row, "end");
        const auto top = registers(1, f32, one, "top"), before = registers(1, f32, one, "before");
        const auto total = registers(1, f32, one, "total"), more = registers(1, f32, one, "more"),
                   own = registers(1, f32, one, "own");
        const Affine at = t.index[0], label = cta.index(load(target(at)), 0, V, "label");
        cta.fill(none, least).fill(end, static_cast<double>(V)).fill(top, least).fill(total, 0);
        cta.loop(tiles(V, wide), [&](Interval columns) {
            cta.copy(x, X(at, columns)).copy(y, x);
            cta.iota(column, 0, columns.begin).binary(Function::less, column, column, end).select(y, column, y, none);
            cta.copy(before, top).reduce(Function::max, top(0), y, {0}, true);
            cta.binary(Function::sub, y, y, top(0).repeated(0, wide)).unary(Function::exp, y, y).sum(more(0), y, 0);
            cta.binary(Function::sub, before, before, top).unary(Function::exp, before, before);
            cta.fma(total, total, before, more);
        });
        cta.copy(own, X(at, Interval(label, 1)));
        cta.unary(Function::log, total, total).binary(Function::add, total, total, top).binary(Function::sub, total, total, own);
        cta.copy(loss(Interval(at, 1)), total);
    });
    return k.program();
}

/// Targets in an order of their own, the first and the last column among them.
Result<Bindings, axe::Problem> cross_entropy_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in || !setting.files.path("target").empty()) return in;
    const std::int64_t M = setting.number("M"), V = setting.number("V");
    Array targets = Array::make({M}, i32).value();
    for (std::int64_t i = 0; i < M; ++i) targets.set(i, static_cast<double>((V - 1) * (i + 1) * 7 % V));
    in->set("target", std::move(targets));
    return in;
}

/// Each number is read once, and that of the target again, by each warp: all lanes of the block have it.
Result<Conclusion, axe::Problem> cross_entropy_conclusion(const Setting& setting, const Ending& end)
{
    const std::int64_t M = setting.number("M"), V = setting.number("V");
    const std::int64_t b = storage_bytes(parse_dtype(setting.word("type")).value_or(f32));
    return global_bytes(end.total, M * V * b + M * 128 * b, M * 4);
}

} // namespace

const Example cross_entropy{"cross_entropy",
                            "the loss of a classifier, log Σ exp x less the target's x, in one pass over each row",
                            {{"M", "5", "rows", 1 << 14},
                             {"V", "2501", "columns, of which the target is one", 1 << 17},
                             {"type", "f16", "of X", 0, {"f16", "bf16", "f32"}}},
                            {"sm80", "sm90", "sm100"},
                            {1},
                            cross_entropy_program,
                            cross_entropy_inputs,
                            cross_entropy_conclusion};

} // namespace examples
