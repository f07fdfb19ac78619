// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_SSE2_HPP
#define AXE_RELAYOUT_KERNELS_SSE2_HPP

#include <axe/relayout/kernels/zip.hpp>

#if AXE_RELAYOUT_X86

#  include <emmintrin.h>

/// What every x86-64 has: the lanes of <axe/relayout/kernels/lanes.hpp>, and stores past the caches.
namespace axe {
inline namespace v0 {
namespace detail {
namespace sse2 {

/// A line, 64 bytes at a multiple of 64, in four stores that follow each other, so that they leave the processor as one.
inline void stream_line(std::byte* to, const std::byte* from)
{
    for (int i = 0; i < 64; i += 16)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
}

template <int width>
void stream(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, const std::ptrdiff_t* from_rows)
{
    lanes::Lines<width> lines;
    lanes::gather(lines, from, from_rows, 64 / width, 64 / width);
    for (int j = 0; j < 64 / width; ++j) stream_line(to + to_rows[j], lines.line[j]);
}

inline void copy_stream(std::byte* to, const std::byte* from, std::size_t bytes)
{
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(to) % 64;
    if (bytes < head + 64) return lanes::copy(to, from, bytes);
    lanes::copy(to, from, head);
    for (to += head, from += head, bytes -= head; bytes >= 64; bytes -= 64, to += 64, from += 64) stream_line(to, from);
    lanes::copy(to, from, bytes);
}

inline void fence() { _mm_sfence(); }

inline constexpr RelayoutKernels kernels = {
    "sse2",
    {64, 32, 16, 8, 4},
    {64, 32, 16, 8, 4},
    {lanes::block<1>, lanes::block<2>, lanes::block<4>, lanes::block<8>, lanes::block<16>},
    {stream<1>, stream<2>, stream<4>, stream<8>, stream<16>},
    {lanes::part<1>, lanes::part<2>, lanes::part<4>, lanes::part<8>, lanes::part<16>},
    copy_stream,
    lanes::copy,
    {portable::strided<1>, portable::strided<2>, portable::strided<4>, portable::strided<8>, portable::strided<16>},
    {lanes::fill<1>, lanes::fill<2>, lanes::fill<4>, lanes::fill<8>, lanes::fill<16>},
    {lanes::zip<1>, lanes::zip<2>, lanes::zip<4>, lanes::zip<8>, portable::zip<16>},
    {lanes::unzip<1>, lanes::unzip<2>, lanes::unzip<4>, lanes::unzip<8>, portable::unzip<16>},
    fence,
};

} // namespace sse2
} // namespace detail
} // namespace v0
} // namespace axe

#endif

#endif
