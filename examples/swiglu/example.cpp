// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gate of a feed-forward layer: y = g/(1 + exp(−g))·u, where a row of X is g and then u.
#include "../common/bytes.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

/// A tile of rows and columns a block; each lane has a vector of g, and that of u at the same place.
Result<Program, axe::Problem> swiglu_program(const Setting& setting)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N");
    const DType type = parse_dtype(setting.word("type")).value_or(f32);
    const Shape tile{4, 256};
    const Layout lanes{{{4, 1, "warp"}, {32, 1, "lane"}, {8, 1, "reg"}}, {}, {}}; // a row a warp, 8 columns of it a lane
    Kernel k("swiglu", setting.machine);
    const auto X = k.input("X", {M, 2, N}, type), Y = k.output("Y", {M, N}, type);
    const Formula g = reshape(slice(X, 1, 0, 1), {M, N}), u = reshape(slice(X, 1, 1, 1), {M, N});
    k.computes(Y, g / (1.0 + exp(-g)) * u);
    k.cta(tiles(Y, tile), [&](Scope cta, const Tile& t) {
        const auto registers = [&](DType of, const char* name) { return cta.alloc(Role::registers, tile, of, lanes, name); };
        const auto gate = registers(type, "gate"), up = registers(type, "up");
        const auto y = registers(f32, "y"), e = registers(f32, "e"), one = registers(f32, "one"), more = registers(f32, "more");
        cta.copy(gate, X(t.rows, 0, t.cols)).copy(up, X(t.rows, 1, t.cols)).fill(one, 1);
        cta.copy(y, gate).copy(more, up);
        cta.unary(Function::neg, e, y).unary(Function::exp, e, e).binary(Function::add, e, e, one);
        cta.binary(Function::div, y, y, e).binary(Function::mul, y, y, more);
        cta.copy(Y(t), y);
    });
    return k.program();
}

/// Each number of X is read once, each of Y written once.
Result<Conclusion, axe::Problem> swiglu_conclusion(const Setting& setting, const Ending& end)
{
    const std::int64_t numbers = setting.number("M") * setting.number("N");
    const std::int64_t bytes = numbers * storage_bytes(parse_dtype(setting.word("type")).value_or(f32));
    return global_bytes(end.total, 2 * bytes, bytes);
}

} // namespace

const Example swiglu{"swiglu",
                     "the gate of a feed-forward layer: g/(1 + exp(−g))·u",
                     {{"M", "37", "rows", 1 << 14},
                      {"N", "301", "columns of the result", 1 << 14},
                      {"type", "f16", "of X and Y", 0, {"f16", "bf16", "f32"}}},
                     {"sm80", "sm90", "sm100"},
                     {1},
                     swiglu_program,
                     made_inputs,
                     swiglu_conclusion};

} // namespace examples
