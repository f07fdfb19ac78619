// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COPY_THROUGH_SHARED_HPP
#define AXE_SCHEDULE_COPY_THROUGH_SHARED_HPP

#include <axe/schedule/copy/whole_through_shared.hpp>
#include <axe/schedule/reduce/through_shared.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Between register layouts that give elements to different lanes: each lane stores what it holds of A, all meet, and each loads what it
/// holds of D. A second barrier, after which the shared memory may be used again.
inline Result<Body, Problem> emit_copy_through_shared(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const View &d = request.view(0), &a = request.view(1);
    for (const View* v : {&d, &a})
        if (!is_private(request.machine(), request.memory(*v))) return Problem(errc::bad_argument, not_in_registers(request, *v));
    const Memory* shared = memory_for(request.machine(), Role::shared);
    if (shared->axes.size() != 1) return Problem(errc::bad_argument, several_address_axes(shared->name));
    std::int64_t n = 1;
    for (const std::int64_t extent : a.extents) n *= extent;
    ProgramTensor t;
    t.name = request.tensor(a).name + ".staged";
    t.dtype = request.tensor(a).dtype;
    t.memory = shared->name;
    t.shape = {n};
    t.layout.layout.shard = {{n, 1, shared->axes[0]}};
    View staged;
    staged.tensor = request.temporary(std::move(t)).tensor;
    staged.origin = {Affine(0)};
    staged.extents = a.extents;
    std::int64_t rest = n;
    for (const std::int64_t extent : a.extents) {
        rest /= extent;
        staged.dims.push_back(0);
        staged.steps.push_back(rest);
    }
    auto store = emit_move(request, staged, a);
    if (!store) return store;
    auto load = emit_move(request, d, staged);
    if (!load) return load;
    Statement meeting;
    meeting.what = Barrier{};
    Body body = std::move(*store);
    body.push_back(meeting);
    body.insert(body.end(), std::make_move_iterator(load->begin()), std::make_move_iterator(load->end()));
    body.push_back(meeting);
    request.decided(worded("{0} elements through {1}", {n, shared->name}));
    return body;
}

} // namespace detail

/// Copies between lanes.
inline constexpr Schedule exchange_schedules[] = {
    {Op::copy, "through_shared", 5, "ld, a barrier and shared memory", "lanes exchange what they hold through shared memory",
     detail::stages_in_shared, detail::emit_copy_through_shared},
    {Op::copy, "whole_through_shared", 4, "ld, a barrier and shared memory",
     "a tensor of registers by way of shared memory, of which an index chooses a part", detail::stages_in_shared,
     detail::emit_copy_of_whole},
};

} // namespace v0
} // namespace axe

#endif
