// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_GROUP_HPP
#define AXE_LAYOUT_GROUP_HPP

#include <axe/layout/exact/cut.hpp>

namespace axe {
inline namespace v0 {

/// A layout whose iters are cut into one dimension group for each dimension of a shape: group d is the iters [begin(d), end(d)), and their
/// extents multiply to S_d. A dimension of extent 1 has an empty group.
template <AnyLayout L>
struct Grouped {
    L layout{};
    InlineVector<int, max_rank> ends{};

    [[nodiscard]] constexpr int rank() const noexcept { return ends.size(); }
    [[nodiscard]] constexpr int begin(int dim) const noexcept { return dim == 0 ? 0 : ends[dim - 1]; }
    [[nodiscard]] constexpr int end(int dim) const noexcept { return ends[dim]; }
    friend constexpr bool operator==(const Grouped&, const Grouped&) = default;
};

/// Cuts D into consecutive groups of extents S_0, S_1, …, with the fewest iters; the map stays what it is.      [Axe 3.3, App. B]
///
/// Exists iff Π S = size (`errc::size_mismatch` otherwise) and, in the canonical D, every suffix product of S falls on a boundary of
/// iters or divides through one (`errc::not_grouped` with the dimension otherwise). Replicas and offset are made canonical.
/// Cost: linear in iters and dimensions.
template <AnyLayout L>
constexpr Result<Grouped<L>> group(const L& layout, const typename L::Shape& shape) noexcept
{
    Result<Grouped<L>> result;
    if (const Status e = detail::check_admission(layout, shape); !e.ok()) return e;
    Grouped<L>& out = *result;
    out.ends.count = shape.size();
    if (const Status e = detail::cut(layout.shard, shape.items, shape.size(), out.layout.shard, out.ends.items); !e.ok()) return e;
    if (const Status e = detail::canonical_sets(layout, out.layout); !e.ok()) return e;
    return result;
}

} // namespace v0
} // namespace axe

#endif
