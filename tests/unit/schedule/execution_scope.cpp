// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/schedule/execution_scope.hpp>
#include <axe/target/machines.hpp>

#include <catch.hpp>

#include <string>

using namespace axe;

namespace {

std::string text(const ExecutionScope& p)
{
    return (p.in_block ? "block " : "devices ") + std::to_string(p.first) + "+" + std::to_string(p.stride) + "*" +
           std::to_string(p.count) + "x" + std::to_string(p.lanes);
}

} // namespace

TEST_CASE("place: a grid and a slice set the place of what stands in them, all else passes it on")
{
    Machine machine = machines::sm80;
    machine.scopes[0].count = 4;
    Kernel k("k", machine);
    k.sync();
    k.devices(1, 2, [](Scope s) { s.sync(); });
    const auto body = [](Scope cta, const Tile&) {
        cta.loop(0, 2, 1, [&](Affine) { cta.sync(); });
        cta.warps(2, 3, [](Scope w) { w.when(1, [&] { w.sync(); }, [&] { w.sync(); }); });
        cta.loop_while(1, [&] { cta.each_thread({256}, [](Scope t, const std::vector<Affine>&) { t.sync(); }); });
    };
    k.cta(tiles(2, 1), body, 8);
    k.sync();
    const Program p = k.program().value();

    std::vector<std::string> barriers;
    for_each_statement(p.machine, p.body, scope_of(p.machine), [&](const Statement& s, const ExecutionScope& place) {
        if (std::holds_alternative<Barrier>(s.what)) barriers.push_back(text(place));
    });
    CHECK(barriers == std::vector<std::string>{"devices 0+1*4x1", "devices 1+1*2x1", "block 0+1*8x32", "block 2+1*3x32",
                                               "block 2+1*3x32", "block 0+1*8x32", "devices 0+1*4x1"});
}

TEST_CASE("place: the bodies of one statement, with its result")
{
    Statement grid{0, Grid{{}, {}, 4, {{1, Barrier{}}}}};
    const Machine& machine = machines::sm80;
    const auto problem = for_each_body(machine, grid, scope_of(machine), [](Body& body, const ExecutionScope& place) {
        body.clear();
        return Problem(errc::bad_argument, text(place));
    });
    CHECK(problem.text == "block 0+1*4x32");
    CHECK(std::get<Grid>(grid.what).body.empty());
}
