// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_IMPL_RUN_PAGE_HPP
#define AXE_PICTURE_IMPL_RUN_PAGE_HPP

#include <axe/picture/embedded/run_page_css.hpp>
#include <axe/picture/markup.hpp>
#include <axe/picture/movement.hpp>
#include <axe/picture/run_page.hpp>
#include <axe/program/print.hpp>
#include <axe/sim/report/format.hpp>
#include <axe/sim/report/report_text.hpp>
#include <axe/sim/report/statement_lines.hpp>
#include <axe/tensor/file.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The policy lets nothing be loaded and nothing be run: the page has no script.
inline constexpr char run_head[] = R"html(<!doctype html>
<html lang=en>
<head>
<meta charset=utf-8>
<meta name=viewport content='width=device-width,initial-scale=1'>
<meta http-equiv=Content-Security-Policy content='default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; form-action &#39;none&#39;'>
<style>
)html";

/// Writes the page of a run, section by section.
class RunPage {
  public:
    RunPage(const Program& program, const Lowered& lowered, const sim::Report& report, const Verification* verification)
        : program_(program), lowered_(lowered), report_(report), verification_(verification)
    {
        for (sim::StatementLine& line : sim::statement_lines(lowered.program))
            if (line.statement >= 0) made_[line.statement].push_back(std::move(line.text));
    }

    std::string text()
    {
        head();
        verification();
        listing();
        out_ << "<section aria-labelledby=movement><h2 id=movement>Data movement</h2>\n<div class=scroll tabindex=0>\n"
             << draw(movement(program_, &lowered_, &report_)) << "</div></section>\n";
        memories();
        links();
        instructions();
        out_ << "</main>\n</body>\n</html>\n";
        return out_.str();
    }

  private:
    static void theme(Markup& out, const Theme& t)
    {
        out << ":root{--paper:" << t.paper << ";--ink:" << t.ink << ";--soft:" << t.soft << ";--hole:" << t.hole << "}";
    }
    static std::string grouped(std::int64_t n) { return sim::format::grouped(n); }
    void cell(const std::string& text, const char* kind = "")
    {
        (out_ << (*kind == '\0' ? "<td>" : "<td class='") << kind << (*kind == '\0' ? "" : "'>")).text(text) << "</td>";
    }
    /// Column heads; those before `texts` are of texts.
    void heads(std::initializer_list<const char*> names, int texts)
    {
        out_ << "<div class=scroll tabindex=0><table><tr>";
        for (const char* name : names) (out_ << (texts-- > 0 ? "<th class=text>" : "<th>")).text(name) << "</th>";
        out_ << "</tr>\n";
    }

    void head()
    {
        const std::string title = program_.name + " on " + program_.machine.name;
        out_ << run_head;
        theme(out_, light_theme);
        out_ << "\n@media (prefers-color-scheme:dark){";
        theme(out_, dark_theme);
        (out_ << "}\n" << run_page_css << "</style>\n<title>").text(title) << "</title>\n</head>\n<body>\n<main>\n<h1>";
        out_.text(title) << "</h1>\n";
        const bool right = report_.ok() && verification_ != nullptr && verification_->ok();
        const bool wrong = !report_.ok() || (verification_ != nullptr && !verification_->ok());
        (out_ << "<p class='verdict"
              << (right   ? " good'>✓ "
                  : wrong ? " bad'>✗ "
                          : "'>"))
                .text(sim::conclusion_text(report_, verification_))
            << "</p>\n";
        (out_ << "<p class=soft>")
                .text(std::string(program_.machine.what) + (*program_.machine.what == '\0' ? "" : "; ") +
                      count_words(report_.devices, "device"))
            << ", simulated. Counts are exact, and there are no times among them.</p>\n";
        if (!report_.fault.found()) return;
        (out_ << "<div class=fault role=alert><b>").text(sim::name(report_.fault.kind)) << "</b><p>";
        out_.text(report_.fault.text) << "</p>";
        const auto link = [&](const char* between, int statement) {
            if (statement >= 0) out_ << between << "<a href='#s" << statement << "'>statement " << statement << "</a>";
        };
        out_ << "<p>";
        link("", report_.fault.statement);
        if (report_.fault.other_statement != report_.fault.statement) link(" and ", report_.fault.other_statement);
        out_ << "</p>";
        out_ << "</div>\n";
    }

