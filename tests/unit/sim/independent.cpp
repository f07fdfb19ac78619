// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>

#include "arrays.hpp"
#include "independent.hpp"

#include <tests/required.hpp>
#include <tests/unit/tiled_product.hpp>

using namespace axe;
using enum axe::DType;
using sim::FaultKind;

/// Blocks that share nothing run on several threads of the host, and nothing shows it.

namespace {

using all_threads::independent, all_threads::written, all_threads::Write;

FaultKind same_for_all_threads(const Write& write, const Bindings& in)
{
    return all_threads::same_for_all_threads(written(write), in).kind;
}

Bindings gemm_inputs()
{
    Bindings in;
    in.set("A", arrays::counting({100, 50}, f16)).set("B", arrays::counting({50, 70}, f16));
    return in;
}

/// 64 blocks of one warp, each with 32 elements of an inout D; `body` in each.
Write over(const std::function<void(Scope, const Tile&, const TensorRef&)>& body)
{
    return [body](Kernel& k) {
        const auto D = k.inout("D", {64, 32}, f32);
        k.cta(tiles(64, 1), [&](Scope cta, const Tile& t) { body(cta, t, D); }, 1);
    };
}
Bindings zeros()
{
    Bindings in;
    in.set("D", Array::make({64, 32}, f32).value());
    return in;
}

} // namespace

TEST_CASE("which grids are independent", "[sim][independent]")
{
    CHECK(independent([](Kernel& k) { write_tiled_product(k, 32); }));
    CHECK(independent(
        over([](Scope s, const Tile& t, const TensorRef& D) { s.unary(Function::neg, D(t.rows, all), D(t.rows, all)); })));
    // Two dimensions for one variable are as good as one; a loop inside the block's own rows, too.
    CHECK(independent([](Kernel& k) {
        const auto D = k.output("D", {64, 32}, f32);
        k.cta(
            tiles(16, 1),
            [&](Scope cta, const Tile& t) { cta.loop(0, 4, 1, [&](const Affine& i) { cta.fill(D(t.index[0] * 4 + i, all), 0); }); },
            1);
    }));
    // A loop of as many rounds as the block has a number writes elsewhere, in its own column.
    CHECK(independent([](Kernel& k) {
        const auto A = k.input("A", {64, 32}, f32), D = k.output("D", {64, 32}, f32);
        k.cta(
            tiles(64, 1),
            [&](Scope cta, const Tile& t) {
                cta.fill(D(t.rows, all), 0);
                cta.loop(0, t.index[0] + 1, 1, [&](const Affine& i) { cta.copy(D(t.index[0], all), A(i, all)); });
            },
            1);
    }));
    // Rows that overlap by one; all blocks the same row; the neighbor's row is read; a loop leaves the block's rows.
    CHECK(!independent(
        over([](Scope s, const Tile& t, const TensorRef& D) { s.fill(D(Interval(t.index[0], 2), all).guarded(), 0); })));
    CHECK(!independent(over([](Scope s, const Tile&, const TensorRef& D) { s.fill(D(Interval(3), all), 0); })));
    CHECK(!independent(over([](Scope s, const Tile& t, const TensorRef& D) {
        s.copy(D(Interval(t.index[0] * 1), all), D(Interval(t.index[0] + 1), all).guarded());
    })));
    CHECK(!independent(over([](Scope s, const Tile& t, const TensorRef& D) {
        s.loop(0, 2, 1, [&](const Affine& i) { s.fill(D(Interval(t.index[0] + i, 1), all).guarded(), 0); });
    })));
    // Atomics, and flags that conditions load.
    CHECK(!independent(
        over([](Scope s, const Tile& t, const TensorRef& D) { s.atomic(Function::add, D(t.rows, all), D(t.rows, all)); })));
    CHECK(!independent(over([](Scope s, const Tile& t, const TensorRef& D) {
        s.when(equals(load(D(t.index[0], 0)), 0), [&] { s.fill(D(t.rows, all), 0); });
    })));
    // A grid of two variables, of which one does not say where.
    CHECK(!independent([](Kernel& k) {
        const auto D = k.output("D", {64, 32}, f32);
        k.cta(tiles({64, 2}, {1, 1}), [&](Scope cta, const Tile& t) { cta.fill(D(t.rows, all), 0); }, 1);
    }));
}

