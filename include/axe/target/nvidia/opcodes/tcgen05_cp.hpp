// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_TCGEN05_CP_HPP
#define AXE_TARGET_NVIDIA_OPCODES_TCGEN05_CP_HPP

#include <axe/target/nvidia/opcodes/shared_tile.hpp>
#include <axe/target/nvidia/opcodes/tensor_tile.hpp>
#include <axe/target/nvidia/tcgen05/forms.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `tcgen05_cp` D, A [rows, columns]: one agent starts a copy of a box of shared memory to tensor memory, which a commit completes on the
/// mbarrier `completes_on`, if one is given. The text names the shape.      [PTX ISA, tcgen05.cp]
///
/// A is read by a descriptor, as an operand of a product.
class TensorCopy : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<TensorCopy>();
        if (auto problem = check_count(p, 2, 2); !problem.ok()) return problem;
        if (auto problem = same_types(p); !problem.ok()) return problem;
        if (auto problem = start_in_tensors(p, *e); !problem.ok()) return problem;
        const Instruction& i = *p.instruction;
        if (!is_in_tensor_memory(p.plan(0)) || p.plan(1).owner != Owner::block || is_partitioned(*p.plan(1).memory))
            return p.refuse("it copies shared memory to tensor memory, got {0} to {1}",
                            {p.plan(1).tensor->memory, p.plan(0).tensor->memory});
        for (std::size_t k = 0; k < 2; ++k)
            if (auto problem = check_whole_view(p, k); !problem.ok()) return problem;
        if (auto problem = same_extents(p); !problem.ok()) return problem;
        for (const TensorCopyShape& shape : tensor_copy_shapes)
            if (i.text.find(std::string(".") + shape.name) != std::string::npos) e->shape_ = &shape;
        const Shape& extents = i.operands[0].view.extents;
        if (e->shape_ == nullptr || extents.size() != 2 || extents[0] != e->shape_->rows ||
            extents[1] * p.plan(0).width != e->shape_->bytes)
            return p.refuse("{0} is no shape of a copy of {1} elements of {2} bytes",
                            {i.text, shape_text(extents), p.plan(0).width});
        for (std::int64_t copy = 0; copy < e->shape_->copies; ++copy)
            e->copies_.push_back(copy * e->shape_->copies_apart * p.plan(0).pitch);
        if (p.plan(0).address.copies != e->copies_) return p.refuse(detail::other_copies_text(p.plan(0).name(), i.text));
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        const TensorRows* rows =
            tensor_rows(block, *this, 0, agent, 1, [this](std::int64_t row, std::int64_t) { return shape_->lane(row); });
        Block* const mate = rows != nullptr && instruction->pair ? block.mate(agent, statement) : nullptr;
        if (rows == nullptr || (instruction->pair && mate == nullptr)) return false;
        for (Block* const in : {&block, mate})
            if (in != nullptr && !check(block, *in, agent, *rows)) return false;
        return act_in_tensors(block, *this, agent, [=, this, at = &block] {
            return copy(*at, *at, agent, *rows) && (mate == nullptr || copy(*at, *mate, agent, *rows));
        });
    }

  private:
    /// Checks and counts what is copied in one block, from its shared to its tensor memory.
    bool check(Block& block, Block& in, int agent, const TensorRows& rows) const
    {
        if (block.full()) {
            SharedTile source(block, *this, 1, agent, true, instruction->operands[0].view.extents[1], &in);
            if (!source.check()) return false;
            const Actor actor = block.tensor_actor(agent, *this, shape_->rows == 4 ? TensorRole::rows : TensorRole::copy);
            for (const std::int64_t copy : copies_)
                if (!touch_rows(block, in, *this, 0, actor, rows, true, copy)) return false;
            if (&in != &block) in.note_visit(actor, statement);
        }
        if (block.counting()) {
            Tally& tally = block.tally(*this);
            ++tally.issues;
            for (int k = 0; k < 2; ++k) {
                ++tally.operands[k].requests;
                tally.operands[k].bytes += shape_->rows * shape_->bytes * (k == 0 ? shape_->copies : 1);
            }
        }
        return true;
    }
    bool copy(Block& block, Block& in, int agent, const TensorRows& rows) const
    {
        const View& view = instruction->operands[0].view;
        const TensorPlan& plan = block.plan(view.tensor);
        SharedTile source(block, *this, 1, agent, true, view.extents[1], &in);
        std::byte* to = in.buffer(plan, view.tensor).data;
        return source.each_piece(
            [&](std::int64_t row, std::int64_t column, bool along_k, std::int64_t, const std::byte* from, std::int64_t n) {
                for (std::int64_t x = 0; x < n; ++x)
                    for (const std::int64_t copy : copies_)
                        copy_bytes(to + (rows.place(row + (along_k ? 0 : x), column + (along_k ? x : 0)) + copy) * plan.width,
                                   from + x * plan.width, plan.width);
                return true;
            });
    }

    const TensorCopyShape* shape_ = nullptr;
    std::vector<std::int64_t> copies_{}; ///< where each begins, in elements from the first
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
