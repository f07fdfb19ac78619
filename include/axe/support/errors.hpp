// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_ERRORS_HPP
#define AXE_SUPPORT_ERRORS_HPP

#include <axe/support/error.hpp>

/// The messages that several modules give, each of them once.
namespace axe {
inline namespace v0 {
namespace detail {

constexpr Error result_overflow() noexcept { return Error(errc::overflow, -1, "a number of the result overflows"); }
constexpr Error empty_interval(std::int64_t end) noexcept
{
    return Error(errc::bad_extent, -1, "the interval [0, {0}) is empty", end);
}
constexpr Error outside_domain(std::int64_t index, std::int64_t size) noexcept
{
    return Error(errc::out_of_domain, -1, "index {0} is outside the domain [0, {1})", index, size);
}
constexpr Error region_rank(std::int64_t intervals, std::int64_t rank) noexcept
{
    return Error(errc::rank_mismatch, -1, "the region has {0} intervals, the shape {1} dimensions", intervals, rank);
}
constexpr Error sizes_differ(std::int64_t elements, std::int64_t viewed) noexcept
{
    return Error(errc::size_mismatch, -1, "{0} elements cannot be viewed as {1}", elements, viewed);
}
constexpr Error padded_elements_overflow() noexcept
{
    return Error(errc::overflow, -1, "the elements of the padded tensor overflow");
}
constexpr Error stride_rank(std::int64_t rank, std::int64_t strides) noexcept
{
    return Error(errc::rank_mismatch, -1, "the shape has {0} dimensions, but there are {1} strides", rank, strides);
}
constexpr Error shape_overflows(int dim) noexcept
{
    return Error(errc::overflow, dim, "the product of the shape overflows at dimension {0}", dim);
}
constexpr Error tile_rank(int tile, std::int64_t extents, std::int64_t rank) noexcept
{
    return Error(errc::rank_mismatch, tile, "tile {0} has {1} extents, but the array has only {2} dimensions at that point", tile,
                 extents, rank);
}
constexpr Error padded_dimension_overflows(int dim) noexcept
{
    return Error(errc::overflow, dim, "dimension {0} overflows when it is padded", dim);
}
constexpr Error empty_dimension(int dim) noexcept
{
    return Error(errc::bad_extent, dim, "dimension {0} is empty; a layout has at least one element", dim);
}
constexpr Error outside_dimension(int dim, std::int64_t index, std::int64_t extent) noexcept
{
    return Error(errc::out_of_domain, dim, "index {0} of dimension {1} is outside [0, {2})", index, dim, extent);
}
constexpr Error axis_again(int axis, int first) noexcept
{
    return Error(errc::bad_axis, axis, "axis {0} of the list repeats axis {1}", axis, first);
}
constexpr Error iter_extent(int iter, std::int64_t extent) noexcept
{
    return Error(errc::bad_extent, iter, "the extent of iter {0} is {1}; it must be at least 1", iter, extent);
}
constexpr Error lanes_of_a_warp(std::int64_t lanes) noexcept
{
    return Error(errc::bad_argument, -1, "a warp has 1 to 64 lanes, got {0}", lanes);
}
constexpr Error shape_capacity(int most, std::int64_t rank) noexcept
{
    return Error(errc::capacity, most, "a shape has at most {0} dimensions, this one has {1}", most, rank);
}
constexpr Error one_value_needed() noexcept
{
    return Error(errc::not_single_valued, -1, "the layout has replicas; one value for each index is needed");
}
constexpr Error undefined_map() noexcept
{
    return Error(errc::bad_argument, -1, "the map is undefined; nothing is known about it");
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
