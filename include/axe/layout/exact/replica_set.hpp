// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_REPLICA_SET_HPP
#define AXE_LAYOUT_EXACT_REPLICA_SET_HPP

#include <axe/layout/exact/bounded_sum.hpp>

/// Replica lists as sets: on each axis R stands for the sums { Σ i·s : 0 ≤ i < n }, and the axes are independent.
namespace axe {
inline namespace v0 {
namespace detail {

/// Rewrites a replica list to its canonical form; the offset takes up what sign changes move.      [Axe App. A, C0–C2]
///
/// Extents of 1 and strides of 0 go; a negative stride is turned round; (n₁, s) and (n₂, q·s) with 1 ≤ q ≤ n₁ become
/// (n₁ + q(n₂−1), s), smallest stride first, until nothing changes; then axis by axis in increasing order of stride.
/// Under the gap condition the result is the only such list for its set.
template <class Int, class P>
AXE_NOINLINE constexpr Status canonical_replica(BasicIter<Int>* list, int& count, P& offset) noexcept
{
    const auto erase = [&](int at) {
        --count;
        for (int i = at; i < count; ++i) list[i] = list[i + 1];
        list[count] = BasicIter<Int>{};
    };
    for (int i = count - 1; i >= 0; --i) {
        auto& it = list[i];
        if (it.extent == 1 || it.stride == 0) {
            erase(i);
        } else if (it.stride < 0) {
            Int turned; // a list that an operation has scaled may reach farther than a checked one
            if (!mul(Int(it.extent - 1), it.stride, turned)) return result_overflow();
            if (!sub(Int{0}, it.stride, it.stride)) return result_overflow();
            if (const Status e = add_offset(offset, it.axis, turned); !e.ok()) return e;
        }
    }
    const auto before = [](const auto& a, const auto& b) {
        if (!(a.axis == b.axis)) return a.axis < b.axis;
        return a.stride != b.stride ? a.stride < b.stride : a.extent < b.extent;
    };
    for (int i = 1; i < count; ++i)
        for (int k = i; k > 0 && before(list[k], list[k - 1]); --k) {
            const auto moved = list[k];
            list[k] = list[k - 1];
            list[k - 1] = moved;
        }
    for (int i = 0; i < count; ++i)
        for (int k = i + 1; k < count && list[k].axis == list[i].axis; ++k) {
            if (!divides(list[i].stride, list[k].stride)) continue;
            const auto q = quotient(list[k].stride, list[i].stride);
            if (q > list[i].extent) continue;
            if (!add_product(q, Int(list[k].extent - 1), list[i].extent)) return result_overflow();
            erase(k);
            i = -1; // a longer progression may take more: start again at the smallest stride
            break;
        }
    return {};
}

template <class List, class P>
constexpr Status canonical_replica(List& list, P& offset) noexcept
{
    return list.empty() ? Error{} : canonical_replica(list.items, list.count, offset);
}

/// The sums of one axis of a canonical replica list.
template <class Int, int Capacity, class List>
constexpr void replica_sums(const List& list, const Axis& axis, BoundedSum<Int, Capacity>& sums) noexcept
{
    for (const auto& it : list)
        if (it.axis == axis) sums.insert(it.extent, it.stride);
    sums.prepare();
}

enum class Answer : std::uint8_t { no, yes, too_hard };

/// Is every sum of `a` a sum of `b`?
template <class Int, int N, int M>
AXE_COLD constexpr Answer subset(const BoundedSum<Int, N>& a, const BoundedSum<Int, M>& b, std::int64_t& steps) noexcept
{
    wider_t<Int> value = 0;
    while (true) {
        if (!b.contains(value, steps)) return steps > 0 ? Answer::no : Answer::too_hard;
        if (value == a.footprint[a.count]) return Answer::yes;
        value = a.at_least(value + 1, steps);
        if (--steps <= 0) return Answer::too_hard;
    }
}

/// Do two canonical replica lists represent the same set on the axis? Lists that obey the gap condition are compared as they are.
template <class L>
AXE_COLD constexpr Answer same_set(const L& a, const L& b, const Axis& axis) noexcept
{
    using Int = typename L::integer;
    BoundedSum<Int, L::max_replica> x, y;
    replica_sums(a.replica, axis, x);
    replica_sums(b.replica, axis, y);
    bool same = x.count == y.count;
    for (int i = 0; same && i < x.count; ++i) same = x.extent[i] == y.extent[i] && x.stride[i] == y.stride[i];
    if (same) return Answer::yes;
    if (x.footprint[x.count] != y.footprint[y.count] || x.common[x.count] != y.common[y.count]) return Answer::no;
    if (x.has_gaps() && y.has_gaps()) return Answer::no;
    std::int64_t steps = 4 * search_limit;
    const Answer forth = subset(x, y, steps);
    return forth == Answer::yes ? subset(y, x, steps) : forth;
}

template <class L>
constexpr Answer same_replicas(const L& a, const L& b) noexcept
{
    if (a.replica == b.replica) return Answer::yes;
    Answer all = Answer::yes;
    for (int side = 0; side < 2; ++side) {
        const L& l = side == 0 ? a : b;
        for (int i = 0; i < l.replica.size(); ++i) {
            if (i > 0 && l.replica[i].axis == l.replica[i - 1].axis) continue;
            const Answer one = same_set(a, b, l.replica[i].axis);
            if (one == Answer::no) return one;
            if (one == Answer::too_hard) all = one;
        }
    }
    return all;
}

/// The same where the iters of D count with the replicas.
constexpr Error sums_too_hard(std::int64_t limit = search_limit) noexcept
{
    return Error(errc::too_hard, -1, "the strides of an axis overlap so much that more than {0} values would have to be examined",
                 limit);
}

constexpr Error replicas_too_hard() noexcept
{
    return Error(errc::too_hard, -1,
                 "replica sets that break the gap condition have more than {0} points on an axis; they are not enumerated",
                 search_limit);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
