// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_UNIMODULAR_HPP
#define AXE_MAP_PRESBURGER_UNIMODULAR_HPP

#include <axe/map/presburger/basic_set.hpp>

/// New variables for a part that is thin and oblique in its box.
namespace axe {
inline namespace v0 {
namespace detail {

/// The sum of constraint c becomes the variable in the place of u_k, and the interval of u_k a constraint.
inline void replace_by_sum(BasicSet& s, int c, int k)
{
    const WideInterval range = s.constraint(c).range;
    const WideInt last = s.dim(k).last;
    const auto own = static_cast<std::size_t>(s.of_dim(k));
    // u_k = sign·(w + low − rest), w = 0 … high − low
    std::vector<WideInt> form(s.row(s.constraint_row(c)), s.row(s.constraint_row(c)) + s.columns());
    const WideInt sign = form[own];
    form[0] -= range.low;
    for (WideInt& x : form) x *= -sign;
    form[own] = sign;
    s.drop_constraint(c);
    s.substitute(s.of_dim(k), form.data());
    s.dim(k).last = range.high - range.low;
    s.add_constraint(form.data(), {0, last});
}

/// Where a constraint  low ≤ Σ a_j·u_j ≤ high  with a_k = ±1 leaves fewer values than u_k has, the sum becomes the variable in its
/// place. One to one on integers.  @returns whether there was one; the best one is taken.
inline bool substitute_unimodular(BasicSet& s)
{
    int constraint = -1, variable = -1;
    WideInt gain = 2;
    for (int c = 0; c < s.constraint_count(); ++c) {
        const WideInt* form = s.row(s.constraint_row(c));
        if (s.constraint(c).is_outside || !s.is_linear(form)) continue;
        const WideInterval& r = s.constraint(c).range;
        for (int j = 0; j < s.dim_count(); ++j) {
            const WideInt a = form[s.of_dim(j)];
            if (a != 1 && a != -1) continue;
            const WideInt times = floor_of(s.dim(j).last + 1, r.high - r.low + 1);
            if (times < gain) continue;
            gain = times + 1;
            constraint = c;
            variable = j;
        }
    }
    if (constraint >= 0) replace_by_sum(s, constraint, variable);
    return constraint >= 0;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
