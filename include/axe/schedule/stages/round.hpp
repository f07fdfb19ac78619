// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_STAGES_ROUND_HPP
#define AXE_SCHEDULE_STAGES_ROUND_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/operators.hpp>
#include <axe/program/print.hpp>

#include <optional>
#include <set>

/// A round of a loop with stages: its statements, and what each of them touches.
namespace axe {
inline namespace v0 {
namespace detail::stages {

/// A statement reads or writes elements of a tensor; or a scalar, whose number is beyond those of tensors.
struct Touch {
    int what = -1;
    bool reads = false, writes = false;
    const View* view = nullptr; ///< null: of a scalar
};

/// A statement of the body that is moved as a whole, with what is in its bodies.
struct Unit {
    const Statement* statement = nullptr;
    std::vector<const Statement*> indices{}; ///< the `Let`s around it, from the outermost in
    std::vector<Touch> touches{};
    std::vector<int> inner_tensors{}; ///< allocated in its bodies
    int stage = 0, order = 0, executor = -1;
    bool is_load = false;       ///< brings elements of global memory into the block's
    bool asynchronous = false;  ///< goes on by itself until a wait
    bool bulk = false;          ///< is a bulk copy that one agent starts, until its bytes have come
    std::string why_not_bulk{}; ///< of one that is asked for and is not
    bool is_product = false;    ///< an asynchronous product; agents wait for it at once
    int flight = 0;             ///< or 1: right after that of the next round is started
    bool may_go_on = true;      ///< may `flight` be 1?
    bool commits = false;       ///< instead of waits of agents, mbarriers get an arrival when the product is complete
};

/// The tensor that an operator writes.
inline int destination(const Unit& u) { return std::get<Operation>(u.statement->what).operands[0].tensor; }

/// May a statement run its body several times?
struct Repeats {
    bool operator()(const For&) const { return true; }
    bool operator()(const While&) const { return true; }
    template <class What>
    bool operator()(const What&) const
    {
        return false;
    }
};
inline bool repeats(const Statement& s) { return std::visit(Repeats{}, s.what); }

/// Does an operator read what its destination was?
inline bool reads_destination(const Operation& o)
{
    if (o.op == Op::fill || o.op == Op::copy || o.op == Op::copy_async)
        return o.options.byte_mask != 0xffff && o.op == Op::copy_async;
    if (o.op == Op::map || o.op == Op::iota || o.op == Op::scan || o.op == Op::gather || o.op == Op::prefetch) return false;
    if (o.op == Op::reduce) return o.accumulate;
    if (is_matrix_product(o.op)) return o.accumulate || !o.kept_rows.empty();
    return true;
}

/// What a statement touches, with all in its bodies.
inline void append_touches(const Program& p, const Statement& statement, std::vector<Touch>& out)
{
    const int tensors = static_cast<int>(p.tensors.size());
    const auto note = [&](const Statement& s) {
        for_each_expression(s, [&](const Expression& e) {
            for_each_node(e, [&](const Expression& node) {
                if (node.kind == Expression::Kind::load) out.push_back({node.element.tensor, true, false, &node.element});
                if (node.kind == Expression::Kind::scalar) out.push_back({tensors + node.scalar, true, false, nullptr});
            });
        });
        if (const auto* assign = std::get_if<Assign>(&s.what)) out.push_back({tensors + assign->scalar, false, true, nullptr});
        if (const auto* i = std::get_if<Instruction>(&s.what))
            for (std::size_t k = 0; k < i->operands.size(); ++k)
                out.push_back({i->operands[k].view.tensor, true, writes(*i, k), &i->operands[k].view});
        const auto* o = std::get_if<Operation>(&s.what);
        if (o == nullptr) return;
        // A user's own operator, and those that give back what was there, may write any operand.
        const bool own = find_operator(o->op.row().name) == &o->op.row();
        const bool any = !own || o->op == Op::atomic_rows || o->op == Op::compare_exchange;
        for (std::size_t k = 0; k < o->operands.size(); ++k) {
            const bool written = any || static_cast<int>(k) < written_count(*o);
            out.push_back({o->operands[k].tensor, any || !written || reads_destination(*o), written, &o->operands[k]});
        }
    };
    note(statement);
    for_each_body(statement, [&](const Body& body) { for_each_statement(body, note); });
}

/// The tensor of which an operator gives every element a value that does not depend on what was there; −1: none.
inline int wholly_written(const Program& p, const Statement& s)
{
    const auto* o = std::get_if<Operation>(&s.what);
    if (o == nullptr || o->operands.empty() || reads_destination(*o) || o->op == Op::prefetch) return -1;
    const View& d = o->operands[0];
    for (std::size_t k = 1; k < o->operands.size(); ++k)
        if (o->operands[k].tensor == d.tensor) return -1;
    return !d.block && !d.remote && is_whole_view(d, tensor_of(p, d).shape) ? d.tensor : -1;
}

/// The statements of a loop with stages.
struct Round {
    const For* loop = nullptr;
    int id = -1;                         ///< of the loop
    std::vector<Unit> units{};           ///< as they are written
    std::vector<int> own_tensors{};      ///< allocated in the body
    std::set<int> inner_variables{};     ///< of loops and indices in the body
    std::optional<std::int64_t> count{}; ///< how many rounds, where that is known
    bool has_waits = false;              ///< has the body commits and waits of its own?
};

class RoundReader {
  public:
    RoundReader(const Program& p, const Statement& loop) : p_(p)
    {
        round_.loop = &std::get<For>(loop.what);
        round_.id = loop.id;
        const Affine length = round_.loop->end - round_.loop->begin;
        if (length.is_constant())
            round_.count = std::max<std::int64_t>(0, (length.constant() + round_.loop->step - 1) / round_.loop->step);
    }

    Result<Round, Problem> read()
    {
        std::vector<const Statement*> indices;
        if (auto e = body(round_.loop->body, indices); !e.ok()) return e.error();
        if (auto e = groups(); !e.ok()) return e.error();
        return std::move(round_);
    }

  private:
    [[nodiscard]] Problem refused(int id, std::string why) const
    {
        return {errc::bad_argument, statement_text(p_, id) + ": " + std::move(why)};
    }

    Result<void, Problem> body(const Body& statements, std::vector<const Statement*>& indices)
    {
        for (const Statement& s : statements) {
            if (std::holds_alternative<Barrier>(s.what)) continue;
            if (const auto* fence = std::get_if<ProxyFence>(&s.what); fence != nullptr && fence->of == ProxyFence::Of::proxies)
                continue;
            const auto* wait = std::get_if<Wait>(&s.what);
            if (std::holds_alternative<Commit>(s.what) ||
                (wait != nullptr && (wait->of == Wait::Of::copies || wait->of == Wait::Of::products))) {
                round_.has_waits = true;
                continue;
            }
            if (const auto* alloc = std::get_if<Alloc>(&s.what)) {
                round_.own_tensors.push_back(alloc->tensor);
                continue;
            }
            if (const auto* let = std::get_if<Let>(&s.what)) {
                round_.inner_variables.insert(let->var.id);
                if (auto e = index_stays(s, *let); !e.ok()) return e;
                indices.push_back(&s);
                if (auto e = body(let->body, indices); !e.ok()) return e;
                indices.pop_back();
                continue;
            }
            if (auto e = may_move(s, true, 0); !e.ok()) return e;
            Unit unit;
            unit.statement = &s;
            unit.indices = indices;
            for (const Statement* around : indices)
                for_each_expression(*around, [&](const Expression& e) { read_by(e, unit.touches); });
            append_touches(p_, s, unit.touches);
            note_inner(s, unit);
            unit.is_load = is_load(s);
            const auto* o = std::get_if<Operation>(&s.what);
            unit.is_product = o != nullptr && is_matrix_product(o->op) && o->options.async;
            round_.units.push_back(std::move(unit));
        }
        return {};
    }
    void read_by(const Expression& e, std::vector<Touch>& out) const
    {
        for_each_node(e, [&](const Expression& node) {
            if (node.kind == Expression::Kind::load) out.push_back({node.element.tensor, true, false, &node.element});
            if (node.kind == Expression::Kind::scalar)
                out.push_back({static_cast<int>(p_.tensors.size()) + node.scalar, true, false, nullptr});
        });
    }
    /// Each statement below finds the index anew: nothing there may change what it is read from.
    Result<void, Problem> index_stays(const Statement& s, const Let& let)
    {
        std::vector<Touch> from, below;
        read_by(let.value, from);
        for (const Statement& inner : let.body) append_touches(p_, inner, below);
        for (const Touch& read : from)
            for (const Touch& t : below)
                if (t.writes && t.what == read.what)
                    return refused(
                        s.id,
                        worded("the index is read from what statements after it write; a loop with stages needs it to stay", {}));
        return {};
    }
    void note_inner(const Statement& s, Unit& unit)
    {
        const auto note = [&](const Statement& inner) {
            if (const auto* loop = std::get_if<For>(&inner.what)) round_.inner_variables.insert(loop->var.id);
            if (const auto* let = std::get_if<Let>(&inner.what)) round_.inner_variables.insert(let->var.id);
            if (const auto* each = std::get_if<Each>(&inner.what))
                for (const Var& v : each->vars) round_.inner_variables.insert(v.id);
            if (const auto* alloc = std::get_if<Alloc>(&inner.what); alloc != nullptr && !std::holds_alternative<Grid>(s.what))
                unit.inner_tensors.push_back(alloc->tensor);
        };
        note(s);
        for_each_body(s, [&](const Body& inner) { for_each_statement(inner, note); });
    }
    [[nodiscard]] bool is_load(const Statement& s) const
    {
        const auto* o = std::get_if<Operation>(&s.what);
        if (o == nullptr || (o->op != Op::copy && o->op != Op::copy_async && o->op != Op::gather)) return false;
        const auto has = [&](const View& v, Role role) {
            const Memory* m = find_memory(p_.machine, tensor_of(p_, v).memory.c_str());
            return m != nullptr && m->roles.has(role);
        };
        return has(o->operands[0], Role::shared) && !has(o->operands[0], Role::global) && has(o->operands[1], Role::global);
    }

    /// Is it a statement that may be done in another turn, with what is in its bodies?
    Result<void, Problem> may_move(const Statement& s, bool top, int loops) const
    {
        const char* what = std::visit([&](const auto& one) { return refused_kind(one, top, loops); }, s.what);
        if (what != nullptr)
            return refused(
                s.id, worded("{0} is in a loop with stages, which places what waits and signals itself; take it out of the loop",
                             {what}));
        const bool loop = repeats(s);
        return for_each_body(s, [&](const Body& inner) {
            Result<void, Problem> e;
            for (const Statement& one : inner)
                if (e.ok()) e = may_move(one, false, loops + (loop ? 1 : 0));
            return e;
        });
    }
    static const char* refused_kind(const Operation& o, bool top, int)
    {
        if (o.options.completes_on >= 0) return "an operator that completes on an mbarrier";
        if (!top && (o.op == Op::copy_async || o.options.async)) return "an asynchronous operator in the body of another statement";
        return nullptr;
    }
    static const char* refused_kind(const For& loop, bool, int)
    {
        return loop.stages.count > 0 ? "another loop with stages" : nullptr;
    }
    static const char* refused_kind(const Break&, bool, int loops) { return loops > 0 ? nullptr : "a break"; }
    static const char* refused_kind(const Continue&, bool, int loops) { return loops > 0 ? nullptr : "a continue"; }
    template <class What>
    static const char* refused_kind(const What&, bool, int)
    {
        using namespace std;
        if constexpr (is_same_v<What, Commit> || is_same_v<What, Wait>) return "a commit or wait in the body of another statement";
        if constexpr (is_same_v<What, Mbarrier>) return "an mbarrier";
        if constexpr (is_same_v<What, ProxyFence>) return "a fence";
        if constexpr (is_same_v<What, Flag>) return "a flag";
        if constexpr (is_same_v<What, ClusterBarrier> || is_same_v<What, NamedBarrier>) return "a barrier of its own kind";
        if constexpr (is_same_v<What, CancelLaunch> || is_same_v<What, GridDependency>) return "a launch";
        if constexpr (is_same_v<What, RegisterCount>) return "a change of register counts";
        if constexpr (is_same_v<What, TensorColumns>) return "an allocation of tensor memory";
        return nullptr;
    }

    /// Gives units the stages, orders and executors of their groups.
    Result<void, Problem> groups()
    {
        const LoopStages& said = round_.loop->stages;
        if (said.groups.empty()) {
            if (said.stages.empty() && said.orders.empty() && said.executors.empty()) return {};
            return refused(round_.id, "the loop has stages of groups, and no pipeline_group in its body");
        }
        int most = 0;
        for (const LoopStages::Group& g : said.groups) most = std::max(most, g.id);
        const auto listed = [&](const char* what, std::size_t count, bool may_lack) -> Result<void, Problem> {
            if ((count == 0 && may_lack) || count == static_cast<std::size_t>(most) + 1) return {};
            return refused(round_.id,
                           worded("the loop has {0} {1}; its groups are 0 to {2}, and each needs one", {count, what, most}));
        };
        if (auto e = listed("stages", said.stages.size(), false); !e.ok()) return e;
        if (auto e = listed("orders", said.orders.size(), true); !e.ok()) return e;
        if (auto e = listed("executors", said.executors.size(), true); !e.ok()) return e;
        for (const int stage : said.stages)
            if (stage < 0 || stage >= said.count)
                return refused(round_.id,
                               worded("a group is in stage {0}; the loop has {1} stages, from 0 on", {stage, said.count}));
        for (Unit& u : round_.units) {
            const int id = u.statement->id;
            const LoopStages::Group* group = nullptr;
            for (const LoopStages::Group& g : said.groups)
                if (g.begin <= id && id < g.end) group = &g;
            if (group == nullptr || group->id < 0)
                return refused(id, worded("it is in no pipeline_group; the loop around has groups 0 to {0}", {most}));
            const auto g = static_cast<std::size_t>(group->id);
            u.stage = said.stages[g];
            u.order = said.orders.empty() ? group->id : said.orders[g];
            if (said.executors.empty()) continue;
            for (std::size_t k = 0; k < said.executors.size() && u.executor < 0; ++k)
                if (said.executors[k] == said.executors[g]) u.executor = static_cast<int>(k);
        }
        return {};
    }

    const Program& p_;
    Round round_{};
};

} // namespace detail::stages
} // namespace v0
} // namespace axe

#endif
