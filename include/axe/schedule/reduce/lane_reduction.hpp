// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_REDUCE_LANE_REDUCTION_HPP
#define AXE_SCHEDULE_REDUCE_LANE_REDUCTION_HPP

#include <axe/layout/pack.hpp>
#include <axe/schedule/reduce/lane_work.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// How many terms a lane loads from a memory before it adds them up.
inline constexpr std::int64_t terms_at_once = 8;

/// Calls what(element, owner) for every lane that holds an element of a register tensor, each once; it returns nothing, or a problem or none.
template <class What>
Result<void, Problem> for_each_owner(const Request& request, const ElementPlacement& to, const What& what)
{
    for (std::int32_t e = 0; e < to.count; ++e) {
        const auto begin = to.begin[static_cast<std::size_t>(e)], end = to.begin[static_cast<std::size_t>(e) + 1];
        for (auto i = begin; i < end; ++i) {
            const Owner& o = to.owner[static_cast<std::size_t>(i)];
            if (i > begin && to.owner[static_cast<std::size_t>(i) - 1].agent == o.agent &&
                to.owner[static_cast<std::size_t>(i) - 1].lane == o.lane)
                continue;
            if (request.execution_scope().index_of(o.agent) < 0) return {errc::bad_argument, in_other_agent(to.name, o.agent)};
            if constexpr (std::is_void_v<decltype(what(e, o))>)
                what(e, o);
            else if (auto p = what(e, o); !p.ok())
                return p;
        }
    }
    return {};
}

/// Are the terms of all lanes, so many for each element that they hold, no more than can be listed?
inline Result<void, Problem> check_terms(const Request& request, const ElementPlacement& to, std::int64_t terms)
{
    const std::int64_t threads = std::int64_t{request.execution_scope().count} * block_scopes(request.machine()).lanes();
    return axe::check_terms(to.name, static_cast<std::int64_t>(to.owner.size()), terms, threads);
}

/// Registers = f over terms that each lane has in its own registers, or reads from a memory; `accumulate`: with what is in them.
///
/// `errc::bad_argument` with element and lane where a lane does not hold a term.
inline Result<void, Problem> append_lane_reduction(Request& request, Body& body, Function f, const Placed& to, const Placed& from,
                                                   const ReducedTerms& terms, bool accumulate)
{
    const std::int64_t most = terms.empty() ? 0 : static_cast<std::int64_t>(terms[0].size());
    const bool loads = !from.placement.is_private;
    if (auto p = check_terms(request, to.placement, most); !p.ok()) return p;
    LaneWork first(request);
    std::vector<std::pair<std::int32_t, Owner>> owners;
    Result<void, Problem> p = for_each_owner(request, to.placement, [&](std::int32_t e, const Owner& o) -> Result<void, Problem> {
        owners.emplace_back(e, o);
        const auto& list = terms[static_cast<std::size_t>(e)];
        if (!loads)
            for (const std::int32_t t : list)
                if (from.placement.held_by(t, o.agent, o.lane) == nullptr)
                    return Problem(
                        errc::bad_argument,
                        "lane {0} of agent {1} needs the reduction to element {2} of {3} but does not hold term {4} of {5}",
                        {o.lane, o.agent, e, to.placement.name, t, from.placement.name});
        if (!accumulate) first.add(o, e, list[0]);
        return {};
    });
    if (!p.ok()) return p;
    append_move(request, body, to, from, first);
    const std::int64_t begin = accumulate ? 0 : 1;
    if (begin >= most) return {};

    const auto for_terms = [&](std::int64_t low, std::int64_t high, LaneWork& work, const auto& second) {
        for (std::int64_t k = low; k < high; ++k)
            for (const auto& [e, o] : owners) second(work, o, e, k);
    };
    const auto term = [&](std::int32_t e, std::int64_t k) {
        return terms[static_cast<std::size_t>(e)][static_cast<std::size_t>(k)];
    };
    if (!loads) {
        LaneWork rest(request);
        for_terms(begin, most, rest, [&](LaneWork& w, const Owner& o, std::int32_t e, std::int64_t k) { w.add(o, e, term(e, k)); });
        append_combine(request, body, f, to, from, rest);
        return {};
    }
    const std::int64_t chunk = std::min(terms_at_once, most - begin);
    const auto loaded = registers_like(request, to.view, "terms", request.tensor(from.view).dtype, chunk);
    if (!loaded) return loaded.error();
    Lists slots, sums, addends; // the same for all chunks of a length
    std::int64_t known = 0;
    for (std::int64_t low = begin; low < most; low += chunk) {
        const std::int64_t high = std::min(most, low + chunk);
        LaneWork load(request);
        const auto slot = [&](std::int32_t e, std::int64_t k) { return static_cast<std::int32_t>(e * chunk + (k - low)); };
        for_terms(low, high, load,
                  [&](LaneWork& w, const Owner& o, std::int32_t e, std::int64_t k) { w.add(o, slot(e, k), term(e, k)); });
        if (load.empty()) continue;
        if (high - low != known) {
            LaneWork add(request);
            for_terms(low, high, add,
                      [&](LaneWork& w, const Owner& o, std::int32_t e, std::int64_t k) { w.add(o, e, slot(e, k)); });
            slots = load.distribution(0), sums = add.distribution(0), addends = add.distribution(1);
            known = high - low;
        }
        append_move(request, body, *loaded, from, slots, load.distribution(1));
        append_combine(request, body, f, to, *loaded, sums, addends);
    }
    return {};
}

