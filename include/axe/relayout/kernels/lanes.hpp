// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_LANES_HPP
#define AXE_RELAYOUT_KERNELS_LANES_HPP

#include <axe/relayout/kernels/portable.hpp>
#include <axe/support/config.hpp>

/// Blocks by vectors of 16 bytes, a lane: those of SSE2 and of NEON alike, and the idea of AVX2's and AVX-512's.
///
/// **The network.** n = 16 / width vectors hold n rows of n elements. A rotation takes vectors i and i + n/2 and interleaves them: their
/// low halves become vector 2i, their high halves 2i + 1. Written as one number of 2·log2(n) bits, row before column, an element's place
///
///     (r_k … r_1, c_k … c_1)   becomes   (r_(k-1) … r_1 c_k, c_(k-1) … c_1 r_k):
///
/// its bits are rotated by one. After k = log2(n) rotations row and column have changed places. Every step is the same instruction.
///
/// **The block.** Groups of n rows, a lane of columns at a time, are transposed into whole lines of the target in a small buffer, and
/// lines are what leaves it: in memory with rows a power of two apart, neither side's lines push each other out of the cache.
namespace axe {
inline namespace v0 {
namespace detail {
namespace lanes {

/// 0 < bytes ≤ 64, in few moves that may overlap each other.
inline void copy_short(std::byte* to, const std::byte* from, std::size_t bytes) noexcept
{
    using portable::move;
    if (bytes >= 32) {
        move<32>(to, from);
        move<32>(to + (bytes - 32), from + (bytes - 32));
    } else if (bytes >= 16) {
        move<16>(to, from);
        move<16>(to + (bytes - 16), from + (bytes - 16));
    } else if (bytes >= 8) {
        move<8>(to, from);
        move<8>(to + (bytes - 8), from + (bytes - 8));
    } else if (bytes >= 4) {
        move<4>(to, from);
        move<4>(to + (bytes - 4), from + (bytes - 4));
    } else if (bytes >= 2) {
        move<2>(to, from);
        move<2>(to + (bytes - 2), from + (bytes - 2));
    } else {
        move<1>(to, from);
    }
}

// Members, since a template's argument loses its attributes.
struct Lane {
    typedef std::uint8_t Vector __attribute__((vector_size(16)));
};
using Vector = Lane::Vector;

template <int width>
[[gnu::always_inline]] inline Vector low(Vector a, Vector b)
{
    if constexpr (width == 1)
        return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    else if constexpr (width == 2)
        return __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
    else if constexpr (width == 4)
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    else
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}
template <int width>
[[gnu::always_inline]] inline Vector high(Vector a, Vector b)
{
    if constexpr (width == 1)
        return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    else if constexpr (width == 2)
        return __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
    else if constexpr (width == 4)
        return __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
    else
        return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
}

template <int width, int count>
[[gnu::always_inline]] inline void rotate(Vector (&v)[count])
{
    Vector w[count];
    AXE_UNROLL
    for (int i = 0; i < count / 2; ++i) {
        w[2 * i] = low<width>(v[i], v[i + count / 2]);
        w[2 * i + 1] = high<width>(v[i], v[i + count / 2]);
    }
    AXE_UNROLL
    for (int i = 0; i < count; ++i) v[i] = w[i];
}
/// log2(times) rotations. (Steps of the loop are halves, so that it ends after a number of them that the compiler sees.)
template <int width, int times, int count>
[[gnu::always_inline]] inline void rotate_log2(Vector (&v)[count])
{
    AXE_UNROLL
    for (int left = times; left > 1; left /= 2) rotate<width>(v);
}

/// Whole lines, one or a part of each of which a row of the target takes.
template <int width>
struct Lines {
    alignas(64) std::byte line[64 / width][64];
};

/// n rows of 16 bytes become 16 bytes at each of n places.
template <int width, class Place>
[[gnu::always_inline]] inline void transpose(Place place, const std::byte* from, const std::ptrdiff_t* from_rows) noexcept
{
    constexpr int n = 16 / width;
    Vector v[n];
    AXE_UNROLL
    for (int r = 0; r < n; ++r) std::memcpy(&v[r], from + from_rows[r], 16);
    rotate_log2<width, n>(v);
    AXE_UNROLL
    for (int c = 0; c < n; ++c) std::memcpy(place(c), &v[c], 16);
}
/// The same into lines, from line[0] + at on.
template <int width>
[[gnu::always_inline]] inline void transpose(std::byte (*line)[64], int at, const std::byte* from,
                                             const std::ptrdiff_t* from_rows) noexcept
{
    transpose<width>([=](int c) { return line[c] + at; }, from, from_rows);
}

/// Fills lines from a block, or from a part of one. A group at its edge begins among elements that are done; where the part is smaller than
/// a group, what is beyond becomes zeros.
template <int width>
inline void gather(Lines<width>& lines, const std::byte* from, const std::ptrdiff_t* from_rows, int rows, int columns) noexcept
{
    constexpr int n = 16 / width;
    if (rows == 4 * n && columns == 4 * n) {
        for (int i = 0; i < 4 * n; i += n)
            for (int j = 0; j < 4 * n; j += n) transpose<width>(&lines.line[j], i * width, from + j * width, from_rows + i);
        return;
    }
    const int last_row = rows < n ? 0 : rows - n, last_column = columns < n ? 0 : columns - n;
    for (int at_row = 0; at_row < rows; at_row += n)
        for (int at_column = 0; at_column < columns; at_column += n) {
            const int i = at_row < last_row ? at_row : last_row, j = at_column < last_column ? at_column : last_column;
            const int here = rows - i < n ? rows - i : n, wide = columns - j < n ? columns - j : n;
            if (here == n && wide == n) {
                transpose<width>(&lines.line[j], i * width, from + j * width, from_rows + i);
                continue;
            }
            std::byte edge[n][16] = {};
            std::ptrdiff_t edge_rows[n];
            for (int r = 0; r < n; ++r) edge_rows[r] = 16 * r;
            for (int r = 0; r < n && r < here; ++r) {
                const std::byte* const row = from + from_rows[i + r] + j * width;
                if (wide == n)
                    portable::move<16>(edge[r], row);
                else
                    copy_short(edge[r], row,
                               static_cast<std::size_t>(wide * width) % 16); // what it is anyway, said to the compiler
            }
            transpose<width>(&lines.line[j], i * width, edge[0], edge_rows);
        }
}

template <int width>
void block(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows)
{
    Lines<width> lines;
    gather(lines, from, from_rows, 64 / width, 64 / width);
    for (int j = 0; j < 64 / width; ++j) portable::move<64>(to + to_rows[j], lines.line[j]);
}
template <int width>
void part(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows, int rows,
          int columns)
{
    constexpr int n = 16 / width;
    if (rows >= n && columns >= n) { // a lane at a time, the last ones among elements that are done
        for (int at_row = 0; at_row < rows; at_row += n)
            for (int at_column = 0; at_column < columns; at_column += n) {
                const int i = at_row < rows - n ? at_row : rows - n, j = at_column < columns - n ? at_column : columns - n;
                transpose<width>([=](int c) { return to + to_rows[j + c] + i * width; }, from + j * width, from_rows + i);
            }
        return;
    }
    Lines<width> lines;
    gather(lines, from, from_rows, rows, columns);
    for (int j = 0; j < columns; ++j) copy_short(to + to_rows[j], lines.line[j], static_cast<std::size_t>(rows * width));
}

inline void copy(std::byte* to, const std::byte* from, std::size_t bytes)
{
    for (; bytes > 64; bytes -= 64, to += 64, from += 64) portable::move<64>(to, from);
    if (bytes > 0) copy_short(to, from, bytes);
}

template <int width>
void fill(std::byte* to, std::int64_t count, const std::byte* element)
{
    std::byte line[64];
    for (int i = 0; i < 64; i += width) portable::move<width>(line + i, element);
    auto bytes = static_cast<std::size_t>(count) * width;
    for (; bytes > 64; bytes -= 64, to += 64) portable::move<64>(to, line);
    if (bytes > 0) copy_short(to, line, bytes);
}

} // namespace lanes
} // namespace detail
} // namespace v0
} // namespace axe

#endif
