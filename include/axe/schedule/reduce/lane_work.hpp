// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_REDUCE_LANE_WORK_HPP
#define AXE_SCHEDULE_REDUCE_LANE_WORK_HPP

#include <axe/schedule/copy/moves.hpp>
#include <axe/schedule/growing_type.hpp>
#include <axe/text/common/words.hpp>

#include <array>

/// Work that is distributed to lanes by hand, element by element, for the schedules of reductions.
namespace axe {
inline namespace v0 {
namespace detail {

inline std::string in_other_agent(const std::string& tensor, int agent)
{
    return worded("{0} has elements in agent {1}, which does not run this statement", {tensor, agent});
}

/// What each lane does, in order: elements of two operands, by their numbers in the views.
class LaneWork {
  public:
    explicit LaneWork(const Request& request)
        : place_(request.execution_scope()),
          lanes_(block_scopes(request.machine()).lanes()),
          lists_(static_cast<std::size_t>(place_.count) * static_cast<std::size_t>(lanes_))
    {
    }

    void add(const Owner& owner, std::int32_t first, std::int32_t second)
    {
        lists_[static_cast<std::size_t>(place_.index_of(owner.agent) * lanes_ + owner.lane)].push_back({first, second});
    }

    /// Calls f(lane, first, second) for all of it, lane by lane.
    template <class F>
    void for_each(const F& f) const
    {
        for (std::size_t i = 0; i < lists_.size(); ++i) {
            const int at = static_cast<int>(i);
            for (const auto& [first, second] : lists_[i])
                f(Owner{place_.first + at / lanes_ * place_.stride, at % lanes_, 0}, first, second);
        }
    }

    [[nodiscard]] bool empty() const
    {
        return std::all_of(lists_.begin(), lists_.end(), [](const auto& list) { return list.empty(); });
    }

    /// What all lanes do with operand `which`, the ith of each in issue i.
    [[nodiscard]] std::shared_ptr<const Distribution> distribution(std::size_t which) const
    {
        Distribution p;
        p.agents = place_.count;
        p.lanes = lanes_;
        p.issues = 0;
        for (const auto& list : lists_) p.issues = std::max(p.issues, static_cast<int>(list.size()));
        p.element.assign(p.at(p.issues, 0, 0), -1);
        for (std::size_t lane = 0; lane < lists_.size(); ++lane)
            for (std::size_t i = 0; i < lists_[lane].size(); ++i)
                p.element[p.at(static_cast<int>(i), static_cast<int>(lane) / lanes_, static_cast<int>(lane) % lanes_)] =
                    lists_[lane][i][which];
        return std::make_shared<const Distribution>(std::move(p));
    }

  private:
    ExecutionScope place_;
    int lanes_;
    std::vector<std::vector<std::array<std::int32_t, 2>>> lists_;
};

/// A tensor of a schedule's or of the operator, and where it is.
struct Placed {
    View view{};
    ElementPlacement placement{};
};

inline Result<Placed, Problem> placed(const Request& request, View view)
{
    auto where = element_placement(request, view);
    if (!where) return where.error();
    return Placed{std::move(view), std::move(*where)};
}

using Lists = std::shared_ptr<const Distribution>;

/// d = convert(a), element by element as the lists say.
inline void append_move(const Request& request, Body& body, const Placed& d, const Placed& a, const Lists& of_d, const Lists& of_a)
{
    Instruction out = make_instruction(request, "move", move_text(request, d.view, d.placement, a.view, a.placement, 1));
    out.operands = {{d.view, of_d}, {a.view, of_a}};
    body.push_back(make_statement(std::move(out)));
}
inline void append_move(const Request& request, Body& body, const Placed& d, const Placed& a, const LaneWork& work)
{
    if (!work.empty()) append_move(request, body, d, a, work.distribution(0), work.distribution(1));
}

/// d = f(d, a) in registers, element by element as the lists say.
inline void append_combine(const Request& request, Body& body, Function f, const Placed& d, const Placed& a, const Lists& of_d,
                           const Lists& of_a)
{
    Instruction out = make_instruction(request, "map", std::string(name(f)) + "." + name(request.tensor(d.view).dtype));
    out.operands = {{d.view, of_d}, {d.view, of_d}, {a.view, of_a}};
    out.function = f;
    body.push_back(make_statement(std::move(out)));
}
inline void append_combine(const Request& request, Body& body, Function f, const Placed& d, const Placed& a, const LaneWork& work)
{
    if (!work.empty()) append_combine(request, body, f, d, a, work.distribution(0), work.distribution(1));
}

/// A register tensor like another one, with `slots` registers for each of its own; they are its last dimension where there are several.
inline Result<Placed, Problem> registers_like(Request& request, const View& view, const char* use, DType type,
                                              std::int64_t slots = 1)
{
    ProgramTensor t = request.tensor(view);
    const Memory& memory = request.memory(view);
    View out = view;
    t.name += std::string(".") + use;
    t.dtype = type;
    t.binding = Binding::local;
    t.base = -1;
    if (slots > 1) {
        const auto wider = unpack(t.layout.layout, slots, memory.axes[memory.axes.size() - 1]);
        if (!wider) return Problem(wider.error(), worded("registers for {0}: ", {t.name}));
        t.layout.layout = *wider;
        if (!t.shape.push_back(slots)) return Problem(errc::capacity, "registers for {0} have too many dimensions", {t.name});
        out.origin.emplace_back(0);
        out.extents.push_back(slots);
        out.dims.push_back(t.shape.size() - 1);
        out.steps.push_back(1);
    }
    out.tensor = request.temporary(std::move(t)).tensor;
    return placed(request, std::move(out));
}

/// Registers for `count` elements, distributed round all lanes that run the operator.
inline Result<Placed, Problem> distributed_registers(Request& request, const std::string& name, DType type, std::int64_t count)
{
    const ExecutionScope& place = request.execution_scope();
    const BlockScopes scopes = block_scopes(request.machine());
    const Memory* memory = memory_for(request.machine(), Role::registers);
    if (memory == nullptr) return Problem(errc::bad_argument, "{0} has no registers", {request.machine().name});
    const std::int64_t lanes = scopes.lanes(), each = (count + place.count * lanes - 1) / (place.count * lanes);
    ProgramTensor t;
    t.name = name;
    t.dtype = type;
    t.memory = memory->name;
    t.shape = {each, place.count, lanes};
    Layout& l = t.layout.layout;
    l.shard = {{each, 1, memory->axes[memory->axes.size() - 1]}};
    l.shard.push_back(scopes.agent == nullptr ? Iter{place.count, 0} : Iter{place.count, place.stride, scopes.agent->axis});
    l.shard.push_back(scopes.lane == nullptr ? Iter{lanes, 0} : Iter{lanes, 1, scopes.lane->axis});
    if (scopes.agent != nullptr && place.first != 0) *l.offset.entry(scopes.agent->axis) = place.first;
    return placed(request, request.temporary(std::move(t)));
}

/// For each element of a destination the elements of the source that it is the reduction of, in order.
using ReducedTerms = std::vector<std::vector<std::int32_t>>;

/// Those of an operator: over the dimensions `reduced` of a shape, row-major.
inline ReducedTerms terms_of(const Shape& shape, const InlineVector<int, max_rank>& reduced, std::int64_t kept)
{
    ReducedTerms out(static_cast<std::size_t>(kept));
    const std::int64_t n = volume(shape).value_or(0);
    for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t x = 0, rest = i, weight = 1;
        for (int d = shape.size() - 1; d >= 0; --d) {
            const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
            if (!is_reduced) {
                x += rest % shape[d] * weight;
                weight *= shape[d];
            }
            rest /= shape[d];
        }
        out[static_cast<std::size_t>(x)].push_back(static_cast<std::int32_t>(i));
    }
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
