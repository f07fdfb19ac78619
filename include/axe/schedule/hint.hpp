// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_HINT_HPP
#define AXE_SCHEDULE_HINT_HPP

#include <axe/program/register_rows.hpp>
#include <axe/program/target.hpp>
#include <axe/schedule/schedule.hpp>

namespace axe {
inline namespace v0 {

/// A tensor whose layout the program leaves to the target, and where it is allocated.
struct HintRequest {
    const Program& program;
    const Target& target;
    int id = -1; ///< of the tensor
    ExecutionScope place{};
    const std::vector<RowUse>* rows = nullptr; ///< of all tensors; null: to be looked for
    bool least_registers = false;              ///< with wider vectors there is no room

    [[nodiscard]] const ProgramTensor& tensor() const { return program.tensors[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const Memory& memory() const { return *find_memory(program.machine, tensor().memory.c_str()); }
};

/// A layout, and what was decided, in words.
struct HintedLayout {
    Swizzled<Layout> layout{};
    std::string detail{};
    Shape padded{}; ///< where it is not empty, the shape that the tensor gets: none of its extents is smaller than it was
};

/// One way to choose the layout of a tensor with a hint, as a row of a table: the first that applies decides.
struct HintRule {
    const char* name;
    const char* what; ///< in a message, for the printed table
    bool (*applies)(const HintRequest&);
    /// The problem names the tensor.
    Result<HintedLayout, Problem> (*choose)(const HintRequest&);
};

} // namespace v0
} // namespace axe

#endif
