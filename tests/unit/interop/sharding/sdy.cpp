// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/sdy.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;

namespace {

auto mesh_of(std::string_view text) { return parse_mesh(text); }
const Mesh mesh = mesh_of(R"(<["x"=2, "y"=8, "z"=2]>)").value();
auto spec_of(std::string_view text) { return parse_sdy(text, mesh); }

std::string again(std::string_view text)
{
    const auto spec = spec_of(text);
    return spec ? said::text(print_sdy(*spec)) : std::string(spec.error().message().c_str());
}

} // namespace

TEST_CASE("parse_mesh: Shardy's, JAX's and XLA's notations")
{
    const auto text = [](std::string_view t) {
        const auto m = mesh_of(t);
        return m ? said::text(print_mesh(*m)) : std::string(m.error().message().c_str());
    };
    CHECK(text(R"(<["x"=2, "y"=4]>)") == R"(<["x"=2, "y"=4]>)");
    CHECK(text(R"(sdy.mesh @mesh = <["x"=2,"y"=4]>)") == R"(<["x"=2, "y"=4]>)");
    CHECK(text(R"(mesh<[]>)") == "<[]>");
    CHECK(text(R"(<[], device_ids=[3]>)") == "<[], device_ids=[3]>");
    CHECK(text(R"(<["a"=2, "b"=2], device_ids=[0, 1, 2, 3]>)") == R"(<["a"=2, "b"=2]>)"); // as Shardy prints it
    CHECK(text(R"(<["a"=2, "b"=1], device_ids=[1, 0]>)") == R"(<["a"=2, "b"=1], device_ids=[1, 0]>)");
    CHECK(text("Mesh('x': 2, 'y': 4)") == R"(<["x"=2, "y"=4]>)");
    CHECK(text("Mesh('x': 2, 'y': 4, axis_types=(Auto, Explicit))") == R"(<["x"=2, "y"=4]>)");
    CHECK(text("(2,4)") == R"(<["_axis_0"=2, "_axis_1"=4]>)");
    CHECK(text("[2,4]<=[4,2]T(1,0)") == R"(<["_axis_0"=2, "_axis_1"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>)");
    CHECK(text("[2,4]<=[8]") == R"(<["_axis_0"=2, "_axis_1"=4]>)");
    CHECK(text("[6]<=[2,3]T(1,0)") == R"(<["_axis_0"=6], device_ids=[0, 3, 1, 4, 2, 5]>)");
    // what is not a mesh
    CHECK(text(R"(<["a"=2, "b"=3], device_ids=[0, 3, 1, 4, 2, 5]>)") == "the order of the devices does not split at mesh axis 0");
    const auto marked = [](std::string_view words, errc code, int at, std::string_view sentence) {
        said::misread(parse_mesh(words), words, code, at, sentence);
    };
    marked(R"(<["a"=4], device_ids=[0, 1]>)", errc::size_mismatch, 10,
           "the mesh has 4 places, the order of its devices at character 10 has 2");
    marked("[2,2]<=[4,2]T(1,0)", errc::size_mismatch, 7, "the mesh has 4 places, the order of its devices at character 7 has 8");
    marked(R"(<["a"=2, "b"=2, "a"=2]>)", errc::bad_axis, 16, "mesh axes 0 and 2 have the same name, the second at character 16");
    marked("Mesh('a': 2, 'a': 4)", errc::bad_axis, 13, "mesh axes 0 and 1 have the same name, the second at character 13");
    CHECK(text("[3037000500,3037000500]") == "the number of devices overflows at mesh axis 1");
    CHECK(text(R"(<["a"=2], device_ids=[0, 2]>)") ==
          "the steps cover 1 consecutive devices, then advance by 2; a mesh has each number of a range once");
    CHECK(text("[257]<=[257]") == R"(<["_axis_0"=257]>)");
    said::refused(print_mesh(*make_mesh({{"x", 257}}, {Iter(257, -1)}, 256)), errc::capacity,
                  "257 devices out of order would have to be listed; at most 256 can be");
}

