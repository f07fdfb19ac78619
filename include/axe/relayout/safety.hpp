// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_SAFETY_HPP
#define AXE_RELAYOUT_SAFETY_HPP

#include <axe/layout/properties.hpp>
#include <axe/relayout/plan.hpp>

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

inline void take_in(ByteRange& range, std::int64_t least, std::int64_t most) noexcept
{
    const bool is_first = range.most < range.least;
    range.least = is_first ? least : std::min(range.least, least);
    range.most = is_first ? most : std::max(range.most, most);
}

/// What a nest reaches of one side; `step_of` names it.
template <class StepOf>
inline void take_in(ByteRange& range, const Nest& nest, std::int64_t start, std::int64_t width, StepOf step_of) noexcept
{
    std::int64_t least = start, most = start;
    for (const CopyLoop& l : nest.loops) {
        const std::int64_t part = (l.extent - 1) * step_of(l);
        (part < 0 ? least : most) += part;
    }
    take_in(range, least, most + width - 1);
}

/// Do the digits reach every address from 0 on, `unit` apart, once?
inline bool is_compact(const AddressMap& map, std::int64_t unit)
{
    std::vector<AddressDigit> digits(map.digits.begin(), map.digits.end());
    for (const AddressDigit& c : map.copies) digits.push_back(c);
    std::sort(digits.begin(), digits.end(),
              [](const AddressDigit& a, const AddressDigit& b) { return magnitude(a.step) < magnitude(b.step); });
    for (const AddressDigit& d : digits) {
        if (magnitude(d.step) != unit) return false;
        unit *= d.extent; // within the range of addresses, which fits
    }
    return true;
}

/// Where a whole side reaches after its swizzle, which permutes the addresses of each of its periods: its ends lie in the first and in
/// the last. False where the addresses there were not found in time.
inline bool find_swizzled_ends(const AddressMap& map, const ByteRange& before, std::int64_t unit, ByteRange& after)
{
    BoundedSum<std::int64_t, DigitList::capacity + Layout::max_replica> sums;
    for (const AddressDigit& d : map.digits) sums.insert(d.extent, magnitude(d.step));
    for (const AddressDigit& c : map.copies) sums.insert(c.extent, magnitude(c.step));
    sums.prepare();
    const std::int64_t period = map.swizzle.period(), last = before.most - unit + 1 - before.least;
    std::int64_t steps = search_limit;
    after = {};
    const auto take_between = [&](std::int64_t v, std::int64_t end) { // values are addresses − least
        while (v <= end) {
            v = static_cast<std::int64_t>(sums.at_least(v, steps));
            if (steps <= 0) return false;
            const std::int64_t address = map.swizzle(before.least + v);
            take_in(after, address, address + unit - 1);
            ++v;
        }
        return true;
    };
    const std::int64_t first_end = period - 1 - floor_mod(before.least, period);
    const std::int64_t last_begin = std::max<std::int64_t>(0, last - floor_mod(before.least + last, period));
    return take_between(0, std::min(first_end, last)) && take_between(last_begin, last);
}

/// The ranges of both sides after their swizzles. Nothing changes where periods are full; of a side that is padded, every address is
/// looked at.
inline void find_ranges(const AddressMap& to, const AddressMap& from, bool is_padded, RelayoutParts& parts)
{
    parts.to = parts.to_addresses;
    parts.from = parts.from_addresses;
    const auto is_found = [&](const AddressMap& map, ByteRange& range, std::int64_t unit) {
        const std::int64_t period = map.swizzle.period();
        if (map.swizzle.bits == 0) return true;
        if (is_padded) return false;
        if (floor_mod(range.least, period) == 0 && floor_mod(range.most + 1, period) == 0 && is_compact(map, unit)) return true;
        const ByteRange before = range;
        return find_swizzled_ends(map, before, unit, range);
    };
    if (!is_found(to, parts.to, parts.widths.to)) {
        parts.to = {};
        parts.each_written([&](std::int64_t byte) { take_in(parts.to, byte, byte); });
    }
    if (!is_found(from, parts.from, parts.widths.from)) {
        parts.from = {};
        parts.each_read([&](std::int64_t byte) { take_in(parts.from, byte, byte); });
    }
}

/// An address that two elements of a tensor have, counted in elements from the buffer's first on.
struct SharedAddress {
    bool found = false;
    std::int64_t address = 0, first = 0, second = 0; ///< the tensor's elements, row-major in the side's own shape
};

