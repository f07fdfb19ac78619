// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_TILE_RANGE_HPP
#define AXE_MAP_TILE_RANGE_HPP

#include <axe/map/indexing_map.hpp>

#include <algorithm>
#include <vector>

namespace axe {
inline namespace v0 {
namespace detail {

/// What an expression lies between over the variables' intervals, each operand taken for itself; saturates.
class TileRange {
  public:
    TileRange(const IndexPool& pool, const std::vector<IndexVariable>& variables) : pool_(pool), variables_(variables) {}

    IndexInterval operator()(IndexExpr e)
    {
        left_ = most_nodes;
        return of(e);
    }

    /// Nodes that the last call looked at.
    [[nodiscard]] std::size_t visited() const noexcept { return static_cast<std::size_t>(most_nodes - left_); }

    static IndexInterval sum(const IndexInterval& x, const IndexInterval& y)
    {
        IndexInterval out = every_integer; // an end that is there stays there
        if (x.low == least || y.low == least || !add(x.low, y.low, out.low)) out.low = least;
        if (x.high == most || y.high == most || !add(x.high, y.high, out.high)) out.high = most;
        return out;
    }
    static IndexInterval product(const IndexInterval& x, const IndexInterval& y)
    {
        const auto corners = {product(x.low, y.low), product(x.low, y.high), product(x.high, y.low), product(x.high, y.high)};
        return {std::min(corners), std::max(corners)};
    }

  private:
    static constexpr std::int64_t least = every_integer.low, most = every_integer.high;

    static constexpr int most_nodes = 4096;

    static bool is_end(std::int64_t x) { return x <= -most || x == most; }
    static std::int64_t product(std::int64_t x, std::int64_t y)
    {
        std::int64_t out = 0;
        if (x == 0 || y == 0 || (!is_end(x) && !is_end(y) && mul(x, y, out))) return out;
        return (x < 0) != (y < 0) ? least : most;
    }
    IndexInterval of(IndexExpr e)
    {
        if (--left_ < 0) return every_integer; // a deep one: nothing is said of it
        const IndexNode& n = pool_[e];
        if (n.op == IndexOp::constant) return {n.value, n.value};
        if (n.op == IndexOp::variable) return variables_[static_cast<std::size_t>(n.value)].bounds;
        const IndexInterval x = of(n.left);
        if (n.op == IndexOp::add) return sum(x, of(n.right));
        if (n.op == IndexOp::mul) return product(x, of(n.right));
        // All divisors of a tile are positive.
        if (n.value < 1 || x.low == least || x.high == most) return every_integer;
        if (n.op == IndexOp::floor_div) return {floor_div(x.low, n.value), floor_div(x.high, n.value)};
        if (floor_div(x.low, n.value) == floor_div(x.high, n.value))
            return {floor_remainder(x.low, n.value), floor_remainder(x.high, n.value)};
        return {0, n.value - 1};
    }

    const IndexPool& pool_;
    const std::vector<IndexVariable>& variables_;
    int left_ = 0;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
