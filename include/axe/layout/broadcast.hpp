// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_BROADCAST_HPP
#define AXE_LAYOUT_BROADCAST_HPP

#include <axe/layout/exact/cut.hpp>
#include <axe/layout/exact/walk.hpp>

namespace axe {
inline namespace v0 {
/// A new dimension of extent n before dimension `dim` that moves nothing:
///   broadcast(L, S, dim, n)(…, c_{dim−1}, j, c_dim, …) = L(…, c_{dim−1}, c_dim, …)  for 0 ≤ j < n.
///
/// `dim` may be the rank: the new dimension comes last. Exists iff that map is a layout, which for n > 1 asks the dimension to
/// begin on a boundary of iters or to divide through one (`errc::no_layout` otherwise). `errc::bad_argument` for a `dim` outside
/// [0, rank], `errc::bad_extent` for n < 1, `errc::overflow`, `errc::capacity`, `errc::too_hard` as for `compose`. Cost: that
/// of `compose`.
template <AnyLayout L>
constexpr Result<L> broadcast(const L& layout, const typename L::Shape& shape, int dim, typename L::integer n) noexcept
{
    using Int = typename L::integer;
    if (const Status e = detail::check_admission(layout, shape); !e.ok()) return e;
    if (dim < 0 || dim > shape.size()) return Error(errc::bad_argument, -1, "dimension {0} is outside [0, {1}]", dim, shape.size());
    if (n < 1) return Error(errc::bad_extent, -1, "the new dimension has extent {0}; it must be at least 1", n);
    Int inner = 1, outer = 1, size;
    for (int d = 0; d < shape.size(); ++d) (d < dim ? outer : inner) *= shape[d];
    if (!detail::mul(inner * outer, n, size)) return Error(errc::overflow, -1, "the product of the shape overflows");
    detail::Walk<Int> walk;
    walk.push(outer, inner);
    walk.push(n, 0);
    walk.push(inner, 1);
    Result<L> result;
    if (const Status e = detail::compose_walk(layout, walk, *result); !e.ok()) return e;
    if (const Status e = detail::carry_replicas(layout, *result); !e.ok()) return e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
