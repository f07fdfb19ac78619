// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_RESOLVE_AHEAD_HPP
#define AXE_SIM_OPCODES_RESOLVE_AHEAD_HPP

#include <axe/program/messages.hpp>
#include <axe/sim/memory/resolve.hpp>
#include <axe/tensor/threads.hpp>

#include <atomic>
#include <optional>
#include <utility>

/// The tables of a grid's operands, made on several of the host's threads.
namespace axe {
inline namespace v0 {
namespace sim {

/// Are both for the same agents?
inline bool for_same_agents(const Instruction& a, const Instruction& b)
{
    return a.first_agent == b.first_agent && a.agents == b.agents && a.agent_stride == b.agent_stride;
}
/// Do two operands of instructions for the same agents have the same tables?
inline bool resolve_alike(const Access& a, const Access& b)
{
    return a.view == b.view && a.distribution != nullptr && b.distribution != nullptr &&
           (a.distribution == b.distribution || *a.distribution == *b.distribution);
}
/// So many instructions before one are looked at for the same tables: unrolled loops say the same again and again.
inline constexpr std::size_t looked_back = 16;

inline Result<LaneAccess, Problem> resolve(const Program& program, const std::vector<TensorPlan>& plans,
                                           const Instruction& instruction, const Access& access, int statement)
{
    return AccessResolver(plans, instruction, access, statement_text(program, statement) + ", " + instruction.opcode)();
}

/// Resolves the operands of a grid before its instructions are made ready one after the other: each that is not as one before.
class ResolvedAhead {
  public:
    /// Does nothing where one thread is to do it all, or there is little to do.
    ResolvedAhead(const Program& program, const std::vector<TensorPlan>& plans, const std::vector<const Statement*>& statements,
                  int threads)
    {
        if (threads < 2) return;
        std::size_t elements = 0;
        for (const Statement* s : statements) {
            const auto& instruction = std::get<Instruction>(s->what);
            if (instruction.agents < 1 || instruction.agent_stride < 1 || instruction.first_agent < 0) continue;
            for (const Access& a : instruction.operands) {
                const auto same = [&](const Item& i) {
                    return for_same_agents(*i.instruction, instruction) && resolve_alike(*i.access, a);
                };
                const std::size_t first = items_.size() - std::min(items_.size(), 4 * looked_back);
                const auto from = items_.begin() + static_cast<std::ptrdiff_t>(first);
                if (a.distribution == nullptr || std::any_of(from, items_.end(), same)) continue;
                if (static_cast<std::size_t>(a.view.tensor) >= plans.size()) continue;
                items_.push_back({&a, &instruction, s->id, {}});
                elements += a.distribution->element.size();
            }
        }
        constexpr std::size_t least = 1 << 14; // what a thread takes to start
        if (items_.size() < 2 || elements < least) {
            items_.clear();
            return;
        }
        std::atomic<std::size_t> next{0};
        run_on_threads(
            static_cast<int>(std::min<std::size_t>(items_.size(), static_cast<std::size_t>(std::min(threads, 256)))), [&] {
                for (std::size_t i = next++; i < items_.size(); i = next++)
                    items_[i].resolved = resolve(program, plans, *items_[i].instruction, *items_[i].access, items_[i].statement);
            });
    }
    /// What the operand came to, once; nothing where it was not resolved.
    std::optional<Result<LaneAccess, Problem>> take(const Access& access)
    {
        for (Item& i : items_)
            if (i.access == &access) return std::exchange(i.resolved, std::nullopt);
        return std::nullopt;
    }

  private:
    struct Item {
        const Access* access;
        const Instruction* instruction;
        int statement;
        std::optional<Result<LaneAccess, Problem>> resolved;
    };
    std::vector<Item> items_{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
