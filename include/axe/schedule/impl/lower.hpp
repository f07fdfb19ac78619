// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_IMPL_LOWER_HPP
#define AXE_SCHEDULE_IMPL_LOWER_HPP

#include <axe/schedule/collectivize.hpp>
#include <axe/schedule/hints.hpp>
#include <axe/schedule/lower.hpp>
#include <axe/schedule/pass.hpp>

namespace axe {
inline namespace v0 {

namespace detail {

/// Replaces operators by what the target's schedules make of them.
class Lowering {
  public:
    Lowering(Program program, const Target& target) : target_(&target) { out_.program = std::move(program); }

    Outcome<Lowered> run()
    {
        Program& program = out_.program;
        if (!same_text(program.machine.name, target_->machine.name))
            return Problem(errc::bad_argument, worded("{0}: the program is for machine {1}, the target is {2}",
                                                      {program.name, program.machine.name, target_->machine.name}));
        if (Problem p = pass(Pass::On::operators)) return p;
        auto collective = collectivize(std::move(program));
        if (!collective) return collective.error();
        program = std::move(*collective);
        if (const Problem p = resolve_hints(program, *target_, out_.choices)) return Problem(p.code, program.name + ": " + p.text);
        Body body = program.body; // schedules ask the program as it was, loops around the operator included
        if (Problem p = lower_body(body, place_of(program.machine))) return p;
        program.body = std::move(body);
        if (Problem p = pass(Pass::On::instructions)) return p;
        return std::move(out_);
    }

  private:
    Problem pass(Pass::On on)
    {
        for (const Pass& pass : target_->passes) {
            if (pass.on != on) continue;
            if (const Problem p = pass.run(out_.program))
                return {p.code, out_.program.name + ", pass " + pass.name + ": " + p.text};
        }
        return {};
    }
    /// Are the operator and its function among those of the target?
    Problem known(const Operation& operation) const
    {
        const auto has = [](const auto& table, const auto& row) {
            return std::any_of(table.begin(), table.end(), [&](const auto& one) { return &one == &row; });
        };
        const char* form = "target {0} has no {1} `{2}`; hint: add its row to `Target::{1}s`";
        if (!has(target_->operators, operation.op.row()))
            return {errc::bad_argument, worded(form, {target_->machine.name, "operator", name(operation.op)})};
        if (!has(target_->functions, operation.function.row()))
            return {errc::bad_argument, worded(form, {target_->machine.name, "function", name(operation.function)})};
        return {};
    }

    Problem lower_body(Body& body, const Place& place)
    {
        return rewrite(body, [&](Statement& s, Body& out) {
            if (const auto* operation = std::get_if<Operation>(&s.what)) return emit(*operation, place, s.id, out);
            const Problem problem = for_each_body(out_.program.machine, s, place,
                                                  [&](Body& inner, const Place& inside) { return lower_body(inner, inside); });
            out.push_back(std::move(s));
            return problem;
        });
    }

    /// Appends the statements of one operator, its temporaries allocated before them.
    Problem emit(const Operation& operation, const Place& place, int id, Body& out)
    {
        Program& program = out_.program;
        Request request(program, *target_, operation, place);
        Choice choice;
        const Problem unknown = known(operation);
        auto body = unknown ? Outcome<Body>(unknown) : dispatch(request, &choice);
        if (!body) return Problem(body.error().code, program.name + ", statement " + std::to_string(id) + ": " + body.error().text);
        choice.statement = id;
        out_.choices.push_back(std::move(choice));
        for (const ProgramTensor& t : request.temporaries()) {
            out.push_back({id, Alloc{static_cast<int>(program.tensors.size())}});
            program.tensors.push_back(t);
        }
        for_each_statement(*body, [&](Statement& s) {
            if (s.id < 0) s.id = id;
        });
        out.insert(out.end(), std::make_move_iterator(body->begin()), std::make_move_iterator(body->end()));
        return {};
    }

    const Target* target_;
    Lowered out_{};
};

} // namespace detail

AXE_DECL Outcome<Lowered> lower(const Program& program, const Target& target) { return detail::Lowering(program, target).run(); }

} // namespace v0
} // namespace axe

#endif
