// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_COUNT_HPP
#define AXE_MAP_COUNT_HPP

#include <axe/map/empty.hpp>
#include <axe/map/presburger/counting.hpp>

namespace axe {
inline namespace v0 {

/// The number of points of the domain: values of all variables, run-time ones too. 1 for a map without variables.
///
/// Closed forms count boxes, constraints on one or two variables at a time, and residues, at any extents; what connects more variables
/// is cut.  @returns `errc::overflow` for more than an integer holds; otherwise errors as `find_point`.
inline Result<std::int64_t> count_points(const IndexingMap& map)
{
    if (const Error e = detail::map_is_decidable(map)) return e;
    detail::PointCounter counter;
    const detail::WideInt count = counter.run(detail::domain_system(map));
    if (counter.is_unsound) return detail::map_form_overflow();
    if (!counter.is_decided) return detail::map_too_hard();
    if (!detail::is_short(count)) return Error(errc::overflow, -1, "the domain has more points than the integer holds");
    return static_cast<std::int64_t>(count);
}

} // namespace v0
} // namespace axe

#endif
