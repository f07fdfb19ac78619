// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>
#include <axe/sim/report/fault_lines.hpp>
#include <axe/text/literals.hpp>
#include <tests/unit/sim/rings.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using rings::arrive;
using rings::init;
using rings::wait_for;

/// What a fault says of the statements that it names.

namespace {

std::string here(int line) { return "(fault_lines.cpp:" + std::to_string(line) + ")"; }

sim::Fault fault_of(const Kernel& k)
{
    const auto lowered = lower(k.program().value());
    INFO((lowered ? "" : lowered.error().text));
    REQUIRE(lowered);
    Bindings in;
    for (const ProgramTensor& t : lowered->program.tensors)
        if (t.binding == Binding::input) in.set(t.name, arrays::counting(t.shape, t.dtype));
    const auto report = sim::run(lowered->program, in);
    INFO((report ? "" : report.error().text));
    REQUIRE(report);
    return report->fault;
}

} // namespace

TEST_CASE("a race: both statements with their number, role, text and line of C++", "[sim][fault]")
{
    Kernel k("race", machines::sm90);
    const auto C = k.output("C", {32}, f32);
    int written = 0, read = 0;
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            cta.warps(0, 1, "producer", [&](Scope w) {
                written = __LINE__ + 1;
                w.fill(s, 3);
            });
            cta.warps(1, 1, "consumer", [&](Scope w) {
                read = __LINE__ + 1;
                w.map(Function::neg, C, {s});
            });
        },
        2);
    const sim::Fault fault = fault_of(k);
    CHECK(fault.kind == sim::FaultKind::race);
    INFO(fault.message());
    REQUIRE(fault.lines.size() == 2);
    CHECK(fault.lines[0] == "statement 5, consumer: map C = neg(s) " + here(read));
    CHECK(fault.lines[1] == "statement 3, producer: fill s = 3 " + here(written));
    CHECK(fault.message() == fault.text + "\n  " + fault.lines[0] + "\n  " + fault.lines[1]);
}

TEST_CASE("a deadlock: agents by their roles, and the statements where they wait", "[sim][fault]")
{
    Kernel k("deadlock", machines::sm90);
    int first = 0, second = 0;
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)).mbarrier(init(1, 1)); }).sync();
            cta.agents(0, 1, 1, "producer", [&](Scope w) {
                first = __LINE__ + 1;
                w.mbarrier(wait_for(1, 0));
                w.mbarrier(arrive(0));
            });
            cta.warps(1, 1, "consumer", [&](Scope w) {
                second = __LINE__ + 1;
                w.mbarrier(wait_for(0, 0));
                w.mbarrier(arrive(1));
            });
        },
        3);
    const sim::Fault fault = fault_of(k);
    CHECK(fault.kind == sim::FaultKind::deadlock);
    CHECK(fault.text == "deadlock, statement 6, block (0): no agent can continue: agent 0 (producer) waits in statement 6 for "
                        "phase 0 of mbarrier 1, "
                        "which lacks 1 of 1 arrival: the next arrivals are statement 10 of agent 1, after its own wait; agent 1 "
                        "(consumer) waits in "
                        "statement 9 for phase 0 of mbarrier 0, which lacks 1 of 1 arrival: the next arrivals are statement 7 of "
                        "agent 0, after its "
                        "own wait; agent 2 has ended");
    REQUIRE(fault.lines.size() == 2);
    CHECK(fault.lines[0] == "statement 6, producer: mbarrier 1 wait 0 " + here(first));
    CHECK(fault.lines[1] == "statement 9, consumer: mbarrier 0 wait 0 " + here(second));
}

TEST_CASE("a deadlock without an arrival says that none is to come, a barrier says whom it waits for", "[sim][fault]")
{
    Kernel k("missing", machines::sm90);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)); }).sync();
            cta.warps(1, 1, "lonely", [&](Scope w) { w.mbarrier(wait_for(0, 0)); });
            cta.sync();
        },
        4);
    const sim::Fault fault = fault_of(k);
    CHECK(fault.kind == sim::FaultKind::deadlock); // what the barrier lacks waits for a phase
    CHECK(fault.statement == 5);
    CHECK(fault.text.find("agent 0, like agents 2, 3, waits at the barrier of statement 6 for agent 1; agent 1 (lonely) waits in "
                          "statement 5 for phase 0 "
                          "of mbarrier 0, which lacks 1 of 1 arrival: no statement that arrives is still to come") !=
          std::string::npos);
    CHECK(fault.waits == std::vector<int>{6, 5, 6, 6});
    CHECK(fault.lines.size() == 2);
}

TEST_CASE("agents that wait for the same are told together, and so are those that would arrive", "[sim][fault]")
{
    Kernel k("alike", machines::sm90);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 8)).mbarrier(init(1, 1)); }).sync();
            cta.warps(0, 4, "first", [&](Scope w) { w.mbarrier(wait_for(0, 0)).mbarrier(arrive(1)); });
            cta.warps(4, 2, "second", [&](Scope w) { w.mbarrier(wait_for(1, 0)).mbarrier(arrive(0)); });
            cta.warps(6, 1, "second", [&](Scope w) { w.mbarrier(wait_for(1, 1)); });
        },
        8);
    CHECK(fault_of(k).text ==
          "alike, statement 6, block (0): no agent can continue: "
          "agent 0 (first), like agents 1 to 3, waits in statement 6 for phase 0 of mbarrier 0, which lacks 8 of 8 arrivals: "
          "the next arrivals are statement 10 of agents 4, 5, after their own waits; "
          "agent 4 (second), like agent 5, waits in statement 9 for phase 0 of mbarrier 1, which lacks 1 of 1 arrival: "
          "the next arrivals are statement 7 of agents 0 to 3, after their own waits; "
          "agent 6 (second) has ended; agent 7 has ended");
}

TEST_CASE("long lists of agents and of lines are cut, and say by how much", "[sim][fault]")
{
    Kernel k("many", machines::sm90);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            cta.warps(0, 1, [&](Scope w) {
                for (int i = 0; i < 20; ++i) w.mbarrier(init(i, 1));
            });
            cta.sync();
            for (int i = 0; i < 20; ++i) cta.warps(i, 1, [&](Scope w) { w.mbarrier(wait_for(i, 0)); });
        },
        20);
    const sim::Fault fault = fault_of(k);
    CHECK(fault.text.find("agent 15 waits") != std::string::npos);
    CHECK(fault.text.find("agent 16") == std::string::npos);
    CHECK(fault.text.find("; and 4 more") != std::string::npos);
    REQUIRE(fault.lines.size() == 9);
    CHECK(fault.lines.back() == "and 12 more");
}

TEST_CASE("a statement that no line of C++ made, and one that the program does not have", "[sim][fault]")
{
    Program p;
    p.machine = machines::sm90;
    p.body.push_back({4, Barrier{}});
    sim::Fault fault;
    fault.kind = sim::FaultKind::divergence;
    fault.statement = 4;
    fault.other_statement = 9;
    CHECK(sim::fault_lines(p, fault) == std::vector<std::string>{"statement 4: barrier"});
    CHECK(sim::fault_lines(p, sim::Fault{}).empty());
}
