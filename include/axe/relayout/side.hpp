// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_SIDE_HPP
#define AXE_RELAYOUT_SIDE_HPP

#include <axe/layout/swizzle.hpp>
#include <axe/tensor/problem.hpp>

namespace axe {
inline namespace v0 {

/// How far apart neighbors on an axis are in memory, in elements.
struct AxisPitch {
    Axis axis;
    std::int64_t pitch;
};

/// Where the elements of a tensor are in one buffer:  element c is at  Σ_axis pitch(axis) · layout(c)[axis],  in elements from the
/// buffer's first byte on.
///
/// A swizzled side moves that address further, as bytes; `layout.width` is then the bytes of an element.
struct RelayoutSide {
    Swizzled<Layout> layout{};
    Shape shape{};                        ///< of the layout, where it is padded beyond the tensor's shape; empty: the tensor's
    InlineVector<AxisPitch, 8> pitches{}; ///< of every axis of the layout; none: the layout has one axis, of pitch 1

    RelayoutSide() = default;
    RelayoutSide(const Layout& l, const Shape& padded = {}) noexcept : shape(padded)
    {
        layout.layout = l;
    } // NOLINT: a side is its layout
    RelayoutSide(const Swizzled<Layout>& l, const Shape& padded = {}) noexcept : layout(l), shape(padded) {} // NOLINT
};

namespace detail {

/// A loop over part of an address: `extent` values, `step` apart.
struct AddressDigit {
    std::int64_t extent, step;
};
/// Of one side's address, the fastest first:  x ↦ Σ_k (x / Π_{i<k} n_i mod n_k) · s_k.
using DigitList = InlineVector<AddressDigit, Layout::max_shard + max_rank>;

/// A side in numbers: steps and offset in units, which are the bytes of an element, or nibbles.
struct AddressMap {
    DigitList digits{};
    InlineVector<AddressDigit, Layout::max_replica> copies{}; ///< of a destination: every sum of these is written, too
    std::int64_t offset = 0;
    std::int64_t least = 0, most = 0; ///< of all addresses, before the swizzle
    Swizzle swizzle{};                ///< of byte addresses
};

inline const char* side_name(bool is_destination) noexcept { return is_destination ? "destination" : "source"; }

/// A side as numbers, `unit` of them an element (bytes; 1 for nibbles).
///
/// `errc::bad_axis` for an axis without a pitch, or several axes without any; `errc::overflow` when addresses overflow;
/// `errc::bad_argument` of a swizzle that cuts elements or does not stay within one axis; the errors of the layout.
AXE_DECL Result<AddressMap, Problem> address_map(const RelayoutSide& side, std::int64_t unit, bool is_destination);

} // namespace detail
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/relayout/impl/side.hpp>
#endif

#endif
