// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_TENSOR_SCALES_HPP
#define AXE_TARGET_NVIDIA_OPCODES_TENSOR_SCALES_HPP

#include <axe/target/nvidia/opcodes/shared_tile.hpp>
#include <axe/target/nvidia/opcodes/tensor_tile.hpp>
#include <axe/target/nvidia/tcgen05/scales.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// The elements of a view [rows, scales] of bytes in tensor memory, by their first copies.
struct ScaleCells {
    std::vector<std::int64_t> place{}; ///< row-major
    std::int64_t scales = 0;

    [[nodiscard]] std::int64_t at(std::int64_t row, std::int64_t scale) const
    {
        return place[static_cast<std::size_t>(row * scales + scale)];
    }
};

/// The scales of a view for an agent, which are to be where products of that kind read them. Null: the block has a fault.
///
/// @param parts of the rows, 64 lanes apart
/// What is found for an origin holds for the whole run. Cost: the scales, once for each origin.
inline const ScaleCells* scale_cells(Block& block, const Executable& e, std::size_t operand, int agent, const ScaledKind& kind,
                                     std::int64_t parts = 1)
{
    const View& view = e.instruction->operands[operand].view;
    const TensorPlan& plan = block.plan(view.tensor);
    const std::vector<std::int64_t> origin = origin_of(view, block.variables(agent));
    std::int64_t coord[max_rank];
    const auto find = [&](std::int64_t row, std::int64_t scale) {
        for (int d = 0; d < plan.tensor->shape.size(); ++d) coord[d] = origin[static_cast<std::size_t>(d)];
        if (view.dims[0] >= 0) coord[view.dims[0]] += row * view.steps[0];
        if (view.dims[1] >= 0) coord[view.dims[1]] += scale * view.steps[1];
    };
    const std::int64_t rows = view.extents[0], scales = view.extents[1], part = rows / parts;
    for (const std::int64_t last : {0, 1}) {
        find(last * (rows - 1), last * (scales - 1));
        if (is_inside(plan.tensor->shape, coord)) continue;
        block.fail(FaultKind::out_of_bounds, e.statement, outside_text(agent_text(agent), element_text(plan, coord), plan));
        return nullptr;
    }
    find(0, 0);
    auto& found = block.workspace().found[{&e.instruction->operands[operand], plan.address(coord)}];
    if (found != nullptr) return static_cast<const ScaleCells*>(found.get());
    ScaleCells out;
    out.scales = scales;
    std::int64_t first = 0;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t scale = 0; scale < scales; ++scale) {
            const std::int64_t group = scale / kind.scales * kind.scales;
            find(0, group);
            first = plan.address(coord);
            find(row, scale);
            const std::int64_t at = plan.address(coord), lane = at / plan.pitch, byte = at % plan.pitch;
            const std::int64_t asked = first % plan.pitch + scale_byte(row, scale - group, part);
            if (lane != scale_lane(row, part) || byte != asked) {
                block.fail(FaultKind::misaligned, e.statement,
                           detail::misplaced_scale_text(row, scale, plan.name(), lane, byte, scale_lane(row, part), asked));
                return nullptr;
            }
            if (!is_scale_id(kind, first % plan.pitch)) {
                block.fail(FaultKind::misaligned, e.statement, detail::scale_id_text(plan.name(), scale, first % 4, kind.vector));
                return nullptr;
            }
            out.place.push_back(at - plan.low);
        }
    found = std::make_shared<const ScaleCells>(std::move(out));
    return static_cast<const ScaleCells*>(found.get());
}

/// Checks and notes an access of all copies of scales by what does something in tensor memory.
inline bool touch_scales(Block& block, Block& in, const Executable& e, std::size_t operand, const Actor& actor,
                         const ScaleCells& cells, bool writing)
{
    const View& view = e.instruction->operands[operand].view;
    const TensorPlan& plan = block.plan(view.tensor);
    Shadow& shadow = in.shadow(plan, view.tensor);
    if (!shadow.exists()) return true;
    Past past(actor);
    for (const std::int64_t copy : plan.address.copies)
        for (std::size_t i = 0; i < cells.place.size(); ++i) {
            const std::int64_t place = cells.place[i] + copy;
            const std::size_t c = shadow.granule_of(place * plan.width);
            const Conflict found = writing ? shadow.write(c, past, actor.tensor, true) : shadow.read(c, past, actor.tensor, true);
            if (!found.found()) continue;
            const auto n = static_cast<std::int64_t>(i);
            const std::string what =
                placed_text(agent_text(actor.issuer), detail::in_scales_text(n / cells.scales, n % cells.scales, plan.name()),
                            plan.place_text(place));
            return block.conflict(e.statement, what, writing, found, &actor);
        }
    return true;
}

