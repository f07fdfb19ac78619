// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_KERNEL_HPP
#define AXE_PROGRAM_KERNEL_HPP

#include <axe/program/agent_role.hpp>
#include <axe/program/element_pointers.hpp>
#include <axe/program/handles.hpp>
#include <axe/program/operators.hpp>
#include <axe/program/specification.hpp>
#include <axe/program/stages.hpp>
#include <axe/program/tile_index.hpp>

#include <functional>
#include <optional>

/// Kernels and scopes, with which programs are written.
namespace axe {
inline namespace v0 {

class Kernel;
namespace detail {
struct MeshTensors;
} // namespace detail

/// Who runs the statements that are written through it: the devices, a block, some of its agents, one lane. Each function appends one
/// statement at the end of the kernel, and notes the line of C++ that calls it, for messages. A scope is a handle, to be copied; it must not outlive its kernel or be used after the function
/// it was given to has returned.
class Scope {
  public:
    explicit Scope(Kernel& kernel) : kernel_(&kernel) {}

    /// A tensor of this scope in a memory of the machine, named or by the role it plays, laid out as given, or as the target chooses by a hint. It exists to
    /// the end of the scope's function. Bytes are placed one after the other unless `base` says where.
    TensorRef alloc(std::string memory, const Shape& shape, DType type, const Placement& placement = {}, std::string name = {},
                    std::int64_t base = -1, SourceLine at = SourceLine::here());
    TensorRef alloc(Role role, const Shape& shape, DType type, const Placement& placement = {}, std::string name = {},
                    std::int64_t base = -1, SourceLine at = SourceLine::here());

    Scope& fill(const ViewRef& d, double number, const Options& options = {}, SourceLine at = SourceLine::here());
    /// D = A, converted to D's type. A cast is a copy between types.
    Scope& copy(const ViewRef& d, const ViewRef& a, const Options& options = {}, SourceLine at = SourceLine::here());
    Scope& copy_async(const ViewRef& d, const ViewRef& a, const Options& options = {}, SourceLine at = SourceLine::here());
    Scope& map(Function f, const ViewRef& d, std::vector<ViewRef> operands, const Options& options = {},
               SourceLine at = SourceLine::here());
    Scope& unary(Function f, const ViewRef& d, const ViewRef& a, SourceLine at = SourceLine::here())
    {
        return map(f, d, {a}, {}, at);
    }
    Scope& binary(Function f, const ViewRef& d, const ViewRef& a, const ViewRef& b, SourceLine at = SourceLine::here())
    {
        return map(f, d, {a, b}, {}, at);
    }
    Scope& fma(const ViewRef& d, const ViewRef& a, const ViewRef& b, const ViewRef& c, SourceLine at = SourceLine::here())
    {
        return map(Function::fma, d, {a, b, c}, {}, at);
    }
    Scope& select(const ViewRef& d, const ViewRef& where, const ViewRef& yes, const ViewRef& no, SourceLine at = SourceLine::here())
    {
        return map(Function::select, d, {where, yes, no}, {}, at);
    }
    /// D = A reduced over these dimensions of A, which D does not have.
    Scope& reduce(Function f, const ViewRef& d, const ViewRef& a, InlineVector<int, max_rank> axes, bool accumulate = false,
                  const Options& options = {}, SourceLine at = SourceLine::here());
    Scope& sum(const ViewRef& d, const ViewRef& a, int axis, const Options& options = {}, SourceLine at = SourceLine::here())
    {
        return reduce(Function::add, d, a, {axis}, false, options, at);
    }
    /// D += A·B; with `Gemm{.accumulate = false}` D = A·B.
    struct Gemm {
        bool accumulate = true, transpose_a = false, transpose_b = false;
        bool negate_a = false, negate_b = false;                ///< −A, −B
        std::optional<Affine> unless_zero{};                    ///< where it is 0 in the run, D = A·B all the same
        int scale_d = 0;                                        ///< D = D·2^−scale_d + A·B, from 0 to 15
        std::vector<std::uint32_t> kept_rows{}, zero_columns{}; ///< by bits: rows of D that stay, columns of B that count as zeros
    };
    Scope& gemm(const ViewRef& d, const ViewRef& a, const ViewRef& b, SourceLine at = SourceLine::here())
    {
        return gemm(d, a, b, Gemm{}, {}, at);
    }
    Scope& gemm(const ViewRef& d, const ViewRef& a, const ViewRef& b, const Gemm& form, const Options& options = {},
                SourceLine at = SourceLine::here());
    /// D += (A by its scales)·(B by its scales), a factor for each box of A and of B.
    Scope& scaled_gemm(const ViewRef& d, const ViewRef& a, const ViewRef& b, const ViewRef& a_scales, const ViewRef& b_scales,
                       SourceLine at = SourceLine::here())
    {
        return scaled_gemm(d, a, b, a_scales, b_scales, Gemm{}, {}, at);
    }
    Scope& scaled_gemm(const ViewRef& d, const ViewRef& a, const ViewRef& b, const ViewRef& a_scales, const ViewRef& b_scales,
                       const Gemm& form, const Options& options = {}, SourceLine at = SourceLine::here());
    Scope& gather(const ViewRef& d, const ViewRef& a, const ViewRef& index, const Options& options = {},
                  SourceLine at = SourceLine::here());
    Scope& scatter(const ViewRef& d, const ViewRef& index, const ViewRef& a, const Options& options = {},
                   SourceLine at = SourceLine::here());
    /// The same with an index for each of the first dimensions of A or D, all of one shape, and perhaps a mask of that shape.
    ///
    ///   c.gather_at(d, a, {row, column}, {.where = mask, .otherwise = -1});     // D[i] = mask[i] ? A[row[i], column[i]] : -1
    Scope& gather_at(const ViewRef& d, const ViewRef& a, const std::vector<ViewRef>& indices, const Masked& masked = {},
                     const Options& options = {}, SourceLine at = SourceLine::here());
    Scope& scatter_at(const ViewRef& d, const std::vector<ViewRef>& indices, const ViewRef& a,
                      const std::optional<ViewRef>& where = {}, const Options& options = {}, SourceLine at = SourceLine::here());
    Scope& atomic(Function f, const ViewRef& d, const ViewRef& a, const Options& options = {}, SourceLine at = SourceLine::here());
    /// Row i of A is combined with row index[i] of D, each element in one step; what was there before goes to `old`, in registers.
    Scope& atomic_rows(Function f, const ViewRef& d, const ViewRef& index, const ViewRef& a, const std::optional<ViewRef>& old = {},
                       const Options& options = {}, SourceLine at = SourceLine::here());
    /// Row i of A becomes row index[i] of D where that is row i of `expected`, each element in one step; `expected` becomes what was there.
    Scope& compare_exchange(const ViewRef& d, const ViewRef& index, const ViewRef& a, const ViewRef& expected,
                            const Options& options = {}, SourceLine at = SourceLine::here());
    /// D = start + the index in a dimension of D: which row or column an element is of.
    Scope& iota(const ViewRef& d, int axis, const Affine& start = {}, const Options& options = {},
                SourceLine at = SourceLine::here());
    /// What A shows is brought near the multiprocessors, whenever: values stay, and nothing waits for it.
    Scope& prefetch(const ViewRef& a, const Options& options = {}, SourceLine at = SourceLine::here());
    /// Each row of D becomes the one before it, all at once; the first stays.
    Scope& shift_rows(const ViewRef& d, const Options& options = {}, SourceLine at = SourceLine::here());
    /// D = A combined with all that come before it along a dimension; `exclusive`: those alone, at first the neutral element.
    Scope& scan(Function f, const ViewRef& d, const ViewRef& a, int axis, bool exclusive = false, const Options& options = {},
                SourceLine at = SourceLine::here());
    /// The tile of an index in the grid of tiles of that shape, which divides the view: the same elements, no copy. An index that the run
    /// computes becomes an `index` of the program.
    [[nodiscard]] ViewRef extract_tile(const ViewRef& x, const Shape& tile, const TileIndex& index,
                                       SourceLine at = SourceLine::here());
    /// That tile becomes what `tile` is, of the same type; the other elements of x stay.
    Scope& insert_tile(const ViewRef& x, const ViewRef& tile, const TileIndex& index, SourceLine at = SourceLine::here());
    /// `subview` from offsets that the run may compute; and the same elements become what `slice` is.
    [[nodiscard]] ViewRef extract_slice(const ViewRef& x, const std::vector<Expression>& offsets, const Shape& sizes,
                                        const Shape& strides = {}, SourceLine at = SourceLine::here());
    Scope& insert_slice(const ViewRef& x, const ViewRef& slice, const std::vector<Expression>& offsets, const Shape& strides = {},
                        SourceLine at = SourceLine::here());
    /// The value of one element, in an expression.
    [[nodiscard]] Expression extract_element(const ViewRef& x, const std::vector<Expression>& index,
                                             SourceLine at = SourceLine::here());
    /// The same with an index for each of the first dimensions of D, all of one shape, and perhaps a mask of that shape: where it is 0, neither
    /// D nor `old` or `expected` changes.
    Scope& atomic_at(Function f, const ViewRef& d, const std::vector<ViewRef>& indices, const ViewRef& a,
                     const std::optional<ViewRef>& old = {}, const std::optional<ViewRef>& where = {}, const Options& options = {},
                     SourceLine at = SourceLine::here());
    Scope& compare_exchange_at(const ViewRef& d, const std::vector<ViewRef>& indices, const ViewRef& a, const ViewRef& expected,
                               const std::optional<ViewRef>& where = {}, const Options& options = {},
                               SourceLine at = SourceLine::here());
    /// Elements of a tensor: all of it; those at indices of one shape, one for each dimension; the one at scalar indices.
    [[nodiscard]] ElementPointers local_ptr(const ViewRef& x, const std::vector<ViewRef>& indices = {});
    [[nodiscard]] ElementPointers local_ptr(const ViewRef& x, const std::vector<Expression>& index,
                                            SourceLine at = SourceLine::here());
    /// D = the elements; the elements become A; they become f(them, A), each in one step, and what was there before goes to `old`.
    Scope& load(const ViewRef& d, const ElementPointers& from, const Loading& how = {}, SourceLine at = SourceLine::here());
    Scope& store(const ElementPointers& to, const ViewRef& a, const std::optional<ViewRef>& where = {},
                 SourceLine at = SourceLine::here());
    Scope& atomic(Function f, const ElementPointers& to, const ViewRef& a, const std::optional<ViewRef>& old = {},
                  const std::optional<ViewRef>& where = {}, SourceLine at = SourceLine::here());
    /// A function of C++ (raw_function.hpp), which the first agent of the scope calls, on views in memories: those that it writes first.
    Scope& raw(const RawFunction& f, const std::vector<ViewRef>& operands, const Options& options = {},
               SourceLine at = SourceLine::here());
    /// Any operator, the library's or a user's own, destination first; what else it takes (a function, axes, a number) is in the
    /// operation.
    Scope& operate(Op op, const std::vector<ViewRef>& operands, const Options& options = {}, SourceLine at = SourceLine::here());
    Scope& operate(Operation operation, SourceLine at = SourceLine::here());
    /// An instruction of the machine, unchanged.
    Scope& call(Instruction instruction, SourceLine at = SourceLine::here());

    /// All agents of the scope meet.
    Scope& sync(SourceLine at = SourceLine::here());
    Scope& commit(SourceLine at = SourceLine::here());
    Scope& wait(int pending = 0, SourceLine at = SourceLine::here());
    /// Until all but `pending` groups have read their sources, which may then be written; what they write may still be on the way.
    Scope& wait_sources(int pending = 0, SourceLine at = SourceLine::here());
    /// Until all but `pending` of the agent's asynchronous products (`Options::async` of gemm) are complete.
    Scope& wait_products(int pending = 0, SourceLine at = SourceLine::here());
    /// What the agents of the scope know becomes visible to asynchronous operations (fence.proxy.async).
    Scope& proxy_fence(SourceLine at = SourceLine::here());
    /// Relaxed writes of flags behind it tell what agents knew here; they know what relaxed waits before it saw (fence.acq_rel).
    Scope& memory_fence(Within within = Within::device, SourceLine at = SourceLine::here());
    /// Until the agent's loads from tensor memory, or its stores there, are complete.
    Scope& wait_tensor_loads(SourceLine at = SourceLine::here());
    Scope& wait_tensor_stores(SourceLine at = SourceLine::here());
    /// Around a synchronization: operations on tensor memory before the one are before those of other agents after the other.
    Scope& tensor_fence_before(SourceLine at = SourceLine::here());
    Scope& tensor_fence_after(SourceLine at = SourceLine::here());
    Scope& mbarrier(const Mbarrier& action, SourceLine at = SourceLine::here());
    /// Each agent of the scope comes to a barrier that agents of other scopes come to, too (bar.sync, bar.arrive).
    Scope& named_barrier(const NamedBarrier& action, SourceLine at = SourceLine::here());

    /// Each thread of the scope's agents, whole warpgroups, gives registers back to the block's pool, or waits for more from there, until it
    /// has so many: 24 to 256, a multiple of 8 (setmaxnreg.dec, setmaxnreg.inc).
    Scope& decrease_registers(std::int64_t registers, SourceLine at = SourceLine::here());
    Scope& increase_registers(std::int64_t registers, SourceLine at = SourceLine::here());
    /// The agent asks for columns of tensor memory for tensors there, whose address it has written to 4 bytes of shared memory; gives them
    /// back; or says that the block asks for no more.      [PTX, allocation of tensor memory]
    Scope& allocate_columns(int id, std::int64_t columns, const ViewRef& address, const std::vector<ViewRef>& tensors,
                            bool pair = false, SourceLine at = SourceLine::here());
    Scope& give_back_columns(int id, bool pair = false, SourceLine at = SourceLine::here());
    Scope& relinquish_columns(bool pair = false, SourceLine at = SourceLine::here());

    /// The element of global memory is set, added to or exchanged, in one step; `before` is given what it was.
    Scope& set_flag(const ViewRef& flag, Expression value, MemoryOrder order = MemoryOrder::release, Within within = Within::device,
                    SourceLine at = SourceLine::here());
    Scope& add_to_flag(const ViewRef& flag, Expression value, MemoryOrder order = MemoryOrder::release,
                       Within within = Within::device, ScalarRef before = {}, SourceLine at = SourceLine::here());
    Scope& exchange_flag(const ViewRef& flag, Expression value, MemoryOrder order = MemoryOrder::release,
                         Within within = Within::device, ScalarRef before = {}, SourceLine at = SourceLine::here());
    /// Until the element is the value or more; until it is the value.
    Scope& wait_at_least(const ViewRef& flag, Expression value, MemoryOrder order = MemoryOrder::acquire,
                         Within within = Within::device, SourceLine at = SourceLine::here());
    Scope& wait_equal(const ViewRef& flag, Expression value, MemoryOrder order = MemoryOrder::acquire,
                      Within within = Within::device, SourceLine at = SourceLine::here());
    /// There becomes what here is: `there` in the memory of another device (`remote`) or block (`of_block`). A copy, complete in the scope when
    /// its agents have met; another device knows of it by a signal.      [NVSHMEM, put_block, get_block]
    Scope& put(const ViewRef& there, const ViewRef& here, const Options& options = {}, SourceLine at = SourceLine::here());
    Scope& get(const ViewRef& here, const ViewRef& there, const Options& options = {}, SourceLine at = SourceLine::here());
    /// D = f over what all devices have at this place of A, in one access of the network between them; what each device has at this place of D
    /// becomes A, or f(D, A). The tensors have a copy on each device.      [PTX, multimem]
    Scope& load_reduce(Function f, const ViewRef& d, const ViewRef& a, const Options& options = {},
                       SourceLine at = SourceLine::here());
    Scope& store_all(const ViewRef& d, const ViewRef& a, const Options& options = {}, SourceLine at = SourceLine::here());
    Scope& reduce_all(Function f, const ViewRef& d, const ViewRef& a, const Options& options = {},
                      SourceLine at = SourceLine::here());
    /// The agents of the scope meet, and one of them sets the flag, or adds to it, for the whole system: what they have done so far is before
    /// what is done behind a `signal_wait` that sees it.      [NVSHMEM, fence and signal_op]
    Scope& signal(const ViewRef& flag, Expression value, Signal how = Signal::set, SourceLine at = SourceLine::here());
    /// `put`, then `signal`.      [NVSHMEM, putmem_signal_block]
    Scope& put_signal(const ViewRef& there, const ViewRef& here, const ViewRef& flag, Expression value, Signal how = Signal::set,
                      const Options& options = {}, SourceLine at = SourceLine::here());
    /// Each agent of the scope waits until the flag is the value, or is that or more.      [NVSHMEM, signal_wait_until]
    Scope& signal_wait(const ViewRef& flag, Expression value, Until until = Until::at_least, SourceLine at = SourceLine::here());
    /// All agents of the blocks of the cluster meet: `cluster_arrive`, then `cluster_wait`.
    Scope& cluster_sync(SourceLine at = SourceLine::here());
    /// Arrives at the barrier of the cluster; relaxed: nothing before it is ordered by it.
    Scope& cluster_arrive(MemoryOrder order = MemoryOrder::release, SourceLine at = SourceLine::here());
    Scope& cluster_wait(SourceLine at = SourceLine::here());
    /// An mbarrier is initialized, for so many arrivals in a phase, in 8 bytes of shared memory.
    Scope& place_mbarrier(int id, std::int64_t arrivals, const ViewRef& bytes, SourceLine at = SourceLine::here());
    /// Each agent of the scope asks for the work of blocks that have not started; the reply is 4 elements of i32 in shared memory, and
    /// completes 16 bytes on the mbarrier: 1 and a place in the grid, or 0, −1, −1, −1. `to_all`: in each block of the cluster.
    Scope& try_cancel(const ViewRef& reply, int mbarrier, bool to_all = false, SourceLine at = SourceLine::here());
    /// Grids that depend on this one may start; until the grids have ended that this one depends on.
    Scope& launch_dependents(SourceLine at = SourceLine::here());
    Scope& wait_for_grids(SourceLine at = SourceLine::here());

    /// For each tile of one dimension. Errors as of `Kernel::cta`, and `errc::rank_mismatch` for tiles of several dimensions.
    Scope& loop(const Tiles& tiles, const std::function<void(Interval)>& body, SourceLine at = SourceLine::here());
    /// for v = begin, begin + step, … < end
    Scope& loop(Affine begin, Affine end, std::int64_t step, const std::function<void(Affine)>& body,
                SourceLine at = SourceLine::here());
    /// The same loops, whose rounds overlap once the program is lowered.
    Scope& loop(const Tiles& tiles, const Stages& stages, const std::function<void(Interval)>& body,
                SourceLine at = SourceLine::here());
    Scope& loop(Affine begin, Affine end, std::int64_t step, const Stages& stages, const std::function<void(Affine)>& body,
                SourceLine at = SourceLine::here());
    /// Statements of the loop around with stages, of the group with that number.
    Scope& pipeline_group(int id, const std::function<void()>& body, SourceLine at = SourceLine::here());
    Scope& loop_while(Expression condition, const std::function<void()>& body, SourceLine at = SourceLine::here());
    Scope& break_loop(SourceLine at = SourceLine::here());
    Scope& continue_loop(SourceLine at = SourceLine::here());
    Scope& when(Expression condition, const std::function<void()>& then, const std::function<void()>& otherwise = {},
                SourceLine at = SourceLine::here());
    /// A scalar of the program, which each agent has for itself.
    ScalarRef scalar(std::string name, double initial = 0);
    Scope& assign(ScalarRef scalar, Expression value, SourceLine at = SourceLine::here());
    /// A coordinate that only the run knows, for origins of views, bounds of loops and conditions up to the end of this function: what the
    /// value is here, a whole number in [low, high). A run with another one has a fault there.
    ///
    ///   const Affine row = c.index(load(rows(i)), 0, A.shape()[0], "row");
    ///   c.copy(s, A(row, all));
    Affine index(Expression value, std::int64_t low, std::int64_t high, std::string name = {}, SourceLine at = SourceLine::here());

    /// Agents (warps) first, first + stride, …: `count` of them, as a scope of their own.
    Scope& agents(int first, int count, int stride, const std::function<void(Scope)>& body, SourceLine at = SourceLine::here());
    Scope& warps(int first, int count, const std::function<void(Scope)>& body, SourceLine at = SourceLine::here())
    {
        return agents(first, count, 1, body, at);
    }
    /// The same agents by a name, which messages about them give: "producer".
    Scope& agents(int first, int count, int stride, std::string name, const std::function<void(Scope)>& body,
                  SourceLine at = SourceLine::here());
    Scope& warps(int first, int count, std::string name, const std::function<void(Scope)>& body, SourceLine at = SourceLine::here())
    {
        return agents(first, count, 1, std::move(name), body, at);
    }
    /// Warpgroups first to first + count − 1, four warps each.
    Scope& warpgroups(int first, int count, std::string name, const std::function<void(Scope)>& body,
                      SourceLine at = SourceLine::here());
    Scope& warpgroups(int first, int count, const std::function<void(Scope)>& body, SourceLine at = SourceLine::here())
    {
        return warpgroups(first, count, std::string(), body, at);
    }
    /// The agents of a role, by its name.
    Scope& role(const AgentRole& role, const std::function<void(Scope)>& body, SourceLine at = SourceLine::here());
    /// One agent of the scope, the first.      [PTX, elect.sync, of a warp]
    Scope& elected(const std::function<void(Scope)>& body, SourceLine at = SourceLine::here());
    /// Each agent (warp), or each lane of each agent, for itself: its number among those of the scope, as digits over `counts`, whose
    /// product is how many there are.
    Scope& each_agent(const Shape& counts, const std::function<void(Scope, const std::vector<Affine>&)>& body,
                      SourceLine at = SourceLine::here());
    Scope& each_thread(const Shape& counts, const std::function<void(Scope, const std::vector<Affine>&)>& body,
                       SourceLine at = SourceLine::here());

  private:
    bool is_elsewhere(const ViewRef& view, const char* operation);
    Scope& slice(Slice slice, const std::function<void(Scope)>& body, SourceLine at);
    Scope& overlapped(const Stages& stages, const std::function<void()>& write_loop);
    Affine coordinate(const Expression& value, std::int64_t count, bool is_whole, std::string name, SourceLine at);
    std::vector<Affine> tile_offsets(const ViewRef& x, const Shape& tile, const TileIndex& index, SourceLine at);
    ViewRef element_of(const ViewRef& x, const std::vector<Expression>& index, SourceLine at);
    Scope& insert(const ViewRef& d, const ViewRef& a, SourceLine at);
    std::vector<ViewRef> own_indices(const ViewRef& x, SourceLine at);
    Scope& each(Each::Of of, const Shape& counts, const std::function<void(Scope, const std::vector<Affine>&)>& body,
                SourceLine at);
    Kernel* kernel_;
    int first_agent_ = 0; ///< of the scope, in its block
};

/// Builds a program: a function that reads like the kernel it describes.      [Axe 3.2]
///
/// Mistakes do not stop it: the first one is kept, with the statement it happened in, and is what `program` returns.
class Kernel : public Scope {
  public:
    Kernel(std::string name, const Machine& machine);
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    /// A tensor that the caller of the run gives or takes, row-major in the machine's global memory unless `placement` says otherwise.
    TensorRef input(std::string name, const Shape& shape, DType type, const Placement& placement = {});
    TensorRef output(std::string name, const Shape& shape, DType type, const Placement& placement = {});
    TensorRef inout(std::string name, const Shape& shape, DType type, const Placement& placement = {});

    /// The number of the device that runs; 0 on a machine with one.
    [[nodiscard]] Affine device() const;
    /// A block for each tile, of `agents` warps or engines. 0: the machine's own number. `errc::capacity` for tiles of more dimensions than
    /// a shape holds, `errc::rank_mismatch` where shape and tile have not as many, `errc::bad_extent` of a dimension without tiles.
    Kernel& cta(const Tiles& tiles, const std::function<void(Scope, const Tile&)>& body, int agents = 4,
                SourceLine at = SourceLine::here());
    /// The same with clusters of blocks, whose shape divides the grid's.
    Kernel& cta(const Tiles& tiles, const Clusters& clusters, const std::function<void(Scope, const Tile&)>& body, int agents = 4,
                SourceLine at = SourceLine::here());
    /// The grid that has been written last may start before the one before it has ended: what that one does, its agents see after
    /// `wait_for_grids`. `errc::bad_argument` where the last statement is not a grid.
    Kernel& dependent_launch(SourceLine at = SourceLine::here());
    /// How many registers each thread of a block starts with (__maxnreg__). Without it, where `decrease_registers` or `increase_registers` is
    /// used: as many as one block of a multiprocessor can have for each of its threads.
    Kernel& thread_registers(std::int64_t registers);
    Kernel& devices(int first, int count, const std::function<void(Scope)>& body, SourceLine at = SourceLine::here());

    /// States what an output or inout is to be, over the values that inputs and inouts have before the run. `verify` compares runs with
    /// it; nothing else depends on it.
    ///
    ///   k.computes(C, matmul(A, B));
    Kernel& computes(const TensorRef& output, const Formula& formula);

    /// What has been written so far.
    [[nodiscard]] Result<Program, Problem> program() const;
    [[nodiscard]] const Machine& machine() const noexcept { return program_.machine; }

  private:
    friend class Scope;
    friend class TensorRef;
    friend class ViewRef;
    friend struct detail::MeshTensors;
    TensorRef declare(Binding binding, std::string name, const Shape& shape, DType type, const Placement& placement);
    void append(Statement statement, SourceLine at);
    int number(SourceLine at); ///< of the next statement
    /// What a statement names must be this kernel's.
    void check_owner(const Statement& statement);
    void check_owner(const View& view);
    void check_owner(const Affine& index);
    void check_owner(const Expression& value);
    [[nodiscard]] bool owns(KernelTag owner) const noexcept { return owner.kernel == nullptr || owner.kernel == this; }
    Body written(const std::function<void()>& body); ///< what `body` appends
    bool open(Body& body);                           ///< appends to it from now on; not one body too many
    Var variable(std::string name, std::int64_t low, std::int64_t high);
    void place_in_clusters(Grid& grid, const Clusters& clusters, Tile& tile);
    void refuse(errc code, std::string message);
    bool refuses(const Shape& shape); ///< of more dimensions than a shape holds
    bool refuses(const Tiles& tiles); ///< of such shapes, and of a shape and a tile that do not match
    [[nodiscard]] std::int64_t highest(const Affine& a) const;
    [[nodiscard]] std::int64_t lowest(const Affine& a) const;
    [[nodiscard]] bool is_whole(const View& view, int k) const; ///< is dimension k all of a dimension of the tensor?

    Program program_{};
    std::vector<Body*> open_{};
    LoopStages* overlapping_ = nullptr; ///< of the loop with stages that is being written, while its own body is
    Problem problem_{};
};

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/kernel.hpp>
#  include <axe/program/impl/kernel_clusters.hpp>
#  include <axe/program/impl/kernel_columns.hpp>
#  include <axe/program/impl/kernel_launches.hpp>
#  include <axe/program/impl/kernel_registers.hpp>
#  include <axe/program/impl/scope.hpp>
#  include <axe/program/impl/scope_operators.hpp>
#  include <axe/program/impl/scope_pointers.hpp>
#  include <axe/program/impl/scope_signals.hpp>
#  include <axe/program/impl/scope_stages.hpp>
#  include <axe/program/impl/scope_tiles.hpp>
#endif

#endif
