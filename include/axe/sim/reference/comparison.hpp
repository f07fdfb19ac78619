// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_COMPARISON_HPP
#define AXE_SIM_REFERENCE_COMPARISON_HPP

#include <axe/sim/reference/reference.hpp>
#include <axe/sim/report/verification.hpp>

namespace axe {
inline namespace v0 {

/// Compares the outputs of a run with a reference that has been computed. `options.progress` is called with the outputs compared.
///
/// `errc::bad_argument` or `errc::size_mismatch` for an output that is missing, or is of another shape or type.
/// Cost: linear in the elements.
AXE_DECL Result<Verification, Problem> verify(const Reference& reference, const Bindings& outputs,
                                              const ReferenceOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/reference/impl/comparison.hpp>
#endif

#endif
