// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/convert.hpp>
#include <axe/interop/linear/convert_back.hpp>
#include <axe/layout/points.hpp>
#include <axe/target/atoms.hpp>
#include <axe/text/literals.hpp>
#include <tests/unit/interop/linear/read.hpp>

#include <set>

using namespace linear_tests;
using namespace axe::linear;
using namespace axe::literals;
using axe::errc;

namespace {

std::string linear(const axe::Layout& l, const axe::Shape& s) { return text(to_linear(l, s)); }

/// T(p) = x for every place p of every element x of a plain layout, and nothing else.
void is_the_map(const axe::Layout& l, const axe::Shape& shape, const LinearLayout& t, const AxisNames& names)
{
    std::int64_t places = 0, wrong = 0;
    for (std::int64_t x = 0; x < *axe::size(l); ++x) {
        const auto coord = axe::coordinate(shape, x);
        std::set<std::string> seen; // points of overlapping replicas come once
        for (const auto& p : axe::points(l, shape, coord)) {
            if (!seen.insert(axe::print(p).c_str()).second) continue;
            axe::Point at;
            for (const auto& e : p) *at.entry(axe::linear::detail::dim_of(names, e.axis)) = e.value;
            const auto element = evaluate(t, at);
            for (int d = 0; d < shape.size(); ++d) wrong += !element || (*element)[tensor_dim(d)] != coord[d];
            ++places;
        }
    }
    CHECK(wrong == 0);
    CHECK(places == std::int64_t{1} << bits_of(t.in));
}

} // namespace

// The accumulator of mma.m16n8, as Triton's NvidiaMma encoding of version 2 has it.
static_assert(*to_linear("(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)"_axe, {16, 8}) ==
              line("register=[(0,1),(8,0)] lane=[(0,2),(0,4),(1,0),(2,0),(4,0)] warp=[] block=[] -> dim0:16 dim1:8"));

TEST_CASE("to_linear: layouts as Triton writes them")
{
    // Copies are bits that move nothing; a stride of several bits is a digit like any other.
    CHECK(linear("(8,4):(4@lane,1@lane) + [4:1@warp]"_axe, {8, 4}) ==
          "register=[] lane=[(0,1),(0,2),(1,0),(2,0),(4,0)] warp=[(0,0),(0,0)] block=[] -> dim0:8 dim1:4");
    CHECK(linear("(4,2):(1@reg,1@cta)"_axe, {8}) == "register=[2,4] lane=[] warp=[] block=[1] -> dim0:8");
    // A shape need not group the layout: only the bits of the index matter.
    CHECK(linear("16:1@lane"_axe, {2, 1, 8}) ==
          "register=[] lane=[(0,0,1),(0,0,2),(0,0,4),(1,0,0)] warp=[] block=[] -> dim0:2 dim1:1 dim2:8");
    CHECK(linear("():()"_axe, {}) == "register=[] lane=[] warp=[] block=[] ->");
    // A replica list written another way is the same set; a negative stride that the offset takes up too.
    CHECK(linear("2:4@lane + [2:-2@lane,2:1@lane] + 2@lane"_axe, {2}) == "register=[] lane=[0,0,1] warp=[] block=[] -> dim0:2");
    CHECK(linear("(2,2):(2@lane,1@lane) + [3:4@lane,2:4@lane]"_axe, {4}) ==
          "register=[] lane=[1,2,0,0] warp=[] block=[] -> dim0:4");
}

