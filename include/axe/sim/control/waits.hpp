// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_CONTROL_WAITS_HPP
#define AXE_SIM_CONTROL_WAITS_HPP

#include <axe/sim/control/code.hpp>
#include <axe/sim/control/phase.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

/// "agent 1"; "agents 1, 3"; "agents 0 to 3, 8"
inline std::string agents_text(const std::vector<std::size_t>& numbers)
{
    std::vector<std::string> runs;
    for (std::size_t i = 0, end = 0; i < numbers.size(); i = end) {
        for (end = i + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
        if (end - i < 3) end = i + 1;
        runs.push_back(std::to_string(numbers[i]) + (end - i == 1 ? "" : " to " + std::to_string(numbers[end - 1])));
    }
    return (numbers.size() == 1 ? "agent " : "agents ") + detail::capped(runs, ", ");
}

inline constexpr const char* missing_bytes =
    "agent {0} waits in statement {1} for phase {2} of mbarrier {3}, which lacks {4} of {5} arrivals and {6} bytes";
inline constexpr const char* excess_bytes =
    "agent {0} waits in statement {1} for phase {2} of mbarrier {3}, which lacks {4} of {5} arrivals and has {6} bytes too many";

/// What each agent waits for, and who would have to bring it; agents of one role that wait for the same are told together:
///
///   "agent 0, like agents 1 to 3, waits in statement 7 for phase 0 of mbarrier 0, which lacks 1 of 1 arrivals: the next arrivals are
///    statement 5 of agent 4, after its own wait; agent 4 waits in statement 3 …"
class WaitsText {
  public:
    using PhaseOf = std::function<PhaseCount(int id)>;
    using OtherWait = std::function<std::string(const std::string& who, int agent, const Step& step)>;

    /// @param phase_of gives the PhaseCount of an mbarrier by its number
    /// @param other_wait gives the words of a wait for anything else: of which agent, its number, its step
    WaitsText(const Code& code, const std::vector<Standing>& agents, PhaseOf phase_of, OtherWait other_wait)
        : code_(&code), agents_(&agents), phase_of_(std::move(phase_of)), other_wait_(std::move(other_wait))
    {
    }

    [[nodiscard]] std::string operator()() const
    {
        // Of each wait, the agents that stand in it: as they would tell it if none of them had a number.
        std::vector<std::pair<std::string, std::vector<std::size_t>>> waits;
        for (std::size_t i = 0; i < agents_->size(); ++i) {
            const std::string wait = text(i, role_text(i), false);
            const auto known = std::find_if(waits.begin(), waits.end(), [&](const auto& w) { return w.first == wait; });
            if (known != waits.end())
                known->second.push_back(i);
            else
                waits.push_back({wait, {i}});
        }
        std::vector<std::string> each;
        for (const auto& [wait, who] : waits) {
            std::string name = std::to_string(who[0]) + role_text(who[0]);
            if (who.size() > 1) name = detail::worded("{0}, like {1},", {name, agents_text({who.begin() + 1, who.end()})});
            each.push_back(text(who[0], name, who.size() == 1));
        }
        return detail::capped(each, "; ", 16);
    }

  private:
    [[nodiscard]] const Standing& standing(std::size_t i) const { return (*agents_)[i]; }
    [[nodiscard]] std::string role_text(std::size_t i) const
    {
        const std::string role = role_of(*code_, static_cast<int>(i), standing(i));
        return role.empty() ? "" : " (" + role + ")";
    }

    /// @param says_itself an arrival of the agent is said to be its own
    [[nodiscard]] std::string text(std::size_t i, const std::string& who, bool says_itself) const
    {
        const Standing& a = standing(i);
        if (a.done) return detail::worded("agent {0} has ended", {who});
        const Step& step = code_->steps[static_cast<std::size_t>(a.pc)];
        if (a.meets) {
            std::vector<std::size_t> others;
            for (std::size_t k = 0; k < agents_->size(); ++k)
                if (step.members.test(k) && (standing(k).done || standing(k).pc != a.pc)) others.push_back(k);
            return detail::worded(step.kind == Step::Kind::barrier
                                      ? "agent {0} waits at the barrier of statement {1} for {2}"
                                      : "agent {0} waits for {2} to come to statement {1}, which they do together",
                                  {who, step.statement, agents_text(others)});
        }
        const auto* named = std::get_if<NamedBarrier>(&step.source->what);
        if (named == nullptr && step.kind != Step::Kind::mbarrier) return other_wait_(who, static_cast<int>(i), step);
        const int id = named != nullptr ? named->id : std::get<Mbarrier>(step.source->what).id;
        const PhaseCount p = named != nullptr ? PhaseCount{} : phase_of_(id);
        return detail::worded(
                   named != nullptr ? "agent {0} waits in statement {1} at named barrier {3}, to which {7} of {8} threads have come"
                   : p.bytes == 0
                       ? "agent {0} waits in statement {1} for phase {2} of mbarrier {3}, which lacks {4} of {5} arrivals"
                   : p.bytes > 0 ? missing_bytes
                                 : excess_bytes,
                   {who, step.statement, p.phase, id, p.pending, p.expected, p.bytes < 0 ? -p.bytes : p.bytes, a.come,
                    named != nullptr ? named->threads : 0}) +
               ": " + arrivals_text(i, step, says_itself);
    }

    [[nodiscard]] std::string arrivals_text(std::size_t i, const Step& step, bool says_itself) const
    {
        std::vector<std::string> arrivals;
        std::map<int, std::vector<std::size_t>> others; // by the statement with which they arrive
        for (std::size_t k = 0; k < agents_->size(); ++k)
            if (const int at = arrival_to_come(*code_, static_cast<int>(k), standing(k), step); at >= 0) {
                if (k == i && says_itself)
                    arrivals.push_back(detail::worded("statement {0} of the agent itself, after this wait", {at}));
                else
                    others[at].push_back(k);
            }
        for (const auto& [at, who] : others)
            arrivals.push_back(detail::worded(who.size() == 1 ? "statement {0} of {1}, after its own wait"
                                                              : "statement {0} of {1}, after their own waits",
                                              {at, agents_text(who)}));
        if (arrivals.empty()) return "no statement that arrives is still to come";
        return detail::worded("the next arrivals are {0}", {detail::capped(arrivals, ", ")});
    }

    const Code* code_;
    const std::vector<Standing>* agents_;
    PhaseOf phase_of_;
    OtherWait other_wait_;
};

inline std::string waits_text(const Code& code, const std::vector<Standing>& agents, WaitsText::PhaseOf phase_of,
                              WaitsText::OtherWait other_wait = {})
{
    return WaitsText(code, agents, std::move(phase_of), std::move(other_wait))();
}

/// `why`: what each agent, or each device, waits for.
inline std::string stuck_text(const std::string& why) { return detail::worded("no agent can continue: {0}", {why}); }

} // namespace sim
} // namespace v0
} // namespace axe

#endif
