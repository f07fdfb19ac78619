// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_USES_HPP
#define AXE_SCHEDULE_USES_HPP

#include <axe/schedule/place.hpp>

namespace axe {
inline namespace v0 {

/// An operator where it stands in a program, which must outlive this.
struct Use {
    const Operation* operation = nullptr;
    Place place{};
    int statement = -1;
};

namespace detail {

template <class Visit>
void visit_operations(const Machine& machine, const Body& body, const Place& place, const Visit& visit)
{
    const auto into = [&](const Body& inner, const Place& where) { visit_operations(machine, inner, where, visit); };
    for (const Statement& s : body) {
        if (const auto* operation = std::get_if<Operation>(&s.what)) visit(*operation, place, s.id);
        if (const auto* loop = std::get_if<For>(&s.what)) into(loop->body, place);
        if (const auto* loop = std::get_if<While>(&s.what)) into(loop->body, place);
        if (const auto* each = std::get_if<Each>(&s.what)) into(each->body, place);
        if (const auto* choice = std::get_if<If>(&s.what)) {
            into(choice->then, place);
            into(choice->otherwise, place);
        }
        if (const auto* grid = std::get_if<Grid>(&s.what)) into(grid->body, place_of(machine, *grid));
        if (const auto* slice = std::get_if<Slice>(&s.what)) into(slice->body, place_of(place, *slice));
    }
}

} // namespace detail

/// The operators that have the tensor among their operands, in the order of writing, each with whom it is for.
/// Cost: one walk over the program.
inline std::vector<Use> uses_of(const Program& program, int tensor)
{
    std::vector<Use> out;
    detail::visit_operations(program.machine, program.body, place_of(program.machine),
                             [&](const Operation& operation, const Place& place, int id) {
                                 for (const View& v : operation.operands)
                                     if (v.tensor == tensor) return out.push_back({&operation, place, id});
                             });
    return out;
}

} // namespace v0
} // namespace axe

#endif
