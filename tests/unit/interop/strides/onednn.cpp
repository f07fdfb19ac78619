// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/onednn.hpp>
#include <axe/text/explain.hpp>
#include <axe/text/literals.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

#include <fstream>
#include <set>
#include <string>
#include <string_view>

using namespace axe::literals;
using axe::errc;
using axe::onednn::Tag;

namespace {

axe::Result<Tag> tag(std::string_view text, int rank = -1) { return axe::onednn::parse_tag(text, rank); }
std::string plain(std::string_view text, int rank = -1)
{
    const auto t = tag(text, rank);
    return t ? axe::onednn::print(*t).c_str() : t.error().message().c_str();
}
/// `layout on shape`
std::string read(std::string_view text, const axe::Shape& shape)
{
    const auto t = tag(text, shape.size());
    if (!t) return t.error().message().c_str();
    const auto p = axe::onednn::to_axe(*t, shape);
    if (!p) return p.error().message().c_str();
    return std::string(axe::print(p->layout).c_str()) + " on " + axe::print(p->shape).c_str();
}
std::string found(const axe::Layout& l, const axe::Shape& padded, const axe::Shape& shape)
{
    const auto t = axe::onednn::to_tag(l, padded, shape);
    return t ? axe::onednn::print(*t).c_str() : t.error().message().c_str();
}

} // namespace

TEST_CASE("oneDNN's names are read dimension by dimension", "[interop][onednn]")
{
    CHECK(plain("nchw") == "abcd");
    CHECK(plain("nhwc") == "acdb");
    CHECK(plain("chwn") == "bcda");
    CHECK(plain("ncdhw") == "abcde");
    CHECK(plain("ndhwc") == "acdeb");
    CHECK(plain("nwc") == "acb");
    CHECK(plain("nc") == "ab");
    CHECK(plain("cn") == "ba");
    CHECK(plain("nChw16c") == "aBcd16b");
    CHECK(plain("NChw16n16c") == "ABcd16a16b");
    CHECK(plain("oi") == "ab");
    CHECK(plain("hwio") == "cdba");
    CHECK(plain("ohwi") == "acdb");
    CHECK(plain("goihw") == "abcde");
    CHECK(plain("hwigo") == "decab");
    CHECK(plain("OIhw4i16o4i") == "ABcd4b16a4b");
    CHECK(plain("gOIhw16i16o") == "aBCde16c16b");
    CHECK(plain("Goihw8g") == "Abcde8a");
    CHECK(plain("tnc") == "abc");
    CHECK(plain("ntc") == "bac");
    CHECK(plain("ldnc") == "abcd");
    CHECK(plain("ldigo") == "abcde");
    CHECK(plain("ldgoi") == "abdec");
    CHECK(plain("ldio") == "abcd");
    CHECK(plain("ldgo") == "abcd");
    CHECK(plain("ldOi32o") == "abDc32d");
    CHECK(plain(" nchw ") == "abcd");
    CHECK(std::string(axe::onednn::print(*tag("nChw16c"), "nchw").c_str()) == "nChw16c");
    CHECK(std::string(axe::onednn::print(*tag("nChw16c"), "nc").c_str()) == "aBcd16b"); // too few letters
    static_assert(axe::onednn::parse_tag("aBcd8b")->blocks[0] == axe::onednn::Block{1, 8});
}

TEST_CASE("oneDNN's own list of names means what oneDNN says", "[interop][onednn]")
{
    std::ifstream file(AXE_TEST_DATA "/onednn_tags.tsv");
    REQUIRE(file);
    // Names against oneDNN's own grammar: a capital without blocks, and an order that the tag does not have.
    std::set<std::string> odd;
    int rows = 0;
    for (std::string name, meaning; file >> name >> meaning; ++rows)
        if (plain(name) != meaning) odd.insert(name);
    CHECK(rows == 475);
    CHECK(odd == std::set<std::string>{"OhwI32o", "gOhwI32o", "gIOhw2i8o16i2o", "gIOdhw2i8o16i2o"});
}

