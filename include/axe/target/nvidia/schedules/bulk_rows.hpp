// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_BULK_ROWS_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_BULK_ROWS_HPP

#include <axe/target/nvidia/schedules/bulk_copy.hpp>
#include <axe/target/nvidia/tma/issue.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline bool has_bulk_rows(const Machine& machine) noexcept
{
    return has_bulk_copies(machine) && has_instruction(machine, "tcgen05");
}

/// Four rows of a view from row `first` on.
inline View four_rows(const View& v, std::int64_t first)
{
    View out = v;
    if (v.dims[0] >= 0) {
        Affine& origin = out.origin[static_cast<std::size_t>(v.dims[0])];
        origin = origin + Affine(first * v.steps[0]);
    }
    out.extents[0] = 4;
    return out;
}

/// How many copies of four rows bring a group of rows: one map of two dimensions, whose boxes are one row, serves them all.
inline Result<std::int64_t, Problem> copies_of_four(const Request& request, const View& rows, const View& chosen, TmaUse use)
{
    const ProgramTensor& g = request.tensor(chosen);
    std::int64_t out = 0;
    for (std::int64_t first = 0; first < rows.extents[0]; first += 4) {
        const auto plan = plan_of_bulk_copy(request, four_rows(rows, first), four_rows(chosen, 0), use);
        if (!plan) return plan.error();
        TensorMap map = plan->map;
        if (map.rank() != 2 || map.box[1] != 4 || map.dims[1] != g.shape[chosen.dims[0]])
            return Problem(errc::bad_argument, "the copies of four rows of {0} are not boxes of a tensor map of its two dimensions",
                           {g.name});
        map.box[1] = 1;
        for (TmaIssue issue : plan->issues) {
            const std::int64_t row = issue.coords[1];
            issue.coords = {issue.coords[0], row, row + 1, row + 2, row + 3};
            issue.mode = TmaMode::rows4;
            if (const Status e = check(map, issue, {100, use, false}); !e.ok()) return Problem(e.error(), g.name + ": ");
        }
        if (const Status e = check(map, {100, use, false}); !e.ok()) return Problem(e.error(), g.name + ": ");
        out += static_cast<std::int64_t>(plan->issues.size());
    }
    return out;
}

/// An index in registers is the starting lane's own.
inline Result<void, Problem> need_index_of_starter(const Request& request, const View& index, int agent)
{
    const auto held = element_placement(request, index);
    if (!held) return held.error();
    for (std::int32_t e = 0; e < held->count; ++e) {
        const auto from = held->owner.begin() + held->begin[static_cast<std::size_t>(e)],
                   to = held->owner.begin() + held->begin[static_cast<std::size_t>(e) + 1];
        if (std::none_of(from, to, [&](const auto& o) { return o.agent == agent && o.lane == 0; }))
            return {errc::bad_argument, index_of_other_lanes_text(request.tensor(index).name)};
    }
    return {};
}

/// Elements one after the other, as one agent takes them: `number(e)` of each. There may be more issues than these take.
template <class Number>
std::shared_ptr<const Distribution> one_by_one(std::int64_t count, int lanes, std::int64_t issues, const Number& number)
{
    Distribution out;
    out.lanes = lanes;
    out.issues = static_cast<int>(std::max(issues, (count + lanes - 1) / lanes));
    out.element.assign(out.at(out.issues, 0, 0), -1);
    for (std::int64_t e = 0; e < count; ++e) out.element[static_cast<std::size_t>(e)] = static_cast<std::int32_t>(number(e));
    return std::make_shared<const Distribution>(std::move(out));
}

