// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_MACHINES_HPP
#define AXE_TARGET_TRAINIUM_MACHINES_HPP

#include <axe/machine/machine.hpp>
#include <axe/target/trainium/atoms.hpp>

namespace axe {
inline namespace v0 {
namespace machines {
namespace trainium {

inline constexpr const char* nki1 = "AWS NKI, trainium_inferentia2_arch";
inline constexpr const char* nki2 = "AWS NKI, trainium2_arch";
inline constexpr const char* isa = "AWS NKI, nki.isa.nc_matmul";

/// Bytes on `m`.
constexpr Memory hbm(std::int64_t bytes, const char* source) noexcept
{
    return {"hbm", "device", {Role::global}, {"m"}, {bytes}, bytes, 0, 0, 1, source};
}
/// 128 partitions of so many bytes.
constexpr Memory sbuf(std::int64_t partition, const char* source) noexcept
{
    return {"sbuf", "core", {Role::shared, Role::registers}, {"P", "F"}, {128, partition}, 128 * partition, 0, 0, 1, source};
}
/// 128 partitions of 8 banks of 2 KiB, one after the other: bank ⌊b/2048⌋ of byte b of a partition.
inline constexpr Memory psum{"psum", "core", {Role::accumulator}, {"P", "F"}, {128, 16384}, 128 * 16384, 2048, 8, 2048, nki1};

} // namespace trainium

/// First generation: NeuronCore-v2. An instance of a program has a core; the engines are the four that compute.
inline constexpr Machine trn1{
    "trn1",
    {{"device", "gpuid", 1}, {"core", "core", 0}, {"engine", "engine", 4}},
    {},
    {trainium::hbm(std::int64_t{32} << 30, trainium::nki1), trainium::sbuf(192 * 1024, trainium::nki1), trainium::psum},
    {{"neuronlink", "device", "hbm", {"dma"}, trainium::nki1}},
    {"nc_matmul", "nc_transpose", "tensor_copy", "tensor_tensor", "tensor_scalar", "tensor_reduce", "activation", "memset",
     "dma.*"},
    {{"device.cores", 2, trainium::nki1},
     {"partitions", 128, trainium::nki1},
     {"nc_matmul.k", 128, trainium::isa}, // partitions of both operands
     {"nc_matmul.m", 128, trainium::isa}, // free dimension of the stationary one
     {"nc_matmul.n", 512, trainium::isa}, // free dimension of the moving one: one bank of f32
     {"psum.banks", 8, trainium::nki1},
     {"psum.bank_bytes", 2048, trainium::nki1},
     {"access.dims", 4, trainium::nki1}, // of an address pattern in the free dimension
     {"access.extent", 65535, trainium::nki1},
     {"access.stride", 32767, trainium::nki1},
     {"engine.elements", 65536, trainium::nki1},
     {"engine.psum_elements", 4096, trainium::nki1},
     {"transpose.partitions", 32, trainium::nki1}, // groups within which partitions mix
     {"core.dma_engines", 16, trainium::nki1}},
    "Trainium, Inferentia2",
    {atoms::trainium::rows}};

/// Second generation: NeuronCore-v3. More state, and two rows of fp8 at a time.
inline constexpr Machine trn2 = [] {
    Machine chip = trn1;
    chip.name = "trn2";
    chip.what = "Trainium2";
    chip.memories[0] = trainium::hbm(std::int64_t{96} << 30, trainium::nki2);
    chip.memories[1] = trainium::sbuf(224 * 1024, trainium::nki2);
    chip.instructions.push_back("nc_matmul.double_row");
    chip.limits[0] = {"device.cores", 8, trainium::nki2};
    return chip;
}();

} // namespace machines
} // namespace v0
} // namespace axe

#endif
