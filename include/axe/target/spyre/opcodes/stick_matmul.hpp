// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_OPCODES_STICK_MATMUL_HPP
#define AXE_TARGET_SPYRE_OPCODES_STICK_MATMUL_HPP

#include <axe/target/spyre/opcodes/sticks.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// `stick_matmul` D[m, n], A[m, k], B[k, n] with parameters {accumulate}: D = (D +) Σ_k A[m, k]·B[k, n], in f32, k ascending, one
/// rounding to D's type. Operands in the memory of the block, each by whole sticks, along k in A and along n in B and D.
///      [torch-spyre, propagate_layouts.py: the stick of A is k, that of B and D n]
///
/// All k of the views are multiplied: what a stick of A has beyond the tensor meets what B has there, and 0·NaN is NaN.
class StickMatmul : public Executable {
  public:
    static Prepared prepare(const Preparation& p)
    {
        auto e = std::make_unique<StickMatmul>();
        if (auto problem = check_boxes(p, *e, 3, 3, true); !problem.ok()) return problem;
        const auto& parameters = p.instruction->parameters;
        if (parameters.size() != 1) return p.refuse("the parameter must be accumulate, got {0} parameters", {parameters.size()});
        if (parameters[0] < 0 || parameters[0] > 1)
            return p.refuse("parameter accumulate must be 0 or 1, got {0}", {parameters[0]});
        e->accumulate_ = parameters[0] == 1;
        const Shape &d = p.instruction->operands[0].view.extents, &a = p.instruction->operands[1].view.extents,
                    &b = p.instruction->operands[2].view.extents;
        if (d.size() != 2 || a.size() != 2 || b.size() != 2 || d[0] != a[0] || d[1] != b[1] || a[1] != b[0])
            return p.refuse("the operands have {0}, {1} and {2} elements; they must be [M, N], [M, K], [K, N]",
                            {shape_text(d), shape_text(a), shape_text(b)}, errc::size_mismatch);
        for (std::size_t k = 0; k < 3; ++k) {
            const DType type = p.plan(k).tensor->dtype;
            if (type == DType::dl16 || (k == 0 && type == DType::f32)) continue;
            return p.refuse("{0} is {1}; the instruction multiplies dl16 and accumulates in dl16 or f32",
                            {p.plan(k).name(), name(type)});
        }
        e->m_ = d[0], e->n_ = d[1], e->k_ = a[1];
        e->sticks_ = Sticks::of(p);
        return Prepared(std::unique_ptr<Executable>(std::move(e)));
    }

    bool run(Block& block, int, int agent) const override
    {
        Engine engine(block, *this, agent);
        engine.count_issue();
        const BoxSide sides[3] = {engine.side(0), engine.side(1), engine.side(2)};
        std::vector<float> left, right, sums(static_cast<std::size_t>(m_ * n_), 0.0f);
        if (!sticks_.hold(engine, sides, 3, 1)) return false;
        if (!load(engine, sides[1], 1, left) || !load(engine, sides[2], 2, right)) return false;
        if (accumulate_ && !load(engine, sides[0], 0, sums)) return false;
        multiply(left, right, sums);
        engine.count_operations(2 * m_ * n_ * k_, false);
        const BoxSide& d = sides[0];
        engine.count(0, 1, 0);
        return walk(d.view->extents, &d, 1, [&](const Stretch& s) {
            bool is_there = true;
            if (!engine.reach(d, s, s.at[0], is_there)) return false;
            if (!is_there) return true;
            if (!engine.write(d, s, s.at[0])) return false;
            engine.count(0, 0, s.n * d.plan->width);
            for (std::int64_t i = 0; i < s.n; ++i)
                engine.store(d, s.at[0](i),
                             encode(d.plan->tensor->dtype, static_cast<double>(sums[static_cast<std::size_t>(s.index + i)])));
            return true;
        });
    }

  private:
    /// The operand's elements as numbers; what a guarded view does not have is 0.
    static bool load(Engine& engine, const BoxSide& side, std::size_t operand, std::vector<float>& out)
    {
        const TensorPlan& plan = *side.plan;
        out.assign(static_cast<std::size_t>(*volume(side.view->extents)), 0.0f);
        if (operand > 0) engine.count(operand, 1, 0);
        const std::byte* data = engine.data(side);
        return walk(side.view->extents, &side, 1, [&](const Stretch& s) {
            bool is_there = true;
            if (!engine.reach(side, s, s.at[0], is_there)) return false;
            if (!is_there) return true;
            if (!engine.read(side, s, s.at[0])) return false;
            operand > 0 ? engine.count(operand, 0, s.n * plan.width) : engine.count_read_back(s.n * plan.width);
            for (std::int64_t i = 0; i < s.n; ++i)
                out[static_cast<std::size_t>(s.index + i)] =
                    static_cast<float>(decode(plan.tensor->dtype, load_bits(data + s.at[0](i) * plan.width, plan.width)));
            return true;
        });
    }

    /// Products of dl16 have 20 bits, so that f32 has them exactly, and it does not matter whether a multiply-add is fused.
    void multiply(const std::vector<float>& left, const std::vector<float>& right, std::vector<float>& sums) const
    {
        const auto m = static_cast<std::size_t>(m_), n = static_cast<std::size_t>(n_), k = static_cast<std::size_t>(k_);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t l = 0; l < k; ++l)
                for (std::size_t j = 0; j < n; ++j) sums[i * n + j] += left[i * k + l] * right[l * n + j];
    }

    Sticks sticks_{};
    std::int64_t m_ = 1, n_ = 1, k_ = 1;
    bool accumulate_ = false;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
