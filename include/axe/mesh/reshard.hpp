// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MESH_RESHARD_HPP
#define AXE_MESH_RESHARD_HPP

#include <axe/mesh/collective_kind.hpp>
#include <axe/mesh/mesh_sharding.hpp>

#include <algorithm>
#include <utility>
#include <vector>

/// The collectives that take a tensor from one sharding to another.
namespace axe {
inline namespace v0 {

/// One collective of a reshard: along `axes`, dimensions of the mesh, in groups of the members that differ in these alone. It leaves the
/// sharding `after`. `local` is a slice, or drops what an undistributed tensor has elsewhere: it moves nothing.
struct ReshardStep {
    CollectiveKind kind = CollectiveKind::local;
    Sharding::List axes{}; ///< ascending
    Sharding after{};
    friend bool operator==(const ReshardStep&, const ReshardStep&) = default;
};

namespace detail {

/// Finds the steps, each the first of a list of kinds that applies: what makes parts smaller comes first, what makes copies last.
class ReshardPlanner {
  public:
    ReshardPlanner(const Sharding& from, const Sharding& to) : to_(&to), now_(from), lists_(lists_of(from)), wanted_(lists_of(to))
    {
        for (auto* sides : {&lists_, &wanted_}) sides->resize(std::max(lists_.size(), wanted_.size()));
        for (int a = 0; a < from.mesh.rank(); ++a) {
            states_.push_back(state_of(from, a).state);
            goals_.push_back(state_of(to, a).state);
        }
    }

    std::vector<ReshardStep> steps() &&
    {
        while (step()) {}
        // Dimensions that are named and not split, and axes of size 1, are written in several ways.
        if (!steps_.empty()) steps_.back().after = *to_;
        return std::move(steps_);
    }

  private:
    using State = ShardState;
    using Lists = std::vector<std::vector<int>>;

    static Lists lists_of(const Sharding& s)
    {
        Lists out(static_cast<std::size_t>(s.rank()));
        for (int d = 0; d < s.rank(); ++d) // axes of size 1 move nothing: they are where they are wanted
            for (int i = s.begin(d); i < s.end(d); ++i)
                if (s.mesh.shape[s.axes[i]] > 1) out[static_cast<std::size_t>(d)].push_back(s.axes[i]);
        return out;
    }
    [[nodiscard]] State state(int a) const { return states_[static_cast<std::size_t>(a)]; }
    [[nodiscard]] State goal(int a) const { return goals_[static_cast<std::size_t>(a)]; }
    [[nodiscard]] bool is_one(int a) const { return now_.mesh.shape[a] == 1; }
    /// How many digits of the dimension are what they shall be, from the slowest on.
    [[nodiscard]] std::size_t common(std::size_t d) const
    {
        std::size_t n = 0;
        while (n < lists_[d].size() && n < wanted_[d].size() && lists_[d][n] == wanted_[d][n]) ++n;
        return n;
    }
    /// The axis that has to split the dimension next, where all that do already shall; −1 if none.
    [[nodiscard]] int next(std::size_t d) const
    {
        const std::size_t n = common(d);
        return n == lists_[d].size() && n < wanted_[d].size() ? wanted_[d][n] : -1;
    }
    /// The fastest axis that splits the dimension and must not, or not there; −1 if none.
    [[nodiscard]] int excess(std::size_t d) const { return common(d) < lists_[d].size() ? lists_[d].back() : -1; }

    void set(int a, State s) { states_[static_cast<std::size_t>(a)] = s; }

    /// Ends a step that moved these axes; false if there are none.
    bool made(CollectiveKind kind, std::vector<int> moved)
    {
        if (moved.empty()) return false;
        std::sort(moved.begin(), moved.end());
        ReshardStep step;
        step.kind = kind;
        for (const int a : moved) step.axes.push_back(a);
        now_.axes.clear();
        now_.ends.clear();
        now_.partial.clear();
        now_.undistributed.clear();
        for (const auto& list : lists_) {
            for (const int a : list) now_.axes.push_back(a);
            now_.ends.push_back(now_.axes.size());
        }
        for (int a = 0; a < now_.mesh.rank(); ++a) {
            if (state(a) == State::partial) now_.partial.push_back(a);
            if (state(a) == State::undistributed) now_.undistributed.push_back(a);
        }
        step.after = now_;
        steps_.push_back(step);
        return true;
    }

    /// Axes of one state become those of another, none of them of a dimension.
    bool change(CollectiveKind kind, State from, State to)
    {
        std::vector<int> moved;
        for (int a = 0; a < now_.mesh.rank(); ++a)
            if (!is_one(a) && state(a) == from && goal(a) == to) moved.push_back(a);
        for (const int a : moved) set(a, to);
        return made(kind, std::move(moved));
    }
    /// Axes of a state split a dimension, those whose turn it is.
    bool split(CollectiveKind kind, State from)
    {
        std::vector<int> moved;
        for (std::size_t d = 0; d < lists_.size(); ++d)
            for (int a = next(d); a >= 0 && state(a) == from; a = next(d)) {
                lists_[d].push_back(a);
                set(a, State::split);
                moved.push_back(a);
            }
        return made(kind, std::move(moved));
    }
    /// The fastest axes of one dimension split another one, whose turn they are, in whatever order: as many as can.
    bool exchange()
    {
        for (std::size_t d = 0; d < lists_.size(); ++d)
            for (std::size_t e = 0; e < lists_.size(); ++e) {
                if (d == e || next(e) < 0) continue;
                std::vector<int>& from = lists_[d];
                const auto goal = wanted_[e].begin() + static_cast<std::ptrdiff_t>(common(e));
                for (auto n = std::min(std::ssize(from) - static_cast<std::ptrdiff_t>(common(d)), wanted_[e].end() - goal); n > 0;
                     --n) {
                    if (!std::is_permutation(from.end() - n, from.end(), goal)) continue;
                    std::vector<int> moved(goal, goal + n);
                    from.resize(from.size() - static_cast<std::size_t>(n));
                    lists_[e].insert(lists_[e].end(), moved.begin(), moved.end());
                    return made(CollectiveKind::all_to_all, std::move(moved));
                }
            }
        return false;
    }
    /// Axes change places without a change of any part's size: members swap what they hold.
    bool permute()
    {
        const std::size_t dims = lists_.size();
        std::vector<std::size_t> keep(dims), taken(dims, 0); // how many digits of it: kept, and new ones that are as many parts
        std::vector<bool> in(dims, false);
        for (std::size_t d = 0; d < dims; ++d) {
            keep[d] = common(d);
            std::int64_t parts = 1, reached = 1;
            for (std::size_t i = keep[d]; i < lists_[d].size(); ++i) parts *= now_.mesh.shape[lists_[d][i]];
            while (reached < parts && keep[d] + taken[d] < wanted_[d].size())
                reached *= now_.mesh.shape[wanted_[d][keep[d] + taken[d]++]];
            in[d] = parts > 1 && reached == parts;
        }
        const auto is_free = [&](int a) {
            if (state(a) == State::broadcast) return true;
            for (std::size_t d = 0; d < dims; ++d)
                if (in[d] &&
                    std::find(lists_[d].begin() + static_cast<std::ptrdiff_t>(keep[d]), lists_[d].end(), a) != lists_[d].end())
                    return true;
            return false;
        };
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t d = 0; d < dims; ++d)
                for (std::size_t i = 0; in[d] && i < taken[d]; ++i)
                    if (!is_free(wanted_[d][keep[d] + i])) in[d] = false, changed = true;
        }
        std::vector<int> moved;
        for (std::size_t d = 0; d < dims; ++d) {
            if (!in[d]) continue;
            for (; lists_[d].size() > keep[d]; lists_[d].pop_back()) {
                set(lists_[d].back(), State::broadcast);
                moved.push_back(lists_[d].back());
            }
        }
        for (std::size_t d = 0; d < dims; ++d)
            for (std::size_t i = 0; in[d] && i < taken[d]; ++i) {
                const int a = wanted_[d][keep[d] + i];
                lists_[d].push_back(a);
                set(a, State::split);
                if (std::find(moved.begin(), moved.end(), a) == moved.end()) moved.push_back(a);
            }
        return made(CollectiveKind::permute, std::move(moved));
    }
    /// Axes that stay with a dimension come before those that leave it, so that what leaves is fastest: members swap what they hold.
    bool reorder()
    {
        std::vector<int> moved;
        for (std::size_t d = 0; d < lists_.size(); ++d) {
            const auto first = lists_[d].begin() + static_cast<std::ptrdiff_t>(common(d));
            auto at = first;
            for (auto goal = wanted_[d].begin() + (first - lists_[d].begin()); goal != wanted_[d].end(); ++goal, ++at) {
                const auto found = std::find(at, lists_[d].end(), *goal);
                if (found == lists_[d].end()) break;
                std::rotate(at, found, found + 1);
            }
            if (at != first) moved.insert(moved.end(), first, lists_[d].end());
        }
        return made(CollectiveKind::permute, std::move(moved));
    }
    /// Axes split no dimension any more; those that another dimension waits for, one at a time.
    bool join(CollectiveKind kind, State wanted, State to, bool all)
    {
        std::vector<int> moved;
        for (std::size_t d = 0; d < lists_.size(); ++d)
            for (int a = excess(d); a >= 0 && goal(a) == wanted && (all || moved.empty()); a = excess(d)) {
                lists_[d].pop_back();
                set(a, to);
                moved.push_back(a);
            }
        return made(kind, std::move(moved));
    }

    bool step()
    {
        using Kind = CollectiveKind;
        return change(Kind::local, State::broadcast, State::undistributed) || split(Kind::local, State::broadcast) ||
               split(Kind::reduce_scatter, State::partial) || change(Kind::reduce, State::partial, State::undistributed) ||
               change(Kind::all_reduce, State::partial, State::broadcast) || split(Kind::scatter, State::undistributed) ||
               exchange() || permute() || reorder() || join(Kind::gather, State::undistributed, State::undistributed, true) ||
               join(Kind::all_gather, State::broadcast, State::broadcast, true) ||
               join(Kind::all_gather, State::split, State::broadcast, false) ||
               change(Kind::broadcast, State::undistributed, State::broadcast);
    }

    const Sharding* to_;
    Sharding now_;
    Lists lists_, wanted_;
    std::vector<State> states_{}, goals_{};
    std::vector<ReshardStep> steps_{};
};

} // namespace detail

