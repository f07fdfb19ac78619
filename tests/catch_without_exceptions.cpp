// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled with -fno-exceptions and not run: a question that cannot be decided is then a failed access.
#include <catch.hpp>

#include <axe/text/literals.hpp>

using namespace axe::literals;

TEST_CASE("matchers compile without exceptions")
{
    CHECK_THAT("(4,8):(8,1)"_axe, axe::EqualsMap("32:1"_axe) && axe::GroupsBy({4, 8}) && axe::TilesBy("8:1"_axe));
    CHECK_THAT("(4,8):(8,1)"_axe, axe::Maps({1}, {axe::Point{{"m", 1}}}) && axe::Maps({32}, {1}, {axe::Point{{"m", 1}}}));
}
