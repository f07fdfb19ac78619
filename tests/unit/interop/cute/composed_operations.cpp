// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/composed_operations.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <limits>
#include <string>

namespace {

using namespace axe::literals;
using namespace axe::cute;
using Int = std::int64_t;

std::string text(const axe::Result<Composed>& c) { return c ? print(*c).c_str() : c.error().message().c_str(); }

} // namespace

TEST_CASE("cute composed_operations: a swizzle stays over what only chooses other indices")
{
    constexpr auto c = "Sw<3,3,3> o 0 o (8,64):(64,1)"_composed;
    CHECK(text(coalesce("Sw<3,3,3> o 64 o (8,8,8):(64,1,8)"_composed)) == "Sw<3,3,3> o 64 o (8,64):(64,1)");
    CHECK(text(coalesce(c, "(1,1):(0,0)"_cute)) == "Sw<3,3,3> o 0 o (8,64):(64,1)");
    CHECK(text(filter("Sw<3,3,3> o 0 o (8,64):(64,0)"_composed)) == "Sw<3,3,3> o 0 o 8:64");
    CHECK(text(composition(c, "(2,4):(1,2)"_cute)) == "Sw<3,3,3> o 0 o (2,4):(64,128)");
    CHECK(text(composition(c, Tiler{"(4,8):(1,1)"_cute})) == "Sw<3,3,3> o 0 o (4,8):(64,1)");
    CHECK(text(zipped_divide(c, Tiler{"(4,8):(1,1)"_cute})) == "Sw<3,3,3> o 0 o ((4,8),(2,8)):((64,1),(256,8))");
    CHECK(text(tiled_divide(c, Tiler{"(4,8):(1,1)"_cute})) == "Sw<3,3,3> o 0 o ((4,8),2,8):((64,1),256,8)");
    CHECK(text(flat_divide(c, Tiler{"(4,8):(1,1)"_cute})) == "Sw<3,3,3> o 0 o (4,8,2,8):(64,1,256,8)");
    CHECK(text(logical_divide(c, "4:1"_cute)) == "Sw<3,3,3> o 0 o (4,(2,64)):(64,(256,1))");
    CHECK(text(tile_to_shape(c, {16, 128})) == "Sw<3,3,3> o 0 o ((8,2),(64,2)):((64,512),(1,1024))");
    CHECK(text(logical_product(c, "2:1"_cute)) == "Sw<3,3,3> o 0 o ((8,64),2):((64,1),512)");
    CHECK(text(blocked_product("Sw<1,0,1> o 0 o (2,2):(1,2)"_composed, "(2,1):(1,0)"_cute)) ==
          "Sw<1,0,1> o 0 o ((2,2),(2,1)):((1,4),(2,0))");
    CHECK(text(raked_product("Sw<1,0,1> o 0 o (2,2):(1,2)"_composed, "(2,1):(1,0)"_cute)) ==
          "Sw<1,0,1> o 0 o ((2,2),(1,2)):((4,1),(0,2))");
}

TEST_CASE("cute composed_operations: one after another, offsets and swizzles of both")
{
    const char* const texts[] = {"Sw<2,0,3> o 0 o (8,8):(8,1)",     "Sw<2,0,-3> o 0 o (8,8):(8,1)",
                                 "Sw<1,0,2> o 0 o (4,4):(1,4)",     "Sw<1,1,2> o 0 o (4,4):(4,1)",
                                 "Sw<0,0,0> o 16 o (4,4):(4,1)",    "Sw<1,0,1> o 64 o (4,4):(8,1)",
                                 "Sw<0,0,0> o 3 o (3,5):(1,7)",     "Sw<2,1,2> o 5 o (6,4):(4,1)",
                                 "Sw<1,0,4> o smem_ptr[8b] o 32:2", "Sw<2,1,3> o 0 o (2,4,8):(8,1,16)"};
    int found = 0, refused = 0;
    for (const char* first : texts)
        for (const char* second : texts) {
            INFO(first << " after " << second);
            const auto a = *parse_composed({first, static_cast<int>(std::string(first).size())});
            const auto b = *parse_composed({second, static_cast<int>(std::string(second).size())});
            const auto result = composition(a, b);
            if (!result) {
                ++refused;
                CHECK((result.code() == axe::errc::too_hard || result.error().is_none()));
                continue;
            }
            ++found;
            REQUIRE(size(*result) == size(b));
            for (Int x = 0; x < size(b); ++x) CHECK(evaluate(*result, x) == evaluate(a, evaluate(b, x)));
        }
    CHECK(found >= 30);
    CHECK(refused > 10);
    CHECK(text(composition("4:1"_cute, "Sw<2,1,2> o 5 o (6,4):(4,1)"_composed)) ==
          "not decided: a swizzle can be moved only through a layout whose extents are powers of two and whose values add without "
          "a carry");
    CHECK(text(composition("(8,8):(8,1)"_cute, "Sw<0,0,0> o 9 o 8:8"_composed)) == "Sw<0,0,0> o 9 o 8:1");
    CHECK(composition("(6,2):(1,7)"_cute, "Sw<0,0,0> o 1 o (3,2):(2,3)"_composed).code() == axe::errc::no_layout);
}

