// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/place.hpp>

using axe::SpyreLayout;
using namespace axe::spyre;
using said::refused;

namespace {

axe::Result<Tensor> placed(const axe::Shape& sizes, const axe::Shape& device, const Strides& map)
{
    return place(contiguous(sizes), SpyreLayout{device, map});
}

} // namespace

TEST_CASE("spyre: what a layout made by an order counts is found from its strides", "[interop][spyre]")
{
    for (const axe::Shape& sizes : {axe::Shape{5, 100, 150}, {1024, 256}, {2, 3, 70}, {7}, {0, 5}})
        for (const bool sparse : {false, true}) {
            auto order = default_order(sizes.size());
            if (sparse) order.push_back(-1);
            const auto t = make_tensor(contiguous(sizes), said::f16, order).value();
            const auto again = place(t.torch, t.device).value();
            if (element_count(t.torch).value() == 0) {
                for (const Digit& digit : again.digits) CHECK(digit == Digit{});
                continue;
            }
            for (const std::int64_t i : {0, 3, 6}) {
                const auto c = axe::coordinate(sizes, i);
                CHECK(device_coordinate(again, c).value() == device_coordinate(t, c).value());
            }
        }
}

TEST_CASE("spyre: more room than elements, copies, and digits of any weight", "[interop][spyre]")
{
    const auto padded = placed({40, 60}, {1, 512, 64}, {64, 60, 1}).value();
    CHECK(device_coordinate(padded, {39, 59}).value() == DeviceCoord{0, 39, 59});

    const auto copies = placed({60}, {1, 512, 64}, {64, 0, 1}).value();
    CHECK(copies.digits[1].dim == Digit::copies);
    CHECK(device_coordinate(copies, {59}).value() == DeviceCoord{0, 0, 59});

    // across dimensions that lie like one
    const auto folded = placed({40, 60}, {38, 64}, {64, 1}).value();
    CHECK(folded.host.shape == axe::Shape{1, 2400});
    CHECK(folded.parts[0] == Part{1, 60});
    CHECK(device_coordinate(folded, {39, 59}).value() == DeviceCoord{37, 31});

    const auto mixed = placed({60}, {2, 1, 2, 64}, {15, 64, 30, 1}).value();
    CHECK(device_coordinate(mixed, {47}).value() == DeviceCoord{1, 0, 1, 2});
    CHECK(mixed.digits[0] == Digit{0, 15, 2});
    CHECK(mixed.digits[1] == Digit{});

    const auto ragged = placed({40, 60}, {2, 12, 1, 2, 64}, {720, 60, 64, 1200, 1}).value();
    CHECK(device_coordinate(ragged, {39, 59}).value() == DeviceCoord{1, 7, 0, 1, 59});
}

TEST_CASE("spyre: of two dimensions with one step the first moves", "[interop][spyre]")
{
    const auto t = placed({60}, {1, 60, 64}, {64, 1, 1}).value();
    CHECK(t.digits[1] == Digit{0, 1, Digit::none});
    CHECK(t.digits[2] == Digit{});
    CHECK(device_coordinate(t, {59}).value() == DeviceCoord{0, 59, 0});
    // [2,4,8,64]: two dimensions have stride 64, and only one of them moves
    const auto four = placed({2, 4, 8, 64}, {4, 8, 1, 2, 64}, {512, 64, 64, 2048, 1}).value();
    CHECK(four.digits[1].dim == 2);
    CHECK(four.digits[2] == Digit{});
}

TEST_CASE("spyre: an expanded dimension is a device dimension of its own, or none", "[interop][spyre]")
{
    const axe::Strided host{{4, 100}, {0, 1}};
    const auto moving = place(host, SpyreLayout{{2, 4, 64}, {64, 0, 1}}).value();
    CHECK(moving.digits[1] == Digit{0, 1, Digit::none});
    CHECK(device_coordinate(moving, {3, 99}).value() == DeviceCoord{1, 3, 35});
    const auto still = place(host, SpyreLayout{{2, 1, 64}, {64, -1, 1}}).value();
    CHECK(device_coordinate(still, {3, 99}).value() == device_coordinate(still, {0, 99}).value());
    // of two, each has the device dimension of its size
    const auto both = make_tensor({{3, 5, 64}, {0, 0, 1}}, DataFormat::sen169_fp16).value();
    const auto found = place(both.torch, both.device).value();
    for (int j = 0; j < 3; j += 2) CHECK(found.digits[j].dim == both.digits[j].dim);
}

TEST_CASE("spyre: elements without a place are told with their dimension", "[interop][spyre]")
{
    refused(placed({40, 60}, {1, 38, 64}, {64, 60, 1}), axe::errc::no_layout,
            "device dimension 1 of size 38 is too short for 40 steps");
    refused(placed({40, 60}, {37, 64}, {64, 1}), axe::errc::no_layout, "device dimension 0 of size 37 is too short for 38 steps");
    refused(placed({60}, {30, 1}, {2, -1}), axe::errc::no_layout,
            "host dimension 0 has 60 elements, but no device dimension counts the last 2");
    refused(placed({60}, {1, 64}, {-1, -1}), axe::errc::no_layout,
            "host dimension 0 has 60 elements, but no device dimension counts the last 60");
    refused(placed({60}, {0, 64}, {64, 1}), axe::errc::no_layout,
            "the tensor has elements, but its device layout has no room for them");
    refused(placed({60}, {1, 0}, {64, 1}), axe::errc::no_layout,
            "the tensor has elements, but its device layout has no room for them");
    CHECK(placed({40, 60}, {1, 38, 64}, {64, 60, 1}).error().position == 1); // both dimensions, as one
    CHECK(placed({60}, {1, 65}, {64, 1}).code() == axe::errc::bad_extent);
    CHECK(place({{60}, {-1}}, SpyreLayout{{1, 64}, {64, 1}}).code() == axe::errc::bad_argument);
    // dimensions that do not lie like one are none
    CHECK(place({{40, 60}, {64, 1}}, SpyreLayout{{38, 64}, {64, 1}}).code() == axe::errc::no_layout);
    // overlapping hosts: both indices step by 1, and only one of them is counted
    CHECK(place({{3, 4}, {1, 1}}, SpyreLayout{{1, 64}, {64, 1}}).code() == axe::errc::no_layout);
    // nothing to place
    CHECK(placed({0, 60}, {0, 64}, {64, 1}).has_value());
}

TEST_CASE("spyre: places of numbers at their ends", "[interop][spyre]")
{
    constexpr std::int64_t big = std::int64_t{1} << 50;
    const auto t = placed({big}, {big / 64, 64}, {64, 1}).value();
    CHECK(device_coordinate(t, {big - 1}).value() == DeviceCoord{big / 64 - 1, 63});
    axe::Shape device;
    Strides map;
    axe::Shape sizes;
    for (int d = 0; d < 15; ++d) {
        sizes.push_back(2);
        device.push_back(2);
        map.push_back(std::int64_t{1} << (14 - d));
    }
    device.push_back(64);
    map.push_back(-1);
    const auto many = placed(sizes, device, map);
    REQUIRE(many.has_value());
    axe::Coord last;
    for (int d = 0; d < 15; ++d) last.push_back(1);
    CHECK(device_offset(many->device, device_coordinate(*many, last).value()) == 64 * 32767);
    static_assert(place(contiguous({60}), SpyreLayout{{1, 64}, {64, 1}}).has_value());
}
