// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_SORTED_HPP
#define AXE_INTEROP_CUTE_SORTED_HPP

#include <axe/interop/cute/modes.hpp>

namespace axe {
inline namespace v0 {
namespace cute {
namespace detail {

/// The coalesced modes of a plain part that move, by |stride|; slowest first where those are equal.
struct Sorted {
    struct Item {
        Int extent, stride;
        Int weight; ///< of its digit in the index
    };
    Item items[Layout::max_nodes];
    int count = 0;
};

constexpr void sort_modes(const Part& part, Sorted& out) noexcept
{
    Int size = 1;
    Int extent = 1, stride = 0, weight = 1; // of the mode that is not sorted yet, as more of it may follow
    const auto sort_in = [&] {
        if (extent == 1 || stride == 0) return;
        int k = out.count++;
        const Int step = axe::detail::magnitude(stride);
        for (; k > 0 && axe::detail::magnitude(out.items[k - 1].stride) >= step; --k) {
            out.items[k].extent = out.items[k - 1].extent;
            out.items[k].stride = out.items[k - 1].stride;
            out.items[k].weight = out.items[k - 1].weight;
        }
        out.items[k].extent = extent;
        out.items[k].stride = stride;
        out.items[k].weight = weight;
    };
    for (const Node& node : part) {
        if (node.children >= 0 || node.leaf.extent == 1) continue;
        Int chained = 0;
        if (extent > 1 && axe::detail::mul(extent, stride, chained) && chained == node.leaf.stride) {
            extent *= node.leaf.extent;
        } else {
            sort_in();
            extent = node.leaf.extent;
            stride = node.leaf.stride;
            weight = size;
        }
        size *= node.leaf.extent;
    }
    sort_in();
}

} // namespace detail
} // namespace cute
} // namespace v0
} // namespace axe

#endif
