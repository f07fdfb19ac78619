// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_STATEMENT_HPP
#define AXE_PROGRAM_STATEMENT_HPP

#include <axe/program/expression.hpp>
#include <axe/program/instruction.hpp>
#include <axe/program/loop_stages.hpp>

#include <optional>
#include <variant>

namespace axe {
inline namespace v0 {

struct Statement;

/// Statements in order, a vector of them. Its destructor does not need a deeper stack for deeper nesting, so that a program which is
/// nested too deep for everything else (limits.hpp) can still be reported and given up.
class Body : public std::vector<Statement> {
  public:
    using std::vector<Statement>::vector;
    Body();
    Body(const Body&);
    Body(Body&&) noexcept;
    Body& operator=(const Body&);
    Body& operator=(Body&&) noexcept;
    ~Body();
};

/// The tensor exists from here to the end of the body that contains it.
struct Alloc {
    int tensor = -1;
};

/// The variable takes begin, begin + step, … below end; the body for each.
struct For {
    Var var{};
    Affine begin{}, end{};
    std::int64_t step = 1;
    Body body;
    LoopStages stages{}; ///< how its rounds overlap, once `pipelined` has done that
};

struct While {
    Expression condition{};
    Body body;
};
struct Break {};
struct Continue {};

struct If {
    Expression condition{};
    Body then, otherwise;
};

/// scalar = value
struct Assign {
    int scalar = -1;
    Expression value{};
};

/// With this value of a variable: a coordinate that only the run knows, computed or loaded. It must be a whole number of the variable's
/// range (`Program::variables`). Each agent has its own.
struct Let {
    Var var{};
    Expression value{};
    Body body;
};

/// A grid of blocks (CTAs, or what the machine's shared memory belongs to), each of `agents` warps or engines; `vars` number the block
/// in each dimension. It is outside blocks, and runs on each device; the next statement waits for all blocks of its device.
struct Grid {
    std::vector<Var> vars{};
    Shape counts{};
    int agents = 1;
    Body body;
    Shape cluster{};               ///< blocks that run together, so many in each dimension; empty: each alone
    std::vector<Var> in_cluster{}; ///< where the block is in its cluster, in each dimension
    bool large_cluster = false;    ///< of more blocks than every product of the machine takes
    bool dependent = false;        ///< may start before the grid before it has ended
};

/// Only these devices, outside blocks; or only these agents of the block, inside: first, first + stride, …, `count` of them. Barriers
/// inside gather the slice alone. A name is what messages call the agents.
struct Slice {
    enum class Of : std::uint8_t { devices, agents };
    Of of = Of::agents;
    int first = 0, count = 1, stride = 1;
    Body body;
    std::string name{};
    int together = 1; ///< agents that are chosen as one unit, 4 of a warpgroup; of the text alone
};

/// Each agent (warp, engine) of the scope around, or each of its lanes, for itself. Its number in that scope, from 0, is written in
/// digits over `counts`, row-major, and `vars` are the digits. A tensor allocated inside belongs to it alone. Lowering takes it away:
/// what each does for itself is what all do together on tensors with the digits as further dimensions.
struct Each {
    enum class Of : std::uint8_t { agent, thread };
    Of of = Of::thread;
    Shape counts{};
    std::vector<Var> vars{};
    Body body;
};

/// All agents of the scope around meet, lanes included: what was done before is seen after. Outside blocks the devices meet.
struct Barrier {};

/// Closes the group of asynchronous operations that the agent has started.
struct Commit {};
/// Waits until at most `pending` of the agent's groups are unfinished, and sees what the others did.
struct Wait {
    enum class Of : std::uint8_t {
        copies,
        sources, ///< until the other groups of copies have read their sources, which may then be written (cp.async.bulk.wait_group.read)
        products,      ///< groups of asynchronous matrix products instead
        tensor_loads,  ///< the agent's loads from tensor memory instead, all of them
        tensor_stores, ///< its stores there
    };
    int pending = 0;
    Of of = Of::copies;
};

/// What a synchronization orders: nothing, what comes after it here, what came before it here, both.      [PTX, memory consistency]
enum class MemoryOrder : std::uint8_t { relaxed, acquire, release, acquire_release };
/// Between which agents: of one block, of one cluster, of one device, all.
enum class Within : std::uint8_t { block, cluster, device, system };

/// What the agent has accessed or knows of becomes visible to the asynchronous operations that it, or an agent after it, starts.
/// Without one they are not ordered after ordinary accesses, whatever barrier lies between. The lanes of the agent meet at it.
/// [PTX, fence.proxy.async]
///
/// Or a fence of tensor memory, whose operations are ordered with those of other agents only by a synchronization between a fence before
/// it and one after it.      [PTX, memory consistency of tensor memory]
///
/// Or a fence of memory: relaxed writes of flags behind it tell what the agent knew at it, and what those knew who wrote flags that
/// relaxed waits before it have seen is known behind it.      [PTX, fence.acq_rel]
struct ProxyFence {
    enum class Of : std::uint8_t { proxies, before_sync, after_sync, memory };
    Of of = Of::proxies;
    Within within = Within::device; ///< of memory: between which agents
};

/// A counter that agents of a block arrive at and wait for, phase by phase. A phase is complete when all arrivals have come, and the
/// bytes that asynchronous operations complete on it are as many as were expected.      [PTX, mbarrier]
struct Mbarrier {
    enum class Action : std::uint8_t {
        init,
        arrive,
        expect_bytes, ///< arrives, and the phase waits for so many bytes more (arrive.expect_tx)
        wait,
        expect_more,         ///< the same bytes without an arrival (expect_tx)
        invalidate,          ///< it is not used again before the next init
        commit,              ///< an arrival, once the agent's products and copies in tensor memory so far are complete
        arrive_after_copies, ///< arrives when the copies that lanes of the agent have started are complete (cp.async.mbarrier.arrive.noinc)
        include_copies, ///< the phase waits for them, too, without an arrival (cp.async.mbarrier.arrive)
    };
    Action action = Action::init;
    int id = 0;
    std::int64_t number = 0;      ///< init: arrivals of a phase; expect_bytes, expect_more: bytes
    Expression parity{};          ///< of wait: the parity of the phase
    std::optional<Affine> rank{}; ///< the block of the cluster whose mbarrier it is; none: the agent's own
    std::uint16_t multicast = 0;  ///< of commit: bit r: at the mbarrier of the block of rank r; 0: at the own one
    std::optional<View> at{};     ///< of init: the 8 bytes of shared memory that it takes; none: bytes that no tensor has
};

/// The instruction that does it, as machines list it.
constexpr const char* instruction_of(Mbarrier::Action action) noexcept
{
    using Action = Mbarrier::Action;
    switch (action) {
    case Action::init: return "mbarrier.init";
    case Action::arrive:
    case Action::commit: return "mbarrier.arrive"; // which products do
    case Action::expect_bytes:
    case Action::expect_more: return "mbarrier.expect_tx";
    case Action::wait: return "mbarrier.test_wait";
    case Action::invalidate: return "mbarrier.inval";
    case Action::arrive_after_copies:
    case Action::include_copies: return "cp.async.mbarrier.arrive";
    }
    return "";
}

/// May an agent do it at an mbarrier of another block?
constexpr bool is_for_other_blocks(Mbarrier::Action action) noexcept
{
    using Action = Mbarrier::Action;
    return action == Action::arrive || action == Action::expect_bytes || action == Action::expect_more;
}

/// An element of global memory by which agents, of other blocks too, tell each other how far they are. One lane of the agent does it,
/// when all of them have come.
struct Flag {
    enum class Action : std::uint8_t {
        store,
        add,
        exchange,
        wait_at_least, ///< the agent goes on when the element is the value or more
        wait_equal,    ///< or when it is the value
    };
    Action action = Action::store;
    View element{};
    Expression value{};
    MemoryOrder order = MemoryOrder::release;
    Within within = Within::device;
    int before = -1; ///< of add and exchange: the scalar that is given what the element was; −1: none
};

/// The barrier of a cluster: its phase is complete when all agents of all its blocks have arrived that have not ended.
/// [PTX, barrier.cluster]
struct ClusterBarrier {
    enum class Action : std::uint8_t { arrive, arrive_relaxed, wait };
    Action action = Action::arrive;
};

/// A barrier of the block with a number, for agents of different scopes: complete when so many threads have come, of which an agent counts
/// as all its lanes. Those that `sync` wait for that, and see what all have done before; those that `arrive` go on.      [PTX, bar]
struct NamedBarrier {
    enum class Action : std::uint8_t { sync, arrive };
    Action action = Action::sync;
    int id = 0;
    std::int64_t threads = 0; ///< the same for all that come
};

/// Asks that blocks of the grid that have not started never start, so that who asks may do what they would have done: those of one cluster,
/// or one block. The reply comes asynchronously, 4 numbers of 32 bits in shared memory that complete 16 bytes on an mbarrier: 1 and the
/// place in the grid of the first of them; or 0, and −1 three times.      [PTX, clusterlaunchcontrol]
struct CancelLaunch {
    View element{}; ///< the reply
    int mbarrier = 0;
    bool to_all = false; ///< the reply goes to each block of the cluster, and completes on the mbarrier of each
};

/// Between a grid and a dependent one after it.      [PTX, griddepcontrol]
struct GridDependency {
    enum class Action : std::uint8_t {
        launch, ///< the block lets grids that depend on this one start
        wait,   ///< until the grids before have ended; the agent sees what they did
    };
    Action action = Action::launch;
};

/// How many registers each thread of the agent has from here on. What it gives back goes to the block's pool; what it gets comes from there,
/// and the agent waits until the pool has it. All agents of a warpgroup do it, and synchronize before the next.      [PTX, setmaxnreg]
struct RegisterCount {
    enum class Action : std::uint8_t { decrease, increase };
    Action action = Action::decrease;
    std::int64_t registers = 0; ///< of 4 bytes, for each thread
};

/// Columns of tensor memory, of all lanes, that a block asks for and gives back. One agent does it, and waits until there are as many. What
/// is in them may be accessed after that, by agents that know of it, and until they are given back. A grid with such statements has all
/// its tensors there in columns that it has asked for; in another one blocks have them from the start to the end.
/// [PTX, tensor memory allocation and management]
struct TensorColumns {
    enum class Action : std::uint8_t {
        allocate,
        give_back,
        relinquish, ///< the block asks for no more
    };
    Action action = Action::allocate;
    int id = 0;                   ///< of allocate and give_back: which columns
    std::int64_t columns = 0;     ///< of allocate: of 32 bits, a power of two from 32 on
    std::vector<View> operands{}; ///< of allocate: the tensors that are in them
    std::optional<View> at{};     ///< of allocate: the 4 bytes of shared memory that their address is written to
    bool pair = false;            ///< for what two blocks of the cluster do together; then each of them does it
};

/// What a statement says: one of these. A class of its own, so that what copies, moves and destroys two dozen alternatives is compiled once
/// and not in each source file that includes this.
class StatementKind : public std::variant<Alloc, For, While, Break, Continue, If, Assign, Let, Grid, Slice, Each, Operation,
                                          Instruction, Barrier, Commit, Wait, Mbarrier, ProxyFence, Flag, ClusterBarrier,
                                          NamedBarrier, CancelLaunch, GridDependency, RegisterCount, TensorColumns> {
  public:
    using variant::variant;
    using variant::operator=;
    StatementKind() noexcept;
    StatementKind(const StatementKind&);
    StatementKind(StatementKind&&) noexcept;
    StatementKind& operator=(const StatementKind&);
    StatementKind& operator=(StatementKind&&) noexcept;
    ~StatementKind();
};

/// One step of a program.
struct Statement {
    int id = -1; ///< in the order of writing; what a schedule emits keeps the number of the operator it came from
    StatementKind what{};
};

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/statement.hpp>
#endif

#endif
