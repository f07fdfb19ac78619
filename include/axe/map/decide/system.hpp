// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_DECIDE_SYSTEM_HPP
#define AXE_MAP_DECIDE_SYSTEM_HPP

#include <axe/map/decide/small_list.hpp>
#include <axe/map/decide/wide.hpp>
#include <axe/map/indexing_map.hpp>

#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// A variable of a part: 0 ≤ u ≤ last.
struct MapAxis {
    MapInt last = 0;
};
/// What is not linear in a form: ⌊form / divisor⌋ for a divisor > 0, and the product of two forms where it is 0.
struct MapAtom {
    MapInt divisor = 0;
    MapRange range{-map_limit, map_limit}; ///< holds all values in the part
    bool is_used = false;
};
/// The form's values lie in the range; or outside of it.
struct MapCondition {
    MapRange range{};
    bool is_outside = false;
};

/// Forms  c + Σ a_j·u_j + Σ b_i·A_i  over the variables u and the atoms A_i, of which each uses only those before it.
///
/// Forms are rows of numbers, constant first. There are three kinds: the atoms' own, goals (what is asked about) and conditions. The
/// variables are those of the part, which is why a system whose points are wanted has a map's variables among its goals, at the end.
/// A system stands for one part of a domain; it is rewritten as the part shrinks, and copied where the part is cut. A number that
/// cannot be held makes it unsound, and what is computed after that means nothing.
class MapSystem {
  public:
    SmallList<MapAxis, 8> axes{};
    SmallList<MapAtom, 12> atoms{};
    SmallList<MapCondition, 8> conditions{};
    bool is_unsound = false, is_empty = false;

    MapSystem() noexcept {} // not defaulted: that would set the room that is not in use
    /// @param has_coordinates  are there goals for the variables themselves, beyond the `goals`?
    MapSystem(int variables, int most_atoms, bool has_products, int goals, bool has_coordinates = false)
        : columns_(1 + variables + most_atoms),
          most_atoms_(most_atoms),
          second_(has_products ? most_atoms : 0),
          goals_(goals),
          coordinates_(has_coordinates ? variables : 0)
    {
        axes.resize(static_cast<std::size_t>(variables));
        atoms.reserve(static_cast<std::size_t>(most_atoms));
        cells_.resize(static_cast<std::size_t>(rows() * columns_));
        for (int j = 0; j < coordinates_; ++j) row(coordinate_row(j))[of_variable(j)] = 1;
    }

    [[nodiscard]] int columns() const noexcept { return columns_; }
    [[nodiscard]] int variable_count() const noexcept { return static_cast<int>(axes.size()); }
    [[nodiscard]] int atom_count() const noexcept { return static_cast<int>(atoms.size()); }
    [[nodiscard]] int condition_count() const noexcept { return static_cast<int>(conditions.size()); }
    [[nodiscard]] int goal_count() const noexcept { return goals_; }
    [[nodiscard]] int coordinate_count() const noexcept { return coordinates_; }
    [[nodiscard]] bool has_products() const noexcept { return second_ > 0; }
    /// The column of a variable, and of an atom.
    [[nodiscard]] int of_variable(int j) const noexcept { return 1 + j; }
    [[nodiscard]] int of_atom(int i) const noexcept { return 1 + variable_count() + i; }
    [[nodiscard]] int used_columns() const noexcept { return of_atom(atom_count()); }

