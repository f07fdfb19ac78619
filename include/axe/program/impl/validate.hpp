// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_VALIDATE_HPP
#define AXE_PROGRAM_IMPL_VALIDATE_HPP

#include <axe/program/impl/validate_clusters.hpp>
#include <axe/program/impl/validate_columns.hpp>
#include <axe/program/impl/validate_launches.hpp>
#include <axe/program/impl/validate_registers.hpp>
#include <axe/program/impl/validator.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/validate.hpp>

/// What `validate` asks of each statement. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

/// Does the body leave its loop before the end?
inline Problem input_is_written(const std::string& name)
{
    return Problem(errc::bad_argument, "{0} is an input and is written here", {name});
}

inline bool breaks(const Body& statements)
{
    return std::any_of(statements.begin(), statements.end(), [](const Statement& s) {
        if (std::holds_alternative<Break>(s.what) || std::holds_alternative<Continue>(s.what)) return true;
        const If* branch = std::get_if<If>(&s.what);
        return branch != nullptr && (breaks(branch->then) || breaks(branch->otherwise));
    });
}

inline void Validator::visit(const Alloc& a)
{
    what_ = ", alloc";
    if (!env_.has_tensor(a.tensor)) return report(env_.no_tensor(a.tensor));
    const ProgramTensor& t = p_.tensors[static_cast<std::size_t>(a.tensor)];
    char& alive = env_.tensors[static_cast<std::size_t>(a.tensor)];
    if (t.binding != Binding::local)
        return report(errc::bad_argument, worded("{0} is an input or output and cannot be allocated", {quoted(t.name)}));
    if (alive) return report(errc::bad_argument, worded("{0} is allocated already", {quoted(t.name)}));
    allocated_.push_back(static_cast<std::size_t>(a.tensor));
    alive = 1; // even if something is wrong with it, so that not every use of it is reported, too
    const Memory* memory = find_memory(p_.machine, t.memory.c_str());
    if (memory == nullptr) return;
    const int owner = scope_index(p_.machine, memory->owner);
    const bool in_block = place_.level >= 0;
    if (!in_block && owner >= levels_.block && levels_.block >= 0)
        return report(errc::bad_argument, worded("{0} is in {1}, one for each {2}; it must be allocated inside a grid",
                                                 {quoted(t.name), memory->name, memory->owner}));
    if (in_block && owner < levels_.block)
        return report(errc::bad_argument,
                      worded("{0} is in {1}, one for each {2}, shared by all blocks; it must be allocated outside grids",
                             {quoted(t.name), memory->name, memory->owner}));
    place_tensor(a.tensor);
}

inline void Validator::visit(const For& f)
{
    what_ = ", for";
    const bool sound = declares(f.var);
    if (f.step < 1) report(errc::bad_argument, loop_step_text(f.step));
    check_that(check_affine(env_, f.begin));
    check_that(check_affine(env_, f.end));
    const Bounds begin = bounds_of(env_, f.begin), end = bounds_of(env_, f.end);
    VariableState v{true, false, differs_by_lane(env_, f.begin) || differs_by_lane(env_, f.end), 0, 0};
    const WideIndex last = end.high - 1;
    v.low = static_cast<std::int64_t>(begin.low);
    v.high = static_cast<std::int64_t>(last < begin.low ? begin.low : last);
    const bool known = f.begin.is_constant() && f.end.is_constant() && f.step >= 1 && v.high >= v.low;
    if (known) v.high = static_cast<std::int64_t>(v.low + (WideIndex{v.high} - v.low) / f.step * f.step);
    v.exact = known && !breaks(f.body);
    StatementScope inside = place_;
    inside.in_loop = true;
    inside.divergent = place_.divergent || v.of_lanes;
    const bool certain = env_.certain;
    // A loop that may be empty, or left early, proves nothing about its statements.
    env_.certain = env_.certain && known && end.low > begin.high && !breaks(f.body);
    if (sound)
        body(f.body, inside, {{f.var, v}});
    else
        body(f.body, inside, {});
    env_.certain = certain;
}

