// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_CONVERT_HPP
#define AXE_INTEROP_LINEAR_CONVERT_HPP

#include <axe/interop/linear/echelon.hpp>
#include <axe/interop/linear/make.hpp>
#include <axe/interop/linear/names.hpp>
#include <axe/layout/canonicalize.hpp>
#include <axe/layout/group.hpp>
#include <axe/layout/swizzle.hpp>

/// From layouts to linear ones. A layout says where each element is, L(x); a linear layout says which element is at each place,
/// T(p), and is linear over the bits of p. They are one thing when  p ∈ L(x) ⇔ T(p) = x  for all p below the sizes of T's inputs.
///
/// When is the T of a layout linear? T(0) = 0, so the places of element 0, O + R, are T's kernel K, and those of every other element
/// are a coset of K. Both L(x) = D(x) + K and the coset have D(x) as the least element, and least elements of cosets add without
/// carries: D(2^i + 2^j) = D(2^i) ^ D(2^j), so the images of the bits of x are disjoint words. With no swizzle K is spanned by
/// single bits too (else some coset has another sum than the translate of K), and disjoint words that fill a box are single bits. A
/// swizzle is linear and is applied to those words. For K under a swizzle, that a sum of progressions which is a linear space has a
/// canonical list of powers of two without carries, is checked by enumeration (tests/laws/interop_linear.cpp).
namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

constexpr Error input_capacity() noexcept
{
    return Error(errc::capacity, Dims::capacity, "a linear layout has at most {0} input dimensions", Dims::capacity);
}

/// The places of the bits of a layout's index and of its copies: words of location bits.
struct BitImages {
    Axis axes[Dims::capacity];
    std::uint64_t used[Dims::capacity]; ///< before the swizzle, to see carries
    std::uint64_t footprint[Dims::capacity];
    int axis_count = 0;
    std::uint64_t image[LinearLayout::max_bits];
    int axis[LinearLayout::max_bits];
    int count = 0;

    constexpr BitImages() noexcept
    {
        if (!__builtin_is_constant_evaluated()) return;
        for (Axis& a : axes) a = Axis{};
        for (int i = 0; i < Dims::capacity; ++i) used[i] = footprint[i] = 0;
        for (int i = 0; i < LinearLayout::max_bits; ++i) image[i] = 0, axis[i] = 0;
    }

    /// The number of an axis, entered if it is new; −1 when there is no room.
    constexpr int slot(const Axis& name) noexcept
    {
        for (int a = 0; a < axis_count; ++a)
            if (axes[a] == name) return a;
        if (axis_count == Dims::capacity) return -1;
        axes[axis_count] = name;
        used[axis_count] = footprint[axis_count] = 0;
        return axis_count++;
    }

    /// The bits of one iter, lowest first: 2^k steps of a positive stride.
    constexpr Status add(const Iter& it, const Swizzle& swizzle, bool swizzled) noexcept
    {
        const int a = slot(it.axis);
        if (a < 0) return input_capacity();
        for (int b = 0, bits = exponent(it.extent); b < bits; ++b) {
            const std::uint64_t word = static_cast<std::uint64_t>(it.stride) << b;
            if ((word & used[a]) != 0)
                return Error(errc::no_layout, -1,
                             "the digit of stride {0} shares a bit of its axis with another digit, so sums carry", it.stride);
            if (count == LinearLayout::max_bits)
                return Error(errc::capacity, -1, "elements and copies have more than {0} bits", LinearLayout::max_bits);
            used[a] |= word;
            image[count] = swizzled ? static_cast<std::uint64_t>(swizzle(static_cast<std::int64_t>(word))) : word;
            footprint[a] |= image[count];
            axis[count++] = a;
        }
        return {};
    }
};

/// The bits of the places of a canonical layout: those of the index from its lowest on, then those of the copies.
constexpr Status find_places(const Layout& from, const Swizzle& swizzle, const Axis& swizzled_axis, BitImages& places) noexcept
{
    if (!from.offset.empty())
        return Error(errc::no_layout, -1, "element 0 is at {0} on an axis; in a linear layout it is at 0",
                     from.offset.entries[0].value);
    const auto swizzled = [&](const Iter& it) { return swizzle.bits > 0 && it.axis == swizzled_axis; };
    for (int k = from.shard.size() - 1; k >= 0; --k) {
        const Iter& it = from.shard[k];
        if (it.stride == 0)
            return Error(errc::no_layout, k, "{0} elements are at one place: iter {1} of the canonical form has stride 0",
                         it.extent, k);
        if (it.stride < 0)
            return Error(errc::no_layout, k, "iter {0} of the canonical form has the negative stride {1}", k, it.stride);
        if (const Status e = places.add(it, swizzle, swizzled(it)); !e.ok()) return e;
    }
    for (int k = 0; k < from.replica.size(); ++k) {
        const Iter& it = from.replica[k];
        if (exponent(it.extent) < 0)
            return Error(errc::no_layout, k, "replica iter {0} of the canonical form has {1} copies, not a power of two", k,
                         it.extent);
        if (const Status e = places.add(it, swizzle, swizzled(it)); !e.ok()) return e;
    }
    return {};
}

/// The input dimensions: those of the table, then further axes by their own names.
constexpr Status name_dims(const BitImages& places, const AxisNames& names, Dims& in) noexcept
{
    const auto bits = [&](const Axis& axis) {
        for (int a = 0; a < places.axis_count; ++a)
            if (places.axes[a] == axis) return places.footprint[a] == 0 ? 0 : highest_bit(places.footprint[a]) + 1;
        return 0;
    };
    for (const AxisName& n : names) in.push_back({n.dim, bits(n.axis)});
    for (int a = 0; a < places.axis_count; ++a) {
        const Axis dim = dim_of(names, places.axes[a]);
        bool listed = false;
        for (const AxisName& n : names) listed = listed || n.axis == places.axes[a];
        if (listed) continue;
        if (index_of(in, dim) >= 0) return Error(errc::bad_axis, -1, "an axis has the name of a dimension of another axis");
        if (!in.push_back({dim, bits(places.axes[a])})) return input_capacity();
    }
    return {};
}

