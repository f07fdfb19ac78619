// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_CANONICAL_HPP
#define AXE_LAYOUT_EXACT_CANONICAL_HPP

#include <axe/layout/exact/replica_set.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Canonical R and O of a layout that has been checked, into an empty one.
template <class L>
constexpr Status canonical_sets(const L& layout, L& out) noexcept
{
    copy_offset(layout.offset, out.offset);
    if (layout.replica.empty()) return {};
    append_all(layout.replica, out.replica);
    if (const Status e = canonical_replica(out.replica, out.offset); !e.ok()) return e;
    out.offset.drop_zeros();
    return {};
}

/// `canonicalize` of a layout that has been checked, into an empty one.
template <class L>
constexpr Status canonicalize_into(const L& layout, L& out) noexcept
{
    for (const auto& it : layout.shard) append(out.shard, it);
    return canonical_sets(layout, out);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
