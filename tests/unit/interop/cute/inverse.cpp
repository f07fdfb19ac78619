// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/inverse.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

using namespace axe::literals;
using axe::cute::left_inverse;
using axe::cute::right_inverse;

static_assert(left_inverse("(4,8):(8,1)"_cute).value() == "(8,4):(4,1)"_cute);
static_assert(right_inverse("(4,8):(8,1)"_cute).value() == "(8,4):(4,1)"_cute);

TEST_CASE("cute left_inverse: the index of each value")
{
    CHECK(*left_inverse("(4,2):(1,5)"_cute) == "(5,2):(1,4)"_cute);
    CHECK(*left_inverse("4:2"_cute) == "(2,4):(0,1)"_cute);
    CHECK(*left_inverse("(2,4,4,6):(4,1,0,8)"_cute) == "(4,2,6):(2,1,32)"_cute); // the mode of 4:0 stays at 0
    CHECK(*left_inverse("4:0"_cute) == "1:0"_cute);
    CHECK(*left_inverse("(128,64):(131072,2)"_cute) == "(2,65536,128):(0,128,1)"_cute);
}

TEST_CASE("cute left_inverse: strides that are not a chain")
{
    const auto inverse = left_inverse("(2,2):(2,3)"_cute); // 0 2 3 5
    REQUIRE(inverse);
    for (int x = 0; x < 4; ++x) CHECK(evaluate(*inverse, evaluate("(2,2):(2,3)"_cute, x)) == x);
    CHECK(left_inverse("(2,2):(1,1)"_cute).code() == axe::errc::no_layout); // 1 twice
    CHECK(left_inverse("4:-1"_cute).code() == axe::errc::no_layout);
    CHECK(left_inverse("(2,2):(-4,1)"_cute).code() == axe::errc::no_layout);
    CHECK(left_inverse("(1000,7):(7,1000)"_cute).code() == axe::errc::too_hard);
    CHECK_FALSE(left_inverse("(1000,1000,1000):(7,1001,0)"_cute).error().ok());
}

TEST_CASE("cute right_inverse: the longest run of values found again")
{
    CHECK(*right_inverse("(8,4):(1,64)"_cute) == "8:1"_cute);
    CHECK(*right_inverse("4:2"_cute) == "1:0"_cute);
    CHECK(*right_inverse("(4,12):(0,1)"_cute) == "12:4"_cute);                 // Python gives 1:0
    CHECK(*right_inverse("(4,6,2,4):(1,7,2,16)"_cute) == "(3,2):(1,25)"_cute); // CuTe follows 1, 4 and stops at 4
    CHECK(*right_inverse("(4,2):(-1,4)"_cute) == "2:7"_cute);                  // 0 −1 −2 −3 4 3 2 1
    CHECK(right_inverse(axe::cute::Layout{}).code() == axe::errc::capacity);
}

TEST_CASE("cute left_inverse: as far as the integer goes")
{
    // Of extent 2 the last leaf would make the size 2^63; it runs on.
    const auto far = left_inverse("2:4611686018427387904"_cute);
    REQUIRE(far.has_value());
    CHECK(*far == "(4611686018427387904,1):(0,1)"_cute);
    CHECK(evaluate(*far, 0) == 0);
    CHECK(evaluate(*far, 4611686018427387904) == 1);
    const auto wide = left_inverse("(3,2):(2,4611686018427387904)"_cute);
    REQUIRE(wide.has_value());
    CHECK(check(*wide).ok());
    CHECK(evaluate(*wide, 4611686018427387904 + 4) == 5);
    CHECK(*left_inverse("9223372036854775807:1"_cute) == "9223372036854775807:1"_cute);
    CHECK(left_inverse("(1099511627776,2,2):(0,1,1125899906842624)"_cute).code() == axe::errc::overflow); // between the values
}

namespace {

/// All that the definition asks of the inverses of a layout whose values are coordinates: M(L(x)) = x for every x whose idle digits are
/// 0, L(R(c)) = c for every c, and R cannot be made longer at any place.
void check_inverses(const axe::cute::Layout& layout)
{
    INFO(axe::cute::print(layout).c_str());
    int modes = 0;
    for (const auto& leaf : leaves(layout))
        if (!leaf.basis.path.empty()) modes = std::max(modes, leaf.basis.path[0] + 1);
    const auto value = [&](std::int64_t x) {
        std::vector<std::int64_t> c;
        for (int i = 0; i < modes; ++i) c.push_back(evaluate(layout, x, axe::cute::Basis{i}));
        return c;
    };
    const auto at = [&](const axe::cute::Layout& inverse, const std::vector<std::int64_t>& c) {
        std::int64_t sum = 0;
        for (int i = 0; i < modes; ++i) sum += evaluate(mode(inverse, i), c[static_cast<std::size_t>(i)]);
        return sum;
    };
    std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> indices;
    for (std::int64_t x = 0; x < size(layout); ++x) indices[value(x)].push_back(x);

    const auto right = right_inverse(layout);
    REQUIRE(right);
    REQUIRE(rank(*right) == modes);
    for (std::int64_t y = 0; y < size(*right); ++y) {
        std::vector<std::int64_t> c;
        std::int64_t rest = y;
        for (int i = 0; i < modes; ++i) c.push_back(rest % size(mode(*right, i))), rest /= size(mode(*right, i));
        const std::int64_t x = at(*right, c);
        REQUIRE(x == evaluate(*right, y));
        REQUIRE(value(x) == c);
    }
    for (int i = 0; i < modes; ++i) { // no x has the next coordinate at place i and 0 elsewhere, or no layout goes on to it
        std::vector<std::int64_t> next(static_cast<std::size_t>(modes), 0);
        next[static_cast<std::size_t>(i)] = size(mode(*right, i));
        if (indices.contains(next)) {
            axe::cute::Layout alone = layout; // then the plain inverse of what counts there is as short
            for (auto& node : alone.nodes)
                if (node.children < 0) {
                    if (!(node.leaf.basis == axe::cute::Basis{i})) node.leaf.stride = 1000; // too far to be of use
                    node.leaf.basis = {};
                }
            CHECK(size(*right_inverse(alone)) == next[static_cast<std::size_t>(i)]);
        }
    }
    const auto left = left_inverse(layout);
    bool single = true; // but for idle digits
    for (const auto& [c, xs] : indices) {
        std::int64_t moves = 0;
        for (const std::int64_t x : xs) {
            std::int64_t rest = x;
            bool idle = true;
            for (const auto& leaf : leaves(layout))
                idle = idle && (leaf.stride != 0 || rest % leaf.extent == 0), rest /= leaf.extent;
            moves += idle;
        }
        single = single && moves == 1;
    }
    if (!single) CHECK(left.code() == axe::errc::no_layout);
    if (!left) return;
    REQUIRE(rank(*left) == modes);
    for (const auto& [c, xs] : indices) {
        const std::int64_t x = at(*left, c);
        REQUIRE(std::find(xs.begin(), xs.end(), x) != xs.end());
        std::int64_t rest = x;
        for (const auto& leaf : leaves(layout)) {
            CHECK((leaf.stride != 0 || rest % leaf.extent == 0));
            rest /= leaf.extent;
        }
    }
}

} // namespace

