// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_ARRAY_HPP
#define AXE_TENSOR_ARRAY_HPP

#include <axe/layout/shape.hpp>
#include <axe/tensor/convert.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace axe {
inline namespace v0 {

/// A tensor in the memory of this program: shape, type, and the elements in row-major order without gaps, `storage_bytes` each.
///
/// It owns its elements, or borrows those of a caller, which it only reads. It moves and does not copy: a copy costs what the
/// tensor weighs, so it has a name and can fail (`clone`), and sharing has one, too (`view`). Two arrays that may write never
/// share elements.
class Array {
  public:
    /// One element, rank 0, f32 and zero, without its own memory: what a `Result` without an array holds.
    Array() = default;
    /// What is moved from is such an array again.
    Array(Array&& other) noexcept { swap(other); }
    Array& operator=(Array&& other) noexcept
    {
        Array taken(std::move(other));
        swap(taken);
        return *this;
    }

    /// An array of zeros, that is of zero bits: an e8m0 of them is 2^−127. Its memory starts at a multiple of `alignment` bytes.
    ///
    /// The errors of `volume`; `errc::overflow` when the bytes overflow; `errc::capacity` when there is not so much
    /// memory. Cost: the system's zero pages, touched when they are.
    static Result<Array, Problem> make(const Shape& shape, DType dtype);

    /// The elements of a caller, who keeps them alive and unmoved: nothing is copied. Of any alignment.
    ///
    /// The errors of `make`, and `errc::bad_argument` for a null pointer.
    static Result<Array, Problem> borrow(const void* elements, const Shape& shape, DType dtype);

    /// The same elements, borrowed: valid while this array lives where its elements are (a move keeps them in place).
    [[nodiscard]] Array view() const;

    /// The same elements in its own memory. `errc::capacity` when there is not so much memory.
    [[nodiscard]] Result<Array, Problem> clone() const;

    /// The same elements, in row-major order, under another shape of as many elements; of an array that is given away.
    ///
    /// The errors of `volume`; `errc::size_mismatch`.
    [[nodiscard]] Result<Array, Problem> reshaped(const Shape& shape) &&;

    static constexpr std::size_t alignment = 64;

    [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
    [[nodiscard]] int rank() const noexcept { return shape_.size(); }
    [[nodiscard]] DType dtype() const noexcept { return dtype_; }
    [[nodiscard]] std::int64_t size() const noexcept { return size_; }
    [[nodiscard]] std::int64_t size_bytes() const noexcept { return size_ * storage_bytes(dtype_); }
    /// Are the elements those of a caller, to be read only?
    [[nodiscard]] bool is_borrowed() const noexcept { return !memory_; }

    [[nodiscard]] const std::byte* data() const noexcept { return elements_ != nullptr ? elements_ : zero; }
    /// To write; of an array that borrows, rejected.
    [[nodiscard]] std::byte* data()
    {
        check_writable();
        return const_cast<std::byte*>(elements_); // it is this array's own memory
    }

    /// The bits of an element, as `decode` takes them. An index that is not there is rejected, like a value that is not there.
    [[nodiscard]] std::uint64_t bits_at(std::int64_t index) const
    {
        const std::byte* from = data() + offset(index);
        switch (storage_bytes(dtype_)) {
        case 1: return load<std::uint8_t>(from);
        case 2: return load<std::uint16_t>(from);
        case 4: return load<std::uint32_t>(from);
        default: return load<std::uint64_t>(from);
        }
    }
    [[nodiscard]] std::uint64_t bits_at(const Coord& coord) const { return bits_at(linear(coord)); }
    /// The value of an element: exact.
    [[nodiscard]] double at(std::int64_t index) const { return decode(dtype_, bits_at(index)); }
    [[nodiscard]] double at(const Coord& coord) const { return at(linear(coord)); }

    void set_bits(std::int64_t index, std::uint64_t element)
    {
        std::byte* to = data() + offset(index);
        switch (storage_bytes(dtype_)) {
        case 1: return store(to, static_cast<std::uint8_t>(element));
        case 2: return store(to, static_cast<std::uint16_t>(element));
        case 4: return store(to, static_cast<std::uint32_t>(element));
        default: return store(to, element);
        }
    }
    void set_bits(const Coord& coord, std::uint64_t element) { set_bits(linear(coord), element); }
    /// Writes the element nearest to the value, as `encode` does.
    void set(std::int64_t index, double value) { set_bits(index, encode(dtype_, value)); }
    void set(const Coord& coord, double value) { set(linear(coord), value); }

  private:
    struct Free {
        void operator()(std::byte* p) const noexcept { std::free(p); }
    };
    static constexpr std::byte zero[8]{};

    void swap(Array& other) noexcept
    {
        std::swap(shape_, other.shape_);
        std::swap(dtype_, other.dtype_);
        std::swap(size_, other.size_);
        std::swap(memory_, other.memory_);
        std::swap(elements_, other.elements_);
    }
    template <class Word>
    static std::uint64_t load(const std::byte* from) noexcept
    {
        Word word;
        std::memcpy(&word, from, sizeof word);
        return word;
    }
    template <class Word>
    static void store(std::byte* to, Word word) noexcept
    {
        std::memcpy(to, &word, sizeof word);
    }
    [[nodiscard]] std::ptrdiff_t offset(std::int64_t index) const
    {
        if (index < 0 || index >= size_)
            detail::fail_access(Error(errc::out_of_domain, -1, "element {0} is outside of the array's {1} elements", index, size_));
        return static_cast<std::ptrdiff_t>(index * storage_bytes(dtype_));
    }
    [[nodiscard]] std::int64_t linear(const Coord& coord) const { return linear_index(shape_, coord).value(); }
    void check_writable() const
    {
        if (is_borrowed())
            detail::fail_access(
                Error(errc::bad_argument, -1, "the array borrows its elements and only reads them; write to a clone"));
    }
    static Result<Array, Problem> described(const Shape& shape, DType dtype);

    Shape shape_{};
    DType dtype_ = DType::f32;
    std::int64_t size_ = 1;
    std::unique_ptr<std::byte, Free> memory_{};
    const std::byte* elements_ = nullptr;
};

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/tensor/impl/array.hpp>
#endif

#endif
