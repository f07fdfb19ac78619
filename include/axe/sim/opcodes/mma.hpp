// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_MMA_HPP
#define AXE_SIM_OPCODES_MMA_HPP

#include <axe/layout/evaluate.hpp>
#include <axe/layout/span.hpp>
#include <axe/machine/atom.hpp>
#include <axe/sim/opcodes/map.hpp>
#include <axe/sim/opcodes/tile_product.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `mma` D, A, B, C: D = A·B + C by the warp's lanes together, fragments laid out as the atom of that name says. Sums are taken from C
/// on, k ascending, in f32 (f64, integers) and rounded to D's type at the end: hardware's order is not specified.
class Mma : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<Mma>();
        if (auto problem = resolve_operands(p, *e, 4, 4); !problem.ok()) return problem;
        e->lanes_ = e->operands[0].lanes;
        const char* names[3] = {"A", "B", "C"};
        for (int i = 0; i < 3; ++i) {
            const Atom* atom = nullptr;
            for (const Atom& row : p.compiled->program->machine.atoms)
                if (p.instruction->text == row.name && std::string(row.operand) == names[i]) atom = &row;
            if (atom == nullptr) return p.refuse("no atom {0} with an operand {1} exists", {p.instruction->text, names[i]});
            if (auto problem = e->fragment(p, *atom, i); !problem.ok()) return problem;
        }
        if (e->fragments_[0].cols != e->fragments_[1].rows || e->fragments_[2].rows != e->fragments_[0].rows ||
            e->fragments_[2].cols != e->fragments_[1].cols)
            return p.refuse("the shapes of the fragments of {0} do not match", {p.instruction->text});
        if (e->operands[0].vector != e->operands[3].vector) return p.refuse("D and C have different fragments");
        for (const LaneAccess& a : e->operands)
            if (!a.in_registers())
                return p.refuse("{0} is in {1}; fragments must be in registers", {a.plan->name(), a.plan->tensor->memory});
        if (auto problem = e->find_issues(p); !problem.ok()) return problem;
        const std::vector<DType> types{e->type(1), e->type(2), e->type(3)};
        e->arithmetic_ = arithmetic_of(types);
        if (e->arithmetic_ == Arithmetic::f64 && e->type(1) != DType::f64) e->arithmetic_ = Arithmetic::f32;
        e->find_blocks();
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int column, int agent) const override
    {
        LaneElements at[4];
        for (int k = 0; k < 4; ++k)
            if (!block.places(*this, k, column, agent, at[k])) return false;
        const LaneAccess& d = operands[0];
        const Fragment &a = fragments_[0], &b = fragments_[1];
        if (block.counting()) {
            Tally& tally = block.tally(*this);
            const std::int64_t issues = issues_[static_cast<std::size_t>(column)];
            tally.issues += issues;
            tally.lanes += lanes_ * issues;
            tally.lanes_active += lanes_ * issues;
            const std::int64_t work = 2ll * a.rows * a.cols * b.cols * issues;
            (arithmetic_ == Arithmetic::integer ? tally.integer_ops : tally.flops) += work;
        }
        if (block.full() && !check(block, column, agent, at)) return false;
        if (blocks_)
            multiply_blocks(block, column, agent, at);
        else if (arithmetic_ == Arithmetic::f32)
            multiply<float>(block, column, agent, at);
        else if (arithmetic_ == Arithmetic::f64)
            multiply<double>(block, column, agent, at);
        else
            multiply<std::int64_t>(block, column, agent, at);
        if (block.full()) block.write_registers(d, column, agent, at[0]);
        return true;
    }

  private:
    struct Fragment {
        int rows = 0, cols = 0;
        std::vector<int> element{}; ///< [lane][register]: row-major number in the operand
    };

    [[nodiscard]] DType type(std::size_t operand) const { return operands[operand].plan->tensor->dtype; }

    Result<void, Problem> fragment(const Preparation& p, const Atom& atom, int which)
    {
        Fragment& f = fragments_[which];
        const Shape shape = atom.shape();
        if (shape.size() != 2) return p.refuse("{0} does not multiply two matrices", {atom.name});
        f.rows = static_cast<int>(shape[0]);
        f.cols = static_cast<int>(shape[1]);
        const Layout layout = atom.layout();
        const auto lanes = span(layout, "lane");
        if (!lanes) return Problem(lanes.error(), p.where() + ": ");
        if (*lanes != lanes_)
            return p.refuse("operand {0} of {1} takes {2} lanes; a warp has {3}", {atom.operand, atom.name, *lanes, lanes_});
        const int registers = f.rows * f.cols / lanes_;
        f.element.assign(static_cast<std::size_t>(f.rows) * static_cast<std::size_t>(f.cols), -1);
        for (int i = 0; i < f.rows * f.cols; ++i) {
            const auto point = evaluate(layout, i);
            if (!point) return Problem(point.error(), p.where() + ": ");
            f.element[static_cast<std::size_t>((*point)["lane"] * registers + (*point)["reg"])] = i;
        }
        const std::size_t operand = which == 2 ? 3 : static_cast<std::size_t>(which) + 1;
        if (operands[operand].vector != registers)
            return p.refuse("a lane holds {0} elements of {1}; the view gives it {2}",
                            {registers, atom.operand, operands[operand].vector});
        const DType have = type(operand);
        const bool fits =
            std::string(atom.element) == name(have) || (which == 2 && is_float(have) && storage_bytes(have) >= 2) ||
            (std::string(atom.element) == "s8" && have == DType::i8) || (std::string(atom.element) == "u8" && have == DType::u8) ||
            (std::string(atom.element) == "s32" && have == DType::i32) || (std::string(atom.element) == "s4" && have == DType::i4);
        if (!fits)
            return p.refuse("{0} takes elements of {1}; {2} has {3}",
                            {atom.operand, atom.element, operands[operand].plan->name(), name(have)});
        return {};
    }

    /// How many issues each agent has: of its tiles it may have fewer than another, or none.
    Result<void, Problem> find_issues(const Preparation& p)
    {
        for (int agent = 0; agent < operands[0].agents; ++agent) {
            int issues = 0;
            for (int issue = 0; issue < operands[0].issues; ++issue) {
                const bool here = operands[0].table[operands[0].entry(agent, issue, 0)] != inactive;
                for (const LaneAccess& a : operands)
                    for (int lane = 0; lane < lanes_; ++lane) {
                        const std::int32_t t = a.table[a.entry(agent, issue, lane)];
                        if (t == outside || (t != inactive) != here)
                            return p.refuse("all lanes of a warp or none must take part, with elements inside their tensors: {0}",
                                            {a.plan->name()});
                    }
                if (here && issues < issue) return late_issue(p);
                issues += here ? 1 : 0;
            }
            issues_.push_back(issues);
        }
        return {};
    }

    bool check(Block& block, int column, int agent, const LaneElements* at) const
    {
        for (int k = 3; k > 0; --k)
            if (!block.read_registers(*this, k, column, agent, at[k])) return false;
        return true;
    }

    /// Operands of any type and any registers: decoded element by element.
    template <class Number>
    void multiply(Block& block, int column, int agent, const LaneElements* at) const
    {
        const auto col = static_cast<std::size_t>(column), lanes = static_cast<std::size_t>(lanes_);
        const int rows = fragments_[0].rows, inner = fragments_[0].cols, cols = fragments_[1].cols;
        std::vector<Number> left(static_cast<std::size_t>(rows * inner)), right(static_cast<std::size_t>(inner * cols)),
            sum(static_cast<std::size_t>(rows * cols));
        const auto gather = [&](int k, const Fragment& f, std::vector<Number>& into, std::size_t issue) {
            const LaneAccess& a = operands[static_cast<std::size_t>(k)];
            const std::byte* data = block.data(a, agent);
            const DType t = type(static_cast<std::size_t>(k));
            for (std::size_t lane = 0; lane < lanes; ++lane)
                for (int v = 0; v < a.vector; ++v) {
                    const std::uint64_t bits =
                        load_bits(data + place_of_element(a, at[k], issue * lanes + lane, col, v) * a.plan->width, a.plan->width);
                    const int element = f.element[lane * static_cast<std::size_t>(a.vector) + static_cast<std::size_t>(v)];
                    if constexpr (std::is_same_v<Number, std::int64_t>)
                        into[static_cast<std::size_t>(element)] = decode_int(t, bits);
                    else
                        into[static_cast<std::size_t>(element)] = static_cast<Number>(decode(t, bits));
                }
        };
        const LaneAccess& d = operands[0];
        std::byte* target = block.data(d, agent);
        for (std::size_t issue = 0; issue < static_cast<std::size_t>(issues_[col]); ++issue) {
            gather(1, fragments_[0], left, issue);
            gather(2, fragments_[1], right, issue);
            gather(3, fragments_[2], sum, issue);
            for (int i = 0; i < rows; ++i)
                for (int l = 0; l < inner; ++l)
                    for (int j = 0; j < cols; ++j)
                        sum[static_cast<std::size_t>(i * cols + j)] +=
                            left[static_cast<std::size_t>(i * inner + l)] * right[static_cast<std::size_t>(l * cols + j)];
            for (std::size_t lane = 0; lane < lanes; ++lane)
                for (int v = 0; v < d.vector; ++v) {
                    const int element =
                        fragments_[2].element[lane * static_cast<std::size_t>(d.vector) + static_cast<std::size_t>(v)];
                    const Number value = sum[static_cast<std::size_t>(element)];
                    std::uint64_t bits = 0;
                    if constexpr (std::is_same_v<Number, std::int64_t>)
                        bits = static_cast<std::uint32_t>(value); // s32 wraps, as the instruction without .satfinite does
                    else
                        bits = encode(type(0), static_cast<double>(value));
                    std::memcpy(target + place_of_element(d, at[0], issue * lanes + lane, col, v) * d.plan->width, &bits,
                                static_cast<std::size_t>(d.plan->width));
                }
        }
    }

    /// m16n8k16 of f16 or bf16 with f32 sums, each fragment in contiguous registers: A is four 8×8 blocks in memory, B two
    /// transposed ones, C row-major.
    void find_blocks()
    {
        const bool halves = (type(1) == DType::f16 || type(1) == DType::bf16) && type(2) == type(1) && type(0) == DType::f32 &&
                            type(3) == DType::f32;
        blocks_ = halves && lanes_ == 32 && fragments_[0].rows == 16 && fragments_[0].cols == 16 && fragments_[1].cols == 8;
        if (!blocks_) return;
        for (std::size_t k = 0; k < 4 && blocks_; ++k) {
            const LaneAccess& a = operands[k];
            blocks_ = a.plan->pack == 2 && a.fixed;
            for (int agent = 0; agent < a.agents && blocks_; ++agent)
                for (int issue = 0; issue < a.issues && blocks_; ++issue) {
                    if (issue >= issues_[static_cast<std::size_t>(agent)]) {
                        bases_[k].push_back(0); // never read
                        continue;
                    }
                    const std::int64_t base = made_place(a, agent, issue, 0, 0);
                    bases_[k].push_back(static_cast<std::int32_t>(base));
                    for (int lane = 0; lane < 32 && blocks_; ++lane)
                        for (int v = 0; v < a.vector && blocks_; ++v)
                            blocks_ = made_place(a, agent, issue, lane, v) == base + (v / 2 * 32 + lane) * 2 + v % 2;
                }
        }
        if (!blocks_) return;
        blocks_ = bases_[0] == bases_[3] && operands[0].tensor == operands[3].tensor;
        // Each distinct operand is decoded once.
        for (std::size_t k = 1; k < 3; ++k) {
            const int agents = operands[k].agents;
            const auto issues = static_cast<std::size_t>(operands[k].issues);
            distinct_[k].resize(static_cast<std::size_t>(agents));
            for (std::size_t agent = 0; agent < static_cast<std::size_t>(agents); ++agent)
                for (std::size_t issue = 0; issue < issues; ++issue) {
                    const std::int32_t base = bases_[k][agent * issues + issue];
                    auto& list = distinct_[k][agent];
                    auto found = std::find(list.begin(), list.end(), base);
                    number_[k].push_back(static_cast<int>(found - list.begin()));
                    if (found == list.end()) list.push_back(base);
                }
        }
    }

    void multiply_blocks(Block& block, int column, int agent, const LaneElements*) const
    {
        const auto col = static_cast<std::size_t>(column);
        const auto& lefts = distinct_[1][col];
        const auto& rights = distinct_[2][col];
        Workspace& room = block.workspace();
        auto &left = room.left, &right = room.right;
        auto& sums = room.sums;
        left.resize(lefts.size() * 256);
        right.resize(rights.size() * 128);
        const auto* a = reinterpret_cast<const std::uint16_t*>(block.data(operands[1], agent));
        const auto* b = reinterpret_cast<const std::uint16_t*>(block.data(operands[2], agent));
        const DType t = type(1);
        const bool wide = t == DType::f16 && tile::is_wide();
        const auto widen = [&](const std::uint16_t* from, float* to, int n) {
            wide ? tile::widen_f16(from, to, n) : decode(t, from, to, static_cast<std::size_t>(n));
        };
        for (std::size_t i = 0; i < lefts.size(); ++i) widen(a + lefts[i], left.data() + i * 256, 256);
        std::uint16_t turned[128]; // B is stored in registers as two blocks of its transpose
        for (std::size_t i = 0; i < rights.size(); ++i) {
            for (int q = 0; q < 128; q += 64) tile::transpose(b + rights[i] + q, turned + q);
            widen(turned, right.data() + i * 128, 128);
        }
        const auto issues = static_cast<std::size_t>(operands[0].issues), own = static_cast<std::size_t>(issues_[col]);
        auto* c = reinterpret_cast<float*>(block.data(operands[0], agent));
        sums.resize(own);
        for (std::size_t i = 0; i < own; ++i) sums[i] = c + bases_[0][col * issues + i];
        tile::Issues work;
        work.left = left.data();
        work.right = right.data();
        work.a = number_[1].data() + col * issues;
        work.b = number_[2].data() + col * issues;
        work.c = sums.data();
        work.count = static_cast<int>(own);
        tile::run(work);
    }

    int lanes_ = 32; ///< of a warp
    Fragment fragments_[3]{};
    Arithmetic arithmetic_ = Arithmetic::f32;
    bool blocks_ = false;
    std::vector<int> issues_{};                            ///< [agent]
    std::vector<std::int32_t> bases_[4]{};                 ///< [agent][issue]
    std::vector<std::vector<std::int32_t>> distinct_[3]{}; ///< [agent]: bases of A and B
    std::vector<int> number_[3]{};                         ///< [agent][issue]: which of them
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
