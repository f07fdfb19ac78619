// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_BLOCK_RUN_HPP
#define AXE_SIM_BLOCK_RUN_HPP

#include <axe/sim/block.hpp>

#include <cmath>
#include <cstdio>
#include <optional>

/// How a block's agents go through the code: variables, loops, barriers, asynchronous groups.
namespace axe {
inline namespace v0 {
namespace sim {

/// What an operation of an expression makes of its operands; nothing when it divides by 0 in whole numbers.
inline std::optional<double> apply(Expression::Kind kind, double x, double y) noexcept
{
    using Kind = Expression::Kind;
    switch (kind) {
    case Kind::add: return x + y;
    case Kind::sub: return x - y;
    case Kind::mul: return x * y;
    case Kind::div: return x / y;
    case Kind::floor_div: return y == 0 ? std::optional<double>() : std::floor(x / y);
    case Kind::floor_mod: return y == 0 ? std::optional<double>() : x - y * std::floor(x / y);
    case Kind::min: return std::min(x, y);
    case Kind::max: return std::max(x, y);
    case Kind::equal: return x == y;
    case Kind::not_equal: return x != y;
    case Kind::less: return x < y;
    case Kind::less_equal: return x <= y;
    case Kind::logical_and: return x != 0 && y != 0;
    case Kind::logical_or: return x != 0 || y != 0;
    case Kind::logical_not: return x == 0;
    default: return {};
    }
}

inline std::string quotient_text(double dividend)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.17g is divided by 0", dividend);
    return text;
}

inline Block::Block(const Compiled& compiled, DeviceState& device, const GridCode& grid, std::uint32_t run,
                    const std::vector<std::int64_t>& vars)
    : compiled_(&compiled), device_(&device), grid_(&grid), run_(run_id(device.number, run)), block_vars_(vars),
      agents_(static_cast<std::size_t>(grid.grid->agents))
{
    for (Agent& a : agents_) {
        a.vars = vars;
        for (const Scalar& s : compiled.program->scalars) a.scalars.push_back(s.initial);
        a.groups.push_back({1, {}});
    }
    for (const int t : grid.tensors) {
        const auto ut = static_cast<std::size_t>(t);
        const TensorPlan& plan = compiled.plans[ut];
        if (plan.owner == Owner::block) {
            Buffer& buffer = device.shared[ut];
            if (buffer.data == nullptr) {
                buffer.own.resize(static_cast<std::size_t>(plan.bytes()));
                buffer.data = buffer.own.data();
                if (compiled.full()) buffer.shadow.make((buffer.own.size() + static_cast<std::size_t>(plan.granule) - 1) / static_cast<std::size_t>(plan.granule), plan.granule);
            }
        } else {
            Registers& registers = device.registers[ut];
            registers.agent_bytes = (static_cast<std::size_t>(plan.bytes()) * static_cast<std::size_t>(plan.lanes) + 63) / 64 * 64;
            registers.data.resize(registers.agent_bytes * agents_.size());
            if (compiled.full()) registers.valid.assign(static_cast<std::size_t>(plan.count) * agents_.size(), 0);
        }
    }
}

inline bool Block::run()
{
    for (;;) {
        bool moved = false, all_done = true;
        for (int i = 0; i < static_cast<int>(agents_.size()); ++i) {
            Agent& a = agents_[static_cast<std::size_t>(i)];
            if (a.done || a.waits_at >= 0) {
                all_done = all_done && a.done;
                continue;
            }
            if (!step_agent(i)) return false;
            moved = moved || !a.stands;
            all_done = all_done && a.done;
        }
        if (all_done) {
            for (const int t : grid_->tensors)
                if (full() && !replicas_agree(t)) return false;
            return true;
        }
        if (!moved) {
            // Nobody can go on by himself: perhaps a barrier is complete.
            bool released = false;
            for (const Agent& a : agents_)
                if (a.waits_at >= 0 && release(a.waits_at)) {
                    released = true;
                    break;
                }
            if (!released) return stuck();
        } else {
            for (const Agent& a : agents_)
                if (a.waits_at >= 0) release(a.waits_at);
        }
    }
}

/// Lets the agents at a barrier go on, if all of its members are there.
inline bool Block::release(int step)
{
    const Members& members = grid_->code.steps[static_cast<std::size_t>(step)].members;
    Clock joined;
    std::uint32_t latest = 0;
    int count = 0;
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        if (!members.test(i)) continue;
        if (agents_[i].waits_at != step) return false;
        ++count;
    }
    if (Trace* t = compiled_->options.trace) t->meet(device_->number, grid_->code.steps[static_cast<std::size_t>(step)].statement, members);
    for (std::size_t i = 0; i < agents_.size(); ++i)
        if (members.test(i)) {
            agents_[i].clock.meet(static_cast<int>(i));
            joined.join(agents_[i].clock);
            joined.known[i] = std::max(joined.known[i], agents_[i].clock.time);
            latest = std::max(latest, agents_[i].clock.time);
        }
    for (std::size_t i = 0; i < agents_.size(); ++i)
        if (members.test(i)) {
            agents_[i].clock = joined;
            agents_[i].clock.time = latest;
            agents_[i].waits_at = -1;
            ++agents_[i].pc;
        }
    device_->barriers += count;
    return true;
}

inline bool Block::stuck()
{
    std::string text;
    bool barrier = false;
    int statement = -1;
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        const Agent& a = agents_[i];
        text += (i > 0 ? "; agent " : "agent ") + std::to_string(i);
        if (a.done) {
            text += " has ended";
            continue;
        }
        const Step& step = grid_->code.steps[static_cast<std::size_t>(a.pc)];
        barrier = barrier || a.waits_at >= 0;
        if (statement < 0) statement = step.statement;
        if (a.waits_at >= 0) {
            text += " waits at the barrier of statement " + std::to_string(step.statement);
            continue;
        }
        const Mbarrier& m = std::get<Mbarrier>(step.source->what);
        const Phase& p = phases_[m.id];
        text += " waits in statement " + std::to_string(step.statement) + " for phase " + std::to_string(p.phase) + " of mbarrier " + std::to_string(m.id) +
                ", which lacks " + std::to_string(p.pending) + " of " + std::to_string(p.expected) + " arrivals" +
                (p.bytes != 0 ? " and " + std::to_string(p.bytes) + " bytes" : "");
    }
    return fail(barrier ? FaultKind::divergence : FaultKind::deadlock, statement, "nobody can go on: " + text);
}

