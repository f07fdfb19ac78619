// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_REDUCE_SHUFFLE_HPP
#define AXE_SCHEDULE_REDUCE_SHUFFLE_HPP

#include <axe/schedule/reduce/partial.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

constexpr bool is_power_of_two(std::int64_t n) noexcept { return n > 0 && (n & (n - 1)) == 0; }

inline std::string too_wide_to_exchange(const std::string& tensor)
{
    return worded("lanes exchange 4 bytes per instruction, but the terms of {0} accumulate in f64", {tensor});
}

/// Why the lanes of a digit are not a butterfly: those of each element must differ from their partners' in one bit, the same for all.
inline Result<void, Problem> check_butterfly(const Request& request, const Partial& p, std::size_t which)
{
    const OwnerDigit& digit = p.digits[which];
    const std::string words = worded("{0} lanes, {1} apart", {digit.extent, digit.stride});
    if (!is_power_of_two(digit.extent) || !is_power_of_two(std::abs(digit.stride)))
        return Problem(errc::bad_argument, "the terms of {0} are spread over {1}: both must be powers of two",
                       {request.tensor(1).name, words});
    for (std::int64_t bit = 1; bit < digit.extent; bit *= 2) {
        const auto mask = static_cast<int>(std::abs(digit.stride) * bit);
        Result<void, Problem> bad =
            for_each_owner(request, p.registers.placement, [&](std::int32_t e, const Owner& o) -> Result<void, Problem> {
                auto values = p.values(e);
                values[which] ^= bit;
                const std::int32_t partner = p.element(e / p.spread(), values);
                if (p.registers.placement.held_by(partner, o.agent, o.lane ^ mask) != nullptr) return {};
                return Problem(errc::bad_argument, "the terms of {0} are spread over {1}; lane {2} and lane {3} are not partners",
                               {request.tensor(1).name, words, o.lane, o.lane ^ mask});
            });
        if (!bad.ok()) return bad;
    }
    return {};
}

/// Steps of a butterfly along a digit, after which every lane of it has the reduction of all.
inline Result<void, Problem> append_butterfly(Request& request, Body& body, Function f, const Partial& p, std::size_t which)
{
    const OwnerDigit& digit = p.digits[which];
    const auto other = registers_like(request, p.registers.view, "other", request.tensor(p.registers.view).dtype);
    if (!other) return other.error();
    for (std::int64_t bit = 1; bit < digit.extent; bit *= 2) {
        LaneWork exchange(request), add(request);
        const auto bad = for_each_owner(request, p.registers.placement, [&](std::int32_t e, const Owner& o) {
            auto values = p.values(e);
            values[which] ^= bit;
            exchange.add(o, e, p.element(e / p.spread(), values));
            add.add(o, e, e);
        });
        if (!bad.ok()) return bad;
        Instruction out = make_instruction(request, "shuffle", "shfl.sync.bfly.b32");
        out.operands = {{other->view, exchange.distribution(0)}, {p.registers.view, exchange.distribution(1)}};
        out.parameters = {std::abs(digit.stride) * bit};
        body.push_back(make_statement(std::move(out)));
        append_combine(request, body, f, p.registers, *other, add);
    }
    return {};
}

inline Result<Body, Problem> emit_shuffle(Request& request)
{
    const auto plan = plan_block_reduction(request);
    if (!plan) return plan.error();
    const Operation& o = request.operation();
    Body body;
    const auto partial = append_partial(request, body, *plan);
    if (!partial) return partial.error();
    int steps = 0;
    for (std::size_t i = 0; i < partial->digits.size(); ++i) {
        const OwnerDigit& digit = partial->digits[i];
        if (!digit.is_lane)
            return Problem(errc::bad_argument, "the terms of {0} are spread over {1} agents, which have no registers in common",
                           {plan->a.placement.name, digit.extent});
        if (storage_bytes(request.tensor(partial->registers.view).dtype) > 4)
            return Problem(errc::bad_argument, too_wide_to_exchange(plan->a.placement.name));
        if (auto p = check_butterfly(request, *partial, i); !p.ok()) return p;
        if (auto p = append_butterfly(request, body, o.function, *partial, i); !p.ok()) return p;
        for (std::int64_t bit = 1; bit < digit.extent; bit *= 2) ++steps;
    }
    LaneWork results(request);
    if (auto p = results_for(request, plan->d, *partial, results); !p.ok()) return p;
    if (auto p = append_result(request, body, o.function, plan->d, partial->registers, results, o.accumulate); !p.ok()) return p;
    request.decided(worded("{0} terms in each lane, {1} exchanges", {partial->terms[0].size(), steps}));
    return body;
}

inline bool has_shuffles(const Machine& machine) noexcept { return has_instruction(machine, "shfl.sync"); }

} // namespace detail
} // namespace v0
} // namespace axe

#endif
