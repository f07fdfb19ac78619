// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COPY_MOVES_HPP
#define AXE_SCHEDULE_COPY_MOVES_HPP

#include <axe/schedule/access_text.hpp>
#include <axe/schedule/partition.hpp>

namespace axe {
inline namespace v0 {

/// The reason of a schedule that is for the agents of a block, outside of one; none inside.
inline Problem check_in_block(const Request& request)
{
    if (request.place().in_block) return {};
    return {errc::bad_argument, "it is for the agents of a block, and the operator stands outside of blocks"};
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
    out.first_agent = request.place().first;
    out.agents = request.place().count;
    out.agent_stride = request.place().stride;
    return out;
}

namespace detail {

inline bool has_lanes_that_load(const Machine& machine) noexcept { return has_instruction(machine, "ld"); }

/// The operand of two that gives the order where neither is private: the one in global memory, else the destination.
inline int leading(const Request& request, const View& d, const View& a)
{
    return !request.memory(d).roles.has(Role::global) && request.memory(a).roles.has(Role::global) ? 1 : 0;
}

} // namespace detail

/// A copy, and what it moves.
struct Move {
    Spots to{}, from{};
    Deal deal{};
};

/// How the lanes of a block's agents copy `a` to `d`, in accesses of at most so many bytes: where the elements are, and who moves which.
/// Errors: those of `check_in_block`, of `spots` and of `deal`. Cost: that of `deal`.
inline Outcome<Move> plan_move(const Request& request, const View& d, const View& a, int most_bytes)
{
    if (Problem p = check_in_block(request)) return p;
    auto to = spots(request, d);
    if (!to) return to.error();
    auto from = spots(request, a);
    if (!from) return from.error();
    Move out{std::move(*to), std::move(*from), {}};
    auto dealt = deal(request, {&out.to, &out.from}, detail::leading(request, d, a), most_bytes);
    if (!dealt) return dealt.error();
    out.deal = std::move(*dealt);
    return out;
}

/// Why the lanes move single elements between these, in words: what the views say of themselves, else that nothing is aligned.
inline std::string why_narrow(const Spots& d, const Spots& a)
{
    std::string why;
    for (const Spots* s : {&d, &a})
        if (s->widest == 1 && !s->reason.empty()) why += (why.empty() ? "" : "; ") + s->reason;
    if (why.empty())
        why = detail::worded(
            "what a lane would move at once is not consecutive and aligned in {0} and in {1}, wherever the tile stands",
            {d.name, a.name});
    return why;
}

namespace detail {

/// D = convert(A), by one `move` instruction; nothing where nothing is there to move.
inline Body move_statements(const Request& request, const View& d, const View& a, const Move& move)
{
    if (move.deal.partition->issues == 0) return {};
    Instruction out = make_instruction(request, "move", move_text(request, d, move.to, a, move.from, move.deal.vector));
    out.operands = {{d, move.deal.partition}, {a, move.deal.partition}};
    return {make_statement(std::move(out))};
}

/// A `move` with the widest vectors there are, for schedules that need one within their own.
inline Outcome<Body> emit_move(const Request& request, const View& d, const View& a)
{
    const auto move = plan_move(request, d, a, widest_access(request));
    if (!move) return move.error();
    return move_statements(request, d, a, *move);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
