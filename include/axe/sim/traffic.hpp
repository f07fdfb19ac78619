// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_TRAFFIC_HPP
#define AXE_SIM_TRAFFIC_HPP

#include <axe/sim/block.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// What memory does for the accesses of one agent: a request an issue, and
///
///   wavefronts: the lanes are served together as far as they move 128 bytes (all with up to 4 bytes each, a half with 8, a quarter
///               with 16); of each part the most distinct words that one bank is asked for
///   sectors:    the distinct 32-byte pieces of memory that an issue touches
///
/// Ideal are ⌈distinct words / banks⌉ for each part, and ⌈distinct bytes / 32⌉.      [CUDA C++ Programming Guide; Nsight Compute,
/// memory tables]
inline OperandTally traffic(const LaneAccess& a, const Memory& memory, const Places& places)
{
    OperandTally out;
    constexpr std::int64_t sector = 32;
    const std::int64_t width = a.plan->width, base = (a.plan->low + places.base) * width + a.plan->base;
    const bool banked = memory.banks > 0 && a.plan->pitch == 0;
    const int together = a.bytes <= 4 ? 32 : a.bytes <= 8 ? 16 : 8;
    std::vector<std::int64_t> words, sectors, bytes;
    std::vector<int> load(static_cast<std::size_t>(std::max<std::int64_t>(memory.banks, 1)));
    for (int issue = 0; issue < a.issues; ++issue) {
        sectors.clear();
        bool any = false;
        for (int part = 0; part < a.lanes; part += together) {
            words.clear();
            for (int lane = part; lane < std::min(a.lanes, part + together); ++lane) {
                const std::int32_t place = places.table[static_cast<std::size_t>(issue) * static_cast<std::size_t>(a.lanes) + static_cast<std::size_t>(lane)];
                if (place <= outside) continue;
                any = true;
                const std::int64_t first = base + place * width;
                out.bytes += a.bytes;
                if (a.in_registers()) continue;
                if (banked)
                    for (std::int64_t b = first / memory.word; b * memory.word < first + a.bytes; ++b) words.push_back(b);
                else
                    for (std::int64_t b = first / 4; b * 4 < first + a.bytes; ++b) sectors.push_back(b);
            }
            if (!banked || words.empty()) continue;
            std::sort(words.begin(), words.end());
            words.erase(std::unique(words.begin(), words.end()), words.end());
            std::fill(load.begin(), load.end(), 0);
            int most = 0;
            for (const std::int64_t w : words) most = std::max(most, ++load[static_cast<std::size_t>(w % memory.banks)]);
            out.wavefronts += most;
            out.ideal_wavefronts += (static_cast<std::int64_t>(words.size()) + memory.banks - 1) / memory.banks;
        }
        out.requests += any ? 1 : 0;
        if (sectors.empty()) continue;
        std::sort(sectors.begin(), sectors.end());
        sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
        out.ideal_sectors += (static_cast<std::int64_t>(sectors.size()) * 4 + sector - 1) / sector;
        for (auto& s : sectors) s = s * 4 / sector;
        sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
        out.sectors += static_cast<std::int64_t>(sectors.size());
    }
    return out;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
