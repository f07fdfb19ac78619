// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_FORM_HPP
#define AXE_PROGRAM_IMPL_FORM_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/program/levels.hpp>
#include <axe/program/operators.hpp>
#include <axe/program/print.hpp>

/// Does what a program names exist, and do the lists of its views fit each other? Code that walks through a program asks that first.
/// Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

template <class List>
bool is_place(const List& list, int id)
{
    return id >= 0 && static_cast<std::size_t>(id) < list.size();
}
inline Result<void, Problem> need_variable(const Program& p, int id)
{
    if (is_place(p.variables, id)) return {};
    return Problem(errc::out_of_domain, "no variable {0} exists; the program has {1}", {id, p.variables.size()});
}
inline Result<void, Problem> need_tensor(const Program& p, int id)
{
    if (is_place(p.tensors, id)) return {};
    return Problem(errc::out_of_domain, "no tensor {0} exists; the program has {1}", {id, p.tensors.size()});
}
inline Result<void, Problem> need_scalar(const Program& p, int id)
{
    if (is_place(p.scalars, id)) return {};
    return Problem(errc::out_of_domain, "no scalar {0} exists; the program has {1}", {id, p.scalars.size()});
}
inline Result<void, Problem> need_variables(const Program& p, const Affine& a)
{
    for (const Affine::Term& t : a.terms())
        if (auto e = need_variable(p, t.var); !e.ok()) return e;
    return {};
}
/// One variable for each of the counts.
inline Result<void, Problem> need_as_many(const std::vector<Var>& vars, const Shape& counts)
{
    if (static_cast<int>(vars.size()) == counts.size()) return {};
    return Problem(errc::rank_mismatch, "it has {0} for {1}",
                   {count_words(static_cast<std::int64_t>(vars.size()), "variable"), count_words(counts.size(), "dimension")});
}

/// Of a view of a tensor that exists; `who` names the operand: "D `a`".
inline Result<void, Problem> check_lists(const Program& p, const View& v, const std::string& who)
{
    const ProgramTensor& t = tensor_of(p, v);
    if (static_cast<int>(v.origin.size()) != t.shape.size() || v.dims.size() != v.rank() || v.steps.size() != v.rank())
        return Problem(errc::rank_mismatch, "{0} has {1}; its view has {2} in the origin, {3} extents, {4} places and {5} steps",
                       {who, count_words(t.shape.size(), "dimension"), v.origin.size(), v.rank(), v.dims.size(), v.steps.size()});
    if (const auto n = volume(v.extents); !n) return Problem(n.error(), who + ": ");
    for (int k = 0; k < v.rank(); ++k)
        if (v.dims[k] < -1 || v.dims[k] >= t.shape.size())
            return Problem(errc::out_of_domain, "dimension {0} of the view of {1} is dimension {2} of the tensor, which has {3}",
                           {k, who, v.dims[k], t.shape.size()});
    return {};
}
/// How far from 0 an index of the view may be: numbers on the way to it do not overflow.
inline Result<void, Problem> check_footprint(const Program& p, const View& v)
{
    const auto size = [](std::int64_t x) { return x < 0 ? limited_product(x, -1) : x; };
    std::int64_t farthest = 0;
    for (const Affine& a : v.origin) {
        std::int64_t sum = size(a.constant());
        for (const Affine::Term& t : a.terms()) {
            const Variable& of = p.variables[static_cast<std::size_t>(t.var)];
            sum = limited_sum(sum, limited_product(size(t.coefficient), std::max(size(of.low), size(of.high))));
        }
        farthest = std::max(farthest, sum);
    }
    for (int k = 0; k < v.rank(); ++k)
        farthest = limited_sum(farthest, limited_product(size(v.steps[k]), std::max<std::int64_t>(1, v.extents[k] - 1)));
    if (farthest <= std::int64_t{1} << 60) return {};
    return Problem(errc::overflow, "an index of the view of {0} may be {1} from 0; at most 2^60",
                   {quoted(tensor_of(p, v).name), farthest});
}
/// The same with the tensor and the variables, which may not exist.
inline Result<void, Problem> check_form(const Program& p, const View& v)
{
    if (auto e = need_tensor(p, v.tensor); !e.ok()) return e;
    if (auto e = check_lists(p, v, quoted(tensor_of(p, v).name)); !e.ok()) return e;
    for (const Affine& a : v.origin)
        if (auto e = need_variables(p, a); !e.ok()) return e;
    if (v.block)
        if (auto e = need_variables(p, *v.block); !e.ok()) return e;
    if (v.device)
        if (auto e = need_variables(p, *v.device); !e.ok()) return e;
    return check_footprint(p, v);
}

