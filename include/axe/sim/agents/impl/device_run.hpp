// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_DEVICE_RUN_HPP
#define AXE_SIM_AGENTS_IMPL_DEVICE_RUN_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/register_count.hpp>
#include <axe/program/tensor_columns.hpp>
#include <axe/sim/agents/device.hpp>
#include <axe/sim/agents/impl/block_values.hpp>
#include <axe/sim/agents/impl/device_threads.hpp>
#include <axe/sim/agents/impl/device_turns.hpp>
#include <axe/sim/control/waits.hpp>
#include <axe/sim/report/trace.hpp>
#include <axe/tensor/host_memory.hpp>
#include <axe/tensor/threads.hpp>

#include <algorithm>
#include <atomic>

namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL bool System::fail(int device, FaultKind kind, int statement, std::string text, int other)
{
    std::string where = fault_statement_text(*compiled_->program, statement);
    if (devices() > 1) where += ", device " + std::to_string(device);
    state(device).note({kind, statement, other, where + ": " + std::move(text), {}, {}});
    return false;
}

AXE_DECL Actor System::start_run(int device, int index)
{
    DeviceState& d = state(device);
    const std::uint32_t run = ++d.runs;
    // What the device did before is over, but for what is open; so is what this run will do, once the stream goes on.
    d.horizon.floor[static_cast<std::size_t>(device)] = run;
    Actor actor;
    actor.run = run_id(device, run);
    actor.horizon = &d.horizon;
    actor.access = static_cast<std::uint32_t>(index + 1);
    return actor;
}

AXE_DECL void System::leave_open(int device, const Actor& actor, std::function<bool()> finish)
{
    state(device).horizon.open.push_back(actor.run);
    auto& group = streams_[static_cast<std::size_t>(device)].groups.back();
    if (group.runs.empty()) group.statement = compiled_->accesses[actor.access].statement;
    group.runs.push_back(static_cast<std::uint32_t>(actor.run & max_run));
    if (finish) group.finish.push_back(std::move(finish));
}

inline bool System::wait_groups(int device, int pending)
{
    auto& stream = streams_[static_cast<std::size_t>(device)];
    auto& open = state(device).horizon.open;
    while (static_cast<int>(stream.groups.size()) - 1 > pending) {
        for (const auto& finish : stream.groups.front().finish)
            if (!finish()) return false;
        for (const std::uint32_t run : stream.groups.front().runs)
            open.erase(std::remove(open.begin(), open.end(), run_id(device, run)), open.end());
        stream.groups.erase(stream.groups.begin());
    }
    return true;
}

AXE_DECL bool System::conflict(int device, int statement, const std::string& what, bool writing, const Conflict& found)
{
    const bool unwritten = found.hazard == Hazard::unwritten;
    const int other = compiled_->accesses[found.access].statement;
    return fail(device, unwritten ? FaultKind::uninitialized : FaultKind::race, statement,
                conflict_text(what, writing, found, "device " + std::to_string(device_of(found.other)), std::to_string(other)),
                unwritten ? -1 : other);
}

inline bool System::run_instruction(const DeviceExecutable& e, int device)
{
    const auto started = [&] { return streams_[static_cast<std::size_t>(device)].groups.back().finish.size(); };
    const std::size_t before = started();
    if (!e.run(*this, device)) return false;
    const Watch* const watch = compiled_->options.watch;
    if (watch == nullptr || !state(device).watching.has_writes()) return true;
    if (started() == before) return state(device).watching.report(*watch), true;
    auto writes = std::make_shared<Watching>(std::exchange(state(device).watching, {}));
    streams_[static_cast<std::size_t>(device)].groups.back().finish.push_back([=] { return writes->report(*watch), true; });
    return true;
}

