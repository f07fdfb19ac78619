// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/evaluate.hpp>
#include <axe/map/inverse.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>

#include <catch.hpp>

#include <string>

namespace {

std::string inverted(const char* text)
{
    const auto map = axe::parse_map(text);
    if (!map) return map.error().message().c_str();
    const auto i = axe::inverse(*map);
    if (i) return axe::print(*i);
    return axe::name(i.code()) + std::string(": ") + i.error().message().c_str();
}

} // namespace

TEST_CASE("inverse of a map: pads undo what slices with steps do")
{
    CHECK(inverted("(d0, d1) -> (d0 * 2 + 1, d1 + 4), domain: d0 in [0, 3], d1 in [0, 3]") ==
          "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], (d0 - 1) mod 2 in [0, 0]");
    CHECK(inverted("(d0) -> (-d0 + 9), domain: d0 in [0, 9]") == "(d0) -> (-d0 + 9), domain: d0 in [0, 9]");
}

TEST_CASE("inverse of a map: digits are put together and taken apart")
{
    CHECK(inverted("(d0, d1) -> (d0 * 5 + d1), domain: d0 in [0, 3], d1 in [0, 4]") ==
          "(d0) -> (d0 floordiv 5, d0 mod 5), domain: d0 in [0, 19]");
    CHECK(inverted("(d0) -> (d0 floordiv 5, d0 mod 5), domain: d0 in [0, 19]") ==
          "(d0, d1) -> (d0 * 5 + d1), domain: d0 in [0, 3], d1 in [0, 4]");
    CHECK(inverted("(d0) -> (d0 floordiv 3, d0 mod 3), domain: d0 in [0, 9]") ==
          "(d0, d1) -> (d0 * 3 + d1), domain: d0 in [0, 3], d1 in [0, 2], d0 * 3 + d1 in [0, 9]");
    CHECK(inverted("(d0, d1) -> (d0 * 8 - d1 + 2), domain: d0 in [0, 3], d1 in [0, 4]") ==
          "(d0) -> ((d0 + 2) floordiv 8, -((d0 + 2) mod 8) + 4), domain: d0 in [-2, 26], (d0 + 2) mod 8 in [0, 4]");
    CHECK(inverted("(d0, d1) -> ((d0 * 4 + d1) floordiv 5, (d0 * 4 + d1) mod 5), domain: d0 in [0, 4], d1 in [0, 3]") ==
          "(d0, d1) -> ((d0 * 5 + d1) floordiv 4, (d0 * 5 + d1) mod 4), domain: d0 in [0, 3], d1 in [0, 4]");
}

TEST_CASE("inverse of a map: row after row")
{
    CHECK(inverted("(d0, d1) -> (d0, d0 + d1), domain: d0 in [0, 4], d1 in [0, 3]") ==
          "(d0, d1) -> (d0, -d0 + d1), domain: d0 in [0, 4], d1 in [0, 7], -d0 + d1 in [0, 3]");
    // The launch of an elementwise kernel: threads and blocks from the element; the guard says no more than the shape does.
    CHECK(inverted(
              "(th_x, bl_x)[v] -> ((bl_x * 128 + th_x) floordiv 3000, ((bl_x * 128 + th_x) floordiv 75) mod 40, ((bl_x * 128 + "
              "th_x) mod 75) * 4 + v), domain: th_x in [0, 127], bl_x in [0, 468], v in [0, 3], bl_x * 128 + th_x in [0, 59999]") ==
          "(d0, d1, d2) -> (((d0 * 12000 + d1 * 300 + d2) floordiv 4) mod 128, (d0 * 12000 + d1 * 300 + d2) floordiv 512), domain: "
          "d0 in "
          "[0, 19], d1 in [0, 39], d2 in [0, 299]");
}

TEST_CASE("inverse of a map: loops are solved for and left out")
{
    CHECK(inverted("(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 4], s0 in [0, 3]") ==
          "(d0) -> (d0 floordiv 4), domain: d0 in [0, 19]");
    CHECK(inverted("(d0)[s0] -> (d0), domain: d0 in [0, 4], s0 in [0, 3]") == "(d0) -> (d0), domain: d0 in [0, 4]");
    CHECK(inverted("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 4], s0 in [0, 3]") ==
          "not_single_valued: the points of row-major numbers 1 and 4 have the same image");
}

TEST_CASE("inverse of a map: extents beyond counting")
{
    CHECK(inverted("(d0, d1) -> (d1 * 1073741824 + d0), domain: d0 in [0, 1073741823], d1 in [0, 1073741823]") ==
          "(d0) -> (d0 mod 1073741824, d0 floordiv 1073741824), domain: d0 in [0, 1152921504606846975]");
    CHECK(inverted("(d0, d1) -> (d1 + d0), domain: d0 in [0, 1073741823], d1 in [0, 1073741823]") ==
          "not_single_valued: two points have the same image: dimension 0 is 1 at one and 0 at the other");
    CHECK(inverted("(d0, d1) -> (d0 + d1, d0 - d1), domain: d0 in [0, 1073741823], d1 in [0, 1073741823]").substr(0, 63) ==
          "(d0, d1) -> ((d0 + d1 + 1) floordiv 2, -((-d0 + d1) floordiv 2)");
}

