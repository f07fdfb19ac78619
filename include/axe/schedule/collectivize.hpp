// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COLLECTIVIZE_HPP
#define AXE_SCHEDULE_COLLECTIVIZE_HPP

#include <axe/layout/group.hpp>
#include <axe/layout/span.hpp>
#include <axe/machine/axes.hpp>
#include <axe/program/expression_walk.hpp>
#include <axe/program/messages.hpp>
#include <axe/program/operators.hpp>
#include <axe/schedule/execution_scope.hpp>
#include <axe/schedule/register_layout.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Takes `Each` away, body by body.
class Collectivizer {
  public:
    explicit Collectivizer(Program program) : program_(std::move(program)) {}

    Result<Program, Problem> run()
    {
        if (const auto p = collectivize_body(program_.body, scope_of(program_.machine)); !p.ok()) return p;
        return std::move(program_);
    }

  private:
    /// A digit of the number of who runs a body for itself.
    struct Digit {
        int var;
        std::int64_t count;
        Layout::Shard owners; ///< of a private tensor's new dimension: where its indices are
    };

    [[nodiscard]] Problem refused(int id, const std::string& why) const
    {
        return {errc::bad_argument, statement_text(program_, id) + ": " + why};
    }
    [[nodiscard]] ProgramTensor& tensor(int id) { return program_.tensors[static_cast<std::size_t>(id)]; }
    [[nodiscard]] bool is_inner(int id) const { return std::find(inner_.begin(), inner_.end(), id) != inner_.end(); }

    [[nodiscard]] std::int64_t varies(const Affine& a) const
    {
        for (const Affine::Term& t : a.terms())
            for (const Digit& d : digits_)
                if (t.var == d.var) return true;
        return false;
    }
    [[nodiscard]] bool varies(const Expression& e) const
    {
        return for_each_node(e, [&](const Expression& node) {
            if (node.kind == Expression::Kind::affine) return varies(node.affine) != 0;
            if (node.kind != Expression::Kind::load) return false;
            const auto& origin = node.element.origin;
            return is_inner(node.element.tensor) ||
                   std::any_of(origin.begin(), origin.end(), [&](const Affine& o) { return varies(o) != 0; });
        });
    }

    Result<void, Problem> collectivize_body(Body& body, const ExecutionScope& place)
    {
        return rewrite(body, [&](Statement& s, Body& out) -> Result<void, Problem> {
            if (auto* each = std::get_if<Each>(&s.what)) {
                if (auto p = take_away(*each, place, s.id); !p.ok()) return p;
                out.insert(out.end(), std::make_move_iterator(each->body.begin()), std::make_move_iterator(each->body.end()));
                return {};
            }
            if (!digits_.empty())
                if (auto p = std::visit([&](auto& what) { return adapt(what, s.id); }, s.what); !p.ok()) return p;
            const Result<void, Problem> problem =
                for_each_body(program_.machine, s, place,
                              [&](Body& inner, const ExecutionScope& inside) { return collectivize_body(inner, inside); });
            out.push_back(std::move(s));
            return problem;
        });
    }

    /// Turns what each member does for itself into what all do together; the bodies of the statement are not entered.
    Result<void, Problem> adapt(Alloc& alloc, int id) { return widen(alloc.tensor, id); }
    Result<void, Problem> adapt(Operation& operation, int id) { return widen(operation, id); }
    Result<void, Problem> adapt(For& loop, int id)
    {
        return varies(loop.begin) || varies(loop.end) ? differs(id, "how often the loop runs") : Problem();
    }
    template <class S>
    Result<void, Problem> condition(const S& s, int id)
    {
        return varies(s.condition) ? differs(id, "the condition") : Problem();
    }
    Result<void, Problem> adapt(While& loop, int id) { return condition(loop, id); }
    Result<void, Problem> adapt(If& branch, int id) { return condition(branch, id); }
    Result<void, Problem> adapt(Assign& assign, int id) { return varies(assign.value) ? differs(id, "the value") : Problem(); }
    Result<void, Problem> adapt(Let& let, int id) { return varies(let.value) ? differs(id, "the index") : Problem(); }
    Result<void, Problem> adapt(Slice&, int id)
    {
        return refused(id, "inside each_agent and each_thread no agents are left to slice");
    }
    Result<void, Problem> adapt(Instruction&, int id)
    {
        return refused(id, "an instruction names the lanes that run it; call it outside each_thread and each_agent");
    }
    template <class What>
    Result<void, Problem> adapt(What&, int)
    {
        return {};
    }
    [[nodiscard]] Result<void, Problem> differs(int id, const char* what) const { return refused(id, in_step_text(what)); }

