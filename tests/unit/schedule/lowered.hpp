// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SCHEDULE_LOWERED_HPP
#define AXE_TESTS_UNIT_SCHEDULE_LOWERED_HPP

#include "naive_moves.hpp"

#include <axe/program/walk.hpp>

/// The instructions of a lowered program, in the order of writing, whatever they stand in.
inline std::vector<axe::Instruction> instructions_of(const axe::Program& program)
{
    std::vector<axe::Instruction> out;
    axe::for_each_statement(program.body, [&](const axe::Statement& s) {
        if (const auto* i = std::get_if<axe::Instruction>(&s.what)) out.push_back(*i);
    });
    return out;
}

namespace naive {

/// A tensor's elements after a run, row-major, each in all its places alike; what has no value is −1000000.
inline std::vector<double> values_of_tensor(const axe::Program& p, const State& s, int tensor)
{
    const axe::ProgramTensor& t = p.tensors[static_cast<std::size_t>(tensor)];
    std::vector<double> out;
    for (std::int64_t e = 0; e < *axe::volume(t.shape); ++e) {
        double value = -1000000;
        for (const axe::Point& q : places(t, axe::coordinate(t.shape, e))) {
            const auto all = s.at.find(tensor);
            if (all == s.at.end() || all->second.find(q) == all->second.end()) continue;
            value = all->second.find(q)->second;
        }
        out.push_back(value);
    }
    return out;
}

/// A lowered program of straight line, run for the first block: inputs are given by tensor, all other tensors start without values.
inline State run_program(const axe::Program& p, const std::map<int, std::vector<double>>& inputs)
{
    State s;
    for (const auto& [tensor, values] : inputs) {
        const axe::ProgramTensor& t = p.tensors[static_cast<std::size_t>(tensor)];
        for (std::size_t e = 0; e < values.size(); ++e)
            for (const axe::Point& q : places(t, axe::coordinate(t.shape, static_cast<std::int64_t>(e))))
                s.at[tensor][q] = values[e];
    }
    Variables first;
    for (const axe::Variable& v : p.variables) first.push_back(v.low);
    for (const axe::Instruction& i : instructions_of(p)) run(p, s, i, first);
    return s;
}

} // namespace naive

#endif
