// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SIMPLIFY_COST_HPP
#define AXE_MAP_SIMPLIFY_COST_HPP

#include <axe/map/expression.hpp>
#include <axe/map/small_vector.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// What an expression costs as a text: divisions and remainders first, then all nodes (variables, constants, operations).
struct ExpressionCost {
    std::int32_t divisions = 0, nodes = 0;

    static constexpr std::int32_t most = 1 << 28; ///< texts of shared nodes may be longer than any number
    constexpr ExpressionCost& operator+=(const ExpressionCost& x) noexcept
    {
        divisions = least(divisions + x.divisions, most);
        nodes = least(nodes + x.nodes, most);
        return *this;
    }
    friend constexpr ExpressionCost operator+(ExpressionCost x, const ExpressionCost& y) noexcept { return x += y; }
    friend constexpr bool operator==(const ExpressionCost&, const ExpressionCost&) = default;
    friend constexpr bool operator<(const ExpressionCost& x, const ExpressionCost& y) noexcept
    {
        return x.divisions != y.divisions ? x.divisions < y.divisions : x.nodes < y.nodes;
    }
};

/// The costs of the expressions of a pool, each node counted as often as it is printed.
class ExpressionCosts {
  public:
    explicit ExpressionCosts(const IndexPool& pool) : pool_(&pool) {}
    ExpressionCost operator()(IndexExpr e)
    {
        costs_.reserve(static_cast<std::size_t>(pool_->size()));
        for (auto id = static_cast<std::int32_t>(costs_.size()); id <= e.id; ++id) {
            const IndexNode& n = (*pool_)[{id}];
            const bool by_constant = n.op == IndexOp::floor_div || n.op == IndexOp::mod;
            const bool divides = by_constant || n.op == IndexOp::floor_div_by || n.op == IndexOp::mod_by;
            ExpressionCost c{divides ? 1 : 0, by_constant ? 2 : 1};
            if (n.left.id >= 0) c += costs_[static_cast<std::size_t>(n.left.id)];
            if (n.right.id >= 0) c += costs_[static_cast<std::size_t>(n.right.id)];
            costs_.push_back(c);
        }
        return costs_[static_cast<std::size_t>(e.id)];
    }

  private:
    const IndexPool* pool_;
    SmallVector<ExpressionCost, 128> costs_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
