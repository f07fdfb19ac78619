// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include "pair.hpp"

#include <axe/program/operators.hpp>
#include <axe/sim/report/format.hpp>
#include <axe/sim/report/report_text.hpp>
#include <axe/sim/report/statement_lines.hpp>

#include <sstream>

using namespace axe;

namespace {

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

/// The words of a line, blanks between numbers and their signs taken away.
std::vector<std::string> words(std::string line)
{
    for (std::size_t at = 0; (at = line.find(" %", at)) != std::string::npos;) line.erase(at, 1);
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string word; in >> word;) out.push_back(word);
    return out;
}

} // namespace

TEST_CASE("numbers are grouped by thousands")
{
    using sim::format::grouped;
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(-123456) == "-123,456");
    CHECK(grouped(1234567890) == "1,234,567,890");
    CHECK(grouped(INT64_MIN) == "-9,223,372,036,854,775,808");
}

TEST_CASE("a report as text has a row for each statement, with what was counted")
{
    const pair::Run run = pair::run();
    REQUIRE(run.verification.ok());
    const std::string text = sim::report_text(run.program, run.report, sim::choice_lines(run.lowered.choices), &run.verification);
    const auto lines = lines_of(text);
    CHECK(lines[0] == "pair on sm80, 2 devices: ran, 0 faults; verified: 2 outputs right");
    for (const std::string& line : lines) {
        INFO(line);
        CHECK(axe::detail::characters(line) <= 100);
        CHECK((line.empty() || line.back() != ' '));
    }
    using sim::format::grouped;
    const auto find = [&](const std::vector<std::string>& row) {
        for (const std::string& line : lines) {
            const auto w = words(line);
            if (w.size() >= row.size() && w[0] == row[0] &&
                std::equal(row.begin() + 1, row.end(), w.end() - static_cast<std::ptrdiff_t>(row.size()) + 1))
                return true;
        }
        return false;
    };
    for (const auto& [id, c] : run.report.statements) {
        CHECK(find(
            {std::to_string(id), grouped(c.instructions), c.lanes == 0 ? "-" : "100.0%", grouped(c.flops), grouped(c.link_bytes)}));
        for (const auto& [memory, m] : c.memories)
            if (m.wavefronts > 0)
                CHECK(find({std::to_string(id), memory, grouped(m.bytes_read), grouped(m.bytes_written), grouped(m.requests),
                            "wavefronts", grouped(m.wavefronts), grouped(m.ideal_wavefronts), "1.00"}));
            else if (m.sectors > 0)
                CHECK(find({std::to_string(id), memory, grouped(m.bytes_read), grouped(m.bytes_written), grouped(m.requests),
                            "sectors", grouped(m.sectors), grouped(m.ideal_sectors), "100.0%"}));
    }
    for (const auto& [instruction, n] : run.report.total.by_text)
        CHECK(text.find("  " + grouped(n) + "  " + instruction + "\n") != std::string::npos);
    for (const Choice& c : run.lowered.choices) CHECK(text.find("   " + c.schedule + ": ") != std::string::npos);
    CHECK(find({"C", "specification", "8,192", "0", "(0,0)", "0", "0", "0", "0"}));
    CHECK(find({"G", "specification", "8,192", "0", "(0,0)", "0", "0", "0", "0"}));
}

TEST_CASE("a report of a fault says which and where")
{
    const pair::Run run = pair::run({}, true);
    REQUIRE(!run.report.ok());
    const auto lines = lines_of(sim::report_text(run.program, run.report));
    CHECK(lines[0] == "pair on sm80, 2 devices: fault: race");
    std::string said = lines[1].substr(2);
    for (std::size_t i = 2; i < lines.size() && lines[i].rfind("    ", 0) == 0; ++i) said += " " + lines[i].substr(4);
    CHECK(said == run.report.fault.text);
}

TEST_CASE("wrong outputs, and outputs that were not verified, are said to be so")
{
    pair::Run run = pair::run();
    CHECK(sim::conclusion_text(run.report) == "ran, 0 faults; not verified");
    run.report.outputs.find("C")->set(5 * 64 + 7, 3.5);
    const Verification v = verify(run.program, run.inputs, run.report.outputs).value();
    CHECK(sim::conclusion_text(run.report, &v) == "ran, 0 faults; not right: 1 of 2 outputs");
    const std::string text = sim::report_text(run.program, run.report, {}, &v);
    CHECK(text.find("(5,7)  3.5") != std::string::npos);
    CHECK(text.find("inf") != std::string::npos); // an error where none may be
}

TEST_CASE("what was compared with the program's own operators is not said to be right")
{
    pair::Run run = pair::run();
    run.program.specification = nullptr;
    const Verification v = verify(run.program, run.inputs, run.report.outputs).value();
    CHECK(sim::conclusion_text(run.report, &v) == "ran, 0 faults; 2 outputs consistent with the program's operators");
    CHECK(sim::report_text(run.program, run.report, {}, &v).find("  operators  ") != std::string::npos);
    Verification mixed = v;
    mixed.tensors[0].specified = true;
    CHECK(sim::conclusion_text(run.report, &mixed) ==
          "ran, 0 faults; verified: 1 output right, 1 output consistent with the program's operators");
    mixed.tensors[1].specified = true;
    mixed.disagreements.push_back({"C", 1, {0, 0}, 1, 2, 2, 2});
    CHECK(sim::conclusion_text(run.report, &mixed) == "ran, 0 faults; the program differs from its specification");
}

TEST_CASE("long texts are cut, and broken between words")
{
    using namespace sim::format;
    CHECK(shortened("abc", 3) == "abc");
    CHECK(shortened("abcd", 3) == "ab\u2026");
    CHECK(shortened("×××××", 3) == "××\u2026");
    const std::string text = wrapped(std::string(60, 'a') + " " + std::string(39, 'b') + " " + "c " + std::string(120, 'd'), 2);
    CHECK(text == std::string(60, 'a') + " " + std::string(39, 'b') + "\n  c\n  " + std::string(120, 'd') + "\n");
    CHECK(wrapped("", 2) == "\n");
}

TEST_CASE("a report of nothing is a line")
{
    Program p;
    p.name = "nothing";
    p.machine = machines::cpu;
    CHECK(sim::report_text(p, {}) == "nothing on cpu: ran, 0 faults; not verified\n");
}

TEST_CASE("statements are the lines of a printed program")
{
    const pair::Run run = pair::run();
    for (const Program* p : {&run.program, &run.lowered.program}) {
        std::string lines_of_it;
        for (const auto& s : sim::statement_lines(*p)) {
            const std::string number = s.statement < 0 ? "" : std::to_string(s.statement);
            lines_of_it += std::string(4 - std::min<std::size_t>(number.size(), 4), ' ') + number + "  " +
                           std::string(static_cast<std::size_t>(s.depth) * 2, ' ') + s.text + "\n";
        }
        const std::string whole = print(*p);
        REQUIRE(lines_of_it.size() < whole.size());
        CHECK(whole.substr(whole.size() - lines_of_it.size()) == lines_of_it);
    }
    Kernel k("choice", machines::cpu);
    const auto x = k.scalar("x", 1);
    k.when(x < 2, [&] { k.assign(x, 3); }, [&] { k.assign(x, 4); });
    const auto lines = sim::statement_lines(k.program().value());
    REQUIRE(lines.size() == 4);
    CHECK(lines[2].statement == -1);
    CHECK(lines[2].text == "else");
    CHECK(lines[3].depth == 1);
    CHECK(lines[3].text == "x = 4");
}
