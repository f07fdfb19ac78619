// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matchers for Catch2, with its version 3. The tests that are hidden, `[.]`, are run one by one, and must fail.
#include <axe/testing/catch.hpp>

#include <axe/layout/equal.hpp>
#include <axe/layout/slice.hpp>
#include <axe/text/literals.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_version_macros.hpp>

#if CATCH_VERSION_MAJOR != 3
#  error "this is not version 3 of Catch2"
#endif

namespace {

using namespace axe::literals;

constexpr axe::Layout rows = "(4,8):(8,1)"_axe, padded = "(4,8):(9,1)"_axe;
/// Nothing tells whether two of these are one map: replica sets that break the gap condition.
const axe::Swizzled<axe::Layout> many{{1, 0, 1}, "m", 1, "(64,64,64):(64,1,4096) + [2:1]"_axe},
    moved{{1, 1, 1}, "m", 1, many.layout};

} // namespace

TEST_CASE("matchers match, negated and together")
{
    CHECK_THAT(rows, axe::EqualsMap("32:1"_axe) && axe::GroupsBy({4, 8}) && axe::TilesBy("8:1"_axe));
    CHECK_THAT(padded, !axe::EqualsMap("32:1"_axe));
    CHECK_THAT(rows, axe::Maps({1}, {axe::Point{{"m", 1}}}));
    CHECK_THAT(axe::slice(rows, {4, 8}, {{0, 2}, {0, 8}}), axe::EqualsMap("16:1"_axe));
    CHECK_THROWS_AS(axe::EqualsMap(many).match(moved), std::invalid_argument);
}

TEST_CASE("values are shown in the notation, and results as values or with the reason")
{
    CHECK(Catch::Detail::stringify(rows) == "(4,8):(8,1)");
    CHECK(Catch::Detail::stringify(axe::Shape{4, 8}) == "(4,8)");
    CHECK(Catch::Detail::stringify(axe::Point{{"lane", 2}}) == "{lane:2}");
    CHECK(Catch::Detail::stringify(axe::equal(rows, padded)) == "no at 8");
    CHECK(Catch::Detail::stringify(axe::equal(rows, rows)) == "yes");
    const auto sliced = axe::slice(rows, {4, 8}, {{0, 5}, {0, 8}});
    CHECK(Catch::Detail::stringify(sliced).find("error: ") == 0);
}

TEST_CASE("no", "[.]") { CHECK_THAT(padded, axe::EqualsMap(rows)); }
TEST_CASE("undecided", "[.]") { CHECK_THAT(many, axe::EqualsMap(moved)); }
TEST_CASE("undecided, negated", "[.]") { CHECK_THAT(many, !axe::EqualsMap(moved)); }
TEST_CASE("different", "[.]") { CHECK(rows == padded); }