/// The collectives that make `to` of `from`, in order; none where nothing is to be done.
///
///   value(after the steps) = value(from), every member holding what `to` says
///
/// By axes of the mesh: B→S is a slice, S→B all_gather, P→B all_reduce, P→S reduce_scatter, S(i)→S(j) all_to_all, another order of axes, or
/// other axes that make as many parts, permute; U→S scatter, S→U gather, P→U reduce, U→B broadcast, B→U local. Axes that can go together
/// are one step; where the digits of a dimension stand in each other's way there are several.       [TLE, reshard; the last row of its table]
///
/// `errc::bad_argument` with the mesh axis that is partial in `to` alone: a value is not a sum of terms that members have;
/// `errc::size_mismatch` for shardings of different meshes. Cost: the square of the axes.
inline Result<std::vector<ReshardStep>> reshard(const Sharding& from, const Sharding& to)
{
    if (!(from.mesh == to.mesh)) return Error(errc::size_mismatch, -1, "the two shardings are of different meshes");
    for (const int axis : to.partial)
        if (!has_axis(from.partial, axis))
            return Error(errc::bad_argument, axis,
                         "mesh axis {0} is partial in the target alone; B to P and S to P are not reshards: no member has terms",
                         axis);
    return detail::ReshardPlanner(from, to).steps();
}

} // namespace v0
} // namespace axe

#endif
