// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_WALK_HPP
#define AXE_PROGRAM_WALK_HPP

#include <axe/program/statement.hpp>

#include <array>
#include <type_traits>

/// The one place that knows which statements hold bodies. All functions here end with the first result of `f` that is a failure (a
/// `Result<void, Problem>`) or true as a condition (a pointer, a bool), and return it; without one, an empty result. If `f` returns
/// nothing, the walk visits everything and returns false.
namespace axe {
inline namespace v0 {
namespace detail {

/// The bodies of a statement, const if the statement is, in the order of writing; null after the last.
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

/// f(args...), or false if f returns nothing.
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

/// Does this result end the walk?
template <class R>
bool ends_walk(const R& result)
{
    if constexpr (requires { result.ok(); })
        return !result.ok();
    else
        return static_cast<bool>(result);
}

} // namespace detail

/// Calls f(body) for each body that a statement holds itself, in the order of writing.
///
///   bodies(For) = bodies(While) = bodies(Let) = bodies(Grid) = bodies(Slice) = bodies(Each) = (body)
///   bodies(If)  = (then, otherwise), both also where empty
///   bodies(any other statement) = ()
///
/// @param statement a Statement or const Statement; f takes Body& or const Body&, and must not assign to the statement itself
template <class AnyStatement, class F>
auto for_each_body(AnyStatement& statement, F&& f)
{
    using Result = decltype(detail::result_or_false(f, *detail::bodies_of(statement)[0]));
    for (auto* body : detail::bodies_of(statement))
        if (body != nullptr)
            if (Result result = detail::result_or_false(f, *body); detail::ends_walk(result)) return result;
    return Result{};
}

/// Calls f(statement) for each statement of a body and of all bodies within, in the order of writing: each before what it holds.
///
///   walk(s_0, s_1, …) = walk(s_0) ‖ walk(s_1) ‖ …        walk(s) = s ‖ walk(body) for each body of s
///
/// @param body a Body or const Body; f takes Statement& or const Statement&. It may assign to the statement: the walk then continues
///             in the bodies of the new one. It must not insert into or erase from the body around.
/// Cost: one call for each statement; nothing is copied.
template <class AnyBody, class F>
auto for_each_statement(AnyBody& body, F&& f)
{
    using Result = decltype(detail::result_or_false(f, *body.begin()));
    const auto walk = [&f](auto& self, AnyBody& statements) -> Result {
        for (auto& statement : statements) {
            if (Result result = detail::result_or_false(f, statement); detail::ends_walk(result)) return result;
            if (Result result = for_each_body(statement, [&](AnyBody& inner) { return self(self, inner); });
                detail::ends_walk(result))
                return result;
        }
        return Result{};
    };
    return walk(walk, body);
}

/// Replaces each statement of a body by what f(statement, out) appends to `out`: the statement itself, others, or nothing. It does not
/// enter the bodies that statements hold; f rewrites them before or after, by `for_each_body`, where it needs to.
///
///   rewrite(s_0, s_1, …) = f(s_0) ‖ f(s_1) ‖ …           f(s) = (s) by out.push_back(std::move(s))
///
/// If the walk ends early, the body keeps its size, and its statements are unspecified.
template <class F>
auto rewrite(Body& body, F&& f)
{
    Body out;
    out.reserve(body.size());
    using Result = decltype(detail::result_or_false(f, *body.begin(), out));
    for (Statement& statement : body)
        if (Result result = detail::result_or_false(f, statement, out); detail::ends_walk(result)) return result;
    body = std::move(out);
    return Result{};
}

/// May a block of the grid wait for another one, or access its memory? Then they are in flight together, and their accesses may be in order.
AXE_DECL bool blocks_depend_on_each_other(const Grid& grid);
/// The same of blocks of different clusters, or of blocks that are in none.
AXE_DECL bool clusters_depend_on_each_other(const Grid& grid);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/walk.hpp>
#endif

#endif
