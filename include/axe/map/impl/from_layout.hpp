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
    std::vector<std::int64_t> loops;
    for (const Iter& it : layout.replica)
        if (it.extent > 1 && it.stride != 0) loops.push_back(it.extent);
    IndexingMap map = IndexingMap::over({shape.begin(), shape.end()}, loops);
    DigitVariables variables(map.variables, map.dimensions);
    DigitForms& forms = variables.forms;
    std::vector<DigitForm> of_axis;
    for (const Axis& axis : named) {
        forms.open(layout.offset[axis]);
        std::int64_t step = 1;
        for (int k = layout.shard.size() - 1; k >= 0; --k) {
            const Iter& it = layout.shard[k];
            const bool is_outermost = step * it.extent == variables.flat_size;
            if (it.axis == axis && it.extent > 1) forms.put({0, step, 0, is_outermost ? 0 : it.extent, 0, 0, 0}, it.stride);
            step *= it.extent;
        }
        auto variable = static_cast<std::size_t>(map.first_range());
        for (const Iter& it : layout.replica) {
            if (it.extent == 1 || it.stride == 0) continue;
            if (it.axis == axis) forms.put(variables.form_of[variable], it.stride);
            ++variable;
        }
        of_axis.push_back(forms.close());
    }
    for (std::size_t j = 0; j < named.size(); ++j)
        if (swizzled != nullptr && named[j] == swizzled->axis)
            of_axis[j] = swizzled_form(forms, of_axis[j], in_elements(*swizzled));
    DigitWriter write(variables, map.pool);
    for (const DigitForm& f : of_axis) map.results.push_back(write(f));
    if (!map.pool.error().ok()) return map.pool.error();
    return map;
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
