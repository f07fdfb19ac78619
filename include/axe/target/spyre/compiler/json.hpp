// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_JSON_HPP
#define AXE_TARGET_SPYRE_COMPILER_JSON_HPP

#include <axe/text/common/reader.hpp>

#include <string>
#include <string_view>

/// As much JSON as the descriptions for Spyre's back end need: objects, lists, integers, strings without escapes, truth values.
namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

using axe::detail::Reader;

/// A string, as a part of the text.
constexpr bool read_string(Reader& in, std::string_view& out) noexcept
{
    if (!in.expect('"', "expected a string in quotation marks at character {0}")) return false;
    const int start = in.at;
    while (in.at < in.length && in.text[in.at] != '"') {
        const char c = in.text[in.at];
        if (c == '\\' || (c >= '\0' && c < ' '))
            return in.fail(errc::bad_syntax, in.at, "the string has an escape or a control character at character {0}");
        ++in.at;
    }
    out = std::string_view(in.text + start, static_cast<std::size_t>(in.at - start));
    if (in.at < in.length) return ++in.at, true;
    return in.expected("expected '\"' at the end of the string at character {0}");
}

/// An object whose keys come in any order, each at most once:  member(key, i) reads the value of the i-th of `keys`.
template <int N, class Member>
constexpr bool read_object(Reader& in, const std::string_view (&keys)[N], Member member) noexcept
{
    bool seen[N]{};
    if (!in.open_brace()) return false;
    const auto one = [&] {
        in.peek();
        const int at = in.at;
        std::string_view key;
        if (!read_string(in, key)) return false;
        int i = 0;
        while (i < N && keys[i] != key) ++i;
        if (i == N) return in.fail(errc::bad_syntax, at, "this object does not have the key at character {0}");
        if (seen[i]) return in.fail(errc::bad_syntax, at, "the key at character {0} is repeated");
        seen[i] = true;
        return in.expect(':', "expected ':' after the key at character {0}") && member(i);
    };
    if (!axe::detail::read_list(in, '}', "expected ',' or '}' at character {0}", one)) return false;
    for (int i = 0; i < N; ++i)
        if (!seen[i]) return in.fail(errc::bad_syntax, in.at - 1, "the object that ends at character {0} lacks its key {1}", i);
    return true;
}

/// `[item, …]`
template <class Item>
constexpr bool read_array(Reader& in, Item item) noexcept
{
    return in.open_bracket() && axe::detail::read_list(in, ']', "expected ',' or ']' at character {0}", item);
}

template <class List>
constexpr bool read_integers(Reader& in, List& out) noexcept
{
    out = {};
    return read_array(in, [&] {
        in.peek();
        const int at = in.at;
        std::int64_t n = 0;
        if (!in.integer(n, "expected a number at character {0}")) return false;
        return out.push_back(n) ||
               in.fail(errc::capacity, at, "the list has more than {1} numbers at character {0}", List::capacity);
    });
}

constexpr bool read_truth(Reader& in, bool& out) noexcept
{
    out = in.peek() == 't';
    return in.word(out ? "true" : "false", "expected true or false at character {0}");
}

/// JSON as it is written: commas where they belong, no spaces.
class JsonWriter {
  public:
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    JsonWriter& key(std::string_view name)
    {
        separate();
        quote(name);
        text_ += ':';
        is_first_ = true; // of a value
        return *this;
    }
    JsonWriter& value(std::string_view s)
    {
        separate();
        quote(s);
        return *this;
    }
    JsonWriter& value(const char* s) { return value(std::string_view(s)); }
    JsonWriter& value(bool b)
    {
        separate();
        text_ += b ? "true" : "false";
        return *this;
    }
    JsonWriter& value(std::int64_t n)
    {
        separate();
        text_ += std::to_string(n);
        return *this;
    }
    /// '{' or '[', and what closes it.
    JsonWriter& open(char bracket)
    {
        separate();
        text_ += bracket;
        is_first_ = true;
        return *this;
    }
    JsonWriter& close(char bracket)
    {
        text_ += bracket;
        is_first_ = false;
        return *this;
    }
    template <class List>
    JsonWriter& list(const List& numbers)
    {
        open('[');
        for (const auto n : numbers) value(static_cast<std::int64_t>(n));
        return close(']');
    }

  private:
    void separate()
    {
        if (!is_first_) text_ += ',';
        is_first_ = false;
    }
    void quote(std::string_view s)
    {
        text_ += '"';
        text_ += s;
        text_ += '"';
    }

    std::string text_{};
    bool is_first_ = true;
};

} // namespace detail
} // namespace spyre
} // namespace v0
} // namespace axe

#endif