TEST_CASE("inverse of a map: no number on the way back overflows")
{
    for (const char* text : {"(d0, d1) -> (d0 * 555555555555555555 + (d1 + 5) mod 6 + 79), domain: d0 in [0, 13], d1 in [4, 8]",
                             "(d0, d1) -> (-(d0 mod 6) + ((d0 * 555555555555555555 + 2 - d0 floordiv 8) floordiv 7) * 7), "
                             "domain: d0 in [2, 13], d1 in [4, 4]"}) {
        const auto map = axe::parse_map(text);
        REQUIRE(map.has_value());
        const auto back = axe::inverse(*map);
        REQUIRE(back.has_value());
        const auto& v = map->variables;
        for (std::int64_t d0 = v[0].bounds.low; d0 <= v[0].bounds.high; ++d0)
            for (std::int64_t d1 = v[1].bounds.low; d1 <= v[1].bounds.high; ++d1) {
                const auto point = axe::evaluate(*back, *axe::evaluate(*map, {d0, d1}));
                CHECK((point && *point == std::vector<std::int64_t>{d0, d1}));
            }
    }
}

TEST_CASE("inverse of a map: two points of one image")
{
    CHECK(inverted("(d0, d1) -> (d0), domain: d0 in [0, 4], d1 in [0, 3]") ==
          "not_single_valued: the points of row-major numbers 0 and 1 have the same image");
    CHECK(inverted("(d0) -> (d0 floordiv 2), domain: d0 in [0, 9], d0 mod 2 in [1, 1]") ==
          "(d0) -> (d0 * 2 + 1), domain: d0 in [0, 4]");
    CHECK(axe::inverse(axe::IndexingMap::undefined()).code() == axe::errc::bad_argument);
    CHECK(inverted("(d0) -> (d0), domain: d0 in [4, 3]") == "bad_argument: the map has an empty domain");
}

TEST_CASE("inverse of a map: no digits, but few points")
{
    // residues of a multiple are those of another one
    CHECK(inverted("(d0) -> ((d0 * 7919) mod 1009), domain: d0 in [0, 1008]") ==
          "(d0) -> ((d0 * 244) mod 1009), domain: d0 in [0, 1008]");
    CHECK(inverted("(d0, d1, d2) -> ((d0 * 15 + d1 * 10 + d2 * 6) mod 30), domain: d0 in [0, 1], d1 in [0, 2], d2 in [0, 4]") ==
          "(d0) -> (d0 mod 2, d0 mod 3, d0 mod 5), domain: d0 in [0, 29]");
    // a step for each place where no line goes on
    CHECK(inverted("(d0) -> (d0 * d0), domain: d0 in [0, 2]") ==
          "(d0) -> (d0 + (((d0 - 4) floordiv 5) * -2 - 2)), domain: d0 in [0, 4], d0 + (((d0 - 4) floordiv 5) * -2 - 2) in [0, 2], "
          "(d0 + (((d0 - 4) floordiv 5) * -2 - 2)) * (d0 + (((d0 - 4) floordiv 5) * -2 - 2)) - d0 in [0, 0]");
    CHECK(inverted("(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 3], d1 * 2 in [5, 5]") ==
          "bad_argument: the map has an empty domain");
}

TEST_CASE("inverse of a map: what cannot be said is said")
{
    const auto steps = [](const char* text) { return inverted(text).substr(0, 8); };
    CHECK(steps("(d0) -> (d0 * d0), domain: d0 in [0, 65535]") == "(d0) -> ");
    CHECK(inverted("(d0) -> (d0 * d0), domain: d0 in [0, 131071]") ==
          "capacity: the inverse is not a sum of digits, and its text needs more than 65536 steps");
    CHECK(inverted("(d0) -> (d0 * 4611686018427387904), domain: d0 in [-2, 1]") ==
          "overflow: the results are so far apart that their numbers overflow");
    CHECK(inverted("(d0) -> (d0 * d0), domain: d0 in [4294967296, 4294967300]") == "overflow: a value of the map overflows");
    // beyond 2^20 points there are digits, two points of one image, or no answer
    CHECK(inverted(
              "(d0, d1) -> (d0 * 1000000007 + d1 * 1000000009, d0 - d1), domain: d0 in [0, 1152921504606846975], d1 in [0, 3]") ==
          "too_hard: not decided: no two points have the same image, but the points were not recognized as digits of the results");
    CHECK(inverted("(d0, d1) -> (d0 + d1 * d1), domain: d0 in [0, 1152921504606846975], d1 in [0, 1152921504606846975]") ==
          "not_single_valued: two points have the same image: dimension 0 is 1 at one and 0 at the other");
    // what repeats has a second point one period from the first
    CHECK(inverted("(d0) -> (d0 mod 8589934592, (d0 floordiv 3) mod 5), domain: d0 in [0, 1152921504606846975]") ==
          "not_single_valued: two points have the same image: dimension 0 is 128849018880 at one and 0 at the other");
    // in a constraint they are not digits, and no harm
    CHECK(inverted("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 * d1 in [4, 6]") ==
          "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9], d0 * d1 in [4, 6]");
}
