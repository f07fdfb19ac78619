// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_XLA_FIND_HPP
#define AXE_INTEROP_STRIDES_XLA_FIND_HPP

#include <axe/interop/strides/xla.hpp>

namespace axe {
inline namespace v0 {
namespace xla {
namespace detail {

/// The digits of one dimension with weights in [low, high).
struct Part {
    int dim;
    std::int64_t low, high;
};

/// The search for tiles. Whatever the digits of a compact tensor, tiles bring them into any order: a tile takes the inner part of
/// some physical dimensions to the minor end, and leaves the rest where it is.
struct Tiling {
    const axe::detail::PaddedParts& goal;
    const Shape& shape;                  ///< of the tensor, without padding
    InlineVector<Part, max_rank> open{}; ///< the physical dimensions after those that are as the goal has them
    int placed = 0;                      ///< how many digits of the goal are in place
    bool first = true;

    /// Does a tile of t pad the dimension as the goal has it?
    [[nodiscard]] constexpr bool pads(int dim, std::int64_t tile) const noexcept
    {
        return (shape[dim] - 1) / tile + 1 == goal.shape[dim] / tile;
    }
    /// Is the digit that comes next in memory the highest of the part?
    [[nodiscard]] constexpr bool is_next(const Part& part) const noexcept
    {
        if (placed == goal.digits.size()) return false;
        const auto& d = goal.digits[placed];
        return d.dim == part.dim && d.weight * d.extent == part.high && (!first || pads(d.dim, d.weight));
    }

    /// The extents of the next tile, one for each open part. A part keeps the digit that comes next in memory, and gives its lower
    /// digits, or all of them, away. Where no part has that digit on top, it is brought there.
    constexpr Error next(Tile& tile) noexcept
    {
        bool useful = false;
        for (const Part& part : open) {
            std::int64_t inner = part.high / part.low;
            useful = useful || is_next(part) || (first && !pads(part.dim, 1));
            if (is_next(part)) inner = goal.digits[placed++].weight / part.low;
            tile.push_back(inner);
        }
        if (useful) {
            for (int i = 0; i < open.size(); ++i) open[i].high = open[i].low * tile[i];
            return {};
        }
        const auto& digit = goal.digits[placed];
        const std::int64_t high = digit.weight * digit.extent;
        int at = 0;
        for (int i = 0; i < open.size(); ++i) {
            tile[i] = 1;
            if (open[i].dim == digit.dim && open[i].low <= digit.weight && high < open[i].high) at = i;
        }
        tile[at] = high / open[at].low;
        for (int i = at, end = open.size(); i < end; ++i) {
            if (!open.push_back({open[i].dim, open[i].low, open[i].low * tile[i]}))
                return Error(errc::capacity, -1, "the tiles that this order of digits needs have more than {0} extents", max_rank);
            open[i].low *= tile[i];
        }
        return {};
    }
};

} // namespace detail

/// XLA's layout of a layout on a padded shape, of which the array has `shape`.
///
///   to_axe(to_tiled(L, P, S), S) is L on P, where L has no gaps
///
/// Exists whenever the layout is compact from address 0 on, gaps being closed by padding at the end of dimensions: tiles bring digits
/// into any order. `errc::no_layout` says what no tiling has: another first address, broadcast or negative strides, overlaps, gaps
/// that no padding makes. `errc::capacity` where it takes more than `max_tiles` tiles. Tiles are found from the outermost digit
/// inwards; a shorter list may do the same. Cost: tiles times digits.
constexpr Result<TiledLayout> to_tiled(const Layout& layout, const Shape& padded, const Shape& shape,
                                       const Axis& axis = {}) noexcept
{
    if (const Error e = axe::detail::check_padding(padded, shape)) return e;
    const auto placed = axe::detail::place_digits(layout, padded, axis);
    if (!placed) return placed.error();
    const int rank = shape.size();

    // Major to minor: in order of the outermost digits; a dimension without digits is next to the one before it.
    InlineVector<int, max_rank> order;
    bool seen[max_rank]{};
    for (const auto& digit : placed->digits) {
        if (!seen[digit.dim]) order.push_back(digit.dim);
        seen[digit.dim] = true;
    }
    for (int d = 0; d < rank; ++d) {
        if (seen[d]) continue;
        int at = 0;
        while (d > 0 && at < order.size() && order[at] != d - 1) ++at;
        order.insert(d > 0 ? at + 1 : 0, d);
    }

    Result<TiledLayout> result;
    TiledLayout& out = *result;
    detail::Tiling tiling{*placed, shape};
    for (int d : order) tiling.open.push_back({d, 1, placed->shape[d]});
    for (int i = rank - 1; i >= 0; --i) out.minor_to_major.push_back(order[i]);
    for (; tiling.placed < placed->digits.size(); tiling.first = false) {
        Tile tile;
        if (const Error e = tiling.next(tile)) return e;
        int ones = 0;
        while (ones < tile.size() && tile[ones] == 1) ++ones;
        Tile shorter;
        for (int i = ones; i < tile.size(); ++i) shorter.push_back(tile[i]);
        if (!shorter.empty() && !out.tiles.push_back(shorter))
            return Error(errc::capacity, max_tiles, "the layout takes more than {0} tiles", max_tiles);
        int done = 0; // leading parts of one element stay where they are
        while (done < tiling.open.size() && tiling.open[done].low == tiling.open[done].high) ++done;
        for (int i = done; i < tiling.open.size(); ++i) tiling.open[i - done] = tiling.open[i];
        tiling.open.count -= done;
    }
    return result;
}

/// The same for a shape without padding of its own.
constexpr Result<TiledLayout> to_tiled(const Layout& layout, const Shape& shape, const Axis& axis = {}) noexcept
{
    return to_tiled(layout, shape, shape, axis);
}

} // namespace xla
} // namespace v0
} // namespace axe

#endif
