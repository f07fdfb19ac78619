// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_ERRORS_HPP
#define AXE_INTEROP_SHARDING_ERRORS_HPP

#include <axe/support/error.hpp>
#include <axe/text/common/reader.hpp>

/// The messages that several notations of shardings give, each of them once.
namespace axe {
inline namespace v0 {
namespace sharding {
namespace detail {

constexpr Error parts_capacity(int most) noexcept
{
    return Error(errc::capacity, most, "the sharding needs more than {0} parts", most);
}
constexpr Error negative_device(std::int64_t device) noexcept
{
    return Error(errc::out_of_domain, -1, "device {0} has a number below 0", device);
}
constexpr Error empty_step(std::int64_t extent) noexcept
{
    return Error(errc::bad_extent, -1, "a step through the devices has extent {0}; it must be at least 1", extent);
}
constexpr Error too_many_listed(std::int64_t devices, std::int64_t most) noexcept
{
    return Error(errc::capacity, -1, "{0} devices out of order would have to be listed; at most {1} can be", devices, most);
}
constexpr Error order_capacity(int most) noexcept
{
    return Error(errc::capacity, most, "the order of the devices has more than {0} digits", most);
}
constexpr Error sharding_rank(std::int64_t rank, std::int64_t sharding) noexcept
{
    return Error(errc::rank_mismatch, -1, "the shape has {0} dimensions, the sharding {1}", rank, sharding);
}
constexpr Error marks_capacity(int most) noexcept
{
    return Error(errc::capacity, most, "a sharding names at most {0} replicated and {0} unreduced axes", most);
}
constexpr Error parts_stay(int dim, std::int64_t parts) noexcept
{
    return Error(errc::no_layout, dim,
                 "dimension {0} has {1} parts that stay on a device; only DTensor's _StridedShard expresses that", dim, parts);
}

/// The numbers of devices begin at 0; this one is below.
constexpr bool negative_device(axe::detail::Reader& in, int where, std::int64_t device) noexcept
{
    return in.fail(errc::out_of_domain, where, "the device at character {0} is {1}; device numbers start at 0", device);
}
constexpr bool axis_again(axe::detail::Reader& in, int where) noexcept
{
    return in.fail(errc::bad_argument, where, "the mesh axis at character {0} is already named");
}
constexpr bool no_steps(axe::detail::Reader& in, int where) noexcept
{
    return in.fail(errc::no_layout, where, "the device list at character {0} is not a product of steps");
}
constexpr bool close_reduction(axe::detail::Reader& in) noexcept
{
    return in.expect(')', "expected ')' after the reduction at character {0}");
}
constexpr bool close_dimension(axe::detail::Reader& in) noexcept
{
    return in.expect(')', "expected ')' after the dimension at character {0}");
}
constexpr bool open_iota(axe::detail::Reader& in) noexcept { return in.expect('[', "expected '[' after <= at character {0}"); }
template <class Item>
constexpr bool read_axes(axe::detail::Reader& in, Item item) noexcept
{
    return axe::detail::read_list(in, '}', "expected ',' or '}' after the axis at character {0}", item);
}

} // namespace detail
} // namespace sharding
} // namespace v0
} // namespace axe

#endif
