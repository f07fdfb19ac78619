// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_EXPRESSION_WALK_HPP
#define AXE_PROGRAM_EXPRESSION_WALK_HPP

#include <axe/program/expression.hpp>
#include <axe/program/walk.hpp>

/// The one place that goes down into expressions. Nothing here recurses deeper than a constant, however deep the expression is.
namespace axe {
inline namespace v0 {

/// Calls f(node) for an expression and all that it is made of, each before its operands, from left to right. It ends with the first
/// result of `f` that is a failure or true, as the walks of walk.hpp do, and returns it.
///
/// Cost: one call for each of `e.nodes()`; nothing is copied.
template <class F>
auto for_each_node(const Expression& e, F&& f)
{
    using Result = decltype(detail::result_or_false(f, e));
    Result first = detail::result_or_false(f, e);
    if (detail::ends_walk(first) || e.operands.empty()) return first;
    std::vector<const Expression*> waiting;
    const auto push = [&](const Expression& node) {
        for (std::size_t i = node.operands.size(); i > 0; --i) waiting.push_back(&node.operands[i - 1]);
    };
    push(e);
    while (!waiting.empty()) {
        const Expression& node = *waiting.back();
        waiting.pop_back();
        if (Result result = detail::result_or_false(f, node); detail::ends_walk(result)) return result;
        push(node);
    }
    return Result{};
}

/// The value of an expression from those of its operands: f(node, values, value) sets `value` of a node, whose first three operands have
/// `values`, and returns false to end. Operands beyond the third, which no operation has, are not asked.
///
/// @returns false where f did. Cost: one call for each of `e.nodes()`; up to a depth of 32 nothing is allocated.
template <class Value, class F>
bool fold(const Expression& e, F& f, Value& value)
{
    constexpr int shallow = 32;
    constexpr std::size_t most = 3;
    if (e.operands.depth() <= shallow) {
        Value values[most]{};
        for (std::size_t i = 0; i < e.operands.size() && i < most; ++i)
            if (!fold(e.operands[i], f, values[i])) return false;
        return f(e, values, value);
    }
    struct Open {
        const Expression* node;
        std::size_t next = 0;
        Value values[most]{};
    };
    std::vector<Open> open;
    open.push_back({&e, 0, {}});
    for (;;) {
        Open& top = open.back();
        if (top.next < top.node->operands.size() && top.next < most) {
            const Expression& operand = top.node->operands[top.next];
            if (operand.operands.depth() > shallow) {
                open.push_back({&operand, 0, {}});
                continue;
            }
            if (!fold(operand, f, top.values[top.next])) return false;
            ++top.next;
            continue;
        }
        Value done{};
        if (!f(*top.node, top.values, done)) return false;
        open.pop_back();
        if (open.empty()) {
            value = std::move(done);
            return true;
        }
        Open& above = open.back();
        above.values[above.next++] = std::move(done);
    }
}

/// Calls f(expression) for the condition or the value that a statement has, not those in its bodies.
template <class F>
void for_each_expression(const Statement& s, F&& f)
{
    std::visit(
        [&](const auto& what) {
            if constexpr (requires { what.condition; }) f(what.condition);
            if constexpr (requires { what.value; }) f(what.value);
            if constexpr (requires { what.parity; }) f(what.parity);
        },
        s.what);
}

} // namespace v0
} // namespace axe

#endif
