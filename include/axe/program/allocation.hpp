// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_ALLOCATION_HPP
#define AXE_PROGRAM_ALLOCATION_HPP

#include <axe/program/program.hpp>
#include <axe/tensor/problem.hpp>

namespace axe {
inline namespace v0 {

/// Where a tensor is in its owner's memory, and when. Positions number the statements of the program in the order of its text, whatever
/// their ids; at each position of [begin, end] the bytes are the tensor's.
struct TensorAllocation {
    int tensor = -1;
    int statement = -1;     ///< that allocates it
    std::int64_t bytes = 0; ///< for each owner, on the last axis of the memory
    std::int64_t base = 0;  ///< the first byte there
    int begin = 0, end = 0; ///< live range: from the first to the last use, a loop as a whole if the value passes its back edge
    int first_use = -1, last_use = -1; ///< the ids of the statements there; −1: it is not used
    int scope_end = 0;                 ///< the last position of the body that allocates it
};

/// What is allocated in one memory by each block of a grid, or, outside grids, by each device.
struct MemoryAllocation {
    bool in_grid = false;
    int grid = -1; ///< its statement
    const char* memory = "";
    std::int64_t peak = 0;                   ///< bytes in use
    std::int64_t live = 0;                   ///< the most bytes that are live at one position
    std::int64_t limit = 0;                  ///< bytes that each owner has; 0: not limited
    bool reused = false;                     ///< do tensors share bytes?
    std::vector<TensorAllocation> tensors{}; ///< in the order of allocation
};

/// What a block of a grid takes of its machine. Registers are those of the program's tensors, as the machine allocates them; addresses and
/// what else a compiler keeps come on top. Columns of tensor memory are one allocation.
struct BlockResources {
    int grid = -1;
    std::int64_t threads = 1;
    std::int64_t thread_registers = 0; ///< of 4 bytes; 0: the machine does not count them
    std::int64_t shared_bytes = 0;     ///< of a block
    std::int64_t tensor_columns = 0;   ///< that a block has from its start to its end; 0 where the grid asks for them in statements
    std::int64_t resident = 0;         ///< blocks that a multiprocessor holds at once; 0: the machine's data do not say
    const char* limited_by = "";       ///< the limit that is reached first
};

struct AllocationReport {
    std::vector<MemoryAllocation> memories{};
    std::vector<BlockResources> grids{};
};

/// Gives each tensor that a program allocates its bytes in its owner's memory.
///
/// As long as there is room, tensors of one owner have bytes of their own. Without enough room, tensors whose live ranges are disjoint
/// share bytes: first those between which a barrier of the whole block orders the accesses, then all. Of two that agents of disjoint
/// slices use, only a barrier makes the ranges disjoint. A tensor that names its base keeps it.
///
/// Of a program with operators, whose schedules will add tensors, the report has the sum of what is live, and tensors with a hint count
/// with their least size.
///
/// `errc::capacity` with the bytes asked and there when a memory, the registers of a block or its threads do not suffice;
/// `errc::bad_argument` when two tensors that name their bases overlap while both exist.
/// Cost: statements times depth, and the square of the number of tensors in one memory.
AXE_DECL Result<AllocationReport, Problem> allocate(const Program& program);

/// The problems of `allocate`, all of them: one for each memory and each grid.
AXE_DECL std::vector<Problem> allocation_problems(const Program& program);

/// The report in words: a table for each memory, and what limits the blocks of each grid that a multiprocessor holds.
AXE_DECL std::string allocation_text(const Program& program, const AllocationReport& report);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/allocation.hpp>
#endif

#endif
