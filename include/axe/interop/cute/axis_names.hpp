// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_AXIS_NAMES_HPP
#define AXE_INTEROP_CUTE_AXIS_NAMES_HPP

#include <axe/interop/cute/layout.hpp>
#include <axe/layout/axis.hpp>

namespace axe {
inline namespace v0 {
namespace cute {

/// The axis that stands for a basis; for plain strides, where the basis is empty.
struct AxisOf {
    Basis basis;
    Axis axis;

    AxisOf() = default;
    constexpr AxisOf(const Basis& b, const Axis& a) noexcept : basis(b), axis(a) {}
    friend constexpr bool operator==(const AxisOf&, const AxisOf&) = default;
};

/// Which axis stands for which basis. Without names, plain strides are on `m`, `s@0` on `c0`, `s@1` on `c1`, and `s@j@i` on `c<i>.<j>`.
using AxisNames = InlineVector<AxisOf, 8>;

/// Plain strides on an axis.
constexpr AxisNames plain_on(const Axis& axis) noexcept { return {{{}, axis}}; }

/// Strides `s@i` on axis i of the list.
constexpr AxisNames bases_on(std::initializer_list<Axis> axes) noexcept
{
    AxisNames out;
    int i = 0;
    for (const Axis& axis : axes) {
        out.push_back({{i++}, axis});
    }
    return out;
}

namespace detail {

constexpr Status check_names(const AxisNames& names) noexcept
{
    if (names.overfull())
        return Error(errc::capacity, -1, "at most {0} bases can be given axes, not {1}", AxisNames::capacity, names.size());
    for (int i = 0; i < names.size(); ++i)
        for (int k = 0; k < i; ++k)
            if (names[i].basis == names[k].basis || names[i].axis == names[k].axis)
                return Error(errc::bad_axis, i,
                             "basis-axis pair {0} repeats the basis or the axis of pair {1}; each may occur once", i, k);
    return {};
}

/// `c<i>.<j>.<k>` of a basis {i, j, k}.
constexpr Result<Axis> default_axis(const Basis& basis) noexcept
{
    if (basis.path.empty()) return Axis{};
    char name[40]{};
    int length = 0;
    for (int i = 0; i < basis.path.size(); ++i) {
        name[length] = length == 0 ? 'c' : '.';
        ++length;
        char digits[10]{};
        int count = 0;
        for (int rest = basis.path[i]; count == 0 || rest > 0; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
        while (count > 0) name[length++] = digits[--count];
    }
    return Axis::make(name, length);
}

/// The basis whose default axis this is; empty: of none.
constexpr Basis default_basis(const Axis& axis) noexcept
{
    Basis basis{};
    const auto name = axis.name();
    const char* p = name.text;
    if (*p != 'c') return basis;
    while (*p == (basis.path.empty() ? 'c' : '.')) {
        std::int64_t index = 0;
        for (++p; *p >= '0' && *p <= '9'; ++p) index = index * 10 + (*p - '0'); // of 14 digits at most
        if (!basis.path.push_back(index)) return Basis{};
    }
    const auto again = default_axis(basis); // leaves out `c`, `c01`, `c0.x`
    return again && *again == axis ? basis : Basis{};
}

constexpr Result<Axis> axis_of(const AxisNames& names, const Basis& basis) noexcept
{
    for (const AxisOf& entry : names)
        if (entry.basis == basis) return entry.axis;
    return default_axis(basis);
}

/// Are the axes of different bases different? They need not be where some are named and others have the name already.
AXE_COLD constexpr Status check_axes_apart(const Layout& layout, const AxisNames& names) noexcept
{
    const Leaves list = leaves(layout);
    for (int i = 0; i < list.size(); ++i) {
        const auto axis = axis_of(names, list[i].basis);
        if (!axis) return axis.error();
        for (int k = 0; k < i; ++k)
            if (list[k].stride != 0 && list[i].stride != 0 && !(list[k].basis == list[i].basis) &&
                *axis_of(names, list[k].basis) == *axis)
                return Error(errc::bad_axis, i, "leaf {0} would move on the axis of leaf {1}, whose basis is different", i, k);
    }
    return {};
}

} // namespace detail
} // namespace cute
} // namespace v0
} // namespace axe

#endif
