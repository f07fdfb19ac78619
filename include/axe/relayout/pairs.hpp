// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_PAIRS_HPP
#define AXE_RELAYOUT_PAIRS_HPP

#include <axe/relayout/refine.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

/// Copies element after element, each address by itself: for swizzled sides, for nibbles, and for maps that are not a few nests.
namespace axe {
inline namespace v0 {
namespace detail {

/// Calls  f(to, from, count, to_step, from_step)  for the choices a ≤ n < b of the loops' counters, the last of which runs fastest:
/// addresses from the first on, along the last loop.
template <class F>
inline void for_each_stretch(const CopyLoop* loops, int depth, std::int64_t a, std::int64_t b, std::int64_t to, std::int64_t from,
                             F f)
{
    if (a >= b) return;
    if (depth == 0) return f(to, from, std::int64_t{1}, std::int64_t{0}, std::int64_t{0});
    std::int64_t z[CopyNest::max_loops];
    std::int64_t n = a;
    for (int k = depth - 1; k >= 0; --k) {
        z[k] = n % loops[k].extent;
        n /= loops[k].extent;
        to += z[k] * loops[k].to;
        from += z[k] * loops[k].from;
    }
    const CopyLoop& last = loops[depth - 1];
    for (std::int64_t left = b - a;;) {
        const std::int64_t count = std::min(left, last.extent - z[depth - 1]);
        f(to, from, count, last.to, last.from);
        left -= count;
        if (left == 0) return;
        to -= z[depth - 1] * last.to;
        from -= z[depth - 1] * last.from;
        z[depth - 1] = 0;
        for (int k = depth - 2; k >= 0; --k) { // one of them is not at its end, as something is left
            to += loops[k].to;
            from += loops[k].from;
            if (++z[k] < loops[k].extent) break;
            to -= z[k] * loops[k].to;
            from -= z[k] * loops[k].from;
            z[k] = 0;
        }
    }
}

/// A region whose maps are not a few nests, with all that finds an element's addresses.
struct PairWalk {
    Region region{};
    Shape to_shape{}, from_shape{};
    DigitList to{}, from{};
    InlineVector<CopyLoop, Layout::max_replica> copies{};
    std::int64_t to_offset = 0, from_offset = 0;
    bool fills = false; ///< with the constant of the padding

    /// Pairs of addresses; as many as the integer holds, where there are more.
    [[nodiscard]] std::int64_t elements() const noexcept
    {
        std::int64_t n = 1;
        bool fits = true;
        for (const Range& r : region) fits = fits && mul(n, r.hi - r.lo, n);
        for (const CopyLoop& c : copies) fits = fits && mul(n, c.extent, n);
        return fits ? n : INT64_MAX;
    }
    /// Calls f(to, from) for the n-th elements, a ≤ n < b; those of one tensor element follow one another.
    template <class F>
    void for_each(std::int64_t a, std::int64_t b, F f) const
    {
        for (std::int64_t n = a; n < b; ++n) {
            const auto [to_at, from_at] = pair(n);
            f(to_at, from_at);
        }
    }
    /// The n-th element's addresses.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> pair(std::int64_t n) const noexcept
    {
        std::int64_t to_index = 0, from_index = 0, to_weight = 1, from_weight = 1, to_at = to_offset;
        for (const CopyLoop& c : copies) {
            to_at += n % c.extent * c.to;
            n /= c.extent;
        }
        for (int d = region.size() - 1; d >= 0; --d) {
            const std::int64_t extent = region[d].hi - region[d].lo, index = region[d].lo + n % extent;
            n /= extent;
            to_index += index * to_weight;
            from_index += index * from_weight;
            to_weight *= to_shape[d];
            from_weight *= from_shape[d];
        }
        return {to_at + address_of(to, to_index), from_offset + address_of(from, from_index)};
    }
};

inline std::uint8_t nibble_at(const std::byte* base, std::int64_t at) noexcept
{
    const auto both = std::to_integer<std::uint8_t>(base[at >> 1]);
    return (at & 1) != 0 ? static_cast<std::uint8_t>(both >> 4) : static_cast<std::uint8_t>(both & 15);
}
inline void set_nibble(std::byte* base, std::int64_t at, std::uint8_t value) noexcept
{
    const int up = (at & 1) != 0 ? 4 : 0;
    base[at >> 1] = (base[at >> 1] & std::byte(0xf0 >> up)) | std::byte(value << up);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
