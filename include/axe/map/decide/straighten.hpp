// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_DECIDE_STRAIGHTEN_HPP
#define AXE_MAP_DECIDE_STRAIGHTEN_HPP

#include <axe/map/decide/system.hpp>

/// New variables for a part that lies aslant in its box.
namespace axe {
inline namespace v0 {
namespace detail {

class Straightener {
  public:
    explicit Straightener(MapSystem& s) : s_(s) {}

    /// Where a condition  low ≤ Σ a_j·u_j ≤ high  with a_k = ±1 leaves fewer values than u_k has, the sum becomes the variable in its
    /// place, and the interval of u_k a condition. One to one on integers.  @returns whether there was one; the best one is taken.
    bool run()
    {
        int condition = -1, variable = -1;
        MapInt gain = 2;
        for (int c = 0; c < s_.condition_count(); ++c) {
            const MapInt* form = s_.row(s_.condition_row(c));
            if (s_.condition(c).is_outside || !s_.is_linear(form)) continue;
            const MapRange& r = s_.condition(c).range;
            for (int j = 0; j < s_.variable_count(); ++j) {
                const MapInt a = form[s_.of_variable(j)];
                if (a != 1 && a != -1) continue;
                const MapInt times = floor_of(s_.axis(j).last + 1, r.high - r.low + 1);
                if (times < gain) continue;
                gain = times + 1;
                condition = c;
                variable = j;
            }
        }
        if (condition < 0) return false;
        replace(condition, variable);
        return true;
    }

  private:
    MapSystem& s_;

    void replace(int c, int k)
    {
        const MapRange range = s_.condition(c).range;
        const MapInt last = s_.axis(k).last;
        const int own = s_.of_variable(k);
        // u_k = sign·(w + low − rest), w = 0 … high − low
        std::vector<MapInt> form(s_.row(s_.condition_row(c)), s_.row(s_.condition_row(c)) + s_.columns());
        const MapInt sign = form[static_cast<std::size_t>(own)];
        form[0] -= range.low;
        for (MapInt& x : form) x *= -sign;
        form[static_cast<std::size_t>(own)] = sign;
        s_.drop_condition(c);
        for (int r = 0; r < s_.rows(); ++r) {
            MapInt* row = s_.row(r);
            const MapInt factor = row[own];
            if (factor == 0 || !s_.is_live(r)) continue;
            row[own] = 0;
            for (int i = 0; i < s_.of_atom(0); ++i)
                if (const MapInt x = form[static_cast<std::size_t>(i)]; x != 0 && !add_multiple(factor, x, row[i]))
                    s_.is_unsound = true;
        }
        s_.axis(k).last = range.high - range.low;
        s_.add_condition(form.data(), {0, last});
    }
};

inline bool straighten(MapSystem& s) { return Straightener(s).run(); }

} // namespace detail
} // namespace v0
} // namespace axe

#endif
