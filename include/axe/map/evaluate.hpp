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
        return known_[static_cast<std::size_t>(e.id)].trouble == Trouble::none;
    }
    /// Why an expression that was evaluated has no value: `of` names it in the message.
    [[nodiscard]] Error error(IndexExpr e, int position, const char* overflow, const char* division) const
    {
        const bool divides = known_[static_cast<std::size_t>(e.id)].trouble == Trouble::division;
        return Error(divides ? errc::bad_argument : errc::overflow, position, divides ? division : overflow, position);
    }

  private:
    enum class Trouble : std::uint8_t { none, overflow, division }; ///< of a value or its operands: the last that there is
    struct Known {
        std::int64_t value = 0;
        Trouble trouble = Trouble::none;
    };
    Known of(const IndexNode& n) const
    {
        if (n.op == IndexOp::constant) return {n.value};
        if (n.op == IndexOp::variable) return {values_[n.value]};
        const Known x = known_[static_cast<std::size_t>(n.left.id)];
        const Known y = n.right.id < 0 ? Known{n.value} : known_[static_cast<std::size_t>(n.right.id)];
        Known out{0, std::max(x.trouble, y.trouble)};
        bool fits = true;
        switch (n.op) {
        case IndexOp::constant:
        case IndexOp::variable: break;
        case IndexOp::add: fits = add(x.value, y.value, out.value); break;
        case IndexOp::mul: fits = mul(x.value, y.value, out.value); break;
        case IndexOp::min: out.value = std::min(x.value, y.value); break;
        case IndexOp::max: out.value = std::max(x.value, y.value); break;
        case IndexOp::floor_div:
        case IndexOp::floor_div_by:
            if (y.value == 0) return {0, Trouble::division};
            fits = floor_quotient(x.value, y.value, out.value);
            break;
        case IndexOp::mod:
        case IndexOp::mod_by:
            if (y.value == 0) return {0, Trouble::division};
            out.value = floor_remainder(x.value, y.value);
            break;
        }
        if (!fits) out.trouble = std::max(out.trouble, Trouble::overflow);
        return out;
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
