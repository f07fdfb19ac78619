// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_DECIDE_SAME_IMAGE_HPP
#define AXE_MAP_DECIDE_SAME_IMAGE_HPP

#include <axe/map/decide/normal.hpp>
#include <axe/map/decide/period.hpp>

/// Systems of fewer points whose goals take the same values together, over the points that hold the conditions.
namespace axe {
inline namespace v0 {
namespace detail {

/// Where all goals and conditions repeat with a variable, one period of it has all their values.
inline void keep_one_period(MapSystem& s)
{
    for (int j = 0; j < s.variable_count(); ++j) {
        const MapInt last = s.axis(j).last;
        if (last == 0) continue;
        const MapPeriod p(s, j, last);
        if (p.period == 0 || p.period > last) continue;
        bool repeats = true;
        for (int r = s.goal_row(0); r < s.rows() && repeats; ++r) repeats = p.drift(s.row(r)) == 0;
        if (repeats) s.axis(j).last = p.period - 1;
    }
}

/// What a floor sees of u_j: ⌊(u_j + rest)/size⌋, beside multiples of the size; a size of 1 when it sees all.
struct SeenDigit {
    MapInt size = 1, rest = 0;
};
inline SeenDigit seen_by(const MapSystem& s, int atom, int j)
{
    const MapInt* form = s.row(atom);
    const MapInt a = form[s.of_variable(j)];
    if (s.at(atom).divisor == 0 || (a != 1 && a != -1)) return {};
    MapInt size = s.at(atom).divisor;
    for (int c = 1; c < s.used_columns(); ++c)
        if (c != s.of_variable(j) && form[c] != 0) size = common_divisor(size, form[c]);
    // ⌊(c − u)/size⌋ = −⌊(u − c + size − 1)/size⌋
    const MapInt rest = a > 0 ? form[0] : size - 1 - form[0];
    return {size, rest - floor_of(rest, size) * size};
}
/// Where a variable is in floors only, and they see nothing below some size of it, it becomes what they see.
/// @returns whether there was one
inline bool coarsen(MapSystem& s)
{
    for (int j = 0; j < s.variable_count(); ++j) {
        const int own = s.of_variable(j);
        SeenDigit all{0, 0};
        for (int r = 0; r < s.rows() && all.size != 1; ++r) {
            if (s.row(r)[own] == 0 || !s.is_live(r)) continue;
            const SeenDigit seen = r < s.atom_count() ? seen_by(s, r, j) : SeenDigit{};
            const MapInt size = common_divisor(all.size, seen.size);
            const bool agrees = all.size == 0 || floor_of(all.rest - seen.rest, size) * size == all.rest - seen.rest;
            all = agrees ? SeenDigit{size, seen.rest - floor_of(seen.rest, size) * size} : SeenDigit{};
        }
        if (all.size <= 1 || s.axis(j).last + all.rest < all.size) continue;
        // u_j + rest = size·high + …, of which `high` is left: forms may be taken where u_j + rest = size·high.
        s.axis(j).last = floor_of(s.axis(j).last + all.rest, all.size);
        for (int r = 0; r < s.atom_count(); ++r) {
            MapInt& a = s.row(r)[own];
            if (a == 0 || !s.is_live(r)) continue;
            if (!add_multiple(a, -all.rest, s.row(r)[0])) s.is_unsound = true;
            a *= all.size;
        }
        return true;
    }
    return false;
}

/// u_j = size·high + low: low in its place, and high as the last variable.
inline void replace_by_digits(MapSystem& s, int j, MapInt size)
{
    MapSystem out(s.variable_count() + 1, s.atom_count(), s.has_products(), s.goal_count());
    out.is_unsound = s.is_unsound;
    for (int v = 0; v < s.variable_count(); ++v) out.axis(v) = s.axis(v);
    out.axis(j) = {size - 1};
    out.axis(s.variable_count()) = {floor_of(s.axis(j).last, size)};
    const auto copy = [&](const MapInt* form, MapInt* to) {
        to[0] = form[0];
        for (int v = 0; v < s.variable_count(); ++v) to[out.of_variable(v)] = form[s.of_variable(v)];
        for (int i = 0; i < s.atom_count(); ++i) to[out.of_atom(i)] = form[s.of_atom(i)];
        to[out.of_variable(s.variable_count())] = saturated_product(form[s.of_variable(j)], size);
        if (!is_sound(to[out.of_variable(s.variable_count())])) out.is_unsound = true;
    };
    for (int i = 0; i < s.atom_count(); ++i) {
        out.add_atom(s.at(i).divisor);
        if (!s.at(i).is_used) continue;
        copy(s.row(i), out.row(i));
        if (s.at(i).divisor == 0) copy(s.row(s.second_row(i)), out.row(out.second_row(i)));
    }
    for (int g = 0; g < s.goal_count(); ++g) copy(s.row(s.goal_row(g)), out.row(out.goal_row(g)));
    std::vector<MapInt> form(static_cast<std::size_t>(out.columns()));
    for (int c = 0; c < s.condition_count(); ++c) {
        copy(s.row(s.condition_row(c)), form.data());
        out.add_condition(form.data(), s.condition(c).range, s.condition(c).is_outside);
    }
    s = std::move(out);
}

/// A variable of which a floor needs only the part above some g that divides its extent becomes g·high + low, and low is not in
/// that floor any more.  @returns whether there was one
inline bool split_digit(MapSystem& s)
{
    for (int i = 0; i < s.atom_count(); ++i) {
        if (!s.at(i).is_used || s.at(i).divisor == 0) continue;
        const MapInt* form = s.row(i);
        for (int j = 0; j < s.variable_count(); ++j) {
            const MapInt a = form[s.of_variable(j)], last = s.axis(j).last;
            if (a != 1 && a != -1) continue;
            MapInt size = common_divisor(s.at(i).divisor, last + 1);
            for (int c = 1; c < s.used_columns(); ++c)
                if (c != s.of_variable(j) && form[c] != 0) size = common_divisor(size, form[c]);
            const MapInt rest = form[0] - floor_of(form[0], size) * size;
            if (size == 1 || size > last || rest != (a > 0 ? 0 : size - 1)) continue;
            replace_by_digits(s, j, size);
            return true;
        }
    }
    return false;
}

/// All of these, until none does anything, or for a number of times.
inline void shrink_to_image(MapSystem& s, int most)
{
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
