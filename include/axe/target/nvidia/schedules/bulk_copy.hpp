// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_BULK_COPY_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_BULK_COPY_HPP

#include <axe/program/cluster_text.hpp>
#include <axe/schedule/copy/moves.hpp>
#include <axe/target/nvidia/tma/dtype.hpp>
#include <axe/target/nvidia/tma/plan.hpp>

#include <optional>

namespace axe {
inline namespace v0 {
namespace detail {

inline bool has_bulk_copies(const Machine& machine) noexcept { return has_instruction(machine, "cp.async.bulk"); }

/// A view as a region of its tensor; none of a view that is not a box with its dimensions in order. `last`: where the variables put it last.
inline std::optional<Region> region_of(const Request& request, const View& v, bool last)
{
    const ProgramTensor& t = request.tensor(v);
    Region out;
    for (int d = 0; d < t.shape.size(); ++d) {
        const Values at = values_of(request, v.origin[static_cast<std::size_t>(d)]);
        const std::int64_t origin = last ? at.greatest : at.least;
        out.push_back({origin, origin + 1});
    }
    int before = -1;
    for (int k = 0; k < v.rank(); ++k) {
        const int d = v.dims[k];
        if (d <= before || (v.steps[k] != 1 && v.extents[k] > 1)) return std::nullopt;
        before = d;
        out[d].hi = out[d].lo + v.extents[k];
    }
    return out;
}

/// The copies by a tensor map between the two views; the same number at the first and at the last place of the tile.
inline Result<TmaPlan, Problem> plan_of_bulk_copy(const Request& request, const View& shared, const View& global, TmaUse use)
{
    const ProgramTensor &s = request.tensor(shared), &g = request.tensor(global);
    const auto type = tma_type(g.dtype);
    if (!type) return Problem(errc::bad_argument, worded("a tensor map has no type for {0}", {name(g.dtype)}));
    if (g.layout.swizzle.bits > 0)
        return Problem(errc::bad_argument, worded("{0} has a swizzle; a tensor map has none in global memory", {g.name}));
    Result<TmaPlan, Problem> out = Problem(errc::bad_argument, "the views are not boxes with their dimensions in order");
    for (const bool last : {false, true}) {
        const auto from = region_of(request, global, last), to = region_of(request, shared, last);
        if (!from || !to) return out;
        TmaRequest r;
        r.type = *type;
        r.global = g.layout.layout;
        r.global_shape = g.shape;
        r.global_region = *from;
        r.shared = s.layout;
        if (r.shared.width != storage_bytes(g.dtype) && r.shared.swizzle.bits == 0) r.shared.width = storage_bytes(g.dtype);
        r.shared_shape = s.shape;
        r.shared_region = *to;
        r.global_axis = request.memory(global).axes[request.memory(global).axes.size() - 1];
        r.alignment = std::max<std::int64_t>(16, request.memory(global).alignment);
        r.rules.use = use;
        const auto plan = plan_tma(r);
        if (!plan) return Problem(plan.error(), g.name + ": ");
        if (out && out->issues.size() != plan->issues.size())
            return Problem(errc::no_layout, worded("{0}: {1} copies at the first place of the tile, {2} at the last",
                                                   {g.name, out->issues.size(), plan->issues.size()}));
        out = *plan;
    }
    return out;
}

/// Pieces that follow each other on both sides are one copy without a map.
inline std::int64_t plain_copies(const Move& move)
{
    const Distribution& p = *move.distribution.elements;
    std::int64_t out = 0, before = -1;
    for (const std::int32_t e : p.element) {
        if (e < 0) continue;
        const auto follows = [&](const ElementPlacement& side) {
            return side.address[static_cast<std::size_t>(e)] == side.address[static_cast<std::size_t>(before)] + 1;
        };
        if (before < 0 || !follows(move.to) || !follows(move.from)) ++out;
        before = e;
    }
    return out;
}

/// How one agent copies a tile: the pieces, how many copies they are, and what the instruction's name has for a tensor map.
struct BulkPlan {
    std::shared_ptr<const Distribution> elements{};
    std::int64_t copies = 1;
    std::string form{};
};

/// The same operation by the first agent of those that run it.
inline Request started_by_one(const Request& request)
{
    ExecutionScope one = request.execution_scope();
    one.count = 1;
    return {request.program(), request.target(), request.operation(), one};
}

inline Result<BulkPlan, Problem> plan_bulk(Request& request, const Request& starter, TmaUse use)
{
    const View &d = request.view(0), &a = request.view(1);
    if (auto e = check_same_types(request, d, a); !e.ok()) return e.error();
    const auto move = plan_move(starter, d, a, 16);
    if (!move) return move.error();
    const int bytes = move->distribution.vector * move->to.bytes;
    if (bytes % 16 != 0)
        return Problem(errc::bad_argument, worded("the tile has pieces of {0} bytes; they must be multiples of 16: {1}",
                                                  {bytes, why_narrow(move->to, move->from)}));
    constexpr std::int64_t most_plain = 256;
    const auto plan = use == TmaUse::load ? plan_of_bulk_copy(request, d, a, use) : plan_of_bulk_copy(request, a, d, use);
    const std::int64_t copies = plan ? static_cast<std::int64_t>(plan->issues.size()) : plain_copies(*move);
    if (!plan && (copies > most_plain || d.guarded || a.guarded))
        return Problem(plan.error().code,
                       worded("no tensor map copies it, and {0} copies without a map would: {1}", {copies, plan.error().text}));
    request.decided(
        worded(plan ? "agent {0} starts {1}, each a box of a tensor map of rank {2}" : "agent {0} starts {1} without a tensor map",
               {starter.execution_scope().first, count_words(copies, "transfer"), plan ? plan->map.dims.size() : 0}));
    return BulkPlan{move->distribution.elements, copies, plan ? worded(".tensor.{0}d", {plan->map.dims.size()}) : std::string()};
}

inline Result<Body, Problem> emit_bulk_copy(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    const auto is = [&](const View& v, Role role) { return request.memory(v).roles.has(role); };
    const bool loads = is(d, Role::shared) && is(a, Role::global);
    if (!loads && !(is(d, Role::global) && is(a, Role::shared)))
        return Problem(errc::bad_argument,
                       worded("{0} is in {1} and {2} in {3}; the copy must be between global and shared memory",
                              {request.tensor(a).name, request.memory(a).name, request.tensor(d).name, request.memory(d).name}));
    const int completes_on = request.operation().options.completes_on;
    if (loads && completes_on < 0)
        return Problem(errc::bad_argument, "a bulk copy to shared memory completes on an mbarrier, and no `completes_on` is given");
    if (!loads && completes_on >= 0)
        return Problem(errc::bad_argument,
                       worded("a bulk copy to global memory completes by commit and wait, not on mbarrier {0}", {completes_on}));
    const std::uint16_t multicast = request.operation().options.multicast;
    const bool pair = request.operation().options.pair;
    if (pair && !has_instruction(request.machine(), "tcgen05"))
        return Problem(errc::bad_argument, worded("{0} has no pairs of blocks", {request.machine().name}));
    if (!loads && (multicast != 0 || pair)) return Problem(errc::bad_argument, several_targets_text());
    const Request starter = started_by_one(request);
    const auto bulk = plan_bulk(request, starter, loads ? TmaUse::load : TmaUse::store);
    if (!bulk) return bulk.error();
    Instruction out = make_instruction(
        starter, "bulk_copy",
        worded(multicast != 0 ? "cp.async.bulk{0}.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{1}"
               : pair         ? "cp.async.bulk{0}.shared::cluster.global.mbarrier::complete_tx::bytes{1}"
               : loads        ? "cp.async.bulk{0}.shared::cta.global.mbarrier::complete_tx::bytes"
                              : "cp.async.bulk{0}.global.shared::cta.bulk_group",
               {bulk->form, std::string(pair ? ".cta_group::2" : "")}));
    out.parameters = {bulk->copies};
    out.operands = {{d, bulk->elements}, {a, bulk->elements}};
    out.async = true;
    out.completes_on = completes_on;
    out.multicast = multicast;
    out.pair = pair;
    return Body{make_statement(std::move(out))};
}

} // namespace detail

/// Copies of whole tiles that one agent starts.      [PTX, cp.async.bulk]
inline constexpr Schedule bulk_copy_schedules[] = {
    {Op::copy_async, "bulk_copy", 30, "cp.async.bulk", "one agent starts a copy of a tile between global and shared memory",
     detail::has_bulk_copies, detail::emit_bulk_copy, 0, nullptr, true},
};

} // namespace v0
} // namespace axe

#endif
