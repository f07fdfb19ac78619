// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <catch.hpp>

#include <cstdint>
#include <limits>
#include <set>

namespace {

using namespace axe::literals;
using axe::Swizzle;
using Swizzled = axe::Swizzled<axe::Layout>;
using Int = std::int64_t;

/// The XOR bit by bit, from its definition: bit base+i+max(−shift,0) takes in bit base+i+max(shift,0), for 0 ≤ i < bits.
Int by_bits(const Swizzle& s, Int address)
{
    Int out = address;
    for (int i = 0; i < s.bits; ++i) {
        const int read = s.base + i + (s.shift > 0 ? s.shift : 0), written = s.base + i + (s.shift > 0 ? 0 : -s.shift);
        out ^= (address >> read & 1) << written;
    }
    return out;
}

/// How many of the 16-byte reads of one column of chunks, by eight successive rows of 128 bytes, fall into the fullest group of four
/// banks.
int worst_conflict(const Swizzle& s)
{
    int worst = 0;
    for (Int chunk = 0; chunk < 8; ++chunk) {
        int in_group[8] = {};
        for (Int row = 0; row < 8; ++row) worst = std::max(worst, ++in_group[s(row * 128 + chunk * 16) / 16 % 8]);
    }
    return worst;
}

Int at(const Swizzled& s, Int x) { return (*axe::evaluate(s, x))["m"]; }

} // namespace

TEST_CASE("swizzle: the XOR of the definition, its own inverse, a permutation of each period")
{
    for (const Swizzle s :
         {Swizzle{3, 4, 3}, Swizzle{2, 4, 3}, Swizzle{1, 4, 3}, Swizzle{3, 3, 3}, Swizzle{2, 0, -3}, Swizzle{0, 0, 0}}) {
        REQUIRE(check(s).ok());
        std::set<Int> seen;
        for (Int a = 0; a < 4 * s.period(); ++a) {
            REQUIRE(s(a) == by_bits(s, a));
            REQUIRE(s(s(a)) == a);
            REQUIRE(s(a) - s(a % s.period()) == a - a % s.period());
            seen.insert(s(a));
        }
        CHECK(static_cast<Int>(seen.size()) == 4 * s.period());
    }
}

TEST_CASE("swizzle: what cannot be one is refused")
{
    CHECK(check(Swizzle{-1, 4, 3}).code() == axe::errc::bad_argument);
    CHECK(check(Swizzle{3, -4, 3}).code() == axe::errc::bad_argument);
    CHECK(check(Swizzle{3, 4, 2}).code() == axe::errc::bad_argument); // the bits read would be written
    CHECK(check(Swizzle{3, 57, 3}).code() == axe::errc::bad_argument);
    const int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
    for (const Swizzle s : {Swizzle{0, most, most}, Swizzle{0, 0, least}, Swizzle{most, 0, most}, Swizzle{least, most, least}})
        CHECK(check(s).code() == axe::errc::bad_argument);                                 // the sum of the three leaves an int
    CHECK(check(Swizzled{{3, 1, 3}, {}, 4, "8:1"_axe}).code() == axe::errc::bad_argument); // 4-byte elements, bit 1 moves
    CHECK(check(Swizzled{{3, 4, 3}, {}, 3, "8:1"_axe}).code() == axe::errc::bad_argument);
    CHECK(axe::evaluate(Swizzled{{3, 4, 2}, {}, 2, "8:1"_axe}, 0).code() == axe::errc::bad_argument);
}

TEST_CASE("swizzle: the direction decides about bank conflicts")
{
    CHECK(worst_conflict({0, 0, 0}) == 8);
    CHECK(worst_conflict({3, 4, 3}) == 1);
    CHECK(worst_conflict({3, 4, -3}) == 8); // the mirror moves rows, and chunks stay where they are
    CHECK(worst_conflict({2, 4, 3}) == 2);
    CHECK(worst_conflict({1, 4, 3}) == 4);
    const axe::Layout rows = "(8,64):(64,1)"_axe;
    CHECK_FALSE(axe::equal(Swizzled{{3, 4, 3}, {}, 2, rows}, Swizzled{{3, 4, -3}, {}, 2, rows}));
}

TEST_CASE("swizzle: evaluation acts on bytes")
{
    const Swizzled s{{3, 4, 3}, {}, 2, "(16,64):(64,1)"_axe};
    for (Int x = 0; x < 1024; ++x) REQUIRE(at(s, x) == by_bits({3, 4, 3}, 2 * x) / 2);
    const Swizzled elsewhere{{3, 4, 3}, "smem", 2, "(16,64):(64@smem,1@smem) + 5@cta"_axe};
    const auto p = axe::evaluate(elsewhere, {16, 64}, {3, 9});
    REQUIRE(p);
    CHECK((*p)["smem"] == by_bits({3, 4, 3}, 2 * (3 * 64 + 9)) / 2);
    CHECK((*p)["cta"] == 5);
    CHECK(axe::evaluate(s, 1024).code() == axe::errc::out_of_domain);
}

