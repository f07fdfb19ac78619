// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_DISPATCH_HPP
#define AXE_SCHEDULE_DISPATCH_HPP

#include <axe/program/operators.hpp>
#include <axe/schedule/element_placement.hpp>
#include <axe/schedule/lowered.hpp>
#include <axe/schedule/remote.hpp>
#include <axe/schedule/schedule.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {

namespace detail {

/// "\n  fma: reason" for each of a list, of a long one the first.
inline std::string reasons_text(const std::vector<std::pair<std::string, std::string>>& declined)
{
    std::vector<std::string> lines;
    for (const auto& [who, why] : declined) lines.push_back(worded("{0}: {1}", {who, why}));
    return "\n  " + capped(lines, "\n  ", 12);
}

} // namespace detail

/// The statements of the target's first row for the operator, by descending priority, that does not decline; or of the one that the
/// operator's options force. The request keeps the temporaries and the decision of that row only.
///
/// Where a declined row has instructions of a faster class for these types, the choice says so: in `faster`, and at the end of `detail`.
///
/// `fastest`: the first row that is slower than a declined one ends the search, before its statements are made.
///
/// `errc::bad_argument` with every row that the machine can have and its reason when all decline; when no row has the name that is
/// forced; when a faster class declines and the options ask for nothing else (`only_fastest`).
inline Result<Body, Problem> dispatch(Request& request, Choice* choice = nullptr, bool fastest = false)
{
    const Operation& operation = request.operation();
    if (request.known_placements() == nullptr) request.keep_placements(std::make_shared<detail::KnownPlacements>());
    const std::string& forced = operation.options.schedule;
    std::vector<const Schedule*> mine;
    for (const Schedule& row : request.target().schedules)
        if (row.op == operation.op)
            mine.insert(std::upper_bound(mine.begin(), mine.end(), &row,
                                         [](const Schedule* a, const Schedule* b) { return a->priority > b->priority; }),
                        &row);
    Choice here;
    std::vector<const Schedule*> with_types; // of the declined ones, those whose instructions the machine has for these types
    std::vector<std::pair<std::string, std::string>> unfit;
    std::vector<std::string> known;
    for (const Schedule* row : mine) {
        if (row->fits(request.machine())) known.emplace_back(row->name);
        if (!forced.empty() && forced != row->name) continue;
        if (!row->fits(request.machine())) {
            unfit.emplace_back(row->name,
                               detail::worded("{0} does not have what it needs: {1}", {request.machine().name, row->asks}));
            continue;
        }
        const auto is_faster = [&](const Schedule* declined) {
            return declined != nullptr && declined->instruction_class > row->instruction_class;
        };
        if (fastest && std::any_of(with_types.begin(), with_types.end(), is_faster)) break;
        Request attempt = request;
        attempt.decided({});
        std::string other_block = detail::why_not_of_other_block(request, *row);
        Result<Body, Problem> body = other_block.empty() ? row->emit(attempt) : Problem(errc::bad_argument, std::move(other_block));
        if (!body) {
            here.declined.emplace_back(row->name, body.error().text);
            with_types.push_back(row->has_types == nullptr || row->has_types(request) ? row : nullptr);
            continue;
        }
        for (std::size_t k = 0; k < with_types.size(); ++k)
            if (is_faster(with_types[k])) here.faster.push_back(here.declined[k]);
        if (!here.faster.empty() && operation.options.only_fastest) {
            Problem slow(errc::bad_argument,
                         detail::worded("{0} is slower than {1}, which does not apply; only_fastest forbids that:",
                                        {row->name, here.faster.front().first}) +
                             detail::reasons_text(here.faster));
            if (choice != nullptr) *choice = std::move(here);
            return slow;
        }
        here.schedule = row->name;
        here.detail = attempt.decision();
        if (!here.faster.empty())
            here.detail +=
                (here.detail.empty() ? "" : "; ") + detail::worded("slower than {0}, which does not apply: {1}",
                                                                   {here.faster.front().first, here.faster.front().second});
        request = attempt;
        if (choice != nullptr) *choice = std::move(here);
        return body;
    }
    if (here.declined.empty()) here.declined = std::move(unfit); // what the machine lacks, where that is all there is to say
    std::string message;
    if (!here.declined.empty())
        message = detail::worded("no schedule implements this {0}:", {name(operation.op)}) + detail::reasons_text(here.declined);
    else if (forced.empty())
        message = detail::worded(detail::hinted("no schedule implements this {0}: target {1} has none for this operator",
                                                "add a row to `Target::schedules`"),
                                 {name(operation.op), request.machine().name});
    else
        message = detail::worded("{0} has no schedule {1}; its schedules are: {2}",
                                 {name(operation.op), forced, known.empty() ? "none" : detail::capped(known, ", ", 12)});
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
