// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EVALUATOR_HPP
#define AXE_LAYOUT_EVALUATOR_HPP

#include <axe/layout/exact/digits.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Division of 0 ≤ x < 2^63 by an invariant d ≥ 1 as a multiplication:  ⌊x/d⌋ = ⌊x·m / 2^64⌋ >> shift
/// with 2^l ≥ d > 2^{l−1}, m = ⌈2^{63+l}/d⌉ < 2^64 and shift = l − 1 (d ≥ 2).      [Granlund and Montgomery 1994, theorem 4.2]
struct Reciprocal {
    std::uint64_t multiplier;
    std::uint32_t shift;

    static constexpr Reciprocal of(std::int64_t d) noexcept
    {
        __extension__ using U128 = unsigned __int128;
        std::uint32_t l = 0;
        while ((std::uint64_t{1} << l) < static_cast<std::uint64_t>(d)) ++l;
        const U128 power = U128{1} << (63 + l);
        const auto m = (power + static_cast<std::uint64_t>(d) - 1) / static_cast<std::uint64_t>(d);
        return {static_cast<std::uint64_t>(m), l - 1};
    }
    [[nodiscard]] AXE_HOST_DEVICE constexpr std::int64_t divide(std::int64_t x) const noexcept
    {
        __extension__ using U128 = unsigned __int128;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>((U128{static_cast<std::uint64_t>(x)} * multiplier) >> 64) >>
                                         shift);
    }
};

} // namespace detail

/// A layout made ready for being evaluated on one axis:  x ↦ the coordinate of D(x) + O there.
///
/// With W_k the product of the extents inside iter k and g_k = s_k − n_{k+1}·s_{k+1} (strides on other axes counted as 0), the
/// coordinate is  O + s_last·x + Σ_k g_k·⌊x/W_k⌋ : divisions by constants that do not wait for each other. Levels with g_k = 0 cost
/// nothing. Made by `make_evaluator`; a plain value that may be copied to a device.
template <int MaxShard = 16>
class Evaluator {
  public:
    /// @pre 0 ≤ x < size of the layout: this is the inner loop, nothing is checked.
    AXE_HOST_DEVICE constexpr std::int64_t operator()(std::int64_t x) const noexcept
    {
        // modulo 2^64: a term may pass the integer on the way to a coordinate that fits
        auto sum = static_cast<std::uint64_t>(offset_) + slope_ * static_cast<std::uint64_t>(x);
        for (int k = 0; k < count_; ++k) sum += weight_[k] * static_cast<std::uint64_t>(reciprocal_[k].divide(x));
        return static_cast<std::int64_t>(sum);
    }

    constexpr Evaluator() = default;
    /// From the canonical digits on the axis and the offset there.
    constexpr Evaluator(const detail::Digits<std::int64_t, MaxShard>& digits, std::int64_t offset) noexcept : offset_(offset)
    {
        if (digits.size() == 0) return;
        slope_ = static_cast<std::uint64_t>(digits[digits.size() - 1].stride);
        std::int64_t inner = 1;
        for (int k = digits.size() - 1; k > 0; --k) {
            inner *= digits[k].extent;
            weight_[count_] = static_cast<std::uint64_t>(digits[k - 1].stride) -
                              static_cast<std::uint64_t>(digits[k].extent) * static_cast<std::uint64_t>(digits[k].stride);
            reciprocal_[count_++] = detail::Reciprocal::of(inner);
        }
    }

  private:
    std::int64_t offset_ = 0;
    std::uint64_t slope_ = 0;
    int count_ = 0;
    std::uint64_t weight_[MaxShard]{};
    detail::Reciprocal reciprocal_[MaxShard]{};
};

/// Prepares the evaluation of a layout on one axis. An axis that the layout does not have is at 0 everywhere.
///
/// `errc::not_single_valued` when replicas move on the axis; the errors of `check`. Only for 64-bit layouts.
template <AnyLayout L>
constexpr Result<Evaluator<L::max_shard>> make_evaluator(const L& layout, const Axis& axis = {}) noexcept
{
    static_assert(sizeof(typename L::integer) == 8, "evaluators are made for 64-bit layouts");
    if (const Status e = check(layout); !e.ok()) return e;
    for (int i = 0; i < layout.replica.size(); ++i)
        if (layout.replica[i].axis == axis && layout.replica[i].extent > 1 && layout.replica[i].stride != 0)
            return Error(errc::not_single_valued, i, "replica iter {0} moves on the axis: an element has several coordinates", i);
    detail::Digits<std::int64_t, L::max_shard> digits;
    for (const auto& it : layout.shard) detail::append(digits, it.extent, it.axis == axis ? it.stride : 0, axis);
    return Evaluator<L::max_shard>(digits, layout.offset[axis]);
}

} // namespace v0
} // namespace axe

#endif
