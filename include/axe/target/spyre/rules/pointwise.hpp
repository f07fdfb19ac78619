// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_RULES_POINTWISE_HPP
#define AXE_TARGET_SPYRE_RULES_POINTWISE_HPP

#include <axe/target/spyre/rules/stick.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// The stick of an operand of a function of elements whose result has `rank` dimensions and the stick `result`:
///
///     stick(A) = stick(C)     where A has different elements along that dimension
///     stick(A) = sparse       where A repeats along it: the one element of a stick is spread over the stick of C
///
/// Dimensions meet from the last one on. A sparse result has sparse operands only.       [torch-spyre, propagate_layouts.py]
constexpr Stick pointwise_stick(const Shape& operand, int rank, Stick result) noexcept
{
    return result == sparse ? sparse : stick_within(operand, result - (rank - operand.size()));
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
