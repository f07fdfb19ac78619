// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_AVX2_HPP
#define AXE_RELAYOUT_KERNELS_AVX2_HPP

#include <axe/relayout/kernels/sse2.hpp>

#if AXE_RELAYOUT_X86

#  include <immintrin.h>

#  define AXE_AVX2 [[gnu::target("avx2")]]
#  define AXE_AVX2_INLINE [[gnu::target("avx2"), gnu::always_inline]] inline

/// Vectors of 32 bytes, two lanes of 16: the network of <axe/relayout/kernels/lanes.hpp> on two groups of rows together. Parts that are
/// shorter than lines are done as SSE2 does them.
namespace axe {
inline namespace v0 {
namespace detail {
namespace avx2 {

template <int width>
AXE_AVX2_INLINE __m256i low(__m256i a, __m256i b)
{
    if constexpr (width == 1) return _mm256_unpacklo_epi8(a, b);
    if constexpr (width == 2) return _mm256_unpacklo_epi16(a, b);
    if constexpr (width == 4) return _mm256_unpacklo_epi32(a, b);
    if constexpr (width == 8) return _mm256_unpacklo_epi64(a, b);
}
template <int width>
AXE_AVX2_INLINE __m256i high(__m256i a, __m256i b)
{
    if constexpr (width == 1) return _mm256_unpackhi_epi8(a, b);
    if constexpr (width == 2) return _mm256_unpackhi_epi16(a, b);
    if constexpr (width == 4) return _mm256_unpackhi_epi32(a, b);
    if constexpr (width == 8) return _mm256_unpackhi_epi64(a, b);
}

AXE_AVX2_INLINE __m256i load(const std::byte* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
AXE_AVX2_INLINE void store(std::byte* to, __m256i v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v); }
AXE_AVX2_INLINE void stream(std::byte* to, __m256i v) { _mm256_stream_si256(reinterpret_cast<__m256i*>(to), v); }
/// 16 bytes from each of two places.
AXE_AVX2_INLINE __m256i load(const std::byte* first, const std::byte* second)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(first))),
                                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(second)), 1);
}

