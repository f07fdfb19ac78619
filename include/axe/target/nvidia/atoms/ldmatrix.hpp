// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_ATOMS_LDMATRIX_HPP
#define AXE_TARGET_NVIDIA_ATOMS_LDMATRIX_HPP

#include <axe/machine/atom.hpp>

namespace axe {
inline namespace v0 {

/// NVIDIA `ldmatrix` and `stmatrix`: the registers (`frag`) and the lanes that give the addresses of the rows (`addr`).
namespace atoms::nvidia_ldmatrix {

inline constexpr Axis lane{"lane"}, reg{"reg"};
inline constexpr const char* cute75 = "CUTLASS 7107b055, include/cute/atom/copy_traits_sm75.hpp; PTX ISA 9.2, ldmatrix";
inline constexpr const char* cute90 = "CUTLASS 7107b055, include/cute/atom/copy_traits_sm90.hpp; PTX ISA 9.2, stmatrix";
inline constexpr const char* stacked = "the matrices of 8 rows one above the other";
inline constexpr const char* transposed = "the matrices as they lie in memory; a thread holds them transposed";
inline constexpr const char* addresses =
    "the lane that gives the address of a row of 16 bytes, aligned to 16; the other lanes give none";

constexpr AtomHead load(const char* name) noexcept { return {name, "sm75+", "warp", cute75, Evidence::executed}; }
constexpr AtomHead store(const char* name) noexcept { return {name, "sm90+", "warp", cute90, Evidence::executed}; }
inline constexpr AtomHead load_x1 = load("ldmatrix.sync.aligned.m8n8.x1.shared.b16"),
                          load_x1_trans = load("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16"),
                          load_x1_rows = load("ldmatrix.sync.aligned.m8n8.x1.rowaddr"),
                          load_x2 = load("ldmatrix.sync.aligned.m8n8.x2.shared.b16"),
                          load_x2_trans = load("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16"),
                          load_x2_rows = load("ldmatrix.sync.aligned.m8n8.x2.rowaddr"),
                          load_x4 = load("ldmatrix.sync.aligned.m8n8.x4.shared.b16"),
                          load_x4_trans = load("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"),
                          load_x4_rows = load("ldmatrix.sync.aligned.m8n8.x4.rowaddr");
inline constexpr AtomHead store_x1 = store("stmatrix.sync.aligned.m8n8.x1.shared.b16"),
                          store_x1_trans = store("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16"),
                          store_x1_rows = store("stmatrix.sync.aligned.m8n8.x1.rowaddr"),
                          store_x2 = store("stmatrix.sync.aligned.m8n8.x2.shared.b16"),
                          store_x2_trans = store("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16"),
                          store_x2_rows = store("stmatrix.sync.aligned.m8n8.x2.rowaddr"),
                          store_x4 = store("stmatrix.sync.aligned.m8n8.x4.shared.b16"),
                          store_x4_trans = store("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16"),
                          store_x4_rows = store("stmatrix.sync.aligned.m8n8.x4.rowaddr");

inline constexpr Atom rows[] = {
    {load_x1, "frag", "b16", {8, 8}, {{8, 4, lane}, {4, 1, lane}, {2, 1, reg}}, stacked},
    {load_x1_trans, "frag", "b16", {8, 8}, {{4, 1, lane}, {2, 1, reg}, {8, 4, lane}}, transposed},
    {load_x1_rows, "addr", "row_ptr", {8, 1}, {{8, 1, lane}}, addresses},
    {load_x2, "frag", "b16", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}, stacked},
    {load_x2_trans, "frag", "b16", {16, 8}, {{2, 2, reg}, {4, 1, lane}, {2, 1, reg}, {8, 4, lane}}, transposed},
    {load_x2_rows, "addr", "row_ptr", {16, 1}, {{16, 1, lane}}, addresses},
    {load_x4, "frag", "b16", {32, 8}, {{4, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}, stacked},
    {load_x4_trans, "frag", "b16", {32, 8}, {{4, 2, reg}, {4, 1, lane}, {2, 1, reg}, {8, 4, lane}}, transposed},
    {load_x4_rows, "addr", "row_ptr", {32, 1}, {{32, 1, lane}}, addresses},

    {store_x1, "frag", "b16", {8, 8}, {{8, 4, lane}, {4, 1, lane}, {2, 1, reg}}, stacked},
    {store_x1_trans, "frag", "b16", {8, 8}, {{4, 1, lane}, {2, 1, reg}, {8, 4, lane}}, transposed},
    {store_x1_rows, "addr", "row_ptr", {8, 1}, {{8, 1, lane}}, addresses},
    {store_x2, "frag", "b16", {16, 8}, {{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}, stacked},
    {store_x2_trans, "frag", "b16", {16, 8}, {{2, 2, reg}, {4, 1, lane}, {2, 1, reg}, {8, 4, lane}}, transposed},
    {store_x2_rows, "addr", "row_ptr", {16, 1}, {{16, 1, lane}}, addresses},
    {store_x4, "frag", "b16", {32, 8}, {{4, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}, stacked},
    {store_x4_trans, "frag", "b16", {32, 8}, {{4, 2, reg}, {4, 1, lane}, {2, 1, reg}, {8, 4, lane}}, transposed},
    {store_x4_rows, "addr", "row_ptr", {32, 1}, {{32, 1, lane}}, addresses},
};

} // namespace atoms::nvidia_ldmatrix

} // namespace v0
} // namespace axe

#endif