TEST_CASE("x stands for the dimensions without a letter", "[interop][onednn]")
{
    CHECK(plain("x") == "a");
    CHECK(plain("abx", 4) == "abcd");
    CHECK(plain("axb", 5) == "acdeb");
    CHECK(plain("axb", 2) == "ab");
    CHECK(plain("aBx16b", 3) == "aBc16b");
    CHECK(plain("xba", 3) == "cba");
    CHECK(plain("abx") == "x at character 2 stands for the dimensions without a letter; their number needs a shape");
    CHECK(plain("abx", 1) == "x at character 2 stands for the dimensions without a letter; their number needs a shape");
    CHECK(plain("abx", 13) == "x at character 2 makes more than 12 dimensions");
    CHECK(plain("abx", 12) == "abcdefghijkl");
    CHECK(plain("x", 0) == "x at character 0 stands for no dimension");
}

TEST_CASE("a tag that is none is refused at its character", "[interop][onednn]")
{
    CHECK(plain("") == "expected the letter of a dimension at character 0");
    CHECK(plain("16c") == "expected the letter of a dimension at character 0");
    CHECK(plain("nchq") == "the letter at character 3 names no dimension");
    CHECK(plain("abz") == "the letter at character 2 names no dimension");
    CHECK(plain("ncch") == "the letter at character 2 is already used");
    CHECK(plain("axx", 3) == "the letter at character 2 is already used");
    CHECK(plain("acd") == "the letter at character 2 skips an earlier letter");
    CHECK(plain("nChw16d") == "expected the lowercase letter of one of the tag's dimensions at character 6");
    CHECK(plain("nChw16C") == "expected the lowercase letter of one of the tag's dimensions at character 6");
    CHECK(plain("nChw16") == "expected the lowercase letter of one of the tag's dimensions at character 6");
    CHECK(plain("nchw16c") == "the dimension at character 1 has blocks; it must be a capital letter");
    CHECK(plain("nChw") == "the dimension at character 1 is a capital letter, but has no block");
    CHECK(plain("nChw1c") == "the block at character 4 must have a size of 2 or more");
    CHECK(plain("nChw0c") == "the block at character 4 must have a size of 2 or more");
    CHECK(plain("nChw16c,") == "expected a block or the end of the tag at character 7");
    CHECK(plain("nChw99999999999999999999c") == "the number at character 4 overflows");
    CHECK(plain("aB2b2b2b2b2b2b2b2b2b2b2b2b2b") == "the block at character 26 is one too many; a tag has at most 12");
    CHECK(tag("nchw16c").code() == errc::bad_syntax);
    CHECK(std::string(axe::explain("nChw16d", 7, tag("nChw16d").error()).c_str()) ==
          "nChw16d\n      ^\nexpected the lowercase letter of one of the tag's dimensions at character 6");
    // A value that no text gives.
    CHECK(axe::onednn::check(Tag{}).code() == errc::capacity);
    CHECK(axe::onednn::check(Tag{{0, 0}, {}}).code() == errc::bad_argument);
    CHECK(axe::onednn::check(Tag{{0, 2}, {}}).error().position == 1);
    CHECK(axe::onednn::check(Tag{{0}, {{1, 2}}}).code() == errc::bad_argument);
    CHECK(axe::onednn::check(Tag{{0}, {{0, 1}}}).code() == errc::bad_argument);
}

TEST_CASE("a tag lays a shape out, dimensions rounded up to their blocks", "[interop][onednn]")
{
    CHECK(read("nchw", {2, 3, 4, 5}) == "120:1 on (2,3,4,5)");
    CHECK(read("nhwc", {2, 3, 4, 5}) == "(2,3,20):(60,1,3) on (2,3,4,5)");
    CHECK(read("nChw16c", {2, 32, 4, 5}) == "(4,16,20):(320,1,16) on (2,32,4,5)");
    CHECK(read("nChw16c", {2, 3, 4, 5}) == "(2,16,20):(320,1,16) on (2,16,4,5)");
    CHECK(read("OIhw4i16o4i", {32, 32, 3, 3}) == "(2,16,2,4,4,9):(4608,4,2304,64,1,256) on (32,32,3,3)");
    const auto p = axe::onednn::to_axe(*tag("nChw8c"), {2, 20, 3, 3}).value();
    CHECK(p.shape == axe::Shape{2, 24, 3, 3});
    CHECK(p.valid == axe::Region{{0, 2}, {0, 20}, {0, 3}, {0, 3}});
    CHECK(p.elements == 2 * 24 * 9);
    CHECK(axe::onednn::to_axe(*tag("ab"), {4, 4}, axe::Axis{"P"})->layout == "16:1@P"_axe);
    CHECK(read("nchw", {2, 3, 4}) == "the tag has 4 dimensions, the shape 3");
    CHECK(read("ab", {4, 0}) == "dimension 1 of the shape is 0; it must be at least 1");
    CHECK(read("Ab4611686018427387904a", {4611686018427387905, 1}) == "the elements of the padded tensor overflow");
    CHECK(read("Ab4611686018427387904a2a", {5, 1}) == "the elements of the padded tensor overflow");
    CHECK(read("Ab1073741824a", {5, 8589934592}) == "the elements of the padded tensor overflow");
    CHECK(read("A2a2a2a2a2a2a2a2a2a2a2a2a", {5}) == "4096:1 on (4096)");
    CHECK(axe::onednn::to_axe(Tag{}, {2}).code() == errc::capacity);
}

