// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_SHADOW_STORE_HPP
#define AXE_SIM_MEMORY_SHADOW_STORE_HPP

#include <axe/sim/memory/cell_run.hpp>

#include <memory>
#include <unordered_map>
#include <vector>

/// Where a shadow has its records.
namespace axe {
inline namespace v0 {
namespace sim {

/// Of a granule that atomic operations have written since the last plain write: that one, and they, as far as none is known to be
/// before another. `Cell::write` is the last of them.
struct AtomicWrites {
    Event plain = 0;
    std::uint64_t plain_access = 0;
    std::vector<Event> since{};
    struct Seen {
        Event by = 0;
        std::uint64_t access = 0;
    };
    std::vector<Seen> seen{}; ///< reads that are not ordered with atomic operations, and are with a plain write

    /// One more. Of lanes that nothing orders two are enough, since any other lane differs from one of them; of former runs of a
    /// device, which are blocks, the last one, whose end is the last to be known.
    void note(const Actor& actor, int lane)
    {
        const Event me = actor.at(lane);
        Event former = 0;
        int alike = 0;
        const auto goes = [&](Event e) {
            if (actor.after(e, lane)) return true;
            if (run_of(e) == actor.run && agent_of(e) == actor.agent && time_of(e) == actor.time) ++alike;
            if (run_of(e) == actor.run || device_of(e) != device_of(me) || actor.horizon->related) return false;
            former = std::max(former, e);
            return true;
        };
        since.erase(std::remove_if(since.begin(), since.end(), goes), since.end());
        if (former != 0) since.push_back(former);
        if (alike < 2) since.push_back(me);
    }
    void note_seen(const Actor& actor, int lane)
    {
        seen.erase(std::remove_if(seen.begin(), seen.end(), [&](const Seen& s) { return actor.after(s.by, lane); }), seen.end());
        seen.push_back({actor.at(lane), actor.access});
    }
};

/// The records of runs of cells: of all runs, one after the other; or, *settled*, of those that were touched since a moment that
/// everything before is known to have happened before. From then on one bit of a cell says all that counts: was it written?
struct ShadowStore {
    std::size_t size = 0;        ///< cells
    std::vector<CellRun> runs{}; ///< by number; settled: in the order in which they were touched
    std::vector<Cell> cells{};   ///< those of runs that are not one record, eight after one another
    std::vector<std::int32_t> free{};
    std::vector<CellMask> stale{}; ///< of each run, the cells whose values are of a former round; empty: none
    std::unordered_map<std::size_t, std::vector<Event>> side{};
    std::unordered_map<std::size_t, AtomicWrites> atomics{};

    ShadowStore() = default;
    ShadowStore(const ShadowStore&) = delete;
    ShadowStore& operator=(const ShadowStore&) = delete;

    /// The record of a run.
    [[nodiscard]] CellRun& run(std::size_t number)
    {
        if (place_of_ == nullptr) return runs[number];
        const std::int32_t at = place_of_[number];
        return at >= 0 ? runs[static_cast<std::size_t>(at)] : add(number);
    }
    [[nodiscard]] Cell cell(std::size_t i) const noexcept
    {
        const std::size_t number = i / run_cells, k = i % run_cells;
        std::size_t at = number;
        if (!places_.empty()) {
            if (places_[number] < 0) {
                Cell out;
                if ((written_before(number) >> k & 1) != 0) out.write = given;
                return out;
            }
            at = static_cast<std::size_t>(places_[number]);
        }
        return runs[at].is_one() ? runs[at].cell(k) : cells[static_cast<std::size_t>(runs[at].cells) + k];
    }
    /// Were all cells from `first` to `last` written?
    [[nodiscard]] bool are_written(std::size_t first, std::size_t last) const noexcept
    {
        for (std::size_t i = first; i <= last;) {
            const std::size_t number = i / run_cells, k = i % run_cells, end = std::min(last + 1, (number + 1) * run_cells);
            const auto wanted = static_cast<CellMask>(every_cell << k & every_cell >> ((number + 1) * run_cells - end));
            const std::size_t at = places_.empty() ? number : static_cast<std::size_t>(places_[number]);
            const bool has_record = places_.empty() || places_[number] >= 0;
            if ((wanted & ~(has_record ? written_in(runs[at]) : written_before(number))) != 0) return false;
            i = end;
        }
        return true;
    }
    void split(CellRun& run)
    {
        if (free.empty()) {
            free.push_back(static_cast<std::int32_t>(cells.size()));
            cells.resize(cells.size() + run_cells);
        }
        const std::int32_t at = free.back();
        free.pop_back();
        for (std::size_t k = 0; k < run_cells; ++k) cells[static_cast<std::size_t>(at) + k] = run.cell(k);
        run.cells = at;
    }

    /// Settled, all cells alike. Room is for records of all runs: memory is taken by those that are touched.
    void settle_all(bool written)
    {
        const std::size_t count = (size + run_cells - 1) / run_cells;
        before_ = std::make_shared<std::vector<CellMask>>(count, written ? every_cell : CellMask{0});
        places_.assign(count, -1);
        place_of_ = places_.data();
        runs.reserve(count);
        numbers_.reserve(count);
    }
    /// Settled, as another one is, which has no records. Both then have the same bits.
    void settle_over(const ShadowStore& other)
    {
        before_ = other.before_;
        places_.assign(other.places_.size(), -1);
        place_of_ = places_.data();
    }
    /// Everything that has records has happened before all to come. Other threads may do the same of other cells.
    void settle()
    {
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const auto number = static_cast<std::size_t>(numbers_[i]);
            const CellMask written = written_in(runs[i]);
            if ((written & ~written_before(number)) != 0) __atomic_fetch_or(&(*before_)[number], written, __ATOMIC_RELAXED);
            places_[number] = -1;
        }
        runs.clear();
        numbers_.clear();
        cells.clear();
        free.clear();
        if (!side.empty()) side.clear();
        if (!atomics.empty()) atomics.clear();
    }

  private:
    [[nodiscard]] CellMask written_before(std::size_t number) const noexcept
    {
        return __atomic_load_n(&(*before_)[number], __ATOMIC_RELAXED);
    }
    [[nodiscard]] CellMask written_in(const CellRun& run) const noexcept
    {
        if (run.is_one()) return run.write != 0 ? every_cell : CellMask{0};
        CellMask out = 0;
        for (std::size_t k = 0; k < run_cells; ++k)
            if (cells[static_cast<std::size_t>(run.cells) + k].write != 0) out = static_cast<CellMask>(out | 1u << k);
        return out;
    }
    [[gnu::noinline]] CellRun& add(std::size_t number)
    {
        places_[number] = static_cast<std::int32_t>(runs.size());
        numbers_.push_back(static_cast<std::int32_t>(number));
        runs.emplace_back();
        CellRun& out = runs.back();
        const CellMask written = written_before(number);
        if (written == 0) return out;
        out.write = given;
        if (written == every_cell) return out;
        split(out);
        for (std::size_t k = 0; k < run_cells; ++k)
            if ((written >> k & 1) == 0) cells[static_cast<std::size_t>(out.cells) + k] = {};
        return out;
    }

    std::shared_ptr<std::vector<CellMask>> before_{}; ///< of each run, the cells written before; settled only
    std::vector<std::int32_t> places_{};              ///< of each run, where its record is, −1 where it has none; settled only
    const std::int32_t* place_of_ = nullptr;          ///< `places_`, where there are any: looked at with each access
    std::vector<std::int32_t> numbers_{};             ///< of each record, its run; settled only
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
