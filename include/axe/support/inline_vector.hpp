// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_INLINE_VECTOR_HPP
#define AXE_SUPPORT_INLINE_VECTOR_HPP

#include <axe/support/config.hpp>

#include <compare>
#include <concepts>
#include <initializer_list>
#include <type_traits>

namespace axe {
inline namespace v0 {
namespace detail {

template <class T>
inline constexpr bool is_character = false;
template <>
inline constexpr bool is_character<bool> = true; // no number either
template <>
inline constexpr bool is_character<char> = true;
template <>
inline constexpr bool is_character<wchar_t> = true;
template <>
inline constexpr bool is_character<char8_t> = true;
template <>
inline constexpr bool is_character<char16_t> = true;
template <>
inline constexpr bool is_character<char32_t> = true;

/// Is it a character where the item is a number? The extents of "8,16" would be 56, 44, 49 and 54.
template <class From, class T>
concept CharacterFor = std::integral<T> && is_character<std::remove_cvref_t<From>> && !std::same_as<std::remove_cvref_t<From>, T>;

/// May an item be made of it? Integers: of integers; see `to_item`.
template <class From, class T>
concept ItemFor =
    std::convertible_to<From, T> && !CharacterFor<From, T> && (!std::integral<T> || std::integral<std::remove_cvref_t<From>>);

template <class R, class T>
concept RangeOf = requires(R& r) {
    r.end();
    { *r.begin() } -> ItemFor<T>;
};
template <class R, class T>
concept TextForWhichThereIsParseShape = requires(R& r) {
    r.end();
    { *r.begin() } -> CharacterFor<T>;
};

/// The item that is made of another type's: an integer that the item's type does not have becomes the least one, which every operation
/// rejects.
template <class T, class From>
constexpr T to_item(const From& from) noexcept
{
    if constexpr (std::integral<T> && std::integral<From> && !std::same_as<T, From>) {
        const T item = static_cast<T>(from);
        const bool kept = static_cast<From>(item) == from && (item < T{}) == (from < From{});
        return kept ? item : static_cast<T>(std::is_signed_v<T> ? T{1} << (8 * sizeof(T) - 1) : T{});
    } else {
        return static_cast<T>(from);
    }
}

} // namespace detail

/// A list of at most `Capacity` items held in place. Structural, so that it may be a template argument: all is public, and in a
/// constant expression the items past `count` are `T{}`, so that equal lists are one argument. At run time they are whatever the
/// memory held: filling a kilobyte for each layout costs as much as the operation that made it, and nothing reads them.
///
/// A list never loses an item silently: made from too many items it keeps their count, and so it does where items
/// are appended that have no room. Then it is `overfull()`, which every operation of the algebra reports as `errc::capacity`.
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

    /// Of the items of a range: a `std::span`, a vector, a view, an LLVM `ArrayRef`, or anything else with begin() and end(). Integers may
    /// be of any width: one that the item's type does not have becomes the least one, which every operation rejects.
    template <class R>
        requires(!std::same_as<std::remove_cvref_t<R>, InlineVector> && detail::RangeOf<R, T>)
    constexpr explicit InlineVector(R&& range) noexcept : InlineVector()
    {
        for (auto&& item : range) push_back(detail::to_item<T>(item));
    }
    /// Not of characters: what is written is read by `parse_shape`, `parse_coord` and `parse_order`.
    template <class R>
    explicit InlineVector(const R& text)
        requires detail::TextForWhichThereIsParseShape<const R, T>
    = delete; // use parse_shape
    /// Of the items in [first, last).
    template <class Iterator>
        requires requires(Iterator& i) {
            { *i } -> detail::ItemFor<T>;
            ++i;
        }
    constexpr InlineVector(Iterator first, Iterator last) noexcept : InlineVector()
    {
        for (; first != last; ++first) push_back(detail::to_item<T>(*first));
    }

    [[nodiscard]] AXE_HOST_DEVICE constexpr int size() const noexcept { return count; }
    [[nodiscard]] constexpr bool empty() const noexcept { return count == 0; }
    [[nodiscard]] constexpr bool full() const noexcept { return count >= Capacity; }
    [[nodiscard]] constexpr bool overfull() const noexcept { return count > Capacity; }
    /// The items that are there, at most `capacity`: those from begin() to end().
    [[nodiscard]] constexpr int held() const noexcept { return count < Capacity ? count : Capacity; }

    AXE_HOST_DEVICE constexpr T& operator[](int i) noexcept { return items[i]; }
    AXE_HOST_DEVICE constexpr const T& operator[](int i) const noexcept { return items[i]; }
    constexpr T& front() noexcept { return items[0]; }
    constexpr const T& front() const noexcept { return items[0]; }
    /// The last item that is there.
    constexpr T& back() noexcept { return items[held() - 1]; }
    constexpr const T& back() const noexcept { return items[held() - 1]; }

    constexpr T* data() noexcept { return items; }
    [[nodiscard]] constexpr const T* data() const noexcept { return items; }
    constexpr T* begin() noexcept { return items; }
    constexpr T* end() noexcept { return items + held(); }
    constexpr const T* begin() const noexcept { return items; }
    constexpr const T* end() const noexcept { return items + held(); }

    /// Appends; returns whether there was room. Without room, it is only counted, and the list is overfull.
    constexpr bool push_back(const T& item) noexcept
    {
        if (count >= Capacity) return overfill();
        items[count++] = item;
        return true;
    }
    constexpr void pop_back() noexcept
    {
        if (--count < Capacity) items[count] = T{};
    }
    constexpr void clear() noexcept
    {
        while (count > 0) pop_back();
    }
    /// Shortens the list, or appends copies of `item`; those that have no room are only counted.
    constexpr void resize(int n, const T& item = T{}) noexcept
    {
        while (count > n && count > 0) pop_back();
        while (count < n && count < Capacity) push_back(item);
        if (count < n) count = n;
    }
    /// Takes item i out; the others keep their order. Of an overfull list nothing is taken out: what would come last was not kept.
    constexpr void erase(int i) noexcept
    {
        if (overfull()) return;
        for (; i + 1 < count; ++i) items[i] = items[i + 1];
        pop_back();
    }
    /// Puts an item before position i; returns whether there was room. Without room, it is only counted, and the list is overfull.
    constexpr bool insert(int i, const T& item) noexcept
    {
        if (count >= Capacity) return overfill();
        for (int k = count++; k > i; --k) items[k] = items[k - 1];
        items[i] = item;
        return true;
    }

    /// Counts an item that has no room; false, for the caller to return.
    constexpr bool overfill() noexcept
    {
        ++count;
        return false;
    }

    friend constexpr bool operator==(const InlineVector& a, const InlineVector& b) noexcept
    {
        if (a.count != b.count) return false;
        for (int i = 0; i < a.count && i < Capacity; ++i)
            if (!(a.items[i] == b.items[i])) return false;
        return true;
    }
    /// Lexicographic: the first items that differ decide, else the shorter list comes first.
    friend constexpr std::strong_ordering operator<=>(const InlineVector& a, const InlineVector& b) noexcept
        requires std::three_way_comparable<T, std::strong_ordering>
    {
        for (int i = 0; i < a.count && i < b.count && i < Capacity; ++i)
            if (const std::strong_ordering order = a.items[i] <=> b.items[i]; order != 0) return order;
        return a.count <=> b.count;
    }
};

} // namespace v0
} // namespace axe

#endif
