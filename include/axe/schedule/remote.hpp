// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_REMOTE_HPP
#define AXE_SCHEDULE_REMOTE_HPP

#include <axe/schedule/options.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace detail {

/// Why a row does not do an operator of a pair of blocks, or on memory of another block; empty where it does, or the operator has no such operand. A row does if its
/// instructions go over the link that the machine has between the memories of its blocks.
inline std::string why_not_of_other_block(const Request& request, const Schedule& row)
{
    if (std::string why = why_not_with_options(request, row); !why.empty()) return why;
    if (request.operation().options.pair && !row.pairs) return worded("{0} is not for a pair of blocks", {row.name});
    const auto& operands = request.operation().operands;
    const auto other = std::find_if(operands.begin(), operands.end(), [](const View& v) { return v.block.has_value(); });
    if (other == operands.end()) return {};
    const bool is_simple = row.op == Op::copy || row.op == Op::copy_async || row.op == Op::fill || row.op == Op::atomic;
    std::string known;
    for (const Link& link : request.machine().links) {
        if (!same_text(link.memory, request.memory(*other).name)) continue;
        for (const char* instruction : link.instructions) {
            if (is_simple && same_text(instruction, row.asks)) return {};
            known += (known.empty() ? "" : ", ") + std::string(instruction);
        }
    }
    if (known.empty()) known = "none";
    return worded("{0} is in the memory of another block; of instructions that go there {1} has {2}, for fill, copies and atomic",
                  {request.tensor(*other).name, request.machine().name, known});
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
