// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_ATOMS_MMA_HPP
#define AXE_TARGET_NVIDIA_ATOMS_MMA_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// NVIDIA `mma.sync`: the operands of one warp, Volta to Hopper.
namespace atoms::nvidia_mma {

inline constexpr Axis lane{"lane"}, reg{"reg"};
inline constexpr const char* cute70 =
    "CUTLASS 7107b055, include/cute/atom/mma_traits_sm70.hpp; PTX ISA 9.2, 9.7.14.5 Matrix Fragments for mma";
inline constexpr const char* cute80 =
    "CUTLASS 7107b055, include/cute/atom/mma_traits_sm80.hpp; PTX ISA 9.2, 9.7.14.5 Matrix Fragments for mma";
inline constexpr const char* cute89 =
    "CUTLASS 7107b055, include/cute/atom/mma_traits_sm89.hpp; PTX ISA 9.2, 9.7.14.5 Matrix Fragments for mma";
inline constexpr const char* cute90 =
    "CUTLASS 7107b055, include/cute/atom/mma_traits_sm90.hpp; PTX ISA 9.2, 9.7.14.5 Matrix Fragments for mma";

/// An instruction of one warp.
constexpr AtomHead warp(const char* name, const char* arch, const char* source) noexcept
{
    return {name, arch, "warp", source, Evidence::executed};
}
inline constexpr AtomHead m16n8k8_f16 = warp("mma.sync.m16n8k8.f32.f16.f16.f32", "sm75+", cute80);
inline constexpr AtomHead m16n8k16_f16 = warp("mma.sync.m16n8k16.f32.f16.f16.f32", "sm80+", cute80);
inline constexpr AtomHead m16n8k8_bf16 = warp("mma.sync.m16n8k8.f32.bf16.bf16.f32", "sm80+", cute80);
inline constexpr AtomHead m16n8k16_bf16 = warp("mma.sync.m16n8k16.f32.bf16.bf16.f32", "sm80+", cute80);
inline constexpr AtomHead m16n8k4_tf32 = warp("mma.sync.m16n8k4.f32.tf32.tf32.f32", "sm80+", cute80);
inline constexpr AtomHead m16n8k8_tf32 = warp("mma.sync.m16n8k8.f32.tf32.tf32.f32", "sm80+", cute80);
inline constexpr AtomHead m8n8k16_s8 = warp("mma.sync.m8n8k16.s32.s8.s8.s32", "sm75+", cute80);
inline constexpr AtomHead m16n8k16_s8 = warp("mma.sync.m16n8k16.s32.s8.s8.s32", "sm80+", cute80);
inline constexpr AtomHead m16n8k32_s8 = warp("mma.sync.m16n8k32.s32.s8.s8.s32", "sm80+", cute80);
inline constexpr AtomHead m16n8k32_e4m3 = warp("mma.sync.m16n8k32.f32.e4m3.e4m3.f32", "sm89+", cute89);
inline constexpr AtomHead m8n8k32_s4 = warp("mma.sync.m8n8k32.s32.s4.s4.s32", "sm75+", cute80);
inline constexpr AtomHead m16n8k32_s4 = warp("mma.sync.m16n8k32.s32.s4.s4.s32", "sm80+", cute80);
inline constexpr AtomHead m16n8k64_s4 = warp("mma.sync.m16n8k64.s32.s4.s4.s32", "sm80+", cute80);
inline constexpr AtomHead m16n8k256_b1 = warp("mma.sync.m16n8k256.s32.b1.b1.s32.xor.popc", "sm80+", cute80);
inline constexpr AtomHead m8n8k4_f64 = warp("mma.sync.m8n8k4.f64", "sm80+", cute80);
inline constexpr AtomHead m16n8k4_f64 = warp("mma.sync.m16n8k4.f64", "sm90+", cute90);
inline constexpr AtomHead m16n8k8_f64 = warp("mma.sync.m16n8k8.f64", "sm90+", cute90);
inline constexpr AtomHead m16n8k16_f64 = warp("mma.sync.m16n8k16.f64", "sm90+", cute90);

/// The same of a form whose fragments PTX gives together with those of a form above.
constexpr AtomHead read(const char* name, const char* arch, const char* source) noexcept
{
    return {name, arch, "warp", source, Evidence::documents};
}
inline constexpr AtomHead m16n8k8_f16_acc16 = read("mma.sync.m16n8k8.f16.f16.f16.f16", "sm75+", cute80);
inline constexpr AtomHead m16n8k16_f16_acc16 = read("mma.sync.m16n8k16.f16.f16.f16.f16", "sm80+", cute80);
inline constexpr AtomHead m16n8k32_e4m3_e5m2 = read("mma.sync.m16n8k32.f32.e4m3.e5m2.f32", "sm89+", cute89);
inline constexpr AtomHead m16n8k32_e5m2_e4m3 = read("mma.sync.m16n8k32.f32.e5m2.e4m3.f32", "sm89+", cute89);
inline constexpr AtomHead m16n8k32_e5m2_e5m2 = read("mma.sync.m16n8k32.f32.e5m2.e5m2.f32", "sm89+", cute89);

/// Volta: the operands of one of the four quad pairs of a warp, here lanes 0 to 3 and 16 to 19.
constexpr AtomHead quad_pair(const char* name) noexcept { return {name, "sm70", "quadpair", cute70, Evidence::executed}; }
inline constexpr AtomHead m8n8k4_row = quad_pair("mma.sync.m8n8k4.row.f16"), m8n8k4_col = quad_pair("mma.sync.m8n8k4.col.f16"),
                          m8n8k4_f32 = quad_pair("mma.sync.m8n8k4.f32acc"), m8n8k4_f16 = quad_pair("mma.sync.m8n8k4.f16acc");
inline constexpr const char* pairs = "quad pair q of 4 is at {lane:4q}; fast on sm70 only";

/// With g = lane / 4 and t = lane % 4 as in PTX, C has row g + 8*(reg/2) and column 2*t + reg%2. The registers of A, each of 32
/// bits or one f64, go down first, rows g and g + 8, then along K; a register holds v successive columns, from t*v on. B is like A
/// with rows and columns exchanged, its column g. In the m8 forms there is no row g + 8.
inline constexpr Atom rows[] = {
    {m16n8k8_f16, "A", "f16", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k8_f16, "B", "f16", {8, 8}, {{4, 1, lane}, {2, 1, reg}, {8, 4, lane}}},
    {m16n8k8_f16, "C", "f32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k16_f16, "A", "f16", {16, 16}, {{2, 2, reg}, {8, 4, lane}, {2, 4, reg}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k16_f16, "B", "f16", {16, 8}, {{2, 2, reg}, {4, 1, lane}, {2, 1, reg}, {8, 4, lane}}},
    {m16n8k16_f16, "C", "f32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k8_bf16, "A", "bf16", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k8_bf16, "B", "bf16", {8, 8}, {{4, 1, lane}, {2, 1, reg}, {8, 4, lane}}},
    {m16n8k8_bf16, "C", "f32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k16_bf16, "A", "bf16", {16, 16}, {{2, 2, reg}, {8, 4, lane}, {2, 4, reg}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k16_bf16, "B", "bf16", {16, 8}, {{2, 2, reg}, {4, 1, lane}, {2, 1, reg}, {8, 4, lane}}},
    {m16n8k16_bf16, "C", "f32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},

    {m16n8k4_tf32, "A", "tf32", {16, 4}, {{2, 1, reg}, {8, 4, lane}, {4, 1, lane}}},
    {m16n8k4_tf32, "B", "tf32", {4, 8}, {{4, 1, lane}, {8, 4, lane}}},
    {m16n8k4_tf32, "C", "f32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k8_tf32, "A", "tf32", {16, 8}, {{2, 1, reg}, {8, 4, lane}, {2, 2, reg}, {4, 1, lane}}},
    {m16n8k8_tf32, "B", "tf32", {8, 8}, {{2, 1, reg}, {4, 1, lane}, {8, 4, lane}}},
    {m16n8k8_tf32, "C", "f32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},

    {m8n8k16_s8, "A", "s8", {8, 16}, {{8, 4, lane}, {4, 1, lane}, {4, 1, reg}}},
    {m8n8k16_s8, "B", "s8", {16, 8}, {{4, 1, lane}, {4, 1, reg}, {8, 4, lane}}},
    {m8n8k16_s8, "C", "s32", {8, 8}, {{8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k16_s8, "A", "s8", {16, 16}, {{2, 4, reg}, {8, 4, lane}, {4, 1, lane}, {4, 1, reg}}},
    {m16n8k16_s8, "B", "s8", {16, 8}, {{4, 1, lane}, {4, 1, reg}, {8, 4, lane}}},
    {m16n8k16_s8, "C", "s32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k32_s8, "A", "s8", {16, 32}, {{2, 4, reg}, {8, 4, lane}, {2, 8, reg}, {4, 1, lane}, {4, 1, reg}}},
    {m16n8k32_s8, "B", "s8", {32, 8}, {{2, 4, reg}, {4, 1, lane}, {4, 1, reg}, {8, 4, lane}}},
    {m16n8k32_s8, "C", "s32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k32_e4m3, "A", "e4m3", {16, 32}, {{2, 4, reg}, {8, 4, lane}, {2, 8, reg}, {4, 1, lane}, {4, 1, reg}}},
    {m16n8k32_e4m3, "B", "e4m3", {32, 8}, {{2, 4, reg}, {4, 1, lane}, {4, 1, reg}, {8, 4, lane}}},
    {m16n8k32_e4m3, "C", "f32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},

    {m16n8k8_f16_acc16, "A", "f16", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k8_f16_acc16, "B", "f16", {8, 8}, {{4, 1, lane}, {2, 1, reg}, {8, 4, lane}}},
    {m16n8k8_f16_acc16, "C", "f16", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k16_f16_acc16, "A", "f16", {16, 16}, {{2, 2, reg}, {8, 4, lane}, {2, 4, reg}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k16_f16_acc16, "B", "f16", {16, 8}, {{2, 2, reg}, {4, 1, lane}, {2, 1, reg}, {8, 4, lane}}},
    {m16n8k16_f16_acc16, "C", "f16", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k32_e4m3_e5m2, "A", "e4m3", {16, 32}, {{2, 4, reg}, {8, 4, lane}, {2, 8, reg}, {4, 1, lane}, {4, 1, reg}}},
    {m16n8k32_e4m3_e5m2, "B", "e5m2", {32, 8}, {{2, 4, reg}, {4, 1, lane}, {4, 1, reg}, {8, 4, lane}}},
    {m16n8k32_e4m3_e5m2, "C", "f32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k32_e5m2_e4m3, "A", "e5m2", {16, 32}, {{2, 4, reg}, {8, 4, lane}, {2, 8, reg}, {4, 1, lane}, {4, 1, reg}}},
    {m16n8k32_e5m2_e4m3, "B", "e4m3", {32, 8}, {{2, 4, reg}, {4, 1, lane}, {4, 1, reg}, {8, 4, lane}}},
    {m16n8k32_e5m2_e4m3, "C", "f32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k32_e5m2_e5m2, "A", "e5m2", {16, 32}, {{2, 4, reg}, {8, 4, lane}, {2, 8, reg}, {4, 1, lane}, {4, 1, reg}}},
    {m16n8k32_e5m2_e5m2, "B", "e5m2", {32, 8}, {{2, 4, reg}, {4, 1, lane}, {4, 1, reg}, {8, 4, lane}}},
    {m16n8k32_e5m2_e5m2, "C", "f32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},

    {m8n8k32_s4, "A", "s4", {8, 32}, {{8, 4, lane}, {4, 1, lane}, {8, 1, reg}}},
    {m8n8k32_s4, "B", "s4", {32, 8}, {{4, 1, lane}, {8, 1, reg}, {8, 4, lane}}},
    {m8n8k32_s4, "C", "s32", {8, 8}, {{8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k32_s4, "A", "s4", {16, 32}, {{2, 8, reg}, {8, 4, lane}, {4, 1, lane}, {8, 1, reg}}},
    {m16n8k32_s4, "B", "s4", {32, 8}, {{4, 1, lane}, {8, 1, reg}, {8, 4, lane}}},
    {m16n8k32_s4, "C", "s32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k64_s4, "A", "s4", {16, 64}, {{2, 8, reg}, {8, 4, lane}, {2, 16, reg}, {4, 1, lane}, {8, 1, reg}}},
    {m16n8k64_s4, "B", "s4", {64, 8}, {{2, 8, reg}, {4, 1, lane}, {8, 1, reg}, {8, 4, lane}}},
    {m16n8k64_s4, "C", "s32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k256_b1, "A", "b1", {16, 256}, {{2, 32, reg}, {8, 4, lane}, {2, 64, reg}, {4, 1, lane}, {32, 1, reg}}},
    {m16n8k256_b1, "B", "b1", {256, 8}, {{2, 32, reg}, {4, 1, lane}, {32, 1, reg}, {8, 4, lane}}},
    {m16n8k256_b1, "C", "s32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},

    {m8n8k4_f64, "A", "f64", {8, 4}, {{8, 4, lane}, {4, 1, lane}}},
    {m8n8k4_f64, "B", "f64", {4, 8}, {{4, 1, lane}, {8, 4, lane}}},
    {m8n8k4_f64, "C", "f64", {8, 8}, {{8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k4_f64, "A", "f64", {16, 4}, {{2, 1, reg}, {8, 4, lane}, {4, 1, lane}}},
    {m16n8k4_f64, "B", "f64", {4, 8}, {{4, 1, lane}, {8, 4, lane}}},
    {m16n8k4_f64, "C", "f64", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k8_f64, "A", "f64", {16, 8}, {{2, 1, reg}, {8, 4, lane}, {2, 2, reg}, {4, 1, lane}}},
    {m16n8k8_f64, "B", "f64", {8, 8}, {{2, 1, reg}, {4, 1, lane}, {8, 4, lane}}},
    {m16n8k8_f64, "C", "f64", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {m16n8k16_f64, "A", "f64", {16, 16}, {{2, 1, reg}, {8, 4, lane}, {4, 2, reg}, {4, 1, lane}}},
    {m16n8k16_f64, "B", "f64", {16, 8}, {{4, 1, reg}, {4, 1, lane}, {8, 4, lane}}},
    {m16n8k16_f64, "C", "f64", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},

    {m8n8k4_row, "A", "f16", {8, 4}, {{2, 16, lane}, {4, 1, lane}, {4, 1, reg}}, pairs},
    {m8n8k4_col, "A", "f16", {8, 4}, {{2, 16, lane}, {4, 1, reg}, {4, 1, lane}}, pairs},
    {m8n8k4_col, "B", "f16", {4, 8}, {{4, 1, reg}, {2, 16, lane}, {4, 1, lane}}, pairs},
    {m8n8k4_row, "B", "f16", {4, 8}, {{4, 1, lane}, {2, 16, lane}, {4, 1, reg}}, pairs},
    {m8n8k4_f32, "C", "f32", {8, 8}, {{2, 16, lane}, {2, 2, reg}, {2, 1, lane}, {2, 4, reg}, {2, 2, lane}, {2, 1, reg}}, pairs},
    {m8n8k4_f16, "C", "f16", {8, 8}, {{2, 16, lane}, {4, 1, lane}, {8, 1, reg}}, pairs},
};

} // namespace atoms::nvidia_mma

} // namespace v0
} // namespace axe

#endif
