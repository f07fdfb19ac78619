// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_NUMPY_HPP
#define AXE_INTEROP_STRIDES_NUMPY_HPP

#include <axe/interop/strides/strided.hpp>

namespace axe {
inline namespace v0 {

/// NumPy's arrays count strides in bytes; PyTorch's and DLPack's count elements, as `Strided` does.
namespace numpy {

/// An array as `__array_interface__` gives it: strides in bytes, and the byte at which the first element begins, counted from the
/// start of its memory.
struct Array {
    Shape shape{};
    InlineVector<std::int64_t, max_rank> strides{}; ///< in bytes
    std::int64_t itemsize = 1;
    std::int64_t offset = 0; ///< in bytes

    friend constexpr bool operator==(const Array&, const Array&) = default;
};

namespace detail {

constexpr Error empty_item(std::int64_t bytes) noexcept
{
    return Error(errc::bad_argument, -1, "an item has {0} bytes; it must have at least 1", bytes);
}

} // namespace detail

/// The same in elements.
///
/// `errc::bad_argument` for an itemsize below 1, and with the dimension when a stride, or the first element, is not at a whole
/// number of items: such an array has an address in bytes (`bytes_of`), none in elements.
constexpr Result<Strided> to_strided(const Array& array) noexcept
{
    if (array.itemsize < 1) return detail::empty_item(array.itemsize);
    Result<Strided> result(Strided{array.shape, array.strides, 0});
    for (int d = 0; d < array.strides.size() && d < max_rank; ++d) {
        // What never moves has no stride to speak of: NumPy leaves any number there.
        const bool moves = d < array.shape.size() && array.shape[d] > 1;
        if (moves && array.strides[d] % array.itemsize != 0)
            return Error(errc::bad_argument, d, "the stride of dimension {0} is {1} bytes, not a whole number of items of {2}", d,
                         array.strides[d], array.itemsize);
        result->strides[d] = array.strides[d] / array.itemsize;
    }
    if (array.offset % array.itemsize != 0)
        return Error(errc::bad_argument, -1, "the first element is at byte {0}, not a whole number of items of {1}", array.offset,
                     array.itemsize);
    result->offset = array.offset / array.itemsize;
    return result;
}

/// The addresses of the elements' first bytes, counted in bytes: exists for fields of records and other odd strides, too.
constexpr Strided bytes_of(const Array& array) noexcept { return Strided{array.shape, array.strides, array.offset}; }

/// An array in elements as NumPy has it. `errc::bad_argument` for an itemsize below 1, `errc::overflow` with the dimension.
constexpr Result<Array> from_strided(const Strided& array, std::int64_t itemsize) noexcept
{
    if (itemsize < 1) return detail::empty_item(itemsize);
    Result<Array> result(Array{array.shape, array.strides, itemsize, 0});
    for (int d = 0; d < array.strides.size() && d < max_rank; ++d)
        if (!axe::detail::mul(array.strides[d], itemsize, result->strides[d]))
            return Error(errc::overflow, d, "the stride of dimension {0} in bytes overflows", d);
    if (!axe::detail::mul(array.offset, itemsize, result->offset))
        return Error(errc::overflow, -1, "the byte of the first element overflows");
    return result;
}

/// The layout of the elements, addresses counted in elements. Errors: those of `to_strided` and of `axe::to_axe`.
constexpr Result<Layout> to_axe(const Array& array, const Axis& axis = {}) noexcept
{
    const auto strided = to_strided(array);
    if (!strided) return strided.error();
    return axe::to_axe(*strided, axis);
}

/// The array of a layout on a shape, in bytes. Exists when `axe::to_strided` does.
constexpr Result<Array> from_axe(const Layout& layout, const Shape& shape, std::int64_t itemsize, const Axis& axis = {}) noexcept
{
    const auto strided = axe::to_strided(layout, shape, axis);
    if (!strided) return strided.error();
    return from_strided(*strided, itemsize);
}

} // namespace numpy
} // namespace v0
} // namespace axe

#endif
