// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_PADDED_HPP
#define AXE_INTEROP_STRIDES_PADDED_HPP

#include <axe/interop/strides/strided.hpp>
#include <axe/layout/mixed_radix.hpp>

namespace axe {
inline namespace v0 {

/// What a format of blocks or tiles makes of a shape: the layout of the shape rounded up, and the elements that there are.
///
/// Element c of the tensor is at layout(c) on `shape`, for c in `valid`; what is in `shape` but not in `valid` is padding.
struct Padded {
    Layout layout{};
    Shape shape{};             ///< padded: every extent at least that of the tensor
    Region valid{};            ///< [0, extent of the tensor) in each dimension
    std::int64_t elements = 1; ///< what the buffer holds, padding included

    friend constexpr bool operator==(const Padded&, const Padded&) = default;
};

namespace detail {

/// A digit of one dimension as it is stored in memory: c_dim / weight mod extent, times the stride.
struct PaddedDigit : MixedRadix::Digit {
    int dim = 0;
};

/// The digits of a layout on a shape from the outermost place of memory inwards, without gaps.
struct PaddedParts {
    InlineVector<PaddedDigit, 2 * max_rank> digits{};
    Shape shape{}; ///< padded where a gap asked for it
};

/// Makes the digits from `at` on, of `expected` elements, reach up to `stride` by padding: of the digit there when it is the outermost
/// of its dimension, else of a dimension that has no digit outside these. Returns whether that is possible.
constexpr bool fill_gap(PaddedParts& placed, int at, std::int64_t stride, std::int64_t expected) noexcept
{
    auto& digits = placed.digits;
    if (at < digits.size()) {
        PaddedDigit& d = digits[at];
        const bool outermost = d.weight * d.extent == placed.shape[d.dim];
        if (outermost && stride % d.stride == 0 && mul(d.weight, stride / d.stride, placed.shape[d.dim])) {
            d.extent = stride / d.stride;
            return true;
        }
    }
    if (stride % expected != 0) return false;
    // A further digit on top of a dimension that is done: best of one that has none.
    int best = -1;
    for (int d = placed.shape.size() - 1; d >= 0; --d) {
        bool done = true;
        for (int i = 0; i < at; ++i) done = done && digits[i].dim != d;
        if (done && (best < 0 || (placed.shape[d] == 1 && placed.shape[best] > 1))) best = d;
    }
    if (best < 0 || !digits.insert(at, {{stride / expected, expected, placed.shape[best]}, best})) return false;
    return mul(placed.shape[best], stride / expected, placed.shape[best]);
}

/// The digits of a layout in the order of memory, if those of a compact tensor: each stride the product of the extents inside it.
///
/// Gaps are closed by padding dimensions, as blocks and tiles do. `errc::no_layout` says what a compact tensor cannot have.
constexpr Result<PaddedParts> place_digits(const Layout& layout, const Shape& shape, const Axis& axis) noexcept
{
    if (const Status e = check_addresses(layout, axis); !e.ok()) return e;
    if (const Status e = check_admission(layout, shape); !e.ok()) return e;
    if (layout.offset[axis] != 0)
        return Error(errc::no_layout, -1, "the first element is at {0}; this format starts at 0", layout.offset[axis]);
    Digits<std::int64_t> cut_digits;
    int ends[max_rank]{};
    if (const Status e = cut(layout.shard, shape.items, shape.size(), cut_digits, ends); !e.ok()) return e;

    Result<PaddedParts> result;
    PaddedParts& out = *result;
    out.shape = shape;
    for (int d = 0; d < shape.size(); ++d) {
        const auto radix = MixedRadix::from(cut_digits.items + (d == 0 ? 0 : ends[d - 1]), cut_digits.items + ends[d]);
        if (!radix) return radix.error();
        for (const auto& digit : radix->digits) {
            if (digit.stride <= 0)
                return Error(errc::no_layout, d, "dimension {0} has stride {1}; this format needs strides of at least 1", d,
                             digit.stride);
            int at = 0;
            while (at < out.digits.size() && out.digits[at].stride > digit.stride) ++at;
            if (!out.digits.insert(at, {digit, d}))
                return Error(errc::capacity, d, "the tensor has more than {0} digits", out.digits.capacity);
        }
    }
    std::int64_t expected = 1;
    for (int i = out.digits.size() - 1; i >= 0; --i) {
        const PaddedDigit digit = out.digits[i];
        if (digit.stride < expected)
            return Error(errc::no_layout, digit.dim, "stride {1} of dimension {0} is less than the {2} elements inside it",
                         digit.dim, digit.stride, expected);
        if (digit.stride != expected && !fill_gap(out, i + 1, digit.stride, expected))
            return Error(errc::no_layout, digit.dim,
                         "stride {1} of dimension {0} leaves a gap above {2} elements that no padded dimension fills", digit.dim,
                         digit.stride, expected);
        if (!mul(digit.stride, digit.extent, expected))
            return Error(errc::overflow, digit.dim, "the elements of the tensor overflow at dimension {0}", digit.dim);
    }
    return result;
}

/// The layout of placed digits on their shape, whose digits multiply up to each extent.
constexpr Result<Layout> layout_of(const PaddedParts& placed, const Axis& axis) noexcept
{
    Result<Layout> result;
    for (int d = 0; d < placed.shape.size(); ++d) {
        for (std::int64_t above = placed.shape[d]; above > 1;) { // the digit that ends where the one outside it begins
            const PaddedDigit* next = nullptr;
            for (const auto& digit : placed.digits)
                if (digit.dim == d && digit.weight * digit.extent == above) next = &digit;
            if (!append(result->shard, next->extent, next->stride, axis)) return shard_capacity<Layout>();
            above = next->weight;
        }
    }
    return result;
}

/// A tensor's shape and what it is padded to: of one rank, and no extent padded to less. The padded volume fits the integer.
constexpr Status check_padding(const Shape& padded, const Shape& shape) noexcept
{
    const auto v = volume(shape);
    if (!v) return v.error();
    if (padded.size() != shape.size())
        return Error(errc::rank_mismatch, -1, "the padded shape has {0} dimensions, the tensor {1}", padded.size(), shape.size());
    for (int d = 0; d < shape.size(); ++d)
        if (padded[d] < shape[d])
            return Error(errc::bad_argument, d, "dimension {0} of extent {1} is padded to {2}, which is less", d, shape[d],
                         padded[d]);
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
