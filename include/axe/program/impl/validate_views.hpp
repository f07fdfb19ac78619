// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_VALIDATE_VIEWS_HPP
#define AXE_PROGRAM_IMPL_VALIDATE_VIEWS_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/program/impl/form.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/print.hpp>

/// What `validate` asks of variables, views and expressions. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

using WideIndex = wider_t<std::int64_t>;

/// What is known of a variable at a statement.
struct VariableState {
    bool live = false;
    bool exact = false;             ///< does it take the least and the greatest value, whatever the others are?
    bool of_lanes = false;          ///< may lanes of one agent, or devices, hold different values?
    std::int64_t low = 0, high = 0; ///< values it takes are among [low, high]
};

/// The values of an affine function are among [low, high]; if `exact`, both are taken.
struct Bounds {
    WideIndex low = 0, high = 0;
    bool exact = true;
};

/// The variables, tensors and scalars that exist at a statement.
struct Environment {
    explicit Environment(const Program& program)
        : p(&program),
          variables(program.variables.size()),
          tensors(program.tensors.size()),
          differing_scalars(program.scalars.size())
    {
    }

    [[nodiscard]] bool has_variable(int id) const { return id >= 0 && static_cast<std::size_t>(id) < variables.size(); }
    [[nodiscard]] bool has_tensor(int id) const { return id >= 0 && static_cast<std::size_t>(id) < tensors.size(); }
    [[nodiscard]] bool has_scalar(int id) const { return id >= 0 && static_cast<std::size_t>(id) < differing_scalars.size(); }
    [[nodiscard]] Problem no_variable(int id) const { return need_variable(*p, id).error(); }
    [[nodiscard]] Problem no_tensor(int id) const { return need_tensor(*p, id).error(); }
    [[nodiscard]] Problem no_scalar(int id) const { return need_scalar(*p, id).error(); }
    VariableState& variable(int id) { return variables[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const VariableState& variable(int id) const { return variables[static_cast<std::size_t>(id)]; }

    const Program* p;
    std::vector<VariableState> variables;
    std::vector<char> tensors;           ///< is the tensor alive?
    std::vector<char> differing_scalars; ///< may lanes of one agent hold different values?
    bool certain = true;                 ///< is the statement run for all values of the variables?
};

inline Bounds bounds_of(const Environment& env, const Affine& a)
{
    Bounds out{a.constant(), a.constant(), true};
    for (const Affine::Term& t : a.terms()) {
        if (!env.has_variable(t.var)) continue;
        const VariableState& v = env.variable(t.var);
        out.low += static_cast<WideIndex>(t.coefficient) * (t.coefficient > 0 ? v.low : v.high);
        out.high += static_cast<WideIndex>(t.coefficient) * (t.coefficient > 0 ? v.high : v.low);
        out.exact = out.exact && v.exact;
    }
    return out;
}

inline Result<void, Problem> check_affine(const Environment& env, const Affine& a)
{
    for (const Affine::Term& t : a.terms()) {
        if (!env.has_variable(t.var)) return env.no_variable(t.var);
        if (!env.variable(t.var).live)
            return Problem(errc::bad_argument, "{0} is used outside the body of its loop or grid",
                           {name_at(env.p->variables, t.var)});
    }
    return {};
}

/// The device that a remote view names: is it one of the machine's, for values that occur?
inline Result<void, Problem> check_device(const Environment& env, const Affine& device, const std::string& who)
{
    if (auto e = check_affine(env, device); !e.ok()) return Problem(e.code(), who + ": " + e.error().text);
    const Bounds at = bounds_of(env, device);
    const bool all = at.exact && env.certain;
    const WideIndex highest = all ? at.high : at.low, lowest = all ? at.low : at.high;
    const std::int64_t devices = env.p->machine.scopes.empty() ? 1 : std::max<std::int64_t>(1, env.p->machine.scopes[0].count);
    if (lowest >= 0 && highest < devices) return {};
    return Problem(errc::out_of_domain, "{0} is of device {1}; the machine has {2}",
                   {who, static_cast<std::int64_t>(lowest < 0 ? lowest : highest), devices});
}

/// `who` names the operand: "D `a`".
inline Result<void, Problem> check_view(const Environment& env, const View& v, const std::string& who)
{
    const ProgramTensor& t = tensor_of(*env.p, v);
    if (!env.tensors[static_cast<std::size_t>(v.tensor)]) return {errc::bad_argument, not_allocated_text(who)};
    if (auto e = check_lists(*env.p, v, who); !e.ok()) return e;
    for (const Affine& a : v.origin)
        if (auto e = check_affine(env, a); !e.ok()) return Problem(e.code(), who + ": " + e.error().text);
    for (int d = 0; d < t.shape.size(); ++d) {
        const Bounds origin = bounds_of(env, v.origin[static_cast<std::size_t>(d)]);
        WideIndex below = 0, above = 0;
        for (int k = 0; k < v.rank(); ++k)
            if (v.dims[k] == d) (v.steps[k] < 0 ? below : above) += static_cast<WideIndex>(v.steps[k]) * (v.extents[k] - 1);
        const auto refused = [&](std::string_view message, WideIndex index) {
            return Problem(errc::out_of_domain, message, {who, static_cast<std::int64_t>(index), d, t.shape[d]});
        };
        // Of values that may not be taken nothing follows, but that they are nowhere better. A guarded view may be anywhere.
        const bool all = origin.exact && env.certain;
        const WideIndex highest = (all ? origin.high : origin.low) + above, lowest = (all ? origin.low : origin.high) + below;
        if (!v.guarded && (highest >= t.shape[d] || lowest < 0))
            return refused("{0} goes up to index {1} of dimension {2}, which has {3}; only a guarded view can go beyond its tensor",
                           highest >= t.shape[d] ? highest : lowest);
    }
    if (v.device)
        if (auto e = check_device(env, *v.device, who); !e.ok()) return e;
    return check_footprint(*env.p, v);
}

/// Of one node: its operands are not looked at.
inline Result<void, Problem> check_node(const Environment& env, const Expression& e)
{
    using Kind = Expression::Kind;
    if (auto wrong = need_operands(*env.p, e); !wrong.ok()) return wrong;
    if (e.kind == Kind::affine) return check_affine(env, e.affine);
    if (e.kind == Kind::scalar && !env.has_scalar(e.scalar)) return env.no_scalar(e.scalar);
    if (e.kind == Kind::load) {
        if (!env.has_tensor(e.element.tensor)) return env.no_tensor(e.element.tensor);
        const std::string who = "`" + tensor_of(*env.p, e.element).name + "`";
        if (auto wrong = check_view(env, e.element, who); !wrong.ok()) return wrong;
        if (volume(e.element.extents).value() != 1)
            return Problem(errc::bad_extent, "{0} is loaded as a scalar, and is {1}", {who, shape_words(e.element.extents)});
    }
    return {};
}

inline Result<void, Problem> check_expression(const Environment& env, const Expression& e)
{
    return for_each_node(e, [&](const Expression& node) { return check_node(env, node); });
}

/// May lanes of one agent find different values in it?
inline bool differs_by_lane(const Environment& env, const Affine& a)
{
    return std::any_of(a.terms().begin(), a.terms().end(),
                       [&](const Affine::Term& t) { return env.has_variable(t.var) && env.variable(t.var).of_lanes; });
}
inline bool differs_by_lane(const Environment& env, const Expression& e)
{
    return for_each_node(e, [&](const Expression& node) {
        if (node.kind == Expression::Kind::scalar)
            return env.has_scalar(node.scalar) && env.differing_scalars[static_cast<std::size_t>(node.scalar)] != 0;
        const auto& origin = node.element.origin;
        return differs_by_lane(env, node.affine) ||
               std::any_of(origin.begin(), origin.end(), [&](const Affine& a) { return differs_by_lane(env, a); });
    });
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
