// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_INTEL_ATOMS_HPP
#define AXE_TARGET_INTEL_ATOMS_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// Intel: the tiles of AMX (`trow`, `telem`), the packed operand of the AVX-512 dot products, and DPAS of Xe-HPC for a sub-group of 16.
namespace atoms::intel {

inline constexpr Axis trow{"trow"}, telem{"telem"}, lane{"lane"}, reg{"reg"};
inline constexpr const char* sdm = "Intel Software Developer's Manual and Intrinsics Guide, the pseudo-code of the instruction";
inline constexpr const char* telems = "telem: the element in the 64 bytes of a tile row";
inline constexpr const char* packed = "v successive k of a column n lie side by side: tile row k/v, element v*n + k%v";
inline constexpr const char* one_register =
    "one 64-byte register: the values of column n that are multiplied together lie side by side";

constexpr AtomHead amx(const char* name) noexcept { return {name, "amx", "core", sdm, Evidence::documents}; }
/// The source has sub-groups of 32, whose last lane bit is here the next register bit, and of 16 for the accumulator.
inline constexpr const char* triton = "intel/intel-xpu-backend-for-triton 14574027, DPAStoLinearLayoutTest.cpp";
inline constexpr const char* eight_rows = "8 rows (repeat count 8)";
constexpr AtomHead dpas(const char* name) noexcept { return {name, "xe-hpc", "subgroup", triton, Evidence::documents}; }
inline constexpr AtomHead vpdpbusd{"VPDPBUSD.zmm", "avx512_vnni", "core", sdm, Evidence::executed};
inline constexpr AtomHead vdpbf16ps{"VDPBF16PS.zmm", "avx512_bf16", "core", sdm, Evidence::executed};

inline constexpr Atom rows[] = {
    {amx("TDPBF16PS"), "A", "bf16", {16, 32}, {{16, 1, trow}, {32, 1, telem}}, telems},
    {amx("TDPBF16PS"), "B", "bf16", {32, 16}, {{16, 1, trow}, {2, 1, telem}, {16, 2, telem}}, packed},
    {amx("TDPBF16PS"), "C", "f32", {16, 16}, {{16, 1, trow}, {16, 1, telem}}},
    {amx("TDPFP16PS"), "A", "f16", {16, 32}, {{16, 1, trow}, {32, 1, telem}}, telems},
    {amx("TDPFP16PS"), "B", "f16", {32, 16}, {{16, 1, trow}, {2, 1, telem}, {16, 2, telem}}, packed},
    {amx("TDPFP16PS"), "C", "f32", {16, 16}, {{16, 1, trow}, {16, 1, telem}}},
    {amx("TDPBSSD"), "A", "s8", {16, 64}, {{16, 1, trow}, {64, 1, telem}}, telems},
    {amx("TDPBSSD"), "B", "s8", {64, 16}, {{16, 1, trow}, {4, 1, telem}, {16, 4, telem}}, packed},
    {amx("TDPBSSD"), "C", "s32", {16, 16}, {{16, 1, trow}, {16, 1, telem}}},
    {vpdpbusd, "B", "s8", {4, 16}, {{4, 1, telem}, {16, 4, telem}}, one_register},
    {vdpbf16ps, "B", "bf16", {2, 16}, {{2, 1, telem}, {16, 2, telem}}, one_register},
    {dpas("intel_sub_group_f16_f16_matrix_mad_k16"), "A", "f16", {8, 16}, {{8, 1, reg}, {16, 1, lane}}, eight_rows},
    {dpas("intel_sub_group_f16_f16_matrix_mad_k16"), "B", "f16", {16, 16}, {{16, 1, reg}, {16, 1, lane}}},
    {dpas("intel_sub_group_f16_f16_matrix_mad_k16"), "C", "f32", {8, 16}, {{8, 1, reg}, {16, 1, lane}}, eight_rows},
    {dpas("intel_sub_group_bf16_bf16_matrix_mad_k16"), "A", "bf16", {8, 16}, {{8, 1, reg}, {16, 1, lane}}, eight_rows},
    {dpas("intel_sub_group_bf16_bf16_matrix_mad_k16"), "B", "bf16", {16, 16}, {{16, 1, reg}, {16, 1, lane}}},
    {dpas("intel_sub_group_bf16_bf16_matrix_mad_k16"), "C", "f32", {8, 16}, {{8, 1, reg}, {16, 1, lane}}, eight_rows},
    {dpas("intel_sub_group_i8_i8_matrix_mad_k32"), "A", "s8", {8, 32}, {{8, 2, reg}, {16, 1, lane}, {2, 1, reg}}, eight_rows},
    {dpas("intel_sub_group_i8_i8_matrix_mad_k32"), "B", "s8", {32, 16}, {{32, 1, reg}, {16, 1, lane}}},
    {dpas("intel_sub_group_i8_i8_matrix_mad_k32"), "C", "s32", {8, 16}, {{8, 1, reg}, {16, 1, lane}}, eight_rows},
    {dpas("intel_sub_group_tf32_tf32_matrix_mad_k8"), "A", "tf32", {8, 8}, {{4, 1, reg}, {2, 8, lane}, {8, 1, lane}}, eight_rows},
    {dpas("intel_sub_group_tf32_tf32_matrix_mad_k8"), "B", "tf32", {8, 16}, {{8, 1, reg}, {16, 1, lane}}},
    {dpas("intel_sub_group_tf32_tf32_matrix_mad_k8"), "C", "f32", {8, 16}, {{8, 1, reg}, {16, 1, lane}}, eight_rows},
};

} // namespace atoms::intel

} // namespace v0
} // namespace axe

#endif
