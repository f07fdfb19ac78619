// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_JSON_ANSWERS_HPP
#define AXE_JSON_ANSWERS_HPP

#include <axe/tensor/problem.hpp>
#include <axe/text/json_form.hpp>

#include <string>

/// What came of an operation or a question, as JSON:
///
///   a problem                {"code":"bad_extent","message":"…"}, also of no problem, whose code is ok
///   a result                 {"value":…} or {"error":problem}; one without a value is its problem
///   a decision               {"decision":"yes"}, {"decision":"no","witness":8} or {"decision":"undecided","error":problem}
///
/// An `Error`, a `Status` and a `Result` with an `Error` are written in the same way, and read as those with a `Problem`: the message of an
/// `Error` is a constant of the program that has it.
namespace axe {
inline namespace v0 {

/// The code of this name;  code_named(name(code)) = code.  `errc::internal` with found = false where there is none.
constexpr errc code_named(const char* text, bool& found) noexcept
{
    for (int i = 0; i <= static_cast<int>(errc::internal); ++i)
        if (detail::same_text(name(static_cast<errc>(i)), text)) return found = true, static_cast<errc>(i);
    found = false;
    return errc::internal;
}

template <class Writer>
void write_json(Writer& out, const Problem& problem)
{
    out.open('{').key("code").string(name(problem.code)).key("message").string(problem.text).close('}');
}
template <class Writer>
void write_json(Writer& out, const Error& error)
{
    write_json(out, error.ok() ? Problem() : Problem(error));
}
template <class Writer, class E>
void write_json(Writer& out, const Result<void, E>& result)
{
    write_json(out, result.error());
}
template <class Writer, class T, class E>
void write_json(Writer& out, const Result<T, E>& result)
{
    out.open('{').key(result ? "value" : "error");
    if (result)
        write_json(out, *result);
    else
        write_json(out, result.error());
    out.close('}');
}
template <class Writer>
void write_json(Writer& out, const Decision& decision)
{
    out.open('{').key("decision").string(decision.undecided() ? "undecided" : decision.yes() ? "yes" : "no");
    if (decision.no() && decision.witness() >= 0) out.key("witness").number(decision.witness());
    if (decision.undecided()) {
        out.key("error");
        write_json(out, decision.error());
    }
    out.close('}');
}

} // namespace v0
} // namespace axe

#endif
