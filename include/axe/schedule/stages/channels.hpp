// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_STAGES_CHANNELS_HPP
#define AXE_SCHEDULE_STAGES_CHANNELS_HPP

#include <axe/schedule/stages/emit.hpp>

/// Tensors that are handed on by mbarriers: between roles, and from bulk copies to those who use what they bring.
namespace axe {
inline namespace v0 {
namespace detail::stages {

/// Tensors with slots that some agents fill for others: one, or several that bulk copies bring together. Slot s has two mbarriers: `full`,
/// at which those who fill arrive in each of its rounds, and `empty`, at which all who use it do. Bulk copies are started by the first agent
/// of their role, which arrives at `full` with the bytes that are to come.
///
///   round r of the loop has the tensors in slot r mod n, for the time ⌊r/n⌋:   who uses them waits for phase ⌊r/n⌋ of `full`,
///   who fills them waits for phase ⌊r/n⌋ − 1 of `empty`
///
/// A product that commits is started by the first agent of its role, which alone waits for it where nothing else of the role uses the
/// tensors, and arrives at `empty` by itself.
struct Channel {
    std::vector<int> tensors{};
    int slots = 1;
    int producer = -1;            ///< the role
    std::vector<int> consumers{}; ///< roles
    int first_mbarrier = 0;       ///< full of slot s: first + s, empty: first + slots + s
    std::vector<int> bulk{};      ///< the units that fill them by bulk copies, in the order of a turn; empty: others do
    std::int64_t bytes = 0;       ///< that these bring
    bool fence = false;           ///< do ordinary accesses come before the next bulk copies?
};

class Channels {
  public:
    /// @param roles who does the units, by their `executor`; one: all units are of it
    Channels(Program& p, const Plan& plan, const SlotTensors& slots, std::vector<LoopStages::Executor> roles)
        : p_(p), plan_(plan), slots_(slots), roles_(std::move(roles))
    {
    }

    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    [[nodiscard]] const LoopStages::Executor& executor(int role) const { return roles_[static_cast<std::size_t>(role)]; }
    [[nodiscard]] int role_of(const Unit& u) const noexcept { return roles_.size() == 1 ? 0 : u.executor; }

    /// `errc::bad_argument` with the tensor and two roles that cannot share it.
    Result<void, Problem> find()
    {
        int next = 0;
        for_each_statement(p_.body, [&](const Statement& s) {
            if (const auto* m = std::get_if<Mbarrier>(&s.what)) next = std::max(next, m->id + 1);
            if (const auto* o = std::get_if<Operation>(&s.what)) next = std::max(next, o->options.completes_on + 1);
        });
        std::map<int, std::vector<const Unit*>> users;
        for (const Unit& u : plan_.round.units)
            for (const Touch& t : u.touches)
                if (users[t.what].empty() || users[t.what].back() != &u) users[t.what].push_back(&u);
        for (const auto& [tensor, units] : users) {
            Channel c;
            c.tensors = {tensor};
            c.slots = slots_of(tensor);
            std::set<int> writers, all, consumers;
            for (const Unit* u : units) {
                all.insert(role_of(*u));
                if (u->bulk && destination(*u) == tensor) {
                    c.bulk = {static_cast<int>(u - plan_.round.units.data())};
                    c.producer = role_of(*u);
                    const ProgramTensor& t = p_.tensors[static_cast<std::size_t>(tensor)];
                    c.bytes = volume(t.shape).value_or(0) * packed_bits(t.dtype) / 8;
                } else {
                    consumers.insert(role_of(*u));
                    c.fence |= !u->is_product;
                }
                for (const Touch& t : u->touches)
                    if (t.what == tensor && t.writes) writers.insert(role_of(*u));
            }
            if (c.bulk.empty()) {
                if (all.size() < 2 || writers.empty()) continue;
                if (auto e = may_share(tensor, all, writers); !e.ok()) return e;
                c.producer = *writers.begin();
                consumers.erase(c.producer);
            }
            c.consumers.assign(consumers.begin(), consumers.end());
            const auto same = std::find_if(all_.begin(), all_.end(), [&](const Channel& other) { return come_together(other, c); });
            if (same == all_.end()) {
                c.first_mbarrier = next;
                next += 2 * c.slots;
                all_.push_back(std::move(c));
                continue;
            }
            same->tensors.push_back(tensor);
            same->bytes += c.bytes;
            same->fence |= c.fence;
            same->bulk.push_back(c.bulk[0]);
            std::sort(same->bulk.begin(), same->bulk.end(), [&](int u, int v) { return place(u) < place(v); });
        }
        for (const Unit& u : plan_.round.units)
            if (u.commits && ends_.try_emplace(role_of(u), next).second) ++next;
        return {};
    }

    /// What comes before the loop, and after all agents have met behind it: the mbarriers, by the first agent of the first role.
    void begin(Body& out)
    {
        if (all_.empty()) return;
        // What ordinary accesses did to the slots and to what is brought there comes before bulk copies.
        if (has_bulk()) out.push_back(added(ProxyFence{}));
        out.push_back(by_first(Mbarrier::Action::init));
    }
    void end(Body& out)
    {
        if (!all_.empty()) out.push_back(by_first(Mbarrier::Action::invalidate));
    }

    /// Does it start products that commit?
    [[nodiscard]] bool commits(int role) const { return ends_.contains(role); }
    /// Before its loop: what others have done in tensor memory comes before them, by the fences before and after a barrier.
    void fence_products(int role, ProxyFence::Of of, Body& out)
    {
        if (commits(role)) out.push_back(added(ProxyFence{of}));
    }
    /// After it: all its agents wait for the last products.
    void end_products(int role, Body& out)
    {
        const auto end = ends_.find(role);
        if (end == ends_.end()) return;
        out.push_back(by_agent(executor(role).first, Mbarrier{Mbarrier::Action::commit, end->second, 0, {}}));
        out.push_back(added(Mbarrier{Mbarrier::Action::wait, end->second, 0, 0.0}));
        out.push_back(added(ProxyFence{ProxyFence::Of::after_sync}));
    }

    /// The waits and signals of a role around its units.
    [[nodiscard]] Hooks hooks(int role)
    {
        Hooks out;
        out.before = [this, role](int u, int turn, const Affine& v, Body& into) {
            for (const Channel& c : all_)
                if (is_end(c, role, u, true)) meet(c, role, true, turn, v, into, false);
        };
        out.after = [this, role](int u, int turn, const Affine& v, Body& into) {
            for (const Channel& c : all_)
                if (is_end(c, role, u, false)) {
                    if (unit(u).flight == 0)
                        meet(c, role, false, turn, v, into, unit(u).asynchronous);
                    else
                        give_back_before(c, role, turn, v, into);
                }
            // The product itself arrives at the first of its mbarriers.
            const std::vector<int> ids = arrives_at(u, turn);
            for (std::size_t i = 1; i < ids.size(); ++i)
                into.push_back(by_agent(executor(role).first, Mbarrier{Mbarrier::Action::commit, ids[i], 0, {}}));
        };
        out.instead = [this](int u, int turn, const Affine& v, Statement copy, Body& into) {
            for (const Channel& c : all_)
                if (fills_by_bulk(c, u)) return fill(c, u, turn, v, std::move(copy), into);
            if (const std::vector<int> ids = arrives_at(u, turn); !ids.empty()) operation_of(copy).options.completes_on = ids[0];
            into.push_back(std::move(copy));
        };
        return out;
    }

  private:
    [[nodiscard]] const Unit& unit(int u) const { return plan_.round.units[static_cast<std::size_t>(u)]; }
    [[nodiscard]] bool has_bulk() const
    {
        return std::any_of(all_.begin(), all_.end(), [](const Channel& c) { return !c.bulk.empty(); });
    }
    Statement added(StatementKind what) { return new_statement(p_, plan_.round.id, std::move(what)); }
    Statement by_agent(int agent, StatementKind what)
    {
        Slice one{Slice::Of::agents, agent, 1, 1, {}, {}, 1};
        one.body.push_back(added(std::move(what)));
        return added(std::move(one));
    }
    /// The operator in the indices around it.
    static Operation& operation_of(Statement& s)
    {
        Statement* inner = &s;
        while (auto* let = std::get_if<Let>(&inner->what)) inner = &let->body.front();
        return std::get<Operation>(inner->what);
    }
    [[nodiscard]] int slots_of(int tensor) const
    {
        const auto of = slots_.find(tensor);
        return of == slots_.end() ? 1 : static_cast<int>(of->second.size());
    }

    [[nodiscard]] Result<void, Problem> may_share(int tensor, const std::set<int>& all, const std::set<int>& writers) const
    {
        const std::string &one = executor(*all.begin()).name, &other = executor(*std::next(all.begin())).name;
        const auto id = static_cast<std::size_t>(tensor);
        const std::string& name = id < p_.tensors.size() ? p_.tensors[id].name : p_.scalars[id - p_.tensors.size()].name;
        const auto refused = [&](std::string why) {
            return Problem(errc::bad_argument, statement_text(p_, plan_.round.id) + ": " + std::move(why));
        };
        if (is_of_lanes(p_, tensor))
            return refused(
                worded("{0} is used by {1} and by {2}, and each agent has its own; put what they share into shared memory",
                       {name, one, other}));
        if (writers.size() > 1 || !plan_.slots.contains(tensor))
            return refused(worded(
                "{0} is used by {1} and by {2}; one of them must write all of it in each round, before the other one reads it",
                {name, one, other}));
        if (!has_instruction(p_.machine, instruction_of(Mbarrier::Action::init)))
            return refused(worded("{0} is used by {1} and by {2}; {3} has no mbarriers, by which roles hand tensors on",
                                  {name, one, other, p_.machine.name}));
        return {};
    }

    Statement by_first(Mbarrier::Action action)
    {
        Slice one{Slice::Of::agents, roles_.size() == 1 ? roles_[0].first : 0, 1, 1, {}, {}, 1};
        const bool init = action == Mbarrier::Action::init;
        if (!init)
            for (const Channel& c : all_) append_waits_for_last(c, one.body);
        for (const auto& [role, id] : ends_) one.body.push_back(added(Mbarrier{action, id, init ? 1 : 0, {}}));
        for (const Channel& c : all_) {
            int consumers = 0;
            for (const int role : c.consumers) consumers += arrivals(c, role);
            const int fillers = !c.bulk.empty() ? 1 : executor(c.producer).count;
            for (int s = 0; s < 2 * c.slots; ++s)
                one.body.push_back(added(Mbarrier{action,
                                                  c.first_mbarrier + s,
                                                  !init         ? 0
                                                  : s < c.slots ? fillers
                                                                : consumers,
                                                  {}}));
        }
        return added(std::move(one));
    }

    [[nodiscard]] int place(int u) const { return plan_.place[static_cast<std::size_t>(u)]; }
    [[nodiscard]] static bool fills_by_bulk(const Channel& c, int u)
    {
        return std::find(c.bulk.begin(), c.bulk.end(), u) != c.bulk.end();
    }
    /// Do bulk copies of one stage, one role and equally many slots fill both, for units that begin and end with both?
    [[nodiscard]] bool come_together(const Channel& a, const Channel& b) const
    {
        if (a.bulk.empty() || b.bulk.empty() || a.slots != b.slots || a.producer != b.producer || a.consumers != b.consumers ||
            unit(a.bulk[0]).stage != unit(b.bulk[0]).stage)
            return false;
        for (const int role : a.consumers)
            for (const int u : plan_.turn) {
                if (unit(u).commits && touches(a, role, u) != touches(b, role, u)) return false;
                for (const bool first : {false, true})
                    if (is_end(a, role, u, first) != is_end(b, role, u, first)) return false;
            }
        return true;
    }

    /// Does the unit, of the role, touch the tensors? Not what bulk copies do that fill them.
    [[nodiscard]] bool touches(const Channel& c, int role, int u) const
    {
        const auto& all = unit(u).touches;
        return !fills_by_bulk(c, u) && role_of(unit(u)) == role && std::any_of(all.begin(), all.end(), [&](const Touch& t) {
            return std::find(c.tensors.begin(), c.tensors.end(), t.what) != c.tensors.end();
        });
    }
    /// Is the unit the first of those of a round that touch the tensors for the role, or the last one of those that do not commit?
    [[nodiscard]] bool is_end(const Channel& c, int role, int u, bool first) const
    {
        const auto counts = [&](int v) { return touches(c, role, v) && (first || !unit(v).commits); };
        const auto when = [&](int v) { return std::pair(unit(v).stage + (first ? 0 : unit(v).flight), place(v)); };
        if (!counts(u)) return false;
        for (const int v : plan_.turn)
            if (v != u && counts(v) && (first ? when(v) < when(u) : when(u) < when(v))) return false;
        return true;
    }
    /// Do products that commit alone touch the tensors for the role?
    [[nodiscard]] bool is_by_commits(const Channel& c, int role) const
    {
        return std::all_of(plan_.turn.begin(), plan_.turn.end(), [&](int u) { return !touches(c, role, u) || unit(u).commits; });
    }
    /// How many arrivals of a role give a slot back?
    [[nodiscard]] int arrivals(const Channel& c, int role) const
    {
        int out = is_by_commits(c, role) ? 0 : executor(role).count;
        for (const int u : plan_.turn) out += touches(c, role, u) && unit(u).commits ? 1 : 0;
        return out;
    }
    /// The mbarriers that tell that slots are empty at which a product that commits arrives.
    [[nodiscard]] std::vector<int> arrives_at(int u, int turn) const
    {
        std::vector<int> out;
        for (const Channel& c : all_)
            if (unit(u).commits && touches(c, role_of(unit(u)), u)) out.push_back(c.first_mbarrier + c.slots + slot_of(c, turn));
        return out;
    }
    /// Waits for what products that commit have yet to tell of slots when their role is done with the loop: as if there were rounds more
    /// to fill them for.
    void append_waits_for_last(const Channel& c, Body& out)
    {
        if (std::none_of(plan_.turn.begin(), plan_.turn.end(),
                         [&](int u) { return unit(u).commits && touches(c, role_of(unit(u)), u); }))
            return;
        const For& loop = *plan_.round.loop;
        Body waits;
        for (int s = 0; s < c.slots; ++s) {
            // ⌈(rounds − s)/slots⌉ rounds have had the slot
            const std::int64_t period = loop.step * c.slots;
            const Affine length = loop.end - loop.begin + Affine(period - s * loop.step - 1);
            const Expression had = plan_.round.count
                                       ? Expression(static_cast<double>((*plan_.round.count + c.slots - s - 1) / c.slots % 2))
                                       : floor_div(Expression(length), Expression(static_cast<double>(period)));
            waits.push_back(added(Mbarrier{Mbarrier::Action::wait, c.first_mbarrier + c.slots + s, 0, floor_mod(had + 1, 2)}));
        }
        if (plan_.round.count) {
            out.insert(out.end(), std::make_move_iterator(waits.begin()), std::make_move_iterator(waits.end()));
            return;
        }
        If any;
        any.condition = Expression(loop.begin) < Expression(loop.end);
        any.then = std::move(waits);
        out.push_back(added(std::move(any)));
    }
    [[nodiscard]] static int slot_of(const Channel& c, int turn) { return (turn % c.slots + c.slots) % c.slots; }
    /// A wait for a slot, in the round of which the loop's variable is v: until it is full, or until it is empty again.
    [[nodiscard]] Mbarrier wait_for(const Channel& c, int slot, bool full, const Affine& v) const
    {
        const For& loop = *plan_.round.loop;
        const Expression round = floor_div(Expression(v - loop.begin), Expression(static_cast<double>(loop.step * c.slots)));
        return {Mbarrier::Action::wait, c.first_mbarrier + slot + (full ? 0 : c.slots), 0, floor_mod(full ? round : round + 1, 2)};
    }
    void meet(const Channel& c, int role, bool begins, int turn, const Affine& v, Body& out, bool asynchronous)
    {
        using Action = Mbarrier::Action;
        const bool fills = c.bulk.empty() && role == c.producer;
        if (!fills && std::find(c.consumers.begin(), c.consumers.end(), role) == c.consumers.end()) return;
        const int slot = slot_of(c, turn);
        if (begins) {
            Mbarrier wait = wait_for(c, slot, !fills, v);
            out.push_back(!fills && is_by_commits(c, role) ? by_agent(executor(role).first, std::move(wait))
                                                           : added(std::move(wait)));
            return;
        }
        if (!c.bulk.empty() && c.fence) out.push_back(added(ProxyFence{}));
        out.push_back(added(Mbarrier{fills && asynchronous ? Action::arrive_after_copies : Action::arrive,
                                     c.first_mbarrier + slot + (fills ? 0 : c.slots),
                                     0,
                                     {}}));
    }
    /// After the wait for the product of the round before, its slot is given back.
    void give_back_before(const Channel& c, int role, int turn, const Affine& v, Body& out)
    {
        const For& loop = *plan_.round.loop;
        If later;
        later.condition = Expression(loop.begin) < Expression(v);
        meet(c, role, false, turn - 1, v - Affine(loop.step), later.then, false);
        if (!later.then.empty()) out.push_back(added(std::move(later)));
    }
    /// A bulk copy of a round, by the first agent of its role, which has waited and expects the bytes of all before the first of them.
    void fill(const Channel& c, int u, int turn, const Affine& v, Statement copy, Body& out)
    {
        const int slot = slot_of(c, turn), full = c.first_mbarrier + slot;
        if (u == c.bulk.front() || out.empty() || out.back().id != starts_)
            out.push_back(added(Slice{Slice::Of::agents, executor(c.producer).first, 1, 1, {}, {}, 1}));
        starts_ = out.back().id;
        Body& body = std::get<Slice>(out.back().what).body;
        if (u == c.bulk.front()) {
            body.push_back(added(wait_for(c, slot, false, v)));
            body.push_back(added(Mbarrier{Mbarrier::Action::expect_bytes, full, c.bytes, {}}));
        }
        Operation& operation = operation_of(copy);
        if (operation.op == Op::copy) operation.op = Op::copy_async;
        operation.options.completes_on = full;
        body.push_back(std::move(copy));
    }

    Program& p_;
    const Plan& plan_;
    const SlotTensors& slots_;
    std::vector<LoopStages::Executor> roles_;
    std::vector<Channel> all_{};
    std::map<int, int> ends_{}; ///< of roles whose products commit: the mbarrier that tells that the last one is complete
    int starts_ = -1;           ///< the statement that started the last bulk copy
};

} // namespace detail::stages
} // namespace v0
} // namespace axe

#endif
