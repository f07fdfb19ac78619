// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/relayout.hpp>
#include <catch.hpp>

#include <array>

namespace {

using namespace axe::literals;
using axe::CopyLoop;
using axe::RelayoutOptions;
using Int = std::int64_t;

RelayoutOptions nibbles()
{
    RelayoutOptions o;
    o.bits = 4;
    return o;
}

} // namespace

TEST_CASE("pairs: a part of the loops is walked in stretches of the last one")
{
    const CopyLoop loops[] = {{2, 100, 1000}, {3, 10, 1}, {4, 1, 50}};
    std::vector<std::pair<Int, Int>> all;
    for (Int i = 0; i < 2; ++i)
        for (Int j = 0; j < 3; ++j)
            for (Int k = 0; k < 4; ++k) all.push_back({5 + 100 * i + 10 * j + k, 7 + 1000 * i + j + 50 * k});
    for (Int a = 0; a <= 24; ++a)
        for (Int b = a; b <= 24; ++b) {
            std::vector<std::pair<Int, Int>> got;
            axe::detail::for_each_stretch(loops, 3, a, b, 5, 7, [&](Int to, Int from, Int count, Int to_step, Int from_step) {
                for (Int i = 0; i < count; ++i) got.push_back({to + i * to_step, from + i * from_step});
            });
            REQUIRE(got == std::vector<std::pair<Int, Int>>(all.begin() + a, all.begin() + b));
        }
    int calls = 0;
    axe::detail::for_each_stretch(loops, 0, 0, 1, 5, 7, [&](Int to, Int from, Int count, Int, Int) {
        CHECK((to == 5 && from == 7 && count == 1));
        ++calls;
    });
    axe::detail::for_each_stretch(loops, 0, 1, 1, 5, 7, [&](Int, Int, Int, Int, Int) { ++calls; });
    CHECK(calls == 1);
}

TEST_CASE("pairs: nibbles, the first in the low half of its byte")
{
    std::byte bytes[2] = {std::byte{0x21}, std::byte{0x43}};
    for (Int i = 0; i < 4; ++i) CHECK(axe::detail::nibble_at(bytes, i) == i + 1);
    axe::detail::set_nibble(bytes, 1, 15);
    axe::detail::set_nibble(bytes, 2, 0);
    CHECK(bytes[0] == std::byte{0xf1});
    CHECK(bytes[1] == std::byte{0x40});
}

TEST_CASE("pairs: nibbles from odd places, to odd places, transposed, repeated")
{
    const std::array<unsigned char, 4> in{0x10, 0x32, 0x54, 0x76};
    std::array<unsigned char, 5> out{};
    const auto copy = [&](const axe::RelayoutSide& to, const axe::RelayoutSide& from, const axe::Shape& shape,
                          RelayoutOptions o = nibbles()) {
        out.fill(0xaa);
        const axe::Result<void, axe::Problem> p = axe::relayout(out.data(), out.size(), to, in.data(), in.size(), from, shape, o);
        CHECK(p.error().text == "");
        return out;
    };
    using Out = std::array<unsigned char, 5>;
    CHECK(copy("8:1"_axe, "8:1"_axe, {8}) == Out{0x10, 0x32, 0x54, 0x76, 0xaa});
    CHECK(copy("8:1@m + 1@m"_axe, "8:1"_axe, {8}) == Out{0x0a, 0x21, 0x43, 0x65, 0xa7});
    CHECK(copy("3:1"_axe, "3:1@m + 5@m"_axe, {3}) == Out{0x65, 0xa7, 0xaa, 0xaa, 0xaa});
    CHECK(copy("8:-1@m + 7@m"_axe, "8:1"_axe, {8}) == Out{0x67, 0x45, 0x23, 0x01, 0xaa});
    CHECK(copy("(2,4):(1,2)"_axe, "8:1"_axe, {2, 4}) == Out{0x40, 0x51, 0x62, 0x73, 0xaa});
    CHECK(copy("4:1@m + [2:5@m]"_axe, "4:0@m + 3@m"_axe, {4}) == Out{0x33, 0x33, 0x3a, 0x33, 0xa3});
    // Padding is a nibble, too; in whole bytes and by halves.
    RelayoutOptions padded = nibbles();
    padded.padding = 9;
    CHECK(copy(axe::RelayoutSide("10:1"_axe, {10}), "8:1"_axe, {8}, padded) == Out{0x10, 0x32, 0x54, 0x76, 0x99});
    CHECK(copy(axe::RelayoutSide("10:1"_axe, {10}), "5:1"_axe, {5}, padded) == Out{0x10, 0x32, 0x94, 0x99, 0x99});
}

TEST_CASE("pairs: nibbles are not swizzled")
{
    const axe::Swizzled<axe::Layout> s{{1, 0, 1}, {}, 1, "8:1"_axe};
    for (const auto& plan : {axe::plan_relayout(s, "8:1"_axe, {8}, nibbles()), axe::plan_relayout("8:1"_axe, s, {8}, nibbles())}) {
        CHECK_FALSE(plan);
        CHECK(plan.error().text == "4-bit elements cannot be swizzled: a swizzle moves whole bytes");
    }
}

TEST_CASE("pairs: maps that clash too often are copied address by address, in any number of parts")
{
    axe::Layout to, from;
    for (Int stride = 759375 / 15, k = 0; k < 5; ++k, stride /= 15) {
        for (const auto& [extent, step] : {std::pair<Int, Int>{3, 1}, {5, 3}}) to.shard.push_back({extent, step * stride});
        for (const auto& [extent, step] : {std::pair<Int, Int>{5, 1}, {3, 5}}) from.shard.push_back({extent, step * stride});
    }
    RelayoutOptions o;
    o.bits = 8;
    const auto plan = axe::plan_relayout(to, from, {759375}, o);
    REQUIRE(plan);
    REQUIRE(plan->parts().walks.size() == 1);
    std::vector<std::uint8_t> in(759375), out(759375), parts(759375);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 37 + i / 256);
    CHECK(plan->run(out.data(), out.size(), in.data(), in.size()).ok());
    CHECK(plan->run(parts.data(), parts.size(), in.data(), in.size(), 7,
                    [](int n, const auto& f) {
                        for (int t = n; t-- > 0;) f(t);
                    })
              .ok());
    CHECK(out == parts);
    int wrong = 0;
    for (Int x = 0; x < 759375; x += 13) {
        const auto a = axe::evaluate(to, x)->begin()->value, b = axe::evaluate(from, x)->begin()->value;
        wrong += x != 0 && out[static_cast<std::size_t>(a)] != in[static_cast<std::size_t>(b)];
    }
    CHECK(wrong == 0);
}
