// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_BIT_MAP_HPP
#define AXE_INTEROP_CUTE_BIT_MAP_HPP

#include <axe/interop/cute/composed.hpp>
#include <axe/interop/cute/modes.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// A map of numbers that is linear over their bits:  f(x) = start ⊕ ⊕_{i ∈ bits of x} image[i].
///
/// A swizzle is one. A layout is one, on powers of two, where no two of its bits' values have a bit in common: then a sum is what ⊕
/// is. The other way, such a map is a layout whose offset is `start` exactly if its images and its start have no bit in common.
struct BitMap {
    static constexpr int most_bits = 62;
    Int image[most_bits];
    Int start = 0;
    int count = 0;

    [[nodiscard]] constexpr Int operator()(Int x) const noexcept
    {
        Int out = start;
        for (int i = 0; x != 0; ++i, x >>= 1)
            if ((x & 1) != 0) out ^= image[i];
        return out;
    }
    /// Have no two of the images and the start a bit in common?
    [[nodiscard]] constexpr bool is_sum() const noexcept
    {
        Int seen = start;
        bool apart = start >= 0;
        for (int i = 0; i < count; ++i) {
            apart = apart && image[i] >= 0 && (seen & image[i]) == 0;
            seen |= image[i];
        }
        return apart;
    }
    [[nodiscard]] constexpr Int all_bits() const noexcept
    {
        Int seen = start;
        for (int i = 0; i < count; ++i) seen |= image[i];
        return seen;
    }
    /// How many bits the values have.
    [[nodiscard]] constexpr int bits() const noexcept
    {
        int n = 0;
        for (Int rest = all_bits(); n < most_bits && rest > 0; rest >>= 1) ++n;
        return n;
    }
};

constexpr bool is_power_of_two(Int n) noexcept { return n > 0 && (n & (n - 1)) == 0; }
/// The bits that numbers below n need.
constexpr int bits_below(Int n) noexcept
{
    int bits = 0;
    while (bits < 62 && (Int{1} << bits) < n) ++bits;
    return bits;
}

/// A layout as a map of bits, on at least so many of them: the last leaf runs on. Returns whether it is one.
constexpr bool bit_map_of(const Layout& layout, Int offset, int at_least, BitMap& out) noexcept
{
    Int next = 0; // what the next bit of the last leaf comes to
    for (const Node& node : layout.nodes) {
        if (node.children >= 0) continue;
        if (!is_power_of_two(node.leaf.extent) || node.leaf.stride < 0 || !node.leaf.basis.path.empty()) return false;
        next = node.leaf.stride;
        for (Int n = node.leaf.extent; n > 1; n /= 2) {
            if (out.count == BitMap::most_bits) return false;
            out.image[out.count++] = next;
            if (!axe::detail::add(next, next, next)) next = INT64_MAX; // past the last: of no use
        }
    }
    for (; out.count < at_least; next *= 2) {
        if (out.count == BitMap::most_bits || next > (Int{1} << 60)) return false;
        out.image[out.count++] = next;
    }
    out.start = offset;
    return out.is_sum();
}

/// Writes a map that is a sum as a layout of the profile, whose extents have its bits.
constexpr Status put_bit_map(const BitMap& map, const Layout& profile, Layout& out) noexcept
{
    bool room = true;
    int bit = 0;
    for (const Node& node : profile.nodes) {
        if (node.children >= 0) {
            room = put_tuple(out, node.children) && room;
            continue;
        }
        FlatMode mode(out);
        for (Int n = node.leaf.extent; n > 1; n /= 2) mode.put(2, map.image[bit++]);
        room = mode.finish() && room;
    }
    return room ? Error{} : nodes_capacity();
}

/// Some swizzle that makes the map of a sum; all of CuTe's are tried, those of few bits first. It is its own inverse.
constexpr bool find_swizzle(const BitMap& map, Swizzle& swizzle, BitMap& sum) noexcept
{
    const int most = axe::detail::least(31, map.bits());
    for (int bits = 0; 2 * bits <= most; ++bits)
        for (int base = 0; base + 2 * bits <= most && (bits > 0 || base == 0); ++base)
            for (int apart = bits; base + bits + apart <= most && (bits > 0 || apart == 0); ++apart)
                for (const int shift : {apart, -apart}) {
                    swizzle = {bits, base, shift};
                    sum.count = map.count;
                    sum.start = swizzle(map.start);
                    for (int i = 0; i < map.count; ++i) sum.image[i] = swizzle(map.image[i]);
                    if (sum.is_sum()) return true;
                }
    return false;
}

} // namespace detail
} // namespace cute
} // namespace v0
} // namespace axe

#endif
