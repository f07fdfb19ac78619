// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_STAGES_ROLES_HPP
#define AXE_SCHEDULE_STAGES_ROLES_HPP

#include <axe/schedule/stages/emit.hpp>

/// A loop with stages whose groups are done by different agents, each in a loop of its own.
namespace axe {
inline namespace v0 {
namespace detail::stages {

/// A tensor with slots that agents of one role fill for those of others. Slot s has two mbarriers: `full`, at which those who fill arrive
/// in each of its rounds, and `empty`, at which all who use it do.
///
///   round r of the loop has the tensor in slot r mod n, for the time ⌊r/n⌋:   who uses it waits for phase ⌊r/n⌋ of `full`,
///   who fills it waits for phase ⌊r/n⌋ − 1 of `empty`
struct Channel {
    int tensor = -1, slots = 1;
    int producer = -1;
    std::vector<int> consumers{};
    int first_mbarrier = 0; ///< full of slot s: first + s, empty: first + slots + s
};

class Roles {
  public:
    Roles(Program& p, const Plan& plan, const std::vector<Conflict>& conflicts, const SlotTensors& slots)
        : p_(p), plan_(plan), conflicts_(conflicts), slots_(slots)
    {
        for (const int u : plan.turn) {
            const int role = unit(u).executor;
            if (std::find(roles_.begin(), roles_.end(), role) == roles_.end()) roles_.push_back(role);
        }
    }

    /// Makes statements around and in the place of the loop, which is statement `at` of the body, those of the roles. The statements
    /// of the body that touch what only agents of one role have, registers, go to that role.
    Result<void, Problem> replace(Body& body, std::size_t at)
    {
        if (auto e = find_channels(); !e.ok()) return e;
        std::vector<int> goes_to(body.size(), -1);
        if (auto e = assign(body, at, goes_to); !e.ok()) return e;
        Body out;
        const auto take = [&](std::size_t begin, std::size_t end, int role, Body& into) {
            for (std::size_t i = begin; i < end; ++i)
                if (goes_to[i] == role) into.push_back(std::move(body[i]));
        };
        take(0, at, -1, out);
        if (!channels_.empty()) out.push_back(by_first(Mbarrier::Action::init));
        out.push_back(added(Barrier{}));
        for (const int role : roles_) {
            const LoopStages::Executor& who = executor(role);
            Slice slice{Slice::Of::agents, who.first, who.count, who.stride, {}, who.name, 1};
            for (const int t : plan_.round.own_tensors)
                if (is_of_lanes(p_, t) && only_role(t) == role) allocate(t, slice.body);
            take(0, at, role, slice.body);
            slice.body.push_back(loop_of(role));
            take(at + 1, body.size(), role, slice.body);
            out.push_back(added(std::move(slice)));
        }
        out.push_back(added(Barrier{}));
        if (!channels_.empty()) out.push_back(by_first(Mbarrier::Action::invalidate));
        take(at + 1, body.size(), -1, out);
        // What rounds have for themselves and roles share comes before all of it.
        Body shared;
        for (const int t : plan_.round.own_tensors)
            if (!is_of_lanes(p_, t)) allocate(t, shared);
        shared.insert(shared.end(), std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
        body = std::move(shared);
        return {};
    }

  private:
    [[nodiscard]] const Unit& unit(int u) const { return plan_.round.units[static_cast<std::size_t>(u)]; }
    [[nodiscard]] const LoopStages::Executor& executor(int role) const
    {
        return plan_.round.loop->stages.executors[static_cast<std::size_t>(role)];
    }
    Statement added(StatementKind what) { return new_statement(p_, plan_.round.id, std::move(what)); }
    void allocate(int tensor, Body& out)
    {
        out.push_back(added(Alloc{tensor}));
        if (const auto of = slots_.find(tensor); of != slots_.end())
            for (std::size_t k = 1; k < of->second.size(); ++k) out.push_back(added(Alloc{of->second[k]}));
    }
    [[nodiscard]] Problem refused(std::string why) const
    {
        return {errc::bad_argument, statement_text(p_, plan_.round.id) + ": " + std::move(why)};
    }
    [[nodiscard]] std::string tensor_name(int t) const
    {
        const auto id = static_cast<std::size_t>(t);
        return id < p_.tensors.size() ? p_.tensors[id].name : p_.scalars[id - p_.tensors.size()].name;
    }
    /// The one role whose statements touch the tensor in the loop; −1: none or several.
    [[nodiscard]] int only_role(int tensor) const
    {
        int role = -1;
        for (const Unit& u : plan_.round.units)
            for (const Touch& t : u.touches) {
                if (t.what != tensor || role == u.executor) continue;
                if (role >= 0) return -1;
                role = u.executor;
            }
        return role;
    }

    Result<void, Problem> find_channels()
    {
        int next = 0;
        for_each_statement(p_.body, [&](const Statement& s) {
            if (const auto* m = std::get_if<Mbarrier>(&s.what)) next = std::max(next, m->id + 1);
        });
        std::map<int, std::vector<const Unit*>> users;
        for (const Unit& u : plan_.round.units)
            for (const Touch& t : u.touches)
                if (users[t.what].empty() || users[t.what].back() != &u) users[t.what].push_back(&u);
        for (const auto& [tensor, units] : users) {
            std::set<int> writers, all;
            for (const Unit* u : units) {
                all.insert(u->executor);
                for (const Touch& t : u->touches)
                    if (t.what == tensor && t.writes) writers.insert(u->executor);
            }
            if (all.size() < 2 || writers.empty()) continue;
            const std::string one = executor(*all.begin()).name, other = executor(*std::next(all.begin())).name;
            if (is_of_lanes(p_, tensor))
                return refused(
                    worded("{0} is used by {1} and by {2}, and each agent has its own; put what they share into shared memory",
                           {tensor_name(tensor), one, other}));
            const auto slots = slots_of(tensor);
            if (writers.size() > 1 || !plan_.slots.contains(tensor))
                return refused(worded(
                    "{0} is used by {1} and by {2}; one of them must write all of it in each round, before the other one reads it",
                    {tensor_name(tensor), one, other}));
            Channel c{tensor, slots, *writers.begin(), {}, next};
            for (const int role : all)
                if (role != c.producer) c.consumers.push_back(role);
            next += 2 * slots;
            channels_.push_back(std::move(c));
        }
        return {};
    }
    [[nodiscard]] int slots_of(int tensor) const
    {
        const auto of = slots_.find(tensor);
        return of == slots_.end() ? 1 : static_cast<int>(of->second.size());
    }

    /// Which statements beside the loop are those of a role.
    Result<void, Problem> assign(const Body& body, std::size_t at, std::vector<int>& goes_to) const
    {
        std::vector<std::vector<Touch>> touches(body.size());
        for (std::size_t i = 0; i < body.size(); ++i) {
            if (i == at) continue;
            if (const auto* alloc = std::get_if<Alloc>(&body[i].what)) touches[i].push_back({alloc->tensor, false, true, nullptr});
            append_touches(p_, body[i], touches[i]);
            for (const Touch& t : touches[i]) {
                int first = t.what; // of a slot, the tensor that it is one of
                for (const auto& [tensor, ids] : slots_)
                    if (std::find(ids.begin(), ids.end(), t.what) != ids.end()) first = tensor;
                const int role = is_of_lanes(p_, first) ? only_role(first) : -1;
                if (role < 0) continue;
                if (goes_to[i] >= 0 && goes_to[i] != role)
                    return refused(worded("{0} uses registers of {1} and of {2}",
                                          {numbered_text(p_, body[i].id), executor(goes_to[i]).name, executor(role).name}));
                goes_to[i] = role;
            }
        }
        // Between its place and the loop no statement that stays, or goes to another role, may depend on one that moves.
        for (std::size_t i = 0; i < body.size(); ++i) {
            if (i == at || goes_to[i] < 0) continue;
            const std::size_t begin = i < at ? i + 1 : at + 1, end = i < at ? at : i;
            for (std::size_t k = begin; k < end; ++k)
                if (goes_to[k] != goes_to[i] && depend(touches[i], touches[k]))
                    return refused(
                        worded("{0} is of {1} alone, and {2} between it and the loop depends on it",
                               {numbered_text(p_, body[i].id), executor(goes_to[i]).name, numbered_text(p_, body[k].id)}));
        }
        return {};
    }
    static bool depend(const std::vector<Touch>& a, const std::vector<Touch>& b)
    {
        for (const Touch& x : a)
            for (const Touch& y : b)
                if (x.what == y.what && (x.writes || y.writes)) return true;
        return false;
    }

    /// Made or ended by the first agent of the block.
    Statement by_first(Mbarrier::Action action)
    {
        Slice one{Slice::Of::agents, 0, 1, 1, {}, {}, 1};
        const bool init = action == Mbarrier::Action::init;
        for (const Channel& c : channels_) {
            int consumers = 0;
            for (const int role : c.consumers) consumers += executor(role).count;
            for (int s = 0; s < 2 * c.slots; ++s)
                one.body.push_back(added(Mbarrier{action,
                                                  c.first_mbarrier + s,
                                                  !init         ? 0
                                                  : s < c.slots ? executor(c.producer).count
                                                                : consumers,
                                                  {}}));
        }
        return added(std::move(one));
    }

    Statement loop_of(int role)
    {
        std::vector<int> members;
        int least = plan_.last, last = 0;
        for (const int u : plan_.turn)
            if (unit(u).executor == role) {
                members.push_back(u);
                least = std::min(least, unit(u).stage), last = std::max(last, unit(u).stage);
            }
        Emitter emitter(p_, plan_, slots_);
        const Hooks hooks{[&](int u, int turn, const Affine& v, Body& out) {
                              for (const Channel& c : channels_)
                                  if (is_end(c.tensor, role, u, true)) meet(c, role, true, turn, v, out, false);
                          },
                          [&](int u, int turn, const Affine& v, Body& out) {
                              for (const Channel& c : channels_)
                                  if (is_end(c.tensor, role, u, false)) meet(c, role, false, turn, v, out, unit(u).asynchronous);
                          }};
        return emitter.loop(Meetings(p_, plan_, conflicts_, std::move(members)).turn(), least, last, hooks);
    }
    /// Is the unit the first, or the last one, of those of a round that touch the tensor for the role?
    [[nodiscard]] bool is_end(int tensor, int role, int u, bool first) const
    {
        const auto touches = [&](int v) {
            const auto& all = unit(v).touches;
            return unit(v).executor == role &&
                   std::any_of(all.begin(), all.end(), [&](const Touch& t) { return t.what == tensor; });
        };
        const auto when = [&](int v) { return std::pair(unit(v).stage, plan_.place[static_cast<std::size_t>(v)]); };
        if (!touches(u)) return false;
        for (const int v : plan_.turn)
            if (v != u && touches(v) && (first ? when(v) < when(u) : when(u) < when(v))) return false;
        return true;
    }
    void meet(const Channel& c, int role, bool begins, int turn, const Affine& v, Body& out, bool asynchronous)
    {
        using Action = Mbarrier::Action;
        const bool fills = role == c.producer;
        if (!fills && std::find(c.consumers.begin(), c.consumers.end(), role) == c.consumers.end()) return;
        const int slot = (turn % c.slots + c.slots) % c.slots, full = c.first_mbarrier + slot, empty = full + c.slots;
        Mbarrier m{};
        if (begins) {
            const For& loop = *plan_.round.loop;
            const Expression round = floor_div(Expression(v - loop.begin), Expression(static_cast<double>(loop.step * c.slots)));
            m = {Action::wait, fills ? empty : full, 0, floor_mod(fills ? round + 1 : round, 2)};
        } else {
            m = {fills && asynchronous ? Action::arrive_after_copies : Action::arrive, fills ? full : empty, 0, {}};
        }
        out.push_back(added(std::move(m)));
    }

    Program& p_;
    const Plan& plan_;
    const std::vector<Conflict>& conflicts_;
    const SlotTensors& slots_;
    std::vector<int> roles_{};
    std::vector<Channel> channels_{};
};

} // namespace detail::stages
} // namespace v0
} // namespace axe

#endif
