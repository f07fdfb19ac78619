// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_MATRIX_LAYOUTS_HPP
#define AXE_SCHEDULE_MATRIX_LAYOUTS_HPP

#include <axe/layout/permute.hpp>
#include <axe/layout/tile.hpp>
#include <axe/layout/untile.hpp>
#include <axe/schedule/element_placement.hpp>
#include <axe/schedule/matrix_atoms.hpp>

/// The layouts of matrix products in registers. A shape here is [batch, M, N]; further dimensions in front are more batch.
namespace axe {
inline namespace v0 {

/// How the agents of a block, and the lanes of each, share a product: rows × columns of them, for each part of the batch.
struct MatrixGrid {
    std::int64_t batch = 1, rows = 1, cols = 1; ///< of agents
    std::int64_t lane_rows = 1, lane_cols = 1;  ///< of lanes in each

    [[nodiscard]] std::int64_t size() const noexcept { return batch * rows * cols * lane_rows * lane_cols; }
    friend bool operator==(const MatrixGrid&, const MatrixGrid&) = default;
};

/// The grid over batch × rows × cols cells that keeps the most members busy and, of those, has each read the least of A and B; all
/// cuts divide. A cell is what the instruction writes, row_weight × col_weight elements.
///
/// Where the cells are fewer than the members, some have nothing to do. Cost: the divisors, some thousand steps.
inline MatrixGrid matrix_grid(const Shape& cells, std::int64_t agents, std::int64_t lanes, std::int64_t row_weight = 1,
                              std::int64_t col_weight = 1)
{
    MatrixGrid best;
    std::int64_t least = -1;
    const auto each_divisor = [](std::int64_t of, std::int64_t most, const auto& visit) {
        for (std::int64_t d = std::min(of, most); d >= 1; --d)
            if (of % d == 0) visit(d);
    };
    each_divisor(cells[0], agents, [&](std::int64_t batch) {
        each_divisor(cells[1], agents / batch, [&](std::int64_t rows) {
            each_divisor(cells[2], agents / batch / rows, [&](std::int64_t cols) {
                each_divisor(cells[1] / rows, lanes, [&](std::int64_t lane_rows) {
                    each_divisor(cells[2] / cols, lanes / lane_rows, [&](std::int64_t lane_cols) {
                        const MatrixGrid g{batch, rows, cols, lane_rows, lane_cols};
                        const std::int64_t reads =
                            cells[0] / batch *
                            (cells[1] / rows / lane_rows * row_weight + cells[2] / cols / lane_cols * col_weight);
                        if (least >= 0 && (g.size() < best.size() || (g.size() == best.size() && reads >= least))) return;
                        best = g;
                        least = reads;
                    });
                });
            });
        });
    });
    return best;
}

namespace detail {

/// [batch, M, N] of a shape of rank 2 or more; empty when there is no such, or too many elements.
inline Shape as_matrices(const Shape& shape)
{
    if (shape.size() < 2 || !volume(shape)) return {};
    std::int64_t batch = 1;
    for (int d = 0; d < shape.size() - 2; ++d) batch *= shape[d];
    return Shape{batch, shape[shape.size() - 2], shape[shape.size() - 1]};
}

/// The axes that a register tensor of a block names. Where a block is one agent, or an agent one lane, no axis counts them.
struct BlockAxes {
    std::optional<Axis> agent{}, lane{};
    Axis reg{};

    explicit BlockAxes(const Machine& machine)
    {
        const BlockScopes scopes = block_scopes(machine);
        if (scopes.agent != nullptr) agent = scopes.agent->axis;
        if (scopes.lane != nullptr) lane = scopes.lane->axis;
        if (const Memory* m = memory_for(machine, Role::registers)) reg = m->axes[m->axes.size() - 1];
    }
};

/// Cell (b, i, j) of the grid: each member holds a box of cells, row-major in its registers; members are numbered row-major.
inline Layout grid_layout(const BlockAxes& axes, const ExecutionScope& place, const MatrixGrid& g, const Shape& cells)
{
    const std::int64_t rows = cells[1] / g.rows / g.lane_rows, cols = cells[2] / g.cols / g.lane_cols;
    Layout out;
    const auto digit = [&](std::int64_t extent, std::int64_t stride, const std::optional<Axis>& axis) {
        if (extent > 1) out.shard.push_back({extent, stride, *axis});
    };
    const auto stride = static_cast<std::int64_t>(place.stride);
    digit(g.batch, g.rows * g.cols * stride, axes.agent);
    digit(cells[0] / g.batch, rows * cols, axes.reg);
    digit(g.rows, g.cols * stride, axes.agent);
    digit(g.lane_rows, g.lane_cols, axes.lane);
    digit(rows, cols, axes.reg);
    digit(g.cols, stride, axes.agent);
    digit(g.lane_cols, 1, axes.lane);
    digit(cols, 1, axes.reg);
    if (place.first != 0 && axes.agent) *out.offset.entry(*axes.agent) = place.first;
    return out;
}

inline std::string matrix_text(const Shape& s) { return std::to_string(s[1]) + " x " + std::to_string(s[2]); }

} // namespace detail

/// The layout of an accumulator whose warps each write a box of the instruction's tiles:
///
///   tile(grid of warps and of repetitions, C of the atom)
///
/// A [128, 128] product of four warps is 2 × 2 warps of 64 × 64. Warps that find no tile have no part. `errc::size_mismatch` when
/// rows or columns are not a multiple of the tile's. Cost: that of `matrix_grid` and `tile`.
inline Result<Layout, Problem> accumulator_layout(const Machine& machine, const ExecutionScope& place, const Shape& shape,
                                                  const MatrixAtom& atom)
{
    const Shape s = detail::as_matrices(shape);
    if (s.empty() || s[1] % atom.m() != 0 || s[2] % atom.n() != 0)
        return Problem(errc::size_mismatch, "{0} writes tiles of {1} x {2}; {3} elements are not a multiple of that",
                       {atom.name(), atom.m(), atom.n(), s.empty() ? std::string("these") : detail::matrix_text(s)});
    const Shape cells{s[0], s[1] / atom.m(), s[2] / atom.n()};
    const detail::BlockAxes axes(machine);
    const MatrixGrid g = matrix_grid(cells, axes.agent ? place.count : 1, 1, atom.m(), atom.n());
    const auto layout = tile(detail::grid_layout(axes, place, g, cells), cells, atom.c.layout(), Shape{1, atom.m(), atom.n()});
    return layout ? Result<Layout, Problem>(*layout) : layout.error();
}

/// The same of [M, N] for instructions that `together` neighbors run as one, of which the first is a multiple of `together`: one of these
/// atoms, the first with which the most of them have a part. Errors and cost as above, for each atom; the caller sees to the place.
inline Result<Layout, Problem> accumulator_layout(const Machine& machine, const ExecutionScope& place, const Shape& shape,
                                                  const std::vector<Atom>& atoms, int together)
{
    const ExecutionScope groups{place.in_block, place.first / together, place.count / together, 1, place.lanes};
    const Atom* best = nullptr;
    MatrixGrid grid;
    for (const Atom& atom : atoms) {
        const std::int64_t m = atom.dims[0], n = atom.dims[1];
        if (shape.size() != 2 || shape[0] % m != 0 || shape[1] % n != 0) continue;
        const MatrixGrid g = matrix_grid(Shape{1, shape[0] / m, shape[1] / n}, groups.count, 1, m, n);
        if (best != nullptr && g.size() <= grid.size()) continue;
        best = &atom;
        grid = g;
    }
    if (best == nullptr)
        return Problem(
            errc::size_mismatch, "no tile of {0} instructions divides {1} elements",
            {atoms.size(), shape.size() == 2 ? detail::matrix_text(Shape{1, shape[0], shape[1]}) : std::string("these")});
    const Shape tiles{best->dims[0], best->dims[1]}, cells{shape[0] / tiles[0], shape[1] / tiles[1]};
    const Layout around = detail::grid_layout(detail::BlockAxes(machine), groups, grid, Shape{1, cells[0], cells[1]});
    const auto layout = tile(around, cells, best->layout(), tiles);
    return layout ? Result<Layout, Problem>(*layout) : layout.error();
}

/// The layout of an accumulator without a matrix instruction: spread over all lanes, a box of rows and columns each.
///
/// Extents whose divisors do not reach the number of lanes leave some without a part. Cost: that of `matrix_grid`.
inline Result<Layout, Problem> spread_layout(const Machine& machine, const ExecutionScope& place, const Shape& shape)
{
    const Shape s = detail::as_matrices(shape);
    if (s.empty()) return Problem(errc::rank_mismatch, "a product has at least 2 dimensions, got {0}", {shape.size()});
    const detail::BlockAxes axes(machine);
    const MatrixGrid g = matrix_grid(s, axes.agent ? place.count : 1, axes.lane ? place.lanes : 1);
    const Layout out = detail::grid_layout(axes, place, g, s);
    const Status e = check(out);
    return !e.ok() ? Result<Layout, Problem>(e) : Result<Layout, Problem>(out);
}

/// Which of a product's operands: A goes with D's rows, B with its columns.
enum class MatrixSide : std::uint8_t { a, b };

/// What each member needs of an operand where D, on [batch, M, N], is placed as it is: [batch, M, depth] of A, [batch, depth, N] of B.
///
/// A member holds row i of A for each row i of D of which it holds an element, so the warps and lanes among which D's columns are
/// shared out hold copies: their digits become replicas. Registers are numbered anew, without gaps, `depth` innermost or outermost.
/// Errors: those of `group` and `check`. Cost: linear in the iters.      [Axe 2.1, replicas]
inline Result<Layout> operand_layout(const Layout& d, const Shape& shape, MatrixSide side, std::int64_t depth, bool depth_innermost,
                                     const Axis& reg)
{
    const auto grouped = group(d, shape);
    if (!grouped) return grouped.error();
    const int kept = side == MatrixSide::a ? 1 : 2;
    std::int64_t held = 1; // registers of one k
    for (int dim : {0, kept})
        for (int i = grouped->begin(dim); i < grouped->end(dim); ++i)
            if (grouped->layout.shard[i].axis == reg) held *= grouped->layout.shard[i].extent;

    Result<Layout> out;
    std::int64_t inner = held;
    const auto keep = [&](int dim) {
        for (int i = grouped->begin(dim); i < grouped->end(dim); ++i) {
            Iter it = grouped->layout.shard[i];
            if (it.axis == reg) {
                inner /= it.extent;
                it.stride = inner * (depth_innermost ? depth : 1);
            }
            out->shard.push_back(it);
        }
    };
    const Iter depths{depth, depth_innermost ? 1 : held, reg};
    keep(0);
    if (side == MatrixSide::b) out->shard.push_back(depths);
    keep(kept);
    if (side == MatrixSide::a) out->shard.push_back(depths);
    const int dropped = 3 - kept;
    for (int i = grouped->begin(dropped); i < grouped->end(dropped); ++i)
        if (!(grouped->layout.shard[i].axis == reg)) out->replica.push_back(grouped->layout.shard[i]);
    for (const Iter& it : grouped->layout.replica)
        if (!(it.axis == reg)) out->replica.push_back(it);
    for (const auto& e : grouped->layout.offset)
        if (!(e.axis == reg)) *out->offset.entry(e.axis) = e.value;
    if (const Status e = check(*out); !e.ok()) return e;
    return out;
}

/// The grid of an accumulator that is made of an atom's tiles:  D = tile(grid, C), on [batch, M/m, N/n].
///
/// Decided exactly, for D however it is written. Errors: those of `untile`.
inline Result<Layout> grid_of_tiles(const Layout& d, const Shape& shape, const Atom& written)
{
    const std::int64_t m = written.dims[0], n = written.dims[1];
    if (shape[1] % m != 0 || shape[2] % n != 0)
        return Error(errc::size_mismatch, -1, "the extents are not multiples of the instruction's");
    return untile(d, shape, written.layout(), Shape{1, m, n});
}
inline Result<Layout> grid_of_tiles(const Layout& d, const Shape& shape, const MatrixAtom& atom)
{
    return grid_of_tiles(d, shape, atom.c);
}

/// The fragments of an operand for `depth` indices k, a multiple of the atom's: tile(operand_layout(grid), A or B of the atom).
inline Result<Layout> fragment_layout(const Layout& grid, const Shape& cells, MatrixSide side, std::int64_t depth,
                                      const MatrixAtom& atom, const Axis& reg)
{
    const bool a = side == MatrixSide::a;
    const std::int64_t steps = depth / atom.k();
    const auto outer = operand_layout(grid, cells, side, steps, true, reg);
    if (!outer) return outer.error();
    return a ? tile(*outer, Shape{cells[0], cells[1], steps}, atom.a.layout(), Shape{1, atom.m(), atom.k()})
             : tile(*outer, Shape{cells[0], steps, cells[2]}, atom.b.layout(), Shape{1, atom.k(), atom.n()});
}

} // namespace v0
} // namespace axe

#endif
