// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SCHEDULE_PIPELINED_RUNS_HPP
#define AXE_TESTS_UNIT_SCHEDULE_PIPELINED_RUNS_HPP

#include <catch.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>
#include <axe/program/walk.hpp>
#include <tests/unit/sim/arrays.hpp>

/// Programs with stages against the same in program order: every output, every order of agents, all checks.
namespace pipelined_runs {

using namespace axe;

inline Bindings numbers(const Program& p)
{
    return arrays::inputs_of(p, [](const ProgramTensor&, std::int64_t i) { return (i * 7 + 3) % 11 - 5; });
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

/// C = times·A·B?
inline bool is_product(const sim::Report& report, const Bindings& in, double times = 1)
{
    const Array &c = *report.outputs.find("C"), &a = *in.find("A"), &b = *in.find("B");
    const std::int64_t rows = a.shape()[0], depth = a.shape()[1], columns = b.shape()[1];
    for (std::int64_t m = 0; m < rows; ++m)
        for (std::int64_t n = 0; n < columns; ++n) {
            double sum = 0;
            for (std::int64_t i = 0; i < depth; ++i) sum += a.at(m * depth + i) * b.at(i * columns + n);
            if (!(c.at(m * columns + n) == times * sum)) return false;
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

/// Takes statement `number` of those that are waits, fences or barriers away, counted before; `text` is what it was.
inline bool take_away(Program& p, Body& body, int& number, std::string& text)
{
    for (std::size_t i = 0; i < body.size(); ++i) {
        Statement& s = body[i];
        const auto* m = std::get_if<Mbarrier>(&s.what);
        const bool orders = std::holds_alternative<Barrier>(s.what) || std::holds_alternative<ProxyFence>(s.what) ||
                            (m != nullptr && (m->action == Mbarrier::Action::wait || m->action == Mbarrier::Action::commit));
        if (orders && number-- == 0) {
            text = print(p, s) + "\n";
            body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
            return true;
        }
        if (for_each_body(s, [&](Body& inner) { return take_away(p, inner, number, text); })) return true;
    }
    return false;
}

/// Without any one of those, do runs find it? The texts of those of which they do not, and how many there are.
inline std::pair<std::string, int> unfound_removals(const Program& program, const Target& target, const Bindings& in)
{
    const sim::Report expected = run_in(program, target, in, sim::RunOrder::issue);
    std::pair<std::string, int> out;
    for (;; ++out.second) {
        Program less = program;
        int number = out.second;
        std::string text;
        if (!take_away(less, less.body, number, text)) return out;
        const auto lowered = lower(less, target);
        REQUIRE(lowered.has_value());
        bool found = false;
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.order = order;
            options.counters = false;
            const auto report = sim::run(lowered->program, target, in, options);
            found = found || !report || !report->ok() || !same_outputs(program, expected, *report);
            if (found) break;
        }
        if (!found) out.first += text;
    }
}

struct GroupedProduct {
    std::int64_t m = 40, n = 40, k = 104;
    int stages = 3;
    std::vector<AgentRole> roles{};
    bool bulk = true;
    int last = stages - 1; ///< the stage of the product
};
/// C = A·B, tile by tile, with the copies in a group and the product in another one.
inline Program grouped_product(const Machine& machine, const GroupedProduct& z)
{
    using enum DType;
    const std::int64_t tile = std::string(machine.name) == "sm100" ? 128 : 64;
    Kernel k("product", machine);
    const auto A = k.input("A", {z.m, z.k}, f16), B = k.input("B", {z.k, z.n}, f16), C = k.output("C", {z.m, z.n}, f32);
    k.computes(C, matmul(A, B));
    k.cta(
        tiles(C, {tile, tile}),
        [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::shared, {tile, 32}, f16, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, {32, tile}, f16, conflict_free, "b");
            const auto acc = cta.alloc(Role::accumulator, {tile, tile}, f32, accumulator, "acc");
            cta.fill(acc, 0);
            cta.loop(tiles(z.k, 32), Stages{z.stages, {0, z.last}, {0, 1}, z.roles, z.bulk}, [&](Interval s) {
                cta.pipeline_group(0, [&] { cta.copy(a, A(t.rows, s)).copy(b, B(s, t.cols)); });
                if (z.roles.empty()) cta.sync();
                cta.pipeline_group(1, [&] { cta.gemm(acc, a, b); });
                if (z.roles.empty()) cta.sync();
            });
            cta.copy(C(t), acc);
        },
        z.roles.empty() ? 4 : 5);
    return k.program().value();
}

} // namespace pipelined_runs

#endif
