// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_PROBLEM_HPP
#define AXE_TENSOR_PROBLEM_HPP

#include <axe/support/result.hpp>
#include <axe/text/common/words.hpp>

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
    /// The same of a template and its words: `Problem(errc::overflow, "tensor {0} has {1} bytes", {name, bytes})`.
    Problem(errc c, std::string_view message, std::initializer_list<detail::MessageArgument> words)
        : Problem(c, detail::worded(message, words))
    {
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

/// What went wrong: `code: message`; `ok` when nothing did. As of an `Error`, for `to_string`, `operator<<` and fmt.
[[nodiscard]] inline std::string print(const Problem& problem)
{
    return problem.ok() ? name(problem.code) : name(problem.code) + (": " + problem.text);
}
[[nodiscard]] inline std::string print(const Result<void, Problem>& result) { return print(result.error()); }

namespace detail {

template <class T>
    requires(std::is_arithmetic_v<T>)
std::string problem_value(T number)
{
    return std::to_string(number);
}
inline std::string problem_value(std::string text) { return text; }
template <class T>
    requires requires(const T& value) { std::string(print(value).c_str()); }
std::string problem_value(const T& value)
{
    return print(value).c_str();
}

} // namespace detail

/// The value, where it has a text, or what went wrong.
template <class T>
    requires requires(const T& value) { detail::problem_value(value); }
[[nodiscard]] std::string print(const Result<T, Problem>& result)
{
    return result ? detail::problem_value(*result) : print(result.error());
}

} // namespace v0
} // namespace axe

#endif
