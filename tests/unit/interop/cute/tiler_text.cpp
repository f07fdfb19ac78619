// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/divide.hpp>
#include <axe/interop/cute/tiler_text.hpp>
#include <catch.hpp>

#include <string>
#include <string_view>

using namespace axe::literals;
using namespace axe::cute;

namespace {

constexpr axe::Result<Tiler> read(std::string_view text) { return parse_tiler(text); }

struct Refused {
    std::string_view text;
    axe::errc code;
    int position;
    const char* words;
};

} // namespace

static_assert(read("<4:1,_>").value() == Tiler{"(4,1):(1,0)"_cute, 2, 0});

TEST_CASE("cute tiler_text: layouts, extents, modes that stay, tuples")
{
    CHECK(*read("<4,2>") == Tiler{"(4,2):(1,1)"_cute, 0, 0});
    CHECK(*read(" < ( 2 , 2 ) : ( 1 , 8 ) , _ > ") == Tiler{"((2,2),1):((1,8),0)"_cute, 2, 0});
    CHECK(*read("<<2,_>,3:1>") == Tiler{"((2,1),3):((1,0),1)"_cute, 2, 2});
    CHECK(*read("<_8:_1>") == Tiler{"(_8):(_1)"_cute, 0, 0}); // a number that is static, no mode that stays
    CHECK(*logical_divide("(8,4):(1,8)"_cute, *read("<4,_>")) == "((4,2),4):((1,4),8)"_cute);
}

TEST_CASE("cute tiler_text: refusals name the character")
{
    for (const Refused& r : {
             Refused{"4:1", axe::errc::bad_syntax, 0, "expected '<' before a tiler at character 0"},
             Refused{"<,>", axe::errc::bad_syntax, 1, "expected a layout, an extent or _ at character 1"},
             Refused{"<4,0>", axe::errc::bad_extent, 3, "the extent at character 3 is 0; it must be at least 1"},
             Refused{"<4 2>", axe::errc::bad_syntax, 3, "expected ':' after the shape at character 3"},
             Refused{"<4:1 2>", axe::errc::bad_syntax, 5, "expected ',' or '>' after a mode at character 5"},
             Refused{"<4:1", axe::errc::bad_syntax, 4, "expected ',' or '>' after a mode at character 4"},
         }) {
        INFO(r.text);
        const auto got = read(r.text);
        CHECK(got.code() == r.code);
        CHECK(got.error().position == r.position);
        CHECK(std::string(got.error().message().c_str()) == r.words);
    }
    CHECK(read("<4> x").code() == axe::errc::bad_syntax);
    CHECK(logical_divide("(8,8):(1,8)"_cute, *read("<4611686018427387904,4>")).code() == axe::errc::overflow); // all together
    std::string many = "<1";
    for (int i = 1; i < Layout::max_nodes; ++i) many += ",1";
    const auto full = read(many + ">");
    CHECK(full.code() == axe::errc::capacity);
    CHECK(std::string(full.error().message().c_str()) == "the layouts have more than 40 nodes at character 79");
}

TEST_CASE("cute tilers: a tuple of integers is one of layouts n:1")
{
    using axe::cute::parse_tiler;
    CHECK(*parse_tiler("(4,2)") == *parse_tiler("<4,2>"));
    CHECK(*parse_tiler("(4,_,(8,2))") == *parse_tiler("<4,_,<8,2>>"));
    CHECK(*parse_tiler("(4,)") == *parse_tiler("<4>"));
    CHECK(*parse_tiler("((4))") == *parse_tiler("<<4>>"));
    CHECK(parse_tiler("(4,0)").code() == axe::errc::bad_extent);
    CHECK(parse_tiler("(4,2").code() == axe::errc::bad_syntax);
    CHECK(parse_tiler("(4,<2>)").code() == axe::errc::bad_syntax);
    CHECK(parse_tiler("(4,2):(1,4)").code() == axe::errc::bad_syntax);
}

TEST_CASE("cute tiler text: integers without parentheses, and no items")
{
    CHECK(axe::cute::parse_tiler("4,_,(2,8)").value() == axe::cute::parse_tiler("(4,_,(2,8))").value());
    CHECK(axe::cute::parse_tiler("4x2").value() == axe::cute::parse_tiler("<4,2>").value());
    CHECK(axe::cute::parse_tiler("<>").value() == axe::cute::parse_tiler("()").value());
    CHECK(axe::cute::parse_tiler("<>").value().items.nodes.size() == 1);
    CHECK(axe::cute::parse_tiler("<4,<>>").value().nested == 4); // the second item is a tuple of tilers without any
    CHECK(axe::cute::parse_tiler("4,").error().position == 2);
    CHECK(axe::cute::parse_tiler("<,>").code() == axe::errc::bad_syntax);
}