TEST_CASE("parse_mesh: the character of a mistake")
{
    const auto misread = [](std::string_view text, errc code, int at, std::string_view sentence) {
        said::misread(mesh_of(text), text, code, at, sentence);
    };
    misread("<x=2>", errc::bad_syntax, 1, "expected '[' before the axes of the mesh at character 1");
    misread("<[x=2]>", errc::bad_syntax, 2, "expected the name of a mesh axis in quotes at character 2");
    misread("<[\"x]>", errc::bad_syntax, 6, "expected the quote that ends the name at character 6");
    misread("<[\"\"=2]>", errc::bad_axis, 3, "the name at character 3 is empty, longer than 31 characters, or not printable");
    misread("<[\"x\" 2]>", errc::bad_syntax, 6, "expected '=' after the name of the axis at character 6");
    misread("<[\"x\"=0]>", errc::bad_extent, 6, "the number at character 6 is 0; it must be at least 1");
    misread("<[\"x\"=y]>", errc::bad_syntax, 6, "expected the size of the axis at character 6");
    misread("<[\"x\"=2>", errc::bad_syntax, 7, "expected ',' or ']' after the axis at character 7");
    misread("<[\"x\"=2], ids>", errc::bad_syntax, 10, "expected device_ids at character 10");
    misread("<[\"x\"=2], device_ids>", errc::bad_syntax, 20, "expected '=' after device_ids at character 20");
    misread("<[\"x\"=2], device_ids=2>", errc::bad_syntax, 21, "expected '[' before the devices at character 21");
    misread("<[\"x\"=2], device_ids=[-1]>", errc::out_of_domain, 22, "the device at character 22 is -1; device numbers start at 0");
    misread("<[\"x\"=4], device_ids=[0,1,3,2]>", errc::no_layout, 28,
            "the device list is not a product of steps: device 2 at character 28 breaks the pattern");
    misread("<[\"x\"=2]", errc::bad_syntax, 8, "expected '>' after the mesh at character 8");
    misread("Mesh[2]", errc::bad_syntax, 4, "expected '(' after Mesh at character 4");
    misread("Mesh('x'=2)", errc::bad_syntax, 8, "expected ':' after the name of the axis at character 8");
    misread("Mesh('x': 2, axis_types)", errc::bad_syntax, 23, "expected '=' after axis_types at character 23");
    misread("Mesh('x': 2, axis_types=(Auto", errc::bad_syntax, 29, "expected ')' after the types of the axes at character 29");
    misread("(2,4", errc::bad_syntax, 4, "expected ',' or a bracket after the size at character 4");
    misread("[2]<=2", errc::bad_syntax, 5, "expected '[' after <= at character 5");
    misread("[2]<=[2]T(1)", errc::bad_argument, 10, "the order at character 10 names dimension 1, which does not exist");
    misread("[4]<=[2,2]T(0,0)", errc::bad_argument, 14, "the order at character 14 names dimension 0 twice");
    misread("[4]<=[2,2]T(0)", errc::rank_mismatch, 11, "the order at character 11 has 1 entry, not one for each dimension");
    misread("{2}", errc::bad_syntax, 0, "expected a mesh, <[\"x\"=2]>, Mesh('x': 2) or (2,4), at character 0");
    misread("(2) 3", errc::bad_syntax, 4, "expected the end of the text at character 4");
    misread("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", errc::capacity, 34, "the list at character 34 has more than 16 items");
}

