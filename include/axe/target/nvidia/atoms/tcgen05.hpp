// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_ATOMS_TCGEN05_HPP
#define AXE_TARGET_NVIDIA_ATOMS_TCGEN05_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// NVIDIA Blackwell: the operands of `tcgen05.mma` in tensor memory, by PTX's data path layouts, and the registers of `tcgen05.ld`.
namespace atoms::nvidia_tcgen05 {

inline constexpr Axis cta{"cta"}, tlane{"tlane"}, tcol{"tcol"}, half{"half"}, tbyte{"tbyte"}, lane{"lane"}, reg{"reg"};
inline constexpr const char* data_path = "PTX ISA 9.2, 9.7.16.10.5 Data Path Layout Organization; CUTLASS 7107b055, "
                                         "include/cute/atom/mma_traits_sm100_frag.hpp; tvm 5d4dc872, python/tvm/tirx/layout.py";
inline constexpr const char* tmem_ld =
    "CUTLASS 7107b055, include/cute/atom/copy_traits_sm100.hpp; tvm 5d4dc872, python/tvm/tirx/layout.py; PTX ISA 9.2, 9.7.16.2.3";
inline constexpr const char* scales = "tvm 5d4dc872, backend/cuda/tile_primitive/gemm_async/tcgen05.py, sf_tmem_layout";

constexpr AtomHead mma(const char* name, const char* scope, Evidence evidence = Evidence::executed) noexcept
{
    return {name, "sm100a", scope, data_path, evidence};
}
constexpr AtomHead load(const char* name) noexcept { return {name, "sm100a", "warp", tmem_ld, Evidence::executed}; }
inline constexpr AtomHead layout_a = mma("tcgen05.mma.layoutA.M256.cta2", "ctapair"),
                          layout_b = mma("tcgen05.mma.layoutB.M128.cta2.dense", "ctapair"),
                          layout_c = mma("tcgen05.mma.layoutC.M128.cta2.sparse", "ctapair", Evidence::documents),
                          layout_d = mma("tcgen05.mma.layoutD.M128.cta1", "cta"),
                          layout_e = mma("tcgen05.mma.layoutE.M64.ws", "cta"),
                          layout_f = mma("tcgen05.mma.layoutF.M64.cta1", "cta"),
                          layout_g = mma("tcgen05.mma.layoutG.M32.ws", "cta"),
                          a_one_cta = mma("tcgen05.mma.A_tmem.M128.cta1", "cta", Evidence::documents),
                          a_of_pair = mma("tcgen05.mma.A_tmem.M128.cta2", "cta", Evidence::documents);
inline constexpr AtomHead scale_factor{"tcgen05.mma.scale_factor", "sm100a", "cta", scales, Evidence::documents};
inline constexpr const char* upper = "the upper 16 lanes of each 32 are at {tlane:16}";
inline constexpr const char* halves = "half: which 16 bits of a 32-bit column";
inline constexpr const char* per_cta = "what each CTA of the pair holds; lanes 64 to 127 repeat lanes 0 to 63";
inline constexpr const char* slabs =
    "32 rows, the 4 scales of a row in one 32-bit column, repeated for the 4 warps; 128 rows are 4 such columns";
inline constexpr const char* by_warp = "warp w of a warpgroup reads lanes 32w to 32w + 31";

/// Tensor memory is 128 lanes (`tlane`) of 512 columns (`tcol`) of 32 bits. The accumulators are shown with N = 64.
inline constexpr Atom rows[] = {
    {layout_a, "D", "f32", {256, 64}, {{2, 1, cta}, {128, 1, tlane}, {64, 1, tcol}}},
    {layout_b, "D", "f32", {128, 64}, {{2, 1, cta}, {64, 1, tlane}, {2, 64, tlane}, {32, 1, tcol}}},
    {layout_c, "D", "f32", {128, 64}, {{2, 1, cta}, {4, 32, tlane}, {16, 1, tlane}, {64, 1, tcol}}, "as F in each CTA"},
    {layout_d, "D", "f32", {128, 64}, {{128, 1, tlane}, {64, 1, tcol}}},
    {layout_e, "D", "f32", {64, 64}, {{64, 1, tlane}, {2, 64, tlane}, {32, 1, tcol}}},
    {layout_f, "D", "f32", {64, 64}, {{4, 32, tlane}, {16, 1, tlane}, {64, 1, tcol}}, upper},
    {layout_g, "D", "f32", {32, 64}, {{32, 1, tlane}, {4, 32, tlane}, {16, 1, tcol}}},
    {a_one_cta, "A", "b16", {128, 16}, {{128, 1, tlane}, {8, 1, tcol}, {2, 1, half}}, halves},
    {a_of_pair, "A", "b16", {64, 16}, {{64, 1, tlane}, {8, 1, tcol}, {2, 1, half}}, per_cta, {{2, 64, tlane}}},
    {scale_factor, "SFA", "e8m0", {32, 4}, {{32, 1, tlane}, {4, 1, tbyte}}, slabs, {{4, 32, tlane}}},

    {load("tcgen05.ld.32x32b.x1"), "frag", "b32", {32, 1}, {{32, 1, lane}}, by_warp},
    {load("tcgen05.ld.32x32b.x4"), "frag", "b32", {32, 4}, {{32, 1, lane}, {4, 1, reg}}},
    {load("tcgen05.ld.16x64b.x1"), "frag", "b32", {16, 2}, {{2, 1, lane}, {8, 4, lane}, {2, 2, lane}}},
    {load("tcgen05.ld.16x64b.x2"), "frag", "b32", {16, 4}, {{2, 1, lane}, {8, 4, lane}, {2, 1, reg}, {2, 2, lane}}},
    {load("tcgen05.ld.16x128b.x1"), "frag", "b32", {16, 4}, {{2, 1, reg}, {8, 4, lane}, {4, 1, lane}}},
    {load("tcgen05.ld.16x256b.x1"), "frag", "b32", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}},
    {load("tcgen05.ld.16x256b.x2"), "frag", "b32", {16, 16}, {{2, 2, reg}, {8, 4, lane}, {2, 4, reg}, {4, 1, lane}, {2, 1, reg}}},
};

} // namespace atoms::nvidia_tcgen05

} // namespace v0
} // namespace axe

#endif