/// Goes on to the next grid, barrier, or the end; what comes before is done on the way.
inline bool System::advance(int device, bool& has_grid)
{
    Stream& s = streams_[static_cast<std::size_t>(device)];
    has_grid = false;
    while (!s.done && s.waits_at < 0) {
        if (s.pc >= static_cast<int>(code_->steps.size())) {
            s.done = true;
            for (const auto& g : s.groups)
                if (full() && !g.runs.empty())
                    return fail(device, FaultKind::async_unfinished, g.statement,
                                "the device ends without a wait for the asynchronous operations started here");
            return true;
        }
        const Step& step = code_->steps[static_cast<std::size_t>(s.pc)];
        if (const std::int64_t most = compiled_->options.most_steps; ++s.steps > most && most > 0)
            return fail(device, FaultKind::endless, step.statement, endless_text("device", device, most));
        if (!state(device).pulse.goes_on(step.kind == Step::Kind::instruction ? 64 : 4))
            return fail(device, FaultKind::stopped, step.statement, stopped_text());
        switch (step.kind) {
        case Step::Kind::grid: has_grid = true; return true;
        case Step::Kind::instruction:
            if (Trace* t = compiled_->options.trace)
                t->instruction(device, (*instructions_)[static_cast<std::size_t>(step.item)]->index);
            if (!run_instruction(*(*instructions_)[static_cast<std::size_t>(step.item)], device)) return false;
            ++s.pc;
            break;
        case Step::Kind::enter: s.pc = step.members.test(static_cast<std::size_t>(device)) ? s.pc + 1 : step.target; break;
        case Step::Kind::loop:
        case Step::Kind::next: s.pc = turn(step, s.pc, s.vars); break;
        case Step::Kind::test: {
            double value = 0;
            if (!test(*step.condition, device, step.statement, value)) return false;
            s.pc = value != 0 ? s.pc + 1 : step.target;
            break;
        }
        case Step::Kind::assign: {
            const Assign& assign = std::get<Assign>(step.source->what);
            double value = 0;
            if (!test(assign.value, device, step.statement, value)) return false;
            s.scalars[static_cast<std::size_t>(assign.scalar)] = value;
            ++s.pc;
            break;
        }
        case Step::Kind::let: {
            const Let& let = std::get<Let>(step.source->what);
            double value = 0;
            if (!test(let.value, device, step.statement, value)) return false;
            const Variable& range = compiled_->program->variables[static_cast<std::size_t>(let.var.id)];
            if (!is_index(range, value))
                return fail(device, FaultKind::out_of_bounds, step.statement, index_range_text(range, value));
            s.vars[static_cast<std::size_t>(let.var.id)] = static_cast<std::int64_t>(value);
            ++s.pc;
            break;
        }
        case Step::Kind::jump: s.pc = step.target; break;
        case Step::Kind::barrier: s.waits_at = s.pc; return true;
        case Step::Kind::commit:
            s.groups.emplace_back();
            ++s.pc;
            break;
        case Step::Kind::wait:
            if (!wait_groups(device, std::get<Wait>(step.source->what).pending)) return false;
            ++s.pc;
            break;
        case Step::Kind::mbarrier:
            return fail(device, FaultKind::transaction, step.statement,
                        "an mbarrier is used outside a block; it is in the memory of a block");
        case Step::Kind::flag:
        case Step::Kind::cluster:
            return fail(device, FaultKind::arithmetic, step.statement, "flags and cluster barriers are for agents of blocks");
        case Step::Kind::launch:
            return fail(device, FaultKind::arithmetic, step.statement,
                        "a request to cancel a launch, or a dependency of grids, is for agents of blocks");
        case Step::Kind::fence:
            return fail(device, FaultKind::proxy, step.statement, "a proxy fence is outside a block; it is for agents of a block");
        case Step::Kind::named:
            return fail(device, FaultKind::divergence, step.statement,
                        "a named barrier is outside a block; it is for agents of a block");
        case Step::Kind::columns: return fail(device, FaultKind::divergence, step.statement, columns_outside_text());
        case Step::Kind::registers: return fail(device, FaultKind::divergence, step.statement, registers_outside_text());
        case Step::Kind::alloc:
        case Step::Kind::each:
        case Step::Kind::each_end: ++s.pc; break;
        }
    }
    return true;
}

inline bool System::test(const Expression& e, int device, int statement, double& value)
{
    // Outside grids conditions are of numbers, variables and scalars.
    using Kind = Expression::Kind;
    const Stream& s = streams_[static_cast<std::size_t>(device)];
    const auto at = [&](const Expression& node, const double* x, double& out) {
        if (node.kind == Kind::number) return out = node.number, true;
        if (node.kind == Kind::affine) return out = static_cast<double>(node.affine(s.vars)), true;
        if (node.kind == Kind::scalar) return out = s.scalars[static_cast<std::size_t>(node.scalar)], true;
        if (node.kind == Kind::load)
            return fail(device, FaultKind::arithmetic, statement,
                        "an element is loaded outside a block; loads are inside blocks only");
        if (const auto v = apply(node.kind, x[0], x[1], x[2])) return out = *v, true;
        return fail(device, FaultKind::arithmetic, statement, quotient_text(x[0]));
    };
    return fold(e, at, value);
}

