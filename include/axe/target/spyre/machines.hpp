// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_MACHINES_HPP
#define AXE_TARGET_SPYRE_MACHINES_HPP

#include <axe/machine/machine.hpp>
#include <axe/target/spyre/atoms.hpp>

namespace axe {
inline namespace v0 {
namespace machines {
namespace torch_spyre {

inline constexpr const char* tensors = "torch-spyre, Tensor Layouts";
inline constexpr const char* division = "torch-spyre, Work Division Planning";

/// Where PyTorch keeps what a program takes and gives; a card reaches it by DMA alone.
inline constexpr Memory host{"host", "device", {Role::global}, {"m"}, {0}, 0, 0, 0, 1, tensors};
/// LPDDR5 of the card, addressed in sticks. How many bytes is a matter of the product.
inline constexpr Memory ddr{"ddr", "device", {}, {"m"}, {0}, 0, 0, 0, 128, tensors};
/// The scratchpad of a core, addressed in sticks as well.
inline constexpr Memory lx{
    "lx", "core",  {Role::shared, Role::registers, Role::accumulator}, {"m"}, {std::int64_t{2} << 20}, std::int64_t{2} << 20, 0, 0,
    128,  division};

} // namespace torch_spyre

/// IBM Spyre: 32 cores, each with a scratchpad, before one memory. An instance of a program has a core, which here is one agent: what
/// its DMA, its matrix unit (PT) and its vector unit (SFP) do is in the order of the program.
///
/// What is not a limit of the hardware that its compiler's documents name is not here: no cycles, no registers of the units.
inline constexpr Machine spyre{
    "spyre",
    {{"device", "gpuid", 1}, {"core", "core", 0}},
    {},
    {torch_spyre::host, torch_spyre::ddr, torch_spyre::lx},
    {{"host", "device", "host", {"dma"}, torch_spyre::tensors}},
    {"dma.stick", "dma.convert", "restickify", "pt.matmul", "sfp.*"},
    {{"stick.bytes", 128, torch_spyre::tensors}, // what DMA between ddr and lx, PT and SFP take: at a multiple of as many
     {"device.cores", 32, torch_spyre::division},
     {"core.span_bytes", std::int64_t{256} << 20, torch_spyre::division}, // of one tensor, that a core reaches
     {"loop.count", 65535, torch_spyre::division}},
    "IBM Spyre",
    {atoms::spyre::rows}};

} // namespace machines
} // namespace v0
} // namespace axe

#endif
