// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_DTYPE_HPP
#define AXE_TARGET_NVIDIA_TMA_DTYPE_HPP

#include <axe/target/nvidia/tma/modes.hpp>
#include <axe/tensor/dtype.hpp>

namespace axe {
inline namespace v0 {

/// The type of a tensor map for elements of this type: its own, or an unsigned integer of its bytes where a map has none of that kind (8-bit
/// floats, 8- and 16-bit integers). `errc::bad_argument` for types of less than a byte.
constexpr Result<TmaType> tma_type(DType type) noexcept
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
    case DType::e2m3:
    case DType::e2m1:
    case DType::i4:
    case DType::b1: break;
    }
    return Error(errc::bad_argument, -1, "a tensor map has no type for elements of {0} bits; pack them as bytes or as 16 of 4 bits",
                 bits(type));
}

} // namespace v0
} // namespace axe

#endif
