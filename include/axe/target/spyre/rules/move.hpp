// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_RULES_MOVE_HPP
#define AXE_TARGET_SPYRE_RULES_MOVE_HPP

#include <axe/target/spyre/rules/stick.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// Can a copy change this stick to that one? Between sparse and dense there is no way: nothing gathers elements of several sticks into
/// one, nor scatters those of one.       [torch-spyre, optimize_restickify.py]
constexpr bool can_restickify(Stick from, Stick to) noexcept { return (from == sparse) == (to == sparse); }

/// The stick of a copy in the default layout: the last dimension; of a sparse tensor, sparse.
constexpr Stick cloned_stick(const Shape& extents, Stick operand) noexcept
{
    return operand == sparse ? sparse : stick_within(extents, extents.size() - 1);
}

/// Does a part that begins at `begin` of dimension `dim` begin a stick? One that begins inside a stick would have to be shifted in it.
constexpr bool begins_stick(Stick stick, int dim, std::int64_t begin, std::int64_t elements_per_stick) noexcept
{
    return stick != dim || begin % elements_per_stick == 0;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
