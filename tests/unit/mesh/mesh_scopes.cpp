// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/mesh/mesh_scopes.hpp>
#include <axe/mesh/mesh_text.hpp>
#include <catch.hpp>

#include <set>
#include <string>
#include <vector>

namespace {

axe::Mesh mesh_part(const char* launch, const char* key)
{
    return axe::sub_mesh(axe::parse_device_mesh(launch).value(), axe::parse_mesh_key(key).value()).value();
}

} // namespace

TEST_CASE("ids as numbers of devices and blocks")
{
    const char* launch = "node=2,device=4,cluster(cx=2,cy=2),block=4";
    int seen = 0;
    for (const char* key :
         {"[...]", "[1]", "[:,2]", "[:,::2,1]", "[0,1:3,:,::-1,2]", "[::-1,::-1,::-1,::-1,::-1]", "[...,3]", "[1,3,1,1,3]"}) {
        const axe::Mesh mesh = mesh_part(launch, key);
        for (const axe::Mesh& shaped : {mesh, axe::flatten(mesh).value()}) {
            const auto layout = axe::hardware_layout(shaped);
            REQUIRE(layout.has_value());
            for (std::int64_t i = 0; i < size(mesh); ++i) {
                const std::int64_t id = axe::id_at(mesh, axe::coordinate(mesh.shape, i)).value();
                const axe::Point at = axe::evaluate(*layout, i).value();
                CHECK(at["gpuid"] == id / 16);
                CHECK(at["cta"] == id % 16);
                const axe::Point within = axe::evaluate(axe::cluster_layout(shaped).value(), i).value();
                CHECK(within["outer"] == id / 16);
                CHECK(within["rank"] == id / 4 % 4);
                CHECK(within["inner"] == id % 4);
                ++seen;
            }
        }
    }
    CHECK(seen > 300);
}
TEST_CASE("slices of a flat mesh as numbers of devices and blocks: exact, or none")
{
    const axe::Mesh flat = axe::flatten(axe::parse_device_mesh("device=3,block=4").value()).value();
    int made = 0, none = 0;
    for (std::int64_t lo = 0; lo < 12; ++lo)
        for (std::int64_t hi = lo + 1; hi <= 12; ++hi)
            for (const std::int64_t step : {1, 2, 3, 4, 5, 8}) {
                const axe::Mesh mesh = axe::sub_mesh(flat, {axe::MeshIndex::range(lo, hi, step)}).value();
                const auto layout = axe::hardware_layout(mesh);
                none += !layout.has_value();
                if (!layout) CHECK(layout.error().code == axe::errc::not_grouped);
                for (std::int64_t i = 0; layout && i < size(mesh); ++i) {
                    CHECK(axe::evaluate(*layout, i).value()["gpuid"] == (lo + i * step) / 4);
                    CHECK(axe::evaluate(*layout, i).value()["cta"] == (lo + i * step) % 4);
                    ++made;
                }
            }
    CHECK(made > 200);
    CHECK(none > 50);
}
TEST_CASE("the blocks of a cluster that a sub-mesh selects, by enumeration")
{
    const char* launch = "device=2,cluster(cx=2,cy=3),block=2";
    for (const char* x : {":", "0", "1", "::-1"})
        for (const char* y : {":", "0", "2", "::2", "1:"})
            for (const char* block : {":", "1"}) {
                const axe::Mesh mesh = mesh_part(launch, (std::string("[:,") + x + "," + y + "," + block + "]").c_str());
                std::set<std::int64_t> ranks;
                for (std::int64_t i = 0; i < size(mesh); ++i)
                    ranks.insert(axe::id_at(mesh, axe::coordinate(mesh.shape, i)).value() / 2 % 6);
                std::set<std::int64_t> xs, ys;
                for (const std::int64_t r : ranks) xs.insert(r / 3), ys.insert(r % 3);
                axe::BarrierGroup expected;
                for (const std::int64_t r : ranks) expected.ranks.push_back(r);
                for (const auto* along : {&xs, &ys}) {
                    if (along->size() == 1) continue;
                    expected.axes.push_back(along == &ys);
                    expected.shape.push_back(static_cast<std::int64_t>(along->size()));
                }
                CHECK(axe::barrier_group(mesh).value() == expected);
            }
    // Of a flat mesh: 1, 2, 3 of each cluster of 4 are no box; 3 of the one and 0 of the next differ.
    const axe::Mesh flat = axe::flatten(axe::parse_device_mesh("device=2,cluster(cx=2,cy=2)").value()).value();
    for (const char* key : {"[1:4]", "[3:5]"})
        CHECK(axe::barrier_group(axe::sub_mesh(flat, axe::parse_mesh_key(key).value()).value()).error().code ==
              axe::errc::not_grouped);
    CHECK(axe::barrier_group(axe::parse_device_mesh("device=4").value()).error().code == axe::errc::bad_argument);
    CHECK(axe::barrier_group(axe::parse_device_mesh("cluster=64").value()).error().code == axe::errc::capacity);
}
