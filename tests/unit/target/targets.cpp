// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>

#include <axe/kernels.hpp>
#include <axe/sim/reference/bounds_functions.hpp>
#include <axe/sim/reference/operators.hpp>
#include <axe/sim/reference/reference.hpp>
#include <axe/target/nvidia/targets.hpp>
#include <axe/target/trainium/targets.hpp>
#include <axe/text/literals.hpp>

#include <set>
#include <string>
#include <tests/required.hpp>
#include <tests/unit/sim/arrays.hpp>
#include <tests/without_lines.hpp>
#include <vector>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;

namespace {

/// D = A by way of registers, one core and one agent.
Program copied(const Machine& machine, std::int64_t n = 64, const Placement& placement = LayoutHint::registers)
{
    Kernel k("copied", machine);
    const auto a = k.input("A", {n}, f32);
    const auto d = k.output("D", {n}, f32);
    k.cta(
        tiles(d, {n}),
        [&](Scope core, const Tile& t) {
            const auto r = core.alloc(Role::registers, {n}, f32, placement, "r");
            core.copy(r, a(t));
            core.copy(d(t), r);
        },
        1);
    return k.program().value();
}

Bindings numbers(const Program& program)
{
    return arrays::inputs_of(program, [](const ProgramTensor&, std::int64_t i) { return static_cast<double>(i) - 3.5; });
}

constexpr FunctionRow twice_row{"twice",
                                1,
                                Domain::numbers,
                                [](double a, double, double) { return 2 * a; },
                                [](float a, float, float) { return 2 * a; },
                                [](std::int64_t a, std::int64_t, std::int64_t) { return 2 * a; },
                                false,
                                0,
                                0,
                                1,
                                [](const Bounded* a, DType) { return ref::sum(a[0], a[0]); }};
constexpr FunctionRow unbounded_row{
    "unbounded", 1, Domain::numbers, [](double a, double, double) { return a; }, [](float a, float, float) { return a; }, nullptr};

Program mapped(const Machine& machine, Function f)
{
    Kernel k("mapped", machine);
    const auto a = k.input("A", {64}, f32);
    const auto d = k.output("D", {64}, f32);
    k.cta(tiles(d, {64}), [&](Scope core, const Tile& t) { core.map(f, d(t), {a(t)}); }, 1);
    return k.program().value();
}

constexpr Operator strange_row{
    "strange", {"D", "A"}, "D = A", [](const Program&, const Operation&) { return Result<void, Problem>(); }};

std::vector<std::string> seen;
constexpr Pass noting[] = {
    {"late", "notes", Pass::On::instructions,
     [](Program& p) -> Result<void, Problem> {
         seen.push_back("late " + std::to_string(p.body.size()));
         return {};
     }},
    {"early", "notes", Pass::On::operators,
     [](Program&) -> Result<void, Problem> {
         seen.emplace_back("early");
         return {};
     }},
};
constexpr Pass refusing{"refusing", "refuses", Pass::On::operators,
                        [](Program&) -> Result<void, Problem> { return Problem(errc::bad_argument, "not today"); }};

constexpr HintRule backwards{"backwards", "elements from the last register on",
                             [](const HintRequest& r) { return r.tensor().name == "r"; },
                             [](const HintRequest&) -> Result<HintedLayout, axe::Problem> {
                                 HintedLayout out;
                                 out.layout.layout = "64:-1@reg + 63@reg"_axe;
                                 out.detail = "backwards";
                                 return out;
                             }};

} // namespace

TEST_CASE("targets: each has its machine's name, rows of every kind with names of their own, and finds itself")
{
    std::set<std::string> names;
    for (const Target* target : targets::all()) {
        INFO(target->machine.name);
        names.insert(target->machine.name);
        CHECK(targets::find(target->machine.name) == target);
        CHECK_FALSE(target->schedules.empty());
        CHECK_FALSE(target->opcodes.empty());
        CHECK(target->operators.size() == static_cast<int>(std::size(operator_rows)));
        CHECK(target->functions.size() == static_cast<int>(std::size(function_rows)));
        CHECK_FALSE(target->hints.empty());
        std::set<std::pair<std::string, std::string>> rows;
        for (const Schedule& row : target->schedules) CHECK(rows.emplace(name(row.op), row.name).second);
    }
    CHECK(names.size() == static_cast<std::size_t>(targets::all().size()));
    CHECK(targets::all().size() == machines::all().size());
    for (const Machine* machine : machines::all()) CHECK(targets::find(machine->name) != nullptr);
    CHECK(targets::find("sm42") == nullptr);
    CHECK(targets::find("") == nullptr);
}

TEST_CASE("targets: a family's header makes the target of another machine, and defines no target a second time")
{
    Machine mine = machines::sm80;
    mine.name = "mine";
    const Target target = targets::nvidia::family(mine);
    CHECK(std::string(target.machine.name) == "mine");
    CHECK(target.schedules.size() == targets::sm80.schedules.size());
    CHECK(target.opcodes.size() == targets::sm80.opcodes.size());
    CHECK(&*target.hints.begin() == &*targets::sm80.hints.begin());
    CHECK(std::string((*target.hints.begin()).name) == "tensor_memory");
    CHECK(std::string((*target.passes.begin()).name) == "tensor_accumulators");
    CHECK(targets::trainium::family(machines::trn1).passes.size() == 1);
    CHECK(targets::find("sm80") == &targets::sm80);
}

