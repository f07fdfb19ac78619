// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/xla_find.hpp>
#include <axe/text/literals.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace axe::literals;
using axe::errc, axe::Shape;
using namespace axe::xla;

namespace {

/// The addresses of the elements of an array.
std::vector<std::int64_t> addresses(const TiledLayout& tiled, const Shape& shape)
{
    const auto padded = to_axe(tiled, shape).value();
    std::vector<std::int64_t> out;
    for (std::int64_t x = 0; x < *axe::volume(shape); ++x)
        out.push_back(axe::evaluate(padded.layout, padded.shape, axe::coordinate(shape, x)).value()[axe::Axis{}]);
    return out;
}

} // namespace

TEST_CASE("to_tiled: what XLA's layouts say is found again, address by address", "[interop][xla]")
{
    const std::vector<Tile> tiles{{2}, {4}, {2, 3}, {4, 2}, {combine, 2}};
    const Shape shapes[] = {{6}, {5}, {4, 6}, {5, 7}, {3, 4, 6}, {2, 5, 3}};
    int found = 0, beyond = 0;
    for (const Shape& shape : shapes) {
        std::vector<int> order;
        for (int d = 0; d < shape.size(); ++d) order.push_back(d);
        do {
            for (std::size_t a = 0; a <= tiles.size(); ++a)
                for (std::size_t b = 0; b <= (a < tiles.size() ? tiles.size() : 0); ++b) {
                    TiledLayout tiled;
                    for (const int d : order) tiled.minor_to_major.push_back(d);
                    if (a < tiles.size()) tiled.tiles.push_back(tiles[a]);
                    if (b < tiles.size() && a < tiles.size()) tiled.tiles.push_back(tiles[b]);
                    const auto padded = to_axe(tiled, shape);
                    if (!padded) { // more extents than dimensions, or a cut where no digit ends
                        ++beyond;
                        continue;
                    }
                    const auto again = to_tiled(padded->layout, padded->shape, shape);
                    INFO(print(tiled).c_str() << " on " << axe::print(shape).c_str());
                    if (!again) {
                        CHECK(again.error().is_none());
                        ++beyond;
                        continue;
                    }
                    if (addresses(*again, shape) != addresses(tiled, shape)) FAIL("other addresses: " << print(*again).c_str());
                    ++found;
                }
        } while (std::next_permutation(order.begin(), order.end()));
    }
    CHECK(found > 200);
    CHECK(beyond > 20);
}

TEST_CASE("to_tiled: every order of digits of a compact array", "[interop][xla]")
{
    // (2,3) x (2,2): dimensions 6 and 4 of two digits each; all 24 orders of the four digits in memory
    std::vector<int> order{0, 1, 2, 3};
    const std::int64_t extents[] = {2, 3, 2, 2};
    do {
        std::int64_t strides[4]{}, stride = 1;
        for (const int digit : order) {
            strides[digit] = stride;
            stride *= extents[digit];
        }
        axe::Layout layout;
        for (int k = 0; k < 4; ++k) layout.shard.push_back(axe::Iter(extents[k], strides[k]));
        INFO(axe::print(layout).c_str());
        const auto tiled = to_tiled(layout, {6, 4});
        REQUIRE(tiled);
        const auto got = addresses(*tiled, {6, 4});
        for (std::int64_t x = 0; x < 24; ++x)
            CHECK(got[static_cast<std::size_t>(x)] == axe::evaluate(layout, x).value()[axe::Axis{}]);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("to_tiled: what no tiling has", "[interop][xla]")
{
    CHECK(to_tiled("(4,6):(6,1) + 1"_axe, {4, 6}).code() == errc::no_layout);   // another first address
    CHECK(to_tiled("(4,6):(0,1)"_axe, {4, 6}).code() == errc::no_layout);       // broadcast
    CHECK(to_tiled("(4,6):(-6,1) + 18"_axe, {4, 6}).code() == errc::no_layout); // backwards
    CHECK(to_tiled("(4,6):(5,1)"_axe, {4, 6}).code() == errc::no_layout);       // overlap
    CHECK(to_tiled("(4,6):(6,1)"_axe, {4, 6})->tiles.empty());
    CHECK(to_tiled("(4,6):(1,4)"_axe, {4, 6})->minor_to_major == axe::InlineVector<int, axe::max_rank>{0, 1});
    CHECK(to_tiled("(4,6):(6,1)"_axe, {5, 5}).code() != errc::ok);
}