TEST_CASE("cute composed_operations: inverses under a swizzle")
{
    for (const auto& c :
         {"Sw<1,0,2> o 0 o (4,4):(1,4)"_composed, "Sw<1,0,2> o 0 o (4,4):(4,1)"_composed, "Sw<1,0,1> o 0 o (4,4):(8,1)"_composed,
          "Sw<2,0,-3> o 0 o (8,8):(8,1)"_composed, "Sw<3,3,3> o 0 o (8,64):(64,1)"_composed, "Sw<0,0,0> o 0 o (3,5):(5,1)"_composed,
          "Sw<2,3,-2> o 0 o 8:1"_composed}) {
        INFO(print(c).c_str());
        const auto left = left_inverse(c), right = right_inverse(c);
        REQUIRE(left.has_value());
        REQUIRE(right.has_value());
        for (Int x = 0; x < size(c); ++x) CHECK(evaluate(*left, evaluate(c, x)) == x);
        for (Int i = 0; i < size(*right); ++i) CHECK(evaluate(c, evaluate(*right, i)) == i);
    }
    CHECK(size(*right_inverse("Sw<3,3,3> o 0 o (8,64):(64,1)"_composed)) == 512);
    CHECK(size(*right_inverse("Sw<1,0,1> o 0 o (4,4):(8,1)"_composed)) == 4);
    CHECK(size(*right_inverse("Sw<1,1,-2> o 0 o 8:1"_composed)) == 2); // bit 1 would lead to bit 3
    CHECK(text(left_inverse("Sw<1,0,2> o 8 o (4,4):(1,4)"_composed)) ==
          "offset 8 would have to be subtracted before the inverse; CuTe adds offsets after layouts");
    CHECK(right_inverse("Sw<1,0,2> o 8 o (4,4):(1,4)"_composed).code() == axe::errc::bad_argument);
    CHECK(left_inverse("Sw<1,0,2> o 0 o (4,4):(1,0)"_composed).has_value());
    CHECK(left_inverse("Sw<1,0,2> o 0 o (3,5):(1,3)"_composed).code() == axe::errc::too_hard);
    CHECK(left_inverse(Composed{}).code() == axe::errc::capacity);
}

TEST_CASE("cute composed operations: at the end of the integer")
{
    // A(3) = 3·2^62, which no leaf of the inner layout reads, but its offset does.
    Composed at_three;
    at_three.offset = 3;
    at_three.layout = "():()"_cute;
    CHECK(composition("2:4611686018427387904"_cute, at_three).code() == axe::errc::overflow);
    CHECK(composition("2:4"_cute, at_three)->offset == 12);
    at_three.layout = "1:0"_cute;
    at_three.offset = std::numeric_limits<Int>::min(); // whose negative is none
    CHECK(composition("2:1"_cute, at_three).code() == axe::errc::overflow);
    // Bit 62 of an index: the outer layout would have to run on to 2^63.
    const auto high = "Sw<1,0,1> o 0 o 2:4611686018427387904"_composed;
    CHECK(composition("2:1"_cute, high).code() == axe::errc::overflow);
    Composed odd;
    odd.element_bits = 2147483647; // no check, no overflow either
    odd.swizzle = {1, 4, 3};
    CHECK(in_elements(odd).base < 4);
}

TEST_CASE("cute composed_operations: other tuples and other orders under a swizzle, and products by halves")
{
    constexpr auto c = "Sw<3,3,3> o 0 o (8,64):(64,1)"_composed;
    CHECK(text(group("Sw<3,3,3> o 64 o (2,4,64):(64,128,1)"_composed, 0, 2)) == "Sw<3,3,3> o 64 o ((2,4),64):((64,128),1)");
    CHECK(group(c, 0, 3).code() == axe::errc::out_of_domain);
    CHECK(text(sort(c)) == "Sw<3,3,3> o 0 o (64,8):(1,64)");
    CHECK(text(zipped_product(c, Tiler{"(2):(1)"_cute})) == "Sw<3,3,3> o 0 o ((8),(2,64)):((64),(1,1))");
    CHECK(text(zipped_product(c, "2:1"_cute)) == "Sw<3,3,3> o 0 o ((8,64),2):((64,1),512)");
    CHECK(text(tiled_product(c, "(2,3):(1,2)"_cute)) == "Sw<3,3,3> o 0 o ((8,64),2,3):((64,1),512,1024)");
    CHECK(text(flat_product(c, "(2,3):(1,2)"_cute)) == "Sw<3,3,3> o 0 o (8,64,2,3):(64,1,512,1024)");
}

