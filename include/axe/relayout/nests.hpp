// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_NESTS_HPP
#define AXE_RELAYOUT_NESTS_HPP

#include <axe/relayout/refine.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Adjacent dimensions whose indices may be counted as one: all but the first are whole on both sides.
struct DimensionGroup {
    std::int64_t lo, hi;                 ///< of the index, what is copied
    std::int64_t to_extent, from_extent; ///< of each side's digits
    int first_dimension;
};
using DimensionGroups = InlineVector<DimensionGroup, max_rank>; ///< the fastest first

/// A region of the tensor in groups. `to` and `from` are the shapes of the sides' layouts.
inline DimensionGroups group_dimensions(const Region& region, const Shape& to, const Shape& from)
{
    DimensionGroups groups;
    bool is_whole = false;
    for (int d = region.size() - 1; d >= 0; --d) {
        if (is_whole) {
            DimensionGroup& g = groups.back();
            g = {region[d].lo * g.hi, region[d].hi * g.hi, to[d] * g.to_extent, from[d] * g.from_extent, d};
        } else {
            groups.push_back({region[d].lo, region[d].hi, to[d], from[d], d});
        }
        is_whole = region[d].lo == 0 && region[d].hi == to[d] && to[d] == from[d];
        // Dimensions that are whole go on being so only while all that is inside is.
        const DimensionGroup& g = groups.back();
        is_whole = is_whole && g.lo == 0 && g.hi == g.to_extent && g.hi == g.from_extent;
    }
    return groups;
}

/// The fastest digits, whose extents multiply to n, taken off the list; false where n falls within a digit that does not divide there.
inline bool take_digits(DigitList& rest, std::int64_t n, DigitList& taken)
{
    taken = {};
    int k = 0;
    for (; k < rest.size() && n > 1; ++k) {
        AddressDigit& d = rest[k];
        if (n % d.extent == 0) {
            taken.push_back(d);
            n /= d.extent;
            continue;
        }
        if (d.extent % n != 0) return false;
        taken.push_back({n, d.step});
        d = {d.extent / n, d.step * n};
        n = 1;
        break;
    }
    DigitList left;
    for (; k < rest.size(); ++k) left.push_back(rest[k]);
    rest = left;
    return n == 1;
}

/// Every element of the region, as nests of loops; false where that takes more than `limit` nests, or a side's iters straddle the
/// dimensions of its padded shape.
inline bool append_nests(const AddressMap& to, const AddressMap& from, const Region& region, const Shape& to_shape,
                         const Shape& from_shape, std::size_t limit, std::vector<CopyNest>& nests)
{
    const std::size_t first = nests.size();
    CopyNest origin;
    origin.to = to.offset;
    origin.from = from.offset;
    for (const AddressDigit& copy : to.copies) origin.loops.push_back({copy.extent, copy.step, 0});
    nests.push_back(origin);
    DigitList to_rest = to.digits, from_rest = from.digits;
    for (const DimensionGroup& group : group_dimensions(region, to_shape, from_shape)) {
        DigitList to_digits, from_digits;
        if (!take_digits(to_rest, group.to_extent, to_digits) || !take_digits(from_rest, group.from_extent, from_digits))
            return false;
        const Refinement refined(to_digits, from_digits, group.lo, group.hi, limit);
        if (refined.exhausted() || refined.boxes().size() * (nests.size() - first) > limit) return false;
        const std::size_t so_far = nests.size() - first;
        for (std::size_t b = 0; b < refined.boxes().size(); ++b)
            for (std::size_t i = 0; i < so_far; ++i) {
                // The last box is added in place.
                const bool is_last = b + 1 == refined.boxes().size();
                CopyNest nest = nests[first + i];
                nest.to += refined.boxes()[b].to;
                nest.from += refined.boxes()[b].from;
                for (const CopyLoop& l : refined.boxes()[b].loops) nest.loops.push_back(l);
                if (is_last)
                    nests[first + i] = nest;
                else
                    nests.push_back(nest);
            }
    }
    for (std::size_t i = first; i < nests.size(); ++i) simplify(nests[i]);
    return true;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
