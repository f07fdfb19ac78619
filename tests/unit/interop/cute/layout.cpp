// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/coordinate.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace {

using namespace axe::literals;
namespace cute = axe::cute;
using Int = std::int64_t;
constexpr Int most = std::numeric_limits<Int>::max();

std::string text(const cute::Layout& l) { return cute::print(l).c_str(); }
cute::Coordinate at(const char* words)
{
    const auto got = cute::parse_coordinate({words, static_cast<int>(std::string(words).size())});
    INFO(words << ": " << got.error().message().c_str());
    REQUIRE(got.has_value());
    return *got;
}
cute::Layout leaf(Int extent, Int stride, const cute::Basis& basis = {})
{
    cute::Leaves one;
    one.push_back({extent, stride, basis});
    return cute::from_leaves(one);
}
cute::Layout tuple(std::initializer_list<cute::Layout> items)
{
    cute::Layout out;
    for (const auto& item : items) REQUIRE(append_mode(out, item));
    return out;
}
std::string refusal(const cute::Layout& l) { return check(l).error().message().c_str(); }

} // namespace

TEST_CASE("cute layout: the tree, its modes and its leaves")
{
    constexpr auto l = "((2,4),8,()):((1,16),2,())"_cute;
    STATIC_REQUIRE(cute::rank(l) == 3);
    STATIC_REQUIRE(cute::size(l) == 64);
    STATIC_REQUIRE(cute::cosize(l) == 1 + 1 + 48 + 14);
    STATIC_REQUIRE(cute::depth(l) == 2);
    STATIC_REQUIRE(cute::end_of(l, 0) == 6);
    STATIC_REQUIRE(cute::end_of(l, 1) == 4);
    STATIC_REQUIRE(cute::end_of(l, 5) == 6);
    STATIC_REQUIRE(cute::leaves(l).size() == 3);
    STATIC_REQUIRE(cute::is_plain(l));
    CHECK(text(mode(l, 0)) == "(2,4):(1,16)");
    CHECK(text(mode(l, 1)) == "8:2");
    CHECK(text(mode(l, 2)) == "():()");
    CHECK(text(flatten(l)) == "(2,4,8):(1,16,2)");
    CHECK(tuple({mode(l, 0), mode(l, 1), mode(l, 2)}) == l);
    CHECK(text(cute::from_leaves(leaves(l))) == "(2,4,8):(1,16,2)");
}

TEST_CASE("cute layout: lone leaves, tuples of one, empty tuples")
{
    STATIC_REQUIRE(cute::rank("8:1"_cute) == 1);
    STATIC_REQUIRE(cute::rank("(8):(1)"_cute) == 1);
    STATIC_REQUIRE(cute::rank("():()"_cute) == 0);
    STATIC_REQUIRE(cute::size("():()"_cute) == 1);
    STATIC_REQUIRE(cute::depth("8:1"_cute) == 0);
    STATIC_REQUIRE(cute::depth("():()"_cute) == 1);
    STATIC_REQUIRE(cute::depth("(((8))):(((1)))"_cute) == 3);
    STATIC_REQUIRE(cute::depth("((),(2,(3,())),4):((),(1,(2,())),8)"_cute) == 4);
    STATIC_REQUIRE("8:1"_cute != "(8):(1)"_cute);
    CHECK(mode("8:1"_cute, 0) == "8:1"_cute);
    CHECK(mode("(8):(1)"_cute, 0) == "8:1"_cute);
    CHECK(flatten("8:1"_cute) == "8:1"_cute);
    CHECK(flatten("((8)):((1))"_cute) == "(8):(1)"_cute);
    CHECK(flatten("((),()):((),())"_cute) == "():()"_cute);
    CHECK(flatten("((_8,2),4):((_1,8),_16)"_cute) == "(_8,2,4):(_1,8,_16)"_cute);
    CHECK(cute::from_leaves({}) == "1:0"_cute);
    CHECK(leaf(8, 1) == "8:1"_cute);
    CHECK(evaluate("():()"_cute, 0) == 0);

    cute::Layout full;
    for (int i = 1; i < cute::Layout::max_nodes; ++i) CHECK(append_mode(full, leaf(1, 0)));
    CHECK_FALSE(append_mode(full, leaf(1, 0)));
    CHECK(check("():()"_cute).ok());
}

