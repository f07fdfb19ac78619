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

/// The accumulator of 64 rows and n columns, a multiple of 8: n / 8 fragments of 8 columns side by side.
constexpr Atom accumulator(const char* name, const char* element, std::int64_t n) noexcept
{
    const AtomHead head{name, "sm90a", "warpgroup", gmma, Evidence::documents};
    if (n == 8) return {head, "D", element, {64, 8}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}, any_n};
    return {head, "D", element, {64, n}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {n / 8, 4, reg}, {4, 1, lane}, {2, 1, reg}},
            any_n};
}

/// Each warp has 16 rows, and within them the fragments of mma.sync. In shared memory a swizzle moves the 16-byte chunks of a row.
inline constexpr Atom rows[] = {
    {m64n8, "D", "f32", {64, 8}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}, any_n},
    {m64n64, "D", "f32", {64, 64}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {8, 4, reg}, {4, 1, lane}, {2, 1, reg}}, any_n},
    {m64n128, "D", "f32", {64, 128}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {16, 4, reg}, {4, 1, lane}, {2, 1, reg}}, any_n},
    {m64n256, "D", "f32", {64, 256}, {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {32, 4, reg}, {4, 1, lane}, {2, 1, reg}}, any_n},

    // The forms that PTX lists beside those above: f32 and f16 with every N, s32 with its own.
    accumulator("wgmma.mma_async.m64n16", "f32", 16),
    accumulator("wgmma.mma_async.m64n24", "f32", 24),
    accumulator("wgmma.mma_async.m64n32", "f32", 32),
    accumulator("wgmma.mma_async.m64n40", "f32", 40),
    accumulator("wgmma.mma_async.m64n48", "f32", 48),
    accumulator("wgmma.mma_async.m64n56", "f32", 56),
    accumulator("wgmma.mma_async.m64n72", "f32", 72),
    accumulator("wgmma.mma_async.m64n80", "f32", 80),
    accumulator("wgmma.mma_async.m64n88", "f32", 88),
    accumulator("wgmma.mma_async.m64n96", "f32", 96),
    accumulator("wgmma.mma_async.m64n104", "f32", 104),
    accumulator("wgmma.mma_async.m64n112", "f32", 112),
    accumulator("wgmma.mma_async.m64n120", "f32", 120),
    accumulator("wgmma.mma_async.m64n136", "f32", 136),
    accumulator("wgmma.mma_async.m64n144", "f32", 144),
    accumulator("wgmma.mma_async.m64n152", "f32", 152),
    accumulator("wgmma.mma_async.m64n160", "f32", 160),
    accumulator("wgmma.mma_async.m64n168", "f32", 168),
    accumulator("wgmma.mma_async.m64n176", "f32", 176),
    accumulator("wgmma.mma_async.m64n184", "f32", 184),
    accumulator("wgmma.mma_async.m64n192", "f32", 192),
    accumulator("wgmma.mma_async.m64n200", "f32", 200),
    accumulator("wgmma.mma_async.m64n208", "f32", 208),
    accumulator("wgmma.mma_async.m64n216", "f32", 216),
    accumulator("wgmma.mma_async.m64n224", "f32", 224),
    accumulator("wgmma.mma_async.m64n232", "f32", 232),
    accumulator("wgmma.mma_async.m64n240", "f32", 240),
    accumulator("wgmma.mma_async.m64n248", "f32", 248),
    accumulator("wgmma.mma_async.m64n8.f16", "f16", 8),
    accumulator("wgmma.mma_async.m64n16.f16", "f16", 16),
    accumulator("wgmma.mma_async.m64n24.f16", "f16", 24),
    accumulator("wgmma.mma_async.m64n32.f16", "f16", 32),
    accumulator("wgmma.mma_async.m64n40.f16", "f16", 40),
    accumulator("wgmma.mma_async.m64n48.f16", "f16", 48),
    accumulator("wgmma.mma_async.m64n56.f16", "f16", 56),
    accumulator("wgmma.mma_async.m64n64.f16", "f16", 64),
    accumulator("wgmma.mma_async.m64n72.f16", "f16", 72),
    accumulator("wgmma.mma_async.m64n80.f16", "f16", 80),
    accumulator("wgmma.mma_async.m64n88.f16", "f16", 88),
    accumulator("wgmma.mma_async.m64n96.f16", "f16", 96),
    accumulator("wgmma.mma_async.m64n104.f16", "f16", 104),
    accumulator("wgmma.mma_async.m64n112.f16", "f16", 112),
    accumulator("wgmma.mma_async.m64n120.f16", "f16", 120),
    accumulator("wgmma.mma_async.m64n128.f16", "f16", 128),
    accumulator("wgmma.mma_async.m64n136.f16", "f16", 136),
    accumulator("wgmma.mma_async.m64n144.f16", "f16", 144),
    accumulator("wgmma.mma_async.m64n152.f16", "f16", 152),
    accumulator("wgmma.mma_async.m64n160.f16", "f16", 160),
    accumulator("wgmma.mma_async.m64n168.f16", "f16", 168),
    accumulator("wgmma.mma_async.m64n176.f16", "f16", 176),
    accumulator("wgmma.mma_async.m64n184.f16", "f16", 184),
    accumulator("wgmma.mma_async.m64n192.f16", "f16", 192),
    accumulator("wgmma.mma_async.m64n200.f16", "f16", 200),
    accumulator("wgmma.mma_async.m64n208.f16", "f16", 208),
    accumulator("wgmma.mma_async.m64n216.f16", "f16", 216),
    accumulator("wgmma.mma_async.m64n224.f16", "f16", 224),
    accumulator("wgmma.mma_async.m64n232.f16", "f16", 232),
    accumulator("wgmma.mma_async.m64n240.f16", "f16", 240),
    accumulator("wgmma.mma_async.m64n248.f16", "f16", 248),
    accumulator("wgmma.mma_async.m64n256.f16", "f16", 256),
    accumulator("wgmma.mma_async.m64n8.s32", "s32", 8),
    accumulator("wgmma.mma_async.m64n16.s32", "s32", 16),
    accumulator("wgmma.mma_async.m64n24.s32", "s32", 24),
    accumulator("wgmma.mma_async.m64n32.s32", "s32", 32),
    accumulator("wgmma.mma_async.m64n48.s32", "s32", 48),
    accumulator("wgmma.mma_async.m64n64.s32", "s32", 64),
    accumulator("wgmma.mma_async.m64n80.s32", "s32", 80),
    accumulator("wgmma.mma_async.m64n96.s32", "s32", 96),
    accumulator("wgmma.mma_async.m64n112.s32", "s32", 112),
    accumulator("wgmma.mma_async.m64n128.s32", "s32", 128),
    accumulator("wgmma.mma_async.m64n144.s32", "s32", 144),
    accumulator("wgmma.mma_async.m64n160.s32", "s32", 160),
    accumulator("wgmma.mma_async.m64n176.s32", "s32", 176),
    accumulator("wgmma.mma_async.m64n192.s32", "s32", 192),
    accumulator("wgmma.mma_async.m64n208.s32", "s32", 208),
    accumulator("wgmma.mma_async.m64n224.s32", "s32", 224),
    accumulator("wgmma.mma_async.m64n240.s32", "s32", 240),
    accumulator("wgmma.mma_async.m64n256.s32", "s32", 256),

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
