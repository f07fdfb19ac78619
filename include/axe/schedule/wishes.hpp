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

/// The allocations of a body, by tensor.
inline void find_allocations(const Machine& machine, const Body& body, const Place& place, std::vector<Allocation>& out)
{
    for (const Statement& s : body) {
        const auto into = [&](const Body& inner, const Place& where) { find_allocations(machine, inner, where, out); };
        if (const auto* alloc = std::get_if<Alloc>(&s.what)) out[static_cast<std::size_t>(alloc->tensor)] = {place, s.id};
        if (const auto* loop = std::get_if<For>(&s.what)) into(loop->body, place);
        if (const auto* loop = std::get_if<While>(&s.what)) into(loop->body, place);
        if (const auto* branch = std::get_if<If>(&s.what)) into(branch->then, place), into(branch->otherwise, place);
        if (const auto* grid = std::get_if<Grid>(&s.what)) into(grid->body, place_of(machine, *grid));
        if (const auto* slice = std::get_if<Slice>(&s.what)) into(slice->body, place_of(place, *slice));
    }
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
    std::vector<detail::Allocation> where(program.tensors.size());
    detail::find_allocations(program.machine, program.body, Place{}, where);
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