TEST_CASE("cute layout: the leftmost mode runs fastest")
{
    constexpr auto l = "((2,4),8):((1,16),2)"_cute;
    STATIC_REQUIRE(cute::evaluate(l, 0) == 0);
    STATIC_REQUIRE(cute::evaluate(l, 1) == 1);
    STATIC_REQUIRE(cute::evaluate(l, 2) == 16);
    STATIC_REQUIRE(cute::evaluate(l, 8) == 2);
    STATIC_REQUIRE(cute::evaluate(l, 63) == 1 + 48 + 14);
    CHECK(evaluate(l, 64) == 16); // the last mode runs on
    CHECK(evaluate("4:3"_cute, 7) == 21);
    CHECK(evaluate("(4,2):(-3,100)"_cute, 7) == 91);
}

TEST_CASE("cute layout: strides along a basis")
{
    constexpr auto l = "((128,64),2,3):((1@0,1@1),64@1,1@0@2)"_cute;
    STATIC_REQUIRE(!cute::is_plain(l));
    CHECK(leaves(l)[3].basis == cute::Basis{2, 0}); // printed innermost first
    const Int x = 5 + 128 * (7 + 64 * (1 + 2 * 2));
    CHECK(evaluate(l, x, {0}) == 5);
    CHECK(evaluate(l, x, {1}) == 71);
    CHECK(evaluate(l, x, {2, 0}) == 2);
    CHECK(evaluate(l, x) == 0);
    CHECK(cosize(l, {1}) == 1 + 63 + 64);
    CHECK(cosize(l) == 1);
    CHECK(check(l).ok());

    // what does not move adds to anything
    CHECK(check("(4,8,1):(1@0,0,5)"_cute).ok());
    CHECK(refusal(tuple({leaf(4, 1, {0}), leaf(8, 2)})) ==
          "the basis of leaf 1 contains that of leaf 0 or is contained in it: their values cannot be added");
    CHECK(refusal(tuple({leaf(4, 1, {0}), leaf(8, 2, {1, 0}), leaf(2, 1, {0, 3})})) ==
          "the basis of leaf 2 contains that of leaf 0 or is contained in it: their values cannot be added");
    CHECK(refusal(leaf(4, 1, {-1})) == "the basis of leaf 0 has more than 3 levels, or an index outside [0, 2097150]");
    CHECK(refusal(leaf(4, 1, {0, 1, 2, 3})) == "the basis of leaf 0 has more than 3 levels, or an index outside [0, 2097150]");
    // each basis has a footprint of its own
    CHECK(check(tuple({leaf(2, most - 1, {0}), leaf(2, most - 1, {1})})).ok());
    CHECK(refusal(tuple({leaf(2, most - 1, {0}), leaf(2, 1, {1}), leaf(2, -1, {0})})) ==
          "the values of the layout overflow at leaf 2");
}

TEST_CASE("cute layout: what is none is refused, with the leaf")
{
    cute::Layout none;
    CHECK(check(none).code() == axe::errc::capacity);
    CHECK(refusal(none) == "a CuTe layout has 1 to 40 nodes, this one has 0");
    none.nodes.push_back({2, {}, false, false});
    none.nodes.push_back({-1, {4, 1, {}}, false, false});
    CHECK(refusal(none) == "the tuples of the layout are not properly nested");
    none.nodes.push_back({-1, {4, 1, {}}, false, false});
    CHECK(check(none).ok());
    none.nodes.push_back({-1, {4, 1, {}}, false, false});
    CHECK(refusal(none) == "the tuples of the layout are not properly nested");

    none.nodes[0].children = none.nodes[2].children = std::numeric_limits<int>::max();
    CHECK(refusal(none) == "the tuples of the layout are not properly nested");

    CHECK(check(leaf(0, 1)).code() == axe::errc::bad_extent);
    CHECK(refusal(tuple({leaf(4, 1), leaf(-3, 1)})) == "the extent of leaf 1 is -3; it must be at least 1");
    CHECK(check(tuple({leaf(most, 0), leaf(1, 0)})).ok());
    CHECK(refusal(tuple({leaf(2, 0), leaf(most / 2 + 1, 0)})) == "the product of the extents overflows at leaf 1");
    CHECK(check(leaf(most, 1)).ok());
    CHECK(check(leaf(2, most - 1)).ok());
    CHECK(refusal(leaf(2, most)) == "the values of the layout overflow at leaf 0"); // its cosize does
    CHECK(refusal(leaf(3, -most / 2 - 1)) == "the values of the layout overflow at leaf 0");
    CHECK(refusal(tuple({leaf(2, most / 2), leaf(2, -most / 2 - 1)})) == "the values of the layout overflow at leaf 1");
    CHECK(check(leaf(1, -most - 1)).ok());
    CHECK(evaluate(leaf(2, -(most - 1)), 1) == 1 - most);
    CHECK(cosize(leaf(2, 1 - most)) == most);
}

