// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transpose through shared memory, where the layout of the tile is what it costs.
#include "../common/example.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

/// B = Aᵀ, tile by tile: rows in, columns out, so that both meet global memory row by row.
Result<Program, axe::Problem> transpose_program(const Setting& setting)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N");
    const Placement placement = setting.word("tile") == "plain" ? Placement{} : Placement{conflict_free};
    Kernel k("transpose", setting.machine);
    const auto A = k.input("A", {M, N}, f32), B = k.output("B", {N, M}, f32);
    k.computes(B, permute(A, {1, 0}));
    k.cta(tiles(A, {32, 32}), [&](Scope cta, const Tile& t) {
        const auto tile = cta.alloc(Role::shared, {32, 32}, f32, placement, "tile");
        cta.copy(tile, A(t));
        cta.sync();
        cta.copy(B(t.cols, t.rows), tile.permuted({1, 0}));
    });
    return k.program();
}

Result<Conclusion, axe::Problem> transpose_conclusion(const Setting&, const Ending& end)
{
    Conclusion out;
    const auto at = end.total.memories.find("smem");
    if (at == end.total.memories.end()) return out; // no counters, or no banks
    const auto passes = at->second.wavefronts, least = at->second.ideal_wavefronts;
    char text[160];
    std::snprintf(text, sizeof text, "%lld passes over the banks of shared memory, %lld without conflicts: %.2f times as many",
                  static_cast<long long>(passes), static_cast<long long>(least),
                  least == 0 ? 0.0 : static_cast<double>(passes) / static_cast<double>(least));
    out.lines.emplace_back(text);
    return out;
}

} // namespace

const Example transpose{"transpose",
                        "a transpose through shared memory, with and without a swizzle",
                        {{"M", "100", "rows of A", 1 << 14},
                         {"N", "70", "columns of A", 1 << 14},
                         {"tile", "swizzled", "how the tile lies in shared memory", 0, {"swizzled", "plain"}}},
                        {"sm80", "sm90", "cpu"},
                        {1},
                        transpose_program,
                        made_inputs,
                        transpose_conclusion};

} // namespace examples
