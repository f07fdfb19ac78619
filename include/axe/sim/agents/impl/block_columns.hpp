// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_IMPL_BLOCK_COLUMNS_HPP
#define AXE_SIM_AGENTS_IMPL_BLOCK_COLUMNS_HPP

#include <axe/sim/agents/block.hpp>

#include <algorithm>

/// How the accesses of a column are checked together, and where the lanes go whose tile crosses an edge.
namespace axe {
inline namespace v0 {
namespace sim {

inline FirstConflict Block::touch_column(const LaneAccess& a, const Actor& actor, const LaneElements& at, Shadow& shadow,
                                         bool writing)
{
    const std::int64_t width = a.plan->width, base = at.base * width + shadow.first_byte(),
                       run_bytes = static_cast<std::int64_t>(run_cells) * shadow.granule();
    ColumnTable t{at.table, a.entries(), a.lanes, a.plan->width, a.bytes, base & (run_bytes - 1)};
    return worker_->known.cells(t, shadow, writing)
        .touch(t, shadow, actor, (base - t.phase) / run_bytes, writing, a.plan->owner == Owner::block);
}

AXE_DECL bool Block::check_copy(const Executable& e, const Actor& actor, const ColumnSide& to, const ColumnSide& from, bool alike)
{
    const auto shadow_of = [&](const ColumnSide& side) -> Shadow* {
        if (side.at == nullptr) return nullptr;
        const LaneAccess& a = e.operands[static_cast<std::size_t>(side.operand)];
        if (a.in_registers()) return nullptr;
        Shadow& shadow = this->shadow(a, actor);
        return shadow.exists() ? &shadow : nullptr;
    };
    Shadow *const written = shadow_of(to), *const read = shadow_of(from);
    if (written == nullptr && read == nullptr) return true;
    const bool with_target = read == nullptr || to.at == nullptr || (alike && !to.at->fresh);
    const auto in_pieces = [](const Shadow* s) { return s != nullptr && !s->is_in_one_piece(); };
    if (written == read || !with_target || in_pieces(written) || in_pieces(read) || (written != nullptr && !to.at->kept()) ||
        (read != nullptr && !from.at->kept()))
        return check_entries(e, actor, to, from, written != nullptr, read != nullptr);
    const auto access = [&](const ColumnSide& side) -> const LaneAccess& {
        return e.operands[static_cast<std::size_t>(side.operand)];
    };
    FirstConflict reads, writes;
    if (read != nullptr) reads = touch_column(access(from), actor, *from.at, *read, false);
    if (written != nullptr) writes = touch_column(access(to), actor, *to.at, *written, true);
    if (!reads.found() && !writes.found()) {
        if (written == nullptr || access(to).plan->shared_bits == 0) return true;
        for (std::size_t i = 0; i < access(to).entries(); ++i)
            if (to.at->table[i] > outside &&
                !is_alone_in_bytes(e, to.operand, actor, static_cast<int>(i % static_cast<std::size_t>(access(to).lanes)),
                                   to.at->base + to.at->table[i], access(to).bytes))
                return false;
        return true;
    }
    // An access reads before it writes.
    const bool reading = reads.found() && (!writes.found() || reads.entry <= writes.entry);
    const ColumnSide& side = reading ? from : to;
    const FirstConflict& first = reading ? reads : writes;
    const LaneAccess& a = access(side);
    const std::int64_t place = side.at->base + side.at->table[first.entry];
    return conflict_in(e, side.operand, actor, static_cast<int>(first.entry % static_cast<std::size_t>(a.lanes)), place,
                       *(reading ? read : written), first.cell, first.conflict, !reading);
}

/// The same, lane after lane.
inline bool Block::check_entries(const Executable& e, const Actor& actor, const ColumnSide& to, const ColumnSide& from,
                                 bool written, bool read)
{
    const LaneAccess& d = e.operands[static_cast<std::size_t>(to.at != nullptr ? to.operand : from.operand)];
    const auto at = [&](const ColumnSide& side, std::size_t i) { return side.at->base + side.at->table[i]; };
    for (std::size_t i = 0; i < d.entries(); ++i) {
        if (to.at != nullptr && to.at->table[i] <= outside) continue;
        const int lane = static_cast<int>(i % static_cast<std::size_t>(d.lanes));
        if (read && from.at->table[i] > outside &&
            !this->read(e, from.operand, actor, lane, at(from, i), e.operands[static_cast<std::size_t>(from.operand)].bytes))
            return false;
        if (written && !write(e, to.operand, actor, lane, at(to, i), d.bytes)) return false;
    }
    return true;
}

/// Of a tile that crosses an edge and moves as a whole: as many indices cut off are the same places.
inline bool Block::edge_places(const Executable& e, int operand, int column, int agent, const std::int64_t* origin,
                               std::int64_t delta, LaneElements& out)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    const auto& footprint = a.footprint[static_cast<std::size_t>(column)];
    auto made = std::make_unique<EdgeTable>();
    made->column = column;
    for (int d = 0; d < a.dims(); ++d) {
        const auto ud = static_cast<std::size_t>(d);
        const std::int64_t least = footprint.least[ud], most = footprint.most[ud], all = most - least + 1;
        made->cut[2 * ud] = std::clamp<std::int64_t>(-origin[d] - least, 0, all);
        made->cut[2 * ud + 1] = std::clamp<std::int64_t>(origin[d] + most + 1 - a.plan->tensor->shape[d], 0, all);
    }
    EdgeTable* edge = worker_->known.find(a, column, made->cut);
    if (edge == nullptr) {
        if (!materialize(e, operand, column, agent, origin, delta, out)) return false;
        const std::int32_t* whole = a.table.data() + a.entries() * static_cast<std::size_t>(column);
        bool any = false;
        for (std::size_t i = 0; i < a.entries(); ++i) {
            made->table.push_back(out.table[i] <= outside ? out.table[i] : whole[i]);
            if (out.table[i] <= outside) continue;
            made->least = any ? std::min<std::int64_t>(made->least, whole[i]) : whole[i];
            made->most = any ? std::max<std::int64_t>(made->most, whole[i]) : whole[i];
            any = true;
        }
        edge = worker_->known.keep(a, std::move(made));
        if (edge == nullptr) return true;
    }
    // Places as far off as `materialize` reports are left to it.
    if (delta + edge->least < 0 || delta + edge->most >= std::numeric_limits<std::int32_t>::max())
        return materialize(e, operand, column, agent, origin, delta, out);
    out = {edge->table.data(), delta, true, edge};
    return true;
}

AXE_DECL const EdgeMove& Block::edge_move(const Executable& e, const LaneElements& to, const LaneElements& from)
{
    const LaneAccess& d = e.operands[0];
    return worker_->known.move(&e, to.table, from.table, d.entries(), d.bytes, d.plan->width);
}

AXE_DECL void Block::count(const Executable& e, int operand, int column, const LaneElements& places)
{
    const LaneAccess& a = e.operands[static_cast<std::size_t>(operand)];
    OperandTally& total = tally(e).operands[operand];
    if (a.names_block() &&
        &owner_of(*a.view, e.instruction->first_agent + column * std::max(1, e.instruction->agent_stride)) != this)
        tally(e).link_bytes +=
            a.bytes * std::count_if(places.table, places.table + a.entries(), [](std::int32_t place) { return place > outside; });
    if (a.is_remote() && !e.in_network)
        count_links(e, a, e.instruction->first_agent + column * std::max(1, e.instruction->agent_stride), places, operand > 0);
    const Memory& memory = *a.plan->memory;
    if (!places.kept()) {
        total += traffic(a, memory, compiled_->stage.sector, places, operand > 0);
        return;
    }
    // The same table at the same place within banks, sectors and swizzle comes to the same.
    const std::int64_t width = a.plan->width, bytes = places.base * width + a.plan->base;
    const auto phase = static_cast<std::uint64_t>(((bytes % 128) + 128) % 128);
    if (places.edge != nullptr) {
        auto& known = places.edge->traffic;
        auto at = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == phase; });
        if (at == known.end()) at = known.insert(at, {phase, traffic(a, memory, compiled_->stage.sector, places, operand > 0)});
        total += at->second;
        return;
    }
    const std::uint64_t key = ((static_cast<std::uint64_t>(e.index) * 8 + static_cast<std::uint64_t>(operand)) * 64 +
                               static_cast<std::uint64_t>(column)) *
                                  128 +
                              phase;
    auto at = worker_->remembered.find(key);
    if (at == worker_->remembered.end())
        at = worker_->remembered.emplace(key, traffic(a, memory, compiled_->stage.sector, places, operand > 0)).first;
    total += at->second;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
