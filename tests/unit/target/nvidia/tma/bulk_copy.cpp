// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tma/bulk_copy.hpp>
#include <catch.hpp>

#include <string>

namespace {

template <class Change>
std::string changed(const Change& change, int cluster = 1)
{
    axe::BulkCopy copy;
    copy.bytes = copy.room = 4096;
    change(copy);
    return axe::check(copy, cluster).error().message().c_str();
}

} // namespace

TEST_CASE("bulk copy: addresses and size are multiples of 16 bytes, within both sides")
{
    using axe::BulkCopy;
    CHECK(changed([](BulkCopy&) {}) == "");
    CHECK(changed([](BulkCopy& c) { c.from = 16; }) == "");
    CHECK(changed([](BulkCopy& c) { c.from = 8; }) == "a bulk copy reads from byte 8, which must be a multiple of 16");
    CHECK(changed([](BulkCopy& c) { c.to = 32; }) == "");
    CHECK(changed([](BulkCopy& c) { c.to = 24; }) == "a bulk copy writes to byte 24, which must be a multiple of 16");
    CHECK(changed([](BulkCopy& c) { c.bytes = 4080; }) == "");
    CHECK(changed([](BulkCopy& c) { c.bytes = 4088; }) == "a bulk copy has 4088 bytes; it must have a multiple of 16");
    CHECK(changed([](BulkCopy& c) { c.bytes = 0; }) == "");
    CHECK(changed([](BulkCopy& c) { c.bytes = -16; }) == "a bulk copy has -16 bytes; it must have a multiple of 16");
    CHECK(changed([](BulkCopy& c) { c.bytes = 4112; }) == "a bulk copy has 4112 bytes, source and destination 4096 from there on");
}

TEST_CASE("bulk copy: an mbarrier counts its bytes, except towards global memory")
{
    using axe::BulkCopy;
    const auto of = [](std::int64_t bytes, axe::BulkWay way) {
        return changed([=](BulkCopy& c) { c.bytes = c.room = bytes, c.way = way; });
    };
    CHECK(of((1 << 20) - 16, axe::BulkWay::to_shared) == "");
    CHECK(of(1 << 20, axe::BulkWay::to_shared) == "a bulk copy has 1048576 bytes, an mbarrier counts up to 1048575");
    CHECK(of(1 << 20, axe::BulkWay::to_peer) == "a bulk copy has 1048576 bytes, an mbarrier counts up to 1048575");
    CHECK(of(1 << 20, axe::BulkWay::to_global) == "");
}

TEST_CASE("bulk copy: what only some directions have")
{
    using axe::BulkCopy;
    using axe::BulkWay;
    CHECK(changed([](BulkCopy& c) { c.multicast = 0b100; }, 3) == "");
    CHECK(changed([](BulkCopy& c) { c.multicast = 0b1000; }, 3) ==
          "the mask 8 of a bulk copy names a CTA beyond the 3 of the cluster");
    CHECK(changed([](BulkCopy& c) { c.multicast = 1, c.way = BulkWay::to_global; }, 3) ==
          "only bulk copies from global memory multicast");
    CHECK(changed([](BulkCopy& c) { c.byte_mask = 0xff, c.way = BulkWay::to_global; }) == "");
    CHECK(changed([](BulkCopy& c) { c.byte_mask = 0xff; }) == "only bulk copies to global memory have a byte mask");
    CHECK(changed([](BulkCopy& c) { c.way = BulkWay::to_peer; }, 2) == "");
    CHECK(changed([](BulkCopy& c) { c.way = BulkWay::to_peer, c.same_cta = true; }, 2) ==
          "a bulk copy between shared memories goes to another CTA");
    const auto reduction = [](BulkWay way, bool is_float) {
        return changed([=](BulkCopy& c) { c.way = way, c.reduces = true, c.is_float = is_float; }, 2);
    };
    CHECK(reduction(BulkWay::to_global, true) == "");
    CHECK(reduction(BulkWay::to_peer, false) == "");
    CHECK(reduction(BulkWay::to_peer, true) == "a bulk reduction in shared memory takes integers, got floating-point elements");
    CHECK(reduction(BulkWay::to_shared, false) == "bulk copies from global memory do not reduce");
}
