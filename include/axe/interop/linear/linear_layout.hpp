// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_LINEAR_LAYOUT_HPP
#define AXE_INTEROP_LINEAR_LINEAR_LAYOUT_HPP

#include <axe/layout/axis.hpp>
#include <axe/support/inline_vector.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// A dimension of 2^bits values, by name: `register`, `lane`, `warp`, `block`, `offset`, `dim0`, …
struct Dim {
    Axis name; // trivial, so that working memory costs nothing; Dim{} is m with one value
    int bits;
    friend constexpr bool operator==(const Dim&, const Dim&) = default;
};

/// The dimensions of one side, and the names of some.
using Dims = InlineVector<Dim, 8>;
using Names = InlineVector<Axis, 8>;

/// A linear map over GF(2) from bits to bits, with named dimensions on both sides:
///
///   L(x ^ y) = L(x) ^ L(y),   L(x) = ⊕ { basis_j : bit j of x is 1 }
///
/// The bits of `in` follow each other, first dimension lowest, and so do those of `out`; bases[j] is where bit j of the input goes, as
/// one machine word of output bits. Sizes are powers of two.      [Triton, LinearLayout.h; Zhou et al., Linear Layouts, 2025]
///
/// A value: structural, of fixed size.
struct LinearLayout {
    static constexpr int max_dims = Dims::capacity;
    static constexpr int max_bits = 62; ///< of the input, and of the output, so that indices are integers
    Dims in{}, out{};
    InlineVector<std::uint64_t, max_bits> bases{}; ///< one for each bit of `in`

    friend constexpr bool operator==(const LinearLayout&, const LinearLayout&) = default;
};

constexpr int bits_of(const Dims& dims) noexcept
{
    int sum = 0;
    for (const Dim& d : dims) sum += d.bits;
    return sum;
}

/// The place of a dimension among others; −1: it is not there.
constexpr int index_of(const Dims& dims, const Axis& name) noexcept
{
    for (int i = 0; i < dims.size(); ++i)
        if (dims[i].name == name) return i;
    return -1;
}

/// The lowest bit of dimension i within the word.
constexpr int first_bit(const Dims& dims, int i) noexcept
{
    int sum = 0;
    for (int k = 0; k < i; ++k) sum += dims[k].bits;
    return sum;
}

/// The bits of dimension i, in place.
constexpr std::uint64_t mask_of(const Dims& dims, int i) noexcept
{
    return ((std::uint64_t{1} << dims[i].bits) - 1) << first_bit(dims, i);
}

/// L(x) of a whole input word, which has no bits beyond the input's. Cost: one step a bit that is set.
constexpr std::uint64_t apply(const LinearLayout& layout, std::uint64_t x) noexcept
{
    std::uint64_t y = 0;
    for (; x != 0; x &= x - 1) y ^= layout.bases[__builtin_ctzll(x)];
    return y;
}

/// Is the value a linear layout? Names once on each side (`errc::bad_axis`), bits within the word (`errc::capacity`), a basis for each
/// bit of the input (`errc::size_mismatch`), and no basis outside the output (`errc::out_of_domain`).
constexpr Status check(const LinearLayout& layout) noexcept
{
    for (const auto* side : {&layout.in, &layout.out}) {
        if (side->overfull())
            return Error(errc::capacity, -1, "a linear layout has at most {0} dimensions on a side, this one has {1}",
                         LinearLayout::max_dims, side->size());
        int bits = 0;
        for (int i = 0; i < side->size(); ++i) {
            const Dim& d = (*side)[i];
            if (d.bits < 0 || d.bits > LinearLayout::max_bits - bits)
                return Error(errc::capacity, i, "the dimensions of one side have at most {0} bits; dimension {1} has {2}",
                             LinearLayout::max_bits, i, d.bits);
            bits += d.bits;
            for (int k = 0; k < i; ++k)
                if ((*side)[k].name == d.name) return Error(errc::bad_axis, i, "dimension {0} has the name of dimension {1}", i, k);
        }
    }
    if (layout.bases.size() != bits_of(layout.in))
        return Error(errc::size_mismatch, -1, "{0} input bits need as many bases, got {1}", bits_of(layout.in),
                     layout.bases.size());
    for (int j = 0; j < layout.bases.size(); ++j)
        if ((layout.bases[j] >> bits_of(layout.out)) != 0)
            return Error(errc::out_of_domain, j, "the basis of input bit {0} has a bit beyond the {1} of the output", j,
                         bits_of(layout.out));
    return {};
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
