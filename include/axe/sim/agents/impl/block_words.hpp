// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_WORDS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_WORDS_HPP

#include <axe/program/messages.hpp>
#include <axe/sim/agents/block.hpp>
#include <axe/sim/agents/impl/block_remote.hpp>
#include <axe/sim/memory/readers.hpp>
#include <axe/sim/memory/words.hpp>

/// How a block's faults name who touched what, and where.
namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL bool Block::fail(FaultKind kind, int statement, std::string text, int other)
{
    if (!worker_->fault.found()) worker_->note({kind, statement, other, position(statement) + std::move(text), {}, {}});
    return false;
}

inline std::string Block::position(int statement) const
{
    std::string text = fault_statement_text(*compiled_->program, statement);
    if (compiled_->stage.devices > 1) text += ", device " + std::to_string(device_->number);
    text += ", block (";
    for (std::size_t i = 0; i < grid_->grid->vars.size(); ++i)
        text += (i > 0 ? "," : "") + std::to_string(at_[static_cast<int>(i)]);
    return text + "): ";
}

/// Of an event of what completes on an mbarrier: of this block, of one of its cluster, or of one whose mbarriers are not known any more.
inline std::string Block::completing_text(Event e) const
{
    const auto place = static_cast<std::size_t>(agent_of(e) - first_completed);
    const Block* of = run_of(e) == run_ ? this : nullptr;
    if (of == nullptr && cluster_ != nullptr && run_of(e) - cluster_->first < cluster_->blocks.size())
        of = cluster_->blocks[static_cast<std::size_t>(run_of(e) - cluster_->first)];
    if (of == nullptr || place >= of->completed_.size()) return "an asynchronous copy";
    return detail::worded("an asynchronous copy that completes on mbarrier {0}", {of->completed_[place]});
}

inline std::string Block::who(Event e) const
{
    const int a = agent_of(e);
    const std::string text =
        a < max_agents       ? lane_text(lane_of(e), a)
        : a < products_of(0) ? detail::worded("an asynchronous copy of agent {0}", {a % max_agents})
        : a < first_completed && a % max_agents < static_cast<int>(agents_.size()) && has_tensor_memory()
            ? detail::worded("an operation of tensor memory of agent {0}", {a % max_agents})
        : a < first_completed ? detail::worded("an asynchronous product of agents {0} to {1}", {a % max_agents, a % max_agents + 3})
                              : completing_text(e);
    if (run_of(e) != run_) {
        const std::uint64_t run = run_of(e);
        if (device_of(e) != device_->number) return who_elsewhere(device_->devices[device_of(e)], run, text);
        const std::int64_t block = static_cast<std::int64_t>(run & max_run) - device_->first_run;
        if (block < 0 && grid_->grid->dependent) return "a block of a grid before this one";
        if (block < 0) return "an asynchronous operation of the device";
        const Coord at = block_at(*grid_->grid, block);
        return detail::worded("{0} of block {1}", {text, coord_text(at.items, at.size())});
    }
    return text;
}

AXE_DECL std::string Block::describe(const Executable& e, int operand, int agent, int lane, std::int64_t place) const
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    const TensorPlan& plan = *a.plan;
    std::string where = plan.owner == Owner::lane ? "register " + std::to_string(register_of(plan, place)) : plan.place_text(place);
    if (a.is_remote() && !plan.of_all_devices) where = on_device_text(where, memory_of(*a.view, agent).number);
    // The element at this place: looked for among those that the lane touches.
    const int column = (agent - e.instruction->first_agent) / std::max(1, e.instruction->agent_stride);
    const auto& vars = agents_[static_cast<std::size_t>(agent)].vars;
    const int dims = a.dims();
    std::int64_t coord[max_rank];
    const Distribution& part = *e.instruction->operands[static_cast<std::size_t>(operand)].distribution;
    for (int issue = 0; issue < a.issues; ++issue)
        for (int l = 0; l < a.lanes; ++l)
            for (int k = 0; k < a.vector; ++k) {
                const std::int32_t index = part.element[part.at(issue, column, l, k)];
                if (index < 0) continue;
                view_offset(*a.view, index, coord, dims);
                for (int d = 0; d < dims; ++d) coord[d] += a.view->origin[static_cast<std::size_t>(d)](vars);
                if (!is_inside(plan.tensor->shape, coord)) continue;
                std::int64_t at = plan.address(coord);
                at = plan.owner == Owner::lane ? plan.slot(at, l)
                     : plan.swizzle.bits > 0   ? plan.swizzle(at - plan.low)
                                               : at - plan.low;
                if (at != place || (plan.owner == Owner::lane && l != lane)) continue;
                return placed_text(lane_text(lane, agent), element_text(plan, coord), where);
            }
    return placed_text(lane_text(lane, agent), plan.name(), where);
}

/// What was read before it was written, by a block of this device, or by one of another device whose memory this one may write.
inline EarlyRead* Block::early_read() const noexcept
{
    if (worker_->early.found()) return &worker_->early;
    for (int d = 0; compiled_->remote && d < device_->device_count; ++d)
        if (device_->devices[d].early.found()) return &device_->devices[d].early;
    return nullptr;
}

AXE_DECL bool Block::conflict(int statement, const std::string& what, bool writing, const Conflict& found, const Actor* actor)
{
    const bool unwritten = found.hazard == Hazard::unwritten;
    reads_early_ = reads_early_ || (unwritten && actor != nullptr);
    if (EarlyRead* early = early_read(); early != nullptr) { // what conflicts with it is all that counts now
        if (!found.early || (actor != nullptr && actor->lacks_fence(found.other))) return true;
        *early = {};
    } else if (unwritten && actor != nullptr && !worker_->fault.found()) {
        worker_->early.fault = {FaultKind::uninitialized, statement, -1, position(statement) + unwritten_text(what), {}, {}};
        return true;
    }
    int other = compiled_->accesses[found.access].statement;
    std::string others = std::to_string(other);
    if (found.several && run_of(found.other) == run_ && agent_of(found.other) < max_agents) {
        const auto of = statements_reading(*compiled_->program, other, agent_of(found.other));
        if (!of.empty()) others = any_of_text(of);
        if (!of.empty() && !std::binary_search(of.begin(), of.end(), other)) other = of.front();
    }
    if (!unwritten && agent_of(found.other) == placed_mbarriers)
        return fail(FaultKind::lifetime, statement,
                    detail::worded(writing
                                       ? "{0} is written here and has bytes of mbarrier {1}, which statement {2} has initialized"
                                       : "{0} is read here and has bytes of mbarrier {1}, which statement {2} has initialized",
                                   {what, std::int64_t{time_of(found.other)} - 1, other}) +
                        "\nhint: " + detail::worded("invalidate the mbarrier before its bytes are used again", {}),
                    other);
    if (actor != nullptr && !unwritten && actor->lacks_fence(found.other))
        return fail(FaultKind::proxy, statement,
                    (actor->tensor != 0 ? unfenced_tensor_text : unfenced_text)(what, writing, found, who(found.other), other),
                    other);
    std::string text = conflict_text(what, writing, found, unwritten ? "" : who(found.other), others);
    if (found.former >= 0)
        text +=
            "\nhint: " + detail::worded("{0} had these bytes before; order the accesses by a sync() between statements {1} and {2}",
                                        {plan(found.former).name(), other, statement});
    return fail(unwritten ? FaultKind::uninitialized : FaultKind::race, statement, std::move(text), unwritten ? -1 : other);
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
