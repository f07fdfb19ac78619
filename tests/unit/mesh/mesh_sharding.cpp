// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "members.hpp"

#include <axe/layout/points.hpp>
#include <axe/mesh/mesh_sharding.hpp>
#include <axe/mesh/mesh_text.hpp>
#include <catch.hpp>

#include <map>
#include <string>
#include <utility>

namespace {

/// Every pair of an element and a term on the members that hold it, at the place in the part: against the lists of elements.
void check_placement(const axe::Sharding& s, const axe::Shape& shape)
{
    const auto placed = axe::id_placement(s, shape);
    INFO(axe::print(s).c_str() << " " << placed.error().message().c_str());
    REQUIRE(placed.has_value());
    const int terms = placed->terms;
    REQUIRE(terms == s.partial.size());
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> truth; // (id, place) -> number of the element with its term
    for (std::int64_t m = 0; m < size(s.mesh); ++m) {
        const axe::Coord at = axe::coordinate(s.mesh.shape, m);
        const auto region = axe::shard_region(s, shape, at);
        const auto held = members::elements(s, shape, at);
        REQUIRE(region.has_value() == held.has_value());
        if (!held) {
            CHECK(region.error().code == axe::errc::no_layout);
            continue;
        }
        std::int64_t term = 0;
        for (const int axis : s.partial) term = term * s.mesh.shape[axis] + at[axis];
        for (std::size_t i = 0; i < held->size(); ++i) {
            const axe::Coord c = axe::coordinate(shape, (*held)[i]);
            for (int d = 0; d < shape.size(); ++d) CHECK((c[d] >= (*region)[d].lo && c[d] < (*region)[d].hi));
            truth[{axe::id_at(s.mesh, at).value(), static_cast<std::int64_t>(i)}] = term * members::count(shape) + (*held)[i];
        }
        std::int64_t volume = 1;
        for (const auto& range : *region) volume *= range.hi - range.lo;
        CHECK(volume == static_cast<std::int64_t>(held->size()));
        CHECK(volume == members::count(axe::local_shape(s, shape).value()));
    }
    std::size_t seen = 0;
    for (std::int64_t x = 0; x < members::count(placed->shape); ++x)
        for (const axe::Point& p : axe::points(placed->layout, x)) {
            ++seen;
            const auto found = truth.find({p[axe::mesh_id], p["m"]});
            REQUIRE(found != truth.end());
            CHECK(found->second == x);
        }
    CHECK(seen == truth.size());
}

} // namespace

TEST_CASE("a sharding as a layout: who holds what, by enumeration")
{
    const axe::Mesh mesh = axe::parse_device_mesh("node=2,device=2,block=3").value();
    for (const char* text :
         {"[]", "[node]", "[[node,device]]", "[[device,node],block]", "[[],[block,device]]", "[[],device] P(node)",
          "[] P(node,block)", "[block] U(node)", "[] U(node,device,block)", "[[node]] P(device) U(block)"})
        check_placement(axe::parse_mesh_sharding(text, mesh).value(), {12, 6});
    for (const char* key : {"[1]", "[:,1]", "[::-1,:,1]", "[...,::2]"}) {
        const axe::Mesh sub = axe::sub_mesh(mesh, axe::parse_mesh_key(key).value()).value();
        for (const auto& split :
             {axe::MeshSplit{{sub.names[0]}}, axe::MeshSplit{{}, {sub.names[1], sub.names[0]}}, axe::MeshSplit{}})
            check_placement(axe::make_sharding(sub, split).value(), {12, 12});
        check_placement(axe::make_sharding(sub, {}, {sub.names[1]}).value(), {2, 3});
    }
}
TEST_CASE("a sharding on the axes of a machine")
{
    const auto on = [](const char* mesh, const char* text) {
        const auto placed =
            axe::placement(axe::parse_mesh_sharding(text, axe::parse_device_mesh(mesh).value()).value(), {8, 8}).value();
        return std::string(axe::print(placed.layout).c_str());
    };
    CHECK(on("node=2,device=2", "[[node,device]]") == "(4,16):(1@gpuid,1)");
    CHECK(on("node=2,device=2", "[device] P(node)") == "(4,32):(1@gpuid,1)");
    CHECK(on("device=2,block=4", "[device,block]") == "(2,4,4,2):(1@gpuid,2,1@cta,1)");
    CHECK(on("device=2,block=4", "[device]") == "(2,32):(1@gpuid,1) + [4:1@cta]");
    CHECK(on("device=2", "[] U(device)") == "64:1");
}
TEST_CASE("states and local shapes")
{
    const axe::Mesh mesh = axe::parse_device_mesh("x=2,y=4,z=3").value();
    const axe::Sharding s = axe::make_sharding(mesh, {{"z", "x"}}, {"y"}).value();
    CHECK(axe::state_of(s, 0) == axe::AxisState{axe::ShardState::split, 0, 1});
    CHECK(axe::state_of(s, 1) == axe::AxisState{axe::ShardState::partial, -1, -1});
    CHECK(axe::state_of(s, 2) == axe::AxisState{axe::ShardState::split, 0, 0});
    CHECK(axe::local_shape(s, {12, 5}).value() == axe::Shape{2, 5}); // the example of the document: fewer lists than dimensions
    CHECK(axe::local_shape(s, {7, 5}).error().code == axe::errc::not_grouped);
    CHECK(axe::local_shape(axe::make_sharding(mesh, {{}, {}, {"x"}}).value(), {4, 4}).error().code == axe::errc::rank_mismatch);
    CHECK(axe::shard_region(s, {12, 5}, {1, 3, 2}).value() == axe::Region{{10, 12}, {0, 5}});
    CHECK(axe::shard_region(s, {12, 5}, {2, 0, 0}).error().code == axe::errc::out_of_domain);
}
TEST_CASE("each mistake of a sharding has its message")
{
    const axe::Mesh mesh = axe::parse_device_mesh("x=2,y=4").value();
    const auto message = [&](const char* text) {
        return std::string(axe::parse_mesh_sharding(text, mesh).error().message().c_str());
    };
    CHECK(message("[[],z]") == "an axis that splits dimension 1 is not an axis of the mesh");
    CHECK(message("[x,x]") == "mesh axis 0 is named twice");
    CHECK(message("[[x,x]]") == "mesh axis 0 is named twice");
    CHECK(message("[] P(y,y)") == "mesh axis 1 is named twice");
    CHECK(message("[y] P(y)") == "mesh axis 1 is in both split and partial");
    CHECK(message("[y] U(y)") == "mesh axis 1 is undistributed and in split or partial");
    CHECK(message("[] P(x) U(x)") == "mesh axis 0 is undistributed and in split or partial");
    CHECK(message("[] P(w)") == "entry 0 of the partial or undistributed axes is not an axis of the mesh");
}
