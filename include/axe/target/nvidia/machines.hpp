// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_MACHINES_HPP
#define AXE_TARGET_NVIDIA_MACHINES_HPP

#include <axe/machine/machine.hpp>
#include <axe/target/nvidia/atoms/ldmatrix.hpp>
#include <axe/target/nvidia/atoms/mma.hpp>
#include <axe/target/nvidia/atoms/tcgen05.hpp>
#include <axe/target/nvidia/atoms/wgmma.hpp>

namespace axe {
inline namespace v0 {
namespace machines {
namespace nvidia {

inline constexpr const char* guide = "CUDA C++ Programming Guide, Compute Capabilities";
inline constexpr const char* ptx = "PTX ISA 9.2";
inline constexpr const char* tensor_map = "CUDA 13.0, cuda.h, cuTensorMapEncodeTiled";
inline constexpr const char* model = "NVIDIA Nsight Compute, Memory Tables";
inline constexpr const char* product = "NVIDIA A100 and H100 data sheets, SXM";

// Read in the sources named: shared memory, clusters, the tensor map, PTX's copies and multimem. Known from the same documents, but
// not read again when this was written: 108 and 132 multiprocessors, 255 and 65536 registers and their unit, 1024 and 2048 threads, 32 blocks, the 256-byte alignment, sectors and lines, wgmma's
// shapes.

/// One array of bytes for each device, in which the run time aligns what it allocates. How many bytes is a matter of the product.
inline constexpr Memory gmem{"gmem", "device", {Role::global}, {"m"}, {0}, 0, 0, 0, 256, guide};
/// 32 banks of 4 bytes. What one block can have: that of the multiprocessor, less 1 KiB that the system keeps for each block.
/// Aligned for the widest access of a lane and for bulk copies.
constexpr Memory smem(std::int64_t bytes) noexcept
{
    return {"smem", "cta", {Role::shared}, {"m"}, {bytes}, bytes, 4, 32, 16, guide};
}
/// 255 registers of 4 bytes for each thread.
inline constexpr Memory reg{"reg", "lane", {Role::registers, Role::accumulator}, {"reg"}, {1020}, 1020, 0, 0, 4, guide};

/// 128 lanes of 512 columns of 32 bits for each block; a layout counts elements on `tcol`, two of 16 bits in a column.
inline constexpr Memory tmem{"tmem", "cta", {}, {"tlane", "tcol"}, {128, 2048}, 128 * 2048, 0, 0, 4, ptx};

/// A thread of a block is a lane of a warp:  thread = 32·warp + lane.
inline constexpr AxisSplit thread{"thread", "warp", "lane", 32};
/// A warpgroup is four warps that follow each other:  warp = 4·warpgroup + quarter.
inline constexpr AxisSplit warpgroup{"warp", "warpgroup", "quarter", 4};

} // namespace nvidia

/// Ampere.
inline constexpr Machine sm80{
    "sm80",
    {{"device", "gpuid", 1}, {"cta", "cta", 0}, {"warp", "warp", 32}, {"lane", "lane", 32}},
    {nvidia::thread},
    {nvidia::gmem, nvidia::smem(163 * 1024), nvidia::reg},
    {{"nvlink", "device", "gmem", {"ld", "st", "atom", "red"}, nvidia::ptx}},
    {"ld.*",
     "st.*",
     "atom.*",
     "red.*",
     "fma.*",
     "cvt.*",
     "shfl.sync.*",
     "barrier.*",
     "ldmatrix.*",
     "cp.async.ca",
     "cp.async.cg",
     "cp.async.commit_group",
     "cp.async.wait_group",
     "cp.async.mbarrier.arrive",
     "mbarrier.init", // of mbarriers those forms that count no bytes
     "mbarrier.inval",
     "mbarrier.arrive",
     "mbarrier.test_wait",
     "mma.sync.m16n8k8.f32.f16.f16.f32",
     "mma.sync.m16n8k16.f32.f16.f16.f32",
     "mma.sync.m16n8k8.f16.f16.f16.f16",
     "mma.sync.m16n8k16.f16.f16.f16.f16",
     "mma.sync.m16n8k8.f32.bf16.bf16.f32",
     "mma.sync.m16n8k16.f32.bf16.bf16.f32",
     "mma.sync.m16n8k4.f32.tf32.tf32.f32",
     "mma.sync.m16n8k8.f32.tf32.tf32.f32",
     "mma.sync.m8n8k16.s32.s8.s8.s32",
     "mma.sync.m16n8k16.s32.s8.s8.s32",
     "mma.sync.m16n8k32.s32.s8.s8.s32",
     "mma.sync.m8n8k32.s32.s4.s4.s32",
     "mma.sync.m16n8k32.s32.s4.s4.s32",
     "mma.sync.m16n8k64.s32.s4.s4.s32",
     "mma.sync.m16n8k256.s32.b1.b1.s32.xor.popc",
     "mma.sync.m8n8k4.f64"},
    {{"cta.threads", 1024, nvidia::guide},
     {"cta.registers", 65536, nvidia::guide},
     {"lane.registers", 255, nvidia::guide},
     {"lane.register_unit", 8, nvidia::guide},     // registers of a thread are allocated in these: 256 for a warp
     {"cta.shared_reserved", 1024, nvidia::guide}, // of the multiprocessor's, for the system, with each block
     {"sm.shared", 164 * 1024, nvidia::guide},     // of one multiprocessor, all its blocks together, as the next three
     {"sm.registers", 65536, nvidia::guide},
     {"sm.threads", 2048, nvidia::guide},
     {"sm.blocks", 32, nvidia::guide},
     {"device.multiprocessors", 108, nvidia::product},
     {"ld.bytes", 16, nvidia::ptx},       // the widest access of a lane
     {"cp.async.bytes", 16, nvidia::ptx}, // 4, 8 or 16
     {"gmem.sector", 32, nvidia::model},
     {"gmem.line", 128, nvidia::model}},
    "A100",
    {atoms::nvidia_mma::rows, atoms::nvidia_ldmatrix::rows, atoms::nvidia_wgmma::rows, atoms::nvidia_tcgen05::rows}};

/// Hopper, with the forms that only it has (`sm90a`).
inline constexpr Machine sm90 = [] {
    Machine chip = sm80;
    chip.name = "sm90";
    chip.what = "H100";
    // A cluster is as many blocks as a program says, up to cluster.ctas; without one each block is alone in its cluster.
    chip.scopes = {
        {"device", "gpuid", 1}, {"cluster", "cluster", 0}, {"cta", "cta", 0}, {"warp", "warp", 32}, {"lane", "lane", 32}};
    chip.splits.push_back(nvidia::warpgroup);
    chip.memories[1] = nvidia::smem(227 * 1024);
    chip.links[0].instructions = {"ld", "st", "atom", "red", "multimem"};
    chip.links.push_back(
        {"dsmem", "cta", "smem", {"ld", "st", "atom", "red", "mapa", "st.async", "red.async", "cp.async.bulk"}, nvidia::ptx});
    for (const char* form :
         {"stmatrix.*", "cp.async.bulk", "cp.async.bulk.tensor", "multimem.*", "mapa", "mbarrier.expect_tx", "mbarrier.complete_tx",
          "mbarrier.try_wait", "wgmma.*", "mma.sync.m16n8k32.f32.e4m3.e4m3.f32", "mma.sync.m16n8k32.f32.e4m3.e5m2.f32",
          "mma.sync.m16n8k32.f32.e5m2.e4m3.f32", "mma.sync.m16n8k32.f32.e5m2.e5m2.f32", "mma.sync.m16n8k4.f64",
          "mma.sync.m16n8k8.f64", "mma.sync.m16n8k16.f64"})
        chip.instructions.push_back(form);
    for (Limit& limit : chip.limits)
        if (detail::same_text(limit.name, "sm.shared"))
            limit.value = 228 * 1024;
        else if (detail::same_text(limit.name, "device.multiprocessors"))
            limit.value = 132;
    for (const Limit& limit :
         {Limit{"cluster.ctas", 8, nvidia::guide},        // that every product has; 16 by opting in
          Limit{"warpgroup.registers", 256, nvidia::ptx}, // of a thread, after setmaxnreg; from 24 on
          Limit{"cp.async.bulk.bytes", 16, nvidia::ptx},  // sizes and addresses are multiples of it
          Limit{"tma.rank", 5, nvidia::tensor_map}, Limit{"tma.box", 256, nvidia::tensor_map},
          Limit{"tma.element_stride", 8, nvidia::tensor_map}, Limit{"tma.global_alignment", 16, nvidia::tensor_map},
          Limit{"tma.inner_bytes", 16, nvidia::tensor_map}, // the innermost box is a multiple of it
          Limit{"tma.descriptor_alignment", 64, nvidia::tensor_map}, Limit{"wgmma.m", 64, nvidia::ptx},
          Limit{"wgmma.n", 256, nvidia::ptx}, Limit{"wgmma.n_step", 8, nvidia::ptx}, Limit{"wgmma.k_bytes", 32, nvidia::ptx},
          Limit{"multimem.bits", 128, nvidia::ptx}}) // an access is of 32, 64 or 128
        chip.limits.push_back(limit);
    return chip;
}();

/// Blackwell, with the forms that only it has (`sm100a`).
inline constexpr Machine sm100 = [] {
    Machine chip = sm90;
    chip.name = "sm100";
    chip.what = "B200";
    chip.memories.push_back(nvidia::tmem);
    chip.instructions.push_back("clusterlaunchcontrol.*");
    for (const char*& form : chip.instructions.items)
        if (form != nullptr && detail::same_text(form, "wgmma.*")) form = "tcgen05.*";
    InlineVector<Limit, 32> limits;
    for (const Limit& limit : chip.limits)
        if (!covers("wgmma.*", limit.name)) limits.push_back(limit);
    for (const Limit& limit : {Limit{"gmem.packed_bits", 6, nvidia::tensor_map},  // of elements that share bytes of global memory
                               Limit{"smem.packed_bits", 6, nvidia::tensor_map},  // and of shared memory, packed or 16 in 16 bytes
                               Limit{"tmem.columns", 512, nvidia::ptx},           // of 32 bits, in each of 128 lanes
                               Limit{"tmem.allocation_columns", 32, nvidia::ptx}, // the least that is allocated; powers of 2
                               Limit{"tcgen05.m", 128, nvidia::ptx}, Limit{"tcgen05.n", 256, nvidia::ptx},
                               Limit{"tcgen05.n_step", 8, nvidia::ptx}, Limit{"tcgen05.k_bytes", 32, nvidia::ptx}})
        limits.push_back(limit);
    chip.limits = limits;
    return chip;
}();

} // namespace machines
} // namespace v0
} // namespace axe

#endif
