// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_IMPL_MISSING_ARRIVAL_HPP
#define AXE_TARGET_IMPL_MISSING_ARRIVAL_HPP

#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/block_scopes.hpp>
#include <axe/sim/report/fault.hpp>
#include <axe/support/sort.hpp>

#include <algorithm>
#include <tuple>

// Where an arrival may be missing, of a deadlock at an mbarrier. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// From the outermost body in: a statement, and which of its bodies.
using StatementPath = std::vector<std::pair<std::size_t, int>>;

/// An arrival that a program may lack: by these agents, after a statement of theirs.
struct MissingArrival {
    int id = 0; ///< of the mbarrier
    StatementPath path{};
    std::size_t after = 0; ///< the statement in the body
    std::string who{};
};

/// The arrivals that may be missing, the likeliest first.
class MissingArrivals {
  public:
    MissingArrivals(const Program& program, const sim::Fault& fault) : program_(program), fault_(fault) {}

    std::vector<MissingArrival> find()
    {
        list(program_.body, {}, nullptr);
        std::vector<std::tuple<int, std::size_t, MissingArrival>> ranked;
        for (std::size_t wait = 0; wait < steps_.size(); ++wait)
            if (waits(steps_[wait])) rank(wait, ranked);
        sort_stably(ranked, [](const auto& a, const auto& b) {
            return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
        });
        std::vector<MissingArrival> out;
        for (auto& one : ranked) out.push_back(std::move(std::get<2>(one)));
        return out;
    }

  private:
    /// A statement that holds no other, in the order of writing.
    struct Step {
        const Statement* statement;
        StatementPath path;
        std::size_t at;
        const Slice* slice; ///< the innermost around it; null: all agents
    };

    void list(const Body& body, const StatementPath& path, const Slice* slice)
    {
        for (std::size_t i = 0; i < body.size(); ++i) {
            const auto* of_agents = std::get_if<Slice>(&body[i].what);
            const Slice* inside = of_agents != nullptr && of_agents->of == Slice::Of::agents ? of_agents : slice;
            bool holds = false;
            int which = 0;
            for_each_body(body[i], [&](const Body& inner) {
                holds = true;
                StatementPath further = path;
                further.emplace_back(i, which++);
                list(inner, further, inside);
            });
            if (!holds && !std::holds_alternative<Alloc>(body[i].what)) steps_.push_back({&body[i], path, i, slice});
        }
    }

    static const Mbarrier* mbarrier_of(const Step& s, Mbarrier::Action action)
    {
        const auto* m = std::get_if<Mbarrier>(&s.statement->what);
        return m != nullptr && m->action == action ? m : nullptr;
    }
    [[nodiscard]] bool waits(const Step& s) const
    {
        return mbarrier_of(s, Mbarrier::Action::wait) != nullptr &&
               std::find(fault_.waits.begin(), fault_.waits.end(), s.statement->id) != fault_.waits.end();
    }
    static bool same_agents(const Step& a, const Step& b)
    {
        if (a.slice == nullptr || b.slice == nullptr) return a.slice == b.slice;
        return a.slice->first == b.slice->first && a.slice->count == b.slice->count && a.slice->stride == b.slice->stride;
    }

    /// The views of memories that several agents access, in one statement.
    [[nodiscard]] std::vector<const View*> shared_views(const Step& s) const
    {
        std::vector<const View*> out;
        const auto note = [&](const View& v) {
            if (v.tensor < 0 || static_cast<std::size_t>(v.tensor) >= program_.tensors.size()) return;
            const Memory* memory = find_memory(program_.machine, tensor_of(program_, v).memory.c_str());
            if (memory != nullptr && !is_private(program_.machine, *memory) && !memory->roles.has(Role::global)) out.push_back(&v);
        };
        if (const auto* o = std::get_if<Operation>(&s.statement->what))
            for (const View& v : o->operands) note(v);
        if (const auto* i = std::get_if<Instruction>(&s.statement->what))
            for (const Access& a : i->operands) note(a.view);
        return out;
    }
    /// May the two have an element in common? Origins that variables move may be anything.
    static bool may_overlap(const View& a, const View& b)
    {
        if (a.tensor != b.tensor || a.origin.size() != b.origin.size()) return false;
        for (std::size_t d = 0; d < a.origin.size(); ++d) {
            if (!a.origin[d].is_constant() || !b.origin[d].is_constant()) continue;
            const auto [a_low, a_high] = range_along(a, d);
            const auto [b_low, b_high] = range_along(b, d);
            if (a_high < b_low || b_high < a_low) return false;
        }
        return true;
    }
    static std::pair<std::int64_t, std::int64_t> range_along(const View& v, std::size_t d)
    {
        std::int64_t low = v.origin[d].constant(), high = low;
        for (int k = 0; k < v.rank(); ++k)
            if (v.dims[k] == static_cast<int>(d)) {
                const std::int64_t far = (v.extents[k] - 1) * v.steps[k];
                (far < 0 ? low : high) += far;
            }
        return {low, high};
    }

    /// What may be missing for one wait: after each statement of other agents in the block. First come those that access what is used
    /// after the wait, then others that access shared memory; of each kind the last ones before the agents wait themselves.
    void rank(std::size_t wait, std::vector<std::tuple<int, std::size_t, MissingArrival>>& out) const
    {
        const Step& w = steps_[wait];
        std::vector<const View*> wanted;
        for (std::size_t i = wait + 1; i < steps_.size(); ++i) {
            if (!same_agents(steps_[i], w)) continue;
            if (mbarrier_of(steps_[i], Mbarrier::Action::wait) != nullptr) break;
            for (const View* v : shared_views(steps_[i])) wanted.push_back(v);
        }
        const int id = std::get<Mbarrier>(w.statement->what).id;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const Step& s = steps_[i];
            if (s.path.empty() || s.path.front() != w.path.front() || same_agents(s, w)) continue; // of another grid, or itself
            if (std::holds_alternative<Break>(s.statement->what) || std::holds_alternative<Continue>(s.statement->what)) continue;
            const auto views = shared_views(s);
            const bool meets = std::any_of(views.begin(), views.end(), [&](const View* v) {
                return std::any_of(wanted.begin(), wanted.end(), [&](const View* x) { return may_overlap(*v, *x); });
            });
            out.emplace_back(meets                ? 0
                             : !views.empty()     ? 1
                             : s.slice != nullptr ? 2
                                                  : 3,
                             distance(i), MissingArrival{id, s.path, s.at, who(s)});
        }
    }
    /// How far before the statement at which these agents wait; of those after it, more than of any before.
    [[nodiscard]] std::size_t distance(std::size_t step) const
    {
        std::size_t end = steps_.size();
        for (std::size_t i = 0; i < steps_.size(); ++i)
            if (same_agents(steps_[i], steps_[step]) && waits(steps_[i])) end = i;
        return step < end ? end - step : steps_.size() + step;
    }
    static std::string who(const Step& s)
    {
        if (s.slice == nullptr) return "all agents";
        std::vector<std::string> numbers;
        for (int k = 0; k < s.slice->count; ++k) numbers.push_back(std::to_string(s.slice->first + k * s.slice->stride));
        return (numbers.size() == 1 ? "agent " : "agents ") + capped(numbers, ", ") +
               (s.slice->name.empty() ? "" : " (" + s.slice->name + ")");
    }

    const Program& program_;
    const sim::Fault& fault_;
    std::vector<Step> steps_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
