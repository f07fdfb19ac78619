// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_COMMON_UTF8_HPP
#define AXE_TEXT_COMMON_UTF8_HPP

#include <cstddef>
#include <string_view>

namespace axe {
inline namespace v0 {
namespace detail {

/// The bytes of the UTF-8 character that starts at `at`, 0 if none exists or XML has no place for it.      [RFC 3629; XML 1.0, 2.2]
inline std::size_t character_length(std::string_view text, std::size_t at) noexcept
{
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(at);
    if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (length == 0 || first > 0xf4) return 0;
    unsigned code = first & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) return 0;
        code = code << 6 | (byte(at + i) & 0x3f);
    }
    constexpr unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[length] || code > 0x10ffff || surrogate || code == 0xfffe || code == 0xffff ? 0 : length;
}

/// How many characters a text shows.
inline int characters(std::string_view text) noexcept
{
    int count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) {
        const std::size_t length = character_length(text, at);
        at += length == 0 ? 1 : length;
    }
    return count;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
