// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_MEMORY_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_MEMORY_HPP

#include <axe/sim/agents/block.hpp>
#include <axe/sim/memory/words.hpp>

/// How a block's agents access memory: places, checks, counts.
namespace axe {
inline namespace v0 {
namespace sim {

AXE_DECL detail_block::InPlace& Block::in_place(int agent, const Executable& e)
{
    detail_block::InPlace& out = agents_[static_cast<std::size_t>(agent)].in_place;
    if (out.statement != e.statement || e.index <= out.last) out.written.clear();
    out.statement = e.statement;
    out.last = e.index;
    return out;
}

AXE_DECL Actor Block::actor(int agent, int index) const
{
    const Agent& a = agents_[static_cast<std::size_t>(agent)];
    Actor out{run_, agent, a.clock.time, &a.clock, &device_->horizon, a.clock.time, static_cast<std::uint32_t>(index + 1)};
    in_cluster(out);
    return out;
}

AXE_DECL Actor Block::engine(int agent, int index) const
{
    const Agent& a = agents_[static_cast<std::size_t>(agent)];
    Actor out{run_, engine_of(agent), a.group, &a.clock, &device_->horizon, a.clock.time, static_cast<std::uint32_t>(index + 1),
              agent};
    in_cluster(out);
    return out;
}

AXE_DECL Actor Block::bulk(int agent, int index, bool writing) const
{
    Actor out = engine(agent, index);
    out.agent = writing ? bulk_target_of(agent) : bulk_source_of(agent);
    return out;
}

inline bool Block::own_device(const Executable& e, int operand, int column, int agent, const std::int64_t* origin)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    const TensorPlan& plan = *a.plan;
    if (plan.of_all_devices) return true;
    const int there = memory_of(*a.view, agent).number;
    const auto& footprint = a.footprint[static_cast<std::size_t>(column)];
    std::int64_t coord[max_rank];
    for (int d = 0; d < a.dims(); ++d) {
        const std::int64_t last = plan.tensor->shape[d] - 1;
        coord[d] = std::clamp<std::int64_t>(origin[d] + footprint.least[static_cast<std::size_t>(d)], 0, last);
    }
    const auto is_here = [&] {
        const std::int64_t device = plan.device(coord);
        return plan.device.holds(device, there) ||
               fail(FaultKind::wrong_owner, e.statement,
                    elsewhere_text(agent_text(agent), element_text(plan, coord), device, there, a.is_remote()));
    };
    if (!is_here()) return false;
    if (!a.crosses || a.least.empty()) return true;
    const auto dims = static_cast<std::size_t>(a.dims());
    for (std::size_t i = 0; i < a.entries(); ++i) {
        const std::size_t at = static_cast<std::size_t>(column) * a.entries() + i;
        if (a.table[at] == inactive) continue;
        for (const auto* end : {&a.least, &a.most}) {
            for (std::size_t d = 0; d < dims; ++d) coord[d] = origin[d] + (*end)[at * dims + d];
            if (is_inside(plan.tensor->shape, coord) && !is_here()) return false;
        }
    }
    return true;
}

/// Do the vectors begin at multiples of their bytes?
inline bool Block::aligned(const Executable& e, int operand, int agent, const LaneElements& at)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    const std::int64_t width = a.plan->width, moved = a.plan->base + at.base * width;
    if (at.kept() && a.skew >= 0 && (moved + a.skew) % a.bytes == 0) return true;
    for (std::size_t i = 0; i < a.entries(); ++i)
        if (at.table[i] > outside && (moved + (a.plan->low + at.table[i]) * width) % a.bytes != 0)
            return fail(FaultKind::misaligned, e.statement,
                        detail::worded("{0} begins a vector of {1} bytes; its address must be a multiple of {1}",
                                       {describe(e, operand, agent, static_cast<int>(i % static_cast<std::size_t>(a.lanes)),
                                                 at.base + at.table[i]),
                                        a.bytes}));
    return true;
}

AXE_DECL bool Block::places(const Executable& e, int operand, int column, int agent, LaneElements& out)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    if (a.names_block() &&
        other_block((*a.view->block)(agents_[static_cast<std::size_t>(agent)].vars), agent, e.statement) == nullptr)
        return false;
    if (a.is_remote() && !names_device(*a.view, agent, e.statement)) return false;
    if (!find_places(e, operand, column, agent, out)) return false;
    return !full() || a.vector == 1 || a.in_registers() || aligned(e, operand, agent, out);
}

