// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_IMPL_LOWER_HPP
#define AXE_SCHEDULE_IMPL_LOWER_HPP

#include <axe/program/allocation.hpp>
#include <axe/program/limits.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/print.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/collectivize.hpp>
#include <axe/schedule/hints.hpp>
#include <axe/schedule/lower.hpp>
#include <axe/schedule/pass.hpp>
#include <axe/schedule/pipelined.hpp>
#include <axe/schedule/values.hpp>
#include <axe/tensor/host_memory.hpp>

namespace axe {
inline namespace v0 {

namespace detail {

/// Replaces operators by what the target's schedules make of them.
class Lowering {
  public:
    Lowering(Program program, const Target& target, const LowerOptions& options) : target_(&target), options_(options)
    {
        out_.program = std::move(program);
    }

    Result<Lowered, Problem> run()
    {
        Program& program = out_.program;
        if (options_.only_fastest)
            for_each_statement(program.body, [](Statement& s) {
                if (auto* o = std::get_if<Operation>(&s.what)) o->options.only_fastest |= o->options.schedule.empty();
            });
        if (!same_text(program.machine.name, target_->machine.name))
            return Problem(errc::bad_argument, "{0}: the program is for machine {1}, the target is {2}",
                           {program.name, program.machine.name, target_->machine.name});
        // What has no room is not lowered first: lists of all that the lanes hold would be as long.
        if (const auto allocated = allocate(program); !allocated) return allocated.error();
        note_operators();
        if (auto p = pass(Pass::On::operators); !p.ok()) return p;
        auto collective = collectivize(std::move(program));
        if (!collective) return collective.error();
        program = std::move(*collective);
        const bool spreads = spreads_rows(program);
        for (const bool least : {false, true}) {
            Program with_layouts = spreads && !least ? program : std::move(program);
            std::vector<Choice> chosen;
            if (const auto p = resolve_hints(with_layouts, *target_, chosen, least); !p.ok())
                return Problem(p.code(), with_layouts.name + ": " + p.error().text);
            if (spreads && !least && !allocate(with_layouts)) continue; // the widest vectors take more registers than there are
            program = std::move(with_layouts);
            out_.choices.insert(out_.choices.end(), std::make_move_iterator(chosen.begin()), std::make_move_iterator(chosen.end()));
            break;
        }
        Body body = program.body; // schedules ask the program as it was, loops around the operator included
        const Loops loops(program);
        loops_ = &loops;
        if (auto p = lower_body(body, scope_of(program.machine)); !p.ok()) return p;
        program.body = std::move(body);
        if (auto p = pass(Pass::On::instructions); !p.ok()) return p;
        if (auto beyond = run_limit_problems(program); !beyond.empty()) return std::move(beyond.front());
        if (const auto allocated = allocate(program); !allocated) return allocated.error();
        return std::move(out_);
    }

  private:
    /// Keeps the texts of operators, for messages about what becomes of them.
    void note_operators()
    {
        Program& program = out_.program;
        for_each_statement(program.body, [&](const Statement& s) {
            if (!std::holds_alternative<Operation>(s.what) || s.id < 0) return;
            const auto id = static_cast<std::size_t>(s.id);
            if (program.origins.size() <= id) program.origins.resize(id + 1);
            program.origins[id].text = print(program, s);
        });
    }
    Result<void, Problem> pass(Pass::On on)
    {
        for (const Pass& pass : target_->passes) {
            if (pass.on != on) continue;
            if (const auto p = pass.run(out_.program); !p.ok())
                return {p.code(), out_.program.name + ", pass " + pass.name + ": " + p.error().text};
        }
        return {};
    }
    /// Are the operator and its function among those of the target?
    Result<void, Problem> known(const Operation& operation) const
    {
        const auto has = [](const auto& table, const auto& row) {
            return std::any_of(table.begin(), table.end(), [&](const auto& one) { return &one == &row; });
        };
        const auto missing = [&](const char* kind, const char* which) {
            return Problem(errc::bad_argument, hinted("target {0} has no {1} `{2}`", "add its row to `Target::{1}s`"),
                           {target_->machine.name, kind, which});
        };
        if (!has(target_->operators, operation.op.row())) return missing("operator", name(operation.op));
        if (!has(target_->functions, operation.function.row())) return missing("function", name(operation.function));
        return {};
    }

    Result<void, Problem> lower_body(Body& body, const ExecutionScope& place)
    {
        return rewrite(body, [&](Statement& s, Body& out) {
            if (const auto* operation = std::get_if<Operation>(&s.what)) {
                Result<void, Problem> emitted = emit(*operation, place, s.id, out);
                note_written(*operation);
                return emitted;
            }
            const std::vector<bool> written = written_; // what one body writes may not be written in another, nor after it
            const Result<void, Problem> problem =
                for_each_body(out_.program.machine, s, place, [&](Body& inner, const ExecutionScope& inside) {
                    const Result<void, Problem> lowered = lower_body(inner, inside);
                    written_ = written;
                    return lowered;
                });
            out.push_back(std::move(s));
            return problem;
        });
    }
    /// Notes the tensor of which an operator writes every element.
    void note_written(const Operation& o)
    {
        if (o.op != Op::fill && o.op != Op::copy && o.op != Op::map && o.op != Op::iota && !is_matrix_product(o.op)) return;
        const View& d = o.operands[0];
        if (!o.kept_rows.empty() || d.block || d.remote || !is_whole_view(d, tensor_of(out_.program, d).shape)) return;
        written_.resize(out_.program.tensors.size(), false);
        written_[static_cast<std::size_t>(d.tensor)] = true;
    }

    /// Appends the statements of one operator, its temporaries allocated before them.
    Result<void, Problem> emit(const Operation& operation, const ExecutionScope& place, int id, Body& out)
    {
        Program& program = out_.program;
        Request request(program, *target_, operation, place, *loops_);
        request.written_before(written_);
        Choice choice;
        Result<void, Problem> unknown = known(operation);
        if (unknown.ok() && place.in_block) unknown = check_lists(program, operation, place.count);
        auto body = !unknown.ok() ? Result<Body, Problem>(unknown) : dispatch(request, &choice);
        if (!body) return Problem(body.error().code, statement_text(program, id) + ": " + body.error().text);
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
    LowerOptions options_;
    const Loops* loops_ = nullptr; ///< of the program as it was
    Lowered out_{};
    std::vector<bool> written_{}; ///< of each tensor: all of it, by what is lowered
};

} // namespace detail

AXE_DECL Result<Lowered, Problem> lower(const Program& program, const Target& target, const LowerOptions& options)
{
    return within_memory(program.name, [&]() -> Result<Lowered, Problem> {
        if (const auto e = check_limits(program); !e.ok()) return e;
        if (!has_stages(program)) return detail::Lowering(program, target, options).run();
        auto turns = pipelined(program, target);
        if (!turns) return turns.error();
        auto lowered = detail::Lowering(std::move(turns->program), target, options).run();
        if (!lowered) return lowered;
        for (const PipelinedLoop& loop : turns->loops)
            for (const PipelinedLoop::Step& step : loop.steps)
                if (!step.why_not_bulk.empty())
                    lowered->choices.push_back(
                        {step.statement, "stages", detail::worded("not a bulk copy: {0}", {step.why_not_bulk}), {}, {}});
        return lowered;
    });
}

} // namespace v0
} // namespace axe

#endif
