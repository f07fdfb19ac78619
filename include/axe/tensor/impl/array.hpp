// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_IMPL_ARRAY_HPP
#define AXE_TENSOR_IMPL_ARRAY_HPP

#include <axe/tensor/array.hpp>

namespace axe {
inline namespace v0 {

/// Shape, type and size; no elements yet.
AXE_DECL Result<Array, Problem> Array::described(const Shape& shape, DType dtype)
{
    const auto elements = volume(shape);
    if (!elements) return Problem(elements.error());
    std::int64_t bytes = 0;
    if (!detail::mul(*elements, std::int64_t{storage_bytes(dtype)}, bytes))
        return Problem(errc::overflow, "{0} elements of {1} take more bytes than 64 bits count", {*elements, name(dtype)});
    Array out;
    out.shape_ = shape;
    out.dtype_ = dtype;
    out.size_ = *elements;
    return out;
}

AXE_DECL Result<Array, Problem> Array::make(const Shape& shape, DType dtype)
{
    auto out = described(shape, dtype);
    if (!out) return out;
    const std::int64_t bytes = out->size_bytes();
    // Today's machines address 47 bits; beyond, allocators of debugging tools stop the program instead of saying no.
    constexpr std::int64_t address_space = std::int64_t{1} << 47;
    void* base = nullptr;
    if (bytes < address_space) base = std::calloc(static_cast<std::size_t>(bytes) + alignment, 1);
    if (base == nullptr)
        return Problem(errc::capacity, "not enough memory for {0} elements of {1}, {2} bytes", {out->size_, name(dtype), bytes});
    out->memory_.reset(static_cast<std::byte*>(base));
    std::size_t room = static_cast<std::size_t>(bytes) + alignment;
    out->elements_ = static_cast<std::byte*>(std::align(alignment, static_cast<std::size_t>(bytes), base, room));
    return out;
}

AXE_DECL Result<Array, Problem> Array::borrow(const void* elements, const Shape& shape, DType dtype)
{
    if (elements == nullptr) return Problem(errc::bad_argument, "an array cannot borrow its elements from a null pointer");
    auto out = described(shape, dtype);
    if (out) out->elements_ = static_cast<const std::byte*>(elements);
    return out;
}

AXE_DECL Array Array::view() const
{
    Array out;
    out.shape_ = shape_;
    out.dtype_ = dtype_;
    out.size_ = size_;
    out.elements_ = data();
    return out;
}

AXE_DECL Result<Array, Problem> Array::clone() const
{
    auto out = make(shape_, dtype_);
    if (out) std::memcpy(out->data(), data(), static_cast<std::size_t>(size_bytes()));
    return out;
}

AXE_DECL Result<Array, Problem> Array::reshaped(const Shape& shape) &&
{
    const auto elements = volume(shape);
    if (!elements) return Problem(elements.error());
    if (*elements != size_) return Problem(errc::size_mismatch, "the shape has {0} elements, the array {1}", {*elements, size_});
    Array out = std::move(*this);
    out.shape_ = shape;
    return out;
}

} // namespace v0
} // namespace axe

#endif