inline bool Block::step_agent(int number)
{
    Agent& a = agents_[static_cast<std::size_t>(number)];
    const auto& steps = grid_->code.steps;
    a.stands = true;
    for (;; a.stands = false) {
        if (a.pc >= static_cast<int>(steps.size())) {
            a.stands = false;
            a.done = true;
            if (full())
                for (const auto& g : a.groups)
                    if (!g.finish.empty())
                        return fail(FaultKind::async_unfinished, g.statement,
                                    "agent " + std::to_string(number) + " ends without having waited for the asynchronous copies that it starts here");
            return true;
        }
        const Step& s = steps[static_cast<std::size_t>(a.pc)];
        if (compiled_->options.most_steps > 0 && ++a.steps > compiled_->options.most_steps)
            return fail(FaultKind::endless, s.statement, "agent " + std::to_string(number) + " has gone " + std::to_string(a.steps - 1) +
                                                             " steps, the most that this run allows");
        if (a.clock.time >= max_time - 2 || a.group >= max_time - 2)
            return fail(FaultKind::capacity, s.statement, "agent " + std::to_string(number) + " has synchronised 2^21 times in one block");
        switch (s.kind) {
        case Step::Kind::instruction: {
            const Executable& e = *grid_->instructions[static_cast<std::size_t>(s.item)];
            const int offset = number - e.instruction->first_agent, stride = std::max(1, e.instruction->agent_stride);
            if (offset >= 0 && offset % stride == 0 && offset / stride < e.instruction->agents) {
                if (Trace* t = compiled_->options.trace) t->instruction(device_->number, number, e.index);
                if (!e.run(*this, offset / stride, number)) return false;
            }
            ++a.pc;
            break;
        }
        case Step::Kind::enter: a.pc = s.members.test(static_cast<std::size_t>(number)) ? a.pc + 1 : s.target; break;
        case Step::Kind::loop: {
            const For& loop = std::get<For>(s.source->what);
            const std::int64_t begin = loop.begin(a.vars);
            if (begin >= loop.end(a.vars)) {
                a.pc = s.target;
                break;
            }
            a.vars[static_cast<std::size_t>(loop.var.id)] = begin;
            ++a.pc;
            break;
        }
        case Step::Kind::next: {
            const For& loop = std::get<For>(s.source->what);
            auto& v = a.vars[static_cast<std::size_t>(loop.var.id)];
            if (v + loop.step < loop.end(a.vars)) {
                v += loop.step;
                a.pc = s.target;
            } else {
                ++a.pc;
            }
            break;
        }
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
            if (!wait_groups(a, number, std::get<Wait>(s.source->what).pending, s.statement)) return false;
            ++a.pc;
            break;
        case Step::Kind::mbarrier: {
            bool blocked = false;
            if (!mbarrier(a, number, std::get<Mbarrier>(s.source->what), s.statement, blocked)) return false;
            if (blocked) return true;
            ++a.pc;
            break;
        }
        case Step::Kind::alloc: ++a.pc; break;
        case Step::Kind::grid: return fail(FaultKind::arithmetic, s.statement, "a grid stands inside a block");
        }
    }
}

