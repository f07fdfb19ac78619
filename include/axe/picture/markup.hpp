// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_MARKUP_HPP
#define AXE_PICTURE_MARKUP_HPP

#include <axe/picture/palette.hpp>
#include <axe/text/common/utf8.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Text for pictures: XML that is always well-formed, and lines of bounded length.
namespace axe {
inline namespace v0 {
namespace detail {

/// Text as the content of an element or an attribute: the five special characters as entities, line ends as blanks, and U+FFFD for
/// every byte that is not a character.
inline std::string escaped(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text, at);
        const char c = text[at];
        if (length == 0)
            out += "\xef\xbf\xbd";
        else if (length > 1)
            out += text.substr(at, length);
        else
            switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            case '\t':
            case '\n':
            case '\r': out += ' '; break;
            default: out += c;
            }
        at += length == 0 ? 1 : length;
    }
    return out;
}

/// The text in lines of at most `width` ≥ 1 characters, broken after a blank or a comma where there is one; what passes `most` lines
/// is cut, and ends in an ellipsis.
inline std::vector<std::string> wrapped(std::string_view text, int width, std::size_t most)
{
    std::vector<std::string> lines;
    std::size_t start = 0, good = 0, at = 0;
    int count = 0;
    while (at < text.size()) {
        if (count == width) {
            if (lines.size() + 1 == most) {
                lines.push_back(std::string(text.substr(start, at - start)) + "\u2026");
                return lines;
            }
            if (good == start) good = at;
            lines.emplace_back(text.substr(start, good - start));
            at = start = good;
            count = 0;
        }
        const std::size_t length = character_length(text, at);
        const bool pause = text[at] == ' ' || text[at] == ',';
        at += length == 0 ? 1 : length;
        ++count;
        if (pause) good = at;
    }
    if (start < text.size()) lines.emplace_back(text.substr(start));
    return lines;
}

/// XML as it is written: names and numbers as they are, texts escaped.
class Markup {
  public:
    Markup& operator<<(const char* raw)
    {
        text_ += raw;
        return *this;
    }
    Markup& operator<<(const std::string& raw)
    {
        text_ += raw;
        return *this;
    }
    Markup& operator<<(std::int64_t n)
    {
        text_ += std::to_string(n);
        return *this;
    }
    Markup& operator<<(int n) { return *this << std::int64_t{n}; }
    Markup& operator<<(Color c)
    {
        text_ += c.hex().c_str();
        return *this;
    }
    Markup& text(std::string_view content)
    {
        text_ += escaped(content);
        return *this;
    }
    [[nodiscard]] const std::string& str() const { return text_; }
    [[nodiscard]] bool empty() const { return text_.empty(); }

  private:
    std::string text_;
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
