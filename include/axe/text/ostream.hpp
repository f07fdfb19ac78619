// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_OSTREAM_HPP
#define AXE_TEXT_OSTREAM_HPP

#include <axe/text/print_result.hpp>

#include <ostream>
#include <string_view>
#include <type_traits>

/// `std::cout << layout`, for every value that `print` takes and for texts themselves, so that `std::cout << axe::pretty(layout)`
/// works too. A value is written as one string: the width, fill and alignment of the stream apply to the whole. Opt-in: no other
/// header includes this one.
namespace axe {
inline namespace v0 {
namespace detail {

/// Classes and codes only: a string literal could be taken for the name of an axis.
template <class T>
concept Printable = (std::is_class_v<T> || std::is_enum_v<T>) && requires(const T& value) { print(value); };

} // namespace detail

template <int N>
std::ostream& operator<<(std::ostream& out, const Text<N>& text)
{
    return out << std::string_view(text.begin(), static_cast<std::size_t>(text.size));
}

/// Writes the printed form.
template <detail::Printable T>
std::ostream& operator<<(std::ostream& out, const T& value)
{
    return out << print(value);
}

} // namespace v0
} // namespace axe

#endif
