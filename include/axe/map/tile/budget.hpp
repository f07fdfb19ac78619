// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_BUDGET_HPP
#define AXE_MAP_TILE_BUDGET_HPP

#include <axe/map/range/expression_ranges.hpp>

#include <cstddef>
#include <cstdint>

namespace axe {
inline namespace v0 {
namespace detail {

/// The elementary steps that a search for tiles may still take: nodes and terms that are looked at, conditions that are compared.
///
/// Ways alone are not a measure of the work: each may be through long sums, and be compared with all cases before it.
class TileBudget {
  public:
    static constexpr std::int64_t all = std::int64_t{1} << 22;

    void spend(std::size_t steps) noexcept { left_ -= static_cast<std::int64_t>(steps); }
    [[nodiscard]] bool is_spent() const noexcept { return left_ < 0; }

  private:
    std::int64_t left_ = all;
};

/// The bounds of an expression over the current intervals of the variables; unknown beyond 4096 nodes.
inline IndexInterval range_within(const IndexPool& pool, const std::vector<IndexVariable>& variables, IndexExpr e,
                                  TileBudget& budget)
{
    constexpr int most_nodes = 4096;
    int left = most_nodes;
    const IndexInterval out = range_within(pool, variables, e, left);
    budget.spend(static_cast<std::size_t>(most_nodes - left));
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
