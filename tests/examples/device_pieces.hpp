// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_EXAMPLES_DEVICE_PIECES_HPP
#define AXE_TESTS_EXAMPLES_DEVICE_PIECES_HPP

#include <catch.hpp>
#include <functional>
#include <perform.hpp>
#include <string>
#include <tests/required.hpp>

/// Kernels of several devices with one flag or barrier less, or with a device that is slow.
namespace device_pieces {

using Values = std::vector<std::pair<std::string, std::string>>;

inline examples::Setting setting_of(const examples::Example& example, const char* machine, int devices, const Values& values)
{
    auto setting = examples::setting(example, machine, devices, values);
    INFO(setting.error().text);
    REQUIRE(setting);
    return std::move(*setting);
}

/// Calls f(statement, how many of its kind came before); what it says no to is left out.
inline void filter(axe::Body& body, const std::function<bool(axe::Statement&)>& keeps)
{
    axe::rewrite(body, [&](axe::Statement& s, axe::Body& out) {
        axe::for_each_body(s, [&](axe::Body& inner) { filter(inner, keeps); });
        if (keeps(s)) out.push_back(std::move(s));
    });
}

/// The fault of a program, lowered and run; `none` when its outputs are those that it states.
inline axe::sim::Fault fault_of(const axe::Program& program, const axe::Bindings& inputs, const axe::sim::RunOptions& options = {})
{
    for (const axe::Problem& p : validate(program)) FAIL(p.text);
    const auto lowered = required(lower(program));
    auto report = required(axe::sim::run(lowered->program, inputs, options));
    if (report->ok()) CHECK(verify(program, inputs, report->outputs)->ok());
    return report->fault;
}

inline bool is_signal(const axe::Statement& s)
{
    const auto* flag = std::get_if<axe::Flag>(&s.what);
    return flag != nullptr && (flag->action == axe::Flag::Action::store || flag->action == axe::Flag::Action::add);
}
inline bool is_wait(const axe::Statement& s) { return std::holds_alternative<axe::Flag>(s.what) && !is_signal(s); }
inline bool is_meeting(const axe::Statement& s)
{
    return std::holds_alternative<axe::Barrier>(s.what) || std::holds_alternative<axe::ClusterBarrier>(s.what);
}

/// The numbers of the statements that are such.
inline std::vector<int> numbers_of(const axe::Program& program, const std::function<bool(const axe::Statement&)>& is_such)
{
    std::vector<int> out;
    axe::for_each_statement(program.body, [&](const axe::Statement& s) {
        if (is_such(s)) out.push_back(s.id);
        return false;
    });
    return out;
}
inline axe::Program without(axe::Program program, int statement)
{
    filter(program.body, [&](axe::Statement& s) { return s.id != statement; });
    return program;
}
inline axe::Program with_flag(axe::Program program, int statement, const std::function<void(axe::Flag&)>& change)
{
    filter(program.body, [&](axe::Statement& s) {
        if (auto* flag = std::get_if<axe::Flag>(&s.what); flag != nullptr && s.id == statement) change(*flag);
        return true;
    });
    return program;
}

/// In each grid, the blocks of one device count to a number first.
inline axe::Program slowed(axe::Program program, int device, int count)
{
    program.scalars.push_back({"spin", 0});
    program.variables.push_back({"step", 0, count});
    const int scalar = static_cast<int>(program.scalars.size()) - 1;
    const axe::Var step{static_cast<int>(program.variables.size()) - 1, {}};
    for (axe::Statement& s : program.body) {
        auto* grid = std::get_if<axe::Grid>(&s.what);
        if (grid == nullptr) continue;
        axe::For loop{step, 0, count, 1, {}};
        loop.body.push_back({program.statements++, axe::Assign{scalar, axe::Expression(step)}});
        axe::If late{equals(axe::Expression(program.device), device), {}, {}};
        late.then.push_back({program.statements++, std::move(loop)});
        grid->body.insert(grid->body.begin(), {program.statements++, std::move(late)});
    }
    return program;
}

/// Behind each grid another one, in which each device copies what it has of a tensor.
inline axe::Program with_readers(axe::Program program, const std::string& of)
{
    int from = 0;
    while (program.tensors[static_cast<std::size_t>(from)].name != of) ++from;
    program.tensors.push_back(program.tensors[static_cast<std::size_t>(from)]);
    program.tensors.back().name = "seen";
    program.tensors.back().binding = axe::Binding::local;
    const int to = static_cast<int>(program.tensors.size()) - 1;
    const auto whole = [&](int tensor) {
        axe::View v;
        v.tensor = tensor;
        v.extents = program.tensors[static_cast<std::size_t>(tensor)].shape;
        for (int d = 0; d < v.extents.size(); ++d) v.origin.emplace_back(0), v.dims.push_back(d), v.steps.push_back(1);
        return v;
    };
    axe::Body body;
    body.push_back({program.statements++, axe::Alloc{to}});
    for (axe::Statement& s : program.body) {
        const bool is_grid = std::holds_alternative<axe::Grid>(s.what);
        body.push_back(std::move(s));
        if (!is_grid) continue;
        axe::Operation copy{axe::Op::copy};
        copy.operands = {whole(to), whole(from)};
        program.variables.push_back({"reader", 0, 1});
        axe::Grid reader;
        reader.vars = {axe::Var{static_cast<int>(program.variables.size()) - 1, {}}};
        reader.counts = {1};
        reader.body.push_back({program.statements++, std::move(copy)});
        body.push_back({program.statements++, std::move(reader)});
    }
    program.body = std::move(body);
    return program;
}

} // namespace device_pieces

#endif
