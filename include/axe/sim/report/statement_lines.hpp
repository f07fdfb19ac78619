// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_STATEMENT_LINES_HPP
#define AXE_SIM_REPORT_STATEMENT_LINES_HPP

#include <axe/program/program.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// A statement as `print(program)` has it.
struct StatementLine {
    int statement = -1; ///< its number; −1 of `else`
    int depth = 0;      ///< how many bodies contain it
    std::string text{};
};

/// The statements of a program, in its order. Those that a schedule made of one operator share its number.
AXE_DECL std::vector<StatementLine> statement_lines(const Program& program);

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/report/impl/statement_lines.hpp>
#endif

#endif
