// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_SMALL_VECTOR_HPP
#define AXE_MAP_SMALL_VECTOR_HPP

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace axe {
inline namespace v0 {
namespace detail {

/// A list of plain values, the first `Room` of which need no allocation: for working memory, and for lists that are copied often.
template <class T, std::size_t Room>
class SmallVector {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    SmallVector() noexcept {}
    SmallVector(const SmallVector& other) { assign(other); }
    SmallVector(SmallVector&& other) noexcept { take(other); }
    SmallVector& operator=(const SmallVector& other)
    {
        if (this != &other) assign(other);
        return *this;
    }
    SmallVector& operator=(SmallVector&& other) noexcept
    {
        if (this != &other) take(other);
        return *this;
    }
    ~SmallVector() { release(); }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    T* data() noexcept { return data_; }
    [[nodiscard]] const T* data() const noexcept { return data_; }
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    [[nodiscard]] const T* begin() const noexcept { return data_; }
    [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] const T& back() const noexcept { return data_[size_ - 1]; }
    T& back() noexcept { return data_[size_ - 1]; }

    void reserve(std::size_t n)
    {
        if (n <= room_) return;
        std::size_t room = 2 * room_;
        if (room < n) room = n;
        T* const larger = new T[room];
        std::memcpy(static_cast<void*>(larger), data_, size_ * sizeof(T));
        release();
        data_ = larger;
        room_ = room;
    }
    /// What is new has all bits 0.
    void resize(std::size_t n)
    {
        reserve(n);
        if (n > size_) std::memset(static_cast<void*>(data_ + size_), 0, (n - size_) * sizeof(T));
        size_ = n;
    }
    /// What is new is not set.
    T* extend(std::size_t n)
    {
        reserve(size_ + n);
        size_ += n;
        return data_ + (size_ - n);
    }
    void push_back(const T& value)
    {
        const T copy = value;
        reserve(size_ + 1);
        data_[size_++] = copy;
    }
    void pop_back() noexcept { --size_; }
    void clear() noexcept { size_ = 0; }
    void assign(std::size_t n, const T& value)
    {
        size_ = 0;
        for (T *p = extend(n), *const last = p + n; p != last; ++p) *p = value;
    }

  private:
    void assign(const SmallVector& other)
    {
        size_ = 0;
        reserve(other.size_);
        std::memcpy(static_cast<void*>(data_), other.data_, other.size_ * sizeof(T));
        size_ = other.size_;
    }
    void take(SmallVector& other) noexcept
    {
        release();
        size_ = other.size_;
        room_ = other.room_;
        data_ = other.data_;
        if (!other.is_far()) {
            data_ = near_;
            std::memcpy(static_cast<void*>(near_), other.near_, size_ * sizeof(T));
        }
        other.data_ = other.near_;
        other.size_ = 0;
        other.room_ = Room;
    }
    [[nodiscard]] bool is_far() const noexcept { return data_ != near_; }
    void release() noexcept
    {
        if (is_far()) delete[] data_;
    }

    union {
        T near_[Room]; ///< not set before it is used
    };
    T* data_ = near_;
    std::size_t size_ = 0, room_ = Room;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
