// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SCHEDULE_PIPELINED_RUNS_HPP
#define AXE_TESTS_UNIT_SCHEDULE_PIPELINED_RUNS_HPP

#include <catch.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>
#include <axe/program/walk.hpp>

/// Programs with stages against the same in program order: every output, every order of agents, all checks.
namespace pipelined_runs {

using namespace axe;

inline Bindings numbers(const Program& p)
{
    Bindings in;
    for (const ProgramTensor& t : p.tensors) {
        if (t.binding != Binding::input && t.binding != Binding::inout) continue;
        Array a = Array::make(t.shape, t.dtype).value();
        for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>((i * 7 + 3) % 11) - 5);
        in.set(t.name, std::move(a));
    }
    return in;
}

inline sim::Report run_in(const Program& p, const Target& target, const Bindings& in, sim::RunOrder order)
{
    const auto lowered = lower(p, target);
    INFO((lowered ? std::string() : lowered.error().text));
    INFO(print(p));
    REQUIRE(lowered.has_value());
    sim::RunOptions options;
    options.order = order;
    options.counters = false;
    auto report = required(sim::run(lowered->program, target, in, options));
    return std::move(*report);
}

inline bool same_outputs(const Program& p, const sim::Report& a, const sim::Report& b)
{
    for (const ProgramTensor& t : p.tensors) {
        if (t.binding != Binding::output && t.binding != Binding::inout) continue;
        const Array *x = a.outputs.find(t.name), *y = b.outputs.find(t.name);
        if (x == nullptr || y == nullptr || x->size() != y->size()) return false;
        for (std::int64_t i = 0; i < x->size(); ++i)
            if (!(x->at(i) == y->at(i))) return false;
    }
    return true;
}

/// The program has a loop with stages: what it computes is what it does in program order.
inline Pipelined check_same(const Program& p, const Target& target, const PipelineOptions& options = {})
{
    auto made = pipelined(p, target, options);
    INFO((made ? std::string() : made.error().text));
    INFO(print(p));
    REQUIRE(made.has_value());
    const auto problems = validate(made->program);
    INFO((problems.empty() ? std::string() : problems.front().text));
    INFO(print(made->program));
    REQUIRE(problems.empty());
    const Bindings in = numbers(p);
    const sim::Report expected = without_fault(run_in(in_program_order(p), target, in, sim::RunOrder::issue));
    for (const sim::RunOrder order : sim::all_run_orders) {
        const sim::Report report = run_in(made->program, target, in, order);
        INFO(name(order) << ": " << report.fault.text);
        REQUIRE(report.ok());
        REQUIRE(same_outputs(p, expected, report));
    }
    return std::move(*made);
}

} // namespace pipelined_runs

#endif
