// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_RENAME_HPP
#define AXE_LAYOUT_RENAME_HPP

#include <axe/layout/canonicalize.hpp>

namespace axe {
inline namespace v0 {
/// Another name for an axis:  rename(L, a→b)(x) has at b what L(x) has at a.
///
/// L has an axis when its map moves or is nonzero on it: when a stride or a coordinate of its canonical form that is not 0 is on it. `errc::unknown_axis` when L has no a;
/// `errc::bad_axis` when L has b already, as two axes would become one. Renaming an axis to itself changes nothing. Cost: that of
/// `canonicalize`, twice.
template <AnyLayout L>
constexpr Result<L> rename(const L& layout, const Axis& from, const Axis& to) noexcept
{
    L renamed;
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::canonicalize_into(layout, renamed); !e.ok()) return e;
    bool has_from = false, has_to = false;
    const auto look = [&](const Axis& axis, typename L::integer moves) {
        has_from = has_from || (moves != 0 && axis == from);
        has_to = has_to || (moves != 0 && axis == to);
    };
    for (const auto& it : renamed.shard) look(it.axis, it.stride);
    for (const auto& it : renamed.replica) look(it.axis, it.stride);
    for (const auto& e : renamed.offset) look(e.axis, e.value);
    if (!has_from) return Error(errc::unknown_axis, -1, "the layout has no axis with the old name");
    if (has_to && !(from == to)) return Error(errc::bad_axis, -1, "the layout already has an axis with the new name");

    for (auto& it : renamed.shard)
        if (it.axis == from) it.axis = to;
    for (auto& it : renamed.replica)
        if (it.axis == from) it.axis = to;
    const auto offset = renamed.offset;
    renamed.offset = {};
    for (const auto& e : offset) *renamed.offset.entry(e.axis == from ? to : e.axis) = e.value;
    return canonicalize(renamed);
}

} // namespace v0
} // namespace axe

#endif
