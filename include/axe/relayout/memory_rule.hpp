// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_MEMORY_RULE_HPP
#define AXE_RELAYOUT_MEMORY_RULE_HPP

#include <axe/relayout/kernels/caches.hpp>

#include <algorithm>
#include <cstdint>

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr std::int64_t page_bytes = 4096; ///< of the smallest pages there are

/// What a copy does about the memory. Nothing hangs on what a hypervisor may hide: where a reported size counts, both ends are bounded.
struct MemoryRule {
    std::int64_t bytes;                   ///< of the destination, from the first that is written to the last
    std::int64_t streamed;                ///< from so many on, whole lines are written past the caches
    bool streams;                         ///< … so here
    std::int64_t tile_rows, tile_columns; ///< of a transpose, in elements: done before the next tile below; whole blocks of that
    std::int64_t followed;                ///< rows of a tile where each is in a page of its own and only they are read
    std::int64_t ahead;                   ///< bytes of the source that are on their way while what is before them is done
    std::int64_t burst;                   ///< bytes of a row that blocks are put together to, if it is more than a line
    std::int64_t burst_ahead;             ///< what is ahead of blocks that are put together
};

/// The rule, of a destination whose first and last byte are so many bytes apart:
///
///   streams       bytes ≥ min(max(last / 8, 2·second), 4 MiB)
///   tile_columns  translations / 2, at most 1024
///   tile_rows     64 (and at least two blocks); as many as are followed, at most 64, of pages that are read and not written;
///                 burst, in elements, where rows leave in bursts
///   ahead         second / 64, from 8 to 16 KiB; 4 KiB where rows leave in bursts
///   burst         a line or 512 bytes, as the machine has it
///
/// Measured on a Zen 4 where nothing else is said, shares of memcpy (`bench/relayout/memory.py --constants`; the tables are in docs/design/0015-relayout.md):
///
/// **Streaming.** Sticks of f32 through the caches and past them: 0.84 and 0.60 of 2 MiB, 0.65 and 0.72 of 4, 0.69 and 1.25 of 8. A virtual
/// machine may report the last caches of a whole host, 480 MiB and more, of which one core can count on no more than elsewhere.
///
/// **Tiles.** Neighboring columns are rows of the destination, each in a page by itself where rows are as long as pages. A tile is as wide as
/// half of the pages whose addresses a core keeps, and tiles follow one another along those rows: a page is filled before it is left, and
/// 64 rows of the source, the prefetch and the program have the other half. 8192² f32 in pages of 4 kB, 64, 256, 512, 1024 and 8192 columns:
/// 0.74, 1.04, 0.99, 0.98 and 0.76. 32 rows of f32 were slower (0.70 for 0.84), and so were 128 of f16 (0.78 for 0.88 with pages of 2 MB).
///
/// **Prefetch.** 4, 8 and 16 KiB ahead: 0.47, 0.75 and 0.75 of rows that do not fill lines, of which the destination is fetched as well; 8 and
/// 16: 1.43 and 1.51 of nchw → nChw16c, equal else. Of a second cache of 512 KiB and less, 16 KiB of each side are more than it should give.
constexpr MemoryRule memory_rule(std::int64_t bytes, const CacheSizes& caches) noexcept
{
    MemoryRule rule{};
    rule.bytes = bytes;
    rule.streamed = std::min(std::max(caches.last / 8, 2 * caches.second), std::int64_t{4} << 20);
    rule.streams = bytes >= rule.streamed;
    rule.tile_rows = 64;
    rule.followed = std::clamp<std::int64_t>(caches.followed, 1, rule.tile_rows);
    rule.tile_columns = std::clamp<std::int64_t>(caches.translations / 2, 1, 1024);
    rule.ahead = std::clamp<std::int64_t>(caches.second / 64, 8192, 16384);
    rule.burst = caches.burst < channel_step ? line_bytes : channel_step;
    rule.burst_ahead = 4096;
    return rule;
}

/// So many lines of memory, a step apart, are in how many pages at most?
constexpr std::int64_t pages_of(std::int64_t lines, std::int64_t step) noexcept
{
    const std::int64_t apart = step < 0 ? -step : step;
    return apart >= page_bytes ? lines : std::min(lines, lines * apart / page_bytes + 2);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
