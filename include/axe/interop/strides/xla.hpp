// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_XLA_HPP
#define AXE_INTEROP_STRIDES_XLA_HPP

#include <axe/interop/strides/padded.hpp>
#include <axe/interop/strides/xla_cut.hpp>
#include <axe/layout/compose.hpp>
#include <axe/layout/slice.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace xla {
namespace detail {
constexpr Result<Padded> lay_out_any(const TiledLayout& tiled, const Shape& shape, const Axis& axis) noexcept;

} // namespace detail

namespace detail {

constexpr Error order_rank(std::int64_t order, std::int64_t rank) noexcept
{
    return Error(errc::rank_mismatch, -1, "minor_to_major has {0} dimensions, the shape {1}", order, rank);
}

} // namespace detail

/// The layout of an array.      [openxla/xla, docs/tiled_layout.md]
///
/// The physical dimensions, major to minor, are those of `minor_to_major` read backwards. A tile (t_k, …, t_1) is applied to the k most
/// minor of them: `*` merges a dimension with the next more minor one, each of the others is padded to a multiple of its t,
///   e ↦ (⌊e/t⌋, e mod t),
/// and the remainders become the new most minor dimensions, in order. The next tile is applied to what that gives. In the end all
/// dimensions are row-major.
///
/// The padding rule is XLA's: a dimension is rounded up to a multiple of its tile, and the padding is at its end; where a later
/// tile overruns a digit inside, the gap is in memory alone. `errc::no_layout` when a tile, or one that combines dimensions, cuts
/// where no digit of a dimension ends (`merge` may help with the latter). `errc::rank_mismatch` when a tile has more extents than
/// there are dimensions; `errc::capacity`, `errc::overflow`. Cost: tiles times digits.
constexpr Result<Padded> to_axe(const TiledLayout& tiled, const Shape& shape, const Axis& axis = {}) noexcept
{
    if (const Status e = check(tiled); !e.ok()) return e;
    const auto v = volume(shape);
    if (!v) return v.error();
    const int rank = shape.size();
    if (tiled.minor_to_major.size() != rank) return detail::order_rank(tiled.minor_to_major.size(), rank);

    return detail::lay_out_any(tiled, shape, axis);
}

/// An array seen with the dimensions that its first tile combines as one.
struct Merged {
    TiledLayout layout{};
    Shape shape{}; ///< of the physical dimensions, major to minor
};

/// The same array on fewer dimensions, in which nothing is combined by the first tile:
///   F32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}  is  F32[112,110]{1,0:T(2,3)}
///
/// The merged dimensions are in physical order, and element c of the old shape is the row-major element of the new one, physical
/// dimension by physical dimension. Exists always; errors as for `to_axe`.
constexpr Result<Merged> merge(const TiledLayout& tiled, const Shape& shape) noexcept
{
    if (const Status e = check(tiled); !e.ok()) return e;
    if (const auto v = volume(shape); !v) return v.error();
    const int rank = shape.size();
    if (tiled.minor_to_major.size() != rank) return detail::order_rank(tiled.minor_to_major.size(), rank);
    Result<Merged> result(Merged{tiled, {}});
    Merged& out = *result;
    const int outside = tiled.tiles.empty() ? rank : rank - tiled.tiles[0].size();
    if (outside < 0) return axe::detail::tile_rank(0, tiled.tiles[0].size(), rank);
    Tile tile;
    std::int64_t extent = 1; // the volume fits, so do its parts
    for (int i = 0; i < rank; ++i) {
        extent *= shape[tiled.minor_to_major[rank - 1 - i]];
        if (i >= outside && tiled.tiles[0][i - outside] == combine) continue;
        if (i >= outside) tile.push_back(tiled.tiles[0][i - outside]);
        out.shape.push_back(extent);
        extent = 1;
    }
    if (!tiled.tiles.empty()) out.layout.tiles[0] = tile;
    out.layout.minor_to_major.clear();
    for (int d = out.shape.size() - 1; d >= 0; --d) out.layout.minor_to_major.push_back(d);
    return result;
}

