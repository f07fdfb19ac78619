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
    using namespace detail;
    if (const Error e = check(shape)) return e;
    if (n < 1) return Error(errc::bad_argument, -1, "{0} threads to place; at least 1 is needed", n);
    Iter shares[Layout::max_nodes];
    int count = 0;
    Int weight = 1;
    for (const Node& node : shape.nodes) {
        if (node.children >= 0) continue;
        const Int share = axe::detail::gcd(node.leaf.extent, n);
        shares[count++] = {share, weight, Axis{}};
        n /= share;
        weight *= node.leaf.extent;
    }
    Digits digits;
    for (int i = count - 1; i >= 0; --i) axe::detail::append(digits, shares[i]);
    Result<Layout> result;
    if (!put_digits(*result, digits)) return nodes_capacity();
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
