// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_SCAN_HPP
#define AXE_SCHEDULE_SCAN_HPP

#include <axe/schedule/reduce/through_shared.hpp>
#include <axe/schedule/scan_shuffle.hpp>
#include <axe/schedule/temporaries.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline Result<Body, Problem> emit_iota(Request& request)
{
    return emit_written(request, "iota", [&](Instruction& out) {
        out.parameters = {request.operation().axes[0]};
        out.start = request.operation().start;
    });
}

/// How the lines of a scan are cut: each into as many chunks as there are lanes for it, a power of two. Unit u, a chunk of a line, is in
/// the registers of lane u mod lanes.
class ScanUnits {
  public:
    ScanUnits(const Request& request, const Shape& shape, int axis) : place_(request.execution_scope())
    {
        lanes_ = block_scopes(request.machine()).lanes();
        threads_ = std::int64_t{place_.count} * lanes_;
        length_ = shape[axis];
        for (int d = axis + 1; d < shape.size(); ++d) step_ *= shape[d];
        lines_ = volume(shape).value_or(0) / length_;
        while (chunks_ * 2 * lines_ <= threads_ && chunks_ * 2 <= length_) chunks_ *= 2;
        slots_ = (length_ + chunks_ - 1) / chunks_;
    }

    [[nodiscard]] std::int64_t lines() const { return lines_; }
    [[nodiscard]] std::int64_t chunks() const { return chunks_; }
    [[nodiscard]] std::int64_t units() const { return lines_ * chunks_; }
    [[nodiscard]] std::int64_t slots() const { return slots_; }
    /// Registers of a unit's kind that the lanes need together, each lane for `slots` of each of its units.
    [[nodiscard]] std::int64_t registers(std::int64_t slots) const
    {
        return (units() + threads_ - 1) / threads_ * slots * threads_;
    }
    [[nodiscard]] Owner owner(std::int64_t unit) const
    {
        const int thread = static_cast<int>(unit % threads_);
        return {place_.first + thread / lanes_ * place_.stride, thread % lanes_, 0};
    }
    /// The element of such a register tensor that is slot j of `slots` of a unit.
    [[nodiscard]] std::int32_t held(std::int64_t unit, std::int64_t j, std::int64_t slots) const
    {
        return static_cast<std::int32_t>((unit / threads_ * slots + j) * threads_ + unit % threads_);
    }
    /// Calls f(unit, slot, element of the view) for all elements, slot by slot.
    template <class F>
    void for_each(const F& f) const
    {
        for (std::int64_t j = 0; j < slots_; ++j)
            for (std::int64_t u = 0; u < units(); ++u) {
                const std::int64_t i = u % chunks_ * slots_ + j, line = u / chunks_;
                if (i < length_) f(u, j, static_cast<std::int32_t>((line / step_ * length_ + i) * step_ + line % step_));
            }
    }
    /// How many elements a chunk has: the last ones of a line may have fewer than others, or none.
    [[nodiscard]] std::int64_t filled(std::int64_t unit) const
    {
        return std::clamp<std::int64_t>(length_ - unit % chunks_ * slots_, 0, slots_);
    }
    [[nodiscard]] bool is_there(std::int64_t unit) const { return filled(unit) > 0; }

  private:
    ExecutionScope place_;
    int lanes_ = 1;
    std::int64_t threads_ = 1, length_ = 1, step_ = 1, lines_ = 1, chunks_ = 1, slots_ = 1;
};

/// The scan of an operator, as the statements that do it are appended.
class ScanWriter {
  public:
    explicit ScanWriter(Request& request)
        : request_(request),
          operation_(request.operation()),
          units_(request, request.view(1).extents, request.operation().axes[0]),
          grow_(growing_type(request.tensor(1).dtype, request.tensor(0).dtype))
    {
    }

    Result<Body, Problem> write()
    {
        const auto d = placed(request_, request_.view(0)), a = placed(request_, request_.view(1));
        if (!d) return d.error();
        if (!a) return a.error();
        auto own = distributed_registers(request_, d->placement.name + ".chunk", grow_, units_.registers(units_.slots()));
        if (!own) return own.error();
        if (auto p = load(*own, *a); !p.ok()) return p;
        LaneWork along(request_);
        units_.for_each([&](std::int64_t u, std::int64_t j, std::int32_t) {
            if (j > 0) along.add(units_.owner(u), held(u, j), held(u, j - 1));
        });
        append_prefix(*own, *own, along);
        if (units_.chunks() > 1)
            if (auto p = add_chunks_before(*own); !p.ok()) return p;
        if (operation_.exclusive)
            if (auto p = move_on(*own); !p.ok()) return p;
        if (auto p = store(*d, *own); !p.ok()) return p;
        if (meets_) meet();
        return std::move(body_);
    }

