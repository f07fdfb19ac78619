// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_INTEROP_SHARDING_SAID_HPP
#define AXE_TESTS_UNIT_INTEROP_SHARDING_SAID_HPP

#include <axe/text/explain.hpp>
#include <axe/text/literals.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

#include <string>
#include <string_view>

/// What the tests of shardings share: short calls of the readers, and what a refusal says.
namespace said {

inline int length(std::string_view text) { return static_cast<int>(text.size()); }

/// A value's text, or the code of its refusal.
template <class T>
std::string text(const axe::Result<T>& result)
{
    return result ? std::string(result->c_str()) : std::string(axe::name(result.code()));
}
inline std::string text(const axe::Layout& layout) { return axe::print(layout).c_str(); }

template <class T>
void refused(const T& result, axe::errc code, std::string_view sentence)
{
    CHECK(result.code() == code);
    CHECK(std::string(result.error().message().c_str()) == sentence);
}
inline void refused(const axe::Error& error, axe::errc code, std::string_view sentence)
{
    CHECK(error.code == code);
    CHECK(std::string(error.message().c_str()) == sentence);
}

/// A text that cannot be read, with the character where the caret of `explain` stands.
template <class T>
void misread(const T& result, std::string_view text, axe::errc code, int at, std::string_view sentence)
{
    INFO(text);
    refused(result, code, sentence);
    const std::string shown = axe::explain(text.data(), length(text), result.error()).c_str();
    const auto line = shown.find('\n') + 1;
    CHECK(static_cast<int>(shown.find('^', line) - line) == at);
}

} // namespace said

#endif
