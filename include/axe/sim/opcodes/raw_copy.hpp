// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_RAW_COPY_HPP
#define AXE_SIM_OPCODES_RAW_COPY_HPP

#include <axe/program/raw_function.hpp>
#include <axe/sim/memory/box_walk.hpp>
#include <axe/sim/memory/element_bits.hpp>

#include <cstring>
#include <limits>

/// Operands of raw functions: where they are in memory, and copies of them.
namespace axe {
inline namespace v0 {
namespace sim {

/// Are the places of a view's elements an offset and strides, all elements inside, and each once in its memory where it is written?
inline bool has_strides(const BoxSide& side, bool written)
{
    if (!side.separable || side.never || side.plan->swizzle.bits > 0) return false;
    if (written && side.plan->address.copies.size() != 1) return false;
    return std::all_of(side.parts.begin(), side.parts.end(),
                       [](const BoxSide::Part& p) { return p.inside.empty() && p.place.is_linear(); });
}

/// The operand in its memory. Of a view that has strides.
inline RawOperand in_place(std::byte* data, const BoxSide& side)
{
    RawOperand out{data, side.plan->tensor->dtype, side.view->extents, {}, side.place};
    for (const BoxSide::Part& p : side.parts) out.strides.push_back(p.place.stride);
    return out;
}

/// A copy of an operand's elements, with bytes before, between and behind them that are none.
class RawCopy {
  public:
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

    RawCopy() = default;
    /// Row-major.
    static RawCopy packed(const BoxSide& side)
    {
        RawCopy out;
        out.strides_ = side.view->extents;
        std::int64_t n = 1;
        for (int k = side.view->rank() - 1; k >= 0; --k) {
            out.strides_[k] = n;
            n *= side.view->extents[k];
        }
        out.make(side, 0, n);
        return out;
    }
    /// As far apart as in memory, from an address that is as far from a multiple of 16 bytes. Of a view that has strides.
    static RawCopy spread(const BoxSide& side)
    {
        RawCopy out;
        std::int64_t low = 0, high = 0;
        for (std::size_t k = 0; k < side.parts.size(); ++k) {
            const std::int64_t stride = side.parts[k].place.stride;
            out.strides_.push_back(stride);
            (stride < 0 ? low : high) += stride * (side.view->extents[static_cast<int>(k)] - 1);
        }
        out.make(side, -low, high - low + 1);
        return out;
    }

    [[nodiscard]] bool exists() const noexcept { return !bytes_.empty(); }
    [[nodiscard]] RawOperand operand(const BoxSide& side)
    {
        return {bytes_.data() + begin_, side.plan->tensor->dtype, side.view->extents, strides_, first_};
    }

    /// Calls each(place in memory, element here) for the elements inside the tensor.
    template <class Each>
    bool for_elements(const BoxSide& side, Each each) const
    {
        return walk(side.view->extents, &side, 1, [&](const Stretch& s) {
            for (std::int64_t i = 0; s.at[0].inside && i < s.n; ++i)
                if (!each(s.at[0](i), at(s.index + i))) return false;
            return true;
        });
    }
    /// The elements as they are in memory; 0 where a guarded view is outside.
    void load(const BoxSide& side, const std::byte* memory)
    {
        for (std::int64_t i = 0; i < count_; ++i) std::memset(at(i), 0, static_cast<std::size_t>(width_));
        walk(side.view->extents, &side, 1, [&](const Stretch& s) {
            for (std::int64_t i = 0; s.at[0].inside && i < s.n; ++i)
                std::memcpy(at(s.index + i), memory + s.at[0](i) * width_, static_cast<std::size_t>(width_));
            return true;
        });
    }
    /// The same with other bytes where no elements are; `elements`: there, too.
    [[nodiscard]] RawCopy filled(std::byte filling, bool elements) const
    {
        RawCopy out = *this;
        std::fill(out.bytes_.begin(), out.bytes_.end(), filling);
        for (std::int64_t i = 0; !elements && i < count_; ++i) std::memcpy(out.at(i), at(i), static_cast<std::size_t>(width_));
        return out;
    }

    /// The first byte that is no element's and not the filling any more, counted from the first element on; `none`: there is none.
    [[nodiscard]] std::int64_t changed_around(std::byte filling) const
    {
        std::vector<bool> elements(bytes_.size());
        for (std::int64_t i = 0; i < count_; ++i) std::fill_n(elements.begin() + (at(i) - bytes_.data()), width_, true);
        for (std::size_t i = 0; i < bytes_.size(); ++i)
            if (!elements[i] && bytes_[i] != filling) return static_cast<std::int64_t>(i) - (at(0) - bytes_.data());
        return none;
    }
    /// The first element whose bytes differ; −1: none.
    [[nodiscard]] std::int64_t first_difference(const RawCopy& other) const
    {
        for (std::int64_t i = 0; i < count_; ++i)
            if (std::memcmp(at(i), other.at(i), static_cast<std::size_t>(width_)) != 0) return i;
        return -1;
    }
    [[nodiscard]] bool is_filled(std::int64_t i, std::byte filling) const
    {
        return std::all_of(at(i), at(i) + width_, [&](std::byte b) { return b == filling; });
    }

  private:
    static constexpr std::int64_t margin = 256; ///< bytes before and behind, a multiple of 16

    /// `elements` from first to last, the first one of the view `first` from there.
    void make(const BoxSide& side, std::int64_t first, std::int64_t elements)
    {
        extents_ = side.view->extents;
        count_ = volume(extents_).value_or(0);
        width_ = side.plan->width;
        first_ = first;
        const std::int64_t place = (side.place - first) * width_;
        begin_ = margin + (place % 16 + 16) % 16;
        bytes_.resize(static_cast<std::size_t>(begin_ + elements * width_ + margin));
    }
    [[nodiscard]] std::byte* at(std::int64_t i) { return bytes_.data() + place(i); }
    [[nodiscard]] const std::byte* at(std::int64_t i) const { return bytes_.data() + place(i); }
    [[nodiscard]] std::int64_t place(std::int64_t i) const
    {
        std::int64_t out = first_;
        for (int k = extents_.size() - 1; k >= 0; --k) {
            out += i % extents_[k] * strides_[k];
            i /= extents_[k];
        }
        return begin_ + out * width_;
    }

    std::vector<std::byte> bytes_{};
    Shape extents_{};
    InlineVector<std::int64_t, max_rank> strides_{};
    std::int64_t count_ = 0, width_ = 1, first_ = 0, begin_ = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
