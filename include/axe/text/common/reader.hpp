// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_COMMON_READER_HPP
#define AXE_TEXT_COMMON_READER_HPP

#include <axe/layout/layout.hpp>
#include <axe/text/text_view.hpp>

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
    bool tvm = false; ///< within TVM's spelling

    constexpr Reader(const char* characters, int count) noexcept : text(characters), length(count) {}
    constexpr Reader(TextView view) noexcept : Reader(view.text, view.size) // NOLINT(google-explicit-constructor)
    {
        if (view.size != TextView::too_long) return;
        length = 0;
        error = Error(errc::capacity, -1, "a text of 2^31 characters or more cannot be read");
    }

    constexpr bool fail(errc code, int where, const char* words, std::int64_t number = 0) noexcept
    {
        if (error.ok()) error = Error(code, where, words, where, number);
        return false;
    }
    constexpr bool too_large(int where) noexcept { return fail(errc::overflow, where, "the number at character {0} overflows"); }
    constexpr bool small_extent(int where, std::int64_t extent) noexcept
    {
        return fail(errc::bad_extent, where, "the extent at character {0} is {1}; it must be at least 1", extent);
    }
    constexpr bool open_bracket() noexcept { return expect('[', "expected '[' at character {0}"); }
    constexpr bool open_brace() noexcept { return expect('{', "expected '{' at character {0}"); }
    constexpr bool close_parenthesis() noexcept { return expect(')', "expected ')' at character {0}"); }
    constexpr bool expected(const char* words) noexcept { return fail(errc::bad_syntax, at, words); }

    static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
    static constexpr bool is_letter(char c) noexcept
    {
        const int lower = c | 0x20; // in ASCII the letters differ by this bit
        return lower >= 'a' && lower <= 'z';
    }
    static constexpr bool is_outside_ascii(char c) noexcept { return static_cast<unsigned char>(c) > '\x7f'; }
    constexpr bool not_ascii() noexcept
    {
        return fail(
            errc::bad_axis, at,
            "the name of an axis has a character outside ASCII at character {0} (names are of letters A-Z, digits, _ and .)");
    }
    static constexpr bool is_space(char c) noexcept { return c <= ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\r'); }

    /// The next character that is not a space, 0 at the end.
    constexpr char peek() noexcept
    {
        while (at < length && is_space(text[at])) ++at;
        return at < length ? text[at] : '\0';
    }
    constexpr bool accept(char c) noexcept
    {
        if (!error.ok() || peek() != c || at >= length) return false;
        ++at;
        return true;
    }
    constexpr bool expect(char c, const char* words) noexcept { return accept(c) || expected(words); }

    constexpr bool integer(std::int64_t& out, const char* words) noexcept
    {
        if (!error.ok()) return false;
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
            if (!mul(out, std::int64_t{10}, out) || !add(out, negative ? -digit : digit, out)) return too_large(start);
        }
        at = i;
        return true;
    }

    constexpr bool axis(Axis& out, const char* words = "expected the name of an axis at character {0}") noexcept
    {
        if (!error.ok()) return false;
        if (is_outside_ascii(peek())) return not_ascii();
        if (!is_letter(peek())) return expected(words);
        skip_prefix_of_tvm();
        const int start = at;
        while (at < length && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '_' || text[at] == '.')) ++at;
        if (at < length && is_outside_ascii(text[at])) return not_ascii();
        const auto made = Axis::make(text + start, at - start);
        if (!made)
            return fail(errc::bad_axis, start, "the axis at character {0} has a name of {1} characters; at most 15 fit",
                        at - start);
        out = *made;
        return true;
    }

    /// The `Axis.` of `Axis.laneid`, as TVM prints an axis: the name is what follows.
    constexpr void skip_prefix_of_tvm() noexcept
    {
        int i = at;
        for (const char* c = "Axis."; *c != '\0'; ++c, ++i)
            if (i >= length || text[i] != *c) return;
        if (i < length && is_letter(text[i])) at = i;
    }

    /// A word of letters, spelled as given.
    constexpr bool word(const char* spelling, const char* words) noexcept
    {
        if (!error.ok()) return false;
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
        if (!error.ok()) return false;
        peek();
        return at >= length || expected(words);
    }
};

/// A list in brackets, which have been opened; `item` reads one. An empty list is closed directly.
template <class Item>
constexpr bool read_list(Reader& in, char close, const char* words, Item item) noexcept
{
    if (!in.error.ok()) return false;
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
    list.push_back(item);
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
    return out == n || in.too_large(where);
}

/// `bits,base,shift>`: what follows "swizzle<".
constexpr bool read_swizzle_bits(Reader& in, int& bits, int& base, int& shift) noexcept
{
    return read_small(in, bits, "expected the number of bits at character {0}") &&
           in.expect(',', "expected ',' after the bits at character {0}") &&
           read_small(in, base, "expected the lowest bit at character {0}") &&
           in.expect(',', "expected ',' after the lowest bit at character {0}") &&
           read_small(in, shift, "expected the shift at character {0}") &&
           in.expect('>', "expected '>' after the shift at character {0}");
}

/// `(ints)` or ints with commas between them; extents may have an `x` between them instead, `8x16`.
constexpr bool read_numbers(Reader& in, Coord& numbers, const char* words, bool extents = false) noexcept
{
    const auto item = [&] {
        std::int64_t n = 0;
        return in.integer(n, words) && read_item(numbers, n);
    };
    if (in.accept('(')) { // `(8,)` is Python's list of one
        const auto item_or_end = [&] { return (numbers.size() == 1 && in.peek() == ')') || item(); };
        return read_list(in, ')', "expected ',' or ')' at character {0}", item_or_end) && in.finish();
    }
    if (!item()) return false;
    const char between = extents && in.peek() == 'x' ? 'x' : ',';
    while (in.accept(between))
        if (!item()) return false;
    return in.finish();
}

template <class List>
constexpr Status list_capacity(const List& list) noexcept
{
    if (!list.overfull()) return {};
    return Error(errc::capacity, List::capacity, "a list has at most {0} items, this one has {1}", List::capacity, list.count);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
