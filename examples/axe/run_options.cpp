// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_options.hpp"

#include "reply.hpp"

namespace axe_cli {
namespace {

using axe::errc;
using axe::Problem;

/// What was typed, before it is known what the story takes.
struct Typed {
    std::string machine{}, devices{}, threads{}, checks{}, output{}, report{}, picture{}, trace{};
    bool show = false;
    std::vector<std::string> inputs{};
    std::vector<std::pair<std::string, std::string>> values{}, schedules{};
};

Problem pair_of(std::string_view option, std::string_view text, std::vector<std::pair<std::string, std::string>>& out)
{
    const std::size_t at = text.find('=');
    if (at == std::string_view::npos || at == 0)
        return {errc::bad_syntax, std::string(option) + " takes NAME=VALUE, not " + axe_cli::quoted(text)};
    out.emplace_back(text.substr(0, at), text.substr(at + 1));
    return {};
}

const OptionRow<Typed> rows[] = {
    {{"--machine", "M", "on which machine; `axe machines` lists them"},
     [](Typed& t, std::string_view v) {
         t.machine = v;
         return Problem();
     }},
    {{"--devices", "N", "on how many of them"},
     [](Typed& t, std::string_view v) {
         t.devices = v;
         return Problem();
     }},
    {{"--set", "NAME=VALUE", "a parameter of the story"},
     [](Typed& t, std::string_view v) { return pair_of("--set", v, t.values); }},
    {{"--schedule", "OP=NAME", "force a schedule of an operator, or of the statement with a number; `axe schedules` lists them"},
     [](Typed& t, std::string_view v) { return pair_of("--schedule", v, t.schedules); }},
    {{"--input", "PATH", "arrays to use: a folder with NAME.npy for each, or one such file"},
     [](Typed& t, std::string_view v) {
         t.inputs.emplace_back(v);
         return Problem();
     }},
    {{"--output", "FOLDER", "write each output there as NAME.npy"},
     [](Typed& t, std::string_view v) {
         t.output = v;
         return Problem();
     }},
    {{"--report", "FILE", "write a page of HTML: program, schedules, data movement, counters"},
     [](Typed& t, std::string_view v) {
         t.report = v;
         return Problem();
     }},
    {{"--picture", "FILE", "write a drawing of the data movement, SVG"},
     [](Typed& t, std::string_view v) {
         t.picture = v;
         return Problem();
     }},
    {{"--trace", "FILE", "write what each agent issued, for Perfetto or chrome://tracing"},
     [](Typed& t, std::string_view v) {
         t.trace = v;
         return Problem();
     }},
    {{"--checks", "full|fast", "full: races, bounds, uninitialised reads, ...; fast: none of them"},
     [](Typed& t, std::string_view v) {
         t.checks = v;
         return Problem();
     }},
    {{"--threads", "N", "of this computer; the results do not depend on it"},
     [](Typed& t, std::string_view v) {
         t.threads = v;
         return Problem();
     }},
    {{"--show", "", "print the kernel as written and as lowered"},
     [](Typed& t, std::string_view) {
         t.show = true;
         return Problem();
     }},
};

Problem number_of(const char* option, const std::string& text, int most, int& out)
{
    std::int64_t number = 0;
    if (text.empty()) return {};
    if (read_number(text, 1, most, number)) {
        out = static_cast<int>(number);
        return {};
    }
    return {errc::bad_argument,
            std::string(option) + " takes a number from 1 to " + std::to_string(most) + ", not " + axe_cli::quoted(text)};
}

} // namespace

std::span<const Option> run_options()
{
    static const std::vector<Option> shown = options_of(rows);
    return shown;
}

axe::Outcome<RunRequest> read_run_request(Fields arguments)
{
    RunRequest out;
    Typed typed;
    std::vector<const char*> names;
    for (const stories::Story& story : stories::table()) names.push_back(story.name);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].starts_with("--")) {
            const auto option = typed_option("run", "axe run", run_options(), arguments, i);
            if (!option) return option.error();
            if (const Problem p = rows[option->which].read(typed, option->value)) return p;
        } else if (out.story != nullptr) {
            return Problem(errc::bad_argument,
                           "run takes one story; there is " + quoted(arguments[i]) + " besides " + out.story->name);
        } else if ((out.story = stories::find(arguments[i])) == nullptr) {
            return Problem(errc::bad_argument, "no story is called " + quoted(arguments[i]) + did_you_mean(arguments[i], names) +
                                                   "; `axe run` lists them");
        }
    }
    if (out.story == nullptr) return Problem(errc::bad_argument, "run takes the name of a story; `axe run` lists them");

    int devices = 0;
    if (const Problem p = number_of("--devices", typed.devices, 1 << 10, devices)) return p;
    if (const Problem p = number_of("--threads", typed.threads, 1 << 10, out.threads)) return p;
    if (typed.checks == "fast")
        out.level = axe::sim::Level::fast;
    else if (!typed.checks.empty() && typed.checks != "full")
        return Problem(errc::bad_argument, "--checks is full or fast, not " + axe_cli::quoted(typed.checks));
    out.show = typed.show;
    out.output = typed.output;
    out.report = typed.report, out.picture = typed.picture, out.trace = typed.trace;
    auto setting = stories::setting(*out.story, typed.machine, devices, typed.values);
    if (!setting) return setting.error();
    out.setting = std::move(*setting);
    out.setting.schedules = std::move(typed.schedules);
    for (const std::string& path : typed.inputs)
        if (const Problem p = out.setting.files.add(path)) return p;
    return out;
}

} // namespace axe_cli
