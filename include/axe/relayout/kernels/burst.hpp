// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_RELAYOUT_KERNELS_BURST_HPP
#define AXE_RELAYOUT_KERNELS_BURST_HPP

#include <axe/relayout/kernels/caches.hpp>
#include <axe/relayout/kernels/select.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

namespace axe {
inline namespace v0 {
namespace detail {

/// Bytes of a row of the destination that are best written one after another, of rows that are multiples of `channel_step` apart: a line,
/// or `channel_step` where lines of many such rows, one of each, take more than 1.6 times as long as those of rows 128 bytes farther apart.
///
/// Measured with these kernels' streaming stores, in a buffer of 1 MiB: about a millisecond. Seen on a Zen 3: 12.5 and 3.5 ns a line, the
/// latter up to 6.4 where other programs used the memory; on an Emerald Rapids 6 and 6.
/// @return `line_bytes` where there are no streaming stores, or no memory to measure in.
inline std::int64_t measured_burst(const RelayoutKernels& kernels) noexcept
{
    if (kernels.stream[0] == nullptr) return line_bytes;
    constexpr std::int64_t rows = 256, columns = 8, aligned = 4096, farther = aligned + 2 * line_bytes;
    constexpr std::size_t bytes = rows * farther + 2 * line_bytes;
    const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
    if (memory == nullptr) return line_bytes;
    std::memset(memory.get(), 0, bytes);
    std::byte* const begin = memory.get() + -reinterpret_cast<std::uintptr_t>(memory.get()) % line_bytes;
    alignas(line_bytes) const std::byte line[line_bytes] = {};
    const auto nanoseconds = [&](std::int64_t step) {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point before = Clock::now();
        for (std::int64_t c = 0; c < columns; ++c)
            for (std::int64_t r = 0; r < rows; ++r) kernels.copy_stream(begin + r * step + c * line_bytes, line, line_bytes);
        kernels.fence();
        return static_cast<std::int64_t>(std::chrono::nanoseconds(Clock::now() - before).count());
    };
    std::int64_t meeting = std::numeric_limits<std::int64_t>::max() / 4, spread = meeting;
    for (int round = 0; round < 8; ++round) { // the first writes lines that a cache still holds; the least counts
        meeting = std::min(meeting, nanoseconds(aligned));
        spread = std::min(spread, nanoseconds(farther));
    }
    return 5 * meeting > 8 * spread ? channel_step : line_bytes;
}

/// That of this processor, measured once. Those with AVX-512 (Zen 4, Emerald Rapids) write lines of single rows fast enough; they aren't asked.
inline std::int64_t burst_here() noexcept
{
    static const std::int64_t burst = best_kernels().has_masks ? line_bytes : measured_burst(best_kernels());
    return burst;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
