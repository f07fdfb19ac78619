// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/agent_role.hpp>
#include <axe/program/kernel.hpp>
#include <axe/program/print.hpp>
#include <axe/program/validate.hpp>
#include <axe/target/machines.hpp>
#include <axe/text/literals.hpp>

#include <catch.hpp>
#include <set>
#include <tests/one_block.hpp>

namespace {

using namespace axe;
using namespace axe::literals;

std::string text_of(const Machine& machine, const AgentRole& role)
{
    const auto slice = slice_of(machine, role);
    if (!slice) return slice.error().text;
    return std::to_string(slice->first) + " " + std::to_string(slice->count) + " " + std::to_string(slice->stride);
}

/// The agents that a slice chooses, from the layout's own values.
std::set<std::int64_t> members(const Layout& layout)
{
    std::set<std::int64_t> out;
    for (std::int64_t i = 0; i < size(layout).value(); ++i) out.insert(evaluate(layout, i).value()[Axis{"warp"}]);
    return out;
}

std::string printed(const Machine& machine, const std::function<void(Scope)>& body, int agents = 16)
{
    Kernel k("roles", machine);
    one_block(k, agents, [&](Scope cta) { body(cta); });
    const auto program = k.program();
    if (!program) return program.error().text;
    for (const Problem& p : validate(*program)) return p.text;
    std::string text = print(*program);
    return text.substr(text.find("only"));
}

} // namespace

TEST_CASE("a role is a slice of agents: the numbers of its layout")
{
    CHECK(text_of(machines::sm90, {"producer", "1:1@warp + 8@warp"_axe}) == "8 1 1");
    CHECK(text_of(machines::sm90, {"consumers", "8:1@warp"_axe}) == "0 8 1");
    CHECK(text_of(machines::sm90, {"odd", "4:2@warp + 1@warp"_axe}) == "1 4 2");
    CHECK(text_of(machines::sm90, {"two by two", "(2,2):(2@warp,1@warp) + 4@warp"_axe}) == "4 4 1");
    CHECK(text_of(machines::sm90, {"warpgroups", "(2,4):(1@warpgroup,1@quarter) + 1@warpgroup"_axe}) == "4 8 1");
    CHECK(text_of(machines::sm90, {"first warps", "3:1@warpgroup"_axe}) == "0 3 4");
    CHECK(text_of(machines::sm80, {"consumers", "8:1@warp"_axe}) == "0 8 1");
}

TEST_CASE("all strided slices of 16 warps, against the values of their layouts")
{
    int slices = 0;
    for (std::int64_t first = 0; first < 16; ++first)
        for (std::int64_t stride = 1; stride < 16; ++stride)
            for (std::int64_t count = 1; first + (count - 1) * stride < 16; ++count, ++slices) {
                const Layout layout{{{count, stride, Axis{"warp"}}}, {}, {{Axis{"warp"}, first}}};
                const auto slice = slice_of(machines::sm90, {"some", layout});
                REQUIRE(slice);
                std::set<std::int64_t> chosen;
                for (int i = 0; i < slice->count; ++i) chosen.insert(slice->first + i * slice->stride);
                REQUIRE(chosen == members(layout));
                // Each part of it is those members.
                const AgentRole last = AgentRole{"some", layout}.part(count - 1, 1, "last");
                CHECK(text_of(machines::sm90, last) == std::to_string(first + (count - 1) * stride) + " 1 1");
            }
    CHECK(slices > 200);
}

TEST_CASE("layouts that no slice is")
{
    CHECK(text_of(machines::sm90, {"x", "(2,2):(5@warp,1@warp)"_axe}) ==
          "role x: (2,2):(5@warp,1@warp) is not agents first, first + stride, … of axis warp");
    for (const Layout& layout : {"4:-1@warp + 3@warp"_axe, "2:1@warp + -1@warp"_axe, "2:0@warp"_axe, "4:1@warp + [2:4@warp]"_axe})
        CHECK(slice_of(machines::sm90, {"x", layout}).error().code == errc::bad_argument);
    CHECK(text_of(machines::sm90, {"x", "4:1@lane"_axe}).find("role x: ") == 0);
    CHECK(text_of(machines::spyre, {"x", "4:1@warp"_axe}) == "role x: the blocks of spyre have no agents to choose from");
    CHECK(text_of(machines::sm90, AgentRole{"x", "4:1@warp"_axe}.part(2, 3)).find("role x: ") == 0);
}

TEST_CASE("roles and warpgroups in the text of a program")
{
    const auto nothing = [](Scope) {};
    CHECK(printed(machines::sm90, [&](Scope cta) { cta.warpgroups(1, 2, "consumers", nothing); }) ==
          "only 8 agents, from 4, 2 warpgroups; consumers\n");
    CHECK(printed(machines::sm80, [&](Scope cta) { cta.warpgroups(0, 1, nothing); }) == "only 4 agents, from 0, 1 warpgroup\n");
    CHECK(printed(machines::sm90, [&](Scope cta) { cta.role({"odd", "4:2@warp + 1@warp"_axe}, nothing); }) ==
          "only 4 agents, from 1 by 2; odd\n");
    CHECK(printed(machines::sm90, [&](Scope cta) { cta.warpgroups(4, 1, nothing); }).find("agents") != std::string::npos);
    CHECK(printed(machines::sm90, [&](Scope cta) { cta.warpgroups(1 << 30, 1 << 30, nothing); }) != "");
    CHECK(printed(machines::sm90, [&](Scope cta) { cta.role({"x", "4:-1@warp + 3@warp"_axe}, nothing); }).find("role x: ") !=
          std::string::npos);
}

TEST_CASE("a warpgroup is what the machine splits its warps by")
{
    CHECK(warpgroup_agents(machines::sm90) == 4);
    CHECK(warpgroup_agents(machines::sm80) == 4);
    Machine other = machines::sm90;
    for (AxisSplit& split : other.splits)
        if (split.outer == Axis{"warpgroup"}) split.extent = 2;
    CHECK(warpgroup_agents(other) == 2);
}
