// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/strided.hpp>
#include <axe/text/literals.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

using namespace axe::literals;
using axe::errc;
using axe::Strided;
using Strides = axe::InlineVector<std::int64_t, axe::max_rank>;

namespace {
constexpr std::int64_t huge = std::int64_t{1} << 62;
std::string layout_text(const Strided& a)
{
    const auto l = axe::to_axe(a);
    return l ? axe::print(*l).c_str() : l.error().message().c_str();
}
} // namespace

TEST_CASE("an array becomes the layout of its addresses", "[interop][strides]")
{
    CHECK(layout_text({{4, 8}, {8, 1}, 0}) == "32:1");
    CHECK(layout_text({{4, 8}, {1, 4}, 0}) == "(4,8):(1,4)");
    CHECK(layout_text({{4}, {-1}, 3}) == "4:-1 + 3@m");       // a[::-1]: the first element is the last of memory
    CHECK(layout_text({{3, 4}, {0, 1}, 0}) == "(3,4):(0,1)"); // broadcast_to(row, (3, 4))
    CHECK(layout_text({{1, 5}, {1000, 2}, 0}) == "5:2");      // the stride of an extent 1 says nothing
    CHECK(layout_text({{}, {}, 0}) == "():()");
    CHECK(layout_text({{}, {}, 7}) == "():() + 7@m");
    CHECK(axe::to_axe(Strided{{4}, {2}, 1}, axe::Axis{"P"}).value() == "4:2@P + 1@P"_axe);
    static_assert(axe::to_axe(Strided{{2, 3}, {3, 1}, 0}).value() == "6:1"_axe);
}

TEST_CASE("an array that is not a layout is refused with the dimension", "[interop][strides]")
{
    CHECK(layout_text({{3, 0, 2}, {2, 2, 1}, 0}) == "dimension 1 is empty; a layout has at least one element");
    CHECK(axe::to_axe(Strided{{3, 0, 2}, {2, 2, 1}, 0}).code() == errc::bad_extent);
    CHECK(axe::to_axe(Strided{{3, -4}, {2, 2}, 0}).error().position == 1);
    CHECK(layout_text({{3, 2}, {1}, 0}) == "the shape has 2 dimensions, but there is 1 stride");
    CHECK(axe::to_axe(Strided{{5, 3}, {huge, 1}, 0}).code() == errc::overflow);
    CHECK(axe::to_axe(Strided{{2}, {huge}, huge}).code() == errc::overflow);
    Strided many;
    for (int d = 0; d < 17; ++d) {
        many.shape.count = many.strides.count = d + 1;
        if (d < 16) many.shape[d] = many.strides[d] = 1;
    }
    CHECK(axe::to_axe(many).code() == errc::capacity);
    CHECK_FALSE(axe::is_c_contiguous(many));
    CHECK(axe::row_major_array(many.shape).code() == errc::capacity);
}

TEST_CASE("a layout gives its strides, those of extents 1 as in a C-contiguous array", "[interop][strides]")
{
    CHECK(axe::to_strided("32:1"_axe, {4, 8})->strides == Strides{8, 1});
    CHECK(axe::to_strided("(4,8):(1,4)"_axe, {4, 8})->strides == Strides{1, 4});
    CHECK(axe::to_strided("32:1"_axe, {1, 4, 1, 8, 1})->strides == Strides{32, 8, 8, 1, 1});
    CHECK(axe::to_strided("4:-1 + 3@m"_axe, {4}).value() == Strided{{4}, {-1}, 3});
    CHECK(axe::to_strided("():() + 7@m"_axe, {}).value() == Strided{{}, {}, 7});
    CHECK(axe::to_strided("4:2@P + 1@P"_axe, {2, 2}, axe::Axis{"P"})->strides == Strides{4, 2});
    CHECK(axe::to_strided("3:0"_axe, {3})->strides == Strides{0});
    const auto wide = std::int64_t{1} << 60;
    CHECK(axe::to_strided(axe::Layout{{{wide, 1}}, {}, {}}, {wide / 4, 4})->strides == Strides{4, 1});
}