    MapInt* row(int r) noexcept { return cells_.data() + r * columns_; }
    [[nodiscard]] const MapInt* row(int r) const noexcept { return cells_.data() + r * columns_; }
    [[nodiscard]] int rows() const noexcept { return condition_row(condition_count()); }
    [[nodiscard]] int second_row(int atom) const noexcept { return most_atoms_ + atom; }
    [[nodiscard]] int goal_row(int g) const noexcept { return most_atoms_ + second_ + g; }
    [[nodiscard]] int coordinate_row(int j) const noexcept { return goal_row(goals_) + j; }
    [[nodiscard]] int condition_row(int c) const noexcept { return coordinate_row(coordinates_) + c; }
    /// Is there a form in the row: no atom that is not used, no second factor that is none?
    [[nodiscard]] bool is_live(int r) const noexcept
    {
        if (r < most_atoms_) return r < atom_count() && at(r).is_used;
        if (r < most_atoms_ + second_) return r - most_atoms_ < atom_count() && at(r - most_atoms_).is_used;
        return true;
    }
    MapAxis& axis(int j) noexcept { return axes[static_cast<std::size_t>(j)]; }
    [[nodiscard]] const MapAxis& axis(int j) const noexcept { return axes[static_cast<std::size_t>(j)]; }
    MapAtom& at(int i) noexcept { return atoms[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const MapAtom& at(int i) const noexcept { return atoms[static_cast<std::size_t>(i)]; }
    MapCondition& condition(int c) noexcept { return conditions[static_cast<std::size_t>(c)]; }
    [[nodiscard]] const MapCondition& condition(int c) const noexcept { return conditions[static_cast<std::size_t>(c)]; }

    /// Appends a condition on the form 0, for the caller to fill.
    void add_condition(const MapRange& range, bool is_outside)
    {
        cells_.resize(cells_.size() + static_cast<std::size_t>(columns_));
        conditions.push_back({range, is_outside});
    }
    /// Appends a condition on a form, which may be one of this system's rows.
    void add_condition(const MapInt* form, const MapRange& range, bool is_outside = false)
    {
        const bool is_inside = form >= cells_.data() && form < cells_.data() + cells_.size();
        const std::ptrdiff_t at = is_inside ? form - cells_.data() : 0;
        cells_.resize(cells_.size() + static_cast<std::size_t>(columns_));
        if (is_inside) form = cells_.data() + at;
        std::copy(form, form + columns_, row(rows()));
        conditions.push_back({range, is_outside});
    }
    void drop_condition(int c)
    {
        const int last = condition_count() - 1;
        if (c != last) {
            std::copy(row(condition_row(last)), row(condition_row(last)) + columns_, row(condition_row(c)));
            conditions[static_cast<std::size_t>(c)] = MapCondition(conditions.back());
        }
        conditions.pop_back();
        cells_.resize(cells_.size() - static_cast<std::size_t>(columns_));
    }
    /// Appends an atom; its row(s) are the caller's to fill.
    int add_atom(MapInt divisor)
    {
        atoms.push_back({divisor, {-map_limit, map_limit}, true});
        return atom_count() - 1;
    }

    [[nodiscard]] bool is_linear(const MapInt* form) const noexcept
    {
        for (int i = 0; i < atom_count(); ++i)
            if (form[of_atom(i)] != 0) return false;
        return true;
    }
    /// The values of a form over the part.
    [[nodiscard]] MapRange range_of(const MapInt* form) const noexcept
    {
        MapRange out{form[0], form[0]};
        for (int j = 0; j < variable_count(); ++j) {
            const MapInt a = form[of_variable(j)];
            if (a != 0) (a < 0 ? out.low : out.high) += saturated_product(a, axis(j).last);
        }
        for (int i = 0; i < atom_count(); ++i)
            if (const MapInt a = form[of_atom(i)]; a != 0) {
                const MapRange& r = at(i).range;
                out.low += saturated_product(a, a < 0 ? r.high : r.low);
                out.high += saturated_product(a, a < 0 ? r.low : r.high);
            }
        return {within_limits(out.low), within_limits(out.high)};
    }
    /// The number of points of the part; the limit when there are more.
    [[nodiscard]] MapInt volume() const noexcept
    {
        MapInt out = 1;
        for (const MapAxis& a : axes) out = saturated_product(out, a.last + 1);
        return out;
    }

    /// Keeps low ≤ u_j ≤ high, with low moved to 0.
    void restrict_axis(int j, MapInt low, MapInt high)
    {
        MapAxis& a = axis(j);
        a.last = least(a.last, high) - low;
        if (a.last < 0) is_empty = true;
        if (low == 0) return;
        for (int r = 0; r < rows(); ++r)
            if (const MapInt c = row(r)[of_variable(j)]; c != 0 && is_live(r) && !add_multiple(c, low, row(r)[0]))
                is_unsound = true;
    }
    /// Keeps u_j = residue, residue + modulus, …, which becomes 0, 1, …
    void restrict_residue(int j, MapInt modulus, MapInt residue)
    {
        restrict_axis(j, residue, axis(j).last);
        MapAxis& a = axis(j);
        a.last = floor_of(a.last, modulus);
        for (int r = 0; r < rows(); ++r) {
            MapInt& c = row(r)[of_variable(j)];
            if (c != 0 && is_live(r) && !is_sound(c = saturated_product(c, modulus))) is_unsound = true;
        }
    }

    /// Gives up the room of atoms that are not used, where they are many: a difference of long expressions leaves few.
    void compact()
    {
        std::vector<int> place(atoms.size(), -1);
        int used = 0;
        for (std::size_t i = 0; i < atoms.size(); ++i)
            if (atoms[i].is_used) place[i] = used++;
        if (2 * used >= most_atoms_) return;
        MapSystem out(variable_count(), used, has_products(), goals_, coordinates_ > 0);
        out.axes = axes;
        out.is_unsound = is_unsound;
        out.is_empty = is_empty;
        const auto copy = [&](const MapInt* form, MapInt* to) {
            std::copy(form, form + of_atom(0), to);
            for (int i = 0; i < atom_count(); ++i)
                if (const int at = place[static_cast<std::size_t>(i)]; at >= 0) to[out.of_atom(at)] = form[of_atom(i)];
        };
        for (int i = 0; i < atom_count(); ++i) {
            if (!at(i).is_used) continue;
            const int to = out.add_atom(at(i).divisor);
            out.at(to).range = at(i).range;
            copy(row(i), out.row(to));
            if (at(i).divisor == 0) copy(row(second_row(i)), out.row(out.second_row(to)));
        }
        for (int g = 0; g < goals_ + coordinates_; ++g) copy(row(goal_row(g)), out.row(out.goal_row(g)));
        std::vector<MapInt> form(static_cast<std::size_t>(out.columns()));
        for (int c = 0; c < condition_count(); ++c) {
            copy(row(condition_row(c)), form.data());
            out.add_condition(form.data(), condition(c).range, condition(c).is_outside);
        }
        *this = std::move(out);
    }

    /// The atoms' values at a point u, and so that of any form there.
    void evaluate_atoms(const MapInt* u, MapInt* values) const
    {
        for (int i = 0; i < atom_count(); ++i) {
            if (!at(i).is_used) continue;
            const MapInt x = value(row(i), u, values);
            values[i] =
                at(i).divisor == 0 ? saturated_product(x, value(row(second_row(i)), u, values)) : floor_of(x, at(i).divisor);
        }
    }
    [[nodiscard]] MapInt value(const MapInt* form, const MapInt* u, const MapInt* values) const
    {
        MapInt out = form[0];
        for (int j = 0; j < variable_count(); ++j)
            if (const MapInt a = form[of_variable(j)]; a != 0) out += saturated_product(a, u[j]);
        for (int i = 0; i < atom_count(); ++i)
            if (const MapInt a = form[of_atom(i)]; a != 0) out += saturated_product(a, values[i]);
        return out;
    }
    /// Do all conditions hold at u?
    [[nodiscard]] bool holds(const MapInt* u, const MapInt* values) const
    {
        for (int c = 0; c < condition_count(); ++c) {
            const MapInt x = value(row(condition_row(c)), u, values);
            const MapRange& r = condition(c).range;
            if ((r.low <= x && x <= r.high) == condition(c).is_outside) return false;
        }
        return true;
    }

  private:
    int columns_ = 1, most_atoms_ = 0, second_ = 0, goals_ = 0, coordinates_ = 0;
    SmallList<MapInt, 192> cells_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
