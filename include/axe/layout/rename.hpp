// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_RENAME_HPP
#define AXE_LAYOUT_RENAME_HPP

#include <axe/layout/canonicalize.hpp>

namespace axe {
inline namespace v0 {
/// Another name for an axis:  rename(L, a→b)(x) has at b what L(x) has at a.
///
/// `errc::unknown_axis` when L has no a; `errc::bad_axis` when L has b already, as two axes would become one. Renaming an axis to
/// itself changes nothing. Cost: linear.
template <AnyLayout L>
constexpr Result<L> rename(const L& layout, const Axis& from, const Axis& to) noexcept
{
    if (const Error e = check(layout)) return e;
    bool has_from = false, has_to = false;
    const auto look = [&](const Axis& axis) {
        has_from = has_from || axis == from;
        has_to = has_to || axis == to;
    };
    for (const auto& it : layout.shard) look(it.axis);
    for (const auto& it : layout.replica) look(it.axis);
    for (const auto& e : layout.offset) look(e.axis);
    if (!has_from) return Error(errc::unknown_axis, -1, "the layout has no axis of the name that is to be changed");
    if (has_to && !(from == to)) return Error(errc::bad_axis, -1, "the layout has an axis of the new name already");

    L renamed = layout;
    for (auto& it : renamed.shard)
        if (it.axis == from) it.axis = to;
    for (auto& it : renamed.replica)
        if (it.axis == from) it.axis = to;
    renamed.offset = {};
    for (const auto& e : layout.offset) *renamed.offset.entry(e.axis == from ? to : e.axis) = e.value;
    return canonicalize(renamed);
}

} // namespace v0
} // namespace axe

#endif
