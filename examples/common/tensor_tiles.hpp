// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_TENSOR_TILES_HPP
#define AXE_EXAMPLES_TENSOR_TILES_HPP

#include <axe/kernels.hpp>

#include <functional>
#include <numeric>

namespace examples {

/// A product in tiles of 128 rows and `width` columns whose sums are in tensor memory, in two accumulators: one is multiplied into while the
/// other is stored. A block goes down a column of tiles; of a pair of blocks each has 128 rows of the same columns.
struct TensorTiles {
    using Int = std::int64_t;
    static constexpr Int lanes = 128; ///< of tensor memory
    static constexpr int accumulators = 2;

    Int m, n; ///< of all tiles
    Int width;
    Int walk; ///< tiles of a block, below each other
    Int ctas; ///< blocks that multiply together

    [[nodiscard]] bool paired() const { return ctas == 2; }
    /// Tiles of a column, as many as all blocks of a cluster have.
    [[nodiscard]] Int rows() const { return (m + ctas * lanes - 1) / (ctas * lanes) * ctas; }
    [[nodiscard]] Int cols() const { return (n + width - 1) / width; }
    [[nodiscard]] Int blocks() const { return (rows() / ctas + walk - 1) / walk * ctas; } ///< of a column of tiles
    /// Columns that are rounded and stored together: at most 64, so that they fit in registers and in a row of a swizzle.
    [[nodiscard]] Int part() const { return std::gcd(width, Int{64}); }
    /// The ring of the two accumulators, from the agent that multiplies to the four warps of each block that store.
    [[nodiscard]] axe::Pipeline done(int first) const { return {first, accumulators, static_cast<int>(4 * ctas)}; }

    /// All blocks, of `warps` warps each.
    void launch(axe::Kernel& k, const std::function<void(axe::Scope, const axe::Tile&)>& block, int warps) const
    {
        const axe::Tiles grid = axe::tiles({blocks(), cols()}, {1, 1});
        paired() ? k.cta(grid, {{2, 1}}, block, warps) : k.cta(grid, block, warps);
    }
    /// A barrier of the blocks that multiply together.
    void meet(axe::Scope cta) const { paired() ? cta.cluster_sync() : cta.sync(); }
    /// What one agent does for both blocks of a pair, that of the first.
    void by_first(axe::Scope w, const axe::Tile& t, const std::function<void()>& body) const
    {
        if (paired())
            w.when(equals(t.rank, 0), body);
        else
            body();
    }
    /// The tiles of a block, body(tile, rows, i) for each: its turn in `done`, its rows, and how many of the block's there were before.
    void each(axe::Scope w, const axe::Tile& t, const axe::Pipeline& done,
              const std::function<void(const axe::Pipeline::Turn&, const axe::Interval&, const axe::Affine&)>& body) const
    {
        done.loop(w, walk, [&](const axe::Pipeline::Turn& tile, const axe::Affine& i) {
            const axe::Affine row = t.index[0] + i * blocks();
            const auto one = [&] { body(tile, {row * lanes, lanes}, i); };
            if (walk * blocks() == rows())
                one();
            else
                w.when(axe::Expression(row) < static_cast<double>(rows()), one);
        });
    }
    /// Two stages of what is stored, of `part` columns of tiles each; rows of D are columns of tiles where it is `turned`.
    [[nodiscard]] axe::TensorRef staging(axe::Scope cta, axe::DType type, bool turned = false) const
    {
        const axe::Shape one = turned ? axe::Shape{2, part(), lanes} : axe::Shape{2, lanes, part()};
        return cta.alloc(axe::Role::shared, one, type, axe::conflict_free, "out");
    }
    /// Takes the sums of each tile, rounds and stores them: by a tensor map from one of the two stages of `out`, which the agents of
    /// `store` start, or, where no tensor map has rows of D, from registers.
    void store_each(axe::Scope w, const axe::Tile& t, const axe::Pipeline& done, const axe::TensorRef& sums,
                    const axe::TensorRef& out, const axe::AgentRole& store, const axe::TensorRef& D, bool turned = false) const
    {
        using axe::all, axe::Interval, axe::Scope, axe::ViewRef;
        const auto as_tile = [&](const ViewRef& v) { return turned ? v.permuted({1, 0}) : v; };
        const bool by_map = D.shape()[1] % 8 == 0;
        const auto held = w.alloc(axe::Role::registers, {lanes, part()}, axe::DType::f32, axe::accumulator, "part");
        int slot = 0;
        each(w, t, done, [&](const axe::Pipeline::Turn& tile, const Interval& rows, const axe::Affine&) {
            done.wait(w, tile);
            w.tensor_fence_after();
            for (Int first = 0; first < width; first += part()) {
                w.copy_async(held, sums(tile.stage, all, Interval(first, part()))).wait_tensor_loads();
                if (first + part() == width) { // the accumulator may be multiplied into again
                    w.tensor_fence_before();
                    done.release(w, tile);
                }
                const Interval cols(t.index[1] * width + first, part());
                const ViewRef to = turned ? D(cols, rows) : D(rows, cols);
                if (!by_map) {
                    w.copy(as_tile(to), held);
                    continue;
                }
                const auto staged = out(slot++ % 2, all, all);
                w.role(store, [&](Scope one) { one.wait_sources(1); }); // what was there before has been read
                w.sync();
                w.copy(as_tile(staged), held).proxy_fence().sync();
                w.role(store, [&](Scope one) { one.copy_async(to, staged).commit(); });
            }
        });
        if (by_map) w.role(store, [&](Scope one) { one.wait_sources(); });
    }
};

} // namespace examples

#endif
