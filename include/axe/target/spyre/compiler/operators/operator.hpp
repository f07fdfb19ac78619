// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_OPERATORS_OPERATOR_HPP
#define AXE_TARGET_SPYRE_COMPILER_OPERATORS_OPERATOR_HPP

#include <axe/target/spyre/compiler/operators/value.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// What an operator of one result asks of the sticks of its operands.
///
/// A function of this folder makes it from operands: pointwise, reduce, matmul, concatenate, clone, top_k, exx2, layer_norm, convert.
/// The rules are those of target/spyre/rules/, listed for each stick that the tensors can have.
struct Operator {
    const char* name = "";
    std::vector<Value> operands{};
    Value result{};
    std::vector<StickRule> rules{};          ///< the ways to run it; no operand may have another stick
    std::vector<bool> operands_need_zeros{}; ///< of padding, where garbage in it would reach the result; empty: none does
};

namespace detail {

/// Is there an operand, and has none more dimensions than a device layout has room for?
inline Status check_operands(const std::vector<Value>& operands, std::size_t least)
{
    if (operands.size() < least)
        return Error(errc::bad_argument, -1, "the operator has {0} operands; it needs {1}",
                     static_cast<std::int64_t>(operands.size()), static_cast<std::int64_t>(least));
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (operands[i].sizes.size() >= max_rank - 1)
            return Error(errc::capacity, static_cast<int>(i), "operand {0} has {1} dimensions; at most {2} fit",
                         static_cast<std::int64_t>(i), operands[i].sizes.size(), max_rank - 2);
    return {};
}

} // namespace detail
} // namespace spyre
} // namespace v0
} // namespace axe

#endif
