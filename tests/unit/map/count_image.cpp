// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/count_image.hpp>
#include <axe/map/parse.hpp>
#include <catch.hpp>

#include <string>

namespace {

axe::IndexingMap map(const char* text) { return axe::parse_map(text).value(); }

TEST_CASE("count_image: different results")
{
    CHECK(axe::count_image(map("(d0, d1) -> (d0 floordiv 4, d1 mod 3), domain: d0 in [0, 15], d1 in [0, 7]")).value() == 12);
    CHECK(axe::count_image(map("(d0, d1) -> (d0 + d1), domain: d0 in [0, 15], d1 in [0, 7]")).value() == 23);
    CHECK(axe::count_image(map("(d0, d1) -> (d0 * d1), domain: d0 in [0, 3], d1 in [0, 3]")).value() == 7);
    CHECK(axe::count_image(map("(d0) -> (d0), domain: d0 in [0, 9], d0 mod 2 in [2, 3]")).value() == 0);
    CHECK(axe::count_image(map("() -> ()")).value() == 1);
    CHECK(axe::count_image(map("(d0) -> (), domain: d0 in [0, 9]")).value() == 1);
}

TEST_CASE("images of many points: digits and strides")
{
    CHECK(axe::count_image(map("(d0) -> ((d0 floordiv 4 mod 8) * 16 + d0 mod 4), domain: d0 in [0, 1099511627775]")).value() == 32);
    CHECK(axe::count_image(map("(d0, d1) -> (d0 floordiv 4, d1), domain: d0 in [0, 1048575], d1 in [0, 1048575]")).value() ==
          274877906944);
    const auto many = axe::count_image(map("(d0, d1) -> (d0, d1), domain: d0 in [0, 9999999999], d1 in [0, 9999999999]"));
    CHECK(many.code() == axe::errc::overflow);
    CHECK(std::string(many.error().message().c_str()) == "the number of results of the map overflows");
}

TEST_CASE("images of many points: one period of what repeats, and what floors see")
{
    CHECK(axe::count_image(
              map("(d0) -> ((d0 mod 166 - 5) floordiv -4), domain: d0 in [0, 1152921504606846975], d0 mod 166 in [9, 99]"))
              .value() == 24);
    CHECK(
        axe::count_image(map("(d0) -> ((d0 floordiv -16384) floordiv 7), domain: d0 in [-131072, 1152921504606846975]")).value() ==
        10052677739669);
    CHECK(axe::count_image(
              map("(d0, d1) -> ((d0 floordiv 4096) * (d1 floordiv 4096)), domain: d0 in [0, 16383], d1 in [4096, 16383]"))
              .value() == 7);
}

TEST_CASE("a result that is known of its own, beside others that are counted by their points")
{
    // once counted without the factor of s2
    CHECK(axe::count_image(
              map("()[s0, s1, s2] -> (s0 + s1 + s2 * 2, s2 * 2, s1 * 6 + s0), domain: s0 in [0, 7], s1 in [-6, 0], s2 in "
                  "[10, 17]"))
              .value() == 448);
}

TEST_CASE("images that no closed form counts, and maps without one")
{
    CHECK(axe::count_image(map("(d0, d1) -> (d0 * d1), domain: d0 in [0, 99999], d1 in [0, 99999]")).code() == axe::errc::too_hard);
    CHECK(axe::count_image(axe::IndexingMap::undefined()).code() == axe::errc::bad_argument);
}

} // namespace
