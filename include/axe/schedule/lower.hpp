// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_LOWER_HPP
#define AXE_SCHEDULE_LOWER_HPP

#include <axe/schedule/collectivize.hpp>
#include <axe/schedule/table.hpp>
#include <axe/schedule/wishes.hpp>

namespace axe {
inline namespace v0 {

namespace detail {

/// Replaces operators by what the table's schedules make of them.
class Lowering {
  public:
    explicit Lowering(Program program) { out_.program = std::move(program); }

    Outcome<Lowered> run()
    {
        auto collective = collectivize(std::move(out_.program));
        if (!collective) return collective.error();
        Program& program = out_.program = std::move(*collective);
        if (const Problem p = resolve_wishes(program, out_.choices)) return Problem(p.code, program.name + ": " + p.text);
        Body body = program.body; // schedules ask the program as it was, loops around the operator included
        if (Problem p = lower_body(body, place_of(program.machine))) return p;
        program.body = std::move(body);
        if (has_instruction(program.machine, "nc_matmul")) order_engines(program);
        return std::move(out_);
    }

  private:
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
        Request request(program, operation, place);
        Choice choice;
        auto body = dispatch(request, &choice);
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

    Lowered out_{};
};

} // namespace detail

AXE_KERNELS_INLINE Outcome<Lowered> lower(const Program& program) { return detail::Lowering(program).run(); }

} // namespace v0
} // namespace axe

#endif