/// D = or f(D, …) from registers that hold the results; the work pairs elements of D with them.
inline Result<void, Problem> append_result(Request& request, Body& body, Function f, const Placed& d, const Placed& results,
                                           const LaneWork& work, bool accumulate)
{
    if (!accumulate) {
        append_move(request, body, d, results, work);
        return {};
    }
    if (d.placement.is_private) {
        append_combine(request, body, f, d, results, work);
        return {};
    }
    // Not in the results: other lanes may hold copies of those, and do not take part.
    const auto old = registers_like(request, results.view, "old", request.tensor(results.view).dtype);
    if (!old) return old.error();
    LaneWork load(request), add(request);
    work.for_each([&](const Owner& o, std::int32_t e, std::int32_t r) {
        load.add(o, r, e);
        add.add(o, r, r);
    });
    append_move(request, body, *old, d, load);
    append_combine(request, body, f, *old, results, add);
    append_move(request, body, d, *old, work);
    return {};
}

/// D, wherever it is, from terms that every lane can read: a memory's, or those in the registers of the lanes that hold D.
inline Result<void, Problem> append_reduction(Request& request, Body& body, Function f, const Placed& d, const Placed& from,
                                              const ReducedTerms& terms, bool accumulate)
{
    const DType have = request.tensor(d.view).dtype, grow = growing_type(request.tensor(from.view).dtype, have);
    const bool is_held = d.placement.is_private;
    if (is_held && have == grow) return append_lane_reduction(request, body, f, d, from, terms, accumulate);
    auto results = is_held ? registers_like(request, d.view, "sum", grow)
                           : distributed_registers(request, d.placement.name + ".sum", grow, d.placement.count);
    if (!results) return results.error();
    if (!is_held) results->placement.count = d.placement.count; // those beyond are of no element
    if (auto p = append_lane_reduction(request, body, f, *results, from, terms, false); !p.ok()) return p;
    LaneWork same(request);
    const ElementPlacement& owners = is_held ? d.placement : results->placement;
    if (auto p = for_each_owner(request, owners, [&](std::int32_t e, const Owner& o) { same.add(o, e, e); }); !p.ok()) return p;
    return append_result(request, body, f, d, *results, same, accumulate);
}

/// The operands of a reduction within a block.
struct BlockReduction {
    Placed d{}, a{};
    ReducedTerms terms{};
};

inline Result<BlockReduction, Problem> plan_block_reduction(const Request& request)
{
    if (auto p = check_in_block(request); !p.ok()) return p;
    if (request.operation().options.async)
        return Problem(errc::bad_argument, "within a block its steps wait for each other, so it cannot be asynchronous");
    auto d = placed(request, request.view(0)), a = placed(request, request.view(1));
    if (!d) return d.error();
    if (!a) return a.error();
    BlockReduction out{std::move(*d), std::move(*a), {}};
    out.terms = terms_of(request.view(1).extents, request.operation().axes, out.d.placement.count);
    return out;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
