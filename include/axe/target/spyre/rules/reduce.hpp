// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_RULES_REDUCE_HPP
#define AXE_TARGET_SPYRE_RULES_REDUCE_HPP

#include <axe/target/spyre/rules/stick.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// The stick of the result of a reduction, or of a search for the largest, along the dimensions `reduced`:
///
///     stick(D) = stick(A)     where that dimension stays
///     stick(D) = sparse       where it is reduced, or A is sparse
///
/// With `keep` reduced dimensions stay in place; without, those behind them move forward.       [torch-spyre, propagate_layouts.py]
template <class Dims>
constexpr Stick reduced_stick(Stick operand, const Dims& reduced, bool keep) noexcept
{
    Stick result = operand;
    for (const int dim : reduced) {
        if (dim == operand) return sparse;
        if (!keep && dim < operand) --result;
    }
    return result;
}

/// The stick of x where x is normalized along its last dimension, which runs within sticks; its statistics are sparse.
constexpr Stick normalized_stick(const Shape& x) noexcept { return stick_within(x, x.size() - 1); }

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
