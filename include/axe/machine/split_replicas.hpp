// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_SPLIT_REPLICAS_HPP
#define AXE_MACHINE_SPLIT_REPLICAS_HPP

#include <axe/layout/exact/replica_set.hpp>
#include <axe/machine/machine.hpp>

/// The replicas on an axis, from their least point on, as quotients and remainders by e:  R = e·A ⊕ B  with B in [0, e).
///
/// Replica iters move on one axis each, so the split set must be a product; and A and B are known from R alone, B being what R has
/// below e. Let R be canonical and obey the gap condition, strides s_1 < s_2 < …; P_k the sums of the first k.
///
/// Claim. R is such a product iff each iter (n, s) is a multiple of e, or is below it (all of these together have a footprint of at most e),
/// or has s | e and e/s | n, so that it is both in turn. *If* is plain. *Only if*: let (n, s) be the first iter with which the
/// reach comes to e, P the sums before it.
///  - s > e: the elements below e are P = B. Take an iter of stride t where those before it are multiples of e or in B. In its
///    class [ea, ea + e), ea is an element. Were t ≠ ea, then ea would be a sum of smaller iters and t − ea in B, so t such a sum
///    too, which the gap condition forbids.
///  - s < e: e is in R, so e = k·s + p with p in P. As e + P is in R too, P + p = P modulo s. With p ≠ 0 and g = gcd(p, s), P would
///    be Q ⊕ (s/g, g), Q below g; by induction on the number of iters, its last iter would chain with s, and R not be canonical.
///    So s | e. A class that (n, s) leaves half full is filled by no larger iter, for the same two reasons; so e/s | n, and the
///    iters after it are multiples of e as before.
namespace axe {
inline namespace v0 {
namespace detail {

/// A list of progressions whose sums are given values, by search: strides rise, and the next one is at most the least value that
/// no sum reaches yet.
template <class Int>
class ProgressionSearch {
  public:
    static constexpr int limit = 1 << 12;

    Digits<Int> terms;

    /// @param values ascending from 0, at most `limit`
    AXE_COLD constexpr Answer run(const Int* values, int count, std::int64_t& steps) noexcept
    {
        values_ = values;
        count_ = count;
        terms.count = 0;
        points_[0] = 0;
        IndexSet reached;
        reached.insert(0);
        const bool found = extend(1, 1, reached, steps);
        return found ? Answer::yes : steps > 0 ? Answer::no : Answer::too_hard;
    }

  private:
    struct IndexSet {
        std::uint64_t words[limit / 64]{};
        constexpr bool has(int i) const noexcept { return (words[i / 64] >> (i % 64) & 1) != 0; }
        constexpr bool insert(int i) noexcept
        {
            const bool is_new = !has(i);
            words[i / 64] |= std::uint64_t{1} << (i % 64);
            return is_new;
        }
    };
    const Int* values_ = nullptr;
    int count_ = 0;
    Int points_[limit]; ///< the sums of the terms chosen so far

    [[nodiscard]] constexpr int place(Int v) const noexcept
    {
        int lo = 0, hi = count_;
        while (lo < hi) {
            const int mid = (lo + hi) / 2;
            if (values_[mid] < v)
                lo = mid + 1;
            else
                hi = mid;
        }
        return lo < count_ && values_[lo] == v ? lo : -1;
    }
    AXE_COLD constexpr bool extend(int size, int least, const IndexSet& reached, std::int64_t& steps) noexcept
    {
        int open = 0;
        while (open < count_ && reached.has(open)) ++open;
        if (open == count_) return true;
        for (int c = least; c <= open; ++c) {
            IndexSet now_reached = reached;
            int now = size;
            for (Int n = 2;; ++n) {
                bool inside = true;
                for (int p = 0; p < size && inside; ++p) {
                    if (--steps <= 0) return false;
                    const auto x = points_[p] + wider_t<Int>(n - 1) * values_[c];
                    const int at = x > values_[count_ - 1] ? -1 : place(static_cast<Int>(x));
                    inside = at >= 0;
                    if (inside && now_reached.insert(at)) points_[now++] = static_cast<Int>(x);
                }
                if (!inside) break;
                if (!terms.push_back({n, values_[c], Axis{}})) return false;
                if (extend(now, c + 1, now_reached, steps)) return true;
                --terms.count;
            }
        }
        return false;
    }
};

constexpr Error no_replica_split(std::int64_t extent) noexcept
{
    return Error(errc::no_layout, -1, "the replicas on the axis, split at multiples of {0}, are not a product of two sets", extent);
}

/// The sets A and B of lists that do not obey the gap condition, one point after another.
template <class Int, int N, class L>
AXE_COLD constexpr Status split_listed(const BoundedSum<Int, N>& sums, const AxisSplit& split, Int e, L& out, Int& width) noexcept
{
    constexpr int limit = ProgressionSearch<Int>::limit;
    Int whole[limit], outer[limit];
    int count = 0, inners = 0, outers = 0;
    std::int64_t steps = 4 * search_limit;
    for (wider_t<Int> v = 0;; v = sums.at_least(v + 1, steps)) {
        if (count == limit || steps <= 0) return replicas_too_hard();
        whole[count++] = static_cast<Int>(v);
        if (v == sums.footprint[sums.count]) break;
    }
    while (inners < count && whole[inners] < e) ++inners;
    if (count % inners != 0) return no_replica_split(e);
    for (int i = 0; i < count; ++i) {
        if (i % inners == 0) outer[outers++] = quotient(whole[i], e);
        if (whole[i] != outer[outers - 1] * e + whole[i % inners]) return no_replica_split(e);
    }
    width = whole[inners - 1];
    ProgressionSearch<Int> search;
    for (const bool is_outer : {true, false}) {
        const Answer answer = is_outer ? search.run(outer, outers, steps) : search.run(whole, inners, steps);
        if (answer == Answer::too_hard) return replicas_too_hard();
        if (answer == Answer::no) return no_replica_split(e);
        for (const auto& it : search.terms)
            if (!out.replica.push_back({it.extent, it.stride, is_outer ? split.outer : split.inner})) return replica_capacity<L>();
    }
    return {};
}

/// The replicas of a canonical layout, split; those on other axes as they are.
/// @param width how far those on the inner axis reach
template <class L>
constexpr Status split_replicas(const L& canonical, const AxisSplit& split, typename L::integer e, L& out,
                                typename L::integer& width) noexcept
{
    using Int = typename L::integer;
    BoundedSum<Int, L::max_replica> sums;
    width = 0;
    for (const auto& it : canonical.replica)
        if (!(it.axis == split.whole) && !out.replica.push_back(it)) return replica_capacity<L>();
    replica_sums(canonical.replica, split.whole, sums);
    const int others = out.replica.size();
    wider_t<Int> footprint = 0;
    bool room = true;
    for (int i = 0; i < sums.count; ++i) {
        const Int n = sums.extent[i], s = sums.stride[i];
        if (divides(e, s)) {
            room = room && out.replica.push_back({n, quotient(s, e), split.outer});
        } else if (s < e && divides(s, e) && divides(quotient(e, s), n)) {
            const Int m = quotient(e, s);
            if (n != m) room = room && out.replica.push_back({quotient(n, m), Int{1}, split.outer});
            room = room && out.replica.push_back({m, s, split.inner});
            footprint += e - s;
        } else {
            room = room && out.replica.push_back({n, s, split.inner});
            footprint += wider_t<Int>(n - 1) * s;
        }
    }
    if (footprint < e) {
        width = static_cast<Int>(footprint);
        return room ? Error{} : replica_capacity<L>();
    }
    while (out.replica.size() > others) out.replica.pop_back();
    if (sums.has_gaps()) return no_replica_split(e);
    return split_listed(sums, split, e, out, width);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