TEST_CASE("to_linear: memory, and swizzles of it")
{
    CHECK(linear("(4,8):(8,1)"_axe, {4, 8}) == "offset=[(0,1),(0,2),(0,4),(1,0),(2,0)] block=[] -> dim0:4 dim1:8");
    CHECK(linear("(4,8):(1,4)"_axe, {4, 8}) == "offset=[(1,0),(2,0),(0,1),(0,2),(0,4)] block=[] -> dim0:4 dim1:8");
    // swizzle<2,0,3>: columns ^= row, as Triton's swizzled_shared of vec 1, perPhase 1, maxPhase 4
    const axe::Swizzled<axe::Layout> s{{2, 0, 3}, {}, 1, "(4,8):(8,1)"_axe};
    CHECK(text(to_linear(s, {4, 8})) == "offset=[(0,1),(0,2),(0,4),(1,1),(2,2)] block=[] -> dim0:4 dim1:8");
    // The same in bytes of elements of two.
    CHECK(*to_linear(axe::Swizzled<axe::Layout>{{2, 1, 3}, {}, 2, "(4,8):(8,1)"_axe}, {4, 8}) == *to_linear(s, {4, 8}));
    // Copies are swizzled like elements, and other axes are not.
    CHECK(text(to_linear(axe::Swizzled<axe::Layout>{{1, 0, 1}, {}, 1, "(2,2):(1,1@lane) + [2:2]"_axe}, {2, 2},
                         {{"m", "offset"}, {"lane", "lane"}})) == "offset=[(1,0),(1,0)] lane=[(0,1)] -> dim0:2 dim1:2");
    // Strides that the swizzle brings back into the box.
    CHECK(text(to_linear(axe::Swizzled<axe::Layout>{{1, 0, -3}, {}, 1, "(2,2,2):(4,2,9)"_axe}, {8})) ==
          "offset=[1,2,4] block=[] -> dim0:8");
    refused(to_linear(axe::Swizzled<axe::Layout>{{1, 0, -3}, {}, 1, "8:1"_axe}, {8}), errc::no_layout, -1,
            "places have 4 bits, but elements and copies have 3: some places would be empty");
}