    void verification()
    {
        out_ << "<section aria-labelledby=verified><h2 id=verified>Outputs beside the reference</h2>\n";
        if (verification_ == nullptr) {
            out_ << "<p class=soft>This run was not verified.</p></section>\n";
            return;
        }
        heads({"output", "", "shape", "elements", "wrong", "worst at", "got", "should be", "error", "within"}, 3);
        for (const TensorCheck& t : verification_->tensors) {
            const ElementCheck& w = t.worst;
            out_ << "<tr>";
            cell(t.name, "text");
            out_ << "<td class='text " << (t.ok() ? "good'>✓ " : "bad'>✗ ") << t.word() << "</td>";
            cell(type_text(t.dtype, t.shape), "text");
            cell(grouped(t.elements));
            cell(grouped(t.wrong));
            cell("(" + listed(w.coord, [](std::int64_t x) { return std::to_string(x); }) + ")");
            for (const double x : {w.got, w.want, w.error, w.bound}) cell(sim::format::number(x));
            out_ << "</tr>\n";
        }
        out_ << "</table></div></section>\n";
    }

    void listing()
    {
        out_ << "<section aria-labelledby=program><h2 id=program>Program</h2>\n<p class=soft>A statement opens on what became of "
                "it.</p>\n<div class=program>\n";
        for (const ProgramTensor& t : program_.tensors)
            if (t.binding != Binding::local) {
                constexpr const char* bindings[] = {"local", "input", "output", "inout"};
                row(-1, 0, std::string(bindings[static_cast<int>(t.binding)]) + " " + t.name + ": " + print(t));
            }
        for (const sim::StatementLine& line : sim::statement_lines(program_)) {
            std::vector<const Choice*> choices;
            for (const Choice& c : lowered_.choices)
                if (c.statement == line.statement && line.statement >= 0) choices.push_back(&c);
            const auto counted = report_.statements.find(line.statement);
            const sim::Counters* counters = counted == report_.statements.end() ? nullptr : &counted->second;
            if (choices.empty() && counters == nullptr)
                row(line.statement, line.depth, line.text);
            else
                opening(line, choices, counters);
        }
        out_ << "</div></section>\n";
    }
    [[nodiscard]] bool is_faulty(int statement) const
    {
        return report_.fault.found() && statement >= 0 &&
               (statement == report_.fault.statement || statement == report_.fault.other_statement);
    }
    void code(int statement, int depth, const std::string& text)
    {
        out_ << "<span class=number>" << (is_faulty(statement) ? "✗ " : "") << (statement < 0 ? "" : std::to_string(statement))
             << "</span><span class=code style='--d:" << depth << "'>";
        out_.text(text) << "</span>";
    }
    void row(int statement, int depth, const std::string& text)
    {
        out_ << "<div class='row" << (is_faulty(statement) ? " here'" : "'");
        if (statement >= 0) out_ << " id=s" << statement;
        out_ << ">";
        code(statement, depth, text);
        out_ << "</div>\n";
    }

    void opening(const sim::StatementLine& line, const std::vector<const Choice*>& choices, const sim::Counters* counters)
    {
        out_ << "<details id=s" << line.statement << (is_faulty(line.statement) ? " class=here open" : "") << "><summary>";
        code(line.statement, line.depth, line.text);
        for (const Choice* c : choices) (out_ << "<span class=tag>").text(c->schedule) << "</span>";
        out_ << "<span class=count>" << (counters != nullptr ? count_text(counters->instructions) : "") << "</span>";
        out_ << "</summary>\n<div class=inside>";
        for (const Choice* c : choices) {
            (out_ << "<p><b>").text(c->schedule) << "</b>";
            (out_ << (c->detail.empty() ? "" : ": ")).text(c->detail) << "</p>";
            if (c->declined.empty()) continue;
            out_ << "<h3>Declined</h3><dl>";
            for (const auto& [schedule, reason] : c->declined) {
                (out_ << "<dt>").text(schedule) << "</dt><dd>";
                out_.text(reason) << "</dd>";
            }
            out_ << "</dl>";
        }
        if (const auto made = made_.find(line.statement); made != made_.end()) {
            constexpr std::size_t most = 12;
            out_ << "<h3>Lowered to</h3>";
            for (std::size_t i = 0; i < made->second.size() && i < most; ++i)
                (out_ << "<p class=lowered>").text(made->second[i]) << "</p>";
            if (made->second.size() > most)
                out_ << "<p class=soft>and " << count_words(static_cast<std::int64_t>(made->second.size() - most), "statement")
                     << " more</p>";
        }
        if (counters != nullptr) {
            out_ << "<h3>Counted</h3><p class=soft>" << count_text(counters->instructions) << "; lanes active "
                 << sim::format::percent(counters->lanes_active, counters->lanes) << "; " << grouped(counters->flops) << " flops; "
                 << grouped(counters->integer_ops) << " integer operations; " << grouped(counters->link_bytes)
                 << " B between devices</p>";
            if (!counters->memories.empty()) memory_rows(*counters, 0);
        }
        out_ << "</div></details>\n";
    }
    static std::string count_text(std::int64_t n) { return grouped(n) + (n == 1 ? " instruction" : " instructions"); }

