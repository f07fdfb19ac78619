// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EQUAL_HPP
#define AXE_LAYOUT_EQUAL_HPP

#include <axe/layout/exact/canonical.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Do two lists of one size have one canonical D?
template <class List, class Int>
constexpr bool same_digits(const List& a, const List& b, Int size) noexcept
{
    CanonicalReader<Int> left(a.begin(), a.end()), right(b.begin(), b.end());
    for (Int read = 1; read < size;) {
        const auto x = left.next();
        if (!(x == right.next())) return false;
        read *= x.extent;
    }
    return true;
}

/// The least index at which two different canonical lists of one size give different points.
///
/// The innermost iters that are alike say nothing. Where they first differ, with W the product of those inside: other strides show
/// at W, other extents at the smaller one times W, where one list has gone on to its next iter.
template <class List, class Other>
constexpr auto first_difference(const List& a, const Other& b) noexcept -> decltype(a[0].extent)
{
    decltype(a[0].extent) inner = 1;
    int i = a.size() - 1, k = b.size() - 1;
    for (; a[i] == b[k]; --i, --k) inner *= a[i].extent; // they differ, and have one size: neither ends first
    if (a[i].stride != b[k].stride || !(a[i].axis == b[k].axis)) return inner;
    return inner * least(a[i].extent, b[k].extent);
}

} // namespace detail

/// Are two layouts one map: the same size, and L(x) = M(x) as sets for every x?
///
/// Exact for every pair. On a no, `witness()` is the least x that differs (the two sets are `points(L, x)` and `points(M, x)`),
/// or −1 when the sizes differ. Errors: those of `check`; `errc::too_hard` when replica sets break the gap condition and are too
/// large to enumerate.
/// Cost: linear in the number of iters, whatever the extents.
template <AnyLayout L>
constexpr Decision equal(const L& layout, const detail::same<L>& other) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = check(other); !e.ok()) return e;
    const Int size = product(layout.shard);
    if (size != product(other.shard)) return Decision(false);

    // The least corner of the sets is D(x) + O once the replica strides are positive: O is compared first, then R, then D.
    if (!(layout.replica == other.replica && layout.offset == other.offset)) {
        L x, y;
        if (const Status e = canonical_sets(layout, x); !e.ok()) return e;
        if (const Status e = canonical_sets(other, y); !e.ok()) return e;
        if (!(x.offset == y.offset)) return Decision(false, 0);
        const Answer replicas = same_replicas(x, y);
        if (replicas == Answer::too_hard) return replicas_too_hard();
        if (replicas == Answer::no) return Decision(false, 0);
    }
    if (same_digits(layout.shard, other.shard, size)) return Decision(true);
    Digits<Int, L::max_shard> a, b;
    for (const auto& it : layout.shard) append(a, it);
    for (const auto& it : other.shard) append(b, it);
    return Decision(false, first_difference(a, b));
}

} // namespace v0
} // namespace axe

#endif
