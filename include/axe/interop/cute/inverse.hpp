// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_INVERSE_HPP
#define AXE_INTEROP_CUTE_INVERSE_HPP

#include <axe/interop/cute/by_basis.hpp>
#include <axe/interop/cute/composition.hpp>
#include <axe/interop/cute/sorted.hpp>
#include <axe/layout/exact/left_inverse_search.hpp>
#include <axe/layout/properties.hpp>
#include <axe/layout/right_inverse.hpp>
#include <axe/support/factor.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// M for strides that are a chain: s_{k+1} a multiple of s_k, and not within n_k·s_k. Returns whether they are.
constexpr bool left_inverse_of_chain(const Sorted& sorted, Layout& out, bool& fits) noexcept
{
    FlatMode mode(out);
    Int footprint = 1;
    Int below = 1, weight = 0; // of the mode before
    for (int k = 0; k < sorted.count; ++k) {
        const Sorted::Item& item = sorted.items[k];
        if (item.stride < 0) return false;
        const Int q = axe::detail::quotient(item.stride, below);
        if (q * below != item.stride || (k > 0 && q < sorted.items[k - 1].extent)) return false;
        mode.put(q, weight);
        fits = fits && grow(Leaf(q, weight), footprint);
        below = item.stride;
        weight = item.weight;
        if (k + 1 < sorted.count) continue;
        Int size = 0;
        if (axe::detail::mul(below, item.extent, size))
            mode.put(item.extent, weight);
        else
            mode.put_apart(1, weight); // which runs on
        fits = fits && grow(Leaf(item.extent, weight), footprint);
    }
    return mode.finish();
}

/// M for other strides. What is in M beyond its last digit runs on, so M may end anywhere past the values: if there is one, there
/// is one of a size from the span to twice the span. All of them are tried, or those next to a large span, by the algebra's own
/// search.
AXE_COLD constexpr Status left_inverse_by_search(const Part& part, Layout& out) noexcept
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
        if (it.stride < 0) return no_layout("stride {0} is negative; the inverse starts at value 0", it.stride);
        if (it.stride == 0) continue;
        moving.shard.push_back(it);
        original.push_back({it.extent, weight[k], Axis{}});
        span += (it.extent - 1) * it.stride;
    }
    const Decision injective = is_injective(moving);
    if (injective.undecided()) return injective.error();
    if (!injective) return no_layout("two indices have the same value: no inverse exists");
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
        const Status e = compose_into(whole(indices), whole(inverse), out);
        if (e.ok()) return {};
        out.nodes.clear();
        all = false; // another inverse between the values may do
    }
    if (!all || steps <= 0 || span > most_sizes)
        return Error(errc::too_hard, -1,
                     "the strides are not a chain, and not all candidate inverses on [0, {0}) and beyond were tried", span);
    return no_layout("no layout maps every value of [0, {0}) back to its index", span);
}

/// R of the modes whose strides run 1, n_1, n_1·n_2, …; returns whether nothing longer exists, since the next value is not reached.
constexpr bool right_inverse_of_chain(const Sorted& sorted, Digits& fastest_first) noexcept
{
    Int inside = 1;
    int k = 0;
    for (; k < sorted.count && sorted.items[k].stride == inside; ++k) {
        fastest_first.push_back({sorted.items[k].extent, sorted.items[k].weight, Axis{}});
        if (!axe::detail::mul(inside, sorted.items[k].extent, inside)) return true;
    }
    for (int i = 0; i < sorted.count; ++i)
        if (sorted.items[i].stride < 0 || (i >= k && sorted.items[i].stride <= inside)) return false;
    return true;
}

/// The same for all others, by the algebra's search, from index 0 on: a CuTe layout begins at 0.
AXE_COLD constexpr Status right_inverse_by_search(const Part& part, Digits& fastest_first) noexcept
{
    Working from;
    Digits digits;
    digits_of(part, digits);
    axe::detail::append_all(digits, from.shard);
    const auto inverse = axe::right_inverse(from, 0);
    if (!inverse) return inverse.error();
    fastest_first.count = 0;
    for (int i = inverse->shard.size() - 1; i >= 0; --i) fastest_first.push_back(inverse->shard[i]);
    return {};
}

