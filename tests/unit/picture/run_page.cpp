// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/picture/markup.hpp>
#include <axe/picture/run_page.hpp>
#include <axe/sim/report/format.hpp>
#include <axe/sim/report/statement_lines.hpp>
#include <catch.hpp>
#include <tests/unit/sim/pair.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

using namespace axe;

std::size_t count(const std::string& text, const std::string& part)
{
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
    return n;
}
bool has(const std::string& text, const std::string& part) { return count(text, part) > 0; }

std::string page(const pair::Run& run, const Verification* v) { return run_page(run.program, run.lowered, run.report, v); }

/// Nothing is fetched, nothing runs, and what is opened is closed.
void check_alone(const std::string& html)
{
    CHECK(count(html, "http") == 1 + 1); // the namespace of SVG, and http-equiv
    CHECK(has(html, "http-equiv=Content-Security-Policy content='default-src &#39;none&#39;;"));
    for (const char* word : {"<script", "src=", "url(", "@import", "<link", "<img", "<iframe"}) CHECK(!has(html, word));
    for (const char* tag :
         {"section", "details", "summary", "table", "tr", "td", "div", "span", "p", "dl", "dd", "svg", "h2", "h3"})
        CHECK(count(html, "<" + std::string(tag) + ">") + count(html, "<" + std::string(tag) + " ") ==
              count(html, "</" + std::string(tag) + ">"));
}

} // namespace

TEST_CASE("the page of a run says what came of it, and of each statement")
{
    const pair::Run run = pair::run();
    const std::string html = page(run, &run.verification);
    check_alone(html);
    CHECK(html.size() < 60'000);
    CHECK(has(html, "<p class='verdict good'>✓ ran, 0 faults; verified: 2 outputs right</p>"));
    CHECK(has(html, "<title>pair on sm80</title>"));
    CHECK(count(html, "good'>✓ right</td>") == 2);
    for (const auto& line : sim::statement_lines(run.program)) {
        CHECK(count(html, " id=s" + std::to_string(line.statement) +
                              (run.report.statements.count(line.statement) != 0 ? "><summary>" : ">")) == 1);
        CHECK(has(html, ">" + axe::detail::escaped(line.text) + "</span>"));
    }
    for (const Choice& c : run.lowered.choices) {
        CHECK(has(html, "<p><b>" + c.schedule + "</b>" + (c.detail.empty() ? "" : ": " + axe::detail::escaped(c.detail)) + "</p>"));
        for (const auto& [schedule, reason] : c.declined)
            CHECK(has(html, "<dt>" + schedule + "</dt><dd>" + axe::detail::escaped(reason) + "</dd>"));
    }
    for (const auto& [text, n] : run.report.total.by_text)
        CHECK(has(html, "<td class='text long'>" + axe::detail::escaped(text) + "</td><td>" + sim::format::grouped(n) + "</td>"));
    CHECK(has(html, draw(movement(run.program, &run.lowered, &run.report))));
    CHECK(has(html, "<tr class=sum><td class=text>all</td><td></td><td></td><td>32,768</td>")); // between devices
    for (const char* marked : {"class=here", "row here"}) CHECK(!has(html, marked));
    CHECK(!has(html, "role=alert"));
}

TEST_CASE("the page of a run with a fault leads to the statement")
{
    const pair::Run run = pair::run({}, true);
    REQUIRE(run.report.fault.statement >= 0);
    const std::string html = page(run, nullptr), id = std::to_string(run.report.fault.statement);
    check_alone(html);
    CHECK(has(html, "<p class='verdict bad'>✗ fault: race</p>"));
    CHECK(has(html, axe::detail::escaped(run.report.fault.text)));
    CHECK(has(html, "<a href='#s" + id + "'>statement " + id + "</a>"));
    CHECK(has(html, "<details id=s" + id + " class=here open>"));
    CHECK(has(html, "This run was not verified."));
}

TEST_CASE("the page of a run with wrong outputs says so")
{
    pair::Run run = pair::run();
    run.report.outputs.find("G")->set(3, 100);
    const Verification v = verify(run.program, run.inputs, run.report.outputs).value();
    const std::string html = page(run, &v);
    CHECK(has(html, "<p class='verdict bad'>✗ ran, 0 faults; not right: 1 of 2 outputs</p>"));
    CHECK(count(html, "bad'>✗ wrong</td>") == 1);
    CHECK(has(html, "<td>(0, 3)</td><td>100</td>"));
}

TEST_CASE("texts of a program stand in its page as texts")
{
    pair::Run run = pair::run();
    const std::string evil = "</title><script>alert('1')</script>&\xff";
    for (Program* p : {&run.program, &run.lowered.program}) {
        p->name = evil;
        for (ProgramTensor& t : p->tensors) t.name = t.name + evil;
    }
    for (Choice& c : run.lowered.choices) {
        c.detail = c.schedule = evil;
        c.declined = {{evil, evil}};
    }
    for (auto& [id, c] : run.report.statements) c.by_text = {{evil, 1}};
    run.report.total.by_text = {{evil, 1}};
    run.report.fault = {sim::FaultKind::race, 3, 5, evil};
    run.verification.tensors[0].name = evil;
    const std::string html = page(run, &run.verification);
    check_alone(html);
    CHECK(!has(html, "<script"));
    CHECK(!has(html, "\xff"));
    CHECK(has(html, axe::detail::escaped(evil)));
}

TEST_CASE("a page is written whole, or the problem is said")
{
    const pair::Run run = pair::run();
    const auto folder = std::filesystem::temp_directory_path() / "axe_run_page";
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "report.html").string();
    CHECK(write_run_page(path, run.program, run.lowered, run.report, &run.verification).ok());
    std::ifstream in(path, std::ios::binary);
    std::stringstream read;
    read << in.rdbuf();
    CHECK(read.str() == page(run, &run.verification));
    const axe::Result<void, axe::Problem> problem = write_run_page(folder.string(), run.program, run.lowered, run.report);
    CHECK(problem.code() == errc::bad_argument);
    CHECK(problem.error().text == folder.string() + " is a folder, not a file");
    std::filesystem::remove_all(folder);
}
