// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>

using namespace axe;
using Action = NamedBarrier::Action;

namespace {

Program with(const NamedBarrier& barrier)
{
    Kernel k("named", machines::sm90);
    const auto C = k.output("C", {64}, DType::f32);
    one_block(k, 2, [&](Scope cta) { cta.fill(C, 0).named_barrier(barrier); });
    return k.program().value();
}
std::string problem(const NamedBarrier& barrier)
{
    const auto problems = validate(with(barrier));
    return problems.empty() ? "" : problems.front().text;
}
bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

} // namespace

TEST_CASE("named barriers: in the text of a program", "[program]")
{
    CHECK(print(with({Action::sync, 3, 64})).find("named barrier 3 sync 64 threads\n") != std::string::npos);
    CHECK(print(with({Action::arrive, 0, 32})).find("named barrier 0 arrive 32 threads\n") != std::string::npos);
}

TEST_CASE("named barriers: 16 of a block, for at least one thread, inside blocks", "[program]")
{
    CHECK(problem({Action::sync, 0, 64}).empty());
    CHECK(problem({Action::sync, 15, 64}).empty());
    CHECK(ends_with(problem({Action::sync, 16, 64}), "named barrier: its number is 16; it must be 0 to 15"));
    CHECK(problem({Action::sync, -1, 64}).find("it must be 0 to 15") != std::string::npos);
    CHECK(ends_with(problem({Action::arrive, 1, 0}), "named barrier: it is for 0 threads; it must be at least 1"));
    Program outside = with({Action::sync, 0, 64});
    outside.body.push_back({outside.statements++, NamedBarrier{Action::sync, 0, 64}});
    const auto problems = validate(outside);
    REQUIRE(problems.size() == 1);
    CHECK(ends_with(problems.front().text, "named barrier: a named barrier is for agents of a block; this is outside a block"));
}

TEST_CASE("named barriers: outside a block a run has a fault", "[program]")
{
    const auto lowered = required(lower(with({Action::sync, 0, 64})));
    Program program = lowered->program;
    program.body.push_back({program.statements++, NamedBarrier{Action::sync, 0, 64}});
    const auto report = required(sim::run(program, {}));
    CHECK(report->fault.kind == sim::FaultKind::divergence);
    CHECK(report->fault.text.find("a named barrier is outside a block") != std::string::npos);
}
