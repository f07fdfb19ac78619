// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_PROJECT_HPP
#define AXE_LAYOUT_PROJECT_HPP

#include <axe/layout/canonicalize.hpp>
#include <axe/layout/exact/axis_list.hpp>

namespace axe {
inline namespace v0 {
/// The named axes alone:  project(L, axes)(x) has the coordinates of L(x) on `axes`, and 0 elsewhere.
///
/// Same domain: iters on other axes keep their extent with stride 0; their replicas and offsets go. An axis the layout does not
/// have is at 0 before and after. Always exists. Cost: linear.
template <AnyLayout L>
constexpr Result<L> project(const L& layout, const typename L::Axes& axes) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::check_axis_list(axes); !e.ok()) return e;
    L kept;
    for (auto it : layout.shard) {
        if (!detail::named(axes, it.axis)) it.stride = 0;
        kept.shard.push_back(it);
    }
    for (const auto& it : layout.replica)
        if (detail::named(axes, it.axis)) kept.replica.push_back(it);
    for (const auto& e : layout.offset)
        if (detail::named(axes, e.axis)) kept.offset.entries.push_back(e);
    return canonicalize(kept);
}

} // namespace v0
} // namespace axe

#endif
