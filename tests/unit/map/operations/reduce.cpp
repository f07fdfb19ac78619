// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/reduce.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of reduce: the reduced dimensions are range variables as listed")
{
    const auto o = Reduce{{3, 0}}.maps({{150, 20, 10, 50}, {}});
    CHECK(shape(o) == IndexShape{20, 10});
    CHECK(from_output(o) ==
          "(d0, d1)[s0, s1] -> (s1, d0, d1, s0), domain: d0 in [0, 19], d1 in [0, 9], s0 in [0, 49], s1 in [0, 149]");
    CHECK(to_output(o) == "(d0, d1, d2, d3) -> (d1, d2), domain: d0 in [0, 149], d1 in [0, 19], d2 in [0, 9], d3 in [0, 49]");
    CHECK(from_output(o, 1) == "(d0, d1) -> (), domain: d0 in [0, 19], d1 in [0, 9]");
    CHECK(to_output(o, 1) == "()[s0, s1] -> (s0, s1), domain: s0 in [0, 19], s1 in [0, 9]");
}

TEST_CASE("maps of reduce: every result of a variadic one reads all arrays")
{
    const auto o = Reduce{{1}}.maps({{2, 3}, {2, 3}, {}, {}});
    REQUIRE(o->results.size() == 2);
    for (const std::size_t r : {0u, 1u})
        for (const std::size_t k : {0u, 1u}) {
            CHECK(from_output(o, k, r) == "(d0)[s0] -> (d0, s0), domain: d0 in [0, 1], s0 in [0, 2]");
            CHECK(from_output(o, k + 2, r) == "(d0) -> (), domain: d0 in [0, 1]");
        }
}

TEST_CASE("maps of reduce: refusals")
{
    CHECK(why(Reduce{{1}}.maps({{2, 3}, {2, 4}, {}, {}})) == "size_mismatch 1: dimension 1 of operand 1 must be 3");
    CHECK(why(Reduce{{1}}.maps({{2, 3}, {}, {}})) == "rank_mismatch -1: there are 3 operands; the operation takes 2");
    CHECK(why(Reduce{{1}}.maps({{2, 3}, {1}})) == "rank_mismatch 1: operand 1 has 1 dimension; it must have 0");
    CHECK(why(Reduce{{1}}.maps({})) == "rank_mismatch -1: there are 0 operands; the operation takes 2");
    CHECK(why(Reduce{{2}}.maps({{2, 3}, {}})) == "bad_argument 0: dimension 2 does not exist; the array has 2 dimensions");
}
