// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_BULK_ROWS_HPP
#define AXE_TARGET_NVIDIA_OPCODES_BULK_ROWS_HPP

#include <axe/program/cluster_text.hpp>
#include <axe/sim/opcodes/indexed.hpp>
#include <axe/sim/opcodes/prepare.hpp>
#include <axe/target/nvidia/messages.hpp>

#include <map>

namespace axe {
inline namespace v0 {
namespace sim {

/// `bulk_rows` D, A, I with parameters {0 gather | 1 scatter, copies}: one agent reads the elements of I and starts copies of rows of global
/// memory that they choose, to or from rows of shared memory, through the asynchronous proxy.      [PTX ISA, tile::gather4, tile::scatter4]
///
/// A row outside of a guarded view is zeros, or is not written. Bytes of a gather, these zeros too, complete on the mbarrier
/// `completes_on`; a scatter belongs to the agent's open group. I is read at once, by one lane, as ordinary accesses do.
class BulkRows : public Indexed {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<BulkRows>();
        if (auto problem = resolve_operands(p, *e, 3, 3); !problem.ok()) return problem;
        if (auto problem = same_vectors(p, *e); !problem.ok()) return problem;
        if (auto problem = same_types(p); !problem.ok()) return problem;
        const std::vector<std::int64_t>& parameters = p.instruction->parameters;
        if (parameters.size() != 2 || parameters[0] < 0 || parameters[0] > 1 || parameters[1] < 1)
            return p.refuse("its parameters must be 0 (gather) or 1 (scatter), and how many copies it starts");
        e->chosen_ = e->chosen_by_data = parameters[0] == 0 ? 1 : 0;
        e->rows_ = 1 - e->chosen_;
        e->ends_by = p.instruction->completes_on >= 0 ? EndsBy::phase : EndsBy::bulk;
        e->copies_ = parameters[1];
        const LaneAccess &chosen = e->operands[static_cast<std::size_t>(e->chosen_)],
                         &rows = e->operands[static_cast<std::size_t>(e->rows_)], &index = e->operands[2];
        if (chosen.plan->owner != Owner::device || rows.plan->owner != Owner::block)
            return p.refuse(
                "the rows that an index chooses must be in global memory and the others in shared memory, got {0} and {1}",
                {chosen.plan->tensor->memory, rows.plan->tensor->memory});
        if (const int bits = packed_bits(rows.plan->tensor->dtype); bits < 8)
            return p.refuse(detail::rows_of_small_elements_text(bits));
        for (std::size_t i = 0; i < index.entries() && index.in_registers(); ++i)
            if (index.table[i] != inactive && i % static_cast<std::size_t>(index.lanes) != 0)
                return p.refuse(detail::index_of_other_lanes_text(index.plan->name()));
        if (!e->gathers() && (p.instruction->multicast != 0 || p.instruction->pair)) return p.refuse(several_targets_text());
        if (auto problem = check_chosen(p, *e); !problem.ok()) return problem;
        if (p.instruction->agents != 1) return p.refuse(detail::starters_text(p.instruction->agents));
        if (rows.view->rank() != 2 || rows.view->extents[0] % 4 != 0)
            return p.refuse("the view of {0} has {1} elements; it must have two dimensions, the first a multiple of 4",
                            {rows.plan->name(), shape_text(rows.view->extents)});
        if (e->gathers() != (p.instruction->completes_on >= 0))
            return p.refuse(e->gathers() ? detail::load_without_mbarrier_text() : detail::store_with_mbarrier_text());
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        Places at;
        auto moves = std::make_shared<Moves>();
        Actor reads = block.bulk(agent, index, false), writes = block.bulk(agent, index, true);
        if (!block.places(*this, rows_, column, agent, at.rows) || !block.places(*this, 2, column, agent, at.index)) return false;
        if (gathers() && (instruction->multicast != 0 || (instruction->pair && block.rank() % 2 != 0)))
            return run_to_several(block, column, agent, at, moves);
        if (gathers() && !block.completing(agent, *this, writes)) return false;
        if (gathers()) reads = writes;
        if (!find(block, column, agent, at, reads, writes, *moves)) return false;
        if (block.counting()) count(block, column, at);
        if (block.full() && !gathers()) block.start_async(agent, {}, true);
        std::byte* const target = block.data(operands[0], agent);
        const std::byte* const source = block.data(operands[1], agent);
        const int width = static_cast<int>(operands[0].plan->width);
        const auto read = [moves, source, width] { return moves->read(source, width); };
        const auto write = [moves, target, width] { return moves->write(target, width); };
        if (!block.leaves())
            static_cast<void>(read() && write());
        else if (gathers())
            block.leave_in_phase(agent, *this, &block, [read, write] { return read() && write(); });
        else
            block.leave_in_copies(agent, write, read);
        return !gathers() || block.complete(*this, static_cast<std::int64_t>(moves->to.size()) * width);
    }

  private:
    /// Elements that go from place to place, −1 being zeros.
    struct Moves {
        std::vector<std::int64_t> to{}, from{};
        std::vector<std::byte> bytes{};

        bool read(const std::byte* source, int width)
        {
            if (!bytes.empty()) return true; // by the first of several targets
            bytes.assign(from.size() * static_cast<std::size_t>(width), std::byte{0});
            for (std::size_t i = 0; i < from.size(); ++i)
                if (from[i] >= 0) copy_bytes(bytes.data() + i * static_cast<std::size_t>(width), source + from[i] * width, width);
            return true;
        }
        bool write(std::byte* target, int width) const
        {
            for (std::size_t i = 0; i < to.size(); ++i)
                copy_bytes(target + to[i] * width, bytes.data() + i * static_cast<std::size_t>(width), width);
            return true;
        }
    };
    struct Places {
        LaneElements rows{}, index{};
        std::vector<std::int32_t> chosen{};
    };
    [[nodiscard]] bool gathers() const noexcept { return chosen_ == 1; }

    /// To the same place in each block of the mask, the issuer's own first; index and rows are read once. Of pairs the bytes complete on the
    /// mbarrier of the first block.
    bool run_to_several(Block& block, int column, int agent, Places& at, const std::shared_ptr<Moves>& moves) const
    {
        std::vector<int> ranks;
        const unsigned mask = instruction->multicast != 0 ? instruction->multicast : 1u << block.rank();
        for (int rank = 0; rank < 16; ++rank)
            if ((mask >> rank & 1) != 0) ranks.insert(rank == block.rank() ? ranks.begin() : ranks.end(), rank);
        const std::byte* const source = block.data(operands[1], agent);
        const int width = static_cast<int>(operands[0].plan->width);
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            Block* const to = block.other_block(ranks[i], agent, statement, false);
            Block* const counter = instruction->pair ? block.other_block(ranks[i] / 2 * 2, agent, statement, false) : to;
            Actor actor;
            if (to == nullptr || counter == nullptr || !block.completing(*counter, *to, agent, *this, actor)) return false;
            if (i == 0 && !find(block, column, agent, at, actor, actor, *moves)) return false;
            if (i == 0 && block.counting()) count(block, column, at);
            if (i > 0 && block.counting()) block.count(*this, rows_, column, at.rows);
            for (std::size_t k = 0; i > 0 && block.full() && k < moves->to.size(); ++k)
                if (!block.write(*this, rows_, actor, 0, moves->to[k], operands[0].bytes)) return false;
            std::byte* const target = to->data(operands[0], agent);
            const auto finish = [moves, source, target, width] {
                return moves->read(source, width) && moves->write(target, width);
            };
            if (block.leaves())
                counter->leave_in_phase(agent, *this, &block, finish, to);
            else
                finish();
            if (!counter->complete(*this, static_cast<std::int64_t>(moves->to.size()) * width)) return false;
        }
        return true;
    }

    /// The elements of the index, by row.
    bool read_index(Block& block, int column, int agent, const LaneElements& at, std::vector<std::int64_t>& out) const
    {
        const LaneAccess& x = operands[2];
        const Distribution& part = *instruction->operands[2].distribution;
        out.assign(static_cast<std::size_t>(operands[static_cast<std::size_t>(rows_)].view->extents[0]), -1);
        for (std::size_t i = 0; i < x.entries(); ++i) {
            if (at.table[i] <= outside) continue;
            const std::int32_t row = part.element[element_at(part, column, i)];
            const std::int64_t place = place_of_element(x, at, i, static_cast<std::size_t>(column), 0);
            if (block.full() && !(x.in_registers() ? block.read_register(*this, 2, agent, 0, place)
                                                   : block.read(*this, 2, block.actor(agent, index), 0, place, x.bytes)))
                return false;
            out[static_cast<std::size_t>(row)] =
                decode_int(x.plan->tensor->dtype, load_bits(block.data(x, agent) + place * x.plan->width, x.plan->width));
        }
        return true;
    }
    [[nodiscard]] static std::size_t element_at(const Distribution& part, int column, std::size_t entry)
    {
        const auto lanes = static_cast<std::size_t>(part.lanes);
        return part.at(static_cast<int>(entry / lanes), column, static_cast<int>(entry % lanes));
    }

    /// Is no row written twice, in an order that is not defined?
    bool are_apart(Block& block, int agent, const std::vector<std::int64_t>& chosen) const
    {
        std::map<std::int64_t, std::size_t> first;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const auto [before, is_new] = first.try_emplace(chosen[i], i);
            const bool is_row = chosen[i] >= 0 && chosen[i] < operands[0].view->extents[0];
            if (is_new || !is_row) continue;
            return block.fail(
                FaultKind::race, statement,
                detail::worded("race: {0} writes row {1} of {2} by the indices {3} and {4}; their order is not defined",
                               {agent_text(agent), chosen[i], operands[0].plan->name(), before->second, i}));
        }
        return true;
    }

