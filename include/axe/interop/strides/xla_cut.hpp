// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_XLA_CUT_HPP
#define AXE_INTEROP_STRIDES_XLA_CUT_HPP

#include <axe/interop/strides/xla_text.hpp>
#include <axe/support/errors.hpp>

/// How XLA's tiles cut an array into digits.
namespace axe {
inline namespace v0 {
namespace xla {
namespace detail {

/// A digit of one dimension while tiles cut it.
struct Piece {
    std::int64_t extent; ///< values, padding of the dimension included
    std::int64_t used;   ///< values that elements of the tensor have
    std::int64_t room;   ///< places in memory, extent or more
    std::int64_t stride;
    int inner; ///< the next lower digit of the dimension, −1: none
    int dim;   ///< −1: padding alone
};

/// A digit of `extent` that a tile of `by` cut into pieces `high` and `low` though it does not divide it: no digits, unless the two
/// become adjacent again.
struct Uneven {
    int high, low, tile;
    std::int64_t extent, by;
};

/// A physical dimension: pieces that are one index together, major to minor.
struct Entry {
    std::int8_t pieces[max_rank]; // small, as there are many
    std::int8_t count;

    constexpr void add(int piece) noexcept { pieces[count++] = static_cast<std::int8_t>(piece); }
};

/// The array while tiles are applied to it, as physical dimensions from major to minor.
struct Cutting {
    static constexpr int max_pieces = 112;
    InlineVector<Piece, max_pieces> pieces; ///< the outermost piece of dimension d is piece d
    InlineVector<Entry, max_pieces> entries;
    InlineVector<Uneven, max_tiles * 2> uneven;

    /// Is the piece 0 unless it is the outermost of its dimension that moves? Then it may grow at its end.
    [[nodiscard]] constexpr bool may_grow(int piece) const noexcept
    {
        if (pieces[piece].dim < 0) return false;
        for (int p = pieces[piece].dim; p != piece; p = pieces[p].inner)
            if (pieces[p].used > 1) return false;
        return true;
    }

    constexpr Status cut(const Entry& entry, std::int64_t tile, int tile_number, Entry& outer, Entry& inner) noexcept;
    constexpr Status apply(const Tile& tile, int number) noexcept;
    constexpr Status mend() noexcept;
};

constexpr Error no_digit(int tile, int dim, std::int64_t extent) noexcept
{
    return Error(errc::no_layout, dim,
                 "tile {0} cuts dimension {1} at {2}, inside a digit that is not the outermost: the map is not a layout", tile, dim,
                 extent);
}
constexpr Error cut_capacity() noexcept
{
    return Error(errc::capacity, -1, "the tiles split the array into more than {0} digits", Cutting::max_pieces);
}

/// Splits the index e of an entry into ⌊e/t⌋ and e mod t.
constexpr Status Cutting::cut(const Entry& entry, std::int64_t tile, int tile_number, Entry& outer, Entry& inner) noexcept
{
    outer.count = 0;
    inner = Entry{};                   // whole, so that it may be copied in a constant expression
    int within[max_rank]{}, count = 0; // minor to major
    int i = entry.count - 1;
    for (std::int64_t rest = tile; rest > 1 && i >= 0; --i) {
        const int at = entry.pieces[i];
        Piece& p = pieces[at];
        within[count++] = at;
        if (rest >= p.room && (i == 0 || rest % p.room == 0)) { // all of it is within the tile
            if (i > 0) {
                rest /= p.room;
            } else {
                p.room = rest; // a tile that overruns the array pads it
                if (may_grow(at)) p.extent = rest;
                rest = 1;
            }
            continue;
        }
        if (i > 0 && (rest > p.room || p.room % rest != 0)) return no_digit(tile_number, p.dim, rest);
        // rest < room: the digit becomes two
        if (p.extent > rest && p.extent % rest != 0) {
            if (!may_grow(at) && !uneven.push_back({at, pieces.size(), tile_number, p.extent, rest})) return cut_capacity();
            if (!axe::detail::mul((p.extent - 1) / rest + 1, rest, p.extent)) return axe::detail::padded_dimension_overflows(p.dim);
        }
        const bool two = p.extent > rest;
        const Piece low{two ? rest : p.extent, p.used < rest ? p.used : rest, rest, 0, p.inner, p.dim};
        p = Piece{two ? p.extent / rest : 1, (p.used - 1) / rest + 1, (p.room - 1) / rest + 1, 0, pieces.size(), p.dim};
        within[count - 1] = pieces.size();
        if (!pieces.push_back(low)) return cut_capacity();
        outer.add(at);
        --i;
        break;
    }
    // What is left is outside, and was major to minor; a piece that was cut comes last.
    const int cut_piece = outer.count > 0 ? outer.pieces[0] : -1;
    outer.count = 0;
    for (int k = 0; k <= i; ++k) outer.add(entry.pieces[k]);
    if (cut_piece >= 0) outer.add(cut_piece);
    while (count > 0) inner.add(within[--count]);
    // A dimension of extent 1 may be padded by a later tile: it has a piece, of no dimension of the array.
    for (Entry* e : {&outer, &inner}) {
        if (e->count > 0) continue;
        e->add(pieces.size());
        if (!pieces.push_back({1, 1, 1, 0, -1, -1})) return cut_capacity();
    }
    return {};
}

/// One tile: combine, pad, cut, and the inner parts to the minor end.
constexpr Status Cutting::apply(const Tile& tile, int number) noexcept
{
    if (tile.size() > entries.size()) return axe::detail::tile_rank(number, tile.size(), entries.size());
    const int first = entries.size() - tile.size();
    Entry inner[max_rank];
    int place = first, kept = 0;
    Entry merged{};
    for (int i = 0; i < tile.size(); ++i) {
        const Entry& e = entries[first + i];
        if (merged.count + e.count > max_rank) return cut_capacity();
        for (int k = 0; k < e.count; ++k) merged.add(e.pieces[k]);
        if (tile[i] == combine) continue;
        const Entry whole = merged;
        merged.count = 0;
        if (const Status error = cut(whole, tile[i], number, entries[place], inner[kept]); !error.ok()) return error;
        ++place;
        ++kept;
    }
    entries.count = place;
    for (int i = 0; i < kept; ++i)
        if (!entries.push_back(inner[i])) return cut_capacity();
    return {};
}

/// Joins uneven pieces that are one run in memory; the others are not a layout.
constexpr Status Cutting::mend() noexcept
{
    for (int i = uneven.size() - 1; i >= 0; --i) {
        const Uneven& cut = uneven[i];
        Piece &high = pieces[cut.high], &low = pieces[cut.low];
        const bool whole = high.inner == cut.low && low.extent == cut.by && high.extent == (cut.extent - 1) / cut.by + 1;
        std::int64_t run = 0;
        if (!whole || !axe::detail::mul(low.stride, cut.by, run) || run != high.stride) return no_digit(cut.tile, high.dim, cut.by);
        high.extent = cut.extent;
        high.stride = low.stride;
        high.inner = low.inner;
    }
    return {};
}

} // namespace detail
} // namespace xla
} // namespace v0
} // namespace axe

#endif
