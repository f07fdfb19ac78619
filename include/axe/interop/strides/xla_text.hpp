// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_XLA_TEXT_HPP
#define AXE_INTEROP_STRIDES_XLA_TEXT_HPP

#include <axe/support/errors.hpp>
#include <axe/text/common/reader.hpp>
#include <axe/text/text.hpp>

namespace axe {
inline namespace v0 {

/// XLA's layouts of arrays as HLO writes them: `{1,0:T(8,128)(2,1)E(16)S(1)}`.
namespace xla {

inline constexpr int max_tiles = 12;

/// A tile: an extent for each of the most minor dimensions, major to minor; `combine` merges a dimension into the next more minor.
using Tile = InlineVector<std::int64_t, max_rank>;
inline constexpr std::int64_t combine = 0; ///< printed `*`; no extent is 0

/// The order of the dimensions, the tiles in the order in which they are applied, and what is carried along.
struct TiledLayout {
    InlineVector<int, max_rank> minor_to_major{};
    InlineVector<Tile, max_tiles> tiles{};
    std::int64_t tail_padding = 1; ///< L(n): the buffer's elements are rounded up to a multiple of n; addresses do not change
    std::int64_t element_bits = 0; ///< E(n): the bits of an element in memory; 0: those of its type
    std::int64_t memory_space = 0; ///< S(n)

    friend constexpr bool operator==(const TiledLayout&, const TiledLayout&) = default;
};

/// Is each dimension once in the order, every tile of 1 to `max_rank` extents ≥ 1 or `*`, the last of them no `*`?
constexpr Status check(const TiledLayout& layout) noexcept
{
    const int rank = layout.minor_to_major.size();
    if (layout.minor_to_major.overfull()) return axe::detail::shape_capacity(max_rank, rank);
    if (layout.tiles.overfull())
        return Error(errc::capacity, max_tiles, "an XLA layout has at most {0} tiles, this one has {1}", max_tiles,
                     layout.tiles.size());
    bool seen[max_rank]{};
    for (int i = 0; i < rank; ++i) {
        const int d = layout.minor_to_major[i];
        if (d < 0 || d >= rank || seen[d])
            return Error(errc::bad_argument, i,
                         "place {0} of minor_to_major is dimension {1}, which does not exist or is already named", i, d);
        seen[d] = true;
    }
    for (int t = 0; t < layout.tiles.size(); ++t) {
        const Tile& tile = layout.tiles[t];
        if (tile.overfull() || tile.empty())
            return Error(errc::capacity, t, "tile {0} has {1} extents; it must have 1 to {2}", t, tile.size(), max_rank);
        for (std::int64_t n : tile)
            if (n < 0) return Error(errc::bad_extent, t, "tile {0} has the extent {1}; it must be at least 1, or '*'", t, n);
        if (tile.back() == combine)
            return Error(errc::bad_argument, t, "tile {0} ends with '*', but there is no dimension to merge with", t);
    }
    if (layout.tail_padding < 1 || layout.element_bits < 0 || layout.memory_space < 0)
        return Error(errc::bad_argument, -1, "tail padding {0}, element bits {1} and memory space {2}: one is too small",
                     layout.tail_padding, layout.element_bits, layout.memory_space);
    return {};
}

namespace detail {

/// `(a,*,b)` of a tile, whose parenthesis is open.
constexpr bool read_tile(axe::detail::Reader& in, Tile& tile) noexcept
{
    do {
        std::int64_t n = combine;
        in.peek();
        const int at = in.at;
        if (!in.accept('*')) {
            if (!in.integer(n, "expected an extent of the tile or '*' at character {0}")) return false;
            if (n < 1) return in.small_extent(at, n);
        }
        if (!tile.push_back(n)) return in.fail(errc::capacity, at, "the tile has more than {1} extents at character {0}", max_rank);
    } while (in.accept(','));
    if (tile.back() == combine) return in.expected("expected another extent, for '*' to go into, at character {0}");
    return in.expect(')', "expected ',' or ')' in the tile at character {0}");
}

/// `X(n)`, whose letter has been read.
constexpr bool read_property(axe::detail::Reader& in, std::int64_t least, std::int64_t& out) noexcept
{
    if (!in.expect('(', "expected '(' after the letter at character {0}")) return false;
    in.peek();
    const int at = in.at;
    if (!in.integer(out, "expected a number at character {0}")) return false;
    if (out < least) return in.fail(errc::bad_argument, at, "the number at character {0} must be at least {1}", least);
    return in.expect(')', "expected ')' after the number at character {0}");
}

} // namespace detail

/// Reads a layout:
///
///   layout := "{" [ int { "," int } ] [ ":" { property } ] "}"
///   property := "T" tile { tile } | "L(" n ")" | "E(" n ")" | "S(" n ")",   each once, in this order
///   tile := "(" ( n | "*" ) { "," ( n | "*" ) } ")"
///
/// What XLA may write besides (`D` of sparse dimensions, `#`, `*`, `SC`, `P`, `M`) is rejected at its character.
/// `errc::bad_syntax`, `errc::bad_extent`, `errc::bad_argument`, `errc::capacity` with the character.   [openxla/xla, Layout::ToString]
constexpr Result<TiledLayout> parse_tiled(TextView text) noexcept
{
    using axe::detail::Reader;
    Result<TiledLayout> result;
    TiledLayout& out = *result;
    Reader in(text);
    if (!in.open_brace()) return in.error;
    if (in.peek() != ':' && in.peek() != '}') {
        bool seen[max_rank]{};
        int least_missing = 0;
        int at_greatest = 0, greatest = -1;
        do {
            std::int64_t d = 0;
            in.peek();
            const int at = in.at;
            if (!in.integer(d, "expected the number of a dimension at character {0}")) return in.error;
            if (d < 0 || d >= max_rank || seen[d]) {
                in.fail(errc::bad_argument, at, "the dimension at character {0} does not exist or is already named");
                return in.error;
            }
            seen[d] = true;
            out.minor_to_major.push_back(static_cast<int>(d));
            if (d > greatest) {
                greatest = static_cast<int>(d);
                at_greatest = at;
            }
            while (least_missing < max_rank && seen[least_missing]) ++least_missing;
        } while (in.accept(','));
        if (least_missing <= greatest) {
            in.fail(errc::bad_argument, at_greatest, "dimension {1} is not named, but the greater one at character {0} is",
                    least_missing);
            return in.error;
        }
    }
    if (in.accept(':')) {
        int stage = 0; // of T, L, E, S
        while (in.error.ok() && in.peek() != '}') {
            const char letter = in.peek();
            const int at = in.at++;
            int next = 5;
            if (letter == 'T') next = 1;
            if (letter == 'L') next = 2;
            if (letter == 'E') next = 3;
            if (letter == 'S' && in.peek() == '(') next = 4;
            if (next == 5 || at >= in.length) {
                in.fail(errc::bad_syntax, at, "expected T, L, E, S or '}' at character {0}");
            } else if (next <= stage) {
                in.fail(errc::bad_syntax, at, "the property at character {0} is repeated or out of order; the order is T, L, E, S");
            } else if (next == 1) {
                if (!in.expect('(', "expected '(' before the tile at character {0}")) return in.error;
                do {
                    Tile tile;
                    const int where = in.at - 1;
                    if (!detail::read_tile(in, tile)) return in.error;
                    if (!out.tiles.push_back(tile)) {
                        in.fail(errc::capacity, where, "the tile at character {0} is one too many; a layout has at most {1}",
                                max_tiles);
                        return in.error;
                    }
                } while (in.accept('('));
            } else {
                std::int64_t& value = next == 2 ? out.tail_padding : next == 3 ? out.element_bits : out.memory_space;
                detail::read_property(in, next == 2 ? 1 : 0, value);
            }
            stage = next;
        }
    }
    if (!in.error.ok() || !in.expect('}', "expected ',', ':' or '}' at character {0}") || !in.finish()) return in.error;
    return result;
}

/// The text of a layout that `check` passes, as XLA prints it: `{1,0:T(8,128)(2,1)}`; properties of no effect are left out.
constexpr auto print(const TiledLayout& layout) noexcept
{
    Text<2 + 3 * max_rank + max_tiles*(max_rank * 20 + 2) + 80> out;
    out.put('{');
    for (int i = 0; i < layout.minor_to_major.size(); ++i) {
        if (i > 0) out.put(',');
        out.put_number(layout.minor_to_major[i]);
    }
    bool colon = false;
    const auto property = [&](const char* letter) {
        if (!colon) out.put(':');
        colon = true;
        out.put(letter);
    };
    const auto number = [&](const char* letter, std::int64_t n) {
        property(letter);
        out.put('(');
        out.put_number(n);
        out.put(')');
    };
    if (!layout.tiles.empty()) property("T");
    for (const Tile& tile : layout.tiles) {
        for (int i = 0; i < tile.size(); ++i) {
            out.put(i == 0 ? '(' : ',');
            if (tile[i] == combine)
                out.put('*');
            else
                out.put_number(tile[i]);
        }
        out.put(')');
    }
    if (layout.tail_padding != 1) number("L", layout.tail_padding);
    if (layout.element_bits != 0) number("E", layout.element_bits);
    if (layout.memory_space != 0) number("S", layout.memory_space);
    out.put('}');
    return out;
}

} // namespace xla
} // namespace v0
} // namespace axe

#endif
