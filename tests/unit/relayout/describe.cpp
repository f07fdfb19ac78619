// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/describe.hpp>
#include <axe/relayout/relayout.hpp>
#include <catch.hpp>

#include <algorithm>

namespace {

using namespace axe::literals;
using axe::DType;
using axe::RelayoutSide;

std::string words(const RelayoutSide& to, const RelayoutSide& from, const axe::Shape& shape, axe::RelayoutOptions o = {})
{
    o.instructions = axe::detail::InstructionSet::portable;
    return axe::describe(axe::plan_relayout(to, from, shape, o).value());
}

} // namespace

TEST_CASE("describe: each way of copying in words")
{
    CHECK(words("24:1"_axe, "24:1"_axe, {24}) == "runs of 96 bytes\nportable instructions, 1 thread");
    CHECK(words("(4,24):(32,1)"_axe, "(4,24):(24,1)"_axe, {4, 24}) == "runs of 96 bytes, 4 times\nportable instructions, 1 thread");
    CHECK(words("(3,8):(16,2)"_axe, "(3,8):(40,3)"_axe, {3, 8}) ==
          "8 elements one by one, 12 bytes apart in the source, 8 in the destination, 3 times\nportable instructions, 1 thread");
    CHECK(words("8:1"_axe, "8:0"_axe, {8}) == "one element into each of 8 elements of 4 bytes\nportable instructions, 1 thread");
    axe::RelayoutOptions o;
    o.bits = 4;
    CHECK(words("5:1"_axe, "5:2"_axe, {5}, o) == "4-bit elements one by one, 5 times\nportable instructions, 1 thread");
    o = {};
    o.from_type = DType::f32;
    o.to_type = DType::f16;
    o.padding = 0;
    CHECK(words(RelayoutSide("8:1"_axe, {8}), "6:1"_axe, {6}, o) ==
          "runs of 24 bytes\none element into each of 2 elements of 2 bytes, the padding\nconverted from f32 to f16\nportable "
          "instructions, 1 thread");
    const axe::Swizzled<axe::Layout> s{{3, 4, 3}, {}, 4, "(8,32):(32,1)"_axe};
    CHECK(words(s, "(8,32):(32,1)"_axe, {8, 32}) == "16-byte elements one by one, 64 times\nportable instructions, 1 thread");
}

TEST_CASE("describe: a transpose, with its tiles")
{
    axe::RelayoutOptions o;
    o.instructions = axe::detail::InstructionSet::portable;
    const auto plan = axe::plan_relayout("(1000,700):(1,1000)"_axe, "(1000,700):(700,1)"_axe, {1000, 700}, o).value();
    const auto& piece = plan.parts().pieces.at(0);
    CHECK(axe::describe(plan) == "1000 × 700 transposed in 16 × 16 blocks of 4-byte elements, tiles of " +
                                     std::to_string(piece.tile_rows) + " × " + std::to_string(piece.tile_columns) +
                                     "\nportable instructions, 1 thread");
}

TEST_CASE("describe: of many pieces the first eight")
{
    // 15 = 3·5 against 5·3 takes 7 pieces, and twice that 49.
    axe::Layout to = "(3,5,3,5):(15,45,1,3)"_axe, from = "(5,3,5,3):(15,75,1,5)"_axe;
    const std::string text = words(to, from, {225});
    CHECK(std::count(text.begin(), text.end(), '\n') == 9);
    CHECK(text.find("\nand 41 pieces more\nportable instructions, 1 thread") != std::string::npos);
    // Past the limit, none.
    for (axe::Layout* l : {&to, &from}) l->shard = {};
    for (std::int64_t stride = 759375 / 15, k = 0; k < 5; ++k, stride /= 15) {
        for (const auto& [extent, step] : {std::pair<std::int64_t, std::int64_t>{3, 1}, {5, 3}})
            to.shard.push_back({extent, step * stride});
        for (const auto& [extent, step] : {std::pair<std::int64_t, std::int64_t>{5, 1}, {3, 5}})
            from.shard.push_back({extent, step * stride});
    }
    CHECK(words(to, from, {759375}) == "759375 elements one by one, each address computed\nportable instructions, 1 thread");
}

TEST_CASE("describe: no plan is nothing") { CHECK(axe::describe(axe::RelayoutPlan{}) == "nothing"); }
