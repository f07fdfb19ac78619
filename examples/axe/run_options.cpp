// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_options.hpp"

#include "machine_text.hpp"
#include "reply.hpp"

namespace axe_cli {
namespace {

using axe::errc;
using axe::Problem;

/// What was typed, before it is known what the example takes.
struct Typed {
    std::string machine{}, devices{}, threads{}, order{}, seed{}, checks{}, output{}, report_page{}, picture{}, trace{}, steps{},
        roles{}, watch{}, against{}, rows{};
    bool show = false, fastest = false, memory = false;
    std::vector<std::string> inputs{};
    std::vector<std::pair<std::string, std::string>> values{}, schedules{};
};

axe::Result<void, axe::Problem> pair_of(std::string_view option, std::string_view text,
                                        std::vector<std::pair<std::string, std::string>>& out)
{
    const std::size_t at = text.find('=');
    if (at == std::string_view::npos || at == 0)
        return {errc::bad_syntax, std::string(option) + " takes NAME=VALUE, not " + axe_cli::quoted(text)};
    out.emplace_back(text.substr(0, at), text.substr(at + 1));
    return {};
}

axe::Result<void, axe::Problem> read_set(Typed& t, std::string_view v) { return pair_of("--set", v, t.values); }
axe::Result<void, axe::Problem> read_schedule(Typed& t, std::string_view v) { return pair_of("--schedule", v, t.schedules); }
axe::Result<void, axe::Problem> read_input(Typed& t, std::string_view v)
{
    t.inputs.emplace_back(v);
    return {};
}

const OptionRow<Typed> run_rows[] = {
    {{"--machine", "M", "the machine; `axe machines` lists them"}, kept<&Typed::machine>},
    {{"--devices", "N", "the number of devices"}, kept<&Typed::devices>},
    {{"--set", "NAME=VALUE", "a parameter of the example"}, read_set},
    {{"--schedule", "OP=NAME", "force a schedule of an operator, or of the statement with a number; `axe schedules` lists them"},
     read_schedule},
    {{"--input", "PATH", "arrays to use: a folder with NAME.npy for each, or one such file"}, read_input},
    {{"--output", "FOLDER", "write each output there as NAME.npy"}, kept<&Typed::output>},
    {{"--report", "FILE", "write a page of HTML: program, schedules, data movement, counters"}, kept<&Typed::report_page>},
    {{"--picture", "FILE", "write a drawing of the data movement, SVG"}, kept<&Typed::picture>},
    {{"--roles", "FILE", "write a drawing of what each role does at which stage, SVG"}, kept<&Typed::roles>},
    {{"--trace", "FILE", "write what each agent issued, for Perfetto or chrome://tracing"}, kept<&Typed::trace>},
    {{"--steps", "FILE", "write a page of HTML that steps through the run: agents and memories over time"}, kept<&Typed::steps>},
    {{"--watch", "TENSOR[i,j]", "print every write and read of one element: agent, statement, value"}, kept<&Typed::watch>},
    {{"--checks", "full|fast", "full: races, bounds, uninitialized reads, ...; fast: none of them"}, kept<&Typed::checks>},
    {{"--threads", "N", "host threads; the results do not depend on the number"}, kept<&Typed::threads>},
    {{"--order", "WHICH", "in which agents have turns and operations access memory: issue, reversed, random, early or late"},
     kept<&Typed::order>},
    {{"--seed", "N", "of the order `random`"}, kept<&Typed::seed>},
    {{"--against", "WHAT", "what outputs are compared with: specification, operators or both"}, kept<&Typed::against>},
    {{"--rows", "N", "compare that many rows of each output with its specification, chosen at random; more is not computed"},
     kept<&Typed::rows>},
    {{"--fastest", "", "fail where an operator gets a slower class of instructions than the machine has for its types"},
     noted<&Typed::fastest>},
    {{"--show", "", "print the kernel as written and as lowered"}, noted<&Typed::show>},
    {{"--memory", "", "print which bytes of which memory each tensor has, and when, and the blocks that a multiprocessor holds"},
     noted<&Typed::memory>},
};

axe::Result<void, axe::Problem> number_of(const char* option, const std::string& text, int most, int& out)
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

/// "s[3,5]": a tensor, and an index a dimension.
axe::Result<void, axe::Problem> element_of(const std::string& text, RunRequest& out)
{
    if (text.empty()) return {};
    const Problem mistake(errc::bad_syntax, "--watch takes TENSOR[i,j], an index for each dimension, not " + axe_cli::quoted(text));
    const std::size_t open = text.find('[');
    if (open == 0 || open == std::string::npos || text.back() != ']') return mistake;
    out.watch_tensor = text.substr(0, open);
    const std::string_view indices = std::string_view(text).substr(open + 1, text.size() - open - 2);
    for (std::size_t at = 0; at <= indices.size();) {
        const std::size_t end = std::min(indices.find(',', at), indices.size());
        std::int64_t index = 0;
        if (out.watch.size() == axe::max_rank || !read_number(indices.substr(at, end - at), 0, std::int64_t{1} << 62, index))
            return mistake;
        out.watch.push_back(index);
        at = end + 1;
    }
    return {};
}

} // namespace

std::span<const Option> run_options()
{
    static const std::vector<Option> shown = options_of(run_rows);
    return shown;
}

axe::Result<RunRequest, axe::Problem> read_run_request(Fields arguments)
{
    RunRequest out;
    Typed typed;
    std::vector<const char*> names;
    for (const examples::Example& example : examples::table()) names.push_back(example.name);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].starts_with("--")) {
            const auto option = typed_option("run", "axe run", run_options(), arguments, i);
            if (!option) return option.error();
            if (const auto p = run_rows[option->which].read(typed, option->value); !p.ok()) return p;
        } else if (out.example != nullptr) {
            return Problem(errc::bad_argument,
                           "run takes one example; there is " + quoted(arguments[i]) + " besides " + out.example->name);
        } else if ((out.example = examples::find(arguments[i])) == nullptr) {
            return Problem(errc::bad_argument, "no example is called " + quoted(arguments[i]) + did_you_mean(arguments[i], names) +
                                                   "; `axe run` lists them");
        }
    }
    if (out.example == nullptr) return Problem(errc::bad_argument, "run takes the name of an example; `axe run` lists them");

    int devices = 0;
    if (const auto p = number_of("--devices", typed.devices, 1 << 10, devices); !p.ok()) return p;
    if (const auto p = number_of("--threads", typed.threads, 1 << 10, out.threads); !p.ok()) return p;
    if (const auto p = number_of("--seed", typed.seed, 1 << 30, out.seed); !p.ok()) return p;
    if (const auto order = axe::sim::run_order(typed.order))
        out.order = *order;
    else if (!typed.order.empty())
        return Problem(errc::bad_argument,
                       "--order is issue, reversed, random, early or late, not " + axe_cli::quoted(typed.order));
    int rows = 0;
    if (const auto p = number_of("--rows", typed.rows, 1 << 30, rows); !p.ok()) return p;
    out.verify.rows = rows;
    if (typed.against == "both")
        out.verify.against = axe::Against::both;
    else if (typed.against == "operators")
        out.verify.against = axe::Against::program;
    else if (!typed.against.empty() && typed.against != "specification")
        return Problem(errc::bad_argument, "--against is specification, operators or both, not " + axe_cli::quoted(typed.against));
    if (const auto p = element_of(typed.watch, out); !p.ok()) return p;
    if (typed.checks == "fast")
        out.level = axe::sim::Level::fast;
    else if (!typed.checks.empty() && typed.checks != "full")
        return Problem(errc::bad_argument, "--checks is full or fast, not " + axe_cli::quoted(typed.checks));
    out.show = typed.show;
    out.memory = typed.memory;
    out.output = typed.output;
    out.report = typed.report_page, out.picture = typed.picture, out.trace = typed.trace, out.steps = typed.steps,
    out.roles = typed.roles;
    auto setting = examples::setting(*out.example, typed.machine, devices, typed.values);
    if (!setting) {
        Problem problem = setting.error();
        if (const std::string_view meant = meant_machine(typed.machine); !typed.machine.empty() && !meant.empty())
            problem.text.append("; did you mean ").append(meant).append("?");
        return problem;
    }
    out.setting = std::move(*setting);
    out.setting.schedules = std::move(typed.schedules);
    out.setting.only_fastest = typed.fastest;
    for (const std::string& path : typed.inputs)
        if (const auto p = out.setting.files.add(path); !p.ok()) return p;
    return out;
}

} // namespace axe_cli
