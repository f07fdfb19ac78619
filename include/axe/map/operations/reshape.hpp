// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_RESHAPE_HPP
#define AXE_MAP_OPERATIONS_RESHAPE_HPP

#include <axe/map/errors.hpp>
#include <axe/map/operations/shape.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The number of elements; `errc::overflow` when it overflows. (0 in any dimension is 0, however large the rest.)
inline Result<std::int64_t> elements(const IndexShape& shape)
{
    std::int64_t product = 1;
    for (const std::int64_t n : shape)
        if (n == 0) return std::int64_t{0};
    for (const std::int64_t n : shape)
        if (!mul(product, n, product)) return elements_overflow(-1);
    return product;
}

/// The index in `to` of the element that has `index` in `from`, both row-major and of as many elements, more than none.
///
/// Where leading dimensions of both have one product, the index falls into parts, and each goes through a separate flat index.
inline std::vector<IndexExpr> reshaped_index(IndexPool& pool, const std::vector<IndexExpr>& index, const IndexShape& from,
                                             const IndexShape& to)
{
    std::vector<IndexExpr> out(to.size(), pool.constant(0));
    std::size_t i = 0, k = 0;
    while (true) {
        // Dimensions of size 1 are not a part of any: their index is 0.
        while (i < from.size() && from[i] == 1) ++i;
        while (k < to.size() && to[k] == 1) ++k;
        if (i == from.size() || k == to.size()) return out;
        const std::size_t first = k;
        IndexExpr flat = index[i];
        std::int64_t have = from[i++], want = to[k++];
        while (have != want) {
            if (have < want) {
                if (from[i] != 1) flat = pool.add(pool.mul(flat, from[i]), index[i]);
                have *= from[i++];
            } else {
                want *= to[k++];
            }
        }
        std::int64_t below = 1;
        for (std::size_t d = k; d-- > first; below *= to[d]) {
            const IndexExpr above = pool.floor_div(flat, below);
            if (to[d] != 1) out[d] = d == first ? above : pool.mod(above, to[d]);
        }
    }
}

/// (index in `from`) -> (index in `to`); known to be empty when there are no elements.
inline IndexingMap reshape_map(const IndexShape& from, const IndexShape& to, bool has_elements)
{
    IndexingMap map = IndexingMap::over(from);
    std::vector<IndexExpr> index;
    for (int i = 0; i < map.dimensions; ++i) index.push_back(map.dimension(i));
    map.results =
        has_elements ? reshaped_index(map.pool, index, from, to) : std::vector<IndexExpr>(to.size(), map.pool.constant(0));
    return map;
}

/// As many elements in both: how many.
inline Result<std::int64_t> check_elements(const IndexShape& operand, const IndexShape& result)
{
    if (const Status e = check_result_shape(result); !e.ok()) return e;
    const auto has = elements(operand), wanted = elements(result);
    if (!has) return has;
    if (wanted && *has != *wanted)
        return Error(errc::size_mismatch, -1, "the operand has {0} elements and the result {1}; the numbers must be equal", *has,
                     *wanted);
    return wanted;
}

} // namespace detail

namespace op {

/// The same elements in row-major order in another shape:  y[d] = x[e],  flat(e) = flat(d)
struct Reshape {
    IndexShape shape{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 1); !e.ok()) return e;
        const auto elements = detail::check_elements(operands[0], shape);
        if (!elements) return elements.error();
        return detail::moves_elements("reshape", operands, shape, detail::reshape_map(shape, operands[0], *elements != 0),
                                      detail::reshape_map(operands[0], shape, *elements != 0));
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
