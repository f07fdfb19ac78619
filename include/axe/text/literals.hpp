// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_LITERALS_HPP
#define AXE_TEXT_LITERALS_HPP

#include <axe/text/parse.hpp>

#include <cstddef>

namespace axe {
inline namespace v0 {
namespace literals {

/// A layout from its text, read by the compiler: `"(8,16):(16,1)"_axe`. A text that is not a layout does not compile; the message
/// holds the message of the error and the character.
consteval Layout operator""_axe(const char* text, std::size_t length)
{
    return parse_layout({text, static_cast<int>(length)}).value();
}

/// A grouped layout from its text: `"(8|2,4):(4@lane|1@lane,1@reg)"_grouped`.
consteval Grouped<Layout> operator""_grouped(const char* text, std::size_t length)
{
    return parse_grouped({text, static_cast<int>(length)}).value();
}

/// A swizzled layout from its text: `"swizzle<3,4,3>/2((8,64):(64,1))"_swizzled`.
consteval Swizzled<Layout> operator""_swizzled(const char* text, std::size_t length)
{
    return parse_swizzled({text, static_cast<int>(length)}).value();
}

} // namespace literals
} // namespace v0
} // namespace axe

#endif
