// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_LOWER_HPP
#define AXE_SCHEDULE_LOWER_HPP

#include <axe/schedule/collectivize.hpp>
#include <axe/schedule/pass.hpp>
#include <axe/schedule/wishes.hpp>

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
        if (const Problem p = resolve_wishes(program, *target_, out_.choices)) return Problem(p.code, program.name + ": " + p.text);
        auto body = lowered(program.body, place_of(program.machine));
        if (!body) return body.error();
        program.body = std::move(*body);
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

    Outcome<Body> lowered(const Body& body, const Place& place)
    {
        Body out;
        for (const Statement& s : body) {
            if (const auto* operation = std::get_if<Operation>(&s.what)) {
                auto statements = emitted(*operation, place, s.id);
                if (!statements) return statements;
                out.insert(out.end(), std::make_move_iterator(statements->begin()), std::make_move_iterator(statements->end()));
                continue;
            }
            out.push_back(s);
            Problem problem;
            const auto inside = [&](Body& inner, const Place& where) {
                auto done = lowered(Body(inner), where);
                if (done)
                    inner = std::move(*done);
                else
                    problem = done.error();
            };
            auto& what = out.back().what;
            if (auto* loop = std::get_if<For>(&what)) inside(loop->body, place);
            if (auto* loop = std::get_if<While>(&what)) inside(loop->body, place);
            if (auto* grid = std::get_if<Grid>(&what)) inside(grid->body, place_of(out_.program.machine, *grid));
            if (auto* slice = std::get_if<Slice>(&what)) inside(slice->body, place_of(place, *slice));
            if (auto* branch = std::get_if<If>(&what)) {
                inside(branch->then, place);
                if (!problem) inside(branch->otherwise, place);
            }
            if (problem) return problem;
        }
        return out;
    }

    /// The statements of one operator, its temporaries allocated before them.
    Outcome<Body> emitted(const Operation& operation, const Place& place, int id)
    {
        Program& program = out_.program;
        Request request(program, *target_, operation, place);
        Choice choice;
        const Problem unknown = known(operation);
        auto body = unknown ? Outcome<Body>(unknown) : dispatch(request, &choice);
        if (!body) return Problem(body.error().code, program.name + ", statement " + std::to_string(id) + ": " + body.error().text);
        choice.statement = id;
        out_.choices.push_back(std::move(choice));
        Body out;
        for (const ProgramTensor& t : request.temporaries()) {
            out.push_back({id, Alloc{static_cast<int>(program.tensors.size())}});
            program.tensors.push_back(t);
        }
        number(*body, id);
        out.insert(out.end(), std::make_move_iterator(body->begin()), std::make_move_iterator(body->end()));
        return out;
    }

    static void number(Body& body, int id)
    {
        for (Statement& s : body) {
            if (s.id < 0) s.id = id;
            if (auto* loop = std::get_if<For>(&s.what)) number(loop->body, id);
            if (auto* loop = std::get_if<While>(&s.what)) number(loop->body, id);
            if (auto* slice = std::get_if<Slice>(&s.what)) number(slice->body, id);
            if (auto* branch = std::get_if<If>(&s.what)) number(branch->then, id), number(branch->otherwise, id);
        }
    }

    const Target* target_;
    Lowered out_{};
};

} // namespace detail

AXE_KERNELS_INLINE Outcome<Lowered> lower(const Program& program, const Target& target)
{
    return detail::Lowering(program, target).run();
}

} // namespace v0
} // namespace axe

#endif