TEST_CASE("a tag is found for a compact layout, with the fewest blocks", "[interop][onednn]")
{
    CHECK(found("120:1"_axe, {2, 3, 4, 5}, {2, 3, 4, 5}) == "abcd");
    CHECK(found("(2,16,20):(320,1,16)"_axe, {2, 16, 4, 5}, {2, 3, 4, 5}) == "aBcd16b");
    CHECK(found("(2,16,20):(320,1,16)"_axe, {2, 16, 4, 5}, {2, 16, 4, 5}) == "acdb"); // without padding the block is all there is
    CHECK(found("(2,16,2,4,4,9):(4608,4,2304,64,1,256)"_axe, {32, 32, 3, 3}, {32, 32, 3, 3}) == "ABcd4b16a4b");
    // From the elements alone: the pitch of 16 tells the padding of dimension 1.
    CHECK(found("(2,3,20):(320,1,16)"_axe, {2, 3, 4, 5}, {2, 3, 4, 5}) == "aBcd16b");
    CHECK(found("(2,20):(320,16)"_axe, {2, 1, 4, 5}, {2, 1, 4, 5}) == "aBcd16b");
    CHECK(found("():()"_axe, {1, 1}, {1, 1}) == "ab");
    CHECK(found("4:1"_axe, {1, 4, 1}, {1, 4, 1}) == "abc");
}

TEST_CASE("what no tag expresses is said", "[interop][onednn]")
{
    CHECK(found("24:1 + 3@m"_axe, {4, 6}, {4, 6}) == "the first element is at 3; this format starts at 0");
    CHECK(found("(4,6):(0,1)"_axe, {4, 6}, {4, 6}) == "dimension 0 has stride 0; this format needs strides of at least 1");
    CHECK(found("(4,6):(6,-1) + 5@m"_axe, {4, 6}, {4, 6}) == "the first element is at 5; this format starts at 0");
    CHECK(found("(4,6):(5,1)"_axe, {4, 6}, {4, 6}) == "stride 5 of dimension 0 is less than the 6 elements inside it");
    CHECK(found("(2,3):(7,2)"_axe, {2, 3}, {2, 3}) ==
          "stride 2 of dimension 1 leaves a gap above 1 element that no padded dimension fills");
    CHECK(found("(2,3,2):(7,2,1)"_axe, {2, 3, 2}, {2, 3, 2}) ==
          "stride 7 of dimension 0 leaves a gap above 6 elements that no padded dimension fills");
    // The lower digit of dimension 0 lies outside the upper one.
    CHECK(found("(2,2,3):(3,6,1)"_axe, {4, 3}, {4, 3}) ==
          "dimension 0: the digit of weight 1 is outside a digit of greater weight; blocks must be in order");
    CHECK(found("4:1@lane"_axe, {4}, {4}) == "iter 0 moves on an axis other than the address axis");
    CHECK(found("():()"_axe, {}, {}) == "a format tag has 1 to 12 dimensions, the shape 0");
    CHECK(found("4:1"_axe, {4}, {2, 2}) == "the padded shape has 1 dimension, the tensor 2");
    CHECK(found("4:1"_axe, {4}, {5}) == "dimension 0 of extent 5 is padded to 4, which is less");
    CHECK(axe::onednn::to_tag("(2,3):(7,2)"_axe, {2, 3}).error().is_none());
}
