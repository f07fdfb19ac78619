// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_SCAN_SHUFFLE_HPP
#define AXE_SCHEDULE_SCAN_SHUFFLE_HPP

#include <axe/schedule/reduce/shuffle.hpp>
#include <axe/schedule/temporaries.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The lines of a scan as lanes have them: runs of consecutive elements in the registers of one lane. Behind the last lane of a line its
/// first one may go on: lane, lane + step, …, and again from the first.
class ScanRuns {
  public:
    struct Run {
        Owner at{};                           ///< its register is the number of the run in its lane
        std::vector<std::int32_t> elements{}; ///< of the view, in order
    };
    struct Line {
        std::vector<Run> runs{};
        std::int64_t lanes = 1; ///< run k is in the lane of run k − lanes
    };

    /// `errc::bad_argument` where an element is in several lanes, or a line in several agents, or lanes are not equally far apart.
    static Result<ScanRuns, Problem> of(const Request& request, const Placed& a, int axis)
    {
        ScanRuns out;
        const Shape& shape = request.view(1).extents;
        const std::int64_t length = shape[axis];
        std::int64_t step = 1;
        for (int d = axis + 1; d < shape.size(); ++d) step *= shape[d];
        for (std::int64_t i = 0; i < volume(shape).value_or(0) / length; ++i) {
            const std::int64_t first = i / step * step * length + i % step;
            if (auto p = out.add_line(request, a.placement, first, step, length); !p.ok()) return p.error();
        }
        return out;
    }

    [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
    /// The most lanes that a line has, and runs that a lane has.
    [[nodiscard]] std::int64_t lanes() const { return lanes_; }
    [[nodiscard]] std::int64_t most() const { return most_; }
    /// How far from each other neighbors of a line are; 0 where each line is in one lane.
    [[nodiscard]] int step() const { return step_; }

  private:
    /// The line in each of the agents that have it.
    Result<void, Problem> add_line(const Request& request, const ElementPlacement& a, std::int64_t first, std::int64_t step,
                                   std::int64_t length)
    {
        const auto begin = [&](std::int64_t e) { return static_cast<std::size_t>(a.begin[static_cast<std::size_t>(e)]); };
        for (std::size_t o = begin(first); o < begin(first + 1); ++o) {
            const int agent = a.owner[o].agent;
            if (request.execution_scope().index_of(agent) < 0) return {errc::bad_argument, in_other_agent(a.name, agent)};
            Line line;
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t e = first + i * step;
                const Owner* found = nullptr;
                for (std::size_t k = begin(e); k < begin(e + 1); ++k) {
                    if (a.owner[k].agent != agent) continue;
                    if (found != nullptr)
                        return Problem(errc::bad_argument, "lane {0} and lane {1} of agent {2} both hold element {3} of {4}",
                                       {found->lane, a.owner[k].lane, agent, e, a.name});
                    found = &a.owner[k];
                }
                if (found == nullptr)
                    return Problem(errc::bad_argument,
                                   "agent {0} holds element {1} of {2} and not element {3}, which is of the same line",
                                   {agent, first, a.name, e});
                if (line.runs.empty() || line.runs.back().at.lane != found->lane)
                    line.runs.push_back({{agent, found->lane, 0}, {}});
                line.runs.back().elements.push_back(static_cast<std::int32_t>(e));
            }
            if (auto p = finish(a.name, line); !p.ok()) return p;
            lines_.push_back(std::move(line));
        }
        return {};
    }

