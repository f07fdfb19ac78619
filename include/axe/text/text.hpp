// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_TEXT_HPP
#define AXE_TEXT_TEXT_HPP

#include <axe/layout/axis.hpp>

namespace axe {
inline namespace v0 {

/// Text of bounded length, held by value and ended by a zero. What is past the end is zeros in a constant expression; at run time
/// it is whatever the memory held, as filling a kilobyte would cost as much as printing a small layout.
template <int Capacity>
struct Text {
    static constexpr int capacity = Capacity;
    char text[Capacity + 1];
    int size = 0;

    constexpr Text() noexcept
    {
        if (__builtin_is_constant_evaluated())
            for (char& c : text) c = '\0';
        text[0] = '\0';
    }

    [[nodiscard]] constexpr const char* c_str() const noexcept { return text; }
    [[nodiscard]] constexpr const char* begin() const noexcept { return text; }
    [[nodiscard]] constexpr const char* end() const noexcept { return text + size; }

    /// What does not fit is left out; the functions that return texts leave room for every value.
    constexpr void put(char c) noexcept
    {
        if (size == Capacity) return;
        text[size++] = c;
        text[size] = '\0';
    }
    constexpr void put(const char* s) noexcept
    {
        while (*s) put(*s++);
    }
    constexpr void put_number(std::int64_t n) noexcept
    {
        char digits[20]{};
        int count = 0;
        auto rest = static_cast<std::uint64_t>(n);
        if (n < 0) {
            put('-');
            rest = 0 - rest; // INT64_MIN has no negative
        }
        do {
            digits[count++] = static_cast<char>('0' + static_cast<int>(rest % 10));
            rest /= 10;
        } while (rest != 0);
        while (count > 0) put(digits[--count]);
    }
    constexpr void put(const Axis& axis) noexcept { put(axis.name().c_str()); }
    /// Spaces, until the text has the given length.
    constexpr void pad_to(int length) noexcept
    {
        while (size < length && size < Capacity) put(' ');
    }

    friend constexpr bool operator==(const Text& a, const char* b) noexcept
    {
        for (int i = 0; i < a.size; ++i)
            if (b[i] == '\0' || a.text[i] != b[i]) return false;
        return b[a.size] == '\0';
    }
};

} // namespace v0
} // namespace axe

#endif
