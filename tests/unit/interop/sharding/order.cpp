// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/order.hpp>
#include <tests/unit/interop/sharding/said.hpp>

#include <vector>

using namespace axe;
using namespace axe::sharding;

namespace {

/// The steps as a layout's text, or where the list breaks off.
std::string found(const std::vector<std::int64_t>& list)
{
    OrderFinder finder;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (!finder.add(list[i])) return "breaks off at " + std::to_string(i);
    CHECK(finder.count() == static_cast<std::int64_t>(list.size()));
    const auto order = finder.order();
    if (!order) return order.error().message().c_str();
    Layout out;
    for (const Iter& it : *order) out.shard.push_back(Iter(it.extent, it.stride));
    return said::text(out) + " from " + std::to_string(finder.first());
}

} // namespace

TEST_CASE("OrderFinder: the digits of a list while it goes by")
{
    CHECK(found({}) == "():() from 0");
    CHECK(found({7}) == "():() from 7");
    CHECK(found({0, 1, 2, 3}) == "4:1 from 0");
    CHECK(found({3, 2, 1, 0}) == "4:-1 from 3");
    CHECK(found({0, 2, 4, 6, 1, 3, 5, 7}) == "(2,4):(1,2) from 0");
    CHECK(found({4, 5, 8, 9, 6, 7, 10, 11}) == "(2,2,2):(2,4,1) from 4");
    CHECK(found({0, 1, 2, 4, 5, 6}) == "(2,3):(4,1) from 0");
    // what no steps make
    CHECK(found({0, 1, 3, 2}) == "breaks off at 3");
    CHECK(found({0, 1, 2, 4, 5}) == "the device list is not a product of steps: its 5 devices end within a block of 6");
    CHECK(found({0, 1, 2, 4}) == "the device list is not a product of steps: its 4 devices end within a block of 6");
    CHECK(found({0, 2, 1}) == "the device list is not a product of steps: its 3 devices end within a block of 4");
    CHECK(found({0, 1, 2, 3, 4, 6, 5, 7}) == "breaks off at 6");
    // a step too far for the integer, and more digits than there is room for
    CHECK(found({0, INT64_MAX, 1, 2}) == "breaks off at 3");
    CHECK(found({INT64_MAX, 0, 1, 2}) == "breaks off at 3"); // the sum of the two steps down overflows
    std::vector<std::int64_t> many{0};
    for (int k = 0; k < 17; ++k) { // strides that never continue each other
        const auto half = many;
        for (const std::int64_t v : half) many.push_back(v + (std::int64_t{1} << (2 * k)));
    }
    const std::string answer = found(many);
    CHECK(answer == "the order of the devices has more than 16 digits");
}
