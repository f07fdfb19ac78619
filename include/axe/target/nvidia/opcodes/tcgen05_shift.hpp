// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_TCGEN05_SHIFT_HPP
#define AXE_TARGET_NVIDIA_OPCODES_TCGEN05_SHIFT_HPP

#include <axe/target/nvidia/messages.hpp>
#include <axe/target/nvidia/opcodes/tensor_tile.hpp>
#include <axe/target/nvidia/tcgen05/forms.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `tcgen05_shift` D [32, 32 bytes]: one agent starts a shift of 32 bytes of 32 lanes, those of a warp, by one lane; a commit completes it on
/// the mbarrier `completes_on`, if one is given.      [PTX ISA, tcgen05.shift]
///
///   D[i, …] = D[i − 1, …]   for i from 1 to 31, all at once; row 0 stays
///
/// Of a pair in both blocks.
class TensorShift : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<TensorShift>();
        if (auto problem = check_count(p, 1, 1); !problem.ok()) return problem;
        if (auto problem = start_in_tensors(p, *e); !problem.ok()) return problem;
        const Instruction& i = *p.instruction;
        if (!is_in_tensor_memory(p.plan(0))) return p.refuse(detail::not_shifted_text(p.plan(0).name(), p.plan(0).tensor->memory));
        if (auto problem = check_whole_view(p, 0); !problem.ok()) return problem;
        const Shape& extents = i.operands[0].view.extents;
        if (extents.size() != 2 || extents[0] != tensor_shift_rows || extents[1] * p.plan(0).width != tensor_shift_bytes)
            return p.refuse("it shifts {0} elements of {1} bytes; they must be 32 rows of 32 bytes",
                            {shape_text(extents), p.plan(0).width});
        if (p.plan(0).address.copies != std::vector<std::int64_t>{0})
            return p.refuse(detail::shifted_copies_text(p.plan(0).name()));
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        std::int64_t first = 0, place = 0;
        find_first(block, agent, first, place);
        const TensorPlan& plan = block.plan(instruction->operands[0].view.tensor);
        const std::int64_t asked = first / tensor_shift_rows * tensor_shift_rows;
        const TensorRows* rows =
            tensor_rows(block, *this, 0, agent, 1, [&](std::int64_t row, std::int64_t) { return asked + row; });
        if (rows == nullptr) return false;
        if (place * plan.width % 4 != 0)
            return block.fail(FaultKind::misaligned, statement,
                              detail::shifted_column_text(agent_text(agent), plan.name(), place * plan.width));
        Block* const mate = instruction->pair ? block.mate(agent, statement) : nullptr;
        if (instruction->pair && mate == nullptr) return false;
        for (Block* const in : {&block, mate})
            if (in != nullptr && !check(block, *in, agent, *rows)) return false;
        return act_in_tensors(block, *this, agent, [=, this, at = &block] {
            shift(*at, *at, *rows);
            if (mate != nullptr) shift(*at, *mate, *rows);
            return true;
        });
    }

  private:
    /// The lane of the first element, and its number in it; 0 where it is not inside, which the rows find out.
    void find_first(Block& block, int agent, std::int64_t& lane, std::int64_t& place) const
    {
        const View& view = instruction->operands[0].view;
        const TensorPlan& plan = block.plan(view.tensor);
        const std::vector<std::int64_t> origin = origin_of(view, block.variables(agent));
        if (!is_inside(plan.tensor->shape, origin.data())) return;
        lane = plan.address(origin.data()) / plan.pitch;
        place = plan.address(origin.data()) % plan.pitch;
    }
    /// The rows but one: the first, or the last. Found once for each place.
    const TensorRows& without(Block& block, const TensorRows& rows, bool last) const
    {
        auto& found = block.workspace().found[{this, rows.begin.front() * 2 + (last ? 1 : 0)}];
        if (found == nullptr) {
            TensorRows out{{}, rows.rows, rows.columns, rows.step, {}};
            for (std::size_t i = last ? 0 : 1; i < rows.begin.size() - (last ? 1 : 0); ++i) {
                out.begin.push_back(rows.begin[i]);
                out.which.push_back(i);
            }
            found = std::make_shared<const TensorRows>(std::move(out));
        }
        return *static_cast<const TensorRows*>(found.get());
    }
    /// Checks and counts what is done in one block.
    bool check(Block& block, Block& in, int agent, const TensorRows& rows) const
    {
        if (block.full()) {
            const Actor actor = block.tensor_actor(agent, *this, TensorRole::shift);
            if (!touch_rows(block, in, *this, 0, actor, without(block, rows, true), false) ||
                !touch_rows(block, in, *this, 0, actor, without(block, rows, false), true))
                return false;
            if (&in != &block) in.note_visit(actor, statement);
        }
        if (block.counting()) {
            Tally& tally = block.tally(*this);
            ++tally.issues;
            ++tally.operands[0].requests;
            tally.operands[0].bytes += (tensor_shift_rows - 1) * tensor_shift_bytes;
        }
        return true;
    }
    void shift(Block& block, Block& in, const TensorRows& rows) const
    {
        const View& view = instruction->operands[0].view;
        const TensorPlan& plan = block.plan(view.tensor);
        std::byte* data = in.buffer(plan, view.tensor).data;
        for (std::size_t i = rows.begin.size() - 1; i > 0; --i)
            std::memcpy(data + rows.begin[i] * plan.width, data + rows.begin[i - 1] * plan.width,
                        static_cast<std::size_t>(tensor_shift_bytes));
    }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
