// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_WORK_HPP
#define AXE_TARGET_SPYRE_COMPILER_WORK_HPP

#include <axe/interop/spyre/tensor.hpp>
#include <axe/layout/axis.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// A loop of an operator: its name, how often it runs, and whether it is summed over.
struct WorkDim {
    Axis name{};
    std::int64_t size = 1; ///< in elements
    bool is_reduced = false;
};

/// A tensor of an operator: on which loop each of its dimensions runs.
struct WorkTensor {
    Tensor tensor{};
    InlineVector<int, max_rank> loops{}; ///< for each dimension of PyTorch's tensor; −1: on none, the index is 0
};

/// The most loops and tensors that an operator has here.
inline constexpr int max_loops = 8, max_operands = 8;

/// What an operator runs over, for the division of its work.
struct Work {
    InlineVector<WorkDim, max_loops> loops{};
    InlineVector<WorkTensor, max_operands> tensors{};
};

/// C[m, n] = Σ_k A[m, k]·B[k, n], the loops named m, n, k.
constexpr Work matmul_work(const Tensor& a, const Tensor& b, const Tensor& c) noexcept
{
    Work work;
    const auto extent = [](const Tensor& t, int d) { return d < t.torch.shape.size() ? t.torch.shape[d] : 1; };
    work.loops = {{"m", extent(a, 0), false}, {"n", extent(b, 1), false}, {"k", extent(a, 1), true}};
    work.tensors = {{a, {0, 2}}, {b, {2, 1}}, {c, {0, 1}}};
    return work;
}

/// Loops of 1 and more with distinct names, and each dimension of each tensor of the size of its loop, or on none?
///
/// Errors: `errc::capacity`, `errc::bad_axis`, `errc::bad_extent`, `errc::rank_mismatch`, `errc::size_mismatch`, with the loop or the
/// tensor.
constexpr Status check(const Work& work) noexcept
{
    if (work.loops.overfull() || work.tensors.overfull())
        return Error(errc::capacity, max_loops, "an operator has at most {0} loops and {1} tensors", max_loops, max_operands);
    for (int v = 0; v < work.loops.size(); ++v) {
        if (work.loops[v].size < 1)
            return Error(errc::bad_extent, v, "loop {0} runs {1} times; it must run at least once", v, work.loops[v].size);
        for (int u = 0; u < v; ++u)
            if (work.loops[u].name == work.loops[v].name)
                return Error(errc::bad_axis, v, "loops {0} and {1} have the same name", u, v);
    }
    for (int t = 0; t < work.tensors.size(); ++t) {
        const WorkTensor& operand = work.tensors[t];
        const Shape& shape = operand.tensor.torch.shape;
        if (operand.loops.size() != shape.size())
            return Error(errc::rank_mismatch, t, "tensor {0} has {1} dimensions, but loops are given for {2}", t, shape.size(),
                         operand.loops.size());
        for (int d = 0; d < shape.size(); ++d) {
            const int v = operand.loops[d];
            if (v >= work.loops.size() || v < -1)
                return Error(errc::bad_argument, t, "tensor {0} runs on loop {1}; there are {2} loops", t, v, work.loops.size());
            if (v >= 0 && shape[d] != work.loops[v].size && shape[d] != 1)
                return Error(errc::size_mismatch, t, "a dimension of tensor {0} has {1} elements, its loop runs {2} times", t,
                             shape[d], work.loops[v].size);
        }
    }
    return {};
}

namespace detail {

/// The loop within which tensors run through their sticks and the most elements that a stick of one has; 0 for other loops.
constexpr std::int64_t stick_of(const Work& work, int loop) noexcept
{
    std::int64_t most = 0;
    for (const WorkTensor& operand : work.tensors) {
        const Digit& last = operand.tensor.digits.back();
        if (last.dim < 0) continue;
        for (int d = 0; d < operand.loops.size(); ++d) {
            const std::int64_t per_stick = elements_per_stick(operand.tensor.device.format).value_or(1);
            if (operand.loops[d] == loop && operand.tensor.parts[d].dim == last.dim && operand.tensor.torch.shape[d] > 1 &&
                per_stick > most)
                most = per_stick;
        }
    }
    return most;
}

} // namespace detail

/// How often a loop can be divided: its sticks, where a tensor runs through its sticks with it, else its elements.
///
/// Where sticks of several sizes run with one loop the larger ones count. The loop is one of the work's.
constexpr std::int64_t units(const Work& work, int loop) noexcept
{
    const std::int64_t size = work.loops[loop].size, stick = detail::stick_of(work, loop);
    return stick == 0 ? size : size / stick + (size % stick != 0);
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
