// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_IN_PLACE_HPP
#define AXE_RELAYOUT_IN_PLACE_HPP

#include <axe/relayout/relayout.hpp>

namespace axe {
inline namespace v0 {

/// Moves a tensor from one layout to another within one buffer: element c goes from L_from(c) to L_to(c), by the cycles of that
/// permutation.
///
/// Exists iff both layouts reach the same addresses, each once: `errc::no_layout` with an address that only one of them has. Neither may
/// be padded, replicated or swizzled, and elements are whole bytes that are not converted: `errc::bad_argument`. Other errors are those
/// of `plan_relayout`, and of its run about the buffer. Nothing is written unless all is.
/// Cost: a bit of memory for each element (eight bytes where the source's steps interleave), and two addresses computed for each: made
/// to save memory, not time.
AXE_DECL Result<void, Problem> relayout_in_place(void* buffer, std::size_t bytes, const RelayoutSide& to, const RelayoutSide& from,
                                                 const Shape& shape, const RelayoutOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/relayout/impl/in_place.hpp>
#endif

#endif