    /// @param widest bytes that fill a bar; 0: no bars
    void memory_rows(const sim::Counters& counters, std::int64_t widest)
    {
        if (widest > 0)
            heads({"memory", "", "read", "written", "requests", "wavefronts", "at best", "degree", "sectors", "at best",
                   "efficiency"},
                  2);
        else
            heads({"memory", "read", "written", "requests", "wavefronts", "at best", "degree", "sectors", "at best", "efficiency"},
                  1);
        for (const auto& [memory, m] : counters.memories) {
            out_ << "<tr>";
            cell(memory, "text");
            if (widest > 0) bar(m.bytes_read + m.bytes_written, widest);
            for (const std::int64_t n : {m.bytes_read, m.bytes_written, m.requests, m.wavefronts, m.ideal_wavefronts})
                cell(grouped(n));
            cell(sim::format::ratio(m.wavefronts, m.ideal_wavefronts, 2));
            for (const std::int64_t n : {m.sectors, m.ideal_sectors}) cell(grouped(n));
            cell(sim::format::percent(m.ideal_sectors, m.sectors));
            out_ << "</tr>\n";
        }
        out_ << "</table></div>";
    }
    void bar(std::int64_t bytes, std::int64_t widest)
    {
        const std::int64_t share = static_cast<std::int64_t>(
            100.0 * static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(widest, 1)) + 0.5);
        out_ << "<td class='text barred'><span class=bar style='width:" << share << "%'></span></td>";
    }
    void memories()
    {
        out_ << "<section aria-labelledby=memories><h2 id=memories>Bytes by memory</h2>\n";
        std::int64_t widest = 0;
        for (const auto& [memory, m] : report_.total.memories) widest = std::max(widest, m.bytes_read + m.bytes_written);
        if (widest == 0)
            out_ << "<p class=soft>Nothing was counted.</p>";
        else
            memory_rows(report_.total, widest);
        out_ << "</section>\n";
    }
    void links()
    {
        if (report_.devices < 2) return;
        out_ << "<section aria-labelledby=links><h2 id=links>Bytes between devices</h2>\n";
        std::int64_t widest = 0;
        for (const auto& [id, c] : report_.statements) widest = std::max(widest, c.link_bytes);
        if (widest == 0) {
            out_ << "<p class=soft>None.</p></section>\n";
            return;
        }
        heads({"statement", "", "instruction", "bytes"}, 3);
        for (const auto& [id, c] : report_.statements) {
            if (c.link_bytes == 0) continue;
            out_ << "<tr><td class=text><a href='#s" << id << "'>" << id << "</a></td>";
            bar(c.link_bytes, widest);
            std::string texts;
            for (const auto& [text, n] : c.by_text) texts += (texts.empty() ? "" : ", ") + text;
            cell(texts, "text");
            cell(grouped(c.link_bytes));
            out_ << "</tr>\n";
        }
        out_ << "<tr class=sum><td class=text>all</td><td></td><td></td>";
        cell(grouped(report_.total.link_bytes));
        out_ << "</tr></table></div></section>\n";
    }
    void instructions()
    {
        out_ << "<section aria-labelledby=instructions><h2 id=instructions>Instructions</h2>\n";
        heads({"instruction", "issues"}, 1);
        for (const auto& [text, n] : report_.total.by_text) {
            out_ << "<tr>";
            cell(text, "text long");
            cell(grouped(n));
            out_ << "</tr>\n";
        }
        out_ << "<tr class=sum>";
        cell("all", "text");
        cell(grouped(report_.total.instructions));
        out_ << "</tr></table></div>\n<p class=soft>Lanes active: "
             << sim::format::percent(report_.total.lanes_active, report_.total.lanes) << "; " << grouped(report_.total.flops)
             << " flops; " << grouped(report_.total.integer_ops) << " integer operations; " << grouped(report_.total.barriers)
             << " arrivals at barriers.</p></section>\n";
    }

    const Program& program_;
    const Lowered& lowered_;
    const sim::Report& report_;
    const Verification* verification_;
    std::map<int, std::vector<std::string>> made_{}; ///< the lowered statements of each number
    Markup out_{};
};

} // namespace detail

AXE_DECL std::string run_page(const Program& program, const Lowered& lowered, const sim::Report& report,
                              const Verification* verification)
{
    return detail::RunPage(program, lowered, report, verification).text();
}

AXE_DECL Result<void, Problem> write_run_page(const std::string& path, const Program& program, const Lowered& lowered,
                                              const sim::Report& report, const Verification* verification)
{
    return write_file(path, {run_page(program, lowered, report, verification)});
}

} // namespace v0
} // namespace axe

#endif
