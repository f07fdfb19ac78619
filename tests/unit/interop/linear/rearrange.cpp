// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/rearrange.hpp>
#include <tests/unit/interop/linear/read.hpp>

using namespace linear_tests;
using namespace axe::linear;
using axe::errc;

namespace {
constexpr LinearLayout l = line("register=[(0,1),(0,2)] lane=[(1,3)] -> dim0:2 dim1:4");
LinearLayout broken()
{
    LinearLayout out;
    out.bases.push_back(0);
    return out;
}
} // namespace

static_assert(*flatten_ins(l) == line("register=[(0,1),(0,2),(1,3)] -> dim0:2 dim1:4"));

TEST_CASE("linear: transposing")
{
    CHECK(text(transpose_ins(l, {"lane", "register"})) == "lane=[(1,3)] register=[(0,1),(0,2)] -> dim0:2 dim1:4");
    CHECK(text(transpose_outs(l, {"dim1", "dim0"})) == "register=[(1,0),(2,0)] lane=[(3,1)] -> dim1:4 dim0:2");
    refused(transpose_ins(l, {"lane"}), errc::rank_mismatch, -1, "1 names for 2 dimensions");
    refused(transpose_ins(l, {"lane", "warp"}), errc::unknown_axis, 1, "name 1 of the list is not a dimension of that side");
    refused(transpose_outs(l, {"dim0", "dim0"}), errc::bad_axis, 1, "name 1 of the list repeats name 0");
    Names nine;
    nine.count = 9;
    refused(transpose_ins(l, nine), errc::capacity, 8, "at most 8 dimensions can be named, not 9");
    CHECK(transpose_ins(broken(), {}).code() == errc::size_mismatch);
    CHECK(transpose_outs(broken(), {}).code() == errc::size_mismatch);
}

TEST_CASE("linear: reshaping and flattening")
{
    CHECK(text(reshape_ins(l, {{"a", 1}, {"b", 0}, {"c", 2}})) == "a=[(0,1)] b=[] c=[(0,2),(1,3)] -> dim0:2 dim1:4");
    CHECK(text(reshape_outs(l, {{"x", 2}, {"y", 1}})) == "register=[(2,0),(0,1)] lane=[(3,1)] -> x:4 y:2");
    CHECK(text(flatten_outs(l)) == "register=[2,4] lane=[7] -> dim0:8");
    CHECK(text(flatten_ins(line("-> x:2"))) == "-> x:2");
    CHECK(text(flatten_outs(line("a=[()] ->"))) == "a=[()] ->");
    refused(reshape_ins(l, {{"a", 2}}), errc::size_mismatch, -1,
            "the dimensions have 2 bits, but the side that they replace has 3");
    refused(reshape_outs(l, {{"a", 4}}), errc::size_mismatch, -1,
            "the dimensions have 4 bits, but the side that they replace has 3");
    refused(reshape_ins(l, {{"a", 1}, {"a", 2}}), errc::bad_axis, 1, "dimension 1 has the name of dimension 0");
    refused(reshape_outs(l, {{"a", 1}, {"a", 2}}), errc::bad_axis, 1, "dimension 1 has the name of dimension 0");
    refused(reshape_outs(l, {{"a", -1}, {"b", 4}}), errc::capacity, 0,
            "the dimensions of one side have at most 62 bits; dimension 0 has -1");
    for (const auto& r : {reshape_ins(broken(), {}), reshape_outs(broken(), {}), flatten_ins(broken()), flatten_outs(broken())})
        CHECK(r.code() == errc::size_mismatch);
}

