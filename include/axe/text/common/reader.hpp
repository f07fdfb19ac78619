// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_COMMON_READER_HPP
#define AXE_TEXT_COMMON_READER_HPP

#include <axe/layout/layout.hpp>

/// What the readers of `parse.hpp` share: tokens, and lists of them.
namespace axe {
inline namespace v0 {
namespace detail {

/// Reads tokens; the first mistake stays in `error`, and every later call fails.
struct Reader {
    const char* text;
    int length;
    int at = 0;
    Error error{};

    constexpr Reader(const char* characters, int count) noexcept : text(characters), length(count) {}

    constexpr bool fail(errc code, int where, const char* words, std::int64_t number = 0) noexcept
    {
        if (!error) error = Error(code, where, words, where, number);
        return false;
    }
    constexpr bool expected(const char* words) noexcept { return fail(errc::bad_syntax, at, words); }

    static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
    static constexpr bool is_letter(char c) noexcept
    {
        const int lower = c | 0x20; // in ASCII the letters differ by this bit
        return lower >= 'a' && lower <= 'z';
    }
    static constexpr bool is_space(char c) noexcept { return c <= ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\r'); }

    /// The next character that is no space, 0 at the end.
    constexpr char peek() noexcept
    {
        while (at < length && is_space(text[at])) ++at;
        return at < length ? text[at] : '\0';
    }
    constexpr bool accept(char c) noexcept
    {
        if (error || peek() != c || at >= length) return false;
        ++at;
        return true;
    }
    constexpr bool expect(char c, const char* words) noexcept { return accept(c) || expected(words); }

    constexpr bool integer(std::int64_t& out, const char* words) noexcept
    {
        if (error) return false;
        peek();
        const int start = at;
        int i = at;
        const bool negative = i < length && text[i] == '-';
        if (negative) ++i;
        if (i >= length || !is_digit(text[i])) {
            at = i;
            return expected(words);
        }
        out = 0;
        for (; i < length && is_digit(text[i]); ++i) {
            const std::int64_t digit = text[i] - '0';
            if (!mul(out, std::int64_t{10}, out) || !add(out, negative ? -digit : digit, out))
                return fail(errc::overflow, start, "the number at character {0} leaves the integer");
        }
        at = i;
        return true;
    }

    constexpr bool axis(Axis& out, const char* words = "expected the name of an axis at character {0}") noexcept
    {
        if (error) return false;
        if (!is_letter(peek())) return expected(words);
        const int start = at;
        while (at < length && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '_' || text[at] == '.')) ++at;
        const auto made = Axis::make(text + start, at - start);
        if (!made)
            return fail(errc::bad_axis, start, "the axis at character {0} has a name of {1} characters; 15 is the most",
                        at - start);
        out = *made;
        return true;
    }

    /// A word of letters, spelt as given.
    constexpr bool word(const char* spelling, const char* words) noexcept
    {
        if (error) return false;
        peek();
        int i = at;
        for (; *spelling != '\0'; ++spelling, ++i)
            if (i >= length || text[i] != *spelling) return expected(words);
        if (i < length && is_letter(text[i])) return expected(words);
        at = i;
        return true;
    }

    /// Whether all is read: no mistake, and nothing left over.
    constexpr bool finish(const char* words = "expected the end of the text at character {0}") noexcept
    {
        if (error) return false;
        peek();
        return at >= length || expected(words);
    }
};

/// A list in brackets, which have been opened; `item` reads one. An empty list is closed at once.
template <class Item>
constexpr bool read_list(Reader& in, char close, const char* words, Item item) noexcept
{
    if (in.error) return false;
    if (in.accept(close)) return true;
    do {
        if (!item()) return false;
    } while (in.accept(','));
    return in.expect(close, words);
}

/// Appends, counting what does not fit, so that `check` can say how many there are.
template <class T, int N>
constexpr bool read_item(InlineVector<T, N>& list, const T& item) noexcept
{
    if (!list.push_back(item)) ++list.count;
    return true;
}

/// A number that an `int` holds.
constexpr bool read_small(Reader& in, int& out, const char* words) noexcept
{
    std::int64_t n = 0;
    in.peek();
    const int where = in.at;
    if (!in.integer(n, words)) return false;
    out = static_cast<int>(n);
    return out == n || in.fail(errc::overflow, where, "the number at character {0} leaves the integer");
}

/// `(ints)` or one int.
constexpr bool read_numbers(Reader& in, Coord& numbers, const char* words) noexcept
{
    const auto item = [&] {
        std::int64_t n = 0;
        return in.integer(n, words) && read_item(numbers, n);
    };
    return (in.accept('(') ? read_list(in, ')', "expected ',' or ')' at character {0}", item) : item()) && in.finish();
}

template <class List>
constexpr Error list_capacity(const List& list) noexcept
{
    if (!list.overfull()) return {};
    return Error(errc::capacity, List::capacity, "a list has at most {0} items, this one has {1}", List::capacity, list.count);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
