// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_MAP_CHAINS_HPP
#define AXE_TESTS_LAWS_MAP_CHAINS_HPP

#include <axe/map/indexing_map.hpp>
#include <tests/random.hpp>

#include <numeric>
#include <optional>
#include <vector>

/// Random indexing maps of the bridge between maps and layouts, and their values, node by node.
namespace laws {

/// The value of an expression at a point, from the definition of each operation.
inline Int value_of(const axe::IndexPool& pool, axe::IndexExpr e, const std::vector<Int>& at)
{
    const axe::IndexNode& n = pool[e];
    const auto down = [](Int a, Int b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); };
    switch (n.op) {
    case axe::IndexOp::constant: return n.value;
    case axe::IndexOp::variable: return at[static_cast<std::size_t>(n.value)];
    case axe::IndexOp::add: return value_of(pool, n.left, at) + value_of(pool, n.right, at);
    case axe::IndexOp::mul: return value_of(pool, n.left, at) * value_of(pool, n.right, at);
    case axe::IndexOp::floor_div: return down(value_of(pool, n.left, at), n.value);
    case axe::IndexOp::mod: {
        const Int x = value_of(pool, n.left, at);
        return x - n.value * down(x, n.value);
    }
    case axe::IndexOp::min: return std::min(value_of(pool, n.left, at), value_of(pool, n.right, at));
    case axe::IndexOp::max: return std::max(value_of(pool, n.left, at), value_of(pool, n.right, at));
    case axe::IndexOp::floor_div_by: return down(value_of(pool, n.left, at), value_of(pool, n.right, at));
    case axe::IndexOp::mod_by: {
        const Int x = value_of(pool, n.left, at), by = value_of(pool, n.right, at);
        return x - by * down(x, by);
    }
    }
    return 0;
}

/// Calls f with every point of the box of the variables from `first` to `last`, row-major; the others keep what they have.
template <class F>
void for_each_point(const axe::IndexingMap& map, std::vector<Int>& at, std::size_t first, std::size_t last, F&& f)
{
    if (first == last) return f();
    for (at[first] = map.variables[first].bounds.low; at[first] <= map.variables[first].bounds.high; ++at[first])
        for_each_point(map, at, first + 1, last, f);
}
template <class F>
void for_each_point(const axe::IndexingMap& map, F&& f)
{
    std::vector<Int> at(map.variables.size());
    for_each_point(map, at, 0, at.size(), [&] { f(at); });
}

inline Int some_divisor(Random& r, Int n)
{
    std::vector<Int> all;
    for (Int d = 1; d <= n; ++d)
        if (n % d == 0) all.push_back(d);
    return all[static_cast<std::size_t>(r.in(0, static_cast<Int>(all.size()) - 1))];
}

/// The row-major index of expressions over a shape.
inline axe::IndexExpr flat_of(axe::IndexPool& pool, const std::vector<axe::IndexExpr>& index, const std::vector<Int>& shape)
{
    axe::IndexExpr x = pool.constant(0);
    for (std::size_t d = 0; d < shape.size(); ++d) x = pool.add(pool.mul(x, shape[d]), index[d]);
    return x;
}

