// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/arrangement.hpp>
#include <axe/interop/spyre/place.hpp>
#include <axe/target/spyre/compiler/transfer.hpp>
#include <tests/unit/interop/spyre/said.hpp>

#include <algorithm>
#include <vector>

using namespace axe::spyre;
using axe::errc;
using said::f16;
using said::tensor;

namespace {
using Bits = std::vector<std::uint16_t>;

Bits numbers(std::size_t n)
{
    Bits b(n);
    for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<std::uint16_t>(i);
    return b;
}
std::size_t bytes(const Bits& b) { return 2 * b.size(); }
} // namespace

TEST_CASE("a transfer fills padding when it is told to", "[interop][spyre]")
{
    const auto t = tensor({2, 70});
    const Bits host = numbers(140);
    Bits device(256, 0xeeee);
    const auto plain = plan_to_device(t).value();
    CHECK(plain.elements() == 140);
    CHECK(plain.plans().size() == 2);
    REQUIRE(plain.run(device.data(), bytes(device), host.data(), bytes(host)).ok());
    CHECK(device[64 + 63] == 70 + 63);
    CHECK(device[128 + 64 + 5] == 139);
    CHECK(device[128 + 64 + 6] == 0xeeee);
    axe::RelayoutOptions options;
    options.padding = 0x7e00;
    const auto filled = plan_to_device(t, options).value();
    CHECK(filled.fills_padding());
    REQUIRE(filled.run(device.data(), bytes(device), host.data(), bytes(host)).ok());
    CHECK(device[128 + 64 + 6] == 0x7e00);
    CHECK(device[128 + 64 + 5] == 139);
    // Room without an element, of a tensor that has none.
    const auto empty = place(contiguous({0, 4}), {{2, 64}, {64, 1}}).value();
    const auto only = plan_to_device(empty, options).value();
    CHECK(only.elements() == 0);
    Bits room(128, 1);
    REQUIRE(only.run(room.data(), bytes(room), host.data(), bytes(host)).ok());
    CHECK(room == Bits(128, 0x7e00));
}

TEST_CASE("copies are all written, and one is read", "[interop][spyre]")
{
    const auto t = place(contiguous({60}), {{1, 3, 64}, {64, 0, 1}}).value();
    const Bits host = numbers(60);
    Bits device(192, 0xeeee), back(60);
    REQUIRE(plan_to_device(t).value().run(device.data(), bytes(device), host.data(), bytes(host)).ok());
    for (const std::size_t copy : {0U, 64U, 128U}) CHECK(device[copy + 59] == 59);
    CHECK(device[60] == 0xeeee);
    device[64 + 7] = device[128 + 7] = 0; // the first counts
    REQUIRE(plan_to_host(t).value().run(back.data(), bytes(back), device.data(), bytes(device)).ok());
    CHECK(back == host);
}

TEST_CASE("values are converted where types are given", "[interop][spyre]")
{
    const auto t = tensor({3, 5}, DataFormat::ieee_int32);
    axe::RelayoutOptions options;
    options.from_type = axe::DType::i8;
    options.to_type = axe::DType::i32;
    options.padding = 0xffffffff;
    std::vector<std::int8_t> host(15);
    for (std::size_t i = 0; i < 15; ++i) host[i] = static_cast<std::int8_t>(7 - static_cast<int>(i));
    std::vector<std::int32_t> device(96);
    REQUIRE(plan_to_device(t, options).value().run(device.data(), 384, host.data(), 15).ok());
    CHECK(device[32 + 4] == 7 - 9);
    CHECK(device[32 + 5] == -1);
}

TEST_CASE("elements rearranged inside sticks are one plan", "[interop][spyre]")
{
    const auto t = arrange(tensor({2, 64}), Arrangement::fp32_to_dl16).value();
    const Bits host = numbers(128);
    Bits device(128), back(128);
    const auto there = plan_to_device(t).value();
    CHECK(there.plans().size() == 1);
    REQUIRE(there.run(device.data(), bytes(device), host.data(), bytes(host)).ok());
    CHECK(device[8 * 1 + 4 * 1 + 2] == 32 + 4 + 2); // 32h + 4g + e at 8g + 4h + e
    REQUIRE(plan_to_host(t).value().run(back.data(), bytes(back), device.data(), bytes(device)).ok());
    CHECK(back == host);
}

TEST_CASE("padding is as wide as the elements, whose type may be that of both sides", "[interop][spyre]")
{
    const auto t = tensor({2, 70});
    const Bits host(140, 7);
    for (const bool says_both : {true, false}) {
        axe::RelayoutOptions options;
        options.from_type = axe::DType::i16;
        if (says_both) options.to_type = axe::DType::i16;
        options.padding = 0x1122;
        Bits device(256);
        REQUIRE(plan_to_device(t, options).value().run(device.data(), bytes(device), host.data(), bytes(host)).ok());
        CHECK(std::count(device.begin(), device.end(), 7) == 140);
        CHECK(std::count(device.begin(), device.end(), 0x1122) == 116);
    }
}

TEST_CASE("nothing moves unless all can", "[interop][spyre]")
{
    const auto t = tensor({2, 70});
    const Bits host = numbers(140);
    Bits device(255, 0xeeee);
    axe::RelayoutOptions options;
    options.padding = 0;
    CHECK(plan_to_device(t, options).value().run(device.data(), bytes(device), host.data(), bytes(host)).code() ==
          errc::out_of_domain);
    CHECK(device == Bits(255, 0xeeee));
    // The second nest alone reads past the end of this host.
    Bits whole(256, 0xeeee);
    CHECK(plan_to_device(t).value().run(whole.data(), bytes(whole), host.data(), bytes(host) - 2).code() == errc::out_of_domain);
    CHECK(whole == Bits(256, 0xeeee));
    CHECK(plan_to_device(t, contiguous({70, 2})).error().code == errc::size_mismatch);
    const auto one = place({{4, 60}, {0, 1}}, {{1, 64}, {64, 1}}).value();
    CHECK(plan_to_device(one).value().elements() == 60);
    CHECK(plan_to_device(one, contiguous({4, 60})).error().text ==
          "the device holds one element for all of dimension 0, but this host has more");
    // One nest a residue: 4999 elements, one in a digit of its own each.
    auto odd = tensor({3});
    odd.device.format = DataFormat::ieee_fp32;
    CHECK(plan_to_device(odd).value().plans().size() == 1);
}
