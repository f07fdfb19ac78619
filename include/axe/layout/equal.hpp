// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EQUAL_HPP
#define AXE_LAYOUT_EQUAL_HPP

#include <axe/layout/canonicalize.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The least index at which two canonical lists of one size give different points; −1 when there is none.
///
/// The innermost iters that are alike say nothing. Where they first differ, with W the product of those inside: other strides show
/// at W, other extents at the smaller one times W, where one list has gone on to its next iter.
template <class List, class Other>
constexpr auto first_difference(const List& a, const Other& b) noexcept -> decltype(a[0].extent)
{
    decltype(a[0].extent) inner = 1;
    int i = a.size() - 1, k = b.size() - 1;
    for (; i >= 0 && k >= 0 && a[i] == b[k]; --i, --k) inner *= a[i].extent;
    if (i < 0 || k < 0) return -1; // the sizes are one, so both lists have ended
    if (a[i].stride != b[k].stride || !(a[i].axis == b[k].axis)) return inner;
    return inner * least(a[i].extent, b[k].extent);
}

} // namespace detail

/// Are two layouts one map: the same size, and L(x) = M(x) as sets for every x?
///
/// Exact for every pair. A no carries the least x that differs (`witness`; the two sets are `points(L, x)` and `points(M, x)`),
/// or −1 when the sizes differ. Errors: those of `check`; `errc::too_hard` when replica sets break the gap condition and are too
/// large to enumerate.
/// Cost: linear in the number of iters, whatever the extents.
template <AnyLayout L>
constexpr Verdict equal(const L& layout, const detail::same<L>& other) noexcept
{
    using namespace detail;
    if (const Error e = check(layout)) return e;
    if (const Error e = check(other)) return e;
    if (product(layout.shard) != product(other.shard)) return Verdict::no();

    // The least corner of the sets is D(x) + O once the replica strides are positive: O is compared first, then R, then D.
    if (!(layout.replica == other.replica && layout.offset == other.offset)) {
        L x, y;
        if (const Error e = canonical_sets(layout, x)) return e;
        if (const Error e = canonical_sets(other, y)) return e;
        if (!(x.offset == y.offset)) return Verdict::no(0);
        const Answer replicas = same_replicas(x, y);
        if (replicas == Answer::too_hard) return replicas_too_hard();
        if (replicas == Answer::no) return Verdict::no(0);
    }
    Digits<typename L::integer, L::max_shard> a, b;
    for (const auto& it : layout.shard) append(a, it);
    for (const auto& it : other.shard) append(b, it);
    const auto x = first_difference(a, b);
    return x < 0 ? Verdict::yes() : Verdict::no(x);
}

} // namespace v0
} // namespace axe

#endif
