// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_STAGES_ROLES_HPP
#define AXE_SCHEDULE_STAGES_ROLES_HPP

#include <axe/schedule/stages/channels.hpp>

/// A loop with stages whose groups are done by different agents, each in a loop of its own.
namespace axe {
inline namespace v0 {
namespace detail::stages {

class Roles {
  public:
    Roles(Program& p, const Plan& plan, const std::vector<Conflict>& conflicts, const SlotTensors& slots)
        : p_(p), plan_(plan), conflicts_(conflicts), slots_(slots), channels_(p, plan, slots, plan.round.loop->stages.executors)
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
        if (auto e = channels_.find(); !e.ok()) return e;
        std::vector<int> goes_to(body.size(), -1);
        if (auto e = assign(body, at, goes_to); !e.ok()) return e;
        Body out;
        const auto take = [&](std::size_t begin, std::size_t end, int role, Body& into) {
            for (std::size_t i = begin; i < end; ++i)
                if (goes_to[i] == role) into.push_back(std::move(body[i]));
        };
        take(0, at, -1, out);
        channels_.begin(out);
        out.push_back(added(Barrier{}));
        for (const int role : roles_) {
            const LoopStages::Executor& who = executor(role);
            Slice slice{Slice::Of::agents, who.first, who.count, who.stride, {}, who.name, 1};
            for (const int t : plan_.round.own_tensors)
                if (is_of_lanes(p_, t) && only_role(t) == role) allocate(t, slice.body);
            take(0, at, role, slice.body);
            append_loop_of(role, slice.body);
            take(at + 1, body.size(), role, slice.body);
            out.push_back(added(std::move(slice)));
        }
        out.push_back(added(Barrier{}));
        channels_.end(out);
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

    void append_loop_of(int role, Body& out)
    {
        std::vector<int> members;
        int least = plan_.last, last = 0;
        for (const int u : plan_.turn)
            if (unit(u).executor == role) {
                members.push_back(u);
                least = std::min(least, unit(u).stage), last = std::max(last, unit(u).stage);
            }
        Emitter emitter(p_, plan_, slots_);
        const Turn turn = Meetings(p_, plan_, conflicts_, std::move(members)).turn();
        channels_.fence_products(role, ProxyFence::Of::before_sync, out);
        if (channels_.commits(role) && executor(role).count > 1) out.push_back(added(Barrier{}));
        channels_.fence_products(role, ProxyFence::Of::after_sync, out);
        out.push_back(emitter.loop(turn, least, last, channels_.hooks(role)));
        emitter.wait_for_products(turn, out);
        channels_.end_products(role, out);
    }

    Program& p_;
    const Plan& plan_;
    const std::vector<Conflict>& conflicts_;
    const SlotTensors& slots_;
    std::vector<int> roles_{};
    Channels channels_;
};

} // namespace detail::stages
} // namespace v0
} // namespace axe

#endif
