// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_UNIMODULAR_HPP
#define AXE_MAP_PRESBURGER_UNIMODULAR_HPP

#include <axe/map/presburger/basic_set.hpp>

/// New variables for a part that is thin and oblique in its box.
namespace axe {
inline namespace v0 {
namespace detail {

class UnimodularSubstitution {
  public:
    explicit UnimodularSubstitution(BasicSet& s) : s_(s) {}

    /// Where a constraint  low ≤ Σ a_j·u_j ≤ high  with a_k = ±1 leaves fewer values than u_k has, the sum becomes the variable in its
    /// place, and the interval of u_k a constraint. One to one on integers.  @returns whether there was one; the best one is taken.
    bool run()
    {
        int constraint = -1, variable = -1;
        WideInt gain = 2;
        for (int c = 0; c < s_.constraint_count(); ++c) {
            const WideInt* form = s_.row(s_.constraint_row(c));
            if (s_.constraint(c).is_outside || !s_.is_linear(form)) continue;
            const WideInterval& r = s_.constraint(c).range;
            for (int j = 0; j < s_.dim_count(); ++j) {
                const WideInt a = form[s_.of_dim(j)];
                if (a != 1 && a != -1) continue;
                const WideInt times = floor_of(s_.dim(j).last + 1, r.high - r.low + 1);
                if (times < gain) continue;
                gain = times + 1;
                constraint = c;
                variable = j;
            }
        }
        if (constraint < 0) return false;
        replace(constraint, variable);
        return true;
    }

  private:
    BasicSet& s_;

    void replace(int c, int k)
    {
        const WideInterval range = s_.constraint(c).range;
        const WideInt last = s_.dim(k).last;
        const int own = s_.of_dim(k);
        // u_k = sign·(w + low − rest), w = 0 … high − low
        std::vector<WideInt> form(s_.row(s_.constraint_row(c)), s_.row(s_.constraint_row(c)) + s_.columns());
        const WideInt sign = form[static_cast<std::size_t>(own)];
        form[0] -= range.low;
        for (WideInt& x : form) x *= -sign;
        form[static_cast<std::size_t>(own)] = sign;
        s_.drop_constraint(c);
        for (int r = 0; r < s_.rows(); ++r) {
            WideInt* row = s_.row(r);
            const WideInt factor = row[own];
            if (factor == 0 || !s_.is_live(r)) continue;
            row[own] = 0;
            for (int i = 0; i < s_.of_local(0); ++i)
                if (const WideInt x = form[static_cast<std::size_t>(i)]; x != 0 && !add_multiple(factor, x, row[i]))
                    s_.is_unsound = true;
        }
        s_.dim(k).last = range.high - range.low;
        s_.add_constraint(form.data(), {0, last});
    }
};

inline bool substitute_unimodular(BasicSet& s) { return UnimodularSubstitution(s).run(); }

} // namespace detail
} // namespace v0
} // namespace axe

#endif
