// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/map/to_dimensions.hpp>

#include <catch.hpp>

TEST_CASE("ranges_to_dimensions: the listed ones, in that order, after the dimensions")
{
    const auto m = axe::parse_map("(d0)[a, b, c]{rt0} -> (d0 + a, b + c * 2, rt0), domain: d0 in [0, 3], a in [0, 4], b in [0, 5], "
                                  "c in [0, 6], rt0 in [0, 7], a + c in [0, 8]")
                       .value();
    CHECK(axe::print(axe::ranges_to_dimensions(m, {2, 0}).value()) ==
          "(d0, c, a)[b]{rt0} -> (d0 + a, b + c * 2, rt0), domain: d0 in [0, 3], c in [0, 6], a in [0, 4], b in [0, 5], rt0 in [0, "
          "7], "
          "a + c in [0, 8]");
    CHECK(axe::print(axe::ranges_to_dimensions(m, {}).value()) == axe::print(m));
}

TEST_CASE("ranges_to_dimensions: numbers that name no range variable")
{
    const auto m = axe::parse_map("(d0)[s0, s1] -> (d0 + s0 + s1)").value();
    const auto outside = axe::ranges_to_dimensions(m, {0, 2});
    CHECK(outside.code() == axe::errc::bad_argument);
    CHECK(outside.error().position == 1);
    CHECK(std::string(outside.error().message().c_str()) == "no range variable 2 exists; the map has 2");
    CHECK(axe::ranges_to_dimensions(m, {-1}).code() == axe::errc::bad_argument);
    const auto twice = axe::ranges_to_dimensions(m, {1, 1});
    CHECK(twice.error().position == 1);
    CHECK(std::string(twice.error().message().c_str()) == "range variable 1 is listed twice");
}

TEST_CASE("symbols_to_dimensions: all, and by their places without names")
{
    const auto m = axe::parse_map("(d0)[s0, loop]{rt0} -> (d0 * 4 + s0 + loop + rt0), domain: d0 in [0, 31], s0 in [0, 1], "
                                  "loop in [0, 2], rt0 in [0, 3]")
                       .value();
    const auto d = axe::symbols_to_dimensions(m);
    CHECK(axe::print(d) == "(d0, d1, loop, d3) -> (d0 * 4 + d1 + loop + d3), domain: d0 in [0, 31], d1 in [0, 1], loop in [0, 2], "
                           "d3 in [0, 3]");
    CHECK(d.dimensions == 4);
    CHECK(axe::symbols_to_dimensions(axe::IndexingMap::undefined()).is_undefined);
    CHECK(axe::ranges_to_dimensions(axe::IndexingMap::undefined(), {0})->is_undefined);
}