TEST_CASE("sdy: what Shardy's own tests parse and print is printed again")
{
    // openxla/shardy, shardy/dialect/sdy/ir/test/tensor_sharding_parse_print.mlir, over other meshes
    for (const char* text :
         {R"(#sdy.sharding<@mesh, []>)", R"(#sdy.sharding<@mesh, [], replicated={"y"}>)", R"(#sdy.sharding<@mesh, [{"x"}, {}]>)",
          R"(#sdy.sharding<@mesh, [{}, {}], replicated={"x", "y"}>)", R"(#sdy.sharding<@mesh, [{"x", ?}, {?}]>)",
          R"(#sdy.sharding<@mesh, [{"x", "y", ?}, {}]>)", R"(#sdy.sharding<@mesh, [{"x"}, {"y":(2)2}]>)",
          R"(#sdy.sharding<@mesh, [{"x"}, {}], replicated={"y":(2)2}>)", R"(#sdy.sharding<@mesh, [{"y":(1)2, "x", "y":(2)2}, {}]>)",
          R"(#sdy.sharding<@mesh, [{"y":(2)2, "y":(1)2}, {}]>)", R"(#sdy.sharding<@mesh, [{"x"}p0, {"y"}p1]>)",
          R"(#sdy.sharding<@mesh, [{"x"}, {"y":(1)2, ?}p3], replicated={"y":(4)2}, unreduced={"z"}>)"})
        CHECK(again(text) == text);
    CHECK(again(R"(<@other, [{ "x" },{"z","y"} ] , unreduced = {} >)") == R"(#sdy.sharding<@mesh, [{"x"}, {"z", "y"}]>)");
    // marks are put in the order of the mesh
    CHECK(again(R"(<@m, [{}], replicated={"z", "y":(4)2, "x", "y":(1)2}>)") ==
          R"(#sdy.sharding<@mesh, [{}], replicated={"x", "y":(1)2, "y":(4)2, "z"}>)");
    const std::string_view inlined = R"(#sdy.sharding<mesh<["a"=2, "b"=2], device_ids=[0, 2, 1, 3]>, [{"b"}, {"a", ?}]>)";
    CHECK(said::text(print_sdy(*parse_sdy(inlined), nullptr)) == inlined);
    constexpr char bounded[] = R"(<mesh<["a"=2]>, [{"a"}]>)";
    STATIC_REQUIRE(parse_sdy(bounded)->parts.size() == 1);
    const Spec open = *spec_of(R"(<@m, [{?}p2, {}]>)");
    CHECK(open.dims[0] == Dimension(0, true, 2));
    CHECK(open.dims[1] == Dimension(0));
}

TEST_CASE("sdy: the character of a mistake")
{
    const auto misread = [](std::string_view text, errc code, int at, std::string_view sentence) {
        said::misread(spec_of(text), text, code, at, sentence);
    };
    misread("@m", errc::bad_syntax, 0, "expected '<' before the sharding at character 0");
    misread("<@, []>", errc::bad_syntax, 2, "expected the name of the mesh at character 2");
    misread("<@m []>", errc::bad_syntax, 4, "expected ',' after the mesh at character 4");
    misread("<@m, {}>", errc::bad_syntax, 5, "expected '[' before the dimensions at character 5");
    misread("<@m, [\"x\"]>", errc::bad_syntax, 6, "expected '{' before the axes of a dimension at character 6");
    misread("<@m, [{x}]>", errc::bad_syntax, 7, "expected the name of a mesh axis in quotes at character 7");
    misread("<@m, [{\"w\"}]>", errc::unknown_axis, 7, "the mesh has no axis of the name at character 7");
    misread("<@m, [{\"x\"}, {\"x\"}]>", errc::bad_argument, 14, "the places of the mesh axis at character 14 are already named");
    misread("<@m, [{\"y\":(1)4}, {\"y\":(2)2}]>", errc::bad_argument, 19,
            "the places of the mesh axis at character 19 are already named");
    misread("<@m, [{\"x\"}], replicated={\"x\"}>", errc::bad_argument, 26,
            "the places of the mesh axis at character 26 are already named");
    misread("<@m, [{}], replicated={\"x\"}, unreduced={\"x\"}>", errc::bad_argument, 40,
            "the places of the mesh axis at character 40 are already named");
    misread("<@m, [{\"y\":(3)2}]>", errc::bad_argument, 7, "the sub-axis at character 7 does not divide the 8 places of its axis");
    misread("<@m, [{\"y\":2}]>", errc::bad_syntax, 11, "expected '(' and the places before the sub-axis at character 11");
    misread("<@m, [{\"y\":(x)2}]>", errc::bad_syntax, 12, "expected the product of the sub-axes before at character 12");
    misread("<@m, [{\"y\":(1 2}]>", errc::bad_syntax, 14, "expected ')' after the places before the sub-axis at character 14");
    misread("<@m, [{\"y\":(1)}]>", errc::bad_syntax, 14, "expected the size of the sub-axis at character 14");
    misread("<@m, [{?, \"x\"}]>", errc::bad_syntax, 10, "expected '}' after the ? at character 10");
    misread("<@m, [{\"x\" \"y\"}]>", errc::bad_syntax, 11, "expected ',' or '}' after the axis at character 11");
    misread("<@m, [{\"x\"}pq]>", errc::bad_syntax, 12, "expected the priority after p at character 12");
    misread("<@m, [{\"x\"}p-1]>", errc::bad_argument, 12, "the priority at character 12 is -1; it must be from 0 to 1000000");
    misread("<@m, [{} {}]>", errc::bad_syntax, 9, "expected ',' or ']' after the dimension at character 9");
    misread("<@m, [{}], x>", errc::bad_syntax, 11, "expected replicated= or unreduced= at character 11");
    misread("<@m, [{}], unreduced={\"x\"}, replicated={\"y\"}>", errc::bad_syntax, 28,
            "expected replicated= or unreduced= at character 28");
    misread("<@m, [{}], replicated{}>", errc::bad_syntax, 21, "expected '=' before the axes at character 21");
    misread("<@m, [{}], replicated=[]>", errc::bad_syntax, 22, "expected '{' before the axes at character 22");
    misread("<@m, [{}]", errc::bad_syntax, 9, "expected ',' or '>' after the sharding at character 9");
    misread("<@m, [{}]> x", errc::bad_syntax, 11, "expected the end of the text at character 11");
    const std::string_view named = "<@m, [{}]>";
    said::misread(parse_sdy(named), named, errc::bad_argument, 1,
                  "the mesh at character 1 is given by name; pass its axes as well");
}

