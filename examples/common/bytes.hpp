// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_BYTES_HPP
#define AXE_EXAMPLES_BYTES_HPP

#include "example.hpp"

namespace examples {

/// What a run read from global memory and wrote there, beside the numbers of bytes that the page's equations give. Without counters there
/// is nothing to compare.
inline Conclusion global_bytes(const axe::sim::Counters& total, std::int64_t read, std::int64_t written)
{
    Conclusion out;
    const auto found = total.memories.find("gmem");
    if (found == total.memories.end()) return out;
    const axe::sim::MemoryCount& m = found->second;
    out.ok = m.bytes_read == read && m.bytes_written == written;
    const auto text = [](std::int64_t n) { return std::to_string(n); };
    out.lines.push_back("global memory: " + text(m.bytes_read) + " bytes read, by the equation " + text(read) + "; " +
                        text(m.bytes_written) + " written, by the equation " + text(written) + "; " + text(m.sectors) +
                        " sectors, full ones would be " + text(m.ideal_sectors));
    return out;
}

} // namespace examples

#endif
