// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_DECIDE_COUNT_HPP
#define AXE_MAP_DECIDE_COUNT_HPP

#include <axe/map/decide/lattice.hpp>
#include <axe/map/decide/search.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// For each variable the number of its component: variables that share a form among the rows begin … end − 1 are in one.
/// −1 for a variable that is in none.
inline std::vector<int> components(const MapSystem& s, int begin, int end)
{
    const auto n = static_cast<std::size_t>(s.variable_count());
    std::vector<int> of(n, -1);
    // Which variables a form uses, through its atoms: operands come before their users.
    std::vector<std::vector<bool>> uses(s.atoms.size());
    const auto variables_of = [&](const MapInt* form, std::vector<bool>& out) {
        for (std::size_t j = 0; j < n; ++j)
            if (form[1 + j] != 0) out[j] = true;
        for (int i = 0; i < s.atom_count(); ++i)
            if (form[s.of_atom(i)] != 0)
                for (std::size_t j = 0; j < n; ++j)
                    if (uses[static_cast<std::size_t>(i)][j]) out[j] = true;
    };
    for (int i = 0; i < s.atom_count(); ++i) {
        std::vector<bool>& own = uses[static_cast<std::size_t>(i)];
        own.resize(n);
        if (!s.at(i).is_used) continue;
        variables_of(s.row(i), own);
        if (s.at(i).divisor == 0) variables_of(s.row(s.second_row(i)), own);
    }
    for (int r = begin; r < end; ++r) {
        std::vector<bool> own(n);
        variables_of(s.row(r), own);
        int number = -1;
        for (std::size_t j = 0; j < n; ++j) {
            if (!own[j]) continue;
            const int joined = of[j];
            if (number < 0) number = joined >= 0 ? joined : static_cast<int>(j);
            of[j] = number;
            if (joined >= 0 && joined != number) std::replace(of.begin(), of.end(), joined, number);
        }
    }
    return of;
}

/// Counts the points of a system's part, by cutting it as `MapSearch` does. What needs no cut: boxes, parts that fall into independent
/// ones, repetitions, polygons of two variables, residues of one progression.
class MapCounter {
  public:
    explicit MapCounter(std::int64_t splits = map_splits) : left_(splits) {}

    bool is_decided = true, is_unsound = false;

    MapInt run(const MapSystem& whole)
    {
        MapSystem s = whole;
        const bool is_small = simplify(s) && s.volume() <= map_points;
        if (is_unsound || s.is_empty) return 0;
        s.compact();
        // Cuts that decide whole pieces, a few at first; then those that leave two variables.
        const std::int64_t most = left_;
        left_ = most / 16;
        MapInt count = parts(s);
        if (left_ < 0 && !is_unsound) {
            left_ = most;
            leaves_two_ = true;
            count = parts(s);
        }
        is_decided = left_ >= 0;
        if (is_decided || !is_small || is_unsound) return count;
        MapInt points = 0;
        is_decided = true;
        for_each_point(s, [&](const MapInt* u, const MapInt* values) {
            points += s.holds(u, values) ? 1 : 0;
            return true;
        });
        return points;
    }

  private:
    std::int64_t left_;
    bool leaves_two_ = false;