    /// The lanes of a line, checked, and a register for each run.
    Result<void, Problem> finish(const std::string& name, Line& line)
    {
        auto& runs = line.runs;
        const auto count = static_cast<std::int64_t>(runs.size());
        const auto lane = [&](std::int64_t k) { return runs[static_cast<std::size_t>(k)].at.lane; };
        while (line.lanes < count && lane(line.lanes) != lane(0)) ++line.lanes;
        for (std::int64_t k = 1; k < count; ++k) {
            const bool again = k >= line.lanes;
            const int apart = again ? lane(k) - lane(k - line.lanes) : lane(k) - lane(k - 1);
            if (!again && step_ == 0) step_ = apart;
            if (apart != (again ? 0 : step_) || step_ < 0)
                return Problem(errc::bad_argument,
                               "along the scan lane {0} follows lane {1} in {2}; lanes of all lines must go up by the same step",
                               {lane(k), lane(k - 1), name});
        }
        for (Run& run : runs) most_ = std::max(most_, (run.at.reg = count_[{run.at.agent, run.at.lane}]++) + 1);
        for (std::int64_t k = 1; k < std::min(count, line.lanes); ++k)
            if (runs[static_cast<std::size_t>(k)].at.reg != runs[0].at.reg)
                return Problem(errc::bad_argument,
                               "lane {0} and lane {1} have different numbers of lines of {2} before the same one",
                               {lane(0), lane(k), name});
        lanes_ = std::max(lanes_, std::min(count, line.lanes));
        return {};
    }

    std::vector<Line> lines_{};
    std::map<std::pair<int, int>, std::int64_t> count_{}; ///< runs of a lane so far
    std::int64_t lanes_ = 1, most_ = 0;
    int step_ = 0;
};

/// The scan of registers by exchanges, as the statements that do it are appended.
class ShuffleScan {
  public:
    ShuffleScan(Request& request, const ScanRuns& runs)
        : request_(request),
          operation_(request.operation()),
          runs_(runs),
          grow_(growing_type(request.tensor(1).dtype, request.tensor(0).dtype))
    {
    }

    [[nodiscard]] int exchanges() const { return exchanges_; }

    Result<Body, Problem> write(const Placed& d, const Placed& a)
    {
        if (storage_bytes(grow_) > 4 && runs_.lanes() > 1)
            return Problem(errc::bad_argument, too_wide_to_exchange(a.placement.name));
        if (auto p = find_slots(d.placement); !p.ok()) return p.error();
        auto own = registers("own", slots_), total = registers("total", runs_.most()), before = registers("before", runs_.most());
        for (const auto* one : {&own, &total, &before})
            if (!*one) return one->error();
        LaneWork load(request_), along(request_), last(request_), add(request_);
        for_each_run([&](const ScanRuns::Line&, const Run& run, std::int64_t k) {
            for (std::size_t j = 0; j < run.elements.size(); ++j) {
                load.add(run.at, place(run.elements[j], run), run.elements[j]);
                if (j > 0) along.add(run.at, place(run.elements[j], run), place(run.elements[j - 1], run));
                if (k > 0) add.add(run.at, place(run.elements[j], run), held(run.at));
            }
            last.add(run.at, held(run.at), place(run.elements.back(), run));
        });
        append_move(request_, body_, *own, a, load);
        combine(*own, *own, along);
        if (!add.empty()) {
            append_move(request_, body_, *total, *own, last);
            if (auto p = add_lanes_before(*total, *before); !p.ok()) return p.error();
            combine(*own, *before, add);
        }
        if (operation_.exclusive)
            if (auto p = move_on(*own, *before); !p.ok()) return p.error();
        if (auto p = store(d, *own); !p.ok()) return p.error();
        return std::move(body_);
    }

  private:
    using Run = ScanRuns::Run;

    /// Calls f(line, run, its number in the line).
    template <class F>
    void for_each_run(const F& f) const
    {
        for (const ScanRuns::Line& line : runs_.lines())
            for (std::size_t k = 0; k < line.runs.size(); ++k) f(line, line.runs[k], static_cast<std::int64_t>(k));
    }
    /// Registers of which each lane has as many.
    Result<Placed, Problem> registers(const char* name, std::int64_t each)
    {
        const std::int64_t threads = std::int64_t{request_.execution_scope().count} * block_scopes(request_.machine()).lanes();
        return distributed_registers(request_, request_.tensor(1).name + "." + name, grow_, each * threads);
    }
    /// The element of such a tensor that is register r of a lane.
    [[nodiscard]] std::int32_t in_lane(const Owner& o, std::int64_t r) const
    {
        const std::int64_t agents = request_.execution_scope().count, lanes = block_scopes(request_.machine()).lanes();
        return static_cast<std::int32_t>((r * agents + request_.execution_scope().index_of(o.agent)) * lanes + o.lane);
    }
    [[nodiscard]] std::int32_t held(const Owner& o) const { return in_lane(o, o.reg); }
    [[nodiscard]] std::int32_t place(std::int32_t element, const Run& run) const
    {
        return in_lane(run.at, slot_.at({run.at.agent, element}));
    }

