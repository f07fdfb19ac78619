// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_PRESBURGER_BRANCHING_HPP
#define AXE_MAP_PRESBURGER_BRANCHING_HPP

#include <axe/map/presburger/basic_set.hpp>

/// Where a part of a domain is cut, when nothing is decided on the whole of it.
namespace axe {
inline namespace v0 {
namespace detail {

struct Branch {
    enum Kind : std::uint8_t {
        none,     ///< all is decided
        sides,    ///< constraint `index` above what it leaves out, and below
        values,   ///< local `index` ≤ at, and > at
        order,    ///< of the two forms of local `index`: the first ≤ the second, and >
        halves,   ///< variable `index` ≤ at, and > at
        residues, ///< variable `index` modulo `at`
    };
    Kind kind = none;
    int index = 0;
    WideInt at = 0;

    [[nodiscard]] WideInt parts() const noexcept { return kind == none ? 0 : kind == residues ? at : 2; }
};

inline double wraps(WideInt slope, WideInt last, WideInt divisor)
{
    return static_cast<double>(magnitude(slope)) * static_cast<double>(last) / static_cast<double>(divisor);
}
inline Branch halve(const BasicSet& s, int j) { return {Branch::halves, j, floor_of(s.dim(j).last - 1, 2)}; }

inline Branch cut_floor(const BasicSet& s, int i, int j, double most)
{
    const WideInterval& values = s.at(i).range;
    const WideInt last = s.dim(j).last, divisor = s.at(i).divisor, count = values.high - values.low + 1;
    if (count > 4) {
        // What is chosen is critical for the cost only, so floating point will do. More residues must gain as much again.
        WideInt residues = 1;
        double fewest = most / 4;
        for (WideInt b = 2; b <= 32 && 2 * b <= last; ++b) {
            WideInt slope = s.row(i)[s.of_dim(j)] * b;
            slope -= floor_of(slope, divisor) * divisor;
            if (2 * slope > divisor) slope -= divisor;
            if (const double w = wraps(slope, last / b, divisor); w < fewest) {
                fewest = w / 4;
                residues = b;
            }
        }
        if (residues > 1) return {Branch::residues, j, residues};
        const WideInt period = divisor / common_divisor(divisor, s.row(i)[s.of_dim(j)]);
        if (period <= 4096 && 4 * period <= last) return {Branch::residues, j, period};
    }
    int users = 0;
    for (int k = 1; k < s.of_local(i); ++k) users += s.row(i)[k] != 0 ? 1 : 0;
    if (count <= 8 || users == 1) return {Branch::values, i, values.low + floor_of(count, 2) - 1};
    return halve(s, j);
}
inline Branch cut_product(const BasicSet& s, int i)
{
    // Without variables in one factor, it is a form of the other: the smaller one is cut. Of a quotient it is the divisor.
    int best = -1;
    for (const int r : {s.at(i).divisor == by_quotient ? s.second_row(i) : i, s.second_row(i)})
        for (int j = 0; j < s.dim_count(); ++j)
            if (s.row(r)[s.of_dim(j)] != 0 && (best < 0 || s.dim(j).last < s.dim(best).last)) best = j;
    return halve(s, best);
}
/// A thin oblique part of the box, without a variable that `substitute_unimodular` could replace: modulo the least coefficient the other
/// variables are fixed, one by one, and then that coefficient is a common divisor.
inline Branch cut_oblique(const BasicSet& s)
{
    for (int c = 0; c < s.constraint_count(); ++c) {
        const WideInt* form = s.row(s.constraint_row(c));
        if (s.constraint(c).is_outside || !s.is_linear(form)) continue;
        const WideInt width = s.constraint(c).range.high - s.constraint(c).range.low;
        int own = -1;
        for (int j = 0; j < s.dim_count(); ++j) {
            const WideInt a = magnitude(form[s.of_dim(j)]), last = s.dim(j).last;
            if (a == 0 || last < 64 || floor_of(width, a) + 1 > floor_of(last, 4)) continue;
            if (own < 0 || a < magnitude(form[s.of_dim(own)])) own = j;
        }
        const WideInt m = own < 0 ? 1 : magnitude(form[s.of_dim(own)]);
        if (m == 1 || m > 4096) continue;
        Branch best;
        for (int j = 0; j < s.dim_count(); ++j) {
            const WideInt a = form[s.of_dim(j)];
            if (a == 0 || floor_of(a, m) * m == a) continue;
            const WideInt modulus = least(floor_of(m, common_divisor(m, a)), s.dim(j).last + 1);
            if (best.kind == Branch::none || modulus < best.at) best = {Branch::residues, j, modulus};
        }
        if (best.kind != Branch::none) return best;
    }
    return {};
}
inline Branch cut_linear(const BasicSet& s)
{
    int best = -1;
    WideInt most = 0;
    for (int c = 0; c < s.constraint_count(); ++c)
        for (int j = 0; j < s.dim_count(); ++j) {
            const WideInt footprint = saturated_product(magnitude(s.row(s.constraint_row(c))[s.of_dim(j)]), s.dim(j).last);
            if (footprint > most) {
                most = footprint;
                best = j;
            }
        }
    return best < 0 ? Branch{} : halve(s, best);
}

/// Where a floor wraps most: into residues that nearly do not move, by the floor's values where they are few, or in halves.
inline Branch choose_branch(const BasicSet& s)
{
    for (int c = 0; c < s.constraint_count(); ++c)
        if (s.constraint(c).is_outside && s.is_linear(s.row(s.constraint_row(c)))) return {Branch::sides, c, 0};
    if (const Branch cut = cut_oblique(s); cut.kind != Branch::none) return cut;
    int local = -1, variable = 0;
    double most = -1;
    for (int i = 0; i < s.local_count(); ++i) {
        if (!s.at(i).is_used || !s.at(i).is_floor()) continue;
        for (int j = 0; j < s.dim_count(); ++j)
            if (const WideInt a = s.row(i)[s.of_dim(j)]; a != 0)
                if (const double w = wraps(a, s.dim(j).last, s.at(i).divisor); w > most) {
                    most = w;
                    local = i;
                    variable = j;
                }
    }
    if (local >= 0) return cut_floor(s, local, variable, most);
    // Products, minima and quotients are left, and the first has no locals inside.
    for (int i = 0; i < s.local_count(); ++i)
        if (s.at(i).is_used) return s.at(i).divisor == by_minimum ? Branch{Branch::order, i, 0} : cut_product(s, i);
    return cut_linear(s);
}

/// Restricts a copy to one part of the cut.
inline void take_branch(BasicSet& s, const Branch& cut, WideInt part)
{
    switch (cut.kind) {
    case Branch::none: break;
    case Branch::sides: {
        SetConstraint& c = s.constraint(cut.index);
        c.is_outside = false;
        c.range = part == 0 ? WideInterval{-wide_limit, c.range.low - 1} : WideInterval{c.range.high + 1, wide_limit};
        break;
    }
    case Branch::values: {
        const WideInterval range = part == 0 ? WideInterval{-wide_limit, cut.at} : WideInterval{cut.at + 1, wide_limit};
        s.add_constraint(range)[s.of_local(cut.index)] = 1;
        break;
    }
    case Branch::order: {
        WideInt* const form = s.add_constraint(part == 0 ? WideInterval{-wide_limit, 0} : WideInterval{1, wide_limit});
        const WideInt *first = s.row(cut.index), *second = s.row(s.second_row(cut.index));
        for (int c = 0; c < s.columns(); ++c) form[c] = first[c] - second[c];
        break;
    }
    case Branch::halves:
        part == 0 ? s.restrict_dim(cut.index, 0, cut.at) : s.restrict_dim(cut.index, cut.at + 1, s.dim(cut.index).last);
        break;
    case Branch::residues: s.restrict_residue(cut.index, cut.at, part); break;
    }
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
