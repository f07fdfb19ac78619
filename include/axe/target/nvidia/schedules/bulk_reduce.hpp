// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_BULK_REDUCE_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_BULK_REDUCE_HPP

#include <axe/target/nvidia/opcodes/bulk_reduce.hpp>
#include <axe/target/nvidia/schedules/bulk_copy.hpp>

namespace axe {
inline namespace v0 {

namespace detail {

/// An operation of a reduction with its type, as PTX names them: `add.noftz.f16`, `and.b32`.
inline std::string reduction_text(Function function, DType type, bool with_type)
{
    const std::string all = function.row().name, bare = all.rfind("bit_", 0) == 0 ? all.substr(4) : all;
    if (!with_type) return bare;
    if (is_float(type)) return bare + (function == Function::add && storage_bytes(type) == 2 ? ".noftz." : ".") + name(type);
    const bool is_unsigned = function == Function::inc || function == Function::dec;
    return bare + (is_unsigned ? ".u32" : bare == all ? ".s32" : ".b32");
}

inline Result<Body, Problem> emit_bulk_reduce(Request& request)
{
    const View &d = request.view(0), &a = request.view(1);
    const Options& options = request.operation().options;
    if (!options.async) return Problem(errc::bad_argument, not_asynchronous_text());
    const Memory &to = request.memory(d), &from = request.memory(a);
    const bool to_peer = to.roles.has(Role::shared) && d.block.has_value();
    if ((!to.roles.has(Role::global) && !to_peer) || !from.roles.has(Role::shared) || a.block)
        return Problem(errc::bad_argument, "{0} is in {1} and {2} in {3}; the reduction must be from shared to global memory",
                       {request.tensor(a).name, from.name, request.tensor(d).name, to.name});
    const Function function = request.operation().function;
    const DType type = request.tensor(d).dtype;
    if (!sim::has_bulk_reduction(function, type) || (to_peer && is_float(type)))
        return Problem(errc::bad_argument, "no bulk reduction of {0} by {1} exists", {name(type), function.row().name});
    if (to_peer && options.completes_on < 0) return Problem(errc::bad_argument, load_needs_mbarrier_text());
    if (!to_peer && options.completes_on >= 0) return Problem(errc::bad_argument, store_on_mbarrier_text(options.completes_on));
    if (auto e = check_level_two(request); !e.ok()) return e;
    const Request starter = request.started_by_one();
    const auto bulk = plan_bulk(request, starter, TmaUse::reduce);
    if (!bulk) return bulk.error();
    const std::string what = reduction_text(function, type, bulk->form.empty());
    std::string text = to_peer ? "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                       : bulk->form.empty()
                           ? "cp.reduce.async.bulk.global.shared::cta.bulk_group"
                           : worded("cp.reduce.async.bulk{0}.global.shared::cta.{1}.bulk_group", {bulk->form, what});
    Instruction out = make_instruction(
        starter, "bulk_reduce", with_cache_policy(request, std::move(text), bulk->form.empty() ? "." + what : std::string()));
    out.function = function;
    out.parameters = {bulk->copies};
    out.operands = {{d, bulk->elements}, {a, bulk->elements}};
    out.async = true;
    out.completes_on = options.completes_on;
    return Body{make_statement(std::move(out))};
}

} // namespace detail

/// Reductions of whole tiles into global memory that one agent starts.      [PTX, cp.reduce.async.bulk]
inline constexpr Schedule bulk_reduce_schedules[] = {
    {Op::atomic,
     "bulk_reduce",
     30,
     "cp.async.bulk",
     "one agent starts a reduction of a tile of shared memory into global memory",
     detail::has_bulk_copies,
     detail::emit_bulk_reduce,
     0,
     nullptr,
     false,
     {.cache_hints = true, .mbarriers = true}},
};

} // namespace v0
} // namespace axe

#endif
