// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TPU_ATOMS_HPP
#define AXE_TARGET_TPU_ATOMS_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// Google TPU: vector registers and tiles of device memory.
namespace atoms::tpu {

inline constexpr Axis sublane{"sublane"}, vlane{"vlane"}, pack{"pack"};
inline constexpr const char* jax = "JAX Pallas TPU documentation; XLA tiled layouts, T(8,128)(2,1)";
inline constexpr const char* two_rows =
    "T(8,128)(2,1): rows 2s and 2s + 1 share a word; registers know a second packing of bf16, too";
inline constexpr const char* four_rows = "T(8,128)(4,1): rows 4s to 4s + 3 share a word";
inline constexpr const char* tiles = "2 x 2 tiles, row after row";

constexpr AtomHead tpu(const char* name, const char* scope) noexcept { return {name, "tpu", scope, jax, Evidence::documents}; }

/// `pack` is the place in the 32 bits that `sublane` and `vlane` share.
inline constexpr Atom rows[] = {
    {tpu("tpu.vreg.f32", "core"), "vreg", "f32", {8, 128}, {{8, 1, sublane}, {128, 1, vlane}}},
    {tpu("tpu.vreg.bf16", "core"), "vreg", "bf16", {16, 128}, {{8, 1, sublane}, {2, 1, pack}, {128, 1, vlane}}, two_rows},
    {tpu("tpu.vreg.s8", "core"), "vreg", "s8", {32, 128}, {{8, 1, sublane}, {4, 1, pack}, {128, 1, vlane}}, four_rows},
    {tpu("tpu.hbm.T(8,128).f32", "device"), "hbm", "f32", {16, 256}, {{2, 2048}, {8, 128}, {2, 1024}, {128, 1}}, tiles},
};

} // namespace atoms::tpu

} // namespace v0
} // namespace axe

#endif
