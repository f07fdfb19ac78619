// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_TO_STRING_HPP
#define AXE_TEXT_TO_STRING_HPP

#include <axe/text/print_result.hpp>

#include <string>

namespace axe {
inline namespace v0 {

/// The printed form of any value as a `std::string`: of whatever `print` takes, wherever it is declared: of layouts and the other values of
/// the algebra, of results, statuses and decisions, and where their headers are included of problems, maps, programs and reports.
/// `to_string(L) == print(L).c_str()`.
template <class T>
    requires requires(const T& value) { print(value); }
[[nodiscard]] std::string to_string(const T& value)
{
    const auto text = print(value);
    return std::string(text.begin(), text.end());
}

} // namespace v0
} // namespace axe

#endif
