// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/picture/markup.hpp>
#include <axe/picture/steps_page.hpp>
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

pair::Run traced(sim::Trace& trace, const char* name = "pair")
{
    sim::RunOptions options;
    options.trace = &trace;
    return pair::run(options, false, name);
}

} // namespace

TEST_CASE("the page of steps has every event of the trace, and nothing from elsewhere")
{
    sim::Trace trace;
    const pair::Run run = traced(trace);
    const std::string html = steps_page(run.lowered.program, trace);
    CHECK(has(html, "<title>pair on sm80, step by step</title>"));
    for (const char* word : {"src=", "url(", "@import", "<link", "<img", "<iframe", "http:", "https:"}) CHECK(!has(html, word));
    CHECK(count(html, "<script") == 1);
    CHECK(has(html, "script-src &#39;nonce-axe&#39;"));
    for (int d = 0; d < trace.devices(); ++d)
        for (const sim::Trace::Event& e : trace.events(d)) {
            std::string row = "\n[" + std::to_string(d);
            for (const std::int64_t n : {std::int64_t{static_cast<int>(e.kind)}, std::int64_t{e.agent}, std::int64_t{e.block},
                                         std::int64_t{e.slot}, std::int64_t{e.item}, std::int64_t{e.statement}, e.begin, e.length})
                row += "," + std::to_string(n);
            CHECK(has(html, row + "],"));
        }
    for (const ProgramTensor& t : run.lowered.program.tensors)
        CHECK(has(html, "\n{name:\"" + t.name + "\",memory:\"" + t.memory + "\","));
    CHECK_FALSE(has(html, "no room"));
}

TEST_CASE("a trace names the tensors of each instruction, the destination first")
{
    sim::Trace trace;
    const pair::Run run = traced(trace);
    const auto name = [&](int t) { return run.lowered.program.tensors[static_cast<std::size_t>(t)].name; };
    std::vector<std::string> found;
    for (const auto& item : trace.items()) {
        found.push_back(name(item.tensors.at(0)) + " from");
        for (std::size_t k = 1; k < item.tensors.size(); ++k) found.back() += " " + name(item.tensors[k]);
    }
    std::sort(found.begin(), found.end());
    CHECK(found == std::vector<std::string>{"C from r", "G from C", "r from r", "r from s", "s from A"});
}

TEST_CASE("no name ends the script of the page of steps, and what is left out is said")
{
    sim::Trace trace(4);
    const pair::Run run = traced(trace, "</script><b>'\"&");
    const std::string html = steps_page(run.lowered.program, trace);
    CHECK(count(html, "</script>") == 1);
    CHECK(count(html, "<b>") == 0);
    CHECK(has(html, "<title>&lt;/script&gt;&lt;b&gt;&#39;&quot;&amp; on sm80, step by step</title>"));
    CHECK(has(html, "There was no room for the last " + std::to_string(trace.left_out()) + " events"));
}

TEST_CASE("the page of steps is written whole, or there is a message")
{
    sim::Trace trace;
    const pair::Run run = traced(trace);
    const auto folder = std::filesystem::temp_directory_path() / "axe_steps_page";
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "steps.html").string();
    CHECK(write_steps_page(path, run.lowered.program, trace).ok());
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    CHECK(text.str() == steps_page(run.lowered.program, trace));
    CHECK(write_steps_page(folder.string(), run.lowered.program, trace).error().code == errc::bad_argument);
    std::filesystem::remove_all(folder);
}
