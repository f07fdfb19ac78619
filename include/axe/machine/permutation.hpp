// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MACHINE_PERMUTATION_HPP
#define AXE_MACHINE_PERMUTATION_HPP

#include <axe/layout/layout.hpp>

namespace axe {
inline namespace v0 {

/// A permutation of [0, size), as the table of its values: what a match of layouts permutes, the registers of a fragment or the
/// k of a product.
struct Permutation {
    /// More than any operand of the atoms of target/ has registers or k.
    static constexpr int most = 512;
    InlineVector<std::int32_t, most> values{};

    [[nodiscard]] constexpr int size() const noexcept { return values.size(); }
    constexpr int operator[](int i) const noexcept { return values[i]; }

    [[nodiscard]] constexpr bool is_identity() const noexcept
    {
        for (int i = 0; i < size(); ++i)
            if (values[i] != i) return false;
        return true;
    }

    /// The one that undoes it:  p.inverse()[p[i]] = i.
    [[nodiscard]] constexpr Permutation inverse() const noexcept
    {
        Permutation out;
        out.values.count = size();
        for (int i = 0; i < size(); ++i) out.values[values[i]] = i;
        return out;
    }

    friend constexpr bool operator==(const Permutation&, const Permutation&) = default;
};

namespace detail {

constexpr Error value_breaks_off(int at, std::int64_t value) noexcept
{
    return Error(errc::no_layout, at, "the value {1} of {0} does not continue those before it", at, value);
}

} // namespace detail

/// The permutation as a layout on one axis, if it is one:  layout(i) = p[i]@axis.
///
/// Exists iff its digits permute: 0 2 1 3 is (2,2):(1,2), and 1 2 0 is not a layout (`errc::no_layout`, with the first i that breaks the
/// pattern of those before it). Cost: linear in the size.
constexpr Result<Layout> layout_of(const Permutation& p, const Axis& axis = {}) noexcept
{
    // The canonical form, innermost digit first: each goes on as long as its values are in one progression.
    Layout reversed, out;
    const int size = p.size();
    for (int inner = 1; inner < size;) {
        const int step = p[inner] - p[0];
        int extent = 1;
        while (extent * inner < size && p[extent * inner] == p[0] + extent * step) ++extent;
        if (size % (extent * inner) != 0 || !reversed.shard.push_back({extent, step, axis}))
            return detail::value_breaks_off(extent * inner, extent * inner < size ? p[extent * inner] : 0);
        inner *= extent;
    }
    for (int i = reversed.shard.size() - 1; i >= 0; --i) out.shard.push_back(reversed.shard[i]);
    for (int x = 0; x < size; ++x) {
        int rest = x, value = p[0];
        for (int i = 0; i < reversed.shard.size(); ++i) {
            const auto& it = reversed.shard[i];
            value += static_cast<int>(rest % it.extent * it.stride);
            rest = static_cast<int>(rest / it.extent);
        }
        if (value != p[x]) return detail::value_breaks_off(x, p[x]);
    }
    if (size > 0 && p[0] != 0) *out.offset.entry(axis) = p[0];
    return out;
}

} // namespace v0
} // namespace axe

#endif
