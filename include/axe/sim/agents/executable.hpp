// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_EXECUTABLE_HPP
#define AXE_SIM_AGENTS_EXECUTABLE_HPP

#include <axe/sim/agents/code.hpp>
#include <axe/sim/memory/access.hpp>
#include <axe/sim/report/fault.hpp>

#include <memory>

/// What a run knows before it starts: instructions made ready, and their code.
namespace axe {
inline namespace v0 {
namespace sim {

class Block;

/// An instruction of a block, made ready: its operands resolved, its meaning chosen. Immutable while a run goes on; what changes is
/// the block's.
struct Executable {
    const Instruction* instruction = nullptr;
    int statement = -1;
    int index = 0; ///< among the instructions of the program, for tallies
    Operands operands{};
    bool in_agent_order = false; ///< what it leaves depends on which agent comes first
    bool at_once = false;        ///< run_at_once may do it
    bool reads_back = false;     ///< the destination is read before it is written
    int chosen_by_data = -1;     ///< an operand whose elements the data choose; its partition does not say them

    Executable() = default;
    Executable(const Executable&) = delete;
    Executable& operator=(const Executable&) = delete;
    virtual ~Executable() = default;
    /// Runs column `column` of the partitions as agent `agent` of the block. False: the block has a fault.
    virtual bool run(Block& block, int column, int agent) const = 0;
    /// The same for all columns at once, while all agents of the block are here with the same variables and nothing is checked or
    /// counted. False: there is no such way now, and nothing has been done.
    virtual bool run_at_once(Block&) const { return false; }
};

/// A grid, ready to run: straight code and its instructions.
struct GridCode {
    const Grid* grid = nullptr;
    int statement = -1;
    Code code{};
    std::vector<std::unique_ptr<Executable>> instructions{};
    std::vector<int> tensors{}; ///< allocated in it
};

/// What a run knows before it starts.
struct Compiled {
    const Program* program = nullptr;
    Stage stage{};
    RunOptions options{};
    std::vector<TensorPlan> plans{};
    int instruction_count = 0;
    [[nodiscard]] bool full() const noexcept { return options.level == Level::full; }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
