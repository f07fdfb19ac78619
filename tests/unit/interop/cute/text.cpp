// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/text.hpp>
#include <axe/text/explain.hpp>
#include <catch.hpp>

#include <string>

namespace {

using namespace axe::literals;
namespace cute = axe::cute;

std::string again(const std::string& text)
{
    const auto got = cute::parse_composed(text);
    return got ? cute::print(*got).c_str() : std::string(got.error().message().c_str());
}
/// The offending character, and the sentence.
std::string refusal(const std::string& text, axe::errc code)
{
    const auto got = cute::parse_composed(text);
    CHECK(got.code() == code);
    return got ? "read" : std::to_string(got.error().position) + ": " + got.error().message().c_str();
}
std::string syntax(const std::string& text) { return refusal(text, axe::errc::bad_syntax); }

template <cute::Layout L>
constexpr int rank_of = cute::rank(L);

} // namespace

TEST_CASE("cute text: what CuTe prints is read and printed again")
{
    for (const char* text :
         {"8:1", "(8):(1)", "():()", "(4,8):(8,1)", "((2,4),8):((1,16),2)", "((),8):((),1)", "(((3))):(((-2)))", "(_4,_8):(_8,_1)",
          "(_4,8):(8,_1)", "(_4,3):(_-1,-4)", "((_128,_64),2,3,1):((_1@0,_1@1),_64@1,_1@2,_1@3)", "(4,5):(1@1@0,3@0@0)",
          "4:1@2@1@0", "(4,5):(0,1@0)", "Sw<3,4,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o _0 o (_8,_64):(_64,_1)",
          "Sw<2,0,-3> o -5 o 8:1", "Sw<1,4,3> o smem_ptr[16b](unset) o ((_8,_8),(_16,_8)):((_16,_128),(_1,_1024))",
          "Sw<0,4,3> o smem_ptr[32b](unset) o (_8,_4):(_4,_1)"})
        CHECK(again(text) == text);
}

