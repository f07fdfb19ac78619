// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_SCHEDULES_SFP_HPP
#define AXE_TARGET_SPYRE_SCHEDULES_SFP_HPP

#include <axe/program/functions.hpp>
#include <axe/target/spyre/rules/pointwise.hpp>
#include <axe/target/spyre/rules/reduce.hpp>
#include <axe/target/spyre/schedules/rules.hpp>

/// What the vector unit of a core does: fills, functions of elements, reductions.
namespace axe {
inline namespace v0 {
namespace detail::sticks {

/// Are the operands in the scratchpad, their elements equally wide, so that sticks hold as many, and their sticks those that go with
/// the result's (`spyre::pointwise_stick`)?
inline Result<void, Problem> check_together(const Request& request, const std::vector<View>& views)
{
    static constexpr const char* parts[] = {"D", "A", "B", "C"};
    const spyre::Stick along = stick_dimension(request, views[0]);
    for (std::size_t o = 0; o < views.size(); ++o) {
        const View& v = views[o];
        if (auto p = check_in_core(request, v, parts[o]); !p.ok()) return p;
        if (storage_bytes(request.tensor(v).dtype) != storage_bytes(request.tensor(0).dtype))
            return declined("{0} is {1} and D is {2}; their sticks hold different numbers of elements",
                            {operand_name(request, v, parts[o]), name(request.tensor(v).dtype), name(request.tensor(0).dtype)});
        const spyre::Stick own = stick_dimension(request, v);
        if (own != spyre::pointwise_stick(distinct_extents(request, v), views[0].rank(), along))
            return declined(
                detail::hinted("{0} has {1}, and D {2}; the elements of a stick stay together", "restickify one of them"),
                {operand_name(request, v, parts[o]), stick_text(own), stick_text(along)});
    }
    return {};
}

} // namespace detail::sticks

/// `sfp.fill` for D = number in the scratchpad, in whole sticks.
inline Result<Body, Problem> emit_stick_fill(Request& request)
{
    using namespace detail::sticks;
    if (auto p = check_request(request); !p.ok()) return p;
    if (auto p = check_in_core(request, request.view(0), "D"); !p.ok()) return p;
    return Body{on_core(request, "engine_fill", "sfp.fill", {request.view(0)})};
}

/// A function of elements on the vector unit: all operands and the result in sticks along one dimension, as many elements in each.
inline Result<Body, Problem> emit_stick_map(Request& request)
{
    using namespace detail::sticks;
    if (auto p = check_request(request); !p.ok()) return p;
    const Operation& op = request.operation();
    if (auto p = check_together(request, op.operands); !p.ok()) return p;
    return Body{on_core(request, "engine_map", std::string("sfp.") + name(op.function), op.operands)};
}

/// A copy within the scratchpad that changes the type and keeps the sticks: the identity on the vector unit.
inline Result<Body, Problem> emit_stick_convert(Request& request)
{
    using namespace detail::sticks;
    if (auto p = check_request(request); !p.ok()) return p;
    const Operation& op = request.operation();
    if (auto p = check_together(request, op.operands); !p.ok()) return p;
    return Body{on_core(request, "engine_map", "sfp.convert", op.operands)};
}

/// A reduction on the vector unit, with the stick in the result that A's leaves (`spyre::reduced_stick`).
inline Result<Body, Problem> emit_stick_reduce(Request& request)
{
    using namespace detail::sticks;
    if (auto p = check_request(request); !p.ok()) return p;
    const Operation& op = request.operation();
    const View &d = request.view(0), &a = request.view(1);
    for (const View* v : {&d, &a})
        if (auto p = check_in_core(request, *v, v == &d ? "D" : "A"); !p.ok()) return p;
    const spyre::Stick kept = spyre::reduced_stick(stick_dimension(request, a), op.axes, false);
    if (const spyre::Stick along = stick_dimension(request, d); along != kept)
        return declined("{0} has {1}; reduced over these dimensions of {2} it has {3}",
                        {operand_name(request, d, "D"), stick_text(along), operand_name(request, a, "A"), stick_text(kept)});
    std::vector<std::int64_t> parameters(op.axes.begin(), op.axes.end());
    if (op.accumulate) parameters.push_back(-1);
    return Body{on_core(request, "engine_reduce", std::string("sfp.") + name(op.function), {d, a}, std::move(parameters))};
}

} // namespace v0
} // namespace axe

#endif
