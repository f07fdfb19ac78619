// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/kernels/burst.hpp>

#include <catch.hpp>

using namespace axe::detail;

namespace {

std::uintptr_t before = 0;
void nothing() {}
void wait()
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point until = Clock::now() + std::chrono::nanoseconds(500);
    while (Clock::now() < until) {}
}
/// Slow for a line whose channel, of four of 128 bytes, is that of the line before.
void to_channels(std::byte* to, const std::byte* from, std::size_t bytes)
{
    const std::uintptr_t channel = reinterpret_cast<std::uintptr_t>(to) / 128 % 4;
    if (channel == before) wait();
    before = channel;
    std::memcpy(to, from, bytes);
}
void to_any(std::byte* to, const std::byte* from, std::size_t bytes)
{
    wait();
    std::memcpy(to, from, bytes);
}
void block(std::byte*, const std::ptrdiff_t*, const std::byte*, const std::ptrdiff_t*) {}

RelayoutKernels kernels_with(RelayoutKernels::Copy copy_stream, RelayoutKernels::Block stream)
{
    RelayoutKernels kernels{};
    kernels.stream[0] = stream;
    kernels.copy_stream = copy_stream;
    kernels.fence = nothing;
    return kernels;
}

} // namespace

TEST_CASE("burst: 512 bytes where lines that meet at a channel take longer, else a line")
{
    CHECK(measured_burst(kernels_with(to_channels, block)) == 512);
    CHECK(measured_burst(kernels_with(to_any, block)) == 64);
    CHECK(measured_burst(kernels_with(to_channels, nullptr)) == 64); // nothing is streamed
}

TEST_CASE("burst: that of this processor is measured once")
{
    const std::int64_t burst = burst_here();
    CHECK((burst == 64 || burst == 512));
    CHECK(burst_here() == burst);
    if (best_kernels().has_masks || best_kernels().stream[0] == nullptr) CHECK(burst == 64);
}