/// Scales for products: in tensor memory, in as many copies as there are of that many parts.
inline Result<void, Problem> check_scales(const Preparation& p, std::size_t operand, std::int64_t parts = 1)
{
    const TensorPlan& plan = p.plan(operand);
    if (!is_in_tensor_memory(plan))
        return p.refuse("{0} is in {1}; scales of products must be in tensor memory", {plan.name(), plan.tensor->memory});
    if (plan.address.copies != scale_copies(parts, plan.pitch)) return p.refuse(detail::scale_copies_text(plan.name(), parts));
    return check_whole_view(p, operand);
}

/// `tcgen05_cp_scales` D, A [128, 4]: one agent starts a copy of the scales of 128 rows to tensor memory, four of each: `tcgen05_cp` of the
/// shape 32x128b.warpx4, whose 32 rows of 16 bytes have them as products read them. Of two parts, D, A [128, 8] or [256, 4], of the shape
/// 64x128b.warpx2::01_23.      [PTX ISA, tcgen05.cp]
class TensorScaleCopy : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<TensorScaleCopy>();
        if (auto problem = check_count(p, 2, 2); !problem.ok()) return problem;
        if (auto problem = same_types(p); !problem.ok()) return problem;
        if (auto problem = start_in_tensors(p, *e); !problem.ok()) return problem;
        const Instruction& i = *p.instruction;
        const std::int64_t parts = is_in_tensor_memory(p.plan(0)) && p.plan(0).address.copies.size() == 2 ? 2 : 1;
        if (auto problem = check_scales(p, 0, parts); !problem.ok()) return problem;
        if (p.plan(1).owner != Owner::block || is_partitioned(*p.plan(1).memory))
            return p.refuse(detail::not_shared_text(p.plan(1).name(), p.plan(1).tensor->memory));
        if (auto problem = check_whole_view(p, 1); !problem.ok()) return problem;
        if (auto problem = same_extents(p); !problem.ok()) return problem;
        e->box_ = scale_copy(parts, i.operands[0].view.extents[0]);
        if (!(i.operands[0].view.extents == Shape{e->box_.rows, e->box_.scales}) || p.plan(0).width != 1)
            return p.refuse(parts == 2 ? detail::no_parted_copy_text(shape_text(i.operands[0].view.extents), p.plan(0).width)
                                       : detail::worded("it copies {0} scales of {1} bytes; they must be 128 x 4, of a byte",
                                                        {shape_text(i.operands[0].view.extents), p.plan(0).width}));
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        const ScaleCells* cells = scale_cells(block, *this, 0, agent, scale_copy_kind, box_.parts);
        Block* const mate = cells != nullptr && instruction->pair ? block.mate(agent, statement) : nullptr;
        if (cells == nullptr || (instruction->pair && mate == nullptr) || !has_whole_rows(block, *cells)) return false;
        for (Block* const in : {&block, mate})
            if (in != nullptr && !check(block, *in, agent, *cells)) return false;
        return act_in_tensors(block, *this, agent, [=, this, at = &block] {
            copy(*at, *at, agent, *cells);
            if (mate != nullptr) copy(*at, *mate, agent, *cells);
            return true;
        });
    }

  private:
    static constexpr ScaledKind scale_copy_kind{"", "4X", 4, 4};

    /// Are the next four scales of a row where the row of 16 bytes has them?
    bool has_whole_rows(Block& block, const ScaleCells& cells) const
    {
        const TensorPlan& plan = block.plan(instruction->operands[0].view.tensor);
        for (std::int64_t scale = 4; scale < box_.scales; scale += 4) {
            const std::int64_t at = cells.at(0, scale) + plan.low, asked = cells.at(0, 0) + plan.low + scale * box_.groups();
            if (at != asked)
                return block.fail(FaultKind::misaligned, statement,
                                  detail::misplaced_scale_text(0, scale, plan.name(), at / plan.pitch, at % plan.pitch,
                                                               asked / plan.pitch, asked % plan.pitch));
        }
        return true;
    }
    /// Where the 32 or 64 rows of 16 bytes of a view in shared memory are, for an agent.
    struct Source {
        const View* view;
        const TensorPlan* plan;
        ScaleCopy box;
        std::vector<std::int64_t> origin;
        std::int64_t coord[max_rank] = {};

        void find(std::int64_t i, std::int64_t l)
        {
            for (int d = 0; d < plan->tensor->shape.size(); ++d) coord[d] = origin[static_cast<std::size_t>(d)];
            if (view->dims[0] >= 0) coord[view->dims[0]] += box.row(i, l) * view->steps[0];
            if (view->dims[1] >= 0) coord[view->dims[1]] += box.scale(l) * view->steps[1];
        }
        std::int64_t place(std::int64_t i, std::int64_t l)
        {
            find(i, l);
            const std::int64_t at = plan->address(coord) - plan->low;
            return plan->swizzle.bits > 0 ? plan->swizzle(at) : at;
        }
    };
    Source source(Block& block, int agent) const
    {
        const View& view = instruction->operands[1].view;
        return {&view, &block.plan(view.tensor), box_, origin_of(view, block.variables(agent))};
    }

    /// Checks and counts what is copied in one block, from its shared to its tensor memory.
    bool check(Block& block, Block& in, int agent, const ScaleCells& cells) const
    {
        Source of = source(block, agent);
        const TensorPlan& from = *of.plan;
        for (const std::int64_t last : {0, 1}) {
            of.find((bytes_rows() - 1) * last, 15 * last);
            if (is_inside(from.tensor->shape, of.coord)) continue;
            return block.fail(FaultKind::out_of_bounds, statement,
                              outside_text(agent_text(agent), element_text(from, of.coord), from));
        }
        const std::int64_t start = from.base + from.low;
        auto& found = block.workspace().found[{&instruction->operands[1], start + of.place(0, 0)}];
        if (found == nullptr)
            found = std::make_shared<const Result<SharedDescriptor, Problem>>(
                shared_descriptor(bytes_rows(), 16, 1, [&](std::int64_t i, std::int64_t l) { return start + of.place(i, l); }, 1));
        const auto& made = *static_cast<const Result<SharedDescriptor, Problem>*>(found.get());
        if (!made) {
            of.find(0, 0);
            return block.fail(
                FaultKind::misaligned, statement,
                detail::no_descriptor_text(from.name(), coord_text(of.coord, from.tensor->shape.size()), made.error().text));
        }
        if (block.full()) {
            if (Shadow& shadow = in.shadow(from, of.view->tensor); shadow.exists()) {
                const Actor actor = block.tensor_reader(agent, index);
                Past past(actor);
                for (std::int64_t i = 0; i < bytes_rows(); ++i)
                    for (std::int64_t l = 0; l < 16; ++l) {
                        const Conflict conflict = shadow.read(shadow.granule_of(of.place(i, l)), past, 0, true);
                        if (!conflict.found()) continue;
                        const std::string what =
                            placed_text(agent_text(agent), detail::in_scales_text(box_.row(i, l), box_.scale(l), from.name()),
                                        from.place_text(of.place(i, l)));
                        return block.conflict(statement, what, false, conflict, &actor);
                    }
            }
            const Actor actor = block.tensor_actor(agent, *this, TensorRole::copy);
            if (!touch_scales(block, in, *this, 0, actor, cells, true)) return false;
            if (&in != &block) in.note_visit(actor, statement);
        }
        if (block.counting()) {
            Tally& tally = block.tally(*this);
            ++tally.issues;
            for (int k = 0; k < 2; ++k) {
                ++tally.operands[k].requests;
                tally.operands[k].bytes += bytes_rows() * 16 * (k == 0 ? 4 / box_.parts : 1);
            }
        }
        return true;
    }
    void copy(Block& block, Block& in, int agent, const ScaleCells& cells) const
    {
        Source of = source(block, agent);
        const View& to_view = instruction->operands[0].view;
        const TensorPlan& to = block.plan(to_view.tensor);
        const std::byte* from = in.buffer(*of.plan, of.view->tensor).data;
        std::byte* target = in.buffer(to, to_view.tensor).data;
        for (std::int64_t i = 0; i < bytes_rows(); ++i)
            for (std::int64_t l = 0; l < 16; ++l)
                for (const std::int64_t again : to.address.copies)
                    target[cells.at(box_.row(i, l), box_.scale(l)) + again] = from[of.place(i, l)];
    }
    [[nodiscard]] std::int64_t bytes_rows() const noexcept { return 32 * box_.parts; }

    ScaleCopy box_{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
