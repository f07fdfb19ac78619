// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_READERS_HPP
#define AXE_SIM_MEMORY_READERS_HPP

#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>

#include <algorithm>
#include <string>
#include <vector>

/// Which statement a reader is of, where a shadow keeps one for several of them. Looked for when there is a fault, in the program.
namespace axe {
inline namespace v0 {
namespace sim {

/// The statements in which an agent of a block reads a tensor that statement `known` reads, ascending.
///
/// Cost: one walk over the program.
inline std::vector<int> statements_reading(const Program& program, int known, int agent)
{
    const auto runs = [&](const Instruction& i) {
        const std::int64_t past = std::int64_t{agent} - i.first_agent, stride = std::max(1, i.agent_stride);
        return past >= 0 && past % stride == 0 && past / stride < i.agents;
    };
    const auto for_each_read = [&](auto&& f) {
        for_each_statement(program.body, [&](const Statement& s) {
            const auto* instruction = std::get_if<Instruction>(&s.what);
            if (instruction == nullptr) return;
            for (std::size_t k = 1; k < instruction->operands.size(); ++k)
                f(s.id, *instruction, instruction->operands[k].view.tensor);
        });
    };
    std::vector<int> tensors, out;
    for_each_read([&](int statement, const Instruction&, int tensor) {
        if (statement == known) tensors.push_back(tensor);
    });
    for_each_read([&](int statement, const Instruction& i, int tensor) {
        if (runs(i) && std::find(tensors.begin(), tensors.end(), tensor) != tensors.end()) out.push_back(statement);
    });
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// "3", "3 or 5", "3, 5 or 6": of many the first three, and `…`.
inline std::string any_of_text(const std::vector<int>& statements)
{
    constexpr std::size_t most = 3;
    std::string out;
    for (std::size_t i = 0; i < std::min(most, statements.size()); ++i) {
        const bool last = i + 1 == statements.size();
        out += (i == 0 ? "" : last ? " or " : ", ") + std::to_string(statements[i]);
    }
    return statements.size() > most ? out + " or …" : out;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
