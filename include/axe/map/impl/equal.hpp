// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_EQUAL_HPP
#define AXE_MAP_IMPL_EQUAL_HPP

#include <axe/map/equal.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/presburger/domain_system.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Both maps over one list of locals: constraints of the first, then of the second, and a goal for the difference of each result.
class MapComparison {
  public:
    MapComparison(const IndexingMap& f, const IndexingMap& g) : f_(f), g_(g), forms_(f.variables.size())
    {
        for (const IndexingMap* map : {&f, &g}) {
            forms_.use(map->pool);
            for (const IndexConstraint& c : map->constraints) forms_.want(c.expression);
            for (const IndexExpr e : map->results) forms_.want(e);
            forms_.make();
            for (const IndexConstraint& c : map->constraints) constraints_.push_back(forms_.form(c.expression));
            for (const IndexExpr e : map->results) results_.push_back(forms_.form(e));
        }
        const std::size_t n = f.results.size();
        for (std::size_t i = 0; i < n; ++i) results_[i] = forms_.difference(results_[i], results_[n + i]);
    }

    MapDecision run()
    {
        if (forms_.is_unsound) return map_form_overflow();
        const bool is_same = has_same_domain();
        if (is_same && vanish()) return MapDecision(true);
        whole_ = system();
        std::vector<IndexInterval> both = box_of(f_);
        if (is_same) {
            set_box(whole_, both);
            if (normalize_goals(whole_) && !is_near(both)) compare_results(whole_);
        } else {
            const std::vector<IndexInterval> f_box = both, g_box = box_of(g_);
            for (std::size_t j = 0; j < both.size(); ++j)
                both[j] = {std::min(f_box[j].low, g_box[j].low), std::max(f_box[j].high, g_box[j].high)};
            if (is_near(both)) return MapDecision(false, std::move(out_));
            leave(f_box, g_box, true);
            leave(g_box, f_box, false);
            for (std::size_t j = 0; j < both.size(); ++j) both[j] = axe::intersection(f_box[j], g_box[j]);
            set_box(whole_, both);
            if (normalize_goals(whole_)) compare_results(whole_);
        }
        // One point decides it, whatever else was not decided.
        if (!out_.exists() && !undecided_.ok()) return undecided_;
        if (!out_.exists()) return MapDecision(true);
        out_.is_first = undecided_.ok();
        return MapDecision(false, std::move(out_));
    }

  private:
    const IndexingMap &f_, &g_;
    BasicSetBuilder forms_;
    SmallVector<BasicSetBuilder::Form, 16> constraints_{}, results_{}; ///< results of the first map: less those of the second
    BasicSet whole_{};
    MapDifference out_{};
    Error undecided_{}; ///< why the first search that was not decided was not

