// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/read_text.hpp>
#include <catch.hpp>

#include <string>

/// The readers, each up to what follows; what they refuse, with the character. Whole texts are in text.cpp.
namespace {

namespace cute = axe::cute;
using axe::cute::detail::Reader;

struct Answer {
    bool read;
    int at; ///< where the reader stands, or the error
};
template <class F>
Answer read(const std::string& text, F f)
{
    Reader in(text.data(), static_cast<int>(text.size()));
    const bool good = f(in);
    CHECK(good == in.error.ok());
    return {good, good ? in.at : in.error.position};
}

} // namespace

TEST_CASE("cute read_text: numbers, static or not")
{
    std::int64_t n = 0;
    bool is_static = false;
    int where = -1;
    const auto number = [&](Reader& in) { return cute::detail::read_number(in, n, is_static, where, "no number at {0}"); };
    CHECK(read("  _12,", number).at == 5);
    CHECK(n == 12);
    CHECK(is_static);
    CHECK(where == 2);
    CHECK(read("-7)", number).read);
    CHECK(n == -7);
    CHECK_FALSE(is_static);
    CHECK_FALSE(read("?", number).read);
    CHECK(read("_x", number).at == 1);
    CHECK_FALSE(read("", number).read);
    CHECK_FALSE(read("99999999999999999999", number).read);
}

TEST_CASE("cute read_text: a layout, up to what follows")
{
    cute::Layout l;
    const auto layout = [&](Reader& in) {
        l.nodes.clear();
        return cute::detail::read_layout(in, l);
    };
    CHECK(read("((2,4),8):((1,16),2) o", layout).at == 20);
    CHECK(cute::rank(l) == 2);
    CHECK(read("(8,):(1,);", layout).at == 9); // as Python prints it
    CHECK(l.nodes.size() == 2);
    CHECK(read("():()", layout).read);
    CHECK(read("8:3@1@0", layout).read);
    CHECK(l.nodes[0].leaf.basis == cute::Basis{0, 1});
    CHECK(read("8:3@0@1@2@3", layout).at == 10);
    CHECK(read("8:3@2097151", layout).at == 4);
    CHECK(read("(8,4):(1,8,2)", layout).at == 11);
    CHECK(read("(8,4):(1)", layout).at == 8);
    CHECK(read("(8,4):1", layout).at == 6);
    CHECK(read("8:(1)", layout).at == 2);
    CHECK(read("(8,0):(1,8)", layout).at == 3);
    CHECK(read("(8,4", layout).at == 4);
    CHECK(read("(8,,4):(1,1)", layout).at == 3);
    CHECK(read("(9223372036854775807,2):(0,0)", layout).at == 21);
    CHECK(read("(4,2):(1,9223372036854775807)", layout).at == 9);
    CHECK(read("(4,2):(1,1@0)", layout).at == 9); // do not add
    CHECK(read(std::string(39, '(') + "8" + std::string(39, ')') + ":" + std::string(39, '(') + "1" + std::string(39, ')'), layout)
              .read);
    CHECK(read(std::string(41, '('), layout).at == 40);
}

TEST_CASE("cute read_text: a swizzle and a coordinate")
{
    cute::Composed c;
    const auto swizzle = [&](Reader& in) { return cute::detail::read_swizzle(in, c); };
    CHECK(read("Sw<3,4,-3> o _16 o 8:1", swizzle).read);
    CHECK(c.swizzle == axe::Swizzle{3, 4, -3});
    CHECK(c.offset == 16);
    CHECK(c.static_offset);
    CHECK(read("S<1,2,3> o smem_ptr[16b] o ", swizzle).read);
    CHECK(c.element_bits == 16);
    CHECK(read("Sw<3,4>", swizzle).at == 6);
    CHECK(read("Sw[3", swizzle).at == 2);
    CHECK(read("Sw<3,4,3> 0", swizzle).at == 10);

    cute::Coordinate at;
    const auto coordinate = [&](Reader& in) {
        at.clear();
        return cute::detail::read_coordinate(in, at);
    };
    CHECK(read("((1,3),5)", coordinate).read);
    CHECK(at.size() == 5);
    CHECK(at[0].children == 2);
    CHECK(at[4].index == 5);
    CHECK(read("((1,3),)", coordinate).read);
    CHECK_FALSE(read("((1,3", coordinate).read);
}