inline void Validator::visit(const While& w)
{
    what_ = ", while";
    check_that(check_expression(env_, w.condition));
    StatementScope inside = place_;
    inside.in_loop = true;
    inside.divergent = place_.divergent || differs_by_lane(env_, w.condition);
    const bool certain = env_.certain;
    env_.certain = false;
    body(w.body, inside, {});
    env_.certain = certain;
}

inline void Validator::visit(const If& i)
{
    what_ = ", if";
    check_that(check_expression(env_, i.condition));
    StatementScope inside = place_;
    inside.divergent = place_.divergent || differs_by_lane(env_, i.condition);
    const bool certain = env_.certain;
    env_.certain = false;
    body(i.then, inside, {});
    env_.certain = false;
    body(i.otherwise, inside, {});
    env_.certain = certain;
}

inline void Validator::visit(const Assign& a)
{
    what_ = ", assign";
    check_that(check_expression(env_, a.value));
    if (!env_.has_scalar(a.scalar)) return report(env_.no_scalar(a.scalar));
    if (place_.divergent || differs_by_lane(env_, a.value)) env_.differing_scalars[static_cast<std::size_t>(a.scalar)] = 1;
}

inline void Validator::visit(const Let& l)
{
    what_ = ", let";
    check_that(check_expression(env_, l.value));
    if (!declares(l.var)) return body(l.body, place_, {});
    const Variable& range = p_.variables[static_cast<std::size_t>(l.var.id)];
    if (range.high <= range.low) report(errc::bad_argument, empty_range_text(range));
    body(l.body, place_, {{l.var, {true, false, differs_by_lane(env_, l.value), range.low, std::max(range.low, range.high - 1)}}});
}

inline void Validator::visit(const Grid& g)
{
    what_ = ", grid";
    if (place_.level >= 0) return report(errc::bad_argument, nested_grid_text());
    if (levels_.block < 0)
        return report(errc::bad_argument, worded("{0} has no scope for the blocks of a grid", {p_.machine.name}));
    std::vector<std::pair<Var, VariableState>> vars;
    if (!declares(g.vars, g.counts, false, vars)) return;
    check_that(check_grid(p_.machine, g));
    if (!declares(g.in_cluster, g.cluster, false, vars)) return;
    cluster_ = volume(g.cluster).value();
    if (g.cluster.empty()) cluster_ = 0;
    of_one_ = of_pair_ = -1;
    StatementScope inside;
    inside.level = levels_.block;
    inside.agents = inside.first_of = inside.listed = std::max(1, g.agents);
    inside.lanes = levels_.lanes;
    if (env_.has_variable(p_.device.id)) { // one value in all of a block
        vars.insert(vars.begin(), {p_.device, env_.variable(p_.device.id)});
        vars.front().second.of_lanes = false;
    }
    grid_ = &g;
    body(g.body, inside, vars);
    grid_ = nullptr;
    cluster_ = 0;
}

inline void Validator::visit(const Slice& s)
{
    what_ = s.of == Slice::Of::agents ? ", agents" : ", devices";
    const bool in_block = place_.level >= 0;
    StatementScope inside = place_;
    inside.in_loop = false;
    if (s.of == Slice::Of::devices && in_block) return report(errc::bad_argument, "devices are chosen inside a block");
    if (s.of == Slice::Of::agents && !in_block) return report(errc::bad_argument, "agents are chosen outside a block");
    if (place_.in_agent || place_.in_lane) return report(errc::bad_argument, "agents are chosen inside one agent");
    const std::int64_t there = in_block ? place_.first_of : p_.machine.scopes[0].count;
    if (const auto e = check_slice(s, there); !e.ok()) return report(e.error());
    if (in_block) {
        inside.agents = inside.listed = s.count;
        inside.first = s.first;
        inside.stride = s.stride;
        return body(s.body, inside, {});
    }
    if (!env_.has_variable(p_.device.id)) return body(s.body, inside, {});
    body(s.body, inside, {{p_.device, {true, true, true, s.first, s.first + (std::int64_t{s.count} - 1) * s.stride}}});
}

