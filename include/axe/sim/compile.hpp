// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_COMPILE_HPP
#define AXE_SIM_COMPILE_HPP

#include <axe/program/allocation.hpp>
#include <axe/program/cluster_text.hpp>
#include <axe/program/expression_walk.hpp>
#include <axe/program/limits.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/target.hpp>
#include <axe/program/tensor_columns.hpp>
#include <axe/program/walk.hpp>
#include <axe/sim/agents/independent.hpp>
#include <axe/sim/agents/register_needs.hpp>
#include <axe/sim/memory/planner.hpp>
#include <axe/sim/opcodes/opcode.hpp>
#include <axe/support/sort.hpp>

#include <unordered_map>
#include <unordered_set>

namespace axe {
inline namespace v0 {
namespace sim {

/// A lowered program, ready to run: what `Compiled` knows, and the code of devices and blocks.
struct Executables {
    Compiled compiled{};
    Code code{};
    std::vector<GridCode> grids{};
    std::vector<std::unique_ptr<DeviceExecutable>> instructions{};
    std::vector<const Instruction*> by_index{}; ///< for counters: the instruction of each tally
    std::vector<int> statement_of{};
};

namespace detail_compile {

/// The tensors that a body allocates, those of inner bodies included, in order.
inline void allocations(const Body& body, std::vector<int>& tensors)
{
    for_each_statement(body, [&](const Statement& s) {
        if (const auto* alloc = std::get_if<Alloc>(&s.what)) tensors.push_back(alloc->tensor);
    });
}

/// The variables that a statement declares.
inline std::vector<int> variables_of(const Statement& s)
{
    std::vector<int> out;
    if (const auto* loop = std::get_if<For>(&s.what)) out.push_back(loop->var.id);
    if (const auto* let = std::get_if<Let>(&s.what)) out.push_back(let->var.id);
    if (const auto* grid = std::get_if<Grid>(&s.what))
        for (const Var& v : grid->vars) out.push_back(v.id);
    if (const auto* each = std::get_if<Each>(&s.what))
        for (const Var& v : each->vars) out.push_back(v.id);
    return out;
}

/// Tells each grid which variables exist around it, and which in it.
inline void find_variables(const Body& body, std::vector<int>& around, const std::unordered_map<const Grid*, GridCode*>& grids)
{
    for (const Statement& s : body) {
        const std::vector<int> own = variables_of(s);
        if (const auto* grid = std::get_if<Grid>(&s.what)) {
            const auto found = grids.find(grid);
            if (found == grids.end()) continue;
            GridCode& g = *found->second;
            g.outside = around;
            g.inside = own;
            for_each_statement(g.grid->body, [&](const Statement& inner) {
                const std::vector<int> more = variables_of(inner);
                g.inside.insert(g.inside.end(), more.begin(), more.end());
            });
            continue;
        }
        around.insert(around.end(), own.begin(), own.end());
        for_each_body(s, [&](const Body& inner) { find_variables(inner, around, grids); });
        around.resize(around.size() - own.size());
    }
}

/// The widest granule that no access cuts: a power of two that divides the width of each access and where each begins.
inline void note_access(TensorPlan& plan, const LaneAccess& a)
{
    const auto shrink = [&](std::int64_t bytes) {
        bytes = bytes < 0 ? -bytes : bytes;
        while (plan.granule > 1 && bytes % plan.granule != 0) plan.granule /= 2;
    };
    if (plan.granule == 0) plan.granule = 16;
    shrink(a.bytes);
    if (!a.linear) shrink(plan.width);
    const auto& table = a.swizzled.empty() ? a.table : a.swizzled;
    std::int32_t begins = 0; // their least bit is what divides them all
    for (const std::int32_t t : table) begins |= t > outside ? t : 0;
    shrink(static_cast<std::int64_t>(begins) * plan.width);
    // What the variables add.
    if (!a.fixed && a.plan->address.flat.empty())
        for (int d = 0; d < a.dims(); ++d) {
            const Affine& origin = a.view->origin[static_cast<std::size_t>(d)];
            const DimensionMap& m = a.plan->address.dims[static_cast<std::size_t>(d)];
            for (const auto& term : origin.terms()) {
                if (m.is_linear())
                    shrink(term.coefficient * m.stride * plan.width);
                else
                    shrink(plan.width);
            }
        }
}

/// Which tensors of a grid have bytes in common, at one time or another: all that are connected by that have their cells together.
inline void find_shared_bytes(Compiled& c, const AllocationReport& report, std::vector<GridCode>& grids)
{
    std::vector<GridCode*> grid_of(c.plans.size(), nullptr);
    for (GridCode& g : grids)
        for (const int t : g.tensors) grid_of[static_cast<std::size_t>(t)] = &g;
    for (const MemoryAllocation& memory : report.memories) {
        if (!memory.reused || memory.tensors.empty()) continue;
        const auto plan_of = [&](const TensorAllocation& t) -> TensorPlan& { return c.plans[static_cast<std::size_t>(t.tensor)]; };
        GridCode* const g = grid_of[static_cast<std::size_t>(memory.tensors.front().tensor)];
        if (g == nullptr || plan_of(memory.tensors.front()).owner != Owner::block) continue;
        std::vector<const TensorAllocation*> by_base;
        for (const TensorAllocation& t : memory.tensors) by_base.push_back(&t);
        axe::detail::sort_stably(by_base, [](const TensorAllocation* a, const TensorAllocation* b) { return a->base < b->base; });
        for (std::size_t from = 0, to = 0; from < by_base.size(); from = to) {
            std::int64_t end = by_base[from]->base;
            for (; to < by_base.size() && (to == from || by_base[to]->base < end); ++to)
                end = std::max(end, by_base[to]->base + by_base[to]->bytes);
            if (to - from < 2) continue;
            GridCode::SharedBytes shared;
            std::int64_t rows = 1;
            const std::int64_t first = by_base[from]->base / 16 * 16, row = (end - first + 15) / 16 * 16;
            shared.granule = 16;
            for (std::size_t i = from; i < to; ++i) {
                const TensorPlan& plan = plan_of(*by_base[i]);
                while (shared.granule > 1 &&
                       (plan.granule % shared.granule != 0 || (plan.base + plan.low * plan.width) % shared.granule != 0 ||
                        (plan.pitch > 0 && plan.pitch * plan.width % shared.granule != 0)))
                    shared.granule /= 2;
                if (plan.pitch > 0) rows = std::max(rows, (plan.count + plan.pitch - 1) / plan.pitch);
                shared.parts.push_back({by_base[i]->tensor, plan.base - first + (plan.pitch > 0 ? 0 : plan.low * plan.width),
                                        plan.pitch * plan.width, row, &c.accesses});
            }
            shared.cells = static_cast<std::size_t>(rows * row / shared.granule);
            g->shared_bytes.push_back(std::move(shared));
        }
    }
}

/// Numbers what accesses memory: instructions by their index, then the statements whose expressions load.
inline void number_accesses(const Program& program, Executables& e)
{
    Compiled& c = e.compiled;
    c.accesses.resize(1);
    for (std::size_t i = 0; i < e.by_index.size(); ++i)
        c.accesses.push_back({e.statement_of[i], e.by_index[i]->operands.empty() ? -1 : e.by_index[i]->operands[0].view.tensor});
    for_each_statement(program.body, [&](const Statement& s) {
        if (std::holds_alternative<Instruction>(s.what) || !accesses_memory(s) || s.id < 0) return;
        if (c.load_of.size() <= static_cast<std::size_t>(s.id)) c.load_of.resize(static_cast<std::size_t>(s.id) + 1);
        c.load_of[static_cast<std::size_t>(s.id)] = static_cast<std::uint32_t>(c.accesses.size());
        c.accesses.push_back({s.id, -1});
    });
}

/// What names other blocks is in a grid with clusters, and within them; a flag is one element of a device's memory.
inline Result<void, Problem> check_other_blocks(const Program& program, Compiled& c, const GridCode& g)
{
    const Grid& grid = *g.grid;
    for (const auto& e : g.instructions)
        for (const Access& a : e->instruction->operands)
            if (a.view.block && (!e->other_blocks || c.plans[static_cast<std::size_t>(a.view.tensor)].owner != Owner::block))
                return {errc::bad_argument, statement_text(program, e->statement) + ": " +
                                                detail::worded("{0} does not access {1} of another block",
                                                               {e->instruction->opcode, tensor_of(program, a.view).name})};
            else if (a.view.remote && !e->other_devices)
                return {errc::bad_argument, statement_text(program, e->statement) + ": " +
                                                detail::worded("{0} does not access {1} of another device",
                                                               {e->instruction->opcode, tensor_of(program, a.view).name})};
    const std::int64_t size = grid.cluster.empty() ? 0 : volume(grid.cluster).value_or(0);
    return for_each_statement(grid.body, [&](const Statement& s) -> Result<void, Problem> {
        const auto refuse = [&](std::string text, errc code = errc::bad_argument) -> Result<void, Problem> {
            return {code, statement_text(program, s.id) + ": " + std::move(text)};
        };
        if (const auto* flag = std::get_if<Flag>(&s.what)) {
            TensorPlan& plan = c.plans[static_cast<std::size_t>(flag->element.tensor)];
            if (plan.owner != Owner::device || plan.address.copies.size() != 1)
                return refuse(flag_memory_text(plan.name(), plan.tensor->memory));
            plan.granule = plan.granule == 0 ? plan.width : std::min(plan.granule, plan.width);
            plan.written |= flag->action < Flag::Action::wait_at_least;
        }
        const auto* request = std::get_if<CancelLaunch>(&s.what);
        const auto* placed = std::get_if<Mbarrier>(&s.what);
        if (request != nullptr || (placed != nullptr && placed->at)) { // bytes of shared memory, in elements of their own
            const View& v = request != nullptr ? request->element : *placed->at;
            TensorPlan& plan = c.plans[static_cast<std::size_t>(v.tensor)];
            const std::int64_t bytes = request != nullptr ? 16 : 8;
            if (plan.owner != Owner::block || volume(v.extents).value_or(0) * plan.width != bytes || v.block)
                return refuse(detail::worded("{0} must be {1} bytes of the block's own shared memory", {plan.name(), bytes}));
            plan.granule = plan.granule == 0 ? plan.width : std::min(plan.granule, plan.width);
        }
        bool names = std::holds_alternative<ClusterBarrier>(s.what) || (request != nullptr && request->to_all);
        if (const auto* m = std::get_if<Mbarrier>(&s.what)) {
            names = m->rank.has_value() || m->multicast != 0;
            if (m->rank && !is_for_other_blocks(m->action)) return refuse(remote_actions_text());
            if (size > 0 && size < 16 && m->multicast >> size != 0)
                return refuse(mask_text(m->multicast, size), errc::out_of_domain);
        }
        if (const auto* i = std::get_if<Instruction>(&s.what)) {
            if (size > 0 && size < 16 && i->multicast >> size != 0)
                return refuse(mask_text(i->multicast, size), errc::out_of_domain);
            names = i->multicast != 0 || i->pair;
            for (const Access& a : i->operands) names = names || a.view.block;
        }
        return names && size == 0 ? refuse(no_clusters_text()) : Result<void, Problem>();
    });
}

/// Is the grid a dependent one, or does it take the work of blocks that have not started? Its blocks are in flight together, and in turns.
inline bool has_launches(const Grid& grid)
{
    return grid.dependent ||
           for_each_statement(grid.body, [](const Statement& s) { return std::holds_alternative<CancelLaunch>(s.what); });
}

/// Blocks of the grid that the machine's multiprocessors hold together; all of them where its data do not say.
inline std::int64_t resident_blocks(const Program& program, const AllocationReport& report, const GridCode& g)
{
    const std::int64_t all = *volume(g.grid->counts);
    const Limit* processors = find_limit(program.machine, "device.multiprocessors");
    for (const BlockResources& r : report.grids)
        if (r.grid == g.statement && r.resident > 0 && processors != nullptr)
            return std::min(all, limited_product(r.resident, processors->value));
    return all;
}

/// Tensors of blocks and lanes are allocated in the grid that uses them: others have no memory there.
inline Result<void, Problem> check_allocated(const Program& program, const Compiled& c, const GridCode& g)
{
    Result<void, Problem> wrong;
    const std::unordered_set<int> allocated(g.tensors.begin(), g.tensors.end());
    const auto use = [&](int statement, int tensor) {
        const TensorPlan& plan = c.plans[static_cast<std::size_t>(tensor)];
        if (!wrong.ok() || plan.owner == Owner::device || allocated.count(tensor) != 0) return;
        wrong = Problem(errc::bad_argument, statement_text(program, statement) + ": " + not_allocated_text(plan.name()));
    };
    for (const auto& e : g.instructions)
        for (const Access& a : e->instruction->operands) use(e->statement, a.view.tensor);
    for_each_statement(g.grid->body, [&](const Statement& s) {
        for_each_expression(s, [&](const Expression& e) {
            for_each_node(e, [&](const Expression& node) {
                if (node.kind == Expression::Kind::load) use(s.id, node.element.tensor);
            });
        });
    });
    return wrong;
}

} // namespace detail_compile

/// Resolves a program of instructions for a target: plans, code, instructions, the addresses of block memory. Program and target must outlive what is made.
inline Result<std::unique_ptr<Executables>, Problem> compile(const Program& program, const Target& target, int threads)
{
    static_assert(max_run - 1 == max_blocks);
    if (const auto p = check_limits(program); !p.ok()) return p.error();
    auto out = std::make_unique<Executables>();
    Compiled& c = out->compiled;
    c.program = &program;
    if (auto beyond = run_limit_problems(program); !beyond.empty()) return std::move(beyond.front());
    auto allocated = allocate(program);
    if (!allocated) return allocated.error();
    auto plans = plan_tensors(program);
    if (!plans) return plans.error();
    c.stage = plans->stage;
    c.remote = has_remote_views(program);
    c.plans = std::move(plans->tensors);
    Members devices;
    for (int d = 0; d < c.stage.devices; ++d) devices.set(static_cast<std::size_t>(d));
    auto code = flatten(program.body, devices);
    if (!code) return code.error();
    out->code = std::move(*code);

    for (const Statement* s : out->code.instructions) {
        const auto& instruction = std::get<Instruction>(s->what);
        const Preparation p{&c, &instruction, s->id, nullptr, nullptr};
        const Opcode* row = find_row(target.opcodes, instruction.opcode);
        if (row == nullptr || row->on_device == nullptr)
            return p.refuse("target {0} has no such instruction outside blocks", {target.machine.name});
        auto made = row->on_device(p);
        if (!made) return made.error();
        (*made)->index = static_cast<int>(out->by_index.size());
        out->by_index.push_back(&instruction);
        out->statement_of.push_back(s->id);
        out->instructions.push_back(std::move(*made));
        for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
            TensorPlan& plan = c.plans[static_cast<std::size_t>(instruction.operands[k].view.tensor)];
            plan.granule = plan.granule == 0 ? plan.width : std::min(plan.granule, plan.width);
            plan.written = plan.written || writes(instruction, k);
        }
    }
    for (const Statement* s : out->code.grids) {
        GridCode g;
        g.grid = &std::get<Grid>(s->what);
        g.statement = s->id;
        Members agents;
        for (int a = 0; a < g.grid->agents; ++a) agents.set(static_cast<std::size_t>(a));
        auto body = flatten(g.grid->body, agents);
        if (!body) return body.error();
        g.code = std::move(*body);
        detail_compile::allocations(g.grid->body, g.tensors);
        ResolvedAhead ahead(program, c.plans, g.code.instructions, threads);
        for (const Statement* i : g.code.instructions) {
            const auto& instruction = std::get<Instruction>(i->what);
            const Preparation p{&c, &instruction, i->id, &g.instructions, &ahead};
            const std::int64_t last = instruction.first_agent + (std::int64_t{instruction.agents} - 1) * instruction.agent_stride;
            if (instruction.agents < 1 || instruction.agent_stride < 1 || instruction.first_agent < 0 || last >= g.grid->agents)
                return p.refuse("it runs on agents {0} to {1} in steps of {2}; the block has {3}",
                                {instruction.first_agent, last, instruction.agent_stride, g.grid->agents}, errc::out_of_domain);
            const Opcode* row = find_row(target.opcodes, instruction.opcode);
            if (row == nullptr || row->in_block == nullptr)
                return p.refuse("target {0} has no such instruction inside blocks", {target.machine.name});
            auto made = row->in_block(p);
            if (!made) return made.error();
            (*made)->index = static_cast<int>(out->by_index.size());
            out->by_index.push_back(&instruction);
            out->statement_of.push_back(i->id);
            for (std::size_t k = 0; k < instruction.operands.size(); ++k)
                c.plans[static_cast<std::size_t>(instruction.operands[k].view.tensor)].written |= writes(instruction, k);
            for (const LaneAccess& a : (*made)->operands)
                detail_compile::note_access(c.plans[static_cast<std::size_t>(a.tensor)], a);
            if ((*made)->operands.empty())
                for (const Access& a : instruction.operands) {
                    TensorPlan& plan = c.plans[static_cast<std::size_t>(a.view.tensor)];
                    plan.granule = plan.granule == 0 ? plan.width : std::min(plan.granule, plan.width);
                }
            g.instructions.push_back(std::move(*made));
        }
        if (auto e = detail_compile::check_allocated(program, c, g); !e.ok()) return e;
        if (auto e = detail_compile::check_other_blocks(program, c, g); !e.ok()) return e;
        out->grids.push_back(std::move(g));
    }
    std::vector<int> around;
    if (program.device.id >= 0) around.push_back(program.device.id);
    std::unordered_map<const Grid*, GridCode*> grids;
    for (GridCode& g : out->grids) grids[g.grid] = &g;
    detail_compile::find_variables(program.body, around, grids);
    c.instruction_count = static_cast<int>(out->by_index.size());
    for (TensorPlan& plan : c.plans)
        if (plan.granule == 0) plan.granule = plan.width;
    for (std::size_t t = 0; t < program.tensors.size(); ++t)
        if (const int all = c.plans[t].everywhere; all >= 0) c.plans[static_cast<std::size_t>(all)].granule = c.plans[t].granule;
    // Inputs may be the caller's own arrays, which are read only.
    for (const TensorPlan& plan : c.plans)
        if (plan.written && plan.tensor->binding == Binding::input)
            return Problem(errc::bad_argument, "{0}: an instruction writes {1}, an input", {program.name, plan.name()});
    for (const MemoryAllocation& memory : allocated->memories)
        for (const TensorAllocation& t : memory.tensors)
            if (memory.in_grid) c.plans[static_cast<std::size_t>(t.tensor)].base = t.base;
    detail_compile::find_shared_bytes(c, *allocated, out->grids);
    const bool overlap = std::any_of(out->grids.begin(), out->grids.end(), [](const GridCode& g) { return g.grid->dependent; });
    for (GridCode& g : out->grids) {
        g.related = blocks_depend_on_each_other(*g.grid) || detail_compile::has_launches(*g.grid);
        const bool waits = clusters_depend_on_each_other(*g.grid) || detail_compile::has_launches(*g.grid);
        g.independent = !waits && !overlap && !c.remote && independence_of(c.plans, g).holds;
        if (g.waits_for_others()) g.resident = detail_compile::resident_blocks(program, *allocated, g);
    }
    for (GridCode& g : out->grids)
        for (const auto& [id, tensors] : columns_asked_for(*g.grid))
            for (const int tensor : tensors) g.columns[tensor] = id;
    find_register_needs(program, c.plans, out->grids);
    detail_compile::number_accesses(program, *out);
    return Result<std::unique_ptr<Executables>, Problem>(std::move(out));
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
