// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_ATOMS_WGMMA_HPP
#define AXE_TARGET_NVIDIA_ATOMS_WGMMA_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// NVIDIA Hopper: the register operands of `wgmma`, and the tiles of shared memory that its descriptors and the tensor maps name.
namespace atoms::nvidia_wgmma {

inline constexpr Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
inline constexpr const char* gmma =
    "CUTLASS 7107b055, include/cute/atom/mma_traits_sm90_gmma.hpp; PTX ISA 9.2, 9.7.15.5.1 Register Fragments";
inline constexpr const char* atom_bits = "CUTLASS 7107b055, include/cute/atom/mma_traits_sm90_gmma.hpp, Layout_*_Atom_Bits";
inline constexpr const char* any_n =
    "N is a multiple of 8 up to 256 (s32: of 16 from 32 on); f16 and s32 accumulators lie alike, f16 two to a register";
inline constexpr const char* k_major =
    "rows are M or N, columns K; the bytes lie as the tensor-map swizzle of the same width puts them";
inline constexpr const char* mn_major = "rows are M or N, contiguous; columns K";

constexpr AtomHead wgmma(const char* name) noexcept { return {name, "sm90a", "warpgroup", gmma, Evidence::executed}; }
constexpr AtomHead shared(const char* name) noexcept { return {name, "sm90+", "cta", atom_bits, Evidence::executed}; }
inline constexpr AtomHead m64n8 = wgmma("wgmma.mma_async.m64n8"), m64n64 = wgmma("wgmma.mma_async.m64n64"),
                          m64n128 = wgmma("wgmma.mma_async.m64n128"), m64n256 = wgmma("wgmma.mma_async.m64n256"),
                          m64k16 = wgmma("wgmma.mma_async.m64k16.A_reg"), m64k8 = wgmma("wgmma.mma_async.m64k8.A_reg"),
                          m64k32 = wgmma("wgmma.mma_async.m64k32.A_reg");

/// Each warp has 16 rows, and within them the fragments of mma.sync. In shared memory a swizzle moves the 16-byte chunks of a row.
inline constexpr Atom rows[] = {
    {m64n8, "D", "f32", {64, 8}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}, any_n},
    {m64n64, "D", "f32", {64, 64}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {8, 4, reg}, {4, 1, lane}, {2, 1, reg}}, any_n},
    {m64n128, "D", "f32", {64, 128}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {16, 4, reg}, {4, 1, lane}, {2, 1, reg}}, any_n},
    {m64n256, "D", "f32", {64, 256}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {32, 4, reg}, {4, 1, lane}, {2, 1, reg}}, any_n},
    {m64k16, "A", "f16", {64, 16}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {2, 4, reg}, {4, 1, lane}, {2, 1, reg}}},
    {m64k8, "A", "tf32", {64, 8}, {{4, 1, warp}, {2, 1, reg}, {8, 4, lane}, {2, 2, reg}, {4, 1, lane}}},
    {m64k32, "A", "e4m3", {64, 32}, {{4, 1, warp}, {2, 4, reg}, {8, 4, lane}, {2, 8, reg}, {4, 1, lane}, {4, 1, reg}}},

    {shared("smem_atom.K_INTER.b16"), "AB", "b16", {8, 8}, {{8, 8}, {8, 1}}, k_major, {}, {0, 4, 3}, 2},
    {shared("smem_atom.K_SW32.b16"), "AB", "b16", {8, 16}, {{8, 16}, {16, 1}}, k_major, {}, {1, 4, 3}, 2},
    {shared("smem_atom.K_SW64.b16"), "AB", "b16", {8, 32}, {{8, 32}, {32, 1}}, k_major, {}, {2, 4, 3}, 2},
    {shared("smem_atom.K_SW128.b16"), "AB", "b16", {8, 64}, {{8, 64}, {64, 1}}, k_major, {}, {3, 4, 3}, 2},
    {shared("smem_atom.K_SW128.b8"), "AB", "b8", {8, 128}, {{8, 128}, {128, 1}}, k_major, {}, {3, 4, 3}, 1},
    {shared("smem_atom.K_SW128.b32"), "AB", "b32", {8, 32}, {{8, 32}, {32, 1}}, k_major, {}, {3, 4, 3}, 4},
    {shared("smem_atom.MN_SW128.b16"), "AB", "b16", {64, 8}, {{64, 1}, {8, 64}}, mn_major, {}, {3, 4, 3}, 2},
};

} // namespace atoms::nvidia_wgmma

} // namespace v0
} // namespace axe

#endif
