// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_MIXED_RADIX_REFINEMENT_HPP
#define AXE_MAP_MIXED_RADIX_REFINEMENT_HPP

#include <axe/map/expression.hpp>
#include <axe/map/mixed_radix/digits.hpp>

/// Indices cut where any of several sums has a digit begin or end.
namespace axe {
inline namespace v0 {
namespace detail {

/// The digit of an index from a step to the next piece's, and an expression for it.
struct RefinedDigit {
    std::int64_t step = 1, low = 0, high = 0;
    IndexExpr value{};
};
/// index + shift = Σ step·piece
struct RefinedDigits {
    std::int64_t shift = 0;
    std::vector<RefinedDigit> list{}; ///< from the inside out
    IndexExpr value{};                ///< of the index
    bool occurs = false;
};

/// Cuts the indices, as many as there are, at the digits of a sum; false when their shifts differ.
inline bool cut(const FloorDigits& digits, std::vector<RefinedDigits>& indices)
{
    for (const DigitItem& z : digits) {
        RefinedDigits& pieces = indices[static_cast<std::size_t>(z.index)];
        if (pieces.occurs && pieces.shift != z.shift) return false;
        pieces.occurs = true;
        pieces.shift = z.shift;
        const std::int64_t end = z.extent == 0 ? 1 : z.step * z.extent;
        for (const std::int64_t at : {std::int64_t{1}, z.step, end}) {
            const auto place = std::lower_bound(pieces.list.begin(), pieces.list.end(), at,
                                                [](const RefinedDigit& c, std::int64_t s) { return c.step < s; });
            if (place == pieces.list.end() || place->step != at) pieces.list.insert(place, {at, 0, 0, {}});
        }
    }
    return true;
}

/// The ranges of the pieces; false when steps do not divide one another.
inline bool bound(const DigitForms& forms, std::vector<RefinedDigits>& indices)
{
    using Wide = DigitForms::Wide;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        std::vector<RefinedDigit>& list = indices[i].list;
        if (list.empty()) continue;
        for (std::size_t k = 0; k + 1 < list.size(); ++k) {
            if (list[k + 1].step % list[k].step != 0) return false;
            list[k].high = list[k + 1].step / list[k].step - 1;
        }
        const DigitIndex& u = forms.index(static_cast<std::int32_t>(i));
        RefinedDigit& top = list.back();
        if (!narrow(floor_div<Wide>(Wide(u.low) + indices[i].shift, top.step), top.low) ||
            !narrow(floor_div<Wide>(Wide(u.high) + indices[i].shift, top.step), top.high))
            return false;
    }
    return true;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
