// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REPORT_ENDS_BY_HPP
#define AXE_SIM_REPORT_ENDS_BY_HPP

#include <cstdint>

namespace axe {
inline namespace v0 {
namespace sim {

/// What shows that an operation that goes on by itself is complete.
enum class EndsBy : std::uint8_t {
    itself,   ///< nothing: it does not go on
    copies,   ///< a wait for the agent's group of copies, or, of copies by lanes, an mbarrier that includes them
    bulk,     ///< a wait for the agent's group of copies alone, if only until their sources are read
    products, ///< a wait for the group of products, of one of the agents that multiply
    phase,    ///< the phase of an mbarrier
    tensors,  ///< a commit of the agent, by the phase of the mbarrier that it arrives at; of products and copies in tensor memory
    tensor_stores ///< a wait for the agent's stores to tensor memory
};

/// Which operations a wait shows to be complete: those of an agent, the first of those that multiply, or of an mbarrier, up to a group, or
/// commit, or of a phase.
struct Ending {
    EndsBy by = EndsBy::itself;
    int of = 0;
    std::int64_t number = 0;
};

} // namespace sim
} // namespace v0
} // namespace axe

#endif
