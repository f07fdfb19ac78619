// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_CELL_RUN_HPP
#define AXE_SIM_MEMORY_CELL_RUN_HPP

#include <axe/sim/memory/cell.hpp>

/// Eight neighboring cells as one record, as long as they are alike.
namespace axe {
inline namespace v0 {
namespace sim {

/// How many cells a run has. A mask has a bit for each of them, `Lanes` a byte.
inline constexpr std::size_t run_cells = 8;
using CellMask = std::uint8_t;
using Lanes = std::uint64_t;
inline constexpr CellMask every_cell = 0xff;

constexpr int lane_at(Lanes lanes, std::size_t cell) noexcept { return static_cast<int>(lanes >> (8 * cell) & 0xff); }
constexpr Lanes lane_byte(int lane, std::size_t cell) noexcept { return static_cast<Lanes>(lane) << (8 * cell); }
/// A byte of ones for each cell of a mask. Bit k comes into byte k by the multiplication, and out of it as its highest bit by the sum.
constexpr Lanes lane_mask(CellMask mask) noexcept
{
    constexpr Lanes each = 0x0101010101010101u;
    const Lanes bits = mask * each & 0x8040201008040201u;
    return ((bits + 0x7f * each) >> 7 & each) * 0xff;
}
static_assert(lane_mask(0x81) == 0xff000000000000ffu && lane_mask(every_cell) == ~Lanes{0} && lane_mask(0x10) == 0xff00000000u);

/// Cells that have one last write, their lanes apart, and at most two sets of readers: what one cell's `read`, `when` and
/// `read_access` are to it, these are to the cells of a mask. Or a reference to the cells, where they differ otherwise.
struct CellRun {
    struct Readers {
        std::uint64_t read = 0; ///< of one reader without the lane
        std::uint64_t when : 28 = 0;
        std::uint64_t access : 18 = 0;
        std::uint64_t mask : 8 = 0; ///< 0: none
        [[nodiscard]] bool alike(const Readers& o) const noexcept { return read == o.read && when == o.when && access == o.access; }
        /// Is there a lane in `read`?
        [[nodiscard]] bool has_lane() const noexcept { return (when & Cell::several) == 0; }
        /// Is it this reader alone, of these cells and perhaps of others?
        [[nodiscard]] bool is_of(Event e, std::uint32_t by, CellMask asked) const noexcept
        {
            return read == e && when == 0 && access == by && (asked & ~mask) == 0;
        }
    };
    Event write = 0; ///< without the lane
    Lanes write_lanes = 0, read_lanes = 0;
    Readers readers[2]{};
    std::uint32_t write_access = 0;
    std::int32_t cells = -1; ///< where they are, if they are not alike

    [[nodiscard]] bool is_one() const noexcept { return cells < 0; }
    [[nodiscard]] Cell cell(std::size_t k) const noexcept
    {
        Cell out;
        out.write = write | static_cast<Event>(lane_at(write_lanes, k)) << time_bits;
        out.written_by(write_access);
        for (const Readers& r : readers) {
            if ((r.mask >> k & 1) == 0) continue;
            out.read = r.has_lane() ? r.read | static_cast<Event>(lane_at(read_lanes, k)) << time_bits : r.read;
            out.when = r.when;
            out.read_access = r.access;
        }
        return out;
    }

    /// Notes that the actor reads the cells of a mask, each by its lane, if this leaves one record and no hazard. False: nothing is done.
    bool read(CellMask mask, Lanes lanes, Past& past, bool own_run)
    {
        const Actor& actor = past.actor();
        const Event me = actor.at(0);
        const Lanes bytes = lane_mask(mask);
        if (write == 0 || (own_run && !actor.shares_memory_with(run_of(write))) ||
            !is_before(past, false, write, write_lanes, bytes))
            return false;
        if (readers[0].is_of(me, actor.access, mask) && (readers[1].mask & mask) == 0 && ((read_lanes ^ lanes) & bytes) == 0)
            return true;                                // it is noted
        if ((readers[0].mask | readers[1].mask) == 0) { // the first to read since the write
            readers[0] = readers_of(me, 0, actor.access, mask);
            take(read_lanes, lanes, bytes);
            return true;
        }
        Readers out[5];
        int count = 0;
        Lanes now = read_lanes;
        const auto put = [&](const Readers& r) {
            for (int k = 0; k < count; ++k)
                if (out[k].alike(r)) {
                    out[k].mask = static_cast<CellMask>(out[k].mask | r.mask);
                    return;
                }
            out[count++] = r;
        };
        CellMask rest = mask;
        for (const Readers& r : readers) {
            const auto here = static_cast<CellMask>(r.mask & mask), others = static_cast<CellMask>(r.mask & ~mask);
            if (others != 0) put(readers_of(r.read, r.when, r.access, others));
            if (here == 0) continue;
            rest = static_cast<CellMask>(rest & ~here);
            Readers joined = readers_of(r.read, r.when, actor.access, here);
            if (!join(joined, here == mask ? bytes : lane_mask(here), lanes, past, me, now)) return false;
            put(joined);
        }
        if (rest != 0) {
            put(readers_of(me, 0, actor.access, rest));
            take(now, lanes, rest == mask ? bytes : lane_mask(rest));
        }
        if (count > 2) return false;
        readers[0] = out[0];
        readers[1] = count > 1 ? out[1] : Readers{};
        read_lanes = now;
        return true;
    }

    /// The same of a write of all cells.
    bool write_all(Lanes lanes, Past& past, bool own_run)
    {
        const Actor& actor = past.actor();
        if (write != 0 && !(own_run && !actor.shares_memory_with(run_of(write)))) {
            if (!is_before(past, false, write, write_lanes, ~Lanes{0})) return false;
            for (const Readers& r : readers) {
                if (r.mask == 0) continue;
                if (r.when == 0 ? !is_before(past, true, r.read, read_lanes, lane_mask(r.mask))
                                : unordered_among(read_only_cell(r), actor) != 0)
                    return false;
            }
        }
        *this = {};
        write = actor.at(0);
        write_lanes = lanes;
        write_access = actor.access;
        return true;
    }

  private:
    static Readers readers_of(std::uint64_t read, std::uint64_t when, std::uint64_t access, CellMask mask) noexcept
    {
        Readers out;
        out.read = read;
        out.when = when & 0xfffffffu;
        out.access = access & 0x3ffffu;
        out.mask = mask;
        return out;
    }
    static Cell read_only_cell(const Readers& r) noexcept
    {
        Cell out;
        out.read = r.read;
        out.when = r.when;
        return out;
    }
    /// Is the event, of these lanes of the cells of `bytes`, before what the actor does? Where lanes count, if it is one for all.
    static bool is_before(Past& past, bool read, Event e, Lanes lanes, Lanes bytes)
    {
        if (past.by_role()) {
            const auto lane = static_cast<Lanes>(lane_at(lanes, static_cast<std::size_t>(__builtin_ctzll(bytes)) / 8));
            if (((lanes ^ lane * 0x0101010101010101u) & bytes) != 0) return false;
            e |= lane << time_bits;
        }
        return read ? past.has_read(e) : past.has_write(e);
    }
    static void take(Lanes& into, Lanes lanes, Lanes bytes) noexcept { into = (into & ~bytes) | (lanes & bytes); }

    /// `lanes` of the actor read the cells of `bytes`, which have these readers.
    bool join(Readers& r, Lanes bytes, Lanes lanes, Past& past, Event me, Lanes& now) const
    {
        const Actor& actor = past.actor();
        const auto alone = [&] {
            r.read = me;
            r.when = 0;
            take(now, lanes, bytes);
            return true;
        };
        if (r.when == 0) {
            if (r.read == me) {
                const Lanes differ = (read_lanes ^ lanes) & bytes;
                if (differ == 0) return true;
                // All by other lanes than before, or it is not the same for each.
                for (std::size_t k = 0; k < run_cells; ++k)
                    if (lane_at(bytes, k) != 0 && lane_at(differ, k) == 0) return false;
            } else if (is_before(past, true, r.read, read_lanes, bytes)) {
                return alone();
            }
        }
        if ((r.when & Cell::blocks) != 0 && run_of(r.read) == actor.run && agent_of(r.read) == actor.agent)
            return false; // which of the two is noted depends on the lanes
        // Of engines, where what is before depends on the lanes, the side table has two.
        const bool had_lane = r.has_lane();
        Cell cell = read_only_cell(r);
        if (!join_reader(cell, actor, me)) return false;
        r.read = cell.read;
        r.when = cell.when;
        if (r.has_lane() && r.read == me)
            take(now, lanes, bytes);
        else if (!had_lane)
            take(now, 0, bytes);
        return true;
    }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
