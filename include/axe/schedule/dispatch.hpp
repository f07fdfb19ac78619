// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_DISPATCH_HPP
#define AXE_SCHEDULE_DISPATCH_HPP

#include <axe/program/operators.hpp>
#include <axe/schedule/lowered.hpp>
#include <axe/schedule/schedule.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {

/// The statements of the target's first row for the operator, by descending priority, that does not decline; or of the one that the
/// operator's options force. The request keeps the temporaries and the decision of that row only.
///
/// `errc::bad_argument` with every row and its reason when all decline, or when no row has the name that is forced.
inline Result<Body, Problem> dispatch(Request& request, Choice* choice = nullptr)
{
    const Operation& operation = request.operation();
    const std::string& forced = operation.options.schedule;
    std::vector<const Schedule*> mine;
    for (const Schedule& row : request.target().schedules)
        if (row.op == operation.op)
            mine.insert(std::upper_bound(mine.begin(), mine.end(), &row,
                                         [](const Schedule* a, const Schedule* b) { return a->priority > b->priority; }),
                        &row);
    Choice here;
    std::string known;
    for (const Schedule* row : mine) {
        known += (known.empty() ? "" : ", ") + std::string(row->name);
        if (!forced.empty() && forced != row->name) continue;
        if (!row->fits(request.machine())) {
            here.declined.emplace_back(row->name,
                                       detail::worded("{0} does not have what it needs: {1}", {request.machine().name, row->asks}));
            continue;
        }
        Request attempt = request;
        attempt.decided({});
        Result<Body, Problem> body = row->emit(attempt);
        if (!body) {
            here.declined.emplace_back(row->name, body.error().text);
            continue;
        }
        here.schedule = row->name;
        here.detail = attempt.decision();
        request = attempt;
        if (choice != nullptr) *choice = std::move(here);
        return body;
    }
    std::string message = forced.empty() || !here.declined.empty()
                              ? detail::worded("no schedule implements this {0}:", {name(operation.op)})
                              : detail::worded("{0} has no schedule {1}; its schedules are: {2}",
                                               {name(operation.op), forced, known.empty() ? "none" : known});
    for (const auto& [who, why] : here.declined) message += detail::worded("\n  {0}: {1}", {who, why});
    if (choice != nullptr) *choice = std::move(here);
    return Problem(errc::bad_argument, std::move(message));
}

/// The statements of an operator that a schedule needs within its own; its temporaries become those of the outer request, whose
/// numbering they share. Errors: those of `dispatch`.
inline Result<Body, Problem> emit_nested(Request& outer, const Operation& operation)
{
    Request inner(outer.program(), outer.target(), operation, outer.execution_scope());
    for (const ProgramTensor& t : outer.temporaries()) inner.temporary(t);
    Result<Body, Problem> body = dispatch(inner);
    if (!body) return body;
    for (std::size_t i = outer.temporaries().size(); i < inner.temporaries().size(); ++i) outer.temporary(inner.temporaries()[i]);
    return body;
}

} // namespace v0
} // namespace axe

#endif
