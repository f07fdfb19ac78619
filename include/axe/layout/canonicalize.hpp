// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_CANONICALIZE_HPP
#define AXE_LAYOUT_CANONICALIZE_HPP

#include <axe/layout/exact/canonical.hpp>

namespace axe {
inline namespace v0 {
/// The canonical form: canonicalize(L)(x) = L(x) for every x, and D is the only one for its map.      [Axe 3.3, App. A]
///
/// D: no extent 1, neighbors on one axis with s_k = n_{k+1}·s_{k+1} merged, stride 0 written on `m`. R, axis by axis: no extent 1,
/// no stride 0, strides positive (the offset takes up the turn), multiples absorbed, in increasing order. O: zeros dropped, ordered
/// by axis. Layouts whose replicas obey the gap condition (each stride larger than the footprint of the smaller ones) are equal
/// exactly when their canonical forms are.
///
/// Errors: those of `check`. Cost: linear in the shard iters, quadratic in the replica iters.
template <AnyLayout L>
constexpr Result<L> canonicalize(const L& layout) noexcept
{
    Result<L> result;
    if (const Status e = check(layout); !e.ok())
        result = e;
    else if (const Status f = detail::canonicalize_into(layout, *result); !f.ok())
        result = f;
    return result;
}

} // namespace v0
} // namespace axe

#endif
