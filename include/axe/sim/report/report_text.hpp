// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_REPORT_TEXT_HPP
#define AXE_SIM_REPORT_REPORT_TEXT_HPP

#include <axe/sim/report/report.hpp>
#include <axe/sim/report/statement_lines.hpp>
#include <axe/sim/report/verification.hpp>
#include <axe/text/utf8.hpp>

#include <cstdio>
#include <map>
#include <set>

/// A report as text, in tables of at most 100 columns.
namespace axe {
inline namespace v0 {
namespace sim {

/// What a schedule decided about a statement.
struct ChoiceLine {
    int statement = -1;
    std::string schedule{};
    std::string detail{};
};

/// The choices of `lower`, or whatever else has those three members.
template <class Choices>
std::vector<ChoiceLine> choice_lines(const Choices& choices)
{
    std::vector<ChoiceLine> out;
    for (const auto& c : choices) out.push_back({c.statement, c.schedule, c.detail});
    return out;
}

namespace detail_text {

inline constexpr std::size_t page_columns = 100;

/// 1234567 as "1,234,567"
inline std::string grouped(std::int64_t n)
{
    std::string digits = std::to_string(n);
    const std::size_t first = n < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

/// part/whole in `digits` decimals; "-" where there is nothing to divide by.
inline std::string ratio(std::int64_t part, std::int64_t whole, int digits, double scale = 1)
{
    if (whole == 0) return "-";
    char text[40];
    std::snprintf(text, sizeof text, "%.*f", digits, scale * static_cast<double>(part) / static_cast<double>(whole));
    return text;
}
inline std::string percent(std::int64_t part, std::int64_t whole)
{
    const std::string r = ratio(part, whole, 1, 100);
    return whole == 0 ? r : r + " %";
}

/// Rows of one length, in columns: texts first, then numbers, aligned at their ends.
class Table {
  public:
    using Row = std::vector<std::string>;

    /// @param texts how many of the first columns are no numbers
    Table(Row heads, std::size_t texts) : texts_(texts) { rows_.push_back(std::move(heads)); }
    void add(Row row) { rows_.push_back(std::move(row)); }
    [[nodiscard]] std::vector<std::string> lines() const
    {
        const std::size_t columns = rows_[0].size();
        std::vector<std::size_t> width(columns);
        const auto shown = [](const std::string& cell) { return static_cast<std::size_t>(detail::characters(cell)); };
        for (const Row& r : rows_)
            for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], shown(r[c]));
        std::vector<std::string> out;
        for (const Row& r : rows_) {
            std::string line;
            for (std::size_t c = 0; c < columns; ++c) {
                const std::string blank(width[c] - shown(r[c]), ' ');
                line += (c == 0 ? "" : "  ") + (c < texts_ ? r[c] + blank : blank + r[c]);
            }
            while (!line.empty() && line.back() == ' ') line.pop_back();
            out.push_back(std::move(line));
        }
        return out;
    }
    [[nodiscard]] std::string text() const
    {
        std::string out;
        for (const std::string& line : lines()) out += line + "\n";
        return out;
    }

  private:
    std::size_t texts_;
    std::vector<Row> rows_{};
};

/// At most `most` characters of a text, the last of them an ellipsis where it is longer.
inline std::string shortened(std::string_view text, std::size_t most)
{
    if (static_cast<std::size_t>(detail::characters(text)) <= most) return std::string(text);
    std::size_t at = 0;
    for (std::size_t n = 0; n + 1 < most; ++n) {
        const std::size_t length = detail::character_length(text, at);
        at += length == 0 ? 1 : length;
    }
    return std::string(text.substr(0, at)) + "\u2026";
}

/// The text in lines, broken after blanks; each further line is indented by `indent`.
inline std::string wrapped(const std::string& text, std::size_t indent)
{
    std::string out, line;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size() - 1) + 1;
        const std::string word = text.substr(at, end - at);
        if (!line.empty() &&
            static_cast<std::size_t>(detail::characters(line + word)) > page_columns + (word.back() == ' ' ? 1 : 0)) {
            while (!line.empty() && line.back() == ' ') line.pop_back();
            out += line + "\n";
            line = std::string(indent, ' ');
        }
        line += word;
        at = end;
    }
    return out + line + "\n";
}

inline std::string number_text(double x)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}

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
    Table table({"output", "elements", "wrong", "worst at", "got", "should be", "within", "error/bound"}, 1);
    for (const TensorCheck& t : verification.tensors) {
        const ElementCheck& w = t.worst;
        std::string at;
        for (int d = 0; d < w.coord.size(); ++d) at += (d == 0 ? "" : ",") + std::to_string(w.coord[d]);
        table.add({t.name, grouped(t.elements), grouped(t.wrong), "(" + at + ")", number_text(w.got), number_text(w.want),
                   number_text(w.bound), number_text(w.share)});
    }
    return table.text();
}

} // namespace detail_text

/// Has the run ended without a fault, and are its outputs right?  "ran, 0 faults; verified: 2 outputs right"
inline std::string verdict(const Report& report, const Verification* verification = nullptr)
{
    if (report.fault) return std::string("fault: ") + name(report.fault.kind);
    std::string out = "ran, 0 faults; ";
    if (verification == nullptr) return out + "not verified";
    std::int64_t wrong = 0;
    for (const TensorCheck& t : verification->tensors) wrong += t.ok() ? 0 : 1;
    const auto outputs = static_cast<std::int64_t>(verification->tensors.size());
    if (wrong == 0) return out + "verified: " + detail::count_words(outputs, "output") + " right";
    return out + "not right: " + std::to_string(wrong) + " of " + detail::count_words(outputs, "output");
}

/// What a run came to, for a terminal: verdict, work and memory traffic by statement, instructions as spelt, outputs beside the
/// reference. Lines have 100 characters at most, but for long names and numbers.
///
/// Wavefronts are set beside what they would be without bank conflicts (the ratio is the degree of conflict, 1 at best), sectors beside
/// what the bytes would fill (the ratio is the efficiency, 100 % at best); lanes are those that took part, of all in the instructions.
///
/// @param program the one with operators, or the lowered one
/// @param choices what lower decided: choice_lines(lowered.choices)
/// @param verification shown where there is one
inline std::string report_text(const Program& program, const Report& report, const std::vector<ChoiceLine>& choices = {},
                               const Verification* verification = nullptr)
{
    using namespace detail_text;
    std::string out = program.name + " on " + program.machine.name +
                      (report.devices > 1 ? ", " + std::to_string(report.devices) + " devices" : "") + ": " +
                      verdict(report, verification) + "\n";
    if (report.fault) out += wrapped("  " + report.fault.text, 4);
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
