// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_COUNTING_HPP
#define AXE_MAP_PRESBURGER_COUNTING_HPP

#include <axe/map/presburger/emptiness.hpp>
#include <axe/map/presburger/lattice_points.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Variables that share a form are in one component.
class Components {
  public:
    /// By the forms from row `begin` on.
    Components(const BasicSet& s, int begin)
        : of_(static_cast<std::size_t>(s.dim_count()), -1), first_(static_cast<std::size_t>(s.rows()), -1)
    {
        // Which variables a form uses, through its locals: operands come before their users.
        const std::size_t n = of_.size();
        std::vector<std::vector<bool>> uses(s.locals.size(), std::vector<bool>(n));
        const auto add_variables = [&](const WideInt* form, std::vector<bool>& out) {
            for (std::size_t j = 0; j < n; ++j)
                if (form[1 + j] != 0) out[j] = true;
            for (int i = 0; i < s.local_count(); ++i)
                for (std::size_t j = 0; form[s.of_local(i)] != 0 && j < n; ++j)
                    if (uses[static_cast<std::size_t>(i)][j]) out[j] = true;
        };
        for (int i = 0; i < s.local_count(); ++i) {
            if (!s.at(i).is_used) continue;
            add_variables(s.row(i), uses[static_cast<std::size_t>(i)]);
            if (!s.at(i).is_floor()) add_variables(s.row(s.second_row(i)), uses[static_cast<std::size_t>(i)]);
        }
        for (int r = begin; r < s.rows(); ++r) {
            std::vector<bool> own(n);
            add_variables(s.row(r), own);
            int& number = first_[static_cast<std::size_t>(r)];
            for (std::size_t j = 0; j < n; ++j) {
                if (!own[j]) continue;
                const int joined = of_[j];
                if (number < 0) number = static_cast<int>(j);
                of_[j] = of_[static_cast<std::size_t>(number)] < 0 ? number : of_[static_cast<std::size_t>(number)];
                if (joined >= 0) std::replace(of_.begin(), of_.end(), joined, int{of_[j]});
            }
        }
    }
    /// Is the variable in no form?
    [[nodiscard]] bool is_free(int j) const { return of_[static_cast<std::size_t>(j)] < 0; }
    /// Is it the first variable of a component?
    [[nodiscard]] bool begins_at(int j) const
    {
        return !is_free(j) && std::find(of_.begin(), of_.end(), of_[static_cast<std::size_t>(j)]) - of_.begin() == j;
    }
    /// The component of variable j by itself: other variables are 0, and constraints and goals without one of its variables are left out,
    /// or 0.
    /// @param has_goal  is a goal left?
    [[nodiscard]] BasicSet of(const BasicSet& s, int j, bool& has_goal) const
    {
        const int number = of_[static_cast<std::size_t>(j)];
        const auto is_in = [&](int row) { // all variables of a form are in one
            const int first = first_[static_cast<std::size_t>(row)];
            return first >= 0 && of_[static_cast<std::size_t>(first)] == number;
        };
        BasicSet own = s;
        for (int k = 0; k < s.dim_count(); ++k)
            if (of_[static_cast<std::size_t>(k)] != number) own.dim(k).last = 0;
        has_goal = false;
        for (int g = 0; g < own.goal_count(); ++g) {
            has_goal = has_goal || is_in(s.goal_row(g));
            if (!is_in(s.goal_row(g))) std::fill_n(own.row(own.goal_row(g)), own.columns(), WideInt{0});
        }
        for (int c = own.constraint_count() - 1; c >= 0; --c)
            if (!is_in(s.constraint_row(c))) own.drop_constraint(c);
        mark_used_locals(own);
        return own;
    }

  private:
    std::vector<int> of_;    ///< the number of each variable's component; −1 for a variable that is in no form
    std::vector<int> first_; ///< the first variable of each row's form; −1 for none
};

/// Brings a system into its simplest form, with other variables where its part is thin and oblique.
inline void reduce(BasicSet& s)
{
    do normalize(s);
    while (!s.is_empty && !s.is_unsound && substitute_unimodular(s));
}

/// Counts the points of a system's part, by cutting it as `IntegerSearch` does. What needs no cut: boxes, parts that fall into independent
/// ones, repetitions, polygons of two variables, residues of one progression.
class PointCounter {
  public:
    explicit PointCounter(std::int64_t splits = most_branches) : left_(splits) {}

    bool is_decided = true, is_unsound = false;

    WideInt run(const BasicSet& whole)
    {
        BasicSet s = whole;
        const bool is_small = simplify(s) && s.volume() <= most_points;
        if (is_unsound || s.is_empty) return 0;
        s.compact();
        // Cuts that decide whole pieces, a few at first; then those that leave two variables.
        const std::int64_t most = left_;
        left_ = most / 16;
        WideInt count = parts(s);
        if (left_ < 0 && !is_unsound) {
            left_ = most;
            leaves_two_ = true;
            count = parts(s);
        }
        is_decided = left_ >= 0;
        if (is_decided || !is_small || is_unsound) return count;
        WideInt points = 0;
        is_decided = true;
        for_each_point(s, [&](const WideInt* at) {
            points += s.holds(at) ? 1 : 0;
            return true;
        });
        return points;
    }

  private:
    std::int64_t left_;
    bool leaves_two_ = false;

