// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_CUTE_CONVERT_COMPOSED_HPP
#define AXE_INTEROP_CUTE_CONVERT_COMPOSED_HPP

#include <axe/interop/cute/composed.hpp>
#include <axe/interop/cute/convert.hpp>

namespace axe {
inline namespace v0 {
namespace cute {

/// What the bits of the swizzle of a composed layout are those of.
enum class SwizzleOf : std::uint8_t {
    elements, ///< the value as it is: `Sw<3,3,3> o 0 o …`
    bytes,    ///< the byte address: `Sw<3,4,3> o smem_ptr[16b](unset) o …`
};

/// A swizzled Axe layout with the shape of the coordinates that it is meant for.
struct SwizzledOnShape {
    axe::Swizzled<axe::Layout> layout{};
    axe::Shape shape{};
    friend constexpr bool operator==(const SwizzledOnShape&, const SwizzledOnShape&) = default;
};

namespace detail {

/// Swizzle, width and offset of a composed layout; a swizzle of 0 bits keeps its numbers.
constexpr Status put_swizzle(const Composed& c, const Axis& axis, std::int64_t width, axe::Swizzled<axe::Layout>& out) noexcept
{
    const std::int64_t flagged = c.element_bits > 8 ? c.element_bits / 8 : 1;
    out.axis = axis;
    out.width = width == 0 ? flagged : width;
    if (c.element_bits != 0 && out.width != flagged)
        return Error(errc::bad_argument, -1, "elements of {0} bytes were requested, but the pointer flag gives {1} bits", width,
                     c.element_bits);
    out.swizzle = in_elements(c);
    if (c.swizzle.bits > 0)
        for (auto w = out.width; w > 1; w /= 2) ++out.swizzle.base;
    if (c.offset != 0) *out.layout.offset.entry(axis) = c.offset;
    return axe::check(out);
}

/// The layout without its offset on the axis, which goes to the composed one with the swizzle.
constexpr Status take_swizzle(const axe::Swizzled<axe::Layout>& s, SwizzleOf of, Composed& out, axe::Layout& bare,
                              Axis& axis) noexcept
{
    if (const Status e = axe::check(s); !e.ok()) return e;
    axis = s.axis;
    if (s.swizzle.bits == 0) { // nothing is tied to the axis of the swizzle
        for (const auto& e : s.layout.offset)
            if (e.value != 0) axis = e.axis;
        for (const auto& it : s.layout.shard)
            if (it.extent > 1 && it.stride != 0) axis = it.axis;
    }
    bare = s.layout;
    out.offset = s.layout.offset[axis];
    bare.offset = {};
    for (const auto& e : s.layout.offset)
        if (e.value != 0 && !(e.axis == axis))
            return Error(errc::no_layout, -1, "the layout has offset {0} on an axis other than the one that it moves on", e.value);
    out.swizzle = s.swizzle;
    if (of == SwizzleOf::bytes) {
        if (s.width > 1 << 16) return Error(errc::bad_argument, -1, "CuTe has no elements of {0} bytes", s.width);
        out.element_bits = static_cast<int>(8 * s.width);
    } else if (s.swizzle.bits > 0) {
        out.swizzle = in_elements(s);
    }
    return {};
}

} // namespace detail

/// The swizzled Axe layout that is the same function of the linear index.
///
/// Axe's swizzle is one of byte addresses, so its base is CuTe's plus log2 of the bytes of an element: those of the flag; without one
/// `width`, 1 unless given, where bytes are elements. (Elements of less than a byte have width 1, and the base that elements need.)
/// The offset becomes that of the layout, within the swizzle. Errors: those of `check`; `errc::bad_argument` when `width` is not that
/// of the flag, or cut by the swizzle; `errc::capacity`.
constexpr Result<axe::Swizzled<axe::Layout>> to_axe_linear(const Composed& c, const Axis& axis = {},
                                                           std::int64_t width = 0) noexcept
{
    Result<axe::Swizzled<axe::Layout>> result;
    if (const Status e = check(c); !e.ok())
        result = e;
    else if (const Status f = detail::to_linear(c.layout, plain_on(axis), result->layout); !f.ok())
        result = f;
    else if (const Status g = detail::put_swizzle(c, axis, width, *result); !g.ok())
        result = g;
    return result;
}

/// The same for the coordinate, on the shape of the sizes of the modes.
constexpr Result<SwizzledOnShape> to_axe_by_coordinate(const Composed& c, const Axis& axis = {}, std::int64_t width = 0) noexcept
{
    Result<SwizzledOnShape> result;
    if (const Status e = check(c); !e.ok())
        result = e;
    else if (const Status f = detail::to_coordinates(c.layout, plain_on(axis), result->layout.layout, result->shape); !f.ok())
        result = f;
    else if (const Status g = detail::put_swizzle(c, axis, width, result->layout); !g.ok())
        result = g;
    return result;
}

/// The composed CuTe layout that is the same function of the linear index, its swizzle one of elements, or of bytes with the flag.
///
/// It carries an offset; for a layout that has one and no swizzle, give it a swizzle of 0 bits. Rejected: an offset beside the flag;
/// `errc::no_layout` for an offset, `errc::unknown_axis` for an iter, on another axis than that of the swizzle; replicas.
constexpr Result<Composed> from_axe_linear(const axe::Swizzled<axe::Layout>& s, SwizzleOf of = SwizzleOf::elements) noexcept
{
    Result<Composed> result;
    axe::Layout bare;
    Axis axis{};
    if (const Status e = detail::take_swizzle(s, of, *result, bare, axis); !e.ok())
        result = e;
    else if (const Status f = detail::from_linear(bare, plain_on(axis), result->layout); !f.ok())
        result = f;
    else if (const Status g = check(*result); !g.ok())
        result = g;
    return result;
}

/// The same for the coordinate of a shape that groups the layout.
constexpr Result<Composed> from_axe_by_coordinate(const axe::Swizzled<axe::Layout>& s, const axe::Shape& shape,
                                                  SwizzleOf of = SwizzleOf::elements) noexcept
{
    Result<Composed> result;
    axe::Layout bare;
    Axis axis{};
    if (const Status e = detail::take_swizzle(s, of, *result, bare, axis); !e.ok())
        result = e;
    else if (const Status f = detail::from_coordinates(bare, shape, plain_on(axis), result->layout); !f.ok())
        result = f;
    else if (const Status g = check(*result); !g.ok())
        result = g;
    return result;
}

} // namespace cute
} // namespace v0
} // namespace axe

#endif
