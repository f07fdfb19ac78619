// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_SLICE_HPP
#define AXE_LAYOUT_SLICE_HPP

#include <axe/layout/exact/cut.hpp>
#include <axe/layout/exact/walk.hpp>
#include <axe/support/errors.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

template <class L>
constexpr Status check_region(const typename L::Shape& shape, const typename L::Region& region) noexcept
{
    if (region.size() != shape.size()) return region_rank(region.size(), shape.size());
    for (int d = 0; d < shape.size(); ++d) {
        if (region[d].lo < 0 || region[d].hi > shape[d])
            return Error(errc::out_of_domain, d, "the interval [{0}, {1}) is not within [0, {2})", region[d].lo, region[d].hi,
                         shape[d]);
        if (region[d].lo >= region[d].hi)
            return Error(errc::bad_extent, d, "the interval [{0}, {1}) of dimension {2} is empty", region[d].lo, region[d].hi, d);
    }
    return {};
}

/// One dimension, over the iters of its dimension group.
template <class L>
constexpr Status slice_dimension(const BasicIter<typename L::integer>* iters, int count, const typename L::Range& interval, int dim,
                                 L& out) noexcept
{
    using Int = typename L::integer;
    Int x = interval.lo;
    for (int k = count - 1; k >= 0 && x != 0; --k) {
        const Int q = quotient(x, iters[k].extent);
        if (const Status e = add_offset(out.offset, iters[k].axis, Int((x - q * iters[k].extent) * iters[k].stride)); !e.ok())
            return e;
        x = q;
    }
    return append_window(iters, count, interval.lo, Int(interval.hi - interval.lo), out, dim);
}

/// A shape that does not group the layout: its dimensions are taken together as far as they are cut off from the others by boundaries
/// that do, and each such group of dimensions is a separate composition.
template <class L>
AXE_COLD constexpr Status slice_across(const L& layout, const typename L::Shape& shape, const typename L::Region& region,
                                       L& out) noexcept
{
    using Int = typename L::integer;
    Int extents[max_rank]; // of the groups of dimensions
    int last[max_rank];    // and the last dimension of each
    int groups = 0;
    const Int size = product(layout.shard);
    Int outer = 1, together = 1;
    for (int d = 0; d < shape.size(); ++d) {
        outer *= shape[d];
        together *= shape[d];
        const Int pair[2] = {outer, quotient(size, outer)};
        Digits<Int, 2 * most_digits> halves;
        int ends[2];
        if (d + 1 < shape.size() && !cut(layout.shard, pair, 2, halves, ends).ok()) continue;
        extents[groups] = together;
        last[groups++] = d;
        together = 1;
    }
    Digits<Int, 2 * most_digits> digits;
    int ends[max_rank]{};
    if (const Status e = cut(layout.shard, extents, groups, digits, ends); !e.ok()) return e; // there is room: each boundary cuts
    for (int g = 0; g < groups; ++g) {
        const int first = g == 0 ? 0 : ends[g - 1], first_dim = g == 0 ? 0 : last[g - 1] + 1;
        if (first_dim == last[g]) {
            if (const Status e = slice_dimension(digits.items + first, ends[g] - first, region[last[g]], last[g], out); !e.ok())
                return e;
            continue;
        }
        Digits<Int> f;
        for (int k = first; k < ends[g]; ++k) f.push_back(digits[k]);
        Walk<Int> walk;
        Int pitch = extents[g];
        for (int d = first_dim; d <= last[g]; ++d) {
            pitch = quotient(pitch, shape[d]);
            walk.start += region[d].lo * pitch;
            walk.push(region[d].hi - region[d].lo, pitch);
        }
        L part;
        if (const Status e = compose_digits(f, walk, part); !e.ok()) {
            if (e.code() != errc::no_layout) return e;
            return Error(errc::no_layout, -1, "the shape does not group the layout, and the region is not a layout");
        }
        for (const auto& it : part.shard)
            if (!append(out.shard, it)) return shard_capacity<L>();
        for (const auto& o : part.offset)
            if (const Status e = add_offset(out.offset, o.axis, o.value); !e.ok()) return e;
    }
    return {};
}

template <class L>
constexpr Status slice_into(const L& layout, const typename L::Shape& shape, const typename L::Region& region, L& out) noexcept
{
    using Int = typename L::integer;
    if (const Status e = check_admission(layout, shape); !e.ok()) return e;
    if (const Status e = check_region<L>(shape, region); !e.ok()) return e;

    Digits<Int, 2 * most_digits> digits;
    int ends[max_rank]{};
    if (cut(layout.shard, shape.items, shape.size(), digits, ends).ok()) {
        // Grouped: the map is a sum of one function for each dimension, and so is its restriction.
        for (int d = 0; d < shape.size(); ++d) {
            const int first = d == 0 ? 0 : ends[d - 1];
            if (const Status e = slice_dimension(digits.items + first, ends[d] - first, region[d], d, out); !e.ok()) return e;
        }
    } else if (const Status e = slice_across(layout, shape, region, out); !e.ok()) {
        return e;
    }
    if (const Status e = carry_replicas(layout, out); !e.ok()) return e;
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
    if (const Status e = detail::slice_into(layout, shape, region, *result); !e.ok()) result = e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