/// The view's origin now. False: something that the lanes of `reach` take is outside the tensor.
inline bool Block::origin_of(const LaneAccess& a, const LaneAccess::Reach& footprint, int agent, std::int64_t* origin) const
{
    const auto& vars = agents_[static_cast<std::size_t>(agent)].vars;
    bool whole = true;
    for (int d = 0; d < a.dims(); ++d) {
        const auto ud = static_cast<std::size_t>(d);
        origin[d] = a.fixed ? a.reference[ud] : a.view->origin[ud](vars);
        whole = whole && origin[d] + footprint.least[ud] >= 0 && origin[d] + footprint.most[ud] < a.plan->tensor->shape[d];
    }
    return whole;
}

/// How far the tables move with the origin, where they move as a whole. False: the origin is outside, where the map says nothing.
inline bool Block::moved_by(const LaneAccess& a, const std::int64_t* origin, std::int64_t& delta)
{
    delta = 0;
    for (int d = 0; d < a.dims() && !a.fixed; ++d) {
        const DimensionMap& m = a.plan->address.dims[static_cast<std::size_t>(d)];
        const std::int64_t o = origin[d], r = a.reference[static_cast<std::size_t>(d)];
        if (o == r) continue;
        if (!m.is_linear() && (o < 0 || o >= a.plan->tensor->shape[d])) return false;
        delta = limited_sum(delta, m.is_linear() ? limited_product(o - r, m.stride) : m(o) - m(r));
    }
    if (a.plan->owner == Owner::lane) delta *= a.plan->lanes;
    return true;
}

AXE_DECL bool Block::find_places_of(const Executable& e, int column, int agent, LaneElements& to, LaneElements& from)
{
    return find_places(e, 0, column, agent, to) && find_places(e, 1, column, agent, from) &&
           (!full() || e.operands[0].vector == 1 || aligned(e, 0, agent, to));
}

inline bool Block::find_places(const Executable& e, int operand, int column, int agent, LaneElements& out)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    const auto& footprint = a.footprint[static_cast<std::size_t>(column)];
    const std::size_t first = a.entries() * static_cast<std::size_t>(column);
    out = {(a.still && !a.swizzled.empty() ? a.swizzled : a.table).data() + first, 0, false, nullptr};
    if (a.still || !footprint.any) return true;
    const TensorPlan& plan = *a.plan;
    std::int64_t origin[max_rank], delta = 0;
    const bool whole = origin_of(a, footprint, agent, origin);
    if (plan.owner == Owner::device && !own_device(e, operand, column, agent, origin)) return false;
    if (a.linear && !moved_by(a, origin, delta)) return materialize(e, operand, column, agent, origin, 0, out);
    if (!whole && a.linear && a.view->guarded && plan.swizzle.bits == 0)
        return edge_places(e, operand, column, agent, origin, delta, out);
    if (!whole || !a.linear) return materialize(e, operand, column, agent, origin, delta, out);
    if (plan.swizzle.bits > 0) {
        if (delta % plan.swizzle.period() != 0) return materialize(e, operand, column, agent, origin, delta, out);
        out.table = a.swizzled.data() + first;
    }
    out.base = delta;
    return true;
}

AXE_DECL bool Block::common_base(const LaneAccess& a, std::int64_t& base)
{
    base = 0;
    if (a.names_block() || a.is_remote()) return false;
    if (a.still) return true;
    const TensorPlan& plan = *a.plan;
    if (!a.linear || !a.whole_reach.any || (plan.owner == Owner::device && !plan.device.is_constant())) return false;
    std::int64_t origin[max_rank];
    if (!origin_of(a, a.whole_reach, 0, origin) || !moved_by(a, origin, base)) return false;
    if (plan.owner == Owner::device && !plan.device.holds(plan.device.constant + plan.device.copies.front(), device_->number))
        return false;
    return plan.swizzle.bits == 0 || base % plan.swizzle.period() == 0;
}