    bool simplify(MapSystem& s)
    {
        do normalize(s);
        while (!s.is_empty && !s.is_unsound && straighten(s));
        is_unsound = is_unsound || s.is_unsound;
        return !s.is_empty && !s.is_unsound;
    }
    MapInt count(MapSystem s)
    {
        if (is_unsound || left_ < 0 || !simplify(s)) return 0;
        return parts(s);
    }
    /// Independent parts multiply.
    MapInt parts(const MapSystem& s)
    {
        const std::vector<int> of = components(s, s.condition_row(0), s.rows());
        MapInt out = 1;
        for (int k = 0; k < s.variable_count(); ++k) {
            const int number = of[static_cast<std::size_t>(k)];
            if (number < 0) out = saturated_product(out, s.axis(k).last + 1);
            // Counted at the component's first variable.
            if (number < 0 || std::find(of.begin(), of.end(), number) - of.begin() != k) continue;
            MapSystem own = s;
            for (int j = 0; j < s.variable_count(); ++j)
                if (of[static_cast<std::size_t>(j)] != number) own.axis(j).last = 0;
            for (int c = s.condition_count() - 1; c >= 0; --c)
                if (!uses_component(own, own.row(own.condition_row(c)), of, number)) own.drop_condition(c);
            mark_used_atoms(own);
            out = saturated_product(out, connected(own));
            if (out == 0) return 0;
        }
        return out;
    }
    [[nodiscard]] bool uses_component(const MapSystem& s, const MapInt* form, const std::vector<int>& of, int number) const
    {
        for (int j = 0; j < s.variable_count(); ++j)
            if (form[s.of_variable(j)] != 0) return of[static_cast<std::size_t>(j)] == number;
        for (int i = 0; i < s.atom_count(); ++i)
            if (form[s.of_atom(i)] != 0)
                return uses_component(s, s.row(i), of, number) ||
                       (s.at(i).divisor == 0 && uses_component(s, s.row(s.second_row(i)), of, number));
        return false;
    }
    MapInt connected(const MapSystem& s)
    {
        MapInt out = 0;
        if (is_polygon(s, out) || is_residue(s, out) || is_repeated(s, out)) return out;
        if (is_unsound) return 0;
        const MapCut cut = choose(s);
        for (MapInt i = 0; i < cut.parts(); ++i) {
            if (--left_ < 0 || is_unsound) return 0;
            MapSystem part = s;
            take_part(part, cut, i);
            out += count(std::move(part));
        }
        return out;
    }
    [[nodiscard]] MapCut choose(const MapSystem& s) const
    {
        const MapCut cut = MapCutter(s).choose();
        if (!leaves_two_ || std::any_of(s.atoms.begin(), s.atoms.end(), [](const MapAtom& a) { return a.is_used; })) return cut;
        int best = cut.index;
        for (int j = 0; j < s.variable_count(); ++j)
            if (s.axis(j).last > 0 && s.axis(j).last < s.axis(best).last) best = j;
        return {MapCut::halves, best, floor_of(s.axis(best).last - 1, 2)};
    }
    /// Linear conditions on one or two variables.
    bool is_polygon(const MapSystem& s, MapInt& out)
    {
        std::vector<int> moving;
        for (int j = 0; j < s.variable_count(); ++j)
            if (s.axis(j).last > 0) moving.push_back(j);
        if (moving.size() != 2) return false; // one variable alone has no linear condition left
        const int u = moving[0], v = moving[1];
        PolygonCount polygon(s.axis(u).last);
        polygon.lows.push_back({0, 0, 1});
        polygon.highs.push_back({s.axis(v).last, 0, 1});
        for (int c = 0; c < s.condition_count(); ++c) {
            const MapInt* form = s.row(s.condition_row(c));
            if (!s.is_linear(form)) return false;
            const MapInt a = form[s.of_variable(u)], b = form[s.of_variable(v)];
            if (b == 0) return false;
            // low ≤ a·u + b·v + form[0] ≤ high
            const MapRange r{s.condition(c).range.low - form[0], s.condition(c).range.high - form[0]};
            polygon.lows.push_back(b > 0 ? MapLine{r.low, -a, b} : MapLine{-r.high, a, -b});
            polygon.highs.push_back(b > 0 ? MapLine{r.high, -a, b} : MapLine{-r.low, a, -b});
        }
        if (!polygon.run(out)) is_unsound = true;
        return true;
    }
    /// One condition on  (a·u + c) mod q.
    bool is_residue(const MapSystem& s, MapInt& out)
    {
        if (s.condition_count() != 1) return false;
        const MapInt* form = s.row(s.condition_row(0));
        int variable = -1, atom = -1;
        for (int k = 1; k < s.used_columns(); ++k) {
            if (form[k] == 0) continue;
            int& at = k < s.of_atom(0) ? variable : atom;
            if (at >= 0) return false;
            at = k < s.of_atom(0) ? k - 1 : k - s.of_atom(0);
        }
        if (variable < 0 || atom < 0 || s.at(atom).divisor == 0) return false;
        const MapInt* x = s.row(atom);
        const MapInt a = x[s.of_variable(variable)], c = x[0], q = s.at(atom).divisor;
        for (int k = 1; k < s.used_columns(); ++k)
            if (x[k] != 0 && k != s.of_variable(variable)) return false;
        // form = factor·(a·u − q·A) = factor·((a·u + c) mod q − c)
        const MapInt factor = -floor_of(form[s.of_atom(atom)], q);
        if (factor == 0 || -factor * q != form[s.of_atom(atom)] || factor * a != form[s.of_variable(variable)]) return false;
        MapRange r{s.condition(0).range.low - form[0], s.condition(0).range.high - form[0]};
        if (factor < 0) r = {-r.high, -r.low};
        const MapInt size = magnitude(factor);
        r = intersection({ceil_of(r.low, size) + c, floor_of(r.high, size) + c}, {0, q - 1});
        if (r.is_empty()) return true;
        // [low ≤ x mod q ≤ high] = ⌊(x − low)/q⌋ − ⌊(x − high − 1)/q⌋
        const MapInt n = s.axis(variable).last + 1;
        modular_t<std::int64_t> total = 0;
        if (!add_floor_sum(n, q, a, c - r.low, 1, total) || !add_floor_sum(n, q, a, c - r.high - 1, -1, total)) is_unsound = true;
        out = static_cast<MapInt>(total);
        return true;
    }
    /// A variable with which all conditions repeat: one period counts for all.
    bool is_repeated(const MapSystem& s, MapInt& out)
    {
        for (int j = 0; j < s.variable_count(); ++j) {
            const MapInt size = s.axis(j).last + 1;
            if (size < 4) continue;
            const MapPeriod p(s, j, floor_of(size, 2));
            if (p.period == 0) continue;
            bool repeats = true;
            for (int c = 0; c < s.condition_count() && repeats; ++c) repeats = p.drift(s.row(s.condition_row(c))) == 0;
            if (!repeats) continue;
            const MapInt times = floor_of(size, p.period), rest = size - times * p.period;
            MapSystem part = s;
            part.restrict_axis(j, 0, p.period - 1);
            out = saturated_product(times, count(std::move(part)));
            if (rest > 0) {
                part = s;
                part.restrict_axis(j, 0, rest - 1);
                out += count(std::move(part));
            }
            return true;
        }
        return false;
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
