// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_CONTROL_WAITS_HPP
#define AXE_SIM_CONTROL_WAITS_HPP

#include <axe/sim/control/code.hpp>
#include <axe/sim/control/phase.hpp>

#include <functional>

/// Who waits for whom, of agents that cannot continue: the text of a deadlock.
namespace axe {
inline namespace v0 {
namespace sim {

/// Where an agent is in the straight code of its block.
struct Standing {
    int pc = 0;
    bool done = false;
    bool meets = false;    ///< waits for the other members of the step
    std::int64_t come = 0; ///< at a named barrier: the threads that have come
};

/// Calls f(step) for each step that the agent can still come to from `pc` on, that one left out, whatever conditions hold and however
/// often loops run, until f is true.
template <class F>
bool any_to_come(const Code& code, int agent, int pc, F f)
{
    std::vector<char> seen(code.steps.size(), 0);
    std::vector<int> open;
    const auto follow = [&](int from) {
        const Step& s = code.steps[static_cast<std::size_t>(from)];
        using Kind = Step::Kind;
        const bool enters = s.kind != Kind::enter || s.members.test(static_cast<std::size_t>(agent));
        if (s.kind != Kind::jump && enters) open.push_back(from + 1);
        if (s.kind == Kind::jump || s.kind == Kind::test || s.kind == Kind::loop || s.kind == Kind::next || !enters)
            open.push_back(s.target);
    };
    follow(pc);
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        const auto u = static_cast<std::size_t>(at);
        if (at < 0 || u >= code.steps.size() || seen[u] != 0) continue;
        seen[u] = 1;
        if (f(code.steps[u])) return true;
        follow(at);
    }
    return false;
}

/// Does the agent arrive at the mbarrier in this step, or start an operation that completes on it?
inline bool arrives_at(const Step& step, int agent, int id)
{
    if (step.kind == Step::Kind::instruction) {
        const auto* i = std::get_if<Instruction>(&step.source->what);
        if (const auto* o = std::get_if<Operation>(&step.source->what)) return o->options.completes_on == id;
        if (i == nullptr || i->completes_on != id) return false;
        const int offset = agent - i->first_agent, stride = std::max(1, i->agent_stride);
        return offset >= 0 && offset % stride == 0 && offset / stride < i->agents;
    }
    if (const auto* request = step.kind == Step::Kind::launch ? std::get_if<CancelLaunch>(&step.source->what) : nullptr)
        return request->mbarrier == id;
    const Mbarrier* m = step.kind == Step::Kind::mbarrier ? &std::get<Mbarrier>(step.source->what) : nullptr;
    using Action = Mbarrier::Action;
    return m != nullptr && m->id == id &&
           (m->action == Action::arrive || m->action == Action::expect_bytes || m->action == Action::arrive_after_copies ||
            m->action == Action::commit);
}

/// Does the step bring what an agent that stands at `waiting` waits for, an arrival at its mbarrier or its named barrier?
inline bool arrives_for(const Step& step, int agent, const Step& waiting)
{
    const auto named = [](const Step& s) { return std::get_if<NamedBarrier>(&s.source->what); };
    if (const auto* m = std::get_if<Mbarrier>(&waiting.source->what)) return arrives_at(step, agent, m->id);
    return waiting.kind == Step::Kind::named && step.kind == Step::Kind::named && named(step)->id == named(waiting)->id;
}

/// The statement with which the agent can still bring what the step waits for; −1 if none.
inline int arrival_to_come(const Code& code, int agent, const Standing& at, const Step& waiting)
{
    int statement = -1;
    if (!at.done)
        any_to_come(code, agent, at.pc, [&](const Step& s) {
            if (!arrives_for(s, agent, waiting) || (statement >= 0 && statement <= s.statement)) return false;
            statement = s.statement;
            return false;
        });
    return statement;
}

/// The name of the innermost slice with one around the step, in which the agent is; of an agent that has ended, of the last that it was in.
inline std::string role_of(const Code& code, int agent, const Standing& at)
{
    const std::string* name = nullptr;
    for (int pc = 0; pc < static_cast<int>(code.steps.size()) && (at.done || pc < at.pc); ++pc) {
        const Step& s = code.steps[static_cast<std::size_t>(pc)];
        if (s.kind != Step::Kind::enter || !s.members.test(static_cast<std::size_t>(agent)) || (!at.done && s.target <= at.pc))
            continue;
        const auto* slice = std::get_if<Slice>(&s.source->what);
        if (slice != nullptr && !slice->name.empty()) name = &slice->name;
    }
    return name == nullptr ? std::string() : *name;
}

/// "agent 1"; "agents 1, 3"
inline std::string agents_text(const std::vector<std::string>& numbers)
{
    return (numbers.size() == 1 ? "agent " : "agents ") + detail::capped(numbers, ", ");
}

inline constexpr const char* excess_bytes =
    "agent {0} waits in statement {1} for phase {2} of mbarrier {3}, which lacks {4} of {5} arrivals and has {6} bytes too many";

/// What each agent waits for, and who would have to bring it:
///
///   "agent 0 waits in statement 7 for phase 0 of mbarrier 0, which lacks 1 of 1 arrivals: agent 1 arrives in statement 5, after its
///    wait; agent 1 waits in statement 3 …"
///
/// @param phase_of gives the PhaseCount of an mbarrier by its number
/// @param other_wait gives the words of a wait for anything else: of which agent, its number, its step
template <class PhaseOf>
std::string waits_text(const Code& code, const std::vector<Standing>& agents, PhaseOf phase_of,
                       const std::function<std::string(const std::string&, int, const Step&)>& other_wait = {})
{
    std::vector<std::string> each;
    for (std::size_t i = 0; i < agents.size(); ++i) {
        const Standing& a = agents[i];
        const std::string role = role_of(code, static_cast<int>(i), a),
                          who = std::to_string(i) + (role.empty() ? "" : " (" + role + ")");
        if (a.done) {
            each.push_back(detail::worded("agent {0} has ended", {who}));
            continue;
        }
        const Step& step = code.steps[static_cast<std::size_t>(a.pc)];
        std::vector<std::string> others;
        if (a.meets) {
            for (std::size_t k = 0; k < agents.size(); ++k)
                if (step.members.test(k) && (agents[k].done || agents[k].pc != a.pc)) others.push_back(std::to_string(k));
            each.push_back(detail::worded(step.kind == Step::Kind::barrier
                                              ? "agent {0} waits at the barrier of statement {1} for {2}"
                                              : "agent {0} waits for {2} to come to statement {1}, which they do together",
                                          {who, step.statement, agents_text(others)}));
            continue;
        }
        const auto* named = std::get_if<NamedBarrier>(&step.source->what);
        if (named == nullptr && step.kind != Step::Kind::mbarrier) {
            each.push_back(other_wait(who, static_cast<int>(i), step));
            continue;
        }
        const int id = named != nullptr ? named->id : std::get<Mbarrier>(step.source->what).id;
        const PhaseCount p = named != nullptr ? PhaseCount{} : phase_of(id);
        std::string text = detail::worded(
            named != nullptr ? "agent {0} waits in statement {1} at named barrier {3}, to which {7} of {8} threads have come"
            : p.bytes == 0   ? "agent {0} waits in statement {1} for phase {2} of mbarrier {3}, which lacks {4} of {5} arrivals"
            : p.bytes > 0
                ? "agent {0} waits in statement {1} for phase {2} of mbarrier {3}, which lacks {4} of {5} arrivals and {6} bytes"
                : excess_bytes,
            {who, step.statement, p.phase, id, p.pending, p.expected, p.bytes < 0 ? -p.bytes : p.bytes, a.come,
             named != nullptr ? named->threads : 0});
        for (std::size_t k = 0; k < agents.size(); ++k)
            if (const int at = arrival_to_come(code, static_cast<int>(k), agents[k], step); at >= 0)
                others.push_back(k == i ? detail::worded("statement {0} of the agent itself, after this wait", {at})
                                        : detail::worded("statement {0} of agent {1}, after its own wait", {at, k}));
        each.push_back(text + ": " +
                       (others.empty() ? std::string("no statement that arrives is still to come")
                                       : detail::worded("the next arrivals are {0}", {detail::capped(others, ", ")})));
    }
    return detail::capped(each, "; ", 16);
}

/// `why`: what each agent, or each device, waits for.
inline std::string stuck_text(const std::string& why) { return detail::worded("no agent can continue: {0}", {why}); }

} // namespace sim
} // namespace v0
} // namespace axe

#endif
