// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perform.hpp"

#include <axe/program/walk.hpp>

#include <chrono>

namespace examples {
namespace {

using axe::Body;
using axe::errc;
using axe::Problem;

/// Forces the schedule of the operators that the words name, in a body and all bodies within it; how many there were.
int force(Body& body, const std::string& which, const std::string& schedule)
{
    int found = 0;
    axe::for_each_statement(body, [&](axe::Statement& s) {
        auto* operation = std::get_if<axe::Operation>(&s.what);
        if (operation == nullptr || (which != axe::name(operation->op) && which != std::to_string(s.id))) return;
        operation->options.schedule = schedule;
        ++found;
    });
    return found;
}

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

axe::Result<axe::Program, axe::Problem> written(const Example& example, const Setting& setting)
{
    auto program = example.build(setting);
    if (!program) return program;
    for (const auto& [which, schedule] : setting.schedules)
        if (force(program->body, which, schedule) == 0)
            return Problem(errc::bad_argument, std::string(example.name) + " has no operator \"" + which +
                                                   "\": it is the name of one, or the number of a statement (--show prints them)");
    for (const Problem& problem : axe::validate(*program)) return problem;
    return program;
}

axe::Result<Performance, axe::Problem> perform(const Example& example, const Setting& setting, const axe::sim::RunOptions& options,
                                               const axe::ReferenceOptions& reference)
{
    Performance out;
    auto program = written(example, setting);
    if (!program) return program.error();
    out.program = std::move(*program);
    auto inputs = example.inputs(setting, out.program);
    if (!inputs) return inputs.error();
    out.inputs = std::move(*inputs);

    auto start = std::chrono::steady_clock::now();
    auto lowered = axe::lower(out.program);
    if (!lowered) return lowered.error();
    out.lowered = std::move(*lowered);
    out.lower_seconds = seconds_since(start);

    start = std::chrono::steady_clock::now();
    auto report = axe::sim::run(out.lowered.program, out.inputs, options);
    if (!report) return report.error();
    out.report = std::move(*report);
    out.run_seconds = seconds_since(start);
    if (!out.report.ok()) return out;

    auto verified = axe::verify(out.program, out.inputs, out.report.outputs, reference);
    if (!verified) return verified.error();
    out.verification = std::move(*verified);
    if (example.conclude == nullptr) return out;
    auto conclusion = example.conclude(setting, {out.program, out.lowered, out.inputs, out.report.outputs, out.report.total});
    if (!conclusion) return conclusion.error();
    out.conclusion = std::move(*conclusion);
    return out;
}

} // namespace examples