    /// A register for each element of a lane; each lane of D must have what it needs.
    Result<void, Problem> find_slots(const ElementPlacement& d)
    {
        std::map<std::pair<int, int>, std::int64_t> used;
        for_each_run([&](const ScanRuns::Line&, const Run& run, std::int64_t) {
            for (const std::int32_t e : run.elements) {
                const std::int64_t slot = used[{run.at.agent, run.at.lane}]++;
                slot_[{run.at.agent, e}] = slot;
                lane_[{run.at.agent, e}] = run.at.lane;
                first_.try_emplace(e, run.at);
                slots_ = std::max(slots_, slot + 1);
            }
        });
        if (!d.is_private) return {};
        return for_each_owner(request_, d, [&](std::int32_t e, const Owner& o) -> Result<void, Problem> {
            const auto found = lane_.find({o.agent, e});
            if (found != lane_.end() && found->second == o.lane) return {};
            return {errc::bad_argument, holds_no_term(o, e, d.name)};
        });
    }

    /// R[first] = f(R[second] of `with`, R[first]).
    void combine(const Placed& r, const Placed& with, const LaneWork& work)
    {
        if (work.empty()) return;
        const Lists to = work.distribution(0), from = work.distribution(1);
        Instruction out = make_instruction(request_, "map", std::string(name(operation_.function)) + "." + name(grow_));
        out.operands = {{r.view, to}, {with.view, from}, {r.view, to}};
        out.function = operation_.function;
        body_.push_back(make_statement(std::move(out)));
    }

    /// to[run] = from[source(line, k)], where that is a run: all lanes that have a register of that number at once.
    template <class F>
    void exchange(const char* text, const Placed& to, const Placed& from, const F& source)
    {
        Distribution d;
        d.agents = request_.execution_scope().count;
        d.lanes = static_cast<int>(block_scopes(request_.machine()).lanes());
        d.issues = static_cast<int>(runs_.most());
        d.element.assign(d.at(d.issues, 0, 0), -1);
        Distribution s = d;
        for_each_run([&](const ScanRuns::Line& line, const Run& run, std::int64_t k) {
            const std::int64_t other = source(line, k);
            if (other < 0) return;
            const std::size_t at =
                d.at(static_cast<int>(run.at.reg), request_.execution_scope().index_of(run.at.agent), run.at.lane);
            d.element[at] = held(run.at);
            s.element[at] = held(line.runs[static_cast<std::size_t>(other)].at);
        });
        Instruction out = make_instruction(request_, "shuffle", text);
        out.operands = {{to.view, std::make_shared<const Distribution>(std::move(d))},
                        {from.view, std::make_shared<const Distribution>(std::move(s))}};
        body_.push_back(make_statement(std::move(out)));
        ++exchanges_;
    }

    /// before[k] = the sum of all runs before k, from total[k], the sum of run k: within each round of a line's lanes sums of 1, 2, 4, …
    /// runs, then what the rounds before come to.                                                                      [Hillis, Steele]
    Result<void, Problem> add_lanes_before(const Placed& total, const Placed& before)
    {
        for (std::int64_t reach = 1; reach < runs_.lanes(); reach *= 2) {
            const auto behind = [&](const ScanRuns::Line& line, std::int64_t k) {
                return k % line.lanes >= reach ? k - reach : std::int64_t{-1};
            };
            exchange("shfl.sync.up.b32", before, total, behind);
            LaneWork add(request_);
            for_each_run([&](const ScanRuns::Line& line, const Run& run, std::int64_t k) {
                if (behind(line, k) >= 0) add.add(run.at, held(run.at), held(run.at));
            });
            combine(total, before, add);
        }
        exchange("shfl.sync.up.b32", before, total,
                 [](const ScanRuns::Line& line, std::int64_t k) { return k % line.lanes > 0 ? k - 1 : std::int64_t{-1}; });
        std::int64_t rounds = 1;
        for (const ScanRuns::Line& line : runs_.lines())
            rounds = std::max(rounds, (static_cast<std::int64_t>(line.runs.size()) + line.lanes - 1) / line.lanes);
        if (rounds == 1) return {};
        const auto round = registers("rounds", runs_.most());
        if (!round) return round.error();
        // The last lane's sum of the round before, in all lanes; rounds one after the other.
        exchange("shfl.sync.idx.b32", *round, total, [](const ScanRuns::Line& line, std::int64_t k) {
            return k >= line.lanes ? k / line.lanes * line.lanes - 1 : std::int64_t{-1};
        });
        LaneWork sums(request_), first(request_), add(request_);
        for_each_run([&](const ScanRuns::Line& line, const Run& run, std::int64_t k) {
            if (k < line.lanes) return;
            if (k >= 2 * line.lanes) sums.add(run.at, held(run.at), held(line.runs[static_cast<std::size_t>(k - line.lanes)].at));
            (k % line.lanes == 0 ? first : add).add(run.at, held(run.at), held(run.at));
        });
        combine(*round, *round, sums);
        append_move(request_, body_, before, *round, first);
        combine(before, *round, add);
        return {};
    }

