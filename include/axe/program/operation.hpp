// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_OPERATION_HPP
#define AXE_PROGRAM_OPERATION_HPP

#include <axe/program/function.hpp>
#include <axe/program/view.hpp>

#include <string>

namespace axe {
inline namespace v0 {

/// What is to be done; how is a schedule's matter. Each has a row in operators.hpp (operands, rules) and one in the reference.
enum class Op : std::uint8_t {
    fill,       ///< D = number
    copy,       ///< D = A, converted to D's type; between layouts that differ on the device axis it is the collective
    copy_async, ///< the same, complete after commit and wait
    map,        ///< D = f(A, …): unary, binary, fma, select, cast
    reduce,     ///< D = A reduced over the dimensions `axes` by f; with `accumulate` D = f(D, …)
    gemm,       ///< D[m,n] = Σ_k A[m,k]·B[k,n]; with `accumulate` added to D; transposed operands are [k,m], [n,k]
    gather,     ///< D[i, …] = A[index[i], …]
    scatter,    ///< D[index[i], …] = A[i, …]
    atomic,     ///< D = f(D, A), element by element, whoever else does so too
};

/// Options that ride along with an operator. A schedule that cannot honour one declines.
struct Options {
    std::string schedule{}; ///< force this one; empty: the table chooses
    int vector_bytes = 0;   ///< most bytes a lane moves at once; 0: the schedule finds it
    bool async = false;     ///< of a reduction over devices: its instructions go on by themselves, until commit and wait
    friend bool operator==(const Options&, const Options&) = default;
};

/// An operator applied to views, destination first.
struct Operation {
    Op op = Op::copy;
    std::vector<View> operands{};
    Function function = Function::identity;
    double number = 0;                  ///< of fill
    InlineVector<int, max_rank> axes{}; ///< of reduce: dimensions of A
    bool accumulate = false;
    bool transpose_a = false, transpose_b = false;
    Options options{};
    friend bool operator==(const Operation&, const Operation&) = default;
};

} // namespace v0
} // namespace axe

#endif
