// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_EMPTY_HPP
#define AXE_MAP_IMPL_EMPTY_HPP

#include <axe/map/empty.hpp>
#include <axe/map/presburger/domain_system.hpp>

#include <optional>

namespace axe {
inline namespace v0 {

AXE_DECL Result<std::optional<std::vector<std::int64_t>>> find_point(const IndexingMap& map)
{
    if (const Status e = detail::map_is_decidable(map); !e.ok()) return e;
    detail::IntegerSearch search(detail::SearchGoal::first);
    search.run(detail::domain_system(map, {}, {}, true));
    if (const Status e = search.status(); !e.ok()) return e;
    std::optional<std::vector<std::int64_t>> out;
    if (search.is_found) out = std::move(search.point);
    return out;
}

/// What is in no interval holds everywhere in an empty domain.
AXE_DECL Decision is_empty(const IndexingMap& map) { return is_always(map, {}); }

AXE_DECL Decision is_always(const IndexingMap& map, const IndexConstraint& constraint)
{
    if (const Status e = detail::map_is_decidable(map); !e.ok()) return e;
    detail::IntegerSearch search(detail::SearchGoal::any);
    std::vector<detail::AskedConstraint> asked;
    if (!constraint.interval.is_empty()) asked.push_back({constraint.expression, detail::as_range(constraint.interval), true});
    search.run(detail::domain_system(map, {}, asked));
    if (const Status e = search.status(); !e.ok()) return e;
    return Decision(!search.is_found);
}

} // namespace v0
} // namespace axe

#endif