inline void Block::start_async(int agent, std::function<bool()> finish)
{
    Agent& a = agents_[static_cast<std::size_t>(agent)];
    auto& group = a.groups.back();
    if (group.finish.empty()) group.statement = grid_->code.steps[static_cast<std::size_t>(a.pc)].statement;
    group.finish.push_back(std::move(finish));
}

/// Finishes all groups but the last `pending` committed ones; the open one goes on.
inline bool Block::wait_groups(Agent& a, int, int pending, int)
{
    while (static_cast<int>(a.groups.size()) - 1 > pending) {
        for (const auto& finish : a.groups.front().finish)
            if (!finish()) return false;
        a.clock.waited = std::max(a.clock.waited, a.groups.front().number + 1);
        a.groups.erase(a.groups.begin());
    }
    return true;
}

inline bool Block::mbarrier(Agent& a, int number, const Mbarrier& m, int statement, bool& blocked)
{
    Phase& p = phases_[m.id];
    Trace* const trace = compiled_->options.trace;
    const auto turn = [&] { // a phase is complete when all have arrived and all bytes are there
        if (p.pending != 0 || p.bytes != 0) return;
        ++p.phase;
        p.pending = p.expected;
        p.complete = p.clock;
        if (trace != nullptr) trace->complete(device_->number, m.id);
    };
    const auto is_set_up = [&](const char* used) { // as far as this agent can know
        const std::string who = "mbarrier " + std::to_string(m.id) + " is " + used + " by agent " + std::to_string(number);
        if (p.expected == 0) return fail(FaultKind::transaction, statement, who + " before it is set up");
        for (int i = 0; i < max_agents; ++i)
            if (i != number && p.set_up.known[i] > a.clock.known[i])
                return fail(FaultKind::transaction, statement, who + ", and nothing orders that after agent " + std::to_string(i) + " has set it up");
        return true;
    };
    switch (m.action) {
    case Mbarrier::Action::init:
        if (m.number < 1) return fail(FaultKind::transaction, statement, "an mbarrier expects " + std::to_string(m.number) + " arrivals; it must be at least 1");
        a.clock.meet(number);
        p = {m.number, m.number, 0, 0, a.clock, a.clock, {}};
        p.set_up.known[number] = a.clock.time;
        return true;
    case Mbarrier::Action::arrive:
    case Mbarrier::Action::expect_bytes:
        if (!is_set_up("used")) return false;
        if (p.pending == 0) return fail(FaultKind::transaction, statement, "mbarrier " + std::to_string(m.id) + " expects " + std::to_string(p.expected) + " arrivals a phase; this is one more");
        if (m.action == Mbarrier::Action::expect_bytes) p.bytes += m.number;
        --p.pending;
        a.clock.meet(number);
        p.clock.join(a.clock);
        p.clock.known[number] = std::max(p.clock.known[number], a.clock.time);
        if (trace != nullptr) trace->arrive(device_->number, number, m.id);
        turn();
        return true;
    case Mbarrier::Action::wait: {
        if (!is_set_up("waited for")) return false;
        double parity = 0;
        if (!evaluate(m.parity, number, statement, parity)) return false;
        // Waiting for parity q ends once the phase of that parity is over.
        if ((p.phase & 1) == static_cast<std::int64_t>(parity)) {
            blocked = true;
            return true;
        }
        a.clock.join(p.complete);
        a.clock.meet(number);
        if (trace != nullptr) trace->pass(device_->number, number, m.id, statement);
        return true;
    }
    }
    return true;
}

