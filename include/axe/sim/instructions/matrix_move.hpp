// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_INSTRUCTIONS_MATRIX_MOVE_HPP
#define AXE_SIM_INSTRUCTIONS_MATRIX_MOVE_HPP

#include <axe/sim/instructions/prepare.hpp>
#include <axe/sim/tile_product.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `ldmatrix` D, A and `stmatrix` D, A, parameters {x, trans}: x matrices of 8×8 elements of 16 bits between rows of 16 bytes in shared
/// memory and fragments. Lane 8i + r names row r of matrix i; lane l has elements (l/4, 2(l%4)) and the next one of each matrix,
/// or with trans those of the transposed one.      [PTX ISA, ldmatrix, stmatrix]
class MatrixMove : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<MatrixMove>();
        if (Problem problem = resolve_operands(p, *e, 2, 2)) return problem;
        e->load_ = p.instruction->opcode == "ldmatrix";
        e->memory_ = e->load_ ? 1 : 0;
        const LaneAccess &rows = e->operands[e->memory_], &fragment = e->operands[1 - e->memory_];
        if (p.instruction->parameters.size() != 2) return p.refuse("its parameters are {matrices, transposed}");
        e->matrices_ = static_cast<int>(p.instruction->parameters[0]);
        e->transposed_ = p.instruction->parameters[1] != 0;
        if (e->matrices_ != 1 && e->matrices_ != 2 && e->matrices_ != 4) return p.refuse("it moves 1, 2 or 4 matrices");
        if (rows.plan->owner != Owner::block || !fragment.in_registers())
            return p.refuse(detail::worded("it moves between shared memory and registers, not {0} and {1}",
                                           {rows.plan->tensor->memory, fragment.plan->tensor->memory}));
        if (rows.plan->width != 2 || fragment.plan->width != 2) return p.refuse("its elements have 16 bits");
        if (rows.lanes != 32) return p.refuse(detail::worded("a warp has 32 lanes, not {0}", {std::to_string(rows.lanes)}));
        if (rows.vector != 8 || fragment.vector != 2 * e->matrices_)
            return p.refuse(
                detail::worded("a row has 8 elements and a lane {0}, not {1} and {2}",
                               {std::to_string(2 * e->matrices_), std::to_string(rows.vector), std::to_string(fragment.vector)}));
        for (int agent = 0; agent < rows.agents; ++agent)
            for (int issue = 0; issue < rows.issues; ++issue) {
                // A warp that has fewer tiles than another takes no part in the last issues.
                const bool here = rows.table[rows.entry(agent, issue, 0)] != inactive;
                for (int lane = 0; lane < 32; ++lane) {
                    if ((fragment.table[fragment.entry(agent, issue, lane)] != inactive) != here)
                        return p.refuse(detail::worded(
                            "a lane of a warp whose rows are named has no elements of them, or the other way round: lane {0}",
                            {std::to_string(lane)}));
                    if ((rows.table[rows.entry(agent, issue, lane)] != inactive) != (here && lane < 8 * e->matrices_))
                        return p.refuse(detail::worded("lanes 0 to {0} name rows, and no others: lane {1}",
                                                       {std::to_string(8 * e->matrices_ - 1), std::to_string(lane)}));
                }
            }
        // Fragments that lie together are the matrix, row by row.
        e->plain_ = fragment.plan->pack == 2 && fragment.fixed;
        for (int agent = 0; agent < rows.agents && e->plain_; ++agent)
            for (int issue = 0; issue < rows.issues && e->plain_; ++issue)
                for (int i = 0; i < e->matrices_ && e->plain_; ++i) {
                    if (rows.table[rows.entry(agent, issue, 0)] == inactive) {
                        e->bases_.push_back(0); // nobody looks there
                        continue;
                    }
                    const std::int64_t base = made_place(fragment, agent, issue, 0, 2 * i);
                    e->bases_.push_back(static_cast<std::int32_t>(base));
                    for (int lane = 0; lane < 32 && e->plain_; ++lane)
                        for (int v = 0; v < 2; ++v)
                            e->plain_ = e->plain_ && made_place(fragment, agent, issue, lane, 2 * i + v) == base + lane * 2 + v;
                }
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        const LaneAccess &rows = operands[memory_], &fragment = operands[1 - memory_];
        Places at[2];
        for (std::size_t k = 0; k < 2; ++k)
            if (!block.places(*this, static_cast<int>(k), column, agent, at[k])) return false;
        const Places &from = at[memory_], &to = at[1 - memory_];
        const Actor actor = block.actor(agent, statement);
        if (block.counting()) {
            Tally& tally = block.tally(*this);
            std::int64_t issues = 0;
            for (int issue = 0; issue < rows.issues; ++issue) issues += takes_part(rows, column, issue) ? 1 : 0;
            tally.issues += issues;
            tally.lanes += 32 * issues;
            tally.lanes_active += 32 * issues;
            block.count(*this, static_cast<int>(memory_), column, from);
        }
        auto* memory = reinterpret_cast<std::uint16_t*>(block.data(rows, agent));
        auto* registers = reinterpret_cast<std::uint16_t*>(block.data(fragment, agent));
        const auto col = static_cast<std::size_t>(column);
        for (int issue = 0; issue < rows.issues; ++issue)
            for (int i = 0; i < matrices_ && takes_part(rows, column, issue); ++i) {
                std::uint16_t* row[8];
                const std::size_t first = static_cast<std::size_t>(issue) * 32 + static_cast<std::size_t>(8 * i);
                for (std::size_t r = 0; r < 8; ++r) {
                    const std::int32_t t = from.table[first + r];
                    if (t == outside) return refuse_outside(block, agent, static_cast<int>(first % 32 + r));
                    const std::int64_t place = from.base + t;
                    if (block.full()) {
                        const int lane = static_cast<int>(first % 32 + r);
                        if (load_ ? !block.read(*this, 1, actor, lane, place, 16) : !block.write(*this, 0, actor, lane, place, 16))
                            return false;
                    }
                    row[r] = memory + place;
                }
                if (plain_)
                    move_plain(row,
                               registers + bases_[(col * static_cast<std::size_t>(rows.issues) + static_cast<std::size_t>(issue)) *
                                                      static_cast<std::size_t>(matrices_) +
                                                  static_cast<std::size_t>(i)]);
                else
                    for (int lane = 0; lane < 32; ++lane)
                        for (int v = 0; v < 2; ++v) {
                            std::uint16_t& reg = registers[place_of_element(
                                fragment, to, static_cast<std::size_t>(issue) * 32 + static_cast<std::size_t>(lane), col,
                                2 * i + v)];
                            std::uint16_t& cell =
                                transposed_ ? row[2 * (lane % 4) + v][lane / 4] : row[lane / 4][2 * (lane % 4) + v];
                            (load_ ? reg : cell) = load_ ? cell : reg;
                        }
            }
        if (block.full()) {
            if (load_)
                block.write_registers(fragment, column, agent, to);
            else if (!block.read_registers(*this, 1, column, agent, to))
                return false;
        }
        return true;
    }

  private:
    static bool takes_part(const LaneAccess& rows, int column, int issue)
    {
        return rows.table[rows.entry(column, issue, 0)] != inactive;
    }

    void move_plain(std::uint16_t* const* row, std::uint16_t* block) const
    {
        if (!transposed_) {
            for (int r = 0; r < 8; ++r) load_ ? std::memcpy(block + 8 * r, row[r], 16) : std::memcpy(row[r], block + 8 * r, 16);
            return;
        }
        // Through a copy: what is read and what is written may be neighbours that the compiler must keep apart.
        std::uint16_t in[64], out[64];
        for (int r = 0; r < 8; ++r) std::memcpy(in + 8 * r, load_ ? row[r] : block + 8 * r, 16);
        tile::transpose(in, out);
        for (int r = 0; r < 8; ++r) std::memcpy(load_ ? block + 8 * r : row[r], out + 8 * r, 16);
    }

    bool refuse_outside(Block& block, int agent, int lane) const
    {
        return block.fail(FaultKind::out_of_bounds, statement,
                          detail::worded("{0} names a row outside {1}", {lane_text(lane, agent), operands[memory_].plan->name()}));
    }

    bool load_ = true, transposed_ = false, plain_ = false;
    std::size_t memory_ = 1; ///< which operand is in shared memory
    int matrices_ = 1;
    std::vector<std::int32_t> bases_{}; ///< [agent][issue][matrix]: of plain fragments
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