TEST_CASE("cute slice: under a swizzle, where the closed modes begin is added before it")
{
    for (const auto& c : {"Sw<3,3,3> o 0 o (8,64):(64,1)"_composed, "Sw<2,0,3> o 5 o (8,(4,16)):(64,(16,1))"_composed,
                          "Sw<0,0,0> o 3 o (4,8):(8,1)"_composed}) {
        INFO(print(c).c_str());
        const Int rows = c.layout.nodes[1].leaf.extent;
        for (Int j = 0; j < size(c) / rows; ++j) {
            Slicer open_first;
            open_first.coordinate.push_back({2, 0});
            open_first.coordinate.push_back({-1, 0});
            open_first.coordinate.push_back({-1, j});
            open_first.kept = 2;
            const auto part = slice(c, open_first);
            REQUIRE(part.has_value());
            for (Int i = 0; i < rows; ++i) REQUIRE(evaluate(*part, i) == evaluate(c, i + rows * j));
        }
    }
    const auto at = [](const char* words) { return *parse_slicer({words, static_cast<int>(std::string(words).size())}); };
    CHECK(text(slice("Sw<3,3,3> o 0 o (8,64):(64,1)"_composed, at("(3,_)"))) == "Sw<3,3,3> o 192 o (64):(1)");
    CHECK(text(slice("Sw<0,0,0> o 3 o (4,8):(8,1)"_composed, at("(_,2)"))) == "Sw<0,0,0> o 5 o (4):(8)");
    CHECK(text(slice("Sw<3,3,3> o _0 o (8,64):(64,1)"_composed, at("(0,_)"))) == "Sw<3,3,3> o _0 o (64):(1)");
    CHECK(text(slice("Sw<3,3,3> o _0 o (8,64):(64,1)"_composed, at("(1,_)"))) == "Sw<3,3,3> o 64 o (64):(1)");
    CHECK(slice("Sw<3,4,3> o smem_ptr[16b] o (8,64):(64,1)"_composed, at("(3,_)")).code() == axe::errc::bad_argument);
    CHECK(slice("Sw<3,4,3> o smem_ptr[16b] o (8,64):(64,1)"_composed, at("(0,_)")).has_value());
    CHECK(slice("Sw<3,3,3> o 0 o (8,64):(64,1)"_composed, at("(8,_)")).code() == axe::errc::out_of_domain);
    CHECK(slice("Sw<0,0,0> o 9223372036854775800 o (4,1):(1,8)"_composed, at("(1,_)"))->offset == 9223372036854775801);
}

TEST_CASE("cute max_common_layout: under swizzles, as far as both have the values at the same indices")
{
    const char* const texts[] = {"Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<3,3,3> o 0 o (64,8):(1,64)",
                                 "Sw<2,1,2> o 0 o (8,8):(1,8)",   "Sw<0,0,0> o 0 o (8,64):(64,1)",
                                 "Sw<0,0,0> o 0 o 512:1",         "Sw<1,0,4> o smem_ptr[8b] o 32:1",
                                 "Sw<2,0,-3> o 0 o (8,8):(8,1)",  "Sw<2,3,-2> o 0 o 64:1",
                                 "Sw<0,0,0> o 0 o (3,8):(8,1)",   "Sw<1,1,1> o 0 o (3,8):(8,1)"};
    for (const char* first : texts)
        for (const char* second : texts) {
            INFO(first << " and " << second);
            const auto a = *parse_composed({first, static_cast<int>(std::string(first).size())});
            const auto b = *parse_composed({second, static_cast<int>(std::string(second).size())});
            const auto common = max_common_layout(a, b);
            REQUIRE(common.has_value());
            CHECK(*max_common_vector(a, b) == size(*common));
            for (Int i = 0; i < size(*common); ++i) {
                const Int at = evaluate(*common, i);
                CHECK(evaluate(a, at) == i);
                CHECK(evaluate(b, at) == i);
            }
        }
    const auto of = [](const char* a, const char* b) {
        return *max_common_vector(*parse_composed({a, static_cast<int>(std::string(a).size())}),
                                  *parse_composed({b, static_cast<int>(std::string(b).size())}));
    };
    CHECK(of("Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)") == 512); // one swizzle: all of it
    CHECK(of("Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<0,0,0> o 0 o (8,64):(64,1)") == 64);  // bit 6 is the first that moves another
    CHECK(of("Sw<2,3,-2> o 0 o 64:1", "Sw<0,0,0> o 0 o 64:1") == 8);                    // bit 3 is
    CHECK(of("Sw<1,1,1> o 0 o (3,8):(8,1)", "Sw<0,0,0> o 0 o (3,8):(8,1)") == 4);
    CHECK(of("Sw<3,3,3> o 0 o 512:1", "Sw<2,3,4> o 0 o 512:1") == 64);
    CHECK(of("Sw<1,1,1> o 0 o (3,8):(8,1)", "Sw<1,1,1> o 0 o (3,8):(8,1)") == 4); // cannot be brought through 3*i + j
    CHECK(of("Sw<1,5,1> o 0 o 24:1", "Sw<1,5,1> o 0 o 24:1") == 24);
    CHECK(max_common_layout("Sw<3,3,3> o 8 o 8:1"_composed, "Sw<3,3,3> o 0 o 8:1"_composed).code() == axe::errc::bad_argument);
    CHECK(max_common_vector("Sw<3,3,3> o 0 o 8:1"_composed, "Sw<3,3,3> o 8 o 8:1"_composed).code() == axe::errc::bad_argument);
}
