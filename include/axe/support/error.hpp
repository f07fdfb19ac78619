// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_ERROR_HPP
#define AXE_SUPPORT_ERROR_HPP

#include <axe/support/plural.hpp>

namespace axe {
inline namespace v0 {

/// Why an operation has no result. The first two answer a well-formed question ("no layout does that"); the rest say that the
/// question is ill-formed, that a number overflowed, or that a decision was declined.
enum class errc : std::uint8_t {
    ok,                ///< there is a result
    not_grouped,       ///< none: the shape does not cut the layout into dimension groups
    no_layout,         ///< none: the map that was asked for is not a layout
    bad_extent,        ///< an extent, or a dimension of a shape, below 1
    bad_axis,          ///< an axis without a name, with a character that no name may have, or named twice
    bad_argument,      ///< a number that the operation cannot take
    rank_mismatch,     ///< two lists that must be of one length are not
    size_mismatch,     ///< a shape whose product is not the size of its layout
    out_of_domain,     ///< a coordinate, region or value outside the domain
    unknown_axis,      ///< an axis that the layout does not have, where one is asked for
    not_single_valued, ///< a layout with replicas, where one point for each index is asked for
    capacity,          ///< more iters, dimensions or axes than the type holds
    overflow,          ///< a product or sum that overflows
    too_hard,          ///< a search was given up: mostly replica sets that break the gap condition and are too large to enumerate
    bad_syntax,        ///< a text that is not a layout, shape, region or point
    internal,          ///< a mistake in the library itself: please report it
};

/// A message of bounded length, held by value: no allocation, no locale.
struct Message {
    static constexpr int capacity = 240;
    char text[capacity + 1]{};
    int size = 0;

    constexpr void put(char c) noexcept
    {
        if (size < capacity) text[size++] = c;
    }
    constexpr void put(const char* s) noexcept
    {
        while (*s) put(*s++);
    }
    constexpr void put(std::int64_t n) noexcept
    {
        char digits[20]{};
        int count = 0;
        // Negative remainders keep INT64_MIN printable.
        const bool negative = n < 0;
        do {
            const int digit = static_cast<int>(n % 10);
            digits[count++] = static_cast<char>('0' + (digit < 0 ? -digit : digit));
            n /= 10;
        } while (n != 0);
        if (negative) put('-');
        while (count > 0) put(digits[--count]);
    }
    [[nodiscard]] constexpr const char* c_str() const noexcept { return text; }
};

namespace detail {

/// What stands between a message and its hint: a hint is a line of its own.
inline constexpr const char* before_hint = "\nhint: ";

} // namespace detail

/// The words that messages of a code begin with, so that readers tell "not decided" and "internal error" from what is wrong with the
/// question; "" for most codes.
constexpr const char* opening(errc code) noexcept
{
    return code == errc::too_hard ? "not decided: " : code == errc::internal ? "internal error: " : "";
}

/// What went wrong, where, and with which numbers.
///
/// `position` counts from 0 in the list the message names (iters, dimensions, characters), −1 if none exists. The message is
/// kept as a template, with the placeholders `{0}` … `{2}` for the numbers, and put together only when it is read. The words that tell
/// what was not decided and what is a mistake of the library from all else are not in it: see `opening`.
struct Error {
    errc code = errc::ok;
    int position = -1;
    const char* words = "";
    std::int64_t numbers[3]{};
    const char* hint = ""; ///< what to do about it, another template, or ""

    constexpr Error() = default;
    AXE_COLD constexpr Error(errc c, int where, const char* message, std::int64_t n0 = 0, std::int64_t n1 = 0,
                             std::int64_t n2 = 0) noexcept
        : code(c), position(where), words(message), numbers{n0, n1, n2}
    {
    }

    /// Does it report nothing?
    [[nodiscard]] constexpr bool ok() const noexcept { return code == errc::ok; }

    /// Does it say "no such layout" of a well-formed question (rather than that the question is ill-formed)?
    [[nodiscard]] constexpr bool is_none() const noexcept { return code == errc::not_grouped || code == errc::no_layout; }

    /// The same error with a hint, which its message shows on a second line: `hint: merge these dimensions`.
    [[nodiscard]] AXE_COLD constexpr Error with_hint(const char* what) const noexcept
    {
        Error out = *this;
        out.hint = what;
        return out;
    }

    /// The message with its numbers in place, what 1 counts in the singular: the words of the code, the template, and on a second line the
    /// hint.
    [[nodiscard]] constexpr Message message() const noexcept
    {
        Message out;
        out.put(opening(code));
        put(out, words);
        if (*hint == '\0') return out;
        out.put(detail::before_hint);
        put(out, hint);
        return out;
    }

  private:
    constexpr void put(Message& out, const char* form) const noexcept
    {
        const char* end = form;
        while (*end != '\0') ++end;
        const auto put_one = [&](char c) { out.put(c); };
        const auto is_one = [&](int which) { return which >= 0 && which <= 2 && numbers[which] == 1; };
        for (const char* p = form; *p; ++p) {
            if (p[0] == '{' && p[1] >= '0' && p[1] <= '2' && p[2] == '}') {
                const std::int64_t number = numbers[p[1] - '0'];
                out.put(number);
                const int singular = number == 1 ? detail::put_singular(form, end, p, put_one) : 0;
                p += 2 + singular;
            } else if (const int here = *p == 'h' ? detail::put_here_is(p, end, is_one, put_one) : 0; here > 0) {
                p += here - 1;
            } else {
                out.put(*p);
            }
        }
    }
};

/// The name of a code, as the enumerator is spelled.
constexpr const char* name(errc code) noexcept
{
    switch (code) {
    case errc::ok: return "ok";
    case errc::not_grouped: return "not_grouped";
    case errc::no_layout: return "no_layout";
    case errc::bad_extent: return "bad_extent";
    case errc::bad_axis: return "bad_axis";
    case errc::bad_argument: return "bad_argument";
    case errc::rank_mismatch: return "rank_mismatch";
    case errc::size_mismatch: return "size_mismatch";
    case errc::out_of_domain: return "out_of_domain";
    case errc::unknown_axis: return "unknown_axis";
    case errc::not_single_valued: return "not_single_valued";
    case errc::capacity: return "capacity";
    case errc::overflow: return "overflow";
    case errc::too_hard: return "too_hard";
    case errc::bad_syntax: return "bad_syntax";
    case errc::internal: return "internal";
    }
    return "?";
}

} // namespace v0
} // namespace axe

#endif
