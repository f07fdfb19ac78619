// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_TILED_PRODUCT_HPP
#define AXE_TESTS_UNIT_TILED_PRODUCT_HPP

#include <axe/program/kernel.hpp>

/// C = A·B of 100×50 and 50×70, in tiles of `tile`×`tile` through shared memory, 32 values of K at a time; A and B are read by many
/// blocks where there are several.
inline void write_tiled_product(axe::Kernel& k, std::int64_t tile)
{
    using namespace axe;
    using enum DType;
    const auto A = k.input("A", {100, 50}, f16), B = k.input("B", {50, 70}, f16), C = k.output("C", {100, 70}, f32);
    k.cta(tiles(C, {tile, tile}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {tile, 32}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {32, tile}, f16, conflict_free, "b");
        const auto acc = cta.alloc(Role::accumulator, {tile, tile}, f32, accumulator, "acc");
        cta.fill(acc, 0);
        cta.loop(tiles(50, 32), [&](Interval s) {
            cta.copy(a, A(t.rows, s));
            cta.copy(b, B(s, t.cols));
            cta.sync();
            cta.gemm(acc, a, b);
            cta.sync();
        });
        cta.copy(C(t), acc);
    });
}

#endif
