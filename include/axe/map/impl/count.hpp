// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_COUNT_HPP
#define AXE_MAP_IMPL_COUNT_HPP

#include <axe/map/count.hpp>
#include <axe/map/presburger/counting.hpp>
#include <axe/map/presburger/domain_system.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL Result<std::int64_t> count_points(const IndexingMap& map)
{
    if (const Status e = detail::map_is_decidable(map); !e.ok()) return e;
    detail::PointCounter counter;
    const detail::WideInt count = counter.run(detail::domain_system(map));
    if (counter.is_unsound) return detail::map_form_overflow();
    if (!counter.is_decided) return detail::map_too_hard();
    if (!detail::is_short(count)) return Error(errc::overflow, -1, "the number of points of the domain overflows");
    return static_cast<std::int64_t>(count);
}

} // namespace v0
} // namespace axe

#endif