inline void Validator::visit(const Each& e)
{
    const bool threads = e.of == Each::Of::thread;
    what_ = std::string(", each ") + (threads ? "thread" : "agent");
    if (place_.level < 0) return report(errc::bad_argument, "it is outside a block");
    if (place_.in_lane) return report(errc::bad_argument, "it is inside a thread");
    if (place_.in_agent && !threads) return report(errc::bad_argument, "it is inside an agent");
    std::vector<std::pair<Var, VariableState>> vars;
    if (!declares(e.vars, e.counts, threads, vars)) return;
    const std::int64_t there = place_.agents * (threads ? place_.lanes : 1), asked = volume(e.counts).value();
    if (asked != there)
        return report(errc::size_mismatch,
                      worded("it counts {0}; the scope around has {1}",
                             {shape_words(e.counts) + (e.counts.size() > 1 ? " = " + std::to_string(asked) : ""), there}));
    StatementScope inside = place_;
    inside.in_agent = true;
    inside.in_lane = threads;
    inside.in_loop = false;
    inside.agents = 1;
    if (threads) inside.lanes = 1;
    const int innermost = p_.machine.scopes.size() - 1;
    inside.level = threads ? innermost : levels_.agent >= 0 ? levels_.agent : levels_.block;
    body(e.body, inside, vars);
}

inline void Validator::visit(const Operation& o)
{
    const Operator& row = o.op.row();
    what_ = std::string(", ") + row.name;
    for (std::size_t i = 0; i < o.operands.size(); ++i) {
        const View& v = o.operands[i];
        if (!env_.has_tensor(v.tensor)) return report(env_.no_tensor(v.tensor));
        if (i >= std::size(row.operands)) break;
        if (auto e = check_view(env_, v, operand_words(p_, o, static_cast<int>(i))); !e.ok()) return report(e.error());
        if (v.block) check_block(v, operand_words(p_, o, static_cast<int>(i)));
    }
    for (int k = 0; k < std::min(written_count(o), static_cast<int>(o.operands.size())); ++k)
        if (operand_tensor(p_, o, k).binding == Binding::input) report(input_is_written(operand_words(p_, o, k)));
    const bool completes =
        o.op == Op::copy_async || is_matrix_product(o.op) || o.op == Op::gather || o.op == Op::atomic || o.op == Op::shift_rows;
    if (o.options.completes_on >= 0 && (!completes || place_.level < 0))
        report(errc::bad_argument,
               worded("it completes on mbarrier {0}; only a copy_async, gather, atomic, gemm or shift_rows inside a block does",
                      {o.options.completes_on}));
    check_multicast(o);
    check_pair(o);
    if (o.operands.size() > 1) check_group(o.operands[0], o.operands[1], o.options.pair);
    if (o.op == Op::shift_rows && !o.operands.empty()) check_group(o.operands[0], o.operands[0], o.options.pair);
    check_that(check_affine(env_, o.start));
    check_that(check_options(p_, o));
    const auto fits = row.check(p_, o);
    check_that(fits);
    if (fits.ok() && place_.level >= 0) check_that(check_lists(p_, o, place_.listed));
}

