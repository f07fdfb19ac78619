// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_HALF_SUM_HPP
#define AXE_TARGET_NVIDIA_OPCODES_HALF_SUM_HPP

#include <axe/tensor/convert.hpp>

#include <cmath>

/// Sums of f16 of one matrix instruction, of `wgmma` and of `tcgen05.mma`: exact, and rounded once.
namespace axe {
inline namespace v0 {
namespace sim {

/// A sum of products of f16, or of floats of 8 bits and less, exact until it is rounded: they are multiples of 2^-48 below 2^32, and so is an f16.
class HalfSum {
  public:
    void add(double term) noexcept
    {
        if (std::isfinite(term))
            sum_ += static_cast<wider_t<std::int64_t>>(term * 0x1p48);
        else
            special_ = is_special_ ? special_ + term : term, is_special_ = true;
    }
    /// The nearest f16, of two the even one; an infinity where it is beyond all of them.
    [[nodiscard]] std::uint64_t bits() const noexcept
    {
        if (is_special_) return encode(DType::f16, special_);
        auto rest = sum_ < 0 ? -sum_ : sum_;
        int shift = 0;
        bool odd = false; // something is lost: f64 has it as its last bit, so that it is rounded once
        while (rest >> 53 != 0) {
            odd = odd || (rest & 1) != 0;
            rest >>= 1, ++shift;
        }
        const double size = std::ldexp(static_cast<double>(static_cast<std::int64_t>(rest) | (odd ? 1 : 0)), shift - 48);
        return encode(DType::f16, sum_ < 0 ? -size : size);
    }

  private:
    wider_t<std::int64_t> sum_ = 0; ///< of 2^-48
    double special_ = 0;
    bool is_special_ = false;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
