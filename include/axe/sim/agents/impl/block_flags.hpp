// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_FLAGS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_FLAGS_HPP

#include <axe/program/print.hpp>
#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>
#include <axe/sim/report/trace.hpp>
#include <axe/tensor/convert.hpp>

/// Flags: elements of global memory by which blocks tell each other what they have done.      [PTX, release and acquire patterns]
namespace axe {
inline namespace v0 {
namespace sim {

/// Where the element is, in elements from the first of its buffer.
inline bool Block::find_flag(const Flag& f, int number, int statement, std::int64_t& place, DeviceState*& of)
{
    const Agent& a = agents_[static_cast<std::size_t>(number)];
    const TensorPlan& plan = this->plan(f.element.tensor);
    std::int64_t coord[max_rank];
    for (int d = 0; d < plan.tensor->shape.size(); ++d) coord[d] = f.element.origin[static_cast<std::size_t>(d)](a.vars);
    if (!is_inside(plan.tensor->shape, coord))
        return fail(FaultKind::out_of_bounds, statement,
                    detail::worded("{0} is a flag; the shape is {1}", {element_text(plan, coord), shape_text(plan.tensor->shape)}));
    of = holder_of(f.element, coord, number, statement);
    if (of == nullptr) return false;
    place = plan.address(coord) - plan.low;
    if (plan.swizzle.bits > 0) place = plan.swizzle(place);
    return true;
}

/// What the agent knows, and has done, for those agents.
inline FlagReleases::Release Block::knowledge(const Agent& agent, Within within) const
{
    const auto number = static_cast<std::size_t>(&agent - agents_.data());
    Clock own = agent.clock;
    own.known[number] = std::max(own.known[number], own.time);
    return {run_, cluster_ == nullptr ? run_ : cluster_->first, within, own.told(run_), own.tensors};
}

/// An agent's knowledge goes to those who acquire the flag.
inline void Block::tell(FlagReleases::Release mine, FlagReleases& releases)
{
    for (std::shared_ptr<const FlagReleases::Release>& r : releases.list)
        if (r->run == mine.run && r->within == mine.within) {
            mine.tensors.join(r->tensors);
            mine.told.join(r->told);
            r = std::make_shared<const FlagReleases::Release>(std::move(mine));
            return;
        }
    releases.list.push_back(std::make_shared<const FlagReleases::Release>(std::move(mine)));
}

/// The agent is told what those knew who have released the flag, where each of the two covers the other.
inline void Block::learn(Agent& a, Within within, const FlagReleases::Sequence& releases)
{
    const std::uint64_t cluster = cluster_ == nullptr ? run_ : cluster_->first;
    for (const auto& release : releases) {
        const FlagReleases::Release& r = *release;
        const bool same_block = r.run == run_, same_cluster = r.cluster == cluster, same_device = r.run >> 24 == run_ >> 24;
        if (FlagReleases::covers(r.within, same_block, same_cluster, same_device) &&
            FlagReleases::covers(within, same_block, same_cluster, same_device)) {
            a.clock.learn(run_, r.told);
            if (same_cluster) a.clock.tensors.join(r.tensors);
        }
    }
}

/// A fence of memory: what relaxed accesses have seen is known, and what is known is what later ones tell.      [PTX, release patterns]
inline void Block::fence_memory(Agent& a, int number, Within within)
{
    a.clock.meet(number);
    for (const auto& [of, releases] : a.observed) learn(a, std::min(of, within), releases);
    std::erase_if(a.observed, [&](const auto& seen) { return seen.first <= within; });
    std::erase_if(a.fences, [&](const FlagReleases::Release& r) { return r.within == within; });
    a.fences.push_back(knowledge(a, within));
}

/// Accesses of a flag of which one writes it race as others do, unless the scopes of both cover both agents.      [PTX, morally strong]
inline bool Block::scopes_cover(const Flag& f, const Actor& actor, int statement, FlagReleases& flag)
{
    const std::uint64_t cluster = cluster_ == nullptr ? run_ : cluster_->first;
    const FlagReleases::Seen me{actor.at(0), cluster, f.within, f.action < Flag::Action::wait_at_least, statement};
    for (const FlagReleases::Seen& s : flag.seen) {
        const bool same_block = run_of(s.by) == run_, same_cluster = s.cluster == cluster,
                   same_device = device_of(s.by) == device_->number;
        if (!(s.writes || me.writes) || actor.after(s.by, 0)) continue;
        if (FlagReleases::covers(s.within, same_block, same_cluster, same_device) &&
            FlagReleases::covers(f.within, same_block, same_cluster, same_device))
            continue;
        constexpr const char* words[] = {"block", "cluster", "device", "system"};
        std::int64_t coord[max_rank];
        const TensorPlan& plan = this->plan(f.element.tensor);
        const auto& vars = agents_[static_cast<std::size_t>(actor.agent)].vars;
        for (int d = 0; d < plan.tensor->shape.size(); ++d) coord[d] = f.element.origin[static_cast<std::size_t>(d)](vars);
        return fail(
            FaultKind::race, statement,
            detail::worded("race: {0}, a flag, is accessed by {1} within its {2} and by {3} in statement {4} within its {5}",
                           {element_text(plan, coord), agent_text(actor.agent), words[static_cast<int>(f.within)], who(s.by),
                            s.statement, words[static_cast<int>(s.within)]}),
            s.statement);
    }
    const auto is_mine = [&](const FlagReleases::Seen& s) {
        return s.by >> 24 == me.by >> 24 && s.within == me.within && s.writes == me.writes;
    };
    const auto mine = std::find_if(flag.seen.begin(), flag.seen.end(), is_mine);
    if (mine != flag.seen.end())
        *mine = me;
    else
        flag.seen.push_back(me);
    return true;
}

inline bool Block::flag(Agent& a, int number, const Flag& f, int statement, bool& blocked)
{
    using Action = Flag::Action;
    std::int64_t place = 0;
    double operand = 0;
    DeviceState* of = nullptr;
    if (!find_flag(f, number, statement, place, of) || !evaluate(f.value, number, statement, operand)) return false;
    const TensorPlan& plan = this->plan(f.element.tensor);
    const DType type = plan.tensor->dtype;
    std::byte* const at = of->global[static_cast<std::size_t>(f.element.tensor)].data + place * plan.width;
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, static_cast<std::size_t>(plan.width));
    const double before = decode(type, bits);
    const bool waits = f.action == Action::wait_at_least || f.action == Action::wait_equal;
    const auto ends = [&](double x) { return f.action == Action::wait_equal ? x == operand : x >= operand; };
    const std::uint64_t out = encode(type, f.action == Action::add ? before + operand : operand);
    if (waits && !ends(before)) {
        blocked = true;
        return true;
    }
    a.clock.meet(number);
    const bool acquires = f.order == MemoryOrder::acquire || f.order == MemoryOrder::acquire_release;
    const bool releases = f.order == MemoryOrder::release || f.order == MemoryOrder::acquire_release;
    if (full()) {
        FlagReleases& known = of->flags[{f.element.tensor, place}];
        Shadow& shadow =
            of == device_ ? this->shadow(plan, f.element.tensor) : of->global[static_cast<std::size_t>(f.element.tensor)].shadow;
        const std::uint32_t access = compiled_->load_access(statement);
        const Actor who_acts = actor(number, static_cast<int>(access) - 1);
        for (std::size_t i = shadow.exists() ? shadow.granule_of(place * plan.width) : 1,
                         last = shadow.exists() ? shadow.granule_of((place + 1) * plan.width - 1) : 0;
             i <= last; ++i) {
            const Conflict c = waits ? shadow.observe(i, who_acts, 0, false) : shadow.atomic(i, who_acts, 0, false);
            if (c.found()) {
                std::int64_t coord[max_rank];
                for (int d = 0; d < plan.tensor->shape.size(); ++d)
                    coord[d] = f.element.origin[static_cast<std::size_t>(d)](a.vars);
                return conflict(statement, detail::worded("{0}, a flag of {1},", {element_text(plan, coord), agent_text(number)}),
                                !waits, c);
            }
        }
        if (!scopes_cover(f, who_acts, statement, known)) return false;
        a.clock.meet(number); // those who are told know of this access, too
        const FlagReleases::Sequence& seen = waits ? known.seen_by(who_acts, before, ends) : known.list;
        if (acquires)
            learn(a, f.within, seen);
        else if ((waits || f.action != Action::store) && !seen.empty())
            a.observed.emplace_back(f.within, seen);
        if (f.action == Action::store)
            known.list.clear(); // a store begins a release sequence; what reads and writes goes on with it
        if (releases) tell(knowledge(a, f.within), known);
        for (std::size_t i = 0; !waits && !releases && i < a.fences.size(); ++i) {
            FlagReleases::Release then = a.fences[i];
            then.within = std::min(then.within, f.within);
            tell(std::move(then), known);
        }
        if (!waits) known.note(before, decode(type, out), who_acts.at(0));
    }
    const bool watched = watched_in(f.element, number) == of->number && is_watched_place(plan, place);
    if (watched) watch(nullptr, statement, plan, f.element.tensor, number, -1, !waits, 1, of->number);
    Trace* const trace = compiled_->options.trace;
    if (trace != nullptr && waits) trace->see_flag(device_->number, slot_, number, of->number, f.element.tensor, place, statement);
    if (trace != nullptr && !waits) trace->write_flag(device_->number, slot_, number, of->number, f.element.tensor, place);
    if (waits) return true;
    std::memcpy(at, &out, static_cast<std::size_t>(plan.width));
    if (watched) device_->watching.report(*compiled_->options.watch);
    if (f.before >= 0) a.scalars[static_cast<std::size_t>(f.before)] = before;
    return true;
}

/// What an agent waits for in a statement that is not a phase of its block.
inline std::string Block::waited_for(const std::string& who, int number, const Step& step) const
{
    if (step.kind == Step::Kind::cluster) {
        std::vector<std::string> missing;
        for (const Block* block : cluster_->blocks)
            for (std::size_t k = 0; k < block->agents_.size(); ++k)
                if (!block->agents_[k].done && block->agents_[k].arrived <= cluster_->phases)
                    missing.push_back(detail::worded("agent {0} of rank {1}", {k, block->rank_}));
        return detail::worded("agent {0} waits in statement {1} at the barrier of its cluster for {2}",
                              {who, step.statement, detail::capped(missing, ", ")});
    }
    if (step.kind == Step::Kind::columns) return waits_for_columns(who, step);
    if (step.kind == Step::Kind::registers)
        return detail::worded(
            "agent {0} waits in statement {1} for {2} registers for each thread; it has {3}, and the block's pool {4}",
            {who, step.statement, std::get<RegisterCount>(step.source->what).registers,
             registers_.shares[static_cast<std::size_t>(number)].count, registers_.free});
    const Flag& f = std::get<Flag>(step.source->what);
    const Agent& a = agents_[static_cast<std::size_t>(number)];
    const TensorPlan& plan = this->plan(f.element.tensor);
    std::int64_t coord[max_rank];
    for (int d = 0; d < plan.tensor->shape.size(); ++d) coord[d] = f.element.origin[static_cast<std::size_t>(d)](a.vars);
    std::int64_t place = plan.address(coord) - plan.low;
    if (plan.swizzle.bits > 0) place = plan.swizzle(place);
    std::uint64_t bits = 0;
    const DeviceState& of =
        f.element.remote && !f.element.device ? device_->devices[plan.device(coord)] : memory_of(f.element, number);
    std::memcpy(&bits, of.global[static_cast<std::size_t>(f.element.tensor)].data + place * plan.width,
                static_cast<std::size_t>(plan.width));
    const auto now = static_cast<std::int64_t>(decode(plan.tensor->dtype, bits));
    return detail::worded(
        f.action == Flag::Action::wait_equal
            ? "agent {0} waits in statement {1} until {2} is {3}; it is {4}, and no agent that can continue changes it"
            : "agent {0} waits in statement {1} until {2} is at least {3}; it is {4}, and no agent that can continue changes it",
        {who, step.statement,
         of.device_count > 1 ? on_device_text(element_text(plan, coord), of.number) : element_text(plan, coord),
         print(*compiled_->program, f.value), now});
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
