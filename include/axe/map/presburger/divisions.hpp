// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_DIVISIONS_HPP
#define AXE_MAP_PRESBURGER_DIVISIONS_HPP

#include <axe/map/presburger/basic_set.hpp>

/// The locals of a system brought to their simplest form over its part: what of them is linear there goes into the forms that use them.
namespace axe {
inline namespace v0 {
namespace detail {

/// Marks the locals that a goal or a constraint needs.
inline void mark_used_locals(BasicSet& s)
{
    const int n = s.local_count();
    for (int i = 0; i < n; ++i) s.at(i).is_used = false;
    const auto mark = [&](const WideInt* form) {
        for (int k = 0; k < n; ++k)
            if (form[s.of_local(k)] != 0) s.at(k).is_used = true;
    };
    for (int r = s.goal_row(0); r < s.rows(); ++r) mark(s.row(r));
    for (int i = n - 1; i >= 0; --i) {
        if (!s.at(i).is_used) continue;
        mark(s.row(i));
        if (!s.at(i).is_floor()) mark(s.row(s.second_row(i)));
    }
}

class LocalReducer {
  public:
    explicit LocalReducer(BasicSet& s) : s_(s), columns_(s.columns()), linear_(static_cast<std::size_t>(columns_)) {}

    void run()
    {
        for (int i = 0; i < s_.local_count(); ++i) {
            if (!s_.at(i).is_used) continue;
            if (s_.at(i).is_floor())
                reduce_floor(i);
            else if (s_.at(i).divisor == by_product)
                reduce_product(i);
            else
                s_.at(i).divisor == by_minimum ? reduce_minimum(i) : reduce_quotient(i);
        }
    }

  private:
    BasicSet& s_;
    int columns_;
    std::vector<WideInt> linear_; ///< what is split off the local at hand

    /// In all forms: local i becomes linear_ + sign·(local `target`); none is left for the sign 0.
    void replace(int i, int target, int sign)
    {
        linear_[static_cast<std::size_t>(s_.of_local(target))] += sign;
        s_.substitute(s_.of_local(i), linear_.data(), i + 1);
        if (sign == 0 || target != i) s_.at(i).is_used = false;
    }
    [[nodiscard]] bool is_constant(const WideInt* form) const
    {
        for (int c = 1; c < columns_; ++c)
            if (form[c] != 0) return false;
        return true;
    }

    void reduce_product(int i)
    {
        WideInt* x = s_.row(i);
        WideInt* y = s_.row(s_.second_row(i));
        if (!is_constant(x)) std::swap(x, y);
        if (is_constant(x)) {
            for (int c = 0; c < columns_; ++c) {
                linear_[static_cast<std::size_t>(c)] = 0;
                if (!add_multiple(x[0], y[c], linear_[static_cast<std::size_t>(c)])) s_.is_unsound = true;
            }
            return replace(i, i, 0);
        }
        tighten(i, s_.range_of(x), s_.range_of(y), saturated_product);
    }

    /// The local variable i is a function of two values, which is monotone in each: it is within what the ends of their ranges give.
    void tighten(int i, const WideInterval& a, const WideInterval& b, WideInt (*f)(WideInt, WideInt))
    {
        WideInterval range{wide_limit, -wide_limit};
        for (const WideInt p : {a.low, a.high})
            for (const WideInt q : {b.low, b.high}) {
                const WideInt value = f(p, q);
                range = {least(range.low, value), greatest(range.high, value)};
            }
        s_.at(i).range = intersection(s_.at(i).range, range);
        if (s_.at(i).range.is_empty()) s_.is_empty = true;
    }

    /// The local variable i as a form, which is `form`.
    void replace_by(int i, const WideInt* form)
    {
        std::copy(form, form + columns_, linear_.begin());
        replace(i, i, 0);
    }
    /// Where one form is never the greater one, it is the minimum.
    void reduce_minimum(int i)
    {
        const WideInt *x = s_.row(i), *y = s_.row(s_.second_row(i));
        std::vector<WideInt> difference(static_cast<std::size_t>(columns_));
        for (int c = 0; c < columns_; ++c)
            if (!is_sound(difference[static_cast<std::size_t>(c)] = x[c] - y[c])) s_.is_unsound = true;
        WideInterval r = s_.range_of(difference.data());
        tighten(difference.data(), r);
        if (r.high <= 0) return replace_by(i, x);
        if (r.low >= 0) return replace_by(i, y);
        tighten(i, s_.range_of(x), s_.range_of(y), [](WideInt p, WideInt q) { return least(p, q); });
    }
    /// By a number it is a floor. The sign of the divisor stays, so that the quotient is bounded by its values at the ends.
    void reduce_quotient(int i)
    {
        WideInt* x = s_.row(i);
        WideInt* y = s_.row(s_.second_row(i));
        if (is_constant(y)) {
            const WideInt by = y[0];
            if (by == 0) { // no divisor of a point of the domain is 0
                s_.is_empty = true;
                return;
            }
            std::fill(y, y + columns_, WideInt{0});
            if (by < 0)
                for (int c = 0; c < columns_; ++c) x[c] = -x[c];
            s_.at(i).divisor = magnitude(by);
            return reduce_floor(i);
        }
        const WideInterval a = s_.range_of(x), b = s_.range_of(y);
        if (b.low <= 0 && 0 <= b.high) return; // of sums that are wider than their values: nothing is known
        tighten(i, a, b, signed_quotient);
    }

    /// ⌊(y ± ⌊z/k⌋) / q⌋ = ⌊(k·y ± z [+ k−1 for −]) / (k·q)⌋, as long as there is such a local variable inside.
    void flatten(int i)
    {
        WideInt* row = s_.row(i);
        for (int k = i - 1; k >= 0; --k) {
            const WideInt sign = row[s_.of_local(k)], inner = s_.at(k).divisor;
            if ((sign != 1 && sign != -1) || inner <= 0) continue;
            const WideInt whole = saturated_product(s_.at(i).divisor, inner);
            if (!is_short(whole)) continue;
            row[s_.of_local(k)] = 0;
            for (int c = 0; c < columns_; ++c) {
                if (row[c] != 0 && !is_sound(row[c] = saturated_product(row[c], inner))) s_.is_unsound = true;
                if (!is_sound(row[c] += sign * s_.row(k)[c])) s_.is_unsound = true;
            }
            if (sign < 0) row[0] += inner - 1;
            s_.at(i).divisor = whole;
            k = i; // what was inside that local may be bare now
        }
    }
    /// Takes multiples of the divisor out of row i, with the residues nearest to 0, and adds `sign` times them to linear_.
    void split_off(int i, WideInt sign)
    {
        WideInt* row = s_.row(i);
        const WideInt q = s_.at(i).divisor;
        for (int c = 1; c < s_.of_local(i); ++c) {
            if (row[c] == 0 || (2 * magnitude(row[c]) <= q && 2 * row[c] != -q)) continue;
            const WideInt k = ceil_of(2 * row[c] - q, 2 * q); // what stays is in (−q/2, q/2]
            linear_[static_cast<std::size_t>(c)] += sign * k;
            row[c] -= k * q;
        }
        const WideInt k = floor_of(row[0], q);
        linear_[0] += sign * k;
        row[0] -= k * q;
    }
    /// ⌊(g·x + r) / (g·k)⌋ = ⌊x / k⌋ where r stays in [0, g), moved by a multiple of g: r becomes that multiple.
    void drop_digits(int i)
    {
        WideInt* row = s_.row(i);
        const int end = s_.of_local(i);
        for (int c = 1; c < end; ++c) {
            const WideInt g = row[c] == 0 ? 1 : common_divisor(row[c], s_.at(i).divisor);
            if (g == 1) continue;
            WideInterval rest{row[0], row[0]};
            bool is_all = true;
            for (int k = 1; k < end; ++k) {
                if (row[k] == 0 || floor_of(row[k], g) * g == row[k]) continue;
                add_multiple(row[k], s_.values_of(k), rest);
                is_all = false;
            }
            const WideInt level = floor_of(rest.low, g);
            if (is_all || level != floor_of(rest.high, g)) continue;
            row[0] = level * g;
            for (int k = 1; k < end; ++k)
                if (row[k] != 0 && floor_of(row[k], g) * g != row[k]) row[k] = 0;
        }
    }
    void reduce_floor(int i)
    {
        std::fill(linear_.begin(), linear_.end(), WideInt{0});
        flatten(i);
        SetLocal& a = s_.at(i);
        WideInt* row = s_.row(i);
        split_off(i, 1);
        drop_digits(i);
        WideInt common = a.divisor;
        int first = 0;
        for (int c = s_.of_local(i) - 1; c > 0; --c)
            if (row[c] != 0) {
                common = common_divisor(common, row[c]);
                first = c;
            }
        if (first == 0) return replace(i, i, 0);
        if (common > 1) {
            a.divisor = floor_of(a.divisor, common);
            for (int c = 1; c < s_.of_local(i); ++c)
                if (row[c] != 0) row[c] = floor_of(row[c], common);
            row[0] = floor_of(row[0], common);
        }
        int sign = 1;
        if (row[first] < 0) { // ⌊y/q⌋ = −⌊(q−1−y)/q⌋
            sign = -1;
            for (int c = 0; c < s_.of_local(i); ++c) row[c] = -row[c];
            row[0] += a.divisor - 1;
            split_off(i, -1);
        }
        bool is_moved = false; // by more than a constant
        for (int c = 1; c < columns_ && !is_moved; ++c) is_moved = linear_[static_cast<std::size_t>(c)] != 0;
        // What was known of its values stays known where the local moved by a constant.
        WideInterval known{-wide_limit, wide_limit};
        if (!is_moved) {
            known = {a.range.low - linear_[0], a.range.high - linear_[0]};
            if (sign < 0) known = {-known.high, -known.low};
        }
        WideInterval inside = s_.range_of(row);
        tighten(row, inside);
        a.range = intersection(known, {floor_of(inside.low, a.divisor), floor_of(inside.high, a.divisor)});
        if (a.range.is_empty()) {
            s_.is_empty = true;
            return;
        }
        if (a.range.low == a.range.high) {
            linear_[0] += sign * a.range.low;
            return replace(i, i, 0);
        }
        for (int k = 0; k < i; ++k) {
            if (!s_.at(k).is_used || s_.at(k).divisor != a.divisor || !std::equal(row, row + columns_, s_.row(k))) continue;
            s_.at(k).range = intersection(s_.at(k).range, a.range);
            return replace(i, k, sign);
        }
        if (sign < 0 || is_moved || linear_[0] != 0) replace(i, i, sign);
    }
    /// The range of a form that is, but for its constant and a factor, that of a constraint.
    void tighten(const WideInt* form, WideInterval& range) const
    {
        for (int c = 0; c < s_.constraint_count(); ++c) {
            if (s_.constraint(c).is_outside) continue;
            const WideInt* row = s_.row(s_.constraint_row(c));
            WideInt factor = 0;
            bool is_parallel = true;
            for (int k = 1; k < columns_ && is_parallel; ++k) {
                if (row[k] == 0 || form[k] == 0) {
                    is_parallel = row[k] == form[k];
                } else if (factor == 0) {
                    factor = floor_of(form[k], magnitude(row[k])) * (row[k] < 0 ? -1 : 1);
                    is_parallel = factor != 0 && factor * row[k] == form[k];
                } else {
                    is_parallel = factor * row[k] == form[k];
                }
            }
            if (!is_parallel || factor == 0) continue;
            const WideInterval& known = s_.constraint(c).range;
            WideInterval r{saturated_product(factor, known.low - row[0]), saturated_product(factor, known.high - row[0])};
            if (factor < 0) std::swap(r.low, r.high);
            range = intersection(range, {within_limits(r.low + form[0]), within_limits(r.high + form[0])});
        }
        // An empty one is found by the constraint itself; here only the order matters.
        if (range.low > range.high) range.high = range.low;
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
