// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SLICE_HPP
#define AXE_LAYOUT_SLICE_HPP

#include <axe/layout/compose.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

template <class L>
constexpr Error check_region(const typename L::Shape& shape, const typename L::Region& region) noexcept
{
    if (region.size() != shape.size())
        return Error(errc::rank_mismatch, -1, "the region has {0} intervals, the shape {1} dimensions", region.size(),
                     shape.size());
    for (int d = 0; d < shape.size(); ++d) {
        if (region[d].lo < 0 || region[d].hi > shape[d])
            return Error(errc::out_of_domain, d, "the interval [{0}, {1}) is not within [0, {2})", region[d].lo, region[d].hi,
                         shape[d]);
        if (region[d].lo >= region[d].hi)
            return Error(errc::bad_extent, d, "the interval [{0}, {1}) of dimension {2} is empty", region[d].lo, region[d].hi, d);
    }
    return {};
}

template <class L>
constexpr Error slice_into(const L& layout, const typename L::Shape& shape, const typename L::Region& region, L& out) noexcept
{
    using Int = typename L::integer;
    if (const Error e = check_admission(layout, shape)) return e;
    if (const Error e = check_region<L>(shape, region)) return e;

    Digits<Int, 2 * most_digits> blocks;
    int ends[max_rank]{};
    if (!cut(layout.shard, shape.items, shape.size(), blocks, ends)) {
        // Grouped: the map is a sum of one function for each dimension, and so is its restriction.
        for (int d = 0; d < shape.size(); ++d) {
            const int first = d == 0 ? 0 : ends[d - 1];
            const auto& interval = region[d];
            Int x = interval.lo;
            for (int k = ends[d] - 1; k >= first && x != 0; --k) {
                const auto& it = blocks[k];
                const Int q = quotient(x, it.extent);
                if (const Error e = add_offset(out.offset, it.axis, Int((x - q * it.extent) * it.stride))) return e;
                x = q;
            }
            if (const Error e =
                    append_window(blocks.items + first, ends[d] - first, interval.lo, Int(interval.hi - interval.lo), out, d))
                return e;
        }
    } else {
        Walk<Int> walk;
        Int pitch = 1;
        Int pitches[max_rank];
        for (int d = shape.size() - 1; d >= 0; --d) {
            pitches[d] = pitch;
            pitch *= shape[d];
        }
        for (int d = 0; d < shape.size(); ++d) {
            walk.start += region[d].lo * pitches[d];
            walk.push(region[d].hi - region[d].lo, pitches[d]);
        }
        if (const Error e = compose_walk(layout, walk, out)) {
            if (e.code != errc::no_layout) return e;
            return Error(errc::no_layout, -1, "the shape does not group the layout, and the region is no layout of its own");
        }
    }
    if (const Error e = carry_replicas(layout, out)) return e;
    return check(out);
}

} // namespace detail

/// The layout of a region:  L'(u) = L(lo + u)  as sets, on the shape hi − lo.      [Axe 3.3, App. E]
///
/// Exists iff the restricted map has a canonical D (`errc::no_layout` with the dimension otherwise); this is decided exactly, also
/// where the shape does not group the layout: (5,2):(1@P,5@P) on (10) has [3:7) = (2,2):(1@P,-4@P) + 6@P. Errors:
/// `errc::size_mismatch`, `errc::rank_mismatch`, `errc::out_of_domain` with the dimension, `errc::bad_extent` of an empty interval.
/// `errc::too_hard` as for `compose`, only where the shape does not group the layout.
/// Cost: linear in iters and dimensions when no interval wraps round a digit, quadratic when one does; extents do not matter.
template <AnyLayout L>
constexpr Result<L> slice(const L& layout, const typename L::Shape& shape, const typename L::Region& region) noexcept
{
    Result<L> result;
    if (const Error e = detail::slice_into(layout, shape, region, *result)) result = e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