inline bool Block::materialize(const Executable& e, int operand, int column, int agent, const std::int64_t* origin,
                               std::int64_t delta, LaneElements& out)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    const TensorPlan& plan = *a.plan;
    const int dims = a.dims();
    const auto udims = static_cast<std::size_t>(dims);
    std::int32_t* table = scratch(operand, a.entries());
    const std::size_t first = a.entries() * static_cast<std::size_t>(column);
    std::int64_t least[max_rank], most[max_rank];
    for (std::size_t i = 0; i < a.entries(); ++i) {
        const std::size_t at = first + i;
        if (a.table[at] == inactive) {
            table[i] = inactive;
            continue;
        }
        bool in = true, out_of_it = false;
        for (int d = 0; d < dims; ++d) {
            least[d] = origin[d] + a.least[at * udims + static_cast<std::size_t>(d)];
            most[d] = origin[d] + a.most[at * udims + static_cast<std::size_t>(d)];
            in = in && least[d] >= 0 && most[d] < plan.tensor->shape[d];
            out_of_it = out_of_it || most[d] < 0 || least[d] >= plan.tensor->shape[d];
        }
        const int lane = static_cast<int>(i % static_cast<std::size_t>(a.lanes));
        if (!in && !a.view->guarded)
            return fail(FaultKind::out_of_bounds, e.statement,
                        outside_text(lane_text(lane, agent),
                                     element_text(plan, out_of_it || is_inside(plan.tensor->shape, most) ? least : most), plan));
        if (!in) {
            if (!out_of_it)
                return fail(
                    FaultKind::misaligned, e.statement,
                    detail::worded("the vector of {0} from element {1} on crosses the edge of {2}, whose shape is {3}",
                                   {lane_text(lane, agent), coord_text(least, dims), plan.name(), shape_text(plan.tensor->shape)}));
            table[i] = outside;
            continue;
        }
        // The first element of the vector: where the tables have it, or found anew.
        std::int64_t place = 0;
        if (a.linear && a.table[at] != outside) {
            place = a.table[at] + delta;
        } else {
            std::int64_t coord[max_rank];
            const Distribution& part = *e.instruction->operands[static_cast<std::size_t>(operand)].distribution;
            view_offset(*a.view, part.element[part.at(static_cast<int>(i / static_cast<std::size_t>(a.lanes)), column, lane)],
                        coord, dims);
            for (int d = 0; d < dims; ++d) coord[d] += origin[d];
            place = plan.address(coord) - plan.low;
        }
        if (plan.swizzle.bits > 0) place = plan.swizzle(place);
        table[i] = static_cast<std::int32_t>(place);
        if (place < 0 || place >= std::numeric_limits<std::int32_t>::max())
            return fail(FaultKind::capacity, e.statement,
                        detail::worded("{0} has more than 2^31 elements in one memory", {plan.name()}));
    }
    out = {table, 0, true, nullptr};
    return true;
}

