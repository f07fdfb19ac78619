// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_REPLICA_QUOTIENT_HPP
#define AXE_LAYOUT_REPLICA_QUOTIENT_HPP

#include <axe/layout/replica_set.hpp>

/// Given sets A and B of sums on one axis, a set of sums X with X ⊕ B = A.
namespace axe {
inline namespace v0 {
namespace detail {

/// The terms of X on one axis.
template <class Int>
struct Terms {
    Int extent[most_digits];
    Int stride[most_digits];
    int count = 0;
    constexpr void push(Int n, Int s) noexcept
    {
        if (n == 1) return;
        extent[count] = n;
        stride[count++] = s;
    }
};

/// The direct quotient, where every sum of A is made in one way: exists iff each progression (n, s) of A is a chain
/// 1 | q_1 | q_1·m_1 | q_2 | … | n of the progressions (m_i, q_i·s) of B, and X fills the gaps. (A direct sum that is an interval is
/// always such a chain: de Bruijn 1950.) For lists that obey the gap condition.
template <class Int, int N>
AXE_COLD constexpr bool direct_quotient(const BoundedSum<Int, N>& a, const BoundedSum<Int, N>& b, Terms<Int>& x) noexcept
{
    x.count = 0;
    int k = 0;
    for (int i = 0; i < a.count; ++i) {
        const Int s = a.stride[i];
        Int filled = 1;
        for (; k < b.count && (i + 1 == a.count || b.stride[k] < a.stride[i + 1]); ++k) {
            if (b.stride[k] % s != 0) return false;
            const Int q = b.stride[k] / s;
            if (q > a.extent[i] || q % filled != 0) return false;
            x.push(q / filled, filled * s);
            filled = q;
            if (!mul(filled, b.extent[k], filled) || filled > a.extent[i]) return false;
        }
        if (a.extent[i] % filled != 0) return false;
        x.push(a.extent[i] / filled, filled * s);
    }
    return k == b.count;
}

/// The quotient by search, for small sets: progressions are added in increasing order of stride as long as all their sums stay in
/// the largest candidate { x : x ⊕ B ⊆ A }, and the fewest points that reach all of A are kept.
template <class Int, int N>
struct QuotientSearch {
    static constexpr int limit = 1 << 12;

    const BoundedSum<Int, N>& a;
    const BoundedSum<Int, N>& b;
    Int step; ///< X may hold multiples of this only
    std::int64_t& steps;
    Int candidates[limit]; ///< ascending
    int candidate_count = 0;
    Int points[2 * limit]; ///< a stack: the sums of the terms chosen so far, ascending
    Terms<Int> terms, best;
    int best_size = 0;

    constexpr QuotientSearch(const BoundedSum<Int, N>& whole, const BoundedSum<Int, N>& part, Int multiple,
                             std::int64_t& limit_of_steps) noexcept
        : a(whole), b(part), step(multiple), steps(limit_of_steps)
    {
    }

    [[nodiscard]] constexpr bool is_candidate(Int v) const noexcept
    {
        int lo = 0, hi = candidate_count;
        while (lo < hi) {
            const int mid = (lo + hi) / 2;
            if (candidates[mid] < v)
                lo = mid + 1;
            else
                hi = mid;
        }
        return lo < candidate_count && candidates[lo] == v;
    }

    /// Does every sum of A lie in (the first `count` points) ⊕ B?
    [[nodiscard]] AXE_COLD constexpr bool reaches_all(const Int* set, int count) noexcept
    {
        wider_t<Int> v = 0;
        while (true) {
            bool found = false;
            for (int i = 0; i < count && !found && set[i] <= v; ++i) {
                found = b.contains(v - set[i], steps);
                if (--steps <= 0) return false;
            }
            if (!found) return false;
            if (v == a.reach[a.count]) return true;
            v = a.at_least(v + 1, steps);
        }
    }

    AXE_COLD constexpr Answer run() noexcept
    {
        if (a.reach[a.count] < b.reach[b.count]) return Answer::no;
        const wider_t<Int> top = a.reach[a.count] - b.reach[b.count];
        for (wider_t<Int> v = 0; v <= top; v = a.at_least(v + 1, steps)) {
            bool inside = v % step == 0;
            for (wider_t<Int> w = 0; inside; w = b.at_least(w + 1, steps)) {
                inside = a.contains(v + w, steps);
                if (w == b.reach[b.count] || steps <= 0) break;
            }
            if (steps <= 0 || candidate_count == limit) return Answer::too_hard;
            if (inside) candidates[candidate_count++] = static_cast<Int>(v);
            if (v == top) break;
        }
        if (candidate_count == 0 || candidates[candidate_count - 1] != top) return Answer::no;
        if (!reaches_all(candidates, candidate_count)) return steps <= 0 ? Answer::too_hard : Answer::no;
        best_size = candidate_count + 1;
        points[0] = 0;
        extend(points, 1, 1, static_cast<Int>(top));
        if (steps <= 0) return Answer::too_hard;
        return best_size <= candidate_count ? Answer::yes : Answer::no;
    }

  private:
    /// Goes on from the set of `count` points, with strides from `least_candidate` on, `rest` short of the largest sum.
    AXE_COLD constexpr void extend(Int* set, int count, int least_candidate, Int rest) noexcept
    {
        if (steps <= 0 || count >= best_size) return;
        if (rest == 0) {
            if (reaches_all(set, count)) {
                best.count = 0;
                for (int i = 0; i < terms.count; ++i) best.push(terms.extent[i], terms.stride[i]);
                best_size = count;
            }
            return;
        }
        if (terms.count == N) return;
        for (int c = least_candidate; c < candidate_count && candidates[c] <= rest; ++c) {
            const Int s = candidates[c];
            // The last term must make up what is short; each larger extent is tried while all sums stay candidates.
            Int* sums = set + count;
            for (Int n = 2; (n - 1) <= rest / s; ++n) {
                if (--steps <= 0) return;
                int size = 0;
                bool inside = true;
                // merge of the progression's translates: set + i·s for i < n
                for (Int i = 0; i < n && inside; ++i)
                    for (int p = 0; p < count && inside; ++p) {
                        const Int v = set[p] + i * s;
                        int at = size;
                        while (at > 0 && sums[at - 1] > v) --at;
                        if (at > 0 && sums[at - 1] == v) continue;
                        inside = is_candidate(v) && size < best_size;
                        if (!inside) break;
                        for (int k = size++; k > at; --k) sums[k] = sums[k - 1];
                        sums[at] = v;
                    }
                if (!inside) break; // more would not fit either
                terms.push(n, s);
                extend(sums, size, c + 1, rest - (n - 1) * s);
                --terms.count;
            }
        }
    }
};

/// X with X ⊕ B = A on one axis, of the fewest points, its strides multiples of `step`; the terms are appended to `out`.
template <class L, class List>
AXE_COLD constexpr Answer replica_quotient(const L& a_layout, const L& b_layout, const Axis& axis, typename L::integer step,
                                           bool direct, List& out) noexcept
{
    using Int = typename L::integer;
    BoundedSum<Int, L::max_replica> a, b;
    replica_sums(a_layout.replica, axis, a);
    replica_sums(b_layout.replica, axis, b);
    const auto give = [&](const Terms<Int>& terms) {
        for (int i = 0; i < terms.count; ++i)
            if (!out.push_back({terms.extent[i], terms.stride[i], axis})) return Answer::too_hard;
        return Answer::yes;
    };
    if (a.has_gaps() && b.has_gaps()) {
        Terms<Int> x;
        if (direct_quotient(a, b, x)) {
            bool multiples = true;
            for (int i = 0; i < x.count; ++i) multiples = multiples && x.stride[i] % step == 0;
            if (multiples) return give(x);
        }
        if (direct) return Answer::no; // tiles do not overlap: the quotient is direct or is none
    }
    std::int64_t steps = 4 * search_limit;
    QuotientSearch<Int, L::max_replica> search(a, b, step, steps);
    const Answer answer = search.run();
    return answer == Answer::yes ? give(search.best) : answer;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
