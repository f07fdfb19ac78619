// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_FMT_HPP
#define AXE_TEXT_FMT_HPP

#include <axe/text/pretty.hpp>
#include <axe/text/print_result.hpp>

#include <fmt/format.h>

/// Formatters for fmt 8 and newer: `fmt::format("{}", layout)`. Opt-in: no other header includes this one.
///
///   {}  {:>40}  {:*^60}    the printed form, with fill, alignment, width and precision as for a string
///   {:p}                   layouts, grouped and swizzled ones: the pretty form, two lines
///
/// Any other specification is rejected, at compile time where fmt checks there.
namespace axe {
inline namespace v0 {

struct Problem; // <axe/tensor/problem.hpp>

namespace detail {

struct PrintFormatter : fmt::formatter<fmt::string_view> {
    using Base = fmt::formatter<fmt::string_view>;

    template <class T, class Context>
    auto format(const T& value, Context& context) const
    {
        const auto text = print(value);
        return Base::format(fmt::string_view(text.c_str(), static_cast<std::size_t>(text.end() - text.begin())), context);
    }
};

struct LayoutFormatter : PrintFormatter {
    bool is_pretty = false;

    template <class Context>
    constexpr auto parse(Context& context)
    {
        auto at = context.begin();
        if (at == context.end() || *at != 'p') return PrintFormatter::parse(context);
        is_pretty = true;
        return ++at; // what is left other than '}' is rejected by fmt
    }
    template <class T, class Context>
    auto format(const T& value, Context& context) const
    {
        if (!is_pretty) return PrintFormatter::format(value, context);
        auto out = context.out();
        for (const char c : axe::pretty(value)) *out++ = c;
        return out;
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

template <axe::AnyLayout L>
struct fmt::formatter<L, char> : axe::detail::LayoutFormatter {};
template <axe::AnyLayout L>
struct fmt::formatter<axe::Grouped<L>, char> : axe::detail::LayoutFormatter {};
template <axe::AnyLayout L>
struct fmt::formatter<axe::Swizzled<L>, char> : axe::detail::LayoutFormatter {};
template <class Int>
struct fmt::formatter<axe::BasicIter<Int>, char> : axe::detail::PrintFormatter {};

// Lists in full, not by pattern: <fmt/ranges.h> has a pattern for whatever can be iterated over.
template <>
struct fmt::formatter<axe::Shape> : axe::detail::PrintFormatter {};
template <>
struct fmt::formatter<axe::Region> : axe::detail::PrintFormatter {};
template <>
struct fmt::formatter<axe::Point> : axe::detail::PrintFormatter {};
template <>
struct fmt::formatter<axe::Layout::Axes> : axe::detail::PrintFormatter {};
template <>
struct fmt::formatter<axe::Axis> : axe::detail::PrintFormatter {};
template <>
struct fmt::formatter<axe::Error> : axe::detail::PrintFormatter {};
template <>
struct fmt::formatter<axe::errc> : axe::detail::PrintFormatter {};
template <class Int>
struct fmt::formatter<axe::BasicRange<Int>, char> : axe::detail::PrintFormatter {};
template <>
struct fmt::formatter<axe::Swizzle> : axe::detail::PrintFormatter {};
// Of a `Result` with an error of any type: <axe/tensor/problem.hpp> prints those of a `Problem`.
template <class T, class E>
    requires requires(const axe::Result<T, E>& result) { print(result); }
struct fmt::formatter<axe::Result<T, E>, char> : axe::detail::PrintFormatter {};
template <>
struct fmt::formatter<axe::Problem> : axe::detail::PrintFormatter {};
template <class Witness>
struct fmt::formatter<axe::BasicDecision<Witness>, char> : axe::detail::PrintFormatter {};

#endif
