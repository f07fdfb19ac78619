// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_OPCODES_PARTITIONS_HPP
#define AXE_TARGET_TRAINIUM_OPCODES_PARTITIONS_HPP

#include <axe/sim/opcodes/view_rules.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// The most partitions of an access that starts at this one; 0 where none may start: more than 64 start at 0, 33 to 64 at 0 or 64, up
/// to 32 at a multiple of 32.      [AWS NKI, tile size rules]
constexpr std::int64_t partitions_from(std::int64_t start) noexcept
{
    return start == 0 ? 128 : start == 64 ? 64 : start == 32 || start == 96 ? 32 : 0;
}

/// Does an access of partitions `first` to `last` start where so many may? No partitions, last < first, may start anywhere.
inline bool starts_rightly(Engine& engine, const TensorPlan& plan, std::int64_t first, std::int64_t last)
{
    if (last < first || last - first + 1 <= partitions_from(first)) return true;
    return engine.refuse(
        FaultKind::misaligned,
        detail::worded("{0} touches {1} partitions of {2} from partition {3} on; from there at most {4} may be touched",
                       {engine.who(), last - first + 1, plan.name(), first, partitions_from(first)}));
}

inline constexpr const char* partitions_apart =
    "{0}, {1} is on partition {2}, {3} of the same number on {4}; an engine works on each partition for itself";

/// Which partitions the operands of an instruction are on, element by element: all operands on the same, counted from their first.
/// Engines work on each partition for itself.
class PartitionCheck {
  public:
    PartitionCheck(Engine& engine, const BoxSide* sides, std::size_t count) : engine_(&engine), sides_(sides), seen_(count) {}

    /// Notes a stretch; `is_there` says which operands have it. False: two operands are not on the same partition.
    bool note(const Stretch& s, const bool* is_there)
    {
        for (std::int64_t i = 0; i < s.n; ++i) {
            std::int64_t expected = -1;
            for (std::size_t k = 0; k < seen_.size(); ++k) {
                const TensorPlan& plan = *sides_[k].plan;
                if (!is_there[k] || plan.pitch == 0) continue;
                const std::int64_t at = (s.at[k](i) + plan.low) / plan.pitch;
                Seen& seen = seen_[k];
                if (seen.last < 0) seen.origin = at;
                seen.first = seen.last < 0 ? at : std::min(seen.first, at);
                seen.last = std::max(seen.last, at);
                if (expected >= 0 && at - seen.origin != expected)
                    return engine_->refuse(
                        FaultKind::wrong_owner,
                        detail::worded(partitions_apart, {engine_->who(), sides_[k].element_text(s.index + i), at,
                                                          sides_[0].element_text(s.index + i), seen_[0].origin + expected}));
                if (k == 0) expected = at - seen.origin;
            }
            if (s.n > 1 && is_steady(s, is_there)) break;
        }
        return true;
    }
    /// Does every operand start where so many partitions may? To be asked at the end.
    bool done()
    {
        for (std::size_t k = 0; k < seen_.size(); ++k)
            if (!starts_rightly(*engine_, *sides_[k].plan, seen_[k].first, seen_[k].last)) return false;
        return true;
    }

  private:
    struct Seen {
        std::int64_t origin = 0, first = 0, last = -1;
    };
    /// Are all operands on one partition each throughout the stretch?
    [[nodiscard]] bool is_steady(const Stretch& s, const bool* is_there) const
    {
        for (std::size_t k = 0; k < seen_.size(); ++k) {
            const TensorPlan& plan = *sides_[k].plan;
            if (is_there[k] && plan.pitch > 0 &&
                (s.at[k].place + plan.low) / plan.pitch != (s.at[k](s.n - 1) + plan.low) / plan.pitch)
                return false;
        }
        return true;
    }

    Engine* engine_;
    const BoxSide* sides_;
    std::vector<Seen> seen_;
};

/// What the engines of a NeuronCore ask of views.
struct PartitionRules : AnyViews {
    static PartitionRules of(const Preparation&) { return {}; }
    using Check = PartitionCheck;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
