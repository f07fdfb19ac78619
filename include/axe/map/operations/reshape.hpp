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

/// The dimensions from the slowest to the fastest in memory.
inline Result<std::vector<std::int64_t>> major_to_minor(const std::vector<std::int64_t>& layout, std::int64_t rank)
{
    std::vector<std::int64_t> order(layout.rbegin(), layout.rend());
    if (order.empty())
        for (std::int64_t i = 0; i < rank; ++i) order.push_back(i);
    if (const Status e = check_length(order, rank); !e.ok()) return e;
    if (const Status e = check_dimensions(order, rank); !e.ok()) return e;
    return order;
}
/// (index in `from`) -> (index in `to`) of what is at the same place in memory; known to be empty when there are no elements.
inline IndexingMap through_memory(const IndexShape& from, const std::vector<std::int64_t>& from_order, const IndexShape& to,
                                  const std::vector<std::int64_t>& to_order, bool has_elements)
{
    IndexingMap map = IndexingMap::over(from);
    map.results.assign(to.size(), map.pool.constant(0));
    if (!has_elements) return map;
    IndexShape from_memory, to_memory;
    std::vector<IndexExpr> index;
    for (const std::int64_t d : from_order) {
        from_memory.push_back(entry(from, d));
        index.push_back(map.dimension(static_cast<int>(d)));
    }
    for (const std::int64_t d : to_order) to_memory.push_back(entry(to, d));
    index = reshaped_index(map.pool, index, from_memory, to_memory);
    for (std::size_t i = 0; i < index.size(); ++i) entry(map.results, to_order[i]) = index[i];
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

/// The same bytes under another shape and layout, see `op::Bitcast`.
inline Result<OperationMaps> moves_in_memory(const char* name, const std::vector<IndexShape>& operands, const IndexShape& shape,
                                             const std::vector<std::int64_t>& operand_layout,
                                             const std::vector<std::int64_t>& result_layout)
{
    if (const Status e = check_operands(operands, 1); !e.ok()) return e;
    const auto elements = check_elements(operands[0], shape);
    if (!elements) return elements.error();
    const auto from = major_to_minor(operand_layout, count(operands[0]));
    if (!from) return from.error();
    const auto to = major_to_minor(result_layout, count(shape));
    if (!to) return to.error();
    return moves_elements(name, operands, shape, through_memory(shape, *to, operands[0], *from, *elements != 0),
                          through_memory(operands[0], *from, shape, *to, *elements != 0));
}

} // namespace detail

namespace op {
/// The same elements in row-major order in another shape:  y[d] = x[e],  flat(e) = flat(d)
struct Reshape {
    IndexShape shape{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        return detail::moves_in_memory("reshape", operands, shape, {}, {});
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
