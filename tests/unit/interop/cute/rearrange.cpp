// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/rearrange.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <map>
#include <random>
#include <vector>

using namespace axe::literals;
using axe::cute::compact;
using axe::cute::parse_slicer;

static_assert(axe::cute::group("(2,4,8):(1,2,8)"_cute, 1, 3).value() == "(2,(4,8)):(1,(2,8))"_cute);

TEST_CASE("cute compact: the layout of a shape counts its coordinates")
{
    CHECK(*compact("((2,4),1,8):((7,7),7,7)"_cute) == "((2,4),1,8):((1,2),0,8)"_cute);
    CHECK(*axe::cute::parse_layout_or_shape("(64,32,2)") == "(64,32,2):(1,64,2048)"_cute);
    CHECK(*axe::cute::parse_layout_or_shape("24") == "24:1"_cute);
    CHECK(*axe::cute::parse_layout_or_shape("()") == "():()"_cute);
    CHECK(*axe::cute::parse_layout_or_shape("(4,8):(8,1)") == "(4,8):(8,1)"_cute);
    CHECK(axe::cute::parse_layout_or_shape("(4,0)").code() == axe::errc::bad_extent);
    CHECK(axe::cute::parse_layout_or_shape("(4,8) x").code() == axe::errc::bad_syntax);
    CHECK(axe::cute::parse_layout_or_shape("(4294967296,4294967296)").code() == axe::errc::overflow);
    for (std::int64_t x = 0; x < 64; ++x) CHECK(evaluate(*compact("((2,4),1,8):((7,7),7,7)"_cute), x) == x);
}

TEST_CASE("cute group: modes become one, and the map is the same")
{
    const axe::cute::Layout layout = "(2,(4,3),8):(1,(2,8),24)"_cute;
    for (int begin = -1; begin <= 4; ++begin)
        for (int end = -1; end <= 4; ++end) {
            const auto grouped = axe::cute::group(layout, begin, end);
            if (begin < 0 || begin > end || end > 3) {
                CHECK(grouped.code() == axe::errc::out_of_domain);
                continue;
            }
            REQUIRE(grouped);
            CHECK(rank(*grouped) == 3 - (end - begin) + 1);
            CHECK(rank(mode(*grouped, begin)) == end - begin);
            CHECK(check(*grouped).ok());
            for (std::int64_t x = 0; x < size(layout); ++x) CHECK(evaluate(*grouped, x) == evaluate(layout, x));
        }
    CHECK(*axe::cute::group("8:1"_cute, 0, 1) == "((8)):((1))"_cute);
    CHECK(*axe::cute::group(layout, 1, 1) == "(2,(),(4,3),8):(1,(),(2,8),24)"_cute);
}

TEST_CASE("cute sort: the least stride first, and the same values")
{
    CHECK(*axe::cute::sort("((2,4),8):((64,1),4)"_cute) == "(4,8,2):(1,4,64)"_cute);
    CHECK(*axe::cute::sort("(4,2,3):(1,1,0)"_cute) == "(3,2,4):(0,1,1)"_cute);
    CHECK(*axe::cute::sort("(4,2):(1@1,1@0)"_cute) == "(2,4):(1@0,1@1)"_cute);
    CHECK(*axe::cute::sort("8:4"_cute) == "8:4"_cute);
    std::mt19937 random(7);
    for (int trial = 0; trial < 300; ++trial) {
        axe::cute::Leaves list;
        for (unsigned long k = 0, n = 1 + random() % 5; k < n; ++k)
            list.push_back(axe::cute::Leaf(1 + static_cast<int>(random() % 4), static_cast<int>(random() % 9) - 2));
        const auto layout = axe::cute::from_leaves(list);
        const auto sorted = axe::cute::sort(layout);
        REQUIRE(sorted);
        std::map<std::int64_t, int> values, others;
        for (std::int64_t x = 0; x < size(layout); ++x) ++values[evaluate(layout, x)], ++others[evaluate(*sorted, x)];
        CHECK(values == others);
        const auto leaves = axe::cute::leaves(*sorted);
        for (int k = 1; k < leaves.size(); ++k) CHECK(std::abs(leaves[k - 1].stride) <= std::abs(leaves[k].stride));
    }
}

TEST_CASE("cute slice: what the open places hold, from where the others are")
{
    const axe::cute::Layout layout = "((2,4),8):((1,16),2)"_cute;
    const auto text = [&](const char* at) {
        const auto result = slice(layout, *parse_slicer(at));
        return result ? std::to_string(result->offset) + " + " + axe::cute::print(result->layout).c_str()
                      : std::string(axe::name(result.code()));
    };
    CHECK(text("_") == "0 + ((2,4),8):((1,16),2)");
    CHECK(text("(_,5)") == "10 + ((2,4)):((1,16))");
    CHECK(text("((1,_),5)") == "11 + (4):(16)");
    CHECK(text("((_,3),_)") == "48 + (2,8):(1,2)");
    CHECK(text("(5,_)") == "33 + (8):(2)");
    CHECK(text("(5,7)") == "47 + ():()");
    CHECK(text("(8,_)") == "out_of_domain");
    CHECK(text("((1,2,_),_)") == "rank_mismatch");
    CHECK(text("(_,_,_)") == "rank_mismatch");
    CHECK(parse_slicer("(_,").code() == axe::errc::bad_syntax);
    CHECK(slice("4:1@0"_cute, *parse_slicer("_")).code() == axe::errc::bad_argument);

    // Every slicer of the layout's profile, each place open or at an index: the same values as the whole has there.
    for (int open = 0; open < 8; ++open)
        for (std::int64_t x = 0; x < size(layout); ++x) {
            const std::int64_t c[3] = {x % 2, x / 2 % 4, x / 8};
            axe::cute::Slicer slicer;
            slicer.coordinate = {{2, 0}, {2, 0}, {-1, c[0]}, {-1, c[1]}, {-1, c[2]}};
            const int node[3] = {2, 3, 4};
            std::int64_t inner = 0, weight = 1;
            const std::int64_t extent[3] = {2, 4, 8};
            for (int k = 0; k < 3; ++k) {
                if ((open >> k & 1) == 0) continue;
                slicer.kept |= std::uint64_t{1} << node[k];
                slicer.coordinate[node[k]].index = 0;
                inner += weight * c[k];
                weight *= extent[k];
            }
            const auto result = slice(layout, slicer);
            REQUIRE(result);
            REQUIRE(size(result->layout) == weight);
            CHECK(result->offset + evaluate(result->layout, inner) == evaluate(layout, x));
        }
}
