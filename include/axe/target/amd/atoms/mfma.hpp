// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_AMD_ATOMS_MFMA_HPP
#define AXE_TARGET_AMD_ATOMS_MFMA_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// AMD CDNA 3 and 4 matrix instructions, `v_mfma`: the operands of one wave of 64 lanes.
namespace atoms::amd_mfma {

inline constexpr Axis lane{"lane"}, reg{"reg"};
inline constexpr const char* calculator = "ROCm/amd_matrix_instruction_calculator 2ef91896, version 1.3.2";

/// The calculator has no CDNA 4; this has the lanes and elements of its larger instructions.
inline constexpr const char* iree = "iree-org/iree 00463496, IREEGPUAttrs.cpp, getSingleSubgroupLayout";

constexpr AtomHead of950(const char* name) noexcept { return {name, "gfx950", "wave", iree, Evidence::documents}; }
constexpr AtomHead of(const char* name) noexcept { return {name, "gfx942", "wave", calculator, Evidence::executed}; }

/// A lane has four successive rows of an accumulator: row 8*(reg/4) + 4*(lane/32) + reg%4 of 32, row 4*(lane/16) + reg of 16; in
/// f64 it is row 4*reg + lane/16. An instruction of several blocks (`_16b`: 16) does as many products, each of a block of A and one
/// of B; here the blocks are one above the other.
inline constexpr Atom rows[] = {
    {of("v_mfma_f32_32x32x8_f16"), "A", "f16", {32, 8}, {{32, 1, lane}, {2, 32, lane}, {4, 1, reg}}},
    {of("v_mfma_f32_32x32x8_f16"), "B", "f16", {8, 32}, {{2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_32x32x8_f16"), "D", "f32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_16x16x16_f16"), "A", "f16", {16, 16}, {{16, 1, lane}, {4, 16, lane}, {4, 1, reg}}},
    {of("v_mfma_f32_16x16x16_f16"), "B", "f16", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_16x16x16_f16"), "D", "f32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_4x4x4_16b_f16"), "A", "f16", {64, 4}, {{64, 1, lane}, {4, 1, reg}}},
    {of("v_mfma_f32_4x4x4_16b_f16"), "B", "f16", {64, 4}, {{16, 4, lane}, {4, 1, reg}, {4, 1, lane}}},
    {of("v_mfma_f32_4x4x4_16b_f16"), "D", "f32", {64, 4}, {{16, 4, lane}, {4, 1, reg}, {4, 1, lane}}},
    {of("v_mfma_f32_32x32x8_bf16"), "A", "bf16", {32, 8}, {{32, 1, lane}, {2, 32, lane}, {4, 1, reg}}},
    {of("v_mfma_f32_32x32x8_bf16"), "B", "bf16", {8, 32}, {{2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_32x32x8_bf16"), "D", "f32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_16x16x16_bf16"), "A", "bf16", {16, 16}, {{16, 1, lane}, {4, 16, lane}, {4, 1, reg}}},
    {of("v_mfma_f32_16x16x16_bf16"), "B", "bf16", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_16x16x16_bf16"), "D", "f32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_4x4x4_16b_bf16"), "A", "bf16", {64, 4}, {{64, 1, lane}, {4, 1, reg}}},
    {of("v_mfma_f32_4x4x4_16b_bf16"), "B", "bf16", {64, 4}, {{16, 4, lane}, {4, 1, reg}, {4, 1, lane}}},
    {of("v_mfma_f32_4x4x4_16b_bf16"), "D", "f32", {64, 4}, {{16, 4, lane}, {4, 1, reg}, {4, 1, lane}}},
    {of("v_mfma_f32_32x32x4_2b_f16"), "A", "f16", {64, 4}, {{64, 1, lane}, {4, 1, reg}}},
    {of("v_mfma_f32_32x32x4_2b_f16"), "B", "f16", {8, 32}, {{2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_32x32x4_2b_f16"), "D", "f32", {64, 32}, {{2, 16, reg}, {4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_16x16x4_4b_f16"), "A", "f16", {64, 4}, {{64, 1, lane}, {4, 1, reg}}},
    {of("v_mfma_f32_16x16x4_4b_f16"), "B", "f16", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_16x16x4_4b_f16"), "D", "f32", {64, 16}, {{4, 4, reg}, {4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_32x32x2_f32"), "A", "f32", {32, 2}, {{32, 1, lane}, {2, 32, lane}}},
    {of("v_mfma_f32_32x32x2_f32"), "B", "f32", {2, 32}, {{2, 32, lane}, {32, 1, lane}}},
    {of("v_mfma_f32_32x32x2_f32"), "D", "f32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_16x16x4_f32"), "A", "f32", {16, 4}, {{16, 1, lane}, {4, 16, lane}}},
    {of("v_mfma_f32_16x16x4_f32"), "B", "f32", {4, 16}, {{4, 16, lane}, {16, 1, lane}}},
    {of("v_mfma_f32_16x16x4_f32"), "D", "f32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_i32_32x32x16_i8"), "A", "i8", {32, 16}, {{32, 1, lane}, {2, 32, lane}, {8, 1, reg}}},
    {of("v_mfma_i32_32x32x16_i8"), "B", "i8", {16, 32}, {{2, 32, lane}, {8, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_i32_32x32x16_i8"), "D", "i32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_i32_16x16x32_i8"), "A", "i8", {16, 32}, {{16, 1, lane}, {4, 16, lane}, {8, 1, reg}}},
    {of("v_mfma_i32_16x16x32_i8"), "B", "i8", {32, 16}, {{4, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_i32_16x16x32_i8"), "D", "i32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_32x32x16_fp8_fp8"), "A", "fp8", {32, 16}, {{32, 1, lane}, {2, 32, lane}, {8, 1, reg}}},
    {of("v_mfma_f32_32x32x16_fp8_fp8"), "B", "fp8", {16, 32}, {{2, 32, lane}, {8, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_32x32x16_fp8_fp8"), "D", "f32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_16x16x32_fp8_fp8"), "A", "fp8", {16, 32}, {{16, 1, lane}, {4, 16, lane}, {8, 1, reg}}},
    {of("v_mfma_f32_16x16x32_fp8_fp8"), "B", "fp8", {32, 16}, {{4, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_16x16x32_fp8_fp8"), "D", "f32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_32x32x16_bf8_bf8"), "A", "bf8", {32, 16}, {{32, 1, lane}, {2, 32, lane}, {8, 1, reg}}},
    {of("v_mfma_f32_32x32x16_bf8_bf8"), "B", "bf8", {16, 32}, {{2, 32, lane}, {8, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_32x32x16_bf8_bf8"), "D", "f32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_16x16x32_bf8_bf8"), "A", "bf8", {16, 32}, {{16, 1, lane}, {4, 16, lane}, {8, 1, reg}}},
    {of("v_mfma_f32_16x16x32_bf8_bf8"), "B", "bf8", {32, 16}, {{4, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_16x16x32_bf8_bf8"), "D", "f32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_32x32x16_bf8_fp8"), "A", "bf8", {32, 16}, {{32, 1, lane}, {2, 32, lane}, {8, 1, reg}}},
    {of("v_mfma_f32_32x32x16_bf8_fp8"), "B", "fp8", {16, 32}, {{2, 32, lane}, {8, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_32x32x16_bf8_fp8"), "D", "f32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_16x16x32_bf8_fp8"), "A", "bf8", {16, 32}, {{16, 1, lane}, {4, 16, lane}, {8, 1, reg}}},
    {of("v_mfma_f32_16x16x32_bf8_fp8"), "B", "fp8", {32, 16}, {{4, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_16x16x32_bf8_fp8"), "D", "f32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_32x32x16_fp8_bf8"), "A", "fp8", {32, 16}, {{32, 1, lane}, {2, 32, lane}, {8, 1, reg}}},
    {of("v_mfma_f32_32x32x16_fp8_bf8"), "B", "bf8", {16, 32}, {{2, 32, lane}, {8, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_32x32x16_fp8_bf8"), "D", "f32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_16x16x32_fp8_bf8"), "A", "fp8", {16, 32}, {{16, 1, lane}, {4, 16, lane}, {8, 1, reg}}},
    {of("v_mfma_f32_16x16x32_fp8_bf8"), "B", "bf8", {32, 16}, {{4, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_16x16x32_fp8_bf8"), "D", "f32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_32x32x4_xf32"), "A", "xf32", {32, 4}, {{32, 1, lane}, {2, 32, lane}, {2, 1, reg}}},
    {of("v_mfma_f32_32x32x4_xf32"), "B", "xf32", {4, 32}, {{2, 32, lane}, {2, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_32x32x4_xf32"), "D", "f32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of("v_mfma_f32_16x16x8_xf32"), "A", "xf32", {16, 8}, {{16, 1, lane}, {4, 16, lane}, {2, 1, reg}}},
    {of("v_mfma_f32_16x16x8_xf32"), "B", "xf32", {8, 16}, {{4, 16, lane}, {2, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f32_16x16x8_xf32"), "D", "f32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of("v_mfma_f64_16x16x4_f64"), "A", "f64", {16, 4}, {{16, 1, lane}, {4, 16, lane}}},
    {of("v_mfma_f64_16x16x4_f64"), "B", "f64", {4, 16}, {{4, 16, lane}, {16, 1, lane}}},
    {of("v_mfma_f64_16x16x4_f64"), "D", "f64", {16, 16}, {{4, 1, reg}, {4, 16, lane}, {16, 1, lane}}},
    {of950("v_mfma_f32_16x16x32_f16"), "A", "f16", {16, 32}, {{16, 1, lane}, {4, 16, lane}, {8, 1, reg}}},
    {of950("v_mfma_f32_16x16x32_f16"), "B", "f16", {32, 16}, {{4, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {of950("v_mfma_f32_16x16x32_f16"), "D", "f32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of950("v_mfma_f32_16x16x32_bf16"), "A", "bf16", {16, 32}, {{16, 1, lane}, {4, 16, lane}, {8, 1, reg}}},
    {of950("v_mfma_f32_16x16x32_bf16"), "B", "bf16", {32, 16}, {{4, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {of950("v_mfma_f32_16x16x32_bf16"), "D", "f32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of950("v_mfma_f32_32x32x16_f16"), "A", "f16", {32, 16}, {{32, 1, lane}, {2, 32, lane}, {8, 1, reg}}},
    {of950("v_mfma_f32_32x32x16_f16"), "B", "f16", {16, 32}, {{2, 32, lane}, {8, 1, reg}, {32, 1, lane}}},
    {of950("v_mfma_f32_32x32x16_f16"), "D", "f32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of950("v_mfma_f32_32x32x16_bf16"), "A", "bf16", {32, 16}, {{32, 1, lane}, {2, 32, lane}, {8, 1, reg}}},
    {of950("v_mfma_f32_32x32x16_bf16"), "B", "bf16", {16, 32}, {{2, 32, lane}, {8, 1, reg}, {32, 1, lane}}},
    {of950("v_mfma_f32_32x32x16_bf16"), "D", "f32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
    {of950("v_mfma_i32_16x16x64_i8"), "A", "i8", {16, 64}, {{16, 1, lane}, {4, 16, lane}, {16, 1, reg}}},
    {of950("v_mfma_i32_16x16x64_i8"), "B", "i8", {64, 16}, {{4, 16, lane}, {16, 1, reg}, {16, 1, lane}}},
    {of950("v_mfma_i32_16x16x64_i8"), "D", "i32", {16, 16}, {{4, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {of950("v_mfma_i32_32x32x32_i8"), "A", "i8", {32, 32}, {{32, 1, lane}, {2, 32, lane}, {16, 1, reg}}},
    {of950("v_mfma_i32_32x32x32_i8"), "B", "i8", {32, 32}, {{2, 32, lane}, {16, 1, reg}, {32, 1, lane}}},
    {of950("v_mfma_i32_32x32x32_i8"), "D", "i32", {32, 32}, {{4, 4, reg}, {2, 32, lane}, {4, 1, reg}, {32, 1, lane}}},
};

} // namespace atoms::amd_mfma

} // namespace v0
} // namespace axe

#endif
