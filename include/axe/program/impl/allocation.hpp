// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_ALLOCATION_HPP
#define AXE_PROGRAM_IMPL_ALLOCATION_HPP

#include <axe/program/allocation.hpp>
#include <axe/program/impl/memory_placement.hpp>
#include <axe/program/impl/validate_tensors.hpp>
#include <axe/program/impl/validate_views.hpp>
#include <axe/program/limits.hpp>
#include <axe/program/live_ranges.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/register_count.hpp>
#include <axe/program/tensor_columns.hpp>
#include <axe/support/sort.hpp>

#include <numeric>
#include <set>

/// What a program allocates, and the report about it. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// Why columns that are asked for are fewer than their tensors take, of one grid whose memories are allocated; "" if they are not.
inline std::string short_columns_text(const Program& program, const Grid& grid, const AllocationReport& report, int number)
{
    std::string out;
    for_each_statement(grid.body, [&](const Statement& s) {
        const auto* c = std::get_if<TensorColumns>(&s.what);
        if (c == nullptr || c->action != TensorColumns::Action::allocate || !out.empty()) return;
        std::vector<std::pair<std::int64_t, std::int64_t>> bytes; // of its tensors
        for (const MemoryAllocation& m : report.memories)
            for (const TensorAllocation& t : m.tensors)
                if (m.in_grid && m.grid == number &&
                    std::any_of(c->operands.begin(), c->operands.end(), [&](const View& v) { return v.tensor == t.tensor; }))
                    bytes.emplace_back(t.base / 4, (t.base + t.bytes + 3) / 4);
        std::sort(bytes.begin(), bytes.end());
        std::int64_t needed = 0, end = 0;
        for (const auto& [first, last] : bytes) {
            needed += std::max<std::int64_t>(0, last - std::max(first, end));
            end = std::max(end, last);
        }
        if (needed > c->columns)
            out = statement_text(program, s.id) +
                  detail::worded(", columns: tensors take {0} of the {1} columns that are asked for", {needed, c->columns});
    });
    return out;
}

/// The allocation of a whole program; problems are gathered, and the report is complete without one.
class Allocator {
  public:
    explicit Allocator(const Program& program) : p_(program), levels_(levels_of(program.machine)), ranges_(live_ranges(program))
    {
        for_each_statement(p_.body, [&](const Statement& s) {
            has_operators_ = has_operators_ || std::holds_alternative<Operation>(s.what) || std::holds_alternative<Each>(s.what);
            if (const auto* grid = std::get_if<Grid>(&s.what)) grids_.push_back({s.id, grid});
        });
        if (spreads_rows(p_)) rows_ = row_uses(p_);
    }

    AllocationReport run()
    {
        by_grid_.resize(grids_.size() + 1);
        for (const LiveRange& r : ranges_.tensors) by_grid_[static_cast<std::size_t>(r.grid + 1)].push_back(&r);
        memories_of(-1);
        for (int grid = 0; grid < static_cast<int>(grids_.size()); ++grid) {
            const std::size_t first = report_.memories.size();
            memories_of(grid);
            resources(grids_[static_cast<std::size_t>(grid)], first);
        }
        return std::move(report_);
    }
    std::vector<Problem> problems{};

  private:
    using GridOf = std::pair<int, const Grid*>;

    [[nodiscard]] const ProgramTensor& tensor(int id) const { return p_.tensors[static_cast<std::size_t>(id)]; }
    [[nodiscard]] std::string where(int statement) const { return statement_text(p_, statement) + ", alloc: "; }

    /// Its bytes, as far as they are known; −1 where its shape, layout or memory is wrong, which is reported elsewhere.
    [[nodiscard]] std::int64_t bytes_of(const LiveRange& r, const Memory& memory) const
    {
        const ProgramTensor& t = tensor(r.tensor);
        if (!volume(t.shape)) return -1;
        if (t.hint != LayoutHint::none) return least_bytes(p_, r, memory, rows_);
        if (!check(t.layout).ok() || reach_on(t.layout.layout, memory.axes[memory.axes.size() - 1]).low < 0) return -1;
        return bytes_held(t, memory);
    }
    [[nodiscard]] static std::int64_t alignment_of(const ProgramTensor& t, const Memory& memory, bool is_private)
    {
        std::int64_t out = std::max<std::int64_t>(memory.alignment, is_private ? 4 : 16);
        if (t.hint == LayoutHint::none && t.layout.swizzle.bits > 0)
            out = std::max<std::int64_t>(out, in_elements(t.layout).period() * storage_bytes(t.dtype));
        return out;
    }

    /// Of the grid of that number, or, with −1, of what is outside grids.
    void memories_of(int grid)
    {
        for (const Memory& memory : p_.machine.memories) {
            const int owner = scope_index(p_.machine, memory.owner);
            if (memory.axes.empty()) continue;
            if ((grid >= 0) == (owner >= levels_.block && levels_.block >= 0)) memory_of(grid, memory, owner);
        }
    }

