// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_PRINT_RESULT_HPP
#define AXE_TEXT_PRINT_RESULT_HPP

#include <axe/text/print.hpp>

/// The text of answers: of a result its value, or the error; of a status `ok`, or the error; of a decision `yes`, `no`, `no, at 5` with
/// the witness, or `undecided: ` and the error.
namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr int error_width = decltype(print(Error{}))::capacity;

template <int N, int M>
constexpr void put_text(Text<N>& out, const Text<M>& text) noexcept
{
    for (const char c : text) out.put(c);
}

template <std::integral Int>
    requires(!is_character<Int>)
constexpr Text<number_width> print_value(Int number) noexcept
{
    Text<number_width> out;
    out.put_number(static_cast<std::int64_t>(number));
    return out;
}
template <class T>
    requires requires(const T& value) { print(value).begin(); }
constexpr auto print_value(const T& value) noexcept
{
    return print(value);
}

} // namespace detail

template <class T>
    requires requires(const T& value) { detail::print_value(value).size; }
constexpr auto print(const Result<T>& result) noexcept
{
    constexpr int width = decltype(detail::print_value(*result))::capacity;
    Text<(width > detail::error_width ? width : detail::error_width)> out;
    if (result)
        detail::put_text(out, detail::print_value(*result));
    else
        detail::put_text(out, print(result.error()));
    return out;
}

constexpr Text<detail::error_width> print(const Status& status) noexcept { return print(status.error()); }

template <class Witness>
constexpr Text<detail::error_width + 11> print(const BasicDecision<Witness>& decision) noexcept
{
    Text<detail::error_width + 11> out;
    if (decision.undecided()) {
        out.put("undecided: ");
        detail::put_text(out, print(decision.error()));
    } else {
        out.put(decision.yes() ? "yes" : "no");
        if constexpr (std::is_integral_v<Witness>) {
            if (decision.no() && decision.witness() >= 0) {
                out.put(", at ");
                out.put_number(decision.witness());
            }
        }
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
