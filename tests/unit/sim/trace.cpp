// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include "pair.hpp"

#include <bitset>
#include <set>
#include <tuple>

using namespace axe;
using Event = sim::Trace::Event;
using Kind = sim::Trace::Kind;

namespace {

bool same(const Event& a, const Event& b)
{
    const auto whole = [](const Event& e) { return std::tuple(e.kind, e.agent, e.block, e.item, e.statement, e.begin, e.length); };
    return whole(a) == whole(b);
}

sim::Trace traced(int threads = 1, sim::Level level = sim::Level::full, std::int64_t most = 200'000, bool racy = false)
{
    sim::Trace trace(most);
    sim::RunOptions options;
    options.trace = &trace;
    options.threads = threads;
    options.level = level;
    pair::run(options, racy);
    return trace;
}

} // namespace

TEST_CASE("a trace has the issues that the report counts")
{
    sim::Trace trace;
    sim::RunOptions options;
    options.trace = &trace;
    const pair::Run run = pair::run(options);
    REQUIRE(run.report.ok());
    std::map<int, std::int64_t> issues;
    std::map<std::string, std::int64_t> by_text;
    for (int d = 0; d < trace.devices(); ++d)
        for (const Event& e : trace.events(d))
            if (e.kind == Kind::instruction) {
                const auto& item = trace.items()[static_cast<std::size_t>(e.item)];
                CHECK(item.statement == e.statement);
                issues[e.statement] += e.length;
                by_text[item.text] += e.length;
            }
    CHECK(issues.size() == 5); // three copies, a map, the copy between devices
    for (const auto& [id, counters] : run.report.statements) CHECK(issues[id] == counters.instructions);
    CHECK(by_text == run.report.total.by_text);
    CHECK(trace.left_out() == 0);
}

TEST_CASE("a trace does not depend on threads, nor on the level")
{
    const sim::Trace one = traced();
    REQUIRE(one.devices() == 2);
    for (const sim::Trace& other : {traced(2), traced(1, sim::Level::fast), traced(3, sim::Level::fast)})
        for (int d = 0; d < 2; ++d) {
            REQUIRE(other.events(d).size() == one.events(d).size());
            for (std::size_t i = 0; i < one.events(d).size(); ++i) CHECK(same(one.events(d)[i], other.events(d)[i]));
        }
}

TEST_CASE("the ticks of an agent follow each other, and a grid spans its blocks")
{
    const sim::Trace trace = traced();
    for (int d = 0; d < 2; ++d) {
        std::map<int, std::int64_t> ends;
        Event grid;
        for (const Event& e : trace.events(d)) {
            if (e.kind == Kind::grid) {
                grid = e;
                continue;
            }
            CHECK(e.begin >= ends[e.agent]);
            ends[e.agent] = e.begin + e.length;
            if (e.agent < 0) continue;
            CHECK(e.begin >= grid.begin);
            CHECK(e.begin + e.length <= grid.begin + grid.length);
        }
        // Blocks one after the other, all agents from one tick on.
        std::map<int, std::set<std::int64_t>> begins;
        std::map<int, std::int64_t> last;
        for (const Event& e : trace.events(d))
            if (e.agent >= 0) {
                if (e.statement == 3) begins[e.block].insert(e.begin); // the first instruction
                last[e.block] = std::max(last[e.block], e.begin + e.length);
            }
        REQUIRE(begins.size() == 2);
        CHECK(begins[0] == std::set<std::int64_t>{grid.begin});
        CHECK(begins[1] == std::set<std::int64_t>{last[0]});
        CHECK(grid.begin + grid.length == last[1]);
    }
}

TEST_CASE("who waits in a trace goes on when the last one is there")
{
    // Agent 0 issues 4 times, agent 1 not at all, then both meet; agent 2 is not asked.
    sim::Trace trace;
    trace.start(1, {{7, 4, "move", "st"}, {8, 1, "move", "ld"}});
    trace.begin_grid(0, 1, 3);
    trace.begin_block(0, 0);
    trace.instruction(0, 0, 0, 0);
    trace.meet(0, 0, 5, std::bitset<8>(0b011));
    trace.instruction(0, 0, 1, 1);
    trace.instruction(0, 0, 2, 1);
    // Then agent 2 waits for what agent 1 has arrived at.
    trace.arrive(0, 0, 1, 3);
    trace.complete(0, 0, 3);
    trace.pass(0, 0, 2, 3, 6, 0);
    trace.instruction(0, 0, 2, 0);
    trace.end_grid(0);
    const std::vector<Event> want = {{Kind::grid, -1, -1, 0, -1, 1, 0, 9},     {Kind::instruction, 0, 0, 0, 0, 7, 0, 4},
                                     {Kind::wait, 0, 0, 0, -1, 5, 4, 0},       {Kind::wait, 1, 0, 0, -1, 5, 0, 4},
                                     {Kind::instruction, 1, 0, 0, 1, 8, 4, 1}, {Kind::instruction, 2, 0, 0, 1, 8, 0, 1},
                                     {Kind::wait, 2, 0, 0, -1, 6, 1, 4},       {Kind::instruction, 2, 0, 0, 0, 7, 5, 4}};
    REQUIRE(trace.events(0).size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(same(trace.events(0)[i], want[i]));
}

TEST_CASE("blocks in flight have ticks of their own in a trace")
{
    // Of three blocks two are in flight: the second one ends first, and the third begins in its slot then.
    sim::Trace trace;
    trace.start(1, {{7, 4, "move", "st"}, {8, 1, "move", "ld"}});
    trace.begin_grid(0, 1, 1);
    trace.begin_block(0, 0);
    trace.begin_block(0, 1);
    trace.instruction(0, 0, 0, 0);
    trace.instruction(0, 1, 0, 1);
    trace.begin_block(0, 1);
    trace.instruction(0, 1, 0, 0);
    trace.instruction(0, 0, 0, 1);
    trace.end_grid(0);
    const std::vector<Event> want = {{Kind::grid, -1, -1, 0, -1, 1, 0, 5},
                                     {Kind::instruction, 0, 0, 0, 0, 7, 0, 4},
                                     {Kind::instruction, 0, 1, 1, 1, 8, 0, 1},
                                     {Kind::instruction, 0, 2, 1, 0, 7, 1, 4},
                                     {Kind::instruction, 0, 0, 0, 1, 8, 4, 1}};
    REQUIRE(trace.events(0).size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(same(trace.events(0)[i], want[i]));
}

TEST_CASE("an mbarrier orders the ticks of a trace")
{
    Kernel k("ring", machines::sm90);
    const auto A = k.input("A", {64}, DType::f32), C = k.output("C", {64}, DType::f32);
    one_block(k, 2, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {64}, DType::f32, {}, "s");
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Mbarrier::Action::init, 0, 1, {}}); });
        cta.sync();
        cta.warps(0, 1, [&](Scope w) {
            w.copy(s, A);
            w.mbarrier({Mbarrier::Action::arrive, 0, 0, {}});
        });
        cta.warps(1, 1, [&](Scope w) {
            w.mbarrier({Mbarrier::Action::wait, 0, 0, Expression(0)});
            w.copy(C, s);
        });
    });
    const Lowered lowered = lower(k.program().value()).value();
    Bindings in;
    in.set("A", Array::make({64}, DType::f32).value());
    sim::Trace trace;
    sim::RunOptions options;
    options.trace = &trace;
    const auto report = without_fault(sim::run(lowered.program, in, options).value());
    std::int64_t filled = 0, used = -1, waited = 0;
    for (const Event& e : trace.events(0)) {
        if (e.kind == Kind::instruction && e.agent == 0) filled = std::max(filled, e.begin + e.length);
        if (e.kind == Kind::instruction && e.agent == 1 && used < 0) used = e.begin;
        if (e.kind == Kind::wait && e.agent == 1) waited += e.length;
    }
    CHECK(filled > 0);
    CHECK(used == filled);
    CHECK(waited == filled);
}

TEST_CASE("a trace keeps the first events of each device, and says what it left out")
{
    const sim::Trace whole = traced(), part = traced(1, sim::Level::full, 10);
    std::int64_t total = 0;
    for (int d = 0; d < 2; ++d) {
        total += static_cast<std::int64_t>(whole.events(d).size());
        REQUIRE(part.events(d).size() == 5);
        // Of the grid the end is known, whatever was left out of it.
        for (std::size_t i = 0; i < 5; ++i) CHECK(same(part.events(d)[i], whole.events(d)[i]));
    }
    CHECK(part.left_out() == total - 10);
    CHECK(part.json(pair::program()).find("\"events\":10,\"left_out\":" + std::to_string(total - 10)) != std::string::npos);
    CHECK(traced(1, sim::Level::full, 0).left_out() == total);
}

TEST_CASE("a trace of a run with a fault ends where the run does")
{
    const sim::Trace whole = traced(), ended = traced(1, sim::Level::full, 200'000, true);
    REQUIRE(!ended.events(0).empty());
    CHECK(ended.events(0).size() < whole.events(0).size());
    CHECK(ended.events(0)[0].kind == Kind::grid);
    CHECK(ended.events(0)[0].length > 0);
}