TEST_CASE("cute layout: congruent and compatible trees")
{
    CHECK(congruent("((2,4),8):((1,16),2)"_cute, "((3,3),3):((0,0),0)"_cute));
    CHECK_FALSE(congruent("((2,4),8):((1,16),2)"_cute, "(2,(4,8)):(1,(16,2))"_cute));
    CHECK_FALSE(congruent("8:1"_cute, "(8):(1)"_cute));
    CHECK_FALSE(congruent("8:1"_cute, "(8,1):(1,0)"_cute));

    CHECK(compatible("8:1"_cute, "(2,4):(1,2)"_cute));
    CHECK_FALSE(compatible("(2,4):(1,2)"_cute, "8:1"_cute));
    CHECK(compatible("(8,6):(1,8)"_cute, "((2,4),(3,(2))):((1,2),(8,(24)))"_cute));
    CHECK_FALSE(compatible("(8,6):(1,8)"_cute, "((2,4),7):((1,2),8)"_cute));
    CHECK_FALSE(compatible("(8,6):(1,8)"_cute, "(8,6,1):(1,8,0)"_cute));
    CHECK_FALSE(compatible("(8,6,1):(1,8,0)"_cute, "(8,6):(1,8)"_cute));
    CHECK(compatible("1:0"_cute, "():()"_cute));
    CHECK(compatible("():()"_cute, "():()"_cute));
    CHECK_FALSE(compatible("(8):(1)"_cute, "8:1"_cute));
}

TEST_CASE("cute layout: coordinates, an index for a tuple or for each of its leaves")
{
    constexpr auto l = "((2,4),8):((1,16),2)"_cute;
    for (const char* words : {"43", "(3,5)", "((1,1),5)", "( (1, 1), 5 )"}) {
        CHECK(*linear_index(l, at(words)) == 43);
        CHECK(*evaluate(l, at(words)) == evaluate(l, 43));
    }
    CHECK(std::string(cute::print(*cute::coordinate(l, 43)).c_str()) == "((1,1),5)");
    for (Int x = 0; x < size(l); ++x) CHECK(*linear_index(l, *cute::coordinate(l, x)) == x);
    CHECK(std::string(cute::print(*cute::coordinate("():()"_cute, 0)).c_str()) == "()");
    CHECK(*evaluate("(4,5):(1@0,1@1)"_cute, at("(3,2)"), {1}) == 2);

    const auto words = [&](const char* c) { return std::string(linear_index(l, at(c)).error().message().c_str()); };
    CHECK(words("64") == "index 64 of the coordinate is outside [0, 64)");
    CHECK(words("(-1,0)") == "index -1 of the coordinate is outside [0, 8)");
    CHECK(words("((0,4),0)") == "index 4 of the coordinate is outside [0, 4)");
    CHECK(linear_index(l, at("((0,4),0)")).error().position == 3);
    CHECK(words("(0,0,0)") == "the coordinate has a tuple of 3 where the layout has 2 modes");
    CHECK(words("(0,(0))") == "the coordinate has a tuple of 1 where the layout has 1 mode");
    CHECK(std::string(cute::coordinate(l, 64).error().message().c_str()) == "index 64 is outside the domain [0, 64)");
    CHECK(cute::coordinate(l, -1).code() == axe::errc::out_of_domain);

    cute::Coordinate broken = at("(3,5)");
    broken.pop_back();
    CHECK(std::string(linear_index(l, broken).error().message().c_str()) == "the tuples of the coordinate are not properly nested");
    broken.push_back({-1, 5});
    broken.push_back({-1, 5});
    CHECK(std::string(linear_index(l, broken).error().message().c_str()) == "the tuples of the coordinate are not properly nested");
    broken.count = 41;
    CHECK(linear_index(l, broken).code() == axe::errc::capacity);
    CHECK(linear_index(leaf(0, 1), at("0")).code() == axe::errc::bad_extent);
}

