// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_INSTRUCTION_HPP
#define AXE_PROGRAM_INSTRUCTION_HPP

#include <axe/program/operation.hpp>

#include <memory>

namespace axe {
inline namespace v0 {

/// Who touches which element when: entry (issue, agent, lane, e), row-major, is the row-major number of an element of a view, or −1
/// where the lane takes no part. `agent` counts from the first agent that runs the instruction; e counts the elements that one lane
/// moves in one issue, which are to be consecutive in memory, and consecutive registers.
struct Distribution {
    int issues = 1, agents = 1, lanes = 1, vector = 1;
    std::vector<std::int32_t> element{};

    [[nodiscard]] std::size_t at(int issue, int agent, int lane, int e = 0) const noexcept
    {
        return ((static_cast<std::size_t>(issue) * static_cast<std::size_t>(agents) + static_cast<std::size_t>(agent)) *
                    static_cast<std::size_t>(lanes) +
                static_cast<std::size_t>(lane)) *
                   static_cast<std::size_t>(vector) +
               static_cast<std::size_t>(e);
    }
    friend bool operator==(const Distribution&, const Distribution&) = default;
};

/// One operand of an instruction: a view, and who touches which of its elements. Without a distribution the instruction takes the view
/// as a whole, as engines do that walk a box by themselves (DMA, systolic array, peer copies).
struct Access {
    View view{};
    std::shared_ptr<const Distribution> distribution{};
};

/// What a machine executes: a row of the simulator's table (`opcode`), as the vendor spells it (`text`), on operands.
///
/// The destination is the first operand. All distributions of one instruction have the same issues and agents. Agents first_agent,
/// first_agent + agent_stride, … of the block run it, each its own column of the distributions; the others pass by. Issues run in order.
struct Instruction {
    std::string opcode{};
    std::string text{};
    std::vector<Access> operands{};
    int first_agent = 0, agents = 1, agent_stride = 1;
    bool async = false;          ///< goes on by itself; complete after commit and wait
    int completes_on = -1;       ///< or the mbarrier whose phase counts the bytes that it writes
    std::uint16_t multicast = 0; ///< bit r: what it writes goes to the block of rank r of the cluster; 0: to the own one
    bool pair = false;       ///< of two blocks of the cluster, of ranks 2i and 2i + 1, or the mbarrier is that of the first of them
    bool reads_only = false; ///< the first operand, too, is not written
    int written = 1;         ///< else the first so many are
    Function function = Function::identity;
    double number = 0;
    Affine start{};                         ///< a number that the run knows: where an iota begins
    const RawFunction* raw = nullptr;       ///< of raw: which
    std::vector<std::int64_t> parameters{}; ///< what else the row of the table asks for
};

/// Does the instruction write its k-th operand?
inline bool writes(const Instruction& instruction, std::size_t k) noexcept
{
    return !instruction.reads_only && k < static_cast<std::size_t>(instruction.written);
}

} // namespace v0
} // namespace axe

#endif
