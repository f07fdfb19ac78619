// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_WGMMA_FORMS_HPP
#define AXE_TARGET_NVIDIA_WGMMA_FORMS_HPP

#include <axe/tensor/dtype.hpp>

/// What `wgmma` takes.
namespace axe {
inline namespace v0 {

/// Does `wgmma` multiply elements of these types into D's?
///
/// | A, B | D |
/// | f16 | f16, f32 |
/// | bf16, tf32 | f32 |
/// | e4m3, e5m2, mixed | f16, f32 |
/// | i8, u8, mixed | i32 |
///
/// [PTX ISA, wgmma, Data types]
constexpr bool is_wgmma_product(DType d, DType a, DType b) noexcept
{
    const auto is = [](DType t, DType x, DType y) { return t == x || t == y; };
    if (is(a, DType::i8, DType::u8)) return is(b, DType::i8, DType::u8) && d == DType::i32;
    if (is(a, DType::bf16, DType::tf32)) return b == a && d == DType::f32;
    return is(d, DType::f16, DType::f32) &&
           (a == DType::f16 ? b == a : is(a, DType::e4m3, DType::e5m2) && is(b, DType::e4m3, DType::e5m2));
}

} // namespace v0
} // namespace axe

#endif
