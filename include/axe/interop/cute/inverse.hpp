// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_INVERSE_HPP
#define AXE_INTEROP_CUTE_INVERSE_HPP

#include <axe/interop/cute/composition.hpp>
#include <axe/layout/left_inverse.hpp>
#include <axe/layout/right_inverse.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// The modes of a layout by stride, with the index that each one's digit counts in; slowest first where strides are equal.
struct Sorted {
    Iter modes[Layout::max_nodes];
    Int weight[Layout::max_nodes];
    int count = 0;
    bool idle_inside = false; ///< is there a mode that moves nothing below one that moves?
};
constexpr void sort_modes(const Part& part, Sorted& out) noexcept
{
    Digits digits;
    digits_of(part, digits);
    Int weight[axe::detail::most_digits];
    int order[axe::detail::most_digits];
    axe::detail::digit_weights(digits, weight);
    axe::detail::order_by_stride(digits, order);
    bool idle = false;
    for (int k = digits.size() - 1; k >= 0; --k) {
        out.idle_inside = out.idle_inside || (idle && digits[k].stride != 0);
        idle = idle || digits[k].stride == 0;
    }
    for (int i = 0; i < digits.size(); ++i) {
        if (digits[order[i]].stride == 0) continue;
        out.weight[out.count] = weight[order[i]];
        out.modes[out.count++] = digits[order[i]];
    }
}

/// M for strides that are a chain: s_{k+1} a multiple of s_k, and not within n_k·s_k. Says whether they are.
constexpr bool left_inverse_of_chain(const Sorted& sorted, Digits& out) noexcept
{
    Int filled = 1;
    for (int k = 0; k < sorted.count; ++k) {
        const Int stride = sorted.modes[k].stride;
        if (stride < 0 || stride % filled != 0 || (k > 0 && stride / filled < sorted.modes[k - 1].extent)) return false;
        filled = stride;
    }
    for (int k = sorted.count - 1; k >= 0; --k) {
        const Int above = sorted.modes[k].stride, below = k > 0 ? sorted.modes[k - 1].stride : 1;
        if (k == sorted.count - 1) axe::detail::append(out, sorted.modes[k].extent, sorted.weight[k], Axis{});
        axe::detail::append(out, above / below, k > 0 ? sorted.weight[k - 1] : Int{0}, Axis{});
    }
    return true;
}

/// M for other strides. What is in M beyond its last digit runs on, so M may end anywhere past the values: if there is one, there
/// is one of a size from the span to twice the span. All of them are tried, or those next to a large span, by the algebra's own
/// search.
AXE_COLD constexpr Error left_inverse_by_search(const Part& part, Layout& out) noexcept
{
    using namespace axe::detail;
    constexpr Int most_sizes = 1 << 12, few_sizes = 16;
    Working moving; // without the modes that move nothing
    Digits digits, original;
    digits_of(part, digits);
    Int weight[most_digits];
    digit_weights(digits, weight);
    Int span = 1;
    for (int k = 0; k < digits.size(); ++k) {
        const Iter& it = digits[k];
        if (it.stride < 0) return no_layout("the stride {0} leads below 0, and the inverse begins there", it.stride);
        if (it.stride == 0) continue;
        moving.shard.push_back(it);
        original.push_back({it.extent, weight[k], Axis{}});
        span += (it.extent - 1) * it.stride;
    }
    const Verdict injective = is_injective(moving);
    if (!injective.decided()) return injective.error();
    if (!injective) return no_layout("two indices have one value: no layout takes it back to both");
    std::int64_t steps = search_limit;
    bool all = true;
    const Int sizes = span <= most_sizes ? span : least(few_sizes, (Int{1} << 62) - span); // all, or the likeliest
    for (Int size = span; size - span < sizes; ++size) {
        LeftInverseSearch<Working> search(moving);
        search.span = size;
        search.domain = product(moving.shard);
        search.steps = steps;
        Int index = 1;
        for (int k = moving.shard.size() - 1; k >= 0; --k) {
            search.pool[search.pooled++] = index;
            index *= moving.shard[k].extent;
        }
        const auto place = [&](Int p) {
            int i = 0;
            while (i < search.factors && search.factor[i] != p) ++i;
            if (i == search.factors) {
                search.factor[i] = p;
                search.times[search.factors++] = 0;
            }
            ++search.times[i];
        };
        for_each_prime_factor(size, place);
        const bool found = search.place(1);
        steps = search.steps;
        if (!found) {
            all = all && search.nodes > 0 && !search.overflowed && !search.gave_up;
            if (steps <= 0) break;
            continue;
        }
        Layout inverse, indices; // the second from the index without idle modes to the index with them
        Digits canonical;
        for (int j = search.placed - 1; j >= 0; --j)
            append(canonical, search.extent[j], static_cast<Int>(search.solution[j]), Axis{});
        put_digits(inverse, canonical);
        put_digits(indices, original);
        const Error e = compose_into(whole(indices), whole(inverse), out);
        if (!e) return {};
        out.nodes.clear();
        all = false; // another inverse between the values may do
    }
    if (!all || steps <= 0 || span > most_sizes)
        return Error(errc::too_hard, -1, "the strides are no chain, and not all inverses on [0, {0}) and beyond were tried", span);
    return no_layout("no layout takes every value of [0, {0}) back to its index", span);
}

