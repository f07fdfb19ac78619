// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_EMPTINESS_HPP
#define AXE_MAP_PRESBURGER_EMPTINESS_HPP

#include <axe/map/presburger/branching.hpp>
#include <axe/map/presburger/builder.hpp>
#include <axe/map/presburger/normalize.hpp>
#include <axe/map/presburger/period.hpp>
#include <axe/map/presburger/unimodular.hpp>

#include <deque>

namespace axe {
inline namespace v0 {
namespace detail {

/// How often a search may cut a part in two or more before it falls back to going through the points.
inline constexpr std::int64_t most_branches = std::int64_t{1} << 16;
/// How many points are gone through, one by one.
inline constexpr std::int64_t most_points = std::int64_t{1} << 20;

inline Error map_too_hard()
{
    return Error(errc::too_hard, -1, "{0} splits of the domain do not show it, and it has more than {1} points", most_branches,
                 most_points);
}

/// Calls f with every point of the part, a number for each column, in lexicographic order, until f says to stop.
template <class F>
void for_each_point(const BasicSet& s, F&& f)
{
    std::vector<WideInt> at(static_cast<std::size_t>(s.used_columns()));
    while (true) {
        s.evaluate_locals(at.data());
        if (!f(at.data())) return;
        std::size_t j = s.dims.size();
        for (; j > 0 && at[j] == s.dims[j - 1].last; --j) at[j] = 0;
        if (j == 0) return;
        ++at[j];
    }
}

enum class SearchGoal : std::uint8_t {
    any,   ///< some point that holds all constraints
    first, ///< the first of them in lexicographic order
    goal,  ///< one where goal 0 is least
};

/// Looks for a point of a system's part that holds all its constraints, by cutting the part until each piece is decided.
///
/// On a piece the system is brought to its simplest form, so that most constraints are implied or impossible. What is left is cut where a
/// floor wraps most (see `choose_branch`). Where all constraints repeat with a period, the first periods represent all.
class IntegerSearch {
  public:
    explicit IntegerSearch(SearchGoal aim, std::int64_t splits = most_branches) : aim_(aim), left_(splits) {}

    bool is_found = false;  ///< set before it runs, with a `point` that is known: only one before it is of use
    bool is_decided = true; ///< otherwise what was found, if anything, need not be the first, or the least
    bool is_unsound = false;
    std::vector<std::int64_t> point{}; ///< the variables' values, for a system that has its coordinates
    WideInt goal = 0;

    void run(BasicSet s)
    {
        if (!simplify(s)) return;
        s.compact();
        is_small_ = s.volume() <= most_points;
        if (is_small_) small_ = s;
        pieces_.push_back(std::move(s));
        search(0);
        // What ran out of splits is gone through, where that is affordable.
        if (left_ >= 0 || is_unsound) return;
        is_decided = is_small_;
        if (is_small_) enumerate();
    }
    /// What kept it from an answer, if anything did.
    [[nodiscard]] Status status() const
    {
        if (is_unsound) return map_form_overflow();
        if (!is_decided && (aim_ != SearchGoal::any || !is_found)) return map_too_hard();
        return {};
    }

  private:
    SearchGoal aim_;
    std::int64_t left_;
    bool is_small_ = false;
    BasicSet small_{}; ///< the whole, when its points can be gone through
    std::deque<BasicSet> pieces_{};
    std::vector<WideInt> corner_{};

    /// False when there is nothing in the piece, or nothing is known of it.
    bool simplify(BasicSet& s)
    {
        for (bool again = true; again;) {
            normalize(s);
            is_unsound = is_unsound || s.is_unsound;
            if (s.is_empty || s.is_unsound) return false;
            const WideInt before = s.volume();
            keep_periods(s, aim_ == SearchGoal::goal);
            again = s.volume() != before || substitute_unimodular(s);
        }
        return true;
    }
    /// Has a point as good as the best of the piece been found?
    [[nodiscard]] bool is_beaten(const BasicSet& s) const
    {
        if (!is_found) return false;
        if (aim_ == SearchGoal::any) return true;
        if (aim_ == SearchGoal::goal) return s.range_of(s.row(s.goal_row(0))).low >= goal;
        for (int j = 0; j < s.coordinate_count(); ++j)
            if (const WideInt v = s.range_of(s.row(s.coordinate_row(j))).low; v != point[static_cast<std::size_t>(j)])
                return v > point[static_cast<std::size_t>(j)];
        return true;
    }
    void take(const BasicSet& s, const WideInt* at, WideInt value)
    {
        std::vector<std::int64_t> here;
        for (int j = 0; j < s.coordinate_count(); ++j)
            here.push_back(static_cast<std::int64_t>(s.value(s.row(s.coordinate_row(j)), at)));
        if (is_found && aim_ == SearchGoal::first && !(here < point)) return;
        is_found = true;
        goal = value;
        point = std::move(here);
    }
    /// Tries the piece's most promising corner. True when nothing better is in the piece.
    bool try_corner(const BasicSet& s)
    {
        corner_.assign(static_cast<std::size_t>(s.used_columns()), 0);
        const WideInt* form = aim_ == SearchGoal::goal ? s.row(s.goal_row(0)) : nullptr;
        for (std::size_t j = 0; j < s.dims.size(); ++j)
            if (form != nullptr ? form[1 + j] < 0 : is_late(s, static_cast<int>(j))) corner_[1 + j] = s.dims[j].last;
        s.evaluate_locals(corner_.data());
        if (!s.holds(corner_.data())) return false;
        const WideInt value = form == nullptr ? 0 : s.value(form, corner_.data());
        if (form == nullptr || !is_found || value < goal) take(s, corner_.data(), value);
        return form == nullptr || s.range_of(form).low >= value;
    }
    void search(std::size_t depth)
    {
        if (is_beaten(pieces_[depth]) || try_corner(pieces_[depth])) return;
        const Branch cut = choose_branch(pieces_[depth]);
        if (cut.kind == Branch::none) return; // its best corner was taken
        if (pieces_.size() == depth + 1) pieces_.emplace_back();
        const bool is_turned = prefers_upper(pieces_[depth], cut);
        for (WideInt i = 0; i < cut.parts(); ++i) {
            if (--left_ < 0 || is_unsound) return;
            BasicSet& part = pieces_[depth + 1];
            part = pieces_[depth];
            take_branch(part, cut, is_turned ? cut.parts() - 1 - i : i);
            // Only less than the best is of use.
            if (const int r = part.goal_row(0); aim_ == SearchGoal::goal && is_found && part.is_linear(part.row(r))) {
                WideInt* const form = part.add_constraint({-wide_limit, goal - 1});
                std::copy_n(part.row(r), part.columns(), form);
            }
            if (simplify(part)) search(depth + 1);
        }
    }
    [[nodiscard]] bool prefers_upper(const BasicSet& s, const Branch& cut) const
    {
        if (aim_ != SearchGoal::goal) return cut.kind == Branch::halves && is_late(s, cut.index);
        const WideInt* form = s.row(s.goal_row(0));
        if (cut.kind == Branch::halves) return form[s.of_dim(cut.index)] < 0;
        return cut.kind == Branch::values && form[s.of_local(cut.index)] < 0;
    }
    void enumerate()
    {
        const BasicSet& s = small_;
        is_found = false;
        for_each_point(s, [&](const WideInt* at) {
            if (!s.holds(at)) return true;
            const WideInt value = aim_ == SearchGoal::goal ? s.value(s.row(s.goal_row(0)), at) : 0;
            if (!is_found || value < goal || aim_ == SearchGoal::first) take(s, at, value);
            return aim_ != SearchGoal::any;
        });
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
