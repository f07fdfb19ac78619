// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp-specialized product on Blackwell, by single blocks or by pairs of blocks: one warp brings tiles by tensor maps through a ring of
// stages, one multiplies them into tensor memory, and a warpgroup rounds the sums of a tile and stores them while the next tile is
// multiplied. Of a pair each block has its rows of A and half of B, one multiplies for both, and each stores its rows.
#include "../common/example.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;
using Int = std::int64_t;

constexpr Int tensor_rows = 128;  ///< the lanes of tensor memory
constexpr Int step_of_depth = 64; ///< 128 bytes, the widest row that a swizzle has
constexpr int accumulators = 2;   ///< one is multiplied into while the other is stored

struct Extents {
    Int m, n, k, tile_n;
    int stages;
    Int walk; ///< tiles of a block, below each other
    Int ctas; ///< blocks that multiply together
    /// Tiles of a column, as many as all blocks of a cluster have.
    [[nodiscard]] Int rows() const { return (m + ctas * tensor_rows - 1) / (ctas * tensor_rows) * ctas; }
    [[nodiscard]] Int cols() const { return (n + tile_n - 1) / tile_n; }
    [[nodiscard]] Int blocks() const { return (rows() / ctas + walk - 1) / walk * ctas; } ///< of a column of tiles
    [[nodiscard]] Int steps() const { return (k + step_of_depth - 1) / step_of_depth; }
    /// Columns that are rounded and stored together: at most 64, so that they fit in registers and in a row of a swizzle.
    [[nodiscard]] Int part() const
    {
        Int p = 64;
        while (tile_n % p != 0) p /= 2;
        return p;
    }
};

/// D = A·Bᵀ, f16 summed in f32, rounded once.
Result<Program, axe::Problem> gemm_sm100_program(const Setting& setting)
{
    Extents z{setting.number("M"),
              setting.number("N"),
              setting.number("K"),
              setting.number("tile_n"),
              static_cast<int>(setting.number("stages")),
              setting.number("walk"),
              1};
    const bool fits = z.m > tensor_rows && z.tile_n % 16 == 0; // rows for a second block, and equal parts of B
    if (setting.word("ctas") == "2" || (setting.word("ctas") == "fitting" && fits)) z.ctas = 2;
    if (z.k % 8 != 0)
        return Problem(errc::bad_argument, "gemm_sm100: K is " + std::to_string(z.k) +
                                               ", not a multiple of 8: a tensor map's rows are of multiples of 16 bytes");
    if (z.tile_n % (8 * z.ctas) != 0)
        return Problem(errc::bad_argument,
                       "gemm_sm100: tile_n is " + std::to_string(z.tile_n) + ", not a multiple of " + std::to_string(8 * z.ctas));
    const bool paired = z.ctas == 2;

    Kernel k("gemm_sm100", setting.machine);
    const auto A = k.input("A", {z.m, z.k}, f16), B = k.input("B", {z.n, z.k}, f16), D = k.output("D", {z.m, z.n}, f16);
    k.computes(D, cast(matmul(A, B, {.transpose_b = true}), f16));

    const Axis warp{"warp"};
    const AgentRole epilogue{"epilogue", Layout{{{4, 1, warp}}}}, store = epilogue.part(0, 1, "store");
    const AgentRole producer{"producer", Layout{{}, {}, {{warp, 4}}}}, multiplier{"multiplier", Layout{{}, {}, {{warp, 5}}}};

    const auto block = [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {z.stages, tensor_rows, step_of_depth}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {z.stages, z.tile_n / z.ctas, step_of_depth}, f16, conflict_free, "b");
        const auto out = cta.alloc(Role::shared, {2, tensor_rows, z.part()}, f16, conflict_free, "out");
        const auto sums = cta.alloc("tmem", {accumulators, tensor_rows, z.tile_n}, f32, accumulator, "sums");
        Pipeline ring(0, z.stages, 1);                                           // from the producers to the multiplier
        Pipeline done(2 * z.stages, accumulators, static_cast<int>(4 * z.ctas)); // from it to the warps of the epilogues
        if (paired) ring = ring.of_pair(t.rank), done = done.of_pair(t.rank);
        cta.role(producer, [&](Scope w) {
            ring.init(w);
            done.init(w);
        });
        const auto meet = [&] { paired ? cta.cluster_sync() : cta.sync(); };
        meet();

        // Tiles of this block: a stage of `done` for each, its rows, and how often the ring has been gone through before.
        const Interval cols(t.index[1] * z.tile_n + t.rank * (z.tile_n / z.ctas), z.tile_n / z.ctas); // rows of B
        const auto walk = [&](Scope w, const std::function<void(const Pipeline::Turn&, const Interval&, const Affine&)>& body) {
            done.loop(w, z.walk, [&](const Pipeline::Turn& tile, const Affine& i) {
                const Affine row = t.index[0] + i * z.blocks();
                const auto one = [&] { body(tile, {row * tensor_rows, tensor_rows}, i); };
                if (z.walk * z.blocks() == z.rows())
                    one();
                else
                    w.when(Expression(row) < static_cast<double>(z.rows()), one);
            });
        };
        cta.role(producer, [&](Scope w) {
            walk(w, [&](const Pipeline::Turn&, const Interval& rows, const Affine& i) {
                ring.loop(w, z.steps(), i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    const Interval s(step * step_of_depth, step_of_depth);
                    ring.load(w, turn, {{a(turn.stage, all, all), A(rows, s)}, {b(turn.stage, all, all), B(cols, s)}});
                });
            });
        });
        const auto multiplies = [&](Scope w) {
            walk(w, [&](const Pipeline::Turn& tile, const Interval&, const Affine& i) {
                done.wait_empty(w, tile);
                w.tensor_fence_after();
                ring.loop(w, z.steps(), i, [&](const Pipeline::Turn& turn, const Affine& step) {
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
        cta.role(multiplier, [&](Scope w) {
            if (paired) // the first block for both
                w.when(equals(t.rank, 0), [&] { multiplies(w); });
            else
                multiplies(w);
        });
        cta.role(epilogue, [&](Scope w) {
            const auto part = w.alloc(Role::registers, {tensor_rows, z.part()}, f32, accumulator, "part");
            int slot = 0;
            walk(w, [&](const Pipeline::Turn& tile, const Interval& rows, const Affine&) {
                done.wait(w, tile);
                w.tensor_fence_after();
                for (Int first = 0; first < z.tile_n; first += z.part()) {
                    w.copy_async(part, sums(tile.stage, all, Interval(first, z.part()))).wait_tensor_loads();
                    if (first + z.part() == z.tile_n) { // the accumulator may be multiplied into again
                        w.tensor_fence_before();
                        done.release(w, tile);
                    }
                    const auto to = D(rows, Interval(t.index[1] * z.tile_n + first, z.part()));
                    if (z.n % 8 != 0) { // rows of D that no tensor map has
                        w.copy(to, part);
                        continue;
                    }
                    const auto staged = out(slot++ % 2, all, all);
                    w.role(store, [&](Scope one) { one.wait_sources(1); }); // what was there before has been read
                    w.sync();
                    w.copy(staged, part).proxy_fence().sync();
                    w.role(store, [&](Scope one) { one.copy_async(to, staged).commit(); });
                }
            });
            if (z.n % 8 == 0) w.role(store, [&](Scope one) { one.wait_sources(); });
        });
        if (paired) meet(); // neither block ends while the other one uses its memory
    };
    const Tiles grid = tiles({z.blocks(), z.cols()}, {1, 1});
    paired ? k.cta(grid, {{2, 1}}, block, 6) : k.cta(grid, block, 6);
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
