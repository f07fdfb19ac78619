// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/device_view.hpp>
#include <axe/interop/spyre/place.hpp>

using axe::SpyreLayout;
using namespace axe::spyre;
using said::refused;
using said::tensor;

TEST_CASE("spyre: two layouts on the coordinates of the device", "[interop][spyre]")
{
    const auto v = over_device(*make_tensor({{5, 100, 150}, {15000, 150, 1}, 7}, said::f16)).value();
    CHECK(v.shape == axe::Shape{100, 3, 5, 64});
    CHECK(said::text(v.address) == "96000:1");
    CHECK(said::text(v.host) == "(100,3,5,64):(150,64,15000,1) + 7@m");
    CHECK(v.elements == 96000);
    // also of what is not a layout on the tensor's own indices
    const auto ragged = place(contiguous({40, 60}), SpyreLayout{{2, 12, 1, 2, 64}, {720, 60, 64, 1200, 1}}).value();
    CHECK(said::text(over_device(ragged)->host) == "(24,2,64):(60,1200,1)");
    CHECK(said::text(over_device(tensor({4}, said::f16, {0, -1}))->host) == "(4,64):(1,0)");
    CHECK(said::text(over_device(*arrange(tensor({128}), Arrangement::fp32_to_dl16))->address) == "(2,2,8,4):(64,4,8,1)");
    refused(over_device(tensor({0, 4})), axe::errc::bad_extent,
            "the device holds no stick of the tensor; a layout has at least one element");
    static_assert(over_device(*make_tensor(contiguous({5, 100, 150}), DataFormat::sen169_fp16))->elements == 96000);
}

TEST_CASE("spyre: boxes of elements", "[interop][spyre]")
{
    const auto t = tensor({40, 120}); // [2,40,64]: a stick of 64 and one of 56
    REQUIRE(valid_box_count(t) == 2);
    CHECK(valid_box(t, 0) == axe::Region{{0, 1}, {0, 40}, {0, 64}});
    CHECK(valid_box(t, 1) == axe::Region{{1, 2}, {0, 40}, {0, 56}});
    CHECK(valid_box_count(tensor({40, 128})) == 1);
    CHECK(valid_box_count(tensor({40, 20})) == 1); // less than a stick
    CHECK(valid_box_count(tensor({40, 0})) == 0);
    CHECK(valid_box_count(tensor({})) == 1);
    const auto ragged = place(contiguous({40, 60}), SpyreLayout{{2, 12, 1, 2, 64}, {720, 60, 64, 1200, 1}}).value();
    REQUIRE(valid_box_count(ragged) == 2); // 20 rows are 12 and 8
    CHECK(valid_box(ragged, 0) == axe::Region{{0, 1}, {0, 12}, {0, 1}, {0, 2}, {0, 60}});
    CHECK(valid_box(ragged, 1) == axe::Region{{1, 2}, {0, 8}, {0, 1}, {0, 2}, {0, 60}});
    const auto copies = place(contiguous({60}), SpyreLayout{{1, 512, 64}, {64, 0, 1}}).value();
    CHECK(valid_box(copies, 0) == axe::Region{{0, 1}, {0, 512}, {0, 60}});
}

TEST_CASE("spyre: a place holds an element or padding", "[interop][spyre]")
{
    const auto t = tensor({5, 100, 150});
    CHECK(slot_at(t, {7, 2, 4, 21}).value() == Slot{true, {4, 7, 149}});
    CHECK(slot_at(t, {7, 2, 4, 22}).value() == Slot{});
    const auto folded = place(contiguous({40, 60}), SpyreLayout{{38, 64}, {64, 1}}).value();
    CHECK(slot_at(folded, {37, 31}).value() == Slot{true, {39, 59}});
    CHECK(slot_at(folded, {37, 32}).value() == Slot{});
    // of digits that are none of one number: 60 is not 2·30 + 0 here
    const auto mixed = place(contiguous({60}), SpyreLayout{{2, 1, 2, 64}, {15, 64, 30, 1}}).value();
    CHECK(slot_at(mixed, {0, 0, 0, 14}).value() == Slot{true, {14}});
    CHECK(slot_at(mixed, {0, 0, 0, 15}).value() == Slot{});
    CHECK(slot_at(tensor({4, 0}), {}).code() == axe::errc::rank_mismatch);
    refused(slot_at(t, {7, 3, 4, 21}), axe::errc::out_of_domain, "index 3 of device dimension 1 is outside [0, 3)");
    refused(slot_at(t, {7, 3}), axe::errc::rank_mismatch, "the coordinate has 2 indices, the device 4 dimensions");
    // far beyond the tensor, within the device
    constexpr std::int64_t big = std::int64_t{1} << 50;
    const auto roomy = place(contiguous({3}), SpyreLayout{{big, 1}, {1, -1}}).value();
    CHECK(slot_at(roomy, {big - 1, 0}).value() == Slot{});
}
