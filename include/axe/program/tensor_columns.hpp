// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_TENSOR_COLUMNS_HPP
#define AXE_PROGRAM_TENSOR_COLUMNS_HPP

#include <axe/program/levels.hpp>
#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>
#include <axe/text/common/words.hpp>

#include <map>

/// Columns of tensor memory that a program asks for.
namespace axe {
inline namespace v0 {

/// How many a block can have at once; 0: the machine has no memory with columns.
inline std::int64_t tensor_columns_of(const Machine& machine)
{
    const Limit* most = find_limit(machine, "tmem.columns");
    return most == nullptr ? 0 : most->value;
}

/// The columns of 4 bytes that one allocation of so many bytes takes:  2^k ≥ bytes/4, no fewer than the machine allocates
inline std::int64_t columns_allocated(const Machine& machine, std::int64_t bytes)
{
    if (bytes <= 0) return 0;
    const Limit* least = find_limit(machine, "tmem.allocation_columns");
    std::int64_t columns = least == nullptr ? 1 : std::max<std::int64_t>(1, least->value);
    while (columns < bytes / 4 + (bytes % 4 != 0 ? 1 : 0)) columns *= 2;
    return columns;
}

/// Is it a memory of blocks that has columns?
inline bool has_columns(const Memory& memory) { return is_partitioned(memory) && !memory.roles.has(Role::registers); }

/// Is the tensor in a memory of blocks whose columns are asked for?
inline bool is_in_columns(const Machine& machine, const ProgramTensor& t)
{
    const Memory* memory = find_memory(machine, t.memory.c_str());
    return memory != nullptr && has_columns(*memory) && t.binding == Binding::local;
}

/// The tensors that columns of a number are asked for, in a grid; empty: it asks for none.
inline std::map<int, std::vector<int>> columns_asked_for(const Grid& grid)
{
    std::map<int, std::vector<int>> out;
    for_each_statement(grid.body, [&](const Statement& s) {
        const auto* c = std::get_if<TensorColumns>(&s.what);
        if (c == nullptr) return;
        std::vector<int>& in = out[c->action == TensorColumns::Action::relinquish ? -1 : c->id];
        for (const View& v : c->operands)
            if (std::find(in.begin(), in.end(), v.tensor) == in.end()) in.push_back(v.tensor);
    });
    return out;
}

inline std::string columns_outside_text()
{
    return detail::worded("columns are asked for outside a block; it is for an agent of a block", {});
}

} // namespace v0
} // namespace axe

#endif