    /// Makes the body of `each` one for all who ran it together.
    Result<void, Problem> take_away(Each& each, const ExecutionScope& place, int id)
    {
        const BlockScopes scopes = block_scopes(program_.machine);
        const bool threads = each.of == Each::Of::thread;
        if (!place.in_block) return refused(id, "each_agent and each_thread must be inside a block");
        if (!digits_.empty() && (!threads || alone_ == nullptr))
            return refused(id, "within each_thread no agent is left to run this statement");
        const std::int64_t agents = digits_.empty() ? place.count : 1, lanes = scopes.lanes();
        const std::int64_t members = threads ? agents * lanes : agents;
        const auto asked = volume(each.counts);
        if (!asked || *asked != members)
            return refused(id, worded("the counts give {0} members; there are {1}{2}",
                                      {asked ? *asked : 0, members, (threads ? " lanes" : " agents")}));
        if (agents > 1 && scopes.agent == nullptr)
            return refused(
                id, worded("{0} has no axis for agents, so an agent cannot have elements of its own", {program_.machine.name}));
        // The digits of the number, split where a row of lanes ends within one.
        Layout numbers, split;
        numbers.shard.push_back({members, 1, number_axis});
        const auto grouped = group(numbers, each.counts);
        if (!grouped) return refused(id, grouped.error().message().c_str());
        for (int k = 0; k < each.counts.size(); ++k) {
            Layout one;
            for (int i = grouped->begin(k); i < grouped->end(k); ++i) one.shard.push_back(grouped->layout.shard[i]);
            if (threads) {
                const auto parts = split_axis(one, AxisSplit{number_axis, agent_axis, lane_axis, lanes});
                if (!parts)
                    return refused(id, worded("digit {0} of the thread numbers, of {1} values, crosses the {2} lanes of an agent",
                                              {k, each.counts[k], lanes}));
                one = *parts;
            }
            Digit digit{each.vars[static_cast<std::size_t>(k)].id, each.counts[k], {}};
            for (auto it : one.shard) {
                const bool of_lanes = threads && it.axis == lane_axis;
                if (!of_lanes) it.stride *= place.stride;
                const ScopeLevel* level = of_lanes ? scopes.lane : scopes.agent;
                it.axis = level == nullptr ? Axis{"reg"} : level->axis;
                if (level == nullptr) it.stride = 0;
                digit.owners.push_back(it);
            }
            digits_.push_back(digit);
        }
        const std::size_t mine = static_cast<std::size_t>(each.counts.size());
        const ScopeLevel* before = alone_;
        const std::int64_t first_before = first_;
        alone_ = threads ? nullptr : scopes.agent;
        if (digits_.size() == mine) first_ = place.first;
        self_ = place;
        self_.first = 0, self_.count = 1, self_.stride = 1;
        threads_ = threads;
        Result<void, Problem> problem = collectivize_body(each.body, place);
        digits_.resize(digits_.size() - mine);
        alone_ = before;
        first_ = first_before;
        threads_ = false;
        if (digits_.empty()) inner_.clear();
        return problem;
    }

    /// A tensor of each becomes one of all, with the digits as its first dimensions.
    Result<void, Problem> widen(int id, int statement)
    {
        ProgramTensor& t = tensor(id);
        const Memory* memory = find_memory(program_.machine, t.memory.c_str());
        if (memory == nullptr) return refused(statement, no_memory_text(t.name, t.memory));
        const bool own = is_private(program_.machine, *memory);
        if (t.hint == LayoutHint::registers || (threads_ && t.hint == LayoutHint::conflict_free)) {
            Result<Layout, Problem> layout = Layout{};
            if (threads_ || !own) {
                const auto plain = row_major_in(t.shape, *memory);
                if (!plain) return refused(statement, plain.error().message().c_str());
                layout = *plain;
            } else {
                layout = hinted_register_layout(program_.machine, self_, t);
            }
            if (!layout) return layout.error();
            t.layout = {};
            t.layout.layout = *layout;
            t.hint = LayoutHint::none;
        }
        if (t.hint != LayoutHint::none)
            return refused(
                statement,
                worded("{0}: this hint chooses a layout for the agents of a block together; give a layout here", {t.name}));
        if (t.base >= 0 && !own)
            return refused(statement,
                           worded("{0}: each agent or lane has one, so they cannot all start at byte {1}", {t.name, t.base}));
        Layout& layout = t.layout.layout;
        Layout::Shard front;
        std::int64_t step = 0; // in a memory: from one's to the next one's
        if (!own) {
            const Axis address = memory->axes[memory->axes.size() - 1];
            const auto footprint = span(layout, address);
            if (!footprint) return refused(statement, worded("{0}: {1}", {t.name, footprint.error().message().c_str()}));
            const std::int64_t unit =
                std::max<std::int64_t>(1, std::max(memory->alignment, t.layout.swizzle.period()) / storage_bytes(t.dtype));
            step = (*footprint + unit - 1) / unit * unit;
        }
        std::int64_t weight = 1;
        for (const Digit& d : digits_) weight *= d.count;
        Shape shape;
        bool room = true;
        for (const Digit& d : digits_) {
            weight /= d.count;
            room = shape.push_back(d.count) && room;
            if (own)
                for (const auto& it : d.owners) room = front.push_back(it) && room;
            else
                room = front.push_back({d.count, weight * step, memory->axes[memory->axes.size() - 1]}) && room;
        }
        for (const auto extent : t.shape) room = shape.push_back(extent) && room;
        for (const auto& it : layout.shard) room = front.push_back(it) && room;
        if (!room)
            return refused(statement,
                           worded("{0}: with a dimension for each digit it has more than {1} dimensions", {t.name, max_rank}));
        if (own && first_ != 0) {
            const BlockScopes scopes = block_scopes(program_.machine);
            auto* entry = scopes.agent == nullptr ? nullptr : layout.offset.entry(scopes.agent->axis);
            if (entry != nullptr) *entry += first_;
        }
        layout.shard = front;
        t.shape = shape;
        inner_.push_back(id);
        widened_.push_back(static_cast<int>(digits_.size()));
        return {};
    }

