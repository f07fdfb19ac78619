// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_STEPS_PAGE_HPP
#define AXE_PICTURE_STEPS_PAGE_HPP

#include <axe/program/program.hpp>
#include <axe/sim/report/trace.hpp>
#include <axe/tensor/problem.hpp>

namespace axe {
inline namespace v0 {

/// A page that steps through a run, as one file of HTML that is opened from disk and needs no network: the timeline of the agents and of
/// the tensors in the memories of one device, and for each step who does what, and which access of each tensor was the last one so far.
///
/// @param program the one that was run; @param trace of that run
AXE_DECL std::string steps_page(const Program& program, const sim::Trace& trace);

/// Writes the page, whole or not at all. `errc::bad_argument` with what the system says.
AXE_DECL Result<void, Problem> write_steps_page(const std::string& path, const Program& program, const sim::Trace& trace);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/picture/impl/steps_page.hpp>
#endif

#endif
