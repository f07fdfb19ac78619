// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_OPERATION_HPP
#define AXE_PROGRAM_OPERATION_HPP

#include <axe/program/functions.hpp>
#include <axe/program/view.hpp>

#include <cstdint>
#include <string>

namespace axe {
inline namespace v0 {

struct Operator;
struct RawFunction;

/// What is to be done, an operator; how is a schedule's matter. A handle on the row that says what it is (operators.hpp).
///
/// Two are equal when they are of one row. An operator of a user's own is a row of the user's: `Op(my_row)`; the row must outlive every
/// program that names it.
class Op {
  public:
    /// @pre `row` outlives the handle
    constexpr explicit Op(const Operator& row) noexcept : row_(&row) {}
    [[nodiscard]] constexpr const Operator& row() const noexcept { return *row_; }
    friend constexpr bool operator==(const Op&, const Op&) = default;

    // The library's own, defined in operators.hpp.
    static const Op fill; ///< D = number
    static const Op copy; ///< D = A, converted to D's type; between layouts that differ on the device axis it is the collective
    static const Op copy_async;  ///< the same, complete after commit and wait
    static const Op map;         ///< D = f(A, …): unary, binary, fma, select, cast
    static const Op reduce;      ///< D = A reduced over the dimensions `axes` by f; with `accumulate` D = f(D, …)
    static const Op gemm;        ///< D[m,n] = Σ_k A[m,k]·B[k,n]; with `accumulate` added to D; transposed operands are [k,m], [n,k]
    static const Op scaled_gemm; ///< the same, with a factor of a box of A, and one of a box of B
    static const Op
        gather; ///< D[i, …] = A[index[i], …]; with several, A[index[i], other[i], …]; `masked`: where mask[i], else `number`
    static const Op scatter;     ///< D[index[i], …] = A[i, …]; with several, D[index[i], other[i], …]; `masked`: where mask[i]
    static const Op atomic;      ///< D = f(D, A), element by element, whatever else does so too
    static const Op atomic_rows; ///< D[index[i], …] = f(D[index[i], …], A[i, …]); old[i, …], where given, is what was there before
    static const Op compare_exchange; ///< D[index[i], …] = A[i, …] where it is expected[i, …], which becomes what was there before
    static const Op iota;             ///< D[i, …] = start + the index in dimension axes[0]
    static const Op prefetch;         ///< A is brought near, of no effect on values
    static const Op shift_rows;       ///< D[i, …] = D[i − 1, …] for i ≥ 1, all at once; row 0 stays
    static const Op scan;             ///< D[…, i, …] = A[…, 0, …] ∘ … ∘ A[…, i, …] along axes[0]; `exclusive`: ∘ … up to i − 1
    static const Op load_reduce;      ///< D = f over what all devices have at this place of A
    static const Op store_all;        ///< what each device has at this place of D becomes A
    static const Op reduce_all;       ///< the same of f(D, A), element by element, whatever else does so too

    static const Op raw; ///< a function of C++ on its operands (raw_function.hpp)

  private:
    const Operator* row_;
};

/// How long a cache is to keep what a copy moves, of no effect on values.      [PTX, cache eviction priority hints]
enum class CacheHint : std::uint8_t { none, evict_first, evict_last, no_allocate };
constexpr const char* name(CacheHint hint) noexcept
{
    constexpr const char* names[] = {"none", "evict_first", "evict_last", "no_allocate"};
    return names[static_cast<int>(hint)];
}

/// Options that ride along with an operator. A schedule that cannot honor one declines.
struct Options {
    std::string schedule{}; ///< force this one; empty: the table chooses
    int vector_bytes = 0;   ///< most bytes a lane moves in one access; 0: the schedule finds it
    bool async =
        false; ///< its instructions go on by themselves: of a reduction over devices and a gather until commit and wait, of a gemm until wait_products
    /// Lowering fails where only schedules of a slower class of instructions than the machine's best for these types apply.
    bool only_fastest = false;
    int completes_on =
        -1; ///< of copy_async, gather and atomic: the mbarrier that counts the bytes, instead of commit and wait, or, in
            ///< tensor memory, gets an arrival, as of a gemm; −1: none
    /// Bit r: to the block of rank r of the cluster; 0: to the own one. Of copy_async what it writes, and of what gets an arrival on
    /// completion, that.
    std::uint16_t multicast = 0;
    /// Of a gemm and a copy to tensor memory: of the two blocks of ranks 2i and 2i + 1 together, each with its half; of another
    /// copy_async: the mbarrier is that of the block of rank 2i.
    bool pair = false;
    CacheHint cache = CacheHint::none;
    bool fill_nan = false;            ///< of copy_async: what is outside a guarded source arrives as NaN, and not as 0
    std::uint16_t byte_mask = 0xffff; ///< of copy_async: bit b: byte b of each 16 along the last dimension is written
    friend bool operator==(const Options&, const Options&) = default;
};

/// An operator applied to views, destination first.
struct Operation {
    Op op = Op::copy;
    std::vector<View> operands{};
    Function function = Function::identity;
    double number = 0;                  ///< of fill; of a masked gather, of the elements that the mask leaves out
    InlineVector<int, max_rank> axes{}; ///< of reduce: dimensions of A; of iota and scan: the one along which
    bool accumulate = false;
    bool exclusive = false; ///< of scan: without the element itself
    int indices = 1;        ///< of atomic_rows and compare_exchange: how many there are
    bool masked = false;    ///< of gather, scatter, atomic_rows and compare_exchange: the last operand is a mask
    Affine start{};         ///< of iota; of gemm with `unless_zero`
    bool transpose_a = false, transpose_b = false;
    bool negate_a = false, negate_b = false; ///< of gemm: −A, −B instead
    bool unless_zero = false;                ///< of gemm: where `start` is 0 in the run, D is overwritten, as without `accumulate`
    int scale_d = 0;                         ///< of gemm that accumulates: D·2^−scale_d is added to
    std::vector<std::uint32_t> kept_rows{};  ///< of gemm: bit i of word j: row 32·j + i of D stays as it is; empty: none does
    std::vector<std::uint32_t> zero_columns{}; ///< of gemm: bit i of word j: column 32·j + i of B counts as zeros; empty: none does
    const RawFunction* raw = nullptr;          ///< of raw
    Options options{};
    friend bool operator==(const Operation&, const Operation&) = default;
};

} // namespace v0
} // namespace axe

#endif