    bool simplify(BasicSet& s)
    {
        reduce(s);
        is_unsound = is_unsound || s.is_unsound;
        return !s.is_empty && !s.is_unsound;
    }
    WideInt count(BasicSet s)
    {
        if (is_unsound || left_ < 0 || !simplify(s)) return 0;
        return parts(s);
    }
    /// Independent parts multiply.
    WideInt parts(const BasicSet& s)
    {
        const Components parts(s, s.constraint_row(0));
        WideInt out = 1;
        for (int k = 0; k < s.dim_count(); ++k) {
            if (parts.is_free(k)) out = saturated_product(out, s.dim(k).last + 1);
            if (!parts.begins_at(k)) continue;
            bool has_goal = false;
            out = saturated_product(out, connected(parts.of(s, k, has_goal)));
            if (out == 0) return 0;
        }
        return out;
    }
    WideInt connected(const BasicSet& s)
    {
        WideInt out = 0;
        if (is_polygon(s, out) || is_residue(s, out) || is_repeated(s, out)) return out;
        if (is_unsound) return 0;
        const Branch cut = choose(s);
        for (WideInt i = 0; i < cut.parts(); ++i) {
            if (--left_ < 0 || is_unsound) return 0;
            BasicSet part = s;
            take_branch(part, cut, i);
            out += count(std::move(part));
        }
        return out;
    }
    [[nodiscard]] Branch choose(const BasicSet& s) const
    {
        const Branch cut = choose_branch(s);
        if (!leaves_two_ || s.used_locals() > 0) return cut;
        int best = cut.index;
        for (int j = 0; j < s.dim_count(); ++j)
            if (s.dim(j).last > 0 && s.dim(j).last < s.dim(best).last) best = j;
        return halve(s, best);
    }
    /// Linear constraints on one or two variables.
    bool is_polygon(const BasicSet& s, WideInt& out)
    {
        std::vector<int> moving;
        for (int j = 0; j < s.dim_count(); ++j)
            if (s.dim(j).last > 0) moving.push_back(j);
        if (moving.size() != 2) return false; // one variable alone has no linear constraint left
        const int u = moving[0], v = moving[1];
        PolygonCount polygon(s.dim(u).last);
        polygon.lows.push_back({0, 0, 1});
        polygon.highs.push_back({s.dim(v).last, 0, 1});
        for (int c = 0; c < s.constraint_count(); ++c) {
            const WideInt* form = s.row(s.constraint_row(c));
            if (!s.is_linear(form)) return false;
            const WideInt a = form[s.of_dim(u)], b = form[s.of_dim(v)];
            if (b == 0) return false;
            // low ≤ a·u + b·v + form[0] ≤ high
            const WideInterval r{s.constraint(c).range.low - form[0], s.constraint(c).range.high - form[0]};
            polygon.lows.push_back(b > 0 ? MapLine{r.low, -a, b} : MapLine{-r.high, a, -b});
            polygon.highs.push_back(b > 0 ? MapLine{r.high, -a, b} : MapLine{-r.low, a, -b});
        }
        if (!polygon.run(out)) is_unsound = true;
        return true;
    }
    /// One constraint on  (a·u + c) mod q.
    bool is_residue(const BasicSet& s, WideInt& out)
    {
        if (s.constraint_count() != 1) return false;
        const WideInt* form = s.row(s.constraint_row(0));
        int variable = -1, local = -1;
        for (int k = 1; k < s.used_columns(); ++k) {
            if (form[k] == 0) continue;
            int& at = k < s.of_local(0) ? variable : local;
            if (at >= 0) return false;
            at = k < s.of_local(0) ? k - 1 : k - s.of_local(0);
        }
        if (variable < 0 || local < 0 || !s.at(local).is_floor()) return false;
        const WideInt* x = s.row(local);
        const WideInt a = x[s.of_dim(variable)], c = x[0], q = s.at(local).divisor;
        for (int k = 1; k < s.used_columns(); ++k)
            if (x[k] != 0 && k != s.of_dim(variable)) return false;
        // form = factor·(a·u − q·A) = factor·((a·u + c) mod q − c)
        const WideInt factor = -floor_of(form[s.of_local(local)], q);
        if (factor == 0 || -factor * q != form[s.of_local(local)] || factor * a != form[s.of_dim(variable)]) return false;
        WideInterval r{s.constraint(0).range.low - form[0], s.constraint(0).range.high - form[0]};
        if (factor < 0) r = {-r.high, -r.low};
        const WideInt size = magnitude(factor);
        r = intersection({ceil_of(r.low, size) + c, floor_of(r.high, size) + c}, {0, q - 1});
        if (r.is_empty()) return true;
        // [low ≤ x mod q ≤ high] = ⌊(x − low)/q⌋ − ⌊(x − high − 1)/q⌋
        const WideInt n = s.dim(variable).last + 1;
        modular_t<std::int64_t> total = 0;
        if (!add_floor_sum(n, q, a, c - r.low, 1, total) || !add_floor_sum(n, q, a, c - r.high - 1, -1, total)) is_unsound = true;
        out = static_cast<WideInt>(total);
        return true;
    }
    /// A variable with which all constraints repeat: one period counts for all.
    bool is_repeated(const BasicSet& s, WideInt& out)
    {
        for (int j = 0; j < s.dim_count(); ++j) {
            const WideInt size = s.dim(j).last + 1;
            if (size < 4) continue;
            const Period p(s, j, floor_of(size, 2));
            if (p.period == 0) continue;
            bool repeats = true;
            for (int c = 0; c < s.constraint_count() && repeats; ++c) repeats = p.drift(s.row(s.constraint_row(c))) == 0;
            if (!repeats) continue;
            const WideInt times = floor_of(size, p.period), rest = size - times * p.period;
            BasicSet part = s;
            part.restrict_dim(j, 0, p.period - 1);
            out = saturated_product(times, count(std::move(part)));
            if (rest > 0) {
                part = s;
                part.restrict_dim(j, 0, rest - 1);
                out += count(std::move(part));
            }
            return true;
        }
        return false;
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
