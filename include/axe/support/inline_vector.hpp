// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_INLINE_VECTOR_HPP
#define AXE_SUPPORT_INLINE_VECTOR_HPP

#include <axe/support/config.hpp>

#include <initializer_list>

namespace axe {
inline namespace v0 {

/// A list of at most `Capacity` items held in place. Structural, so that it may be a template argument: all is public, and in a
/// constant expression the items past `count` are `T{}`, so that equal lists are one argument. At run time they are whatever the
/// memory held: filling a kilobyte for each layout costs as much as the operation that made it, and nothing reads them.
///
/// A list made from too many items keeps its true count; `overfull()` tells, and every operation of the algebra refuses it.
template <class T, int Capacity>
struct InlineVector {
    T items[Capacity > 0 ? Capacity : 1];
    int count = 0;

    static constexpr int capacity = Capacity;
    using value_type = T;

    constexpr InlineVector() noexcept
    {
        if (__builtin_is_constant_evaluated())
            for (T& item : items) item = T{};
    }
    constexpr InlineVector(std::initializer_list<T> list) : InlineVector()
    {
        for (const T& item : list) {
            if (count < Capacity) items[count] = item;
            ++count;
        }
    }

    [[nodiscard]] AXE_HOST_DEVICE constexpr int size() const noexcept { return count; }
    [[nodiscard]] constexpr bool empty() const noexcept { return count == 0; }
    [[nodiscard]] constexpr bool full() const noexcept { return count >= Capacity; }
    [[nodiscard]] constexpr bool overfull() const noexcept { return count > Capacity; }

    AXE_HOST_DEVICE constexpr T& operator[](int i) noexcept { return items[i]; }
    AXE_HOST_DEVICE constexpr const T& operator[](int i) const noexcept { return items[i]; }
    constexpr T& back() noexcept { return items[count - 1]; }
    constexpr const T& back() const noexcept { return items[count - 1]; }

    constexpr T* begin() noexcept { return items; }
    constexpr T* end() noexcept { return items + count; }
    constexpr const T* begin() const noexcept { return items; }
    constexpr const T* end() const noexcept { return items + count; }

    /// Appends; says whether there was room.
    constexpr bool push_back(const T& item) noexcept
    {
        if (count >= Capacity) return false;
        items[count++] = item;
        return true;
    }
    constexpr void pop_back() noexcept { items[--count] = T{}; }
    constexpr void clear() noexcept
    {
        while (count > 0) pop_back();
    }
    /// Takes item i out; the others keep their order.
    constexpr void erase(int i) noexcept
    {
        for (; i + 1 < count; ++i) items[i] = items[i + 1];
        pop_back();
    }
    /// Puts an item before position i; says whether there was room.
    constexpr bool insert(int i, const T& item) noexcept
    {
        if (count >= Capacity) return false;
        for (int k = count++; k > i; --k) items[k] = items[k - 1];
        items[i] = item;
        return true;
    }

    friend constexpr bool operator==(const InlineVector& a, const InlineVector& b) noexcept
    {
        if (a.count != b.count) return false;
        for (int i = 0; i < a.count && i < Capacity; ++i)
            if (!(a.items[i] == b.items[i])) return false;
        return true;
    }
};

} // namespace v0
} // namespace axe

#endif
