// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_OTHER_RUNS_HPP
#define AXE_SIM_MEMORY_OTHER_RUNS_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

namespace axe {
inline namespace v0 {
namespace sim {

/// What an agent knows of other blocks of its grid: a vector clock with the entries alone that say something.
class OtherRuns {
  public:
    struct Entry {
        std::uint64_t who = 0; ///< run << 8 | agent: an event without lane and time
        /// Events at times below are before what the agent does now; and before the asynchronous operations that it starts. A time of 1,
        /// below which there is nothing, says no more than that the block has started.
        std::uint32_t time = 0, fenced = 0;
    };

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
    /// The entry of a run's agent; null if none exists.
    [[nodiscard]] const Entry* find(std::uint64_t who) const noexcept
    {
        const auto at = lower_bound(who);
        return at == entries_.end() || at->who != who ? nullptr : &*at;
    }
    /// Is the run known to have started?
    [[nodiscard]] bool has_run(std::uint64_t run) const noexcept
    {
        const auto at = lower_bound(run << 8);
        return at != entries_.end() && at->who >> 8 == run;
    }
    /// All runs of a device below this one are known to have ended, those that were before being known of. Entries of run 0, which is
    /// before everything, say so.
    void raise_ended(std::uint64_t run)
    {
        const auto below = static_cast<std::uint32_t>(run & 0xffffff);
        raise({(run & ~std::uint64_t{0xffffff}) << 8, below, below});
    }
    [[nodiscard]] bool has_ended(std::uint64_t run) const noexcept
    {
        const Entry* const e = find((run & ~std::uint64_t{0xffffff}) << 8);
        return e != nullptr && (run & 0xffffff) < e->time;
    }
    void raise(const Entry& e)
    {
        const auto at = entries_.begin() + (lower_bound(e.who) - entries_.begin());
        if (at == entries_.end() || at->who != e.who)
            entries_.insert(at, e);
        else
            *at = greater(*at, e);
    }
    /// Cost: linear in both.
    void join(const OtherRuns& other)
    {
        if (other.empty()) return;
        std::vector<Entry> out;
        out.reserve(entries_.size() + other.entries_.size());
        auto a = entries_.begin();
        for (const Entry& b : other.entries_) {
            while (a != entries_.end() && a->who < b.who) out.push_back(*a++);
            out.push_back(a != entries_.end() && a->who == b.who ? greater(*a++, b) : b);
        }
        out.insert(out.end(), a, entries_.end());
        entries_ = std::move(out);
    }
    /// All that is known becomes visible to the asynchronous proxy.
    void fence() noexcept
    {
        for (Entry& e : entries_) e.fenced = std::max(e.fenced, e.time);
    }
    void clear() noexcept { entries_.clear(); }
    /// Leaves out what the runs below `floor` of each device are told of, which have ended.
    void forget(const std::vector<std::uint32_t>& floor)
    {
        const auto is_known = [&](const Entry& e) {
            const std::uint64_t run = e.who >> 8;
            const std::uint32_t below = floor[static_cast<std::size_t>(run >> 24)];
            return (run & 0xffffff) == 0 ? e.time <= below : (run & 0xffffff) < below || has_ended(run);
        };
        std::vector<Entry> left;
        for (const Entry& e : entries_)
            if (!is_known(e)) left.push_back(e);
        entries_ = std::move(left);
    }

  private:
    [[nodiscard]] std::vector<Entry>::const_iterator lower_bound(std::uint64_t who) const noexcept
    {
        return std::lower_bound(entries_.begin(), entries_.end(), who, [](const Entry& e, std::uint64_t w) { return e.who < w; });
    }
    static Entry greater(const Entry& a, const Entry& b) noexcept
    {
        return {a.who, std::max(a.time, b.time), std::max(a.fenced, b.fenced)};
    }

    std::vector<Entry> entries_{}; ///< ascending
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