  private:
    [[nodiscard]] std::int32_t held(std::int64_t unit, std::int64_t j) const { return units_.held(unit, j, units_.slots()); }
    void meet()
    {
        Statement meeting;
        meeting.what = Barrier{};
        body_.push_back(std::move(meeting));
        meets_ = true;
    }
    Result<Placed, Problem> in_shared(std::string name, DType type, std::int64_t count)
    {
        const Memory* shared = memory_for(request_.machine(), Role::shared);
        if (shared->axes.size() != 1) return Problem(errc::bad_argument, several_address_axes(shared->name));
        ProgramTensor t;
        t.name = std::move(name);
        t.dtype = type;
        t.memory = shared->name;
        t.shape = {count};
        t.layout.layout.shard = {{count, 1, shared->axes[0]}};
        return placed(request_, request_.temporary(std::move(t)));
    }
    /// R[first] = f(R[second] of `before`, R[first]), issue after issue.
    void append_prefix(const Placed& r, const Placed& before, const LaneWork& work)
    {
        if (work.empty()) return;
        const Lists to = work.distribution(0), from = work.distribution(1);
        Instruction out = make_instruction(request_, "map", std::string(name(operation_.function)) + "." + name(grow_));
        out.operands = {{r.view, to}, {before.view, from}, {r.view, to}};
        out.function = operation_.function;
        body_.push_back(make_statement(std::move(out)));
    }

    /// Chunks into registers: of a memory as they are, of registers by way of shared memory.
    Result<void, Problem> load(const Placed& own, const Placed& a)
    {
        Placed from = a;
        if (a.placement.is_private) {
            auto staged = in_shared(a.placement.name + ".staged", request_.tensor(a.view).dtype, a.placement.count);
            if (!staged) return staged.error();
            LaneWork out(request_);
            for (std::int32_t e = 0; e < a.placement.count; ++e) {
                const auto first = a.placement.begin[static_cast<std::size_t>(e)];
                if (first == a.placement.begin[static_cast<std::size_t>(e) + 1])
                    return {errc::bad_argument, in_no_lane_text(static_cast<std::size_t>(e), a.placement.name)};
                const Owner& o = a.placement.owner[static_cast<std::size_t>(first)];
                if (request_.execution_scope().index_of(o.agent) < 0)
                    return {errc::bad_argument, in_other_agent(a.placement.name, o.agent)};
                out.add(o, e, e);
            }
            append_move(request_, body_, *staged, a, out);
            meet();
            from = std::move(*staged);
        }
        LaneWork in(request_);
        units_.for_each([&](std::int64_t u, std::int64_t j, std::int32_t e) { in.add(units_.owner(u), held(u, j), e); });
        append_move(request_, body_, own, from, in);
        return {};
    }

    /// The sum of all chunks before is added to each element of a chunk: sums of 1, 2, 4, … chunks, between two tables.   [Hillis, Steele]
    Result<void, Problem> add_chunks_before(const Placed& own)
    {
        const std::int64_t units = units_.units(), chunks = units_.chunks();
        const auto total = distributed_registers(request_, "total", grow_, units_.registers(1));
        const auto before = distributed_registers(request_, "before", grow_, units_.registers(1));
        const auto even = in_shared("totals", grow_, units), odd = in_shared("totals.next", grow_, units);
        for (const auto* placed_one : {&total, &before, &even, &odd})
            if (!*placed_one) return placed_one->error();
        const auto one = [&](std::int64_t u) { return units_.held(u, 0, 1); };
        LaneWork last(request_), out(request_);
        for (std::int64_t u = 0; u < units; ++u) {
            if (!units_.is_there(u)) continue; // behind the end of the line: no other chunk asks for it
            last.add(units_.owner(u), one(u), held(u, units_.filled(u) - 1));
            out.add(units_.owner(u), static_cast<std::int32_t>(u), one(u));
        }
        append_move(request_, body_, *total, own, last);
        const Placed* table = &*even;
        append_move(request_, body_, *table, *total, out);
        meet();
        for (std::int64_t reach = 1; reach < chunks; reach *= 2) {
            LaneWork in(request_), add(request_);
            for (std::int64_t u = 0; u < units; ++u) {
                if (!units_.is_there(u) || u % chunks < reach) continue;
                in.add(units_.owner(u), one(u), static_cast<std::int32_t>(u - reach));
                add.add(units_.owner(u), one(u), one(u));
            }
            append_move(request_, body_, *before, *table, in);
            append_prefix(*total, *before, add);
            table = table == &*even ? &*odd : &*even;
            append_move(request_, body_, *table, *total, out);
            meet();
        }
        LaneWork in(request_), add(request_);
        for (std::int64_t u = 0; u < units; ++u)
            if (units_.is_there(u) && u % chunks > 0) in.add(units_.owner(u), one(u), static_cast<std::int32_t>(u - 1));
        units_.for_each([&](std::int64_t u, std::int64_t j, std::int32_t) {
            if (u % chunks > 0) add.add(units_.owner(u), held(u, j), one(u));
        });
        append_move(request_, body_, *before, *table, in);
        append_prefix(own, *before, add);
        before_ = *before;
        return {};
    }

