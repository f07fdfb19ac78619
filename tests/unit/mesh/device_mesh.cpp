// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/equal.hpp>
#include <axe/mesh/device_mesh.hpp>
#include <axe/mesh/sub_mesh.hpp>
#include <axe/text/parse.hpp>
#include <catch.hpp>

#include <string>
#include <vector>

namespace {

std::vector<std::int64_t> ids_of_mesh(const axe::Mesh& mesh)
{
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < size(mesh); ++i) out.push_back(axe::id_at(mesh, axe::coordinate(mesh.shape, i)).value());
    return out;
}

} // namespace

TEST_CASE("a mesh of a hierarchy has ids row-major")
{
    using enum axe::MeshScope;
    constexpr axe::Mesh mesh = *axe::device_mesh({{"node_x", 2, node},
                                                  {"node_y", 2, node},
                                                  {"device", 4},
                                                  {"cluster_x", 2, cluster},
                                                  {"cluster_y", 2, cluster},
                                                  {"block", 4, block}});
    STATIC_REQUIRE(size(mesh) == 256);
    STATIC_REQUIRE(mesh.shape == axe::Shape{2, 2, 4, 2, 2, 4});
    STATIC_REQUIRE(*axe::id_at(mesh, {1, 0, 3, 1, 0, 2}) == 128 + 3 * 16 + 8 + 2);
    STATIC_REQUIRE(axe::find_dimension(mesh, "device") == 2);
    STATIC_REQUIRE(axe::find_dimension(mesh, "nodes") == -1);
    STATIC_REQUIRE(*axe::launch_coordinate(mesh, 255) == axe::Coord{1, 1, 3, 1, 1, 3});
    for (std::int64_t i = 0; i < 256; ++i) CHECK(axe::id_at(mesh, axe::coordinate(mesh.shape, i)).value() == i);
    CHECK(axe::equal(axe::layout_of(mesh), axe::parse_layout("256:1@id").value()));
}
TEST_CASE("what is not a mesh")
{
    CHECK(axe::device_mesh({}).error().code == axe::errc::bad_argument);
    CHECK(axe::device_mesh({{"x", 0}}).error().code == axe::errc::bad_extent);
    CHECK(axe::device_mesh({{"x", 2}, {"x", 3}}).error().code == axe::errc::bad_axis);
    CHECK(axe::device_mesh({{"x", std::int64_t{1} << 40}, {"y", std::int64_t{1} << 40}}).error().code == axe::errc::overflow);
    CHECK(axe::device_mesh({{"x", 2, axe::MeshScope::block}, {"y", 2, axe::MeshScope::node}}).error().code ==
          axe::errc::bad_argument);
    axe::MeshTopology many;
    for (int i = 0; i < 17; ++i) many.push_back(axe::MeshAxis(axe::Axis("x"), 1));
    CHECK(axe::device_mesh(many).error().code == axe::errc::capacity);
}
TEST_CASE("a mesh on another shape: names, order, launch mesh")
{
    const axe::Mesh mesh = axe::device_mesh({{"node", 2, axe::MeshScope::node}, {"device", 6}}).value();
    const axe::Mesh flat = axe::flatten(mesh).value();
    CHECK(flat.shape == axe::Shape{12});
    CHECK(flat.names == axe::MeshAxes{"flat"});
    CHECK(axe::launch_shape(flat) == axe::Shape{2, 6});
    CHECK(axe::reshape(mesh, {3, 4})->names == axe::MeshAxes{"node", "device"});
    CHECK(axe::reshape(mesh, {3, 2, 2})->names == axe::MeshAxes{"dim0", "dim1", "dim2"});
    axe::Shape ones;
    for (int i = 0; i < 14; ++i) ones.push_back(i == 0 ? 12 : 1);
    CHECK(axe::reshape(mesh, ones)->names[13] == axe::Axis("dim13"));
    for (const auto& shape : {axe::Shape{12}, axe::Shape{4, 3}, axe::Shape{3, 2, 2}, axe::Shape{1, 12}})
        CHECK(ids_of_mesh(axe::reshape(mesh, shape).value()) == ids_of_mesh(mesh));
    CHECK(axe::reshape(mesh, {5}).error().code == axe::errc::size_mismatch);
    CHECK(axe::reshape(mesh, {0}).error().code == axe::errc::bad_extent);
    const axe::Mesh corner = axe::sub_mesh(mesh, {axe::MeshIndex::all(), axe::MeshIndex::range(0, 3)}).value();
    CHECK(ids_of_mesh(axe::flatten(corner).value()) == std::vector<std::int64_t>{0, 1, 2, 6, 7, 8});
    CHECK(axe::reshape(corner, {3, 2}).error().code == axe::errc::not_grouped);
}
TEST_CASE("ids of coordinates outside the mesh")
{
    const axe::Mesh mesh = axe::device_mesh({{"x", 2}, {"y", 3}}).value();
    CHECK(axe::id_at(mesh, {0}).error().code == axe::errc::rank_mismatch);
    CHECK(axe::id_at(mesh, {0, 3}).error().code == axe::errc::out_of_domain);
    CHECK(axe::id_at(mesh, {-1, 0}).error().code == axe::errc::out_of_domain);
    CHECK(axe::launch_coordinate(mesh, 6).error().code == axe::errc::out_of_domain);
    CHECK(axe::launch_coordinate(mesh, -1).error().code == axe::errc::out_of_domain);
}