TEST_CASE("cute text: other spellings")
{
    CHECK(again(" ( 4 , 8 ) : ( 8 , 1 ) ") == "(4,8):(8,1)");
    CHECK(again("(4, (2, 8)):(8, (4, 1))") == "(4,(2,8)):(8,(4,1))"); // pycute
    CHECK(again("(8,):(1,)") == "(8):(1)");
    CHECK(again("((8,), 2):((1,), 8)") == "((8),2):((1),8)");
    CHECK(again("S<3,4,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))") ==
          "Sw<3,4,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))"); // CuTe DSL
    CHECK(again("Sw<3,4,3> o smem_ptr[16b] o (8,64):(64,1)") == "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    CHECK(again("Sw<0,0,0> o 0 o 8:1") == "8:1"); // moves nothing
    CHECK(again("Sw<0,0,0> o _0 o 8:1") == "Sw<0,0,0> o _0 o 8:1");
    CHECK(again("(1,1,):(0,0)") == "expected an extent or '(' at character 5"); // one item only may be followed by a comma
}

TEST_CASE("cute text: what is static is kept number by number")
{
    constexpr auto l = "(_4,8):(8,_1)"_cute;
    STATIC_REQUIRE(l.nodes[1].static_extent);
    STATIC_REQUIRE(!l.nodes[1].static_stride);
    STATIC_REQUIRE(!l.nodes[2].static_extent);
    STATIC_REQUIRE(l.nodes[2].static_stride);
    STATIC_REQUIRE(l != "(4,8):(8,1)"_cute);
}

TEST_CASE("cute text: bases are printed innermost first")
{
    // E<0,1> is ((0,1,…),…) and 1@1@0                             [CUTLASS, 0z_tma_tensors.md, Basis elements]
    CHECK(leaves("8:1@1@0"_cute)[0].basis == cute::Basis{0, 1});
    CHECK(leaves("8:1@0@1"_cute)[0].basis == cute::Basis{1, 0});
    CHECK(leaves("8:5@1"_cute)[0].basis == cute::Basis{1});
}

TEST_CASE("cute text: literals are constants, and may be template arguments")
{
    STATIC_REQUIRE(rank_of<"((2,4),8):((1,16),2)"_cute> == 2);
    STATIC_REQUIRE("Sw<3,4,3> o 0 o (8,64):(64,1)"_composed.swizzle == axe::Swizzle{3, 4, 3});
    STATIC_REQUIRE("(8,64):(64,1)"_composed.layout == "(8,64):(64,1)"_cute);
    constexpr auto text = cute::print("((2,4),8):((1,16),2)"_cute);
    STATIC_REQUIRE(text == "((2,4),8):((1,16),2)");
}

TEST_CASE("cute text: shape and stride of different tuples are told apart where they part")
{
    const auto parts = [](const char* text) { return refusal(text, axe::errc::rank_mismatch); };
    CHECK(parts("((2,4),8):(1,16)") == "11: the stride at character 11 is one number where the shape has a tuple of 2");
    CHECK(parts("(4,8):8") == "6: the stride at character 6 is one number where the shape has a tuple of 2");
    CHECK(parts("(4,8):_8") == "6: the stride at character 6 is one number where the shape has a tuple of 2");
    CHECK(parts("(4,8):-8") == "6: the stride at character 6 is one number where the shape has a tuple of 2");
    CHECK(parts("8:(1)") == "2: the stride at character 2 is a tuple where the shape has one extent, 8");
    CHECK(parts("(4,8):(8,(1))") == "9: the stride at character 9 is a tuple where the shape has one extent, 8");
    CHECK(parts("(4,8):(8)") == "8: the strides end at character 8; the tuple of the shape has 2 entries");
    CHECK(parts("(4,8):()") == "7: the strides end at character 7; the tuple of the shape has 2 entries");
    CHECK(parts("(4,8):(8,1, 2)") == "12: the stride at character 12 is one more than the 2 entries of the tuple in the shape");
    CHECK(parts("():(1)") == "4: the stride at character 4 is one more than the 0 entries of the tuple in the shape");
}

TEST_CASE("cute text: numbers that no layout has, at their character")
{
    CHECK(refusal("(4,0):(8,1)", axe::errc::bad_extent) == "3: the extent at character 3 is 0; it must be at least 1");
    CHECK(refusal("(4,_-2):(8,1)", axe::errc::bad_extent) == "3: the extent at character 3 is -2; it must be at least 1");
    CHECK(refusal("(9223372036854775808):(1)", axe::errc::overflow) == "1: the number at character 1 overflows");
    CHECK(refusal("(9223372036854775807,2):(1,1)", axe::errc::overflow) ==
          "21: the product of the extents overflows at character 21");
    CHECK(refusal("(2,(3,1)):(5,(9223372036854775807,1))", axe::errc::overflow) ==
          "14: the values of the layout overflow at character 14");
    CHECK(refusal("(4,5):(1,1@0)", axe::errc::bad_argument) ==
          "9: the basis of the stride at character 9 contains another or is contained in it: their values cannot be added");
    CHECK(refusal("4:1@2097151", axe::errc::bad_argument) ==
          "4: the index of a basis at character 4 is 2097151; it must be in [0, 2097150]");
    CHECK(refusal("4:1@-1", axe::errc::bad_argument) == "4: the index of a basis at character 4 is -1; it must be in [0, 2097150]");
    CHECK(refusal("4:1@0@1@2@3", axe::errc::capacity) == "10: the basis at character 10 nests deeper than 3 levels");
    CHECK(refusal(std::string(50, '('), axe::errc::capacity) == "40: the tuples have more than 40 nodes at character 40");
    std::string wide = "(1";
    for (int i = 0; i < 39; ++i) wide += ",1";
    CHECK(refusal(wide + ")", axe::errc::capacity) == "79: the tuples have more than 40 nodes at character 79");
    CHECK(refusal("Sw<3,4,2> o 0 o 8:1", axe::errc::bad_argument) ==
          "-1: swizzle<3,4,2> must have bits and base >= 0, |shift| >= bits, and end below bit 62");
    CHECK(refusal("Sw<3,4,99999999999> o 0 o 8:1", axe::errc::overflow) == "7: the number at character 7 overflows");
}

TEST_CASE("cute text: each token that is missing, at its character")
{
    CHECK(syntax("") == "0: expected an extent or '(' at character 0");
    CHECK(syntax("(") == "1: expected an extent or '(' at character 1");
    CHECK(syntax("(4") == "2: expected ',' or ')' in the shape at character 2");
    CHECK(syntax("(4,8)") == "5: expected ':' after the shape at character 5");
    CHECK(syntax("(4,8):") == "6: expected '(' before the strides at character 6");
    CHECK(syntax("(4,8):(8,1") == "10: expected ',' or ')' in the strides at character 10");
    CHECK(syntax("(4,8):(8,a)") == "9: expected a stride at character 9");
    CHECK(syntax("(4,8):(8,1))") == "11: expected the end of the text at character 11");
    CHECK(syntax("8:1 + 5@m") == "4: expected the end of the text at character 4");
    CHECK(syntax("(_,8):(8,1)") == "2: expected a number after _ at character 2");
    CHECK(syntax("(4,?):(8,1)") == "3: the number at character 3 is known at run time only; a layout needs its value");
    CHECK(syntax("8:?") == "2: the number at character 2 is known at run time only; a layout needs its value");
    CHECK(syntax("8:1@") == "4: expected the number of a basis after @ at character 4");
    CHECK(syntax("Sw 8:1") == "3: expected '<' after Sw at character 3");
    CHECK(syntax("Sw<") == "3: expected the number of bits at character 3");
    CHECK(syntax("Sw<3") == "4: expected ',' after the bits at character 4");
    CHECK(syntax("Sw<3,") == "5: expected the lowest bit at character 5");
    CHECK(syntax("Sw<3,4") == "6: expected ',' after the lowest bit at character 6");
    CHECK(syntax("Sw<3,4,") == "7: expected the shift at character 7");
    CHECK(syntax("Sw<3,4,3") == "8: expected '>' after the shift at character 8");
    CHECK(syntax("Sw<3,4,3> 8:1") == "10: expected ' o ' at character 10");
    CHECK(syntax("Sw<3,4,3> o 8:1") == "13: expected ' o ' at character 13");
    CHECK(syntax("Sw<3,4,3> o x o 8:1") == "12: expected an offset or smem_ptr[16b] at character 12");
    CHECK(syntax("Sw<3,4,3> o smem o 8:1") == "12: expected an offset or smem_ptr[16b] at character 12");
    CHECK(syntax("Sw<3,4,3> o smem_ptr o 8:1") == "21: expected '[' after smem_ptr at character 21");
    CHECK(syntax("Sw<3,4,3> o smem_ptr[] o 8:1") == "21: expected the bits of an element at character 21");
    CHECK(syntax("Sw<3,4,3> o smem_ptr[16] o 8:1") == "23: expected 'b' after the bits of an element at character 23");
    CHECK(syntax("Sw<3,4,3> o smem_ptr[16b o 8:1") == "25: expected ']' after the bits of an element at character 25");
    CHECK(syntax("Sw<3,4,3> o smem_ptr[16b](0) o 8:1") == "26: expected unset at character 26");
    CHECK(syntax("Sw<3,4,3> o smem_ptr[16b](unset o 8:1") == "32: expected ')' after unset at character 32");
    CHECK(syntax("Sw<3,4,3> o smem_ptr[16b](unset) 8:1") == "33: expected ' o ' at character 33");

    const auto coordinate = [](const std::string& text) {
        const auto got = cute::parse_coordinate(text);
        return std::string(got ? cute::print(*got).c_str() : got.error().message().c_str());
    };
    CHECK(coordinate("((1, 3),5)") == "((1,3),5)");
    CHECK(coordinate("-1") == "-1");
    CHECK(coordinate("(1,x)") == "expected an index or '(' at character 3");
    CHECK(coordinate("(1") == "expected ',' or ')' in the coordinate at character 2");
    CHECK(coordinate("1 2") == "expected the end of the text at character 2");
    CHECK(coordinate(std::string(41, '(')) == "the tuples have more than 40 nodes at character 40");
}

TEST_CASE("cute text: explain draws a caret")
{
    const std::string text = "((2,4),8):(1,16)";
    const auto got = cute::parse_layout(text);
    CHECK(axe::explain(text.data(), static_cast<int>(text.size()), got.error()) == "((2,4),8):(1,16)\n"
                                                                                   "           ^\n"
                                                                                   "the stride at character 11 is one number where "
                                                                                   "the shape has a tuple of 2");
}

TEST_CASE("cute text: shapes, coordinates and tilers without their outermost parentheses")
{
    CHECK(axe::cute::parse_shape("8x16").value() == axe::cute::parse_shape("(8,16)").value());
    CHECK(axe::cute::parse_shape("8,(2,4)").value() == axe::cute::parse_shape("(8,(2,4))").value());
    CHECK(axe::cute::parse_shape("64").value() == "64:1"_cute);
    CHECK(axe::cute::parse_shape("(2,4),8").value() == "((2,4),8):((1,2),8)"_cute);
    CHECK(axe::cute::parse_shape("8,4x2").error().position == 3);
    CHECK(axe::cute::parse_shape("8x").error().position == 2);
    CHECK(axe::cute::parse_shape("8:1").error().position == 1);
    CHECK(axe::cute::parse_layout_or_shape("8x16").value() == "(8,16):(1,8)"_cute);
    CHECK(axe::cute::parse_coordinate("3,(1,2)").value() == axe::cute::parse_coordinate("(3,(1,2))").value());
    CHECK(axe::cute::parse_coordinate("3x1").error().position == 1);
    CHECK(axe::cute::parse_slicer("_,3").value() == axe::cute::parse_slicer("(_,3)").value());
    // no room for more than the nodes of a layout
    std::string many = "1";
    for (int i = 1; i < 41; ++i) many += ",1";
    CHECK(axe::cute::parse_shape(many).code() == axe::errc::capacity);
    CHECK(axe::cute::parse_coordinate(many).code() == axe::errc::capacity);
}
