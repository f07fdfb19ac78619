// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_RUN_PAGE_HPP
#define AXE_PICTURE_RUN_PAGE_HPP

#include <axe/picture/movement.hpp>
#include <axe/sim/report/verification.hpp>

namespace axe {
inline namespace v0 {

/// A run as one file of HTML that needs no network and runs no script: verdict, outputs beside the reference, the program with what its
/// schedules decided and declined, the movement of its data, and all that was counted. Every text is escaped.
///
/// @param program the one with operators; @param lowered what `lower` made of it; @param report what `sim::run` made of that
AXE_DECL std::string run_page(const Program& program, const Lowered& lowered, const sim::Report& report,
                              const Verification* verification = nullptr);

/// Writes the page, whole or not at all. `errc::bad_argument` with what the system says.
AXE_DECL Result<void, Problem> write_run_page(const std::string& path, const Program& program, const Lowered& lowered,
                                              const sim::Report& report, const Verification* verification = nullptr);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/picture/impl/run_page.hpp>
#endif

#endif
