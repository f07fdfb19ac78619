// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/picture/banks.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <vector>

namespace {

using namespace axe::literals;
using Tile = axe::Swizzled<axe::Layout>;
using Int = std::int64_t;

constexpr axe::Swizzle none{};

/// The degrees of the phases, as a list.
std::vector<int> degrees(const Tile& tile, const axe::Layout& access, int vector)
{
    const auto conflicts = axe::bank_conflicts(tile, access, vector).value();
    return {conflicts.degree, conflicts.degree + conflicts.phases};
}

/// 32-bit words, `stride` words from lane to lane.
std::vector<int> words(Int stride)
{
    return degrees({none, {}, 4, axe::Layout{{{32 * stride + 1, 1}}}}, axe::Layout{{{32, stride}}}, 1);
}

/// Rows of 16-byte chunks of two-byte elements, `bytes` to a row, read by the four quarters of a warp as ldmatrix does: 8 rows of one
/// column of chunks each.
std::vector<int> ldmatrix(const axe::Swizzle& swizzle, Int bytes, Int pitch)
{
    const Int columns = bytes / 2;
    const Tile tile{swizzle, {}, 2, axe::Layout{{{32, pitch / 2}, {columns, 1}}}};
    return degrees(tile, axe::Layout{{{32, columns}, {8, 1}}}, 8);
}

} // namespace

TEST_CASE("banks: 32-bit words at a stride")
{
    CHECK(words(1) == std::vector<int>{1});
    CHECK(words(2) == std::vector<int>{2});
    CHECK(words(3) == std::vector<int>{1});
    CHECK(words(4) == std::vector<int>{4});
    CHECK(words(8) == std::vector<int>{8});
    CHECK(words(16) == std::vector<int>{16});
    CHECK(words(32) == std::vector<int>{32});
    CHECK(words(33) == std::vector<int>{1});
    CHECK(words(0) == std::vector<int>{1}); // all lanes share one word
}

TEST_CASE("banks: ldmatrix on rows of 128, 64 and 32 bytes, swizzled and not")
{
    using List = std::vector<int>;
    CHECK(ldmatrix(none, 128, 128) == List{8, 8, 8, 8});
    CHECK(ldmatrix({3, 4, 3}, 128, 128) == List{1, 1, 1, 1});
    CHECK(ldmatrix({3, 4, -3}, 128, 128) == List{8, 8, 8, 8}); // the mirrored swizzle moves rows, and chunks stay where they are
    CHECK(ldmatrix(none, 128, 144) == List{1, 1, 1, 1});       // rows padded by 16 bytes
    CHECK(ldmatrix(none, 64, 64) == List{4, 4, 4, 4});
    CHECK(ldmatrix({2, 4, 3}, 64, 64) == List{1, 1, 1, 1});
    CHECK(ldmatrix(none, 32, 32) == List{2, 2, 2, 2});
    CHECK(ldmatrix({1, 4, 3}, 32, 32) == List{1, 1, 1, 1});
}

TEST_CASE("banks: a constant expression too")
{
    constexpr Tile tile{{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe};
    constexpr auto conflicts = axe::bank_conflicts(tile, "(8,8):(64,1)"_axe, 8);
    static_assert(conflicts->phases == 1 && conflicts->worst() == 1 && conflicts->passes() == 1);
}

TEST_CASE("banks: addresses come from the tile, element by element")
{
    laws::Random r(21);
    for (Int n = laws::cases(2000); n > 0; --n) {
        const int vector = 1 << r.in(0, 3);
        const Int width = 16 / vector / (Int{1} << r.in(0, 1));
        if (width < 1) continue;
        const Tile tile{
            {r.one_in(2) ? 3 : 0, 4, 3}, {}, width, axe::Layout{{{512, 64}, {64, 1}}, {{2, 1, "cta"}}, {{"m", 128}, {"cta", 3}}}};
        const int lanes = static_cast<int>(r.in(1, 32));
        const axe::Layout access{{{lanes, r.in(0, 7) * 64 + r.in(0, 3) * 16}, {vector, 1}}};
        const auto got = axe::warp_access(tile, access, vector).value();
        REQUIRE(got.lanes == lanes);
        REQUIRE(got.bytes == width * vector);
        for (int lane = 0; lane < lanes; ++lane) {
            const Int element = lane * access.shard[0].stride;
            REQUIRE(got.address[lane] == tile.swizzle((element + 128) * width));
        }
    }
}

TEST_CASE("banks: what no warp can do is refused")
{
    const Tile tile{none, {}, 4, "(32,32):(32,1)"_axe};
    const auto code = [](const Tile& t, const axe::Layout& access, int vector) {
        return axe::bank_conflicts(t, access, vector).code();
    };
    CHECK(code(tile, "32:1"_axe, 1) == axe::errc::ok);
    CHECK(code(tile, "64:1"_axe, 1) == axe::errc::ok);
    CHECK(code(tile, "65:1"_axe, 1) == axe::errc::bad_argument);
    CHECK(code(tile, "33:1"_axe, 2) == axe::errc::size_mismatch);
    CHECK(code(tile, "32:1"_axe, 0) == axe::errc::size_mismatch);
    CHECK(code(tile, "32:1"_axe, -1) == axe::errc::size_mismatch);
    CHECK(code(tile, axe::Layout{{{Int{1} << 60, 1}}}, 1) == axe::errc::bad_argument);
    CHECK(code(tile, "3:1"_axe, 3) == axe::errc::bad_argument);         // 12 bytes
    CHECK(code(tile, "32:1"_axe, 8) == axe::errc::bad_argument);        // 32 bytes
    CHECK(code(tile, "(4,2):(2,2)"_axe, 2) == axe::errc::bad_argument); // elements 0 and 2
    CHECK(code(tile, "2:1 + 1@m"_axe, 2) == axe::errc::bad_argument);   // from byte 4 on, 8 bytes
    CHECK(code(tile, "32:33"_axe, 1) == axe::errc::ok);
    CHECK(code(tile, "32:34"_axe, 1) == axe::errc::out_of_domain);
    CHECK(code(tile, "32:-1"_axe, 1) == axe::errc::out_of_domain);
    CHECK(code(tile, "32:1 + [2:1]"_axe, 1) == axe::errc::not_single_valued);
    CHECK(code(tile, "32:1@lane"_axe, 1) == axe::errc::bad_argument);
    CHECK(code({none, {}, 4, "32:1 + [2:32]"_axe}, "32:1"_axe, 1) == axe::errc::not_single_valued);
    CHECK(code({none, {}, 3, "32:1"_axe}, "32:1"_axe, 1) == axe::errc::bad_argument);
    CHECK(code({none, {}, 8, axe::Layout{{{32, 1}}, {}, {{"m", Int{1} << 61}}}}, "32:1"_axe, 1) == axe::errc::overflow);
    CHECK(code({{3, 3, 3}, {}, 4, "(8,32):(32,1)"_axe}, "(8,4):(32,1) + 16@m"_axe, 4) ==
          axe::errc::bad_argument); // halves change places
}
