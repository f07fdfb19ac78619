// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_COMMON_HPP
#define AXE_INTEROP_CUTE_COMMON_HPP

#include <axe/interop/cute/inverse.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// Is A(R(i)) = i, within A, for R the first digits of b's right inverse, the last of them cut to `extent`?
constexpr Error agrees(const Part& a, const Digits& inverse, int count, Int extent, bool& yes) noexcept
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
    if (const Error e = compose_into(a, whole(r), composed)) return e.is_none() ? Error{} : e;
    Digits map;
    digits_of(whole(composed), map);
    yes = map.size() == 0 || (map.size() == 1 && map[0].stride == 1 && map[0].axis == Axis{});
    return {};
}

/// Keeps of b's right inverse, fastest first, the digits as far as they invert a as well: cut where that ends, which is found by
/// halves.
constexpr Error common_digits(const Layout& a, const Layout& b, Digits& out, Int& size) noexcept
{
    Digits inverse;
    if (const Error e = right_inverse_into(b, inverse)) return e;
    const Part outer = whole(a);
    size = 1;
    out.count = 0;
    for (int k = 0; k < inverse.size(); ++k) {
        bool yes = false;
        if (const Error e = agrees(outer, inverse, k + 1, inverse[k].extent, yes)) return e;
        Int most = inverse[k].extent;
        if (!yes) {
            Int least = 1; // agrees
            while (most - least > 1) {
                const Int half = least + (most - least) / 2;
                if (const Error e = agrees(outer, inverse, k + 1, half, yes)) return e;
                (yes ? least : most) = half;
            }
            yes = false;
            most = least;
        }
        if (most > 1) out.push_back({most, inverse[k].stride, Axis{}});
        size *= most;
        if (!yes) break;
    }
    return {};
}

constexpr Error common_into(const Layout& a, const Layout& b, Digits& digits, Int& size) noexcept
{
    if (const Error e = check(a)) return e;
    if (const Error e = plain_only(whole(a))) return e;
    Digits other;
    Int other_size = 1;
    if (const Error e = common_digits(a, b, digits, size)) return e;
    if (const Error e = common_digits(b, a, other, other_size)) return e;
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
    using namespace detail;
    Digits fastest_first, digits;
    Int size = 1;
    if (const Error e = common_into(a, b, fastest_first, size)) return e;
    for (int i = fastest_first.size() - 1; i >= 0; --i) axe::detail::append(digits, fastest_first[i]);
    Result<Layout> result;
    if (!put_digits(*result, digits)) return nodes_capacity();
    return result;
}

/// For how many elements the same indices of two layouts are at 0, 1, 2, … in both:  size(max_common_layout(A, B)). At least 1.
constexpr Result<std::int64_t> max_common_vector(const Layout& a, const Layout& b) noexcept
{
    detail::Digits digits;
    Result<std::int64_t> result{1};
    if (const Error e = detail::common_into(a, b, digits, *result)) result = e;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
