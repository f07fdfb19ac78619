// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_PROBLEM_HPP
#define AXE_TENSOR_PROBLEM_HPP

#include <axe/support/result.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace axe {
inline namespace v0 {

/// Why something of tensors, programs or runs could not be done: a code and a whole message, which names tensors, statements and
/// files, as the fixed messages of `Error` cannot.
struct Problem {
    errc code = errc::ok;
    std::string text{};

    Problem() = default;
    /// The text begins with the words of the code (`opening`), unless it has them already, from the message it was made of.
    Problem(errc c, std::string message) : code(c), text(std::move(message))
    {
        if (const std::string_view words = opening(c); text.find(words) == std::string::npos) text.insert(0, words);
    }
    /// What an operation of the algebra said, after the words that say where it was asked: "copy of A: " + message.
    Problem(const Error& e, const std::string& where = {})
        : // NOLINT(google-explicit-constructor): what the algebra reports
          code(e.code),
          text(where + e.message().c_str())
    {
    }

    /// Does it report nothing?
    [[nodiscard]] bool ok() const noexcept { return code == errc::ok; }
    /// The whole message; named as in `Error`.
    [[nodiscard]] const std::string& message() const noexcept { return text; }
};

} // namespace v0
} // namespace axe

#endif
