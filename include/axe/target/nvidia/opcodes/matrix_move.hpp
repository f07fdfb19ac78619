// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_MATRIX_MOVE_HPP
#define AXE_TARGET_NVIDIA_OPCODES_MATRIX_MOVE_HPP

#include <axe/sim/opcodes/prepare.hpp>
#include <axe/sim/opcodes/tile_product.hpp>

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
        if (auto problem = resolve_operands(p, *e, 2, 2); !problem.ok()) return problem;
        e->load_ = p.instruction->opcode == "ldmatrix";
        e->memory_ = e->load_ ? 1 : 0;
        const LaneAccess &rows = e->operands[e->memory_], &fragment = e->operands[1 - e->memory_];
        if (p.instruction->parameters.size() != 2) return p.refuse("the parameters must be {matrices, transposed}");
        e->matrices_ = static_cast<int>(p.instruction->parameters[0]);
        e->transposed_ = p.instruction->parameters[1] != 0;
        if (e->matrices_ != 1 && e->matrices_ != 2 && e->matrices_ != 4)
            return p.refuse("the number of matrices must be 1, 2 or 4");
        if (rows.plan->owner != Owner::block || !fragment.in_registers())
            return p.refuse("the operands must be in shared memory and registers, got {0} and {1}",
                            {rows.plan->tensor->memory, fragment.plan->tensor->memory});
        if (rows.plan->width != 2 || fragment.plan->width != 2) return p.refuse("the elements must have 16 bits");
        if (rows.lanes != 32) return p.refuse("a warp has 32 lanes, got {0}", {rows.lanes});
        if (rows.vector != 8 || fragment.vector != 2 * e->matrices_)
            return p.refuse("a row has 8 elements and a lane {0}, got {1} and {2}",
                            {2 * e->matrices_, rows.vector, fragment.vector});
        for (int agent = 0; agent < rows.agents; ++agent) {
            int& issues = e->issues_.emplace_back(0);
            for (int issue = 0; issue < rows.issues; ++issue) {
                const bool here = rows.table[rows.entry(agent, issue, 0)] != inactive;
                if (here && issues < issue) return late_issue(p);
                issues += here ? 1 : 0;
                for (int lane = 0; lane < 32; ++lane) {
                    if ((fragment.table[fragment.entry(agent, issue, lane)] != inactive) != here)
                        return p.refuse(
                            "lane {0} has no elements although its warp names rows, or has elements although it names none",
                            {lane});
                    if ((rows.table[rows.entry(agent, issue, lane)] != inactive) != (here && lane < 8 * e->matrices_))
                        return p.refuse("lane {1}: lanes 0 to {0} must name rows, and no others", {8 * e->matrices_ - 1, lane});
                }
            }
        }
        // Fragments that are together are the matrix, row by row.
        e->plain_ = fragment.plan->pack == 2 && fragment.fixed;
        for (int agent = 0; agent < rows.agents && e->plain_; ++agent)
            for (int issue = 0; issue < rows.issues && e->plain_; ++issue)
                for (int i = 0; i < e->matrices_ && e->plain_; ++i) {
                    if (rows.table[rows.entry(agent, issue, 0)] == inactive) {
                        e->bases_.push_back(0); // never read
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
        LaneElements at[2];
        for (std::size_t k = 0; k < 2; ++k)
            if (!block.places(*this, static_cast<int>(k), column, agent, at[k])) return false;
        const LaneElements &from = at[memory_], &to = at[1 - memory_];
        const int issues = issues_[static_cast<std::size_t>(column)];
        if (block.counting()) {
            Tally& tally = block.tally(*this);
            tally.issues += issues;
            tally.lanes += 32ll * issues;
            tally.lanes_active += 32ll * issues;
            block.count(*this, static_cast<int>(memory_), column, from);
        }
        if (from.fresh && !all_inside(block, agent, issues, from)) return false;
        if (block.full() && !check(block, column, agent, from, to)) return false;
        auto* memory = reinterpret_cast<std::uint16_t*>(block.data(rows, agent)) + from.base;
        auto* registers = reinterpret_cast<std::uint16_t*>(block.data(fragment, agent));
        if (!plain_)
            move_any(column, issues, from, to, memory, registers);
        else if (load_)
            transposed_ ? move_plain<true, true>(column, issues, from, memory, registers)
                        : move_plain<true, false>(column, issues, from, memory, registers);
        else
            transposed_ ? move_plain<false, true>(column, issues, from, memory, registers)
                        : move_plain<false, false>(column, issues, from, memory, registers);
        if (block.full() && load_) block.write_registers(fragment, column, agent, to);
        return true;
    }

  private:
    bool all_inside(Block& block, int agent, int issues, const LaneElements& from) const
    {
        for (int i = 0; i < issues * 32; ++i)
            if (from.table[i] == outside)
                return block.fail(
                    FaultKind::out_of_bounds, statement,
                    detail::worded("{0} names a row outside {1}", {lane_text(i % 32, agent), operands[memory_].plan->name()}));
        return true;
    }

    bool check(Block& block, int column, int agent, const LaneElements& from, const LaneElements& to) const
    {
        if (!load_ && !block.read_registers(*this, 1, column, agent, to)) return false;
        const Actor actor = block.actor(agent, index);
        // The lanes that name no row have no place.
        return load_ ? block.check_copy(*this, actor, {}, {1, &from}, true) : block.check_copy(*this, actor, {0, &from}, {}, true);
    }

    /// Between rows and fragments that are together, which are the matrix or its transpose.
    template <bool Load, bool Transposed>
    void move_plain(int column, int issues, const LaneElements& from, std::uint16_t* memory, std::uint16_t* registers) const
    {
        const std::int32_t* base = bases_.data() + static_cast<std::ptrdiff_t>(column) * operands[0].issues * matrices_;
        for (int issue = 0; issue < issues; ++issue)
            for (int i = 0; i < matrices_; ++i) {
                const std::int32_t* row = from.table + issue * 32 + 8 * i;
                std::uint16_t* block = registers + *base++;
                // Through a copy: what is read and what is written may be neighbors that the compiler must keep apart.
                std::uint16_t in[64], out[64];
                for (int r = 0; r < 8; ++r) std::memcpy(in + 8 * r, Load ? memory + row[r] : block + 8 * r, 16);
                if constexpr (Transposed) tile::transpose(in, out);
                const std::uint16_t* result = Transposed ? out : in;
                for (int r = 0; r < 8; ++r) std::memcpy(Load ? block + 8 * r : memory + row[r], result + 8 * r, 16);
            }
    }

    void move_any(int column, int issues, const LaneElements& from, const LaneElements& to, std::uint16_t* memory,
                  std::uint16_t* registers) const
    {
        const auto n = static_cast<std::size_t>(issues) * 32;
        for (std::size_t entry = 0; entry < n; ++entry) // a lane of an issue
            for (int i = 0; i < matrices_; ++i)
                for (int v = 0; v < 2; ++v) {
                    const int lane = static_cast<int>(entry % 32), row = transposed_ ? 2 * (lane % 4) + v : lane / 4,
                              col = transposed_ ? lane / 4 : 2 * (lane % 4) + v;
                    std::uint16_t& cell = memory[from.table[entry - entry % 32 + static_cast<std::size_t>(8 * i + row)] + col];
                    std::uint16_t& reg =
                        registers[place_of_element(operands[1 - memory_], to, entry, static_cast<std::size_t>(column), 2 * i + v)];
                    (load_ ? reg : cell) = load_ ? cell : reg;
                }
    }

    bool load_ = true, transposed_ = false, plain_ = false;
    std::size_t memory_ = 1; ///< which operand is in shared memory
    int matrices_ = 1;
    std::vector<int> issues_{};         ///< [agent]: in which it takes part; a warp may have fewer tiles than another
    std::vector<std::int32_t> bases_{}; ///< [agent][issue][matrix]: of plain fragments
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
