// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_NULLSPACE_HPP
#define AXE_INTEROP_CUTE_NULLSPACE_HPP

#include <axe/interop/cute/modes.hpp>

namespace axe {
inline namespace v0 {
namespace cute {

/// The indices of the modes that move nothing:  L(x + N(i)) = L(x)  for every x whose digits there are 0.
///
/// One leaf for each mode of stride 0, size(N) = size(L)/size(filter(L)); 1:0 if none exists. (Sums of other modes may come
/// to 0 too, as in (2,2):(1,-1); those are not in it.) Errors: those of `check`. Cost: linear.      [CUTLASS,
/// include/cute/layout.hpp]
constexpr Result<Layout> nullspace(const Layout& layout) noexcept
{
    Result<Layout> result;
    if (const Status e = check(layout); !e.ok()) {
        result = e;
        return result;
    }
    detail::FlatMode idle(*result);
    std::int64_t weight = 1;
    for (const Node& node : layout.nodes) {
        if (node.children >= 0) continue;
        if (node.leaf.stride == 0 && node.leaf.extent > 1) idle.put_apart(node.leaf.extent, weight);
        weight *= node.leaf.extent;
    }
    if (!idle.finish()) result = detail::nodes_capacity();
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
