// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_FAULT_LINES_HPP
#define AXE_SIM_REPORT_FAULT_LINES_HPP

#include <axe/program/program.hpp>
#include <axe/sim/report/fault.hpp>

#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// The statements that a fault names, a line each: number, role of the agents, text as the kernel has it, line of C++:
///
///   statement 12, consumer: copy C[0] = r   (ring.cpp:42)
///
/// The role is the name of the innermost slice around it that has one. Of a lowered program the text is that of the operator, as it was
/// written. Lists of more than eight end with how many more there are. Cost: linear in the statements of the program.
AXE_DECL std::vector<std::string> fault_lines(const Program& program, const Fault& fault);

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/report/impl/fault_lines.hpp>
#endif

#endif
