// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/box.hpp>
#include <catch.hpp>
#include <tests/unit/map/domains.hpp>

namespace {

using Box = std::vector<axe::IndexInterval>;

using domains::all, domains::launch, domains::map, domains::thin;

TEST_CASE("image_box: both ends are attained")
{
    CHECK(axe::image_box(map(launch)).value() == Box{{0, 239999}});
    CHECK(axe::image_box(map("(d0) -> (d0 mod 8, -d0, d0 floordiv -3), domain: d0 in [3, 6]")).value() ==
          Box{{3, 6}, {-6, -3}, {-2, -1}});
    CHECK(axe::image_box(map("(d0) -> (d0 * 3 - (d0 floordiv 2) * 6), domain: d0 in [0, 1152921504606846975]")).value() ==
          Box{{0, 3}});
    CHECK(axe::image_box(map("(d0) -> (d0, 5), domain: d0 in [4, 3]")).value() == Box{{0, -1}, {0, -1}});
    CHECK(axe::image_box(map("() -> ()")).value().empty());
    CHECK(axe::image_box(map("(d0, d1) -> (d0 * d1), domain: d0 in [-3, 4], d1 in [-5, 2]")).value() == Box{{-20, 15}});
    CHECK(axe::image_box(map(all)).value() == Box{{2, 2}, {-1317624576693539401, 1317624576693539400}});
    CHECK(axe::image_box(map(thin)).value() == Box{{5, 6}, {2, 666666666668}});
    const auto beyond = axe::image_box(map("(d0) -> (d0, d0 * 16), domain: d0 in [0, 1152921504606846976]"));
    CHECK(beyond.code() == axe::errc::overflow);
    CHECK(std::string(beyond.error().message().c_str()) == "the values of expression 1 overflow");
    CHECK(beyond.error().position == 1);
}

TEST_CASE("preimage_box: where a tile of the results comes from")
{
    CHECK(axe::preimage_box(map(launch), {{1000, 1020}}).value() == Box{{122, 127}, {1, 1}, {0, 3}});
    // the last thread of one block, and the first ones of the next
    CHECK(axe::preimage_box(map(launch), {{1020, 1030}}).value() == Box{{0, 127}, {1, 2}, {0, 3}});
    CHECK(axe::preimage_box(map(launch), {{240000, 240127}}).value() == Box{{0, -1}, {0, -1}, {0, -1}});
    CHECK(axe::preimage_box(map(launch), {}).code() == axe::errc::rank_mismatch);
}

TEST_CASE("bounds_of: an expression over the domain")
{
    axe::IndexingMap m = map(launch);
    CHECK(axe::bounds_of(m, m.pool.mod(m.results[0], 7)).value() == axe::IndexInterval{0, 6});
    CHECK(axe::bounds_of(m, m.variable(1)).value() == axe::IndexInterval{0, 468});

    const axe::IndexingMap wide = map("(d0) -> (d0 * 16), domain: d0 in [0, 1152921504606846976]");
    const auto beyond = axe::bounds_of(wide, wide.results[0]);
    CHECK(beyond.code() == axe::errc::overflow);
    CHECK(beyond.error().position == -1);
    CHECK(std::string(beyond.error().message().c_str()) == "the values of the expression overflow");
}

TEST_CASE("an undefined map has no image")
{
    const axe::IndexingMap m = axe::IndexingMap::undefined();
    CHECK(axe::image_box(m).code() == axe::errc::bad_argument);
    CHECK(axe::preimage_box(m, {}).code() == axe::errc::bad_argument);
    CHECK(axe::bounds_of(m, {}).code() == axe::errc::bad_argument);
}

} // namespace
