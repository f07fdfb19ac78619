// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_EXPLAIN_HPP
#define AXE_TEXT_EXPLAIN_HPP

#include <axe/text/common/reader.hpp>
#include <axe/text/nearest_word.hpp>
#include <axe/text/text.hpp>

/// What a person is told of a text that could not be read:
///
///   8:1@1ane
///       ^
///   expected the name of an axis at character 4; did you mean lane?
namespace axe {
inline namespace v0 {

/// What a mistyped word is compared with: axes in use (any other name is one too), then the keyword of the notation.
inline constexpr const char* known_words[] = {
    "m",     "lane",    "warp", "warpgroup", "reg",    "cta",    "cluster", "gpuid", "thread", "device", "core", "bank",
    "Bank",  "P",       "F",    "TLane",     "TCol",   "tlane",  "tcol",    "trow",  "telem",  "tbyte",  "half", "pack",
    "vlane", "sublane", "zrow", "zelem",     "laneid", "warpid", "wgid",    "tx",    "bx",     "swizzle"};

namespace detail {

inline constexpr int known_word_count = sizeof(known_words) / sizeof(known_words[0]);
inline constexpr int keyword = known_word_count - 1;
inline constexpr int explanation_width = 2 * 102 + Message::capacity + 80; // two lines, the message and what follows it

constexpr bool is_one_of(const char* characters, char c) noexcept
{
    for (; *characters != '\0'; ++characters)
        if (*characters == c) return true;
    return false;
}

constexpr bool contains(const char* message, const char* part) noexcept
{
    for (; *message != '\0'; ++message) {
        int i = 0;
        while (part[i] != '\0' && message[i] == part[i]) ++i;
        if (part[i] == '\0') return true;
    }
    return false;
}

/// Does the position count characters? It counts what the message names.
constexpr bool counts_characters(const Error& error) noexcept { return contains(error.words, "character"); }

/// Item k of a list of numbers or iters that begins at character i or after, −1 when there are fewer. What may come before an item
/// is skipped: the brackets that open, TVM's S, and the bars of empty groups.
constexpr int item(const char* text, int length, int i, int k) noexcept
{
    while (true) {
        while (i < length && is_one_of(" \t\r\n,|([S", text[i])) ++i;
        if (i >= length) return -1;
        if (k-- == 0) return i;
        while (i < length && !is_one_of(",|", text[i])) ++i;
    }
}

/// The character that an error means, `length` for the end of the text, −1 for none.
///
/// What `check` says of an iter, and `volume` of a dimension, counts those: they are found again in the text. The offset is not, as
/// a layout keeps it in another order than it may be written; nor is what other operations say, which may be of another text.
constexpr int place(const char* text, int length, const Error& error) noexcept
{
    const auto after = [&](char c, int from) { // 0 if none exists
        for (int i = from; i < length; ++i)
            if (text[i] == c) return i + 1;
        return 0;
    };
    if (error.position < 0) return -1;
    if (counts_characters(error)) return error.position <= length ? error.position : -1;
    if (error.code != errc::bad_extent && error.code != errc::overflow) return -1;
    const int k = error.position;
    const bool has_iters = after(':', 0) > 0;
    if (has_iters && contains(error.words, "replica")) {
        const int replicas = after('[', after('+', 0));
        return replicas > 0 ? item(text, length, replicas, k) : -1;
    }
    if (has_iters && contains(error.words, "iter")) return item(text, length, after('(', after('>', 0)), k);
    if (!has_iters && contains(error.words, "dimension")) return item(text, length, 0, k);
    return -1;
}

/// The code point of the UTF-8 character that begins at a byte, −1 where none does.      [RFC 3629]
constexpr int code_point(const char* text, int length, int at) noexcept
{
    const auto byte = [&](int i) { return i < length ? static_cast<unsigned char>(text[i]) : 0; };
    const int first = byte(at);
    if (first < 0x80) return first;
    const int size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (size == 0 || first > 0xf4) return -1;
    int code = first & (0xff >> (size + 1));
    for (int i = 1; i < size; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) return -1;
        code = code << 6 | (byte(at + i) & 0x3f);
    }
    const int least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
    return code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? -1 : code;
}

/// `U+00F6`
template <int N>
constexpr void put_code_point(Text<N>& out, int code) noexcept
{
    out.put("U+");
    for (int digit = code > 0xfffff ? 5 : code > 0xffff ? 4 : 3; digit >= 0; --digit)
        out.put("0123456789ABCDEF"[code >> (4 * digit) & 0xf]);
}

/// Is it part of a word, or of what was to be one? All but spaces and the punctuation of the notation is, and `-` between letters.
constexpr bool in_word(const char* text, int length, int i) noexcept
{
    const char c = text[i];
    if (c == '-') return i > 0 && i + 1 < length && Reader::is_letter(text[i - 1]) && Reader::is_letter(text[i + 1]);
    return static_cast<unsigned char>(c) > ' ' && c != '\x7f' && !is_one_of("()[]{}<>:;,+=@|/", c);
}

/// The known word meant: the nearest, or the longest that begins a name which is too long to be one. −1 if none exists.
constexpr int meant(const char* word, int length) noexcept
{
    int best = nearest_word(word, length, known_words, known_word_count);
    if (best >= 0 || length <= Axis::max_length) return best;
    int longest = 2; // fewer letters say nothing
    for (int w = 0; w < known_word_count; ++w) {
        const int size = length_of(known_words[w]);
        if (size <= longest || edits(word, size, known_words[w], size) > 0) continue;
        best = w;
        longest = size;
    }
    return best;
}

/// The word meant by the one at a character, with what is missing before it: after a number `@`, where a number is expected `1@`. A
/// word that is spelled right where an axis is expected is wrong for another reason, and nothing is suggested.
template <int N>
constexpr void suggest_word(Text<N>& out, const char* text, int length, int at, const char* words) noexcept
{
    int first = at, last = at;
    while (first > 0 && in_word(text, length, first - 1)) --first;
    if (Reader::is_digit(text[first])) first = at; // a number comes before the word
    bool letters = false;
    for (; last < length && in_word(text, length, last); ++last) letters = letters || !Reader::is_digit(text[last]);
    const int known = letters ? meant(text + first, last - first) : -1;
    if (known < 0) return;
    int same = 0;
    while (first + same < last && text[first + same] == known_words[known][same]) ++same;
    const bool spelled_right = first + same == last && known_words[known][same] == '\0';
    int before = first - 1;
    while (before >= 0 && Reader::is_space(text[before])) --before;
    if (known == keyword) {
        if (before >= 0 || spelled_right) return; // it is at the beginning only
    } else if (before >= 0 && Reader::is_digit(text[before])) {
        out.put('@');
    } else if (!contains(words, "'") && (contains(words, "stride") || contains(words, "offset"))) {
        out.put("1@");
    } else if (first == at && !contains(words, "axis")) { // else a name was being read
        return;
    } else if (spelled_right) {
        return;
    }
    out.put(known_words[known]);
}

/// The punctuation meant by `c`, 0 for the end of the text, where a message quotes what it expected: a closing bracket that is
/// missing before `c`, the + that a negative offset needs too, or what looks like `c`.
template <int N>
constexpr void suggest_punctuation(Text<N>& out, const char* words, char c) noexcept
{
    const char* const alike[] = {",;.|:=-x*", "([{<", ")]}>"};
    char likely = '\0';
    for (const char* p = words; *p != '\0'; ++p) {
        if (p[0] != '\'' || p[1] == '\0' || p[2] != '\'') continue;
        const char wanted = p[1];
        p += 2;
        const bool closes = is_one_of(alike[2], wanted);
        if (closes && (c == '\0' || c == '+' || (c == ':' && contains(words, "extents")))) { // it is missing before c
            out.put(wanted);
            out.put(c == '+' ? " +" : c == ':' ? ":" : "");
            return;
        }
        if (wanted == '+' && c == '-') return out.put("+ -");
        for (const char* characters : alike)
            if (likely == '\0' && c != '\0' && is_one_of(characters, c) && is_one_of(characters, wanted)) likely = wanted;
    }
    if (likely != '\0') out.put(likely);
}

} // namespace detail

/// The word at an error of reading that is about a character outside ASCII, in printable ASCII: `gr<U+00F6>e`. Empty for other errors.
constexpr Text<80> unreadable_word(const char* text, int length, const Error& error) noexcept
{
    Text<80> out;
    const int at = detail::place(text, length, error);
    if (at < 0 || at >= length || static_cast<unsigned char>(text[at]) < 0x80) return out;
    int first = at, last = at;
    while (first > 0 && detail::in_word(text, length, first - 1)) --first;
    while (last < length && detail::in_word(text, length, last)) ++last;
    for (int i = first; i < last; ++i) {
        if (out.size > 60) {
            out.put("...");
            break;
        }
        const int code = detail::code_point(text, length, i);
        if (code >= ' ' && code <= '~') {
            out.put(text[i]);
        } else if (code < 0x80) {
            out.put('?');
        } else {
            out.put('<');
            detail::put_code_point(out, code);
            out.put('>');
            i += code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        }
    }
    return out;
}

/// What was probably meant at the place of an error of reading: a known word, `@lane` where only the `@` is missing, or
/// punctuation. Empty when nothing is near.
constexpr Text<Axis::max_length + 2> suggestion(const char* text, int length, const Error& error) noexcept
{
    Text<Axis::max_length + 2> out;
    const int at = detail::place(text, length, error);
    if (at < 0 || !detail::counts_characters(error)) return out;
    if (at < length && detail::in_word(text, length, at)) detail::suggest_word(out, text, length, at, error.words);
    if (out.size == 0) detail::suggest_punctuation(out, error.words, at < length ? text[at] : '\0');
    return out;
}

/// Three lines, with no newline at the end: the text, a caret under the offending character (one past the last where the end is
/// the mistake), and the message with what was probably meant. An error that means no character has no caret.
///
/// Of a long text, or one of several lines, the line of the caret is shown, 94 characters of it at most, with `...` where it is
/// cut. Control characters and bytes outside ASCII are shown as `?`, and the message tells the byte where one of them is the
/// mistake, or the code point that begins there, so that nothing but printable ASCII reaches a terminal.
/// Cost: linear in the text.
constexpr Text<detail::explanation_width> explain(const char* text, int length, const Error& error) noexcept
{
    constexpr int most_before = 60, most = 94;
    const auto ends_line = [&](int i) { return text[i] == '\n' || text[i] == '\r'; };
    const auto printable = [&](int i) { return text[i] >= ' ' && text[i] <= '~'; };

    Text<detail::explanation_width> out;
    if (error.ok()) return out;
    const int at = detail::place(text, length, error);
    int words_begin = 0, words_end = length; // blanks at the ends are not worth a mark
    while (words_end > 0 && detail::Reader::is_space(text[words_end - 1])) --words_end;
    while (words_begin < words_end && detail::Reader::is_space(text[words_begin])) ++words_begin;
    const int caret = at < words_end ? at : words_end;

    // A window around the caret, or from the start of the words: first what comes before, then what comes after, then more before.
    int begin = caret < 0 ? words_begin : caret;
    int end = begin;
    while (begin > 0 && !ends_line(begin - 1) && end - begin < most_before) --begin;
    while (end < words_end && !ends_line(end) && end - begin < most) ++end;
    while (begin > 0 && !ends_line(begin - 1) && end - begin < most) --begin;
    if (begin > words_begin) out.put("...");
    const int indent = out.size;
    for (int i = begin; i < end; ++i) out.put(text[i] == '\t' ? ' ' : printable(i) ? text[i] : '?');
    if (end < words_end) out.put("...");
    out.put('\n');

    if (caret >= 0) {
        out.pad_to(out.size + indent + caret - begin);
        out.put("^\n");
    }
    out.put(error.message().c_str());
    if (at >= 0 && at < length && !printable(at)) {
        const int code = detail::code_point(text, length, at);
        out.put(code < 0x80 ? "; there stands the byte " : "; there stands ");
        if (code < 0x80)
            out.put_number(static_cast<unsigned char>(text[at]));
        else
            detail::put_code_point(out, code);
    }
    const auto likely = suggestion(text, length, error);
    if (likely.size > 0) {
        const char last = likely.text[likely.size - 1]; // punctuation is quoted
        const char* const quote = detail::Reader::is_letter(last) ? "" : "'";
        out.put("; did you mean ");
        out.put(quote);
        out.put(likely.c_str());
        out.put(quote);
        out.put('?');
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
