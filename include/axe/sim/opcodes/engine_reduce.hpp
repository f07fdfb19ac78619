// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_ENGINE_REDUCE_HPP
#define AXE_SIM_OPCODES_ENGINE_REDUCE_HPP

#include <axe/sim/opcodes/box_reduce.hpp>
#include <axe/sim/opcodes/view_rules.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `engine_reduce` D, A with a function and parameters {reduced dimensions of A, perhaps −1}: D = f over these dimensions of A, which
/// do not leave a partition; with the −1, D = f(D, …). Terms are taken row-major; one rounding to D's type.
template <class Rules>
class EngineReduce : public Executable {
  public:
    explicit EngineReduce(Reduction reduction) : reduction_(std::move(reduction)) {}

    static Prepared prepare(const Preparation& p)
    {
        if (auto problem = check_count(p, 2, 2); !problem.ok()) return problem;
        auto reduction = Reduction::make(p);
        if (!reduction) return reduction.error();
        auto e = std::make_unique<EngineReduce>(std::move(*reduction));
        if (auto problem = check_boxes(p, *e, 2, 2, true); !problem.ok()) return problem;
        auto reduced = reduced_dims(p);
        if (!reduced) return reduced.error();
        e->reduced_ = std::move(*reduced);
        e->rules_ = Rules::of(p);
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        Engine engine(block, *this, agent);
        engine.count_issue();
        engine.count(0, 1, 0);
        engine.count(1, 1, 0);
        const TermViews views(instruction->operands[1].view, reduced_, engine.origin(1));
        const Shape& shape = views.kept.extents;
        const TensorPlan& plan = block.plan(views.kept.tensor);
        Reduction sums = reduction_.started(*volume(shape));
        BoxSide sides[2] = {engine.side(0), {}};
        const BoxSide& d = sides[0];
        if (const BoxSide whole[2] = {d, engine.side(1)}; !rules_.hold(engine, whole, 2)) return false;
        for (std::size_t t = 0; t < views.origins.size(); ++t) {
            sides[1] = box_side(plan, views.kept, views.origins[t]);
            typename Rules::Check check(engine, sides, 2);
            const bool done = walk(shape, sides, 2, [&](const Stretch& s) {
                bool is_there[2]{};
                if (!engine.reach(d, s, s.at[0], is_there[0]) || !engine.reach(sides[1], s, s.at[1], is_there[1])) return false;
                if (!is_there[0]) return true;
                if (engine.full() && !check.note(s, is_there)) return false;
                if (!engine.is_unwritten(sides, 2, s, is_there, true, false)) return false;
                if (is_there[1]) {
                    if (!engine.read(sides[1], s, s.at[1])) return false;
                    engine.count(1, 0, s.n * plan.width);
                }
                sums.add(s.index, is_there[1] ? engine.data(sides[1]) : nullptr, s.at[1], s.n, t == 0);
                if (t > 0 || reduced_.accumulate) engine.count_operations(sums.operations() * s.n, sums.in_integers());
                return true;
            });
            if (!done || (engine.full() && !check.done())) return false;
        }
        return walk(shape, sides, 1, [&](const Stretch& s) {
            if (!s.at[0].inside) return true;
            if (reduced_.accumulate) {
                if (!engine.read(d, s, s.at[0])) return false;
                engine.count_read_back(s.n * d.plan->width);
            }
            if (!engine.write(d, s, s.at[0]) || !engine.is_unwritten(sides, 1, s, nullptr, false, true)) return false;
            engine.count(0, 0, s.n * d.plan->width * static_cast<std::int64_t>(d.plan->address.copies.size()));
            for (std::int64_t i = 0; i < s.n; ++i) {
                const std::uint64_t old = load_bits(engine.data(d) + s.at[0](i) * d.plan->width, d.plan->width);
                engine.store(d, s.at[0](i), sums.result(s.index + i, reduced_.accumulate ? &old : nullptr));
            }
            return true;
        });
    }

  private:
    Rules rules_{};
    Reduction reduction_;
    ReducedDims reduced_{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
