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
    /// The value; false when a sum or product leaves the integer.
    bool operator()(IndexExpr e, std::int64_t& out)
    {
        if (known_.size() < static_cast<std::size_t>(pool_->size())) known_.resize(static_cast<std::size_t>(pool_->size()));
        // Operands come first in the pool, so the nodes up to e are evaluated in order.
        for (; done_ <= e.id; ++done_) known_[static_cast<std::size_t>(done_)] = of((*pool_)[{done_}]);
        out = known_[static_cast<std::size_t>(e.id)].value;
        return known_[static_cast<std::size_t>(e.id)].fits;
    }

  private:
    struct Known {
        std::int64_t value = 0;
        bool fits = true;
    };
    Known of(const IndexNode& n) const
    {
        const auto known = [&](IndexExpr x) { return known_[static_cast<std::size_t>(x.id)]; };
        Known out;
        switch (n.op) {
        case IndexOp::constant: out.value = n.value; return out;
        case IndexOp::variable: out.value = values_[n.value]; return out;
        case IndexOp::add: out.fits = add(known(n.left).value, known(n.right).value, out.value) && known(n.right).fits; break;
        case IndexOp::mul: out.fits = mul(known(n.left).value, known(n.right).value, out.value) && known(n.right).fits; break;
        case IndexOp::floor_div: out.fits = floor_quotient(known(n.left).value, n.value, out.value); break;
        case IndexOp::mod: out.value = floor_remainder(known(n.left).value, n.value); break;
        }
        out.fits = out.fits && known(n.left).fits;
        return out;
    }

    const IndexPool* pool_;
    const std::int64_t* values_;
    std::vector<Known> known_{};
    std::int32_t done_ = 0;
};

} // namespace detail

/// Does the point (a value for every variable) lie in the domain?
/// @returns `errc::rank_mismatch` for a wrong number of values, `errc::overflow` when a constraint's value leaves the integer.
inline Result<bool> contains(const IndexingMap& map, const std::vector<std::int64_t>& values)
{
    if (values.size() != map.variables.size())
        return Error(errc::rank_mismatch, -1, "the map has {0} variables, and there are {1} values",
                     static_cast<std::int64_t>(map.variables.size()), static_cast<std::int64_t>(values.size()));
    for (std::size_t v = 0; v < values.size(); ++v)
        if (!map.variables[v].bounds.contains(values[v])) return false;
    detail::IndexEvaluator evaluate(map.pool, values.data());
    for (std::size_t i = 0; i < map.constraints.size(); ++i) {
        std::int64_t value = 0;
        if (!evaluate(map.constraints[i].expression, value))
            return Error(errc::overflow, static_cast<int>(i), "the value of constraint {0} leaves the integer",
                         static_cast<int>(i));
        if (!map.constraints[i].interval.contains(value)) return false;
    }
    return true;
}

/// The results at a point, in the domain or not: no constraint is looked at.
/// @returns `errc::rank_mismatch`, or `errc::overflow` with the result that leaves the integer. Cost: linear in the nodes.
inline Result<std::vector<std::int64_t>> evaluate_anywhere(const IndexingMap& map, const std::vector<std::int64_t>& values)
{
    if (values.size() != map.variables.size())
        return Error(errc::rank_mismatch, -1, "the map has {0} variables, and there are {1} values",
                     static_cast<std::int64_t>(map.variables.size()), static_cast<std::int64_t>(values.size()));
    std::vector<std::int64_t> out(map.results.size());
    detail::IndexEvaluator evaluate(map.pool, values.data());
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!evaluate(map.results[i], out[i]))
            return Error(errc::overflow, static_cast<int>(i), "the value of result {0} leaves the integer", static_cast<int>(i));
    return out;
}

/// The results at a point of the domain.
/// @returns `errc::out_of_domain` elsewhere; otherwise as `evaluate_anywhere`.
inline Result<std::vector<std::int64_t>> evaluate(const IndexingMap& map, const std::vector<std::int64_t>& values)
{
    const auto inside = contains(map, values);
    if (!inside) return inside.error();
    if (!*inside) return Error(errc::out_of_domain, -1, "the point is outside the map's domain");
    return evaluate_anywhere(map, values);
}

} // namespace v0
} // namespace axe

#endif
