// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_OPERATIONS_BITCAST_HPP
#define AXE_MAP_OPERATIONS_BITCAST_HPP

#include <axe/map/operations/reshape.hpp>

namespace axe {
inline namespace v0 {
namespace op {

/// The same bytes under another shape and layout. A layout lists the dimensions from the fastest to the slowest in memory; an empty
/// one is row-major.  y[d] = x[e],  place(e) = place(d) in memory
///
/// Elements keep their size. With equal bytes a bitcast from a layout to row-major shows memory's own shape: `minor_to_major`
/// {1, 0, 2} of 10×20×30 is 30×10×20 in memory.
struct Bitcast {
    IndexShape shape{};
    std::vector<std::int64_t> operand_layout{}, result_layout{};

    [[nodiscard]] Result<OperationMaps> maps(const std::vector<IndexShape>& operands) const
    {
        if (const Status e = detail::check_operands(operands, 1); !e.ok()) return e;
        const auto elements = detail::check_elements(operands[0], shape);
        if (!elements) return elements.error();
        const auto from_order = major_to_minor(operand_layout, detail::count(operands[0]));
        if (!from_order) return from_order.error();
        const auto to_order = major_to_minor(result_layout, detail::count(shape));
        if (!to_order) return to_order.error();
        return detail::moves_elements("bitcast", operands, shape,
                                      through_memory(shape, *to_order, operands[0], *from_order, *elements != 0),
                                      through_memory(operands[0], *from_order, shape, *to_order, *elements != 0));
    }

  private:
    static Result<std::vector<std::int64_t>> major_to_minor(const std::vector<std::int64_t>& layout, std::int64_t rank)
    {
        std::vector<std::int64_t> order(layout.rbegin(), layout.rend());
        if (order.empty())
            for (std::int64_t i = 0; i < rank; ++i) order.push_back(i);
        if (const Status e = detail::check_length(order, rank); !e.ok()) return e;
        if (const Status e = detail::check_dimensions(order, rank); !e.ok()) return e;
        return order;
    }
    static IndexingMap through_memory(const IndexShape& from, const std::vector<std::int64_t>& from_order, const IndexShape& to,
                                      const std::vector<std::int64_t>& to_order, bool has_elements)
    {
        IndexingMap map = IndexingMap::over(from);
        map.results.assign(to.size(), map.pool.constant(0));
        if (!has_elements) return map;
        IndexShape from_memory, to_memory;
        std::vector<IndexExpr> index;
        for (const std::int64_t d : from_order) {
            from_memory.push_back(detail::entry(from, d));
            index.push_back(map.dimension(static_cast<int>(d)));
        }
        for (const std::int64_t d : to_order) to_memory.push_back(detail::entry(to, d));
        index = detail::reshaped_index(map.pool, index, from_memory, to_memory);
        for (std::size_t i = 0; i < index.size(); ++i) detail::entry(map.results, to_order[i]) = index[i];
        return map;
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
