// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_IMPL_FAULT_LINES_HPP
#define AXE_SIM_REPORT_IMPL_FAULT_LINES_HPP

#include <axe/program/print.hpp>
#include <axe/program/walk.hpp>
#include <axe/sim/report/fault_lines.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace sim {

namespace detail_lines {

/// The first statement of that number, and the name of the innermost named slice around it.
inline bool find_statement(const Body& body, int id, const std::string& role, const Statement*& found, std::string& role_of)
{
    for (const Statement& s : body) {
        if (s.id == id && !std::holds_alternative<Alloc>(s.what)) {
            found = &s;
            role_of = role;
            return true;
        }
        const auto* slice = std::get_if<Slice>(&s.what);
        const std::string& inside = slice != nullptr && !slice->name.empty() ? slice->name : role;
        if (for_each_body(s, [&](const Body& inner) { return find_statement(inner, id, inside, found, role_of); })) return true;
    }
    return false;
}

} // namespace detail_lines

AXE_DECL std::vector<std::string> fault_lines(const Program& program, const Fault& fault)
{
    std::vector<int> named{fault.statement, fault.other_statement};
    named.insert(named.end(), fault.waits.begin(), fault.waits.end());
    std::vector<std::string> out;
    std::vector<int> seen;
    for (const int id : named) {
        if (id < 0 || std::find(seen.begin(), seen.end(), id) != seen.end()) continue;
        seen.push_back(id);
        const Statement* statement = nullptr;
        std::string role;
        detail_lines::find_statement(program.body, id, "", statement, role);
        const StatementOrigin origin = origin_of(program, id);
        std::string text = !origin.text.empty() ? origin.text : statement != nullptr ? print(program, *statement) : "";
        if (text.empty() && origin.line.text().empty()) continue;
        std::string line = "statement " + std::to_string(id) + (role.empty() ? "" : ", " + role) + ": " + text;
        if (const std::string at = origin.line.text(); !at.empty()) line += " (" + at + ")";
        out.push_back(std::move(line));
    }
    return detail::capped(std::move(out));
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
