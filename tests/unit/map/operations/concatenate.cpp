// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/concatenate.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of concatenate: each operand where it lies")
{
    const auto o = Concatenate{1}.maps({{2, 5}, {2, 11}});
    CHECK(shape(o) == IndexShape{2, 16});
    CHECK(from_output(o, 0) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 4]");
    CHECK(from_output(o, 1) == "(d0, d1) -> (d0, d1 - 5), domain: d0 in [0, 1], d1 in [5, 15]");
    CHECK(to_output(o, 0) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 4]");
    CHECK(to_output(o, 1) == "(d0, d1) -> (d0, d1 + 5), domain: d0 in [0, 1], d1 in [0, 10]");
}

TEST_CASE("maps of concatenate: the values are known of one operand only")
{
    CHECK(Concatenate{0}.maps({{3}, {2}})->results[0].value.is_undefined);
    const auto value = Concatenate{0}.maps({{3}})->results[0].value;
    CHECK(axe::print(value, value.results[0]) == "rt0");
}

TEST_CASE("maps of concatenate: refusals")
{
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    CHECK(why(Concatenate{2}.maps({{2, 5}})) == "bad_argument 0: dimension 2 does not exist; the array has 2 dimensions");
    CHECK(why(Concatenate{1}.maps({{2, 5}, {3, 11}})) == "size_mismatch 1: dimension 0 of operand 1 must be 2");
    CHECK(why(Concatenate{1}.maps({{2, 5}, {3}})) == "rank_mismatch 1: operand 1 has 1 dimension; it must have 2");
    CHECK(why(Concatenate{0}.maps({{huge}, {1}})) == "overflow 1: the size of the concatenated dimension overflows");
    CHECK(why(Concatenate{0}.maps({})) == "rank_mismatch -1: there are 0 operands; the operation takes 1");
}
