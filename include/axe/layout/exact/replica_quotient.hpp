// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_REPLICA_QUOTIENT_HPP
#define AXE_LAYOUT_EXACT_REPLICA_QUOTIENT_HPP

#include <axe/layout/exact/replica_set.hpp>

/// Given sets A and B of sums on one axis, a set of sums X with X ⊕ B = A.
namespace axe {
inline namespace v0 {
namespace detail {

/// The terms of X on one axis.
template <class Int>
struct QuotientTerms {
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
AXE_COLD constexpr bool direct_quotient(const BoundedSum<Int, N>& a, const BoundedSum<Int, N>& b, QuotientTerms<Int>& x) noexcept
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
        if (filled != a.extent[i]) x.push(a.extent[i] / filled, filled * s); // within A's footprint, so exact
    }
    return k == b.count;
}

/// The quotient by search, for small sets: progressions are added in increasing order of stride as long as all their sums stay
/// candidates, { x : x ⊕ B ⊆ A }, and the fewest points that reach all of A are kept. Strides grow, so the next one may not pass the
/// least point of A that is not reached yet.
template <class Int, int N>
class QuotientSearch {
  public:
    static constexpr int limit = 1 << 12;

    QuotientTerms<Int> best;

    constexpr explicit QuotientSearch(std::int64_t& limit_of_steps) noexcept : steps_(limit_of_steps) {}

    /// @param step the candidates are multiples of it
    AXE_COLD constexpr Answer run(const BoundedSum<Int, N>& a, const BoundedSum<Int, N>& b, Int step) noexcept
    {
        if (a.footprint[a.count] < b.footprint[b.count]) return Answer::no;
        if (!list(a, whole_, wholes_) || !list(b, part_, parts_)) return Answer::too_hard;
        const Int top = whole_[wholes_ - 1] - part_[parts_ - 1];
        for (int i = 0; i < wholes_ && whole_[i] <= top; ++i) {
            bool inside = whole_[i] % step == 0;
            for (int k = 0; k < parts_ && inside; ++k) inside = place(whole_, wholes_, whole_[i] + part_[k]) >= 0;
            if (inside) candidates_[candidate_count_++] = whole_[i];
        }
        if (candidate_count_ == 0 || candidates_[0] != 0 || candidates_[candidate_count_ - 1] != top) return Answer::no;
        IndexSet all;
        for (int c = 0; c < candidate_count_; ++c) reach_from(candidates_[c], all);
        if (first_open(all) >= 0) return Answer::no;

        least_size_ = (wholes_ + parts_ - 1) / parts_;
        best_size_ = candidate_count_ + 1;
        keep_difference(a, b);
        IndexSet taken, reached;
        taken.insert(0);
        points_[0] = 0;
        reach_from(0, reached);
        extend(1, 1, top, taken, reached);
        if (best_size_ <= candidate_count_)
            return Answer::yes; // the fewest points, or the fewest found when the search ended early
        return steps_ <= 0 ? Answer::too_hard : Answer::no;
    }

  private:
    /// A set of places in a list of at most `limit` values.
    struct IndexSet {
        std::uint64_t words[limit / 64]{};
        int count = 0;
        constexpr bool insert(int i) noexcept
        {
            const std::uint64_t bit = std::uint64_t{1} << (i % 64);
            const bool is_new = (words[i / 64] & bit) == 0;
            words[i / 64] |= bit;
            count += is_new;
            return is_new;
        }
    };

    std::int64_t& steps_;
    Int whole_[limit]; ///< the sums of A, ascending; of B; the candidates among A's
    Int part_[limit];
    Int candidates_[limit];
    Int points_[limit]; ///< the sums of the terms chosen so far
    int wholes_ = 0, parts_ = 0, candidate_count_ = 0;
    int least_size_ = 0, best_size_ = 0;
    QuotientTerms<Int> terms_;

    static constexpr bool list(const BoundedSum<Int, N>& sums, Int* values, int& count) noexcept
    {
        std::int64_t steps = std::int64_t{1} << 62;
        for (wider_t<Int> v = 0; count < limit; v = sums.at_least(v + 1, steps)) {
            values[count++] = static_cast<Int>(v);
            if (v == sums.footprint[sums.count]) return true;
        }
        return false;
    }
    static constexpr int place(const Int* values, int count, Int v) noexcept
    {
        int lo = 0, hi = count;
        while (lo < hi) {
            const int mid = (lo + hi) / 2;
            if (values[mid] < v)
                lo = mid + 1;
            else
                hi = mid;
        }
        return lo < count && values[lo] == v ? lo : -1;
    }

    constexpr void reach_from(Int x, IndexSet& reached) noexcept
    {
        steps_ -= parts_;
        for (int k = 0; k < parts_; ++k) reached.insert(place(whole_, wholes_, x + part_[k]));
    }
    /// The first value of A that is not reached, −1 when all are.
    [[nodiscard]] constexpr int first_open(const IndexSet& reached) const noexcept
    {
        for (int i = 0; i < wholes_; ++i) {
            if (reached.words[i / 64] == ~std::uint64_t{0}) {
                i |= 63;
                continue;
            }
            if ((reached.words[i / 64] >> (i % 64) & 1) == 0) return i;
        }
        return -1;
    }
    constexpr void keep(const QuotientTerms<Int>& terms, int size) noexcept
    {
        best.count = 0;
        for (int i = 0; i < terms.count; ++i) best.push(terms.extent[i], terms.stride[i]);
        best_size_ = size;
    }

    /// Where the terms of B are among those of A, the others are an answer to begin with.
    constexpr void keep_difference(const BoundedSum<Int, N>& a, const BoundedSum<Int, N>& b) noexcept
    {
        BoundedSum<Int, N> rest;
        int k = 0;
        for (int i = 0; i < a.count; ++i) {
            bool is_part = false;
            for (k = 0; k < b.count; ++k) is_part = is_part || (b.extent[k] == a.extent[i] && b.stride[k] == a.stride[i]);
            if (!is_part) rest.insert(a.extent[i], a.stride[i]);
        }
        rest.prepare();
        if (rest.count + b.count != a.count) return;
        int size = 0;
        if (!list(rest, points_, size) || size >= best_size_) return;
        QuotientTerms<Int> terms;
        for (int i = 0; i < rest.count; ++i) terms.push(rest.extent[i], rest.stride[i]);
        keep(terms, size);
    }

    /// Goes on from the `size` points, with strides from a candidate on, `rest` short of the largest sum.
    AXE_COLD constexpr void extend(int size, int least_candidate, Int rest, const IndexSet& taken, const IndexSet& reached) noexcept
    {
        // A point reaches no more than B has: so many more are needed.
        if (size + (wholes_ - reached.count + parts_ - 1) / parts_ >= best_size_) return;
        const int open = first_open(reached);
        if (open < 0) return keep(terms_, size);
        if (rest == 0 || terms_.count == N) return;
        for (int c = least_candidate; c < candidate_count_ && candidates_[c] <= least(rest, whole_[open]); ++c) {
            const Int s = candidates_[c];
            IndexSet now_taken = taken, now_reached = reached; // a kilobyte: the searched sets are small
            int now = size;
            for (Int n = 2; n - 1 <= rest / s; ++n) {
                if (--steps_ <= 0 || best_size_ <= least_size_) return;
                bool inside = true;
                for (int p = 0; p < size && inside; ++p) {
                    const Int x = points_[p] + (n - 1) * s;
                    const int at = place(candidates_, candidate_count_, x);
                    inside = at >= 0 && now < best_size_;
                    if (inside && now_taken.insert(at)) {
                        points_[now++] = x;
                        reach_from(x, now_reached);
                    }
                }
                if (!inside) break; // more would not fit either
                terms_.push(n, s);
                extend(now, c + 1, rest - (n - 1) * s, now_taken, now_reached);
                --terms_.count;
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
    const auto give = [&](const QuotientTerms<Int>& terms) {
        for (int i = 0; i < terms.count; ++i)
            if (!out.push_back({terms.extent[i], terms.stride[i], axis})) return Answer::too_hard;
        return Answer::yes;
    };
    if (a.has_gaps() && b.has_gaps()) {
        QuotientTerms<Int> x;
        if (direct_quotient(a, b, x)) {
            bool multiples = true;
            for (int i = 0; i < x.count; ++i) multiples = multiples && x.stride[i] % step == 0;
            if (multiples) return give(x);
        }
        if (direct) return Answer::no; // tiles do not overlap: the quotient is direct or does not exist
    }
    std::int64_t steps = 16 * search_limit;
    QuotientSearch<Int, L::max_replica> search(steps);
    const Answer answer = search.run(a, b, step);
    return answer == Answer::yes ? give(search.best) : answer;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
