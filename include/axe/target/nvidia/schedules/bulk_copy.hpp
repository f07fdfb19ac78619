// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_BULK_COPY_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_BULK_COPY_HPP

#include <axe/program/cluster_text.hpp>
#include <axe/target/nvidia/opcodes/async_copy.hpp>
#include <axe/target/nvidia/schedules/bulk_options.hpp>
#include <axe/target/nvidia/tma/dtype.hpp>
#include <axe/target/nvidia/tma/plan.hpp>

#include <optional>

namespace axe {
inline namespace v0 {
namespace detail {

inline bool has_bulk_copies(const Machine& machine) noexcept { return has_instruction(machine, "cp.async.bulk"); }

/// A view as a region of its tensor; none of a view that is not a box with its dimensions in order. `last`: where the variables put it last.
/// `steps`: those of its dimensions; without it they must be 1.
inline std::optional<Region> region_of(const Request& request, const View& v, bool last, Shape* steps = nullptr)
{
    const ProgramTensor& t = request.tensor(v);
    Region out;
    for (int d = 0; d < t.shape.size(); ++d) {
        const Values at = values_of(request, v.origin[static_cast<std::size_t>(d)]);
        const std::int64_t origin = last ? at.greatest : at.least;
        out.push_back({origin, origin + 1});
        if (steps != nullptr) steps->push_back(1);
    }
    int before = -1;
    for (int k = 0; k < v.rank(); ++k) {
        const int d = v.dims[k];
        if (d <= before || (v.steps[k] != 1 && v.extents[k] > 1 && (steps == nullptr || v.steps[k] < 1))) return std::nullopt;
        if (steps != nullptr && v.extents[k] > 1) (*steps)[d] = v.steps[k];
        before = d;
        out[d].hi = out[d].lo + v.extents[k];
    }
    return out;
}

/// The copies by a tensor map between the two views; the same number at the first and at the last place of the tile.
inline Result<TmaPlan, Problem> plan_of_bulk_copy(const Request& request, const View& shared, const View& global, TmaUse use)
{
    const ProgramTensor &s = request.tensor(shared), &g = request.tensor(global);
    const auto type = tma_type(g.dtype, pads_elements(s.layout.swizzle));
    if (!type) return Problem(errc::bad_argument, "a tensor map has no type for {0}", {name(g.dtype)});
    if (g.layout.swizzle.bits > 0)
        return Problem(errc::bad_argument, "{0} has a swizzle; a tensor map has none in global memory", {g.name});
    Result<TmaPlan, Problem> out = Problem(errc::bad_argument, "the views are not boxes with their dimensions in order");
    for (const bool last : {false, true}) {
        TmaRequest r;
        const auto from = region_of(request, global, last, &r.global_steps), to = region_of(request, shared, last);
        if (!from || !to) return out;
        const Function function = request.operation().function;
        const bool is_unsigned = use == TmaUse::reduce && (function == Function::inc || function == Function::dec);
        r.type = is_unsigned ? TmaType::u32 : *type;
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
        r.rules.arch = has_instruction(request.machine(), "tcgen05") ? 100 : 90;
        r.fill = request.operation().options.fill_nan ? TmaFill::nan : TmaFill::zero;
        const auto plan = plan_tma(r);
        if (!plan) return Problem(plan.error(), g.name + ": ");
        if (out && out->issues.size() != plan->issues.size())
            return Problem(errc::no_layout, "{0}: {1} copies at the first place of the tile, {2} at the last",
                           {g.name, out->issues.size(), plan->issues.size()});
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

inline Result<BulkPlan, Problem> plan_bulk(Request& request, const Request& starter, TmaUse use)
{
    const View &d = request.view(0), &a = request.view(1);
    if (auto e = check_same_types(request, d, a); !e.ok()) return e.error();
    const auto move = plan_move(starter, d, a, 16);
    if (!move) return move.error();
    const int bytes = move->distribution.vector * move->to.bytes;
    if (bytes % 16 != 0)
        return Problem(errc::bad_argument, "the tile has pieces of {0} bytes; they must be multiples of 16: {1}",
                       {bytes, why_narrow(move->to, move->from)});
    constexpr std::int64_t most_plain = 256;
    const bool masks = request.operation().options.byte_mask != 0xffff, among_blocks = d.block.has_value();
    Result<TmaPlan, Problem> plan = Problem(errc::bad_argument, among_blocks ? "it is between blocks" : "a byte mask is given");
    if (!masks && !among_blocks)
        plan = use == TmaUse::load ? plan_of_bulk_copy(request, d, a, use) : plan_of_bulk_copy(request, a, d, use);
    if (const int each = packed_bits(request.tensor(d).dtype); !plan && each < 8)
        return Problem(
            plan.error().code,
            worded("no tensor map copies it, and elements of {0} bits are not copied without one: {1}", {each, plan.error().text}));
    const std::int64_t copies = plan ? static_cast<std::int64_t>(plan->issues.size()) : plain_copies(*move);
    if (!plan && (copies > most_plain || d.guarded || a.guarded))
        return Problem(plan.error().code,
                       worded("no tensor map copies it, and {0} copies without a map would: {1}", {copies, plan.error().text}));
    request.decided(
        worded(plan ? "agent {0} starts {1}, each a box of a tensor map of rank {2}" : "agent {0} starts {1} without a tensor map",
               {starter.execution_scope().first, count_words(copies, "transfer"), plan ? plan->map.dims.size() : 0}));
    if (masks) {
        auto some = masked(request, *move->distribution.elements);
        if (!some) return some.error();
        return BulkPlan{std::move(*some), copies, {}};
    }
    return BulkPlan{move->distribution.elements, copies, plan ? worded(".tensor.{0}d", {plan->map.dims.size()}) : std::string()};
}

/// How a bulk copy is spelled, without the cache's policy and the mask.
inline std::string bulk_copy_text(const Request& request, const BulkPlan& plan, bool loads)
{
    const Options& options = request.operation().options;
    const std::string group = options.pair ? ".cta_group::2" : "";
    if (request.view(0).block) return "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes";
    if (!loads) return worded("cp.async.bulk{0}.global.shared::cta.bulk_group", {plan.form});
    return worded(options.multicast != 0
                      ? "cp.async.bulk{0}.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{1}"
                  : options.pair ? "cp.async.bulk{0}.shared::cluster.global.mbarrier::complete_tx::bytes{1}"
                                 : "cp.async.bulk{0}.shared::cta.global.mbarrier::complete_tx::bytes{1}",
                  {plan.form, group});
}

/// May the options be given for a copy that way?
inline Result<void, Problem> check_bulk_options(const Request& request, bool loads, bool to_peer)
{
    const Options& options = request.operation().options;
    if (loads && options.completes_on < 0) return {errc::bad_argument, load_needs_mbarrier_text()};
    if (!loads && options.completes_on >= 0) return {errc::bad_argument, store_on_mbarrier_text(options.completes_on)};
    const bool recent = has_instruction(request.machine(), "tcgen05");
    if (options.pair && !recent) return Problem(errc::bad_argument, "{0} has no pairs of blocks", {request.machine().name});
    if ((!loads || to_peer) && (options.multicast != 0 || options.pair)) return {errc::bad_argument, several_targets_text()};
    if ((!loads || to_peer) && options.fill_nan) return {errc::bad_argument, "only a bulk copy from global memory fills with NaN"};
    if (options.byte_mask != 0xffff && loads) return {errc::bad_argument, "only a bulk copy to global memory has a byte mask"};
    if (options.byte_mask != 0xffff && !recent)
        return Problem(errc::bad_argument, "{0} has no byte masks of bulk copies", {request.machine().name});
    return check_level_two(request);
}

inline Result<Body, Problem> emit_bulk_copy(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    const auto is = [&](const View& v, Role role) { return request.memory(v).roles.has(role); };
    const bool to_peer = is(d, Role::shared) && is(a, Role::shared) && d.block && !a.block;
    const bool loads = (is(d, Role::shared) && is(a, Role::global) && !d.block) || to_peer;
    if (!loads && !(is(d, Role::global) && is(a, Role::shared) && !a.block))
        return Problem(errc::bad_argument, "{0} is in {1} and {2} in {3}; the copy must be between global and shared memory",
                       {request.tensor(a).name, request.memory(a).name, request.tensor(d).name, request.memory(d).name});
    if (auto e = check_bulk_options(request, loads, to_peer); !e.ok()) return e;
    const Options& options = request.operation().options;
    const Request starter = request.started_by_one();
    const auto bulk = plan_bulk(request, starter, loads ? TmaUse::load : TmaUse::store);
    if (!bulk) return bulk.error();
    Instruction out = make_instruction(
        starter, "bulk_copy",
        with_cache_policy(request, bulk_copy_text(request, *bulk, loads), options.byte_mask != 0xffff ? ".cp_mask" : ""));
    out.parameters = {bulk->copies};
    if (options.fill_nan) out.parameters.push_back(sim::bulk_fills_nan);
    if (options.byte_mask != 0xffff) out.parameters.push_back(sim::bulk_masks_bytes);
    out.operands = {{d, bulk->elements}, {a, bulk->elements}};
    out.async = true;
    out.completes_on = options.completes_on;
    out.multicast = options.multicast;
    out.pair = options.pair;
    return Body{make_statement(std::move(out))};
}

} // namespace detail

/// Copies of whole tiles that one agent starts.      [PTX, cp.async.bulk]
inline constexpr Schedule bulk_copy_schedules[] = {
    {Op::copy_async,
     "bulk_copy",
     30,
     "cp.async.bulk",
     "one agent starts a copy of a tile between global and shared memory",
     detail::has_bulk_copies,
     detail::emit_bulk_copy,
     0,
     nullptr,
     true,
     {.cache_hints = true, .nan_fill = true, .byte_masks = true}},
};

} // namespace v0
} // namespace axe

#endif
