// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_RUN_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_RUN_HPP

#include <axe/program/messages.hpp>
#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>
#include <axe/sim/report/trace.hpp>

#include <utility>

/// How a block's agents go through the code, from one wait to the next.
namespace axe {
inline namespace v0 {
namespace sim {

inline Block::Block(const Compiled& compiled, DeviceState& device, BlockWorker& worker, const GridCode& grid, int slot)
    : compiled_(&compiled),
      device_(&device),
      worker_(&worker),
      memory_(&worker.slots[static_cast<std::size_t>(slot)]),
      grid_(&grid),
      slot_(slot),
      agents_(static_cast<std::size_t>(grid.grid->agents))
{
    for (Agent& a : agents_) {
        if (worker.spare.empty()) {
            a.vars.assign(compiled.program->variables.size(), 0);
            continue;
        }
        a.vars = std::move(worker.spare.back());
        worker.spare.pop_back();
    }
    if (compiled.full()) share_cells();
    for (const int t : grid.tensors) {
        const auto ut = static_cast<std::size_t>(t);
        const TensorPlan& plan = compiled.plans[ut];
        if (plan.owner == Owner::block) {
            Buffer& buffer = memory_->shared[ut];
            if (buffer.data == nullptr) {
                buffer.own.reserve(static_cast<std::size_t>(plan.bytes()));
                buffer.data = buffer.own.data();
                if (compiled.full() && !buffer.shadow.exists())
                    buffer.shadow.make(static_cast<std::size_t>((plan.bytes() + plan.granule - 1) / plan.granule), plan.granule);
            }
        } else {
            Registers& registers = memory_->registers[ut];
            registers.agent_bytes = (static_cast<std::size_t>(plan.bytes()) * static_cast<std::size_t>(plan.lanes) + 63) / 64 * 64;
            registers.data.reserve(registers.agent_bytes * agents_.size());
        }
    }
}

/// Gives the variables' room back, with nothing in it: a grid costs what it names, and not what the program has.
inline Block::~Block()
{
    for (Agent& a : agents_) {
        for (const auto* named : {&grid_->outside, &grid_->inside})
            for (const int v : *named) a.vars[static_cast<std::size_t>(v)] = 0;
        worker_->spare.push_back(std::move(a.vars));
    }
}

/// A tensor that is allocated anew, by the next round of a loop, has nothing in it. Of one that the block shares this is so when all agents
/// have come to the new round, and for what they wrote before their last synchronization: of what comes after it is not known which round
/// it is of.
inline void Block::renew(int tensor, const Step& step, int agent)
{
    const auto ut = static_cast<std::size_t>(tensor), ua = static_cast<std::size_t>(agent);
    const TensorPlan& plan = compiled_->plans[ut];
    if (plan.owner == Owner::lane) {
        std::fill_n(memory_->registers[ut].valid.begin() + plan.count * agent, plan.count, LaneMask{0});
        return;
    }
    if (plan.owner != Owner::block || !memory_->shared[ut].shadow.exists()) return;
    Renewal& r = renewals_[tensor];
    r.rounds.resize(agents_.size());
    const int round = ++r.rounds[ua];
    if (round == 1) return;
    Shadow::Moment& moment = r.moments[round];
    moment.run = run_;
    const Clock& clock = agents_[ua].clock;
    moment.times[ua] = clock.time;
    moment.times[engine_of(agent)] = agents_[ua].group;
    for (int a = generic_agents; a < max_event_agents; ++a) moment.times[a] = std::max(moment.times[a], clock.known[a]);
    if (++moment.arrived < static_cast<int>(step.members.count())) return;
    memory_->shared[ut].shadow.renew(plan.bytes(), moment);
    r.moments.erase(round);
}

/// Tensors that have the same bytes have the same cells.
inline void Block::share_cells()
{
    for (const GridCode::SharedBytes& bytes : grid_->shared_bytes) {
        Buffer& first = memory_->shared[static_cast<std::size_t>(bytes.parts.front().tensor)];
        if (first.shadow.exists()) continue; // of a block that had this room before
        Shadow whole;
        whole.make(bytes.cells, bytes.granule);
        for (const Shadow::Part& part : bytes.parts)
            memory_->shared[static_cast<std::size_t>(part.tensor)].shadow.share(whole, part);
    }
}

/// Everything as it is before the first step; room that was taken is kept.
inline void Block::start(std::uint32_t number, const std::vector<std::int64_t>& around, const Coord& at)
{
    run_ = run_id(device_->number, number);
    at_start_ = true;
    turns_.start(compiled_->options.order, compiled_->options.seed, run_);
    left_.clear();
    at_ = at;
    done_ = false;
    visits_.clear();
    phases_.clear();
    named_.clear();
    completed_.clear();
    renewals_.clear();
    refused_.clear();
    has_waited_for_grids_ = false;
    for (Agent& a : agents_) {
        a.pc = 0;
        a.done = a.stands = a.at_named = a.held = false;
        a.waits_at = -1;
        a.steps = a.arrived = a.passed = 0;
        for (const int v : grid_->outside) a.vars[static_cast<std::size_t>(v)] = around[static_cast<std::size_t>(v)];
        for (const int v : grid_->inside) a.vars[static_cast<std::size_t>(v)] = 0;
        for (int k = 0; k < at.size(); ++k)
            a.vars[static_cast<std::size_t>(grid_->grid->vars[static_cast<std::size_t>(k)].id)] = at[k];
        for (int k = 0; k < grid_->grid->cluster.size(); ++k)
            a.vars[static_cast<std::size_t>(grid_->grid->in_cluster[static_cast<std::size_t>(k)].id)] =
                at[k] % grid_->grid->cluster[k];
        a.scalars.clear();
        for (const Scalar& s : compiled_->program->scalars) a.scalars.push_back(s.initial);
        if (full())
            a.clock = {};
        else
            a.clock.time = a.clock.tensors.time = 1; // unchecked, all that counts is how far they are from their limit
        if (full() && compiled_->remote) a.clock.others = device_->known;
        a.group = 1;
        a.groups.resize(1);
        a.groups.front() = {1, {}};
        a.products = {};
        a.tensor_statement = -1;
        a.tensor_commits = 0;
    }
    sum_shapes_.clear();
    columns_ = {};
    if (full()) note_products();
    start_registers();
    for (const int t : grid_->tensors) {
        const TensorPlan& plan = compiled_->plans[static_cast<std::size_t>(t)];
        if (plan.owner == Owner::lane && full()) {
            memory_->registers[static_cast<std::size_t>(t)].valid.assign(static_cast<std::size_t>(plan.count) * agents_.size(), 0);
            auto& products = memory_->registers[static_cast<std::size_t>(t)].products;
            std::fill(products.begin(), products.end(), ProductUse{});
        }
        // Unchecked, a block may read what the one before it has left there, which depends on how blocks are distributed to threads: it
        // reads zeros. Memory that is written first needs none.
        if (full() || !grid_->independent) continue;
        if (plan.owner == Owner::lane)
            memory_->registers[static_cast<std::size_t>(t)].data.clear();
        else
            memory_->shared[static_cast<std::size_t>(t)].left = true;
    }
    if (Trace* t = compiled_->options.trace) t->begin_block(device_->number, slot_);
}

/// Registers of products have what is noted about them from the start, so that accesses before the first product are known.
inline void Block::note_products()
{
    for (const auto& e : grid_->instructions) {
        if (e->together == 1) continue;
        for (std::size_t k = 0; k < e->operands.size(); ++k) {
            const LaneAccess& a = e->operands[k];
            if (!a.in_registers()) continue;
            auto& products = memory_->registers[static_cast<std::size_t>(a.tensor)].products;
            products.resize(static_cast<std::size_t>(a.plan->count) * agents_.size());
        }
    }
}

inline Block::Progress Block::advance(std::int64_t quantum)
{
    if (at_start_ && quantum == 0 && turns_.is_issue() && !go_together()) return Progress::fault;
    at_start_ = false;
    bool moved = false, all_done = true;
    turns_.next_round(agents_.size());
    for (int turn = 0, count = static_cast<int>(agents_.size()); turn < count; ++turn) {
        const int i = turns_.agent(turn, count);
        Agent& a = agents_[static_cast<std::size_t>(i)];
        if (!a.done && !a.held && a.waits_at < 0) {
            if (!step_agent(i, turns_.steps(quantum))) return Progress::fault;
            moved = moved || !a.stands;
        }
        all_done = all_done && a.done;
    }
    if (!left_.empty() && !(all_done ? finish_all() : finish_after_turn())) return Progress::fault;
    if (all_done) {
        if (!ends_columns()) return Progress::fault;
        if (full() && !(ends_phases() && ends_tensors() && ends_visits() && ends_launch() && ends_registers()))
            return Progress::fault;
        for (const int t : grid_->tensors)
            if (full() && !replicas_agree(t)) return Progress::fault;
        if (worker_->early.found() && grid_->independent && cluster_ == nullptr) { // no other block writes what this one reads
            worker_->note({});
            return Progress::fault;
        }
        done_ = true;
        return Progress::done;
    }
    for (const Agent& a : agents_)
        if (a.waits_at >= 0 && !come_to(a.waits_at)) return Progress::fault;
    for (Agent& a : agents_)
        if (!moved && std::exchange(a.held, false)) return Progress::runs;
    return moved ? Progress::runs : Progress::waits;
}

/// The agent's column of an instruction, if it has one.
inline bool Block::run_instruction(const Step& step, int agent)
{
    const Executable& e = *grid_->instructions[static_cast<std::size_t>(step.item)];
    const int offset = agent - e.instruction->first_agent, stride = std::max(1, e.instruction->agent_stride);
    if (offset < 0 || offset % stride != 0 || offset / stride >= e.instruction->agents) return true;
    if (offset / stride % e.together != 0) return true; // the first of them runs it
    if (Trace* t = compiled_->options.trace; t != nullptr && !worker_->early.found()) note_start(*t, e, agent);
    if (!grid_->columns.empty() && !has_columns(e, agent)) return false;
    if (compiled_->options.watch != nullptr) return run_watched(e, offset / stride, agent);
    return e.run(*this, offset / stride, agent) && !worker_->fault.found();
}

/// Does the agent run the instruction as one with others?
inline bool Block::comes_together(const Step& step, int agent) const
{
    const Executable& e = *grid_->instructions[static_cast<std::size_t>(step.item)];
    if (e.together == 1) return false;
    const int offset = agent - e.instruction->first_agent, stride = std::max(1, e.instruction->agent_stride);
    return offset >= 0 && offset % stride == 0 && offset / stride < e.instruction->agents;
}

/// Agents are at a step that several do together. False: the block has a fault.
inline bool Block::come_to(int step)
{
    if (grid_->code.steps[static_cast<std::size_t>(step)].kind == Step::Kind::instruction) return converge(step);
    release(step);
    return true;
}

/// One step more of an agent. False: it has gone too many, or the caller does not want the rest.
inline bool Block::count_step(Agent& agent, int number, const Step& step)
{
    const std::int64_t most = compiled_->options.most_steps;
    if (++agent.steps > most && most > 0) return fail(FaultKind::endless, step.statement, endless_text("agent", number, most));
    if (worker_->early.found() && ++worker_->early.steps > EarlyRead::most_steps)
        return fail(FaultKind::uninitialized, step.statement, {});
    if (worker_->pulse.goes_on(step.kind == Step::Kind::instruction ? 64 : 4)) return true;
    return fail(FaultKind::stopped, step.statement, stopped_text());
}

inline bool Block::step_agent(int number, std::int64_t quantum)
{
    Agent& a = agents_[static_cast<std::size_t>(number)];
    const auto& steps = grid_->code.steps;
    a.stands = true;
    reads_early_ = false;
    for (std::int64_t gone = 0;; a.stands = false) {
        a.held = std::exchange(reads_early_, false);
        if (a.held) return true;
        if (quantum > 0 && gone++ == quantum) return true;
        if (a.pc >= static_cast<int>(steps.size())) {
            a.stands = false;
            a.done = true;
            return !full() || ends_groups(a, number);
        }
        const Step& s = steps[static_cast<std::size_t>(a.pc)];
        if (!count_step(a, number, s)) return false;
        if (a.clock.time >= max_time - 2 || a.group >= max_time - 2 || a.clock.tensors.time >= max_time - 2)
            return fail(
                FaultKind::capacity, s.statement,
                detail::worded("agent {0} synchronizes more than {1} times in one block", {number, std::int64_t{max_time - 3}}));
        if (!grid_->registers.needs.empty() && full() &&
            !fits_registers(number, a.pc, registers_.shares[static_cast<std::size_t>(number)].count))
            return false;
        switch (s.kind) {
        case Step::Kind::instruction:
            if (comes_together(s, number)) {
                a.waits_at = a.pc;
                a.stands = false;
                return true;
            }
            if (!run_instruction(s, number)) return false;
            ++a.pc;
            break;
        case Step::Kind::enter: a.pc = s.members.test(static_cast<std::size_t>(number)) ? a.pc + 1 : s.target; break;
        case Step::Kind::loop:
        case Step::Kind::next: a.pc = turn(s, a.pc, a.vars); break;
        case Step::Kind::test: {
            double value = 0;
            if (!evaluate(*s.condition, number, s.statement, value)) return false;
            a.pc = value != 0 ? a.pc + 1 : s.target;
            break;
        }
        case Step::Kind::jump: a.pc = s.target; break;
        case Step::Kind::assign: {
            const Assign& assign = std::get<Assign>(s.source->what);
            double value = 0;
            if (!evaluate(assign.value, number, s.statement, value)) return false;
            a.scalars[static_cast<std::size_t>(assign.scalar)] = value;
            ++a.pc;
            break;
        }
        case Step::Kind::let:
            if (!set_index(s, number)) return false;
            ++a.pc;
            break;
        case Step::Kind::barrier:
            a.waits_at = a.pc;
            a.stands = false;
            return true;
        case Step::Kind::commit:
            ++a.group;
            a.groups.push_back({a.group, {}});
            ++a.pc;
            break;
        case Step::Kind::wait:
            if (!wait_groups(a, number, std::get<Wait>(s.source->what))) return false;
            ++a.pc;
            break;
        case Step::Kind::mbarrier: {
            bool blocked = false;
            if (!mbarrier(a, number, std::get<Mbarrier>(s.source->what), s.statement, blocked)) return false;
            if (blocked) return true;
            ++a.pc;
            break;
        }
        case Step::Kind::flag: {
            bool blocked = false;
            if (!flag(a, number, std::get<Flag>(s.source->what), s.statement, blocked)) return false;
            if (blocked) return true;
            ++a.pc;
            break;
        }
        case Step::Kind::cluster: {
            bool blocked = false;
            if (!cluster_barrier(a, number, std::get<ClusterBarrier>(s.source->what), s.statement, blocked)) return false;
            if (blocked) return true;
            ++a.pc;
            break;
        }
        case Step::Kind::launch:
            if (!launch(a, number, *s.source)) return false;
            ++a.pc;
            break;
        case Step::Kind::named:
            if (a.at_named) return true;
            if (!named_barrier(a, number, std::get<NamedBarrier>(s.source->what), s.statement)) return false;
            if (a.at_named) {
                a.stands = false;
                return true;
            }
            ++a.pc;
            break;
        case Step::Kind::registers: {
            bool blocked = false;
            if (!change_registers(number, std::get<RegisterCount>(s.source->what), s.statement, blocked)) return false;
            if (blocked) return true;
            ++a.pc;
            break;
        }
        case Step::Kind::columns: {
            bool blocked = false;
            if (!ask_for_columns(number, std::get<TensorColumns>(s.source->what), s.statement, blocked)) return false;
            if (blocked) return true;
            ++a.pc;
            break;
        }
        case Step::Kind::fence:
            fence(a, number, std::get<ProxyFence>(s.source->what));
            ++a.pc;
            break;
        case Step::Kind::alloc:
            if (full()) renew(std::get<Alloc>(s.source->what).tensor, s, number);
            ++a.pc;
            break;
        case Step::Kind::each:
        case Step::Kind::each_end: ++a.pc; break;
        case Step::Kind::grid: return fail(FaultKind::arithmetic, s.statement, nested_grid_text());
        }
    }
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