/// The map, output to input, of operations in a row: reshapes, transposes, reversals, slices with steps, broadcasts.
inline axe::IndexingMap random_chain(Random& r, int operations, Int largest, bool with_slices)
{
    std::vector<Int> shape;
    Int size = 1;
    do {
        shape.clear();
        size = 1;
        for (Int d = r.in(1, 3); d > 0; --d) {
            shape.push_back(r.in(1, 8));
            size *= shape.back();
        }
    } while (size > largest);
    axe::IndexingMap map = axe::IndexingMap::over(shape);
    axe::IndexPool& pool = map.pool;
    std::vector<axe::IndexExpr> index;
    for (int d = 0; d < map.dimensions; ++d) index.push_back(map.dimension(d));
    for (; operations > 0; --operations) {
        const auto d = static_cast<std::size_t>(r.in(0, static_cast<Int>(shape.size()) - 1));
        switch (r.in(0, with_slices ? 5 : 2)) {
        case 0:
        case 1: { // reshape
            const axe::IndexExpr x = flat_of(pool, index, shape);
            Int rest = std::accumulate(shape.begin(), shape.end(), Int{1}, std::multiplies<>());
            shape.clear();
            for (Int k = r.in(0, 2); k > 0; --k) {
                shape.push_back(some_divisor(r, rest));
                rest /= shape.back();
            }
            shape.push_back(rest);
            index.assign(shape.size(), x);
            Int inside = 1;
            for (std::size_t k = shape.size(); k-- > 0;) {
                index[k] = pool.floor_div(x, inside);
                if (k > 0) index[k] = pool.mod(index[k], shape[k]);
                inside *= shape[k];
            }
            break;
        }
        case 2: // transpose
            if (const auto e = static_cast<std::size_t>(r.in(0, static_cast<Int>(shape.size()) - 1)); e != d) {
                std::swap(shape[d], shape[e]);
                std::swap(index[d], index[e]);
            }
            break;
        case 3: // reverse
            index[d] = pool.add(pool.mul(index[d], -1), shape[d] - 1);
            break;
        case 4: { // slice of a larger one
            const Int step = r.in(1, 2), start = r.in(0, 2);
            index[d] = pool.add(pool.mul(index[d], step), start);
            shape[d] = start + (shape[d] - 1) * step + 1 + r.in(0, 2);
            break;
        }
        default: // broadcast along a dimension
            if (shape.size() > 1) {
                shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
                index.erase(index.begin() + static_cast<std::ptrdiff_t>(d));
            }
        }
    }
    if (r.one_in(2))
        map.results = {flat_of(pool, index, shape)};
    else
        map.results = index;
    return map;
}

/// Any expression of up to `depth` operations deep.
inline axe::IndexExpr chain_expression(Random& r, axe::IndexingMap& map, int depth)
{
    const auto count = static_cast<Int>(map.variables.size());
    if (depth == 0 || r.one_in(6))
        return r.one_in(8) ? map.pool.constant(r.in(-9, 9)) : map.variable(static_cast<int>(r.in(0, count - 1)));
    const axe::IndexExpr x = chain_expression(r, map, depth - 1);
    Int k = r.in(1, 9);
    if (r.one_in(5)) k = -k;
    switch (r.in(0, 5)) {
    case 0:
    case 1: return map.pool.add(x, chain_expression(r, map, depth - 1));
    case 2: return map.pool.add(map.pool.mul(x, k), r.in(-9, 9));
    case 3: return map.pool.floor_div(x, k);
    case 4: return map.pool.mod(x, k);
    default: { // both halves of a division
        const axe::IndexExpr q = map.pool.floor_div(x, k);
        return map.pool.add(map.pool.mul(q, r.one_in(2) ? k : r.in(-9, 9)), map.pool.mul(map.pool.mod(x, k), r.in(1, 2)));
    }
    }
}
inline axe::IndexingMap random_map(Random& r, int depth, Int largest, int results)
{
    axe::IndexingMap map;
    do {
        std::vector<Int> shape;
        for (Int d = r.in(1, 3); d > 0; --d) shape.push_back(r.in(1, 12));
        map = axe::IndexingMap::over(shape);
    } while (std::accumulate(map.variables.begin(), map.variables.end(), Int{1},
                             [](Int n, const axe::IndexVariable& v) { return n * (v.bounds.high + 1); }) > largest);
    if (r.one_in(3))
        for (axe::IndexVariable& v : map.variables) {
            const Int shift = r.in(-7, 7);
            v.bounds = {v.bounds.low + shift, v.bounds.high + shift};
        }
    for (Int i = r.in(1, results); i > 0; --i) map.results.push_back(chain_expression(r, map, depth));
    return map;
}

/// Divisions and remainders in the results, each node once.
inline int divisions(const axe::IndexingMap& map)
{
    std::vector<bool> used(static_cast<std::size_t>(map.pool.size()));
    for (const axe::IndexExpr e : map.results) used[static_cast<std::size_t>(e.id)] = true;
    int count = 0;
    for (std::int32_t id = map.pool.size(); id-- > 0;) {
        if (!used[static_cast<std::size_t>(id)]) continue;
        const axe::IndexNode& n = map.pool[{id}];
        count += n.op == axe::IndexOp::floor_div || n.op == axe::IndexOp::mod;
        for (const axe::IndexExpr x : {n.left, n.right})
            if (x.id >= 0) used[static_cast<std::size_t>(x.id)] = true;
    }
    return count;
}

} // namespace laws

#endif
