// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_AMD_ATOMS_WMMA_HPP
#define AXE_TARGET_AMD_ATOMS_WMMA_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// AMD RDNA 3 and 4 matrix instructions, `v_wmma`: the operands of one wave of 32 lanes.
namespace atoms::amd_wmma {

inline constexpr Axis lane{"lane"}, reg{"reg"};
inline constexpr const char* calculator = "ROCm/amd_matrix_instruction_calculator 2ef91896, version 1.3.2";

constexpr AtomHead rdna3(const char* name) noexcept { return {name, "gfx1100", "wave", calculator, Evidence::executed}; }
constexpr AtomHead rdna4(const char* name) noexcept { return {name, "gfx1200", "wave", calculator, Evidence::executed}; }

/// RDNA 3 wants A and B twice, in lanes 0 to 15 and again in 16 to 31; RDNA 4 splits them over all lanes. An accumulator of 16 bits takes
/// one half of each of 8 registers in RDNA 3, that which OPSEL selects: `reg` counts the registers; RDNA 4 packs two in one.
inline constexpr Atom rows[] = {
    {rdna3("v_wmma_f32_16x16x16_f16"), "A", "f16", {16, 16}, {{16, 1, lane}, {16, 1, reg}}, "", {{2, 16, lane}}},
    {rdna3("v_wmma_f32_16x16x16_f16"), "B", "f16", {16, 16}, {{16, 1, reg}, {16, 1, lane}}, "", {{2, 16, lane}}},
    {rdna3("v_wmma_f32_16x16x16_f16"), "D", "f32", {16, 16}, {{8, 1, reg}, {2, 16, lane}, {16, 1, lane}}},
    {rdna3("v_wmma_f32_16x16x16_bf16"), "A", "bf16", {16, 16}, {{16, 1, lane}, {16, 1, reg}}, "", {{2, 16, lane}}},
    {rdna3("v_wmma_f32_16x16x16_bf16"), "B", "bf16", {16, 16}, {{16, 1, reg}, {16, 1, lane}}, "", {{2, 16, lane}}},
    {rdna3("v_wmma_f32_16x16x16_bf16"), "D", "f32", {16, 16}, {{8, 1, reg}, {2, 16, lane}, {16, 1, lane}}},
    {rdna3("v_wmma_i32_16x16x16_iu8"), "A", "iu8", {16, 16}, {{16, 1, lane}, {16, 1, reg}}, "", {{2, 16, lane}}},
    {rdna3("v_wmma_i32_16x16x16_iu8"), "B", "iu8", {16, 16}, {{16, 1, reg}, {16, 1, lane}}, "", {{2, 16, lane}}},
    {rdna3("v_wmma_i32_16x16x16_iu8"), "D", "i32", {16, 16}, {{8, 1, reg}, {2, 16, lane}, {16, 1, lane}}},
    {rdna3("v_wmma_f16_16x16x16_f16"), "A", "f16", {16, 16}, {{16, 1, lane}, {16, 1, reg}}, "", {{2, 16, lane}}},
    {rdna3("v_wmma_f16_16x16x16_f16"), "B", "f16", {16, 16}, {{16, 1, reg}, {16, 1, lane}}, "", {{2, 16, lane}}},
    {rdna3("v_wmma_f16_16x16x16_f16"), "D", "f16", {16, 16}, {{8, 1, reg}, {2, 16, lane}, {16, 1, lane}}},
    {rdna3("v_wmma_bf16_16x16x16_bf16"), "A", "bf16", {16, 16}, {{16, 1, lane}, {16, 1, reg}}, "", {{2, 16, lane}}},
    {rdna3("v_wmma_bf16_16x16x16_bf16"), "B", "bf16", {16, 16}, {{16, 1, reg}, {16, 1, lane}}, "", {{2, 16, lane}}},
    {rdna3("v_wmma_bf16_16x16x16_bf16"), "D", "bf16", {16, 16}, {{8, 1, reg}, {2, 16, lane}, {16, 1, lane}}},

    {rdna4("v_wmma_f32_16x16x16_f16"), "A", "f16", {16, 16}, {{16, 1, lane}, {2, 4, reg}, {2, 16, lane}, {4, 1, reg}}},
    {rdna4("v_wmma_f32_16x16x16_f16"), "B", "f16", {16, 16}, {{2, 4, reg}, {2, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_f16"), "D", "f32", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_bf16"), "A", "bf16", {16, 16}, {{16, 1, lane}, {2, 4, reg}, {2, 16, lane}, {4, 1, reg}}},
    {rdna4("v_wmma_f32_16x16x16_bf16"), "B", "bf16", {16, 16}, {{2, 4, reg}, {2, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_bf16"), "D", "f32", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_i32_16x16x16_iu8"), "A", "iu8", {16, 16}, {{16, 1, lane}, {2, 16, lane}, {8, 1, reg}}},
    {rdna4("v_wmma_i32_16x16x16_iu8"), "B", "iu8", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_i32_16x16x16_iu8"), "D", "i32", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f16_16x16x16_f16"), "A", "f16", {16, 16}, {{16, 1, lane}, {2, 4, reg}, {2, 16, lane}, {4, 1, reg}}},
    {rdna4("v_wmma_f16_16x16x16_f16"), "B", "f16", {16, 16}, {{2, 4, reg}, {2, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f16_16x16x16_f16"), "D", "f16", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_bf16_16x16x16_bf16"), "A", "bf16", {16, 16}, {{16, 1, lane}, {2, 4, reg}, {2, 16, lane}, {4, 1, reg}}},
    {rdna4("v_wmma_bf16_16x16x16_bf16"), "B", "bf16", {16, 16}, {{2, 4, reg}, {2, 16, lane}, {4, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_bf16_16x16x16_bf16"), "D", "bf16", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_fp8_fp8"), "A", "fp8", {16, 16}, {{16, 1, lane}, {2, 16, lane}, {8, 1, reg}}},
    {rdna4("v_wmma_f32_16x16x16_fp8_fp8"), "B", "fp8", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_fp8_fp8"), "D", "f32", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_fp8_bf8"), "A", "fp8", {16, 16}, {{16, 1, lane}, {2, 16, lane}, {8, 1, reg}}},
    {rdna4("v_wmma_f32_16x16x16_fp8_bf8"), "B", "bf8", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_fp8_bf8"), "D", "f32", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_bf8_fp8"), "A", "bf8", {16, 16}, {{16, 1, lane}, {2, 16, lane}, {8, 1, reg}}},
    {rdna4("v_wmma_f32_16x16x16_bf8_fp8"), "B", "fp8", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_bf8_fp8"), "D", "f32", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_bf8_bf8"), "A", "bf8", {16, 16}, {{16, 1, lane}, {2, 16, lane}, {8, 1, reg}}},
    {rdna4("v_wmma_f32_16x16x16_bf8_bf8"), "B", "bf8", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
    {rdna4("v_wmma_f32_16x16x16_bf8_bf8"), "D", "f32", {16, 16}, {{2, 16, lane}, {8, 1, reg}, {16, 1, lane}}},
};

} // namespace atoms::amd_wmma

} // namespace v0
} // namespace axe

#endif
