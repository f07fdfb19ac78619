// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/wgmma/descriptor.hpp>

#include <catch.hpp>
#include <tests/random.hpp>
#include <vector>

namespace {

using namespace axe;

/// The addresses that a descriptor stands for, element by element, written from PTX's tables and not from the header's function.
std::int64_t by_table(const SharedDescriptor& d, std::int64_t mn, std::int64_t k, int bytes)
{
    const std::int64_t t = 16 / bytes, s = d.span, w = s / 16;
    std::int64_t f = 0;
    if (!d.mn_major && s > 0)
        f = mn / 8 * d.stride + mn % 8 * s + k / t * 16 + k % t * bytes;
    else if (!d.mn_major)
        f = mn / 8 * d.stride + mn % 8 * 16 + k / t * d.leading + k % t * bytes;
    else if (s > 0)
        f = mn / (w * t) * d.leading + mn % (w * t) * bytes + k / 8 * d.stride + k % 8 * s;
    else
        f = mn / t * d.stride + mn % t * bytes + k / 8 * d.leading + k % 8 * 16;
    const std::int64_t address = d.start + f;
    switch (s) {
    case 128: return address ^ (address >> 3 & 0x70);
    case 64: return address ^ (address >> 3 & 0x30);
    case 32: return address ^ (address >> 3 & 0x10);
    default: return address;
    }
}

} // namespace

TEST_CASE("the descriptor of an arrangement is the one that it was made from", "[target][nvidia]")
{
    laws::Random r(71);
    int made = 0;
    for (int trial = 0; trial < 400; ++trial) {
        SharedDescriptor d;
        const int spans[] = {0, 32, 64, 128}, widths[] = {1, 2, 4};
        const int bytes = widths[r.in(0, 2)];
        d.span = spans[r.in(0, 3)];
        d.mn_major = bytes == 2 && r.one_in(2);
        d.start = d.span > 0 ? 1024 * r.in(0, 20) : 16 * r.in(0, 999);
        d.leading = d.span > 0 && !d.mn_major ? 0 : 16 * r.in(1, 2000);
        d.stride = 16 * r.in(1, 2000);
        const std::int64_t k = 32 / bytes, mn = r.one_in(2) ? 64 : 8 * r.in(2, 32);
        if (d.span > 0) d.stride = d.stride * 64; // rows of patterns, each where one may begin
        if (d.span > 0 && d.mn_major) d.leading = d.leading * 64;
        if (d.stride >= 1 << 18 || d.leading >= 1 << 18) continue;
        const auto address = [&](std::int64_t i, std::int64_t l) { return by_table(d, i, l, bytes); };
        const auto found = shared_descriptor(mn, k, bytes, address);
        INFO("mn " << mn << ", bytes " << bytes << ", span " << d.span << ", mn-major " << d.mn_major << ": "
                   << found.error().text);
        REQUIRE(found.has_value());
        ++made;
        // Another arrangement may have the same addresses; that found must have them all.
        for (std::int64_t i = 0; i < mn; ++i)
            for (std::int64_t l = 0; l < k; ++l) REQUIRE(by_table(*found, i, l, bytes) == address(i, l));
        if (found->span == d.span && found->mn_major == d.mn_major) CHECK(found->start == d.start);
    }
    CHECK(made > 100);
}

TEST_CASE("no descriptor where one element is elsewhere", "[target][nvidia]")
{
    laws::Random r(72);
    for (int trial = 0; trial < 100; ++trial) {
        SharedDescriptor d{1024, 0, 1024, 128, false};
        const std::int64_t i = r.in(0, 63), l = r.in(0, 15);
        const auto found = shared_descriptor(
            64, 16, 2, [&](std::int64_t a, std::int64_t b) { return by_table(d, a, b, 2) + (a == i && b == l ? 2 : 0); });
        CHECK(!found);
        CHECK(found.error().code == errc::bad_argument);
    }
}

TEST_CASE("what a descriptor lacks is named", "[target][nvidia]")
{
    const auto rows_of = [](std::int64_t pitch, std::int64_t start) {
        return shared_descriptor(64, 16, 2, [=](std::int64_t a, std::int64_t b) { return start + a * pitch + b * 2; });
    };
    // Rows of 40 bytes are no arrangement; rows of 32 are, as rows of 16 and their other halves are not beside them.
    CHECK(rows_of(40, 0).error().text.find("element (") == 0);
    CHECK(rows_of(32, 0).error().text.find("asks for byte") != std::string::npos);
    const auto pattern =
        shared_descriptor(64, 16, 2, [](std::int64_t a, std::int64_t b) { return by_table({512, 0, 1024, 128, false}, a, b, 2); });
    CHECK(pattern.error().text == "its pattern of 128 bytes begins at byte 512; that must be a multiple of 1024");
    const auto far =
        shared_descriptor(64, 16, 2, [](std::int64_t a, std::int64_t b) { return by_table({0, 0, 1 << 18, 128, false}, a, b, 2); });
    CHECK(far.error().text == "its start or a distance is 262144 bytes; they must be multiples of 16 below 262144");
    const auto bytes_mn =
        shared_descriptor(64, 32, 1, [](std::int64_t a, std::int64_t b) { return by_table({0, 2048, 4096, 0, true}, a, b, 1); });
    CHECK(bytes_mn.error().text == "it is MN-major with elements of 1 byte; only those of 2 bytes can be");
    const auto next = shared_descriptor(
        64, 16, 2, [](std::int64_t a, std::int64_t b) { return by_table({1024 + 32, 0, 1024, 128, false}, a, b, 2); });
    REQUIRE(next.has_value()); // the next K within a pattern
    CHECK(*next == SharedDescriptor{1056, 0, 1024, 128, false});
    CHECK(next->bits() == (1056u / 16 | std::uint64_t{1024 / 16} << 32 | std::uint64_t{1} << 62));
}
