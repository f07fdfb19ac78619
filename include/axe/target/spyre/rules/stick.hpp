// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_RULES_STICK_HPP
#define AXE_TARGET_SPYRE_RULES_STICK_HPP

#include <axe/layout/shape.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// The dimension of a tensor that runs within sticks; `sparse` where a stick has one element.
///
/// The rules of this folder say which sticks the operands of an operator have together, and what stick its result has. They are
/// functions of sticks and of extents alone, an extent being 1 where an operand repeats the same elements: the choice of sticks of a
/// graph (compiler/choose.hpp) and the schedules of a program (schedules/) call the same ones.
///                                                                                     [torch-spyre, propagate_layouts.py]
using Stick = int;
inline constexpr Stick sparse = -1;

/// The stick of a tensor that has `dim` within sticks: a dimension of extent 1, or none, leaves one element in each stick.
constexpr Stick stick_within(const Shape& extents, int dim) noexcept
{
    return dim >= 0 && dim < extents.size() && extents[dim] != 1 ? dim : sparse;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
