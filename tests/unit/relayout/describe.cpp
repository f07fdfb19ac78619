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

TEST_CASE("describe: a transpose, with its tiles, the pages they touch and the prefetch")
{
    axe::RelayoutOptions o;
    o.caches = axe::CacheSizes{1 << 20, 32 << 20};
    // 64 rows of 2800 bytes are in 45 pages at most, 700 of 4000 bytes in 685.
    CHECK(words("(1000,700):(1,1000)"_axe, "(1000,700):(700,1)"_axe, {1000, 700}, o) ==
          "1000 × 700 transposed in 16 × 16 blocks of 4-byte elements, tiles of 64 × 1024 (730 pages), 16384 bytes prefetched\n"
          "portable instructions, 1 thread");
    CHECK(words("(8192,8192):(1,8192)"_axe, "(8192,8192):(8192,1)"_axe, {8192, 8192}, o) ==
          "8192 × 8192 transposed in 16 × 16 blocks of 4-byte elements, tiles of 64 × 1024 (1088 pages), 16384 bytes prefetched\n"
          "portable instructions, 1 thread");
    CHECK(words("(40,25):(1,40)"_axe, "(40,25):(25,1)"_axe, {40, 25}, o) ==
          "40 × 25 transposed in 16 × 16 blocks of 4-byte elements, no tiles: 4000 bytes\nportable instructions, 1 thread");
}

TEST_CASE("describe: a transpose whose rows leave in bursts")
{
    if (!axe::detail::runs_here(axe::detail::InstructionSet::sse2)) return;
    axe::RelayoutOptions o;
    o.instructions = axe::detail::InstructionSet::sse2;
    o.caches = axe::CacheSizes{1 << 20, 32 << 20, 2048, 64, 512};
    const std::string text =
        axe::describe(axe::plan_relayout("(4096,4096):(1,4096)"_axe, "(4096,4096):(4096,1)"_axe, {4096, 4096}, o).value());
    CHECK(text == "4096 × 4096 transposed in 16 × 16 blocks of 4-byte elements, tiles of 128 × 1024 (1152 pages), 4096 bytes "
                  "prefetched, 512 bytes of a row written together\n"
                  "sse2 instructions, streaming stores: 67108864 bytes of at least 4194304, 1 thread");
}

TEST_CASE("describe: how lines are stored, and why")
{
    using axe::detail::InstructionSet;
    if (!axe::detail::runs_here(InstructionSet::sse2)) return;
    axe::RelayoutOptions o;
    o.instructions = InstructionSet::sse2;
    o.caches = axe::CacheSizes{1 << 20, 480 << 20};
    const auto last_line = [&](const axe::Layout& l, std::int64_t n) {
        const std::string text = axe::describe(axe::plan_relayout(l, l, {n}, o).value());
        return text.substr(text.rfind('\n') + 1);
    };
    CHECK(last_line("1048576:1"_axe, 1 << 20) ==
          "sse2 instructions, streaming stores: 4194304 bytes of at least 4194304, 1 thread");
    CHECK(last_line("1048575:1"_axe, (1 << 20) - 1) ==
          "sse2 instructions, no streaming stores: 4194300 bytes of 4194304, 1 thread");
    o.streaming = axe::RelayoutOptions::Streaming::always;
    CHECK(last_line("64:1"_axe, 64) == "sse2 instructions, streaming stores: always, 1 thread");
    o.streaming = axe::RelayoutOptions::Streaming::never;
    CHECK(last_line("1048576:1"_axe, 1 << 20) == "sse2 instructions, no streaming stores: never, 1 thread");
    o = {};
    o.instructions = InstructionSet::sse2;
    o.from_type = DType::f32;
    o.to_type = DType::f16;
    CHECK(last_line("64:1"_axe, 64) == "sse2 instructions, 1 thread");
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
