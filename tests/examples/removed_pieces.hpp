// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_EXAMPLES_REMOVED_PIECES_HPP
#define AXE_TESTS_EXAMPLES_REMOVED_PIECES_HPP

#include <cstring>
#include <tests/examples/performed.hpp>
#include <tests/examples/said_again.hpp>
#include <tests/programs/removals.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>

/// Examples that are rings of stages: performed with some values, in all orders, and without one piece after the other.
namespace removed_pieces {

using performed_examples::not_taken, performed_examples::performed, performed_examples::Values;

/// The waits for a phase, made waits for that of the first round: those of a producer begin with 1.
inline bool without_flip(axe::Body& body, int& left, removals::Removal& removal)
{
    for (axe::Statement& s : body) {
        if (auto* m = std::get_if<axe::Mbarrier>(&s.what);
            m != nullptr && m->action == axe::Mbarrier::Action::wait && !m->parity.operands.empty() && left-- == 0) {
            removal = {s.id, "phase flip"};
            const axe::Expression& round = m->parity.operands[0];
            m->parity = axe::Expression(round.kind == axe::Expression::Kind::add ? 1.0 : 0.0);
            return true;
        }
        if (axe::for_each_body(s, [&](axe::Body& inner) { return without_flip(inner, left, removal); })) return true;
    }
    return false;
}

inline std::string word_of(const axe::Program& program, const removals::Removal& removal)
{
    using namespace axe;
    std::string out = removal.what;
    for_each_statement(program.body, [&](const Statement& s) {
        if (s.id != removal.statement) return;
        if (const auto* m = std::get_if<Mbarrier>(&s.what)) {
            constexpr const char* actions[] = {"init", "arrive", "expect", "wait", "expect_more", "invalidate", "commit"};
            out = (removal.what == "mbarrier" ? "" : removal.what + " of ") + "mbarrier " + actions[static_cast<int>(m->action)];
        }
        if (const auto* w = std::get_if<Wait>(&s.what))
            out = w->of == Wait::Of::products       ? "wait_products"
                  : w->of == Wait::Of::sources      ? "wait_sources"
                  : w->of == Wait::Of::tensor_loads ? "wait_tensor_loads"
                                                    : "wait";
        if (const auto* f = std::get_if<ProxyFence>(&s.what))
            out = f->of == ProxyFence::Of::before_sync  ? "tensor_fence_before"
                  : f->of == ProxyFence::Of::after_sync ? "tensor_fence_after"
                                                        : "proxy fence";
    });
    return out;
}

/// Each barrier, wait, fence, commit, mbarrier, guard and phase flip taken away by itself: how often which kind of fault tells, a line for
/// each piece. A run that has no fault is "none". With `asks_again` each fault is the same with any number of threads.
inline std::string without_each(const examples::Performance& whole, bool asks_again = false)
{
    using namespace axe;
    performed_examples::Tally found;
    const Program written = removals::with_chosen_layouts(whole.program, whole.lowered.program);
    for (const bool flips : {false, true})
        for (int number = 0;; ++number) {
            Program less = written;
            removals::Removal removal;
            int left = number;
            if (flips) {
                if (!without_flip(less.body, left, removal)) break;
            } else {
                removals::Remover remover(written, number);
                if (!remover.from(less.body)) break;
                removal = remover.removal;
            }
            INFO("without statement " << removal.statement << ", " << removal.what);
            const auto report = removals::run_without(less, whole.inputs, asks_again);
            const sim::Fault& f = report.fault;
            if (f.kind == sim::FaultKind::race || f.kind == sim::FaultKind::proxy) CHECK(f.other_statement >= 0);
            if (f.found()) CHECK(f.statement >= 0);
            const std::string kind = f.found() ? sim::name(f.kind) : "none, statement " + std::to_string(removal.statement);
            ++found[word_of(whole.program, removal)][kind];
        }
    return performed_examples::text_of(found);
}

} // namespace removed_pieces

#endif
