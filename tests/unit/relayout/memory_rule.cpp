// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/memory_rule.hpp>

#include <catch.hpp>

#include <set>

using axe::CacheSizes;
using axe::detail::memory_rule;
using axe::detail::MemoryRule;
using Int = std::int64_t;

namespace {
constexpr Int kib = 1024, mib = 1024 * kib;
}

TEST_CASE("memory rule: streaming begins at what one core can count on, whatever is reported")
{
    const auto streamed = [](Int second, Int last) { return memory_rule(0, {second, last}).streamed; };
    CHECK(streamed(mib, 32 * mib) == 4 * mib);
    CHECK(streamed(512 * kib, 16 * mib) == 2 * mib);
    CHECK(streamed(mib, 8 * mib) == 2 * mib); // twice the second cache
    for (const Int last : {32, 64, 128, 256, 480, 512}) CHECK(streamed(2 * mib, last * mib) == 4 * mib);
    CHECK(streamed(16 * mib, 16 * mib) == 4 * mib); // a second cache that many cores share
    for (const Int last : {8, 32, 512}) {
        const CacheSizes caches{mib, last * mib};
        const Int first = memory_rule(0, caches).streamed;
        CHECK_FALSE(memory_rule(first - 1, caches).streams);
        CHECK(memory_rule(first, caches).streams);
    }
}

TEST_CASE("memory rule: reports of caches from 8 to 512 MiB change nothing else")
{
    for (const Int last : {8, 16, 32, 64, 128, 256, 512}) {
        const MemoryRule rule = memory_rule(64 * mib, {mib, last * mib});
        CHECK(rule.streams);
        CHECK(rule.bytes == 64 * mib);
        CHECK(rule.tile_rows == 64);
        CHECK(rule.tile_columns == 1024);
        CHECK(rule.ahead == 16 * kib);
        CHECK(rule.burst == 64);
    }
}

TEST_CASE("memory rule: half of the addresses that a core translates are the destination's")
{
    CHECK(memory_rule(0, {mib, mib, 3072}).tile_columns == 1024);
    CHECK(memory_rule(0, {mib, mib, 2048}).tile_columns == 1024);
    CHECK(memory_rule(0, {mib, mib, 1024}).tile_columns == 512);
    CHECK(memory_rule(0, {mib, mib, 64}).tile_columns == 32);
    CHECK(memory_rule(0, {mib, mib, 1}).tile_columns == 1);
}

TEST_CASE("memory rule: the distance of the prefetch follows the second cache")
{
    CHECK(memory_rule(0, {mib, 32 * mib}).ahead == 16 * kib);
    CHECK(memory_rule(0, {512 * kib, 32 * mib}).ahead == 8 * kib);
    CHECK(memory_rule(0, {64 * kib, 32 * mib}).ahead == 8 * kib);
    CHECK(memory_rule(0, {768 * kib, 32 * mib}).ahead == 12 * kib);
    CHECK(memory_rule(0, {16 * mib, 32 * mib}).ahead == 16 * kib);
}

TEST_CASE("memory rule: bursts are lines, or as many as meet at a channel")
{
    for (const Int bytes : {0, 1, 64, 511}) CHECK(memory_rule(0, {mib, 32 * mib, 2048, 64, bytes}).burst == 64);
    for (const Int bytes : {512, 4096}) CHECK(memory_rule(0, {mib, 32 * mib, 2048, 64, bytes}).burst == 512);
}

TEST_CASE("memory rule: the pages of lines, against every byte's")
{
    using axe::detail::pages_of;
    for (const Int lines : {1, 2, 7, 64})
        for (const Int step : {4, 100, 1000, 4000, 4095, 4096, 4097, 32768, -100, -8192}) {
            CAPTURE(lines, step);
            std::size_t most = 0;
            for (Int begin = 0; begin < 4096; begin += 4) {
                std::set<Int> pages;
                for (Int k = 0; k < lines; ++k) pages.insert((begin + k * step + (Int{1} << 40)) / 4096);
                most = std::max(most, pages.size());
            }
            CHECK(pages_of(lines, step) >= static_cast<Int>(most));
            CHECK(pages_of(lines, step) <= static_cast<Int>(most) + 1);
        }
}
