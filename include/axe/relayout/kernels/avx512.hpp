// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_AVX512_HPP
#define AXE_RELAYOUT_KERNELS_AVX512_HPP

#include <axe/relayout/kernels/zip.hpp>

#if AXE_RELAYOUT_X86

#  include <immintrin.h>

#  define AXE_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]]
#  define AXE_AVX512_INLINE [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl"), gnu::always_inline]] inline

/// Vectors of 64 bytes, four lanes of 16: a block is two transposes, of lanes between registers and of elements within lanes.
///
/// With e = 16 / width elements in a lane, register (c, r) is to hold in lane l what row r + e·l has in its columns e·c … e·c + e - 1.
/// Then log2(e) rotations within lanes leave in register (c, j) the column e·c + j, all of its rows in order: a whole line of the target.
namespace axe {
inline namespace v0 {
namespace detail {
namespace avx512 {

// Masks of ones, which cost nothing: of the forms without a mask g++ 12 says that they use an uninitialized variable.
template <int width>
AXE_AVX512_INLINE __m512i low(__m512i a, __m512i b)
{
    if constexpr (width == 1) return _mm512_unpacklo_epi8(a, b);
    if constexpr (width == 2) return _mm512_unpacklo_epi16(a, b);
    if constexpr (width == 4) return _mm512_maskz_unpacklo_epi32(0xffff, a, b);
    if constexpr (width == 8) return _mm512_maskz_unpacklo_epi64(0xff, a, b);
}
template <int width>
AXE_AVX512_INLINE __m512i high(__m512i a, __m512i b)
{
    if constexpr (width == 1) return _mm512_unpackhi_epi8(a, b);
    if constexpr (width == 2) return _mm512_unpackhi_epi16(a, b);
    if constexpr (width == 4) return _mm512_maskz_unpackhi_epi32(0xffff, a, b);
    if constexpr (width == 8) return _mm512_maskz_unpackhi_epi64(0xff, a, b);
}

/// Columns for rows in each lane: log2(16 / width) rotations.
template <int width>
AXE_AVX512_INLINE void transpose_in_lanes(__m512i (&v)[16 / width])
{
    constexpr int n = 16 / width;
    __m512i w[n];
    AXE_UNROLL
    for (int left = n; left > 1; left /= 2) {
        AXE_UNROLL
        for (int i = 0; i < n / 2; ++i) {
            w[2 * i] = low<width>(v[i], v[i + n / 2]);
            w[2 * i + 1] = high<width>(v[i], v[i + n / 2]);
        }
        AXE_UNROLL
        for (int i = 0; i < n; ++i) v[i] = w[i];
    }
}

/// Lanes 0 and 2, or lanes 1 and 3, of a, then of b.
AXE_AVX512_INLINE __m512i even_lanes(__m512i a, __m512i b) { return _mm512_maskz_shuffle_i32x4(0xffff, a, b, 0x88); }
AXE_AVX512_INLINE __m512i odd_lanes(__m512i a, __m512i b) { return _mm512_maskz_shuffle_i32x4(0xffff, a, b, 0xdd); }

/// Lane l of register c becomes lane c of register l: two rotations, of lanes and the other way round.
AXE_AVX512_INLINE void transpose_lanes(__m512i& a, __m512i& b, __m512i& c, __m512i& d)
{
    const __m512i p = even_lanes(a, b), q = even_lanes(c, d), r = odd_lanes(a, b), s = odd_lanes(c, d);
    a = even_lanes(p, q);
    b = even_lanes(r, s);
    c = odd_lanes(p, q);
    d = odd_lanes(r, s);
}

/// Where the rows of a full block come from and go to.
template <bool streams>
struct Whole {
    std::byte* to;
    const std::ptrdiff_t* to_rows;
    const std::byte* from;
    const std::ptrdiff_t* from_rows;
    AXE_AVX512_INLINE __m512i load(int i) const { return _mm512_loadu_si512(from + from_rows[i]); }
    AXE_AVX512_INLINE bool has(int) const { return true; }
    AXE_AVX512_INLINE void store(int j, __m512i line) const
    {
        if constexpr (streams)
            _mm512_stream_si512(reinterpret_cast<__m512i*>(to + to_rows[j]), line);
        else
            _mm512_storeu_si512(to + to_rows[j], line);
    }
};
/// And those of a part: bytes that a mask leaves out are not touched.
struct Masked {
    std::byte* to;
    const std::ptrdiff_t* to_rows;
    const std::byte* from;
    const std::ptrdiff_t* from_rows;
    int rows, columns;
    __mmask64 row_bytes, column_bytes;
    AXE_AVX512_INLINE __m512i load(int i) const
    {
        return i < rows ? _mm512_maskz_loadu_epi8(column_bytes, from + from_rows[i]) : _mm512_setzero_si512();
    }
    AXE_AVX512_INLINE bool has(int j) const { return j < columns; }
    AXE_AVX512_INLINE void store(int j, __m512i line) const
    {
        if (j < columns) _mm512_mask_storeu_epi8(to + to_rows[j], row_bytes, line);
    }
};
/// And those of a part whose rows fill whole lines of the target.
struct Narrow {
    std::byte* to;
    const std::ptrdiff_t* to_rows;
    const std::byte* from;
    const std::ptrdiff_t* from_rows;
    int columns;
    __mmask64 column_bytes;
    AXE_AVX512_INLINE __m512i load(int i) const { return _mm512_maskz_loadu_epi8(column_bytes, from + from_rows[i]); }
    AXE_AVX512_INLINE bool has(int j) const { return j < columns; }
    AXE_AVX512_INLINE void store(int j, __m512i line) const
    {
        if (j < columns) _mm512_storeu_si512(to + to_rows[j], line);
    }
};
/// The lowest bits, 0 < count ≤ 64.
AXE_AVX512_INLINE __mmask64 first(int count) { return ~std::uint64_t{0} >> (64 - count); }

template <int width, class Rows>
AXE_AVX512_INLINE void transpose(const Rows& rows)
{
    constexpr int e = 16 / width;
    __m512i v[4][e];
    AXE_UNROLL
    for (int r = 0; r < e; ++r) {
        AXE_UNROLL
        for (int l = 0; l < 4; ++l) v[l][r] = rows.load(r + e * l);
        transpose_lanes(v[0][r], v[1][r], v[2][r], v[3][r]);
    }
    AXE_UNROLL
    for (int c = 0; c < 4; ++c) {
        if (!rows.has(e * c)) return;
        if constexpr (e > 1) transpose_in_lanes<width>(v[c]);
        AXE_UNROLL
        for (int j = 0; j < e; ++j) rows.store(e * c + j, v[c][j]);
    }
}

template <int width, bool streams>
AXE_AVX512 void block(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows)
{
    transpose<width>(Whole<streams>{to, to_rows, from, from_rows});
}
template <int width>
AXE_AVX512 void part(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows, int rows,
                     int columns)
{
    if (rows == 64 / width)
        transpose<width>(Narrow{to, to_rows, from, from_rows, columns, first(columns * width)});
    else
        transpose<width>(Masked{to, to_rows, from, from_rows, rows, columns, first(rows * width), first(columns * width)});
}

AXE_AVX512 inline void copy(std::byte* to, const std::byte* from, std::size_t bytes)
{
    for (; bytes > 64; bytes -= 64, to += 64, from += 64) _mm512_storeu_si512(to, _mm512_loadu_si512(from));
    if (bytes == 0) return;
    const __mmask64 rest = first(static_cast<int>(bytes));
    _mm512_mask_storeu_epi8(to, rest, _mm512_maskz_loadu_epi8(rest, from));
}

AXE_AVX512 inline void copy_stream(std::byte* to, const std::byte* from, std::size_t bytes)
{
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(to) % 64;
    if (bytes < head + 64) return copy(to, from, bytes);
    if (head != 0) {
        copy(to, from, head);
        to += head, from += head, bytes -= head;
    }
    for (; bytes >= 64; bytes -= 64, to += 64, from += 64)
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
    if (bytes != 0) copy(to, from, bytes);
}

template <int width>
AXE_AVX512 void fill(std::byte* to, std::int64_t count, const std::byte* element)
{
    alignas(64) std::byte line[64];
    for (int i = 0; i < 64; i += width) portable::move<width>(line + i, element);
    const __m512i v = _mm512_load_si512(line);
    std::int64_t bytes = count * width;
    for (; bytes > 64; bytes -= 64, to += 64) _mm512_storeu_si512(to, v);
    if (bytes > 0) _mm512_mask_storeu_epi8(to, first(static_cast<int>(bytes)), v);
}

inline void fence() { _mm_sfence(); }

inline constexpr RelayoutKernels kernels = {
    "avx512",
    {64, 32, 16, 8, 4},
    {64, 32, 16, 8, 4},
    {block<1, false>, block<2, false>, block<4, false>, block<8, false>, block<16, false>},
    {block<1, true>, block<2, true>, block<4, true>, block<8, true>, block<16, true>},
    {part<1>, part<2>, part<4>, part<8>, part<16>},
    copy_stream,
    copy,
    {portable::strided<1>, portable::strided<2>, portable::strided<4>, portable::strided<8>, portable::strided<16>},
    {fill<1>, fill<2>, fill<4>, fill<8>, fill<16>},
    {lanes::zip<1>, lanes::zip<2>, lanes::zip<4>, lanes::zip<8>, portable::zip<16>},
    {lanes::unzip<1>, lanes::unzip<2>, lanes::unzip<4>, lanes::unzip<8>, portable::unzip<16>},
    fence,
    true,
};

} // namespace avx512
} // namespace detail
} // namespace v0
} // namespace axe

#  undef AXE_AVX512
#  undef AXE_AVX512_INLINE
#endif

#endif
