// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_FROM_LAYOUT_HPP
#define AXE_MAP_IMPL_FROM_LAYOUT_HPP

#include <axe/layout/swizzle.hpp>
#include <axe/map/from_layout.hpp>
#include <axe/map/layout/axes.hpp>
#include <axe/map/mixed_radix/writer.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// The map without results, its variables, and the form of each axis.
struct LayoutForms {
    IndexingMap map;
    DigitVariables variables;
    std::vector<DigitForm> of_axis{};

    LayoutForms(const Layout& layout, const Shape& shape, const std::vector<Axis>& axes)
        : map(IndexingMap::over({shape.begin(), shape.end()}, loops(layout))), variables(map.variables, map.dimensions)
    {
        DigitForms& forms = variables.forms;
        for (const Axis& axis : axes) {
            forms.open(layout.offset[axis]);
            std::int64_t step = 1;
            for (int k = layout.shard.size() - 1; k >= 0; --k) {
                const Iter& it = layout.shard[k];
                const bool is_outermost = step * it.extent == variables.flat_size;
                if (it.axis == axis && it.extent > 1) forms.put({0, step, 0, is_outermost ? 0 : it.extent, 0, 0, 0}, it.stride);
                step *= it.extent;
            }
            int variable = map.first_range();
            for (const Iter& it : layout.replica) {
                if (it.extent == 1 || it.stride == 0) continue;
                if (it.axis == axis) forms.put(variables.form_of[static_cast<std::size_t>(variable)], it.stride);
                ++variable;
            }
            of_axis.push_back(forms.close());
        }
    }
    static std::vector<std::int64_t> loops(const Layout& layout)
    {
        std::vector<std::int64_t> out;
        for (const Iter& it : layout.replica)
            if (it.extent > 1 && it.stride != 0) out.push_back(it.extent);
        return out;
    }
};

/// f with bits XORed:  y + Σ 2^w·(⌊y/2^w⌋ + ⌊y/2^r⌋) mod 2 − 2^w·(⌊y/2^w⌋ mod 2)  over the bits w that are written and r that are read.
inline DigitForm swizzled_form(DigitForms& forms, const DigitForm& f, const Swizzle& s)
{
    DigitDivision divide(forms);
    const auto sum = [&](const DigitForm& x, const DigitForm& y, std::int64_t factor) {
        forms.open();
        forms.put(x);
        forms.put(y, factor);
        return forms.close();
    };
    DigitForm out = f;
    for (int i = 0; i < s.bits; ++i) {
        const int write = s.base + i + (s.shift < 0 ? -s.shift : 0), read = s.base + i + (s.shift > 0 ? s.shift : 0);
        const std::int64_t place = std::int64_t{1} << write;
        const DigitForm written = divide(f, place), both = sum(written, divide(f, std::int64_t{1} << read), 1);
        const DigitForm parity = sum(both, divide(both, 2), -2), bit = sum(written, divide(f, 2 * place), -2);
        out = sum(sum(out, parity, place), bit, -place);
    }
    return out;
}

/// @param swizzled  none, or what the coordinates on its axis are XORed with
inline Result<IndexingMap> map_of(const Layout& layout, const Swizzled<Layout>* swizzled, const Shape& shape,
                                  const std::vector<Axis>& axes)
{
    if (const Status e = check_admission(layout, shape); !e.ok()) return e;
    if (const Status e = axes.empty() ? Error{} : check_axes_named(layout, axes); !e.ok()) return e;
    const std::vector<Axis> named = axes.empty() ? result_axes_of(layout) : axes;
    LayoutForms forms(layout, shape, named);
    for (std::size_t j = 0; j < named.size(); ++j)
        if (DigitForm& f = forms.of_axis[j]; swizzled != nullptr && named[j] == swizzled->axis)
            f = swizzled_form(forms.variables.forms, f, in_elements(*swizzled));
    DigitWriter write(forms.variables, forms.map.pool);
    for (const DigitForm& f : forms.of_axis) forms.map.results.push_back(write(f));
    if (!forms.map.pool.error().ok()) return forms.map.pool.error();
    return std::move(forms.map);
}

} // namespace detail

AXE_DECL Result<IndexingMap> to_map(const Layout& layout, const Shape& shape, const std::vector<Axis>& axes)
{
    return detail::map_of(layout, nullptr, shape, axes);
}

AXE_DECL Result<IndexingMap> to_map(const Swizzled<Layout>& layout, const Shape& shape, const std::vector<Axis>& axes)
{
    if (const Status e = check(layout); !e.ok()) return e;
    return detail::map_of(layout.layout, &layout, shape, axes);
}

} // namespace v0
} // namespace axe

#endif
