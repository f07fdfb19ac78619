// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_ENGINE_MAP_HPP
#define AXE_SIM_OPCODES_ENGINE_MAP_HPP

#include <axe/sim/opcodes/map.hpp>
#include <axe/sim/opcodes/view_rules.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `engine_map` D, A, …: a function of elements; `engine_fill` D: a number. On whole views in the memories of the block, row-major, one
/// rounding to D's type. What is outside a guarded operand is 0.
template <class Rules>
class EngineMap : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<EngineMap>();
        const bool fill = p.instruction->opcode == "engine_fill";
        if (auto problem = check_boxes(p, *e, fill ? 1 : 2, fill ? 1 : 4, true); !problem.ok()) return problem;
        if (auto problem = same_extents(p); !problem.ok()) return problem;
        const DType to = p.plan(0).tensor->dtype;
        e->constant_ = encode(to, p.instruction->number);
        e->rules_ = Rules::of(p);
        if (fill) return Prepared(std::unique_ptr<Executable>(std::move(e)));
        const FunctionRow& row = p.instruction->function.row();
        const std::size_t sources = p.instruction->operands.size() - 1;
        if (auto problem = check_arity(p, row, sources); !problem.ok()) return problem;
        std::vector<DType> types;
        for (std::size_t k = 0; k < sources; ++k) types.push_back(e->types_[k] = p.plan(k + 1).tensor->dtype);
        e->function_ = {&row, arithmetic_of(types), to};
        if (auto problem = check_arithmetic(p, row, e->function_.arithmetic); !problem.ok()) return problem;
        e->operations_ = row.operations;
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        Engine engine(block, *this, agent);
        engine.count_issue();
        const std::size_t n = instruction->operands.size();
        std::vector<BoxSide> sides;
        for (std::size_t k = 0; k < n; ++k) sides.push_back(engine.side(k));
        if (!rules_.hold(engine, sides.data(), n)) return false;
        typename Rules::Check check(engine, sides.data(), n);
        const std::byte* data[4]{};
        for (std::size_t k = 0; k < n; ++k) {
            data[k] = engine.data(sides[k]);
            engine.count(k, 1, 0);
        }
        const bool done = walk(sides[0].view->extents, sides.data(), static_cast<int>(n), [&](const Stretch& s) {
            bool is_there[4]{};
            for (std::size_t k = 0; k < n; ++k)
                if (!engine.reach(sides[k], s, s.at[k], is_there[k])) return false;
            if (!is_there[0]) return true;
            if (engine.full() && !check.note(s, is_there)) return false;
            if (!engine.is_unwritten(sides.data(), n, s, is_there)) return false;
            for (std::size_t k = 1; k < n; ++k)
                if (is_there[k]) {
                    if (!engine.read(sides[k], s, s.at[k])) return false;
                    engine.count(k, 0, s.n * sides[k].plan->width);
                }
            if (!engine.write(sides[0], s, s.at[0])) return false;
            engine.count(0, 0, s.n * sides[0].plan->width * static_cast<std::int64_t>(sides[0].plan->address.copies.size()));
            engine.count_operations(operations_ * s.n, function_.arithmetic == Arithmetic::integer);
            std::uint64_t bits[3]{};
            for (std::int64_t i = 0; i < s.n; ++i) {
                for (std::size_t k = 1; k < n; ++k) {
                    const int width = sides[k].plan->width;
                    bits[k - 1] = is_there[k] ? load_bits(data[k] + s.at[k](i) * width, width) : encode(types_[k - 1], 0.0);
                }
                engine.store(sides[0], s.at[0](i), n == 1 ? constant_ : function_(bits, types_, static_cast<int>(n) - 1));
            }
            return true;
        });
        return done && (!engine.full() || check.done());
    }

  private:
    Rules rules_{};
    ElementFunction function_{};
    DType types_[3]{};
    std::uint64_t constant_ = 0;
    int operations_ = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
