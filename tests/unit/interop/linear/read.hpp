// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_INTEROP_LINEAR_READ_HPP
#define AXE_TESTS_UNIT_INTEROP_LINEAR_READ_HPP

#include <axe/interop/linear/text.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

#include <string>

/// What the tests of linear layouts share: layouts from their texts, and refusals with their sentences.
namespace linear_tests {

using axe::linear::LinearLayout;

/// A layout from its one line.
constexpr LinearLayout line(const char* text)
{
    int length = 0;
    while (text[length] != '\0') ++length;
    return axe::linear::parse_linear({text, length}).value();
}

inline std::string text(const LinearLayout& l) { return axe::linear::print(l).c_str(); }
inline std::string text(const axe::Result<LinearLayout>& l) { return l ? text(*l) : axe::print(l.error()).c_str(); }

inline void refused(const axe::Error& error, axe::errc code, int position, const char* sentence)
{
    CHECK(error.code == code);
    CHECK(error.position == position);
    CHECK(std::string(error.message().c_str()) == sentence);
}
template <class T>
void refused(const T& result, axe::errc code, int position, const char* sentence)
{
    refused(result.error(), code, position, sentence);
}

} // namespace linear_tests

#endif
