// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/make.hpp>

using namespace axe::spyre;
using said::device;
using said::refused;
using said::tensor;

namespace {

constexpr std::int64_t big = std::int64_t{1} << 60;

axe::Result<Tensor> made(const axe::Shape& sizes, DataFormat format, const DimOrder& order)
{
    return make_tensor(contiguous(sizes), format, order);
}

} // namespace

TEST_CASE("spyre: the default layout has the last dimension in sticks, and the first next to them", "[interop][spyre]")
{
    CHECK(device(tensor({5, 100, 150})) == "[100,3,5,64] [150,64,15000,1]");
    CHECK(device(tensor({50, 10, 200})) == "[10,4,50,64] [200,64,2000,1]");
    CHECK(device(tensor({1024, 256})) == "[4,1024,64] [64,256,1]");
    CHECK(device(tensor({128, 256, 512})) == "[256,8,128,64] [512,64,131072,1]");
    CHECK(device(tensor({32})) == "[1,64] [64,1]");
    CHECK(device(tensor({})) == "[1,64] [-1,-1]");
    CHECK(device(tensor({2, 4, 8, 64})) == "[4,8,1,2,64] [512,64,64,2048,1]");
    static_assert(make_tensor(contiguous({5, 100, 150}), DataFormat::sen169_fp16)->device.device_size == axe::Shape{100, 3, 5, 64});
}

TEST_CASE("spyre: an order says which dimension comes where", "[interop][spyre]")
{
    CHECK(device(made({5, 100, 150}, said::f16, {1, 0, 2})) == "[5,3,100,64] [15000,64,150,1]");
    CHECK(device(made({1024, 256}, said::f16, {1, 0})) == "[16,256,64] [16384,1,256]");
    // sparse: one element a stick
    CHECK(device(made({512, 256}, said::f16, {0, 1, -1})) == "[256,1,512,64] [1,-1,256,-1]");
    CHECK(device(made({4}, said::f32, {0, -1})) == "[1,4,32] [-1,1,-1]");
    CHECK(device(made({}, said::f32, {-1})) == "[1,32] [-1,-1]");
    // size 1
    CHECK(device(tensor({4, 1}, said::f32)) == "[1,4,32] [-1,1,-1]");
    CHECK(device(made({1, 4, 32}, said::f32, {1, 2, 0})) == "[32,1,4,32] [1,-1,32,-1]");
    CHECK(device(tensor({512, 1})) == "[1,512,64] [-1,1,-1]");
}

TEST_CASE("spyre: expanded, permuted, gapped and empty hosts", "[interop][spyre]")
{
    CHECK(device(make_tensor({{4, 100}, {0, 1}}, said::f16)) == "[2,4,64] [64,0,1]");
    CHECK(device(make_tensor({{4, 100}, {1, 0}}, said::f16)) == "[2,4,64] [0,1,0]");
    CHECK(device(make_tensor({{100, 4}, {1, 100}}, said::f16)) == "[1,100,64] [6400,1,100]");
    CHECK(device(make_tensor({{4, 100}, {256, 2}, 7}, said::f16)) == "[2,4,64] [128,256,2]");
    CHECK(device(tensor({0, 100})) == "[2,0,64] [64,100,1]");
    CHECK(device(tensor({4, 0})) == "[0,4,64] [64,1,1]");
    CHECK(contiguous({3, 0, 4}).strides == Strides{4, 4, 1});
    // two indices of one host element: each has its place on the device
    const auto overlapping = make_tensor({{3, 4}, {1, 1}}, said::f16).value();
    CHECK(device(overlapping) == "[1,3,64] [64,1,1]");
    CHECK(device_coordinate(overlapping, {0, 1}).value() == DeviceCoord{0, 0, 1});
    CHECK(device_coordinate(overlapping, {1, 0}).value() == DeviceCoord{0, 1, 0});
}

TEST_CASE("spyre: an order names every dimension once, −1 at its end", "[interop][spyre]")
{
    const axe::Shape sizes{2, 3};
    refused(made(sizes, said::f16, {0}), axe::errc::rank_mismatch, "the order names 1 dimension, the tensor has 2");
    refused(made(sizes, said::f16, {0, -1}), axe::errc::rank_mismatch, "the order names 1 dimension, the tensor has 2");
    refused(made(sizes, said::f16, {0, 1, 1}), axe::errc::rank_mismatch, "the order names 3 dimensions, the tensor has 2");
    refused(made(sizes, said::f16, {0, 2}), axe::errc::bad_argument, "entry 1 of the order is 2; dimensions are 0 to 1");
    refused(made(sizes, said::f16, {-1, 0, 1}), axe::errc::rank_mismatch, "the order names 3 dimensions, the tensor has 2");
    refused(made(sizes, said::f16, {-1, 0, -1}), axe::errc::bad_argument, "entry 0 of the order is -1; dimensions are 0 to 1");
    refused(made(sizes, said::f16, {1, 1}), axe::errc::bad_argument, "the order names dimension 1 twice, as entries 0 and 1");
    refused(made(sizes, DataFormat::invalid, {0, 1}), axe::errc::bad_argument,
            "the stick size of this format is not known: its elements have no place on the device");
}

TEST_CASE("spyre: ranks and numbers at their ends", "[interop][spyre]")
{
    axe::Shape fifteen;
    for (int d = 0; d < 15; ++d) fifteen.push_back(2);
    const auto t = make_tensor(contiguous(fifteen), said::f16);
    REQUIRE(t.has_value());
    CHECK(t->device.device_size.size() == 16);
    auto sparse = default_order(15);
    sparse.push_back(-1);
    refused(made(fifteen, said::f16, sparse), axe::errc::capacity, "the layout has 17 device dimensions; at most 16 fit");
    axe::Shape sixteen = fifteen;
    sixteen.push_back(2);
    refused(make_tensor(contiguous(sixteen), said::f16), axe::errc::capacity,
            "a Spyre tensor has at most 15 dimensions, this one has 16");

    CHECK(device(tensor({big / 16})) == "[1125899906842624,64] [64,1]");
    // also of an entry that nothing moves along
    refused(make_tensor({{4}, {big}}, said::f16), axe::errc::overflow, "the stride of the sticks of dimension 0 overflows");
    refused(made({big, 2}, said::f16, {0, 1, -1}), axe::errc::overflow, "the bytes of 2305843009213693952 sticks overflow");
    refused(make_tensor(contiguous({big, 16}), said::f16), axe::errc::overflow, "host offsets overflow at dimension 0");
}
