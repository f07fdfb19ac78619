// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_BASIC_SET_HPP
#define AXE_MAP_PRESBURGER_BASIC_SET_HPP

#include <axe/map/indexing_map.hpp>
#include <axe/map/presburger/wide_int.hpp>
#include <axe/map/small_vector.hpp>

#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// A variable of a part: 0 ≤ u ≤ last.
struct SetDim {
    WideInt last = 0;
};
/// Divisors of local variables that are not floors by a number.
inline constexpr WideInt by_product = 0, by_minimum = -1, by_quotient = -2;

/// What is not linear in a form: ⌊form / divisor⌋ for a divisor > 0, and else what `divisor` says of two forms: their product, the lesser of
/// them, or the floor of their quotient, the second of which is never 0.
struct SetLocal {
    WideInt divisor = by_product;
    WideInterval range{-wide_limit, wide_limit}; ///< holds all values in the part
    bool is_used = false;
    [[nodiscard]] bool is_floor() const noexcept { return divisor > 0; }
};
/// The form's values are in the range; or outside of it.
struct SetConstraint {
    WideInterval range{};
    bool is_outside = false;
};

/// Forms  c + Σ a_j·u_j + Σ b_i·A_i  over the variables u and the locals A_i, of which each uses only those before it.
///
/// Forms are rows of numbers, constant first. There are three kinds: the locals' own, goals (what is asked about) and constraints. The
/// variables are those of the part, which is why a system whose points are wanted has a map's variables among its goals, at the end.
/// A system represents one part of a domain; it is rewritten as the part shrinks, and copied where the part is cut. A number that
/// cannot be held makes it unsound, and what is computed after that means nothing.
class BasicSet {
  public:
    SmallVector<SetDim, 8> dims{};
    SmallVector<SetLocal, 12> locals{};
    SmallVector<SetConstraint, 8> constraints{};
    bool is_unsound = false, is_empty = false;

    BasicSet() noexcept {} // not defaulted: that would set the room that is not in use
    /// @param has_coordinates  are there goals for the variables themselves, beyond the `goals`?
    BasicSet(int variables, int most_locals, bool has_products, int goals, bool has_coordinates = false)
        : columns_(1 + variables + most_locals),
          most_locals_(most_locals),
          second_(has_products ? most_locals : 0),
          goals_(goals),
          coordinates_(has_coordinates ? variables : 0)
    {
        dims.resize(static_cast<std::size_t>(variables));
        locals.reserve(static_cast<std::size_t>(most_locals));
        entries_.resize(static_cast<std::size_t>(rows() * columns_));
        for (int j = 0; j < coordinates_; ++j) row(coordinate_row(j))[of_dim(j)] = 1;
    }

    [[nodiscard]] int columns() const noexcept { return columns_; }
    [[nodiscard]] int dim_count() const noexcept { return static_cast<int>(dims.size()); }
    [[nodiscard]] int local_count() const noexcept { return static_cast<int>(locals.size()); }
    [[nodiscard]] int used_locals() const noexcept
    {
        return static_cast<int>(std::count_if(locals.begin(), locals.end(), [](const SetLocal& a) { return a.is_used; }));
    }
    [[nodiscard]] int constraint_count() const noexcept { return static_cast<int>(constraints.size()); }
    [[nodiscard]] int goal_count() const noexcept { return goals_; }
    [[nodiscard]] int coordinate_count() const noexcept { return coordinates_; }
    [[nodiscard]] bool has_products() const noexcept { return second_ > 0; }
    /// The column of a variable, and of an local.
    [[nodiscard]] int of_dim(int j) const noexcept { return 1 + j; }
    [[nodiscard]] int of_local(int i) const noexcept { return 1 + dim_count() + i; }
    [[nodiscard]] int used_columns() const noexcept { return of_local(local_count()); }