/// R's digits, fastest first, of a layout with plain strides that has been checked.
constexpr Status right_inverse_into(const Layout& layout, Digits& fastest_first) noexcept
{
    Sorted sorted;
    sort_modes(whole(layout), sorted);
    if (right_inverse_of_chain(sorted, fastest_first)) return {};
    return right_inverse_by_search(whole(layout), fastest_first);
}
/// The same of what counts along one basis. The search must not use other modes: there they step too far to be of use.
constexpr Status right_inverse_into(const Layout& layout, const Basis& basis, Digits& fastest_first) noexcept
{
    const Layout alone = at_place(whole(layout), basis);
    Sorted sorted;
    sort_modes(whole(alone), sorted);
    if (right_inverse_of_chain(sorted, fastest_first)) return {};
    Int far = 0, footprint = 0;
    if (!axe::detail::mul(cosize(alone), Int{2}, far) || !axe::detail::mul(far, size(layout), footprint) ||
        !axe::detail::mul(footprint, Int{layout.nodes.size()}, footprint))
        return axe::detail::result_overflow();
    return right_inverse_by_search(whole(at_place(whole(layout), basis, far)), fastest_first);
}
constexpr Status append_digits(const Digits& fastest_first, Layout& out) noexcept
{
    FlatMode mode(out);
    for (const auto& it : fastest_first) mode.put(it.extent, it.stride);
    return mode.finish() ? Error{} : nodes_capacity();
}
/// Appends M of a layout with plain strides.
constexpr Status append_left_inverse(const Layout& layout, Layout& out) noexcept
{
    const int before = out.nodes.size();
    Sorted sorted;
    sort_modes(whole(layout), sorted);
    bool fits = true;
    if (left_inverse_of_chain(sorted, out, fits)) return fits ? Error{} : axe::detail::result_overflow();
    while (out.nodes.size() > before) out.nodes.pop_back();
    Layout alone;
    if (const Status e = left_inverse_by_search(whole(layout), alone); !e.ok()) return e;
    if (const Status e = check(alone); !e.ok()) return e;
    return put_part(out, whole(alone)) ? Error{} : nodes_capacity();
}
/// The same of what counts along one basis. The modes of a coordinate do not run on.
constexpr Status append_left_inverse(const Layout& layout, const Basis& basis, Layout& out) noexcept
{
    const int before = out.nodes.size();
    const Layout alone = at_place(whole(layout), basis);
    if (const Status e = append_left_inverse(alone, out); !e.ok()) return e;
    return size_of(part_at(out.nodes.items, before)) >= cosize(alone) ? Error{} : axe::detail::result_overflow();
}

} // namespace detail

/// The index of each value:  M(L(x)) = x,  and the digits of modes that move nothing are 0 in what M gives.
///
/// M may be anything between the values, and its last leaf runs on: CuTe's form, which `axe::left_inverse` on [0, span) is not.
/// Exists iff some layout does that (`errc::no_layout` otherwise); two indices of one value, or values below 0, have none.
/// Where the strides count along bases, the values are coordinates, and M takes coordinates: a mode for each place of them, which has
/// the indices of the modes of L that count along it,  M(c_0, c_1, …) = M_0(c_0) + M_1(c_1) + …
/// Errors: those of `check`; `errc::overflow` when what the inverse has between the
/// values overflows; `errc::too_hard` when the strides are not a chain of
/// multiples and the span is above 2^12, or when besides a mode that moves nothing is below one that moves. Cost: a sort where
/// the strides are a chain; else a search for every size from the span to twice the span.      [CUTLASS, include/cute/layout.hpp]
constexpr Result<Layout> left_inverse(const Layout& layout) noexcept
{
    using namespace detail;
    Result<Layout> result;
    Status e = check(layout);
    if (e.ok() && is_plain(layout)) {
        e = append_left_inverse(layout, *result);
    } else if (e.ok()) {
        Status undecided; // at one place; that another has none is decided anyway
        const auto along = [&](const Basis& basis, Layout& out) -> Status {
            const Status at = append_left_inverse(layout, basis, out);
            if (at.code() != errc::too_hard) return at;
            undecided = at;
            return put_leaf(out, 1, 0) ? Error{} : nodes_capacity();
        };
        e = each_basis(whole(layout), Basis{}, along, *result);
        if (e.ok()) e = undecided.ok() ? check(*result) : undecided;
    }
    if (!e.ok()) result = e;
    return result;
}

/// The largest R with  L(R(i)) = i  for 0 ≤ i < size(R).      [CUTLASS, media/docs/cpp/cute/02_layout_algebra.md]
///
/// Always exists, as L(0) = 0. It is the largest, where CuTe follows strides 1, n_1, n_1·n_2, … and stops at the first that is
/// not there. Where the strides count along bases, R takes coordinates, a mode for each place of them:  L(R(c)) = c, of indices of the
/// modes of L that count along it. Errors: those of `check`; `errc::overflow`; `errc::too_hard` as for axe::right_inverse. Cost: a sort when the smallest value that those strides do not reach is reached by no others; else the
/// search of axe::right_inverse.
constexpr Result<Layout> right_inverse(const Layout& layout) noexcept
{
    using namespace detail;
    Result<Layout> result;
    Status e = check(layout);
    if (e.ok() && is_plain(layout)) {
        Digits digits;
        e = right_inverse_into(layout, digits);
        if (e.ok()) e = append_digits(digits, *result);
    } else if (e.ok()) {
        const auto along = [&](const Basis& basis, Layout& out) -> Status {
            Digits digits;
            if (const Status failed = right_inverse_into(layout, basis, digits); !failed.ok()) return failed;
            return append_digits(digits, out);
        };
        e = each_basis(whole(layout), Basis{}, along, *result);
        if (e.ok()) e = check(*result);
    }
    if (!e.ok()) result = e;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
