// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_VALUES_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_VALUES_HPP

#include <axe/program/expression_walk.hpp>
#include <axe/program/messages.hpp>
#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>
#include <axe/tensor/convert.hpp>

#include <cmath>
#include <cstdio>
#include <optional>

/// What conditions and scalars of a block come to, with the elements that they load.
namespace axe {
inline namespace v0 {
namespace sim {

/// What an operation of an expression makes of its operands; nothing when it divides by 0 in whole numbers.
inline std::optional<double> apply(Expression::Kind kind, double x, double y, double z) noexcept
{
    using Kind = Expression::Kind;
    switch (kind) {
    case Kind::add: return x + y;
    case Kind::sub: return x - y;
    case Kind::mul: return x * y;
    case Kind::div: return x / y;
    case Kind::floor_div: return y == 0 ? std::optional<double>() : std::floor(x / y);
    case Kind::floor_mod: return y == 0 ? std::optional<double>() : x - y * std::floor(x / y);
    case Kind::min: return minimum(x, y);
    case Kind::max: return maximum(x, y);
    case Kind::equal: return x == y;
    case Kind::not_equal: return x != y;
    case Kind::less: return x < y;
    case Kind::less_equal: return x <= y;
    case Kind::logical_and: return x != 0 && y != 0;
    case Kind::logical_or: return x != 0 || y != 0;
    case Kind::logical_not: return x == 0;
    case Kind::select: return x != 0 ? y : z;
    default: return {};
    }
}

inline std::string quotient_text(double dividend)
{
    char number[32];
    std::snprintf(number, sizeof number, "%.17g", dividend);
    return detail::worded("{0} is divided by 0", {number});
}

inline bool Block::load(const View& element, int number, int statement, double& value)
{
    const Agent& a = agents_[static_cast<std::size_t>(number)];
    const TensorPlan& plan = compiled_->plans[static_cast<std::size_t>(element.tensor)];
    std::int64_t coord[max_rank];
    const int dims = plan.tensor->shape.size();
    for (int d = 0; d < dims; ++d) coord[d] = element.origin[static_cast<std::size_t>(d)](a.vars);
    if (!is_inside(plan.tensor->shape, coord))
        return fail(FaultKind::out_of_bounds, statement,
                    detail::worded("{0} is loaded; the shape is {1}", {element_text(plan, coord), shape_text(plan.tensor->shape)}));
    std::int64_t place = plan.address(coord) - plan.low;
    const std::byte* data = nullptr;
    const auto t = static_cast<std::size_t>(element.tensor);
    if (plan.owner == Owner::lane) {
        const std::int64_t lane = plan.lane(coord), agent = plan.agent(coord);
        if (!plan.agent.holds(agent, number))
            return fail(FaultKind::wrong_owner, statement,
                        detail::worded("{0} loads {1}, which is held by {2}",
                                       {agent_text(number), element_text(plan, coord), agent_text(agent)}));
        place = plan.slot(place + plan.low, static_cast<int>(lane));
        const Registers& r = memory_->registers[t];
        data = r.data.data() + static_cast<std::size_t>(number) * r.agent_bytes;
        if (full() && (r.valid[static_cast<std::size_t>(number) * static_cast<std::size_t>(plan.count) + register_of(plan, place)] &
                       lane_bit(static_cast<int>(lane))) == 0)
            return fail(FaultKind::uninitialized, statement, never_written_text(element_text(plan, coord)));
    } else {
        DeviceState* of = device_;
        if (element.remote) {
            of = holder_of(element, coord, number, statement);
            if (of == nullptr) return false;
        } else if (plan.owner == Owner::device && !plan.device.holds(plan.device(coord), device_->number)) {
            return fail(FaultKind::wrong_owner, statement,
                        detail::worded("{0} is loaded; device {1} holds it", {element_text(plan, coord), plan.device(coord)}));
        }
        if (plan.swizzle.bits > 0) place = plan.swizzle(place);
        data = of == device_ ? buffer(plan, element.tensor).data : of->global[t].data;
        if (Shadow& shadow = of == device_ ? this->shadow(plan, element.tensor) : of->global[t].shadow; shadow.exists()) {
            const std::uint32_t access = compiled_->load_access(statement);
            const Conflict c = shadow.read(shadow.granule_of(place * plan.width), actor(number, static_cast<int>(access) - 1), 0,
                                           plan.owner == Owner::block);
            const int other = compiled_->accesses[c.access].statement;
            if (c.hazard == Hazard::unwritten)
                return fail(FaultKind::uninitialized, statement, never_written_text(element_text(plan, coord)));
            if (c.found() && agent_of(c.other) == placed_mbarriers) return conflict(statement, element_text(plan, coord), false, c);
            if (c.found())
                return fail(
                    FaultKind::race, statement,
                    detail::worded(
                        "race: {0} is loaded here and written by {1} in statement {2}; no barrier or wait orders the two accesses",
                        {element_text(plan, coord), who(c.other), other}),
                    other);
        }
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, data + place * plan.width, static_cast<std::size_t>(plan.width));
    value = decode(plan.tensor->dtype, bits);
    if (const int memory = watched_in(element, number);
        memory >= 0 && std::equal(coord, coord + dims, compiled_->options.watch->coordinate.begin()))
        watch(nullptr, statement, plan, element.tensor, number, plan.owner == Owner::lane ? static_cast<int>(plan.lane(coord)) : -1,
              false, 1, plan.owner == Owner::device ? memory : -1);
    return true;
}

inline bool Block::evaluate(const Expression& e, int number, int statement, double& value)
{
    using Kind = Expression::Kind;
    const Agent& a = agents_[static_cast<std::size_t>(number)];
    const auto at = [&](const Expression& node, const double* x, double& out) {
        switch (node.kind) {
        case Kind::number: out = node.number; return true;
        case Kind::affine: out = static_cast<double>(node.affine(a.vars)); return true;
        case Kind::scalar: out = a.scalars[static_cast<std::size_t>(node.scalar)]; return true;
        case Kind::load: return load(node.element, number, statement, out);
        default: break;
        }
        if (node.operands.empty()) return fail(FaultKind::arithmetic, statement, "an expression lacks an operand");
        if (const auto v = apply(node.kind, x[0], x[1], x[2])) return out = *v, true;
        return fail(FaultKind::arithmetic, statement, quotient_text(x[0]));
    };
    return fold(e, at, value);
}

/// Gives the agent's variable the value that it has from here on. False: a fault.
inline bool Block::set_index(const Step& step, int number)
{
    const Let& let = std::get<Let>(step.source->what);
    double value = 0;
    if (!evaluate(let.value, number, step.statement, value)) return false;
    Agent& a = agents_[static_cast<std::size_t>(number)];
    const Variable& range = compiled_->program->variables[static_cast<std::size_t>(let.var.id)];
    if (!is_index(range, value)) {
        std::string from; // of the first element that it depends on
        for_each_node(let.value, [&](const Expression& node) {
            if (node.kind != Expression::Kind::load) return false;
            Coord at;
            for (const Affine& o : node.element.origin) at.push_back(o(a.vars));
            from = detail::worded(", from {0}",
                                  {element_text(compiled_->plans[static_cast<std::size_t>(node.element.tensor)], &at[0])});
            return true;
        });
        return fail(FaultKind::out_of_bounds, step.statement, index_range_text(range, value, from));
    }
    a.vars[static_cast<std::size_t>(let.var.id)] = static_cast<std::int64_t>(value);
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
