// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/tensor.hpp>

using namespace axe::spyre;
using said::refused;
using said::tensor;

namespace {

constexpr std::int64_t big = std::int64_t{1} << 60;

} // namespace

TEST_CASE("spyre: an element has a coordinate on the device, and the stride map leads back to it", "[interop][spyre]")
{
    const auto t = tensor({5, 100, 150}); // device [100,3,5,64]
    const auto d = device_coordinate(t, {4, 7, 149}).value();
    CHECK(d == DeviceCoord{7, 2, 4, 21});
    CHECK(host_offset(t, d) == 4 * 15000 + 7 * 150 + 149);
    CHECK(device_offset(t.device, d) == 7 * 960 + 2 * 320 + 4 * 64 + 21);
    // what the seed's plain product has wrong: an entry of −1 counts nothing
    const auto sparse = tensor({512, 256}, said::f16, {0, 1, -1});
    const auto s = device_coordinate(sparse, {3, 200}).value();
    CHECK(s == DeviceCoord{200, 0, 3, 0});
    CHECK(host_offset(sparse, s) == 3 * 256 + 200);
    // an offset is carried along
    const auto moved = make_tensor({{4}, {2}, 100}, said::f16).value();
    CHECK(host_offset(moved, device_coordinate(moved, {3}).value()) == 106);
    CHECK(device_coordinate(tensor({}), {}).value() == DeviceCoord{0, 0});
    static_assert(device_offset(axe::SpyreLayout{{2, 3, 64}, {64, 128, 1}}, {1, 2, 5}) == 325);
}

TEST_CASE("spyre: of coordinates there are as many as dimensions, each inside", "[interop][spyre]")
{
    const auto t = tensor({4, 6});
    refused(device_coordinate(t, {1}), axe::errc::rank_mismatch, "the coordinate has 1 index, the tensor 2 dimensions");
    refused(device_coordinate(t, {1, 6}), axe::errc::out_of_domain, "index 6 of dimension 1 is outside [0, 6)");
    refused(device_coordinate(t, {-1, 0}), axe::errc::out_of_domain, "index -1 of dimension 0 is outside [0, 4)");
    CHECK(device_coordinate(t, {1, 6}).error().position == 1);
    refused(device_coordinate(tensor({4, 0}), {0, 0}), axe::errc::out_of_domain, "index 0 of dimension 1 is outside [0, 0)");
}

TEST_CASE("spyre: digits within digits", "[interop][spyre]")
{
    // 40 rows as 2 × 20, 20 as 2 × 12 where the second 12 are 8
    Digits digits{{0, 20, Digit::none}, {0, 12, 0}, {0, 1, 1}};
    CHECK(rest_of(digits, 0, 39) == 39);
    CHECK(rest_of(digits, 1, 39) == 19);
    CHECK(rest_of(digits, 2, 39) == 7);
    CHECK(element_count({{4, 0, 5}, {1, 1, 1}}).value() == 0);
    CHECK(element_count({{}, {}}).value() == 1);
    CHECK(element_count({{big, 8, 0}, {1, 1, 1}}).value() == 0);
    CHECK(element_count({{big, 8}, {1, 1}}).code() == axe::errc::overflow);
}

TEST_CASE("spyre: a host is told what is wrong with it", "[interop][spyre]")
{
    const auto says = [](const axe::Strided& host, axe::errc code, std::string_view sentence) {
        refused(make_tensor(host, said::f16), code, sentence);
    };
    says({{4, 6}, {1}}, axe::errc::rank_mismatch, "the tensor has 2 dimensions, but there is 1 stride");
    says({{4}, {1}, -1}, axe::errc::bad_argument, "the storage offset is -1; it must be at least 0");
    says({{4, -6}, {1, 1}}, axe::errc::bad_extent, "dimension 1 has size -6; it must be at least 0");
    says({{4, 6}, {1, -1}}, axe::errc::bad_argument, "dimension 1 has stride -1; it must be at least 0");
    says({{3, 3}, {1, big * 4}}, axe::errc::overflow, "host offsets overflow at dimension 1");
    says({{2}, {INT64_MAX}, 1}, axe::errc::overflow, "host offsets overflow at dimension 0");
    axe::Strided sixteen;
    for (int d = 0; d < 16; ++d) {
        sixteen.shape.push_back(1);
        sixteen.strides.push_back(1);
    }
    says(sixteen, axe::errc::capacity, "a Spyre tensor has at most 15 dimensions, this one has 16");
    // what is never stepped along may have any stride
    CHECK(make_tensor({{1, 4}, {INT64_MAX, 1}}, said::f16).has_value());
    CHECK(make_tensor({{0, 4}, {INT64_MAX, 1}}, said::f16).has_value());
}