TEST_CASE("to_linear: names are the caller's")
{
    const axe::Layout l = "(2,2,2):(1@warpgroup,1@lane,1@reg)"_axe;
    CHECK(text(to_linear(l, {8})) == "register=[1] lane=[2] warp=[] block=[] warpgroup=[4] -> dim0:8");
    CHECK(text(to_linear(l, {8}, {})) == "reg=[1] lane=[2] warpgroup=[4] -> dim0:8");
    CHECK(text(to_linear(l, {8}, {{"lane", "thread"}, {"bank", "b"}})) == "thread=[2] b=[] reg=[1] warpgroup=[4] -> dim0:8");
    refused(to_linear(l, {8}, {{"lane", "reg"}}), errc::bad_axis, -1, "an axis has the name of a dimension of another axis");
    refused(to_linear(l, {8}, {{"lane", "a"}, {"reg", "a"}}), errc::bad_axis, 1,
            "entry 1 of the table of names has a name of entry 0");
    refused(to_linear(l, {8}, {{"lane", "a"}, {"lane", "b"}}), errc::bad_axis, 1,
            "entry 1 of the table of names has a name of entry 0");
    AxisNames nine;
    nine.count = 9;
    refused(to_linear(l, {8}, nine), errc::capacity, 8, "a table of names has at most 8 entries, this one has 9");
    CHECK(names_for("4:1@lane + [2:1]"_axe) == memory_names);
    CHECK(names_for("(4,1):(1@lane,1)"_axe) == distributed_names);
    CHECK(names_for("4:1 + 3@lane"_axe) == memory_names);
    axe::Layout overfull;
    overfull.shard.count = 1'000'000;
    CHECK(to_linear(overfull, {1}).code() == errc::capacity);
    CHECK(to_linear(axe::Swizzled<axe::Layout>{{}, {}, 1, overfull}, {1}).code() == errc::capacity);
    AxisNames full = {{"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "d"}, {"e", "e"}, {"f", "f"}, {"g", "g"}, {"h", "h"}};
    refused(to_linear("2:1@lane"_axe, {2}, full), errc::capacity, 8, "a linear layout has at most 8 input dimensions");
}

TEST_CASE("to_linear: what the other side cannot say, and why")
{
    const auto none = [](const axe::Layout& l, const axe::Shape& s, int position, const char* sentence) {
        refused(to_linear(l, s), errc::no_layout, position, sentence);
    };
    none("12:1@lane"_axe, {12}, 0, "dimension 0 has 12 elements; linear layouts have powers of two only");
    none("(2,3):(1@reg,1@lane)"_axe, {2, 3}, 1, "dimension 1 has 3 elements; linear layouts have powers of two only");
    none("8:1@lane + 8@lane"_axe, {8}, -1, "element 0 is at 8 on an axis; in a linear layout it is at 0");
    none("8:-1@lane + 7@lane"_axe, {8}, -1, "element 0 is at 7 on an axis; in a linear layout it is at 0");
    none("(4,2):(1@lane,0)"_axe, {8}, 1, "2 elements are at one place: iter 1 of the canonical form has stride 0");
    none("(2,4):(1@reg,-1@lane)"_axe, {8}, 1, "iter 1 of the canonical form has the negative stride -1");
    none("8:1@lane + [3:1@warp]"_axe, {8}, 0, "replica iter 0 of the canonical form has 3 copies, not a power of two");
    none("4:3@lane"_axe, {4}, -1, "the digit of stride 3 shares a bit of its axis with another digit, so sums carry");
    none("(2,2):(2@lane,3@lane)"_axe, {4}, -1, "the digit of stride 2 shares a bit of its axis with another digit, so sums carry");
    none("4:1@lane + [2:2@lane]"_axe, {4}, -1, "the digit of stride 2 shares a bit of its axis with another digit, so sums carry");
    none("4:2@lane"_axe, {4}, -1, "places have 3 bits, but elements and copies have 2: some places would be empty");
    none("4:5@lane"_axe, {4}, -1, "places have 4 bits, but elements and copies have 2: some places would be empty");
    refused(to_linear("8:1@lane"_axe, {4}), errc::size_mismatch, -1, "the shape has 4 elements, the layout 8");
    CHECK(to_linear("8:1@lane"_axe, {8, 0}).code() == errc::bad_extent);
    axe::Layout bad;
    bad.shard.push_back({0, 1, "lane"});
    CHECK(to_linear(bad, {1}).code() == errc::bad_extent);
    CHECK(to_linear(axe::Swizzled<axe::Layout>{{3, 0, 1}, {}, 1, "8:1"_axe}, {8}).code() == errc::bad_argument);
    refused(to_linear("2:1@lane"_axe, {1, 1, 1, 1, 1, 1, 1, 1, 2}), errc::capacity, 8,
            "a linear layout has at most 8 output dimensions, the shape has 9");
    // As far as 62 bits go, and no further.
    const std::int64_t most = std::int64_t{1} << 61;
    CHECK(bits_of(to_linear(axe::Layout{{{most, 1, "m"}}, {{2, most, "m"}}, {}}, {most})->in) == 62);
    refused(to_linear(axe::Layout{{{most, 1, "m"}}, {{4, 1, "lane"}}, {}}, {most}), errc::capacity, -1,
            "elements and copies have more than 62 bits");
}

TEST_CASE("to_linear: every atom of powers of two, by enumeration, and back")
{
    int converted = 0, refusals = 0;
    for (const axe::Atom& atom : axe::atoms::all) {
        INFO(atom.name << ' ' << atom.arch << ' ' << atom.operand);
        const auto t = to_linear(atom.swizzled(), atom.shape());
        if (!t) {
            CHECK(t.error().is_none());
            ++refusals;
            continue;
        }
        ++converted;
        if (atom.swizzle.bits == 0) {
            const axe::Layout l = atom.layout();
            is_the_map(l, atom.shape(), *t, names_for(l));
            CHECK(*to_layout(*t) == *axe::canonicalize(l));
        } else {
            const auto back = to_swizzled(*t, atom.width);
            REQUIRE(back);
            CHECK(axe::equal(*back, atom.swizzled()));
        }
        CHECK(shape_of(*t) == atom.shape());
    }
    CHECK(converted > 150);
    CHECK(refusals > 0);
    CHECK(converted + refusals == static_cast<int>(std::size(axe::atoms::all)));
}
