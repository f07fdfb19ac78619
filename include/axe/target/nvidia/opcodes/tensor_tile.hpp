// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_TENSOR_TILE_HPP
#define AXE_TARGET_NVIDIA_OPCODES_TENSOR_TILE_HPP

#include <axe/sim/memory/range_cells.hpp>
#include <axe/sim/opcodes/prepare.hpp>
#include <axe/target/nvidia/messages.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// Rows of an operand in tensor memory as one agent's instruction accesses it, in parts of its columns: where each begins.
struct TensorRows {
    std::vector<std::int64_t> begin{};  ///< of each row of the first part, then of the next: a place in elements
    std::int64_t rows = 0, columns = 0; ///< of a part
    std::int64_t step = 1;              ///< from an element to the next column's: 2 where f16 have a column each
    std::vector<std::size_t> which{};   ///< where some rows are left out: which ones `begin` has

    [[nodiscard]] std::int64_t place(std::int64_t row, std::int64_t column) const
    {
        return begin[static_cast<std::size_t>(column / columns * rows + row)] + column % columns * step;
    }
    /// Elements from the first of a row to the last.
    [[nodiscard]] std::int64_t span() const { return (columns - 1) * step + 1; }
};

/// The rows of a view [rows, columns] for an agent, in parts, which are to be in the lanes that lane_of(row, part) gives and begin where the
/// first does. None: the block has a fault.
///
/// @param step elements from one column to the next, and where the first may be
/// What is found for an origin holds for the whole run. Cost: rows times columns, once for each origin.
template <class LaneOf>
const TensorRows* tensor_rows(Block& block, const Executable& e, std::size_t operand, int agent, std::int64_t parts, LaneOf lane_of,
                              std::int64_t step = 1)
{
    const View& view = e.instruction->operands[operand].view;
    const TensorPlan& plan = block.plan(view.tensor);
    const std::vector<std::int64_t> origin = origin_of(view, block.variables(agent));
    const int dims = plan.tensor->shape.size();
    std::int64_t coord[max_rank];
    const auto find = [&](std::int64_t row, std::int64_t column) {
        for (int d = 0; d < dims; ++d) coord[d] = origin[static_cast<std::size_t>(d)];
        if (view.dims[0] >= 0) coord[view.dims[0]] += row * view.steps[0];
        if (view.dims[1] >= 0) coord[view.dims[1]] += column * view.steps[1];
    };
    const std::int64_t rows = view.extents[0], columns = view.extents[1];
    for (const std::int64_t last : {0, 1}) {
        find(last * (rows - 1), last * (columns - 1));
        if (is_inside(plan.tensor->shape, coord)) continue;
        block.fail(FaultKind::out_of_bounds, e.statement, outside_text(agent_text(agent), element_text(plan, coord), plan));
        return nullptr;
    }
    find(0, 0);
    const std::int64_t first = plan.address(coord);
    auto& found = block.workspace().found[{&e.instruction->operands[operand], first}];
    if (found == nullptr) {
        TensorRows out{{}, rows, columns / parts, step, {}};
        for (std::int64_t piece = 0; piece < rows * parts; ++piece) {
            const std::int64_t row = piece % rows, part = piece / rows;
            find(row, part * out.columns);
            out.begin.push_back(plan.address(coord) - plan.low);
            for (std::int64_t column = 0; column < out.columns; ++column) {
                find(row, part * out.columns + column);
                const std::int64_t asked =
                    lane_of(row, part) * plan.pitch + (first % plan.pitch + step - 1) / step * step + column * step;
                if (plan.address(coord) == asked) continue;
                block.fail(
                    FaultKind::misaligned, e.statement,
                    detail::worded("{0} accesses {1}, in lane {2} and element {3} of {4}; {5} has it in lane {6} and element {7}",
                                   {agent_text(agent), element_text(plan, coord), plan.address(coord) / plan.pitch,
                                    plan.address(coord) % plan.pitch, plan.tensor->memory, e.instruction->opcode,
                                    asked / plan.pitch, asked % plan.pitch}));
                return nullptr;
            }
        }
        found = std::make_shared<const TensorRows>(std::move(out));
    }
    return static_cast<const TensorRows*>(found.get());
}

