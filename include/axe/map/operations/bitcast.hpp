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
        return detail::moves_in_memory("bitcast", operands, shape, operand_layout, result_layout);
    }
};

} // namespace op

} // namespace v0
} // namespace axe

#endif
