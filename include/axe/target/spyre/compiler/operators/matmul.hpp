// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_SPYRE_COMPILER_OPERATORS_MATMUL_HPP
#define AXE_TARGET_SPYRE_COMPILER_OPERATORS_MATMUL_HPP

#include <axe/target/spyre/compiler/operators/operator.hpp>
#include <axe/target/spyre/rules/matmul.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {

/// C[…, m, n] = Σ_k A[…, m, k]·B[…, k, n], batches in front the same, or 1, or missing in B.
///
/// Sticks: `matmul_sticks`.
/// Rows of B up to a whole stick of k must be zeros, and so must A's padding be numbers: 0·NaN is NaN. Zeros in both are safe.
///
/// Errors: `errc::rank_mismatch`, `errc::size_mismatch` with the operand.
inline Result<Operator> matmul(const Value& a, const Value& b, DataFormat format)
{
    if (const Status e = detail::check_operands({a, b}, 2); !e.ok()) return e;
    const int rank = a.sizes.size(), inner = b.sizes.size();
    if (rank < 2 || inner < 2 || inner > rank)
        return Error(errc::rank_mismatch, rank < 2 ? 0 : 1,
                     "a product needs two dimensions and no more in B than in A: {0} and {1}", rank, inner);
    if (a.sizes[rank - 1] != b.sizes[inner - 2])
        return Error(errc::size_mismatch, 1, "A has {0} columns, B {1} rows", a.sizes[rank - 1], b.sizes[inner - 2]);
    for (int d = 0; d < inner - 2; ++d)
        if (b.sizes[d] != 1 && b.sizes[d] != a.sizes[rank - inner + d])
            return Error(errc::size_mismatch, 1, "batch dimension {0} of B has {1} elements, that of A {2}", d, b.sizes[d],
                         a.sizes[rank - inner + d]);
    Result<Operator> made{Operator{}};
    Operator& out = *made;
    out.name = rank == 2 ? "matmul" : "batch_matmul";
    out.operands = {a, b};
    out.result = {a.sizes, format};
    out.result.sizes[rank - 1] = b.sizes[inner - 1];
    const MatmulSticks sticks = matmul_sticks(a.sizes, b.sizes, out.result.sizes);
    out.rules = {{{sticks.a, sticks.b}, sticks.result}};
    out.operands_need_zeros = {true, true};
    return made;
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
