// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_OPCODES_VIEW_RULES_HPP
#define AXE_SIM_OPCODES_VIEW_RULES_HPP

#include <axe/sim/opcodes/engine.hpp>

namespace axe {
inline namespace v0 {
namespace sim {

/// The rules of engines that take views of any layout, and the form of all such rules: what the instructions of engines
/// (`EngineMap`, `EngineReduce`, `Dma`) require of their operands besides access. A target with other rules derives from this
/// and hides what differs.
struct AnyViews {
    /// The rules of an instruction, when it is made ready.
    static AnyViews of(const Preparation&) { return {}; }
    /// Those of a copy between memories, with the check of its types.
    static Result<AnyViews, Problem> of_copy(const Preparation& p)
    {
        if (auto problem = same_types(p); !problem.ok()) return problem;
        return AnyViews{};
    }
    /// May the operands be taken as they are? Asked once an execution, before anything is read. False: the block has a fault.
    bool hold(Engine&, const BoxSide*, std::size_t) const { return true; }

    /// What is asked along the way, with all checks on: of each stretch, and at the end. False: the block has a fault.
    struct Check {
        Check(Engine&, const BoxSide*, std::size_t) {}
        bool note(const Stretch&, const bool*) { return true; }
        bool done() { return true; }
    };
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
