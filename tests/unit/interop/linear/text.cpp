// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/make.hpp>
#include <axe/text/explain.hpp>
#include <tests/unit/interop/linear/read.hpp>

using namespace linear_tests;
using namespace axe::linear;
using axe::errc;

namespace {

axe::Result<LinearLayout> read(const std::string& s) { return parse_linear(s); }
void both_ways(const char* text)
{
    INFO(text);
    const auto l = read(text);
    REQUIRE(l);
    CHECK(linear_tests::text(*l) == text);
    CHECK(*read(print_triton(*l).c_str()) == *l);
}

} // namespace

TEST_CASE("linear text: one line, printed as it is read")
{
    both_ways("register=[(0,1),(0,2)] lane=[(1,0)] -> dim0:2 dim1:4");
    both_ways("offset=[1,2,4] block=[] -> dim0:8");
    both_ways("->");
    both_ways("-> dim0:4");
    both_ways("a=[] ->");
    both_ways("a=[(),()] ->");
    both_ways("a.b_1=[4611686018427387903] -> x:4611686018427387904");
    CHECK(text(read(" a = [ ( 1 ) , 2 ]->x : 4 \n")) == "a=[1,2] -> x:4"); // spaces, and one coordinate in parentheses
    CHECK(text(read("a=[(1,0)]b=[(2,0)]->x:4y:1")) == "a=[(1,0)] b=[(2,0)] -> x:4 y:1");
}

TEST_CASE("linear text: Triton's list")
{
    const LinearLayout l = line("register=[(0,1),(8,0)] lane=[(1,0)] warp=[] -> dim0:16 dim1:2");
    CHECK(std::string(print_triton(l).c_str()) == "\n"
                                                  " - register=1 -> (0, 1)\n"
                                                  "   register=2 -> (8, 0)\n"
                                                  " - lane=1 -> (1, 0)\n"
                                                  " - warp is a size 1 dimension\n"
                                                  "where out dims are: [dim0 (size 16), dim1 (size 2)]");
    CHECK(std::string(print_triton(line("->")).c_str()) == "\n(empty layout)");
    CHECK(std::string(print_triton(line("-> x:4 y:1")).c_str()) == "\n(empty layout with out-dims [x (size 4), y (size 1)])");
    CHECK(std::string(print_triton(line("a=[] ->")).c_str()) == "\n - a is a size 1 dimension\nwhere out dims are: []");
    CHECK(text(read("(empty layout)")) == "->");
    CHECK(text(read("(empty layout with out-dims [x (size 4)])")) == "-> x:4");
    CHECK(text(read("- where=1 -> (1) where=2 -> (2) where out dims are: [x (size 4)]")) == "where=[1,2] -> x:4");
}

