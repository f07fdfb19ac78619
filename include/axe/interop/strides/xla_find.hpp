// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_XLA_FIND_HPP
#define AXE_INTEROP_STRIDES_XLA_FIND_HPP

#include <axe/interop/strides/xla.hpp>
#include <axe/layout/equal.hpp>

namespace axe {
inline namespace v0 {
namespace xla {
namespace detail {

/// The digits of one dimension with weights in [low, high).
struct Part {
    int dim;
    std::int64_t low, high;
};

constexpr Error tile_capacity() noexcept
{
    return Error(errc::capacity, -1, "the tiles that this order of digits needs have more than {0} extents", max_rank);
}

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
    constexpr Status next(Tile& tile) noexcept
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
            if (!open.push_back({open[i].dim, open[i].low, open[i].low * tile[i]})) return tile_capacity();
            open[i].low *= tile[i];
        }
        return {};
    }
};

/// Tiles that combine nothing, into an empty value.
constexpr Status find_tiles(const Layout& layout, const Shape& padded, const Shape& shape, const Axis& axis,
                            TiledLayout& out) noexcept
{
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

    Tiling tiling{*placed, shape};
    for (int d : order) tiling.open.push_back({d, 1, placed->shape[d]});
    for (int i = rank - 1; i >= 0; --i) out.minor_to_major.push_back(order[i]);
    for (; tiling.placed < placed->digits.size(); tiling.first = false) {
        Tile tile;
        if (const Status e = tiling.next(tile); !e.ok()) return e;
        int ones = 0;
        while (ones < tile.size() && tile[ones] == 1) ++ones;
        Tile shorter;
        for (int i = ones; i < tile.size(); ++i) shorter.push_back(tile[i]);
        if (!shorter.empty() && !out.tiles.push_back(shorter))
            return Error(errc::capacity, max_tiles, "the layout needs more than {0} tiles", max_tiles);
        int done = 0; // leading parts of one element stay where they are
        while (done < tiling.open.size() && tiling.open[done].low == tiling.open[done].high) ++done;
        for (int i = done; i < tiling.open.size(); ++i) tiling.open[i - done] = tiling.open[i];
        tiling.open.count -= done;
    }
    return {};
}

/// The dimensions of an array from major to minor, as far as its layout tells: first those of one element, which a tile may pad;
/// neighbors that one digit runs through are one.
struct Physical {
    Layout layout{}; ///< on `shape`
    Shape shape{};
    InlineVector<InlineVector<int, max_rank>, max_rank> dims{}; ///< the dimensions of the array that each of these is
};

constexpr Status find_physical(const Layout& layout, const Shape& shape, Physical& out) noexcept
{
    Shape joined;
    InlineVector<InlineVector<int, max_rank>, max_rank> dims;
    for (int d = 0; d < shape.size(); ++d) {
        (shape[d] == 1 ? out.shape : joined).push_back(shape[d]);
        (shape[d] == 1 ? out.dims : dims).push_back({d});
    }
    while (true) {
        const auto grouped = group(layout, joined);
        if (grouped) {
            const Layout& blocks = grouped->layout;
            InlineVector<int, max_rank> order;
            for (int d = 0; d < joined.size(); ++d) { // by the outermost digit
                int at = order.size();
                const auto stride = [&](int k) { return blocks.shard[grouped->begin(k)].stride; };
                while (at > 0 && stride(order[at - 1]) < stride(d)) --at;
                order.insert(at, d);
            }
            for (const int d : order) {
                out.shape.push_back(joined[d]);
                out.dims.push_back(dims[d]);
                for (int k = grouped->begin(d); k < grouped->end(d); ++k) out.layout.shard.push_back(blocks.shard[k]);
            }
            return {};
        }
        const int d = grouped.error().position;
        if (grouped.code() != errc::not_grouped || d + 1 >= joined.size()) return grouped.error();
        joined[d] *= joined[d + 1]; // a factor of the size, which fits
        axe::detail::append_all(dims[d + 1], dims[d]);
        joined.erase(d + 1);
        dims.erase(d + 1);
    }
}

/// The tiled layout of an array whose dimensions are joined as the bits of `joins` say, if there is one: bit i joins the physical
/// dimension i with the next.
constexpr Status combine_dimensions(const Physical& from, unsigned joins, const Axis& axis, TiledLayout& out) noexcept
{
    Shape merged;
    InlineVector<InlineVector<int, max_rank>, max_rank> dims;
    for (int i = 0; i < from.shape.size(); ++i) {
        if (i > 0 && (joins >> (i - 1) & 1U) != 0) {
            merged.back() *= from.shape[i];
            axe::detail::append_all(from.dims[i], dims.back());
        } else {
            merged.push_back(from.shape[i]);
            dims.push_back(from.dims[i]);
        }
    }
    TiledLayout plain;
    if (const Status e = find_tiles(from.layout, merged, merged, axis, plain); !e.ok()) return e;
    const int count = merged.size(), tiled = plain.tiles.empty() ? 0 : plain.tiles[0].size();
    Tile tile;
    InlineVector<int, max_rank> order; // of the dimensions, major to minor
    bool room = true;
    for (int place = 0; place < count; ++place) {
        const auto& here = dims[plain.minor_to_major[count - 1 - place]];
        axe::detail::append_all(here, order);
        if (here.size() == 1 && tile.empty() && place < count - tiled) continue; // outside of the tile
        for (int k = 1; k < here.size(); ++k) room = tile.push_back(combine) && room;
        room = tile.push_back(place < count - tiled ? 1 : plain.tiles[0][place - (count - tiled)]) && room;
    }
    if (!room) return tile_capacity();
    for (int i = order.size() - 1; i >= 0; --i) out.minor_to_major.push_back(order[i]);
    if (!tile.empty()) out.tiles.push_back(tile);
    for (int t = 1; t < plain.tiles.size(); ++t) out.tiles.push_back(plain.tiles[t]);
    return {};
}

/// Tiles whose first combines dimensions: the fewest that will do, of arrays of up to 8 dimensions; else `why` nothing was found.
constexpr Status find_combining(const Layout& layout, const Shape& padded, const Shape& shape, const Axis& axis, const Error& why,
                                TiledLayout& out) noexcept
{
    Region valid;
    for (int d = 0; d < shape.size(); ++d) valid.push_back({0, shape[d]});
    const auto elements = slice(layout, padded, valid);
    Physical physical;
    if (!elements || !find_physical(*elements, shape, physical).ok()) return why;
    const int places = physical.shape.size() - 1;
    for (int count = 0; count <= places && places < 8; ++count)
        for (unsigned joins = 0; joins < 1U << places; ++joins) {
            TiledLayout found;
            if (__builtin_popcount(joins) != count || !combine_dimensions(physical, joins, axis, found).ok()) continue;
            const auto back = xla::to_axe(found, shape); // it is what it says: a longer first tile may be in the way of later ones
            if (!back) continue;
            const auto again = slice(back->layout, back->shape, valid);
            const Decision same = again ? equal(*again, *elements) : Decision(false);
            if (same.undecided() || !same) continue;
            out = found;
            return {};
        }
    return why;
}

} // namespace detail