    void memory_of(int grid, const Memory& memory, int owner)
    {
        const bool is_private = owner > levels_.block;
        MemoryPlacement placement(ranges_, is_private);
        for (const LiveRange* of_grid : by_grid_[static_cast<std::size_t>(grid + 1)]) {
            const LiveRange& r = *of_grid;
            const ProgramTensor& t = tensor(r.tensor);
            if (!same_text(t.memory.c_str(), memory.name) || t.binding != Binding::local) continue;
            if (t.hint == LayoutHint::none) check_partitions(t, memory);
            const std::int64_t bytes = bytes_of(r, memory), alignment = alignment_of(t, memory, is_private);
            if (bytes < 0) continue;
            placement.items.push_back(
                {&r, is_private ? counted((WideIndex{bytes} + 3) / 4 * 4) : bytes, alignment, t.base, t.base >= 0});
        }
        if (placement.items.empty()) return;
        MemoryAllocation out;
        out.in_grid = grid >= 0;
        out.grid = grid < 0 ? -1 : grids_[static_cast<std::size_t>(grid)].first;
        out.memory = memory.name;
        out.limit = memory.extents[memory.extents.size() - 1];
        const std::int64_t room = out.limit > 0 ? out.limit : most_memory_bytes;
        if (grid >= 0 && named_overlap(placement, memory)) return;
        using Sharing = MemoryPlacement::Sharing;
        struct Attempt {
            Sharing sharing;
            bool by_size;
        };
        constexpr Attempt attempts[] = {{Sharing::none, false},
                                        {Sharing::ordered, false},
                                        {Sharing::ordered, true},
                                        {Sharing::all, false},
                                        {Sharing::all, true}};
        constexpr std::size_t few = 4096; // by size, the cost is quadratic
        bool may_be_reused = false;
        for (const auto& [sharing, by_size] : attempts) {
            if (is_private && sharing != Sharing::all) continue; // of registers nothing is lost by it
            if (by_size && placement.items.size() > few) continue;
            out.peak = placement.place(sharing, by_size);
            may_be_reused = sharing != Sharing::none || has_names(placement);
            if (out.peak <= room) break;
        }
        std::int64_t needed = 0;
        const std::size_t busiest = most_live(placement, out.live, needed);
        for (const MemoryPlacement::Item& i : placement.items) {
            const LiveRange& r = *i.range;
            out.tensors.push_back({r.tensor, r.statement, i.bytes, i.base, r.begin, r.end, r.first_use, r.last_use, r.scope_end});
        }
        for (std::size_t i = 0; i < out.tensors.size() && may_be_reused; ++i)
            for (std::size_t k = 0; k < i && !out.reused; ++k)
                out.reused = out.tensors[i].base < end_of(out.tensors[k]) && out.tensors[k].base < end_of(out.tensors[i]);
        check_room(placement, out, needed, memory, room, busiest);
        report_.memories.push_back(std::move(out));
    }

    /// The axes before the last one, along which every tensor begins at 0.
    void check_partitions(const ProgramTensor& t, const Memory& memory)
    {
        if (!check(t.layout).ok()) return; // which is reported elsewhere
        for (int k = 0; k + 1 < memory.axes.size(); ++k) {
            const auto farthest = static_cast<std::int64_t>(reach_on(t.layout.layout, memory.axes[k]).high);
            if (memory.extents[k] == 0 || farthest < memory.extents[k]) continue;
            Problem beyond = beyond_axis(t, memory.axes[k], farthest, memory.extents[k]);
            problems.push_back({beyond.code, tensor_text(p_, t) + beyond.text});
        }
    }

    static bool has_names(const MemoryPlacement& placement)
    {
        return std::any_of(placement.items.begin(), placement.items.end(), [](const auto& item) { return item.named; });
    }

    /// Two tensors that name their bases, exist at one time and have bytes in common.
    bool named_overlap(const MemoryPlacement& placement, const Memory& memory)
    {
        const auto& items = placement.items;
        for (std::size_t i = 0; i < items.size(); ++i)
            for (std::size_t k = 0; k < i; ++k) {
                const auto &a = items[k], &b = items[i];
                if (!a.named || !b.named || a.base >= end_of(b) || b.base >= end_of(a)) continue;
                if (b.range->alloc > a.range->scope_end || a.range->alloc > b.range->scope_end) continue;
                problems.push_back(
                    {errc::bad_argument,
                     where(b.range->statement) + worded("tensors {0} (bytes {1} to {2}) and {3} (bytes {4} to {5}) overlap in {6}",
                                                        {tensor(a.range->tensor).name, a.base, end_of(a) - 1,
                                                         tensor(b.range->tensor).name, b.base, end_of(b) - 1, memory.name})});
                return true;
            }
        return false;
    }

