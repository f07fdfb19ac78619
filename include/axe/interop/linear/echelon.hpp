// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_ECHELON_HPP
#define AXE_INTEROP_LINEAR_ECHELON_HPP

#include <axe/interop/linear/linear_layout.hpp>

/// What rank, inverses and conversions share: elimination over GF(2) in machine words, and fields moved from word to word.
namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

constexpr int highest_bit(std::uint64_t word) noexcept { return 63 - __builtin_clzll(word); }

/// Independent columns, each reduced so that its highest bit is its place; beside each, which columns it is the sum of.
struct Echelon {
    std::uint64_t row[64];
    std::uint64_t sum[64];
    std::uint64_t pivots = 0; ///< the places in use

    constexpr Echelon() noexcept
    {
        if (__builtin_is_constant_evaluated())
            for (int i = 0; i < 64; ++i) row[i] = sum[i] = 0;
    }

    /// Takes the columns out of a word: 0 is left iff it is a sum of columns, and then `of` says of which.
    constexpr std::uint64_t reduce(std::uint64_t word, std::uint64_t& of) const noexcept
    {
        while (const std::uint64_t hit = word & pivots) {
            const int p = highest_bit(hit);
            word ^= row[p];
            of ^= sum[p];
        }
        return word;
    }
    /// Adds column number `column`; false if it is a sum of those before it, which then stay as they are.
    constexpr bool add(std::uint64_t word, int column) noexcept
    {
        std::uint64_t of = std::uint64_t{1} << column;
        word = reduce(word, of);
        if (word == 0) return false;
        const int p = highest_bit(word);
        row[p] = word;
        sum[p] = of;
        pivots |= std::uint64_t{1} << p;
        return true;
    }
};

/// Moves the bits of each dimension of one word to those of the same name in another.
struct Fields {
    struct Field {
        std::uint64_t mask;
        int left; ///< may be negative: to the right
    };
    Field fields[Dims::capacity];
    int count = 0;
    bool same = true;

    constexpr Fields() noexcept
    {
        if (__builtin_is_constant_evaluated())
            for (Field& f : fields) f = Field{};
    }

    /// Dimension i of `from` goes to dimension k of `to`, `above` bits from its lowest.
    constexpr void move(const Dims& from, int i, const Dims& to, int k, int above = 0) noexcept
    {
        if (from[i].bits == 0) return;
        const int left = first_bit(to, k) + above - first_bit(from, i);
        fields[count++] = {mask_of(from, i), left};
        same = same && left == 0;
    }
    constexpr std::uint64_t operator()(std::uint64_t word) const noexcept
    {
        if (same) return word;
        std::uint64_t out = 0;
        for (int f = 0; f < count; ++f) {
            const std::uint64_t part = word & fields[f].mask;
            out |= fields[f].left >= 0 ? part << fields[f].left : part >> -fields[f].left;
        }
        return out;
    }
    /// The way back.
    constexpr std::uint64_t back(std::uint64_t word) const noexcept
    {
        std::uint64_t out = 0;
        for (int f = 0; f < count; ++f) {
            const auto [mask, left] = fields[f];
            out |= (left >= 0 ? word >> left : word << -left) & mask;
        }
        return out;
    }
};

/// The fields of `from` in a word of `to`, in any order: the same names, none of them smaller there.
constexpr Status match(const Dims& from, const Dims& to, Fields& fields) noexcept
{
    if (from.size() != to.size())
        return Error(errc::rank_mismatch, -1, "{0} dimensions cannot be matched with {1}; the names must be the same", from.size(),
                     to.size());
    for (int i = 0; i < from.size(); ++i) {
        const int k = index_of(to, from[i].name);
        if (k < 0) return Error(errc::unknown_axis, i, "dimension {0} has no counterpart of the same name", i);
        if (from[i].bits > to[k].bits)
            return Error(errc::size_mismatch, i, "dimension {0} has {1} bits, its counterpart {2}", i, from[i].bits, to[k].bits);
        fields.move(from, i, to, k);
    }
    return {};
}

} // namespace detail
} // namespace linear
} // namespace v0
} // namespace axe

#endif