/// Do two elements of a side, or two copies of one, have one address? `walk` goes over those that count, `address_of` takes the side's
/// address of a pair. `errc::too_hard` where telling takes too much memory.
template <class AddressOf>
inline Outcome<SharedAddress> find_shared(const AddressMap& map, const PairWalk& walk, const ByteRange& range, std::int64_t unit,
                                          AddressOf address_of)
{
    BasicLayout<std::int64_t, DigitList::capacity + Layout::max_replica> addresses;
    for (int k = map.digits.size() - 1; k >= 0; --k) addresses.shard.push_back({map.digits[k].extent, map.digits[k].step / unit});
    for (const AddressDigit& c : map.copies) addresses.shard.push_back({c.extent, c.step / unit});
    const Verdict verdict = is_injective(addresses);
    if (verdict.decided() && verdict) return SharedAddress{};

    // Of a padded side only part counts; and the sentence names what shares an address.
    const std::int64_t n = (range.most - range.least) / unit + 1;
    if (n > most_marked)
        return Problem(errc::too_hard,
                       worded("whether two elements have one address takes {0} bits of memory to tell", {std::to_string(n)}));
    AddressMarks marks(floor_div(range.least, unit), floor_div(range.most, unit));
    const auto at = [&](std::int64_t k) { return floor_div(address_of(walk.pair(k)), unit); };
    std::int64_t copies = 1;
    for (const AddressDigit& c : map.copies) copies *= c.extent;
    const std::int64_t end = std::min(walk.elements(), n + 1); // among more than n elements, two share
    for (std::int64_t k = 0; k < end; ++k) {
        if (marks.mark(at(k))) continue;
        std::int64_t first = 0;
        while (at(first) != at(k)) ++first;
        return SharedAddress{true, at(k), first / copies, k / copies};
    }
    return SharedAddress{};
}

/// No address of the destination is written twice, be it by two elements or by two copies of one.
inline Problem check_written_once(const AddressMap& to, const RelayoutParts& parts)
{
    const auto shared = find_shared(to, *parts.written, parts.to_addresses, parts.widths.to, [](auto pair) { return pair.first; });
    if (!shared) return shared.error();
    if (!shared->found) return {};
    return Problem(errc::bad_argument,
                   worded("the destination's element {0} is written twice, by the tensor's elements {1} and {2}",
                          {std::to_string(shared->address), std::to_string(shared->first), std::to_string(shared->second)}));
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
                       where + worded("the buffer begins {0} bytes past a multiple of {1}, the size of an element",
                                      {std::to_string(past), std::to_string(width)}));
    const ByteRange& range = is_destination ? parts_.to : parts_.from;
    const std::int64_t per_byte = parts_.widths.nibbles ? 2 : 1;
    return Problem(errc::out_of_domain, where + worded("the layout reaches from byte {0} to byte {1}, the buffer has {2} bytes",
                                                       {std::to_string(floor_div(range.least, per_byte)),
                                                        std::to_string(floor_div(range.most, per_byte)), std::to_string(bytes)}));
}

inline Problem RelayoutPlan::check(const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes) const
{
    using namespace detail;
    if (Problem p = check_buffer(to, to_bytes, true)) return p;
    if (Problem p = check_buffer(from, from_bytes, false)) return p;
    if (!ranges_overlap(to, from)) return {};

    // Do they share a byte that is read and written?
    const std::int64_t per_byte = parts_.widths.nibbles ? 2 : 1;
    const std::int64_t apart =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(to));
    const ByteRange written{floor_div(parts_.to.least, per_byte), floor_div(parts_.to.most, per_byte)};
    AddressMarks marks(written.least, written.most);
    parts_.each_written([&](std::int64_t byte) { marks.mark(byte); });
    std::int64_t shared = -1;
    bool is_shared = false;
    parts_.each_read([&](std::int64_t byte) {
        const std::int64_t b = byte + apart;
        if (is_shared || b < written.least || b > written.most || !marks.has(b)) return;
        is_shared = true;
        shared = byte;
    });
    if (!is_shared) return {};
    return Problem(errc::bad_argument, worded("the buffers overlap: byte {0} of the source is byte {1} of the destination",
                                              {std::to_string(shared), std::to_string(shared + apart)}));
}

} // namespace v0
} // namespace axe

#endif
