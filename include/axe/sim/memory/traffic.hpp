// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_TRAFFIC_HPP
#define AXE_SIM_MEMORY_TRAFFIC_HPP

#include <axe/machine/banks.hpp>
#include <axe/sim/memory/access.hpp>

#include <concepts>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// What the accesses of one operand came to.
struct OperandTally {
    std::int64_t requests = 0, bytes = 0, wavefronts = 0, ideal_wavefronts = 0, sectors = 0, ideal_sectors = 0;
    std::int64_t read_back = 0; ///< bytes of a destination that are read as well
    OperandTally& operator+=(const OperandTally& o) noexcept
    {
        requests += o.requests, bytes += o.bytes, wavefronts += o.wavefronts, ideal_wavefronts += o.ideal_wavefronts;
        sectors += o.sectors, ideal_sectors += o.ideal_sectors, read_back += o.read_back;
        return *this;
    }
};

/// Of each operand of an instruction: few in place, what is behind them where an instruction has more.
class OperandTallies {
  public:
    template <std::integral Number>
    OperandTally& operator[](Number operand)
    {
        const auto k = static_cast<std::size_t>(operand);
        if (k < few) return first_[k];
        if (behind_.size() <= k - few) behind_.resize(k - few + 1);
        return behind_[k - few];
    }
    template <std::integral Number>
    OperandTally operator[](Number operand) const
    {
        const auto k = static_cast<std::size_t>(operand);
        if (k < few) return first_[k];
        return k - few < behind_.size() ? behind_[k - few] : OperandTally{};
    }
    OperandTallies& operator+=(const OperandTallies& other)
    {
        for (std::size_t k = 0; k < few; ++k) first_[k] += other.first_[k];
        for (std::size_t k = 0; k < other.behind_.size(); ++k) (*this)[few + k] += other.behind_[k];
        return *this;
    }

  private:
    static constexpr std::size_t few = 5;
    OperandTally first_[few]{};
    std::vector<OperandTally> behind_{};
};

/// What memory does for the accesses of one agent: a request an issue, and
///
///   wavefronts: the lanes are served together as far as they move 128 bytes (all with up to 4 bytes each, a half with 8, a quarter
///               with 16; of a load twice as many where they want the same in pairs, see `WarpAccess`); of each part the most distinct
///               words that one bank is asked for
///   sectors:    the distinct pieces of `sector` bytes of memory that an issue touches; none where the machine has no sectors
///
/// Ideal are ⌈distinct words / banks⌉ for each part, and ⌈distinct bytes / sector⌉.      [CUDA C++ Programming Guide; Nsight Compute,
/// memory tables]
///
/// @param loads the operand is read
/// @param place_bits what a byte of simulated memory is on hardware, where elements have less than one; `piece` bytes of a lane in one issue
inline OperandTally traffic(const LaneAccess& a, const Memory& memory, std::int64_t sector, const LaneElements& places, bool loads,
                            int place_bits, int piece)
{
    OperandTally out;
    const std::int64_t width = a.plan->width, base = (a.plan->low + places.base) * width + a.plan->base;
    const bool banked = memory.banks > 0 && a.plan->pitch == 0;
    std::vector<std::int64_t> words;
    std::vector<std::pair<std::int64_t, std::int64_t>> runs; // of bytes, for sectors
    std::vector<int> load(static_cast<std::size_t>(std::max<std::int64_t>(memory.banks, 1)));
    for (int issue = 0; issue < a.issues; ++issue) {
        runs.clear();
        bool any = false;
        const std::int32_t* table = places.table + static_cast<std::size_t>(issue) * static_cast<std::size_t>(a.lanes);
        const int together = lanes_at_once(a.lanes, piece, loads && banked, [&](int l, int m) {
            return table[l] > outside && table[m] > outside && table[l] != table[m];
        });
        for (int part = 0; part < a.lanes; part += together) {
            words.clear();
            for (int lane = part; lane < std::min(a.lanes, part + together); ++lane) {
                const std::int32_t place = table[lane];
                if (place <= outside) continue;
                any = true;
                const std::int64_t first = (base + place * width) * place_bits / 8;
                out.bytes += piece;
                if (a.in_registers()) continue;
                if (banked)
                    for (std::int64_t b = first / memory.word; b * memory.word < first + piece; ++b) words.push_back(b);
                else if (sector > 0 && a.plan->owner == Owner::device)
                    runs.emplace_back(first, first + piece);
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
        std::sort(runs.begin(), runs.end());
        std::int64_t end = 0, next = 0, distinct = 0; // of the bytes seen, the first sector not counted, and how many bytes
        for (std::size_t r = 0; r < runs.size(); ++r) {
            const auto [first, last] = runs[r];
            if (r == 0) end = first, next = first / sector;
            distinct += std::max<std::int64_t>(0, last - std::max(first, end));
            end = std::max(end, last);
            const std::int64_t from = std::max(next, first / sector), to = (last - 1) / sector;
            out.sectors += std::max<std::int64_t>(0, to - from + 1);
            next = std::max(next, to + 1);
        }
        if (!runs.empty()) out.ideal_sectors += (distinct + sector - 1) / sector;
    }
    return out;
}
inline OperandTally traffic(const LaneAccess& a, const Memory& memory, std::int64_t sector, const LaneElements& places, bool loads)
{
    return traffic(a, memory, sector, places, loads, 8, a.bytes);
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
