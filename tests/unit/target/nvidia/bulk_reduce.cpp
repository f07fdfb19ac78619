// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include <axe/kernels.hpp>

using namespace axe;
using enum axe::DType;

/// When a reduction into global memory is a bulk reduction, and what instructions written by hand are told.
namespace {

Program program_of(const Machine& machine, DType type, Function f, std::int64_t columns, const Options& options,
                   bool backwards = false)
{
    Kernel k("reduced", machine);
    const auto S = k.inout("S", {8, columns}, type);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {8, columns}, type, {}, "s");
        cta.fill(s, 1).proxy_fence().sync();
        if (backwards)
            cta.atomic(f, s, S, options);
        else
            cta.atomic(f, S, s, options);
        cta.commit().wait_sources();
    });
    return k.program().value();
}
std::string forced(const Program& program)
{
    const auto lowered = lower(program);
    return lowered ? "" : lowered.error().text;
}
bool says(const std::string& text, const std::string& words)
{
    UNSCOPED_INFO(text);
    return text.find(words) != std::string::npos;
}
const Options wanted = [] {
    Options out;
    out.async = true;
    out.schedule = "bulk_reduce";
    return out;
}();

} // namespace

TEST_CASE("bulk reductions: with `async` on sm90, else atomic operations of the lanes", "[nvidia]")
{
    const auto schedule = [](const Machine& machine, bool async) {
        Options options;
        options.async = async;
        const auto lowered = lower(program_of(machine, i32, Function::add, 32, options));
        INFO((lowered ? "" : lowered.error().text));
        REQUIRE(lowered.has_value());
        return lowered->choices.back().schedule;
    };
    CHECK(schedule(machines::sm90, true) == "bulk_reduce");
    CHECK(schedule(machines::sm90, false) == "lanes");
    CHECK(schedule(machines::sm80, true) == "lanes");
}

TEST_CASE("bulk reductions: why one is declined", "[nvidia]")
{
    Options late = wanted;
    late.async = false;
    CHECK(says(forced(program_of(machines::sm90, i32, Function::add, 32, late)), "it is not asynchronous: `async` is not given"));
    CHECK(says(forced(program_of(machines::sm90, i32, Function::identity, 32, wanted)),
               "no bulk reduction of i32 by identity exists"));
    CHECK(says(forced(program_of(machines::sm90, f32, Function::max, 32, wanted)), "no bulk reduction of f32 by max exists"));
    CHECK(says(forced(program_of(machines::sm90, f32, Function::add, 32, wanted, true)),
               "S is in gmem and s in smem; the reduction must be from shared to global memory"));
    CHECK(forced(program_of(machines::sm90, bf16, Function::min, 32, wanted)).empty());
}

TEST_CASE("bulk reductions: instructions written by hand", "[nvidia]")
{
    const auto changed = [](const std::function<void(Instruction&)>& change) {
        Program program = lower(program_of(machines::sm90, f32, Function::add, 32, wanted)).value().program;
        for_each_statement(program.body, [&](const Statement& s) {
            auto* i = const_cast<Instruction*>(std::get_if<Instruction>(&s.what));
            if (i != nullptr && i->opcode == "bulk_reduce") change(*i);
        });
        Bindings inputs;
        inputs.set("S", Array::make({8, 32}, f32).value());
        const auto report = sim::run(program, inputs);
        return report ? report->fault.text : report.error().text;
    };
    CHECK(changed([](Instruction&) {}).empty());
    CHECK(says(changed([](Instruction& i) { i.function = Function::max; }), "no reduction of f32 by max exists"));
    CHECK(says(changed([](Instruction& i) { std::swap(i.operands[0], i.operands[1]); }),
               "the reduction must be from shared to global memory, got gmem to smem"));
    CHECK(says(changed([](Instruction& i) { i.parameters = {0}; }), "its parameter is how many copies it starts, at least 1"));
}
