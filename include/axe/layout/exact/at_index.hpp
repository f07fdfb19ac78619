// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_LAYOUT_EXACT_AT_INDEX_HPP
#define AXE_LAYOUT_EXACT_AT_INDEX_HPP

#include <axe/layout/exact/cut.hpp>
#include <axe/support/errors.hpp>

/// The point of an index, for layouts and indices that have been checked.
namespace axe {
inline namespace v0 {
namespace detail {

template <class Int>
constexpr Status in_domain(Int index, Int size) noexcept
{
    if (index >= 0 && index < size) return {};
    return outside_domain(index, size);
}

/// Enters the axes of a checked layout: those that move, for which there is room, before those that only occur.
template <class L>
AXE_COLD constexpr void enter_axes(const L& layout, typename L::Point& out) noexcept
{
    for (const bool moving : {true, false}) {
        for (const auto& it : layout.shard)
            if (moving == (it.stride != 0 && it.extent > 1)) out.entry(it.axis);
        for (const auto& it : layout.replica)
            if (moving == (it.stride != 0 && it.extent > 1)) out.entry(it.axis);
    }
}

/// D(x) + O of a checked layout at an index in its domain; an entry for every axis that occurs, replicas included. Where axes that
/// occur without moving are too many for a point, some of those have none.
template <class L>
constexpr void evaluate_into(const L& layout, typename L::integer index, typename L::Point& out) noexcept
{
    out = layout.offset;
    if (layout.shard.size() + layout.replica.size() + out.size() > L::max_axes) enter_axes(layout, out);
    for (int k = layout.shard.size() - 1; k >= 0; --k) {
        const auto& it = layout.shard[k];
        const auto q = quotient(index, it.extent);
        if (auto* entry = out.entry(it.axis))
            *entry += (index - q * it.extent) * it.stride; // within the footprint that was checked
        index = q;
    }
    for (const auto& it : layout.replica) out.entry(it.axis);
}

/// The row-major index of a coordinate, the shape being one that the layout admits.
template <class L>
constexpr Result<typename L::integer> index_of(const L& layout, const typename L::Shape& shape,
                                               const typename L::Coord& coord) noexcept
{
    if (const Status e = check_admission(layout, shape); !e.ok()) return e;
    return linear_index(shape, coord);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
