// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_OPERATORS_HPP
#define AXE_PROGRAM_OPERATORS_HPP

#include <axe/program/functions.hpp>
#include <axe/program/indexed.hpp>
#include <axe/program/program.hpp>
#include <axe/program/raw_function.hpp>
#include <axe/tensor/convert.hpp>

#include <algorithm>
#include <array>

namespace axe {
inline namespace v0 {

namespace ref {
struct Operands;
}

/// An operator as a row of data: its names, and the rules of its operands.
///
/// The first operand is what it writes, but of a prefetch; the others it reads. A row of a user's own also says what it computes: `reference` does it by
/// plain loops on what the elements of the operands may be (sim/reference/operators.hpp has what such functions are made of), and the
/// results of a run are held against that.
struct Operator {
    const char* name;
    const char* operands[5]; ///< names, destination first; null where there are fewer
    const char* meaning;
    /// What is wrong with operands and options, without the words that say where. Every operand is a view of a tensor that exists.
    Result<void, Problem> (*check)(const Program&, const Operation&);
    /// With one more dimension in front of every operand, is it done for each index of that one?
    bool batches = false;
    Result<void, Problem> (*reference)(const ref::Operands&) = nullptr; ///< null: of the library's own rows alone
    bool all_copies = false; ///< a remote view that names no device is of the copies that all devices have
};

/// The types of a matrix product: each product is exact in D's type or rounded to it once, and D is the type that sums grow in.
struct GemmTypes {
    DType a, b, d;
};

namespace detail {

/// D is as wide as the accumulators of machines are; some have sums of f16 beside f32, some write dl16. Floats of 8 bits and less are
/// multiplied with each other, into either.
inline constexpr GemmTypes wide_gemm_types[] = {
    {DType::f16, DType::f16, DType::f32},    {DType::f16, DType::f16, DType::f16}, {DType::bf16, DType::bf16, DType::f32},
    {DType::tf32, DType::tf32, DType::f32},  {DType::f32, DType::f32, DType::f32}, {DType::f64, DType::f64, DType::f64},
    {DType::i8, DType::i8, DType::i32},      {DType::i8, DType::u8, DType::i32},   {DType::u8, DType::i8, DType::i32},
    {DType::u8, DType::u8, DType::i32},      {DType::i4, DType::i4, DType::i32},   {DType::dl16, DType::dl16, DType::f32},
    {DType::dl16, DType::dl16, DType::dl16},
};
inline constexpr DType small_gemm_types[] = {DType::e4m3, DType::e5m2, DType::e3m2, DType::e2m3, DType::e2m1};
inline constexpr auto gemm_types = [] {
    std::array<GemmTypes, std::size(wide_gemm_types) + 2 * std::size(small_gemm_types) * std::size(small_gemm_types)> out{};
    auto next = std::copy(std::begin(wide_gemm_types), std::end(wide_gemm_types), out.begin());
    for (const DType d : {DType::f32, DType::f16})
        for (const DType a : small_gemm_types)
            for (const DType b : small_gemm_types) *next++ = {a, b, d};
    return out;
}();

inline const View& operand(const Operation& o, int i) { return o.operands[static_cast<std::size_t>(i)]; }
inline const ProgramTensor& operand_tensor(const Program& p, const Operation& o, int i) { return tensor_of(p, operand(o, i)); }

/// "128×32"; of the shape without dimensions, "one element".
AXE_DECL std::string shape_words(const Shape& shape);
inline std::string quoted(const std::string& name) { return "`" + name + "`"; }
/// "D `a`"
AXE_DECL std::string operand_words(const Program& p, const Operation& o, int i);
/// "D `a` is 128×32"
AXE_DECL std::string extent_words(const Program& p, const Operation& o, int i);
/// "D `a` is of f16"
AXE_DECL std::string type_words(const Program& p, const Operation& o, int i);

AXE_DECL Result<void, Problem> need_operands(const Operation& o, int count);

/// Where two elements of what is written are one, the order of writing would decide.
AXE_DECL Result<void, Problem> need_single(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> need_single(const Program& p, const Operation& o, int i);

AXE_DECL Result<void, Problem> need_equal_extents(const Program& p, const Operation& o);

AXE_DECL Result<void, Problem> need_domain(const Program& p, const Operation& o, int first);

AXE_DECL Result<void, Problem> check_fill(const Program& p, const Operation& o);

AXE_DECL Result<void, Problem> check_copy(const Program& p, const Operation& o);

AXE_DECL Result<void, Problem> check_map(const Program& p, const Operation& o);

AXE_DECL Result<void, Problem> check_reduce(const Program& p, const Operation& o);

AXE_DECL Result<void, Problem> check_gemm(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_scaled_gemm(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_gather(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_scatter(const Program& p, const Operation& o);

AXE_DECL Result<void, Problem> check_atomic(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_atomic_rows(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_compare_exchange(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_iota(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_scan(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_raw(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_prefetch(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_load_reduce(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_store_all(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_reduce_all(const Program& p, const Operation& o);
AXE_DECL Result<void, Problem> check_shift_rows(const Program& p, const Operation& o);
/// What no operator but some may be asked: NaN outside, single bytes, negated operands.
AXE_DECL Result<void, Problem> check_options(const Program& p, const Operation& o);

inline constexpr Operator operator_rows[] = {
    {"fill", {"D"}, "D = number", check_fill, true},
    {"copy", {"D", "A"}, "D = A, in D's type", check_copy, true},
    {"copy_async", {"D", "A"}, "D = A, in D's type, after commit and wait", check_copy, true},
    {"map", {"D", "A", "B", "C"}, "D = f(A, …)", check_map, true},
    {"reduce", {"D", "A"}, "D = f over dimensions of A", check_reduce, true},
    {"gemm", {"D", "A", "B"}, "D[m,n] = Σ_k A[m,k]·B[k,n]", check_gemm},
    {"scaled_gemm", {"D", "A", "B", "SFA", "SFB"}, "D[m,n] = Σ_k A[m,k]·SFA[m,k]·B[k,n]·SFB[k,n]", check_scaled_gemm},
    {"gather", {"D", "A", "index"}, "D[i, …] = A[index[i], …]", check_gather},
    {"scatter", {"D", "index", "A"}, "D[index[i], …] = A[i, …]", check_scatter},
    {"atomic", {"D", "A"}, "D = f(D, A), whatever else does so", check_atomic, true},
    {"atomic_rows",
     {"D", "index", "A", "old"},
     "D[index[i], …] = f(D[index[i], …], A[i, …]), old = what was there",
     check_atomic_rows},
    {"compare_exchange",
     {"D", "index", "A", "expected"},
     "D[index[i], …] = A[i, …] where it is expected[i, …]",
     check_compare_exchange},
    {"iota", {"D"}, "D[i, …] = start + i", check_iota, true},
    {"scan", {"D", "A"}, "D[i, …] = f(A[0, …], …, A[i, …])", check_scan, true},
    {"prefetch", {"A"}, "A is brought near", check_prefetch, true},
    {"shift_rows", {"D"}, "D[i, …] = D[i − 1, …], row 0 stays", check_shift_rows},
    {"load_reduce", {"D", "A"}, "D = f over the devices' copies of A", check_load_reduce, false, nullptr, true},
    {"store_all", {"D", "A"}, "each device's copy of D = A", check_store_all, false, nullptr, true},
    {"reduce_all", {"D", "A"}, "each device's copy of D = f(D, A), whatever else does so", check_reduce_all, false, nullptr, true},
    {"raw", {"D", "A", "B", "C", "E"}, "D, … = f(A, …), a function of C++", check_raw},
};

} // namespace detail

/// The operators of the library, a row each.
inline constexpr const auto& operator_rows = detail::operator_rows;

/// The library's operator of that name; null if none exists.
constexpr const Operator* find_operator(std::string_view name) noexcept { return find_row(operator_rows, name); }

inline constexpr Op Op::fill{detail::own_row(operator_rows, "fill")};
inline constexpr Op Op::copy{detail::own_row(operator_rows, "copy")};
inline constexpr Op Op::copy_async{detail::own_row(operator_rows, "copy_async")};
inline constexpr Op Op::map{detail::own_row(operator_rows, "map")};
inline constexpr Op Op::reduce{detail::own_row(operator_rows, "reduce")};
inline constexpr Op Op::gemm{detail::own_row(operator_rows, "gemm")};
inline constexpr Op Op::scaled_gemm{detail::own_row(operator_rows, "scaled_gemm")};
inline constexpr Op Op::gather{detail::own_row(operator_rows, "gather")};
inline constexpr Op Op::scatter{detail::own_row(operator_rows, "scatter")};
inline constexpr Op Op::atomic{detail::own_row(operator_rows, "atomic")};
inline constexpr Op Op::atomic_rows{detail::own_row(operator_rows, "atomic_rows")};
inline constexpr Op Op::compare_exchange{detail::own_row(operator_rows, "compare_exchange")};
inline constexpr Op Op::iota{detail::own_row(operator_rows, "iota")};
inline constexpr Op Op::scan{detail::own_row(operator_rows, "scan")};
inline constexpr Op Op::prefetch{detail::own_row(operator_rows, "prefetch")};
inline constexpr Op Op::shift_rows{detail::own_row(operator_rows, "shift_rows")};
inline constexpr Op Op::load_reduce{detail::own_row(operator_rows, "load_reduce")};
inline constexpr Op Op::store_all{detail::own_row(operator_rows, "store_all")};
inline constexpr Op Op::reduce_all{detail::own_row(operator_rows, "reduce_all")};
inline constexpr Op Op::raw{detail::own_row(operator_rows, "raw")};

/// How many operands an operation writes, the first ones.
inline int written_count(const Operation& o) noexcept
{
    return o.op == Op::prefetch ? 0 : o.op == Op::raw && o.raw != nullptr ? written_count(*o.raw) : 1;
}

/// Is it a product of matrices, with scales or without?
constexpr bool is_matrix_product(Op op) noexcept { return op == Op::gemm || op == Op::scaled_gemm; }

/// The name of an operator.
constexpr const char* name(Op op) noexcept { return op.row().name; }

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/program/impl/operation_options.hpp>
#  include <axe/program/impl/operators.hpp>
#  include <axe/program/impl/raw_function.hpp>
#  include <axe/program/impl/scaled_gemm.hpp>
#endif

#endif
