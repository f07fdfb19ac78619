// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_OPCODES_WGMMA_HPP
#define AXE_TARGET_NVIDIA_OPCODES_WGMMA_HPP

#include <axe/machine/atoms_of.hpp>
#include <axe/schedule/matrix_atoms.hpp>
#include <axe/sim/opcodes/engine.hpp>
#include <axe/sim/opcodes/prepare.hpp>
#include <axe/target/nvidia/opcodes/shared_tile.hpp>
#include <axe/target/nvidia/opcodes/wgmma_blocks.hpp>
#include <axe/target/nvidia/opcodes/wgmma_registers.hpp>
#include <axe/target/nvidia/wgmma/forms.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `wgmma` D, A [M, K], B [K, N] with parameters {accumulate, fence, commit} or {…, negate A, negate B}: warpgroups multiply tiles of shared memory into their registers,
/// D = A·B (+ D), and go on. The text is the form, whose atom says where D's elements are.      [PTX ISA, wgmma.mma_async]
///
/// Four warps run it as one. A and B are read by descriptors, as hardware does, through the asynchronous proxy, at any time until a wait
/// for the product's group; A may be in registers instead. D's registers, and A's, are the product's until then. `fence`: a wgmma.fence
/// comes before it; `commit`: it ends its group. Sums are one chain, k ascending, in f32 (i32, which wraps); of f16 each is exact and
/// rounded once. Hardware's order and rounding are not specified.
class Wgmma : public Executable {
  public:
    static constexpr int warps = 4;

    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Wgmma>();
        e->ends_by = EndsBy::products;
        if (auto problem = check_count(p, 3, 3); !problem.ok()) return problem;
        if (auto problem = e->resolve(p); !problem.ok()) return problem;
        if (auto problem = e->read_form(p); !problem.ok()) return problem;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        const LaneAccess& d = operands[0];
        Places at;
        const int stride = std::max(1, instruction->agent_stride);
        if (!find_places(block, column, agent, at)) return false;
        for (int issue = 0; issue < d.issues; ++issue) {
            const std::int32_t corner = corners_[static_cast<std::size_t>(column / warps * d.issues + issue)];
            if (corner < 0) continue;
            const std::int64_t row = corner / n_all_, col = corner % n_all_;
            BReads of_b;
            if (block.full())
                for (int w = 0; w < warps; ++w)
                    if (!check_reads(block, agent, agent + w * stride, row + 16 * w, col, of_b)) return false;
            if (block.leaves_products(agent))
                block.leave_in_products(agent, warps, [this, b = &block, column, agent, issue, row, col] {
                    return multiply_later(*b, column, agent, issue, row, col);
                });
            else if (!multiply_tile(block, column, agent, issue, at, row, col))
                return false;
            count(block);
        }
        for (int w = 0; w < warps; ++w) {
            const int mine = agent + w * stride;
            if (block.full() &&
                !(hold(block, 0, column + w, mine, at.d[w]) && (!left_in_registers() || hold(block, 1, column + w, mine, at.a[w]))))
                return false;
            block.end_product_step(mine, statement, step_);
        }
        return true;
    }

  private:
    static constexpr std::int64_t m = 64;

    /// Where each warp has its registers of D, and of A.
    struct Places {
        LaneElements d[warps], a[warps];
    };
    bool find_places(Block& block, int column, int agent, Places& at) const
    {
        for (int w = 0; w < warps; ++w)
            if (!block.places(*this, 0, column + w, agent + w, at.d[w]) ||
                (left_in_registers() && !block.places(*this, 1, column + w, agent + w, at.a[w])))
                return false;
        return true;
    }
    [[nodiscard]] bool left_in_registers() const noexcept { return operands.size() > 1; }
    /// The first operand that is in shared memory.
    [[nodiscard]] std::size_t first_shared() const noexcept { return left_in_registers() ? 2 : 1; }

    /// D is in registers, by lanes, and A may be; else A and B are views of shared memory as wholes.
    Result<void, Problem> resolve(const Preparation& p)
    {
        instruction = p.instruction;
        statement = p.statement;
        together = warps;
        const Instruction& i = *p.instruction;
        if (i.agents % warps != 0 || i.first_agent % warps != 0 || i.agent_stride != 1)
            return p.refuse("it runs on {0} agents from {1} in steps of {2}; warpgroups are 4 neighbors, the first a multiple of 4",
                            {i.agents, i.first_agent, i.agent_stride});
        for (std::size_t k = 0; k < 2; ++k) {
            if (k == 1 && p.plan(k).owner != Owner::lane) break;
            auto resolved = AccessResolver(p.compiled->plans, i, i.operands[k], p.where())();
            if (!resolved) return resolved.error();
            operands.push_back(std::move(*resolved));
        }
        const LaneAccess& d = operands[0];
        if (!d.in_registers() || d.lanes != 32)
            return p.refuse("{0} is in {1}; a product of warpgroups is in registers", {d.plan->name(), d.plan->tensor->memory});
        for (std::size_t k = first_shared(); k < 3; ++k) {
            if (p.plan(k).owner != Owner::block || p.plan(k).pitch > 0)
                return p.refuse(detail::not_shared_text(p.plan(k).name(), p.plan(k).tensor->memory));
            if (auto problem = check_whole_view(p, k); !problem.ok()) return problem;
        }
        const Shape &whole = i.operands[0].view.extents, &a = i.operands[1].view.extents, &b = i.operands[2].view.extents;
        if (whole.size() != 2 || a.size() != 2 || b.size() != 2 || a[0] != whole[0] || b[1] != whole[1] || a[1] != b[0])
            return p.refuse(detail::product_operands_text, errc::size_mismatch);
        n_all_ = whole[1];
        const auto& parameters = i.parameters;
        if (parameters.size() != 3 && parameters.size() != 5)
            return p.refuse("it has {0} parameters; it takes accumulate, fence and commit, and then which of A and B are negated",
                            {parameters.size()});
        for (const std::int64_t value : parameters)
            if (value != 0 && value != 1) return p.refuse(detail::not_a_flag_text(value));
        accumulate_ = parameters[0] == 1;
        step_ = {parameters[1] == 1, parameters[2] == 1};
        negated_ = parameters.size() == 5 && parameters[3] != parameters[4];
        return {};
    }

    /// The atom of the text, the types, and the tile of each issue, which must be the atom's.
    Result<void, Problem> read_form(const Preparation& p)
    {
        const DType types[] = {p.plan(0).tensor->dtype, p.plan(1).tensor->dtype, p.plan(2).tensor->dtype};
        integers_ = types[0] == DType::i32;
        halves_ = types[0] == DType::f16;
        if (!is_wgmma_product(types[0], types[1], types[2])) return p.refuse(detail::no_product_text(types[1], types[2], types[0]));
        if (integers_ && p.instruction->parameters.size() == 5) return p.refuse(detail::integers_negated_text());
        bytes_ = storage_bytes(types[1]);
        k_ = 32 / bytes_;
        if (p.instruction->operands[1].view.extents[1] != k_)
            return p.refuse("K is {0}; with elements of {1} bytes it must be {2}",
                            {p.instruction->operands[1].view.extents[1], bytes_, k_});
        const Atom* atom = nullptr;
        for (const Atom& row : p.compiled->program->machine.atoms)
            if (p.instruction->text == row.name && detail::same_text(row.operand, "D") &&
                detail::same_text(row.element, ptx_type(types[0])))
                atom = &row;
        if (atom == nullptr) return p.refuse("no atom {0} with an operand D exists", {p.instruction->text});
        n_ = atom->dims[1];
        const LaneAccess& d = operands[0];
        const Distribution& part = *p.instruction->operands[0].distribution;
        const Layout layout = atom->layout();
        const std::int64_t registers = n_ / 2;
        if (d.vector != registers) return p.refuse("a lane holds {0} elements of D; the view gives it {1}", {registers, d.vector});
        element_.assign(static_cast<std::size_t>(m * n_), -1);
        for (std::int64_t i = 0; i < m * n_; ++i) {
            const auto point = evaluate(layout, i);
            if (!point) return Problem(point.error(), p.where() + ": ");
            element_[static_cast<std::size_t>(((*point)["warp"] * 32 + (*point)["lane"]) * registers + (*point)["reg"])] =
                static_cast<std::int32_t>(i);
        }
        for (int group = 0; group < d.agents / warps; ++group)
            for (int issue = 0; issue < d.issues; ++issue) {
                const std::int32_t first = part.element[part.at(issue, group * warps, 0, 0)];
                corners_.push_back(first);
                for (int w = 0; w < warps; ++w)
                    for (int lane = 0; lane < 32; ++lane)
                        for (int v = 0; v < registers; ++v) {
                            const std::int32_t in = element_[static_cast<std::size_t>((w * 32 + lane) * registers + v)];
                            const auto asked = first < 0 ? -1 : static_cast<std::int32_t>(first + in / n_ * n_all_ + in % n_);
                            if (part.element[part.at(issue, group * warps + w, lane, v)] != asked)
                                return p.refuse("its tiles of D are not those of {0}", {atom->name});
                        }
            }
        blocks_ = types[0] == DType::f32 && (types[1] == DType::f16 || types[1] == DType::bf16) && types[1] == types[2] &&
                  find_wgmma_blocks(d, bases_);
        if (left_in_registers())
            if (auto problem = left_.prepare(p, operands[1], k_, corners_, n_all_, blocks_); !problem.ok()) return problem;
        if (!blocks_) return {};
        firsts_.assign(d.table.begin(), d.table.end());
        for (std::size_t i = 0; i < firsts_.size(); ++i)
            if (i % 32 != 0) firsts_[i] = inactive;
        for (int agent = 0; agent < d.agents; ++agent) {
            std::vector<std::size_t>& all = registers_.emplace_back();
            for (int issue = 0; issue < d.issues; ++issue)
                for (int v = 0; v < d.vector && d.table[d.entry(agent, issue, 0)] > outside; ++v)
                    all.push_back(Block::register_of(*d.plan, made_place(d, agent, issue, 0, v)));
        }
        return {};
    }

    /// The descriptor of the tile of an operand that begins at row or column `first`; null: the block has a fault.
    const SharedDescriptor* descriptor(Block& block, int agent, std::size_t operand, std::int64_t first, std::int64_t mn) const
    {
        return tile_descriptor(block, *this, operand, agent, origin_of(instruction->operands[operand].view, block.variables(agent)),
                               {operand == 1 ? 0 : 1, first, 0, mn, k_});
    }

    /// The elements that the descriptor names, row-major in (mn, k) for A and in (k, mn) for B.
    bool load(Block& block, int agent, std::size_t operand, std::int64_t first, std::int64_t mn, std::vector<float>& out) const
    {
        const SharedDescriptor* d = descriptor(block, agent, operand, first, mn);
        if (d == nullptr) return false;
        const int tensor = instruction->operands[operand].view.tensor;
        const TensorPlan& plan = block.plan(tensor);
        const std::byte* data = block.buffer(plan, tensor).data - (plan.base + plan.low * plan.width);
        out.resize(static_cast<std::size_t>(mn * k_));
        if (blocks_) return load_wgmma_blocks(data, *d, plan.tensor->dtype, mn, operand == 1, out.data()), true;
        for (std::int64_t i = 0; i < mn; ++i)
            for (std::int64_t l = 0; l < k_; ++l) {
                const std::int64_t at = detail::xor_span(d->start + detail::descriptor_offset(*d, i, l, bytes_), d->span);
                const auto value = static_cast<float>(decode(plan.tensor->dtype, load_bits(data + at, plan.width)));
                out[static_cast<std::size_t>(operand == 1 ? i * k_ + l : l * mn + i)] = value;
            }
        return true;
    }

    /// What the first warp has found in the cells of B, which all of them read as one engine, at one time. What each knows of the writes
    /// may differ, the cells do not.
    struct BReads {
        Event reader = 0; ///< 0: none has
        Past::Log log{};
        /// Would reading them find nothing, and change nothing that is noted?
        [[nodiscard]] bool hold_for(const Actor& actor) const
        {
            return reader == actor.at(0) && log.complete &&
                   std::all_of(log.writes.begin(), log.writes.end(), [&](Event e) { return actor.after(e, 0); });
        }
    };
    /// One warp's part of what is read: its 16 rows of A, and all of B, in pieces of 16 bytes.
    bool check_reads(Block& block, int first, int agent, std::int64_t row, std::int64_t col, BReads& of_b) const
    {
        const Actor actor = block.products(first, agent, index);
        for (std::size_t operand = first_shared(); operand < 3; ++operand) {
            const bool is_a = operand == 1;
            if (!is_a && of_b.hold_for(actor)) continue;
            if (!is_a) of_b = {actor.at(0), {}};
            const SharedDescriptor* d = descriptor(block, first, operand, is_a ? row - row % m : col, is_a ? m : n_);
            if (d == nullptr) return false;
            const int tensor = instruction->operands[operand].view.tensor;
            const TensorPlan& plan = block.plan(tensor);
            Shadow& shadow = block.shadow(plan, tensor);
            if (!shadow.exists()) continue;
            const DescribedPieces pieces{d, is_a ? row % m : 0, is_a ? 16 : n_, k_, bytes_};
            auto& known = block.workspace().found[{d, pieces.begin}];
            if (known == nullptr) {
                std::vector<std::int32_t> places;
                pieces.add_places(plan, shadow, places);
                known = std::make_shared<const RangeCells>(std::move(places), 16, 0, shadow, false);
            }
            const FirstConflict found =
                static_cast<const RangeCells*>(known.get())->touch(shadow, actor, is_a ? nullptr : &of_b.log);
            if (found.found())
                return described_conflict(block, *this, operand, agent, actor, is_a, pieces, static_cast<std::int64_t>(found.entry),
                                          0, found.conflict);
        }
        return true;
    }

    bool multiply_tile(Block& block, int column, int agent, int issue, const Places& at, std::int64_t row, std::int64_t col) const
    {
        Workspace& room = block.workspace();
        if (left_in_registers())
            left_.load(block, operands[1], at.a, column, agent, issue, room.left);
        else if (!load(block, agent, 1, row, m, room.left))
            return false;
        if (!load(block, agent, 2, col, n_, room.right)) return false;
        if (negated_) // −(A·B) = (−A)·B, term by term
            for (float& x : room.left) x = -x;
        if (blocks_)
            multiply_blocks(block, column, agent, issue);
        else
            multiply(block, column, agent, issue, at.d, room.left, room.right);
        return true;
    }
    bool multiply_later(Block& block, int column, int agent, int issue, std::int64_t row, std::int64_t col) const
    {
        Places at;
        return find_places(block, column, agent, at) && multiply_tile(block, column, agent, issue, at, row, col);
    }

    void multiply(Block& block, int column, int agent, int issue, const LaneElements* at, const std::vector<float>& left,
                  const std::vector<float>& right) const
    {
        const LaneAccess& d = operands[0];
        const auto registers = static_cast<std::size_t>(d.vector);
        const int stride = std::max(1, instruction->agent_stride);
        const auto each = [&](const auto& f) {
            for (int w = 0; w < warps; ++w) {
                std::byte* data = block.data(d, agent + w * stride);
                for (std::size_t lane = 0; lane < 32; ++lane)
                    for (std::size_t v = 0; v < registers; ++v)
                        f(data + place_of_element(d, at[w], static_cast<std::size_t>(issue) * 32 + lane,
                                                  static_cast<std::size_t>(column + w), static_cast<int>(v)) *
                                     d.plan->width,
                          static_cast<std::size_t>(element_[(static_cast<std::size_t>(w) * 32 + lane) * registers + v]));
            }
        };
        const auto of = [&](auto zero, const auto& add) {
            using Sum = decltype(zero);
            std::vector<Sum> sum(static_cast<std::size_t>(m * n_), zero);
            if (accumulate_) each([&](const std::byte* place, std::size_t i) { std::memcpy(&sum[i], place, sizeof(Sum)); });
            add(left, right, static_cast<std::size_t>(n_), static_cast<std::size_t>(k_), sum);
            each([&](std::byte* place, std::size_t i) { std::memcpy(place, &sum[i], sizeof(Sum)); });
        };
        if (integers_)
            of(std::uint32_t{0}, add_integer_products); // s32 wraps without .satfinite
        else if (halves_)
            of(std::uint16_t{0}, add_half_products);
        else
            of(0.0f, add_products);
    }

    void multiply_blocks(Block& block, int column, int agent, int issue) const
    {
        const LaneAccess& d = operands[0];
        float* c[warps];
        for (int w = 0; w < warps; ++w)
            c[w] = reinterpret_cast<float*>(block.data(d, agent + w)) +
                   bases_[static_cast<std::size_t>((column + w) * d.issues + issue)];
        sim::multiply_wgmma_blocks(block.workspace(), c, n_, accumulate_);
    }

    /// One warp's registers of D (or A): those that are read were written, and all are the product's until a wait. In blocks a register of
    /// D is that of all lanes or of none, so that lane 0 stands for them.
    bool hold(Block& block, int operand, int column, int agent, LaneElements at) const
    {
        const LaneAccess& d = operands[static_cast<std::size_t>(operand)];
        const bool in_blocks = blocks_ && operand == 0, reads = accumulate_ || operand == 1;
        LaneMask* masks = block.valid(d, agent);
        if (in_blocks) {
            const auto& registers = registers_[static_cast<std::size_t>(column)];
            const auto is_whole = [&](std::size_t r) { return masks[r] == all_lanes(32); };
            if (!reads || std::all_of(registers.begin(), registers.end(), is_whole)) {
                for (const std::size_t r : registers) masks[r] |= all_lanes(32);
                return block.use_in_product(*this, operand, agent, registers, step_);
            }
            at.table = firsts_.data() + static_cast<std::size_t>(column) * d.entries();
        }
        std::vector<std::size_t> registers;
        for (std::size_t i = 0; i < d.entries(); i += in_blocks ? 32 : 1) {
            if (at.table[i] <= outside) continue;
            const int lane = static_cast<int>(i % 32);
            const LaneMask asked = in_blocks ? all_lanes(32) : lane_bit(lane);
            for (int v = 0; v < d.vector; ++v) {
                const std::int64_t slot = place_of_element(d, at, i, static_cast<std::size_t>(column), v);
                registers.push_back(Block::register_of(*d.plan, slot));
                LaneMask& mask = masks[registers.back()];
                if (reads && (mask & asked) != asked) {
                    int missing = lane;
                    while ((mask & lane_bit(missing)) != 0) ++missing;
                    const std::int64_t there = slot + std::int64_t{d.plan->pack} * (missing - lane);
                    return block.conflict(statement, block.describe(*this, operand, agent, missing, there), false,
                                          {Hazard::unwritten});
                }
                mask |= asked;
            }
        }
        return block.use_in_product(*this, operand, agent, registers, step_);
    }

    void count(Block& block) const
    {
        if (!block.counting()) return;
        Tally& tally = block.tally(*this);
        ++tally.issues;
        tally.lanes += 128;
        tally.lanes_active += 128;
        (integers_ ? tally.integer_ops : tally.flops) += 2 * m * n_ * k_;
        for (auto operand = static_cast<int>(first_shared()); operand < 3; ++operand) {
            ++tally.operands[operand].requests;
            tally.operands[operand].bytes += (operand == 1 ? m : n_) * 32;
        }
    }

    bool accumulate_ = false, integers_ = false, halves_ = false, negated_ = false;
    bool blocks_ = false;                               ///< D is in blocks as `tile::run` wants them
    std::vector<std::int64_t> bases_{};                 ///< of them: [agent][issue]
    std::vector<std::int32_t> firsts_{};                ///< D's table, of lane 0 alone
    std::vector<std::vector<std::size_t>> registers_{}; ///< of D, by agent, where it is in blocks
    Block::ProductStep step_{};
    WgmmaLeft left_{}; ///< A, where it is in registers
    int bytes_ = 2;
    std::int64_t n_ = 8, k_ = 16, n_all_ = 8;
    std::vector<std::int32_t> element_{}; ///< [warp][lane][register]: row-major number in the tile
    std::vector<std::int32_t> corners_{}; ///< [warpgroup][issue]: the first element of the tile in D's view; −1: none
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
