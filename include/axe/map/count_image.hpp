// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_COUNT_IMAGE_HPP
#define AXE_MAP_COUNT_IMAGE_HPP

#include <axe/map/count.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Counts the different values of all goals together, over the points that hold the conditions.
class ImageCounter {
  public:
    Error error{};
    static constexpr int most_splits = 64;

    MapInt run(MapSystem s)
    {
        do normalize(s);
        while (!s.is_empty && !s.is_unsound && straighten(s));
        if (!is_sound(s) || s.is_empty) return 0;
        for (int i = 0; i < most_splits && split_digit(s); ++i) normalize(s);
        if (!is_sound(s) || s.is_empty) return 0;
        // Variables that share neither a result nor a condition multiply.
        const std::vector<int> of = components(s, s.goal_row(0), s.rows());
        MapInt out = 1;
        for (int k = 0; k < s.variable_count() && !error; ++k) {
            const int number = of[static_cast<std::size_t>(k)];
            if (number < 0 || std::find(of.begin(), of.end(), number) - of.begin() != k) continue;
            MapSystem own = s;
            for (int j = 0; j < s.variable_count(); ++j)
                if (of[static_cast<std::size_t>(j)] != number) own.axis(j).last = 0;
            // A goal of another component is one value here, a condition of another is left out. The domain is not empty: what has no
            // goal at all makes no difference.
            const std::vector<bool> is_own = rows_of(own, of, number);
            bool has_goal = false;
            for (int g = 0; g < own.goal_count(); ++g) {
                if (is_own[static_cast<std::size_t>(own.goal_row(g))])
                    has_goal = true;
                else
                    std::fill_n(own.row(own.goal_row(g)), own.columns(), MapInt{0});
            }
            if (!has_goal) continue;
            for (int c = own.condition_count() - 1; c >= 0; --c)
                if (!is_own[static_cast<std::size_t>(own.condition_row(c))]) own.drop_condition(c);
            mark_used_atoms(own);
            out = saturated_product(out, connected(std::move(own)));
        }
        return out;
    }

  private:
    bool is_sound(const MapSystem& s)
    {
        if (s.is_unsound) error = map_form_overflow();
        return !s.is_unsound;
    }
    [[nodiscard]] static std::vector<bool> rows_of(const MapSystem& s, const std::vector<int>& of, int number)
    {
        std::vector<bool> out(static_cast<std::size_t>(s.rows()));
        for (int r = s.goal_row(0); r < s.rows(); ++r) {
            const std::vector<int> alone = components(s, r, r + 1);
            for (std::size_t j = 0; j < of.size(); ++j)
                if (alone[j] >= 0 && of[j] == number) out[static_cast<std::size_t>(r)] = true;
        }
        return out;
    }

