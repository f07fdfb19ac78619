// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_REMOTE_VIEWS_HPP
#define AXE_PROGRAM_REMOTE_VIEWS_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>

/// Views of the memory of other devices.
namespace axe {
inline namespace v0 {

/// f(view) for each view by which a statement accesses memory, those of its expressions included.
template <class F>
void for_each_view(const Statement& s, F&& f)
{
    if (const auto* o = std::get_if<Operation>(&s.what))
        for (const View& v : o->operands) f(v);
    if (const auto* i = std::get_if<Instruction>(&s.what))
        for (const Access& a : i->operands) f(a.view);
    if (const auto* flag = std::get_if<Flag>(&s.what)) f(flag->element);
    for_each_expression(s, [&](const Expression& e) {
        for_each_node(e, [&](const Expression& node) {
            if (node.kind == Expression::Kind::load) f(node.element);
        });
    });
}

/// Does the program access the memory of other devices from within blocks?  Then its devices take turns.
inline bool has_remote_views(const Program& program)
{
    return for_each_statement(program.body, [](const Statement& s) {
        bool remote = false;
        for_each_view(s, [&](const View& v) { remote = remote || v.remote; });
        return remote;
    });
}

} // namespace v0
} // namespace axe

#endif
