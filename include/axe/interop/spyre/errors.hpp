// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_ERRORS_HPP
#define AXE_INTEROP_SPYRE_ERRORS_HPP

#include <axe/support/error.hpp>

/// The messages that several headers of Spyre layouts give, each of them once.
namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

constexpr Error no_stick(int dim) noexcept
{
    return Error(errc::bad_extent, dim, "the device holds no stick of the tensor; a layout has at least one element");
}
constexpr Error stick_stride_overflows(int dim) noexcept
{
    return Error(errc::overflow, dim, "the stride of the sticks of dimension {0} overflows", dim);
}
constexpr Error sticks_overflow(std::int64_t sticks) noexcept
{
    return Error(errc::overflow, -1, "the elements of {0} sticks overflow", sticks);
}
constexpr Error order_rank(std::int64_t order, std::int64_t rank) noexcept
{
    return Error(errc::rank_mismatch, -1, "the order names {0} dimensions, the tensor has {1}", order, rank);
}
constexpr Error coordinate_rank(std::int64_t indices, std::int64_t rank) noexcept
{
    return Error(errc::rank_mismatch, -1, "the coordinate has {0} indices, the tensor {1} dimensions", indices, rank);
}

} // namespace detail
} // namespace spyre
} // namespace v0
} // namespace axe

#endif