/// XLA's layout of a layout on a padded shape, of which the array has `shape`.
///
///   to_axe(to_tiled(L, P, S), S) is L on P, where L has no gaps
///
/// Exists whenever the layout is compact from address 0 on, gaps being closed by padding at the end of dimensions: tiles bring digits
/// into any order. Where no such padding will do, dimensions that the first tile combines are padded together: then it is L on S.
/// `errc::no_layout` says what no tiling has: another first address, broadcast or negative strides, overlaps, other gaps.
/// `errc::capacity` where it takes more than `max_tiles` tiles. Tiles are found from the outermost digit inwards; a shorter list may
/// do the same. Cost: tiles times digits; where dimensions are combined, that and `to_axe`, for each of at most 2^(dimensions−1) ways.
constexpr Result<TiledLayout> to_tiled(const Layout& layout, const Shape& padded, const Shape& shape,
                                       const Axis& axis = {}) noexcept
{
    Result<TiledLayout> result;
    Status e = axe::detail::check_padding(padded, shape);
    if (e.ok()) {
        e = detail::find_tiles(layout, padded, shape, axis, *result);
        if (e.error().is_none()) e = detail::find_combining(layout, padded, shape, axis, e.error(), *result);
    }
    if (!e.ok()) result = e;
    return result;
}

/// The same for a shape without its own padding.
constexpr Result<TiledLayout> to_tiled(const Layout& layout, const Shape& shape, const Axis& axis = {}) noexcept
{
    return to_tiled(layout, shape, shape, axis);
}

} // namespace xla
} // namespace v0
} // namespace axe

#endif
