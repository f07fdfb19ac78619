// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_RANGE_OF_HPP
#define AXE_MAP_RANGE_OF_HPP

#include <axe/map/quasi_affine/normal_form.hpp>

namespace axe {
inline namespace v0 {

/// An interval that holds all values of an expression of the map's pool while the variables are in their intervals.
inline IndexInterval range_of(const IndexingMap& map, IndexExpr expression)
{
    detail::FormSpace space;
    for (const IndexVariable& v : map.variables) {
        if (v.bounds.is_empty()) return {0, -1};
        space.bounds.push_back(v.bounds);
    }
    detail::NormalForms forms(space, map.pool);
    return detail::range(space, *forms(expression));
}

} // namespace v0
} // namespace axe

#endif
