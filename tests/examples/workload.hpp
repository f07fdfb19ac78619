// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_EXAMPLES_WORKLOAD_HPP
#define AXE_TESTS_EXAMPLES_WORKLOAD_HPP

#include <cstring>
#include <functional>
#include <tests/examples/performed.hpp>
#include <tests/required.hpp>

/// Examples of many small numbers and orders: right for each of many settings, in all orders, and found wrong when a statement is another one.
namespace workload {

using performed_examples::not_taken, performed_examples::performed, performed_examples::Values;

inline std::string text_of(const Values& values)
{
    std::string out;
    for (const auto& [name, value] : values) out += " " + name + "=" + value;
    return out;
}

/// Right on each machine that the example takes.
inline void check_right(const char* name, const std::vector<Values>& settings)
{
    for (const char* machine : examples::find(name)->machines)
        for (const Values& values : settings) {
            INFO(name << " on " << machine << text_of(values));
            const auto done = performed(name, machine, values);
            INFO(done.report.fault.text << done.verification.text());
            for (const std::string& line : done.conclusion.lines) INFO(line);
            CHECK(done.ok());
            CHECK(std::string(done.verification.word()) == "right");
        }
}

/// Right on sm90 in every order of agents; `same_bits`: and with the same bits, which atomic operations may exclude.
inline void check_orders(const char* name, const Values& values, bool same_bits)
{
    const auto first = performed(name, "sm90", values);
    REQUIRE(first.ok());
    for (const axe::sim::RunOrder order : axe::sim::all_run_orders) {
        axe::sim::RunOptions options;
        options.order = order;
        const auto again = axe::sim::run(first.lowered.program, first.inputs, options).value();
        INFO(name << text_of(values) << " " << axe::sim::name(order) << again.fault.text);
        REQUIRE(again.ok());
        const auto verified = axe::verify(first.program, first.inputs, again.outputs).value();
        INFO(verified.text());
        CHECK(verified.ok());
        for (const auto& output : again.outputs) {
            if (!same_bits) continue;
            INFO(output.name);
            const axe::Array& of = *first.report.outputs.find(output.name);
            CHECK(std::memcmp(of.data(), output.array.data(), static_cast<std::size_t>(of.size_bytes())) == 0);
        }
    }
}

/// How a run with these inputs of a kernel of which `change` made another one is found to be wrong: the kind of its fault, "wrong", or "right".
/// The change must have changed something.
inline std::string found(const examples::Performance& whole, const std::function<bool(axe::Statement&)>& change)
{
    axe::Program wrong = whole.program;
    int changed = 0;
    axe::for_each_statement(wrong.body, [&](axe::Statement& s) { changed += change(s) ? 1 : 0; });
    REQUIRE(changed > 0);
    const auto lowered = required(axe::lower(wrong));
    const auto report = axe::sim::run(lowered->program, whole.inputs).value();
    if (!report.ok()) return axe::sim::name(report.fault.kind);
    return axe::verify(whole.program, whole.inputs, report.outputs).value().ok() ? "right" : "wrong";
}

/// The statement as an operation of this kind, or null.
inline axe::Operation* operation(axe::Statement& s, axe::Op op)
{
    auto* out = std::get_if<axe::Operation>(&s.what);
    return out != nullptr && out->op == op ? out : nullptr;
}
inline axe::Operation* mapped(axe::Statement& s, axe::Function f)
{
    axe::Operation* out = operation(s, axe::Op::map);
    return out != nullptr && out->function == f ? out : nullptr;
}

} // namespace workload

#endif
