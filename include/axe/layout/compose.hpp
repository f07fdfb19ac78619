// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_COMPOSE_HPP
#define AXE_LAYOUT_COMPOSE_HPP

#include <axe/layout/exact/walk.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

template <class L>
constexpr Status compose_into(const L& outer, const L& inner, const Axis& axis, L& out) noexcept
{
    using Int = typename L::integer;
    if (const Status e = check(outer); !e.ok()) return e;
    if (const Status e = check(inner); !e.ok()) return e;
    for (int i = 0; i < inner.replica.size(); ++i)
        if (inner.replica[i].extent > 1 && inner.replica[i].stride != 0)
            return Error(errc::not_single_valued, i,
                         "replica iter {0} of the inner layout places an element at {1} points; one index is needed", i,
                         inner.replica[i].extent);
    for (int i = 0; i < inner.shard.size(); ++i)
        if (inner.shard[i].extent > 1 && inner.shard[i].stride != 0 && !(inner.shard[i].axis == axis))
            return Error(errc::bad_axis, i, "iter {0} of the inner layout moves on an axis other than the one that holds the index",
                         i);
    for (int i = 0; i < inner.offset.size(); ++i)
        if (inner.offset.entries[i].value != 0 && !(inner.offset.entries[i].axis == axis))
            return Error(errc::bad_axis, i, "offset {0} of the inner layout is on an axis other than the one that holds the index",
                         i);

    Digits<Int, L::max_shard> digits;
    for (const auto& it : inner.shard) append(digits, it);
    Walk<Int> walk;
    walk.start = inner.offset[axis];
    Int low = walk.start, high = walk.start;
    for (const auto& it : digits) {
        walk.push(it.extent, it.stride);
        (it.stride < 0 ? low : high) += (it.extent - 1) * it.stride;
    }
    const Int domain = product(outer.shard);
    if (low < 0 || high >= domain)
        return Error(errc::out_of_domain, -1, "the inner layout has the value {0}, outside the domain [0, {1})",
                     low < 0 ? low : high, domain);
    if (const Status e = compose_walk(outer, walk, out); !e.ok()) return e;
    if (const Status e = carry_replicas(outer, out); !e.ok()) return e;
    return check(out);
}

} // namespace detail

/// One layout after another:  compose(A, B)(x) = A(B(x)).      [CuTe composition, made exact]
///
/// B gives one index of A's domain for each x, on one axis (`m` unless another is named). Exists iff that map has a canonical D
/// (`errc::no_layout` otherwise); this is decided, not approximated. Errors: `errc::out_of_domain` with the index when B leaves
/// A's domain, `errc::not_single_valued`, `errc::bad_axis` when B moves on another axis, `errc::overflow`, `errc::capacity`;
/// `errc::too_hard` when carries of several digits of B fall together so irregularly that 2^22 boxes do not decide it.
/// Cost: where every carry belongs to one digit of B, quadratic in the iters; otherwise, up to 4096 values, a value for each divisor of
/// their number and mostly few others; beyond, a search over the places where carries start and end, which does not depend on the
/// extents.
template <AnyLayout L>
constexpr Result<L> compose(const L& outer, const detail::same<L>& inner, const Axis& axis = {}) noexcept
{
    Result<L> result;
    if (const Status e = detail::compose_into(outer, inner, axis, *result); !e.ok()) result = e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
