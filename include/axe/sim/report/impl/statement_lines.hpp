// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_IMPL_STATEMENT_LINES_HPP
#define AXE_SIM_REPORT_IMPL_STATEMENT_LINES_HPP

#include <axe/program/print.hpp>
#include <axe/sim/report/statement_lines.hpp>

#include <cstdlib>

namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL std::vector<StatementLine> statement_lines(const Program& program)
{
    Program head;
    head.name = program.name;
    head.machine = program.machine;
    head.tensors = program.tensors;
    head.scalars = program.scalars;
    const std::string all = print(program);

    std::vector<StatementLine> out;
    for (std::size_t at = print(head).size(); at < all.size();) {
        const std::size_t end = std::min(all.find('\n', at), all.size());
        const std::string_view line = std::string_view(all).substr(at, end - at);
        at = end + 1;
        const std::size_t digits = std::min(line.find_first_not_of(' '), line.size());
        const std::size_t after = std::min(line.find_first_not_of("0123456789", digits), line.size());
        const bool numbered = after > digits;
        const std::size_t margin = std::min(numbered ? after + 2 : 6, line.size()); // a number is followed by two blanks
        const std::size_t text = std::min(line.find_first_not_of(' ', margin), line.size());
        StatementLine s;
        if (numbered) s.statement = std::atoi(std::string(line.substr(digits, after - digits)).c_str());
        s.depth = static_cast<int>((text - margin) / 2);
        s.text = line.substr(text);
        out.push_back(std::move(s));
    }
    return out;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
