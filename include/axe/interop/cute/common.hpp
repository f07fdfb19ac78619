// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COMMON_HPP
#define AXE_INTEROP_CUTE_COMMON_HPP

#include <axe/interop/cute/inverse.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// Is A(R(i)) = i, within A, for R the first digits of b's right inverse, the last of them cut to `extent`?
constexpr Status agrees(const Part& a, const Digits& inverse, int count, Int extent, bool& yes) noexcept
{
    Layout r;
    Digits digits;
    axe::detail::append(digits, extent, inverse[count - 1].stride, Axis{});
    for (int i = count - 2; i >= 0; --i) axe::detail::append(digits, inverse[i]);
    if (!put_digits(r, digits)) return nodes_capacity();
    yes = false;
    Int furthest = 0;
    for (const Iter& it : digits)
        if (it.stride > 0) furthest += (it.extent - 1) * it.stride;
    if (furthest >= size_of(a)) return {};
    Layout composed;
    if (const Status e = compose_into(a, whole(r), composed); !e.ok()) return e.error().is_none() ? Error{} : e;
    Digits map;
    digits_of(whole(composed), map);
    yes = map.size() == 0 || (map.size() == 1 && map[0].stride == 1 && map[0].axis == Axis{});
    return {};
}

/// For how many i < extent the digit's steps through A come to i·size, by the algebra: found by halves, as what agrees for some
/// agrees for fewer.
AXE_COLD constexpr Status agreeing_by_halves(const Part& a, const Digits& inverse, int k, Int& most) noexcept
{
    bool yes = false;
    if (const Status e = agrees(a, inverse, k + 1, inverse[k].extent, yes); !e.ok()) return e;
    most = inverse[k].extent;
    if (yes) return {};
    Int least = 1; // agrees
    while (most - least > 1) {
        const Int half = least + (most - least) / 2;
        if (const Status e = agrees(a, inverse, k + 1, half, yes); !e.ok()) return e;
        (yes ? least : most) = half;
    }
    most = least;
    return {};
}

/// Keeps of b's right inverse, fastest first, the digits as far as they invert a as well. Both have been checked.
constexpr Status common_digits(const Layout& a, const Layout& b, Digits& out, Int& size) noexcept
{
    Digits inverse;
    if (const Status e = right_inverse_into(b, inverse); !e.ok()) return e;
    const Part outer = whole(a);
    Steps steps(outer);
    bool stepwise = steps.sound;
    Int left = size_of(outer) - 1; // indices of A's that may still be added
    size = 1;
    out.count = 0;
    for (int k = 0; k < inverse.size(); ++k) {
        const Int extent = inverse[k].extent, stride = inverse[k].stride;
        Int most = 1;
        Layout piece;
        FlatMode mode(piece);
        stepwise = stepwise && stride > 0 && steps.put(extent, stride, mode) && mode.finish();
        if (stepwise) {
            const Leaf& first = piece.nodes[piece.nodes[0].children < 0 ? 0 : 1].leaf;
            if (first.stride == size) most = axe::detail::least(first.extent, axe::detail::quotient(left, stride) + 1);
            left -= (most - 1) * stride;
        } else if (const Status e = agreeing_by_halves(outer, inverse, k, most); !e.ok()) {
            return e;
        }
        if (most > 1) out.push_back({most, stride, Axis{}});
        size *= most;
        if (most < extent) break;
    }
    return {};
}

constexpr Status common_into(const Layout& a, const Layout& b, Digits& digits, Int& size) noexcept
{
    if (const Status e = check(a); !e.ok()) return e;
    if (const Status e = check(b); !e.ok()) return e;
    if (const Status e = plain_only(whole(a)); !e.ok()) return e;
    if (const Status e = plain_only(whole(b)); !e.ok()) return e;
    if (const Status e = common_digits(a, b, digits, size); !e.ok()) return e;
    if (size == axe::detail::least(size_of(whole(a)), size_of(whole(b)))) return {}; // each index once: there are no more
    Digits other;
    Int other_size = 1;
    if (const Status e = common_digits(b, a, other, other_size); !e.ok()) return e;
    if (other_size <= size) return {};
    digits.count = 0;
    for (const Iter& it : other) digits.push_back(it);
    size = other_size;
    return {};
}

} // namespace detail

/// Where two layouts agree: an R with  A(R(i)) = B(R(i)) = i  for 0 ≤ i < size(R); the largest there is when A or B is injective.
///
/// R stays in the domains of both; CuTe lets A run on past its own. R is the longest beginning of the right inverse of one that
/// inverts the other as well; of both, the longer. (Where neither is injective other choices of indices may reach further.)
/// Always exists, 1:0 at least. Errors: those of `right_inverse`. Cost: two right inverses and a composition for each of their
/// digits.      [CUTLASS, include/cute/layout.hpp]
constexpr Result<Layout> max_common_layout(const Layout& a, const Layout& b) noexcept
{
    Result<Layout> result;
    detail::Digits fastest_first;
    std::int64_t size = 1;
    Status e = detail::common_into(a, b, fastest_first, size);
    detail::FlatMode mode(*result);
    for (const auto& it : fastest_first) mode.put(it.extent, it.stride);
    if (e.ok() && !mode.finish()) e = detail::nodes_capacity();
    if (!e.ok()) result = e;
    return result;
}

/// For how many elements the same indices of two layouts are at 0, 1, 2, … in both:  size(max_common_layout(A, B)). At least 1.
constexpr Result<std::int64_t> max_common_vector(const Layout& a, const Layout& b) noexcept
{
    detail::Digits digits;
    Result<std::int64_t> result{1};
    if (const Status e = detail::common_into(a, b, digits, *result); !e.ok()) result = e;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
