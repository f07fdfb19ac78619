// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/composition.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::cute::composition;
using axe::cute::Tiler;

static_assert(composition("(6,2):(8,2)"_cute, "(4,3):(3,1)"_cute).value() == "((2,2),3):((24,2),8)"_cute);

TEST_CASE("cute composition: the profile of the inner layout, the values of the outer")
{
    CHECK(*composition("(4,8):(8,1)"_cute, "(2,2):(1,4)"_cute) == "(2,2):(8,1)"_cute);
    CHECK(*composition("20:2"_cute, "(5,4):(4,1)"_cute) == "(5,4):(8,2)"_cute);
    CHECK(*composition("(10,2):(16,4)"_cute, "(5,4):(1,5)"_cute) == "(5,(2,2)):(16,(80,4))"_cute);
    CHECK(*composition("(4,2):(2,1)"_cute, "(4,1):(1,4)"_cute) == "(4,1):(2,1)"_cute); // an extent of 1 keeps the value there
}

TEST_CASE("cute composition: where CuTe is wrong or gives up")
{
    CHECK(composition("(6,2):(1,7)"_cute, "(3,2):(2,3)"_cute).code() == axe::errc::no_layout);         // CUTLASS issue 2955
    CHECK(composition("(4,6,8):(2,3,5)"_cute, "6:3"_cute).code() == axe::errc::no_layout);             // issue 3177
    CHECK(*composition("(4,3,1):(3,1,0)"_cute, "24:1"_cute) == "(4,3,2):(3,1,0)"_cute);                // Python gives (4,6):(3,1)
    CHECK(*composition("(8,8):(8,1)"_cute, "2:3"_cute) == "2:24"_cute);                                // no division is needed
    CHECK(*composition("(1,8,8):(59,16,3)"_cute, "((3,8),2):((1,3),24)"_cute) == "(8,6):(16,3)"_cute); // a layout, not of B's modes
}

TEST_CASE("cute composition: the last leaf runs on, also below 0")
{
    CHECK(*composition("4:1"_cute, "4:2"_cute) == "4:2"_cute);
    CHECK(*composition("4:1"_cute, "4:-2"_cute) == "4:-2"_cute);
    CHECK(*composition("(4,2):(1,4)"_cute, "2:-1"_cute) == "2:-1"_cute); // A(−1) = A(3) − 4
    CHECK(*composition("(4,2):(1,8)"_cute, "2:-1"_cute) == "2:-5"_cute);
    CHECK(*composition("(2,1):(1,0)"_cute, "4:1"_cute) == "(2,2):(1,0)"_cute);
}

TEST_CASE("cute composition: along bases")
{
    CHECK(*composition("(4,4):(4,1)"_cute, "(4,4):(1@1,1@0)"_cute) == "(4,4):(1,4)"_cute);
    CHECK(*composition("(4,(2,8)):(16,(8,1))"_cute, "(8,2):(1@1@1,2@0)"_cute) == "(8,2):(1,32)"_cute);
    CHECK(*composition("(4,8):(1@0,1@1)"_cute, "(2,4):(2,8)"_cute) == "(2,4):(2@0,2@1)"_cute);
    CHECK(composition("(4,8):(1@0,1@1)"_cute, "8:2"_cute).has_value());
    CHECK(composition("(4,4):(4,1)"_cute, "4:1@2"_cute).code() == axe::errc::rank_mismatch);
    CHECK(composition("(4,4):(1@0,3@0)"_cute, "8:3"_cute).code() == axe::errc::no_layout);
}

TEST_CASE("cute composition: mode by mode")
{
    const auto a = "(12,(4,8)):(59,(13,1))"_cute;
    CHECK(*composition(a, Tiler{"(3,8):(1,1)"_cute, 0}) == "(3,(4,2)):(59,(13,1))"_cute);
    CHECK(*composition(a, Tiler{"(3,1):(4,0)"_cute, 2}) == "(3,(4,8)):(236,(13,1))"_cute); // the second kept
    CHECK(*composition(a, Tiler{"(3):(1)"_cute, 0}) == "(3):(59)"_cute);                   // and here dropped
    CHECK(composition(a, Tiler{"(3,1,1):(1,0,0)"_cute, 0}).code() == axe::errc::rank_mismatch);
    CHECK(composition(a, Tiler{"3:1"_cute, 0}).code() == axe::errc::bad_argument);
}

TEST_CASE("cute composition: errors")
{
    CHECK(composition("(2,2):(1,4611686018427387904)"_cute, "2:4"_cute).code() == axe::errc::overflow);
    CHECK(composition("2:1"_cute, "2:4611686018427387904"_cute).has_value());
    CHECK(composition("(4,2):(1,4)"_cute, axe::cute::Layout{}).code() == axe::errc::capacity);
    axe::cute::Layout many; // 20 leaves, each to be cut in two
    many.nodes.push_back({20, {}, false, false});
    for (int i = 0; i < 20; ++i) many.nodes.push_back({-1, {i == 0 ? 4 : 1, 1, {}}, false, false});
    CHECK(composition("(2,2):(1,8)"_cute, many).has_value());
    for (int i = 0; i < 18; ++i) many.nodes.push_back({-1, {1, 1, {}}, false, false});
    many.nodes[0].children = 38;
    CHECK(composition("(2,2):(1,8)"_cute, many).code() == axe::errc::capacity);
}

TEST_CASE("cute composition: no result that is not a layout")
{
    using axe::cute::check;
    const auto run_on = composition("(2,2):(1,-1)"_cute, "2:-9223372036854775806"_cute);
    CHECK(run_on.code() == axe::errc::overflow);
    CHECK(std::string(run_on.error().message().c_str()) ==
          "the outer layout would have to extend to the indices -9223372036854775806 to 0, where its size or its values overflow");
    CHECK(composition("1:9223372036854775807"_cute, "2:1"_cute).code() == axe::errc::overflow);
    CHECK(*composition("1:9223372036854775806"_cute, "2:1"_cute) == "2:9223372036854775806"_cute);
    CHECK(composition("1:-9223372036854775807"_cute, "2:1"_cute).code() == axe::errc::overflow);
    CHECK(composition("9223372036854775807:0"_cute, "2:9223372036854775806"_cute).has_value());
    // Each mode is a layout, both are none.
    CHECK(composition("(1099511627776,1):(1,1)"_cute, Tiler{"(1,1099511627776):(0,1)"_cute, 1}).code() == axe::errc::overflow);
    // A last leaf of extent 1 does not move, so its basis may be within another's; run on, it does.
    const auto moved = composition("(5,1):(1@0@0,2@0)"_cute, "10:1"_cute);
    CHECK(moved.code() == axe::errc::bad_argument);
    CHECK(*composition("(5,1):(1@0,2@1)"_cute, "10:1"_cute) == "(5,2):(1@0,2@1)"_cute);
    // Along another basis there is room of its own.
    CHECK(*composition("(2,1):(9223372036854775806@0,9223372036854775806@1)"_cute, "4:1"_cute) ==
          "(2,2):(9223372036854775806@0,9223372036854775806@1)"_cute);
}
