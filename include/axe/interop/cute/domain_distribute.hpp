// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_DOMAIN_DISTRIBUTE_HPP
#define AXE_INTEROP_CUTE_DOMAIN_DISTRIBUTE_HPP

#include <axe/interop/cute/modes.hpp>

namespace axe {
inline namespace v0 {
namespace cute {

/// Places for n threads in a shape:  D(t) = Σ t_k·W_k,  the digits t_k over g_k = gcd(S_k, n/(g_0·…·g_{k−1})), W_k the size below
/// leaf k.
///
/// Increasing; size(D) divides n, and each g_k divides S_k. Where the shape has not enough common divisors, size(D) < n: the
/// caller asks. Only the extents of `shape` count. Errors: those of `check`; `errc::bad_argument` for n < 1. Cost: linear.
/// [CUTLASS, include/cute/layout.hpp]
constexpr Result<Layout> domain_distribute(const Layout& shape, std::int64_t n) noexcept
{
    Result<Layout> result;
    Status e = check(shape);
    if (e.ok() && n < 1) e = Error(errc::bad_argument, -1, "{0} threads; at least 1 is needed", n);
    if (!e.ok()) {
        result = e;
        return result;
    }
    detail::FlatMode shares(*result);
    std::int64_t weight = 1;
    for (const Node& node : shape.nodes) {
        if (node.children >= 0) continue;
        const std::int64_t share = n == 1 ? 1 : axe::detail::gcd(node.leaf.extent, n);
        shares.put(share, weight);
        n = axe::detail::quotient(n, share);
        weight *= node.leaf.extent;
    }
    if (!shares.finish()) result = detail::nodes_capacity();
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