inline bool Block::load(const View& element, int number, int statement, double& value)
{
    const Agent& a = agents_[static_cast<std::size_t>(number)];
    const TensorPlan& plan = compiled_->plans[static_cast<std::size_t>(element.tensor)];
    std::int64_t coord[max_rank];
    const int dims = plan.tensor->shape.size();
    for (int d = 0; d < dims; ++d) coord[d] = element.origin[static_cast<std::size_t>(d)](a.vars);
    if (!is_inside(plan.tensor->shape, coord))
        return fail(FaultKind::out_of_bounds, statement, "element " + coord_text(coord, dims) + " of " + plan.name() + " is loaded, whose shape is " +
                                                             coord_text(plan.tensor->shape.items, dims));
    std::int64_t place = plan.address(coord) - plan.low;
    const std::byte* data = nullptr;
    const auto t = static_cast<std::size_t>(element.tensor);
    if (plan.owner == Owner::lane) {
        const std::int64_t lane = plan.lane(coord), agent = plan.agent(coord);
        if (!plan.agent.holds(agent, number))
            return fail(FaultKind::wrong_owner, statement, "agent " + std::to_string(number) + " loads element " + coord_text(coord, dims) + " of " +
                                                               plan.name() + ", which agent " + std::to_string(agent) + " holds");
        place = plan.slot(place + plan.low, static_cast<int>(lane));
        const Registers& r = device_->registers[t];
        data = r.data.data() + static_cast<std::size_t>(number) * r.agent_bytes;
        if (full() && (r.valid[static_cast<std::size_t>(number) * static_cast<std::size_t>(plan.count) + register_of(plan, place)] >> lane & 1u) == 0)
            return fail(FaultKind::uninitialised, statement, "element " + coord_text(coord, dims) + " of " + plan.name() + " is loaded, and nobody has written it");
    } else {
        if (plan.owner == Owner::device && !plan.device.holds(plan.device(coord), device_->number))
            return fail(FaultKind::wrong_owner, statement, "element " + coord_text(coord, dims) + " of " + plan.name() + " is loaded, which device " +
                                                               std::to_string(plan.device(coord)) + " holds");
        if (plan.swizzle.bits > 0) place = plan.swizzle(place);
        Buffer& buffer = plan.owner == Owner::block ? device_->shared[t] : device_->global[t];
        data = buffer.data;
        if (buffer.shadow.exists()) {
            const Conflict c = buffer.shadow.read(static_cast<std::size_t>(place * plan.width / buffer.shadow.granule()), actor(number, statement), 0,
                                                  plan.owner == Owner::block);
            if (c)
                return fail(c.hazard == Hazard::unwritten ? FaultKind::uninitialised : FaultKind::race, statement,
                            "element " + coord_text(coord, dims) + " of " + plan.name() + " is loaded, and " +
                                (c.hazard == Hazard::unwritten ? std::string("nobody has written it") : who(c.other) + " has written it in statement " +
                                                                                                           std::to_string(c.statement) + " with nothing between that orders the two"),
                            c.statement);
        }
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, data + place * plan.width, static_cast<std::size_t>(plan.width));
    value = decode(plan.tensor->dtype, bits);
    return true;
}

inline bool Block::evaluate(const Expression& e, int number, int statement, double& value)
{
    using Kind = Expression::Kind;
    const Agent& a = agents_[static_cast<std::size_t>(number)];
    switch (e.kind) {
    case Kind::number: value = e.number; return true;
    case Kind::affine: value = static_cast<double>(e.affine(a.vars)); return true;
    case Kind::scalar: value = a.scalars[static_cast<std::size_t>(e.scalar)]; return true;
    case Kind::load: return load(e.element, number, statement, value);
    default: break;
    }
    double x = 0, y = 0;
    if (e.operands.empty() || !evaluate(e.operands[0], number, statement, x)) return e.operands.empty() ? fail(FaultKind::arithmetic, statement, "an expression lacks an operand") : false;
    if (e.operands.size() > 1 && !evaluate(e.operands[1], number, statement, y)) return false;
    if (const auto v = apply(e.kind, x, y)) return value = *v, true;
    return fail(FaultKind::arithmetic, statement, quotient_text(x));
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
