// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_KERNEL_HPP
#define AXE_TARGET_SPYRE_COMPILER_KERNEL_HPP

#include <axe/interop/spyre/place.hpp>
#include <axe/target/spyre/compiler/divide.hpp>
#include <axe/target/spyre/compiler/dma_json.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// The scratchpad of a core.                                                          [torch-spyre, LX, 2 MB a core]
inline constexpr std::int64_t scratchpad_bytes = std::int64_t{2} << 20;

/// A loop of a kernel, and between how many cores it is divided.
struct KernelLoop {
    WorkDim loop{};
    std::int64_t split = 1;

    friend constexpr bool operator==(const KernelLoop& a, const KernelLoop& b) noexcept
    {
        return a.loop.name == b.loop.name && a.loop.size == b.loop.size && a.loop.is_reduced == b.loop.is_reduced &&
               a.split == b.split;
    }
};

/// A tensor of a kernel: what PyTorch knows of it, its layout on the device, and where a core keeps its part.
struct KernelTensor {
    static constexpr std::int64_t not_staged = -1;

    Word name{};
    bool is_output = false;
    Strided torch{};
    InlineVector<int, max_rank> loops{}; ///< for each dimension of PyTorch's tensor; −1: on none
    SpyreLayout layout{};
    std::int64_t scratchpad_offset = not_staged; ///< in bytes; or the core reads and writes device memory

    friend constexpr bool operator==(const KernelTensor&, const KernelTensor&) = default;
};

/// What a kernel is to the back end: an operator, its tensors with sizes, stride maps and types, the division of its work, and
/// offsets in the scratchpad.                                                            [torch-spyre, tensor layouts: SuperDSC]
struct Kernel {
    Word op{};
    InlineVector<KernelLoop, max_loops> loops{};
    InlineVector<KernelTensor, max_operands> tensors{};

    friend constexpr bool operator==(const Kernel&, const Kernel&) = default;
};

/// The bytes of a tensor's sticks that the core with the largest part comes to.
///
/// The division is one of checked work whose tensors fit the integer. Cost: the dimensions.
constexpr std::int64_t core_bytes(const Work& work, const WorkTensor& operand, const Division& division) noexcept
{
    const Tensor& t = operand.tensor;
    std::int64_t last[max_rank]{}; // index of each host dimension that the first core comes to
    for (int d = 0; d < operand.loops.size(); ++d) {
        const int v = operand.loops[d];
        const std::int64_t size = t.torch.shape[d], part = v < 0 || size <= 1 ? size : core_extent(work, v, division);
        if (part > 1) last[t.parts[d].dim] += (part - 1) * t.parts[d].weight;
    }
    std::int64_t bytes = stick_bytes;
    for (int j = 0; j + 1 < t.device.device_size.size(); ++j) {
        const Digit& digit = t.digits[j];
        if (digit.dim == Digit::copies) bytes *= t.device.device_size[j];
        if (digit.dim < 0) continue;
        std::int64_t most = last[digit.dim];
        if (digit.outer >= 0 && most >= t.digits[digit.outer].weight) most = t.digits[digit.outer].weight - 1;
        bytes *= most / digit.weight + 1;
    }
    return bytes;
}

/// The kernel of divided work, its last tensor the output.
///
/// Each core's parts are in its scratchpad one behind the other as far as there is room; the others stay in device memory. Tensors are
/// named in0, in1, …, out.
///
/// Errors: those of `check`; `errc::capacity` for an operator whose name has more than 31 characters. Cost: tensors times dimensions.
constexpr Result<Kernel> make_kernel(std::string_view op, const Work& work, const Division& division,
                                     const DivideOptions& options = {}) noexcept
{
    if (const Status e = check(work, division, options); !e.ok()) return e;
    Result<Kernel> result;
    Kernel& out = *result;
    out.op = word(op);
    if (out.op.overfull())
        return Error(errc::capacity, Word::capacity, "the operator has a name of {1} characters; at most {0} fit", Word::capacity,
                     static_cast<std::int64_t>(op.size()));
    for (int v = 0; v < work.loops.size(); ++v) out.loops.push_back({work.loops[v], division.splits[v]});
    std::int64_t used = 0;
    for (int t = 0; t < work.tensors.size(); ++t) {
        const WorkTensor& operand = work.tensors[t];
        KernelTensor tensor;
        tensor.is_output = t + 1 == work.tensors.size();
        tensor.name = word(tensor.is_output ? "out" : "in");
        if (!tensor.is_output) tensor.name.push_back(static_cast<char>('0' + t));
        tensor.torch = operand.tensor.torch;
        tensor.loops = operand.loops;
        tensor.layout = operand.tensor.device;
        const std::int64_t bytes = core_bytes(work, operand, division);
        if (bytes <= scratchpad_bytes - used) {
            tensor.scratchpad_offset = used;
            used += bytes;
        }
        out.tensors.push_back(tensor);
    }
    return result;
}

/// The division that a kernel has.
constexpr Division division_of(const Kernel& kernel) noexcept
{
    Division division;
    for (const KernelLoop& loop : kernel.loops) division.splits.push_back(loop.split);
    return division;
}

/// The work that a kernel does, its tensors placed:  work_of(make_kernel(op, w, d)) runs the loops of w over the same elements.
///
/// Checked: layouts hold their tensors, loops are divided evenly, parts in the scratchpad begin at sticks, end in it, and do not overlap.
/// Errors: those of `place` and of `check`; `errc::bad_argument` with the tensor. Cost: tensors squared, dimensions cubed.
constexpr Result<Work> work_of(const Kernel& kernel, const DivideOptions& options = {}) noexcept
{
    Result<Work> result;
    Work& work = *result;
    for (const KernelLoop& loop : kernel.loops) work.loops.push_back(loop.loop);
    for (const KernelTensor& tensor : kernel.tensors) {
        auto placed = place(tensor.torch, tensor.layout);
        if (!placed) return placed.error();
        work.tensors.push_back({*placed, tensor.loops});
    }
    const Division division = division_of(kernel);
    if (const Status e = check(work, division, options); !e.ok()) return e;
    std::int64_t begins[max_operands]{}, ends[max_operands]{};
    for (int t = 0; t < work.tensors.size(); ++t) {
        const std::int64_t offset = kernel.tensors[t].scratchpad_offset;
        if (offset == KernelTensor::not_staged) continue;
        const std::int64_t bytes = core_bytes(work, work.tensors[t], division);
        if (offset < 0 || offset % stick_bytes != 0)
            return Error(errc::bad_argument, t, "tensor {0} is at byte {1} of the scratchpad, which is not the start of a stick", t,
                         offset);
        if (bytes > scratchpad_bytes || offset > scratchpad_bytes - bytes)
            return Error(errc::bad_argument, t, "tensor {0}, of {1} bytes from {2} on, ends outside the scratchpad", t, bytes,
                         offset);
        begins[t] = offset;
        ends[t] = offset + bytes;
        for (int u = 0; u < t; ++u)
            if (begins[u] < ends[t] && begins[t] < ends[u])
                return Error(errc::bad_argument, t, "tensors {0} and {1} overlap in the scratchpad", u, t);
    }
    return result;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
