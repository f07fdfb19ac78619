// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_AGENTS_BLOCK_HPP
#define AXE_SIM_AGENTS_BLOCK_HPP

#include <axe/sim/agents/block_state.hpp>
#include <axe/sim/agents/executable.hpp>
#include <axe/sim/agents/state.hpp>
#include <axe/sim/agents/turn_order.hpp>
#include <axe/sim/control/named_barrier.hpp>
#include <axe/sim/control/phase.hpp>
#include <axe/sim/control/waits.hpp>

#include <functional>
#include <map>
#include <unordered_map>

namespace axe {
inline namespace v0 {
namespace sim {

/// A block of a grid in flight on a device: its agents, each of which can stop at any statement and go on later. When it is done, its
/// place is another block's.
class Block {
  public:
    /// @param worker who runs it: the device, or one of the threads that share it
    /// @param slot of the worker's memory for blocks; no other block in flight has it
    Block(const Compiled& compiled, DeviceState& device, BlockWorker& worker, const GridCode& grid, int slot);
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block();

    /// The block whose variables have these values, as the device's run of that number, before its first step.
    /// @param around the values of the variables that are declared around the grid; @param at the block's place in it
    void start(std::uint32_t number, const std::vector<std::int64_t>& around, const Coord& at);
    enum class Progress : std::uint8_t { runs, waits, done, fault };
    /// One turn: each agent that can go on goes `quantum` steps, or, where that is 0, until it waits. `waits`: none has gone a step, and
    /// none will unless something happens outside the block.
    Progress advance(std::int64_t quantum);
    /// The run that the block is.
    [[nodiscard]] std::uint64_t run() const noexcept { return run_; }
    /// Its cluster, which is to be told before the start; null: it is alone.
    void join(Cluster* cluster, int rank) noexcept { cluster_ = cluster, rank_ = rank; }
    [[nodiscard]] bool is_done() const noexcept { return done_; }
    /// The fault of a block that waits for what no agent will do. False.
    bool stuck(const std::string& others = {});

    // ---- for instructions -----------------------------------------------------------------------------------------------------
    [[nodiscard]] bool full() const noexcept { return compiled_->full(); }
    [[nodiscard]] bool counting() const noexcept { return compiled_->options.counters; }
    [[nodiscard]] Tally& tally(const Executable& e) { return worker_->tallies[static_cast<std::size_t>(e.index)]; }
    [[nodiscard]] const TensorPlan& plan(int tensor) const { return compiled_->plans[static_cast<std::size_t>(tensor)]; }

    /// Where the lanes of a column go now. False: a lane goes where it must not.
    bool places(const Executable& e, int operand, int column, int agent, LaneElements& out);
    /// The same of the first two operands, of which the first may be in the memory of another block that is accessed later.
    bool find_places_of(const Executable& e, int column, int agent, LaneElements& to, LaneElements& from);
    /// The base for the tables of all columns, if each goes where they say; while agents go together. False: each is to be looked at.
    bool common_base(const LaneAccess& a, std::int64_t& base);
    /// The first byte of the buffer behind an operand, for this agent.
    [[nodiscard]] std::byte* data(const LaneAccess& a, int agent);
    /// The same of memory of which each byte is written before any is read.
    [[nodiscard]] std::byte* data_to_overwrite(const LaneAccess& a);
    [[nodiscard]] Buffer& buffer(const LaneAccess& a) { return buffer(*a.plan, a.tensor); }
    /// The shadow of a tensor in a memory; of one of this device, where threads share its blocks, that of this thread.
    [[nodiscard]] Shadow& shadow(const TensorPlan& p, int tensor);
    /// The same of an operand, which may be another block's or device's, for the actor.
    [[nodiscard]] Shadow& shadow(const LaneAccess& a, const Actor& actor);
    /// The buffer of a tensor in a memory: this block's, or this device's.
    [[nodiscard]] Buffer& buffer(const TensorPlan& p, int tensor);
    /// The masks of lanes that have written each register of this agent.
    [[nodiscard]] LaneMask* valid(const LaneAccess& a, int agent)
    {
        return memory_->registers[static_cast<std::size_t>(a.tensor)].valid.data() +
               static_cast<std::size_t>(agent) * static_cast<std::size_t>(a.plan->count);
    }
    /// What the agent's operator in place has written, if the instruction goes on with it; else nothing.
    [[nodiscard]] detail_block::InPlace& in_place(int agent, const Executable& e);
    /// The agent as who touches memory, now, in the instruction of this index.
    [[nodiscard]] Actor actor(int agent, int index) const;
    [[nodiscard]] Actor engine(int agent, int index) const;
    /// What reads the source, or writes the target, of a bulk copy of the agent's open group.
    [[nodiscard]] Actor bulk(int agent, int index, bool writing) const;
    /// What does an operation of the agent that completes on an mbarrier. False: the block has a fault.
    bool completing(int agent, const Executable& e, Actor& out);
    /// The same where it writes the memory of another block of the cluster, or completes on another one's mbarrier.
    bool completing(Block& counter, Block& memory, int agent, const Executable& e, Actor& out);
    /// The block of that rank in the cluster, whose memory the agent accesses in the statement; null: the block has a fault.
    ///
    /// @param visits it does so at once, so that the other block's end is after it
    Block* other_block(std::int64_t rank, int agent, int statement, bool visits = true);
    [[nodiscard]] int rank() const noexcept { return rank_; }
    /// The other block of the pair, whose memory an operation accesses that the agent of this one starts; null: the block has a fault.
    Block* mate(int agent, int statement);
    /// An asynchronous operation accesses this block's memory, which is to be complete before the block ends.
    void note_visit(const Actor& actor, int statement);
    /// The engine of the agents from this one on that multiply together, as seen by one of them.
    [[nodiscard]] Actor products(int first, int agent, int index) const;
    /// Begins a group of products of an agent's registers, or goes on with it: checks that these may be used, and marks them.
    struct ProductStep {
        bool fence = false, commit = false;
    };
    bool use_in_product(const Executable& e, int operand, int agent, const std::vector<std::size_t>& registers,
                        const ProductStep& step);
    void end_product_step(int agent, int statement, const ProductStep& step);
    /// What does something in tensor memory for an agent now, which may go on after it; its role is that of `shape` too, of a sum.
    [[nodiscard]] Actor tensor_actor(int agent, const Executable& e, TensorRole role, std::int64_t shape = 0);
    /// What reads shared memory for the agent's operation on tensor memory.
    [[nodiscard]] Actor tensor_reader(int agent, int index) const;
    /// The mbarrier gets an arrival, as the agent's products and copies in tensor memory so far are complete.
    /// @param mask bit r: that of the block of rank r; 0: the own one
    bool commit_tensors(int agent, int id, int statement, std::uint16_t mask = 0);
    /// The operation has brought so many bytes, which its mbarrier counts.
    bool complete(const Executable& e, std::int64_t bytes);

    /// Checks and notes a read (a write) of `bytes` bytes at a place of a memory by one lane.
    bool read(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place, int bytes);
    bool write(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place, int bytes);
    /// Where hardware has several elements in a byte: has no other lane, unordered, written a part of those that this one writes in part?
    bool is_alone_in_bytes(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place, int bytes);
    /// The same of a read and write in one.
    bool atomic(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place, int bytes);
    /// An operand of a column and where its lanes go; `at` is null where it has none.
    struct ColumnSide {
        int operand = 0;
        const LaneElements* at = nullptr;
    };
    /// Checks and notes what a column copies between memories, as if lane after lane: what each reads, then what it writes. Sides in
    /// registers, and in memories without a shadow, are left out.
    ///
    /// @param alike whether the lanes that take part are the same on both sides
    bool check_copy(const Executable& e, const Actor& actor, const ColumnSide& to, const ColumnSide& from, bool alike);
    /// The bytes that a copy between two columns moves whose tables are kept.
    const EdgeMove& edge_move(const Executable& e, const LaneElements& to, const LaneElements& from);
    /// Checks that a lane's register was written; notes that it is.
    bool read_register(const Executable& e, int operand, int agent, int lane, std::int64_t slot);
    /// The same for all registers that a column takes in all issues.
    bool read_registers(const Executable& e, int operand, int column, int agent, const LaneElements& at);
    void write_registers(const LaneAccess& a, int column, int agent, const LaneElements& at);
    void write_register(const LaneAccess& a, int agent, int lane, std::int64_t slot)
    {
        touch_register(a, agent, register_of(*a.plan, slot));
        valid(a, agent)[register_of(*a.plan, slot)] |= lane_bit(lane);
    }
    [[nodiscard]] static std::size_t register_of(const TensorPlan& plan, std::int64_t slot) noexcept
    {
        return static_cast<std::size_t>(plan.register_of(slot));
    }
    /// Counts the accesses of one operand in all issues of a column.
    void count(const Executable& e, int operand, int column, const LaneElements& places);

    /// An asynchronous operation that has started: `finish` does what is left of it, at the wait.
    void start_async(int agent, std::function<bool()> finish, bool bulk = false);
    /// Does an asynchronous operation that starts now access memory later?  Then what it does is left to `leave`.
    [[nodiscard]] bool leaves() { return !turns_.is_issue() && turns_.is_later(); }
    /// The same of products of so many agents from this one on: those that follow one that was left are left, too.
    [[nodiscard]] bool leaves_products(int first);
    /// It is in the agent's open group of copies; `read`, if any, reads its sources before.
    void leave_in_copies(int agent, std::function<bool()> finish, std::function<bool()> read = {});
    /// So many agents from this one on multiply together, in their open group of products.
    void leave_in_products(int first, int count, std::function<bool()> finish);
    /// It completes on its mbarrier, in the phase that this one is in; to be called before `complete`.
    /// @param issuer whose agent has started it, perhaps of another block; @param in the block whose memory it writes, if not this one
    void leave_in_phase(int agent, const Executable& e, const Block* issuer, std::function<bool()> finish, Block* in = nullptr);
    /// The same as `leaves` of a product or copy in tensor memory.
    [[nodiscard]] bool leaves_tensors();
    /// It is one of the agent's operations in tensor memory: a store, or what a commit is after.
    void leave_in_tensors(int agent, bool store, std::function<bool()> finish);
    bool fail(FaultKind kind, int statement, std::string text, int other = -1);
    /// The fault of an access that conflicts with another one; `what` names agent and element.
    /// @param actor who accesses, if it may lack a proxy fence
    bool conflict(int statement, const std::string& what, bool writing, const Conflict& found, const Actor* actor = nullptr);
    [[nodiscard]] std::string describe(const Executable& e, int operand, int agent, int lane, std::int64_t place) const;
    /// Does the tensor have the watched element of this run, here?
    [[nodiscard]] bool is_watched(const TensorPlan& plan) const
    {
        return compiled_->options.watch != nullptr && has_watched_element(plan, device_->number);
    }
    /// The same of a view: the device in whose memory it is; −1: nowhere.
    [[nodiscard]] int watched_in(const View& v, int agent) const;
    /// Reports that the watched element is read, or will be written by the instruction that runs.
    void watch(const Executable* e, int statement, const TensorPlan& plan, int tensor, int agent, int lane, bool writing,
               std::int64_t times = 1, int memory = -1);
    [[nodiscard]] const Watch* watch_of_run() const noexcept { return compiled_->options.watch; }
    [[nodiscard]] const std::vector<std::int64_t>& variables(int agent) const
    {
        return agents_[static_cast<std::size_t>(agent)].vars;
    }
    [[nodiscard]] int device() const noexcept { return device_->number; }
    /// The device whose memory the agent accesses by a view; of one of any device the first, where the memories of all begin.
    [[nodiscard]] DeviceState& memory_of(const View& v, int agent) const;
    /// Does a view name a device that the machine has?  False: a fault.
    bool names_device(const View& v, int agent, int statement);
    /// The device in whose memory a view has an element for the agent; null: a fault.
    DeviceState* holder_of(const View& v, const std::int64_t* coord, int agent, int statement);
    /// Counts bytes between this device and others; `comes`: to this one.
    void count_links(const Executable& e, const LaneAccess& a, int agent, const LaneElements& places, bool comes);
    /// What its agents know of blocks of other devices, at the end.
    void tell(OtherRuns& out) const;
    /// What its agents wait for, and where it is.
    [[nodiscard]] std::string waits();
    /// For an instruction, while it runs.
    [[nodiscard]] Workspace& workspace() noexcept { return worker_->workspace; }
    /// Room for `n` numbers, separate for each operand.
    std::int32_t* scratch(int operand, std::size_t n)
    {
        auto& room = scratch_[static_cast<std::size_t>(operand)];
        if (room.size() < n) room.resize(n);
        return room.data();
    }

  private:
    using Agent = detail_block::Agent;
    using Renewal = detail_block::Renewal;
    using Named = detail_block::Named;
    using RegisterPool = detail_block::RegisterPool;
    using Phase = detail_block::Phase;
    using Refused = detail_block::Refused;
    using Visit = detail_block::Visit;
    using Columns = detail_block::Columns;

    [[nodiscard]] std::vector<Standing> standing();
    [[nodiscard]] std::string waits_of_agents();
    void share_cells();
    void renew(int tensor, const Step& step, int agent);
    bool go_together();
    bool count_step(Agent& agent, int number, const Step& step);
    bool run_instruction(const Step& step, int agent);
    void note_start(Trace& trace, const Executable& e, int agent), note_end(const Ending& last, int agent);
    [[nodiscard]] bool has_watched_element(const TensorPlan& plan, int device) const;
    bool run_watched(const Executable& e, int column, int agent);
    void watch_operand(const Executable& e, std::size_t k, int column, int agent);
    [[nodiscard]] WatchedAccess watched_access(const Executable* e, int statement, int agent, int lane) const;
    [[nodiscard]] const std::byte* watched_element(const TensorPlan& plan, int tensor, int agent, int lane, int memory);
    bool step_agent(int agent, std::int64_t quantum);
    bool replicas_agree(int tensor);
    bool release(int step);
    bool wait_groups(Agent& agent, int number, const Wait& wait);
    bool wait_products(Agent& agent, int number, int pending);
    bool wait_tensors(Agent& agent, int number, Wait::Of of);
    void complete_tensors(Agent& agent, int number);
    bool ends_tensors();
    [[nodiscard]] int tensor_number(int agent) const noexcept { return rank_ * max_agents + agent; }
    bool may_commit(Block& target, int agent, int id, int statement);
    [[nodiscard]] Clock committed_clock(int agent);
    void fence(Agent& agent, int number, const ProxyFence& fence);
    void fence_memory(Agent& agent, int number, Within within);
    [[nodiscard]] bool has_tensor_memory() const;
    bool ends_groups(const Agent& agent, int number);
    bool finish_left(EndsBy until, int of, std::int64_t last, bool sources_alone = false);
    void leave(LeftOperation operation);
    void swap_variables(LeftOperation& operation);
    bool finish_one(std::size_t which);
    bool finish_tensors(int agent, std::int64_t last);
    bool finish_after_turn();
    bool finish_all();
    void touch_register(const LaneAccess& a, int agent, std::size_t which)
    {
        auto& uses = memory_->registers[static_cast<std::size_t>(a.tensor)].products;
        if (!uses.empty()) touch_register(uses, a, agent, which);
    }
    bool touch_register(std::vector<ProductUse>& uses, const LaneAccess& a, int agent, std::size_t which);
    bool converge(int step);
    void note_products();
    bool come_to(int step);
    [[nodiscard]] bool comes_together(const Step& step, int agent) const;
    bool ends_phases();
    bool is_set_up(const Phase& p, int id, int agent, int statement, const char* used);
    bool is_witnessed(const Phase& p, int id, int agent, int statement);
    bool is_unused(const Phase& p, int id, int agent, int statement);
    void end_phase(Phase& p, int id);
    bool mbarrier(Agent& agent, int number, const Mbarrier& m, int statement, bool& blocked);
    bool set_index(const Step& step, int number);
    bool remote_mbarrier(Agent& agent, int number, const Mbarrier& m, int statement);
    bool flag(Agent& agent, int number, const Flag& f, int statement, bool& blocked);
    bool find_flag(const Flag& f, int agent, int statement, std::int64_t& place, DeviceState*& of);
    bool scopes_cover(const Flag& f, const Actor& actor, int statement, FlagReleases& flag);
    [[nodiscard]] bool is_watched_place(const TensorPlan& plan, std::int64_t place) const;
    [[nodiscard]] FlagReleases::Release knowledge(const Agent& agent, Within within) const;
    static void tell(FlagReleases::Release mine, FlagReleases& releases);
    void learn(Agent& agent, Within within, const FlagReleases::Sequence& releases);
    bool launch(Agent& agent, int number, const Statement& s);
    bool cancel_launch(Agent& agent, int number, const CancelLaunch& request, int statement);
    bool reply_to(Block& target, int number, const CancelLaunch& request, int statement, const std::int32_t* words);
    bool asks_in_vain(const Agent& agent) const;
    bool ends_launch();
    bool place_mbarrier(Agent& agent, int number, const Mbarrier& m, int statement, Phase& p);
    void free_bytes_of(const Phase& p, int number, int statement);
    bool find_bytes(const View& v, std::int64_t bytes, int number, int statement, std::int64_t& place);
    bool cluster_barrier(Agent& agent, int number, const ClusterBarrier& b, int statement, bool& blocked);
    bool completes_cluster_phase();
    bool ends_visits();
    [[nodiscard]] Block& owner_of(const View& view, int agent) const;
    [[nodiscard]] std::string waited_for(const std::string& who, int agent, const Step& step) const;
    bool is_set_up_for(const Block& other, const Phase& p, int id, int agent, int statement);
    bool takes_engine(Phase& p, int id, int statement);
    void in_cluster(Actor& actor) const noexcept;
    bool arrive_after_copies(Agent& agent, int number, const Mbarrier& m, int statement);
    bool named_barrier(Agent& agent, int number, const NamedBarrier& b, int statement);
    bool is_in_step(const Named& n, int id, int agent, int statement);
    void start_registers();
    bool change_registers(int number, const RegisterCount& r, int statement, bool& blocked);
    bool follows_its_group(int number, std::size_t change, int statement);
    bool fits_registers(int number, int pc, std::int64_t count);
    bool ends_registers();
    bool ask_for_columns(int number, const TensorColumns& c, int statement, bool& blocked);
    bool allocate_columns(int number, const TensorColumns& c, int statement, bool& blocked);
    bool give_back_columns(int number, const TensorColumns& c, int statement);
    bool may_give_back(int number, int tensor, int statement);
    [[nodiscard]] bool knows(int number, std::uint64_t run, int other, std::uint32_t time) const;
    [[nodiscard]] std::int64_t& columns_taken();
    bool has_columns(const Executable& e, int agent);
    [[nodiscard]] std::string waits_for_columns(const std::string& who, const Step& step) const;
    bool ends_columns();
    bool evaluate(const Expression& e, int agent, int statement, double& value);
    bool load(const View& element, int agent, int statement, double& value);
    [[nodiscard]] bool origin_of(const LaneAccess& a, const LaneAccess::Reach& footprint, int agent, std::int64_t* origin) const;
    [[nodiscard]] static bool moved_by(const LaneAccess& a, const std::int64_t* origin, std::int64_t& delta);
    bool materialize(const Executable& e, int operand, int column, int agent, const std::int64_t* origin, std::int64_t delta,
                     LaneElements& out);
    bool edge_places(const Executable& e, int operand, int column, int agent, const std::int64_t* origin, std::int64_t delta,
                     LaneElements& out);
    FirstConflict touch_column(const LaneAccess& a, const Actor& actor, const LaneElements& at, Shadow& shadow, bool writing);
    bool check_entries(const Executable& e, const Actor& actor, const ColumnSide& to, const ColumnSide& from, bool written,
                       bool read);
    [[nodiscard]] EarlyRead* early_read() const noexcept;
    bool conflict_in(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place, const Shadow& shadow,
                     std::size_t cell, const Conflict& found, bool writing);
    bool find_places(const Executable& e, int operand, int column, int agent, LaneElements& out);
    bool aligned(const Executable& e, int operand, int agent, const LaneElements& at);
    bool own_device(const Executable& e, int operand, int column, int agent, const std::int64_t* origin);
    [[nodiscard]] std::string position(int statement) const;
    [[nodiscard]] std::string who(Event e) const;
    [[nodiscard]] std::string completing_text(Event e) const;
    template <class Access>
    bool touch(const Executable& e, int operand, const Actor& actor, int lane, std::int64_t place, int bytes, bool writing,
               Access access);

    const Compiled* compiled_;
    DeviceState* device_;
    BlockWorker* worker_;
    BlockMemory* memory_;
    const GridCode* grid_;
    int slot_;
    bool at_start_ = false; ///< no agent has gone a step
    bool done_ = false;
    bool reads_early_ = false; ///< the agent whose step this is
    Cluster* cluster_ = nullptr;
    int rank_ = 0;
    std::map<std::uint64_t, Visit> visits_{}; ///< the last access of this block's memory by each agent of other blocks
    std::uint64_t run_ = 0;
    Coord at_{}; ///< its place in the grid
    std::vector<Agent> agents_{};
    TurnOrder turns_{};
    std::vector<LeftOperation> left_{};  ///< in the order of their starts
    std::int64_t tensor_operations_ = 0; ///< that were left
    std::map<int, Phase> phases_{};
    std::vector<std::int64_t> sum_shapes_{}; ///< of products in tensor memory, by number
    std::map<int, Named> named_{};
    RegisterPool registers_{};
    Columns columns_{};
    std::vector<int> completed_{};                ///< the mbarriers that operations complete on, by engine
    std::unordered_map<int, Renewal> renewals_{}; ///< by tensor
    std::vector<Refused> refused_{};              ///< replies that no block was left
    bool has_waited_for_grids_ = false;
    std::vector<std::int32_t> scratch_[6]{};
};

} // namespace sim
} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/sim/agents/impl/block_clusters.hpp>
#  include <axe/sim/agents/impl/block_columns.hpp>
#  include <axe/sim/agents/impl/block_data.hpp>
#  include <axe/sim/agents/impl/block_flags.hpp>
#  include <axe/sim/agents/impl/block_launches.hpp>
#  include <axe/sim/agents/impl/block_left.hpp>
#  include <axe/sim/agents/impl/block_mbarriers.hpp>
#  include <axe/sim/agents/impl/block_memory.hpp>
#  include <axe/sim/agents/impl/block_named.hpp>
#  include <axe/sim/agents/impl/block_placed.hpp>
#  include <axe/sim/agents/impl/block_products.hpp>
#  include <axe/sim/agents/impl/block_registers.hpp>
#  include <axe/sim/agents/impl/block_remote.hpp>
#  include <axe/sim/agents/impl/block_replicas.hpp>
#  include <axe/sim/agents/impl/block_run.hpp>
#  include <axe/sim/agents/impl/block_tensor_columns.hpp>
#  include <axe/sim/agents/impl/block_tensors.hpp>
#  include <axe/sim/agents/impl/block_together.hpp>
#  include <axe/sim/agents/impl/block_values.hpp>
#  include <axe/sim/agents/impl/block_waits.hpp>
#  include <axe/sim/agents/impl/block_watch.hpp>
#  include <axe/sim/agents/impl/block_words.hpp>
#endif

#endif
