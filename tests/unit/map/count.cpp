// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/count.hpp>
#include <catch.hpp>
#include <tests/unit/map/domains.hpp>

#include <string>

namespace {

using domains::all, domains::launch, domains::map, domains::thin;

TEST_CASE("count_points: the launch, boxes, no point and one")
{
    CHECK(axe::count_points(map(launch)).value() == 240000);
    CHECK(axe::count_points(map("() -> ()")).value() == 1);
    CHECK(axe::count_points(map("(d0) -> (), domain: d0 in [3, 2]")).value() == 0);
    CHECK(axe::count_points(map("(d0)[s0]{rt0} -> (), domain: d0 in [0, 3], s0 in [0, 4], rt0 in [0, 5]")).value() == 120);
    // pairs with a product below a bound: products are cut until one factor is known
    CHECK(axe::count_points(map("(d0, d1) -> (), domain: d0 in [0, 9], d1 in [0, 5], d0 * d1 in [0, 28]")).value() == 54);
}

TEST_CASE("count_points: 2^64 integers, and 10^12 of 10^24 points")
{
    CHECK(axe::count_points(map(all)).value() == 3074457345618258602);
    CHECK(axe::count_points(map(thin)).value() == 666666666667);
    const auto beyond = axe::count_points(map("(d0, d1) -> (), domain: d0 in [0, 9999999999], d1 in [0, 9999999999]"));
    CHECK(beyond.code() == axe::errc::overflow);
    CHECK(std::string(beyond.error().message().c_str()) == "the number of points of the domain overflows");
}

TEST_CASE("an undefined map has no points")
{
    CHECK(axe::count_points(axe::IndexingMap::undefined()).code() == axe::errc::bad_argument);
}

} // namespace
