// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_POLYNOMIAL_HPP
#define AXE_MAP_TILE_POLYNOMIAL_HPP

#include <axe/map/indexing_map.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// A product of a few atoms, the pool's numbers of variables, quotients and remainders, in order; one that is squared is there twice.
struct TileAtoms {
    static constexpr std::size_t most = 6;

    std::array<std::int32_t, most> ids{-1, -1, -1, -1, -1, -1}; ///< −1 behind the last
    std::size_t count = 0;

    [[nodiscard]] std::size_t size() const noexcept { return count; }
    [[nodiscard]] const std::int32_t* begin() const noexcept { return ids.data(); }
    [[nodiscard]] const std::int32_t* end() const noexcept { return ids.data() + count; }
    /// false when there is no more room
    bool insert(std::int32_t id)
    {
        if (count == most) return false;
        ids[count++] = id;
        for (std::size_t i = count - 1; i > 0 && ids[i - 1] > ids[i]; --i) std::swap(ids[i - 1], ids[i]);
        return true;
    }
    friend bool operator==(const TileAtoms& x, const TileAtoms& y) { return x.ids == y.ids; }
    friend bool operator<(const TileAtoms& x, const TileAtoms& y) { return x.ids < y.ids; }
};

/// coefficient · atoms
struct TileProduct {
    TileAtoms atoms{};
    std::int64_t coefficient = 1;
};

/// constant + Σ terms, in the order of their atoms, none twice, no coefficient 0
struct TilePolynomial {
    std::int64_t constant = 0;
    std::vector<TileProduct> terms{};

    /// What n and all coefficients are multiples of.
    [[nodiscard]] std::int64_t divisor(std::int64_t n) const
    {
        for (const TileProduct& t : terms) n = std::gcd(n, t.coefficient);
        return n;
    }
    /// ⌊this / g⌋ for g > 0 that divides all coefficients.
    void divide(std::int64_t g)
    {
        constant = floor_div(constant, g);
        for (TileProduct& t : terms) t.coefficient /= g;
    }
};

/// x + y; false when it overflows. The least integer is not a coefficient: it has no opposite.
inline bool sum(const TilePolynomial& x, const TilePolynomial& y, TilePolynomial& out)
{
    TilePolynomial made;
    if (!add(x.constant, y.constant, made.constant)) return false;
    made.terms.reserve(x.terms.size() + y.terms.size());
    auto a = x.terms.begin(), b = y.terms.begin();
    while (a != x.terms.end() || b != y.terms.end()) {
        if (b == y.terms.end() || (a != x.terms.end() && a->atoms < b->atoms)) {
            made.terms.push_back(*a++);
        } else if (a == x.terms.end() || b->atoms < a->atoms) {
            made.terms.push_back(*b++);
        } else {
            TileProduct both{a->atoms, 0};
            if (!add(a++->coefficient, b++->coefficient, both.coefficient) || both.coefficient == every_integer.low) return false;
            if (both.coefficient != 0) made.terms.push_back(std::move(both));
        }
    }
    out = std::move(made);
    return true;
}

/// Adds like terms: what was made in any order becomes a polynomial. False when it overflows.
inline bool collect(TilePolynomial& p)
{
    std::sort(p.terms.begin(), p.terms.end(), [](const TileProduct& x, const TileProduct& y) { return x.atoms < y.atoms; });
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

/// x · y; false when it overflows, has more than `most` terms before like ones are added, or products of too many atoms.
inline bool product(const TilePolynomial& x, const TilePolynomial& y, std::size_t most, TilePolynomial& out)
{
    if ((x.terms.size() + 1) * (y.terms.size() + 1) > most) return false;
    TilePolynomial made;
    if (!mul(x.constant, y.constant, made.constant)) return false;
    const auto keep = [&](const TileProduct& left, std::int64_t factor) {
        TileProduct t = left;
        if (!mul(left.coefficient, factor, t.coefficient) || t.coefficient == every_integer.low) return false;
        if (t.coefficient != 0) made.terms.push_back(t);
        return true;
    };
    for (const TileProduct& t : x.terms)
        if (!keep(t, y.constant)) return false;
    for (const TileProduct& t : y.terms)
        if (!keep(t, x.constant)) return false;
    for (const TileProduct& left : x.terms) {
        for (const TileProduct& right : y.terms) {
            TileProduct both = left;
            for (const std::int32_t a : right.atoms)
                if (!both.atoms.insert(a)) return false;
            if (!keep(both, right.coefficient)) return false;
        }
    }
    out = std::move(made);
    return collect(out);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
