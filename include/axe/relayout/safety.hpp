// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_SAFETY_HPP
#define AXE_RELAYOUT_SAFETY_HPP

#include <axe/layout/preimage.hpp>
#include <axe/relayout/reach.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr std::int64_t most_marked = std::int64_t{1} << 33; ///< addresses that are marked one by one, a bit each: 1 GiB

/// Which addresses of a range were seen.
class AddressMarks {
  public:
    AddressMarks(std::int64_t least, std::int64_t most) : least_(least), bits_(static_cast<std::size_t>((most - least) / 64 + 1)) {}
    /// Marks it; was it new?
    bool mark(std::int64_t address) noexcept
    {
        std::uint64_t& word = bits_[static_cast<std::size_t>((address - least_) / 64)];
        const std::uint64_t bit = std::uint64_t{1} << ((address - least_) % 64);
        const bool is_new = (word & bit) == 0;
        word |= bit;
        return is_new;
    }
    [[nodiscard]] bool has(std::int64_t address) const noexcept
    {
        return (bits_[static_cast<std::size_t>((address - least_) / 64)] >> ((address - least_) % 64) & 1) != 0;
    }

  private:
    std::int64_t least_;
    std::vector<std::uint64_t> bits_;
};

/// An address that two elements of a tensor have, counted in elements from the buffer's first on.
struct SharedAddress {
    bool found = false;
    std::int64_t address = 0;
    Coord first{}, second{}; ///< in the side's own shape; the same, where two copies of one have it
};

/// The row-major index of an element.
inline std::int64_t index_in(const Shape& shape, const Coord& c) noexcept
{
    std::int64_t x = 0;
    for (int d = 0; d < c.size(); ++d) x = x * shape[d] + c[d];
    return x;
}

/// The two first elements that are at an address, before the swizzle, that more than one has; `errc::too_hard` where that takes long.
inline Result<SharedAddress, Problem> name_shared(const SideReach& side, std::int64_t address)
{
    const Problem too_hard(errc::too_hard, worded("element {0} is written twice; by which elements was not found within 2^20 steps",
                                                  {floor_div(side.map.swizzle(address), side.unit)}));
    BasicLayout<std::int64_t, DigitList::capacity + Layout::max_replica> layout;
    for (int k = side.map.digits.size() - 1; k >= 0; --k)
        layout.shard.push_back({side.map.digits[k].extent, side.map.digits[k].step});
    for (int k = side.map.copies.size() - 1; k >= 0; --k)
        layout.shard.push_back({side.map.copies[k].extent, side.map.copies[k].step});
    if (const auto n = size(layout); !n) return too_hard;
    if (side.map.offset != 0) *layout.offset.entry({}) = side.map.offset;
    typename decltype(layout)::Point point{};
    if (address != 0) *point.entry({}) = address;
    const auto indices = preimage(layout, {*size(layout)}, point);
    if (!indices.error().ok()) return too_hard;
    SharedAddress shared;
    std::int64_t steps = search_limit;
    int count = 0;
    for (const auto& index : indices) {
        Coord c = side.shape();
        std::int64_t x = index[0] / side.copies();
        bool counts = true;
        for (int d = c.size() - 1; d >= 0; --d) {
            c[d] = x % side.shape()[d];
            x /= side.shape()[d];
            counts = counts && c[d] < side.walk.region[d].hi;
        }
        if (--steps <= 0) return too_hard;
        if (!counts) continue;
        (count++ == 0 ? shared.first : shared.second) = c;
        if (count < 2) continue;
        shared.found = true;
        shared.address = floor_div(side.map.swizzle(address), side.unit);
        return shared;
    }
    return too_hard; // there are two, but of more digits than are asked here
}

/// Do two elements of a side, or two copies of one, have one address? `errc::too_hard` where telling takes too long.
inline Result<SharedAddress, Problem> find_shared(const SideReach& side)
{
    const CommonAddress among_all = find_common(whole_box(side.map));
    if (among_all.is_decided && !among_all.found) return SharedAddress{};
    if (side.has_boxes) {
        const CommonAddress common = side.is_whole ? among_all : find_common(side.boxes);
        if (common.is_decided) return common.found ? name_shared(side, common.address) : SharedAddress{};
    }
    // One by one; among more elements than there are addresses, two share.
    using Wide = wider_t<std::int64_t>;
    const std::int64_t least = floor_div(side.map.least, side.unit), most = floor_div(side.map.most, side.unit);
    const Wide addresses = Wide(most) - least + 1;
    const auto end = static_cast<std::int64_t>(axe::detail::least<Wide>(side.walk.elements(), addresses + 1));
    if (end > most_walked || addresses > most_marked)
        return Problem(errc::too_hard, "the strides do not show whether two of {0} elements have the same address",
                       {side.walk.elements()});
    AddressMarks marks(least, most);
    for (std::int64_t k = 0; k < end; ++k)
        if (!marks.mark(floor_div(side.address(k), side.unit))) return name_shared(side, side.address(k));
    return SharedAddress{};
}

