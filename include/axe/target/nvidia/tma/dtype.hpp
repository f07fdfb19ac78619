// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_DTYPE_HPP
#define AXE_TARGET_NVIDIA_TMA_DTYPE_HPP

#include <axe/target/nvidia/tma/modes.hpp>
#include <axe/tensor/dtype.hpp>

namespace axe {
inline namespace v0 {

/// The type of a tensor map for elements of this type: its own, or an unsigned integer of its bytes where a map has none of that kind (8-bit
/// floats, 8- and 16-bit integers). Of 4 bits there are two, packed in shared memory or padded to bytes; those of 6 are padded.
/// `errc::bad_argument` for single bits.
constexpr Result<TmaType> tma_type(DType type, bool padded = false) noexcept
{
    switch (type) {
    case DType::f64: return TmaType::f64;
    case DType::f32: return TmaType::f32;
    case DType::tf32: return TmaType::tf32;
    case DType::f16: return TmaType::f16;
    case DType::bf16: return TmaType::bf16;
    case DType::i32: return TmaType::i32;
    case DType::dl16:
    case DType::i16: return TmaType::u16;
    case DType::e4m3:
    case DType::e5m2:
    case DType::e8m0:
    case DType::i8:
    case DType::ue4m3:
    case DType::u8: return TmaType::u8;
    case DType::e3m2:
    case DType::e2m3: return TmaType::u6_align16;
    case DType::e2m1:
    case DType::i4: return padded ? TmaType::u4_align16 : TmaType::u4_align8;
    case DType::b1: break;
    }
    return Error(errc::bad_argument, -1, "a tensor map has no type for elements of {0} bits; pack them as bytes", bits(type));
}

/// Elements of 4 bits in shared memory, in a layout that gives each a byte, are padded where this is their swizzle: of chunks of 16 bytes or
/// more, which have 16 of them. Those with other swizzles, or none, are packed.
constexpr bool pads_elements(const Swizzle& swizzle) noexcept
{
    const auto mode = tma_swizzle(swizzle);
    return swizzle.bits > 0 && mode && row(*mode).span == 128;
}

} // namespace v0
} // namespace axe

#endif
