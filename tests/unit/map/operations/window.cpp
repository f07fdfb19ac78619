// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/operations/window.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

TEST_CASE("maps of window: how many places it has")
{
    const auto places = [](const WindowDimension& w, std::int64_t n) { return axe::detail::checked_window(w, n, 0)->places; };
    CHECK(places({3}, 5) == 3);
    CHECK(places({3, 2}, 5) == 2);
    CHECK(places({3, 2, 1, 1}, 5) == 3);
    CHECK(places({3, 1, -1, -1}, 5) == 1);
    CHECK(places({3, 1, 0, 0, 2}, 5) == 1);
    CHECK(places({3, 1, 0, 0, 1, 2}, 5) == 7);
    CHECK(places({6}, 5) == 0);
    CHECK(places({1, 1, 2, 2}, 0) == 4);
    CHECK(places({1, 1, -9, 0}, 5) == 0);
}

TEST_CASE("maps of window: refusals")
{
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    const auto refused = [](const WindowDimension& w) {
        return std::string(axe::detail::checked_window(w, 5, 2).error().message().c_str());
    };
    CHECK(refused({0}) == "the window of dimension 2 has size 0; it must be 1 or more");
    CHECK(refused({1, 0}) == "the window of dimension 2 has stride 0; it must be 1 or more");
    CHECK(refused({1, 1, 0, 0, -1}) == "the window of dimension 2 has dilation -1; it must be 1 or more");
    CHECK(refused({1, 1, 0, 0, 1, 0}) == "the window of dimension 2 has base dilation 0; it must be 1 or more");
    CHECK(refused({1, 1, huge}) == "the window of dimension 2 overflows");
    CHECK(refused({1, 1, 0, 0, 1, huge}) == "the window of dimension 2 overflows");
    CHECK(refused({huge, 1, 0, 0, huge}) == "the window of dimension 2 overflows");
}
