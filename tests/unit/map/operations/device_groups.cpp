// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/evaluate.hpp>
#include <axe/map/operations/device_groups.hpp>
#include <tests/unit/map/operations/maps.hpp>

using axe::IndexShape;
using namespace maps_text;
using namespace axe::op;

namespace {

/// The expression of a table over [0, n), its values checked.
std::string table(const std::vector<std::int64_t>& values)
{
    auto map = axe::IndexingMap::over({static_cast<std::int64_t>(values.size())});
    map.results = {axe::detail::table_expression(map.pool, map.dimension(0), values)};
    for (std::int64_t x = 0; x < static_cast<std::int64_t>(values.size()); ++x)
        CHECK(axe::evaluate(map, {x}).value()[0] == values[static_cast<std::size_t>(x)]);
    return axe::print(map, map.results[0]);
}

std::string why_not(const DeviceGroups& groups, const IndexShape& operand)
{
    return axe::detail::CheckedGroups::of(groups, {operand}).error().message().c_str();
}

} // namespace

TEST_CASE("maps of device groups: a table that is counted by digits")
{
    CHECK(table({7}) == "7");
    CHECK(table({3, 3, 3}) == "3");
    CHECK(table({0, 1, 2, 3}) == "d0");
    CHECK(table({3, 2, 1, 0}) == "-d0 + 3");
    CHECK(table({0, 2, 4, 1, 3, 5}) == "(d0 mod 3) * 2 + d0 floordiv 3");
    CHECK(table({0, 0, 5, 5, 1, 1, 6, 6}) == "((d0 floordiv 2) mod 2) * 5 + d0 floordiv 4");
}

TEST_CASE("maps of device groups: any other table is steps")
{
    CHECK(table({0, 1, 1}) == "d0 - (d0 + 1) floordiv 3");
    CHECK(table({0, 1, 3, 2}) == "d0 + (d0 + 2) floordiv 4 - ((d0 + 1) floordiv 4) * 2");
    std::vector<std::int64_t> values{5, 2, 8};
    while (std::next_permutation(values.begin(), values.end())) table(values);
    for (std::int64_t seed = 0; seed < 50; ++seed) {
        values.clear();
        for (std::int64_t i = 0; i < 1 + seed % 9; ++i) values.push_back((seed * 37 + i * i * 11 + i * seed * 5) % 13 - 6);
        table(values);
    }
}

TEST_CASE("maps of device groups: refusals")
{
    CHECK(why_not({{0, 3}, {2}}, {4, 3}) == "group 1 has 1 device; it must have 2, as the first has");
    CHECK(why_not({{0, 3}, {2, 3}}, {4, 3}) == "device 3 is in groups 0 and 1; it must be in one");
    CHECK(why_not({{0, 4}, {2, 3}}, {4, 3}) == "group 0 has device 4; it must be in [0, 3]");
    CHECK(why_not({{0, 1}}, {4, 3}) == "the groups have 2 devices; dimension 0 of the operand has 4");
    CHECK(why_not({}, {}) == "the operand is a scalar; its dimension 0 must be the devices");
    const auto parts = [](std::int64_t dimension, std::int64_t count) {
        return std::string(axe::detail::check_parts({4, 13}, dimension, count).error().message().c_str());
    };
    CHECK(parts(1, 4) == "dimension 1 is 13, which 4 devices do not divide");
    for (const std::int64_t d : {-1, 0, 2})
        CHECK(parts(d, 1) == "dimension " + std::to_string(d) + " must be in [1, 1]; dimension 0 is the device");
}
