// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_INSERT_BARRIERS_HPP
#define AXE_TARGET_INSERT_BARRIERS_HPP

#include <axe/program/program.hpp>
#include <axe/program/target.hpp>
#include <axe/sim/bindings.hpp>

namespace axe {
inline namespace v0 {

/// How long barriers are looked for.
struct BarrierOptions {
    int most_runs = 200;                 ///< of programs on the way
    std::int64_t most_steps = 1'000'000; ///< of an agent in one block
};

/// A program with the barriers that it lacked.
struct WithBarriers {
    Program program{};
    std::vector<int> inserted{}; ///< the numbers of the barriers' statements
    int runs = 0;                ///< of programs, to find them
};

/// The program with barriers where agents of a block access memory without an order: each right before the later one of two accesses in
/// a race, in the innermost body that has both. A run of the result has no fault, and one of it without any of these barriers has.
///
/// Races are those that runs with all checks find on the inputs.
///
/// `errc::bad_argument` with the fault that no barrier repairs; `errc::too_hard` after `most_runs`; the problems of `lower` and `run`.
///
/// @param program the one with operators, before it was lowered
/// Cost: two runs for each barrier, and one.
AXE_DECL Result<WithBarriers, Problem> insert_barriers(const Program& program, const Target& target, const Bindings& inputs,
                                                       const BarrierOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/impl/insert_barriers.hpp>
#endif

#endif