    [[nodiscard]] bool vanish() const
    {
        for (std::size_t i = 0; i < f_.results.size(); ++i)
            if (results_[i].size != 0) return false;
        return true;
    }
    [[nodiscard]] const IndexInterval& interval(std::size_t c) const
    {
        const std::size_t own = f_.constraints.size();
        return c < own ? f_.constraints[c].interval : g_.constraints[c - own].interval;
    }
    [[nodiscard]] BasicSet system() const
    {
        BasicSet out = forms_.system(static_cast<int>(f_.results.size()), true);
        for (int i = 0; i < out.goal_count(); ++i) forms_.copy(results_[static_cast<std::size_t>(i)], out.row(out.goal_row(i)));
        for (std::size_t c = 0; c < constraints_.size(); ++c)
            forms_.copy(constraints_[c], out.add_constraint(as_range(interval(c))));
        return out;
    }
    [[nodiscard]] int own_constraints() const { return static_cast<int>(f_.constraints.size()); }
    /// Written alike: the same intervals, and each constraint of one map among those of the other.
    [[nodiscard]] bool has_same_domain() const
    {
        if (!has_same_bounds(f_, g_)) return false;
        const std::size_t own = f_.constraints.size(), all = constraints_.size();
        const auto is_among = [&](std::size_t x, std::size_t begin, std::size_t end) {
            for (std::size_t y = begin; y < end; ++y)
                if (interval(x) == interval(y) && forms_.is_same(constraints_[x], constraints_[y])) return true;
            return false;
        };
        for (std::size_t x = 0; x < all; ++x)
            if (!(x < own ? is_among(x, own, all) : is_among(x, 0, own))) return false;
        return true;
    }
    /// Is a difference among the first points of the box that holds both? Most maps that differ do there, and no search is faster.
    bool is_near(const std::vector<IndexInterval>& box)
    {
        static constexpr int few = 16;
        std::vector<std::int64_t> at;
        for (const IndexInterval& b : box) {
            if (b.is_empty()) return false;
            at.push_back(b.low);
        }
        IndexEvaluator f(f_.pool, nullptr), g(g_.pool, nullptr);
        for (int i = 0; i < few; ++i) {
            bool in_f = true, in_g = true;
            if (!look(f_, f, at, in_f) || !look(g_, g, at, in_g)) return false;
            MapDifference here{MapDifference::Kind::none, -1, at, true};
            if (in_f != in_g) here.kind = in_f ? MapDifference::Kind::first_only : MapDifference::Kind::second_only;
            for (std::size_t k = 0; in_f && in_g && !here.exists() && k < f_.results.size(); ++k) {
                std::int64_t x = 0, y = 0;
                if (!f(f_.results[k], x) || !g(g_.results[k], y)) return false;
                if (x == y) continue;
                here.kind = MapDifference::Kind::result;
                here.result = static_cast<int>(k);
            }
            if (here.exists()) {
                out_ = std::move(here);
                return true;
            }
            std::size_t v = at.size();
            for (; v > 0 && at[v - 1] == box[v - 1].high; --v) at[v - 1] = box[v - 1].low;
            if (v == 0) return false;
            ++at[v - 1];
        }
        return false;
    }
    /// Begins at a point, and returns whether it is in the domain; false when a value overflows.
    static bool look(const IndexingMap& map, IndexEvaluator& evaluate, const std::vector<std::int64_t>& at, bool& is_inside)
    {
        evaluate.at(at.data());
        for (std::size_t v = 0; v < at.size() && is_inside; ++v) is_inside = map.variables[v].bounds.contains(at[v]);
        std::int64_t value = 0;
        for (std::size_t c = 0; c < map.constraints.size() && is_inside; ++c) {
            if (!evaluate(map.constraints[c].expression, value)) return false;
            is_inside = map.constraints[c].interval.contains(value);
        }
        return true;
    }
    /// The system without its goals and without the constraints that are not of the maps that are asked for, on a box.
    [[nodiscard]] BasicSet part(const std::vector<IndexInterval>& box, bool of_first, bool of_second) const
    {
        BasicSet s = whole_;
        for (int c = whole_.constraint_count() - 1; c >= 0; --c)
            if (!(c < own_constraints() ? of_first : of_second)) s.drop_constraint(c);
        std::fill(s.row(s.goal_row(0)), s.row(s.goal_row(s.goal_count())), WideInt{0});
        set_box(s, box);
        return s;
    }
    /// Keeps what a search found, when it comes before what is known.
    void take(BasicSet s, MapDifference::Kind difference, int result)
    {
        IntegerSearch search(SearchGoal::first);
        search.is_found = out_.exists();
        search.point = out_.point;
        search.run(std::move(s));
        if (undecided_.ok()) undecided_ = search.status().error();
        if (!search.is_found || (out_.exists() && !(search.point < out_.point))) return;
        out_ = {difference, result, std::move(search.point), false};
    }
    /// A point of one domain that is not in the other.
    void leave(const std::vector<IndexInterval>& own, const std::vector<IndexInterval>& other, bool of_first)
    {
        const auto difference = of_first ? MapDifference::Kind::first_only : MapDifference::Kind::second_only;
        const BasicSet base = part(own, of_first, !of_first);
        const auto ask = [&](const WideInt* form, const WideInterval& range) {
            BasicSet s = base;
            s.add_constraint(form, range.is_empty() ? WideInterval{wide_limit, wide_limit} : range, true);
            take(std::move(s), difference, -1);
        };
        for (std::size_t j = 0; j < own.size(); ++j) {
            if (other[j].contains(own[j])) continue;
            std::vector<WideInt> form(static_cast<std::size_t>(base.columns()));
            form[0] = own[j].low;
            form[1 + j] = 1;
            ask(form.data(), {other[j].low, other[j].high});
        }
        const BasicSet all = part(own, true, true);
        const int begin = of_first ? own_constraints() : 0, end = of_first ? all.constraint_count() : own_constraints();
        for (int c = begin; c < end; ++c) ask(all.row(all.constraint_row(c)), all.constraint(c).range);
    }
    [[nodiscard]] static bool vanishes(const BasicSet& s, int i)
    {
        const WideInt* goal = s.row(s.goal_row(i));
        return std::all_of(goal, goal + s.columns(), [](WideInt x) { return x == 0; });
    }
    /// Brings both maps into their simplest form. Is there a result left that may differ?
    bool normalize_goals(BasicSet& s)
    {
        normalize(s);
        if (s.is_unsound) undecided_ = map_form_overflow();
        if (s.is_unsound || s.is_empty) return false;
        for (int i = 0; i < s.goal_count(); ++i)
            if (!vanishes(s, i)) return true;
        return false;
    }
    /// A point of both domains where results differ.
    void compare_results(BasicSet& s)
    {
        s.compact();
        for (int i = 0; i < s.goal_count(); ++i) {
            if (vanishes(s, i)) continue;
            BasicSet one = s;
            std::fill(one.row(one.goal_row(0)), one.row(one.goal_row(one.goal_count())), WideInt{0});
            one.add_constraint(s.row(s.goal_row(i)), {0, 0}, true);
            take(std::move(one), MapDifference::Kind::result, i);
        }
    }
};

} // namespace detail

AXE_DECL MapDecision equal(const IndexingMap& f, const IndexingMap& g)
{
    for (const IndexingMap* map : {&f, &g})
        if (const Status e = detail::map_is_decidable(*map); !e.ok()) return e;
    if (f.dimensions != g.dimensions || f.ranges != g.ranges || f.runtimes() != g.runtimes())
        return Error(errc::rank_mismatch, -1,
                     "the maps have different numbers of dimensions, range variables or run-time variables");
    if (f.results.size() != g.results.size())
        return Error(errc::rank_mismatch, -1, "one map has {0} results, the other {1}", static_cast<std::int64_t>(f.results.size()),
                     static_cast<std::int64_t>(g.results.size()));
    if (detail::is_written_alike(f, g)) return MapDecision(true);
    return detail::MapComparison(f, g).run();
}

} // namespace v0
} // namespace axe

#endif