    /// The most bytes that are live at one position, and the tensor whose first use brings them about; `needed`: as many with what is
    /// left free between them, each beginning at a multiple of its alignment.
    static std::size_t most_live(const MemoryPlacement& placement, std::int64_t& most, std::int64_t& needed)
    {
        std::int64_t unit = std::numeric_limits<std::int64_t>::max(); // all bases are multiples of it
        for (const auto& item : placement.items) unit = std::min(unit, item.named ? 1 : item.alignment);
        const auto free_after = [&](std::size_t i) { return (unit - placement.items[i].bytes % unit) % unit; };
        std::multiset<std::int64_t> free; // after each that is live; the last one needs none
        WideIndex with_free = 0;
        std::vector<std::size_t> begins(placement.items.size());
        std::iota(begins.begin(), begins.end(), std::size_t{0});
        std::vector<std::size_t> ends = begins;
        const auto range = [&](std::size_t i) -> const LiveRange& { return *placement.items[i].range; };
        sort_stably(begins, [&](std::size_t a, std::size_t b) { return range(a).begin < range(b).begin; });
        sort_stably(ends, [&](std::size_t a, std::size_t b) { return range(a).end < range(b).end; });
        std::size_t at = 0, over = 0;
        WideIndex sum = 0;
        most = 0;
        for (std::size_t i = 0; i < begins.size(); ++i) {
            for (; range(ends[over]).end < range(begins[i]).begin; ++over) {
                sum -= placement.items[ends[over]].bytes;
                with_free -= free_after(ends[over]);
                free.erase(free.find(free_after(ends[over])));
            }
            sum += placement.items[begins[i]].bytes;
            with_free += free_after(begins[i]);
            free.insert(free_after(begins[i]));
            if (sum > most) most = counted(sum), at = begins[i];
            needed = std::max(needed, counted(sum + with_free - *free.rbegin()));
        }
        return at;
    }

    void check_room(const MemoryPlacement& placement, const MemoryAllocation& out, std::int64_t needed, const Memory& memory,
                    std::int64_t room, std::size_t busiest)
    {
        for (const auto& item : placement.items)
            if (item.named && WideIndex{item.base} + item.bytes > room)
                return problems.push_back(
                    {errc::capacity, where(item.range->statement) + worded("{0} takes bytes {1} to {2} of {3}; each {4} has {5}",
                                                                           {quoted(tensor(item.range->tensor).name), item.base,
                                                                            counted(WideIndex{item.base} + item.bytes - 1),
                                                                            memory.name, memory.owner, room})});
        // Schedules will add tensors and choose layouts: what is live together is the least.
        const std::int64_t taken = has_operators_ ? needed : out.peak;
        if (taken <= room) return;
        const auto& item = placement.items[busiest];
        problems.push_back(
            {errc::capacity, where(item.range->statement) +
                                 worded("{0} takes {1} of {2}, {3} together with the tensors alive there; each {4} has {5}",
                                        {quoted(tensor(item.range->tensor).name), count_words(item.bytes, "byte"), memory.name,
                                         taken, memory.owner, room})});
    }

    [[nodiscard]] std::int64_t limit(const char* name) const
    {
        const Limit* found = find_limit(p_.machine, name);
        return found == nullptr ? 0 : found->value;
    }

    void resources(const GridOf& grid, std::size_t first)
    {
        BlockResources out;
        out.grid = grid.first;
        out.threads = std::max(1, grid.second->agents) * std::max<std::int64_t>(1, levels_.lanes);
        const Memory* registers = memory_for(p_.machine, Role::registers);
        const Memory* shared = memory_for(p_.machine, Role::shared);
        const std::int64_t most = limit("cta.registers");
        const bool from_the_start = tensor_columns_of(p_.machine) > 0 && columns_asked_for(*grid.second).empty();
        for (std::size_t i = first; i < report_.memories.size(); ++i) {
            const MemoryAllocation& m = report_.memories[i];
            const std::int64_t bytes = has_operators_ ? m.live : m.peak;
            if (shared != nullptr && same_text(m.memory, shared->name)) out.shared_bytes = bytes;
            if (from_the_start && has_columns(*find_memory(p_.machine, m.memory)))
                out.tensor_columns = columns_allocated(p_.machine, bytes);
            if (most > 0 && registers != nullptr && same_text(m.memory, registers->name)) {
                const std::int64_t unit = std::max<std::int64_t>(1, limit("lane.register_unit"));
                out.thread_registers = counted(((WideIndex{bytes} + 3) / 4 + unit - 1) / unit * unit);
            }
        }
        const std::string text = statement_text(p_, grid.first) + ", grid: ";
        if (const std::int64_t start = registers_at_start(p_, *grid.second); start > 0) {
            // What tensors take of them is for each agent to be asked, as each may have another number.
            if (out.thread_registers > start && !changes_registers(*grid.second))
                problems.push_back({errc::capacity, text + worded("tensors take {0} registers of each thread, which has {1}",
                                                                  {out.thread_registers, start})});
            out.thread_registers = start;
        }
        if (const std::int64_t threads = limit("cta.threads"); threads > 0 && out.threads > threads)
            problems.push_back({errc::capacity, text + worded("a block has {0} threads; {1} takes at most {2}",
                                                              {out.threads, p_.machine.name, threads})});
        if (most > 0 && WideIndex{out.threads} * out.thread_registers > most)
            problems.push_back(
                {errc::capacity, text + worded("a block of {0} threads takes {1} registers, {2} for each thread; {3} has {4}",
                                               {out.threads, counted(WideIndex{out.threads} * out.thread_registers),
                                                out.thread_registers, p_.machine.name, most})});
        if (std::string wrong = short_columns_text(p_, *grid.second, report_, grid.first); !wrong.empty())
            problems.push_back({errc::capacity, std::move(wrong)});
        occupancy(out);
        report_.grids.push_back(out);
    }

