// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_SCALED_GEMM_HPP
#define AXE_SIM_REFERENCE_SCALED_GEMM_HPP

#include <axe/program/scaled_gemm.hpp>
#include <axe/sim/reference/operators.hpp>

/// Products with scales, by naive loops.
namespace axe {
inline namespace v0 {
namespace ref {

/// A matrix with its scales in, of rows: element (i, j) times scale (i / high, j / wide).
inline Result<Values, Problem> scaled_rows(const Operands& o, int matrix, bool transpose, std::int64_t high, std::int64_t wide)
{
    auto all = read(o.box(matrix)), scales = read(o.box(matrix + 2));
    if (!all) return all.error();
    if (!scales) return scales.error();
    auto rows = as_rows(std::move(*all), o.box(matrix).extents, transpose, o.box(0).pulse);
    if (!rows) return rows;
    const auto factors = as_rows(std::move(*scales), o.box(matrix + 2).extents, transpose, o.box(0).pulse);
    if (!factors) return factors;
    const Shape& extents = o.box(matrix).extents;
    const std::int64_t columns = extents[transpose ? 0 : 1];
    const auto scale = [&](std::int64_t i) {
        rows->set(i, product(rows->at(i), factors->at(i / columns / high * (columns / wide) + i % columns / wide)));
    };
    if (auto e = for_each_number(o.box(0).pulse, rows->size(), 40, scale); !e.ok()) return e.error();
    return rows;
}

/// D[m,n] = Σ_k (A[m,k]·SFA)·(B[k,n]·SFB), added to D where it accumulates. A run may round the product of two scales, and the sum that it
/// multiplies, before it adds.
inline Result<void, Problem> run_scaled_gemm(const Operands& o)
{
    const ScaledProduct p = scaled_product_of(o.operation);
    const auto left = scaled_rows(o, 1, o.operation.transpose_a, p.a_rows, p.a_depth);
    if (!left) return left.error();
    const auto right = scaled_rows(o, 2, o.operation.transpose_b, p.b_depth, p.b_columns);
    if (!right) return right.error();
    Values out(p.m * p.n);
    if (o.operation.accumulate) {
        auto d = read(o.box(0));
        if (!d) return d.error();
        out = std::move(*d);
    }
    constexpr double more = 4; // a product, the scales' product, and one with the other; a sum from 0
    auto made = matrix_product(*left, *right, std::move(out), o.operation.accumulate, p.m, p.n, p.k, more,
                               arithmetic(o.type(0), DType::f32, false), o.box(0).pulse);
    if (!made) return made.error();
    const auto round = [&](std::int64_t i) { made->set(i, stored(made->at(i), o.type(0))); };
    if (auto e = for_each_number(o.box(0).pulse, p.m * p.n, 40, round); !e.ok()) return e;
    return write(o.box(0), *made);
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
