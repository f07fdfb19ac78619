// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_COMMON_JSON_TEXT_HPP
#define AXE_TEXT_COMMON_JSON_TEXT_HPP

#include <axe/text/common/utf8.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace axe {
inline namespace v0 {
namespace detail {

/// A text as JSON spells it; U+FFFD for every byte that is not a character.
inline std::string json_text(std::string_view text)
{
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text, at);
        const char c = text[at];
        if (length > 1) {
            out += text.substr(at, length);
        } else if (length == 0 && (static_cast<unsigned char>(c) & 0x80) != 0) {
            out += "\xef\xbf\xbd";
        } else if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
            out += code;
        } else {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
        at += length == 0 ? 1 : length;
    }
    return out + "\"";
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