TEST_CASE("cute layout: composed with an offset and a swizzle")
{
    constexpr auto elements = "Sw<3,4,3> o 8 o (8,64):(64,1)"_composed;
    STATIC_REQUIRE(cute::size(elements) == 512);
    for (Int x = 0; x < 512; ++x) {
        const Int a = 8 + x % 8 * 64 + x / 8;
        CHECK(evaluate(elements, x) == (a ^ (a >> 7 & 7) << 4));
    }
    constexpr auto bytes = "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"_composed;
    STATIC_REQUIRE(cute::in_elements(bytes) == axe::Swizzle{3, 3, 3});
    STATIC_REQUIRE(cute::in_elements("Sw<3,4,3> o smem_ptr[4b](unset) o (8,256):(256,1)"_composed) == axe::Swizzle{3, 5, 3});
    STATIC_REQUIRE(cute::in_elements("Sw<0,4,3> o smem_ptr[32b](unset) o (8,4):(4,1)"_composed) == axe::Swizzle{0, 4, 3});
    for (Int x = 0; x < 512; ++x) {
        const Int a = 2 * (x % 8 * 64 + x / 8);
        CHECK(evaluate(bytes, x) == (a ^ (a >> 7 & 7) << 4) / 2);
    }

    const auto words = [](cute::Composed c) { return std::string(check(c).error().message().c_str()); };
    cute::Composed c = elements;
    c.swizzle = {3, 4, 2};
    CHECK(words(c) == "swizzle<3,4,2> must have bits and base >= 0, |shift| >= bits, and end below bit 62");
    c.swizzle = {10, 11, -10};
    CHECK(check(c).ok());
    c.swizzle = {10, 12, -10};
    CHECK(words(c) == "Sw<10,12,-10> exceeds the 31 bits of CuTe's swizzle masks");
    c = elements;
    c.offset = most;
    CHECK(words(c) == "the values of the layout overflow at offset 9223372036854775807");
    c.offset = -most - 1;
    CHECK(check(c).ok());
    c.layout = leaf(2, -1);
    CHECK(check(c).code() == axe::errc::overflow);
    c = bytes;
    c.element_bits = 24;
    CHECK(words(c) == "the number of bits of a swizzled element must be a power of two, got 24");
    c.element_bits = -16;
    CHECK(words(c) == "the number of bits of a swizzled element must be a power of two, got -16");
    c.element_bits = 1 << 30;
    c.swizzle.bits = 0;
    CHECK(check(c).ok());
    c.swizzle.bits = 3;
    CHECK(words(c) == "a swizzle whose lowest bit is 4 splits elements of 1073741824 bits");
    c.element_bits = 256;
    CHECK(words(c) == "a swizzle whose lowest bit is 4 splits elements of 256 bits");
    c.element_bits = 128;
    CHECK(check(c).ok());
    c.offset = 3;
    CHECK(words(c) == "the composed layout has a pointer flag of 128 bits and offset 3; it can have one of the two");
    c = elements;
    c.layout = "(4,5):(1@0,1@1)"_cute;
    CHECK(words(c) == "a swizzle and an offset need plain integers; the strides of this layout are along a basis");
    c.swizzle = {};
    CHECK(check(c).code() == axe::errc::bad_argument);
    c.offset = 0;
    CHECK(check(c).ok());
    c.layout = leaf(0, 0);
    CHECK(check(c).code() == axe::errc::bad_extent);
    c.layout = leaf(-9223372036854775807 - 1, 0); // less than which there is nothing
    CHECK(check(c).code() == axe::errc::bad_extent);
}
