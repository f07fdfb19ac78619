// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/machine.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

#include <string>

using namespace axe::literals;
using axe::Role;

namespace {

constexpr axe::Machine toy{"toy",
                           {{"device", "gpuid", 1}, {"tile", "tile", 0}, {"row", "row", 4}},
                           {{"gpuid", "x", "y", 1}, {"y", "y0", "y1", 1}, {"pe", "tile", "row", 4}},
                           {{"dram", "device", {Role::global}, {"m"}, {0}, 0},
                            {"buffer", "row", {Role::shared, Role::registers}, {"P", "F"}, {8, 64}, 512}},
                           {{"wire", "device", "dram", {"send"}}},
                           {"send", "ld.*", "mac.i8", "mac.f16.wide"},
                           {{"mac.k", 16}}};

} // namespace

TEST_CASE("machine: things are found by name, or not at all")
{
    STATIC_REQUIRE(axe::scope_index(toy, "device") == 0);
    STATIC_REQUIRE(axe::scope_index(toy, "row") == 2);
    STATIC_REQUIRE(axe::scope_index(toy, "ro") == -1);
    STATIC_REQUIRE(axe::scope_index(toy, "") == -1);
    STATIC_REQUIRE(axe::find_scope(toy, "lane") == nullptr);
    STATIC_REQUIRE(axe::is_grid(*axe::find_scope(toy, "tile")));
    STATIC_REQUIRE_FALSE(axe::is_grid(*axe::find_scope(toy, "row")));

    REQUIRE(axe::find_memory(toy, "buffer") != nullptr);
    CHECK(std::string(axe::find_memory(toy, "buffer")->owner) == "row");
    CHECK(axe::find_memory(toy, "buff") == nullptr);
    CHECK(axe::memory_for(toy, Role::global) == axe::find_memory(toy, "dram"));
    CHECK(axe::memory_for(toy, Role::shared) == axe::find_memory(toy, "buffer"));
    CHECK(axe::memory_for(toy, Role::registers) == axe::find_memory(toy, "buffer"));
    CHECK(axe::memory_for(toy, Role::accumulator) == nullptr);

    CHECK(std::string(axe::name(Role::global)) == "global");
    CHECK(std::string(axe::name(Role::shared)) == "shared");
    CHECK(std::string(axe::name(Role::registers)) == "registers");
    CHECK(std::string(axe::name(Role::accumulator)) == "accumulator");

    REQUIRE(axe::find_link(toy, "wire") != nullptr);
    CHECK(axe::find_link(toy, "wir") == nullptr);
    REQUIRE(axe::find_limit(toy, "mac.k") != nullptr);
    CHECK(axe::find_limit(toy, "mac.k")->value == 16);
    CHECK(axe::find_limit(toy, "mac") == nullptr);
}

TEST_CASE("machine: a family is there with all its forms, a form is there alone")
{
    STATIC_REQUIRE(axe::covers("ld.*", "ld"));
    STATIC_REQUIRE(axe::covers("ld.*", "ld.global"));
    STATIC_REQUIRE_FALSE(axe::covers("ld.*", "ldmatrix"));
    STATIC_REQUIRE_FALSE(axe::covers("ld.*", "ld."));
    STATIC_REQUIRE_FALSE(axe::covers("ld.*", "l"));
    STATIC_REQUIRE(axe::covers("send", "send"));
    STATIC_REQUIRE_FALSE(axe::covers("send", "send.fast"));
    STATIC_REQUIRE_FALSE(axe::covers("send.fast", "send"));

    CHECK(axe::has_instruction(toy, "send"));
    CHECK_FALSE(axe::has_instruction(toy, "send.fast"));
    CHECK(axe::has_instruction(toy, "ld"));
    CHECK(axe::has_instruction(toy, "ld.global.v4"));
    CHECK_FALSE(axe::has_instruction(toy, "ldmatrix"));
    CHECK(axe::has_instruction(toy, "mac"));
    CHECK(axe::has_instruction(toy, "mac.f16"));
    CHECK(axe::has_instruction(toy, "mac.i8"));
    CHECK_FALSE(axe::has_instruction(toy, "mac.i"));
    CHECK_FALSE(axe::has_instruction(toy, "mac.i8.wide"));
    CHECK_FALSE(axe::has_instruction(toy, "ma"));
}

TEST_CASE("machine: axes of scopes, of their parts and of what they are parts of")
{
    STATIC_REQUIRE(axe::scope_of_axis(toy, "gpuid") == 0);
    STATIC_REQUIRE(axe::scope_of_axis(toy, "x") == 0);
    STATIC_REQUIRE(axe::scope_of_axis(toy, "y1") == 0); // through y
    STATIC_REQUIRE(axe::scope_of_axis(toy, "row") == 2);
    STATIC_REQUIRE(axe::scope_of_axis(toy, "pe") == 1); // all rows of all tiles: the outer part's
    STATIC_REQUIRE(axe::scope_of_axis(toy, "m") == -1);
    STATIC_REQUIRE(axe::scope_of_axis(toy, "lane") == -1);
    STATIC_REQUIRE(axe::is_address_axis(toy, "F"));
    STATIC_REQUIRE_FALSE(axe::is_address_axis(toy, "row"));
}

TEST_CASE("machine: the scope of a layout is the outermost one that it names")
{
    CHECK(*axe::scope_of(toy, "(2,4,8):(1@tile,1@row,1@F)"_axe) == 1);
    CHECK(*axe::scope_of(toy, "(4,8):(1@row,1@F)"_axe) == 2);
    CHECK(*axe::scope_of(toy, "(8,8):(1@P,1@F)"_axe) == -1);
    CHECK(*axe::scope_of(toy, "8:1@F + [2:1@y0]"_axe) == 0);
    CHECK(*axe::scope_of(toy, "8:1@F + 3@pe"_axe) == 1);
    CHECK(*axe::scope_of(toy, "(8,1,4):(1@F,7@tile,0@lane)"_axe) == -1); // neither moves

    const auto unknown = axe::scope_of(toy, "(4,8):(1@F,1@lane)"_axe);
    CHECK(unknown.code() == axe::errc::unknown_axis);
    CHECK(unknown.error().position == 1);
    CHECK(std::string(unknown.error().message().c_str()) ==
          "the axis of iter 1 is not an axis of a scope or memory of the machine");
    CHECK(axe::scope_of(toy, "8:1@F + [2:1@row,2:1@warp]"_axe).error().position == 1);
    CHECK(axe::scope_of(toy, "8:1@F + 1@zone"_axe).code() == axe::errc::unknown_axis);
    CHECK(axe::scope_of(toy, axe::Layout{{{0, 1}}}).code() == axe::errc::bad_extent);
}