TEST_CASE("independent blocks give the same outputs, counts and faults on any number of threads", "[sim][independent][threads]")
{
    CHECK(same_for_all_threads([](Kernel& k) { write_tiled_product(k, 32); }, gemm_inputs()) == FaultKind::none);
    CHECK(same_for_all_threads(
              over([](Scope s, const Tile& t, const TensorRef& D) { s.unary(Function::exp, D(t.rows, all), D(t.rows, all)); }),
              zeros()) == FaultKind::none);
    // Several readers of one element in several phases of a block: what is noted of them is in the table that threads share.
    CHECK(same_for_all_threads(
              [](Kernel& k) {
                  const auto D = k.inout("D", {64, 32}, f32);
                  k.cta(
                      tiles(64, 1),
                      [&](Scope cta, const Tile& t) {
                          const auto r = cta.alloc(Role::registers, {32}, f32, LayoutHint::registers, "r");
                          for (int i = 0; i < 3; ++i)
                              for (const int warp : {0, 1, 2})
                                  cta.warps(warp, 1, [&](Scope w) {
                                      const auto x = w.alloc(Role::registers, {32}, f32, LayoutHint::registers);
                                      w.copy(x, D(t.index[0], all));
                                      w.loop(0, 2, 1, [&](const Affine&) { w.sync(); });
                                  });
                          cta.sync();
                          cta.copy(r, D(t.index[0], all));
                          cta.copy(D(t.index[0], all), r);
                      },
                      4);
              },
              zeros()) == FaultKind::none);
}

TEST_CASE("the first block with a fault is the run's, whichever thread comes to it", "[sim][independent][threads]")
{
    // Blocks 40 to 63 divide by zero; block 63 comes to it first.
    const auto faulty = over([](Scope s, const Tile& t, const TensorRef& D) {
        s.fill(D(t.rows, all), 1);
        s.loop(0, (Affine(63) - t.index[0]) * 20, 1, [&](const Affine&) { s.fill(D(t.rows, all), 2); });
        s.when(Expression(40) <= Expression(t.index[0]), [&] { s.when(floor_div(1, 0), [&] { s.fill(D(t.rows, all), 3); }); });
    });
    CHECK(same_for_all_threads(faulty, zeros()) == FaultKind::arithmetic);
    const Program p = written(faulty);
    sim::RunOptions options;
    options.threads = 8;
    const auto report = required(sim::run(p, zeros(), options));
    CHECK(report->fault.text.find("block (40)") != std::string::npos);
}

TEST_CASE("of many blocks, which threads take several at a time, the first one with a fault is the run's",
          "[sim][independent][threads]")
{
    for (const std::int64_t first : {0, 63, 64, 1000, 4099}) {
        const auto faulty = [first](Kernel& k) {
            const auto D = k.inout("D", {4100, 32}, f32);
            k.cta(
                tiles(4100, 1),
                [&](Scope cta, const Tile& t) {
                    cta.fill(D(t.rows, all), 1);
                    cta.sync();
                    cta.when(Expression(Affine(first)) <= Expression(t.index[0]),
                             [&] { cta.when(floor_div(1, 0), [&] { cta.fill(D(t.rows, all), 3); }); });
                },
                1);
        };
        Bindings in;
        in.set("D", Array::make({4100, 32}, f32).value());
        CHECK(same_for_all_threads(faulty, in) == FaultKind::arithmetic);
        const Program p = written(faulty);
        for (const int threads : {1, 4}) {
            sim::RunOptions options;
            options.threads = threads;
            const auto report = required(sim::run(p, in, options));
            CHECK(report->fault.text.find("block (" + std::to_string(first) + ")") != std::string::npos);
            CHECK(report->total.barriers == first + 1);
        }
    }
}

TEST_CASE("races between blocks are found on any number of threads", "[sim][independent][threads]")
{
    CHECK(same_for_all_threads(over([](Scope s, const Tile&, const TensorRef& D) { s.fill(D(Interval(3), all), 0); }), zeros()) ==
          FaultKind::race);
    CHECK(same_for_all_threads(over([](Scope s, const Tile& t, const TensorRef& D) {
                                   s.copy(D(Interval(t.index[0] * 1), all), D(Interval(t.index[0] + 1), all).guarded());
                               }),
                               zeros()) == FaultKind::race);
    // A race inside a block of an independent grid.
    CHECK(same_for_all_threads(
              [](Kernel& k) {
                  const auto D = k.inout("D", {64, 32}, f32);
                  k.cta(
                      tiles(64, 1),
                      [&](Scope cta, const Tile& t) {
                          cta.warps(0, 1, [&](Scope w) { w.fill(D(t.rows, all), 1); });
                          cta.warps(1, 1, [&](Scope w) { w.fill(D(t.rows, all), 2); });
                      },
                      2);
              },
              zeros()) == FaultKind::race);
}

