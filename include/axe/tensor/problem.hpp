// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_PROBLEM_HPP
#define AXE_TENSOR_PROBLEM_HPP

#include <axe/support/result.hpp>

#include <string>
#include <utility>

namespace axe {
inline namespace v0 {

/// Why something of tensors, programs or runs could not be done: a code and a whole sentence, which names tensors, statements and
/// files, as the fixed sentences of `Error` cannot.
struct Problem {
    errc code = errc::ok;
    std::string text{};

    Problem() = default;
    Problem(errc c, std::string sentence) : code(c), text(std::move(sentence)) {}
    /// What an operation of the algebra said, after the words that say where it was asked: "copy of A: " + sentence.
    explicit Problem(const Error& e, const std::string& where = {}) : code(e.code), text(where + e.sentence().c_str()) {}

    /// Is there something to report?
    explicit operator bool() const noexcept { return code != errc::ok; }
};

/// A value, or the problem that kept it from being made. `Result` for values that own memory.
template <class T>
class [[nodiscard]] Outcome {
  public:
    using value_type = T;

    Outcome(T value) : value_(std::move(value)) {}             // NOLINT(google-explicit-constructor): made from either
    Outcome(Problem problem) : problem_(std::move(problem)) {} // NOLINT(google-explicit-constructor)
    Outcome(const Error& error) : problem_(error) {}           // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool has_value() const noexcept { return problem_.code == errc::ok; }
    explicit operator bool() const noexcept { return has_value(); }

    /// The value; without one, the sentence on the error stream and an end of the program.
    T& value() &
    {
        if (!has_value()) refuse();
        return value_;
    }
    const T& value() const&
    {
        if (!has_value()) refuse();
        return value_;
    }
    T&& value() && { return std::move(value()); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(value()); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    [[nodiscard]] const Problem& error() const noexcept { return problem_; }

  private:
    [[noreturn]] void refuse() const
    {
        std::fprintf(stderr, "axe: %s\n", problem_.text.c_str());
        std::abort();
    }
    Problem problem_{};
    T value_{};
};

} // namespace v0
} // namespace axe

#endif