    /// Each element where the next one is; at first of a line the neutral element, of a run what came before it.
    Result<void, Problem> move_on(Placed& own, const Placed& before)
    {
        auto next = registers("next", slots_);
        if (!next) return next.error();
        LaneWork along(request_), first(request_), begin(request_);
        for_each_run([&](const ScanRuns::Line&, const Run& run, std::int64_t k) {
            for (std::size_t j = 1; j < run.elements.size(); ++j)
                along.add(run.at, place(run.elements[j], run), place(run.elements[j - 1], run));
            const std::int32_t to = place(run.elements[0], run);
            (k > 0 ? first : begin).add(run.at, to, k > 0 ? held(run.at) : to);
        });
        const FunctionRow& f = operation_.function.row();
        Instruction neutral = make_instruction(request_, "fill", "mov." + width_text(storage_bytes(grow_), storage_bytes(grow_)));
        neutral.operands = {{next->view, begin.distribution(0)}};
        neutral.number = is_whole(grow_) ? static_cast<double>(f.neutral_integer) : f.neutral;
        body_.push_back(make_statement(std::move(neutral)));
        append_move(request_, body_, *next, own, along);
        append_move(request_, body_, *next, before, first);
        own = std::move(*next);
        return {};
    }

    Result<void, Problem> store(const Placed& d, const Placed& own)
    {
        LaneWork out(request_);
        if (!d.placement.is_private) {
            for (const auto& [e, owner] : first_) out.add(owner, e, in_lane(owner, slot_.at({owner.agent, e})));
        } else {
            auto p = for_each_owner(request_, d.placement,
                                    [&](std::int32_t e, const Owner& o) { out.add(o, e, in_lane(o, slot_.at({o.agent, e}))); });
            if (!p.ok()) return p;
        }
        append_move(request_, body_, d, own, out);
        return {};
    }

    Request& request_;
    const Operation& operation_;
    const ScanRuns& runs_;
    DType grow_;
    Body body_{};
    std::map<std::pair<int, std::int32_t>, std::int64_t> slot_{}; ///< of an agent's element: its register
    std::map<std::pair<int, std::int32_t>, int> lane_{};          ///< and its lane
    std::map<std::int32_t, Owner> first_{};                       ///< of an element: one that has it
    std::int64_t slots_ = 1;
    int exchanges_ = 0;
};

inline Result<Body, Problem> emit_scan_by_shuffles(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const auto d = placed(request, request.view(0)), a = placed(request, request.view(1));
    if (!d) return d.error();
    if (!a) return a.error();
    if (!a->placement.is_private) return Problem(errc::bad_argument, every_lane_reads(request, a->placement.name));
    const auto runs = ScanRuns::of(request, *a, request.operation().axes[0]);
    if (!runs) return runs.error();
    ShuffleScan scan(request, *runs);
    auto body = scan.write(*d, *a);
    if (!body) return body;
    request.decided(
        worded("{0} a line, {1}", {count_words(runs->lanes(), "lane"), count_words(std::int64_t{scan.exchanges()}, "exchange")}));
    return body;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
