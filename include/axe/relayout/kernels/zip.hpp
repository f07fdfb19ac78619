// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_ZIP_HPP
#define AXE_RELAYOUT_KERNELS_ZIP_HPP

#include <axe/relayout/kernels/lanes.hpp>

/// Few rows interleaved, and taken apart, by the network of <axe/relayout/kernels/lanes.hpp>.
///
/// R vectors of n elements, one of each row: log2(R) rotations bring the bits of the row's number behind those of the column's, which is
/// the interleaved order. The other log2(n) rotations bring them back.
namespace axe {
inline namespace v0 {
namespace detail {
namespace lanes {

/// Whole vectors; the number of elements of each row that were done.
template <int width, int rows>
inline std::int64_t zip_rows(std::byte* to, const std::byte* from, const std::ptrdiff_t* from_rows, std::int64_t count) noexcept
{
    constexpr int n = 16 / width;
    std::int64_t i = 0;
    for (; i + n <= count; i += n) {
        Vector v[rows];
        AXE_UNROLL
        for (int r = 0; r < rows; ++r) std::memcpy(&v[r], from + from_rows[r] + i * width, 16);
        rotate_log2<width, rows>(v);
        AXE_UNROLL
        for (int r = 0; r < rows; ++r) std::memcpy(to + i * rows * width + 16 * r, &v[r], 16);
    }
    return i;
}
template <int width, int rows>
inline std::int64_t unzip_rows(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, std::int64_t count) noexcept
{
    constexpr int n = 16 / width;
    std::int64_t i = 0;
    for (; i + n <= count; i += n) {
        Vector v[rows];
        AXE_UNROLL
        for (int r = 0; r < rows; ++r) std::memcpy(&v[r], from + i * rows * width + 16 * r, 16);
        rotate_log2<width, n>(v);
        AXE_UNROLL
        for (int r = 0; r < rows; ++r) std::memcpy(to + to_rows[r] + i * width, &v[r], 16);
    }
    return i;
}

template <int width>
void zip(std::byte* to, const std::byte* from, const std::ptrdiff_t* from_rows, int rows, std::int64_t count)
{
    const std::int64_t done = rows == 2    ? zip_rows<width, 2>(to, from, from_rows, count)
                              : rows == 4  ? zip_rows<width, 4>(to, from, from_rows, count)
                              : rows == 8  ? zip_rows<width, 8>(to, from, from_rows, count)
                              : rows == 16 ? zip_rows<width, 16>(to, from, from_rows, count)
                                           : 0;
    if (done < count) portable::zip<width>(to + done * rows * width, from + done * width, from_rows, rows, count - done);
}
template <int width>
void unzip(std::byte* to, const std::ptrdiff_t* to_rows, const std::byte* from, int rows, std::int64_t count)
{
    const std::int64_t done = rows == 2    ? unzip_rows<width, 2>(to, to_rows, from, count)
                              : rows == 4  ? unzip_rows<width, 4>(to, to_rows, from, count)
                              : rows == 8  ? unzip_rows<width, 8>(to, to_rows, from, count)
                              : rows == 16 ? unzip_rows<width, 16>(to, to_rows, from, count)
                                           : 0;
    if (done < count) portable::unzip<width>(to + done * width, to_rows, from + done * rows * width, rows, count - done);
}

} // namespace lanes
} // namespace detail
} // namespace v0
} // namespace axe

#endif
