// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_PLAN_HPP
#define AXE_TARGET_NVIDIA_TMA_PLAN_HPP

#include <axe/target/nvidia/tma/issue.hpp>
#include <axe/target/nvidia/tma/request.hpp>

#include <vector>

namespace axe {
inline namespace v0 {

/// One map and the copies by it that do what was asked.
struct TmaPlan {
    TensorMap map{};
    std::vector<TmaIssue> issues{};
    std::int64_t bytes = 0;            ///< of all copies: what the mbarrier of a load is to expect
    std::int64_t shared_alignment = 0; ///< of the shared tensor's address, bytes
    int elements = 1; ///< of the tensor that are one of the map: 2, 4, 8 where a wider integer does what the type does not
};

/// The most copies of a plan.
inline constexpr std::int64_t most_tma_issues = 1 << 16;

/// The map and the copies that put each element of the global region at the byte that the shared layout says, or the other way round:
///   for all u:  some issue_element(map, issue, 0, i)  is  (w·swizzled(shared(lo' + u)), w·global(lo + u))
///
/// Both sides are sliced, and the shared side is grouped by the digits of the global one. In the order of shared addresses, the digits
/// that follow each other without a gap are the box, as many as one map admits; the others are loops, a copy for each index. The
/// dimensions of the map are those of the tensor, cut where a box takes two digits of one dimension. The same is tried with elements of
/// 2, 4 and 8 times the width, with global memory as a line whose strides are the box's (not by strict rules), and in pieces where the
/// region begins or ends within a digit; the fewest copies win. Where all fail, the error is that of the first:
/// `errc::no_layout` where no box does it; `errc::not_grouped` where tiles of the two sides cut each other; `errc::not_single_valued` for
/// replicas; `errc::bad_axis` for axes of threads; those of `check` for what a map does not admit. Cost: digits times copies.
///      [Axe 3.4, App. F]
AXE_DECL Result<TmaPlan> plan_tma(const TmaRequest& request);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/nvidia/tma/impl/plan.hpp>
#endif

#endif
