// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_USES_HPP
#define AXE_SCHEDULE_USES_HPP

#include <axe/schedule/execution_scope.hpp>

namespace axe {
inline namespace v0 {

/// An operator at its place in a program, which must outlive this.
struct Use {
    const Operation* operation = nullptr;
    ExecutionScope place{};
    int statement = -1;
};

/// The operators that have the tensor among their operands, in the order of writing, each with whom it is for.
/// Cost: one walk over the program.
inline std::vector<Use> uses_of(const Program& program, int tensor)
{
    std::vector<Use> out;
    for_each_statement(program.machine, program.body, scope_of(program.machine),
                       [&](const Statement& s, const ExecutionScope& place) {
                           const auto* operation = std::get_if<Operation>(&s.what);
                           if (operation == nullptr) return;
                           for (const View& v : operation->operands)
                               if (v.tensor == tensor) return out.push_back({operation, place, s.id});
                       });
    return out;
}

} // namespace v0
} // namespace axe

#endif
