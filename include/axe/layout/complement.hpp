// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_COMPLEMENT_HPP
#define AXE_LAYOUT_COMPLEMENT_HPP

#include <axe/layout/exact/canonical.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

constexpr Error moves_on_two_axes(int iter) noexcept { return Error(errc::no_layout, iter, "the layout moves on two axes"); }

} // namespace detail

/// What fills the gaps: the increasing M such that  L(x) + M(y)  hits every value of [0, n) exactly once.      [CuTe complement]
///
/// For an injective layout on one axis with its values in [0, n); where they begin at v, M begins at −v. Two sets sum to an interval without overlap only
/// as the digits of one mixed radix (de Bruijn 1950), so M exists iff the strides of L, by size, are a chain
/// 1 | s_1 | n_1·s_1 | s_2 | … | n (`errc::no_layout` otherwise); it is then the only one. M is on L's axis. Errors:
/// `errc::bad_extent` for n < 1, `errc::out_of_domain` for values outside [0, n). Cost: quadratic in the number of iters.
template <AnyLayout L>
constexpr Result<L> complement(const L& layout, typename L::integer n) noexcept
{
    using namespace detail;
    using Int = typename L::integer;
    if (const Status e = check(layout); !e.ok()) return e;
    if (n < 1) return detail::empty_interval(n);
    L from;
    if (const Status e = canonicalize_into(layout, from); !e.ok()) return e;
    if (from.replica.size() > 0) return detail::one_value_needed();
    Axis axis = from.offset.empty() ? Axis{} : from.offset.entries[0].axis;
    if (!from.shard.empty()) axis = from.shard[0].axis;
    Int least = from.offset[axis];
    BoundedSum<Int, L::max_shard> values;
    for (int k = 0; k < from.shard.size(); ++k) {
        const auto& it = from.shard[k];
        if (!(it.axis == axis)) return detail::moves_on_two_axes(k);
        if (it.stride == 0)
            return Error(errc::no_layout, k, "an iter of extent {0} has stride 0: values occur more than once", it.extent);
        if (it.stride < 0) least += (it.extent - 1) * it.stride;
        values.insert(it.extent, magnitude(it.stride));
    }
    for (const auto& e : from.offset)
        if (!(e.axis == axis)) return detail::moves_on_two_axes(-1);
    values.prepare();
    if (least < 0 || values.footprint[values.count] > n - 1 - wider_t<Int>(least))
        return Error(errc::out_of_domain, -1, "the values from {0} to {1} are not within [0, {2})", least,
                     static_cast<Int>(least + values.footprint[values.count]), n);

    Digits<Int> gaps; // innermost first
    Int filled = 1;
    for (int k = 0; k < values.count; ++k) {
        if (!divides(filled, values.stride[k]))
            return Error(errc::no_layout, k, "stride {0} is not a multiple of the {1} values inside it", values.stride[k], filled);
        gaps.push_back({quotient(values.stride[k], filled), filled, axis});
        filled = values.stride[k];
        if (!mul(filled, values.extent[k], filled)) return Error(errc::no_layout, k, "the values are not all within [0, {0})", n);
    }
    if (!divides(filled, n))
        return Error(errc::no_layout, -1, "the last iter ends after {0} values, which do not divide {1}", filled, n);
    gaps.push_back({quotient(n, filled), filled, axis});
    Result<L> result;
    for (int i = gaps.size() - 1; i >= 0; --i)
        if (!append(result->shard, gaps[i])) return shard_capacity<L>();
    if (const Status e = add_offset(result->offset, axis, Int(-least)); !e.ok()) return e; // the sums begin at 0
    if (const Status e = check(*result); !e.ok()) return e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
