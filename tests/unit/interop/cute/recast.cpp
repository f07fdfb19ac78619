// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/recast.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::cute::downcast;
using axe::cute::recast;
using axe::cute::upcast;

static_assert(upcast("(8,4):(1,8)"_cute, 4).value() == "(2,4):(1,2)"_cute);
static_assert(downcast("(2,4):(1,2)"_cute, 4).value() == "(8,4):(1,8)"_cute);

TEST_CASE("cute upcast: the words that a layout lies in")
{
    CHECK(*upcast("(32,(4,4)):(4,(1,128))"_cute, 4) == "(32,(1,4)):(1,(1,32))"_cute);
    CHECK(*upcast("4:4"_cute, 8) == "2:1"_cute);
    CHECK(*upcast("(2,2):(1,2)"_cute, 4) == "(1,1):(1,1)"_cute);
    CHECK(*upcast("6:1"_cute, 4) == "2:1"_cute); // the second word is half full
    CHECK(*upcast("(4,8):(0,2)"_cute, 2) == "(4,8):(0,1)"_cute);
    CHECK(*upcast("(4,8):(-8,1)"_cute, 4) == "(4,2):(-2,1)"_cute);
    CHECK(*upcast("(1,4):(3,4)"_cute, 4) == "(1,4):(1,1)"_cute);

    const auto through = upcast("4:3"_cute, 2);
    CHECK(through.code() == axe::errc::no_layout);
    CHECK(std::string(through.error().message().c_str()) ==
          "leaf 0 has stride 3, which neither divides a word of 2 elements nor is a multiple of it");
    CHECK(upcast("4:-1"_cute, 2).code() == axe::errc::no_layout); // 0 and −1 are in different words; CuTe: 2:-1
    const auto beyond = upcast("(4,4):(1,1)"_cute, 4);
    CHECK(beyond.code() == axe::errc::no_layout);
    CHECK(std::string(beyond.error().message().c_str()) ==
          "leaf 1 spans 3 elements, which crosses from one word of 4 elements into the next");
    CHECK(upcast("4:1"_cute, 0).code() == axe::errc::bad_argument);
    CHECK(upcast("4:1@0"_cute, 2).code() == axe::errc::bad_argument);
}

TEST_CASE("cute downcast: the parts of words")
{
    CHECK(*downcast("(4,(8,2)):(16,(1,8))"_cute, 2) == "(4,(16,2)):(32,(1,16))"_cute);
    CHECK(*downcast("(2,2):(1,1)"_cute, 2) == "(4,2):(1,2)"_cute); // one mode takes them; CuTe: (4,4):(1,1)
    CHECK(*downcast("1:0"_cute, 4) == "4:1"_cute);
    CHECK(*downcast("(1,4):(0,2)"_cute, 2) == "(2,4):(1,4)"_cute);
    CHECK(*downcast("4:1"_cute, 1) == "4:1"_cute);
    const auto none = downcast("4:2"_cute, 2);
    CHECK(none.code() == axe::errc::no_layout);
    CHECK(std::string(none.error().message().c_str()) == "no mode has stride 1; one is needed for the 2 parts of each word");
    CHECK(downcast("4:-1"_cute, 2).code() == axe::errc::no_layout);
    CHECK(downcast("(2,2):(1,4611686018427387904)"_cute, 4).code() == axe::errc::overflow);
}

TEST_CASE("cute recast: elements of another width")
{
    CHECK(*recast("(8,4):(1,8)"_cute, 16, 128) == "(1,4):(1,1)"_cute);
    CHECK(*recast("(8,4):(1,8)"_cute, 32, 8) == "(32,4):(1,32)"_cute);
    CHECK(*recast("(8,4):(1,8)"_cute, 8, 8) == "(8,4):(1,8)"_cute);
    CHECK(*recast("(8,4):(1,8)"_cute, 6, 8) == "(6,4):(1,6)"_cute);
    CHECK(recast("4:1"_cute, 0, 8).code() == axe::errc::bad_argument);
    CHECK(recast("(4,4):(4,3)"_cute, 8, 16).code() == axe::errc::no_layout);
}
