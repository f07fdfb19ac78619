// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_SCHEDULES_BULK_PREFETCH_HPP
#define AXE_TARGET_NVIDIA_SCHEDULES_BULK_PREFETCH_HPP

#include <axe/target/nvidia/schedules/bulk_copy.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A tile of global memory, as if it were copied to a shared tensor of its shape, row-major.
inline Result<Body, Problem> emit_bulk_prefetch(Request& request)
{
    if (auto e = check_in_block(request); !e.ok()) return e;
    const View& a = request.view(0);
    if (auto e = check_level_two(request); !e.ok()) return e;
    const Memory* shared = memory_for(request.machine(), Role::shared);
    if (shared == nullptr) return Problem(errc::bad_argument, "{0} has no shared memory", {request.machine().name});
    ProgramTensor like;
    like.name = request.tensor(a).name;
    like.dtype = request.tensor(a).dtype;
    like.memory = shared->name;
    like.shape = a.extents;
    const auto plain = row_major_in(a.extents, *shared);
    if (!plain) return Problem(plain.error(), like.name + ": ");
    like.layout.layout = *plain;
    like.layout.width = storage_bytes(like.dtype);
    ExecutionScope one = request.execution_scope();
    one.count = 1;
    Operation copy = request.operation();
    copy.op = Op::copy_async;
    Request starter(request.program(), request.target(), copy, one); // its tensor is none of the program's
    copy.operands = {starter.temporary(std::move(like)), a};
    const auto bulk = plan_bulk(starter, starter, TmaUse::load);
    if (!bulk) return bulk.error();
    request.decided(starter.decision());
    Instruction out = make_instruction(starter, "bulk_prefetch",
                                       with_cache_policy(request, worded("cp.async.bulk.prefetch{0}.L2.global", {bulk->form})));
    out.reads_only = true;
    out.parameters = {bulk->copies};
    out.operands = {{a, bulk->elements}};
    return Body{make_statement(std::move(out))};
}

} // namespace detail

/// Tiles of global memory that one agent has brought to the second-level cache.      [PTX, cp.async.bulk.prefetch]
inline constexpr Schedule bulk_prefetch_schedules[] = {
    {Op::prefetch,
     "bulk_prefetch",
     30,
     "cp.async.bulk",
     "one agent has a tile of global memory brought to the second-level cache",
     detail::has_bulk_copies,
     detail::emit_bulk_prefetch,
     0,
     nullptr,
     false,
     {.cache_hints = true}},
};

} // namespace v0
} // namespace axe

#endif
