// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_DEDUPLICATE_HPP
#define AXE_MAP_IMPL_DEDUPLICATE_HPP

#include <axe/map/deduplicate.hpp>
#include <axe/map/simplify.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Are the two maps written alike: same intervals, same results, same constraints in any order? Names and kinds do not count.
inline bool is_same_map(const IndexingMap& x, const IndexingMap& y)
{
    if (x.is_undefined || y.is_undefined) return x.is_undefined && y.is_undefined;
    if (x.dimensions != y.dimensions || x.ranges != y.ranges || x.results.size() != y.results.size() ||
        x.constraints.size() != y.constraints.size() || !has_same_bounds(x, y))
        return false;
    // In one pool, equal expressions are equal numbers.
    IndexPool both = x.pool;
    PoolCopy copy(both, y.pool, both.variables(y.variables.size()));
    for (std::size_t i = 0; i < y.results.size(); ++i)
        if (!(copy(y.results[i]) == x.results[i])) return false;
    std::vector<IndexConstraint> constraints;
    for (const IndexConstraint& c : y.constraints) constraints.push_back(copy(c));
    return std::is_permutation(constraints.begin(), constraints.end(), x.constraints.begin());
}

} // namespace detail

AXE_DECL Result<std::vector<IndexingMap>> deduplicate(const std::vector<IndexingMap>& maps)
{
    std::vector<IndexingMap> out;
    for (const IndexingMap& map : maps) {
        const Result<IndexingMap> simple = simplify(map);
        if (!simple) return simple.error();
        bool is_known = false;
        for (const IndexingMap& known : out) is_known = is_known || detail::is_same_map(known, *simple);
        if (!is_known) out.push_back(*simple);
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
