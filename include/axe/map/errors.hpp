// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_ERRORS_HPP
#define AXE_MAP_ERRORS_HPP

#include <axe/support/error.hpp>

/// The messages that several rooms of indexing maps give, each of them once.
namespace axe {
inline namespace v0 {
namespace detail {

constexpr Error divisor_may_be_zero() noexcept
{
    return Error(errc::too_hard, -1, "a divisor of the map may be 0 within the intervals of its variables");
}
constexpr Error constant_overflows() noexcept { return Error(errc::overflow, -1, "a constant of the expression overflows"); }
constexpr Error empty_domain() noexcept { return Error(errc::bad_argument, -1, "the map has an empty domain"); }
constexpr Error no_identifier() noexcept { return Error(errc::bad_argument, -1, "the name of the function is not an identifier"); }
constexpr Error value_overflows() noexcept { return Error(errc::overflow, -1, "a value of the map overflows"); }
constexpr Error elements_overflow(int dim) noexcept { return Error(errc::overflow, dim, "the number of elements overflows"); }
constexpr Error concatenation_overflows(int operand) noexcept
{
    return Error(errc::overflow, operand, "the size of the concatenated dimension overflows");
}
constexpr Error tile_overflows() noexcept { return Error(errc::overflow, -1, "a number of the tile overflows"); }

} // namespace detail
} // namespace v0
} // namespace axe

#endif
