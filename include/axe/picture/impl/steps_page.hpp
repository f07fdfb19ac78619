// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_IMPL_STEPS_PAGE_HPP
#define AXE_PICTURE_IMPL_STEPS_PAGE_HPP

#include <axe/picture/embedded/run_page_css.hpp>
#include <axe/picture/embedded/steps_css.hpp>
#include <axe/picture/embedded/steps_js.hpp>
#include <axe/picture/markup.hpp>
#include <axe/picture/steps_page.hpp>
#include <axe/program/levels.hpp>
#include <axe/sim/report/statement_lines.hpp>
#include <axe/tensor/file.hpp>
#include <axe/text/common/json_text.hpp>

#include <map>

namespace axe {
inline namespace v0 {
namespace detail {

/// The policy lets nothing be loaded, and runs the page's own script alone.
inline constexpr char steps_head[] = R"html(<!doctype html>
<html lang=en>
<head>
<meta charset=utf-8>
<meta name=viewport content='width=device-width,initial-scale=1'>
<meta http-equiv=Content-Security-Policy
 content='default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; script-src &#39;nonce-axe&#39;; form-action &#39;none&#39;'>
<style>
)html";

inline constexpr char steps_body[] = R"html(
<noscript><p>This page steps through a run with a script, and scripts are switched off here.</p></noscript>
<p id=empty hidden>Nothing ran on this device.</p>
<div class=bar-of-steps>
<label>Device <select id=device></select></label>
<label>Ticks shown <select id=zoom><option>32<option selected>64<option>256<option>1024<option value=0>all</select></label>
</div>
<div id=work hidden>
<div class=bar-of-steps role=toolbar aria-label='Steps'>
<button type=button id=first aria-label='First step'>&#124;&#9664;</button>
<button type=button id=back aria-label='Step back'>&#9664;</button>
<button type=button id=next aria-label='Next step'>&#9654;</button>
<button type=button id=last aria-label='Last step'>&#9654;&#124;</button>
<input id=at type=range min=0 value=0 aria-label='Step'>
</div>
<section aria-labelledby=timeline-name><h2 id=timeline-name>Timeline</h2>
<p class=soft>A row for each agent and each tensor; a tensor is read in the upper half of its row and written in the lower one.
The arrow keys lead to the next step and back,
<kbd>Home</kbd> and <kbd>End</kbd> to the first and the last.</p>
<div id=timeline class=scroll tabindex=0></div></section>
<div class=columns>
<section aria-labelledby=step-name><h2 id=step-name>This step</h2><dl id=step aria-live=polite></dl></section>
<section aria-labelledby=memory-name><h2 id=memory-name>Memories after it</h2>
<div class=scroll tabindex=0><table id=memory></table></div></section>
</div>
</div>
)html";

/// A text for a script inside HTML: `<` has no meaning there.
inline std::string script_text(std::string_view text)
{
    std::string out;
    for (const char c : json_text(text)) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
    return out;
}

/// The run, as an object of the script.
inline void put_run(Markup& out, const Program& program, const sim::Trace& trace)
{
    const Levels levels = levels_of(program.machine);
    const bool has_agents = levels.block >= 0 && levels.agent >= 0 && levels.agent < program.machine.scopes.size();
    out << "const run={devices:" << trace.devices()
        << ",agent:" << script_text(has_agents ? program.machine.scopes[levels.agent].name : "agent") << ",\ntensors:[";
    for (const ProgramTensor& t : program.tensors) {
        std::string shape = "(";
        for (int d = 0; d < t.shape.size(); ++d) shape += (d > 0 ? "," : "") + std::to_string(t.shape[d]);
        out << "\n{name:" << script_text(t.name) << ",memory:" << script_text(t.memory) << ",shape:" << script_text(shape + ")")
            << ",type:" << script_text(name(t.dtype)) << "},";
    }
    out << "],\nitems:[";
    for (const sim::Trace::Item& item : trace.items()) {
        out << "\n{opcode:" << script_text(item.opcode) << ",text:" << script_text(item.text) << ",writes:[";
        if (!item.tensors.empty()) out << item.tensors.front();
        out << "],reads:[";
        for (std::size_t k = 1; k < item.tensors.size(); ++k) out << item.tensors[k] << ",";
        out << "]},";
    }
    // Several statements of a lowered program may share a number.
    std::map<int, std::string> statements;
    for (const sim::StatementLine& s : sim::statement_lines(program)) {
        if (s.statement < 0) continue;
        std::string& all = statements[s.statement];
        all += (all.empty() ? "" : "; ") + s.text;
    }
    out << "],\nstatements:{";
    for (const auto& [id, text] : statements) out << "\n" << id << ":" << script_text(text) << ",";
    out << "},\nevents:[";
    for (int d = 0; d < trace.devices(); ++d)
        for (const sim::Trace::Event& e : trace.events(d))
            out << "\n[" << d << "," << static_cast<int>(e.kind) << "," << e.agent << "," << e.block << "," << e.slot << ","
                << e.item << "," << e.statement << "," << e.begin << "," << e.length << "],";
    out << "]};\n";
}

} // namespace detail

AXE_DECL std::string steps_page(const Program& program, const sim::Trace& trace)
{
    const std::string title = program.name + " on " + program.machine.name + ", step by step";
    const auto theme = [](detail::Markup& out, const Theme& t) {
        out << ":root{--paper:" << t.paper << ";--ink:" << t.ink << ";--soft:" << t.soft << ";--hole:" << t.hole << "}";
    };
    detail::Markup out;
    out << detail::steps_head;
    theme(out, light_theme);
    out << "\n@media (prefers-color-scheme:dark){";
    theme(out, dark_theme);
    (out << "}\n"
         << detail::run_page_css << detail::steps_css << "</style>\n<title>")
            .text(title)
        << "</title>\n</head>\n<body>\n<main>\n<h1>";
    out.text(title) << "</h1>\n<p class=soft>Time is logical: a tick is one issue of an agent, not a duration of hardware.";
    if (trace.left_out() > 0) out << " There was no room for the last " << trace.left_out() << " events of the run.";
    out << "</p>\n" << detail::steps_body << "</main>\n<script nonce=axe>\n'use strict';\n{\n";
    detail::put_run(out, program, trace);
    out << detail::steps_js << "}\n</script>\n</body>\n</html>\n";
    return out.str();
}

AXE_DECL Result<void, Problem> write_steps_page(const std::string& path, const Program& program, const sim::Trace& trace)
{
    return write_file(path, {steps_page(program, trace)});
}

} // namespace v0
} // namespace axe

#endif