/// log2(16 / width) rotations within lanes.
template <int width>
AXE_AVX2_INLINE void transpose_in_lanes(__m256i (&v)[16 / width])
{
    constexpr int n = 16 / width;
    __m256i w[n];
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

/// The first halves of a block's lines, until the second ones are there.
template <int width>
struct Halves {
    alignas(32) std::byte half[64 / width][32];
};

/// Half a line: of the first rows of a block it is kept; of the last ones it leaves at once, with the half that was kept. So few other stores
/// wait behind those to memory.
template <int width, bool is_last, bool streams>
AXE_AVX2_INLINE void put(Halves<width>& kept, int column, __m256i v, std::byte* to, const std::ptrdiff_t* to_rows)
{
    if constexpr (!is_last) {
        store(kept.half[column], v);
    } else if constexpr (streams) {
        stream(to + to_rows[column], load(kept.half[column]));
        stream(to + to_rows[column] + 32, v);
    } else {
        store(to + to_rows[column], load(kept.half[column]));
        store(to + to_rows[column] + 32, v);
    }
}

/// 2n rows, n = 16 / width, that become half of each line: the first n of them in the first lane.
template <int width, bool is_last, bool streams>
AXE_AVX2_INLINE void half_block(Halves<width>& kept, std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from,
                                const std::ptrdiff_t* from_rows)
{
    constexpr int n = 16 / width;
    if constexpr (width == 4 || width == 8) {
        // 32 bytes of a row at a time: lane l of vector c is column l·n + c, of the first n rows and of the others.
        AXE_UNROLL
        for (int j = 0; j < 4 * n; j += 2 * n) {
            __m256i v[n], w[n];
            AXE_UNROLL
            for (int r = 0; r < n; ++r) v[r] = load(from + from_rows[r] + j * width);
            AXE_UNROLL
            for (int r = 0; r < n; ++r) w[r] = load(from + from_rows[n + r] + j * width);
            transpose_in_lanes<width>(v);
            transpose_in_lanes<width>(w);
            AXE_UNROLL
            for (int c = 0; c < n; ++c) {
                put<width, is_last, streams>(kept, j + c, _mm256_permute2x128_si256(v[c], w[c], 0x20), to, to_rows);
                put<width, is_last, streams>(kept, j + n + c, _mm256_permute2x128_si256(v[c], w[c], 0x31), to, to_rows);
            }
        }
    } else if constexpr (width != 2) {
        AXE_UNROLL
        for (int j = 0; j < 4 * n; j += n) {
            __m256i v[n];
            AXE_UNROLL
            for (int r = 0; r < n; ++r) v[r] = load(from + from_rows[r] + j * width, from + from_rows[n + r] + j * width);
            if constexpr (n > 1) transpose_in_lanes<width>(v);
            AXE_UNROLL
            for (int c = 0; c < n; ++c) put<width, is_last, streams>(kept, j + c, v[c], to, to_rows);
        }
    } else {
        // Whole lines of n rows before those of the next n: the 16 lines of 2n rows a power of two apart are more than one set of
        // the first cache holds.
        alignas(32) std::byte upper[2][n][32]; // lane l of [h][c] is column (2h + l)·n + c
        for (int h = 0; h < 2; ++h) {
            __m256i v[n];
            AXE_UNROLL
            for (int r = 0; r < n; ++r) v[r] = load(from + from_rows[r] + 32 * h);
            transpose_in_lanes<width>(v);
            AXE_UNROLL
            for (int c = 0; c < n; ++c) store(upper[h][c], v[c]);
        }
        for (int h = 0; h < 2; ++h) {
            __m256i v[n];
            AXE_UNROLL
            for (int r = 0; r < n; ++r) v[r] = load(from + from_rows[n + r] + 32 * h);
            transpose_in_lanes<width>(v);
            AXE_UNROLL
            for (int c = 0; c < n; ++c) {
                const __m256i u = load(upper[h][c]);
                put<width, is_last, streams>(kept, 2 * h * n + c, _mm256_permute2x128_si256(u, v[c], 0x20), to, to_rows);
                put<width, is_last, streams>(kept, (2 * h + 1) * n + c, _mm256_permute2x128_si256(u, v[c], 0x31), to, to_rows);
            }
        }
    }
}

template <int width, bool streams>
AXE_AVX2 void block(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows)
{
    Halves<width> kept;
    half_block<width, false, streams>(kept, to, to_rows, from, from_rows);
    half_block<width, true, streams>(kept, to, to_rows, from, from_rows + 32 / width);
}

/// 2n rows that become 32 bytes of each row of the target, of as many columns as a lane holds at least: the last lane begins among columns
/// that are done.
template <int width>
AXE_AVX2_INLINE void strip(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows,
                           int columns)
{
    constexpr int n = 16 / width;
    for (int at = 0; at < columns; at += n) {
        const int j = at < columns - n ? at : columns - n;
        __m256i v[n];
        AXE_UNROLL
        for (int r = 0; r < n; ++r) v[r] = load(from + from_rows[r] + j * width, from + from_rows[n + r] + j * width);
        if constexpr (n > 1) transpose_in_lanes<width>(v);
        AXE_UNROLL
        for (int c = 0; c < n; ++c) store(to + to_rows[j + c], v[c]);
    }
}
template <int width>
AXE_AVX2 void part(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows, int rows,
                   int columns)
{
    constexpr int half = 32 / width;
    if (rows < half || columns < 16 / width) return lanes::part<width>(to, to_rows, from, from_rows, rows, columns);
    strip<width>(to, to_rows, from, from_rows, columns);
    if (rows > half) strip<width>(to + (rows - half) * width, to_rows, from, from_rows + (rows - half), columns);
}

AXE_AVX2 inline void copy(std::byte* to, const std::byte* from, std::size_t bytes)
{
    for (; bytes > 64; bytes -= 64, to += 64, from += 64) {
        const __m256i first = load(from), second = load(from + 32);
        store(to, first);
        store(to + 32, second);
    }
    if (bytes > 0) lanes::copy_short(to, from, bytes);
}

AXE_AVX2 inline void copy_stream(std::byte* to, const std::byte* from, std::size_t bytes)
{
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(to) % 64;
    if (bytes < head + 64) return copy(to, from, bytes);
    copy(to, from, head);
    for (to += head, from += head, bytes -= head; bytes >= 64; bytes -= 64, to += 64, from += 64) {
        const __m256i first = load(from), second = load(from + 32);
        stream(to, first);
        stream(to + 32, second);
    }
    copy(to, from, bytes);
}

template <int width>
AXE_AVX2 void fill(std::byte* to, std::int64_t count, const std::byte* element)
{
    std::byte line[64];
    for (int i = 0; i < 64; i += width) portable::move<width>(line + i, element);
    const __m256i v = load(line);
    auto bytes = static_cast<std::size_t>(count) * width;
    for (; bytes > 64; bytes -= 64, to += 64) {
        store(to, v);
        store(to + 32, v);
    }
    if (bytes > 0) lanes::copy_short(to, line, bytes);
}

inline constexpr RelayoutKernels kernels = {
    "avx2",
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
    sse2::fence,
};

} // namespace avx2
} // namespace detail
} // namespace v0
} // namespace axe

#  undef AXE_AVX2
#  undef AXE_AVX2_INLINE
#endif

#endif
