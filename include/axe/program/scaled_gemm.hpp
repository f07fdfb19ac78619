// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_SCALED_GEMM_HPP
#define AXE_PROGRAM_SCALED_GEMM_HPP

#include <axe/program/operators.hpp>

#include <numeric>

namespace axe {
inline namespace v0 {

/// The sizes of a product with scales: D[M,N], and the boxes of A and of B that a scale is of.
///
///   D[m,n] = Σ_k A[m,k]·SFA[m/a_rows, k/a_depth] · B[k,n]·SFB[k/b_depth, n/b_columns]
struct ScaledProduct {
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t a_rows = 1, a_depth = 1, b_depth = 1, b_columns = 1;
    /// So many k, from a multiple of it on, have the same scales.
    [[nodiscard]] std::int64_t depth() const { return std::gcd(a_depth, b_depth); }
};

/// Of an operation that `scaled_gemm` takes. Scales of A are [M/a_rows, K/a_depth]; those of B [K/b_depth, N/b_columns], or, where B is
/// transposed, [N/b_columns, K/b_depth].
inline ScaledProduct scaled_product_of(const Operation& o)
{
    const auto extent = [&](std::size_t i, bool turned, int d) { return o.operands[i].extents[turned ? 1 - d : d]; };
    ScaledProduct p;
    p.m = extent(0, false, 0);
    p.n = extent(0, false, 1);
    p.k = extent(1, o.transpose_a, 1);
    p.a_rows = p.m / extent(3, o.transpose_a, 0);
    p.a_depth = p.k / extent(3, o.transpose_a, 1);
    p.b_depth = p.k / extent(4, o.transpose_b, 0);
    p.b_columns = p.n / extent(4, o.transpose_b, 1);
    return p;
}

} // namespace v0
} // namespace axe

#endif
