// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/parse.hpp>
#include <axe/map/range_of.hpp>
#include <catch.hpp>

namespace {

using namespace axe;

IndexInterval range(const char* text)
{
    const auto m = parse_map(text);
    INFO(text);
    REQUIRE(m.has_value());
    return range_of(*m, m->results.at(0));
}

} // namespace

TEST_CASE("range_of: sums and products of intervals")
{
    CHECK(range("(d0, d1) -> (d0 * -3 + d1 + 4), domain: d0 in [0, 2], d1 in [-1, 5]") == IndexInterval{-3, 9});
    CHECK(range("(d0) -> (7), domain: d0 in [0, 2]") == IndexInterval{7, 7});
    CHECK(range("(d0, d1) -> (d0 * d1), domain: d0 in [-3, 2], d1 in [-1, 5]") == IndexInterval{-15, 10});
    CHECK(range("(d0) -> (d0 floordiv -3), domain: d0 in [0, 7]") == IndexInterval{-3, 0});
    CHECK(range("(d0) -> (d0 mod 5), domain: d0 in [3, 100]") == IndexInterval{0, 4});
    CHECK(range("(d0) -> (d0 mod 5), domain: d0 in [6, 8]") == IndexInterval{1, 3});
    CHECK(range("(d0) -> (d0 mod -5), domain: d0 in [0, 100]") == IndexInterval{-4, 0});
}

TEST_CASE("range_of: what moves together is seen")
{
    CHECK(range("(d0) -> (d0 - (d0 floordiv 8) * 8), domain: d0 in [0, 1000]") == IndexInterval{0, 7});
    CHECK(range("(d0) -> (d0 - d0), domain: d0 in [0, 1000]") == IndexInterval{0, 0});
    CHECK(range("(d0) -> ((d0 mod 5) * 12 + ((d0 floordiv 5) mod 4) * 3 + d0 floordiv 20), domain: d0 in [0, 59]") ==
          IndexInterval{0, 59});
}

TEST_CASE("range_of: beyond the integer there is no bound, in an empty interval no value")
{
    CHECK(range("(d0) -> (d0 * 4), domain: d0 in [0, 9223372036854775807]") == IndexInterval{0, every_integer.high});
    CHECK(range("(d0) -> (d0 * -4 + 1), domain: d0 in [0, 9223372036854775807]") == IndexInterval{every_integer.low, 1});
    CHECK(range("(d0) -> (d0), domain: d0 in [1, 0]").is_empty());
}
