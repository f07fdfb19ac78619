// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp-specialized product on Hopper: one warp brings tiles by tensor maps through a ring of stages, warpgroups multiply them and
// store what they have by tensor maps again. Blocks stay for several tiles of the result.
#include "../common/example.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;
using Int = std::int64_t;

constexpr Int tile_k = 64; ///< 128 bytes, the widest row that a swizzle has

struct Sizes {
    Int m, n, k, tile_m, tile_n;
    int stages;
    Int walk; ///< tiles of a block, below each other
    [[nodiscard]] Int rows() const { return (m + tile_m - 1) / tile_m; }
    [[nodiscard]] Int cols() const { return (n + tile_n - 1) / tile_n; }
    [[nodiscard]] Int blocks() const { return (rows() + walk - 1) / walk; } ///< of a column of tiles
    [[nodiscard]] Int steps() const { return (k + tile_k - 1) / tile_k; }
    [[nodiscard]] int groups() const { return tile_m > 64 ? 2 : 1; } ///< warpgroups that multiply
};

Sizes sizes_of(const Setting& s)
{
    return {s.number("M"),      s.number("N"),
            s.number("K"),      std::stoll(s.word("tile_m")),
            s.number("tile_n"), static_cast<int>(s.number("stages")),
            s.number("walk")};
}

/// D = A·Bᵀ, f16 summed in f32, rounded once.
Result<Program, axe::Problem> gemm_sm90_program(const Setting& setting)
{
    const Sizes z = sizes_of(setting);
    if (z.k % 8 != 0)
        return Problem(errc::bad_argument, "gemm_sm90: K is " + std::to_string(z.k) +
                                               ", not a multiple of 8: a tensor map's rows are of multiples of 16 bytes");
    if (z.tile_n % 8 != 0)
        return Problem(errc::bad_argument, "gemm_sm90: tile_n is " + std::to_string(z.tile_n) + ", not a multiple of 8");

    Kernel k("gemm_sm90", setting.machine);
    const auto A = k.input("A", {z.m, z.k}, f16), B = k.input("B", {z.n, z.k}, f16), D = k.output("D", {z.m, z.n}, f16);
    k.computes(D, cast(matmul(A, B, {.transpose_b = true}), f16));

    // Warps 0 to 3 or 0 to 7 multiply; of the warpgroup after them, one brings the tiles.
    const Axis warpgroup{"warpgroup"}, quarter{"quarter"};
    const AgentRole consumers{"consumers", Layout{{{z.groups(), 1, warpgroup}, {4, 1, quarter}}}};
    const AgentRole producer{"producer", Layout{{}, {}, {{warpgroup, z.groups()}}}}, store = consumers.part(0, 1, "store");

    const auto block = [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {z.stages, z.tile_m, tile_k}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {z.stages, z.tile_n, tile_k}, f16, conflict_free, "b");
        const auto out = cta.alloc(Role::shared, {z.tile_m, z.tile_n}, f16, conflict_free, "out");
        const Pipeline ring(0, z.stages, 4 * z.groups());
        cta.role(producer, [&](Scope w) { ring.init(w); });
        cta.sync();

        // Tiles i = 0, 1, … of this block: rows, and how often the ring has been gone through before.
        const Interval cols(t.index[1] * z.tile_n, z.tile_n);
        const auto walk = [&](Scope w, const std::function<void(const Interval&, const Affine&)>& body) {
            w.loop(0, z.walk, 1, [&](const Affine& i) {
                const Affine row = t.index[0] + i * z.blocks();
                const auto one = [&] { body({row * z.tile_m, z.tile_m}, i); };
                if (z.walk * z.blocks() == z.rows())
                    one();
                else
                    w.when(Expression(row) < static_cast<double>(z.rows()), one);
            });
        };
        cta.role(producer, [&](Scope w) {
            walk(w, [&](const Interval& rows, const Affine& i) {
                ring.loop(w, z.steps(), i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    const Interval s(step * tile_k, tile_k);
                    ring.load(w, turn, {{a(turn.stage, all, all), A(rows, s)}, {b(turn.stage, all, all), B(cols, s)}});
                });
            });
        });
        cta.role(consumers, [&](Scope w) {
            const auto acc = w.alloc(Role::accumulator, {z.tile_m, z.tile_n}, f32, accumulator, "acc");
            walk(w, [&](const Interval& rows, const Affine& i) {
                w.fill(acc, 0);
                ring.loop(w, z.steps(), i, [&](const Pipeline::Turn& turn, const Affine&) {
                    ring.wait(w, turn);
                    w.gemm(acc, a(turn.stage, all, all), b(turn.stage, all, all), {.transpose_b = true}, {.async = true});
                    w.wait_products();
                    ring.release(w, turn);
                });
                if (z.n % 8 != 0) { // rows of D that no tensor map has
                    w.copy(D(rows, cols), acc);
                    return;
                }
                w.role(store, [&](Scope one) { one.wait_sources(); }); // the tile before has been read
                w.sync();
                w.copy(out, acc).proxy_fence().sync();
                w.role(store, [&](Scope one) { one.copy_async(D(rows, cols), out).commit(); });
            });
            if (z.n % 8 == 0) w.role(store, [&](Scope one) { one.wait_sources(); });
        });
    };
    k.cta(tiles({z.blocks(), z.cols()}, {1, 1}), block, 4 * (z.groups() + 1));
    return k.program();
}

} // namespace

const Example gemm_sm90{"gemm_sm90",
                        "a warp-specialized product: a ring of tensor map copies, products of warpgroups",
                        {{"M", "200", "rows of A and D", 1 << 17},
                         {"N", "136", "rows of B, columns of D", 1 << 17},
                         {"K", "328", "columns of A and B, a multiple of 8", 1 << 17},
                         {"tile_m", "64", "rows of D that a block has at a time", 0, {"64", "128", "256"}},
                         {"tile_n", "64", "columns of D that a block has at a time, a multiple of 8", 256},
                         {"stages", "3", "tiles of A and B on their way or in use", 16},
                         {"walk", "2", "tiles of D that a block makes, one after the other", 64}},
                        {"sm90"},
                        {1},
                        gemm_sm90_program,
                        made_inputs,
                        nullptr};

} // namespace examples
