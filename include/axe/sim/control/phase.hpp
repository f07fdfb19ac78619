// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_CONTROL_PHASE_HPP
#define AXE_SIM_CONTROL_PHASE_HPP

#include <axe/program/limits.hpp>
#include <axe/text/common/words.hpp>

#include <cstdint>
#include <string>

namespace axe {
inline namespace v0 {
namespace sim {

/// What an mbarrier counts: the arrivals and bytes that its phase lacks, and the phases that are complete.      [PTX, mbarrier]
struct PhaseCount {
    std::int64_t expected = 0, pending = 0, bytes = 0;
    std::int64_t phase = 0;

    [[nodiscard]] bool is_set_up() const noexcept { return expected > 0; }
    /// Does the phase take no more arrivals, as it waits for bytes alone?
    [[nodiscard]] bool is_full() const noexcept { return pending == 0; }
    /// One agent arrives.
    void arrive() noexcept { --pending; }
    /// Bytes that an asynchronous operation has brought. They may come before they are expected: then `bytes` is negative.
    void bring(std::int64_t brought) noexcept { bytes -= brought; }
    /// Does it count more bytes, expected or too many, than a phase can?      [PTX, mbarrier, tx-count]
    [[nodiscard]] bool is_beyond() const noexcept { return bytes > most_mbarrier_bytes || bytes < -most_mbarrier_bytes; }
    /// Goes to the next phase if this one is complete: all have arrived and all bytes are there.
    bool turn() noexcept
    {
        if (pending != 0 || bytes != 0) return false;
        ++phase;
        pending = expected;
        return true;
    }
    /// Does a wait for this parity end?  It does once the phase of that parity is over.
    [[nodiscard]] bool passes(std::int64_t parity) const noexcept { return (phase & 1) != parity; }
};

inline std::string arrivals_text(std::int64_t arrivals)
{
    return detail::worded("an mbarrier expects {0} arrivals; it must be 1 to {1}", {arrivals, most_mbarrier_arrivals});
}
/// `used`: "used", "waited for"
inline std::string not_set_up_text(int id, const char* used, int agent)
{
    return detail::worded("mbarrier {0} is {1} by agent {2} before it is initialized", {id, used, agent});
}
inline std::string live_text(int id)
{
    return detail::worded("mbarrier {0} is initialized and has not been invalidated since its last initialization", {id});
}
inline std::string bytes_beyond_text(int id, std::int64_t bytes)
{
    return detail::worded("a phase of mbarrier {0} would wait for {1} bytes; it must be −{2} to {2}",
                          {id, bytes, most_mbarrier_bytes});
}
inline std::string one_more_text(int id, std::int64_t arrivals)
{
    return detail::worded("mbarrier {0} expects {1} arrivals in each phase; this is one more", {id, arrivals});
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
