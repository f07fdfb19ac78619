// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_IMPL_REPORT_TEXT_HPP
#define AXE_SIM_REPORT_IMPL_REPORT_TEXT_HPP

#include <axe/program/operators.hpp>
#include <axe/sim/report/format.hpp>
#include <axe/sim/report/report_text.hpp>
#include <axe/sim/report/statement_lines.hpp>

#include <map>
#include <set>

namespace axe {
inline namespace v0 {
namespace sim {
namespace detail_text {

using namespace format;

/// Who did how much: a row a statement, and below it what the schedule decided.
inline std::string work_table(const Program& program, const Report& report, const std::vector<ChoiceLine>& choices)
{
    std::map<int, std::string> texts;
    for (const StatementLine& s : statement_lines(program))
        if (s.statement >= 0 && texts.count(s.statement) == 0) texts[s.statement] = s.text;
    std::set<int> numbers;
    for (const auto& [id, counters] : report.statements) numbers.insert(id);
    for (const ChoiceLine& c : choices) numbers.insert(c.statement);
    const std::size_t margin = numbers.empty() ? 3 : std::to_string(*numbers.rbegin()).size() + 2;

    Table counts({"instructions", "lanes", "flops", "link bytes"}, 0);
    const auto count = [&](const Counters& c) {
        counts.add({grouped(c.instructions), percent(c.lanes_active, c.lanes), grouped(c.flops), grouped(c.link_bytes)});
    };
    for (const auto& [id, c] : report.statements) count(c);
    count(report.total);
    const std::vector<std::string> lines = counts.lines();
    const std::size_t room = page_columns - margin - 2 - static_cast<std::size_t>(detail::characters(lines[0]));
    std::string out;
    const auto row = [&](const std::string& number, const std::string& words, const std::string& numbers_of_it) {
        const std::string shown = shortened(words, room);
        out += number + std::string(margin - number.size(), ' ') + shown +
               std::string(room + 2 - static_cast<std::size_t>(detail::characters(shown)), ' ') + numbers_of_it + "\n";
    };
    row("", "statement", lines[0]);
    for (const int id : numbers) {
        const auto words = texts.find(id);
        const std::string text = words == texts.end() ? "?" : words->second, number = std::to_string(id);
        const auto counted = report.statements.find(id);
        if (counted == report.statements.end())
            out += number + std::string(margin - number.size(), ' ') + shortened(text, page_columns - margin) + "\n";
        else
            row(number, text, lines[1 + static_cast<std::size_t>(std::distance(report.statements.begin(), counted))]);
        for (const ChoiceLine& c : choices)
            if (c.statement == id)
                out += wrapped(std::string(margin + 2, ' ') + c.schedule + (c.detail.empty() ? "" : ": " + c.detail), margin + 4);
    }
    row("", "all", lines.back());
    return out;
}

/// What went through memories: rows of the statements, and of the whole run.
inline std::string memory_table(const Report& report)
{
    Table table({"", "memory", "read", "written", "requests", "counted", "there were", "at best", "ratio"}, 2);
    const auto rows = [&](const std::string& number, const Counters& c) {
        for (const auto& [memory, m] : c.memories) {
            const bool banked = m.wavefronts != 0 || m.ideal_wavefronts != 0, sectored = m.sectors != 0 || m.ideal_sectors != 0;
            const std::int64_t there = banked ? m.wavefronts : m.sectors, best = banked ? m.ideal_wavefronts : m.ideal_sectors;
            table.add({number, memory, grouped(m.bytes_read), grouped(m.bytes_written), grouped(m.requests),
                       banked     ? "wavefronts"
                       : sectored ? "sectors"
                                  : "-",
                       banked || sectored ? grouped(there) : "-", banked || sectored ? grouped(best) : "-",
                       banked     ? ratio(there, best, 2)
                       : sectored ? percent(best, there)
                                  : "-"});
        }
    };
    for (const auto& [id, c] : report.statements) rows(std::to_string(id), c);
    rows("all", report.total);
    return table.text();
}

inline std::string check_table(const Verification& verification)
{
    Table table({"output", "compared with", "elements", "wrong", "worst at", "got", "should be", "within", "error/bound"}, 2);
    for (const TensorCheck& t : verification.tensors) {
        const ElementCheck& w = t.worst;
        std::string at;
        for (int d = 0; d < w.coord.size(); ++d) at += (d == 0 ? "" : ",") + std::to_string(w.coord[d]);
        table.add({t.name, t.specified ? "specification" : "operators", grouped(t.elements), grouped(t.wrong), "(" + at + ")",
                   number(w.got), number(w.want), number(w.bound), number(w.share)});
    }
    return table.text();
}

} // namespace detail_text

AXE_DECL std::string conclusion_text(const Report& report, const Verification* verification)
{
    if (report.fault.found()) return std::string("fault: ") + name(report.fault.kind);
    std::string out = "ran, 0 faults; ";
    if (verification == nullptr) return out + "not verified";
    std::int64_t wrong = 0, specified = 0;
    for (const TensorCheck& t : verification->tensors) wrong += t.ok() ? 0 : 1, specified += t.specified ? 1 : 0;
    const auto outputs = static_cast<std::int64_t>(verification->tensors.size());
    if (wrong > 0) return out + "not right: " + std::to_string(wrong) + " of " + detail::count_words(outputs, "output");
    if (!verification->disagreements.empty()) return out + "the program differs from its specification";
    // Only what a specification has can be right; the program's own operators may be wrong themselves.
    if (specified > 0) out += "verified: " + detail::count_words(specified, "output") + " right";
    if (specified > 0 && specified < outputs) out += ", ";
    if (specified < outputs) out += detail::count_words(outputs - specified, "output") + " consistent with the program's operators";
    return out;
}

AXE_DECL std::string report_text(const Program& program, const Report& report, const std::vector<ChoiceLine>& choices,
                                 const Verification* verification)
{
    using namespace detail_text;
    std::string out = program.name + " on " + program.machine.name +
                      (report.devices > 1 ? ", " + std::to_string(report.devices) + " devices" : "") + ": " +
                      conclusion_text(report, verification) + "\n";
    if (report.fault.found()) out += wrapped("  " + report.fault.text, 4);
    if (!report.statements.empty() || !choices.empty()) out += "\n" + work_table(program, report, choices);
    if (!report.total.memories.empty()) out += "\nbytes in memories\n" + memory_table(report);
    if (!report.total.by_text.empty()) {
        out += "\ninstructions\n";
        std::size_t width = 0;
        for (const auto& [text, n] : report.total.by_text) width = std::max(width, grouped(n).size());
        for (const auto& [text, n] : report.total.by_text) {
            const std::string count = grouped(n);
            out += std::string(width - count.size() + 2, ' ') + count + "  " + text + "\n";
        }
        if (report.total.barriers != 0) out += "  " + detail::count_words(report.total.barriers, "arrival") + " at barriers\n";
    }
    if (verification != nullptr) out += "\noutputs beside the reference\n" + check_table(*verification);
    return out;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
