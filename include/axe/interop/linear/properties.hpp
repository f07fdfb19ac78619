// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_PROPERTIES_HPP
#define AXE_INTEROP_LINEAR_PROPERTIES_HPP

#include <axe/interop/linear/echelon.hpp>
#include <axe/interop/linear/errors.hpp>

namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

/// The input bits whose basis is a sum of lower ones: those that can be 0 without losing a value.
constexpr std::uint64_t free_bits(const LinearLayout& layout, Echelon& columns) noexcept
{
    std::uint64_t free = 0;
    for (int j = 0; j < layout.bases.size(); ++j)
        if (!columns.add(layout.bases[j], j)) free |= std::uint64_t{1} << j;
    return free;
}

} // namespace detail

/// The dimension of the image: L has 2^rank values. Errors: those of `check`.
constexpr Result<int> rank(const LinearLayout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    detail::Echelon columns;
    return layout.bases.size() - __builtin_popcountll(detail::free_bits(layout, columns));
}

/// L(x) = L(y) only for x = y? On a no, `witness()` is the least input word that has the value of a lesser one.
constexpr Decision is_injective(const LinearLayout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    detail::Echelon columns;
    const std::uint64_t free = detail::free_bits(layout, columns);
    return free == 0 ? Decision(true) : Decision(false, static_cast<std::int64_t>(free & (0 - free)));
}

/// Is every output a value? When the answer is no, `witness()` is the least output word that is not a value.
constexpr Decision is_surjective(const LinearLayout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    detail::Echelon columns;
    detail::free_bits(layout, columns);
    for (int i = 0; i < bits_of(layout.out); ++i) {
        std::uint64_t of = 0;
        if (columns.reduce(std::uint64_t{1} << i, of) != 0) return Decision(false, std::int64_t{1} << i);
    }
    return Decision(true);
}

/// Injective and surjective?
constexpr Decision is_invertible(const LinearLayout& layout) noexcept
{
    const Decision injective = is_injective(layout);
    if (injective.undecided()) return injective;
    return injective ? is_surjective(layout) : Decision(false);
}

/// Does the layout act on the named dimensions as the identity: are they on both sides, of one size, each bit mapped to itself, no
/// other input bit to them, and they to no others?      [Triton, isTrivialOver]
constexpr Decision is_trivial_over(const LinearLayout& layout, const Names& names) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (names.overfull()) return detail::names_capacity(names.size());
    std::uint64_t ins = 0, outs = 0;
    for (const Axis& name : names) {
        const int i = index_of(layout.in, name), o = index_of(layout.out, name);
        if (i < 0 || o < 0 || layout.in[i].bits != layout.out[o].bits) return Decision(false);
        const int from = first_bit(layout.in, i), to = first_bit(layout.out, o);
        for (int j = 0; j < layout.in[i].bits; ++j)
            if (layout.bases[from + j] != std::uint64_t{1} << (to + j)) return Decision(false, std::int64_t{1} << (from + j));
        ins |= mask_of(layout.in, i);
        outs |= mask_of(layout.out, o);
    }
    for (int j = 0; j < layout.bases.size(); ++j)
        if ((ins >> j & 1) == 0 && (layout.bases[j] & outs) != 0) return Decision(false, std::int64_t{1} << j);
    return Decision(true);
}

/// For each input dimension, the bits that are free: their bases are sums of those of lower input bits.
///      [Triton, getFreeVariableMasks]
constexpr Result<InlineVector<std::uint64_t, LinearLayout::max_dims>> free_variable_masks(const LinearLayout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    detail::Echelon columns;
    const std::uint64_t free = detail::free_bits(layout, columns);
    Result<InlineVector<std::uint64_t, LinearLayout::max_dims>> result;
    for (int i = 0; i < layout.in.size(); ++i) result->push_back((free & mask_of(layout.in, i)) >> first_bit(layout.in, i));
    return result;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
