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
inline Outcome<SharedAddress> name_shared(const SideReach& side, std::int64_t address)
{
    const Problem too_hard(errc::too_hard, worded("element {0} is written twice; which two do was not found within 2^20 steps",
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
    if (indices.error()) return too_hard;
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
inline Outcome<SharedAddress> find_shared(const SideReach& side)
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
        return Problem(errc::too_hard, worded("whether two of {0} elements have one address is not decided by their strides",
                                              {side.walk.elements()}));
    AddressMarks marks(least, most);
    for (std::int64_t k = 0; k < end; ++k)
        if (!marks.mark(floor_div(side.address(k), side.unit))) return name_shared(side, side.address(k));
    return SharedAddress{};
}

/// No address of the destination is written twice, be it by two elements or by two copies of one.
inline Problem check_written_once(const SideReach& to, const Shape& shape)
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
        return Problem(errc::bad_argument,
                       worded("the destination's element {0} is written twice, by the tensor's elements {1} and {2}",
                              {address, index(shared->first), index(shared->second)}));
    const auto words = [&](const Coord& c) {
        if (!is_padding(c)) return worded("the tensor's element {0}", {index(c)});
        std::string at;
        for (int d = 0; d < c.size(); ++d) at += (d > 0 ? "," : "") + std::to_string(c[d]);
        return worded("the padding at ({0})", {at});
    };
    const std::string second = shared->first == shared->second ? "another copy of it" : words(shared->second);
    return Problem(errc::bad_argument, worded("the destination's element {0} is written twice, by {1} and {2}",
                                              {address, words(shared->first), second}));
}

/// The bytes that are written, or read, as boxes; false where they are none, or no few.
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

inline bool RelayoutPlan::is_fine(const void* base, std::size_t bytes, bool is_destination) const noexcept
{
    const detail::ByteRange& range = is_destination ? parts_.to : parts_.from;
    const auto width = static_cast<std::uintptr_t>(is_destination ? parts_.widths.to : parts_.widths.from); // a power of two
    const std::int64_t size = static_cast<std::int64_t>(std::min(bytes, std::size_t{1} << 61)) * (parts_.widths.nibbles ? 2 : 1);
    return base != nullptr && (reinterpret_cast<std::uintptr_t>(base) & (width - 1)) == 0 && range.least >= 0 && range.most < size;
}

inline bool RelayoutPlan::ranges_overlap(const void* to, const void* from) const noexcept
{
    const auto at = [&](const void* base, std::int64_t address) {
        const std::int64_t byte = parts_.widths.nibbles ? detail::floor_div<std::int64_t>(address, 2) : address;
        return reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(byte);
    };
    return at(from, parts_.from.most) >= at(to, parts_.to.least) && at(from, parts_.from.least) <= at(to, parts_.to.most);
}

inline Problem RelayoutPlan::check_buffer(const void* base, std::size_t bytes, bool is_destination) const
{
    using namespace detail;
    if (is_fine(base, bytes, is_destination)) return {};
    const std::string where = std::string(side_name(is_destination)) + ": ";
    if (base == nullptr) return Problem(errc::bad_argument, where + "the buffer is a null pointer");
    const auto width = static_cast<std::uintptr_t>(is_destination ? parts_.widths.to : parts_.widths.from);
    if (const auto past = reinterpret_cast<std::uintptr_t>(base) % width; past != 0)
        return Problem(errc::bad_argument,
                       where + worded("the buffer begins {0} bytes past a multiple of {1}, the size of an element", {past, width}));
    const ByteRange& range = is_destination ? parts_.to : parts_.from;
    const std::int64_t per_byte = parts_.widths.nibbles ? 2 : 1;
    return Problem(errc::out_of_domain, where + worded("the layout reaches from byte {0} to byte {1}, the buffer has {2} bytes",
                                                       {floor_div(range.least, per_byte), floor_div(range.most, per_byte), bytes}));
}

inline Problem RelayoutPlan::check(const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) const
{
    using namespace detail;
    if (Problem p = check_buffer(to, to_bytes, true)) return p;
    if (Problem p = check_buffer(from, from_bytes, false)) return p;
    if (!ranges_overlap(to, from)) return {};

    const std::int64_t apart =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(to));
    const CommonAddress shared = find_shared_byte(parts_, apart);
    if (!shared.is_decided)
        return Problem(errc::too_hard, "whether the buffers share a byte that is read and written takes too long to tell");
    if (!shared.found) return {};
    return Problem(errc::bad_argument, worded("the buffers overlap: byte {0} of the source is byte {1} of the destination",
                                              {shared.address - apart, shared.address}));
}

} // namespace v0
} // namespace axe

#endif