    Result<void, Problem> widen(Operation& operation, int id)
    {
        if (!operation.op.row().batches)
            return refused(id, worded("{0} cannot run on a single agent or lane; write it for the block or a slice of it",
                                      {name(operation.op)}));
        if (varies(operation.start)) return differs(id, "where it starts");
        const int more = static_cast<int>(digits_.size());
        for (std::size_t k = 0; k < operation.operands.size(); ++k)
            if (const auto p = widen(operation.operands[k], k == 0 && operation.op != Op::atomic, id); !p.ok()) return p;
        for (int& axis : operation.axes) axis += more;
        return {};
    }

    Result<void, Problem> widen(View& v, bool is_written, int id)
    {
        const std::string& who = tensor(v.tensor).name;
        int own = 0; // digits that are dimensions of the tensor
        for (std::size_t i = 0; i < inner_.size(); ++i)
            if (inner_[i] == v.tensor) own = widened_[i];
        const auto too_many = [&] {
            return refused(id,
                           worded("with a dimension for each digit the view of {0} has more than {1} dimensions", {who, max_rank}));
        };
        View out = v;
        out.origin.clear(), out.extents.clear(), out.dims.clear(), out.steps.clear();
        for (int k = 0; k < own; ++k) out.origin.emplace_back(0);
        for (const Affine& o : v.origin) out.origin.push_back(o);
        for (int k = 0; k < static_cast<int>(digits_.size()); ++k) {
            const Digit& digit = digits_[static_cast<std::size_t>(k)];
            int dim = k < own ? k : -1;
            std::int64_t step = 1;
            for (std::size_t d = 0; d < out.origin.size(); ++d)
                for (const Affine::Term& term : out.origin[d].terms()) {
                    if (term.var != digit.var) continue;
                    if (dim >= 0)
                        return refused(
                            id,
                            worded("a view of {0} starts at a member's number in two dimensions; all views are not a box", {who}));
                    dim = static_cast<int>(d);
                    step = term.coefficient;
                }
            if (dim >= own) out.origin[static_cast<std::size_t>(dim)] += Affine(Var{digit.var}) * -step;
            if (dim < 0 && is_written && digit.count > 1)
                return refused(id, worded("all agents or lanes would write the same elements of {0}", {who}));
            if (!out.extents.push_back(digit.count) || !out.dims.push_back(dim) || !out.steps.push_back(step)) return too_many();
        }
        for (int k = 0; k < v.rank(); ++k)
            if (!out.extents.push_back(v.extents[k]) || !out.dims.push_back(v.dims[k] < 0 ? -1 : v.dims[k] + own) ||
                !out.steps.push_back(v.steps[k]))
                return too_many();
        v = std::move(out);
        return {};
    }

    static constexpr Axis number_axis{"number"}, agent_axis{"number.agent"}, lane_axis{"number.lane"};
    Program program_;
    std::vector<Digit> digits_{};
    std::vector<int> inner_{}, widened_{}; ///< tensors of each, and how many digits they got
    const ScopeLevel* alone_ = nullptr;    ///< inside each_agent
    ExecutionScope self_{};                ///< of one agent alone
    std::int64_t first_ = 0;
    bool threads_ = false;
};

} // namespace detail

/// The program without `Each`: what each member does for itself is what all do together on tensors whose first dimensions are the
/// digits of their number.
///
///   each v over counts { alloc t[S] : L;  copy(t, A[o + c·v …]) }   =   alloc t[counts, S] : owners ‖ L;  copy(t, A[o …], steps c, …)
///
/// The members run in step. `errc::bad_argument` with the statement where they could not: a condition, a loop or a scalar that differs
/// between them; a view that is not a box for all; elements that all would write; operators that are for a block together.
/// Cost: linear in statements.
inline Result<Program, Problem> collectivize(Program program) { return detail::Collectivizer(std::move(program)).run(); }

} // namespace v0
} // namespace axe

#endif