    MapInt connected(MapSystem s)
    {
        const bool is_bound = s.condition_count() > 0;
        std::vector<bool> known(static_cast<std::size_t>(s.columns()));
        MapInt out = 1;
        determine(s, known);
        bool is_one_to_one = true;
        for (int j = 0; j < s.variable_count(); ++j)
            if (s.axis(j).last > 0) {
                if (known[static_cast<std::size_t>(s.of_variable(j))])
                    out = saturated_product(out, s.axis(j).last + 1);
                else
                    is_one_to_one = false;
            }
        if (is_one_to_one && !is_bound) return out;
        if (is_one_to_one) return count_domain(std::move(s));
        if (!is_bound && is_without_atoms(s)) {
            // What is known of a point can be taken off the other results.
            int moving = 0, last = 0;
            for (int g = 0; g < s.goal_count(); ++g) {
                MapInt* form = s.row(s.goal_row(g));
                bool moves = false;
                for (int j = 0; j < s.variable_count(); ++j) {
                    if (known[static_cast<std::size_t>(s.of_variable(j))]) form[s.of_variable(j)] = 0;
                    moves = moves || form[s.of_variable(j)] != 0;
                }
                if (!moves) continue;
                ++moving;
                last = g;
            }
            if (moving == 0) return out;
            if (MapInt one = 0; moving == 1 && sum_values(s, s.row(s.goal_row(last)), one)) return saturated_product(out, one);
        }
        return enumerate(s);
    }
    [[nodiscard]] static bool is_without_atoms(const MapSystem& s)
    {
        return std::none_of(s.atoms.begin(), s.atoms.end(), [](const MapAtom& a) { return a.is_used; });
    }
    MapInt count_domain(MapSystem s)
    {
        for (int g = 0; g < s.goal_count(); ++g) std::fill_n(s.row(s.goal_row(g)), s.columns(), MapInt{0});
        MapCounter counter;
        const MapInt out = counter.run(s);
        if (counter.is_unsound) error = map_form_overflow();
        if (!counter.is_decided) error = map_too_hard();
        return out;
    }
    /// The columns whose values the goals' values give away: those of a sum in which each weighs more than all before it.
    static void determine(const MapSystem& s, std::vector<bool>& known)
    {
        struct Digit {
            MapInt weight, last;
            int column;
        };
        for (bool again = true; again;) {
            again = false;
            for (int g = 0; g < s.goal_count(); ++g) {
                const MapInt* form = s.row(s.goal_row(g));
                std::vector<Digit> digits;
                for (int c = 1; c < s.used_columns(); ++c) {
                    if (form[c] == 0 || known[static_cast<std::size_t>(c)]) continue;
                    const MapRange& r = c < s.of_atom(0) ? MapRange{0, s.axis(c - 1).last} : s.at(c - s.of_atom(0)).range;
                    digits.push_back({magnitude(form[c]), r.high - r.low, c});
                }
                std::sort(digits.begin(), digits.end(), [](const Digit& x, const Digit& y) { return x.weight < y.weight; });
                MapInt reach = 0;
                bool is_unique = !digits.empty();
                for (const Digit& d : digits) {
                    is_unique = is_unique && d.weight > reach;
                    reach = within_limits(reach + saturated_product(d.weight, d.last));
                }
                if (!is_unique) continue;
                for (const Digit& d : digits) known[static_cast<std::size_t>(d.column)] = true;
                again = true;
            }
        }
    }
    /// The number of values of Σ a_j·u_j: of strides that fill a progression, or that lie apart.
    static bool sum_values(const MapSystem& s, const MapInt* form, MapInt& out)
    {
        std::vector<std::pair<MapInt, MapInt>> digits;
        for (int j = 0; j < s.variable_count(); ++j)
            if (form[s.of_variable(j)] != 0) digits.emplace_back(magnitude(form[s.of_variable(j)]), s.axis(j).last);
        std::sort(digits.begin(), digits.end());
        const MapInt step = digits[0].first;
        MapInt reach = 0;
        bool fills = true; // 0, step, 2·step, …, reach
        out = 1;
        for (const auto& [weight, last] : digits) {
            if (fills && weight <= reach + step && floor_of(weight, step) * step == weight)
                out += saturated_product(floor_of(weight, step), last);
            else if (weight > reach) {
                fills = false;
                out = saturated_product(out, last + 1);
            } else {
                return false;
            }
            reach = within_limits(reach + saturated_product(weight, last));
        }
        return true;
    }
    MapInt enumerate(const MapSystem& s)
    {
        if (s.volume() > map_points) {
            error = map_too_hard();
            return 0;
        }
        std::vector<std::vector<MapInt>> seen;
        for_each_point(s, [&](const MapInt* u, const MapInt* values) {
            if (!s.holds(u, values)) return true;
            std::vector<MapInt>& out = seen.emplace_back();
            for (int g = 0; g < s.goal_count(); ++g) out.push_back(s.value(s.row(s.goal_row(g)), u, values));
            return true;
        });
        std::sort(seen.begin(), seen.end());
        return std::unique(seen.begin(), seen.end()) - seen.begin();
    }

    /// A variable of which a floor needs only the part above some g that divides its extent becomes g·high + low, and low is not in
    /// that floor any more.  @returns whether there was one
    static bool split_digit(MapSystem& s)
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
    /// u_j = size·high + low: low in its place, and high as the last variable.
    static void replace_by_digits(MapSystem& s, int j, MapInt size)
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
            if (!detail::is_sound(to[out.of_variable(s.variable_count())])) out.is_unsound = true;
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
};

} // namespace detail

/// The number of different results: of the tuples that the map takes over its domain.
///
/// In closed form where the results fall into independent ones, tell their point, or add up strides of digits (as a layout's map does);
/// otherwise by going through up to 2^20 points.
/// Errors: as `count_points`.
inline Result<std::int64_t> count_image(const IndexingMap& map)
{
    if (const Error e = detail::map_is_decidable(map)) return e;
    const auto empty = is_empty(map);
    if (!empty) return empty.error();
    if (*empty) return std::int64_t{0};
    detail::ImageCounter counter;
    const detail::MapInt count = counter.run(detail::domain_system(map, static_cast<int>(map.results.size()), [&](auto& build) {
        for (std::size_t i = 0; i < map.results.size(); ++i) {
            const detail::MapInt* form = build.form(map.results[i]);
            std::copy(form, form + build.system.columns(), build.system.row(build.system.goal_row(static_cast<int>(i))));
        }
    }));
    if (counter.error) return counter.error;
    if (!detail::is_short(count)) return Error(errc::overflow, -1, "the map has more results than the integer holds");
    return static_cast<std::int64_t>(count);
}

} // namespace v0
} // namespace axe

#endif
