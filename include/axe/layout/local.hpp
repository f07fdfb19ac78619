// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_LOCAL_HPP
#define AXE_LAYOUT_LOCAL_HPP

#include <axe/layout/canonicalize.hpp>
#include <axe/layout/exact/axis_list.hpp>

namespace axe {
inline namespace v0 {
/// What one owner holds: the iters, replicas and offsets on `axes` are removed, so the domain shrinks.
///
/// local((2,32,2,64):(1@gpuid,64,2@gpuid,1), {gpuid}) = (32,64):(64,1), the tensor of one device. An iter of stride 0 is on no axis
/// and stays. An axis the layout does not have is nothing to remove. Always exists. Cost: linear.
template <AnyLayout L>
constexpr Result<L> local(const L& layout, const typename L::Axes& axes) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::check_axis_list(axes); !e.ok()) return e;
    L kept;
    for (const auto& it : layout.shard)
        if (it.stride == 0 || !detail::named(axes, it.axis)) kept.shard.push_back(it);
    for (const auto& it : layout.replica)
        if (!detail::named(axes, it.axis)) kept.replica.push_back(it);
    for (const auto& e : layout.offset)
        if (!detail::named(axes, e.axis)) kept.offset.entries.push_back(e);
    return canonicalize(kept);
}

} // namespace v0
} // namespace axe

#endif