/// No address of the destination is written twice, be it by two elements or by two copies of one.
inline Result<void, Problem> check_written_once(const SideReach& to, const Shape& shape)
{
    const auto shared = find_shared(to);
    if (!shared) return shared.error();
    if (!shared->found) return {};
    const std::string address = std::to_string(shared->address);
    const auto is_padding = [&](const Coord& c) {
        for (int d = 0; d < c.size(); ++d)
            if (c[d] >= shape[d]) return true;
        return false;
    };
    const auto index = [&](const Coord& c) { return std::to_string(index_in(shape, c)); };
    if (!is_padding(shared->first) && !is_padding(shared->second) && !(shared->first == shared->second))
        return Problem(errc::bad_argument, "the destination's element {0} is written twice, by the tensor's elements {1} and {2}",
                       {address, index(shared->first), index(shared->second)});
    const auto words = [&](const Coord& c) {
        if (!is_padding(c)) return worded("the tensor's element {0}", {index(c)});
        std::string at;
        for (int d = 0; d < c.size(); ++d) at += (d > 0 ? "," : "") + std::to_string(c[d]);
        return worded("the padding at ({0})", {at});
    };
    const std::string second = shared->first == shared->second ? "another copy of it" : words(shared->second);
    return Problem(errc::bad_argument, "the destination's element {0} is written twice, by {1} and {2}",
                   {address, words(shared->first), second});
}

/// The bytes that are written, or read, as boxes; false where they are not, or too many.
inline bool find_byte_boxes(const RelayoutParts& parts, bool is_written, std::vector<CopyNest>& boxes)
{
    const PairWalk& walk = is_written ? *parts.written : *parts.read;
    if ((is_written ? parts.to_swizzle : parts.from_swizzle).bits > 0 || parts.widths.nibbles) return false;
    AddressMap map;
    map.digits = is_written ? walk.to : walk.from;
    map.offset = is_written ? walk.to_offset : walk.from_offset;
    if (is_written)
        for (const CopyLoop& c : walk.copies) map.copies.push_back({c.extent, c.to});
    const std::int64_t unit = is_written ? parts.widths.to : parts.widths.from;
    SideReach reach(map, walk, is_written, unit);
    for (CopyNest& box : reach.boxes)
        if (unit > 1) box.loops.push_back({unit, 1, 0});
    boxes = std::move(reach.boxes);
    return reach.has_boxes;
}

/// A byte of the destination that is also read, where the source begins `apart` bytes after the destination; not decided where it takes
/// more than 2^26 elements, or 2^33 bytes, one by one.
inline CommonAddress find_shared_byte(const RelayoutParts& parts, std::int64_t apart)
{
    std::vector<CopyNest> to, from;
    if (find_byte_boxes(parts, true, to) && find_byte_boxes(parts, false, from)) {
        bool is_decided = true;
        for (CopyNest& f : from) {
            f.to += apart;
            for (const CopyNest& t : to) {
                const CommonAddress common = find_common(f, t);
                if (common.found) return common;
                is_decided = is_decided && common.is_decided;
            }
        }
        if (is_decided) return {};
    }
    const std::int64_t per_byte = parts.widths.nibbles ? 2 : 1;
    const ByteRange written{floor_div(parts.to.least, per_byte), floor_div(parts.to.most, per_byte)};
    if (std::max(parts.written->elements(), parts.read->elements()) > most_walked || written.most - written.least >= most_marked)
        return {false, false, 0};
    AddressMarks marks(written.least, written.most);
    parts.each_written([&](std::int64_t byte) { marks.mark(byte); });
    CommonAddress shared;
    parts.each_read([&](std::int64_t byte) {
        const std::int64_t b = byte + apart;
        if (shared.found || b < written.least || b > written.most || !marks.has(b)) return;
        shared = {true, true, b};
    });
    return shared;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
