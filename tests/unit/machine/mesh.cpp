// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/machine/axes.hpp>
#include <axe/machine/mesh.hpp>
#include <axe/target/machines.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>

#include <string>

using namespace axe::literals;
using axe::machines::sm90;

namespace {

void refused(const axe::Result<axe::Machine>& made, axe::errc code, const char* sentence)
{
    CHECK(made.code() == code);
    CHECK(std::string(made.error().message().c_str()) == sentence);
}

} // namespace

TEST_CASE("mesh: places are row-major, the last dimension fastest")
{
    constexpr auto mesh = *axe::mesh(sm90, {2, 3, 4});
    STATIC_REQUIRE(mesh.scopes[0].count == 24);
    STATIC_REQUIRE(mesh.splits.size() == sm90.splits.size() + 2);
    for (std::int64_t device = 0; device < 24; ++device) {
        axe::Layout at;
        *at.offset.entry("gpuid") = device;
        const auto place = axe::convert_axes(mesh, at, {"mesh0", "mesh1", "mesh2"});
        REQUIRE(place.has_value());
        CHECK(place->offset[axe::Axis{"mesh0"}] == device / 12);
        CHECK(place->offset[axe::Axis{"mesh1"}] == device / 4 % 3);
        CHECK(place->offset[axe::Axis{"mesh2"}] == device % 4);
        CHECK(*axe::convert_axes(mesh, *place, {"gpuid"}) == at);
    }
    // rows of a matrix over the last dimension, columns over the first, the same for all of the second
    const axe::Layout sharded = "(4,8,2,8):(1@mesh2,16@m,1@mesh0,1@m) + [3:1@mesh1]"_axe;
    CHECK(*axe::convert_axes(mesh, sharded, {"gpuid"}) == "(4,8,2,8):(1@gpuid,16@m,12@gpuid,1@m) + [3:4@gpuid]"_axe);
    CHECK(*axe::scope_of(mesh, sharded) == 0);

    STATIC_REQUIRE(axe::axis_extent(mesh, "gpuid") == 24);
    STATIC_REQUIRE(axe::axis_extent(mesh, "mesh0") == 2);
    STATIC_REQUIRE(axe::axis_extent(mesh, "mesh1") == 3);
    STATIC_REQUIRE(axe::axis_extent(mesh, "mesh2") == 4);
    STATIC_REQUIRE(axe::axis_extent(mesh, "thread") == 1024);
    STATIC_REQUIRE(axe::axis_extent(mesh, "warpgroup") == 8);
    STATIC_REQUIRE(axe::axis_extent(mesh, "quarter") == 4);
    STATIC_REQUIRE(axe::axis_extent(mesh, "cta") == 0);
    STATIC_REQUIRE(axe::axis_extent(mesh, "m") == 0);
    CHECK(std::string(mesh.name) == "sm90");
    CHECK(axe::has_instruction(mesh, "multimem"));
}

TEST_CASE("mesh: of any machine, of one dimension, of one device, with names")
{
    for (const axe::Machine* machine : axe::machines::all()) {
        INFO(machine->name);
        const auto mesh = axe::mesh(*machine, {2, 2});
        REQUIRE(mesh.has_value());
        CHECK(mesh->scopes[0].count == 4);
        CHECK(*axe::convert_axes(*mesh, "(4,8):(1@gpuid,1@m)"_axe, {"mesh0", "mesh1"}) == "(2,2,8):(1@mesh0,1@mesh1,1@m)"_axe);
    }
    const auto line = axe::mesh(axe::machines::cpu, {4}, {"stage"});
    REQUIRE(line.has_value());
    CHECK(axe::axis_extent(*line, "stage") == 4);
    CHECK(*axe::convert_axes(*line, "(4,8):(1@gpuid,1@m)"_axe, {"stage"}) == "(4,8):(1@stage,1@m)"_axe);
    CHECK(*axe::convert_axes(*line, "(4,8):(1@stage,1@m)"_axe, {"gpuid"}) == "(4,8):(1@gpuid,1@m)"_axe);

    const auto named = axe::mesh(sm90, {4, 2}, {"dp", "tp"});
    REQUIRE(named.has_value());
    CHECK(axe::axis_extent(*named, "dp") == 4);
    CHECK(*axe::convert_axes(*named, "8:1@gpuid"_axe, {"dp", "tp"}) == "(4,2):(1@dp,1@tp)"_axe);
    CHECK(axe::mesh(sm90, {1, 1}).has_value());
}

TEST_CASE("mesh: what is refused")
{
    using axe::errc;
    refused(axe::mesh(sm90, {}), errc::bad_argument, "a mesh needs at least one dimension");
    refused(axe::mesh(sm90, {2, 0}), errc::bad_extent, "dimension 1 of the mesh is 0; it must be at least 1");
    refused(axe::mesh(sm90, {2, 2}, {"dp"}), errc::rank_mismatch, "the mesh has 2 dimensions and 1 names");
    for (const axe::Axis taken : {axe::Axis{"warp"}, axe::Axis{"thread"}, axe::Axis{"m"}, axe::Axis{"quarter"}, axe::Axis{"dp"}})
        refused(axe::mesh(sm90, {2, 2}, {"dp", taken}), errc::bad_axis, "mesh dimension 1 has the name of another axis");
    CHECK(axe::mesh(sm90, {std::int64_t{1} << 40, std::int64_t{1} << 40}).code() == errc::overflow);
    refused(axe::mesh(*axe::mesh(sm90, {4}), {2, 2}), errc::bad_argument,
            "the machine has 4 devices; a mesh needs a machine of one device");
    refused(axe::mesh(*axe::mesh(sm90, {1, 1}), {2, 2}), errc::bad_argument,
            "the machine is already a mesh; make one mesh of all dimensions");
    refused(axe::mesh(sm90, {2, 2, 2, 2, 2, 2, 2, 2}), errc::capacity, "a mesh of 8 dimensions needs more than 8 splits");
    axe::Machine unsound = sm90;
    unsound.name = "";
    refused(axe::mesh(unsound, {2}), errc::bad_argument, "a machine needs a name");
}
