// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_PREPARE_HPP
#define AXE_SIM_OPCODES_PREPARE_HPP

#include <axe/program/messages.hpp>
#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/box.hpp>
#include <axe/sim/opcodes/resolve_ahead.hpp>
#include <axe/tensor/convert_run.hpp>

/// What the rows of the simulator's table share.
namespace axe {
inline namespace v0 {
namespace sim {

/// What a row gets to make an instruction ready.
struct Preparation {
    const Compiled* compiled = nullptr;
    const Instruction* instruction = nullptr;
    int statement = -1;
    const std::vector<std::unique_ptr<Executable>>* before = nullptr; ///< of the same grid
    ResolvedAhead* ahead = nullptr;                                   ///< of the same grid

    [[nodiscard]] std::string where() const { return statement_text(*compiled->program, statement) + ", " + instruction->opcode; }
    [[nodiscard]] Result<void, Problem> refuse(std::string message, errc code = errc::bad_argument) const
    {
        return {code, where() + ": " + std::move(message)};
    }
    [[nodiscard]] Result<void, Problem> refuse(std::string_view message, std::initializer_list<detail::MessageArgument> words,
                                               errc code = errc::bad_argument) const
    {
        return refuse(detail::worded(message, words), code);
    }
    [[nodiscard]] const TensorPlan& plan(std::size_t operand) const
    {
        return compiled->plans[static_cast<std::size_t>(instruction->operands[operand].view.tensor)];
    }
};

using Prepared = Result<std::unique_ptr<Executable>, Problem>;

inline Result<void, Problem> late_issue(const Preparation& p)
{
    return p.refuse("the issues in which a warp takes part come first");
}

/// Has the instruction as many operands as its opcode takes?
inline Result<void, Problem> check_count(const Preparation& p, std::size_t least, std::size_t most)
{
    const std::size_t n = p.instruction->operands.size();
    if (n >= least && n <= most) return {};
    return p.refuse(least == most ? "it has {0} operands; it takes {1}" : "it has {0} operands; it takes {1} to {2}",
                    {n, least, most});
}

/// Are source and destination of one type, where an instruction converts nothing?
inline Result<void, Problem> same_types(const Preparation& p)
{
    const Tensor &d = *p.plan(0).tensor, &a = *p.plan(1).tensor;
    if (d.dtype == a.dtype) return {};
    return p.refuse("{0} has elements of {1}, {2} of {3}; this instruction does not convert",
                    {a.name, name(a.dtype), d.name, name(d.dtype)});
}

/// The shape of a view and its origin, where an instruction takes it as a whole.
inline Result<void, Problem> check_whole_view(const Preparation& p, std::size_t operand)
{
    const View& view = p.instruction->operands[operand].view;
    const TensorPlan& plan = p.plan(operand);
    if (static_cast<int>(view.origin.size()) != plan.tensor->shape.size())
        return p.refuse("the origin of the view of {0} has {1} indices; the tensor has {2} dimensions",
                        {plan.name(), view.origin.size(), plan.tensor->shape.size()}, errc::rank_mismatch);
    if (const auto n = volume(view.extents); !n) return Problem(n.error(), p.where() + ", " + plan.name() + ": ");
    return {};
}

/// Are all views of one shape, where an instruction takes them as wholes?
inline Result<void, Problem> same_extents(const Preparation& p)
{
    const View& d = p.instruction->operands[0].view;
    for (std::size_t k = 1; k < p.instruction->operands.size(); ++k) {
        const View& a = p.instruction->operands[k].view;
        if (!(a.extents == d.extents))
            return p.refuse("the view of {0} has {1} elements, the view of {2} has {3}; they must be equal",
                            {p.plan(k).name(), shape_text(a.extents), p.plan(0).name(), shape_text(d.extents)},
                            errc::size_mismatch);
    }
    return {};
}

/// An operand as it was resolved before, for the same agents: of this instruction, or of one of the last ones.
inline Operands::Shared resolved_before(const Preparation& p, const Executable& e, const Access& access)
{
    if (access.distribution == nullptr) return nullptr;
    const auto look = [&](const Executable& other) -> Operands::Shared {
        if (other.operands.empty() || !for_same_agents(*other.instruction, *p.instruction)) return nullptr;
        for (std::size_t k = 0; k < other.operands.size(); ++k)
            if (resolve_alike(other.instruction->operands[k], access)) return other.operands.shared(k);
        return nullptr;
    };
    if (auto found = look(e)) return found;
    if (p.before == nullptr) return nullptr;
    for (std::size_t i = 0; i < std::min(p.before->size(), looked_back); ++i)
        if (auto found = look(*(*p.before)[p.before->size() - 1 - i])) return found;
    return nullptr;
}

/// Resolves the operands of a SIMT instruction and checks that they go together.
///
/// @param writes_copies whether it writes every copy of an element that its destination has in one memory
/// @param partitions whether an operand may be in a memory with partitions
inline Result<void, Problem> resolve_operands(const Preparation& p, Executable& e, std::size_t least, std::size_t most,
                                              bool writes_copies = false, bool partitions = false)
{
    const Instruction& instruction = *p.instruction;
    if (auto problem = check_count(p, least, most); !problem.ok()) return problem;
    e.instruction = &instruction;
    e.statement = p.statement;
    for (const Access& access : instruction.operands) {
        if (auto found = resolved_before(p, e, access)) {
            e.operands.push_back(std::move(found));
            continue;
        }
        auto resolved = p.ahead == nullptr ? std::nullopt : p.ahead->take(access);
        if (!resolved) resolved = resolve(*p.compiled->program, p.compiled->plans, instruction, access, p.statement);
        if (!*resolved) return resolved->error();
        e.operands.push_back(std::move(**resolved));
    }
    for (const LaneAccess& a : e.operands)
        if (!partitions && p.compiled->stage.has_lanes && !a.in_registers() && is_partitioned(*a.plan->memory))
            return p.refuse("{0} is in {1}, a memory with partitions, which lanes do not access",
                            {a.plan->name(), a.plan->tensor->memory});
    const TensorPlan& target = *e.operands[0].plan;
    if (target.address.copies.size() > 1) {
        if (!writes_copies || target.swizzle.bits > 0)
            return p.refuse("{0} has {1} copies of each element in one {2}; the instruction writes only one",
                            {target.name(), target.address.copies.size(), target.tensor->memory});
    }
    for (const LaneAccess& a : e.operands) {
        if (a.issues != e.operands[0].issues || a.lanes != e.operands[0].lanes)
            return p.refuse("{0} has {1} issues of {2} lanes, the destination {3} of {4}; they must be equal",
                            {a.plan->name(), a.issues, a.lanes, e.operands[0].issues, e.operands[0].lanes});
        if (a.lanes > max_lanes) return p.refuse(many_lanes_text(a.lanes));
    }
    return {};
}

/// The places of each copy of what a destination has in one memory, or in one lane's registers, one after the other.
template <class Do>
bool for_each_copy(const LaneAccess& d, const LaneElements& at, Do act)
{
    const auto& copies = d.plan->address.copies;
    for (const std::int64_t copy : copies) {
        LaneElements here = at;
        here.base += (copy - copies.front()) * (d.in_registers() ? d.plan->lanes : 1);
        if (!act(here)) return false;
    }
    return true;
}

/// The same number of elements for each lane?
inline Result<void, Problem> same_vectors(const Preparation& p, const Executable& e)
{
    for (const LaneAccess& a : e.operands)
        if (a.vector != e.operands[0].vector)
            return p.refuse("{0} is accessed in vectors of {1} elements, the destination in vectors of {2}; they must be equal",
                            {a.plan->name(), a.vector, e.operands[0].vector});
    return {};
}

/// Is the watched element among those of a stretch?
inline bool has_watched(const TensorPlan& plan, const Watch& watch, const Stretch& s, const Stretch::At& at)
{
    if (!at.inside) return false;
    const std::int64_t away = watched_place(plan, watch, 0) - at.place;
    if (at.step == 0 || away == 0) return away == 0;
    return away % at.step == 0 && away / at.step > 0 && away / at.step < s.n;
}

/// Do the same lanes take part in each issue of two operands?
inline bool take_part_alike(const LaneAccess& a, const LaneAccess& b)
{
    return std::equal(a.table.begin(), a.table.end(), b.table.begin(), b.table.end(),
                      [](std::int32_t x, std::int32_t y) { return (x == inactive) == (y == inactive); });
}

/// Counts the issues of a column, and says how many lanes take part: those whose target is inside.
inline std::int64_t count_issues(Block& block, const Executable& e, const LaneElements& to)
{
    const LaneAccess& d = e.operands[0];
    const std::int64_t active = std::count_if(to.table, to.table + d.entries(), [](std::int32_t place) { return place > outside; });
    Tally& tally = block.tally(e);
    tally.issues += d.issues;
    tally.lanes += static_cast<std::int64_t>(d.entries());
    tally.lanes_active += active;
    return active;
}

/// Copies n bytes, n known to be small and mostly a power of two.
inline void copy_bytes(std::byte* to, const std::byte* from, int n) noexcept
{
    switch (n) {
    case 1: std::memcpy(to, from, 1); return;
    case 2: std::memcpy(to, from, 2); return;
    case 4: std::memcpy(to, from, 4); return;
    case 8: std::memcpy(to, from, 8); return;
    case 16: std::memcpy(to, from, 16); return;
    default: std::memcpy(to, from, static_cast<std::size_t>(n));
    }
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
