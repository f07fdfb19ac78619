// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_RANDOM_WAITS_HPP
#define AXE_TESTS_PROGRAMS_RANDOM_WAITS_HPP

#include <axe/program/pipeline.hpp>
#include <tests/programs/random_elements.hpp>
#include <tests/programs/random_sums.hpp>

/// Programs whose agents hand tiles to each other: by named barriers, by rings of stages; and blocks that access other devices.
namespace programs {

/// Some agents fill a tensor again and again, the others take what is there; both wait for each other at two named barriers.
inline void write_named_barrier(Writer& w)
{
    Random& r = w.r;
    if (w.engines || w.agents < 2 || w.devices > 1) return write_copy(w);
    using Action = axe::NamedBarrier::Action;
    const DType type = usual_type(w);
    const Int rounds = r.in(1, 4), n = random_extent(r, 64), threads = w.agents * w.lanes;
    const int producers = static_cast<int>(r.in(1, w.agents - 1)), full = static_cast<int>(r.in(0, 7)),
              empty = static_cast<int>(r.in(8, 15));
    const auto A = w.k.input("A", {rounds, n}, type), D = w.k.output("D", {rounds, n}, type);
    const bool spares = r.one_in(2); // the last round needs no barrier behind it
    w.k.cta(
        axe::tiles(Shape{1}, Shape{1}),
        [&](Scope cta, const Tile&) {
            const ViewRef s = w.inside(cta, Writer::Kept::shared, {whole(n)}, type, "s");
            const auto last = static_cast<double>(rounds - 1);
            const auto unless_last = [&](Scope some, const Affine& i, Action action) {
                const auto come = [&] { some.named_barrier({action, empty, threads}); };
                if (spares)
                    some.when(axe::Expression(i) < last, come);
                else
                    come();
            };
            cta.agents(0, producers, 1, "producers", [&](Scope some) {
                some.loop(0, rounds, 1, [&](const Affine& i) {
                    some.copy(s, A(i, axe::all)).named_barrier({Action::arrive, full, threads});
                    unless_last(some, i, Action::sync);
                });
            });
            cta.agents(producers, w.agents - producers, 1, "consumers", [&](Scope some) {
                some.loop(0, rounds, 1, [&](const Affine& i) {
                    some.named_barrier({Action::sync, full, threads}).copy(D(i, axe::all), s);
                    unless_last(some, i, Action::arrive);
                });
            });
        },
        w.agents);
}

/// One agent brings tiles by asynchronous copies through a ring of stages, the others write them out.
inline void write_pipeline(Writer& w)
{
    Random& r = w.r;
    if (w.agents < 2 || w.devices > 1 || !has_instruction(w.k.machine(), "wgmma")) return write_copy_async(w);
    const DType type = one_of(r, {DType::f16, DType::f32, DType::i32});
    const Int rows = r.in(1, 12), width = 8 * r.in(1, 8), tiles_of_all = r.in(1, 7), stages = r.in(1, 4), odd = r.one_in(3) ? 1 : 0;
    const auto A = w.k.input("A", {rows * tiles_of_all - (rows > 1 ? odd : 0), width}, type);
    const auto D = w.k.output("D", A.shape(), type);
    w.k.cta(
        axe::tiles(Shape{1}, Shape{1}),
        [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {stages, rows, width}, type, axe::Placement(axe::conflict_free), "s");
            const axe::Pipeline ring(0, static_cast<int>(stages), w.agents - 1);
            const auto tile = [&](const Affine& i) { return Interval(i * rows, rows); };
            cta.warps(0, 1, [&](Scope one) { ring.init(one); });
            cta.sync();
            cta.warps(0, 1, "producer", [&](Scope one) {
                ring.loop(one, tiles_of_all, [&](const axe::Pipeline::Turn& turn, const Affine& i) {
                    ring.load(one, turn, {{s(turn.stage, axe::all, axe::all), A(tile(i), axe::all)}});
                });
            });
            cta.warps(1, w.agents - 1, "consumers", [&](Scope some) {
                ring.loop(some, tiles_of_all, [&](const axe::Pipeline::Turn& turn, const Affine& i) {
                    ring.wait(some, turn);
                    some.copy(D(tile(i), axe::all), s(turn.stage, axe::all, axe::all));
                    ring.release_after_reads(some, turn);
                });
            });
        },
        w.agents);
}

/// Blocks of a device access a row that another device has: they read it, or write or add to it, and that device reads it later.
inline void write_remote(Writer& w)
{
    Random& r = w.r;
    const Int W = w.devices, n = random_extent(r, 64), away = r.in(0, W - 1), how = r.in(0, 3);
    const DType type = one_of(r, {DType::f32, DType::f16, DType::i32, DType::f64});
    const axe::Layout rows{{{W, 1, "gpuid"}, {n, 1, "m"}}, {}, {}};
    const auto A = w.k.input("A", {W, n}, type, rows), D = w.k.inout("D", {W, n}, type, rows);
    const Affine mine = w.k.device();
    const bool named = r.one_in(2);
    const auto of = [&](const axe::TensorRef& t, const Affine& device) -> ViewRef {
        return (named ? t.remote(device) : t.remote())(device, axe::all);
    };
    w.k.cta(
        axe::tiles(Shape{1}, Shape{1}),
        [&](Scope cta, const Tile&) {
            const Affine other =
                cta.index(floor_mod(axe::Expression(mine) + static_cast<double>(away), static_cast<double>(W)), 0, W, "other");
            const auto x =
                cta.alloc(r.one_in(2) ? Role::shared : Role::registers, {n}, type, axe::Placement(axe::LayoutHint::registers), "x");
            if (how == 0) {
                cta.copy(x, of(A, other)).sync().copy(D(mine, axe::all), x);
            } else if (how == 1) {
                cta.copy(x, A(mine, axe::all)).sync().copy(of(D, other), x);
            } else if (how == 2) {
                cta.fill(of(D, other), 2);
            } else {
                cta.copy(x, A(mine, axe::all)).sync();
                cta.atomic(type == DType::f32 || type == DType::i32 ? axe::Function::add : axe::Function::max, of(D, other), x);
            }
        },
        w.agents);
    if (r.one_in(2)) { // a later grid sees what the other device has written, behind a barrier of devices
        const auto E = w.k.output("E", {W, n}, type, rows);
        w.k.sync();
        w.k.cta(
            axe::tiles(Shape{1}, Shape{1}), [&](Scope cta, const Tile&) { cta.copy(E(mine, axe::all), D(mine, axe::all)); },
            w.agents);
    }
}

} // namespace programs

#endif