/// Do the rows of an operand begin at whole columns of 32 bits? Of elements of which a byte has `per_byte`, and the simulator one. False: the
/// block has a fault.
inline bool is_at_column(Block& block, const Executable& e, std::size_t operand, const TensorRows& rows, int per_byte = 1)
{
    const TensorPlan& plan = block.plan(e.instruction->operands[operand].view.tensor);
    const std::int64_t in_column = 4 / plan.width * per_byte, place = (rows.begin.front() + plan.low) % plan.pitch;
    return place % in_column == 0 ||
           block.fail(FaultKind::misaligned, e.statement, detail::operand_column_text(plan.name(), place, in_column));
}

/// Checks and notes an access of rows by what does something in tensor memory.
///
/// @param in the block whose tensor memory it is
/// @param copy where the copy of the rows begins that is accessed, in elements from the first
inline bool touch_rows(Block& block, Block& in, const Executable& e, std::size_t operand, const Actor& actor,
                       const TensorRows& rows, bool writing, std::int64_t copy = 0)
{
    const View& view = e.instruction->operands[operand].view;
    const TensorPlan& plan = block.plan(view.tensor);
    Shadow& shadow = in.shadow(plan, view.tensor);
    if (!shadow.exists()) return true;
    const std::int64_t pieces = rows.step == 1 ? 1 : rows.columns;
    // Of these rows in this role, once for the whole run.
    auto& known = block.workspace().found[{&rows, (copy * most_lanes + actor.tensor) * 2 + (writing ? 1 : 0)}];
    if (known == nullptr) {
        std::vector<std::int32_t> places; // of rows in one piece, or of each element
        for (const std::int64_t row : rows.begin)
            for (std::int64_t x = 0; x < pieces; ++x)
                places.push_back(static_cast<std::int32_t>(shadow.place_of((row + copy + x * rows.step) * plan.width)));
        known = std::make_shared<const RangeCells>(std::move(places), (pieces == 1 ? rows.columns : 1) * plan.width, actor.tensor,
                                                   shadow, writing);
    }
    const FirstConflict found = static_cast<const RangeCells*>(known.get())->touch(shadow, actor);
    if (!found.found()) return true;
    const std::size_t row = found.entry / static_cast<std::size_t>(pieces);
    const std::int64_t begin = rows.begin[row] + copy, place = std::max(begin, shadow.byte_of(found.cell) / plan.width);
    const auto n = static_cast<std::int64_t>(rows.which.empty() ? row : rows.which[row]);
    const std::string what =
        placed_text(agent_text(actor.issuer),
                    detail::worded("row, column ({0},{1}) of the tile of {2}",
                                   {n % rows.rows, n / rows.rows * rows.columns + (place - begin) / rows.step, plan.name()}),
                    plan.place_text(place));
    return block.conflict(e.statement, what, writing, found.conflict, &actor);
}

/// What one agent starts in tensor memory, and goes on: views as wholes, by no lanes.
inline Result<void, Problem> start_in_tensors(const Preparation& p, Executable& e)
{
    e.ends_by = EndsBy::tensors;
    e.instruction = p.instruction;
    e.statement = p.statement;
    if (p.instruction->agents != 1) return p.refuse(detail::starters_text(p.instruction->agents));
    return {};
}
/// Acts now, or at another time up to the end, as the order of the run says, and completes on the mbarrier, if there is one.
template <class Act>
bool act_in_tensors(Block& block, const Executable& e, int agent, const Act& act)
{
    if (block.leaves_tensors())
        block.leave_in_tensors(agent, false, act);
    else if (!act())
        return false;
    const Instruction& i = *e.instruction;
    return i.completes_on < 0 || block.commit_tensors(agent, i.completes_on, e.statement, i.multicast);
}

/// Is the operand in a memory with partitions that blocks have?
inline bool is_in_tensor_memory(const TensorPlan& plan) { return plan.owner == Owner::block && is_partitioned(*plan.memory); }

} // namespace sim
} // namespace v0
} // namespace axe

#endif