/// R of the modes whose strides run 1, n_1, n_1·n_2, …; says whether nothing longer exists, since the next value is not reached.
constexpr bool right_inverse_of_chain(const Sorted& sorted, Digits& fastest_first) noexcept
{
    Int inside = 1;
    int k = 0;
    for (; k < sorted.count && sorted.modes[k].stride == inside; ++k) {
        fastest_first.push_back({sorted.modes[k].extent, sorted.weight[k], Axis{}});
        if (!axe::detail::mul(inside, sorted.modes[k].extent, inside)) return true;
    }
    for (int i = 0; i < sorted.count; ++i)
        if (sorted.modes[i].stride < 0 || (i >= k && sorted.modes[i].stride <= inside)) return false;
    return true;
}

/// The same for all others, by the algebra's search, from index 0 on: a CuTe layout begins at 0.
AXE_COLD constexpr Error right_inverse_by_search(const Part& part, Digits& fastest_first) noexcept
{
    using namespace axe::detail;
    using Search = RightInverseSearch<Working>;
    Working from;
    Digits digits;
    digits_of(part, digits);
    append_all(digits, from.shard);
    const Int domain = product(from.shard);
    std::int64_t steps = search_limit;
    Int bound = AxisImage<Working>(from, Axis{}).first_missing(domain, steps);
    if (steps <= 0) bound = domain;
    Search search(from, Axis{}, bound, domain);
    search.try_chain();
    if (search.best_start != 0) search.best_size = 0;
    if (search.best_size < bound) {
        if (domain <= Search::table_limit) {
            for (Int v = 0; v < bound; ++v) search.holder_of[v] = -1;
            for (Int x = domain - 1; x >= 0; --x) {
                const Int v = static_cast<Int>(coordinate_at(from.shard.items, from.shard.size(), Axis{}, x));
                search.value_of[x] = v;
                if (v < 0 || v >= bound) continue;
                search.next_holder[x] = search.holder_of[v];
                search.holder_of[v] = x;
            }
        }
        search.start = 0;
        search.index_of[0] = 0;
        search.digits.count = 0;
        search.extend(1);
    }
    if (search.steps <= 0 || (!search.complete && search.best_size < bound))
        return Error(errc::too_hard, -1, "{0} values have a right inverse; whether more have was not decided", search.best_size);
    fastest_first.count = 0;
    for (const Iter& it : search.best) fastest_first.push_back(it);
    return {};
}

constexpr Error right_inverse_into(const Layout& layout, Digits& fastest_first) noexcept
{
    if (const Error e = check(layout)) return e;
    if (const Error e = plain_only(whole(layout))) return e;
    Sorted sorted;
    sort_modes(whole(layout), sorted);
    if (right_inverse_of_chain(sorted, fastest_first)) return {};
    return right_inverse_by_search(whole(layout), fastest_first);
}

} // namespace detail

/// The index of each value:  M(L(x)) = x,  and the digits of modes that move nothing are 0 in what M gives.
///
/// M may be anything between the values, and its last leaf runs on: CuTe's form, which `axe::left_inverse` on [0, span) is not.
/// Exists iff some layout does that (`errc::no_layout` otherwise); two indices of one value, or values below 0, have none.
/// Errors: those of `check`; `errc::bad_argument` for strides along a basis; `errc::too_hard` when the strides are no chain of
/// multiples and the span is above 2^12, or when besides a mode that moves nothing is below one that moves. Cost: a sort where
/// the strides are a chain; else a search for every size from the span to twice the span.      [CUTLASS, include/cute/layout.hpp]
constexpr Result<Layout> left_inverse(const Layout& layout) noexcept
{
    using namespace detail;
    if (const Error e = check(layout)) return e;
    if (const Error e = plain_only(whole(layout))) return e;
    Result<Layout> result;
    Sorted sorted;
    sort_modes(whole(layout), sorted);
    Digits digits;
    if (left_inverse_of_chain(sorted, digits)) {
        if (!put_digits(*result, digits)) return nodes_capacity();
    } else if (const Error e = left_inverse_by_search(whole(layout), *result)) {
        return e;
    }
    return result;
}

/// The largest R with  L(R(i)) = i  for 0 ≤ i < size(R).      [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
///
/// Always exists, as L(0) = 0. It is the largest, where CuTe follows strides 1, n_1, n_1·n_2, … and stops at the first that is
/// not there. Errors: those of `check`; `errc::bad_argument` for strides along a basis; `errc::too_hard` as for
/// axe::right_inverse. Cost: a sort when the smallest value that those strides do not reach is reached by no others; else the
/// search of axe::right_inverse.
constexpr Result<Layout> right_inverse(const Layout& layout) noexcept
{
    using namespace detail;
    Digits fastest_first, digits;
    if (const Error e = right_inverse_into(layout, fastest_first)) return e;
    for (int i = fastest_first.size() - 1; i >= 0; --i) axe::detail::append(digits, fastest_first[i]);
    Result<Layout> result;
    if (!put_digits(*result, digits)) return nodes_capacity();
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
