// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/opaque.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of opaque: shapes and nothing else")
{
    const auto o = Opaque{"sort", {{4}, {4, 5}}}.maps({{4}, {4}, {4}});
    CHECK(o->name == "sort");
    REQUIRE(o->results.size() == 2);
    CHECK(o->results[1].shape == IndexShape{4, 5});
    for (const std::size_t k : {0u, 1u, 2u}) {
        CHECK(from_output(o, k, 1) == "UNDEFINED");
        CHECK(to_output(o, k, 1) == "UNDEFINED");
    }
    CHECK(why(Opaque{"sort", {{4, -4}}}.maps({})) == "bad_extent 1: dimension 1 of the result is -4; it must be 0 or more");
}
