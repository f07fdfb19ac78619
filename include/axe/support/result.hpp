// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_RESULT_HPP
#define AXE_SUPPORT_RESULT_HPP

#include <axe/support/error.hpp>

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

/// Called with the error (an `axe::Error` or an `axe::Problem`; both have `message()`) when a value is read that does not exist, or an
/// undecided `Decision` is used as a condition. Define it before the first include of axe to replace it (an exception, a log, a
/// breakpoint); the program stops if it returns. In device code the default is a trap.
#if !defined(AXE_ON_BAD_ACCESS)
#  if defined(__CUDA_ARCH__)
#    define AXE_ON_BAD_ACCESS(error) __trap()
#  else
#    define AXE_ON_BAD_ACCESS(error) (std::fprintf(stderr, "axe: %s\n", (error).message().c_str()), std::abort())
#  endif
#endif

namespace axe {
inline namespace v0 {
namespace detail {

/// Not constexpr on purpose: a constant expression that comes here fails to compile.
template <class E>
[[noreturn]] inline void bad_access([[maybe_unused]] const E& error)
{
    AXE_ON_BAD_ACCESS(error);
    std::abort();
}

/// Where the diagnostic of g++ reads the position off.
inline constexpr char at_position[256]{};

/// One more call, so that a compiler which rejects the one inside shows the message and its numbers as the arguments of this one.
/// g++ shows no arguments, but the operands of a comparison that it cannot decide: the message and the position.
constexpr void no_value_because(const char* words, std::int64_t n0, std::int64_t n1, std::int64_t n2, errc code, int position)
{
    if (code == errc::ok) return;
#if defined(__GNUC__) && !defined(__clang__)
    if (__builtin_is_constant_evaluated() && words < at_position + (position < 0 || position > 255 ? 0 : position)) return;
#endif
    bad_access(Error(code, position, words, n0, n1, n2));
}

template <class E>
constexpr void fail_access(const E& e)
{
    if constexpr (std::is_same_v<E, Error>)
        no_value_because(e.words, e.numbers[0], e.numbers[1], e.numbers[2], e.code, e.position);
    else
        bad_access(e);
}

/// The error itself, or an internal one where it reports nothing: a failure without a reason is a mistake in the code that made it.
template <class E>
constexpr E as_failure(E error)
{
    if (error.code == errc::ok) [[unlikely]]
        return E(Error(errc::internal, -1, "a failure was made from an error with the code ok"));
    return error;
}

} // namespace detail

template <class T, class E = Error>
class Result;
template <class Witness>
class BasicDecision;

namespace detail {
template <class T>
inline constexpr bool is_decision = false;
template <class Witness>
inline constexpr bool is_decision<BasicDecision<Witness>> = true;
} // namespace detail

/// Success, or the error that says why an operation failed: what functions return that can only fail. It is not a condition: ask
/// `ok()`.
template <class E>
class [[nodiscard]] Result<void, E> {
  public:
    using value_type = void;
    using error_type = E;

    constexpr Result() = default;
    /// An error with the code `ok` is success: a status may be made from the error of another.
    constexpr Result(const E& error) : error_(error) {} // NOLINT(google-explicit-constructor): a status is made from either
    constexpr Result(E&& error) : error_(static_cast<E&&>(error)) {} // NOLINT(google-explicit-constructor)
    /// A failure with this code, of the arguments that make an error of it.
    template <class... A>
        requires(std::constructible_from<E, errc, A...>)
    constexpr Result(errc code, A&&... arguments) : error_(code, static_cast<A&&>(arguments)...)
    {
    }
    template <class F>
        requires(!std::same_as<F, E> && std::constructible_from<E, const F&> && requires(const F& f) { f.code == errc::ok; })
    constexpr Result(const F& error) : error_(error) // NOLINT(google-explicit-constructor)
    {
    }
    template <class F>
        requires(!std::same_as<F, E> && std::constructible_from<E, const F&>)
    constexpr Result(const Result<void, F>& other) : error_(other.error()) // NOLINT(google-explicit-constructor)
    {
    }

    [[nodiscard]] constexpr bool ok() const noexcept { return error_.code == errc::ok; }
    [[nodiscard]] constexpr const E& error() const noexcept { return error_; }
    [[nodiscard]] constexpr errc code() const noexcept { return error_.code; }

  private:
    E error_{};
};

/// Success or an `Error`.
using Status = Result<void>;

/// A value, or the error that says why it does not exist. Never throws; with `Error`, never allocates and is usable in constant expressions.
///
/// As a condition it asks whether there is a value. `E` is `Error` in the algebra, and `Problem` where errors name tensors, statements
/// and files.
template <class T, class E>
class [[nodiscard]] Result {
    static_assert(!std::is_same_v<T, bool>, "Result<bool> as a condition would hide a no: return a bool or a Decision");
    static_assert(!detail::is_decision<T>, "a Result of a Decision as a condition would hide a no: a Decision has an error itself");

  public:
    using value_type = T;
    using error_type = E;

    constexpr Result() = default;
    constexpr Result(const T& value) : value_(value) {} // NOLINT(google-explicit-constructor): a result is made from either
    constexpr Result(T&& value) : value_(static_cast<T&&>(value)) {}
    constexpr Result(const E& error) : error_(detail::as_failure(error)) {} // NOLINT(google-explicit-constructor)
    template <class F>
        requires(!std::same_as<F, E> && !std::convertible_to<const F&, T> && std::constructible_from<E, const F&> &&
                 requires(const F& f) { f.code == errc::ok; })
    constexpr Result(const F& error) : error_(detail::as_failure(E(error))) // NOLINT(google-explicit-constructor)
    {
    }
    /// What a failed operation reported.
    template <class F>
        requires(std::constructible_from<E, const F&>)
    constexpr Result(const Result<void, F>& failed)
        : error_(detail::as_failure(E(failed.error()))) // NOLINT(google-explicit-constructor)
    {
    }

    [[nodiscard]] constexpr bool has_value() const noexcept { return error_.code == errc::ok; }
    [[nodiscard]] constexpr bool ok() const noexcept { return has_value(); }
    constexpr explicit operator bool() const noexcept { return has_value(); }

    /// The value; without one, `AXE_ON_BAD_ACCESS` at run time and no compilation in a constant expression.
    constexpr const T& value() const&
    {
        if (!has_value()) detail::fail_access(error_);
        return value_;
    }
    constexpr T& value() &
    {
        if (!has_value()) detail::fail_access(error_);
        return value_;
    }
    constexpr T&& value() &&
    {
        if (!has_value()) detail::fail_access(error_);
        return static_cast<T&&>(value_);
    }
    constexpr const T& operator*() const& { return value(); }
    constexpr T& operator*() & { return value(); }
    constexpr T&& operator*() && { return static_cast<T&&>(value()); }
    constexpr const T* operator->() const { return &value(); }
    constexpr T* operator->() { return &value(); }

    [[nodiscard]] constexpr T value_or(const T& other) const { return has_value() ? value_ : other; }

    /// `f(value)`, which returns a result itself; without a value, the error.
    template <class F>
    constexpr auto and_then(F&& f) const -> std::remove_cvref_t<std::invoke_result_t<F, const T&>>
    {
        if (!has_value()) return error_;
        return static_cast<F&&>(f)(value_);
    }
    /// A result with `f(value)` for its value; without a value, the error.
    template <class F>
    constexpr auto transform(F&& f) const -> Result<std::remove_cvref_t<std::invoke_result_t<F, const T&>>, E>
    {
        if (!has_value()) return error_;
        return static_cast<F&&>(f)(value_);
    }

    [[nodiscard]] constexpr const E& error() const noexcept { return error_; }
    [[nodiscard]] constexpr errc code() const noexcept { return error_.code; }

  private:
    E error_{};
    T value_{};
};

namespace detail {

/// The witness of a yes, and of a no that nothing shows.
template <class Witness>
constexpr Witness no_witness()
{
    if constexpr (std::is_integral_v<Witness>)
        return Witness{-1};
    else
        return Witness{};
}

} // namespace detail

/// A question's answer: yes; no, with a witness; or undecided, with the error that kept it from being decided.
///
/// As a condition it is the yes. An undecided decision is not a condition: it ends in `AXE_ON_BAD_ACCESS` at run time and no compilation in
/// a constant expression, so that `static_assert(equal(a, b))` says what it means.
/// @tparam Witness what shows a no: of layouts the least index at which they differ, −1 where no index does.
template <class Witness>
class [[nodiscard]] BasicDecision {
  public:
    using witness_type = Witness;

    /// A decided answer, and what shows the no.
    constexpr explicit BasicDecision(bool yes, Witness witness = detail::no_witness<Witness>())
        : yes_(yes), witness_(static_cast<Witness&&>(witness))
    {
    }
    /// Undecided.
    constexpr BasicDecision(const Error& error) : error_(detail::as_failure(error)) {} // NOLINT(google-explicit-constructor)
    constexpr BasicDecision(const Status& failed) : BasicDecision(failed.error()) {}   // NOLINT(google-explicit-constructor)

    constexpr explicit operator bool() const
    {
        if (undecided()) detail::fail_access(error_);
        return yes_;
    }
    [[nodiscard]] constexpr bool yes() const noexcept { return yes_; }
    [[nodiscard]] constexpr bool no() const noexcept { return !yes_ && !undecided(); }
    [[nodiscard]] constexpr bool undecided() const noexcept { return error_.code != errc::ok; }
    [[nodiscard]] constexpr const Witness& witness() const noexcept { return witness_; }
    [[nodiscard]] constexpr const Error& error() const noexcept { return error_; }
    [[nodiscard]] constexpr errc code() const noexcept { return error_.code; }

  private:
    Error error_{};
    bool yes_ = false;
    Witness witness_ = detail::no_witness<Witness>();
};

/// A decision whose witness is an index.
using Decision = BasicDecision<std::int64_t>;

} // namespace v0
} // namespace axe

#endif
