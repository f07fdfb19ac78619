// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_RELAYOUT_HPP
#define AXE_RELAYOUT_RELAYOUT_HPP

#include <axe/relayout/plan.hpp>

namespace axe {
inline namespace v0 {

/// Plans the copy of a tensor from one layout to another.
///
/// Exists for any two layouts whose addresses fit 64 bits and whose destination writes no address twice; a replicated destination gets
/// all its copies, of a replicated source one is read. What takes the most time is what the map asks for: neighbors that stay
/// neighbors are copied in runs, transposes in blocks.
///
/// Errors: those of the shape and the layouts, after the name of the side; `errc::size_mismatch`; `errc::bad_axis` of an axis without a
/// pitch; `errc::overflow`; `errc::bad_argument` of options; `errc::not_injective` where two elements would be written to one address.
/// Cost: a few microseconds for maps that refine each other; up to 2^14 nests where they do not; past that, a plan that computes the
/// address of each element.
AXE_DECL Result<RelayoutPlan, Problem> plan_relayout(const RelayoutSide& to, const RelayoutSide& from, const Shape& shape,
                                                     const RelayoutOptions& options = {});

/// Copies a tensor from one layout to another: a plan, run once. Errors: those of the plan, and of its run.
AXE_DECL Result<void, Problem> relayout(void* to, std::size_t to_bytes, const RelayoutSide& to_side, const void* from,
                                        std::size_t from_bytes, const RelayoutSide& from_side, const Shape& shape,
                                        const RelayoutOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/relayout/impl/relayout.hpp>
#endif

#endif
