// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/read_linear.hpp>
#include <tests/unit/interop/linear/read.hpp>

#include <string>

using namespace axe;
using namespace axe::linear;
using linear_tests::refused;

namespace {

Result<LinearLayout> read(const std::string& text)
{
    Result<LinearLayout> out;
    linear::detail::LinearReader reader(text, *out);
    if (!reader.read()) out = reader.in.error;
    return out;
}

std::string repeated(const std::string& what, int times, const std::string& between)
{
    std::string out;
    for (int i = 0; i < times; ++i) out += (i > 0 ? between : "") + what;
    return out;
}

} // namespace

TEST_CASE("LinearReader: images come before the sizes that they must fit")
{
    CHECK(read("a=[(3,1)] -> x:4 y:2")->bases[0] == 7);
    refused(read("a=[(4,1)] -> x:4 y:2"), errc::out_of_domain, 4, "the coordinate at character 4 is 4; it must be in [0, 4)");
    refused(read("a=[(3,2)] -> x:4 y:2"), errc::out_of_domain, 6, "the coordinate at character 6 is 2; it must be in [0, 2)");
    refused(read("a=[(3,-1)] -> x:4 y:2"), errc::out_of_domain, 6, "the coordinate at character 6 is -1; it must be in [0, 2)");
    refused(read("a=[(3)] -> x:4 y:2"), errc::rank_mismatch, 3, "the image at character 3 has rank 1, the output rank 2");
    refused(read("a=[(0,0,0)] -> x:4 y:2"), errc::rank_mismatch, 3, "the image at character 3 has rank 3, the output rank 2");
    refused(read("a=[1] -> x:6"), errc::bad_extent, 11, "the size at character 11 is 6, not a power of two");
    refused(read("a=[1] -> x:0"), errc::bad_extent, 11, "the size at character 11 is 0, not a power of two");
    refused(read("a=[1] -> x:-2"), errc::bad_extent, 11, "the size at character 11 is -2, not a power of two");
    refused(read("a=[1] a=[] -> x:2"), errc::bad_axis, 6, "the dimension at character 6 is already named");
    refused(read("a=[(1,0)] -> x:2 x:2"), errc::bad_axis, 17, "the dimension at character 17 is already named");
    CHECK(read("x=[1] -> x:2").has_value()); // of the other side
    refused(read("a=[9223372036854775808] -> x:2"), errc::overflow, 3, "the number at character 3 overflows");
}

TEST_CASE("LinearReader: as many as there is room for, and one more")
{
    const std::string bits62 = "a=[" + repeated("0", 62, ",") + "]";
    CHECK(read(bits62 + " -> x:1")->bases.size() == 62);
    refused(read("a=[" + repeated("0", 63, ",") + "] -> x:1"), errc::capacity, 127,
            "the image at character 127 is one too many; there are at most 62 input bits");
    std::string ins, outs;
    for (char c = 'a'; c <= 'h'; ++c) ins += std::string(1, c) + "=[] ", outs += " " + std::string(1, c) + ":1";
    CHECK(read(ins + "->" + outs)->in.size() == 8);
    refused(read(ins + "i=[] ->"), errc::capacity, 40, "the dimension at character 40 is one too many; a side has at most 8");
    refused(read("->" + outs + " i:1"), errc::capacity, 35, "the dimension at character 35 is one too many; a side has at most 8");
    refused(read("a=[(" + repeated("0", 9, ",") + ")] -> x:1"), errc::capacity, 20,
            "the coordinate at character 20 is one too many; an image has at most 8");
    refused(read("-> x:4611686018427387904 y:2"), errc::capacity, 1,
            "the dimensions of one side have at most 62 bits; dimension 1 has 1");
}

TEST_CASE("LinearReader: Triton's list, and where it ends")
{
    CHECK(read("\n - a=1 -> (1)\n   a=2 -> (2)\nwhere out dims are: [x (size 4)]")->bases.size() == 2);
    CHECK(read("- a is a size 1 dimension where out dims are: [x (size 1)]")->in[0].bits == 0);
    CHECK(read("- a=1 = 1 -> (1) where out dims are: [x (size 2)]").code() == errc::bad_syntax);
    refused(read("- a=1 -> (1) a=3 -> (2) where out dims are: [x (size 4)]"), errc::bad_syntax, 15,
            "the input at character 15 must be the next power of two, 2");
    refused(read("- a=1 -> (1) b=2 -> (2) where out dims are: [x (size 4)]"), errc::bad_syntax, 13,
            "the input at character 13 belongs to another dimension: a dash is missing");
    refused(read("- a is a size 2 dimension where out dims are: []"), errc::bad_syntax, 15,
            "expected '=' or the words is a size 1 dimension at character 15");
    refused(read("- a=1 -> (1) where out dims are: [x (size 2)] more"), errc::bad_syntax, 46,
            "expected the end of the text at character 46");
    refused(read("(empty)"), errc::bad_syntax, 6, "expected 'empty layout' at character 6");
    refused(read("(empty layout"), errc::bad_syntax, 13, "expected ')' or the words with out-dims at character 13");
    CHECK(read("-").code() == errc::bad_syntax);
    CHECK(read("->")->out.empty());
}