TEST_CASE("linear text: mistakes have a place")
{
    refused(read(""), errc::bad_syntax, 0, "expected an input dimension or the arrow -> at character 0");
    refused(read("a=[1] b"), errc::bad_syntax, 7, "expected '=' after the input dimension at character 7");
    refused(read("a=1 -> x:2"), errc::bad_syntax, 2, "expected '[' before the images at character 2");
    refused(read("a=[x] -> x:2"), errc::bad_syntax, 3, "expected a coordinate of an image at character 3");
    refused(read("a=[(1;2)] -> x:2"), errc::bad_syntax, 5, "expected ',' or ')' in an image at character 5");
    refused(read("a=[1 2] -> x:2"), errc::bad_syntax, 5, "expected ',' or ']' after an image at character 5");
    refused(read("a=[1] -> 2"), errc::bad_syntax, 9, "expected an output dimension or the end of the text at character 9");
    refused(read("a=[1] -> x"), errc::bad_syntax, 10, "expected ':' after the output dimension at character 10");
    refused(read("a=[1] -> x:y"), errc::bad_syntax, 11, "expected the size of an output dimension at character 11");
    refused(read("a=[1] -> x:6"), errc::bad_extent, 11, "the size at character 11 is 6, not a power of two");
    refused(read("a=[1] -> x:9223372036854775808"), errc::overflow, 11, "the number at character 11 overflows");
    refused(read("a=[(1,1)] -> x:2"), errc::rank_mismatch, 3, "the image at character 3 has rank 2, the output rank 1");
    refused(read("a=[(1,4)] -> x:2 y:4"), errc::out_of_domain, 6, "the coordinate at character 6 is 4; it must be in [0, 4)");
    refused(read("a=[-1] -> x:2"), errc::out_of_domain, 3, "the coordinate at character 3 is -1; it must be in [0, 2)");
    refused(read("a=[] a=[] ->"), errc::bad_axis, 5, "the dimension at character 5 is already named");
    refused(read("abcdefghijklmnopq=[] ->"), errc::bad_axis, 0,
            "the axis at character 0 has a name of 17 characters; at most 15 fit");
    refused(read("a=[]b=[]c=[]d=[]e=[]f=[]g=[]h=[]i=[]->"), errc::capacity, 32,
            "the dimension at character 32 is one too many; a side has at most 8");
    refused(read("->a:1 b:1 c:1 d:1 e:1 f:1 g:1 h:1 i:1"), errc::capacity, 34,
            "the dimension at character 34 is one too many; a side has at most 8");
    refused(read("a=[(1,2,3,4,5,6,7,8,9)] ->"), errc::capacity, 20,
            "the coordinate at character 20 is one too many; an image has at most 8");
    std::string many = "a=[0";
    for (int j = 1; j < 63; ++j) many += ",0";
    refused(read(many + "] -> x:1"), errc::capacity, 127,
            "the image at character 127 is one too many; there are at most 62 input bits");

    refused(read("(full layout)"), errc::bad_syntax, 1, "expected 'empty layout' at character 1");
    refused(read("(empty layout;"), errc::bad_syntax, 13, "expected ')' or the words with out-dims at character 13");
    refused(read("(empty layout with out-dims [x (size 4)]"), errc::bad_syntax, 40, "expected ')' at character 40");
    refused(read("- 3=1"), errc::bad_syntax, 2, "expected an input dimension at character 2");
    refused(read("- a is a size 2 dimension"), errc::bad_syntax, 15,
            "expected '=' or the words is a size 1 dimension at character 15");
    refused(read("- a=b"), errc::bad_syntax, 4, "expected the input that has the image at character 4");
    refused(read("- a=2 -> (1)"), errc::bad_syntax, 4, "the input at character 4 must be the next power of two, 1");
    refused(read("- a=1 (1)"), errc::bad_syntax, 6, "expected the arrow -> at character 6");
    refused(read("- a=1 -> (1) b=1"), errc::bad_syntax, 13,
            "the input at character 13 belongs to another dimension: a dash is missing");
    refused(read("- a=1 -> (1)"), errc::bad_syntax, 12, "expected '-' or 'where out dims are:' at character 12");
    refused(read("- a=1 -> (1) where out dims are: x"), errc::bad_syntax, 33, "expected '[' before the out dims at character 33");
    refused(read("- a=1 -> (1) where out dims are: [1"), errc::bad_syntax, 34, "expected the name of an out dim at character 34");
    refused(read("- a=1 -> (1) where out dims are: [x 2"), errc::bad_syntax, 36,
            "expected '(' before the size of an out dim at character 36");
    refused(read("- a=1 -> (1) where out dims are: [x (2"), errc::bad_syntax, 37, "expected the word size at character 37");
    refused(read("- a=1 -> (1) where out dims are: [x (size 2]"), errc::bad_syntax, 43,
            "expected ')' after the size of an out dim at character 43");
    refused(read("- a=1 -> (1) where out dims are: [x (size 2)"), errc::bad_syntax, 44,
            "expected ',' or ']' after an out dim at character 44");
    refused(read("- a=1 -> (1) where out dims are: [x (size 2)] y"), errc::bad_syntax, 46,
            "expected the end of the text at character 46");

    const std::string broken = "lane=[(0;1),(0,2)] -> dim0:2 dim1:4";
    CHECK(std::string(axe::explain(broken.data(), static_cast<int>(broken.size()), read(broken).error()).c_str()) ==
          "lane=[(0;1),(0,2)] -> dim0:2 dim1:4\n"
          "        ^\n"
          "expected ',' or ')' in an image at character 8; did you mean ','?");
}

TEST_CASE("linear text: the largest values fit")
{
    LinearLayout l;
    constexpr axe::Axis in[8] = {"abcdefghijklmn1", "abcdefghijklmn2", "abcdefghijklmn3", "abcdefghijklmn4",
                                 "abcdefghijklmn5", "abcdefghijklmn6", "abcdefghijklmn7", "abcdefghijklmn8"};
    for (int d = 0; d < 8; ++d) {
        l.in.push_back({in[d], d == 7 ? 62 : 0});
        l.out.push_back({in[d], d < 6 ? 8 : 7});
    }
    for (int j = 0; j < 62; ++j) l.bases.push_back((std::uint64_t{1} << 62) - 1);
    REQUIRE(check(l).ok());
    CHECK(print(l).size < print(l).capacity);
    CHECK(print_triton(l).size < print_triton(l).capacity);
    CHECK(*read(print(l).c_str()) == l);
    CHECK(*read(print_triton(l).c_str()) == l);
}
