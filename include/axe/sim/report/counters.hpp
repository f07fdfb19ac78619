// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_COUNTERS_HPP
#define AXE_SIM_REPORT_COUNTERS_HPP

#include <axe/support/config.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// What the accesses to one memory came to.
struct MemoryCount {
    std::int64_t bytes_read = 0, bytes_written = 0; ///< by active lanes and engines
    std::int64_t requests = 0;                      ///< instructions of a warp, or of an engine
    std::int64_t wavefronts = 0;                    ///< of banked memory: passes over the banks
    std::int64_t ideal_wavefronts = 0;              ///< what they would be without conflicts
    std::int64_t sectors = 0;                       ///< of memory with sectors: 32-byte sectors touched, per request
    std::int64_t ideal_sectors = 0;                 ///< what the bytes would fill: ⌈distinct bytes / 32⌉ per request

    MemoryCount& operator+=(const MemoryCount& o) noexcept
    {
        bytes_read += o.bytes_read, bytes_written += o.bytes_written, requests += o.requests;
        wavefronts += o.wavefronts, ideal_wavefronts += o.ideal_wavefronts;
        sectors += o.sectors, ideal_sectors += o.ideal_sectors;
        return *this;
    }
    friend bool operator==(const MemoryCount&, const MemoryCount&) = default;
};

/// What one statement, or a whole run, did. Exact under the stated rules; there are no times in it.
struct Counters {
    std::int64_t instructions = 0; ///< issues of a warp or an engine
    std::int64_t lanes_active = 0; ///< Σ over issues of the lanes that took part
    std::int64_t lanes = 0;        ///< Σ over issues of the lanes there were
    std::int64_t flops = 0;        ///< multiplications and additions of floating point; a multiply-add is two
    std::int64_t integer_ops = 0;  ///< the same of integers
    std::int64_t barriers = 0;     ///< arrivals of agents
    std::int64_t link_bytes = 0;   ///< that went from one device to another
    /// The same by link: from the first device to the second. Bytes of instructions of the network are on none.
    std::map<std::pair<int, int>, std::int64_t> links{};
    std::map<std::string, std::int64_t> by_text{}; ///< issues of each instruction, as spelled
    std::map<std::string, MemoryCount> memories{}; ///< by the name of the memory

    Counters& operator+=(const Counters& o)
    {
        instructions += o.instructions, lanes_active += o.lanes_active, lanes += o.lanes, flops += o.flops;
        integer_ops += o.integer_ops, barriers += o.barriers, link_bytes += o.link_bytes;
        for (const auto& [link, n] : o.links) links[link] += n;
        for (const auto& [text, n] : o.by_text) by_text[text] += n;
        for (const auto& [memory, count] : o.memories) memories[memory] += count;
        return *this;
    }
    friend bool operator==(const Counters&, const Counters&) = default;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
