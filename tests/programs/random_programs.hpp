// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_RANDOM_PROGRAMS_HPP
#define AXE_TESTS_PROGRAMS_RANDOM_PROGRAMS_HPP

#include <axe/machine/mesh.hpp>
#include <axe/target/machines.hpp>
#include <tests/programs/random_collectives.hpp>
#include <tests/programs/random_elements.hpp>
#include <tests/programs/random_indexed.hpp>
#include <tests/programs/random_sums.hpp>
#include <tests/programs/random_waits.hpp>

/// Small programs around one operator each, for every machine.
namespace programs {

struct Subject {
    const char* name;
    void (*write)(Writer&);
};

inline constexpr Subject subjects[] = {
    {"fill", write_fill},
    {"copy", write_copy},
    {"copy_async", write_copy_async},
    {"cast", write_cast},
    {"map", write_map},
    {"reduce", write_reduce},
    {"gemm", write_gemm},
    {"gather", write_gather},
    {"scatter", write_scatter},
    {"atomic", write_atomic},
    {"chain", write_chain},
    {"gather_at", write_gather_at},
    {"scatter_at", write_scatter_at},
    {"atomic_rows", write_atomic_rows},
    {"scan", write_scan},
    {"vote", write_vote},
    {"scaled_gemm", write_scaled_gemm},
    {"named_barrier", write_named_barrier},
    {"pipeline", write_pipeline},
    {"device_copy", write_device_copy},
    {"device_reduce", write_device_reduce},
    {"remote", write_remote},
};
inline constexpr int subject_count = sizeof subjects / sizeof subjects[0];
inline constexpr int first_device_subject = 19;

struct Stage {
    const char* name;
    axe::Machine machine;
};
inline const std::vector<Stage>& stages()
{
    static const std::vector<Stage> out = {
        {"cpu", axe::machines::cpu},
        {"sm80", axe::machines::sm80},
        {"sm90", axe::machines::sm90},
        {"trn1", axe::machines::trn1},
        {"trn2", axe::machines::trn2},
        {"2 sm80", mesh(axe::machines::sm80, {2}).value()},
        {"4 sm90", mesh(axe::machines::sm90, {4}).value()},
        {"2x2 sm90", mesh(axe::machines::sm90, {2, 2}).value()},
        {"4 cpu", mesh(axe::machines::cpu, {4}).value()},
    };
    return out;
}

/// Program number `number` of an operator on a machine: the same on every computer.
inline axe::Result<axe::Program, axe::Problem> random_program(int subject, int stage, Int number, Random& r)
{
    const Stage& where = stages()[static_cast<std::size_t>(stage)];
    constexpr int warps[] = {1, 1, 2, 3, 4, 4, 8};
    const bool engines = has_instruction(where.machine, "nc_matmul");
    Writer w(r, where.machine, std::string(subjects[subject].name) + " " + where.name + " " + std::to_string(number),
             engines ? 4 : warps[r.in(0, 6)]);
    subjects[subject].write(w);
    return w.k.program();
}
inline Random random_of(int subject, int stage, Int number)
{
    return Random(static_cast<std::uint64_t>(subject * 1'000'003 + stage * 10'007) * 0x9e3779b97f4a7c15u +
                  static_cast<std::uint64_t>(number));
}

} // namespace programs

#endif
