// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_INVERT_HPP
#define AXE_INTEROP_LINEAR_INVERT_HPP

#include <axe/interop/linear/echelon.hpp>

namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

/// The bits of the dimensions that two layouts have alike: one name, one size, the same bases.
constexpr std::uint64_t common_bits(const LinearLayout& a, const LinearLayout& b, const std::uint64_t* images) noexcept
{
    std::uint64_t common = 0;
    int low = 0;
    for (int i = 0; i < b.in.size(); low += b.in[i++].bits) {
        const int k = index_of(a.in, b.in[i].name);
        if (k < 0 || a.in[k].bits != b.in[i].bits) continue;
        const int from = first_bit(a.in, k);
        bool alike = true;
        for (int j = 0; j < b.in[i].bits && alike; ++j) alike = images[from + j] == b.bases[low + j];
        if (alike) common |= mask_of(b.in, i);
    }
    return common;
}

/// C of  B(C(x)) = A(x)  for layouts that have been checked, into an empty one; images[j] is A's basis j as a word of B's output.
/// @returns the first bit of A whose image B does not reach, −1 when it reaches all.
constexpr int solve(const LinearLayout& a, const LinearLayout& b, const std::uint64_t* images, LinearLayout& c) noexcept
{
    const std::uint64_t common = common_bits(a, b, images);
    Echelon columns; // those of dimensions that are alike last, so that the others are solved without them where that can be
    for (int j = 0; j < b.bases.size(); ++j)
        if ((common >> j & 1) == 0) columns.add(b.bases[j], j);
    if (common != 0)
        for (int j = 0; j < b.bases.size(); ++j)
            if ((common >> j & 1) != 0) columns.add(b.bases[j], j);
    c.in = a.in;
    c.out = b.in;
    for (int i = 0, j = 0; i < a.in.size(); ++i) {
        const int k = index_of(b.in, a.in[i].name);
        const bool alike = k >= 0 && a.in[i].bits > 0 && (common & mask_of(b.in, k)) != 0;
        for (int at = alike ? first_bit(b.in, k) : 0, end = j + a.in[i].bits; j < end; ++j) {
            std::uint64_t of = 0;
            if (alike)
                of = std::uint64_t{1} << at++;
            else if (columns.reduce(images[j], of) != 0)
                return j;
            c.bases.push_back(of);
        }
    }
    return -1;
}

} // namespace detail

/// The C with  B(C(x)) = A(x):  how A's inputs find B's.      [Triton, A.invertAndCompose(B)]
///
/// Exists iff every value of A is one of B; `errc::no_layout` with the bit of A's input otherwise. Where B has several inputs for
/// one value: an input dimension that A and B have alike (name, size, bases) is mapped to itself; every other bit goes to the sum
/// of the lowest independent bits of B, those of dimensions that are alike counted last. The outputs are the same dimensions by
/// name, none of B's the smaller (`errc::rank_mismatch`, `errc::unknown_axis`, `errc::size_mismatch`); errors of `check` besides.
/// Cost: quadratic in the bits, on words.
constexpr Result<LinearLayout> invert_and_compose(const LinearLayout& a, const LinearLayout& b) noexcept
{
    if (const Status e = check(a); !e.ok()) return e;
    if (const Status e = check(b); !e.ok()) return e;
    detail::Fields fields;
    if (const Status e = detail::match(a.out, b.out, fields); !e.ok()) return e;
    std::uint64_t images[LinearLayout::max_bits + 1]{};
    for (int j = 0; j < a.bases.size(); ++j) images[j] = fields(a.bases[j]);
    Result<LinearLayout> result;
    const int lost = detail::solve(a, b, images, *result);
    if (lost >= 0)
        return Error(errc::no_layout, lost, "the image of input bit {0} of the first layout is not a value of the second", lost);
    return result;
}

/// A right inverse:  L(pseudo_invert(L)(y)) = y  for every y; of an invertible layout its inverse.      [Triton, pseudoinvert]
///
/// Exists iff L is surjective (`errc::no_layout` with the lowest output bit that is not reached). Of the inputs of a value it takes
/// the one made of the lowest independent bits of L; all other bits stay 0, but for an input dimension with the name, the size and
/// the values of an output dimension, which is mapped to itself. Cost: quadratic in the bits, on words.
constexpr Result<LinearLayout> pseudo_invert(const LinearLayout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    LinearLayout identity;
    identity.in = layout.out;
    identity.out = layout.out;
    for (int j = 0; j < bits_of(layout.out); ++j) identity.bases.push_back(std::uint64_t{1} << j);
    Result<LinearLayout> result;
    const int lost = detail::solve(identity, layout, identity.bases.items, *result);
    if (lost >= 0) return Error(errc::no_layout, lost, "the layout is not surjective: no input gives output bit {0} alone", lost);
    return result;
}

/// The inverse:  invert(L)(L(x)) = x  and  L(invert(L)(y)) = y.      [Triton, invert]
///
/// Exists iff L is square and of full rank; `errc::no_layout` otherwise, also where the sides have different sizes.
/// Cost: quadratic in the bits, on words.
constexpr Result<LinearLayout> invert(const LinearLayout& layout) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const int in = bits_of(layout.in), out = bits_of(layout.out); in != out)
        return Error(errc::no_layout, -1, "the layout has {0} input bits and {1} output bits: it is not a bijection", in, out);
    return pseudo_invert(layout);
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
