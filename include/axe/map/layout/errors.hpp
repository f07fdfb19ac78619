// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_LAYOUT_ERRORS_HPP
#define AXE_MAP_LAYOUT_ERRORS_HPP

#include <axe/map/errors.hpp>
#include <axe/support/error.hpp>

/// Why a map is not a layout, in the words of all that find it out.
namespace axe {
inline namespace v0 {
namespace detail {

/// Not decided in this way; another one may tell.
inline Error unseen()
{
    Error e;
    e.code = errc::too_hard;
    return e;
}
inline Error domain_is_empty() { return Error(errc::no_layout, -1, "the domain is empty; a layout has at least one element"); }
inline Error domain_has_gaps() { return Error(errc::no_layout, -1, "a constraint excludes points of the box of the variables"); }
inline Error no_value_of_layout(std::int64_t index)
{
    return Error(errc::no_layout, -1, "the value at row-major index {0} is not one that a layout can have there", index);
}
inline Error no_translate(std::int64_t index)
{
    return Error(errc::no_layout, -1, "the set at row-major index {0} is not a translate of the set at index 0", index);
}
inline Error no_product()
{
    return Error(errc::no_layout, -1, "the set at an index is not a product of sets of the single results");
}
inline Error no_progressions(std::int64_t result)
{
    return Error(errc::no_layout, -1, "the values of result {0} at an index are not a sum of progressions", result);
}
inline Error moved_at_run_time(std::int64_t variable)
{
    return Error(errc::no_layout, -1, "run-time variable {0} moves the results by an amount known only at run time", variable);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
