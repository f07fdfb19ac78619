// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_DEVICE_GEMM_HPP
#define AXE_EXAMPLES_DEVICE_GEMM_HPP

#include "example.hpp"

namespace examples {

/// What the matrix products over devices share: a tile of 64×64, 32 of k at a time.
struct DeviceTile {
    axe::TensorRef a, b, acc;

    explicit DeviceTile(axe::Scope cta)
        : a(cta.alloc(axe::Role::shared, {64, 32}, axe::DType::f16, axe::conflict_free, "a")),
          b(cta.alloc(axe::Role::shared, {32, 64}, axe::DType::f16, axe::conflict_free, "b")),
          acc(cta.alloc(axe::Role::accumulator, {64, 64}, axe::DType::f32, axe::accumulator, "acc"))
    {
    }
    /// acc = A(rows, inner)·B(inner, columns), inner = [first, first + count).
    void multiply(axe::Scope cta, const axe::ViewRef& A, const axe::ViewRef& B, const axe::Interval& rows,
                  const axe::Interval& columns, const axe::Affine& first, std::int64_t count) const
    {
        cta.fill(acc, 0);
        cta.loop(axe::tiles(count, 32), [&](axe::Interval s) {
            const axe::Interval inner(first + s.begin, 32);
            cta.copy(a, A(rows, inner));
            cta.copy(b, B(inner, columns));
            cta.sync();
            cta.gemm(acc, a, b);
            cta.sync();
        });
    }
};

/// Σ over devices d of f16(A_d·B_d), d having `per` of the inner dimension: what devices add up that round their terms to f16.
inline axe::Formula sum_of_rounded_terms(const axe::TensorRef& A, const axe::TensorRef& B, std::int64_t devices, std::int64_t per)
{
    const auto term = [&](std::int64_t d) {
        return axe::cast(axe::matmul(axe::slice(A, 1, d * per, per), axe::slice(B, 0, d * per, per)), axe::DType::f16);
    };
    axe::Formula sum = term(0);
    for (std::int64_t d = 1; d < devices; ++d) sum = (sum + term(d)).in(axe::DType::f32);
    return sum;
}

/// sum = the terms of a tile on all devices, added in the order of their numbers, in f32. `terms` has a copy on each device.
inline void add_terms(axe::Scope cta, const axe::TensorRef& sum, const axe::TensorRef& term, const axe::TensorRef& terms,
                      const axe::Interval& rows, const axe::Interval& columns, std::int64_t devices)
{
    cta.fill(sum, 0);
    cta.loop(0, devices, 1, [&](const axe::Affine& from) {
        cta.get(term, terms.remote(from)(rows, columns)).binary(axe::Function::add, sum, sum, term);
    });
}

} // namespace examples

#endif
