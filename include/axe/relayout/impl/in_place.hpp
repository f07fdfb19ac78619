// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_IMPL_IN_PLACE_HPP
#define AXE_RELAYOUT_IMPL_IN_PLACE_HPP

#include <axe/relayout/in_place.hpp>
#include <axe/relayout/safety.hpp>

#include <algorithm>
#include <cstring>

namespace axe {
inline namespace v0 {
namespace detail {

/// x of an address, where the address is digits of a mixed radix: every address is reached once.
class AddressIndex {
  public:
    AddressIndex(const AddressMap& map, std::int64_t unit) : origin_(map.offset / unit)
    {
        std::int64_t weight = 1;
        for (const AddressDigit& d : map.digits) {
            levels_.push_back({magnitude(d.step) / unit, d.extent, weight, d.step < 0});
            if (d.step < 0) origin_ += (d.extent - 1) * (d.step / unit);
            weight *= d.extent;
        }
        std::sort(levels_.begin(), levels_.end(), [](const Level& a, const Level& b) { return a.step > b.step; });
    }
    /// For layouts whose steps leave gaps or follow one another: each step is more than all smaller ones reach.
    [[nodiscard]] bool has_gaps() const noexcept
    {
        std::int64_t footprint = 0;
        for (std::size_t k = levels_.size(); k-- > 0;) {
            if (levels_[k].step <= footprint) return false;
            footprint += (levels_[k].extent - 1) * levels_[k].step;
        }
        return true;
    }
    /// −1 where no element is at the address.
    [[nodiscard]] std::int64_t operator()(std::int64_t address) const noexcept
    {
        std::int64_t rest = address - origin_, x = 0;
        if (rest < 0) return -1;
        for (const Level& l : levels_) {
            const std::int64_t z = rest / l.step;
            if (z >= l.extent) return -1;
            rest -= z * l.step;
            x += (l.is_backward ? l.extent - 1 - z : z) * l.weight;
        }
        return rest == 0 ? x : -1;
    }

  private:
    struct Level {
        std::int64_t step, extent, weight;
        bool is_backward;
    };
    std::vector<Level> levels_{};
    std::int64_t origin_;
};

/// Moves every element of a permutation: the one at from(x) goes to to(x), cycle after cycle.
template <class IndexOf>
inline void follow_cycles(std::byte* buffer, const AddressMap& to, const AddressMap& from, std::int64_t elements, std::size_t width,
                          IndexOf index_of)
{
    AddressMarks moved(0, elements - 1);
    std::byte held[16], next[16];
    for (std::int64_t start = 0; start < elements; ++start) {
        if (moved.has(start)) continue;
        std::memcpy(held, buffer + from.offset + address_of(from.digits, start), width);
        for (std::int64_t x = start; moved.mark(x);) {
            std::byte* const target = buffer + to.offset + address_of(to.digits, x);
            std::memcpy(next, target, width);
            std::memcpy(target, held, width);
            std::memcpy(held, next, width);
            x = index_of(target - buffer);
        }
    }
}

} // namespace detail

AXE_DECL Result<void, Problem> relayout_in_place(void* buffer, std::size_t bytes, const RelayoutSide& to, const RelayoutSide& from,
                                                 const Shape& shape, const RelayoutOptions& options)
{
    using namespace detail;
    auto widths = element_widths(options);
    if (!widths) return widths.error();
    const auto is_plain = [&](const RelayoutSide& s) {
        return (s.shape.empty() || s.shape == shape) && s.layout.layout.replica.empty() && s.layout.swizzle.bits == 0;
    };
    if (!is_plain(to) || !is_plain(from) || widths->nibbles || widths->finish.any)
        return Problem(errc::bad_argument,
                       "in place, a tensor cannot be padded, replicated, swizzled or converted, and has whole bytes");
    const auto plan = plan_relayout(to, from, shape, options);
    if (!plan) return plan.error();
    for (const bool is_destination : {false, true})
        if (auto p = plan->check_buffer(buffer, bytes, is_destination); !p.ok()) return p;
    const AddressMap to_map = *address_map(to, widths->to, true), from_map = *address_map(from, widths->to, false);
    const std::int64_t elements = *volume(shape), unit = widths->to;

    const auto shared = find_shared(SideReach(from_map, *plan->parts().read, false, unit));
    if (!shared) return shared.error();
    if (shared->found)
        return Problem(errc::bad_argument,
                       "the source's element {0} is the tensor's elements {1} and {2}: in place it would have to go to two places",
                       {shared->address, index_in(shape, shared->first), index_in(shape, shared->second)});

    const AddressIndex digits(from_map, unit);
    std::vector<std::int64_t> table; // of sources whose steps interleave: x of each address
    std::int64_t least = 0;
    if (!digits.has_gaps()) {
        least = from_map.least;
        table.assign(static_cast<std::size_t>((from_map.most - from_map.least) / unit + 1), -1);
        for (std::int64_t x = 0; x < elements; ++x)
            table[static_cast<std::size_t>((from_map.offset + address_of(from_map.digits, x) - least) / unit)] = x;
    }
    const auto index_of = [&](std::int64_t address) -> std::int64_t {
        if (table.empty()) return digits(address / unit);
        const std::int64_t at = floor_div(address - least, unit);
        return at < 0 || at >= static_cast<std::int64_t>(table.size()) ? -1 : table[static_cast<std::size_t>(at)];
    };
    for (std::int64_t x = 0; x < elements; ++x) {
        const std::int64_t address = to_map.offset + address_of(to_map.digits, x);
        if (index_of(address) < 0)
            return Problem(errc::no_layout,
                           "in place, both layouts must have the same addresses: element {0} is in the destination only",
                           {address / unit});
    }
    follow_cycles(static_cast<std::byte*>(buffer), to_map, from_map, elements, static_cast<std::size_t>(unit), index_of);
    return {};
}

} // namespace v0
} // namespace axe

#endif
