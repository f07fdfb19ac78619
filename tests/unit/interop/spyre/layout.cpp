// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/layout.hpp>

using axe::SpyreLayout;
using namespace axe::spyre;
using said::refused;

namespace {

constexpr std::int64_t big = std::int64_t{1} << 60;

axe::Shape ones(int rank)
{
    axe::Shape out;
    for (int i = 0; i < rank; ++i) out.push_back(1);
    return out;
}
Strides none(int rank)
{
    Strides out;
    for (int i = 0; i < rank; ++i) out.push_back(synthetic);
    return out;
}

} // namespace

TEST_CASE("spyre: bytes are whole sticks, also of a last extent of 1", "[interop][spyre]")
{
    CHECK(storage_bytes({{3, 64}, {64, 1}, DataFormat::sen169_fp16}).value() == 384);
    CHECK(storage_bytes({{3, 1}, {1, -1}, DataFormat::senint2}).value() == 384);
    CHECK(storage_bytes({{0, 4, 64}, {64, 32, 1}}).value() == 0);
    CHECK(storage_bytes({{big, big, 0, 64}, {1, 1, 1, 1}}).value() == 0);
    CHECK(stick_count({{100, 3, 5, 64}, {150, 64, 15000, 1}}).value() == 1500);
    CHECK(stick_count({{64}, {1}}).value() == 1);
    CHECK(device_elements({{3, 1}, {1, -1}, DataFormat::senint2}).value() == 1536);
    CHECK(device_strides({{100, 3, 5, 64}, {150, 64, 15000, 1}}) == Strides{960, 320, 64, 1});
    CHECK(device_strides({{4, 0, 5, 32}, {1, 1, 1, 1}, DataFormat::ieee_fp32}) == Strides{160, 160, 32, 1});
    CHECK(device_strides({{3, 1}, {1, -1}}) == Strides{64, 1});
}

TEST_CASE("spyre: what is not a layout is told with the dimension", "[interop][spyre]")
{
    const auto says = [](const SpyreLayout& l, axe::errc code, int at, std::string_view sentence) {
        refused(axe::check(l), code, sentence);
        CHECK(axe::check(l).error().position == at);
        CHECK(storage_bytes(l).code() == code);
    };
    says({}, axe::errc::capacity, 16, "a device layout has 1 to 16 dimensions, this one has 0");
    says({{-1, 4, 64}, {64, 32, 1}}, axe::errc::bad_extent, 0, "device dimension 0 has negative size -1");
    says({{1, 4, 64}, {64, 1}}, axe::errc::rank_mismatch, -1, "the device has 3 dimensions, the stride map 2 entries");
    says({{1, 4, 64}, {64, -2, 1}}, axe::errc::bad_argument, 1, "entry 1 of the stride map is -2; it must be at least −1");
    says({{1, 65}, {64, 1}}, axe::errc::bad_extent, 1, "the stick dimension has 65 elements, a stick of this format 64");
    says({{1, 64}, {64, 1}, DataFormat::senint24}, axe::errc::bad_argument, -1,
         "the stick size of this format is not known: its elements have no place on the device");
    CHECK(axe::check({ones(16), none(16)}).ok());
    SpyreLayout longest{ones(16), none(16)};
    longest.device_size.count = 17;
    says(longest, axe::errc::capacity, 16, "a device layout has 1 to 16 dimensions, this one has 17");
}

TEST_CASE("spyre: what overflows is told", "[interop][spyre]")
{
    refused(stick_count({{big, 8, 64}, {1, 1, 1}}), axe::errc::overflow, "the sticks of the tensor overflow at device dimension 1");
    CHECK(stick_count({{big, 4, 64}, {1, 1, 1}}).value() == 4 * big);
    refused(storage_bytes({{big, 4, 64}, {1, 1, 1}}), axe::errc::overflow, "the bytes of 4611686018427387904 sticks overflow");
    CHECK(storage_bytes({{big / 32, 64}, {1, 1}}).value() == 4 * big);
    refused(device_elements({{big / 32, 512}, {1, 1}, DataFormat::senint2}), axe::errc::overflow,
            "the elements of 36028797018963968 sticks overflow");
    CHECK(device_elements({{big / 128, 512}, {1, 1}, DataFormat::senint2}).value() == 4 * big);
    refused(storage_bytes({{big / 32, 512}, {1, 1}, DataFormat::senint2}), axe::errc::overflow,
            "the elements of 36028797018963968 sticks overflow");
    CHECK(device_strides({{0, 4 * big, 15, 64}, {1, 1, 1, 1}}).size() ==
          4); // no elements: nothing is multiplied out of the integer
    static_assert(storage_bytes({{4, 1024, 64}, {64, 256, 1}}).value() == 524288);
}
