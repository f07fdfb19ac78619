// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_JSON_TEXT_FORM_HPP
#define AXE_JSON_TEXT_FORM_HPP

#include <axe/support/result.hpp>

#include <string>
#include <string_view>

namespace axe {
inline namespace v0 {

/// The JSON of a type whose form in JSON is a string, the text that its own functions print and read:
///
///   static std::string print(const T&);                       of a value that `check` takes
///   static Result<T> parse(std::string_view);                 or a `Result` with a `Problem`;  parse(print(value)) = value
///
/// Specialized by the headers of this folder, and for a type of yours.
template <class T>
struct JsonText;

/// A type that has such a text.
template <class T>
concept HasJsonText = requires(const T& value, std::string_view text) {
    { JsonText<T>::print(value) };
    JsonText<T>::parse(text).has_value();
};

/// Writes the text, for any writer of JSON (<axe/text/json_form.hpp>). Cost: linear.
template <class Writer, HasJsonText T>
void write_json(Writer& out, const T& value)
{
    out.string(JsonText<T>::print(value));
}

} // namespace v0
} // namespace axe

#endif
