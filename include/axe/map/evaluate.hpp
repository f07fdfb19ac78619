// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_EVALUATE_HPP
#define AXE_MAP_EVALUATE_HPP

#include <axe/map/indexing_map.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Evaluates expressions of one pool at one point, each node once.
class IndexEvaluator {
  public:
    /// @param values  one for each variable that occurs; all this outlives the evaluator
    IndexEvaluator(const IndexPool& pool, const std::int64_t* values) : pool_(&pool), values_(values) { at(values); }

    /// Begins anew at another point.
    void at(const std::int64_t* values)
    {
        values_ = values;
        done_ = 0;
    }
    /// The value; false when a sum or product overflows, or a divisor is 0.
    bool operator()(IndexExpr e, std::int64_t& out)
    {
        if (known_.size() < static_cast<std::size_t>(pool_->size())) known_.resize(static_cast<std::size_t>(pool_->size()));
        // Operands come first in the pool, so the nodes up to e are evaluated in order.
        for (; done_ <= e.id; ++done_) known_[static_cast<std::size_t>(done_)] = of((*pool_)[{done_}]);
        out = known_[static_cast<std::size_t>(e.id)].value;
        return known_[static_cast<std::size_t>(e.id)].fits;
    }
    /// Why an expression that was evaluated has no value: `of` names it in the message.
    [[nodiscard]] Error error(IndexExpr e, int position, const char* overflow, const char* division) const
    {
        const bool divides = known_[static_cast<std::size_t>(e.id)].divides_by_zero;
        return Error(divides ? errc::bad_argument : errc::overflow, position, divides ? division : overflow, position);
    }

  private:
    struct Known {
        std::int64_t value = 0;
        bool fits = true;
        bool divides_by_zero = false; ///< it, or an operand
    };
    Known of(const IndexNode& n) const
    {
        const auto known = [&](IndexExpr x) { return known_[static_cast<std::size_t>(x.id)]; };
        Known out;
        switch (n.op) {
        case IndexOp::constant: out.value = n.value; return out;
        case IndexOp::variable: out.value = values_[n.value]; return out;
        case IndexOp::add: out.fits = add(known(n.left).value, known(n.right).value, out.value); break;
        case IndexOp::mul: out.fits = mul(known(n.left).value, known(n.right).value, out.value); break;
        case IndexOp::floor_div: out.fits = floor_quotient(known(n.left).value, n.value, out.value); break;
        case IndexOp::mod: out.value = floor_remainder(known(n.left).value, n.value); break;
        case IndexOp::min: out.value = std::min(known(n.left).value, known(n.right).value); break;
        case IndexOp::max: out.value = std::max(known(n.left).value, known(n.right).value); break;
        case IndexOp::floor_div_by:
        case IndexOp::mod_by: divide(n.op, known(n.left).value, known(n.right).value, out); break;
        }
        out.fits = out.fits && known(n.left).fits && (n.right.id < 0 || known(n.right).fits);
        if (out.fits) return out;
        out.divides_by_zero =
            out.divides_by_zero || known(n.left).divides_by_zero || (n.right.id >= 0 && known(n.right).divides_by_zero);
        return out;
    }

    static void divide(IndexOp op, std::int64_t x, std::int64_t by, Known& out)
    {
        out.divides_by_zero = by == 0;
        if (by == 0)
            out.fits = false;
        else if (op == IndexOp::floor_div_by)
            out.fits = floor_quotient(x, by, out.value);
        else
            out.value = floor_remainder(x, by);
    }

    const IndexPool* pool_;
    const std::int64_t* values_;
    std::vector<Known> known_{};
    std::int32_t done_ = 0;
};

} // namespace detail

namespace detail {

constexpr Error value_count(std::int64_t variables, std::int64_t values) noexcept
{
    return Error(errc::rank_mismatch, -1, "the map has {0} variables, got {1} values", variables, values);
}

} // namespace detail

/// Is the point (a value for every variable) in the domain?
/// @returns `errc::rank_mismatch` for a wrong number of values, `errc::overflow` when a constraint's value overflows,
/// `errc::bad_argument` when it is divided by 0.
inline Decision contains(const IndexingMap& map, const std::vector<std::int64_t>& values)
{
    if (values.size() != map.variables.size())
        return detail::value_count(static_cast<std::int64_t>(map.variables.size()), static_cast<std::int64_t>(values.size()));
    for (std::size_t v = 0; v < values.size(); ++v)
        if (!map.variables[v].bounds.contains(values[v])) return Decision(false);
    detail::IndexEvaluator evaluate(map.pool, values.data());
    for (std::size_t i = 0; i < map.constraints.size(); ++i) {
        std::int64_t value = 0;
        if (!evaluate(map.constraints[i].expression, value))
            return evaluate.error(map.constraints[i].expression, static_cast<int>(i), "the value of constraint {0} overflows",
                                  "constraint {0} is divided by 0");
        if (!map.constraints[i].interval.contains(value)) return Decision(false);
    }
    return Decision(true);
}

/// The results at a point, in the domain or not: no constraint is looked at.
/// @returns `errc::rank_mismatch`, or `errc::overflow` with the result that overflows, `errc::bad_argument` with one that is divided by 0. Cost: linear in the nodes.
inline Result<std::vector<std::int64_t>> evaluate_anywhere(const IndexingMap& map, const std::vector<std::int64_t>& values)
{
    if (values.size() != map.variables.size())
        return detail::value_count(static_cast<std::int64_t>(map.variables.size()), static_cast<std::int64_t>(values.size()));
    std::vector<std::int64_t> out(map.results.size());
    detail::IndexEvaluator evaluate(map.pool, values.data());
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!evaluate(map.results[i], out[i]))
            return evaluate.error(map.results[i], static_cast<int>(i), "the value of result {0} overflows",
                                  "result {0} is divided by 0");
    return out;
}

/// The results at a point of the domain.
/// @returns `errc::out_of_domain` elsewhere; otherwise as `evaluate_anywhere`.
inline Result<std::vector<std::int64_t>> evaluate(const IndexingMap& map, const std::vector<std::int64_t>& values)
{
    const auto inside = contains(map, values);
    if (inside.undecided()) return inside.error();
    if (inside.no()) return Error(errc::out_of_domain, -1, "the point is outside the map's domain");
    return evaluate_anywhere(map, values);
}

} // namespace v0
} // namespace axe

#endif
