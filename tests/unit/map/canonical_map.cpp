// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/canonical_map.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>

#include <catch.hpp>

#include <string>

namespace {

std::string canonical(const char* text)
{
    const auto map = axe::parse_map(text);
    if (!map) return map.error().message().c_str();
    const auto c = axe::canonical_map(*map);
    if (c) return axe::print(*c);
    return axe::name(c.code()) + std::string(": ") + c.error().message().c_str();
}

} // namespace

TEST_CASE("canonical_map: [4,6,5] -> [5,24] -> [2,20,3] is 60·d0 + 3·d1 + d2")
{
    CHECK(canonical(
              "(d0, d1, d2) -> (((d0 * 60 + d1 * 3 + d2) floordiv 24) * 24 + (d0 * 60 + d1 * 3 + d2) mod 24), domain: d0 in [0, "
              "1], d1 in [0, 19], d2 in [0, 2]") ==
          "(d0, d1, d2) -> (d0 * 60 + d1 * 3 + d2), domain: d0 in [0, 1], d1 in [0, 19], d2 in [0, 2]");
}

TEST_CASE("canonical_map: a bitcast and back")
{
    CHECK(canonical(
              "(d0, d1) -> ((d0 floordiv 1536) * 786432 + (((d0 * 2 + d1 floordiv 64) floordiv 3) mod 1024) * 768 + ((d0 * 2 + d1 "
              "floordiv 64) mod 3) * 256 + (d1 mod 64) * 4), domain: d0 in [0, 3071], d1 in [0, 127]") ==
          "(d0, d1) -> (d0 * 512 + d1 * 4), domain: d0 in [0, 3071], d1 in [0, 127]");
}

TEST_CASE("canonical_map: transposed, reshaped so that nothing fits, and back")
{
    CHECK(canonical("(d0, d1) -> ((((d1 * 4 + d0) floordiv 10) * 5 + ((d1 * 4 + d0) floordiv 2) mod 5) * 2 + (d1 * 4 + d0) mod 2), "
                    "domain: d0 in [0, 3], d1 in [0, 4]") == "(d0, d1) -> (d0 + d1 * 4), domain: d0 in [0, 3], d1 in [0, 4]");
    // 5 does not divide the eight elements of a row
    CHECK(canonical("(d0, d1) -> (d1 floordiv 5 * 5 + d1 mod 5, d0), domain: d0 in [0, 3], d1 in [0, 7]") ==
          "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]");
}

TEST_CASE("canonical_map: holds over the box, so the constraints stay")
{
    CHECK(canonical(
              "(d0)[s0] -> (d0 - (s0 floordiv 3) * 12 + s0 * 7), domain: d0 in [0, 1], s0 in [0, 30], (d0 * 4) floordiv 2 + s0 in "
              "[0, 8]") == "(d0)[s0] -> (d0 + s0 * 3 + (s0 mod 3) * 4), domain: d0 in [0, 1], s0 in [0, 30], d0 * 2 + s0 in "
                           "[0, 8]");
    CHECK(canonical("(d0) -> (d0 + d0 floordiv 8), domain: d0 in [5, 5]") == "(d0) -> (5), domain: d0 in [5, 5]");
    CHECK(canonical("()[s0] -> ((s0 floordiv 2) floordiv -7), domain: s0 in [0, 1233]") ==
          "()[s0] -> (-((s0 + 12) floordiv 14)), domain: s0 in [0, 1233]");
}

TEST_CASE("canonical_map: extents whose product is not an integer")
{
    CHECK(canonical(
              "(d0, d1, d2) -> ((d0 * 4 + d1) floordiv 4 + d2), domain: d0 in [0, 4611686018427387903], d1 in [0, 3], d2 in [0, "
              "4611686018427387903]") ==
          "(d0, d1, d2) -> (d0 + d2), domain: d0 in [0, 4611686018427387903], d1 in [0, 3], d2 in [0, 4611686018427387903]");
    CHECK(canonical("(d0){rt0} -> (rt0 floordiv 2 * 2 + rt0 mod 2 + d0), domain: d0 in [0, 3], rt0 in [-9223372036854775808, "
                    "9223372036854775807]") ==
          "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [-9223372036854775808, 9223372036854775807]");
}

TEST_CASE("canonical_map: what is refused")
{
    CHECK(canonical("(d0, d1) -> (d0, d0 * d1), domain: d0 in [0, 9], d1 in [0, 9]") ==
          "too_hard: not decided: result 1 was not recognized as a sum of digits");
    CHECK(canonical("(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 * d1 in [0, 5]") ==
          "too_hard: not decided: a constraint was not recognized as a sum of digits");
    CHECK(canonical("(d0) -> (d0), domain: d0 in [3, 2]") == "bad_argument: the map has an empty domain");
    CHECK(axe::canonical_map(axe::IndexingMap::undefined()).code() == axe::errc::bad_argument);
}