TEST_CASE("sdy: what it has no word for")
{
    Spec spec = *spec_of(R"(<@m, [{"x"}], unreduced={"z"}>)");
    spec.unreduced[0].reduction = Reduction::max;
    said::refused(print_sdy(spec), errc::no_layout, "Shardy's unreduced axes are sums; these terms have a different reduction");
    spec = *spec_of(R"(<@m, [{"x"}]>)");
    spec.parts = {{-1, 1, 3}, {0, 1, 2}};
    spec.dims = {Dimension(2)};
    said::refused(print_sdy(spec), errc::no_layout,
                  "dimension 0 has 3 parts that stay on a device; only DTensor's _StridedShard expresses that");
    spec.dims = {Dimension(3)};
    CHECK(print_sdy(spec).code() == errc::bad_argument);
}

TEST_CASE("print_sdy: the longest text is whole, and a name that has no room is refused")
{
    MeshAxes axes;
    for (int i = 0; i < max_mesh_axes; ++i)
        axes.push_back(MeshAxis(Name::make(std::string(31, static_cast<char>('a' + i)).c_str(), 31).value(), i < 8 ? 2 : 1));
    Spec spec;
    spec.mesh = make_mesh(axes, {Iter(256, -1)}, 9000000000000000255).value();
    for (int i = 0; i < 8; ++i) {
        spec.unreduced.push_back(Unreduced(whole_axis(spec.mesh, i), Reduction::sum));
        spec.replicated.push_back(whole_axis(spec.mesh, 8 + i));
    }
    const auto text = print_sdy(spec, nullptr);
    REQUIRE(text);
    const auto again = parse_sdy({text->c_str(), text->size});
    REQUIRE(again);
    CHECK(*again == spec);
    said::refused(print_sdy(spec, std::string(SpecText::capacity, 'm').c_str()), errc::capacity,
                  "the text has more than 12287 characters: the name of the mesh is too long");
}

TEST_CASE("print_sdy: a part of one that stays needs no word")
{
    Spec spec;
    spec.mesh = make_mesh({{"x", 2}}).value();
    spec.parts = {Part(-1, 1, 1), whole_axis(spec.mesh, 0)};
    spec.dims.push_back(Dimension(2));
    CHECK(said::text(print_sdy(spec)) == R"(#sdy.sharding<@mesh, [{"x"}]>)");
    spec.parts[0].size = 2;
    CHECK(print_sdy(spec).code() == errc::no_layout);
}
