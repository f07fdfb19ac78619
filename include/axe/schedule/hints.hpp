// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_HINTS_HPP
#define AXE_SCHEDULE_HINTS_HPP

#include <axe/program/messages.hpp>
#include <axe/schedule/dispatch.hpp>
#include <axe/schedule/execution_scope.hpp>
#include <axe/schedule/hint.hpp>
#include <axe/schedule/matrix_hints.hpp>
#include <axe/schedule/padded_registers.hpp>
#include <axe/schedule/register_layout.hpp>
#include <axe/schedule/shared_layout.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Where a tensor is allocated: for whom, and by which statement.
struct Allocation {
    ExecutionScope place{};
    int statement = -1;
};

/// Where each tensor of a program is allocated, by tensor.
inline std::vector<Allocation> find_allocations(const Program& program)
{
    std::vector<Allocation> out(program.tensors.size());
    for_each_statement(program.machine, program.body, ExecutionScope{}, [&](const Statement& s, const ExecutionScope& place) {
        if (const auto* alloc = std::get_if<Alloc>(&s.what)) out[static_cast<std::size_t>(alloc->tensor)] = {place, s.id};
    });
    return out;
}

inline bool lanes_hold(const HintRequest& r) { return is_private(r.program.machine, r.memory()); }

} // namespace detail

/// The layouts of machines whose lanes load and store.
inline constexpr HintRule simt_hints[] = {
    {"registers", "vectors distributed over the lanes",
     [](const HintRequest& r) { return r.tensor().hint == LayoutHint::registers && detail::lanes_hold(r); },
     detail::choose_registers},
    {"matrix", "as the matrix products of the program ask",
     [](const HintRequest& r) { return r.tensor().hint != LayoutHint::conflict_free && detail::lanes_hold(r); },
     [](const HintRequest& r) { return detail::with_words(hinted_matrix_layout(r.program, r.id), "as the matrix product asks"); }},
    {"conflict_free", "the simplest layout with the fewest wavefronts in the operators that use it",
     [](const HintRequest& r) { return !detail::lanes_hold(r) && r.memory().roles.has(Role::shared); },
     [](const HintRequest& r) { return conflict_free_layout(r.program, r.target, r.id); }},
    {"row_major", "row-major", [](const HintRequest&) { return true; },
     [](const HintRequest& r) -> Result<HintedLayout, Problem> {
         const auto layout = row_major_in(r.tensor().shape, r.memory());
         if (!layout) return Problem(layout.error(), r.tensor().name + ": ");
         return detail::with_words(*layout, "row-major");
     }},
};

/// Gives each tensor with a hint its layout, by the first of the target's rules that applies: first those in registers and the accumulators
/// of memories with partitions, which follow from the operators, then those in shared memory, which follow from all others. What was decided is appended to `choices`, under the
/// name `layout`. With `least_registers` tensors in registers take as few as they can.
inline Result<void, Problem> resolve_hints(Program& program, const Target& target, std::vector<Choice>& choices,
                                           bool least_registers = false)
{
    const std::vector<RowUse> rows = row_uses(program);
    const std::vector<detail::Allocation> where = detail::find_allocations(program);
    const auto is_last = [&](const ProgramTensor& t) {
        const Memory* memory = find_memory(program.machine, t.memory.c_str());
        const bool sums = memory != nullptr && t.hint == LayoutHint::accumulator && is_partitioned(*memory);
        return t.hint == LayoutHint::conflict_free || (memory != nullptr && !is_private(program.machine, *memory) && !sums);
    };
    for (const bool last : {false, true})
        for (std::size_t i = 0; i < program.tensors.size(); ++i) {
            ProgramTensor& t = program.tensors[i];
            if (t.hint == LayoutHint::none || is_last(t) != last) continue;
            if (find_memory(program.machine, t.memory.c_str()) == nullptr)
                return Problem(errc::bad_argument, no_memory_text(t.name, t.memory));
            const HintRequest request{program, target, static_cast<int>(i), where[i].place, &rows, least_registers};
            const auto rule =
                std::find_if(target.hints.begin(), target.hints.end(), [&](const HintRule& r) { return r.applies(request); });
            if (rule == target.hints.end())
                return Problem(errc::bad_argument,
                               "{0}: no layout rule of target {1} applies to its hint; give it a layout, or add a "
                               "HintRule to `Target::hints`",
                               {t.name, target.machine.name});
            auto layout = rule->choose(request);
            if (!layout) return layout.error();
            choices.push_back({where[i].statement, "layout", t.name + ": " + layout->detail, {}});
            t.layout = layout->layout;
            t.hint = LayoutHint::none;
            if (layout->padded.empty()) continue;
            const std::int64_t row = t.shape.back();
            t.shape = layout->padded;
            detail::fill_padding(program, static_cast<int>(i), row);
        }
    return {};
}

} // namespace v0
} // namespace axe

#endif
