// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_MAKE_HPP
#define AXE_INTEROP_LINEAR_MAKE_HPP

#include <axe/interop/linear/linear_layout.hpp>
#include <axe/layout/point.hpp>

namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

/// log2 of a power of two; −1 for any other number.
constexpr int exponent(std::int64_t size) noexcept
{
    if (size < 1 || (size & (size - 1)) != 0) return -1;
    return __builtin_ctzll(static_cast<unsigned long long>(size));
}

constexpr Error no_power(std::int64_t size) noexcept
{
    return Error(errc::bad_extent, -1, "the size of a dimension of a linear layout must be a power of two, got {0}", size);
}

/// 2^bits values of one dimension, its bits to be filled in.
constexpr Status one_dimension(std::int64_t size, std::int64_t out_size, Axis in, Axis out, LinearLayout& layout) noexcept
{
    const int bits = exponent(size), out_bits = exponent(out_size);
    if (bits < 0) return no_power(size);
    if (out_bits < 0) return no_power(out_size);
    layout.in.push_back({in, bits});
    layout.out.push_back({out, out_bits});
    layout.bases.count = bits;
    for (int j = 0; j < bits; ++j) layout.bases[j] = 0;
    return check(layout);
}

} // namespace detail

/// L(x) = stride·x for 0 ≤ x < size; the output has stride·size values.      [Triton, LinearLayout::strided1D]
///
/// `errc::bad_extent` unless size and stride are powers of two (another multiple is not linear over GF(2)), `errc::capacity` beyond
/// 2^62 values.
constexpr Result<LinearLayout> strided_1d(std::int64_t size, std::int64_t stride, Axis in, Axis out) noexcept
{
    Result<LinearLayout> result;
    const int bits = detail::exponent(size), low = detail::exponent(stride);
    if (bits < 0) return detail::no_power(size);
    if (low < 0)
        return Error(errc::bad_extent, -1, "multiples of {0} are not linear over bits: a stride is a power of two", stride);
    if (bits + low > LinearLayout::max_bits)
        return Error(errc::capacity, -1, "{0} bits from bit {1} on are beyond the {2} of a linear layout", bits, low,
                     LinearLayout::max_bits);
    if (const Status e = detail::one_dimension(size, size << low, in, out, *result); !e.ok()) return e;
    for (int j = 0; j < bits; ++j) result->bases[j] = std::uint64_t{1} << (low + j);
    return result;
}

/// L(x) = x for 0 ≤ x < size. Errors: those of `strided_1d`.
constexpr Result<LinearLayout> identity_1d(std::int64_t size, Axis in, Axis out) noexcept { return strided_1d(size, 1, in, out); }

/// L(x) = 0 for 0 ≤ x < size, into `out_size` values. Errors: those of `strided_1d`.
constexpr Result<LinearLayout> zeros_1d(std::int64_t size, Axis in, Axis out, std::int64_t out_size = 1) noexcept
{
    Result<LinearLayout> result;
    if (const Status e = detail::one_dimension(size, out_size, in, out, *result); !e.ok()) return e;
    return result;
}

/// The images of the bits of one input dimension, lowest bit first, each a coordinate of the output.
struct Images {
    Axis name;
    std::initializer_list<std::initializer_list<std::int64_t>> images;
};

/// A checked layout as Triton writes one: `make({{"register", {{0, 1}, {0, 2}}}, {"lane", {{1, 0}}}}, {{"dim0", 1}, {"dim1", 2}})`,
/// the output dimensions with their bits.
///
/// `errc::rank_mismatch` when an image has another number of coordinates than there are output dimensions, `errc::out_of_domain`
/// when one is outside its dimension; else the errors of `check`. The position is that of the input bit.
constexpr Result<LinearLayout> make(std::initializer_list<Images> in, const Dims& out) noexcept
{
    Result<LinearLayout> result;
    LinearLayout& layout = *result;
    layout.out = out;
    for (const Images& side : in) {
        layout.in.push_back({side.name, static_cast<int>(side.images.size())});
        layout.bases.count += static_cast<int>(side.images.size());
    }
    // Checked as if all images were 0, so that the bits below are within the word.
    const int bits = layout.bases.size();
    for (int j = 0; j < bits && j < LinearLayout::max_bits; ++j) layout.bases[j] = 0;
    if (bits > LinearLayout::max_bits) layout.bases.count = 0;
    if (const Status e = check(layout); !e.ok()) return e;
    int j = 0;
    for (const Images& side : in)
        for (const auto& image : side.images) {
            if (static_cast<int>(image.size()) != out.size())
                return Error(errc::rank_mismatch, j, "the image of input bit {0} has {1} coordinates, the output {2} dimensions", j,
                             static_cast<int>(image.size()), out.size());
            int d = 0, low = 0;
            for (const std::int64_t value : image) {
                if (value < 0 || (value >> out[d].bits) != 0)
                    return Error(errc::out_of_domain, j, "the image of input bit {0} is {1} in a dimension of {2} bits", j, value,
                                 out[d].bits);
                layout.bases[j] |= static_cast<std::uint64_t>(value) << low;
                low += out[d++].bits;
            }
            ++j;
        }
    return result;
}

/// L(x), coordinate by coordinate; a dimension that `at` does not name counts as 0.
///
/// `errc::unknown_axis` for a name that is not an input dimension, `errc::out_of_domain` for a value outside its dimension (the position
/// is that of the coordinate in `at`), and the errors of `check`.
constexpr Result<Point> evaluate(const LinearLayout& layout, const Point& at) noexcept
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (at.entries.overfull())
        return Error(errc::capacity, Dims::capacity, "a point of a linear layout has at most {0} coordinates", Dims::capacity);
    std::uint64_t x = 0;
    for (int i = 0; i < at.size(); ++i) {
        const auto& c = at.entries[i];
        const int d = index_of(layout.in, c.axis);
        if (d < 0) return Error(errc::unknown_axis, i, "coordinate {0} names no input dimension", i);
        if (c.value < 0 || (c.value >> layout.in[d].bits) != 0)
            return Error(errc::out_of_domain, i, "coordinate {0} is {1}, outside its dimension of {2} bits", i, c.value,
                         layout.in[d].bits);
        x ^= static_cast<std::uint64_t>(c.value) << first_bit(layout.in, d);
    }
    const std::uint64_t y = apply(layout, x);
    Result<Point> result;
    for (int d = 0; d < layout.out.size(); ++d)
        *result->entry(layout.out[d].name) = static_cast<std::int64_t>((y & mask_of(layout.out, d)) >> first_bit(layout.out, d));
    return result;
}

} // namespace linear
} // namespace v0
} // namespace axe

#endif
