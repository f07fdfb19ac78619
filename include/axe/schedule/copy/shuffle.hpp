// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_COPY_SHUFFLE_HPP
#define AXE_SCHEDULE_COPY_SHUFFLE_HPP

#include <axe/schedule/copy/through_shared.hpp>

#include <map>

namespace axe {
inline namespace v0 {
namespace detail {

/// Elements of one agent that one instruction can move: each lane writes the same register, from the same register of some lane.
struct ExchangeRound {
    bool own = true; ///< of the lane itself, for all lanes
    std::vector<std::pair<int, std::int32_t>> elements{};
};

/// The rounds of each agent, by the registers of the destination and the source.
using ExchangeRounds = std::vector<std::map<std::pair<std::int64_t, std::int64_t>, ExchangeRound>>;

/// Which lane of the agent gives an element: the nearest at or below the one that takes it, else the first, as `shuffle` has it.
inline const Owner* giver_of(const ElementPlacement& from, std::int32_t element, const Owner& to)
{
    const Owner* out = nullptr;
    for (auto i = from.begin[static_cast<std::size_t>(element)]; i < from.begin[static_cast<std::size_t>(element) + 1]; ++i) {
        const Owner& o = from.owner[static_cast<std::size_t>(i)];
        if (o.agent != to.agent || (out != nullptr && (o.lane > to.lane || o.lane == out->lane))) continue;
        out = &o;
    }
    return out;
}

inline Result<ExchangeRounds, Problem> exchange_rounds(const Request& request, const ElementPlacement& to,
                                                       const ElementPlacement& from)
{
    ExchangeRounds out(static_cast<std::size_t>(request.execution_scope().count));
    for (std::int32_t e = 0; e < to.count; ++e)
        for (auto i = to.begin[static_cast<std::size_t>(e)]; i < to.begin[static_cast<std::size_t>(e) + 1]; ++i) {
            const Owner& o = to.owner[static_cast<std::size_t>(i)];
            const int agent = request.execution_scope().index_of(o.agent);
            if (agent < 0) return Problem(errc::bad_argument, in_other_agent(to.name, o.agent));
            if (i > to.begin[static_cast<std::size_t>(e)] && to.owner[static_cast<std::size_t>(i) - 1].agent == o.agent &&
                to.owner[static_cast<std::size_t>(i) - 1].lane == o.lane)
                return Problem(errc::bad_argument, "lane {0} holds element {1} of {2} in several registers; an exchange writes one",
                               {o.lane, e, to.name});
            const Owner* giver = giver_of(from, e, o);
            if (giver == nullptr)
                return Problem(errc::bad_argument, "agent {0} needs element {1} of {2}, which none of its lanes holds",
                               {o.agent, e, from.name});
            ExchangeRound& round = out[static_cast<std::size_t>(agent)][{o.reg, giver->reg}];
            round.own = round.own && giver->lane == o.lane;
            round.elements.emplace_back(o.lane, e);
        }
    return out;
}

/// The rounds in which lanes take what they hold themselves, or the others, one an issue.
inline std::shared_ptr<const Distribution> distribution_of_rounds(const Request& request, const ExchangeRounds& rounds, bool own)
{
    Distribution p;
    p.agents = request.execution_scope().count;
    p.lanes = block_scopes(request.machine()).lanes();
    p.issues = 0;
    const auto count = [&](const auto& of_agent) {
        return static_cast<int>(
            std::count_if(of_agent.begin(), of_agent.end(), [&](const auto& r) { return r.second.own == own; }));
    };
    for (const auto& of_agent : rounds) p.issues = std::max(p.issues, count(of_agent));
    p.element.assign(p.at(p.issues, 0, 0), -1);
    for (std::size_t agent = 0; agent < rounds.size(); ++agent) {
        int issue = 0;
        for (const auto& [registers, round] : rounds[agent]) {
            if (round.own != own) continue;
            for (const auto& [lane, element] : round.elements) p.element[p.at(issue, static_cast<int>(agent), lane)] = element;
            ++issue;
        }
    }
    return std::make_shared<const Distribution>(std::move(p));
}

/// How many instructions the copy takes through shared memory, its barriers included; 0 where it does not go there.
inline std::int64_t instructions_through_shared(const Request& request)
{
    if (!stages_in_shared(request.machine())) return 0;
    Request other = request;
    const auto body = emit_copy_through_shared(other);
    if (!body) return 0;
    std::int64_t out = 0;
    for (const Statement& s : *body) {
        const auto* i = std::get_if<Instruction>(&s.what);
        out += i == nullptr ? 1 : i->operands[0].distribution->issues;
    }
    return out;
}

inline Result<void, Problem> check_exchange(const Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    const View &d = request.view(0), &a = request.view(1);
    for (const View* v : {&d, &a})
        if (!is_private(request.machine(), request.memory(*v))) return {errc::bad_argument, not_in_registers(request, *v)};
    if (d.tensor == a.tensor)
        return Problem(errc::bad_argument, "{0} is source and destination; an exchange would overwrite what is still to be read",
                       {request.tensor(d).name});
    if (const int bytes = storage_bytes(request.tensor(a).dtype); bytes > 4)
        return Problem(errc::bad_argument, "lanes exchange 4 bytes per instruction; elements of {0} have {1}",
                       {request.tensor(a).name, bytes});
    if (!std::all_of(a.origin.begin(), a.origin.end(), [](const Affine& o) { return o.is_constant(); }))
        return Problem(errc::bad_argument, "a variable moves the view of {0}; the registers that lanes exchange must be constant",
                       {request.tensor(a).name});
    return {};
}

/// Between register layouts that give elements to other lanes of the same agent: for each register of D, and each register of A that
/// its elements are in, one instruction in which each lane takes what another one has there.      [PTX ISA, shfl.sync]
///
/// Declines where the copy through shared memory takes fewer instructions or as many, unless the operator forces this schedule.
inline Result<Body, Problem> emit_copy_by_shuffles(Request& request)
{
    if (auto p = check_exchange(request); !p.ok()) return p;
    const auto d = placed(request, request.view(0)), a = placed(request, request.view(1));
    if (!d) return d.error();
    if (!a) return a.error();
    const auto rounds = exchange_rounds(request, d->placement, a->placement);
    if (!rounds) return rounds.error();
    const auto shuffles = distribution_of_rounds(request, *rounds, false), moves = distribution_of_rounds(request, *rounds, true);
    const DType type = request.tensor(a->view).dtype;
    const bool converts = request.tensor(d->view).dtype != type;
    const std::int64_t taken = std::int64_t{shuffles->issues} * (converts ? 2 : 1) + moves->issues;
    if (request.operation().options.schedule.empty())
        if (const std::int64_t other = instructions_through_shared(request); other > 0 && taken >= other)
            return Problem(errc::bad_argument,
                           "it takes {0} instructions, {1} of them exchanges; through shared memory it takes {2}",
                           {taken, shuffles->issues, other});
    Body body;
    const auto move = [&](const Placed& to, const Placed& from, const std::shared_ptr<const Distribution>& elements) {
        if (elements->issues == 0) return;
        Instruction out =
            make_instruction(request, "move", move_text(request, to.view, to.placement, from.view, from.placement, 1));
        out.operands = {{to.view, elements}, {from.view, elements}};
        body.push_back(make_statement(std::move(out)));
    };
    move(*d, *a, moves);
    if (shuffles->issues > 0) {
        const auto target = converts ? registers_like(request, d->view, "other", type) : Result<Placed, Problem>(*d);
        if (!target) return target.error();
        Instruction out = make_instruction(request, "shuffle", "shfl.sync.idx.b32");
        out.operands = {{target->view, shuffles}, {a->view, shuffles}};
        body.push_back(make_statement(std::move(out)));
        if (converts) move(*d, *target, shuffles);
    }
    request.decided(worded("{0} exchanges, {1} moves within lanes", {shuffles->issues, moves->issues}));
    return body;
}

} // namespace detail

/// Copies between the lanes of an agent.
inline constexpr Schedule shuffle_schedules[] = {
    {Op::copy, "shuffles", 7, "shfl.sync", "lanes of an agent exchange registers", detail::has_shuffles,
     detail::emit_copy_by_shuffles},
};

} // namespace v0
} // namespace axe

#endif
