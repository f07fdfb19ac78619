// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_WATCH_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_WATCH_HPP

#include <axe/sim/agents/block.hpp>

#include <memory>

/// How a block reports the accesses of a watched element.
namespace axe {
inline namespace v0 {
namespace sim {

inline WatchedAccess Block::watched_access(const Executable* e, int statement, int agent, int lane) const
{
    WatchedAccess out;
    out.statement = statement;
    if (e != nullptr) out.instruction = e->instruction->text.empty() ? e->instruction->opcode : e->instruction->text;
    out.device = out.memory = device_->number;
    out.block = at_;
    out.agent = agent;
    out.lane = lane;
    return out;
}

AXE_DECL bool Block::has_watched_element(const TensorPlan& plan, int device) const
{
    const Watch& watch = *compiled_->options.watch;
    return plan.name() == watch.tensor &&
           (plan.owner != Owner::device || plan.device.holds(plan.device(watch.coordinate.items), device));
}

AXE_DECL int Block::watched_in(const View& v, int agent) const
{
    if (compiled_->options.watch == nullptr) return -1;
    const TensorPlan& plan = this->plan(v.tensor);
    if (!v.remote) return has_watched_element(plan, device_->number) ? device_->number : -1;
    if (plan.name() != compiled_->options.watch->tensor) return -1;
    const std::int64_t device = v.device ? (*v.device)(variables(agent)) : plan.device(compiled_->options.watch->coordinate.items);
    if (device < 0 || device >= device_->device_count) return -1;
    return has_watched_element(plan, static_cast<int>(device)) ? static_cast<int>(device) : -1;
}

/// Is the watched element at this place of the device's memory?
inline bool Block::is_watched_place(const TensorPlan& plan, std::int64_t place) const
{
    return watched_place(plan, *compiled_->options.watch, 0) == place;
}

inline const std::byte* Block::watched_element(const TensorPlan& plan, int tensor, int agent, int lane, int memory)
{
    const Watch& watch = *compiled_->options.watch;
    const auto t = static_cast<std::size_t>(tensor);
    if (plan.owner == Owner::device && memory >= 0)
        return device_->devices[memory].global[t].data + watched_place(plan, watch, 0) * plan.width;
    if (plan.owner != Owner::lane) return buffer(plan, tensor).data + watched_place(plan, watch, 0) * plan.width;
    // A lane may read what another one holds.
    const std::int64_t holder = plan.lane(watch.coordinate.items);
    const int of = plan.lane.holds(holder, lane) ? lane : static_cast<int>(holder);
    return memory_->registers[t].data.data() + static_cast<std::size_t>(agent) * memory_->registers[t].agent_bytes +
           watched_place(plan, watch, of) * plan.width;
}

AXE_DECL void Block::watch(const Executable* e, int statement, const TensorPlan& plan, int tensor, int agent, int lane,
                           bool writing, std::int64_t times, int memory)
{
    WatchedAccess access = watched_access(e, statement, agent, lane);
    access.times = times;
    if (memory >= 0) access.memory = memory;
    const std::byte* element = watched_element(plan, tensor, agent, lane, memory);
    if (writing)
        device_->watching.write(std::move(access), plan, element);
    else
        device_->watching.read(*compiled_->options.watch, std::move(access), plan, element);
}

/// The lanes of a column that take the watched element as one of their operand's.
inline void Block::watch_operand(const Executable& e, std::size_t k, int column, int agent)
{
    const Watch& watched = *compiled_->options.watch;
    const Access& access = e.instruction->operands[k];
    const TensorPlan& plan = this->plan(access.view.tensor);
    const int memory = watched_in(access.view, agent);
    if (access.distribution == nullptr || static_cast<int>(k) == e.chosen_by_data || memory < 0) return;
    const auto& vars = variables(agent);
    // The element of a lane, relative to the tensor. False: the lane takes no part.
    std::int64_t coord[max_rank];
    const auto element = [&](const Access& of, int issue, int lane, int v) {
        const Distribution& part = *of.distribution;
        if (issue >= part.issues || lane >= part.lanes || v >= part.vector) return false;
        const std::int32_t index = part.element[part.at(issue, column, lane, v)];
        if (index < 0) return false;
        const int dims = static_cast<int>(of.view.origin.size());
        view_offset(of.view, index, coord, dims);
        for (int d = 0; d < dims; ++d) coord[d] += of.view.origin[static_cast<std::size_t>(d)](vars);
        return true;
    };
    const Access& target = e.instruction->operands[0];
    const Shape& target_shape = this->plan(target.view.tensor).tensor->shape;
    const Distribution& part = *access.distribution;
    for (int lane = 0; lane < part.lanes; ++lane) {
        std::int64_t times = 0;
        for (int issue = 0; issue < part.issues; ++issue) {
            // A lane whose target is outside does nothing.
            if (target.distribution != nullptr && element(target, issue, lane, 0) && !is_inside(target_shape, coord)) continue;
            for (int v = 0; v < part.vector; ++v)
                times += element(access, issue, lane, v) && std::equal(watched.coordinate.begin(), watched.coordinate.end(), coord);
        }
        if (times == 0) continue;
        if (e.instruction->reads_only) continue; // a prefetch, of no effect
        if (k > 0 || e.reads_back) watch(&e, e.statement, plan, access.view.tensor, agent, lane, false, times, memory);
        if (k == 0) watch(&e, e.statement, plan, access.view.tensor, agent, lane, true, times, memory);
    }
}

inline bool Block::run_watched(const Executable& e, int column, int agent)
{
    for (std::size_t k = e.instruction->operands.size(); k-- > 0;) watch_operand(e, k, column, agent);
    const auto started = [&] { return agents_[static_cast<std::size_t>(agent)].groups.back().finish.size(); };
    const std::size_t before = started(), left = left_.size();
    if (!e.run(*this, column, agent)) return false;
    if (left_.size() > left && device_->watching.has_writes()) {
        auto writes = std::make_shared<Watching>(std::exchange(device_->watching, {}));
        left_.back().finish = [this, writes, finish = std::move(left_.back().finish)] {
            return finish() && (writes->report(*compiled_->options.watch), true);
        };
        return true;
    }
    if (started() == before) {
        device_->watching.report(*compiled_->options.watch);
        return true;
    }
    // What goes on by itself has written when it is waited for.
    auto writes = std::make_shared<Watching>(std::exchange(device_->watching, {}));
    if (writes->has_writes()) start_async(agent, [this, writes] { return writes->report(*compiled_->options.watch), true; });
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
