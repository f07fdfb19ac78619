// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_PERMUTE_HPP
#define AXE_LAYOUT_PERMUTE_HPP

#include <axe/layout/group.hpp>

namespace axe {
inline namespace v0 {
/// A new order of the dimensions of a shape: place d of the result is dimension order[d].
using Order = InlineVector<int, max_rank>;

/// The dimensions in another order:  permute(L, S, order)(c_{order[0]}, c_{order[1]}, …) = L(c_0, c_1, …).
///
/// The result is on the shape (S_{order[0]}, S_{order[1]}, …). Exists iff S groups L (`errc::not_grouped` with the dimension
/// otherwise). `errc::bad_argument` when `order` is not a permutation of the dimensions. Cost: linear.
template <AnyLayout L>
constexpr Result<L> permute(const L& layout, const typename L::Shape& shape, const Order& order) noexcept
{
    const auto grouped = group(layout, shape);
    if (!grouped && !grouped.error().is_none()) return grouped.error(); // what is wrong comes before what does not exist
    if (order.size() != shape.size())
        return Error(errc::rank_mismatch, -1, "the order has {0} dimensions, the shape {1}", order.size(), shape.size());
    for (int d = 0; d < order.size(); ++d) {
        if (order[d] < 0 || order[d] >= shape.size())
            return Error(errc::bad_argument, d, "place {0} of the order is dimension {1}, but the shape has {2}", d, order[d],
                         shape.size());
        for (int e = 0; e < d; ++e)
            if (order[e] == order[d])
                return Error(errc::bad_argument, d, "place {0} of the order repeats dimension {1}", d, order[d]);
    }
    if (!grouped) return grouped.error();
    Result<L> result;
    for (int d = 0; d < order.size(); ++d)
        for (int i = grouped->begin(order[d]); i < grouped->end(order[d]); ++i)
            if (!detail::append(result->shard, grouped->layout.shard[i])) return detail::shard_capacity<L>();
    result->replica = grouped->layout.replica;
    result->offset = grouped->layout.offset;
    return result;
}

} // namespace v0
} // namespace axe

#endif
