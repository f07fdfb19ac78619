// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_MEMORY_RULE_HPP
#define AXE_RELAYOUT_MEMORY_RULE_HPP

#include <axe/relayout/kernels/caches.hpp>

#include <algorithm>
#include <cstdint>

namespace axe {
inline namespace v0 {
namespace detail {

/// What a copy does about the memory. It depends on nothing that a hypervisor may hide: where a reported size matters, both ends are bounded.
struct MemoryRule {
    std::int64_t bytes;                   ///< of the destination, from the first that is written to the last
    std::int64_t streamed;                ///< from so many on, whole lines are written past the caches
    bool streams;                         ///< … so here
    std::int64_t tile_rows, tile_columns; ///< of a transpose, in elements: done before the next tile below; whole blocks of that
    std::int64_t ahead;                   ///< bytes of the source that are on their way while what is before them is done
};

/// The rule, of a destination whose first and last byte are so many bytes apart:
///
///   streams       bytes ≥ min(max(last / 8, 2·second), 4 MiB)
///   tile_columns  translations / 2
///   tile_rows     64 (and at least two blocks)
///   ahead         second / 64, from 8 to 16 KiB
///
/// **Streaming.** Of the last cache a core can count on what the least has: an eighth of 32 MiB, whatever is reported. Measured with 480 MiB
/// reported, where an eighth was believed: f16 4096² (32 MiB) at 0.64 of memcpy, with 32 MiB reported at 0.84–0.95; sticks of f16 at 0.62 and 1.5.
///
/// **Tiles.** Neighboring columns are rows of the destination: each is a page by itself where rows are as long as pages. A tile is as wide as
/// half of the addresses that a core translates without walking page tables (`translations`), and tiles follow one another down the columns,
/// so that a page of the destination is filled before it is left. 8192² f32, pages of 4 kB: tiles across first 0.69 of memcpy, down
/// first 256 columns wide 0.96, 512 wide 0.90, 1024 wide 0.91, 2048 wide 0.85; pages of 2 MB 0.64, 0.72, 0.77, 0.77 and 0.70. 4096² f32: 0.99, 1.26, 1.36,
/// 1.09 and 1.15. Twice as many rows (512 wide): 0.85 of 0.90 and 1.34 of 1.36; half as many 0.70 and 0.94: 256 bytes of a row are written at a time.
///
/// **Prefetch.** 8192² f32, pages of 4 kB, 2, 4, 8 and 16 KiB ahead: 0.83, 0.88, 0.90 and 0.84; pages of 2 MB, where rows a power of two
/// apart meet in few sets of the second cache, 0.92, 0.97, 1.00 and 0.86. 4096² f32: 0.97, 1.05, 1.04 and 1.05.
constexpr MemoryRule memory_rule(std::int64_t bytes, const CacheSizes& caches) noexcept
{
    MemoryRule rule{};
    rule.bytes = bytes;
    rule.streamed = std::min(std::max(caches.last / 8, 2 * caches.second), std::int64_t{4} << 20);
    rule.streams = bytes >= rule.streamed;
    rule.tile_rows = 64;
    rule.tile_columns = std::max<std::int64_t>(caches.translations / 2, 1);
    rule.ahead = std::clamp<std::int64_t>(caches.second / 64, 8192, 16384);
    return rule;
}

/// So many lines of memory, a step apart, are in how many pages at most?
constexpr std::int64_t pages_of(std::int64_t lines, std::int64_t step) noexcept
{
    constexpr std::int64_t page = 4096; // the smallest there are
    const std::int64_t apart = step < 0 ? -step : step;
    return apart >= page ? lines : std::min(lines, lines * apart / page + 2);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