/// Does an operation of an expression have the operands that it takes?
inline Result<void, Problem> need_operands(const Program& p, const Expression& e)
{
    const std::size_t takes = operands_of(e.kind);
    if (e.operands.size() == takes) return {};
    return Problem(errc::bad_argument, "the expression {0} has {1}; it takes {2}",
                   {print(p, e), count_words(static_cast<std::int64_t>(e.operands.size()), "operand"), takes});
}
inline Result<void, Problem> check_form(const Program& p, const Expression& expression)
{
    return for_each_node(expression, [&](const Expression& e) -> Result<void, Problem> {
        if (auto wrong = need_operands(p, e); !wrong.ok()) return wrong;
        if (e.kind == Expression::Kind::affine) return need_variables(p, e.affine);
        if (e.kind == Expression::Kind::scalar) return need_scalar(p, e.scalar);
        return e.kind == Expression::Kind::load ? check_form(p, e.element) : Result<void, Problem>();
    });
}

/// A slice of `there` agents or devices.
inline Result<void, Problem> check_slice(const Slice& s, std::int64_t there)
{
    const std::int64_t last = s.first + (std::int64_t{s.count} - 1) * s.stride;
    if (s.count >= 1 && s.stride >= 1 && s.first >= 0 && last < there) return {};
    return Problem(errc::out_of_domain, "{0} are chosen, from {1} to {2} in steps of {3}; there are {4}",
                   {s.count, s.first, last, s.stride, there});
}
inline Result<void, Problem> check_wait(const Wait& w)
{
    if (w.pending > 0 && (w.of == Wait::Of::tensor_loads || w.of == Wait::Of::tensor_stores))
        return Problem(errc::bad_argument, "a wait for tensor memory leaves {0} pending; it is for all", {w.pending});
    if (w.pending >= 0) return {};
    return Problem(errc::bad_argument, "a wait leaves {0} groups pending; it must be at least 0", {w.pending});
}

/// Of a statement, without its bodies; its expressions are no larger than limits.hpp says.
inline Result<void, Problem> check_form(const Program& p, const Statement& s)
{
    if (const auto* alloc = std::get_if<Alloc>(&s.what)) return need_tensor(p, alloc->tensor);
    if (const auto* loop = std::get_if<For>(&s.what)) {
        if (auto e = need_variable(p, loop->var.id); !e.ok()) return e;
        if (auto e = need_variables(p, loop->begin); !e.ok()) return e;
        return need_variables(p, loop->end);
    }
    if (const auto* let = std::get_if<Let>(&s.what))
        if (auto e = need_variable(p, let->var.id); !e.ok()) return e;
    if (const auto* wait = std::get_if<Wait>(&s.what)) return check_wait(*wait);
    if (const auto* slice = std::get_if<Slice>(&s.what))
        return check_slice(*slice, slice->of == Slice::Of::agents ? most_agents
                                   : p.machine.scopes.size() > 0  ? p.machine.scopes[0].count
                                                                  : 1);
    if (const auto* assign = std::get_if<Assign>(&s.what))
        if (auto e = need_scalar(p, assign->scalar); !e.ok()) return e;
    Result<void, Problem> wrong;
    for_each_expression(s, [&](const Expression& e) { wrong = check_form(p, e); });
    if (!wrong.ok()) return wrong;
    const auto members = [&](const std::vector<Var>& vars, const Shape& counts) -> Result<void, Problem> {
        if (auto e = need_as_many(vars, counts); !e.ok()) return e;
        for (const Var v : vars)
            if (auto e = need_variable(p, v.id); !e.ok()) return e;
        return {};
    };
    if (const auto* grid = std::get_if<Grid>(&s.what)) {
        if (auto e = members(grid->in_cluster, grid->cluster); !e.ok()) return e;
        return members(grid->vars, grid->counts);
    }
    if (const auto* m = std::get_if<Mbarrier>(&s.what)) {
        if (m->at)
            if (auto e = check_form(p, *m->at); !e.ok()) return e;
        return m->rank ? need_variables(p, *m->rank) : Result<void, Problem>();
    }
    if (const auto* request = std::get_if<CancelLaunch>(&s.what)) return check_form(p, request->element);
    if (const auto* flag = std::get_if<Flag>(&s.what)) {
        if (flag->before >= 0)
            if (auto e = need_scalar(p, flag->before); !e.ok()) return e;
        return check_form(p, flag->element);
    }
    if (const auto* each = std::get_if<Each>(&s.what)) return members(each->vars, each->counts);
    if (const auto* operation = std::get_if<Operation>(&s.what)) {
        for (const View& v : operation->operands)
            if (auto e = check_form(p, v); !e.ok()) return e;
        return operation->op.row().check(p, *operation);
    }
    if (const auto* instruction = std::get_if<Instruction>(&s.what))
        for (const Access& a : instruction->operands)
            if (auto e = check_form(p, a.view); !e.ok()) return e;
    return {};
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
