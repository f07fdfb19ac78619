// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_LIMITS_HPP
#define AXE_PROGRAM_IMPL_LIMITS_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/program/impl/form.hpp>
#include <axe/program/limits.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/shares.hpp>

namespace axe {
inline namespace v0 {

AXE_DECL Result<void, Problem> check_nesting(int depth)
{
    if (depth <= max_nesting) return {};
    return Problem(errc::capacity, "the statement is inside {0} others; a program nests at most {1}", {depth, max_nesting});
}

AXE_DECL Result<void, Problem> check_size(const Expression& e)
{
    if (e.nodes() <= max_expression_nodes) return {};
    return Problem(errc::capacity, "an expression has {0} nodes, its shared parts counted as often as they are used; at most {1}",
                   {e.nodes(), max_expression_nodes});
}

AXE_DECL Result<void, Problem> check_clusters(const Machine& machine, const Grid& grid)
{
    if (grid.cluster.held() == 0) return {};
    const auto size = volume(grid.cluster);
    if (!size) return Problem(size.error());
    if (grid.cluster.size() != grid.counts.size())
        return Problem(errc::rank_mismatch, "the grid has {0} dimensions, its clusters {1}; they must have as many",
                       {grid.counts.size(), grid.cluster.size()});
    for (int d = 0; d < grid.counts.size(); ++d)
        if (grid.counts[d] % grid.cluster[d] != 0)
            return Problem(errc::bad_extent, "dimension {0} of the grid has {1} blocks, which clusters of {2} do not divide",
                           {d, grid.counts[d], grid.cluster[d]});
    const Limit* limit = find_limit(machine, "cluster.ctas");
    if (limit == nullptr) return Problem(errc::bad_argument, "{0} has no clusters of blocks", {machine.name});
    const std::int64_t most = grid.large_cluster ? 2 * limit->value : limit->value;
    if (*size <= most) return {};
    return Problem(errc::capacity, "a cluster has {0} blocks; {1} takes at most {2}, large ones {3}",
                   {*size, machine.name, limit->value, 2 * limit->value});
}

AXE_DECL Result<void, Problem> check_grid(const Machine& machine, const Grid& grid)
{
    const auto blocks = volume(grid.counts);
    if (!blocks) return Problem(blocks.error());
    if (*blocks > max_blocks)
        return Problem(errc::capacity, "the grid has {0} blocks; a device runs at most {1}", {*blocks, max_blocks});
    const std::int64_t named = levels_of(machine).agents;
    const std::int64_t most = named > 0 && named < most_agents ? named : most_agents;
    if (grid.agents < 1 || grid.agents > most)
        return Problem(errc::bad_argument, "a block has {0}; {1} takes 1 to {2}",
                       {detail::count_words(grid.agents, "agent"), machine.name, most});
    return check_clusters(machine, grid);
}

namespace detail {

/// f(statement, how many statements are around it) for all statements, in the order of the text, on a stack of its own.
template <class F>
Result<void, Problem> for_each_deep(const Program& program, F&& f)
{
    struct Open {
        const Body* body;
        std::size_t next;
        int depth;
    };
    std::vector<Open> open{{&program.body, 0, 0}};
    while (!open.empty()) {
        Open& top = open.back();
        if (top.next == top.body->size()) {
            open.pop_back();
            continue;
        }
        const Statement& s = (*top.body)[top.next++];
        const int depth = top.depth;
        if (auto e = f(s, depth); !e.ok()) return {e.code(), statement_text(program, s.id) + ": " + e.error().text};
        const auto bodies = bodies_of(s);
        for (const Body* body : {bodies[1], bodies[0]})
            if (body != nullptr && !body->empty()) open.push_back({body, 0, depth + 1});
    }
    return {};
}

inline Result<void, Problem> check_sizes_at(const Statement& s, int depth)
{
    if (auto e = check_nesting(depth); !e.ok()) return e;
    Result<void, Problem> wrong;
    for_each_expression(s, [&](const Expression& e) { wrong = check_size(e); });
    return wrong;
}

} // namespace detail

AXE_DECL Result<void, Problem> check_sizes(const Program& program)
{
    return detail::for_each_deep(program, detail::check_sizes_at);
}

AXE_DECL Result<void, Problem> check_limits(const Program& program)
{
    if (program.device.id >= 0)
        if (auto e = detail::need_variable(program, program.device.id); !e.ok())
            return {e.code(), program.name + ": " + e.error().text};
    for (const ProgramTensor& t : program.tensors)
        if (const auto n = volume(t.shape); !n) return Problem(n.error(), tensor_text(program, t));
    std::vector<std::int64_t> within{1}; // threads that `Each` makes of one agent of the statements around, by their number
    const auto form = detail::for_each_deep(program, [&](const Statement& s, int depth) -> Result<void, Problem> {
        if (auto e = detail::check_sizes_at(s, depth); !e.ok()) return e;
        const auto* grid = std::get_if<Grid>(&s.what);
        if (grid != nullptr)
            if (auto e = check_grid(program.machine, *grid); !e.ok()) return e;
        if (auto e = detail::check_form(program, s); !e.ok()) return e;
        within.resize(static_cast<std::size_t>(depth) + 1);
        const auto* each = std::get_if<Each>(&s.what);
        const auto count = each == nullptr ? Result<std::int64_t>(1) : volume(each->counts);
        if (!count) return Problem(count.error());
        within.push_back(limited_product(within.back(), *count));
        constexpr std::int64_t most = std::int64_t{most_agents} * most_lanes;
        if (within.back() <= most) return {};
        return Problem(errc::size_mismatch, "it counts {0} threads, with the statements around it; a block has at most {1}",
                       {within.back(), most});
    });
    if (!form.ok()) return form;
    if (auto wrong = share_problems(program); !wrong.empty()) return std::move(wrong.front());
    return {};
}

namespace detail {

/// Does each lane, or agent, have such registers of its own?
inline bool is_of_lanes(const Machine& machine, const ProgramTensor& t)
{
    const Memory* memory = find_memory(machine, t.memory.c_str());
    if (memory == nullptr || !(memory->roles.has(Role::registers) || memory->roles.has(Role::accumulator))) return false;
    return scope_index(machine, memory->owner) >= levels_of(machine).block;
}
/// How many copies of each element a layout that is known has.
inline std::int64_t copies_of(const ProgramTensor& t)
{
    Layout copies;
    if (t.hint == LayoutHint::none) copies.replica = t.layout.layout.replica;
    const auto range = points(copies, 0);
    return range.error().ok() ? std::max<std::int64_t>(1, range.count().value_or(1)) : 1;
}

} // namespace detail

AXE_DECL Result<void, Problem> check_lists(const Program& program, const Operation& operation, std::int64_t agents)
{
    const Machine& machine = program.machine;
    if (!has_instruction(machine, "ld")) return {};
    const std::int64_t lanes = limited_product(std::max<std::int64_t>(1, agents), levels_of(machine).lanes);
    for (const View& v : operation.operands) {
        const ProgramTensor& t = tensor_of(program, v);
        const std::int64_t count = volume(v.extents).value_or(0);
        if (count > most_view_elements) return too_many_elements(t.name, count);
        if (!detail::is_of_lanes(machine, t)) continue;
        std::int64_t times = 1; // that the view has each of its registers, at least
        for (int k = 0; k < v.rank(); ++k)
            if (v.dims[k] < 0 || v.steps[k] == 0) times *= v.extents[k];
        if (count > 0 && times * lanes > most_listed) return too_many_held(t.name, times, lanes);
    }
    if (!(operation.op == Op::reduce) || operation.operands.size() < 2) return {};
    const View &d = operation.operands[0], &a = operation.operands[1];
    const ProgramTensor &to = tensor_of(program, d), &from = tensor_of(program, a);
    if (detail::is_of_lanes(machine, from)) return {}; // each lane has its own terms
    const std::int64_t count = volume(d.extents).value_or(0);
    if (count == 0) return {};
    const std::int64_t copies = detail::is_of_lanes(machine, to) ? detail::copies_of(to) : 1;
    return check_terms(to.name, limited_product(count, copies), volume(a.extents).value_or(0) / count, lanes);
}

AXE_DECL bool accesses_memory(const Statement& s)
{
    if (std::holds_alternative<Operation>(s.what) || std::holds_alternative<Instruction>(s.what)) return true;
    if (std::holds_alternative<Flag>(s.what) || std::holds_alternative<CancelLaunch>(s.what)) return true;
    if (const auto* m = std::get_if<Mbarrier>(&s.what); m != nullptr && (m->at || m->action == Mbarrier::Action::invalidate))
        return true;
    if (const auto* c = std::get_if<TensorColumns>(&s.what); c != nullptr) return c->action != TensorColumns::Action::relinquish;
    bool loads = false;
    for_each_expression(s, [&](const Expression& e) {
        loads = for_each_node(e, [](const Expression& node) { return node.kind == Expression::Kind::load; });
    });
    return loads;
}

AXE_DECL std::vector<Problem> run_limit_problems(const Program& program)
{
    using detail::worded;
    std::vector<Problem> out;
    const Machine& machine = program.machine;
    const auto report = [&](errc code, const std::string& text) { out.push_back({code, program.name + ": " + text}); };
    if (machine.scopes.size() < 2 || memory_for(machine, Role::shared) == nullptr)
        report(errc::bad_argument, worded("{0} has no memory with the role \"shared\" that the blocks own", {machine.name}));
    if (!machine.scopes.empty() && machine.scopes[0].count > most_devices)
        report(errc::capacity,
               worded("{0} has {1} devices; at most {2} are simulated", {machine.name, machine.scopes[0].count, most_devices}));
    const std::int64_t lanes = levels_of(machine).lanes;
    std::int64_t accesses = 0;
    for_each_statement(program.body, [&](const Statement& s) {
        accesses += accesses_memory(s) ? 1 : 0;
        const auto* grid = std::get_if<Grid>(&s.what);
        if (grid != nullptr && lanes > most_lanes)
            out.push_back({errc::capacity, statement_text(program, s.id) + ": " + many_lanes_text(lanes)});
    });
    if (accesses > most_accesses)
        report(errc::capacity, worded("{0} statements access memory; a run takes at most {1}", {accesses, most_accesses}));
    return out;
}

} // namespace v0
} // namespace axe

#endif