TEST_CASE("cute inverses of layouts whose values are coordinates")
{
    // [NVIDIA/cutlass 7107b05535, cutlass_compiler/cutegen/test, cg_right_inverse_test.cpp and cg_left_inverse_test.cpp]
    CHECK(*right_inverse("(4,5):(1@1,1@0)"_cute) == "(5,4):(4,1)"_cute);
    CHECK(*right_inverse("(((16,4),64),1,1):(((1@1,32@1),2@0),0,0)"_cute) == "(1,16):(0,1)"_cute);
    CHECK(*right_inverse("(3,(1,1,(4,1))):(4@2,(1@0,1@1,(1@2,12@2)))"_cute) == "(1,1,(4,3)):(0,0,(3,1))"_cute);
    CHECK(*right_inverse("((2,5,3),((5,1),(4,2,1))):((4@1,5@0,16@1),((1@0,25@0),(1@1,8@1,48@1)))"_cute) ==
          "((5,5),(4,2,2,3)):((30,2),(150,1,600,10))"_cute);
    CHECK(*right_inverse("((2,2,2),(2,2,2)):((1@0,2@1,5@0),(1@1,2@0,5@1))"_cute) == "((2,2),(2,2)):((1,16),(8,2))"_cute);
    CHECK(*right_inverse("(4,1,5):(1@0,0,1@1)"_cute) == "(4,5):(1,4)"_cute);
    CHECK(*right_inverse("(3,(1)):(1@0,(3@0))"_cute) == "(3):(1)"_cute);
    CHECK(*left_inverse("((2,2,2),(2,2,2)):((1@0,2@1,6@0),(1@1,2@0,4@1))"_cute) == "((2,3,2),(2,2,2)):((1,16,4),(8,2,32))"_cute);
    CHECK(*left_inverse("(((16,4),64),1,1):(((1@1,32@1),2@0),0,0)"_cute) == "((2,64),(32,4)):((0,64),(1,16))"_cute);
    // Tuples in tuples, and a place that nothing counts along.
    CHECK(*right_inverse("(4,2,3):(1@1@0,1@0@0,1@2)"_cute) == "((2,4),1,3):((4,1),0,8)"_cute);
    CHECK(*left_inverse("(4,2,3):(1@1@0,1@0@0,1@2)"_cute) == "((2,4),1,3):((4,1),0,8)"_cute);
    CHECK(*right_inverse("4:1@0"_cute) == "(4):(1)"_cute);

    CHECK(left_inverse("(4,2):(1@0,1@0)"_cute).code() == axe::errc::no_layout); // 1 twice
    CHECK(left_inverse("(4,2):(-1@0,1@1)"_cute).code() == axe::errc::no_layout);
    CHECK(right_inverse("(4,2):(1@1000000,1@1)"_cute).code() == axe::errc::capacity);       // a million places
    CHECK(left_inverse("(2,2,4,3):(8@2,2@0,4@2,3@0)"_cute).code() == axe::errc::no_layout); // 8@2 twice; place 0 alone is too hard
    // The last mode of a coordinate does not run on.
    CHECK(left_inverse("(3,2):(1@0,4611686018427387904@0)"_cute).code() == axe::errc::overflow);
}

TEST_CASE("cute inverses over bases, by enumeration")
{
    check_inverses("((2,2,2),(2,2,2)):((1@0,2@1,5@0),(1@1,2@0,4@1))"_cute);
    check_inverses("(4,3):(1@0,0@1)"_cute);
    std::mt19937 random(20261124);
    for (int trial = 0; trial < 600; ++trial) {
        axe::cute::Leaves list;
        std::int64_t size = 1;
        for (int k = 0, n = 1 + static_cast<int>(random() % 4); k < n && size < 200; ++k) {
            const std::int64_t extent = 1 + static_cast<std::int64_t>(random() % 4);
            const std::int64_t strides[] = {0, 1, 1, 2, 3, 4, 6, 8};
            const std::int64_t stride = strides[random() % 8];
            list.push_back(axe::cute::Leaf(extent, stride, axe::cute::Basis{static_cast<std::int64_t>(random() % 3)}));
            size *= extent;
        }
        check_inverses(axe::cute::from_leaves(list));
    }
}
