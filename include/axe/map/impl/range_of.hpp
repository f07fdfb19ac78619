// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_RANGE_OF_HPP
#define AXE_MAP_IMPL_RANGE_OF_HPP

#include <axe/map/quasi_affine/normal_form.hpp>
#include <axe/map/range_of.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL IndexInterval range_of(const IndexingMap& map, IndexExpr expression)
{
    detail::FormSpace space;
    if (!space.set_bounds(map)) return {0, -1};
    detail::NormalForms forms(space, map.pool);
    return detail::range(space, *forms(expression));
}

} // namespace v0
} // namespace axe

#endif