template <class Access>
bool Block::touch(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place, int bytes, bool writing,
                  Access access)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    Shadow& shadow = this->shadow(a, actor);
    if (!shadow.exists()) return true;
    const std::int64_t begin = place * a.plan->width;
    const std::size_t last = shadow.granule_of(begin + bytes - 1);
    for (std::size_t i = shadow.granule_of(begin); i <= last; ++i)
        if (const Conflict c = access(shadow, i, a.plan->owner == Owner::block); c.found())
            return conflict_in(e, operand, actor, lane, place, shadow, i, c, writing);
    return true;
}
/// The fault of an access at `place` whose granule of that number conflicts.
inline bool Block::conflict_in(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place,
                               const Shadow& shadow, std::size_t cell, const Conflict& found, bool writing)
{
    const std::int64_t width = e.operands[static_cast<std::size_t>(operand)].plan->width;
    place = std::max(shadow.byte_of(cell) / width, place);
    const int agent = actor.issuer < 0 ? actor.agent : actor.issuer;
    return conflict(e.statement, describe(e, operand, agent, lane, place), writing, found, &actor);
}
AXE_DECL bool Block::read(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place, int bytes)
{
    return touch(e, operand, actor, lane, place, bytes, false,
                 [&](Shadow& shadow, std::size_t i, bool own_run) { return shadow.read(i, actor, lane, own_run); });
}
AXE_DECL bool Block::write(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place, int bytes)
{
    return touch(e, operand, actor, lane, place, bytes, true,
                 [&](Shadow& shadow, std::size_t i, bool own_run) { return shadow.write(i, actor, lane, own_run); }) &&
           is_alone_in_bytes(e, operand, actor, lane, place, bytes);
}
AXE_DECL bool Block::is_alone_in_bytes(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place,
                                       int bytes)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    const TensorPlan& plan = *a.plan;
    if (plan.shared_bits == 0) return true;
    const Shadow& shadow = this->shadow(a, actor);
    if (!shadow.exists()) return true;
    const std::int64_t end = place + bytes / plan.width;
    for (const bool before : {true, false}) {
        const std::int64_t edge = before ? place : end, beside = before ? place - 1 : end;
        if ((edge + plan.low) * plan.shared_bits % 8 == 0 || beside < 0 || beside >= plan.count) continue;
        const Conflict found = shadow.write_beside(shadow.granule_of(beside * plan.width), actor, lane, plan.owner == Owner::block);
        if (!found.found()) continue;
        const int agent = actor.issuer < 0 ? actor.agent : actor.issuer;
        return conflict(e.statement,
                        detail::worded("{0}, of {1} bits in one byte with what is at {2},",
                                       {describe(e, operand, agent, lane, before ? place : end - 1), plan.shared_bits,
                                        plan.place_text(beside)}),
                        true, found, &actor);
    }
    return true;
}
AXE_DECL bool Block::atomic(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place, int bytes)
{
    return touch(e, operand, actor, lane, place, bytes, true,
                 [&](Shadow& shadow, std::size_t i, bool own_run) { return shadow.atomic(i, actor, lane, own_run); });
}

AXE_DECL bool Block::read_register(const Executable& e, int operand, int agent, int lane, std::int64_t slot)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    touch_register(a, agent, register_of(*a.plan, slot));
    if ((valid(a, agent)[register_of(*a.plan, slot)] & lane_bit(lane)) != 0) return true;
    return conflict(e.statement, describe(e, operand, agent, lane, slot), false, {Hazard::unwritten});
}

AXE_DECL bool Block::read_registers(const Executable& e, int operand, int column, int agent, const LaneElements& at)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    const bool in_products = !memory_->registers[static_cast<std::size_t>(a.tensor)].products.empty();
    const auto per = a.uniform.empty() || in_products ? 0 : static_cast<std::size_t>(a.issues) * static_cast<std::size_t>(a.vector);
    if (per > 0) {
        const LaneMask *masks = valid(a, agent) + at.base / a.plan->lanes, every = all_lanes(a.lanes);
        const std::int32_t* registers = a.uniform.data() + static_cast<std::size_t>(column) * per;
        LaneMask all = every;
        for (std::size_t i = 0; i < per; ++i) all &= masks[registers[i]];
        if (all == every) return true;
    }
    const auto lanes = static_cast<std::size_t>(a.lanes);
    for (std::size_t i = 0; i < a.entries(); ++i) {
        if (at.table[i] <= outside) continue;
        for (int v = 0; v < a.vector; ++v)
            if (!read_register(e, operand, agent, static_cast<int>(i % lanes),
                               place_of_element(a, at, i, static_cast<std::size_t>(column), v)))
                return false;
    }
    return true;
}

AXE_DECL void Block::write_registers(const LaneAccess& a, int column, int agent, const LaneElements& at)
{
    if (!a.uniform.empty() && memory_->registers[static_cast<std::size_t>(a.tensor)].products.empty()) {
        const auto per = static_cast<std::size_t>(a.issues) * static_cast<std::size_t>(a.vector);
        LaneMask* masks = valid(a, agent) + at.base / a.plan->lanes;
        const std::int32_t* registers = a.uniform.data() + static_cast<std::size_t>(column) * per;
        for (std::size_t i = 0; i < per; ++i) masks[registers[i]] = all_lanes(a.lanes);
        return;
    }
    const auto lanes = static_cast<std::size_t>(a.lanes);
    for (std::size_t i = 0; i < a.entries(); ++i) {
        if (at.table[i] <= outside) continue;
        for (int v = 0; v < a.vector; ++v)
            write_register(a, agent, static_cast<int>(i % lanes), place_of_element(a, at, i, static_cast<std::size_t>(column), v));
    }
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