inline Result<Body, Problem> emit_bulk_rows(Request& request, bool gathers)
{
    if (auto e = check_in_block(request); !e.ok()) return e;
    const View &rows = request.view(gathers ? 0 : 2), &chosen = request.view(gathers ? 1 : 0),
               &index = request.view(gathers ? 2 : 1);
    const Options& options = request.operation().options;
    if (gathers && options.completes_on < 0) return Problem(errc::bad_argument, load_needs_mbarrier_text());
    if (!gathers && !options.async) return Problem(errc::bad_argument, not_asynchronous_text());
    if (!gathers && options.completes_on >= 0) return Problem(errc::bad_argument, store_on_mbarrier_text(options.completes_on));
    const Memory &near = request.memory(rows), &far = request.memory(chosen);
    if (!near.roles.has(Role::shared) || !far.roles.has(Role::global) || rows.guarded)
        return Problem(errc::bad_argument,
                       "{0} is in {1} and {2} in {3}; rows are copied between global and shared memory, there without a guard",
                       {request.tensor(rows).name, near.name, request.tensor(chosen).name, far.name});
    if (auto e = check_same_types(request, rows, chosen); !e.ok()) return e;
    if (rows.rank() != 2 || request.tensor(chosen).shape.size() != 2)
        return Problem(errc::bad_argument, "{0} has {1} dimensions, {2} has {3}; both must have 2",
                       {request.tensor(rows).name, rows.rank(), request.tensor(chosen).name, request.tensor(chosen).shape.size()});
    if (rows.extents[0] % 4 != 0)
        return Problem(errc::bad_argument, "{0} rows; copies by a tensor map take four at a time", {rows.extents[0]});
    if (const int bits = packed_bits(request.tensor(rows).dtype); bits < 8)
        return Problem(errc::bad_argument, rows_of_small_elements_text(bits));
    if (auto e = check_level_two(request); !e.ok()) return e;
    const auto copies = copies_of_four(request, rows, chosen, gathers ? TmaUse::load : TmaUse::store);
    if (!copies) return copies.error();
    const Request starter = request.started_by_one();
    const bool held = is_private(request.machine(), request.memory(index));
    if (held)
        if (auto e = need_index_of_starter(request, index, starter.execution_scope().first); !e.ok()) return e;
    const std::string loads = worded("cp.async.bulk.tensor.2d.shared::{0}.global.tile::gather4.mbarrier::complete_tx::bytes{1}{2}",
                                     {options.multicast != 0 || options.pair ? "cluster" : "cta",
                                      options.multicast != 0 ? ".multicast::cluster" : "", options.pair ? ".cta_group::2" : ""});
    Instruction out = make_instruction(
        starter, "bulk_rows",
        with_cache_policy(request, gathers ? loads : "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"));
    const std::int64_t count = rows.extents[0] * rows.extents[1], length = rows.extents[1];
    const std::int64_t least = held ? rows.extents[0] : 1; // an issue for each index of lane 0
    const int lanes = starter.execution_scope().lanes;
    const Access row{rows, one_by_one(count, lanes, least, [](std::int64_t e) { return e; })};
    const Access any{chosen, one_by_one(count, lanes, least, [length](std::int64_t e) { return e % length; })};
    const auto of_lane_zero = [&](std::int64_t e) { return e % lanes == 0 && e / lanes < rows.extents[0] ? e / lanes : -1; };
    const auto of_row = [length](std::int64_t e) { return e % length == 0 ? e / length : -1; };
    const Access which{index, held ? one_by_one(rows.extents[0] * lanes, lanes, row.distribution->issues, of_lane_zero)
                                   : one_by_one(count, lanes, least, of_row)};
    out.operands = gathers ? std::vector<Access>{row, any, which} : std::vector<Access>{any, row, which};
    out.parameters = {gathers ? 0 : 1, *copies};
    out.async = true;
    out.completes_on = options.completes_on;
    out.multicast = options.multicast;
    out.pair = options.pair;
    request.decided(worded("agent {0} starts {1}, each four rows of a box of a tensor map",
                           {starter.execution_scope().first, count_words(*copies, "transfer")}));
    return Body{make_statement(std::move(out))};
}

inline Result<Body, Problem> emit_bulk_gather(Request& request) { return emit_bulk_rows(request, true); }
inline Result<Body, Problem> emit_bulk_scatter(Request& request) { return emit_bulk_rows(request, false); }

} // namespace detail

/// Copies of rows that an index chooses, four at a time, that one agent starts.      [PTX, tile::gather4, tile::scatter4]
inline constexpr Schedule bulk_rows_schedules[] = {
    {Op::gather,
     "bulk_rows",
     30,
     "gather4",
     "one agent starts copies of four rows of global memory each",
     detail::has_bulk_rows,
     detail::emit_bulk_gather,
     0,
     nullptr,
     true,
     {.cache_hints = true, .mbarriers = true}},
    {Op::scatter,
     "bulk_rows",
     30,
     "scatter4",
     "one agent starts copies of four rows to global memory each",
     detail::has_bulk_rows,
     detail::emit_bulk_scatter,
     0,
     nullptr,
     false,
     {.cache_hints = true, .mbarriers = true}},
};

} // namespace v0
} // namespace axe

#endif