    /// Blocks that a multiprocessor holds, by what each takes of what it has.
    void occupancy(BlockResources& out) const
    {
        const auto least = [&](const char* name, std::int64_t taken) {
            const std::int64_t has = limit(name);
            if (has == 0 || taken == 0) return;
            if (out.resident == 0 || has / taken < out.resident) out.resident = has / taken, out.limited_by = name;
        };
        least("sm.blocks", 1);
        least("sm.threads", out.threads);
        least("sm.registers", counted(WideIndex{out.threads} * out.thread_registers));
        least("tmem.columns", out.tensor_columns);
        least("sm.shared", out.shared_bytes == 0 ? 0 : counted(WideIndex{out.shared_bytes} + limit("cta.shared_reserved")));
    }

    const Program& p_;
    Levels levels_;
    LiveRanges ranges_;
    std::vector<GridOf> grids_{};
    std::vector<std::vector<const LiveRange*>> by_grid_{}; ///< what is outside grids first
    std::vector<RowUse> rows_{};
    bool has_operators_ = false;
    AllocationReport report_{};
};

} // namespace detail

AXE_DECL Result<AllocationReport, Problem> allocate(const Program& program)
{
    detail::Allocator allocator(program);
    AllocationReport report = allocator.run();
    if (!allocator.problems.empty()) return allocator.problems.front();
    return report;
}

AXE_DECL std::vector<Problem> allocation_problems(const Program& program)
{
    detail::Allocator allocator(program);
    (void)allocator.run();
    return std::move(allocator.problems);
}

AXE_DECL std::string allocation_text(const Program& program, const AllocationReport& report)
{
    std::string out;
    for (const MemoryAllocation& m : report.memories) {
        out += !m.in_grid ? std::string("outside grids") : "grid " + std::to_string(m.grid);
        out += detail::worded(": {0}: {1}", {m.memory, detail::count_words(m.peak, "byte")});
        if (m.limit > 0) out += " of " + std::to_string(m.limit);
        out += detail::worded(", at most {0} live at once{1}", {m.live, m.reused ? "; tensors share bytes" : ""}) + '\n';
        for (const TensorAllocation& t : m.tensors) {
            out += detail::worded("  {0}: bytes {1} to {2}", {program.tensors[static_cast<std::size_t>(t.tensor)].name, t.base,
                                                              t.base + std::max<std::int64_t>(t.bytes, 1) - 1});
            out +=
                t.first_use < 0 ? std::string(", not used") : detail::worded(", statements {0} to {1}", {t.first_use, t.last_use});
            std::string beside;
            for (const TensorAllocation& other : m.tensors)
                if (&other != &t && other.begin <= t.end && t.begin <= other.end)
                    beside += (beside.empty() ? "" : ", ") + program.tensors[static_cast<std::size_t>(other.tensor)].name;
            if (!beside.empty()) out += ", at the same time as " + beside;
            out += '\n';
        }
    }
    for (const BlockResources& g : report.grids) {
        out += detail::worded("grid {0}: a block has {1}", {g.grid, detail::count_words(g.threads, "thread")});
        if (g.thread_registers > 0) out += detail::worded(" with {0} registers each", {g.thread_registers});
        if (g.shared_bytes > 0) out += detail::worded(" and {0} of shared memory", {detail::count_words(g.shared_bytes, "byte")});
        if (g.tensor_columns > 0) out += detail::worded(" and {0} columns of tensor memory", {g.tensor_columns});
        if (g.resident > 0)
            out += detail::worded("; a multiprocessor holds {0}, limited by {1}",
                                  {detail::count_words(g.resident, "block"), g.limited_by});
        out += '\n';
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
