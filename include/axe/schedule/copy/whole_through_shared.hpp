// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COPY_WHOLE_THROUGH_SHARED_HPP
#define AXE_SCHEDULE_COPY_WHOLE_THROUGH_SHARED_HPP

#include <axe/schedule/copy/moves.hpp>
#include <axe/schedule/reduce/through_shared.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A tensor of registers, all of it, and the same in shared memory, row-major.
struct WholeInShared {
    View registers{}, shared{};

    /// @param v a view of it
    static WholeInShared make(Request& request, const View& v, const Memory& shared)
    {
        ProgramTensor t;
        t.name = request.tensor(v).name + ".whole";
        t.dtype = request.tensor(v).dtype;
        t.memory = shared.name;
        t.shape = request.tensor(v).shape;
        if (const auto layout = row_major_in(t.shape, shared)) t.layout.layout = *layout;
        WholeInShared out;
        out.shared = request.temporary(std::move(t));
        out.registers = out.shared;
        out.registers.tensor = v.tensor;
        return out;
    }
    /// What the view shows, in shared memory.
    [[nodiscard]] View part(View v) const
    {
        v.tensor = shared.tensor;
        return v;
    }
};

/// May all of the view's tensor be moved?
inline Result<void, Problem> check_written(const Request& request, const View& v)
{
    if (request.is_written_before(v)) return {};
    return Problem(errc::bad_argument, "not all of {0} is written before this statement in every run", {request.tensor(v).name});
}

/// D = A by way of shared memory, where the whole of A's tensor is stored before, or of D's, which is loaded back as a whole; or both.
inline Result<Body, Problem> emit_copy_of_whole(Request& request, const Memory& shared, bool whole_a, bool whole_d)
{
    Statement meeting;
    meeting.what = Barrier{};
    View d = request.view(0), a = request.view(1);
    std::vector<std::pair<View, View>> steps;
    std::string names;
    if (whole_a) {
        if (auto e = check_written(request, a); !e.ok()) return e;
        const auto whole = WholeInShared::make(request, a, shared);
        steps.emplace_back(whole.shared, whole.registers);
        a = whole.part(a);
        names = request.tensor(1).name;
    }
    if (whole_d) {
        if (auto e = check_written(request, d); !e.ok()) return e;
        const auto whole = WholeInShared::make(request, d, shared);
        steps.emplace_back(whole.shared, whole.registers);
        steps.emplace_back(whole.part(d), a);
        steps.emplace_back(whole.registers, whole.shared);
        names += (names.empty() ? "" : ", ") + request.tensor(0).name;
    } else {
        steps.emplace_back(d, a);
    }
    Body body;
    for (const auto& [to, from] : steps) {
        auto step = emit_move(request, to, from);
        if (!step) return step;
        body.insert(body.end(), std::make_move_iterator(step->begin()), std::make_move_iterator(step->end()));
        body.push_back(meeting);
    }
    request.decided(worded("{0} through {1}", {names, shared.name}));
    return body;
}

/// Views of registers that an index moves from lane to lane are taken in shared memory.
inline Result<Body, Problem> emit_copy_of_whole(Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const bool from = is_private(request.machine(), request.memory(request.view(1))),
               to = is_private(request.machine(), request.memory(request.view(0)));
    if (!to && !from) return Problem(errc::bad_argument, not_in_registers(request, request.view(1)));
    const Memory* shared = memory_for(request.machine(), Role::shared);
    if (shared->axes.size() != 1) return Problem(errc::bad_argument, several_address_axes(shared->name));
    Result<Body, Problem> body = Body{};
    for (const int way : {1, 2, 3}) {
        if (((way & 1) != 0 && !from) || ((way & 2) != 0 && !to)) continue;
        Request attempt = request;
        body = emit_copy_of_whole(attempt, *shared, (way & 1) != 0, (way & 2) != 0);
        if (!body) continue;
        request = attempt;
        break;
    }
    return body;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