TEST_CASE("linear: parts, and putting them together")
{
    CHECK(text(sublayout(l, {"lane"}, {"dim1"})) == "lane=[3] -> dim1:4");
    CHECK(text(sublayout(l, {"lane", "register"}, {"dim1", "dim0"})) == text(l)); // the layout's own order
    CHECK(text(sublayout(l, {}, {"dim0"})) == "-> dim0:2");
    refused(sublayout(l, {"dim0"}, {}), errc::unknown_axis, 0, "name 0 of the list is not a dimension of that side");
    refused(sublayout(l, {}, {"dim0", "lane"}), errc::unknown_axis, 1, "name 1 of the list is not a dimension of that side");
    CHECK(sublayout(broken(), {}, {}).code() == errc::size_mismatch);

    const LinearLayout other = line("warp=[(1,0)] -> dim0:2 dim1:4");
    CHECK(text(concat_ins(l, other)) == "register=[(0,1),(0,2)] lane=[(1,3)] warp=[(1,0)] -> dim0:2 dim1:4");
    refused(concat_ins(l, line("warp=[(0,1)] -> dim1:4 dim0:2")), errc::size_mismatch, -1,
            "the two layouts have different output dimensions");
    refused(concat_ins(l, l), errc::bad_axis, 2, "dimension 2 has the name of dimension 0");
    CHECK(text(concat_outs(l, line("register=[1,0] lane=[1] -> dim2:2"))) ==
          "register=[(0,1,1),(0,2,0)] lane=[(1,3,1)] -> dim0:2 dim1:4 dim2:2");
    refused(concat_outs(l, other), errc::size_mismatch, -1, "the two layouts have different input dimensions");
    refused(concat_outs(l, l), errc::bad_axis, 2, "dimension 2 has the name of dimension 0");
    LinearLayout wide = line("a=[1] -> x:4611686018427387904"); // 2^62
    LinearLayout wider = wide;
    wider.out[0].name = "y";
    refused(concat_outs(wide, wider), errc::capacity, 1, "the dimensions of one side have at most 62 bits; dimension 1 has 62");
    CHECK(concat_ins(broken(), l).code() == errc::size_mismatch);
    CHECK(concat_ins(l, broken()).code() == errc::size_mismatch);
    CHECK(concat_outs(broken(), l).code() == errc::size_mismatch);
    CHECK(concat_outs(l, broken()).code() == errc::size_mismatch);
}

TEST_CASE("linear: a quotient leaves out what stays as it is")
{
    const LinearLayout block = line("register=[(1,0)] block=[(0,1),(0,2)] -> dim0:2 block:4");
    CHECK(text(quotient(block, {"block"})) == "register=[1] -> dim0:2");
    CHECK(text(quotient(block, {})) == text(block));
    refused(quotient(block, {"register"}), errc::no_layout, -1,
            "the layout is not a direct sum of the identity on those dimensions and a layout on the others");
    CHECK(quotient(line("a=[(1,0)] block=[(1,1)] -> dim0:2 block:2"), {"block"}).code() == errc::no_layout);
    CHECK(quotient(broken(), {}).code() == errc::size_mismatch);
}

TEST_CASE("linear: more values, and none of a dimension of one value")
{
    CHECK(text(resize_in(l, "register", 3)) == "register=[(0,1),(0,2),(0,0)] lane=[(1,3)] -> dim0:2 dim1:4");
    CHECK(text(resize_in(l, "lane", 1)) == text(l));
    CHECK(bits_of(resize_in(l, "lane", 60)->in) == 62);
    refused(resize_in(l, "warp", 3), errc::unknown_axis, -1, "the layout has no input dimension of that name");
    refused(resize_in(l, "register", 1), errc::size_mismatch, 0, "dimension 0 has 2 bits and cannot become 1");
    refused(resize_in(l, "lane", 61), errc::capacity, 1, "dimension 1 can grow by at most 59 bits, not by 60");
    CHECK(resize_in(l, "lane", 2'000'000'000).code() == errc::capacity);
    CHECK(text(remove_unit_in(line("a=[] b=[1] -> x:2"), "a")) == "b=[1] -> x:2");
    CHECK(text(remove_unit_out(line("a=[(1,0)] -> x:2 y:1"), "y")) == "a=[1] -> x:2");
    refused(remove_unit_in(l, "lane"), errc::size_mismatch, 1, "dimension 1 has 1 bit; only a dimension of 0 bits can be removed");
    refused(remove_unit_in(l, "warp"), errc::unknown_axis, -1, "the layout has no input dimension of that name");
    refused(remove_unit_out(l, "dim1"), errc::size_mismatch, 1,
            "dimension 1 has 2 bits; only a dimension of 0 bits can be removed");
    refused(remove_unit_out(l, "lane"), errc::unknown_axis, -1, "the layout has no output dimension of that name");
    for (const auto& r : {resize_in(broken(), "a", 1), remove_unit_in(broken(), "a"), remove_unit_out(broken(), "a")})
        CHECK(r.code() == errc::size_mismatch);
}
