// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_VALUES_HPP
#define AXE_SCHEDULE_VALUES_HPP

#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>

#include <numeric>

namespace axe {
inline namespace v0 {

/// The values that a whole number of a program takes while it runs: each is  first + step·k  for some whole k and is within
/// [least, greatest]; `first` is the value where every variable has its first one. A number that never changes has step 0.
struct Values {
    std::int64_t first = 0, step = 0, least = 0, greatest = 0;
};

inline Values values_of(const Program& program, const Affine& function);

namespace detail {

inline Values values_of(const Program& program, int var)
{
    const Variable& known = program.variables[static_cast<std::size_t>(var)];
    const std::int64_t top = std::max(known.low, known.high - 1);
    const For* loop = for_each_statement(program.body, [&](const Statement& s) {
        const auto* candidate = std::get_if<For>(&s.what);
        return candidate != nullptr && candidate->var.id == var ? candidate : nullptr;
    });
    if (loop == nullptr) return {known.low, top > known.low ? 1 : 0, known.low, top};
    Values out = axe::values_of(program, loop->begin);
    const std::int64_t last = std::max(out.least, axe::values_of(program, loop->end).greatest - 1);
    if (last - out.least >= loop->step) out.step = std::gcd(out.step, loop->step);
    // The counter ends at the last value below `end`: with one round it is `begin`.
    if (out.step != 0) out.greatest = std::max(out.greatest, out.least + (last - out.least) / out.step * out.step);
    return out;
}

} // namespace detail

/// The values of an affine function of a program's variables. A loop's counter moves in the loop's steps from the loop's begin.
///
/// Cost: a walk over the program for each variable.
inline Values values_of(const Program& program, const Affine& function)
{
    Values out{function.constant(), 0, function.constant(), function.constant()};
    for (const Affine::Term& term : function.terms()) {
        const Values v = detail::values_of(program, term.var);
        out.first += term.coefficient * v.first;
        out.step = std::gcd(out.step, term.coefficient * v.step);
        out.least += term.coefficient * (term.coefficient > 0 ? v.least : v.greatest);
        out.greatest += term.coefficient * (term.coefficient > 0 ? v.greatest : v.least);
    }
    return out;
}

} // namespace v0
} // namespace axe

#endif