/// Lets devices that have all come to one barrier go on: each knows what the others knew.
inline bool System::release_devices()
{
    bool any = false;
    for (std::size_t first = 0; first < streams_.size(); ++first) {
        const int at = streams_[first].waits_at;
        if (at < 0) continue;
        const Members& members = code_->steps[static_cast<std::size_t>(at)].members;
        bool all_there = true;
        Horizon joined;
        joined.floor.assign(streams_.size(), 1);
        joined.reads_need_fence = compiled_->options.reads_need_fence;
        for (std::size_t d = 0; d < streams_.size(); ++d) {
            if (!members.test(d)) continue;
            all_there = all_there && streams_[d].waits_at == at;
            const Horizon& h = state(static_cast<int>(d)).horizon;
            for (std::size_t k = 0; k < streams_.size(); ++k)
                joined.floor[k] = std::max(joined.floor[k], k == d ? state(static_cast<int>(d)).runs + 1 : h.floor[k]);
            joined.others.join(h.others);
        }
        if (!all_there) continue;
        if (Trace* t = compiled_->options.trace) t->meet_devices(code_->steps[static_cast<std::size_t>(at)].statement, members);
        // Asynchronous operations stay open until a device here knows that their own one has waited for them.
        const auto is_over = [&](std::uint64_t run) {
            for (std::size_t d = 0; d < streams_.size(); ++d) {
                if (!members.test(d)) continue;
                const DeviceState& member = state(static_cast<int>(d));
                const auto owner = static_cast<std::size_t>(run >> 24);
                const std::uint32_t known = owner == d ? member.runs + 1 : member.horizon.floor[owner];
                const auto& open = member.horizon.open;
                if (static_cast<std::uint32_t>(run & max_run) < known && std::find(open.begin(), open.end(), run) == open.end())
                    return true;
            }
            return false;
        };
        for (std::size_t d = 0; d < streams_.size(); ++d) {
            if (!members.test(d)) continue;
            for (const std::uint64_t run : state(static_cast<int>(d)).horizon.open)
                if (std::find(joined.open.begin(), joined.open.end(), run) == joined.open.end() && !is_over(run))
                    joined.open.push_back(run);
        }
        joined.others.forget(joined.floor);
        for (std::size_t d = 0; d < streams_.size(); ++d) {
            if (!members.test(d)) continue;
            state(static_cast<int>(d)).horizon = joined;
            state(static_cast<int>(d)).last_grid = {};
            ++state(static_cast<int>(d)).barriers;
            streams_[d].waits_at = -1;
            ++streams_[d].pc;
        }
        any = true;
    }
    return any;
}

inline Fault System::first_fault() const
{
    for (const DeviceState& d : *devices_)
        if (d.fault.found()) return d.fault;
    return {};
}

inline Fault System::stuck() const
{
    std::string text;
    std::vector<int> waits;
    int statement = -1;
    for (std::size_t d = 0; d < streams_.size(); ++d) {
        if (d > 0) text += "; ";
        const bool done = streams_[d].done;
        if (!done) statement = code_->steps[static_cast<std::size_t>(streams_[d].waits_at)].statement;
        if (!done) waits.push_back(statement);
        text += device_stands_text(d, done ? -1 : statement);
    }
    return {FaultKind::divergence,
            statement,
            -1,
            fault_statement_text(*compiled_->program, statement) + ": " + stuck_text(text),
            waits,
            {}};
}

inline Fault System::run()
{
    if (compiled_->remote) {
        Fault fault;
        const auto ran =
            within_memory(compiled_->program->name, [&]() -> Result<void, Problem> { return fault = run_in_turns(), Problem(); });
        return ran.ok() ? fault : Fault{FaultKind::capacity, -1, -1, ran.error().text, {}, {}};
    }
    for (;;) {
        std::vector<int> ready; // to run a grid each
        bool all_done = true;
        for (int d = 0; d < devices(); ++d) {
            bool has_grid = false;
            if (!advance(d, has_grid)) return first_fault();
            const Stream& s = streams_[static_cast<std::size_t>(d)];
            all_done = all_done && s.done;
            if (!has_grid) continue;
            const GridCode& grid = (*grids_)[static_cast<std::size_t>(code_->steps[static_cast<std::size_t>(s.pc)].item)];
            ready.push_back(d);
            blocks_known_ += *volume(grid.grid->counts);
        }
        if (all_done) return first_fault();
        if (ready.empty()) {
            if (!release_devices()) return stuck();
            continue;
        }
        // Each device of the round comes to its end or its fault, however many threads there are.
        std::atomic<std::size_t> next{0};
        side_by_side(compiled_->options.threads, static_cast<std::int64_t>(ready.size()), [&](int) {
            for (std::size_t i = next++; i < ready.size(); i = next++) {
                const int d = ready[i];
                const auto ran =
                    within_memory(compiled_->program->name, [&]() -> Result<void, Problem> { return run_grid(d), Problem(); });
                if (!ran.ok())
                    fail(d, FaultKind::capacity,
                         code_->steps[static_cast<std::size_t>(streams_[static_cast<std::size_t>(d)].pc)].statement,
                         ran.error().text);
            }
        });
        if (Fault f = first_fault(); f.found()) return f;
    }
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
