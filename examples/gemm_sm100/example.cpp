// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp-specialized product on Blackwell, by single blocks or by pairs of blocks: one warp brings tiles by tensor maps through a ring of
// stages, one multiplies them into tensor memory, and a warpgroup rounds the sums of a tile and stores them while the next tile is
// multiplied. Of a pair each block has its rows of A and half of B, one multiplies for both, and each stores its rows.
#include "../common/example.hpp"
#include "../common/tensor_tiles.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;
using Int = std::int64_t;

constexpr Int step_of_depth = 64; ///< 128 bytes, the widest row that a swizzle has

/// D = A·Bᵀ, f16 summed in f32, rounded once.
Result<Program, axe::Problem> gemm_sm100_program(const Setting& setting)
{
    TensorTiles z{setting.number("M"), setting.number("N"), setting.number("tile_n"), setting.number("walk"), 1};
    const Int depth = setting.number("K"), steps = (depth + step_of_depth - 1) / step_of_depth;
    const int stages = static_cast<int>(setting.number("stages"));
    const bool fits = z.m > z.lanes && z.width % 16 == 0; // rows for a second block, and equal parts of B
    if (setting.word("ctas") == "2" || (setting.word("ctas") == "fitting" && fits)) z.ctas = 2;
    if (depth % 8 != 0)
        return Problem(errc::bad_argument, "gemm_sm100: K is " + std::to_string(depth) +
                                               ", not a multiple of 8: a tensor map's rows are of multiples of 16 bytes");
    if (z.width % (8 * z.ctas) != 0)
        return Problem(errc::bad_argument,
                       "gemm_sm100: tile_n is " + std::to_string(z.width) + ", not a multiple of " + std::to_string(8 * z.ctas));

    Kernel k("gemm_sm100", setting.machine);
    const auto A = k.input("A", {z.m, depth}, f16), B = k.input("B", {z.n, depth}, f16), D = k.output("D", {z.m, z.n}, f16);
    k.computes(D, cast(matmul(A, B, {.transpose_b = true}), f16));

    const Axis warp{"warp"};
    const AgentRole epilogue{"epilogue", Layout{{{4, 1, warp}}}}, store = epilogue.part(0, 1, "store");
    const AgentRole producer{"producer", Layout{{}, {}, {{warp, 4}}}}, multiplier{"multiplier", Layout{{}, {}, {{warp, 5}}}};

    const auto block = [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {stages, z.lanes, step_of_depth}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {stages, z.width / z.ctas, step_of_depth}, f16, conflict_free, "b");
        const auto out = z.staging(cta, f16);
        const auto sums = cta.alloc("tmem", {z.accumulators, z.lanes, z.width}, f32, accumulator, "sums");
        Pipeline ring(0, stages, 1), done = z.done(2 * stages); // to the multiplier, and from it to the warps of the epilogues
        if (z.paired()) ring = ring.of_pair(t.rank), done = done.of_pair(t.rank);
        cta.role(producer, [&](Scope w) {
            ring.init(w);
            done.init(w);
        });
        z.meet(cta);

        // Rows of B. The ring is gone through once for each tile: i times before that one.
        const Interval cols(t.index[1] * z.width + t.rank * (z.width / z.ctas), z.width / z.ctas);
        cta.role(producer, [&](Scope w) {
            z.each(w, t, done, [&](const Pipeline::Turn&, const Interval& rows, const Affine& i) {
                ring.loop(w, steps, i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    const Interval s(step * step_of_depth, step_of_depth);
                    ring.load(w, turn, {{a(turn.stage, all, all), A(rows, s)}, {b(turn.stage, all, all), B(cols, s)}});
                });
            });
        });
        const auto multiplies = [&](Scope w) {
            z.each(w, t, done, [&](const Pipeline::Turn& tile, const Interval&, const Affine& i) {
                done.wait_empty(w, tile);
                w.tensor_fence_after();
                ring.loop(w, steps, i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    ring.wait(w, turn);
                    const auto multiply = [&](bool onto) {
                        w.gemm(sums(tile.stage, all, all), a(turn.stage, all, all), b(turn.stage, all, all),
                               {.accumulate = onto, .transpose_b = true}, ring.releasing(turn));
                    };
                    if (turn.stage == 0)
                        w.when(Expression(step) < 1.0, [&] { multiply(false); }, [&] { multiply(true); });
                    else
                        multiply(true);
                });
                done.commit(w, tile);
            });
        };
        cta.role(multiplier, [&](Scope w) { z.by_first(w, t, [&] { multiplies(w); }); });
        cta.role(epilogue, [&](Scope w) { z.store_each(w, t, done, sums, out, store, D); });
        if (z.paired()) z.meet(cta); // neither block ends while the other one uses its memory
    };
    z.launch(k, block, 6);
    return k.program();
}

} // namespace

const Example gemm_sm100{"gemm_sm100",
                         "a warp-specialized product: tensor map copies, products into tensor memory, an epilogue beside them",
                         {{"M", "600", "rows of A and D", 1 << 17},
                          {"N", "72", "rows of B, columns of D", 1 << 17},
                          {"K", "328", "columns of A and B, a multiple of 8", 1 << 17},
                          {"tile_n", "64", "columns of D that a block has at a time, a multiple of 8", 256},
                          {"stages", "3", "tiles of A and B on their way or in use", 16},
                          {"walk", "5", "tiles of D that a block makes, one after the other", 64},
                          {"ctas", "fitting", "blocks that multiply together", 0, {"fitting", "1", "2"}}},
                         {"sm100"},
                         {1},
                         gemm_sm100_program,
                         made_inputs,
                         nullptr};

} // namespace examples
