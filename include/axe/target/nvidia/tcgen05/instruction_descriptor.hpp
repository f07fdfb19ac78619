// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TCGEN05_INSTRUCTION_DESCRIPTOR_HPP
#define AXE_TARGET_NVIDIA_TCGEN05_INSTRUCTION_DESCRIPTOR_HPP

#include <axe/target/nvidia/tcgen05/forms.hpp>

namespace axe {
inline namespace v0 {

/// What `tcgen05.mma` is told of its operands, besides where they are: the types, M of all CTAs, N, and which way operands are stored.
struct Tcgen05Descriptor {
    DType d = DType::f32, a = DType::f16, b = DType::f16;
    std::int64_t m = 128, n = 8;
    bool a_mn_major = false, b_mn_major = false; ///< in shared memory
    bool negate_a = false, negate_b = false;     ///< of floating-point numbers
    bool saturate = false;                       ///< of integers

    /// Does an instruction have it?  Its types have a kind, M and N are those of a tile of one CTA, with `.ws` or without, or of two, what is asked of
    /// integers and of floating-point numbers is for them, and elements of less than 8 bits are K-major.
    [[nodiscard]] constexpr bool exists() const noexcept
    {
        const bool integers = d == DType::i32;
        if ((a_mn_major && bits_of(a) < 8) || (b_mn_major && bits_of(b) < 8)) return false;
        return tcgen05_kind(d, a, b) != nullptr &&
               (is_tcgen05_tile(m, n, integers, false) || is_tcgen05_pair_tile(m, n, integers, false) ||
                is_tcgen05_ws_tile(m, n)) &&
               !(integers && (negate_a || negate_b)) && !(!integers && saturate);
    }

    /// The 32 bits:   saturate at bit 3, type of D at 4, of A at 7, of B at 10, negate at 13 and 14, MN-major at 15 and 16, N/8 at 17, M/16
    /// at 24.      [PTX ISA, tcgen05, Instruction descriptor; CUTLASS 7107b055, cute/arch/mma_sm100_desc.hpp]
    ///
    /// @pre exists()
    [[nodiscard]] constexpr std::uint32_t bits() const noexcept
    {
        const auto field = [](std::int64_t value, int at) { return static_cast<std::uint32_t>(value) << at; };
        return field(saturate, 3) |
               field(d == DType::i32   ? 2
                     : d == DType::f32 ? 1
                                       : 0,
                     4) |
               field(number(a), 7) | field(number(b), 10) | field(negate_a, 13) | field(negate_b, 14) | field(a_mn_major, 15) |
               field(b_mn_major, 16) | field(n / 8, 17) | field(m / 16, 24);
    }
    friend constexpr bool operator==(const Tcgen05Descriptor&, const Tcgen05Descriptor&) = default;

  private:
    [[nodiscard]] static constexpr int bits_of(DType type) noexcept { return axe::bits(type); }
    /// Of a type among those of its kind.
    [[nodiscard]] static constexpr std::int64_t number(DType type) noexcept
    {
        switch (type) {
        case DType::bf16:
        case DType::i8: return 1;
        case DType::tf32: return 2;
        default: return small_float_number(type); // of f16 and u8 0
        }
    }
};

} // namespace v0
} // namespace axe

#endif
