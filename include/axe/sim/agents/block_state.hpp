// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_BLOCK_STATE_HPP
#define AXE_SIM_AGENTS_BLOCK_STATE_HPP

#include <axe/sim/agents/cluster.hpp>
#include <axe/sim/control/named_barrier.hpp>
#include <axe/sim/control/phase.hpp>
#include <axe/sim/memory/order.hpp>
#include <axe/sim/memory/shadow.hpp>

#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

/// What a block knows between two steps: of its agents, barriers, phases and tensors. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace sim {
namespace detail_block {

/// An operator on whole views that reads other elements of the tensor that it writes: the places written so far, and by which of its
/// instructions the last ones.
struct InPlace {
    int statement = -1, last = -1;
    std::unordered_set<std::int64_t> written{};
};
/// An agent between two of its steps.
struct Agent {
    int pc = 0;
    bool done = false;
    int waits_at = -1;                    ///< the step of the barrier; −1: runs
    bool stands = false;                  ///< waits for a phase, and did so when it was last asked to go on
    std::int64_t arrived = 0, passed = 0; ///< phases of the cluster's barrier that it has arrived in, and has waited for
    bool at_named = false;                ///< has come to a named barrier, and waits for the others
    bool held =
        false; ///< has read early, and goes on when no other agent of the block can: a write may come that is not ordered with it
    std::int64_t steps = 0;
    std::vector<std::int64_t> vars{};
    std::vector<double> scalars{};
    Clock clock{};
    std::uint32_t group = 1; ///< the open group of asynchronous operations: their time
    struct Group {
        std::uint32_t number = 0;
        std::vector<std::function<bool()>> finish{};
        int statement = -1;     ///< of the first of them
        bool has_bulk = false;  ///< bulk copies among them
        bool has_lanes = false; ///< copies of lanes among them
        bool was_read = false;  ///< a wait for its sources has ended
    };
    std::vector<Group> groups{}; ///< unfinished ones; the last one is open
    struct Products {
        std::uint32_t group = 1, done = 0; ///< the open group of asynchronous products; the last one that was waited for
        std::uint32_t fence = 1;           ///< one more for each fence of registers
        int open_at = -1;                  ///< the statement that has begun the open group
        int statement = -1;                ///< of the last one
    } products{};
    InPlace in_place{};
    std::vector<FlagReleases::Release> fences{}; ///< what it knew at its last fence of memory, of each set of agents
    /// What relaxed accesses of flags have seen, each within its agents.
    std::vector<std::pair<Within, FlagReleases::Sequence>> observed{};
    int tensor_statement = -1;     ///< of the last operation that goes on in tensor memory; −1: it has started none
    std::uint32_t tensor_time = 0; ///< when it was started
    std::int64_t tensor_commits = 0;
};
/// Of a tensor that a loop allocates: how often each agent has, and where the agents were who have come first.
struct Renewal {
    std::vector<int> rounds{};
    std::unordered_map<int, Shadow::Moment> moments{};
};
/// A named barrier.
struct Named : NamedCount {
    Clock clock{}; ///< what those knew who have come
    struct Seen {
        int agent = 0;
        std::uint32_t time = 0;
        std::int64_t use = 0;
    };
    std::vector<Seen> seen{};                           ///< agents whose waits have seen the barrier complete
    std::map<int, std::pair<std::int64_t, int>> came{}; ///< by agent: the use that it came to last, and the statement
};
/// An mbarrier.
struct Phase : PhaseCount {
    Clock clock{};                              ///< what those knew who have arrived
    Clock complete{};                           ///< the same, when the last phase was complete
    Clock set_up{};                             ///< what must have happened before it is used
    int engine = -1;                            ///< of the operations that complete on it: their agent in events; −1: none has yet
    std::int64_t brought = -1, brought_by = -1; ///< the last phase that an operation has brought bytes to, and its statement
    std::int64_t passed = -1;                   ///< the last phase that a wait has seen complete
    std::vector<std::pair<int, std::uint32_t>> witnesses{}; ///< agents whose waits have, and when
    int tensor = -1;                                        ///< whose bytes it has; −1: none's
    std::int64_t place = 0;                                 ///< of them, in elements
};

/// The registers of a block's threads, where the program counts them.
struct RegisterPool {
    struct Share {
        std::int64_t count = 0;               ///< of each thread of the agent
        std::vector<std::uint32_t> changed{}; ///< when it has changed
    };
    std::vector<Share> shares{};                ///< by agent
    std::vector<std::vector<int>> statements{}; ///< by warpgroup: those that have changed it
    std::int64_t free = 0;                      ///< what agents have given back, and no agent has
};

/// Columns of tensor memory that a block has asked for.
struct Columns {
    /// Who did something, when, and in which statement; −1: no agent has.
    struct Deed {
        int agent = -1, statement = -1;
        std::uint32_t time = 0;
    };
    struct Taken {
        std::int64_t columns = 0; ///< 0: they are given back
        bool pair = false;
        Deed since{}, last{}; ///< when they were asked for, and given back
    };
    std::map<int, Taken> taken{};
    std::int64_t own = 0, least = 0; ///< columns that it has; how many it has asked for last
    Deed asked{};                    ///< who has asked last
    Deed relinquished{};
};

/// A reply that no block was left.
struct Refused {
    int engine = 0;         ///< of the mbarrier that it has completed on
    std::uint32_t time = 0; ///< the phase
};

/// An access of the block's memory by an agent of another block.
struct Visit {
    std::uint32_t time = 0;
    int statement = -1;
};

} // namespace detail_block
} // namespace sim
} // namespace v0
} // namespace axe

#endif
