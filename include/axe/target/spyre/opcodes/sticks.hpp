// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_OPCODES_STICKS_HPP
#define AXE_TARGET_SPYRE_OPCODES_STICKS_HPP

#include <axe/sim/opcodes/view_rules.hpp>
#include <axe/target/spyre/sticks.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

inline constexpr const char* part_of_stick = "{0} touches {1} of the {2} bytes of stick {3} of {4}; it takes whole sticks";
inline constexpr const char* stick_across =
    "{0} takes the sticks of {1} along dimension {2} of its view, and stick {3} runs another way";

/// What a machine with sticks asks of the operands of an instruction: every stick that it touches it touches whole.      [torch-spyre]
///
/// Exempt is a tensor that has one element in each of its sticks, as reductions along sticks leave them.
class Sticks : public AnyViews {
  public:
    static Sticks of(const Preparation& p)
    {
        Sticks out;
        for (std::size_t k = 0; k < p.instruction->operands.size(); ++k) {
            const TensorPlan& plan = p.plan(k);
            const std::int64_t bytes = stick_bytes(p.compiled->program->machine, *plan.memory);
            out.bytes_ = std::max(out.bytes_, bytes);
            out.whole_.push_back(bytes > 0 && !out.is_sparse(plan));
        }
        return out;
    }

    /// Of a copy by DMA: whole sticks between memories that have them, but with the parameter 1 (to restickify) single elements; to and
    /// from a memory without sticks it converts on the way, where the machine has `dma.convert`.
    static Result<Sticks, Problem> of_copy(const Preparation& p)
    {
        const Machine& machine = p.compiled->program->machine;
        const bool to = stick_bytes(machine, *p.plan(0).memory) > 0, from = stick_bytes(machine, *p.plan(1).memory) > 0;
        if (to == from || !has_instruction(machine, "dma.convert"))
            if (auto problem = same_types(p); !problem.ok()) return problem;
        const auto& parameters = p.instruction->parameters;
        return to && from && (parameters.empty() || parameters[0] == 0) ? of(p) : Sticks{};
    }

    /// Does each operand come in whole sticks now? With `along` ≥ 0, each stick along that dimension of the view alone. False: the
    /// block has a fault. At level fast none is looked at.
    bool hold(Engine& engine, const BoxSide* sides, std::size_t count, int along = -1) const
    {
        for (std::size_t k = 0; k < count && k < whole_.size() && engine.full(); ++k)
            if (whole_[k] && !holds(engine, sides[k], along)) return false;
        return true;
    }

  private:
    struct Touched {
        std::int64_t byte = 0, others = 0; ///< the place, and the element's number without the dimension of the stick
        friend bool operator<(const Touched& a, const Touched& b) noexcept { return a.byte < b.byte; }
    };

    bool holds(Engine& engine, const BoxSide& side, int along) const
    {
        const TensorPlan& plan = *side.plan;
        const Shape& shape = side.view->extents;
        std::int64_t inner = 1, extent = 1;
        for (int k = shape.size() - 1; k >= 0 && along >= 0; --k) {
            if (k > along) inner *= shape[k];
            if (k == along) extent = shape[k];
        }
        std::vector<Touched> all;
        walk(shape, &side, 1, [&](const Stretch& s) {
            for (std::int64_t i = 0; i < s.n && s.at[0].inside; ++i) {
                const std::int64_t e = s.index + i;
                all.push_back({plan.base + (s.at[0](i) + plan.low) * plan.width, e / inner / extent * inner + e % inner});
            }
            return true;
        });
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < all.size();) {
            const std::int64_t stick = all[i].byte / bytes_, first = all[i].others;
            std::int64_t touched = 0, last = -1;
            for (; i < all.size() && all[i].byte / bytes_ == stick; ++i) {
                if (all[i].byte != last) touched += plan.width;
                last = all[i].byte;
                if (along >= 0 && all[i].others != first)
                    return engine.refuse(FaultKind::misaligned,
                                         detail::worded(stick_across, {engine.who(), plan.name(), along, stick}));
            }
            if (touched != bytes_)
                return engine.refuse(FaultKind::misaligned,
                                     detail::worded(part_of_stick, {engine.who(), touched, bytes_, stick, plan.name()}));
        }
        return true;
    }

    /// Has no stick two elements of the tensor?
    [[nodiscard]] bool is_sparse(const TensorPlan& plan) const
    {
        View whole;
        whole.extents = plan.tensor->shape;
        for (int d = 0; d < whole.extents.size(); ++d) {
            whole.origin.emplace_back(0);
            whole.dims.push_back(d);
            whole.steps.push_back(1);
        }
        const BoxSide side = box_side(plan, whole, std::vector<std::int64_t>(whole.origin.size(), 0));
        std::vector<std::int64_t> sticks;
        walk(whole.extents, &side, 1, [&](const Stretch& s) {
            for (std::int64_t i = 0; i < s.n; ++i) {
                sticks.push_back((plan.base + (s.at[0](i) + plan.low) * plan.width) / bytes_);
                // Neighbors in one stick are the rule: of a dense tensor the second element says so.
                if (sticks.size() > 1 && sticks.back() == sticks[sticks.size() - 2]) return false;
            }
            return true;
        });
        std::sort(sticks.begin(), sticks.end());
        return std::adjacent_find(sticks.begin(), sticks.end()) == sticks.end();
    }

    std::int64_t bytes_ = 0;
    std::vector<bool> whole_{}; ///< of each operand: must its sticks be whole?
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
