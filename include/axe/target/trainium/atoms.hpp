// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_ATOMS_HPP
#define AXE_TARGET_TRAINIUM_ATOMS_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// AWS Trainium: the operands of `nc_matmul` at their largest, and PSUM.
namespace atoms::trainium {

inline constexpr Axis P{"P"}, F{"F"}, Bank{"Bank"};
inline constexpr const char* nki =
    "AWS NKI, trainium_inferentia2_arch (tile size rules) and nki.isa.nc_matmul; tvm 5d4dc872, backend/trn";
inline constexpr const char* nki2 = "AWS NKI, trainium2_arch (double FP8: stationary [128, 2, 128], moving [128, 2, 512])";

constexpr AtomHead core(const char* name) noexcept { return {name, "trn1/trn2", "neuroncore", nki, Evidence::documents}; }
inline constexpr AtomHead double_row{"nki.isa.nc_matmul.double_row", "trn2+", "neuroncore", nki2, Evidence::documents};
inline constexpr AtomHead matmul = core("nki.isa.nc_matmul"), psum = core("psum.full");
inline constexpr const char* k_by_m = "[K, M] in SBUF, each at most 128";
inline constexpr const char* k_by_n = "[K, N] in SBUF, N at most 512";
inline constexpr const char* one_bank = "[M, N] in one bank of PSUM: 512 f32 of each partition";
inline constexpr const char* double_k = "K = 256: k/128 moves slowest along F, k%128 is P";
inline constexpr const char* as_stationary = "K = 256: as for stationary";
inline constexpr const char* banks = "the 8 banks of PSUM";

/// `P` is the partition, `F` the place in its free dimension, in elements; dst = transposed stationary times moving.
inline constexpr Atom rows[] = {
    {matmul, "stationary", "bf16", {128, 128}, {{128, 1, P}, {128, 1, F}}, k_by_m},
    {matmul, "moving", "bf16", {128, 512}, {{128, 1, P}, {512, 1, F}}, k_by_n},
    {matmul, "dst", "f32", {128, 512}, {{128, 1, P}, {512, 1, F}}, one_bank},
    {double_row, "stationary", "fp8", {256, 128}, {{2, 128, F}, {128, 1, P}, {128, 1, F}}, double_k},
    {double_row, "moving", "fp8", {256, 512}, {{2, 512, F}, {128, 1, P}, {512, 1, F}}, as_stationary},
    {psum, "mem", "f32", {128, 4096}, {{128, 1, P}, {8, 1, Bank}, {512, 1, F}}, banks},
};

} // namespace atoms::trainium

} // namespace v0
} // namespace axe

#endif
