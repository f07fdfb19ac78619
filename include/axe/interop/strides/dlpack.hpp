// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_STRIDES_DLPACK_HPP
#define AXE_INTEROP_STRIDES_DLPACK_HPP

#include <axe/interop/strides/strided.hpp>
#include <axe/support/errors.hpp>

#include <concepts>

namespace axe {
inline namespace v0 {

/// DLPack's tensors, version 1, without its header: `DLTensor` or any struct with these members will do.
namespace dlpack {

/// The members of `DLTensor` that say where elements are.      [dmlc/dlpack, include/dlpack/dlpack.h]
template <class T>
concept Tensor = requires(T& t) {
    requires std::integral<std::remove_cvref_t<decltype(t.ndim)>>;
    { t.shape[0] } -> std::convertible_to<std::int64_t>;
    { t.strides[0] } -> std::convertible_to<std::int64_t>;
    { t.byte_offset } -> std::convertible_to<std::uint64_t>;
    { t.dtype.bits } -> std::convertible_to<int>;
    { t.dtype.lanes } -> std::convertible_to<int>;
};

/// An element takes bits·lanes bits: a vector type is one element, and strides count such elements.
struct View {
    Strided array{};
    std::int64_t element_bits = 0;
    std::int64_t lanes = 1;
};

namespace detail {
template <Tensor T>
constexpr Result<std::int64_t> bits_of(const T& tensor) noexcept
{
    const auto bits = static_cast<std::int64_t>(tensor.dtype.bits), lanes = static_cast<std::int64_t>(tensor.dtype.lanes);
    if (bits < 1 || lanes < 1)
        return Error(errc::bad_argument, -1, "elements of {0} bits in {1} lanes; both must be at least 1", bits, lanes);
    return bits * lanes;
}
} // namespace detail

namespace detail {

constexpr Error byte_offset_overflows() noexcept { return Error(errc::overflow, -1, "the byte offset overflows"); }

} // namespace detail

/// The array that a tensor describes; addresses count elements from `data`, `byte_offset` included.
///
/// Strides that are null are those of a compact row-major tensor (as up to version 1.1). `errc::bad_argument` when `byte_offset` is
/// no whole number of elements, for a type without bits, a negative rank or a shape that is null; `errc::capacity` for more than
/// `max_rank` dimensions, `errc::overflow`. An empty tensor is read; `to_axe` rejects it.
template <Tensor T>
constexpr Result<View> view(const T& tensor) noexcept
{
    const auto bits = detail::bits_of(tensor);
    if (!bits) return bits.error();
    const auto rank = static_cast<std::int64_t>(tensor.ndim);
    if (rank < 0) return Error(errc::bad_argument, -1, "the tensor has {0} dimensions; there must be at least 0", rank);
    if (rank > max_rank) return axe::detail::shape_capacity(max_rank, rank);
    if (rank > 0 && tensor.shape == nullptr)
        return Error(errc::bad_argument, -1, "the tensor has {0} dimensions, but no shape", rank);

    Result<View> result;
    View& out = *result;
    out.element_bits = *bits;
    out.lanes = static_cast<std::int64_t>(tensor.dtype.lanes);
    for (int d = 0; d < rank; ++d) out.array.shape.push_back(tensor.shape[d]);
    if (tensor.strides == nullptr) {
        const auto compact = row_major_array(out.array.shape);
        if (!compact) return compact.error();
        out.array = *compact;
    } else {
        for (int d = 0; d < rank; ++d) out.array.strides.push_back(tensor.strides[d]);
    }
    // In bits, so that elements smaller than a byte count.
    const auto bytes = static_cast<std::uint64_t>(tensor.byte_offset);
    if (bytes >> 60 != 0) return detail::byte_offset_overflows();
    const auto offset = static_cast<std::int64_t>(bytes) * 8;
    if (offset % *bits != 0)
        return Error(errc::bad_argument, -1, "the byte offset {0} is not a whole number of elements of {1} bits", offset / 8,
                     *bits);
    out.array.offset = offset / *bits;
    return result;
}

/// The layout of a tensor's elements. Errors: those of `view` and of `axe::to_axe`.
template <Tensor T>
constexpr Result<Layout> to_axe(const T& tensor, const Axis& axis = {}) noexcept
{
    const auto v = view(tensor);
    if (!v) return v.error();
    return axe::to_axe(v->array, axis);
}

/// Fills `ndim`, `shape`, `strides` and `byte_offset` of a tensor whose `dtype` is set; `data` and `device` are the caller's.
///
/// `shape` and `strides` are room for an integer a dimension, which must live as long as the tensor. Strides are always written.
/// Exists when `axe::to_strided` does; `errc::no_layout` when the first element is before `data` or inside a byte.
template <Tensor T>
constexpr Status fill(T& tensor, const Layout& layout, const Shape& on, std::int64_t* shape, std::int64_t* strides,
                      const Axis& axis = {}) noexcept
{
    const auto bits = detail::bits_of(tensor);
    if (!bits) return bits.error();
    const auto array = to_strided(layout, on, axis);
    if (!array) return array.error();
    if (array->offset < 0) return Error(errc::no_layout, -1, "the first element is at {0}, before the data", array->offset);
    std::int64_t offset = 0;
    if (!axe::detail::mul(array->offset, *bits, offset)) return detail::byte_offset_overflows();
    if (offset % 8 != 0)
        return Error(errc::no_layout, -1, "the first element is at bit {0}, inside a byte; a byte offset cannot express that",
                     offset);
    tensor.ndim = static_cast<std::remove_cvref_t<decltype(tensor.ndim)>>(array->shape.size());
    for (int d = 0; d < array->shape.size(); ++d) {
        shape[d] = array->shape[d];
        strides[d] = array->strides[d];
    }
    tensor.shape = shape;
    tensor.strides = strides;
    tensor.byte_offset = static_cast<std::uint64_t>(offset / 8);
    return {};
}

} // namespace dlpack
} // namespace v0
} // namespace axe

#endif
