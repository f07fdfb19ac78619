// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COPY_MOVES_HPP
#define AXE_SCHEDULE_COPY_MOVES_HPP

#include <axe/schedule/access_text.hpp>
#include <axe/schedule/distribution.hpp>

namespace axe {
inline namespace v0 {

/// The reason of a schedule that is for the agents of a block, outside of one; none inside.
inline Result<void, Problem> check_in_block(const Request& request)
{
    if (request.execution_scope().in_block) return {};
    return {errc::bad_argument, "it is for the agents of a block, but the statement is outside a block"};
}

/// An instruction as a statement of a body.
inline Statement make_statement(Instruction instruction)
{
    Statement out;
    out.what = std::move(instruction);
    return out;
}

/// An instruction of all agents that run the operator, without operands yet; `text` is how an assembler spells it.
inline Instruction make_instruction(const Request& request, const char* opcode, std::string text)
{
    Instruction out;
    out.opcode = opcode;
    out.text = std::move(text);
    out.first_agent = request.execution_scope().first;
    out.agents = request.execution_scope().count;
    out.agent_stride = request.execution_scope().stride;
    return out;
}

/// Why a schedule whose operand is in registers does not apply.
inline std::string not_in_registers(const Request& request, const View& view)
{
    return detail::worded("{0} is in {1}, not in registers", {request.tensor(view).name, request.memory(view).name});
}

namespace detail {

inline std::string several_address_axes(const char* memory) { return worded("{0} has more than one axis of addresses", {memory}); }

inline bool has_lanes_that_load(const Machine& machine) noexcept { return has_instruction(machine, "ld"); }

/// The operand of two that gives the order where neither is private: the one in global memory, else the destination.
inline int leading(const Request& request, const View& d, const View& a)
{
    return !request.memory(d).roles.has(Role::global) && request.memory(a).roles.has(Role::global) ? 1 : 0;
}

} // namespace detail

/// Why a schedule that does not convert does not apply to a copy of `a` to `d`; none where both are of one type.
inline Result<void, Problem> check_same_types(const Request& request, const View& d, const View& a)
{
    const ProgramTensor &to = request.tensor(d), &from = request.tensor(a);
    if (to.dtype == from.dtype) return {};
    return Problem(errc::bad_argument, "{0} is {1} and {2} is {3}; this copy does not convert",
                   {from.name, name(from.dtype), to.name, name(to.dtype)});
}

/// A copy, and what it moves.
struct Move {
    ElementPlacement to{}, from{};
    VectorDistribution distribution{};
};

/// How the lanes of a block's agents copy `a` to `d`, in accesses of at most so many bytes: where the elements are, and who moves which.
/// Errors: those of `check_in_block`, of `element_placement` and of `distribute`. Cost: that of `distribute`.
inline Result<Move, Problem> plan_move(const Request& request, const View& d, const View& a, int most_bytes)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    auto to = element_placement(request, d);
    if (!to) return to.error();
    auto from = element_placement(request, a);
    if (!from) return from.error();
    Move out{std::move(*to), std::move(*from), {}};
    auto distributed = distribute(request, {&out.to, &out.from}, detail::leading(request, d, a), most_bytes);
    if (!distributed) return distributed.error();
    out.distribution = std::move(*distributed);
    return out;
}

/// What was decided of a copy, in words.
inline std::string bytes_a_lane(std::int64_t bytes) { return detail::worded("{0} bytes a lane", {bytes}); }

/// Why the lanes move single elements between these, in words: what the views say of themselves, else that nothing is aligned.
inline std::string why_narrow(const ElementPlacement& d, const ElementPlacement& a)
{
    std::string why;
    for (const ElementPlacement* s : {&d, &a})
        if (s->widest == 1 && !s->reason.empty()) why += (why.empty() ? "" : "; ") + s->reason;
    if (why.empty())
        why =
            detail::worded("what a lane would move per access is not consecutive and aligned in {0} and {1} at all tile positions",
                           {d.name, a.name});
    return why;
}

namespace detail {

/// D = convert(A), by one `move` instruction; nothing where nothing is there to move.
inline Body move_statements(const Request& request, const View& d, const View& a, const Move& move)
{
    if (move.distribution.elements->issues == 0) return {};
    Instruction out = make_instruction(request, "move", move_text(request, d, move.to, a, move.from, move.distribution.vector));
    out.operands = {{d, move.distribution.elements}, {a, move.distribution.elements}};
    return {make_statement(std::move(out))};
}

/// What has no source, in the registers of the lanes or with the widest stores there are. `say` says of the instruction what is written.
template <class Say>
Result<Body, Problem> emit_written(Request& request, const char* opcode, const Say& say)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const View& d = request.view(0);
    const auto to = element_placement(request, d);
    if (!to) return to.error();
    const auto distributed = distribute(request, {&*to}, 0, widest_access(request));
    if (!distributed) return distributed.error();
    if (distributed->elements->issues == 0) return Body{};
    Instruction out = make_instruction(request, opcode,
                                       to->is_private ? "mov." + width_text(to->bytes, to->bytes)
                                                      : access_text("st", request.memory(d), *to, distributed->vector));
    out.operands = {{d, distributed->elements}};
    say(out);
    request.decided(to->is_private ? "each lane its registers" : bytes_a_lane(distributed->vector * to->bytes));
    return Body{make_statement(std::move(out))};
}

/// A `move` with the widest vectors there are, for schedules that need one within their own.
inline Result<Body, Problem> emit_move(const Request& request, const View& d, const View& a)
{
    const auto move = plan_move(request, d, a, widest_access(request));
    if (!move) return move.error();
    return move_statements(request, d, a, *move);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
