// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_SIM_PROGRAMS_HPP
#define AXE_BENCH_SIM_PROGRAMS_HPP

#include <axe/kernels.hpp>

/// The programs that bench_sim runs.
namespace bench {

using namespace axe;
using enum axe::DType;

struct GemmSize {
    std::int64_t m, n, k;
    int warps = 4;
    bool async = false; ///< tiles by cp.async, two stages
};

/// C = A·B in f16 → f32, 128×128×32 tiles through shared memory, by mma.sync.
inline Program gemm(const GemmSize& s)
{
    Kernel k("gemm", machines::sm80);
    const auto A = k.input("A", {s.m, s.k}, f16), B = k.input("B", {s.k, s.n}, f16), C = k.output("C", {s.m, s.n}, f32);
    k.cta(
        tiles(C, {128, 128}),
        [&](Scope cta, const Tile& t) {
            const auto acc = cta.alloc(Role::accumulator, {128, 128}, f32, accumulator, "acc");
            cta.fill(acc, 0);
            if (!s.async) {
                const auto a = cta.alloc(Role::shared, {128, 32}, f16, conflict_free, "a");
                const auto b = cta.alloc(Role::shared, {32, 128}, f16, conflict_free, "b");
                cta.loop(tiles(s.k, 32), [&](const Interval& step) {
                    cta.copy(a, A(t.rows, step)).copy(b, B(step, t.cols)).sync();
                    cta.gemm(acc, a, b).sync();
                });
            } else {
                // While one stage is multiplied the other arrives.
                TensorRef a[2] = {cta.alloc(Role::shared, {128, 32}, f16, conflict_free, "a0"),
                                  cta.alloc(Role::shared, {128, 32}, f16, conflict_free, "a1")};
                TensorRef b[2] = {cta.alloc(Role::shared, {32, 128}, f16, conflict_free, "b0"),
                                  cta.alloc(Role::shared, {32, 128}, f16, conflict_free, "b1")};
                const auto fetch = [&](int stage, const Affine& first) {
                    const Interval step(first, 32);
                    cta.copy_async(a[stage], A(t.rows, step)).copy_async(b[stage], B(step, t.cols)).commit();
                };
                fetch(0, 0);
                cta.loop(tiles(s.k, 64), [&](const Interval& pair) {
                    fetch(1, pair.begin + 32);
                    cta.wait(1).sync().gemm(acc, a[0], b[0]).sync();
                    fetch(0, pair.begin + 64);
                    cta.wait(1).sync().gemm(acc, a[1], b[1]).sync();
                });
                cta.wait(0);
            }
            cta.copy(C(t), acc);
        },
        s.warps);
    return *k.program();
}

/// The same product by warpgroups, 128×128×64 tiles through a ring of four stages that one warp fills by tensor maps.
inline Program gemm_warpgroups(std::int64_t n)
{
    Kernel k("gemm_warpgroups", machines::sm90);
    const auto A = k.input("A", {n, n}, f16), B = k.input("B", {n, n}, f16), C = k.output("C", {n, n}, f32);
    k.cta(
        tiles(C, {128, 128}),
        [&](Scope cta, const Tile& t) {
            const Pipeline ring(0, 4, 8);
            const auto a = cta.alloc(Role::shared, {4, 128, 64}, f16, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, {4, 64, 128}, f16, conflict_free, "b");
            cta.warps(8, 1, [&](Scope w) { ring.init(w); });
            cta.sync();
            cta.warps(8, 1, [&](Scope w) {
                ring.loop(w, n / 64, [&](const Pipeline::Turn& turn, const Affine& i) {
                    const Interval step(i * 64, 64);
                    ring.load(w, turn, {{a(turn.stage, all, all), A(t.rows, step)}, {b(turn.stage, all, all), B(step, t.cols)}});
                });
            });
            cta.warpgroups(0, 2, [&](Scope w) {
                const auto acc = w.alloc(Role::accumulator, {128, 128}, f32, accumulator, "acc");
                w.fill(acc, 0);
                ring.loop(w, n / 64, [&](const Pipeline::Turn& turn, const Affine&) {
                    ring.wait(w, turn);
                    w.gemm(acc, a(turn.stage, all, all), b(turn.stage, all, all), {}, {.async = true}).wait_products();
                    ring.release(w, turn);
                });
                w.copy(C(t), acc);
            });
        },
        9);
    return *k.program();
}

/// The same product in tensor memory, where one warp starts it and four take the sums of 128×128 from it.
inline Program gemm_tensors(std::int64_t n)
{
    Kernel k("gemm_tensors", machines::sm100);
    const auto A = k.input("A", {n, n}, f16), B = k.input("B", {n, n}, f16), C = k.output("C", {n, n}, f32);
    k.cta(
        tiles(C, {128, 128}),
        [&](Scope cta, const Tile& t) {
            const Pipeline ring(0, 4, 1), done(8, 1, 4);
            const auto a = cta.alloc(Role::shared, {4, 128, 64}, f16, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, {4, 64, 128}, f16, conflict_free, "b");
            const auto sums = cta.alloc("tmem", {128, 128}, f32, accumulator, "sums");
            cta.warps(4, 1, [&](Scope w) {
                ring.init(w);
                done.init(w);
            });
            cta.sync();
            cta.warps(4, 1, [&](Scope w) {
                ring.loop(w, n / 64, [&](const Pipeline::Turn& turn, const Affine& i) {
                    const Interval step(i * 64, 64);
                    ring.load(w, turn, {{a(turn.stage, all, all), A(t.rows, step)}, {b(turn.stage, all, all), B(step, t.cols)}});
                });
            });
            cta.warps(5, 1, [&](Scope w) {
                ring.loop(w, n / 64, [&](const Pipeline::Turn& turn, const Affine& i) {
                    ring.wait(w, turn);
                    const auto multiply = [&](bool onto) {
                        w.gemm(sums, a(turn.stage, all, all), b(turn.stage, all, all), {.accumulate = onto},
                               {.completes_on = ring.empty(turn.stage)});
                    };
                    w.when(Expression(i) < 1.0, [&] { multiply(false); }, [&] { multiply(true); });
                });
                done.commit(w, done.turn(0));
            });
            cta.warps(0, 4, [&](Scope w) {
                const auto part = w.alloc(Role::registers, {128, 128}, f32, accumulator, "part");
                done.wait(w, done.turn(0));
                w.tensor_fence_after();
                w.copy_async(part, sums).wait_tensor_loads().copy(C(t), part);
            });
        },
        6);
    return *k.program();
}

/// n f16 from global memory through shared memory to global memory, 4096 a block.
inline Program copy(std::int64_t n, bool async = false)
{
    Kernel k("copy", machines::sm80);
    const auto A = k.input("A", {n}, f16), C = k.output("C", {n}, f16);
    k.cta(tiles(n, 4096), [&](Scope cta, const Tile& t) {
        const auto s = cta.alloc(Role::shared, {4096}, f16, {}, "s");
        if (async)
            cta.copy_async(s, A(t)).commit().wait(0);
        else
            cta.copy(s, A(t));
        cta.sync();
        cta.copy(C(t), s);
    });
    return *k.program();
}

/// Four devices, each the product of its rows.
inline Program devices(std::int64_t n)
{
    const Machine four = *mesh(machines::sm80, {4});
    Kernel k("devices", four);
    const Layout rows{{{4, 1, "gpuid"}, {n * n, 1, {}}}, {}, {}};
    const auto A = k.input("A", {4 * n, n}, f16, rows);
    Layout everywhere{{{n * n, 1, {}}}, {{4, 1, "gpuid"}}, {}};
    const auto B = k.input("B", {n, n}, f16, everywhere);
    const auto C = k.output("C", {4 * n, n}, f32, rows);
    k.cta(tiles({n, n}, {128, 128}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {128, 32}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {32, 128}, f16, conflict_free, "b");
        const auto acc = cta.alloc(Role::accumulator, {128, 128}, f32, accumulator, "acc");
        const Interval mine(t.rows.begin + k.device() * n, 128);
        cta.fill(acc, 0);
        cta.loop(tiles(n, 32), [&](const Interval& step) {
            cta.copy(a, A(mine, step)).copy(b, B(step, t.cols)).sync();
            cta.gemm(acc, a, b).sync();
        });
        cta.copy(C(mine, t.cols), acc);
    });
    return *k.program();
}

/// Small numbers whose sums f32 holds, so that results can be compared exactly.
inline Bindings inputs(const Program& program)
{
    Bindings out;
    for (const ProgramTensor& t : program.tensors) {
        if (t.binding != Binding::input) continue;
        Array a = *Array::make(t.shape, t.dtype);
        std::uint32_t state = 1;
        auto* words = reinterpret_cast<std::uint16_t*>(a.data());
        for (std::int64_t i = 0; i < a.size(); ++i) {
            state = state * 1664525u + 1013904223u;
            words[i] = static_cast<std::uint16_t>(encode(f16, static_cast<double>(state >> 29) - 4));
        }
        out.set(t.name, std::move(a));
    }
    return out;
}

} // namespace bench

#endif
