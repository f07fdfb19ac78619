// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_PERIOD_HPP
#define AXE_MAP_PRESBURGER_PERIOD_HPP

#include <axe/map/presburger/basic_set.hpp>

/// Periods of a system along one variable: u_j + P changes every local by a constant, and so every form.
namespace axe {
inline namespace v0 {
namespace detail {

class Period {
  public:
    /// The period of all locals in use along variable j; at most `longest`, or 0 for none.
    Period(const BasicSet& s, int j, WideInt longest) : s_(s), j_(j), of_(static_cast<std::size_t>(s.local_count()))
    {
        for (int i = 0; i < s.local_count() && period != 0; ++i)
            if (s.at(i).is_used) {
                !s.at(i).is_floor() ? product(i) : floor(i);
                period = common_multiple(period, step(i).period);
                if (period > longest) period = 0;
            }
    }
    WideInt period = 1;

    /// What a step of the period adds to a form.
    [[nodiscard]] WideInt drift(const WideInt* form) const { return drift(form, period); }
    /// Does the form use the variable at all?
    [[nodiscard]] bool uses(const WideInt* form) const
    {
        if (form[s_.of_dim(j_)] != 0) return true;
        for (int i = 0; i < s_.local_count(); ++i)
            if (form[s_.of_local(i)] != 0 && step(i).uses) return true;
        return false;
    }

  private:
    /// The local changes by `drift` when u_j does by `period`.
    struct Step {
        WideInt period = 1, drift = 0;
        bool uses = false;
    };
    const BasicSet& s_;
    int j_;
    std::vector<Step> of_;

    Step& step(int i) { return of_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const Step& step(int i) const { return of_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] WideInt drift(const WideInt* form, WideInt p) const
    {
        WideInt out = saturated_product(form[s_.of_dim(j_)], p);
        for (int i = 0; i < s_.local_count(); ++i)
            if (const WideInt b = form[s_.of_local(i)]; b != 0)
                out += saturated_product(b, saturated_product(step(i).drift, p / step(i).period));
        return within_limits(out);
    }
    /// The least p after which the locals inside the form repeat.
    [[nodiscard]] WideInt inner(const WideInt* form) const
    {
        WideInt p = 1;
        for (int i = 0; i < s_.local_count(); ++i)
            if (form[s_.of_local(i)] != 0) p = common_multiple(p, step(i).period);
        return p;
    }
    void floor(int i)
    {
        const WideInt p = inner(s_.row(i)), d = drift(s_.row(i), p), q = s_.at(i).divisor;
        if (!is_sound(p) || !is_sound(d)) return fail();
        const WideInt factor = d == 0 ? 1 : q / common_divisor(q, d);
        step(i) = {saturated_product(p, factor), saturated_product(d, factor) / q, uses(s_.row(i))};
    }
    void product(int i)
    {
        const WideInt p = common_multiple(inner(s_.row(i)), inner(s_.row(s_.second_row(i))));
        // A factor that moves makes the product move by the other one.
        if (drift(s_.row(i), p) != 0 || drift(s_.row(s_.second_row(i)), p) != 0) return fail();
        step(i) = {p, 0, uses(s_.row(i)) || uses(s_.row(s_.second_row(i)))};
    }
    void fail() { period = 0; }
};

/// Do points with a greater u_j come first, all else the same?
inline bool is_late(const BasicSet& s, int j)
{
    for (int v = 0; v < s.coordinate_count(); ++v)
        if (const WideInt a = s.row(s.coordinate_row(v))[s.of_dim(j)]; a != 0) return a < 0;
    return false;
}

/// Cuts variables down to the periods that matter: where all constraints repeat, the first point, and one with the least goal 0 where
/// that is asked for, are within the first periods, or the last ones.
inline void keep_periods(BasicSet& s, bool has_goal)
{
    for (int j = 0; j < s.dim_count(); ++j) {
        const WideInt last = s.dim(j).last;
        if (last < 2) continue;
        const Period p(s, j, last);
        if (p.period == 0) continue;
        // Steps of the period that a forbidden range can take away, one after the other.
        WideInt steps = 0;
        bool is_bound = false;
        int users = 0;
        for (int c = 0; c < s.constraint_count(); ++c) {
            const WideInt* form = s.row(s.constraint_row(c));
            users += p.uses(form) ? 1 : 0;
            const WideInt d = magnitude(p.drift(form));
            if (d == 0) continue;
            const WideInterval& r = s.constraint(c).range;
            if (!s.constraint(c).is_outside) is_bound = true;
            steps += ceil_of(r.high - r.low + 1, d);
        }
        if (is_bound) continue;
        // Alone on the variable, the one that drifts is left from wherever the period began.
        const bool is_alone = !has_goal && users == 1 && steps > 0;
        const WideInt kept = is_alone ? saturated_product(p.period, steps) + 1 : saturated_product(p.period, steps + 1);
        if (kept > last) continue;
        // Better great, for the least goal 0 or for the first point?
        const bool is_falling = has_goal ? p.drift(s.row(s.goal_row(0))) < 0 : is_late(s, j);
        is_falling ? s.restrict_dim(j, last - kept + 1, last) : s.restrict_dim(j, 0, kept - 1);
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