TEST_CASE("one grid after another: what the first one read and wrote is known in the second", "[sim][independent][threads]")
{
    CHECK(same_for_all_threads(
              [](Kernel& k) {
                  const auto A = k.inout("D", {64, 32}, f32), B = k.output("B", {64, 32}, f32), C = k.output("C", {64, 32}, f32);
                  const auto rows = [&](const TensorRef& d, const TensorRef& a) {
                      k.cta(tiles(64, 1), [&](Scope cta, const Tile& t) { cta.copy(d(t.rows, all), a(t.rows, all)); }, 1);
                  };
                  rows(B, A);
                  rows(C, B);
                  rows(A, C); // written after it was read
              },
              zeros()) == FaultKind::none);
    // Half of B is written, all of it is read.
    CHECK(same_for_all_threads(
              [](Kernel& k) {
                  const auto B = k.output("B", {64, 32}, f32), C = k.inout("D", {64, 32}, f32);
                  k.cta(tiles(32, 1), [&](Scope cta, const Tile& t) { cta.fill(B(t.rows, all), 0); }, 1);
                  k.cta(tiles(64, 1), [&](Scope cta, const Tile& t) { cta.copy(C(t.rows, all), B(t.rows, all)); }, 1);
              },
              zeros()) == FaultKind::uninitialized);
}

TEST_CASE("unchecked, what a block reads and never wrote does not depend on the threads", "[sim][independent][threads]")
{
    const Write write = [](Kernel& k) {
        const auto D = k.inout("D", {64, 32}, f32);
        k.cta(
            tiles(64, 1),
            [&](Scope cta, const Tile& t) {
                const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
                cta.copy(D(t.index[0], all), s);
                cta.fill(s, 5);
            },
            1);
    };
    const Program p = written(write);
    sim::RunOptions options;
    options.level = sim::Level::fast;
    for (const int threads : {1, 2, 8}) {
        options.threads = threads;
        const auto report = required(sim::run(p, zeros(), options));
        REQUIRE(report->ok());
        for (std::int64_t i = 0; i < 64 * 32; ++i)
            if (report->outputs.find("D")->at(i) != 0) FAIL("element " << i);
    }
}

TEST_CASE("unchecked, shared memory that a block has not written is zeros, also after a block that wrote it", "[sim][independent]")
{
    // Each row is 3s. Even blocks copy theirs to s; all blocks copy s to theirs, half of it first overwritten by 7s where `half`.
    for (const bool half : {false, true}) {
        const Program p = written([&](Kernel& k) {
            const auto D = k.inout("D", {64, 32}, f32);
            k.cta(
                tiles(64, 1),
                [&](Scope cta, const Tile& t) {
                    const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s"), other = cta.alloc(Role::shared, {32}, f32, {}, "o");
                    cta.when(equals(floor_mod(t.index[0], 2), 0), [&] { cta.copy(s, D(t.index[0], all)); });
                    cta.sync();
                    if (half) cta.fill(s(Interval(0, 16)), 7);
                    cta.sync();
                    cta.copy(other, s);
                    cta.sync();
                    cta.copy(D(t.index[0], all), other);
                    cta.sync();
                    cta.fill(other, 9);
                },
                1);
        });
        Bindings in;
        Array d = Array::make({64, 32}, f32).value();
        for (std::int64_t i = 0; i < d.size(); ++i) d.set(i, 3);
        in.set("D", std::move(d));
        for (const int threads : {1, 2, 8}) {
            sim::RunOptions options;
            options.level = sim::Level::fast;
            options.counters = false;
            options.threads = threads;
            const auto report = required(sim::run(p, in, options));
            REQUIRE(report->ok());
            for (std::int64_t i = 0; i < 64 * 32; ++i)
                if (report->outputs.find("D")->at(i) != (half && i % 32 < 16 ? 7 : i / 32 % 2 == 0 ? 3 : 0))
                    FAIL("element " << i << ", " << threads << " threads: " << report->outputs.find("D")->at(i));
        }
    }
}

TEST_CASE("rows of odd length: granules of several blocks in one record of the checks", "[sim][independent][threads]")
{
    const auto rows = [](bool all_of_b) {
        return [all_of_b](Kernel& k) {
            const auto A = k.inout("D", {60, 33}, f32), B = k.output("B", {60, 33}, f32), C = k.output("C", {60, 33}, f32);
            const auto tile = [&](const TensorRef& d, const TensorRef& a, std::int64_t count) {
                k.cta(
                    tiles({count, 33}, {7, 5}),
                    [&](Scope cta, const Tile& t) {
                        const auto r = cta.alloc(Role::registers, {7, 5}, f32, LayoutHint::registers, "r");
                        cta.copy(r, a(t));
                        cta.copy(d(t), r);
                    },
                    2);
            };
            tile(B, A, all_of_b ? 60 : 56);
            tile(C, B, 60);
            tile(A, C, 60);
        };
    };
    Bindings in;
    in.set("D", arrays::counting({60, 33}, f32));
    CHECK(independent(rows(true)));
    CHECK(same_for_all_threads(rows(true), in) == FaultKind::none);
    CHECK(same_for_all_threads(rows(false), in) == FaultKind::uninitialized);
}
