// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_ASCEND_ATOMS_HPP
#define AXE_TARGET_ASCEND_ATOMS_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// Huawei Ascend 910B: the fractal forms of its memories.
namespace atoms::ascend {

inline constexpr const char* pto = "hw-native-sys/pto-isa 3186c381, include/pto/common/pto_tile.hpp, GetTileOffset";
inline constexpr const char* of_bytes = "fractals of 16 rows of 32 bytes";

constexpr AtomHead core(const char* name) noexcept { return {name, "ascend910b", "aicore", pto, Evidence::executed}; }

/// The first letter of a form is the order of the fractals, the second that of the elements in one: Z row after row, N column after
/// column. Shown on 2 x 2 fractals of 512 bytes, the accumulator's of 1024.
inline constexpr Atom rows[] = {
    {core("ascend.FRACTAL_NZ.f16"), "L1/L0C-style", "f16", {32, 32}, {{2, 256}, {16, 16}, {2, 512}, {16, 1}}},
    {core("ascend.ZZ.f16"), "A in L0A", "f16", {32, 32}, {{2, 512}, {16, 16}, {2, 256}, {16, 1}}, "A5 has NZ here"},
    {core("ascend.ZN.f16"), "B in L0B", "f16", {32, 32}, {{2, 512}, {16, 1}, {2, 256}, {16, 16}}, "[K, N]"},
    {core("ascend.L0C.NZ.f32"), "C in L0C", "f32", {32, 32}, {{2, 256}, {16, 16}, {2, 512}, {16, 1}}, "fractals of 16 x 16 f32"},
    {core("ascend.FRACTAL_NZ.s8"), "L1", "s8", {32, 64}, {{2, 512}, {16, 32}, {2, 1024}, {32, 1}}, of_bytes},
};

} // namespace atoms::ascend

} // namespace v0
} // namespace axe

#endif
