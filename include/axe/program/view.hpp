// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_VIEW_HPP
#define AXE_PROGRAM_VIEW_HPP

#include <axe/layout/shape.hpp>
#include <axe/program/affine.hpp>

#include <optional>

namespace axe {
inline namespace v0 {

/// A box of a tensor, as operators see it. Element (x_0, …) of the view is the tensor's element whose coordinate in dimension d is
///
///   origin_d + Σ { steps_k·x_k : dims_k = d }
///
/// so a dimension of the tensor that no view dimension names stays at its origin (one index is picked), a view dimension that names
/// none (−1) repeats the same elements (a broadcast), and two that name one are digits of it.
///
/// An element outside the tensor's shape is a fault; of a `guarded` view it is read as 0 and never written. That is how sizes
/// which are not multiples of a tile work.
struct View {
    int tensor = -1;                              ///< place in `Program::tensors`
    std::vector<Affine> origin{};                 ///< one a dimension of the tensor
    Shape extents{};                              ///< of the view
    InlineVector<int, max_rank> dims{};           ///< of each view dimension the tensor's, or −1
    InlineVector<std::int64_t, max_rank> steps{}; ///< of each view dimension: indices of the tensor from one element to the next
    bool guarded = false;
    KernelTag owner{};              ///< of the tensor
    std::optional<Affine> block{};  ///< of a tensor of blocks: the rank in the cluster of the one whose it is; none: the own
    bool remote = false;            ///< of a tensor of devices: its elements may be in the memory of any of them
    std::optional<Affine> device{}; ///< remote, and they are in the memory of this one

    [[nodiscard]] int rank() const noexcept { return extents.size(); }
    friend bool operator==(const View&, const View&) = default;
};

/// Is it all of a tensor of that shape, dimension by dimension? Also of a view made by hand, whose lists may be too short.
inline bool is_whole_view(const View& v, const Shape& shape)
{
    if (v.guarded || !(v.extents == shape) || static_cast<int>(v.origin.size()) != v.rank()) return false;
    for (int d = 0; d < v.extents.held(); ++d)
        if (!(v.origin[static_cast<std::size_t>(d)] == Affine(0)) || v.dims[d] != d || (v.steps[d] != 1 && v.extents[d] > 1))
            return false;
    return true;
}

} // namespace v0
} // namespace axe

#endif
