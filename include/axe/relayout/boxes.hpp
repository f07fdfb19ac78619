// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_BOXES_HPP
#define AXE_RELAYOUT_BOXES_HPP

#include <axe/layout/properties.hpp>
#include <axe/relayout/nests.hpp>

/// Where the elements of one side are, as boxes  to + Σ z_k·to_k,  of which a padded side has a few; and whether two have an address in
/// common.
namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr std::size_t most_boxes = std::size_t{1} << 8; ///< of more, elements are looked at one by one

/// The elements of a region in the side's own shape, as boxes whose `from` does not move; false where they are not a few.
inline bool find_boxes(const AddressMap& map, const Region& region, const Shape& shape, std::vector<CopyNest>& boxes)
{
    AddressMap still;
    still.digits.push_back({*volume(shape), 0});
    boxes.clear();
    return append_nests(map, still, region, shape, shape, most_boxes, boxes);
}

/// The whole side, padding and all, is one.
inline CopyNest whole_box(const AddressMap& map)
{
    CopyNest box;
    box.to = map.offset;
    box.from = 0;
    for (const AddressDigit& d : map.digits) box.loops.push_back({d.extent, d.step, 0});
    for (const AddressDigit& c : map.copies) box.loops.push_back({c.extent, c.step, 0});
    simplify(box);
    return box;
}

/// The sums of a box's loops, all of them forward, and of others.
struct BoxSums : BoundedSum<std::int64_t, 2 * CopyNest::max_loops> {
    void insert_loops(const CopyNest& box) noexcept
    {
        for (const CopyLoop& l : box.loops) insert(l.extent, l.to);
    }
};

inline std::int64_t last_of(const CopyNest& box) noexcept
{
    std::int64_t most = box.to;
    for (const CopyLoop& l : box.loops) most += (l.extent - 1) * l.to;
    return most;
}

/// An address that two choices of counters reach, of one box or of two.
struct CommonAddress {
    bool is_decided = true, found = false;
    std::int64_t address = 0;
};

/// Within one box, whose loops all are more than one and go forward.
inline CommonAddress find_common(const CopyNest& box)
{
    std::int64_t footprint = 0;
    bool has_gaps = true; // each step leaves all that the shorter ones reach
    for (int k = box.loops.size() - 1; k >= 0; --k) {
        has_gaps = has_gaps && box.loops[k].to > footprint;
        footprint += (box.loops[k].extent - 1) * box.loops[k].to;
    }
    if (has_gaps) return {};
    BasicLayout<std::int64_t, CopyNest::max_loops> layout;
    for (const CopyLoop& l : box.loops) layout.shard.push_back({l.extent, l.to});
    const Decision decision = is_injective(layout);
    if (decision.undecided()) return {false, false, 0};
    if (decision) return {};
    std::int64_t index = decision.witness(), address = box.to;
    for (int k = box.loops.size() - 1; k >= 0; --k) {
        address += index % box.loops[k].extent * box.loops[k].to;
        index /= box.loops[k].extent;
    }
    return {true, true, address};
}

/// In both of two:  Σ z_k·a_k + Σ (m_i − 1 − z_i)·b_i  is what is between the first address of a and the last of b.
inline CommonAddress find_common(const CopyNest& a, const CopyNest& b)
{
    const std::int64_t last = last_of(b);
    if (last < a.to || last_of(a) < b.to) return {};
    BoxSums sums;
    sums.insert_loops(b);
    sums.insert_loops(a); // after b, so that of equal steps those of a are chosen first, and least
    sums.prepare();
    std::int64_t steps = search_limit, digit[2 * CopyNest::max_loops]{};
    const bool found = sums.contains(wider_t<std::int64_t>(last) - a.to, steps, digit);
    if (steps <= 0) return {false, false, 0};
    if (!found) return {};
    CommonAddress common{true, true, a.to};
    bool is_taken[2 * CopyNest::max_loops]{};
    for (const CopyLoop& l : a.loops) // terms of one extent and step are interchangeable
        for (int t = sums.count - 1; t >= 0; --t)
            if (!is_taken[t] && sums.extent[t] == l.extent && sums.stride[t] == l.to) {
                is_taken[t] = true;
                common.address += digit[t] * l.to;
                break;
            }
    return common;
}

/// Within any box or any two.
inline CommonAddress find_common(const std::vector<CopyNest>& boxes)
{
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        CommonAddress common = find_common(boxes[i]);
        for (std::size_t k = 0; k < i && common.is_decided && !common.found; ++k) common = find_common(boxes[k], boxes[i]);
        if (!common.is_decided || common.found) return common;
    }
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
