// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SUGGEST_HPP
#define AXE_TARGET_SUGGEST_HPP

#include <axe/program/program.hpp>
#include <axe/program/target.hpp>
#include <axe/sim/bindings.hpp>
#include <axe/sim/report/fault.hpp>

#include <optional>

namespace axe {
inline namespace v0 {

/// How long a repair is looked for.
struct SuggestOptions {
    int most_tries = 48;                 ///< programs that are lowered and run
    double seconds = 5;                  ///< after that no other program is begun, and the one that runs is stopped
    std::int64_t most_steps = 1'000'000; ///< of an agent in one block
};

/// One barrier, wait, fence or arrival that repairs a fault.
struct Suggestion {
    /// "hint: add `sync()` before statement 7: copy C = s (ring.cpp:42); the run then has no fault"
    std::string hint{};
    Program program{}; ///< the one with it
    int tries = 0;     ///< programs that were run to find it
};

/// A barrier, a wait for asynchronous copies, a proxy fence, or an arrival, with which a run of the program has no fault. It is found by
/// trying: one is put before and after each of the two statements that the fault names, and between them, then before and after what is
/// around them, innermost first, and the program that results is validated, lowered, and run with all checks on the same inputs. For a
/// deadlock at an mbarrier an arrival there is tried first, with half of the tries: after statements of other agents, first those that
/// access what is used after the wait. For a missing proxy fence one is tried, first after the access that asynchronous operations are
/// to see.
///
///   suggest(p, …) = q   =>   q is p with one statement more (or a wait and a barrier), and run(lower(q)) has no fault
///
/// That the program then computes what is meant is not tried. Empty if none repairs it, or none was found within the limits; for
/// faults that no order repairs (elements outside of a tensor, more steps than allowed, …) nothing is tried.
///
/// @param program the one with operators, before it was lowered; @param fault of its run
/// Cost: at most `most_tries` runs.
AXE_DECL std::optional<Suggestion> suggest(const Program& program, const Target& target, const Bindings& inputs,
                                           const sim::Fault& fault, const SuggestOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/impl/suggest.hpp>
#endif

#endif
