// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/machine/mesh.hpp>
#include <axe/program/limits.hpp>
#include <catch.hpp>
#include <tests/without_lines.hpp>

using namespace axe;
using enum DType;

namespace {

Program fills(int count, const Machine& machine = machines::sm80, int agents = 1)
{
    Kernel k("k", machine);
    const auto C = k.output("C", {32}, f32);
    k.cta(
        tiles(32, 32),
        [&](Scope cta, const Tile&) {
            cta.fill(C, 3);
            for (int i = 1; i < count; ++i) cta.sync();
        },
        agents);
    Program p = k.program().value();
    // As many fills as that: written by hand, since each statement of the kernel would be looked at anew.
    Body& body = std::get<Grid>(p.body.at(0).what).body;
    for (std::size_t i = 1; i < body.size(); ++i) body[i].what = body[0].what;
    return p;
}
std::string first(const std::vector<Problem>& problems) { return problems.empty() ? "" : problems.front().text; }

} // namespace

TEST_CASE("100,004 statements are validated, lowered and run", "[run_limits]")
{
    Program p = fills(100'003);
    CHECK(p.statements == 100'004);
    CHECK(first(run_limit_problems(p)).empty());
    Body& body = std::get<Grid>(p.body.at(0).what).body;
    const Program one = [&] {
        Program short_one = p;
        std::get<Grid>(short_one.body.at(0).what).body.resize(1);
        return lower(short_one)->program;
    }();
    // The lowered fill, again and again.
    const Statement fill = std::get<Grid>(one.body.at(0).what).body.at(0);
    for (Statement& s : body) s.what = fill.what;
    p.tensors = one.tensors;
    CHECK(validate(p).empty());
    const auto report = sim::run(p, {});
    INFO((report ? report->fault.text : report.error().text));
    REQUIRE(report.has_value());
    CHECK(report->ok());
    CHECK(report->outputs.find("C")->at(7) == 3);
}

TEST_CASE("statements that access memory are counted, others are not, validate and run say the same", "[run_limits]")
{
    Program p = fills(most_accesses);
    Body& body = std::get<Grid>(p.body.at(0).what).body;
    CHECK(first(run_limit_problems(p)).empty());
    body.push_back({-1, Barrier{}});
    CHECK(first(run_limit_problems(p)).empty());
    body.push_back(body.front());
    const std::string said = "k: 262144 statements access memory; a run takes at most 262143";
    CHECK(first(run_limit_problems(p)) == said);
    CHECK(first(validate(p)) == said);
    CHECK(sim::run(p, {}).error().text == said);
}

TEST_CASE("agents, lanes, devices and machines beyond the simulator are refused by validate, lower and run alike", "[run_limits]")
{
    const auto said = [](const Program& p) {
        const std::string text = first(run_limit_problems(p));
        bool found = false;
        for (const Problem& e : validate(p)) found = found || e.text == text;
        CHECK(found);
        CHECK(sim::run(p, {}).error().text == text);
        const auto lowered = lower(p);
        REQUIRE(!lowered.has_value());
        CHECK(lowered.error().text == text);
        return without_lines(text);
    };
    const auto lanes = [](std::int64_t n) {
        Machine m = machines::sm80;
        m.scopes[3].count = n;
        m.splits[0].extent = n;
        return fills(1, m);
    };
    CHECK(said(lanes(65)) == "k, statement 0: an agent has 65 lanes; the simulator takes at most 64");
    CHECK(validate(lanes(64)).empty());
    CHECK(sim::run(lower(lanes(64))->program, {})->ok());
    const Program agents = fills(1, machines::cpu, 33);
    const std::string too_many = "a block has 33 agents; cpu takes 1 to 32";
    CHECK(without_lines(first(validate(agents))) == "k, statement 0, grid: " + too_many);
    CHECK(without_lines(sim::run(agents, {}).error().text) == "k, statement 0: " + too_many);
    CHECK(without_lines(lower(agents).error().text) == "k, statement 0: " + too_many);
    Machine many = machines::sm80;
    many.scopes[0].count = 256;
    CHECK(first(validate(fills(1, many))).find("sm80 has 256 devices; at most 255 are simulated") != std::string::npos);
    CHECK(sim::run(fills(1, many), {}).error().text == "k: sm80 has 256 devices; at most 255 are simulated");
}

TEST_CASE("which statements access memory", "[run_limits]")
{
    View element;
    element.tensor = 0;
    Expression loaded;
    loaded.kind = Expression::Kind::load;
    loaded.element = element;
    const Expression both = Expression(1.0) + loaded;
    CHECK(accesses_memory({0, Operation{}}));
    CHECK(accesses_memory({0, Instruction{}}));
    CHECK(accesses_memory({0, If{both, {}, {}}}));
    CHECK(accesses_memory({0, While{loaded, {}}}));
    CHECK(accesses_memory({0, Assign{0, both}}));
    CHECK(!accesses_memory({0, If{Expression(1.0), {}, {}}}));
    CHECK(!accesses_memory({0, Barrier{}}));
    CHECK(!accesses_memory({0, Alloc{0}}));
}
