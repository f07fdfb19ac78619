// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/mesh/mesh_text.hpp>
#include <catch.hpp>

#include <string>

TEST_CASE("meshes as text")
{
    for (const char* text : {"node(node_x=2,node_y=2),device=4,cluster(cluster_x=2,cluster_y=2),block=4", "x=2,y=3",
                             "node=2,device=4", "device(x=2,node=3)", "block(x=2)"}) {
        const auto mesh = axe::parse_device_mesh(text);
        REQUIRE(mesh.has_value());
        CHECK(std::string(axe::print_launch(*mesh).c_str()) == text);
    }
    CHECK(axe::parse_device_mesh(" block_cluster ( x = 2 ) ").value() == axe::parse_device_mesh("cluster(x=2)").value());
    CHECK(axe::parse_device_mesh("block_cluster=2").value().launch[0].scope == axe::MeshScope::cluster);
    CHECK(axe::parse_device_mesh("\"x\"=2").value() == axe::parse_device_mesh("x=2").value());
    const axe::Mesh mesh = axe::parse_device_mesh("node(node_x=2,node_y=2),device=4").value();
    const axe::Mesh sub = axe::sub_mesh(mesh, axe::parse_mesh_key("[1,:,2]").value()).value();
    CHECK(std::string(axe::print(sub).c_str()) == "(node_y=2) -> 2:4@id + 10@id");
    CHECK(std::string(axe::print(axe::sub_mesh(mesh, {0, 0, 0}).value()).c_str()) == "() -> ():()");
    for (const char* text : {"", "x", "x=", "x=a", "x=\"2\"", "node()", "node(x=2", "x=2,", "x=2 y", "gpu(x=2)", "\"x=2"})
        CHECK(axe::parse_device_mesh(text).error().code == axe::errc::bad_syntax);
    CHECK(axe::parse_device_mesh("block=2, device=2").error().code == axe::errc::bad_argument);
    CHECK(axe::parse_device_mesh("block=2, device=2").error().position == 9);
    CHECK(axe::parse_device_mesh("device(x=2, y=0)").error().position == 12);
}
TEST_CASE("keys as text")
{
    using axe::MeshIndex;
    MeshIndex from = MeshIndex::range(1, 0), to = MeshIndex::range(0, -1, -2);
    from.has_past = to.has_first = false;
    from.past = to.first = 0;
    CHECK(axe::parse_mesh_key("[1, : , -2:4:2]").value() == axe::MeshKey{1, MeshIndex::all(), MeshIndex::range(-2, 4, 2)});
    CHECK(axe::parse_mesh_key("[...,1:,:-1:-2,::3]").value() == axe::MeshKey{MeshIndex::rest(), from, to, MeshIndex::every(3)});
    CHECK(axe::parse_mesh_key("[]").value().empty());
    CHECK(axe::parse_mesh_key("[::]").value() == axe::MeshKey{MeshIndex::all()});
    for (const char* text : {"", "1", "[1", "[a]", "[1:2:3:4]", "[..]", "[1,]", "[1]]"})
        CHECK(axe::parse_mesh_key(text).error().code == axe::errc::bad_syntax);
    CHECK(axe::parse_mesh_key("[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]").error().code == axe::errc::capacity);
}
TEST_CASE("shardings as text")
{
    const axe::Mesh mesh = axe::parse_device_mesh("x=2,y=2,z=2").value();
    for (const char* text : {"[]", "[[x]]", "[[x,y],[]] P(z)", "[[],[z,x]] U(y)", "[] P(x) U(y,z)"})
        CHECK(std::string(axe::print(axe::parse_mesh_sharding(text, mesh).value()).c_str()) == text);
    CHECK(axe::parse_mesh_sharding("[ x , [] ] U(z) P(y)", mesh).value() ==
          axe::make_sharding(mesh, {{"x"}, {}}, {"y"}, {"z"}).value());
    for (const char* text : {"", "x", "[x", "[x] Q(y)", "[x] P", "[x] P(y", "[[x]", "[1]"})
        CHECK(axe::parse_mesh_sharding(text, mesh).error().code == axe::errc::bad_syntax);
}
