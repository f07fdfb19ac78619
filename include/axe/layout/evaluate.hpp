// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EVALUATE_HPP
#define AXE_LAYOUT_EVALUATE_HPP

#include <axe/layout/exact/at_index.hpp>

namespace axe {
inline namespace v0 {
/// The point of an index of a layout without replicas:  D(x) + O.      [Axe 2.3]
///
/// Every axis that occurs in the layout has an entry (where there is room for those that move nothing). `errc::out_of_domain`; `errc::not_single_valued` when the replicas reach more
/// than one point. Cost: one division an iter.
template <AnyLayout L>
constexpr Result<typename L::Point> evaluate(const L& layout, typename L::integer index) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::in_domain(index, detail::product(layout.shard)); !e.ok()) return e;
    for (int i = 0; i < layout.replica.size(); ++i)
        if (layout.replica[i].extent > 1 && layout.replica[i].stride != 0)
            return Error(errc::not_single_valued, i, "replica iter {0} places an element at {1} points; use points()", i,
                         layout.replica[i].extent);
    Result<typename L::Point> result;
    detail::evaluate_into(layout, index, *result);
    return result;
}

/// The same for a coordinate of an admitted shape, row-major. Also `errc::size_mismatch`, `errc::rank_mismatch`.
template <AnyLayout L>
constexpr Result<typename L::Point> evaluate(const L& layout, const typename L::Shape& shape,
                                             const typename L::Coord& coord) noexcept
{
    const auto index = detail::index_of(layout, shape, coord);
    if (!index) return index.error();
    return evaluate(layout, *index);
}

} // namespace v0
} // namespace axe

#endif
