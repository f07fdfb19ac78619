// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_EXECUTABLE_HPP
#define AXE_SIM_AGENTS_EXECUTABLE_HPP

#include <axe/sim/control/code.hpp>
#include <axe/sim/memory/access.hpp>
#include <axe/sim/memory/shadow.hpp>
#include <axe/sim/report/ends_by.hpp>
#include <axe/sim/report/fault.hpp>

#include <map>
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
    int index = 0; ///< among the instructions of the program, for tallies; as an access of memory it is index + 1
    Operands operands{};
    bool in_agent_order = false; ///< what it leaves depends on which agent comes first
    bool at_once = false;        ///< run_at_once may do it
    bool other_blocks = false;   ///< its operands may be in the memory of other blocks
    bool other_devices = false;  ///< and in that of other devices
    bool in_network = false;     ///< what it does there the network between the devices does for all: it counts its bytes itself
    bool reads_back = false;     ///< the destination is read before it is written
    int together = 1;            ///< so many agents run it as one: run() is for the first of them, when all have come
    EndsBy ends_by = EndsBy::itself; ///< what shows that it is complete, where it goes on by itself
    int chosen_by_data = -1;         ///< an operand whose elements the data choose; its distribution does not say them

    Executable() = default;
    Executable(const Executable&) = delete;
    Executable& operator=(const Executable&) = delete;
    virtual ~Executable() = default;
    /// Runs column `column` of the distributions as agent `agent` of the block. False: the block has a fault.
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
    std::vector<int> tensors{};           ///< allocated in it
    std::vector<int> outside{}, inside{}; ///< the variables declared around it, the device's among them; and in it, its own too
    bool independent = false;             ///< its clusters, or blocks, write different elements, and read of them only their own
    bool related = false;                 ///< its blocks may wait for each other, or access each other's memory
    std::int64_t resident = 1; ///< blocks that the machine's multiprocessors hold together, where blocks wait for each other
    /// Tensors of a memory whose bytes are, or were, those of others: the cells that they have together.
    struct SharedBytes {
        std::size_t cells = 0;
        int granule = 1;
        std::vector<Shadow::Part> parts{};
    };
    std::vector<SharedBytes> shared_bytes{};

    /// Where the program says how many registers threads have: with how many they start, and by step and agent what tensors take.
    struct Registers {
        std::int64_t start = 0;
        std::vector<std::int32_t> needs{};
        std::vector<int> positions{}; ///< of steps, in the text
    };
    Registers registers{};
    std::map<int, int> columns{}; ///< tensors, and the numbers of the columns that they are in; empty: it asks for none

    /// Blocks that run together in any case: those of a cluster.
    [[nodiscard]] std::int64_t together() const { return grid->cluster.empty() ? 1 : *volume(grid->cluster); }
    /// May a block wait for one that is not of its cluster?
    [[nodiscard]] bool waits_for_others() const noexcept { return related && !independent; }
    /// Of its instructions, whose tallies follow each other.
    [[nodiscard]] std::ptrdiff_t first_index() const noexcept { return instructions.empty() ? 0 : instructions.front()->index; }
};

/// What a run knows before it starts.
struct Compiled {
    const Program* program = nullptr;
    Stage stage{};
    RunOptions options{};
    std::vector<TensorPlan> plans{};
    bool remote = false; ///< blocks access the memory of other devices; then devices take turns
    int instruction_count = 0;
    std::vector<MemoryAccess> accesses{}; ///< by number; the first is that of no statement
    std::vector<std::uint32_t> load_of{}; ///< of each statement, by its id: the access that its expressions are
    [[nodiscard]] std::uint32_t load_access(int statement) const noexcept
    {
        return statement < 0 || static_cast<std::size_t>(statement) >= load_of.size()
                   ? 0
                   : load_of[static_cast<std::size_t>(statement)];
    }
    [[nodiscard]] bool full() const noexcept { return options.level == Level::full; }
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