TEST_CASE("swizzle: every place is taken back to its coordinate")
{
    const Swizzled s{{3, 4, 3}, {}, 2, "(16,64):(64,1)"_axe};
    for (Int x = 0; x < 1024; ++x) {
        const auto back = axe::preimage(s, {16, 64}, {{"m", at(s, x)}});
        REQUIRE(*back.count() == 1);
        REQUIRE(*back.begin() == axe::Coord{x / 64, x % 64});
    }
    CHECK(axe::preimage(s, {16, 64}, {{"m", 1024}}).empty());
}

TEST_CASE("swizzle: a slice is the swizzled region, aligned or not")
{
    const Swizzled s{{3, 4, 3}, {}, 2, "(32,64):(64,1)"_axe};
    for (const axe::Region& region :
         {axe::Region{{8, 16}, {0, 64}}, axe::Region{{3, 9}, {8, 24}}, axe::Region{{16, 32}, {0, 64}}}) {
        const auto part = axe::slice(s, {32, 64}, region);
        REQUIRE(part);
        const Int rows = region[0].hi - region[0].lo, columns = region[1].hi - region[1].lo;
        for (Int i = 0; i < rows; ++i)
            for (Int j = 0; j < columns; ++j)
                REQUIRE(at(*part, i * columns + j) == at(s, (i + region[0].lo) * 64 + j + region[1].lo));
        // aligned: the offset may be taken out
        Swizzled moved = *part;
        moved.layout.offset = {};
        const Int offset = part->layout.offset["m"];
        bool movable = true;
        for (Int u = 0; u < rows * columns; ++u) movable = movable && at(moved, u) + offset == at(*part, u);
        if (axe::is_aligned(*part)) CHECK(movable);
    }
    CHECK(axe::is_aligned(*axe::slice(s, {32, 64}, {{8, 16}, {0, 64}})));
    CHECK_FALSE(axe::is_aligned(*axe::slice(s, {32, 64}, {{3, 9}, {8, 24}})));
    CHECK(axe::slice(s, {32, 64}, {{0, 33}, {0, 64}}).code() == axe::errc::out_of_domain);
}

TEST_CASE("swizzle: equality looks through the swizzle")
{
    const axe::Layout rows = "(16,64):(64,1)"_axe, split = "(2,8,4,16):(512,64,16,1)"_axe;
    CHECK(axe::equal(Swizzled{{3, 4, 3}, {}, 2, rows}, Swizzled{{3, 4, 3}, {}, 2, split}));
    // bits 7 to 9 of addresses below 128 are 0: nothing moves
    CHECK(axe::equal(Swizzled{{3, 4, 3}, {}, 2, "64:1"_axe}, Swizzled{{0, 0, 0}, {}, 2, "64:1"_axe}));
    const auto no = axe::equal(Swizzled{{3, 4, 3}, {}, 2, rows}, Swizzled{{2, 4, 3}, {}, 2, rows});
    Int first = 0;
    while (by_bits({3, 4, 3}, 2 * first) == by_bits({2, 4, 3}, 2 * first)) ++first;
    CHECK_FALSE(no);
    CHECK(no.witness() == first);
    CHECK(axe::equal(Swizzled{{3, 4, 3}, {}, 2, rows}, Swizzled{{3, 4, 3}, {}, 2, "512:1"_axe}).witness() == -1);
}

TEST_CASE("swizzle: the same bytes as elements of another width")
{
    const Swizzled halves{{3, 4, 3}, {}, 2, "(16,64):(64,1)"_axe};
    const auto bytes = axe::with_width(halves, 1);
    REQUIRE(bytes);
    for (Int x = 0; x < 1024; ++x)
        for (Int b = 0; b < 2; ++b) REQUIRE(at(*bytes, 2 * x + b) == 2 * at(halves, x) + b);
    const auto back = axe::with_width(*bytes, 2);
    REQUIRE(back);
    CHECK(axe::equal(*back, halves));
    const auto words = axe::with_width(halves, 16);
    REQUIRE(words);
    CHECK(*axe::size(words->layout) == 128);
    CHECK(axe::with_width(halves, 32).code() == axe::errc::bad_argument); // 16-byte chunks move apart
    CHECK(axe::with_width(Swizzled{{3, 4, 3}, {}, 2, "(8,2):(2,16)"_axe}, 4).error().is_none());
}
