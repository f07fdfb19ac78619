// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_DECIDE_CUT_HPP
#define AXE_MAP_DECIDE_CUT_HPP

#include <axe/map/decide/system.hpp>

/// Where a part of a domain is cut, when nothing is decided on the whole of it.
namespace axe {
inline namespace v0 {
namespace detail {

struct MapCut {
    enum Kind : std::uint8_t {
        none,     ///< all is decided
        sides,    ///< condition `index` above what it leaves out, and below
        values,   ///< atom `index` ≤ at, and > at
        halves,   ///< variable `index` ≤ at, and > at
        residues, ///< variable `index` modulo `at`
    };
    Kind kind = none;
    int index = 0;
    MapInt at = 0;

    [[nodiscard]] MapInt parts() const noexcept { return kind == none ? 0 : kind == residues ? at : 2; }
};

class MapCutter {
  public:
    explicit MapCutter(const MapSystem& s) : s_(s) {}

    /// Where a floor wraps most: into residues that nearly stand still, by the floor's values where they are few, or in halves.
    [[nodiscard]] MapCut choose() const
    {
        for (int c = 0; c < s_.condition_count(); ++c)
            if (s_.condition(c).is_outside && s_.is_linear(s_.row(s_.condition_row(c)))) return {MapCut::sides, c, 0};
        if (const MapCut cut = cut_aslant(); cut.kind != MapCut::none) return cut;
        int atom = -1, variable = 0;
        double most = -1;
        for (int i = 0; i < s_.atom_count(); ++i) {
            if (!s_.at(i).is_used || s_.at(i).divisor == 0) continue;
            for (int j = 0; j < s_.variable_count(); ++j)
                if (const MapInt a = s_.row(i)[s_.of_variable(j)]; a != 0)
                    if (const double w = wraps(a, s_.axis(j).last, s_.at(i).divisor); w > most) {
                        most = w;
                        atom = i;
                        variable = j;
                    }
        }
        if (atom >= 0) return cut_floor(atom, variable, most);
        // Products are left, and the first has no atoms inside.
        for (int i = 0; i < s_.atom_count(); ++i)
            if (s_.at(i).is_used) return cut_product(i);
        return cut_linear();
    }

  private:
    const MapSystem& s_;

    [[nodiscard]] static double wraps(MapInt slope, MapInt last, MapInt divisor)
    {
        return static_cast<double>(magnitude(slope)) * static_cast<double>(last) / static_cast<double>(divisor);
    }
    [[nodiscard]] MapCut halve(int j) const { return {MapCut::halves, j, floor_of(s_.axis(j).last - 1, 2)}; }

    [[nodiscard]] MapCut cut_floor(int i, int j, double most) const
    {
        const MapRange& values = s_.at(i).range;
        const MapInt last = s_.axis(j).last, divisor = s_.at(i).divisor, count = values.high - values.low + 1;
        if (count > 4) {
            // What is chosen is critical for the cost only, so floating point will do. More residues must gain as much again.
            MapInt residues = 1;
            double fewest = most / 4;
            for (MapInt b = 2; b <= 32 && 2 * b <= last; ++b) {
                MapInt slope = s_.row(i)[s_.of_variable(j)] * b;
                slope -= floor_of(slope, divisor) * divisor;
                if (2 * slope > divisor) slope -= divisor;
                if (const double w = wraps(slope, last / b, divisor); w < fewest) {
                    fewest = w / 4;
                    residues = b;
                }
            }
            if (residues > 1) return {MapCut::residues, j, residues};
            const MapInt period = divisor / common_divisor(divisor, s_.row(i)[s_.of_variable(j)]);
            if (period <= 4096 && 4 * period <= last) return {MapCut::residues, j, period};
        }
        int users = 0;
        for (int k = 1; k < s_.of_atom(i); ++k) users += s_.row(i)[k] != 0 ? 1 : 0;
        if (count <= 8 || users == 1) return {MapCut::values, i, values.low + floor_of(count, 2) - 1};
        return halve(j);
    }
    [[nodiscard]] MapCut cut_product(int i) const
    {
        // Without variables in one factor, it is a form of the other: the smaller one is cut.
        int best = -1;
        for (const int r : {i, s_.second_row(i)})
            for (int j = 0; j < s_.variable_count(); ++j)
                if (s_.row(r)[s_.of_variable(j)] != 0 && (best < 0 || s_.axis(j).last < s_.axis(best).last)) best = j;
        return halve(best);
    }
    /// A thin part aslant in its box, without a variable that `straighten` could replace: modulo the least coefficient the other
    /// variables are fixed, one by one, and then that coefficient is a common divisor.
    [[nodiscard]] MapCut cut_aslant() const
    {
        for (int c = 0; c < s_.condition_count(); ++c) {
            const MapInt* form = s_.row(s_.condition_row(c));
            if (s_.condition(c).is_outside || !s_.is_linear(form)) continue;
            const MapInt width = s_.condition(c).range.high - s_.condition(c).range.low;
            int own = -1;
            for (int j = 0; j < s_.variable_count(); ++j) {
                const MapInt a = magnitude(form[s_.of_variable(j)]), last = s_.axis(j).last;
                if (a == 0 || last < 64 || floor_of(width, a) + 1 > floor_of(last, 4)) continue;
                if (own < 0 || a < magnitude(form[s_.of_variable(own)])) own = j;
            }
            const MapInt m = own < 0 ? 1 : magnitude(form[s_.of_variable(own)]);
            if (m == 1 || m > 4096) continue;
            MapCut best;
            for (int j = 0; j < s_.variable_count(); ++j) {
                const MapInt a = form[s_.of_variable(j)];
                if (a == 0 || floor_of(a, m) * m == a) continue;
                const MapInt modulus = least(floor_of(m, common_divisor(m, a)), s_.axis(j).last + 1);
                if (best.kind == MapCut::none || modulus < best.at) best = {MapCut::residues, j, modulus};
            }
            if (best.kind != MapCut::none) return best;
        }
        return {};
    }
    [[nodiscard]] MapCut cut_linear() const
    {
        int best = -1;
        MapInt most = 0;
        for (int c = 0; c < s_.condition_count(); ++c)
            for (int j = 0; j < s_.variable_count(); ++j) {
                const MapInt reach = saturated_product(magnitude(s_.row(s_.condition_row(c))[s_.of_variable(j)]), s_.axis(j).last);
                if (reach > most) {
                    most = reach;
                    best = j;
                }
            }
        return best < 0 ? MapCut{} : halve(best);
    }
};

/// Restricts a copy to one part of the cut.
inline void take_part(MapSystem& s, const MapCut& cut, MapInt part)
{
    switch (cut.kind) {
    case MapCut::none: break;
    case MapCut::sides: {
        MapCondition& c = s.condition(cut.index);
        c.is_outside = false;
        c.range = part == 0 ? MapRange{-map_limit, c.range.low - 1} : MapRange{c.range.high + 1, map_limit};
        break;
    }
    case MapCut::values: {
        std::vector<MapInt> form(static_cast<std::size_t>(s.columns()));
        form[static_cast<std::size_t>(s.of_atom(cut.index))] = 1;
        s.add_condition(form.data(), part == 0 ? MapRange{-map_limit, cut.at} : MapRange{cut.at + 1, map_limit});
        break;
    }
    case MapCut::halves:
        part == 0 ? s.restrict_axis(cut.index, 0, cut.at) : s.restrict_axis(cut.index, cut.at + 1, s.axis(cut.index).last);
        break;
    case MapCut::residues: s.restrict_residue(cut.index, cut.at, part); break;
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