inline std::string Validator::distribution_problem(const Instruction& i, const Access& a, const Distribution*& first) const
{
    if (!a.distribution) return {};
    const Distribution& q = *a.distribution;
    if (first == nullptr) first = &q;
    if (q.issues != first->issues || q.agents != first->agents || q.lanes != first->lanes)
        return "the distributions of an instruction must have equal issues, agents and lanes";
    if (q.issues < 1 || q.agents < 1 || q.lanes < 1 || q.vector < 1 || q.element.size() != q.at(q.issues, 0, 0))
        return worded("its distribution has {0} × {1} × {2} × {3} elements and lists {4}",
                      {q.issues, q.agents, q.lanes, q.vector, count_words(static_cast<std::int64_t>(q.element.size()), "element")});
    if (q.agents != i.agents)
        return worded("it is for {0}, its distribution is for {1}", {count_words(i.agents, "agent"), q.agents});
    const std::int64_t there = volume(a.view.extents).value();
    for (const std::int32_t e : q.element)
        if (e < -1 || e >= there) return worded("its distribution names element {0} of {1}", {e, there});
    return {};
}

inline void Validator::visit(const Instruction& i)
{
    what_ = ", " + i.opcode;
    const Distribution* first = nullptr;
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
        const Access& a = i.operands[k];
        if (!env_.has_tensor(a.view.tensor)) return report(env_.no_tensor(a.view.tensor));
        const std::string who = "operand " + std::to_string(k) + " `" + tensor_of(p_, a.view).name + "`";
        if (auto e = check_view(env_, a.view, who); !e.ok()) return report(e.error());
        if (a.view.block) check_block(a.view, who);
        if (writes(i, k) && tensor_of(p_, a.view).binding == Binding::input) report(input_is_written(who));
        if (std::string message = distribution_problem(i, a, first); !message.empty())
            return report(errc::bad_argument, who + ": " + message);
    }
    if (i.operands.size() > 1) check_group(i.operands[0].view, i.operands[1].view, i.pair);
    check_that(check_affine(env_, i.start));
    const std::int64_t last = i.first_agent + (std::int64_t{i.agents} - 1) * i.agent_stride;
    if (place_.level >= 0 && (i.agents < 1 || i.first_agent < 0 || i.agent_stride < 1 || last >= place_.first_of))
        report(errc::out_of_domain, worded("it is for {0}, from {1} to {2} in steps of {3}; the block has {4}",
                                           {count_words(i.agents, "agent"), i.first_agent, last, i.agent_stride, place_.first_of}));
}

inline void Validator::visit(const Mbarrier& m)
{
    what_ = ", mbarrier";
    using Action = Mbarrier::Action;
    if (const char* form = instruction_of(m.action); !has_instruction(p_.machine, form))
        report(errc::bad_argument, worded("{0} has no instruction {1}", {p_.machine.name, form}));
    if (place_.level < 0) report(errc::bad_argument, "an mbarrier is in the memory of a block; this is outside a block");
    if (m.id < 0) report(errc::bad_argument, worded("its number is {0}; it must be at least 0", {m.id}));
    if (m.action == Action::init && (m.number < 1 || m.number > most_mbarrier_arrivals))
        report(errc::bad_argument, worded("a phase of {0} arrivals; it must be 1 to {1}", {m.number, most_mbarrier_arrivals}));
    if ((m.action == Action::expect_bytes || m.action == Action::expect_more) && (m.number < 0 || m.number > most_mbarrier_bytes))
        report(errc::bad_argument, worded("it expects {0} bytes; it must be 0 to {1}", {m.number, most_mbarrier_bytes}));
    if (m.action == Action::wait) check_that(check_expression(env_, m.parity));
    if (m.rank) check_remote(m);
    if (m.at && m.action != Action::init) report(errc::bad_argument, "only init says in which bytes an mbarrier is");
    if (m.at) check_bytes(*m.at, 8, "an mbarrier");
    if (m.multicast == 0) return;
    if (m.action != Action::commit) report(errc::bad_argument, "only a commit arrives at the mbarriers of several blocks");
    check_mask(m.multicast);
}

} // namespace detail

AXE_DECL std::vector<Problem> validate(const Program& program) { return detail::Validator(program).problems(); }

} // namespace v0
} // namespace axe

#endif