    WideInt* row(int r) noexcept { return entries_.data() + r * columns_; }
    [[nodiscard]] const WideInt* row(int r) const noexcept { return entries_.data() + r * columns_; }
    [[nodiscard]] int rows() const noexcept { return constraint_row(constraint_count()); }
    [[nodiscard]] int second_row(int local) const noexcept { return most_locals_ + local; }
    [[nodiscard]] int goal_row(int g) const noexcept { return most_locals_ + second_ + g; }
    [[nodiscard]] int coordinate_row(int j) const noexcept { return goal_row(goals_) + j; }
    [[nodiscard]] int constraint_row(int c) const noexcept { return coordinate_row(coordinates_) + c; }
    /// Is there a form in the row: no local that is not used, no second factor that is absent?
    [[nodiscard]] bool is_live(int r) const noexcept
    {
        if (r < most_locals_) return r < local_count() && at(r).is_used;
        if (r < most_locals_ + second_) return r - most_locals_ < local_count() && at(r - most_locals_).is_used;
        return true;
    }
    SetDim& dim(int j) noexcept { return dims[static_cast<std::size_t>(j)]; }
    [[nodiscard]] const SetDim& dim(int j) const noexcept { return dims[static_cast<std::size_t>(j)]; }
    SetLocal& at(int i) noexcept { return locals[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const SetLocal& at(int i) const noexcept { return locals[static_cast<std::size_t>(i)]; }
    SetConstraint& constraint(int c) noexcept { return constraints[static_cast<std::size_t>(c)]; }
    [[nodiscard]] const SetConstraint& constraint(int c) const noexcept { return constraints[static_cast<std::size_t>(c)]; }

    /// Appends a constraint on the form 0, for the caller to fill.  @returns its row
    WideInt* add_constraint(const WideInterval& range, bool is_outside = false)
    {
        entries_.resize(entries_.size() + static_cast<std::size_t>(columns_));
        constraints.push_back({range, is_outside});
        return row(rows() - 1);
    }
    /// Appends a constraint on a form, which is none of this system's rows.
    void add_constraint(const WideInt* form, const WideInterval& range, bool is_outside = false)
    {
        std::copy_n(form, columns_, add_constraint(range, is_outside));
    }
    void drop_constraint(int c)
    {
        const int last = constraint_count() - 1;
        if (c != last) {
            std::copy(row(constraint_row(last)), row(constraint_row(last)) + columns_, row(constraint_row(c)));
            constraints[static_cast<std::size_t>(c)] = SetConstraint(constraints.back());
        }
        constraints.pop_back();
        entries_.resize(entries_.size() - static_cast<std::size_t>(columns_));
    }
    /// Appends an local; its row(s) are the caller's to fill.
    int add_local(WideInt divisor)
    {
        locals.push_back({divisor, {-wide_limit, wide_limit}, true});
        return local_count() - 1;
    }

    [[nodiscard]] bool is_linear(const WideInt* form) const noexcept
    {
        for (int i = 0; i < local_count(); ++i)
            if (form[of_local(i)] != 0) return false;
        return true;
    }
    /// The values of what a column counts.
    [[nodiscard]] WideInterval values_of(int column) const noexcept
    {
        return column < of_local(0) ? WideInterval{0, dim(column - 1).last} : at(column - of_local(0)).range;
    }
    /// The values of a form over the part.
    [[nodiscard]] WideInterval range_of(const WideInt* form) const noexcept
    {
        WideInterval out{form[0], form[0]};
        for (int c = 1; c < used_columns(); ++c)
            if (form[c] != 0) add_multiple(form[c], values_of(c), out);
        return {within_limits(out.low), within_limits(out.high)};
    }
    /// The number of points of the part; the limit when there are more.
    [[nodiscard]] WideInt volume() const noexcept
    {
        WideInt out = 1;
        for (const SetDim& a : dims) out = saturated_product(out, a.last + 1);
        return out;
    }

    /// Keeps low ≤ u_j ≤ high, with low moved to 0.
    void restrict_dim(int j, WideInt low, WideInt high)
    {
        SetDim& a = dim(j);
        a.last = least(a.last, high) - low;
        if (a.last < 0) is_empty = true;
        if (low == 0) return;
        for (int r = 0; r < rows(); ++r)
            if (const WideInt c = row(r)[of_dim(j)]; c != 0 && is_live(r) && !add_multiple(c, low, row(r)[0])) is_unsound = true;
    }
    /// Keeps u_j = residue, residue + modulus, …, which becomes 0, 1, …
    void restrict_residue(int j, WideInt modulus, WideInt residue)
    {
        restrict_dim(j, residue, dim(j).last);
        SetDim& a = dim(j);
        a.last = floor_of(a.last, modulus);
        for (int r = 0; r < rows(); ++r) {
            WideInt& c = row(r)[of_dim(j)];
            if (c != 0 && is_live(r) && !is_sound(c = saturated_product(c, modulus))) is_unsound = true;
        }
    }

    /// In the forms from row `first` on, what counts in a column becomes a form, which may count in it too.
    void substitute(int column, const WideInt* form, int first = 0)
    {
        for (int r = first; r < rows(); ++r) {
            WideInt* to = row(r);
            const WideInt factor = to[column];
            if (factor == 0 || !is_live(r)) continue;
            to[column] = 0;
            for (int c = 0; c < columns_; ++c)
                if (form[c] != 0 && !add_multiple(factor, form[c], to[c])) is_unsound = true;
        }
    }
    /// The system with so many more variables, which are in no form yet, and without the locals that are not used.
    [[nodiscard]] BasicSet widened(int variables) const
    {
        BasicSet out(dim_count() + variables, used_locals(), has_products(), goals_, coordinates_ > 0);
        std::copy(dims.begin(), dims.end(), out.dims.begin());
        out.is_unsound = is_unsound;
        out.is_empty = is_empty;
        const auto copy = [&](const WideInt* form, WideInt* to) {
            std::copy(form, form + of_local(0), to);
            for (int i = 0, at = 0; i < local_count(); ++i)
                if (locals[static_cast<std::size_t>(i)].is_used) to[out.of_local(at++)] = form[of_local(i)];
        };
        for (int i = 0; i < local_count(); ++i) {
            if (!at(i).is_used) continue;
            const int to = out.add_local(at(i).divisor);
            out.at(to).range = at(i).range;
            copy(row(i), out.row(to));
            if (!at(i).is_floor()) copy(row(second_row(i)), out.row(out.second_row(to)));
        }
        for (int g = 0; g < goals_ + coordinates_; ++g) copy(row(goal_row(g)), out.row(out.goal_row(g)));
        for (int c = 0; c < constraint_count(); ++c)
            copy(row(constraint_row(c)), out.add_constraint(constraint(c).range, constraint(c).is_outside));
        return out;
    }
    /// Gives up the room of locals that are not used, where they are many: a difference of long expressions leaves few.
    void compact()
    {
        if (2 * used_locals() < most_locals_) *this = widened(0);
    }

    /// Fills in what the locals are at a point, which is a number for each column; the constant's is not read.
    void evaluate_locals(WideInt* at_point) const
    {
        for (int i = 0; i < local_count(); ++i) {
            if (!at(i).is_used) continue;
            const WideInt x = value(row(i), at_point), divisor = at(i).divisor;
            const WideInt y = at(i).is_floor() ? divisor : value(row(second_row(i)), at_point);
            at_point[of_local(i)] = at(i).is_floor()        ? floor_of(x, y)
                                    : divisor == by_product ? saturated_product(x, y)
                                    : divisor == by_minimum ? least(x, y)
                                                            : signed_quotient(x, y);
        }
    }
    [[nodiscard]] WideInt value(const WideInt* form, const WideInt* at_point) const
    {
        WideInt out = form[0];
        for (int c = 1; c < used_columns(); ++c)
            if (form[c] != 0) out += saturated_product(form[c], at_point[c]);
        return out;
    }
    /// Do all constraints hold at the point?
    [[nodiscard]] bool holds(const WideInt* at_point) const
    {
        for (int c = 0; c < constraint_count(); ++c) {
            const WideInt x = value(row(constraint_row(c)), at_point);
            const WideInterval& r = constraint(c).range;
            if ((r.low <= x && x <= r.high) == constraint(c).is_outside) return false;
        }
        return true;
    }

  private:
    int columns_ = 1, most_locals_ = 0, second_ = 0, goals_ = 0, coordinates_ = 0;
    SmallVector<WideInt, 192> entries_{};
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
