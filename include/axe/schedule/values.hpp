// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_VALUES_HPP
#define AXE_SCHEDULE_VALUES_HPP

#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>
#include <axe/schedule/schedule.hpp>

#include <numeric>

namespace axe {
inline namespace v0 {

/// The values that a whole number of a program takes while it runs: each is  first + step·k  for some whole k and is within
/// [least, greatest]; `first` is the value where every variable has its first one. A number that never changes has step 0.
struct Values {
    std::int64_t first = 0, step = 0, least = 0, greatest = 0;
};

/// The loop of each variable of a program, null where none exists. The program's statements must stay as they are.
struct Loops {
    std::vector<const For*> of{}; ///< by variable

    /// Cost: one walk over the program.
    explicit Loops(const Program& program) : of(program.variables.size(), nullptr)
    {
        for_each_statement(program.body, [&](const Statement& s) {
            const auto* loop = std::get_if<For>(&s.what);
            if (loop == nullptr || loop->var.id < 0 || static_cast<std::size_t>(loop->var.id) >= of.size()) return;
            const For*& first = of[static_cast<std::size_t>(loop->var.id)];
            if (first == nullptr) first = loop;
        });
    }
};

inline Values values_of(const Program& program, const Loops& loops, const Affine& function);

namespace detail {

inline Values values_of(const Program& program, const Loops& loops, int var)
{
    const Variable& known = program.variables[static_cast<std::size_t>(var)];
    const std::int64_t top = std::max(known.low, known.high - 1);
    const For* loop = loops.of[static_cast<std::size_t>(var)];
    if (loop == nullptr) return {known.low, top > known.low ? 1 : 0, known.low, top};
    Values out = axe::values_of(program, loops, loop->begin);
    const std::int64_t last = std::max(out.least, axe::values_of(program, loops, loop->end).greatest - 1);
    if (last - out.least >= loop->step) out.step = std::gcd(out.step, loop->step);
    // The counter ends at the last value below `end`: with one round it is `begin`.
    if (out.step != 0) out.greatest = std::max(out.greatest, out.least + (last - out.least) / out.step * out.step);
    return out;
}

} // namespace detail

/// The values of an affine function of a program's variables. A loop's counter moves in the loop's steps from the loop's begin.
///
/// Cost: linear in the variables that it depends on, by its loops' bounds, too.
inline Values values_of(const Program& program, const Loops& loops, const Affine& function)
{
    Values out{function.constant(), 0, function.constant(), function.constant()};
    for (const Affine::Term& term : function.terms()) {
        const Values v = detail::values_of(program, loops, term.var);
        const auto add = [&](std::int64_t& sum, std::int64_t value) {
            sum = limited_sum(sum, limited_product(term.coefficient, value));
        };
        add(out.first, v.first);
        out.step = std::gcd(out.step, limited_product(term.coefficient, v.step));
        add(out.least, term.coefficient > 0 ? v.least : v.greatest);
        add(out.greatest, term.coefficient > 0 ? v.greatest : v.least);
    }
    return out;
}

/// The same of a program whose loops have not been looked for. Cost: a walk over the program.
inline Values values_of(const Program& program, const Affine& function) { return values_of(program, Loops(program), function); }
/// The same of the program of a request.
inline Values values_of(const Request& request, const Affine& function)
{
    if (request.loops() != nullptr) return values_of(request.program(), *request.loops(), function);
    return values_of(request.program(), function);
}

} // namespace v0
} // namespace axe

#endif
