// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/jax.hpp>
#include <axe/interop/sharding/mesh_text.hpp>
#include <axe/interop/sharding/read.hpp>
#include <axe/interop/sharding/sdy.hpp>
#include <tests/unit/interop/sharding/said.hpp>

using namespace axe;
using namespace axe::sharding;

TEST_CASE("read: names of all lengths that an axis may have, in quotes of both kinds")
{
    for (const char quote : {'\'', '"'})
        for (int length = 0; length <= 33; ++length) {
            const std::string name(static_cast<std::size_t>(length), 'n'), quoted = quote + name + quote;
            const auto mesh = parse_mesh("Mesh(" + quoted + ": 2)");
            CHECK(mesh.has_value() == (length >= 1 && length <= 31));
            if (!mesh) {
                CHECK(mesh.code() == errc::bad_axis);
                continue;
            }
            CHECK(parse_jax("P(" + quoted + ")", *mesh, 1).has_value());
            CHECK(parse_jax("P(" + quoted.substr(0, quoted.size() - 1) + ")", *mesh, 1).code() == errc::bad_syntax);
        }
    const auto mixed = parse_mesh("Mesh('x\": 2)");
    CHECK(mixed.code() == errc::bad_syntax); // the quote that begins a name ends it
}

TEST_CASE("read: sizes from 1 to the largest number")
{
    for (const char* text : {"(1)", "(9223372036854775807)", "( 7 )", "(007)"}) CHECK(parse_mesh(text).has_value());
    for (const char* text : {"(0)", "(-1)", "(9223372036854775808)", "(1.5)", "(+2)", "(x)", "(,)"}) {
        INFO(text);
        CHECK_FALSE(parse_mesh(text).has_value());
    }
    CHECK(parse_mesh("(0)").code() == errc::bad_extent);
}

TEST_CASE("read: blanks between words change nothing, and a word ends where it ends")
{
    const Mesh mesh = *parse_mesh(R"(<["x"=2, "y"=4]>)");
    const std::string close = R"(<@m,[{"x"},{"y":(1)2,?}p1],replicated={"y":(2)2}>)";
    const std::string wide = " < @m , [ { \"x\" } , { \"y\" : ( 1 ) 2 , ? } p 1 ] , replicated = { \"y\" : ( 2 ) 2 } > ";
    const auto a = parse_sdy(close, mesh), b = parse_sdy(wide, mesh);
    REQUIRE(a);
    REQUIRE(b);
    CHECK(*a == *b);
    CHECK(parse_mesh(" sdy.mesh @a = #sdy.mesh< [ \"x\" = 2 ] > ").value() == *parse_mesh(R"(<["x"=2]>)"));
    CHECK(parse_mesh(R"(#sdy.mesh<["x"=2]>)").value() == *parse_mesh(R"(mesh<["x"=2]>)"));
    CHECK(parse_mesh(R"(meshes<["x"=2]>)").code() == errc::bad_syntax);
    CHECK(parse_mesh("").code() == errc::bad_syntax);
}

TEST_CASE("read: the longest text of a spec has room")
{
    MeshAxes axes;
    for (int i = 0; i < max_mesh_axes; ++i) {
        const std::string name = std::string(30, 'n') + static_cast<char>('a' + i);
        axes.push_back(MeshAxis(*Name::make(name.c_str(), 31), 1));
    }
    Mesh mesh;
    mesh.axes = axes;
    const auto text = print_mesh(mesh);
    REQUIRE(text);
    CHECK(text->size < SpecText::capacity);
    CHECK(parse_mesh(text->c_str()).value() == mesh);
}
