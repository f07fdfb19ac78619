// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_NORMALIZE_HPP
#define AXE_MAP_PRESBURGER_NORMALIZE_HPP

#include <axe/map/presburger/divisions.hpp>

/// A system brought to its simplest form over its part of the domain.
namespace axe {
inline namespace v0 {
namespace detail {

class Normalizer {
  public:
    explicit Normalizer(BasicSet& s) : s_(s) {}

    /// Afterwards every constraint is neither implied nor impossible by intervals alone, each is primitive and none is twice; no
    /// variable can be bounded further by one constraint alone (but for chains of more than a few such steps); or the system is
    /// empty, or unsound.
    void run()
    {
        if (s_.is_empty) return;
        LocalReducer locals(s_);
        for (int round = 0; round < 12 || has_new_point_; ++round) {
            has_new_point_ = false;
            forget_points();
            mark_used_locals(s_);
            locals.run();
            is_changed_ = false;
            for (int c = s_.constraint_count() - 1; c >= 0 && !s_.is_empty && !s_.is_unsound; --c) tidy(c);
            for (int c = s_.constraint_count() - 1; c > 0 && !s_.is_empty && !s_.is_unsound; --c) merge(c);
            for (int c = 0; c < s_.constraint_count() && !s_.is_empty && !s_.is_unsound; ++c) propagate(c);
            if (!is_changed_ || s_.is_empty || s_.is_unsound) break;
        }
        mark_used_locals(s_);
    }

  private:
    BasicSet& s_;
    bool is_changed_ = false;
    bool has_new_point_ = false; ///< a variable has one value only: forms are to be folded once more

    /// Where u_j = 0 is all there is, it is in no form any more.
    void forget_points()
    {
        for (int j = 0; j < s_.dim_count(); ++j)
            if (s_.dim(j).last == 0)
                for (int r = 0; r < s_.rows(); ++r) s_.row(r)[s_.of_dim(j)] = 0;
    }
    void tidy(int c)
    {
        WideInt* row = s_.row(s_.constraint_row(c));
        SetConstraint& it = s_.constraint(c);
        while (true) {
            // The constant to the bounds, the common divisor out, the first coefficient above 0.
            if (row[0] != 0) {
                it.range = {within_limits(it.range.low - row[0]), within_limits(it.range.high - row[0])};
                row[0] = 0;
            }
            WideInt common = 0;
            int first = 0, count = 0;
            for (int k = s_.used_columns() - 1; k > 0; --k)
                if (row[k] != 0) {
                    common = common_divisor(common, row[k]);
                    first = k;
                    ++count;
                }
            if (count == 0) {
                const bool is_held = (it.range.low <= 0 && 0 <= it.range.high) != it.is_outside;
                if (!is_held) s_.is_empty = true;
                return s_.drop_constraint(c);
            }
            if (common > 1) {
                for (int k = 1; k < s_.used_columns(); ++k)
                    if (row[k] != 0) row[k] = floor_of(row[k], common);
                it.range = {ceil_of(it.range.low, common), floor_of(it.range.high, common)};
            }
            if (row[first] < 0) {
                for (int k = 1; k < s_.used_columns(); ++k) row[k] = -row[k];
                it.range = {-it.range.high, -it.range.low};
            }
            const WideInterval values = s_.range_of(row);
            const WideInterval both = intersection(values, it.range);
            if (it.is_outside) {
                if (it.range.contains(values)) s_.is_empty = true;
                if (both.is_empty()) return s_.drop_constraint(c);
                // Where what is left out is at an end of what there is, the rest is an interval.
                if (both.low == values.low || both.high == values.high) {
                    it.range =
                        both.low == values.low ? WideInterval{both.high + 1, values.high} : WideInterval{values.low, both.low - 1};
                    it.is_outside = false;
                    is_changed_ = true;
                }
            } else {
                if (both.is_empty()) s_.is_empty = true;
                if (it.range.contains(values)) return s_.drop_constraint(c);
                it.range = both;
            }
            const int local = first - s_.of_local(0);
            if (s_.is_empty || count > 1 || local < 0 || !s_.at(local).is_floor()) return;
            // A lone floor:  ⌊x/q⌋ in [a, b]  is  x in [qa, qb + q − 1].
            const WideInt q = s_.at(local).divisor;
            it.range = {saturated_product(q, it.range.low), within_limits(saturated_product(q, it.range.high) + q - 1)};
            std::copy(s_.row(local), s_.row(local) + s_.columns(), row);
            is_changed_ = true;
        }
    }
    /// Two constraints on one form become one, where they do.
    void merge(int c)
    {
        for (int k = 0; k < c; ++k) {
            if (!std::equal(s_.row(s_.constraint_row(c)), s_.row(s_.constraint_row(c)) + s_.columns(),
                            s_.row(s_.constraint_row(k))))
                continue;
            SetConstraint& x = s_.constraint(k);
            SetConstraint y = s_.constraint(c);
            if (x.is_outside && y.is_outside) continue; // a domain has none, and one is asked about at a time
            if (x.is_outside) std::swap(x, y);
            if (!y.is_outside) {
                x.range = intersection(x.range, y.range);
                if (x.range.is_empty()) s_.is_empty = true;
                is_changed_ = true;
                return s_.drop_constraint(c);
            }
            const WideInterval both = intersection(x.range, y.range);
            if (both == x.range) s_.is_empty = true;
            if (both.is_empty() || both.low == x.range.low || both.high == x.range.high) {
                if (!both.is_empty() && both.low == x.range.low)
                    x.range.low = both.high + 1;
                else if (!both.is_empty())
                    x.range.high = both.low - 1;
                is_changed_ = true;
                return s_.drop_constraint(c);
            }
            s_.constraint(c) = y;
        }
    }
    /// The bounds of each variable that follow from a constraint and those of all others.
    void propagate(int c)
    {
        if (s_.constraint(c).is_outside) return;
        for (int j = 0; j < s_.dim_count(); ++j) {
            const WideInt* row = s_.row(s_.constraint_row(c));
            const WideInt a = row[s_.of_dim(j)];
            const WideInt last = s_.dim(j).last;
            if (a == 0 || last == 0) continue;
            const WideInterval values = s_.range_of(row), &range = s_.constraint(c).range;
            if (!is_sound(values.low) || !is_sound(values.high)) continue;
            // What the constraint leaves for a·u, all others at their ends.
            const WideInt own = saturated_product(a, last);
            const WideInt most = range.high - (values.low - (a < 0 ? own : 0));
            const WideInt fewest = range.low - (values.high - (a < 0 ? 0 : own));
            const WideInt low = greatest<WideInt>(0, a > 0 ? ceil_of(fewest, a) : ceil_of(-most, -a));
            const WideInt high = least<WideInt>(last, a > 0 ? floor_of(most, a) : floor_of(-fewest, -a));
            if (low > high) {
                s_.is_empty = true;
                return;
            }
            if (low == 0 && high == last) continue;
            s_.restrict_dim(j, low, high);
            is_changed_ = true;
            if (low == high) has_new_point_ = true;
        }
    }
};

inline void normalize(BasicSet& s) { Normalizer(s).run(); }

} // namespace detail
} // namespace v0
} // namespace axe

#endif
