// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/composed_recast.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <string>
#include <vector>

using namespace axe::literals;
using namespace axe::cute;
using Int = std::int64_t;

namespace {

std::string text(const axe::Result<Composed>& c) { return c ? print(*c).c_str() : c.error().message().c_str(); }
Composed read(const std::string& words) { return *parse_composed({words.data(), static_cast<int>(words.size())}); }

/// The digits of x over the leaves, leftmost fastest.
std::vector<Int> digits_of(const Layout& layout, Int x)
{
    std::vector<Int> out;
    for (const Leaf& leaf : leaves(layout)) {
        out.push_back(x % leaf.extent);
        x /= leaf.extent;
    }
    return out;
}
Int index_of(const Layout& layout, const std::vector<Int>& digits)
{
    Int index = 0, weight = 1;
    const auto all = leaves(layout);
    for (int i = 0; i < all.size(); ++i) {
        index += weight * digits[static_cast<std::size_t>(i)];
        weight *= all[i].extent;
    }
    return index;
}

} // namespace

static_assert(upcast("Sw<3,4,3> o 0 o (8,64):(64,1)"_composed, 4).value() == "Sw<3,2,3> o 0 o (8,16):(16,1)"_composed);
static_assert(downcast("Sw<3,2,3> o 0 o (8,16):(16,1)"_composed, 4).value() == "Sw<3,4,3> o 0 o (8,64):(64,1)"_composed);

TEST_CASE("cute upcast: the words of a swizzled layout are those of its values")
{
    int found = 0;
    for (const char* words : {"Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<3,3,3> o 64 o (8,64):(64,1)", "Sw<2,0,3> o 8 o (8,8):(8,1)",
                              "Sw<2,1,3> o 0 o (8,8):(1,8)", "Sw<2,2,-2> o 0 o 64:1", "Sw<2,3,-2> o 0 o (4,16):(16,1)",
                              "Sw<0,0,0> o 16 o (4,8):(8,1)", "Sw<1,0,2> o 4 o (2,8):(0,1)"})
        for (const Int n : {1, 2, 4, 8}) {
            INFO(words << " in words of " << n);
            const Composed c = read(words);
            const auto r = upcast(c, n);
            if (!r) {
                CHECK(r.code() == axe::errc::no_layout);
                continue;
            }
            ++found;
            const auto from = leaves(c.layout);
            for (Int x = 0; x < size(c); ++x) {
                auto at = digits_of(c.layout, x);
                for (int k = 0; k < from.size(); ++k) {
                    const Int s = from[k].stride;
                    at[static_cast<std::size_t>(k)] /= s > 0 && s < n && n % s == 0 ? n / s : 1;
                }
                REQUIRE(evaluate(*r, index_of(r->layout, at)) == evaluate(c, x) / n);
            }
        }
    CHECK(found >= 24);
    CHECK(text(upcast("Sw<3,1,3> o 0 o 256:1"_composed, 8)) == "Sw<1,0,3> o 0 o 32:1"); // two of three bits are within a word
    CHECK(text(upcast("Sw<1,0,3> o 0 o 256:1"_composed, 8)) == "32:1");
    CHECK(text(upcast("Sw<2,2,-2> o 0 o 64:1"_composed, 8)) ==
          "the swizzle moves words of 8 elements by bit 2, which is within a word");
    CHECK(text(upcast("Sw<3,3,3> o 2 o 64:1"_composed, 4)) == "offset 2 is not a multiple of a word of 4 elements");
    CHECK(text(upcast("Sw<3,3,3> o 0 o (4,3):(3,12)"_composed, 3)) == "a swizzle moves words of a power of two of elements, got 3");
    CHECK(text(upcast("Sw<0,0,0> o 6 o 4:3"_composed, 3)) == "Sw<0,0,0> o 2 o 4:1");
    CHECK(text(upcast("Sw<3,4,3> o smem_ptr[16b] o (8,64):(64,1)"_composed, 2)) ==
          "Sw<3,4,3> o smem_ptr[32b](unset) o (8,32):(32,1)");
    CHECK(upcast("Sw<3,4,3> o smem_ptr[128b] o 64:1"_composed, 2).code() == axe::errc::bad_argument); // 16 bytes are moved as one
    CHECK(upcast("Sw<3,3,3> o 0 o 4:3"_composed, 2).code() == axe::errc::no_layout);
    CHECK(upcast("Sw<3,3,3> o 0 o 4:1"_composed, 0).code() == axe::errc::bad_argument);
}

TEST_CASE("cute downcast: the parts of the words of a swizzled layout")
{
    for (const char* words :
         {"Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<2,0,3> o 5 o (8,8):(8,1)", "Sw<2,2,-2> o 0 o 64:1", "Sw<0,0,0> o 3 o (4,8):(8,1)"})
        for (const Int n : {1, 2, 4}) {
            INFO(words << " in parts of 1/" << n);
            const Composed c = read(words);
            const auto r = downcast(c, n);
            REQUIRE(r.has_value());
            const auto grown = leaves(r->layout), from = leaves(c.layout);
            for (Int x = 0; x < size(*r); ++x) {
                auto at = digits_of(r->layout, x);
                Int part = 0;
                for (int k = 0; k < grown.size(); ++k) {
                    if (grown[k].extent == from[k].extent) continue;
                    part = at[static_cast<std::size_t>(k)] % n;
                    at[static_cast<std::size_t>(k)] /= n;
                }
                REQUIRE(evaluate(*r, x) == n * evaluate(c, index_of(c.layout, at)) + part);
            }
        }
    CHECK(text(downcast("Sw<3,4,3> o smem_ptr[32b] o (8,32):(32,1)"_composed, 2)) ==
          "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    CHECK(text(downcast("Sw<3,4,3> o smem_ptr[8b] o 32:1"_composed, 16)) == "elements of 8 bits have no 16 parts");
    CHECK(text(downcast("Sw<3,3,3> o 0 o 4:1"_composed, 3)) == "a swizzle moves words of a power of two of elements, got 3");
    CHECK(downcast("Sw<3,20,3> o 0 o 4:1"_composed, 1024).code() == axe::errc::bad_argument); // beyond CuTe's masks
    CHECK(downcast("Sw<0,0,0> o 4611686018427387904 o 4:1"_composed, 4).code() == axe::errc::overflow);
    CHECK(downcast("Sw<3,3,3> o 0 o 4:2"_composed, 2).code() == axe::errc::no_layout);
}

TEST_CASE("cute recast: a swizzled layout of elements of another width")
{
    CHECK(text(recast("Sw<3,4,3> o 0 o (8,64):(64,1)"_composed, 8, 32)) == "Sw<3,2,3> o 0 o (8,16):(16,1)");
    CHECK(text(recast("Sw<3,2,3> o 0 o (8,16):(16,1)"_composed, 32, 8)) == "Sw<3,4,3> o 0 o (8,64):(64,1)");
    CHECK(recast("Sw<3,2,3> o 0 o (8,16):(16,1)"_composed, 0, 8).code() == axe::errc::bad_argument);
}
