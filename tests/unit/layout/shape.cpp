// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/shape.hpp>

#include <catch.hpp>

using axe::errc;

TEST_CASE("volume is the product of the extents, or says which one is at fault", "[shape]")
{
    CHECK(*axe::volume(axe::Shape{}) == 1);
    CHECK(*axe::volume(axe::Shape{8, 16}) == 128);
    CHECK(axe::volume(axe::Shape{8, 0}).code() == errc::bad_extent);
    CHECK(axe::volume(axe::Shape{8, 0}).error().position == 1);
    CHECK(axe::volume(axe::Shape{-8, -16}).error().position == 0);
    const std::int64_t many = std::int64_t{1} << 31;
    CHECK(*axe::volume(axe::Shape{many, many}) == many * many);
    CHECK(axe::volume(axe::Shape{many, many, 2}).code() == errc::overflow);
    CHECK(axe::volume(axe::Shape{many, many, 2}).error().position == 2);
    CHECK(axe::volume(axe::Shape{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}).code() == errc::capacity);
}

TEST_CASE("linear_index and coordinate undo each other, last dimension fastest", "[shape]")
{
    const axe::Shape shape{3, 1, 4, 2};
    std::int64_t x = 0;
    for (std::int64_t a = 0; a < 3; ++a)
        for (std::int64_t c = 0; c < 4; ++c)
            for (std::int64_t d = 0; d < 2; ++d, ++x) {
                const axe::Coord coord{a, 0, c, d};
                REQUIRE(*axe::linear_index(shape, coord) == x);
                REQUIRE(axe::coordinate(shape, x) == coord);
            }
    CHECK(*axe::linear_index(axe::Shape{}, axe::Coord{}) == 0);
}

TEST_CASE("a coordinate outside its shape is refused with the dimension", "[shape]")
{
    const axe::Shape shape{3, 4};
    CHECK(axe::linear_index(shape, axe::Coord{1}).code() == errc::rank_mismatch);
    CHECK(axe::linear_index(shape, axe::Coord{1, 4}).code() == errc::out_of_domain);
    CHECK(axe::linear_index(shape, axe::Coord{1, 4}).error().position == 1);
    CHECK(axe::linear_index(shape, axe::Coord{-1, 0}).error().position == 0);
    CHECK(axe::linear_index(axe::Shape{3, 0}, axe::Coord{0, 0}).code() == errc::bad_extent);
}
