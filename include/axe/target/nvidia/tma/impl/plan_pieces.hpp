// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_IMPL_PLAN_PIECES_HPP
#define AXE_TARGET_NVIDIA_TMA_IMPL_PLAN_PIECES_HPP

#include <axe/target/nvidia/tma/impl/plan_sides.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A dimension whose region begins or ends within a digit of the global layout, and the pieces of it that do not.
struct CutDigit {
    int dim = -1;
    std::int64_t extent = 0; ///< of a piece
    std::int64_t pieces = 0; ///< 0: there is no such dimension, or it has no smaller pieces
};

/// The first such dimension. For a request whose regions and layouts are sound.
inline CutDigit cut_digit(const TmaRequest& r)
{
    const auto grouped = group(r.global, r.global_shape);
    if (!grouped || r.global_region.empty()) return {};
    for (int d = 0; d < r.global_shape.size(); ++d) {
        const Range at = r.global_region[d];
        if (at.lo < 0 || at.hi > r.global_shape[d]) continue;
        std::int64_t inner = r.global_shape[d];
        for (int k = grouped->begin(d); k < grouped->end(d); ++k) {
            inner /= grouped->layout.shard[k].extent;
            if (at.lo / inner == (at.hi - 1) / inner) continue; // one value of this digit
            if (at.lo % inner == 0 && at.hi % inner == 0) break;
            const std::int64_t extent = gcd(gcd(at.lo, at.hi), inner);
            return {d, extent, (at.hi - at.lo) / extent};
        }
    }
    return {};
}

/// The dimension of the region in shared memory that is dimension `dim` of the global one: both have the same extents, those of 1 aside.
inline int shared_dimension(const Region& global, const Region& shared, int dim)
{
    int before = 0;
    for (int d = 0; d < dim; ++d)
        if (global[d].hi - global[d].lo > 1) ++before;
    for (int d = 0; d < shared.size(); ++d)
        if (shared[d].hi - shared[d].lo > 1 && before-- == 0) return d;
    return -1;
}

/// Piece i of a request.
inline TmaRequest piece_of(const TmaRequest& r, const CutDigit& cut, std::int64_t i)
{
    TmaRequest out = r;
    if (out.shared_region.empty()) out.shared_region = whole_region(r.shared_shape);
    const int to = shared_dimension(r.global_region, out.shared_region, cut.dim);
    for (Range* range : {&out.global_region[cut.dim], &out.shared_region[to]}) {
        range->lo += i * cut.extent;
        range->hi = range->lo + cut.extent;
    }
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
