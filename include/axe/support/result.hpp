// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_RESULT_HPP
#define AXE_SUPPORT_RESULT_HPP

#include <axe/support/error.hpp>

#include <cstdio>
#include <cstdlib>

/// Called with the `axe::Error` when a value is taken that is not there. Define it before the first include of axe to put your own
/// in place (an exception, a log, a breakpoint); the program stops if it returns. In device code the default is a trap.
#if !defined(AXE_ON_REFUSAL)
#  if defined(__CUDA_ARCH__)
#    define AXE_ON_REFUSAL(error) __trap()
#  else
#    define AXE_ON_REFUSAL(error) (std::fprintf(stderr, "axe: %s\n", (error).sentence().c_str()), std::abort())
#  endif
#endif

namespace axe {
inline namespace v0 {
namespace detail {

/// Not constexpr on purpose: a constant expression that comes here fails to compile.
[[noreturn]] inline void there_is_no_value([[maybe_unused]] const Error& error)
{
    AXE_ON_REFUSAL(error);
    std::abort();
}

/// Where the diagnostic of g++ reads the position off.
inline constexpr char at_position[256]{};

/// One more call, so that a compiler which refuses the one inside shows the sentence and its numbers as the arguments of this one.
/// g++ shows no arguments, but the operands of a comparison that it cannot decide: the sentence and the position.
constexpr void no_value_because(const char* words, std::int64_t n0, std::int64_t n1, std::int64_t n2, errc code, int position)
{
    if (code == errc::ok) return;
#if defined(__GNUC__) && !defined(__clang__)
    if (__builtin_is_constant_evaluated() && words < at_position + (position < 0 || position > 255 ? 0 : position)) return;
#endif
    there_is_no_value(Error(code, position, words, n0, n1, n2));
}

constexpr void refuse(const Error& e) { no_value_because(e.words, e.numbers[0], e.numbers[1], e.numbers[2], e.code, e.position); }

} // namespace detail

/// A value, or the error that says why there is none. Never throws, never allocates; usable in constant expressions.
template <class T>
class [[nodiscard]] Result {
  public:
    using value_type = T;

    constexpr Result() = default;
    constexpr Result(const T& value) : value_(value) {} // NOLINT(google-explicit-constructor): a result is made from either
    constexpr Result(T&& value) : value_(static_cast<T&&>(value)) {}
    constexpr Result(const Error& error) : error_(error) {} // NOLINT(google-explicit-constructor)

    [[nodiscard]] constexpr bool has_value() const noexcept { return error_.code == errc::ok; }
    constexpr explicit operator bool() const noexcept { return has_value(); }

    /// The value; without one, `AXE_ON_REFUSAL` at run time and no compilation in a constant expression.
    constexpr const T& value() const
    {
        if (!has_value()) detail::refuse(error_);
        return value_;
    }
    constexpr T& value()
    {
        if (!has_value()) detail::refuse(error_);
        return value_;
    }
    constexpr const T& operator*() const { return value(); }
    constexpr T& operator*() { return value(); }
    constexpr const T* operator->() const { return &value(); }
    constexpr T* operator->() { return &value(); }

    [[nodiscard]] constexpr T value_or(const T& other) const { return has_value() ? value_ : other; }
    [[nodiscard]] constexpr const Error& error() const noexcept { return error_; }
    [[nodiscard]] constexpr errc code() const noexcept { return error_.code; }

  private:
    Error error_{};
    T value_{};
};

/// A yes or a no that was decided, with the least index that shows the no; or the error that kept it from being decided.
///
/// As a condition it is the yes. Asking an undecided one is refused like taking a value that is not there.
class [[nodiscard]] Verdict {
  public:
    static constexpr Verdict yes() noexcept { return Verdict(true, -1); }
    /// @param witness the least index that shows it, −1 when none does (the sizes differ, say).
    static constexpr Verdict no(std::int64_t witness = -1) noexcept { return Verdict(false, witness); }
    constexpr Verdict(const Error& error) : error_(error) {} // NOLINT(google-explicit-constructor)

    constexpr explicit operator bool() const
    {
        if (error_) detail::refuse(error_);
        return yes_;
    }
    /// Was the question decided?
    [[nodiscard]] constexpr bool decided() const noexcept { return error_.code == errc::ok; }
    [[nodiscard]] constexpr std::int64_t witness() const noexcept { return witness_; }
    [[nodiscard]] constexpr const Error& error() const noexcept { return error_; }

  private:
    constexpr Verdict(bool answer, std::int64_t at) noexcept : yes_(answer), witness_(at) {}
    Error error_{};
    bool yes_ = false;
    std::int64_t witness_ = -1;
};

} // namespace v0
} // namespace axe

#endif
