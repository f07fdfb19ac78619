// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_WISHES_HPP
#define AXE_SCHEDULE_WISHES_HPP

#include <axe/schedule/dispatch.hpp>
#include <axe/schedule/matrix_wishes.hpp>
#include <axe/schedule/place.hpp>
#include <axe/schedule/register_layout.hpp>
#include <axe/schedule/shared_layout.hpp>
#include <axe/target/trainium/layouts.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Where a tensor is allocated: for whom, and by which statement.
struct Allocation {
    Place place{};
    int statement = -1;
};

/// Where each tensor of a program is allocated, by tensor.
inline std::vector<Allocation> find_allocations(const Program& program)
{
    std::vector<Allocation> out(program.tensors.size());
    for_each_statement(program.machine, program.body, Place{}, [&](const Statement& s, const Place& place) {
        if (const auto* alloc = std::get_if<Alloc>(&s.what)) out[static_cast<std::size_t>(alloc->tensor)] = {place, s.id};
    });
    return out;
}

/// The layout that one tensor's wish comes to, and what was decided, in words.
inline Outcome<Swizzled<Layout>> wished_layout(const Program& program, int tensor, const Place& place, std::string& words)
{
    const ProgramTensor& t = program.tensors[static_cast<std::size_t>(tensor)];
    const Memory* memory = find_memory(program.machine, t.memory.c_str());
    if (memory == nullptr)
        return Problem(errc::bad_argument, worded("{0} is in {1}; the machine has no such memory", {t.name, t.memory}));
    Swizzled<Layout> out;
    const bool lanes_hold_it = is_private(program.machine, *memory);
    if (has_instruction(program.machine, "nc_matmul")) {
        const auto layout = trainium_layout(program, tensor);
        if (!layout) return layout.error();
        out.layout = *layout;
        words = "over the partitions as the products ask";
    } else if (t.wish == Wish::registers && lanes_hold_it) {
        auto layout = wished_register_layout(program.machine, place, t);
        if (!layout) return layout.error();
        out.layout = *layout;
        words = "vectors dealt out to the lanes";
    } else if (lanes_hold_it && t.wish != Wish::conflict_free) {
        auto layout = wished_matrix_layout(program, tensor);
        if (!layout) return layout.error();
        out.layout = *layout;
        words = "as the matrix product asks";
    } else if (!lanes_hold_it && memory->roles.has(Role::shared)) {
        auto chosen = conflict_free_layout(program, tensor);
        if (!chosen) return chosen.error();
        out = chosen->layout;
        words = chosen->detail;
    } else {
        const auto layout = row_major_in(t.shape, *memory);
        if (!layout) return Problem(layout.error(), t.name + ": ");
        out.layout = *layout;
        words = "row-major";
    }
    return out;
}

} // namespace detail

/// Gives each tensor with a wish its layout: first those in registers, which follow from the operators, then those in shared memory,
/// which follow from all others. What was decided is appended to `choices`, under the name `layout`.
inline Problem resolve_wishes(Program& program, std::vector<Choice>& choices)
{
    const std::vector<detail::Allocation> where = detail::find_allocations(program);
    const auto is_last = [&](const ProgramTensor& t) {
        const Memory* memory = find_memory(program.machine, t.memory.c_str());
        return t.wish == Wish::conflict_free || (memory != nullptr && !is_private(program.machine, *memory));
    };
    for (const bool last : {false, true})
        for (std::size_t i = 0; i < program.tensors.size(); ++i) {
            ProgramTensor& t = program.tensors[i];
            if (t.wish == Wish::none || is_last(t) != last) continue;
            Choice choice{where[i].statement, "layout", {}, {}};
            auto layout = detail::wished_layout(program, static_cast<int>(i), where[i].place, choice.detail);
            if (!layout) return layout.error();
            choice.detail = t.name + ": " + choice.detail;
            t.layout = *layout;
            t.wish = Wish::none;
            choices.push_back(std::move(choice));
        }
    return {};
}

} // namespace v0
} // namespace axe

#endif
