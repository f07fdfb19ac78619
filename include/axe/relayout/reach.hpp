// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_REACH_HPP
#define AXE_RELAYOUT_REACH_HPP

#include <axe/relayout/boxes.hpp>
#include <axe/relayout/parts.hpp>

/// From which byte to which a side reaches, told from its digits and not element by element.
namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr std::int64_t most_walked = std::int64_t{1} << 26; ///< elements that are looked at one by one: a second or two

/// Does a box reach every address from its first to its last, `unit` apart, once?
inline bool is_compact(const CopyNest& box, std::int64_t unit) noexcept
{
    for (int k = box.loops.size() - 1; k >= 0; --k) { // the shortest step first
        if (box.loops[k].to != unit) return false;
        unit *= box.loops[k].extent; // within the range of addresses, which fits
    }
    return true;
}

/// Finds the least and the greatest address of a box after a swizzle, which permutes the addresses of each of its periods.
///
/// The greatest, say, is in the last period that the box reaches. Its bits are found from the highest down: can the next one be 1? A
/// swizzled address whose bits are known down to one is an address of the box whose bits are known, too, but for the fields that
/// are free, and  Σ z_k·s_k + Σ f_i·2^(p_i)  tells whether there is one. Where the bits that are read are the lower ones, each of their
/// values is tried.
class SwizzledEnds {
  public:
    SwizzledEnds(const CopyNest& box, const Swizzle& swizzle, std::int64_t unit) noexcept
        : box_(box), swizzle_(swizzle), unit_(unit)
    {
        is_upward_ = swizzle.shift < 0;
    }

    /// The most, or the least; false where the search gave up.
    bool find(bool is_most, std::int64_t& address) noexcept
    {
        const std::int64_t period = swizzle_.period(), edge = is_most ? last_of(box_) : box_.to;
        window_ = floor_div(edge, period) * period;
        std::int64_t best = -1;
        const std::int64_t values = is_upward_ ? std::int64_t{1} << swizzle_.bits : 1;
        for (std::int64_t value = 0; value < values && steps_ > 0; ++value) {
            std::int64_t found = is_upward_ ? value << swizzle_.base : 0, bit = period;
            if (!has_address(found, bit)) continue;
            for (bit /= 2; bit >= unit_; bit /= 2) {
                if (is_read(bit)) continue;
                const std::int64_t wished = is_most ? found | bit : found;
                found = has_address(wished, bit) == is_most ? found | bit : found;
            }
            if (best < 0 || (found > best) == is_most) best = found;
        }
        address = window_ + best;
        return steps_ > 0;
    }

  private:
    /// Is this one of the bits below the others that the swizzle reads?
    [[nodiscard]] bool is_read(std::int64_t bit) const noexcept
    {
        return is_upward_ && bit >> swizzle_.base != 0 && bit >> (swizzle_.base + swizzle_.bits) == 0;
    }
    /// Is there an address in the period whose swizzled bits from `free` on are those of `known`? (Of the bits that are read all are.)
    [[nodiscard]] bool has_address(std::int64_t known, std::int64_t free) noexcept
    {
        const std::int64_t low = std::int64_t{1} << swizzle_.base, high = low << swizzle_.bits;
        const bool is_cut = is_upward_ && free > low;
        const std::int64_t fixed =
            is_cut ? floor_div(swizzle_(known), free) * free + (known & (high - low)) : floor_div(swizzle_(known), free) * free;
        BoxSums sums;
        sums.insert_loops(box_);
        wider_t<std::int64_t> value = wider_t<std::int64_t>(window_) + fixed - box_.to;
        const auto let = [&](std::int64_t from, std::int64_t to) { // the bits between the two are anything
            sums.insert(to / from, from);
            value += to - from;
        };
        let(unit_, is_cut ? low : free);
        if (is_cut && free > high) let(high, free);
        sums.prepare();
        return --steps_ > 0 && sums.contains(value, steps_);
    }

    const CopyNest& box_;
    Swizzle swizzle_;
    std::int64_t unit_, window_ = 0, steps_ = search_limit;
    bool is_upward_;
};

inline void take_in(ByteRange& range, std::int64_t least, std::int64_t most) noexcept
{
    const bool is_first = range.most < range.least;
    range.least = is_first ? least : std::min(range.least, least);
    range.most = is_first ? most : std::max(range.most, most);
}

/// The elements of one side that count: of a padded one, those that are copied or filled.
struct SideReach {
    const AddressMap& map;
    const PairWalk& walk;
    bool is_destination;
    std::int64_t unit; ///< of an element
    std::vector<CopyNest> boxes{};
    bool is_whole = true, has_boxes = true;

    SideReach(const AddressMap& m, const PairWalk& w, bool is_to, std::int64_t u) : map(m), walk(w), is_destination(is_to), unit(u)
    {
        for (int d = 0; d < walk.region.size(); ++d)
            is_whole = is_whole && walk.region[d].lo == 0 && walk.region[d].hi == shape()[d];
        if (is_whole)
            boxes.push_back(whole_box(map));
        else
            has_boxes = find_boxes(map, walk.region, shape(), boxes);
    }
    [[nodiscard]] const Shape& shape() const noexcept { return is_destination ? walk.to_shape : walk.from_shape; }
    [[nodiscard]] std::int64_t address(std::int64_t k) const noexcept
    {
        const auto [to, from] = walk.pair(k);
        return is_destination ? to : from;
    }
    [[nodiscard]] std::int64_t copies() const noexcept
    {
        std::int64_t n = 1;
        for (const CopyLoop& c : walk.copies) n *= c.extent;
        return n;
    }
};

/// Where a side reaches, before its swizzle and after.
///
/// `errc::too_hard` where that would take more than 2^26 elements, one by one: where iters straddle the dimensions of a padded shape;
/// or more steps than a search takes.
inline Result<void, Problem> find_range(const SideReach& side, ByteRange& before, ByteRange& after)
{
    const std::string where = std::string(side_name(side.is_destination)) + ": ";
    const Swizzle& swizzle = side.map.swizzle;
    const std::int64_t period = swizzle.period(), past = side.unit - 1;
    before = after = {};
    if (!side.has_boxes) {
        const std::int64_t n = side.walk.elements();
        if (n > most_walked)
            return Problem(
                errc::too_hard,
                where + worded("iters that straddle the dimensions of its shape are examined one by one: {0} elements, at most {1}",
                               {n, most_walked}));
        for (std::int64_t k = 0; k < n; ++k) {
            const std::int64_t address = side.address(k), swizzled = swizzle(address);
            take_in(before, address, address + past);
            take_in(after, swizzled, swizzled + past);
        }
        return {};
    }
    for (const CopyNest& box : side.boxes) take_in(before, box.to, last_of(box) + past);
    after = before;
    const bool is_full = floor_mod(before.least, period) == 0 && floor_mod(before.most, period) == period - 1;
    if (swizzle.bits == 0 || (is_full && side.boxes.size() == 1 && is_compact(side.boxes[0], side.unit))) return {};
    after = {};
    for (const CopyNest& box : side.boxes) {
        SwizzledEnds ends(box, swizzle, side.unit);
        std::int64_t least = 0, most = 0;
        if (!ends.find(false, least) || !ends.find(true, most))
            return Problem(errc::too_hard, where + "the ends of its swizzled addresses were not found within 2^20 steps");
        take_in(after, least, most + past);
    }
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
