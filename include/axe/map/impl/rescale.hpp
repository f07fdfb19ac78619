// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_RESCALE_HPP
#define AXE_MAP_IMPL_RESCALE_HPP

#include <axe/map/constrain.hpp>
#include <axe/map/rescale.hpp>

#include <numeric>

namespace axe {
inline namespace v0 {
namespace detail {

/// Moduli up to here: products of two remainders fit the integer.
inline constexpr std::int64_t largest_rescale = std::int64_t{1} << 31;

/// variable ≡ residue (mod modulus), modulus > 0 and 0 ≤ residue < modulus; or nothing that holds.
struct Congruence {
    int variable = -1;
    std::int64_t modulus = 1, residue = 0;
    bool is_empty = false;
};

/// a·v + b, modulo some k; v is −1 for a constant.
struct AffineModulo {
    bool is_affine = false;
    int variable = -1;
    std::int64_t a = 0, b = 0;
};

/// The expression modulo k, if it is affine in one variable.
inline AffineModulo affine_modulo(const IndexPool& pool, IndexExpr expression, std::int64_t k)
{
    std::vector<AffineModulo> known(static_cast<std::size_t>(expression.id) + 1);
    const auto reduce = [k](std::int64_t x) { return floor_remainder(x, k); };
    for (std::int32_t id = 0; id <= expression.id; ++id) { // operands come before what uses them
        const IndexNode& n = pool[{id}];
        AffineModulo& out = known[static_cast<std::size_t>(id)];
        if (n.op == IndexOp::constant) out = {true, -1, 0, reduce(n.value)};
        if (n.op == IndexOp::variable) out = {true, static_cast<int>(n.value), reduce(1), 0};
        if (n.op != IndexOp::add && n.op != IndexOp::mul) continue;
        const AffineModulo& x = known[static_cast<std::size_t>(n.left.id)];
        const AffineModulo& y = known[static_cast<std::size_t>(n.right.id)];
        if (!x.is_affine || !y.is_affine) continue;
        if (n.op == IndexOp::mul) { // by a constant, which the maker puts to the right
            if (y.variable < 0) out = {true, x.variable, reduce(x.a * y.b), reduce(x.b * y.b)};
        } else if (x.variable < 0 || y.variable < 0 || x.variable == y.variable) {
            out = {true, std::max(x.variable, y.variable), reduce(x.a + y.a), reduce(x.b + y.b)};
        }
    }
    return known.back();
}

/// What `(a·v + b) mod k in [c, c]` says of v; false when the constraint is of another form.
inline bool is_congruence(const IndexPool& pool, const IndexConstraint& constraint, Congruence& out)
{
    const IndexNode& n = pool[constraint.expression];
    if (n.op != IndexOp::mod || !constraint.interval.is_point()) return false;
    if (n.value < -largest_rescale || n.value > largest_rescale) return false;
    const std::int64_t k = n.value < 0 ? -n.value : n.value, c = constraint.interval.low;
    const AffineModulo affine = affine_modulo(pool, n.left, k);
    if (!affine.is_affine || affine.variable < 0) return false;
    out.variable = affine.variable;
    // Remainders of a negative divisor are in (k, 0], and congruent to those of its opposite.
    const bool is_remainder = n.value > 0 ? 0 <= c && c < k : -k < c && c <= 0;
    const std::int64_t g = std::gcd(affine.a, k), wanted = floor_remainder(c - affine.b, k);
    out.is_empty = !is_remainder || wanted % g != 0;
    if (out.is_empty) return true;
    out.modulus = k / g;
    out.residue = floor_remainder(inverse_mod(floor_mod(affine.a / g, out.modulus), out.modulus) * (wanted / g), out.modulus);
    return true;
}

} // namespace detail

AXE_DECL IndexingMap rescale(const IndexingMap& map)
{
    if (map.is_undefined) return map;
    IndexingMap out = map;
    for (std::size_t i = 0; i < out.constraints.size();) {
        detail::Congruence c;
        if (!detail::is_congruence(out.pool, out.constraints[i], c) || c.variable < out.first_range() ||
            c.variable >= out.first_runtime()) {
            ++i;
            continue;
        }
        if (c.is_empty) return detail::nowhere(map, map.results.size());
        out.constraints.erase(out.constraints.begin() + static_cast<std::ptrdiff_t>(i));
        if (c.modulus == 1) continue;

        IndexingMap next = IndexingMap::of_variables(out);
        IndexInterval& b = next.variables[static_cast<std::size_t>(c.variable)].bounds; // of the t with modulus·t + residue in it
        b = {detail::floor_div(b.low, c.modulus) + (floor_remainder(b.low, c.modulus) > c.residue ? 1 : 0),
             detail::floor_div(b.high, c.modulus) - (floor_remainder(b.high, c.modulus) < c.residue ? 1 : 0)};
        std::vector<IndexExpr> places = next.pool.variables(next.variables.size());
        IndexExpr& place = places[static_cast<std::size_t>(c.variable)];
        place = next.pool.add(next.pool.mul(place, c.modulus), c.residue);
        detail::append_replaced(next, out, places);
        out = std::move(next);
        i = 0;
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
