// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_DESCRIBE_HPP
#define AXE_RELAYOUT_DESCRIBE_HPP

#include <axe/relayout/plan.hpp>

namespace axe {
inline namespace v0 {

/// A plan in words, a line for each way that something is copied, and what does it:
///
///   4096 × 4096 transposed in 16 × 16 blocks of 4-byte elements, tiles of 128 × 256
///   avx512 instructions, streaming stores, 2 threads
///
/// Cost: one pass over the plan's pieces; of many, the first eight are told.
AXE_DECL std::string describe(const RelayoutPlan& plan, int threads = 1);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/relayout/impl/describe.hpp>
#endif

#endif