namespace detail {

/// `to_axe` of a checked layout and shape, digit by digit.
constexpr Result<Padded> lay_out(const TiledLayout& tiled, const Shape& shape, const Axis& axis) noexcept
{
    Cutting cutting;
    const int rank = shape.size();
    for (int d = 0; d < rank; ++d) cutting.pieces.push_back({shape[d], shape[d], shape[d], 0, -1, d});
    for (int i = rank - 1; i >= 0; --i) {
        cutting.entries.push_back({});
        cutting.entries.back().add(tiled.minor_to_major[i]);
    }
    for (int t = 0; t < tiled.tiles.size(); ++t)
        if (const Status e = cutting.apply(tiled.tiles[t], t); !e.ok()) return e;

    Result<Padded> result;
    Padded& out = *result;
    for (int i = cutting.entries.size() - 1; i >= 0; --i)
        for (int k = cutting.entries[i].count - 1; k >= 0; --k) {
            Piece& p = cutting.pieces[cutting.entries[i].pieces[k]];
            p.stride = out.elements;
            if (!axe::detail::mul(out.elements, p.room, out.elements)) return axe::detail::padded_elements_overflow();
        }
    if (const Status e = cutting.mend(); !e.ok()) return e;
    for (int d = 0; d < rank; ++d) {
        std::int64_t padded = 1;
        for (int p = d; p >= 0; p = cutting.pieces[p].inner) {
            const Piece& piece = cutting.pieces[p];
            if (!axe::detail::mul(padded, piece.extent, padded)) return axe::detail::padded_dimension_overflows(d);
            if (!axe::detail::append(out.layout.shard, piece.extent, piece.stride, axis))
                return axe::detail::shard_capacity<Layout>();
        }
        out.shape.push_back(padded);
        out.valid.push_back({0, shape[d]});
    }
    // A buffer is as long as its tail says.
    if (out.elements % tiled.tail_padding != 0 &&
        !axe::detail::mul(out.elements / tiled.tail_padding + 1, tiled.tail_padding, out.elements))
        return axe::detail::padded_elements_overflow();
    if (const Status e = axe::check(out.layout); !e.ok()) return e;
    return result;
}

/// The bounds of the physical dimensions after the first `count` tiles, for which `lay_out` has an answer.
constexpr Result<Shape> bounds_after(const TiledLayout& tiled, const Shape& shape, int count) noexcept
{
    Result<Shape> result;
    for (int i = shape.size() - 1; i >= 0; --i) result->push_back(shape[tiled.minor_to_major[i]]);
    for (int t = 0; t < count; ++t) {
        Shape next, inner;
        const Tile& tile = tiled.tiles[t];
        std::int64_t extent = 1;
        for (int i = 0; i < result->size(); ++i) {
            const int k = i - (result->size() - tile.size());
            extent *= (*result)[i];
            if (k >= 0 && tile[k] == combine) continue;
            bool room = next.push_back(k >= 0 ? (extent - 1) / tile[k] + 1 : extent);
            if (k >= 0) room = inner.push_back(tile[k]) && room;
            if (!room) return cut_capacity();
            extent = 1;
        }
        if (!axe::detail::append_all(inner, next)) return cut_capacity();
        *result = next;
    }
    return result;
}

/// The same where tile t combines dimensions and cuts across them: what the tiles from t on make of the array that the tiles before
/// it made, after those.  L = B ∘ A,  A the address after t tiles, B that of the merged dimensions.
constexpr Result<Padded> lay_out_at(const TiledLayout& tiled, const Shape& shape, int t, const Axis& axis) noexcept
{
    TiledLayout before = tiled, after;
    while (before.tiles.size() > t) before.tiles.pop_back();
    before.tail_padding = 1;
    const auto a = lay_out(before, shape, axis);
    if (!a) return a;
    const auto bounds = bounds_after(tiled, shape, t);
    if (!bounds) return bounds.error();
    for (int d = bounds->size() - 1; d >= 0; --d) after.minor_to_major.push_back(d);
    for (int i = t; i < tiled.tiles.size(); ++i) after.tiles.push_back(tiled.tiles[i]);
    after.tail_padding = tiled.tail_padding;
    const auto merged = merge(after, *bounds);
    if (!merged) return merged.error();
    const auto b = lay_out_any(merged->layout, merged->shape, axis); // one star fewer
    if (!b) return b;
    const auto inner = slice(a->layout, a->shape, a->valid);
    if (!inner) return inner.error();
    const auto outer = slice(b->layout, b->shape, b->valid);
    if (!outer) return outer.error();
    const auto both = compose(*outer, *inner, axis);
    if (!both) return both.error();
    return Padded{*both, shape, a->valid, b->elements};
}

/// Digit by digit, or tile by tile where dimensions are combined.
constexpr Result<Padded> lay_out_any(const TiledLayout& tiled, const Shape& shape, const Axis& axis) noexcept
{
    const auto result = lay_out(tiled, shape, axis);
    if (result.code() != errc::no_layout) return result;
    for (int t = 0; t < tiled.tiles.size(); ++t)
        for (const std::int64_t n : tiled.tiles[t])
            if (n == combine) {
                const auto composed = lay_out_at(tiled, shape, t, axis);
                if (composed) return composed;
                break;
            }
    return result;
}

} // namespace detail

} // namespace xla
} // namespace v0
} // namespace axe

#endif