/// The output dimensions of a shape, and the output bit of each bit of the row-major index.
constexpr Status tensor_dims(const Shape& shape, Dims& out, int* bit_of) noexcept
{
    if (shape.size() > Dims::capacity)
        return Error(errc::capacity, Dims::capacity, "a linear layout has at most {0} output dimensions, the shape has {1}",
                     Dims::capacity, shape.size());
    for (int d = 0; d < shape.size(); ++d) {
        const int bits = exponent(shape[d]);
        if (bits < 0)
            return Error(errc::no_layout, d, "dimension {0} has {1} elements; linear layouts have powers of two only", d, shape[d]);
        out.push_back({tensor_dim(d), bits});
    }
    int t = 0;
    for (int d = shape.size() - 1; d >= 0; --d)
        for (int b = 0; b < out[d].bits; ++b) bit_of[t++] = first_bit(out, d) + b;
    return {};
}

/// `to_linear` of a layout that has been checked, its swizzle acting on elements.
constexpr Status linearize(const Layout& layout, const Swizzle& swizzle, const Axis& swizzled_axis, const Shape& shape,
                           const AxisNames& names, LinearLayout& to) noexcept
{
    if (const Status e = check(names); !e.ok()) return e;
    const auto elements = volume(shape);
    if (!elements) return elements.error();
    Layout from;
    if (const Status e = axe::detail::canonicalize_into(layout, from); !e.ok()) return e;
    if (const Status e = axe::detail::shape_admission(*elements, axe::detail::product(from.shard)); !e.ok()) return e;
    int bit_of[LinearLayout::max_bits]{};
    if (const Status e = tensor_dims(shape, to.out, bit_of); !e.ok()) return e;
    BitImages places;
    if (const Status e = find_places(from, swizzle, swizzled_axis, places); !e.ok()) return e;
    if (const Status e = name_dims(places, names, to.in); !e.ok()) return e;
    const int bits = bits_of(to.in), index_bits = bits_of(to.out);
    if (bits != places.count)
        return Error(errc::no_layout, -1, "places have {0} bits, but elements and copies have {1}: some places would be empty",
                     bits, places.count);

    int low[Dims::capacity]{};
    for (int a = 0; a < places.axis_count; ++a) low[a] = first_bit(to.in, index_of(to.in, dim_of(names, places.axes[a])));
    to.bases.count = bits;
    Echelon columns;
    bool single = true;
    for (int t = 0; t < bits; ++t) {
        const std::uint64_t place = places.image[t] << low[places.axis[t]];
        if ((place & (place - 1)) == 0)
            to.bases[highest_bit(place)] = t < index_bits ? std::uint64_t{1} << bit_of[t] : 0;
        else
            single = false;
        if (swizzle.bits > 0) columns.add(place, t);
    }
    if (single) return {};
    for (int p = 0; p < bits; ++p) {
        std::uint64_t of = 0, image = 0;
        columns.reduce(std::uint64_t{1} << p, of);
        for (of &= (std::uint64_t{1} << index_bits) - 1; of != 0; of &= of - 1)
            image |= std::uint64_t{1} << bit_of[__builtin_ctzll(of)];
        to.bases[p] = image;
    }
    return {};
}

} // namespace detail

/// Which element is at each place, as Triton writes a layout:  to_linear(L, S)(p) = x  ⇔  p ∈ L(x)
///
/// The inputs are the dimensions of `names` in their order, those that the layout does not use with one value, then its other axes;
/// the outputs `dim0`, `dim1`, … of the shape, S row-major. Copies become bits that move nothing.
///
/// Exists iff that map is total on a box of powers of two and linear: `errc::no_layout` when an extent is not a power of two, element 0
/// is not at 0, elements share places, digits carry, or places are left empty. Errors: those of `check`, `errc::size_mismatch` of
/// the shape, `errc::bad_axis` of the names, `errc::capacity`. Cost: linear in bits; with a swizzle quadratic, on words.
constexpr Result<LinearLayout> to_linear(const Layout& layout, const Shape& shape, const AxisNames& names) noexcept
{
    if (const Status e = axe::check(layout); !e.ok()) return e;
    Result<LinearLayout> result;
    if (const Status e = detail::linearize(layout, {}, {}, shape, names, *result); !e.ok()) return e;
    return result;
}
/// The same with `memory_names` for a layout on `m`, and `distributed_names` for any other.
constexpr Result<LinearLayout> to_linear(const Layout& layout, const Shape& shape) noexcept
{
    return to_linear(layout, shape, names_for(layout));
}

/// The same of a swizzled layout: the place of an element is the swizzled one.
constexpr Result<LinearLayout> to_linear(const Swizzled<Layout>& layout, const Shape& shape, const AxisNames& names) noexcept
{
    if (const Status e = axe::check(layout); !e.ok()) return e;
    Result<LinearLayout> result;
    if (const Status e = detail::linearize(layout.layout, in_elements(layout), layout.axis, shape, names, *result); !e.ok())
        return e;
    return result;
}
constexpr Result<LinearLayout> to_linear(const Swizzled<Layout>& layout, const Shape& shape) noexcept
{
    return to_linear(layout, shape, names_for(layout.layout));
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
