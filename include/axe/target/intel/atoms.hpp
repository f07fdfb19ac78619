// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_INTEL_ATOMS_HPP
#define AXE_TARGET_INTEL_ATOMS_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// Intel: the tiles of AMX (`trow`, `telem`) and the packed operand of the AVX-512 dot products.
namespace atoms::intel {

inline constexpr Axis trow{"trow"}, telem{"telem"};
inline constexpr const char* sdm = "Intel Software Developer's Manual and Intrinsics Guide, the pseudo-code of the instruction";
inline constexpr const char* telems = "telem: the element in the 64 bytes of a tile row";
inline constexpr const char* packed = "v successive k of a column n lie side by side: tile row k/v, element v*n + k%v";
inline constexpr const char* one_register =
    "one 64-byte register: the values of column n that are multiplied together lie side by side";

constexpr AtomHead amx(const char* name) noexcept { return {name, "amx", "core", sdm, Evidence::documents}; }
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
};

} // namespace atoms::intel

} // namespace v0
} // namespace axe

#endif
