// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_REMOTE_HPP
#define AXE_SCHEDULE_REMOTE_HPP

#include <axe/schedule/options.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace detail {

/// Does a row ask for an instruction that goes over the links between the memories of a tensor?  `known`: those that do.
inline bool goes_over_links(const Request& request, const View& view, const Schedule& row, std::string& known)
{
    bool goes = false;
    for (const Link& link : request.machine().links) {
        if (!same_text(link.memory, request.memory(view).name)) continue;
        for (const char* instruction : link.instructions) {
            goes = goes || same_text(instruction, row.asks);
            known += (known.empty() ? "" : ", ") + std::string(instruction);
        }
    }
    if (known.empty()) known = "none";
    return goes;
}

/// Why a row does not do an operator of a pair of blocks, or on memory of another block or device; empty where it does, or the operator has
/// no such operand. A row does if its instructions go over the link that the machine has between those memories.
inline std::string why_not_of_other_block(const Request& request, const Schedule& row)
{
    if (std::string why = why_not_with_options(request, row); !why.empty()) return why;
    if (request.operation().options.pair && !row.pairs) return worded("{0} is not for a pair of blocks", {row.name});
    if (request.operation().op.row().all_copies) return {}; // its schedules are for nothing else
    const auto& operands = request.operation().operands;
    const auto other = std::find_if(operands.begin(), operands.end(), [](const View& v) { return v.block || v.remote; });
    if (other == operands.end()) return {};
    const bool is_simple = row.op == Op::copy || row.op == Op::copy_async || row.op == Op::fill || row.op == Op::atomic;
    const bool is_indexed =
        row.op == Op::gather || row.op == Op::scatter || row.op == Op::atomic_rows || row.op == Op::compare_exchange;
    std::string known;
    bool goes = goes_over_links(request, *other, row, known);
    if (other->remote && !has_instruction(request.machine(), "ld")) goes = false, known = "none"; // queues serve their own device
    const bool is_atomic = row.op == Op::atomic_rows || row.op == Op::compare_exchange;
    if (goes && (is_simple || is_atomic || (is_indexed && other->remote))) return {};
    if (other->remote)
        return worded("{0} may be in the memory of another device; of instructions that go there {1} has {2}, of those by lanes",
                      {request.tensor(*other).name, request.machine().name, known});
    return worded(
        "{0} is in the memory of another block; of instructions that go there {1} has {2}, for fill, copies and atomic operations",
        {request.tensor(*other).name, request.machine().name, known});
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
