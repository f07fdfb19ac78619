// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_LOOPS_HPP
#define AXE_PROGRAM_LOOPS_HPP

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

/// The values of each variable of a program by its loops. The program's variables must stay as they are.
class Loops {
  public:
    /// Cost: one walk over the program, linear in the bounds of its loops.
    explicit Loops(const Program& program) : known_(program.variables.size()), is_counter_(program.variables.size(), false)
    {
        for (std::size_t i = 0; i < known_.size(); ++i) {
            const Variable& v = program.variables[i];
            const std::int64_t top = std::max(v.low, v.high - 1);
            known_[i] = {v.low, top > v.low ? 1 : 0, v.low, top};
        }
        // Loops outside come first, so that what bounds depend on is known; a bound by the loop's own variable has that one's limits.
        for_each_statement(program.body, [&](const Statement& s) {
            const auto* loop = std::get_if<For>(&s.what);
            if (loop == nullptr || loop->var.id < 0 || static_cast<std::size_t>(loop->var.id) >= known_.size()) return;
            const auto var = static_cast<std::size_t>(loop->var.id);
            if (is_counter_[var]) return;
            is_counter_[var] = true;
            known_[var] = counter(*loop);
        });
    }

    [[nodiscard]] const Values& of(int var) const { return known_[static_cast<std::size_t>(var)]; }
    /// The values of an affine function. Cost: linear in its terms.
    [[nodiscard]] Values of(const Affine& function) const
    {
        Values out{function.constant(), 0, function.constant(), function.constant()};
        for (const Affine::Term& term : function.terms()) {
            const Values& v = of(term.var);
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

  private:
    /// A loop's counter moves in the loop's steps from the loop's begin.
    [[nodiscard]] Values counter(const For& loop) const
    {
        Values out = of(loop.begin);
        const std::int64_t last = std::max(out.least, of(loop.end).greatest - 1);
        if (last - out.least >= loop.step) out.step = std::gcd(out.step, loop.step);
        // The counter ends at the last value below `end`: with one round it is `begin`.
        if (out.step != 0) out.greatest = std::max(out.greatest, out.least + (last - out.least) / out.step * out.step);
        return out;
    }

    std::vector<Values> known_{};
    std::vector<bool> is_counter_{};
};

/// The values of an affine function of a program's variables. Cost: linear in its terms.
inline Values values_of(const Program&, const Loops& loops, const Affine& function) { return loops.of(function); }

/// The same of a program whose loops have not been looked for. Cost: a walk over the program.
inline Values values_of(const Program& program, const Affine& function) { return values_of(program, Loops(program), function); }

} // namespace v0
} // namespace axe

#endif
