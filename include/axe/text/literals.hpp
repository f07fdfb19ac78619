// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_LITERALS_HPP
#define AXE_TEXT_LITERALS_HPP

#include <axe/text/parse.hpp>

#include <cstddef>

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr char at_character[256]{};

/// Stops a constant expression so that every compiler shows the words: g++ prints the operands of what it cannot fold, and the
/// order of two unrelated objects is such a thing; clang prints the arguments of the calls it is in.
constexpr bool refuse_text(const char* words, int position)
{
    return words < at_character + (position < 0 || position > 255 ? 255 : position);
}

} // namespace detail

namespace literals {

/// A layout from its text, read by the compiler: `"(8,16):(16,1)"_axe`. A text that is no layout does not compile; the message
/// holds the sentence of the error and the character.
consteval Layout operator""_axe(const char* text, std::size_t length)
{
    const Result<Layout> layout = parse_layout(text, static_cast<int>(length));
    if (!layout && detail::refuse_text(layout.error().words, layout.error().position)) return {};
    return layout.value();
}

} // namespace literals
} // namespace v0
} // namespace axe

#endif
