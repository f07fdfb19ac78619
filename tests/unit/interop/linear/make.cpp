// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/make.hpp>
#include <tests/unit/interop/linear/read.hpp>

#include <limits>

using namespace linear_tests;
using namespace axe::linear;
using axe::errc;

static_assert(*identity_1d(4, "in", "out") == line("in=[1,2] -> out:4"));
static_assert(*make({{"register", {{0, 1}, {0, 2}}}, {"lane", {{1, 0}}}}, {{"dim0", 1}, {"dim1", 2}}) ==
              line("register=[(0,1),(0,2)] lane=[(1,0)] -> dim0:2 dim1:4"));

TEST_CASE("linear: identity, strided and zeros")
{
    CHECK(text(identity_1d(1, "in", "out")) == "in=[] -> out:1");
    CHECK(text(strided_1d(4, 8, "in", "out")) == "in=[8,16] -> out:32");
    CHECK(text(strided_1d(1, 8, "in", "out")) == "in=[] -> out:8");
    CHECK(text(zeros_1d(4, "in", "out")) == "in=[0,0] -> out:1");
    CHECK(text(zeros_1d(2, "in", "out", 8)) == "in=[0] -> out:8");
    constexpr std::int64_t most = std::int64_t{1} << 62;
    CHECK(identity_1d(most, "in", "out")->bases[61] == std::uint64_t{1} << 61);
    CHECK(bits_of(strided_1d(2, most / 2, "in", "out")->out) == 62);

    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{3}, std::int64_t{-4}, std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max()}) {
        CHECK(identity_1d(size, "in", "out").code() == errc::bad_extent);
        CHECK(strided_1d(4, size, "in", "out").code() == errc::bad_extent);
        CHECK(zeros_1d(size, "in", "out").code() == errc::bad_extent);
        CHECK(zeros_1d(4, "in", "out", size).code() == errc::bad_extent);
    }
    refused(identity_1d(12, "in", "out"), errc::bad_extent, -1,
            "the size of a dimension of a linear layout must be a power of two, got 12");
    refused(zeros_1d(2, "in", "out", 6), errc::bad_extent, -1,
            "the size of a dimension of a linear layout must be a power of two, got 6");
    refused(strided_1d(4, 3, "in", "out"), errc::bad_extent, -1,
            "multiples of 3 are not linear over bits: a stride is a power of two");
    refused(strided_1d(4, most / 2, "in", "out"), errc::capacity, -1, "2 bits from bit 61 on are beyond the 62 of a linear layout");
}

TEST_CASE("linear: make, from the images of bits")
{
    CHECK(text(make({}, {})) == "->");
    CHECK(text(make({{"warp", {}}}, {{"dim0", 0}})) == "warp=[] -> dim0:1");
    refused(make({{"a", {{1}, {1, 0}}}}, {{"x", 1}}), errc::rank_mismatch, 1,
            "the image of input bit 1 has 2 coordinates, the output 1 dimension");
    refused(make({{"a", {{1}}}, {"b", {{2}}}}, {{"x", 1}}), errc::out_of_domain, 1,
            "the image of input bit 1 is 2 in a dimension of 1 bit");
    refused(make({{"a", {{-1}}}}, {{"x", 1}}), errc::out_of_domain, 0, "the image of input bit 0 is -1 in a dimension of 1 bit");
    refused(make({{"a", {}}, {"a", {}}}, {}), errc::bad_axis, 1, "dimension 1 has the name of dimension 0");
    refused(make({{"a", {}}}, {{"x", 63}}), errc::capacity, 0,
            "the dimensions of one side have at most 62 bits; dimension 0 has 63");
    refused(make({{"a", {}}, {"b", {}}, {"c", {}}, {"d", {}}, {"e", {}}, {"f", {}}, {"g", {}}, {"h", {}}, {"i", {}}}, {}),
            errc::capacity, -1, "a linear layout has at most 8 dimensions on a side, this one has 9");
    const auto eight = {std::initializer_list<std::int64_t>{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
    refused(make({{"a", eight}, {"b", eight}, {"c", eight}, {"d", eight}, {"e", eight}, {"f", eight}, {"g", eight}, {"h", eight}},
                 {{"x", 1}}),
            errc::capacity, 7, "the dimensions of one side have at most 62 bits; dimension 7 has 8");
}

TEST_CASE("linear: evaluate, coordinate by coordinate")
{
    const LinearLayout l = line("register=[(0,1),(0,2)] lane=[(1,3)] -> dim0:2 dim1:4");
    CHECK(*evaluate(l, {{"register", 3}}) == axe::Point{{"dim1", 3}});
    CHECK(*evaluate(l, {{"register", 2}, {"lane", 1}}) == axe::Point{{"dim0", 1}, {"dim1", 1}});
    CHECK(*evaluate(l, {}) == axe::Point{});
    CHECK(evaluate(l, {})->size() == 2); // every output dimension is there
    refused(evaluate(l, {{"warp", 0}}), errc::unknown_axis, 0, "coordinate 0 names no input dimension");
    refused(evaluate(l, {{"lane", 2}}), errc::out_of_domain, 0, "coordinate 0 is 2, outside its dimension of 1 bit");
    refused(evaluate(l, {{"register", -1}}), errc::out_of_domain, 0, "coordinate 0 is -1, outside its dimension of 2 bits");
    axe::Point many;
    many.entries.count = 9;
    refused(evaluate(l, many), errc::capacity, 8, "a point of a linear layout has at most 8 coordinates");
}
