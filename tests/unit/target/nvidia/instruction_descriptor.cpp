// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tcgen05/instruction_descriptor.hpp>
#include <catch.hpp>

using namespace axe;
using enum DType;

static_assert(Tcgen05Descriptor{.a = bf16, .b = bf16, .m = 128, .n = 256}.bits() == 0x8400490);
static_assert(Tcgen05Descriptor{.m = 256, .n = 256}.bits() == 0x10400010);

TEST_CASE("instruction descriptors of tcgen05: each part has bits of its own, for all that exist")
{
    const struct {
        DType d, a, b;
        std::uint32_t bits;
    } types[] = {
        {f32, f16, f16, 0x10},    {f32, bf16, bf16, 0x490}, {f32, tf32, tf32, 0x910}, {f32, e4m3, e4m3, 0x10},
        {f32, e4m3, e5m2, 0x410}, {f32, e5m2, e4m3, 0x90},  {f32, e5m2, e5m2, 0x490}, {i32, u8, u8, 0x20},
        {i32, u8, i8, 0x420},     {i32, i8, u8, 0xa0},      {i32, i8, i8, 0x4a0},     {f16, f16, f16, 0x00},
        {f16, e4m3, e5m2, 0x400},
    };
    int seen = 0;
    for (const auto& t : types)
        for (std::int64_t m = 16; m <= 272; m += 16)
            for (std::int64_t n = 8; n <= 264; n += 8)
                for (int flags = 0; flags < 32; ++flags) {
                    const auto flag = [flags](int i) { return (flags >> i & 1) != 0; };
                    const Tcgen05Descriptor one{t.d, t.a, t.b, m, n, flag(0), flag(1), flag(2), flag(3), flag(4)};
                    const bool integers = t.d == i32;
                    const bool of_one = (m == 64 || m == 128) && n <= 256 && (!integers || n <= 32 || n % 16 == 0),
                               of_two = (m == 128 || m == 256) && n <= 256 && n % (integers ? 32 : 16) == 0,
                               of_ws = (m == 32 || m == 64 || m == 128) && (n == 64 || n == 128 || n == 256);
                    const bool sound = integers ? !flag(2) && !flag(3) : !flag(4);
                    REQUIRE(one.exists() == ((of_one || of_two || of_ws) && sound));
                    if (!one.exists()) continue;
                    ++seen;
                    const std::uint32_t bits = one.bits();
                    const std::uint32_t expected = t.bits + (flag(0) ? 1u << 15 : 0) + (flag(1) ? 1u << 16 : 0) +
                                                   (flag(2) ? 1u << 13 : 0) + (flag(3) ? 1u << 14 : 0) + (flag(4) ? 1u << 3 : 0) +
                                                   (static_cast<std::uint32_t>(n) << 14) + (static_cast<std::uint32_t>(m) << 20);
                    REQUIRE(bits == expected);
                }
    CHECK(seen > 10000);
    const DType small[] = {e4m3, e5m2, f16, e2m3, e3m2, e2m1}; // by their numbers
    for (std::uint32_t a = 0; a < 6; ++a)
        for (std::uint32_t b = 0; b < 6; ++b) {
            if (a == 2 || b == 2) continue;
            const Tcgen05Descriptor one{.a = small[a], .b = small[b]};
            REQUIRE(one.exists());
            CHECK(one.bits() == (0x8020010 | a << 7 | b << 10));
            CHECK(Tcgen05Descriptor{.a = small[a], .b = small[b], .a_mn_major = true}.exists() == (a < 2));
            CHECK(Tcgen05Descriptor{.a = small[a], .b = small[b], .b_mn_major = true}.exists() == (b < 2));
        }
    CHECK_FALSE(Tcgen05Descriptor{.d = f32, .a = f16, .b = bf16}.exists());
    CHECK_FALSE(Tcgen05Descriptor{.d = f16, .a = bf16, .b = bf16}.exists());
}
