// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_RANGE_EXPRESSION_RANGES_HPP
#define AXE_MAP_RANGE_EXPRESSION_RANGES_HPP

#include <axe/map/indexing_map.hpp>
#include <axe/map/range/interval_arithmetic.hpp>
#include <axe/map/small_vector.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The bounds of a node whose operands are between x and y.
inline IndexInterval range_of_node(const IndexNode& n, const std::vector<IndexVariable>& variables, const IndexInterval& x,
                                   const IndexInterval& y)
{
    switch (n.op) {
    case IndexOp::constant: return {n.value, n.value};
    case IndexOp::variable: return variables[static_cast<std::size_t>(n.value)].bounds;
    case IndexOp::add: return sum(x, y);
    case IndexOp::mul: return product(x, y);
    case IndexOp::floor_div:
        if (n.value > 0) return quotient(x, n.value);
        return n.value == every_integer.low ? every_integer : quotient(scaled(x, -1), -n.value);
    case IndexOp::mod: return remainder(x, n.value);
    case IndexOp::min: return minimum(x, y);
    case IndexOp::max: return maximum(x, y);
    case IndexOp::floor_div_by: return quotient(x, y);
    case IndexOp::mod_by: return remainder(x, y);
    }
    return every_integer;
}

/// Intervals that hold the values of a map's expressions over the variables' intervals, node by node, each once: cheaper than
/// `range_of`, which sees that summands cancel.
class ExpressionRanges {
  public:
    explicit ExpressionRanges(const IndexingMap& map) : ExpressionRanges(map.pool, map.variables) {}
    ExpressionRanges(const IndexPool& pool, const std::vector<IndexVariable>& variables) : pool_(&pool), variables_(&variables) {}

    const IndexInterval& operator()(IndexExpr e)
    {
        known_.reserve(static_cast<std::size_t>(pool_->size()));
        while (static_cast<std::int32_t>(known_.size()) <= e.id) { // operands come first
            const IndexNode& n = (*pool_)[{static_cast<std::int32_t>(known_.size())}];
            known_.push_back(range_of_node(n, *variables_, of(n.left), of(n.right)));
        }
        return of(e);
    }

  private:
    const IndexInterval& of(IndexExpr e) const { return e.id < 0 ? every_integer : known_[static_cast<std::size_t>(e.id)]; }

    const IndexPool* pool_;
    const std::vector<IndexVariable>* variables_;
    SmallVector<IndexInterval, 64> known_;
};

/// The same for one expression while the variables' intervals change: nothing is kept, and of a tree of more nodes than are left nothing is
/// said.
inline IndexInterval range_within(const IndexPool& pool, const std::vector<IndexVariable>& variables, IndexExpr e, int& nodes_left)
{
    if (e.id < 0 || --nodes_left < 0) return every_integer;
    const IndexNode& n = pool[e];
    const IndexInterval x = n.left.id < 0 ? every_integer : range_within(pool, variables, n.left, nodes_left);
    return range_of_node(n, variables, x, n.right.id < 0 ? every_integer : range_within(pool, variables, n.right, nodes_left));
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