    /// Finds and checks all that is moved.
    bool find(Block& block, int column, int agent, Places& at, const Actor& reads, const Actor& writes, Moves& out) const
    {
        std::vector<std::int64_t> chosen;
        if (!read_index(block, column, agent, at.index, chosen) || !(gathers() || are_apart(block, agent, chosen))) return false;
        const LaneAccess &c = operands[static_cast<std::size_t>(chosen_)], &r = operands[static_cast<std::size_t>(rows_)];
        const Distribution& part = *instruction->operands[static_cast<std::size_t>(rows_)].distribution;
        const std::int64_t length = r.view->extents[1];
        at.chosen.assign(c.entries(), inactive);
        for (std::size_t i = 0; i < r.entries(); ++i) {
            if (at.rows.table[i] <= outside) continue;
            const std::int64_t element = part.element[element_at(part, column, i)], row = element / length;
            std::int64_t coord[max_rank];
            view_offset(*c.view, static_cast<std::int32_t>(element % length), coord, c.dims());
            for (int d = 0; d < c.dims(); ++d) coord[d] += c.view->origin[static_cast<std::size_t>(d)](block.variables(agent));
            bool is_there = false;
            if (!look(block, agent, row, chosen[static_cast<std::size_t>(row)], coord, is_there)) return false;
            std::int64_t place = -1;
            if (is_there) {
                place = c.plan->address(coord) - c.plan->low;
                at.chosen[i] = static_cast<std::int32_t>(place);
                if (block.full() && !touch(block, agent, 0, coord, place, gathers() ? reads : writes)) return false;
            } else {
                at.chosen[i] = outside;
            }
            const std::int64_t here = at.rows.base + at.rows.table[i];
            if (!is_there && !gathers()) continue;
            if (block.full() && !(gathers() ? block.write(*this, rows_, writes, 0, here, r.bytes)
                                            : block.read(*this, rows_, reads, 0, here, r.bytes)))
                return false;
            out.to.push_back(gathers() ? here : place);
            out.from.push_back(gathers() ? place : here);
        }
        return true;
    }
    /// Puts the chosen row into the coordinate. False: a fault.
    bool look(Block& block, int agent, std::int64_t number, std::int64_t row, std::int64_t* coord, bool& is_there) const
    {
        const LaneAccess& c = operands[static_cast<std::size_t>(chosen_)];
        coord[c.view->dims[0]] += row * c.view->steps[0];
        const bool is_row = row >= 0 && row < c.view->extents[0];
        is_there = is_row && is_inside(c.plan->tensor->shape, coord);
        if (!is_there && !c.view->guarded)
            return block.fail(FaultKind::out_of_bounds, statement,
                              is_row ? outside_text(agent_text(agent), element_text(*c.plan, coord), *c.plan)
                                     : no_such_row_text(agent_text(agent), row, c, number,
                                                        operands[static_cast<std::size_t>(rows_)].view->extents[0]));
        if (is_there && !c.plan->device.holds(c.plan->device(coord), block.device()))
            return block.fail(
                FaultKind::wrong_owner, statement,
                elsewhere_text(agent_text(agent), element_text(*c.plan, coord), c.plan->device(coord), block.device()));
        return true;
    }
    void count(Block& block, int column, const Places& at) const
    {
        Tally& tally = block.tally(*this);
        tally.issues += copies_;
        tally.lanes += copies_;
        tally.lanes_active += copies_;
        block.count(*this, rows_, column, at.rows);
        block.count(*this, 2, column, at.index);
        block.count(*this, chosen_, column, {at.chosen.data(), 0, true});
    }

    std::int64_t copies_ = 1;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
