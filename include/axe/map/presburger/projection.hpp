// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_PROJECTION_HPP
#define AXE_MAP_PRESBURGER_PROJECTION_HPP

#include <axe/map/presburger/normalize.hpp>
#include <axe/map/presburger/period.hpp>

/// Systems of fewer points whose goals take the same values together, over the points that hold the constraints.
namespace axe {
inline namespace v0 {
namespace detail {

/// Where all goals and constraints repeat with a variable, one period of it has all their values.
inline void keep_one_period(BasicSet& s)
{
    for (int j = 0; j < s.dim_count(); ++j) {
        const WideInt last = s.dim(j).last;
        if (last == 0) continue;
        const Period p(s, j, last);
        if (p.period == 0 || p.period > last) continue;
        bool repeats = true;
        for (int r = s.goal_row(0); r < s.rows() && repeats; ++r) repeats = p.drift(s.row(r)) == 0;
        if (repeats) s.dim(j).last = p.period - 1;
    }
}

/// What a floor sees of u_j: ⌊(u_j + rest)/size⌋, beside multiples of the size; a size of 1 when it sees all.
struct SeenDigit {
    WideInt size = 1, rest = 0;
};
inline SeenDigit seen_by(const BasicSet& s, int local, int j)
{
    const WideInt* form = s.row(local);
    const WideInt a = form[s.of_dim(j)];
    if (!s.at(local).is_floor() || (a != 1 && a != -1)) return {};
    WideInt size = s.at(local).divisor;
    for (int c = 1; c < s.used_columns(); ++c)
        if (c != s.of_dim(j) && form[c] != 0) size = common_divisor(size, form[c]);
    // ⌊(c − u)/size⌋ = −⌊(u − c + size − 1)/size⌋
    const WideInt rest = a > 0 ? form[0] : size - 1 - form[0];
    return {size, rest - floor_of(rest, size) * size};
}
/// Where a variable is in floors only, and they see nothing below some size of it, it becomes what they see.
/// @returns whether there was one
inline bool coarsen(BasicSet& s)
{
    for (int j = 0; j < s.dim_count(); ++j) {
        const int own = s.of_dim(j);
        SeenDigit all{0, 0};
        for (int r = 0; r < s.rows() && all.size != 1; ++r) {
            if (s.row(r)[own] == 0 || !s.is_live(r)) continue;
            const SeenDigit seen = r < s.local_count() ? seen_by(s, r, j) : SeenDigit{};
            const WideInt size = common_divisor(all.size, seen.size);
            const bool agrees = all.size == 0 || floor_of(all.rest - seen.rest, size) * size == all.rest - seen.rest;
            all = agrees ? SeenDigit{size, seen.rest - floor_of(seen.rest, size) * size} : SeenDigit{};
        }
        if (all.size <= 1 || s.dim(j).last + all.rest < all.size) continue;
        // u_j + rest = size·high + …, of which `high` is left: forms may be taken where u_j + rest = size·high.
        s.restrict_residue(j, all.size, -all.rest);
        return true;
    }
    return false;
}

/// u_j = size·high + low: low in its place, and high as the last variable.
inline void replace_by_digits(BasicSet& s, int j, WideInt size)
{
    const int high = s.dim_count();
    s = s.widened(1);
    s.dim(high) = {floor_of(s.dim(j).last, size)};
    s.dim(j) = {size - 1};
    for (int r = 0; r < s.rows(); ++r)
        if (!is_sound(s.row(r)[s.of_dim(high)] = saturated_product(s.row(r)[s.of_dim(j)], size))) s.is_unsound = true;
}

/// A variable of which a floor needs only the part above some g that divides its extent becomes g·high + low, and low is not in
/// that floor any more.  @returns whether there was one
inline bool split_digit(BasicSet& s)
{
    for (int i = 0; i < s.local_count(); ++i)
        for (int j = 0; s.at(i).is_used && j < s.dim_count(); ++j) {
            const SeenDigit seen = seen_by(s, i, j);
            const WideInt last = s.dim(j).last, size = common_divisor(seen.size, last + 1);
            if (size == 1 || size > last || floor_of(seen.rest, size) * size != seen.rest) continue;
            replace_by_digits(s, j, size);
            return true;
        }
    return false;
}

/// All of these, until none does anything, or for a number of times.
inline void shrink_to_image(BasicSet& s)
{
    constexpr int most = 64;
    for (int i = 0; i < most && !s.is_empty && !s.is_unsound; ++i) {
        keep_one_period(s);
        if (!coarsen(s) && !split_digit(s)) break;
        normalize(s);
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