    /// Each element where the next one is; at first of a line the neutral element, of a chunk what came before it.
    Result<void, Problem> move_on(Placed& own)
    {
        auto next = distributed_registers(request_, "next", grow_, units_.registers(units_.slots()));
        if (!next) return next.error();
        LaneWork along(request_), first(request_), begin(request_);
        units_.for_each([&](std::int64_t u, std::int64_t j, std::int32_t) {
            const std::int32_t to = held(u, j);
            if (j > 0)
                along.add(units_.owner(u), to, held(u, j - 1));
            else if (u % units_.chunks() > 0)
                first.add(units_.owner(u), to, units_.held(u, 0, 1));
            else
                begin.add(units_.owner(u), to, to);
        });
        const FunctionRow& f = operation_.function.row();
        Instruction neutral = make_instruction(request_, "fill", "mov." + width_text(storage_bytes(grow_), storage_bytes(grow_)));
        neutral.operands = {{next->view, begin.distribution(0)}};
        neutral.number = is_whole(grow_) ? static_cast<double>(f.neutral_integer) : f.neutral;
        body_.push_back(make_statement(std::move(neutral)));
        append_move(request_, body_, *next, own, along);
        if (!first.empty()) append_move(request_, body_, *next, before_, first);
        own = std::move(*next);
        return {};
    }

    Result<void, Problem> store(const Placed& d, const Placed& own)
    {
        LaneWork out(request_);
        units_.for_each([&](std::int64_t u, std::int64_t j, std::int32_t e) { out.add(units_.owner(u), e, held(u, j)); });
        if (!d.placement.is_private) {
            append_move(request_, body_, d, own, out);
            return {};
        }
        const auto staged = in_shared(d.placement.name + ".staged", request_.tensor(d.view).dtype, d.placement.count);
        if (!staged) return staged.error();
        append_move(request_, body_, *staged, own, out);
        meet();
        LaneWork in(request_);
        if (auto p = for_each_owner(request_, d.placement, [&](std::int32_t e, const Owner& o) { in.add(o, e, e); }); !p.ok())
            return p;
        append_move(request_, body_, d, *staged, in);
        return {};
    }

    Request& request_;
    const Operation& operation_;
    ScanUnits units_;
    DType grow_;
    Body body_{};
    Placed before_{};
    bool meets_ = false;
};

inline Result<Body, Problem> emit_scan(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const ScanUnits units(request, request.view(1).extents, request.operation().axes[0]);
    auto body = ScanWriter(request).write();
    if (!body) return body;
    request.decided(
        worded("{0} a line, {1} a lane", {count_words(units.chunks(), "chunk"), count_words(units.slots(), "element")}));
    return body;
}

} // namespace detail

/// Indices of elements, in registers and in memories.
inline constexpr Schedule iota_schedules[] = {
    {Op::iota, "vector", 20, "st", "each lane writes the indices of what it holds, or up to 16 bytes of memory at once",
     detail::has_lanes_that_load, detail::emit_iota},
};

/// Prefixes of reductions within a block.
inline constexpr Schedule scan_schedules[] = {
    {Op::scan, "shuffle", 20, "shfl.sync", "each lane its registers of a line by itself, then the lanes of an agent by exchanges",
     detail::has_shuffles, detail::emit_scan_by_shuffles},
    {Op::scan, "through_shared", 10, "barrier", "each lane a chunk of a line by itself, then the chunks by way of shared memory",
     detail::stages_in_shared, detail::emit_scan},
};

} // namespace v0
} // namespace axe

#endif
