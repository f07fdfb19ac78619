// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_WALK_HPP
#define AXE_PROGRAM_WALK_HPP

#include <axe/program/statement.hpp>

#include <array>
#include <type_traits>

/// The one place that knows which statements hold bodies. What a walk returns is the same in all functions here: the first result of
/// `f` that converts to true, with which the walk ends (a `Problem`, a pointer to what was found, a bool), or an empty one. An `f`
/// that returns nothing sees everything, and the walk returns false.
namespace axe {
inline namespace v0 {
namespace detail {

/// The bodies of a statement, const where the statement is, in the order of writing; the rest is null.
template <class AnyStatement>
auto bodies_of(AnyStatement& statement)
{
    using Pointer = std::conditional_t<std::is_const_v<AnyStatement>, const Body*, Body*>;
    return std::visit(
        [](auto& what) -> std::array<Pointer, 2> {
            if constexpr (requires { what.otherwise; })
                return {&what.then, &what.otherwise};
            else if constexpr (requires { what.body; })
                return {&what.body, nullptr};
            else
                return {};
        },
        statement.what);
}

template <class F, class... Args>
auto result_or_false(F& f, Args&... args)
{
    if constexpr (std::is_void_v<decltype(f(args...))>) {
        f(args...);
        return false;
    } else {
        return f(args...);
    }
}

} // namespace detail

/// Calls f(body) for each body that a statement holds itself, in the order of writing.
///
///   bodies(For) = bodies(While) = bodies(Grid) = bodies(Slice) = bodies(Each) = (body)
///   bodies(If)  = (then, otherwise), both also where empty
///   bodies(any other statement) = ()
///
/// @param statement a Statement or const Statement; f gets Body& or const Body&, and must not assign to the statement
template <class AnyStatement, class F>
auto for_each_body(AnyStatement& statement, F&& f)
{
    using Result = decltype(detail::result_or_false(f, *detail::bodies_of(statement)[0]));
    for (auto* body : detail::bodies_of(statement))
        if (body != nullptr)
            if (Result result = detail::result_or_false(f, *body)) return result;
    return Result{};
}

/// Calls f(statement) for each statement of a body and of all bodies within, in the order of writing: each before what it holds.
///
///   walk(s_0, s_1, …) = walk(s_0) ‖ walk(s_1) ‖ …        walk(s) = s ‖ walk(body) for each body of s
///
/// @param body a Body or const Body; f gets Statement& or const Statement&, and may change it: the walk goes on in what it holds then
template <class AnyBody, class F>
auto for_each_statement(AnyBody& body, F&& f)
{
    using Result = decltype(detail::result_or_false(f, *body.begin()));
    const auto walk = [&f](auto& self, AnyBody& statements) -> Result {
        for (auto& statement : statements) {
            if (Result result = detail::result_or_false(f, statement)) return result;
            if (Result result = for_each_body(statement, [&](AnyBody& inner) { return self(self, inner); })) return result;
        }
        return Result{};
    };
    return walk(walk, body);
}

/// Replaces each statement of a body by what f(statement, out) appends to `out`, which may be nothing. The bodies that statements hold
/// are f's own matter: it rewrites them, or not, where and when it likes.
///
///   rewrite(s_0, s_1, …) = f(s_0) ‖ f(s_1) ‖ …           f appends std::move(s) where s stays
///
/// A body whose rewriting ended early holds statements of unspecified value, and serves nothing.
template <class F>
auto rewrite(Body& body, F&& f)
{
    Body out;
    out.reserve(body.size());
    using Result = decltype(detail::result_or_false(f, *body.begin(), out));
    for (Statement& statement : body)
        if (Result result = detail::result_or_false(f, statement, out)) return result;
    body = std::move(out);
    return Result{};
}

} // namespace v0
} // namespace axe

#endif
