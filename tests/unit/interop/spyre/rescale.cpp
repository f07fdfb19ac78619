// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/place.hpp>
#include <axe/interop/spyre/rescale.hpp>

using axe::SpyreLayout;
using namespace axe::spyre;
using said::device;
using said::refused;
using said::tensor;

TEST_CASE("spyre: sticks of another format are counted from the extent", "[interop][spyre]")
{
    const auto wide = tensor({4, 68}, said::f32).device; // 3 sticks of 32
    CHECK(device(*rescale(wide, said::f16, 68)) == "[2,4,64] [64,68,1]");
    CHECK(device(*rescale(wide, said::f16, 64)) == "[1,4,64] [64,68,1]"); // the room is the same: the extent is not known from it
    refused(rescale(wide, said::f16), axe::errc::bad_argument,
            "room for 96 elements is not a whole number of 64-element sticks; give the extent of the stick dimension");
    CHECK(device(*rescale(tensor({4, 64}).device, said::f32)) == "[2,4,32] [32,64,1]");
    CHECK(device(*rescale(tensor({2, 4, 8, 64}).device, said::f32, 64)) == "[4,8,2,2,32] [512,64,32,2048,1]");
    refused(rescale(wide, said::f16, 97), axe::errc::bad_argument,
            "the stick dimension cannot have 97 elements: its sticks have room for 96");
    refused(rescale(wide, said::f16, -2), axe::errc::bad_argument,
            "the stick dimension cannot have -2 elements: its sticks have room for 96");
    CHECK(rescale(wide, DataFormat::invalid, 68).code() == axe::errc::bad_argument);
    CHECK(device(*rescale(tensor({512, 256}, said::f32, {0, 1, -1}).device, said::f16)) == "[256,1,512,64] [1,-1,256,-1]");
    CHECK(rescale({{64}, {1}}, said::f32)->device_size == axe::Shape{32});
    refused(rescale({{std::int64_t{1} << 60, 1, 0, 64}, {1, 64, 64, 1}}, said::f32), axe::errc::ok, "");
    refused(rescale({{std::int64_t{1} << 58, 0, 64}, {64, 64, 1}}, said::f32), axe::errc::overflow,
            "the room of 288230376151711744 sticks overflows");
    static_assert(rescale({{2, 4, 64}, {64, 128, 1}}, DataFormat::ieee_fp32)->device_size[0] == 4);
}

TEST_CASE("spyre: a tensor knows its extents", "[interop][spyre]")
{
    const auto t = rescale(tensor({4, 68}, said::f32), said::f16).value();
    CHECK(device(t.device) == "[2,4,64] [64,68,1]");
    CHECK(t.digits == tensor({4, 68}).digits);
    CHECK(device(*rescale(tensor({4, 20}), said::f32)) == "[1,4,32] [32,20,1]");
    // found by its strides: the single stick is counted where an order would
    const auto placed = place(contiguous({4, 40}), SpyreLayout{{1, 4, 64}, {64, 40, 1}}).value();
    CHECK(device(*rescale(placed, said::f32)) == "[2,4,32] [32,40,1]");
    CHECK(device_coordinate(*rescale(placed, said::f32), {3, 39}).value() == DeviceCoord{1, 3, 7});
    // sticks in another order, and within a larger digit
    const auto other = place(contiguous({4, 128}), SpyreLayout{{4, 2, 64}, {128, 64, 1}}).value();
    CHECK(device(*rescale(other, said::f32)) == "[4,4,32] [128,32,1]");
    const auto folded = place(contiguous({512}), SpyreLayout{{2, 4, 64}, {256, 64, 1}}).value();
    CHECK(device(*rescale(folded, said::f32)) == "[2,8,32] [256,32,1]");
    refused(rescale(*place(contiguous({60}), SpyreLayout{{2, 1, 64}, {30, -1, 1}}), said::f32), axe::errc::no_layout,
            "device dimension 0 counts steps of 30, not sticks of 64");
    refused(rescale(*place(contiguous({4, 60}), SpyreLayout{{4, 2, 64}, {60, -1, 1}}), said::f32), axe::errc::no_layout,
            "no device dimension counts the sticks of device dimension 2");
    refused(rescale(*place(contiguous({40}), SpyreLayout{{2, 64}, {-1, 1}}), said::f32), axe::errc::no_layout,
            "no device dimension counts the sticks of device dimension 1");
}