TEST_CASE("lower: a program for another machine than the target's is refused with both names")
{
    const auto lowered = lower(copied(machines::cpu), targets::sm80);
    REQUIRE_FALSE(lowered.has_value());
    CHECK(lowered.error().text == "copied: the program is for machine cpu, the target is sm80");
}

TEST_CASE("lower and run: a machine that the library has no target for asks for one, and runs with one")
{
    Machine mine = machines::cpu;
    mine.name = "mine";
    const Program program = copied(mine);
    CHECK(lower(program).error().text == "copied: the library has no target for machine mine, it has cpu, sm80, sm90, sm100, trn1, "
                                         "trn2, spyre\nhint: give the target");
    Target target = targets::cpu;
    target.machine = mine;
    const auto lowered = required(lower(program, target));
    CHECK(sim::run(lowered->program, numbers(program)).error().text.find("no target for machine mine") != std::string::npos);
    const auto report = required(sim::run(lowered->program, target, numbers(program)));
    CHECK(report->ok());
    CHECK(report->outputs.find("D")->at(5) == 1.5);
}

TEST_CASE("lower: an operator or a function that the target does not list is refused with the place to add it")
{
    Kernel k("odd", machines::cpu);
    const auto a = k.input("A", {4}, f32);
    const auto d = k.output("D", {4}, f32);
    k.cta(tiles(d, {4}), [&](Scope core, const Tile&) { core.operate(Op(strange_row), {d, a}); }, 1);
    const auto lowered = lower(k.program().value(), targets::cpu);
    REQUIRE_FALSE(lowered.has_value());
    CHECK(without_lines(lowered.error().text) ==
          "odd, statement 1: target cpu has no operator `strange`\nhint: add its row to `Target::operators`");
    CHECK(without_lines(lower(mapped(machines::cpu, Function(twice_row)), targets::cpu).error().text) ==
          "mapped, statement 1: target cpu has no function `twice`\nhint: add its row to `Target::functions`");
    // Listed, the operator has no schedule.
    Target target = targets::cpu;
    target.operators.add(strange_row);
    CHECK(lower(k.program().value(), target).error().text.find("no schedule implements this strange") != std::string::npos);
    // Nothing to hold results against.
    auto inputs = numbers(k.program().value());
    CHECK(verify(k.program().value(), inputs, Bindings{}).has_value() == false);
    CHECK(reference(k.program().value(), inputs).error().text.find("operator `strange` has no reference") != std::string::npos);
}

TEST_CASE("a function of a user's own runs, is counted, and is held against its bounds")
{
    Target target = targets::cpu;
    target.functions.add(twice_row);
    target.functions.add(unbounded_row);
    const Program program = mapped(machines::cpu, Function(twice_row));
    const auto lowered = required(lower(program, target));
    const Bindings inputs = numbers(program);
    auto report = required(sim::run(lowered->program, target, inputs));
    REQUIRE(report->ok());
    CHECK(report->outputs.find("D")->at(10) == 13);
    CHECK(report->total.flops == 64);
    CHECK(verify(program, inputs, report->outputs)->ok());
    // A wrong result is seen.
    report->outputs.find("D")->set(10, 13.25);
    CHECK(verify(program, inputs, report->outputs)->tensors[0].wrong == 1);

    const Program unbounded = mapped(machines::cpu, Function(unbounded_row));
    CHECK(reference(unbounded, inputs).error().text.find("function `unbounded` has no bounds") != std::string::npos);
}

TEST_CASE("passes of a target run before and after the schedules, in the order of its table: their problems say which")
{
    Target target = targets::cpu;
    target.passes.add(noting);
    seen.clear();
    REQUIRE(lower(copied(machines::cpu), target).has_value());
    CHECK(seen == std::vector<std::string>{"early", "late 1"});
    target.passes.add(refusing);
    const auto lowered = lower(copied(machines::cpu), target);
    REQUIRE_FALSE(lowered.has_value());
    CHECK(lowered.error().text == "copied, pass refusing: not today");
}

TEST_CASE("the first layout rule of a target that applies decides: without one the tensor is named")
{
    Target target = targets::cpu;
    target.hints = Tables<HintRule>{backwards, targets::cpu.hints};
    const Program program = copied(machines::cpu);
    auto lowered = required(lower(program, target));
    CHECK(lowered->choices[0].detail == "r: backwards");
    CHECK(sim::run(lowered->program, target, numbers(program))->outputs.find("D")->at(9) == 5.5);

    target.hints = {};
    lowered = lower(program, target);
    REQUIRE_FALSE(lowered.has_value());
    CHECK(lowered.error().text ==
          "copied: r: no layout rule of target cpu applies to its hint; give it a layout, or add a HintRule to "
          "`Target::hints`");
}

TEST_CASE("run: an instruction that the target has no opcode for is named")
{
    const Program program = copied(machines::cpu);
    auto lowered = lower(program, targets::cpu).value();
    Target target = targets::cpu;
    target.opcodes = {};
    CHECK(without_lines(sim::run(lowered.program, target, numbers(program)).error().text) ==
          "copied, statement 2, move: target cpu has no such instruction inside blocks");
}
