// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/levels.hpp>
#include <axe/target/machines.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

namespace {
namespace machines = axe::machines;
}

TEST_CASE("blocks are the innermost grid, agents and lanes what is inside")
{
    const axe::Levels a = levels_of(machines::sm80), h = levels_of(machines::sm90), t = levels_of(machines::trn1),
                      c = levels_of(machines::cpu);
    CHECK(a.block == 1);
    CHECK(a.agent == 2);
    CHECK(a.agents == 32);
    CHECK(a.lanes == 32);
    CHECK(h.block == 2); // a cluster is outside
    CHECK(h.agent == 3);
    CHECK(t.block == 1);
    CHECK(t.agents == 4);
    CHECK(t.lanes == 1);
    CHECK(c.block == 1);
    CHECK(c.agent == 2);
    CHECK(c.agents == 32);
    CHECK(c.lanes == 1);
    CHECK(levels_of(axe::Machine{}).block == -1);
}

TEST_CASE("an axis numbers the members of a scope, or of a part of it")
{
    CHECK(members_on(machines::sm90, "lane") == 32);
    CHECK(members_on(machines::sm90, "quarter") == 4);
    CHECK(members_on(machines::sm90, "warpgroup") == 8);
    CHECK(members_on(machines::sm90, "thread") == 1024);
    CHECK(members_on(machines::sm90, "cta") == 0);
    CHECK(members_on(machines::sm90, "nothing") == 0);
    axe::Machine mesh = machines::sm80;
    mesh.scopes[0].count = 8;
    mesh.splits.push_back({"gpuid", "row", "column", 4});
    CHECK(members_on(mesh, "row") == 2);
    CHECK(members_on(mesh, "column") == 4);
}

TEST_CASE("row-major in a memory is on its own axes")
{
    const auto in = [](const axe::Machine& m, const char* memory, const axe::Shape& shape) {
        return std::string(axe::print(axe::row_major_in(shape, *find_memory(m, memory)).value()).c_str());
    };
    CHECK(in(machines::sm80, "smem", {4, 6}) == "24:1");
    CHECK(in(machines::sm80, "reg", {4, 6}) == "24:1@reg");
    CHECK(in(machines::trn1, "sbuf", {128, 4, 6}) == "(128,24):(1@P,1@F)");
    CHECK(in(machines::trn1, "sbuf", {}) == "1:1@F");
    CHECK(axe::row_major_in({4, 0}, *find_memory(machines::trn1, "sbuf")).code() == axe::errc::bad_extent);
}
