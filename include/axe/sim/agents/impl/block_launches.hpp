// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_LAUNCHES_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_LAUNCHES_HPP

#include <axe/program/messages.hpp>
#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>

#include <array>

/// Requests for the work of blocks that have not started, and dependent grids.      [PTX, clusterlaunchcontrol, griddepcontrol]
namespace axe {
inline namespace v0 {
namespace sim {

inline bool Block::launch(Agent& a, int number, const Statement& s)
{
    if (const auto* request = std::get_if<CancelLaunch>(&s.what)) return cancel_launch(a, number, *request, s.id);
    if (std::get<GridDependency>(s.what).action == GridDependency::Action::launch) return true;
    // The grids before run before this one here, which is one of the orders that hardware has: an agent only has to know of it.
    has_waited_for_grids_ = true;
    if (!full()) return true;
    a.clock.others.raise_ended(run_id(device_->number, device_->first_run));
    a.clock.others.join(device_->after_wait);
    return true;
}

/// Of a block of a dependent grid that ends: has it waited for the grids before? A grid after it waits for it alone.
inline bool Block::ends_launch()
{
    if (!grid_->grid->dependent || has_waited_for_grids_) return true;
    return fail(FaultKind::async_unfinished, grid_->statement,
                "the block ends without a wait for the grids before, which may still run");
}

/// Does the agent know of a reply to its cluster that no block was left?
inline bool Block::asks_in_vain(const Agent& a) const
{
    const auto knows = [&](const Block& of) {
        return std::any_of(of.refused_.begin(), of.refused_.end(), [&](const Refused& r) {
            if (&of == this) return a.clock.known[r.engine] > r.time;
            const OtherRuns::Entry* e = a.clock.others.find(of.run_ << 8 | static_cast<std::uint64_t>(r.engine));
            return e != nullptr && e->time > r.time;
        });
    };
    if (cluster_ == nullptr) return knows(*this);
    return std::any_of(cluster_->blocks.begin(), cluster_->blocks.end(), [&](const Block* b) { return knows(*b); });
}

inline bool Block::cancel_launch(Agent& a, int number, const CancelLaunch& request, int statement)
{
    if (full() && asks_in_vain(a))
        return fail(FaultKind::transaction, statement,
                    detail::worded("agent {0} asks to cancel a launch after a reply that none is left to cancel", {number}));
    std::int32_t words[4] = {0, -1, -1, -1};
    if (device_->next_block < device_->all_blocks && !turns_.is_denied()) {
        const std::int64_t size = cluster_ == nullptr ? 1 : static_cast<std::int64_t>(cluster_->blocks.size());
        const Coord first = block_at(*grid_->grid, device_->next_block);
        device_->next_block += size;
        device_->cancelled += size;
        words[0] = 1;
        for (int d = 0; d < 3; ++d) words[d + 1] = d < first.size() ? static_cast<std::int32_t>(first[d]) : 0;
    }
    if (!request.to_all) return reply_to(*this, number, request, statement, words);
    for (std::size_t rank = 0; rank < cluster_->blocks.size(); ++rank) {
        Block* const target = other_block(static_cast<std::int64_t>(rank), number, statement, false);
        if (target == nullptr || !reply_to(*target, number, request, statement, words)) return false;
    }
    return true;
}

/// The reply comes to one block, at the same place in each: an asynchronous write that completes on its mbarrier.
inline bool Block::reply_to(Block& target, int number, const CancelLaunch& request, int statement, const std::int32_t* words)
{
    const int id = request.mbarrier, tensor = request.element.tensor;
    Phase& p = target.phases_[id];
    const bool is_ready =
        &target == this ? is_set_up(p, id, number, statement, "used") : is_set_up_for(target, p, id, number, statement);
    std::int64_t place = 0;
    if (!is_ready || !target.takes_engine(p, id, statement) || !find_bytes(request.element, 16, number, statement, place))
        return false;
    const TensorPlan& plan = this->plan(tensor);
    Shadow& shadow = target.shadow(plan, tensor);
    if (shadow.exists()) {
        const std::uint32_t access = compiled_->load_access(statement);
        Actor actor = engine(number, static_cast<int>(access) - 1);
        actor.agent = p.engine;
        actor.time = static_cast<std::uint32_t>(p.phase + 1);
        if (&target != this) {
            actor.home = run_;
            actor.run = target.run_;
            actor.in = target.rank_;
        }
        const std::size_t last = shadow.granule_of(place * plan.width + 15);
        for (std::size_t i = shadow.granule_of(place * plan.width); i <= last; ++i)
            if (const Conflict c = shadow.write(i, actor, 0, true); c.found())
                return conflict(
                    statement,
                    detail::worded("{0}, a reply to {1},", {plan.place_text(shadow.byte_of(i) / plan.width), agent_text(number)}),
                    true, c, &actor);
    }
    std::array<std::int32_t, 4> reply{};
    std::copy_n(words, 4, reply.begin());
    auto finish = [at = target.buffer(plan, tensor).data + place * plan.width, reply] {
        std::memcpy(at, reply.data(), 16);
        return true;
    };
    if (leaves())
        target.leave({EndsBy::phase, id, p.phase, number, 1, std::move(finish), {}, {}});
    else
        finish();
    if (words[0] == 0) target.refused_.push_back({p.engine, static_cast<std::uint32_t>(p.phase + 1)});
    p.brought = p.phase;
    p.brought_by = statement;
    p.bring(16);
    if (p.is_beyond()) return fail(FaultKind::transaction, statement, bytes_beyond_text(id, p.bytes));
    target.end_phase(p, id);
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
