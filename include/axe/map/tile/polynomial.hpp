// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_POLYNOMIAL_HPP
#define AXE_MAP_TILE_POLYNOMIAL_HPP

#include <axe/map/indexing_map.hpp>
#include <axe/support/inline_vector.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// A product of a few atoms, the pool's numbers of variables, quotients and remainders, in order; one that is squared is there twice.
using TileAtoms = InlineVector<std::int32_t, 6>;

/// One more; false when there is no room.
inline bool insert(TileAtoms& atoms, std::int32_t id)
{
    return atoms.insert(static_cast<int>(std::upper_bound(atoms.begin(), atoms.end(), id) - atoms.begin()), id);
}
/// coefficient · atoms
struct TileProduct {
    TileAtoms atoms{};
    std::int64_t coefficient = 1;
    friend bool operator<(const TileProduct& x, const TileProduct& y)
    {
        return std::lexicographical_compare(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end());
    }
};
/// constant + Σ terms
template <class Term>
struct TileLinear {
    std::int64_t constant = 0;
    std::vector<Term> terms{};
    friend bool operator==(const TileLinear&, const TileLinear&) = default;
    /// What n and all coefficients are multiples of.
    [[nodiscard]] std::int64_t divisor(std::int64_t n) const
    {
        for (const Term& t : terms) n = std::gcd(n, t.coefficient);
        return n;
    }
    /// ⌊this / g⌋ for g > 0 that divides all coefficients.
    void divide(std::int64_t g)
    {
        constant = floor_div(constant, g);
        for (Term& t : terms) t.coefficient /= g;
    }
};

/// The terms in the order of their atoms, none twice, no coefficient 0.
using TilePolynomial = TileLinear<TileProduct>;
/// Adds like terms, which are side by side. False when it overflows: the least integer is not a coefficient, as it has no opposite.
inline bool add_like_terms(TilePolynomial& p)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < p.terms.size(); ++i) {
        if (count > 0 && p.terms[count - 1].atoms == p.terms[i].atoms) {
            std::int64_t& c = p.terms[count - 1].coefficient;
            if (!add(c, p.terms[i].coefficient, c) || c == every_integer.low) return false;
            if (c == 0) --count;
        } else {
            p.terms[count++] = p.terms[i];
        }
    }
    p.terms.resize(count);
    return true;
}

/// What was made in any order becomes a polynomial. False when it overflows.
inline bool collect(TilePolynomial& p)
{
    std::sort(p.terms.begin(), p.terms.end());
    return add_like_terms(p);
}

/// x + y; false when it overflows.
inline bool sum(const TilePolynomial& x, const TilePolynomial& y, TilePolynomial& out)
{
    TilePolynomial made;
    if (!add(x.constant, y.constant, made.constant)) return false;
    made.terms.reserve(x.terms.size() + y.terms.size());
    std::merge(x.terms.begin(), x.terms.end(), y.terms.begin(), y.terms.end(), std::back_inserter(made.terms));
    out = std::move(made);
    return add_like_terms(out);
}

/// x · y; false when it overflows, has more than `most` terms before like ones are added, or products of too many atoms.
inline bool product(const TilePolynomial& x, const TilePolynomial& y, std::size_t most, TilePolynomial& out)
{
    const std::size_t n = x.terms.size(), m = y.terms.size();
    if ((n + 1) * (m + 1) > most) return false;
    TilePolynomial made;
    if (!mul(x.constant, y.constant, made.constant)) return false;
    // The constants are the last of either's terms, without atoms.
    for (std::size_t i = 0; i <= n; ++i) {
        for (std::size_t k = 0; k < (i < n ? m + 1 : m); ++k) {
            TileProduct both = i < n ? x.terms[i] : TileProduct{{}, x.constant};
            const TileProduct right = k < m ? y.terms[k] : TileProduct{{}, y.constant};
            for (const std::int32_t a : right.atoms)
                if (!insert(both.atoms, a)) return false;
            if (!mul(both.coefficient, right.coefficient, both.coefficient) || both.coefficient == every_integer.low) return false;
            if (both.coefficient != 0) made.terms.push_back(both);
        }
    }
    out = std::move(made);
    return collect(out);
}
} // namespace detail
} // namespace v0
} // namespace axe

#endif
