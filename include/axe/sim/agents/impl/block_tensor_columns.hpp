// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_TENSOR_COLUMNS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_TENSOR_COLUMNS_HPP

#include <axe/program/tensor_columns.hpp>
#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>

/// Columns of tensor memory that a block asks for: who may access what is in them, and when.      [PTX, allocation of tensor memory]
namespace axe {
inline namespace v0 {
namespace sim {

/// Is what another agent did at that time before what the agent does now? Unchecked, all is.
inline bool Block::knows(int number, std::uint64_t run, int other, std::uint32_t time) const
{
    return !full() || (run == run_ && number == other) || actor(number, 0).after(event(run, other, 0, time), 0);
}

/// Columns that blocks have of the multiprocessor that this one is on: blocks are on one after the other, round by round.
inline std::int64_t& Block::columns_taken()
{
    const Limit* processors = find_limit(compiled_->program->machine, "device.multiprocessors");
    if (!grid_->waits_for_others()) return columns_.own;
    return device_->columns_taken[processors == nullptr ? slot_ : slot_ % processors->value];
}

inline bool Block::ask_for_columns(int number, const TensorColumns& c, int statement, bool& blocked)
{
    Agent& a = agents_[static_cast<std::size_t>(number)];
    const auto now = [&] { return Columns::Deed{number, statement, a.clock.time}; };
    if (c.action == TensorColumns::Action::allocate) {
        if (!allocate_columns(number, c, statement, blocked)) return false;
        if (blocked) return true;
        columns_.asked = columns_.taken[c.id].since = now();
    } else if (c.action == TensorColumns::Action::give_back) {
        if (!give_back_columns(number, c, statement)) return false;
        columns_.taken[c.id].last = now();
    } else {
        const Columns::Deed& asked = columns_.asked;
        if (asked.agent >= 0 && !knows(number, run_, asked.agent, asked.time))
            return fail(
                FaultKind::lifetime, statement,
                detail::worded("{0} says that the block asks for no more; nothing orders this after {1} has in statement {2}",
                               {agent_text(number), agent_text(asked.agent), asked.statement}),
                asked.statement);
        columns_.relinquished = now();
    }
    if (full()) a.clock.meet(number);
    return true;
}

/// The agent gets columns, or waits for them. False: the block has a fault.
inline bool Block::allocate_columns(int number, const TensorColumns& c, int statement, bool& blocked)
{
    const auto wrong = [&](const char* words, const Columns::Deed& other) {
        return fail(FaultKind::lifetime, statement,
                    detail::worded(words, {agent_text(number), c.id, agent_text(other.agent), other.statement}), other.statement);
    };
    if (columns_.relinquished.agent >= 0)
        return wrong("{0} asks for columns {1}; {2} has said in statement {3} that the block asks for no more",
                     columns_.relinquished);
    Columns::Taken& t = columns_.taken[c.id];
    if (t.columns > 0) return wrong("{0} asks for columns {1}, which {2} has asked for in statement {3}", t.since);
    if (t.last.agent >= 0 && !knows(number, run_, t.last.agent, t.last.time))
        return wrong("{0} asks for columns {1}; nothing orders this after {2} gives them back in statement {3}", t.last);
    if (columns_.asked.agent >= 0 && !knows(number, run_, columns_.asked.agent, columns_.asked.time))
        return wrong("{0} asks for columns {1}; nothing orders this after {2} asks for some in statement {3}", columns_.asked);
    if (columns_.least > 0 && c.columns > columns_.least)
        return fail(FaultKind::lifetime, statement,
                    detail::worded("{0} asks for {1} columns, after {2} in statement {3}; a block asks for no more than before",
                                   {agent_text(number), c.columns, columns_.least, columns_.asked.statement}),
                    columns_.asked.statement);
    std::int64_t place = 0;
    if (!find_bytes(*c.at, 4, number, statement, place)) return false;
    blocked = columns_taken() + c.columns > tensor_columns_of(compiled_->program->machine);
    if (blocked) return true;
    const auto address = static_cast<std::int32_t>(columns_taken());
    columns_taken() += c.columns;
    if (grid_->waits_for_others()) columns_.own += c.columns;
    columns_.least = c.columns;
    t.columns = c.columns, t.pair = c.pair;
    // What was in the columns before is there no more.
    for (const auto& [tensor, id] : grid_->columns) {
        if (id != c.id || !full()) continue;
        Shadow& shadow = this->shadow(plan(tensor), tensor);
        if (shadow.exists())
            for (std::int64_t byte = 0; byte < plan(tensor).bytes(); byte += shadow.granule())
                shadow.mark(shadow.granule_of(byte), 0, 0);
    }
    // The address is an ordinary write.
    const TensorPlan& to = this->plan(c.at->tensor);
    Shadow& shadow = this->shadow(to, c.at->tensor);
    if (shadow.exists()) {
        const Actor who_acts = actor(number, static_cast<int>(compiled_->load_access(statement)) - 1);
        const std::size_t last = shadow.granule_of((place + 4 / to.width) * to.width - 1);
        for (std::size_t i = shadow.granule_of(place * to.width); i <= last; ++i)
            if (const Conflict found = shadow.write(i, who_acts, 0, true); found.found())
                return conflict(statement,
                                detail::worded("{0}, the address of columns of {1},", {to.place_text(place), agent_text(number)}),
                                true, found);
    }
    std::memcpy(buffer(to, c.at->tensor).data + place * to.width, &address, 4);
    return true;
}

/// Whether all that was done with a tensor in the columns is complete, and known to be, by synchronization; fences need not be there.
inline bool Block::may_give_back(int number, int tensor, int statement)
{
    const TensorPlan& plan = this->plan(tensor);
    Shadow& shadow = this->shadow(plan, tensor);
    if (!shadow.exists()) return true;
    Clock known = agents_[static_cast<std::size_t>(number)].clock;
    TensorOrder::join(known.tensors.own, known.tensors.told);
    TensorOrder::join(known.tensors.own, known.tensors.passed);
    Actor who_acts = tensor_reader(number, static_cast<int>(compiled_->load_access(statement)) - 1);
    who_acts.clock = &known;
    who_acts.tensor = static_cast<int>(TensorRole::load); // nothing is before it without a wait
    for (std::int64_t byte = 0; byte < plan.bytes(); byte += shadow.granule()) {
        const std::size_t i = shadow.granule_of(byte);
        const Conflict found = shadow.write(i, who_acts, who_acts.tensor, true);
        if (found.found())
            return conflict(
                statement,
                detail::worded("{0}, whose columns {1} gives back,", {plan.place_text(byte / plan.width), agent_text(number)}),
                true, found);
        shadow.mark(i, 0, 0); // no access from here on is there to be in order with
    }
    return true;
}

inline bool Block::give_back_columns(int number, const TensorColumns& c, int statement)
{
    const auto at = columns_.taken.find(c.id);
    if (at == columns_.taken.end())
        return fail(FaultKind::lifetime, statement,
                    detail::worded("{0} gives columns {1} back, which no agent has asked for", {agent_text(number), c.id}));
    Columns::Taken& t = at->second;
    const auto wrong = [&](const char* words, const Columns::Deed& other) {
        return fail(FaultKind::lifetime, statement,
                    detail::worded(words, {agent_text(number), c.id, agent_text(other.agent), other.statement}), other.statement);
    };
    if (t.columns == 0) return wrong("{0} gives columns {1} back, as {2} has in statement {3}", t.last);
    if (!knows(number, run_, t.since.agent, t.since.time))
        return wrong("{0} gives columns {1} back; nothing orders this after {2} asks for them in statement {3}", t.since);
    if (t.pair != c.pair)
        return wrong(c.pair ? "{0} gives columns {1} back for a pair of blocks; {2} has asked for them in statement {3} for one"
                            : "{0} gives columns {1} back for one block; {2} has asked for them in statement {3} for a pair",
                     t.since);
    for (const auto& [tensor, id] : grid_->columns)
        if (id == c.id && full() && !may_give_back(number, tensor, statement)) return false;
    columns_taken() -= t.columns;
    if (grid_->waits_for_others()) columns_.own -= t.columns;
    t.columns = 0;
    return true;
}

/// Has the agent, of this block or of the pair's other one, columns for what the instruction accesses in tensor memory?
inline bool Block::has_columns(const Executable& e, int agent)
{
    for (const Access& access : e.instruction->operands) {
        const int tensor = access.view.tensor;
        const TensorPlan& plan = this->plan(tensor);
        if (!is_in_columns(compiled_->program->machine, compiled_->program->tensors[static_cast<std::size_t>(tensor)])) continue;
        const auto in = grid_->columns.find(tensor);
        if (in == grid_->columns.end())
            return fail(FaultKind::lifetime, e.statement,
                        detail::worded("{0} is in tensor memory, and the grid asks for columns without it", {plan.name()}));
        Block* const mate = e.instruction->pair ? this->mate(agent, e.statement) : this;
        if (mate == nullptr) return false;
        for (const Block* block : {static_cast<const Block*>(this), static_cast<const Block*>(mate)}) {
            const auto at = block->columns_.taken.find(in->second);
            if (at == block->columns_.taken.end() || at->second.since.agent < 0)
                return fail(FaultKind::lifetime, e.statement,
                            detail::worded("{0} accesses {1}, whose columns {2} no agent has asked for yet",
                                           {agent_text(agent), plan.name(), in->second}));
            const Columns::Taken& t = at->second;
            const auto wrong = [&](const char* words, const Columns::Deed& other) {
                return fail(
                    FaultKind::lifetime, e.statement,
                    detail::worded(words, {agent_text(agent), plan.name(), in->second, agent_text(other.agent), other.statement}),
                    other.statement);
            };
            if (t.columns == 0) return wrong("{0} accesses {1}, whose columns {2} {3} has given back in statement {4}", t.last);
            if (!knows(agent, block->run_, t.since.agent, t.since.time))
                return wrong("{0} accesses {1}; nothing orders this after {3} asks for columns {2} in statement {4}", t.since);
        }
    }
    return true;
}

inline std::string Block::waits_for_columns(const std::string& who, const Step& step) const
{
    const std::int64_t all = tensor_columns_of(compiled_->program->machine);
    const Limit* processors = find_limit(compiled_->program->machine, "device.multiprocessors");
    std::int64_t taken = columns_.own;
    if (grid_->waits_for_others()) {
        const auto at = device_->columns_taken.find(processors == nullptr ? slot_ : slot_ % processors->value);
        taken = at == device_->columns_taken.end() ? 0 : at->second;
    }
    return detail::worded(
        "agent {0} waits in statement {1} for {2} columns of tensor memory; {3} of {4} are taken, {5} of them by its block",
        {who, step.statement, std::get<TensorColumns>(step.source->what).columns, taken, all, columns_.own});
}

/// Of a block that ends: has it given back what it has asked for?
inline bool Block::ends_columns()
{
    for (const auto& [id, t] : columns_.taken)
        if (t.columns > 0)
            return fail(FaultKind::lifetime, t.since.statement,
                        detail::worded("the block ends and has not given columns {0} back, which {1} asks for here",
                                       {id, agent_text(t.since.agent)}));
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
