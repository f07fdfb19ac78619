// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>

using namespace axe;
using Action = RegisterCount::Action;

namespace {

Program counting_registers(std::int64_t registers, int first = 0, int agents = 4, int all = 12,
                           const Machine& machine = machines::sm90)
{
    Kernel k("registers", machine);
    const auto C = k.output("C", {64}, DType::f32);
    one_block(k, all, [&](Scope cta) {
        cta.fill(C, 0);
        cta.warps(first, agents, [&](Scope w) { w.decrease_registers(registers); });
    });
    return k.program().value();
}
std::string register_problem(const Program& program)
{
    const auto problems = validate(program);
    return problems.empty() ? "" : problems.front().text;
}
bool register_text_ends(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

} // namespace

TEST_CASE("register counts: in the text of a program", "[program]")
{
    Program program = counting_registers(40);
    CHECK(print(program).find("registers decrease to 40\n") != std::string::npos);
    program.body.push_back({program.statements++, RegisterCount{Action::increase, 232}});
    program.thread_registers = 168;
    CHECK(print(program).find("registers increase to 232\n") != std::string::npos);
    CHECK(print(program).find("      registers 168 for each thread\n") != std::string::npos);
}

TEST_CASE("register counts: 24 to 256, a multiple of 8", "[program]")
{
    for (std::int64_t n = -8; n <= 300; ++n) {
        INFO(n);
        const bool sound = n >= 24 && n <= 256 && n % 8 == 0;
        const std::string found = register_problem(counting_registers(n));
        CHECK(found.empty() == sound);
        if (!sound) CHECK(register_text_ends(found, " for each thread; it must be a multiple of 8 from 24 to 256"));
        Program program = counting_registers(24);
        program.thread_registers = n;
        // 12 warps with more than 168 are more than a block has
        CHECK(register_problem(program).empty() == (n == 0 || (sound && n <= 168)));
    }
    CHECK(register_text_ends(register_problem(counting_registers(40, 0, 4, 12, machines::sm80)),
                             "sm80 does not give registers of one warpgroup to another"));
    CHECK(register_problem(counting_registers(40, 0, 4, 12, machines::sm100)).empty());
}

TEST_CASE("register counts: of whole warpgroups, inside blocks", "[program]")
{
    for (int first = 0; first < 12; ++first)
        for (int agents = 1; first + agents <= 12; ++agents) {
            INFO(first << " " << agents);
            const std::string found = register_problem(counting_registers(40, first, agents));
            CHECK(found.empty() == (first % 4 == 0 && agents % 4 == 0));
        }
    CHECK(register_text_ends(register_problem(counting_registers(40, 2, 4)),
                             "4 agents from 2 in steps of 1 change their registers; only whole warpgroups of 4 agents do"));
    Program outside = counting_registers(40);
    outside.body.push_back({outside.statements++, RegisterCount{Action::decrease, 24}});
    CHECK(register_text_ends(register_problem(outside), "registers are changed outside a block; it is for warpgroups of a block"));
    Kernel k("lanes", machines::sm90);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        cta.each_agent({4}, [&](Scope w, const std::vector<Affine>&) { w.decrease_registers(24); });
    });
    CHECK(register_problem(k.program().value())
              .find("registers are changed inside each_agent or each_thread; it is for warpgroups of the block") !=
          std::string::npos);
}

TEST_CASE("register counts: what a block starts with is what one block of a multiprocessor can have", "[program]")
{
    const auto start = [](int agents) {
        const Program program = counting_registers(24, 0, 4, agents);
        return allocate(program).value().grids.front();
    };
    for (int agents = 4; agents <= 32; ++agents) {
        std::int64_t most = 0; // of multiples of 8 up to 256, such that all threads have them
        for (std::int64_t n = 8; n <= 256; n += 8)
            if (n * agents * 32 <= 65536) most = n;
        CHECK(start(agents).thread_registers == most);
    }
    CHECK(start(12).thread_registers == 168);
    CHECK(start(12).resident == 1);
}

TEST_CASE("register counts: tensors fit what threads start with, where it stays so", "[program]")
{
    const auto with = [](std::int64_t registers) {
        using namespace axe::literals;
        Kernel k("fixed", machines::sm90);
        const auto A = k.input("A", {4 * 64}, DType::f32), C = k.output("C", {4 * 64}, DType::f32);
        k.thread_registers(registers);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto r = cta.alloc(Role::registers, {4 * 64}, DType::f32, "(4,64):(1@warp,1@reg)"_axe, "r");
            cta.copy(r, A).copy(C, r);
        });
        return k.program().value();
    };
    CHECK(register_problem(with(0)).empty());
    CHECK(register_problem(with(64)).empty());
    CHECK(register_text_ends(register_problem(with(56)), "tensors take 64 registers of each thread, which has 56"));
}

TEST_CASE("register counts: outside a block a run has a fault", "[program]")
{
    Program program = lower(counting_registers(40)).value().program;
    program.body.push_back({program.statements++, RegisterCount{Action::decrease, 24}});
    const auto report = required(sim::run(program, {}));
    CHECK(report->fault.kind == sim::FaultKind::divergence);
    CHECK(report->fault.text.find("registers are changed outside a block") != std::string::npos);
}

TEST_CASE("elected: the first agent of the scope", "[program]")
{
    const auto text = [](auto write) {
        Kernel k("elected", machines::sm90);
        const auto C = k.output("C", {64}, DType::f32);
        one_block(k, 12, [&](Scope cta) { write(cta, C); });
        CHECK(register_problem(k.program().value()).empty());
        return print(k.program().value());
    };
    CHECK(text([](Scope cta, const TensorRef& C) {
              cta.elected([&](Scope one) { one.fill(C, 1); });
          }).find("only 1 agent, from 0; elected\n") != std::string::npos);
    for (int first = 0; first < 12; ++first)
        CHECK(text([&](Scope cta, const TensorRef& C) {
                  cta.agents(first, 1 + (11 - first) / 2, 2, [&](Scope w) { w.elected([&](Scope one) { one.fill(C, 1); }); });
              }).find("only 1 agent, from " + std::to_string(first) + "; elected\n") != std::string::npos);
    CHECK(text([](Scope cta, const TensorRef& C) {
              cta.warpgroups(2, 1, "store", [&](Scope w) { w.elected([&](Scope one) { one.fill(C, 1); }); });
          }).find("only 1 agent, from 8; elected\n") != std::string::npos);
}
