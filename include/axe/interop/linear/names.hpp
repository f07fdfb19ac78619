// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_NAMES_HPP
#define AXE_INTEROP_LINEAR_NAMES_HPP

#include <axe/interop/linear/linear_layout.hpp>
#include <axe/layout/layout.hpp>

namespace axe {
inline namespace v0 {
namespace linear {

/// An axis of a layout and the input dimension that stands for it.
struct AxisName {
    Axis axis;
    Axis dim;
    friend constexpr bool operator==(const AxisName&, const AxisName&) = default;
};
/// How axes and dimensions are called on the two sides, in the order of the dimensions. A name that is not in the table is kept.
using AxisNames = InlineVector<AxisName, LinearLayout::max_dims>;

/// Tensors in registers, and in shared memory, as Triton orders their dimensions.
inline constexpr AxisNames distributed_names{{"reg", "register"}, {"lane", "lane"}, {"warp", "warp"}, {"cta", "block"}};
inline constexpr AxisNames memory_names{{"m", "offset"}, {"cta", "block"}};
/// Both, for the way back.
inline constexpr AxisNames all_names{{"reg", "register"}, {"lane", "lane"}, {"warp", "warp"}, {"cta", "block"}, {"m", "offset"}};

/// `memory_names` for a layout that moves on `m`, else `distributed_names`.
constexpr const AxisNames& names_for(const Layout& layout) noexcept
{
    const auto on_memory = [](const auto& list) {
        for (int i = 0; i < list.size() && i < list.capacity; ++i)
            if (list[i].axis == Axis{} && list[i].extent > 1 && list[i].stride != 0) return true;
        return false;
    };
    return on_memory(layout.shard) || on_memory(layout.replica) ? memory_names : distributed_names;
}

/// The name of dimension d of a tensor: `dim0`, …, `dim7`.
constexpr Axis tensor_dim(int d) noexcept
{
    constexpr Axis names[LinearLayout::max_dims] = {"dim0", "dim1", "dim2", "dim3", "dim4", "dim5", "dim6", "dim7"};
    return names[d];
}

namespace detail {

/// A table in which no axis and no dimension comes twice.
constexpr Status check(const AxisNames& names) noexcept
{
    if (names.overfull())
        return Error(errc::capacity, AxisNames::capacity, "a table of names has at most {0} entries, this one has {1}",
                     AxisNames::capacity, names.size());
    for (int i = 0; i < names.size(); ++i)
        for (int k = 0; k < i; ++k)
            if (names[i].axis == names[k].axis || names[i].dim == names[k].dim)
                return Error(errc::bad_axis, i, "entry {0} of the table of names has a name of entry {1}", i, k);
    return {};
}

constexpr Axis dim_of(const AxisNames& names, const Axis& axis) noexcept
{
    for (const AxisName& n : names)
        if (n.axis == axis) return n.dim;
    return axis;
}
constexpr Axis axis_of(const AxisNames& names, const Axis& dim) noexcept
{
    for (const AxisName& n : names)
        if (n.dim == dim) return n.axis;
    return dim;
}

} // namespace detail
} // namespace linear
} // namespace v0
} // namespace axe

#endif