TEST_CASE("a layout that is not a strided array says why", "[interop][strides]")
{
    const auto why = [](const axe::Layout& l, const axe::Shape& s) { return axe::to_strided(l, s).error(); };
    CHECK(std::string(why("(2,2,3,2):(12,2,4,1)"_axe, {4, 6}).message().c_str()) ==
          "dimension 0 has 2 strides, 12 the outermost; an array has one per dimension");
    CHECK(why("(2,2,3,2):(12,2,4,1)"_axe, {4, 6}).is_none());
    CHECK(why("(2,3):(1,2)"_axe, {3, 2}).code == errc::not_grouped);
    CHECK(why("8:1"_axe, {4}).code == errc::size_mismatch);
    CHECK(std::string(why("4:1 + [2:4]"_axe, {4}).message().c_str()) ==
          "replica iter 0 places an element at 2 points; an array has one address per element");
    CHECK(why("4:1@lane"_axe, {4}).code == errc::bad_axis);
    CHECK(std::string(why("4:1 + 2@lane"_axe, {4}).message().c_str()) == "offset 0 is on an axis other than the address axis");
    CHECK(axe::to_strided("4:1 + [2:0]"_axe, {4})); // repeats nothing
}

TEST_CASE("contiguity is NumPy's: extents 1 do not count, and what is empty is contiguous", "[interop][strides]")
{
    CHECK(axe::is_c_contiguous({{4, 8}, {8, 1}, 5}));
    CHECK_FALSE(axe::is_f_contiguous({{4, 8}, {8, 1}, 0}));
    CHECK(axe::is_f_contiguous({{4, 8}, {1, 4}, 0}));
    CHECK(axe::is_c_contiguous({{4, 1, 8}, {8, -77, 1}, 0}));
    CHECK(axe::is_f_contiguous({{4, 1, 8}, {1, -77, 4}, 0}));
    CHECK(axe::is_c_contiguous({{5}, {1}, 0}));
    CHECK(axe::is_f_contiguous({{5}, {1}, 0}));
    CHECK(axe::is_c_contiguous({{}, {}, 0}));
    CHECK_FALSE(axe::is_c_contiguous({{5}, {-1}, 4}));
    CHECK_FALSE(axe::is_c_contiguous({{5}, {0}, 0}));
    CHECK(axe::is_c_contiguous({{0, 3}, {8, 100}, 0}));
    CHECK(axe::is_f_contiguous({{3, 0}, {100, 8}, 0}));
    CHECK_FALSE(axe::is_c_contiguous({{2, 3}, {1}, 0}));
    CHECK_FALSE(axe::is_f_contiguous({{2, 3}, {1}, 0}));
}

TEST_CASE("compact arrays of both orders, and of C array types", "[interop][strides]")
{
    CHECK(axe::row_major_array({2, 3, 4})->strides == Strides{12, 4, 1});
    CHECK(axe::column_major_array({2, 3, 4})->strides == Strides{1, 2, 6});
    CHECK(axe::row_major_array({2, 0, 4})->strides == Strides{4, 4, 1});
    CHECK(axe::row_major_array({})->strides.empty());
    CHECK(axe::row_major_array({huge, 4}).code() == errc::overflow);
    CHECK(axe::row_major_array({0, -1}).error().position == 1);
    static_assert(axe::c_array<float[4][8]>() == Strided{{4, 8}, {8, 1}, 0});
    static_assert(axe::c_array<int>() == Strided{});
    static_assert(axe::c_array<char[2][3][5]>().strides == Strides{15, 5, 1});
}

TEST_CASE("reach_below is how far the negative strides go", "[interop][strides]")
{
    CHECK(axe::reach_below({{4, 3}, {-2, 5}, 0}).value() == 6);
    CHECK(axe::reach_below({{4, 3}, {-2, -5}, 0}).value() == 16);
    CHECK(axe::reach_below({{4, 0}, {-2, -5}, 0}).value() == 0);
    CHECK(axe::reach_below({{4}, {-huge}, 0}).code() == errc::overflow);
    CHECK(axe::reach_below({{4}, {}, 0}).code() == errc::rank_mismatch);
    CHECK(axe::reach_below({{0, 4}, {-2, -huge}, 0}).value() == 0);
    for (const std::int64_t n : {std::int64_t{-1}, std::int64_t{INT64_MIN}}) {
        CHECK(axe::reach_below({{n}, {-1}, 0}).code() == errc::bad_extent);
        CHECK(axe::reach_below({{n}, {1}, 0}).code() == errc::bad_extent);
        CHECK(axe::reach_below({{0, n}, {-1, -1}, 0}).error().position == 1);
    }
}
