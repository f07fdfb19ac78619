// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <catch.hpp>
#include <tests/required.hpp>

using namespace axe;
using enum DType;

/// Kernels that fit only because tensors share registers and shared memory.

namespace {

void check_right(const Program& p, std::int64_t range = 11)
{
    const auto problems = validate(p);
    CHECK((problems.empty() ? "" : problems.front().text).empty());
    const auto lowered = required(lower(p));
    Bindings in;
    for (const ProgramTensor& t : p.tensors) {
        if (t.binding != Binding::input) continue;
        Array a = Array::make(t.shape, t.dtype).value();
        for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i * 37 % range - 5) / 8);
        if (a.size() == 1) a.set(0, 1.0 / 64);
        in.set(t.name, std::move(a));
    }
    const auto report = without_fault(sim::run(lowered->program, in));
    const auto verified = verify(p, in, report->outputs);
    INFO((verified ? verified->text() : verified.error().text));
    REQUIRE(verified.has_value());
    CHECK(verified->ok());
    const auto allocated = allocate(lowered->program);
    REQUIRE(allocated.has_value());
    bool reused = false;
    for (const MemoryAllocation& m : allocated->memories) reused = reused || m.reused;
    CHECK(reused);
}

/// Each row less its mean, divided by its standard deviation.
Program layernorm(std::int64_t n, Role role)
{
    Kernel k("layernorm", machines::sm80);
    const auto X = k.input("X", {2, n}, f32), S = k.input("S", {1}, f32), Y = k.output("Y", {2, n}, f32);
    k.cta(tiles(2, 1), [&](Scope cta, const Tile& t) {
        const Placement placement = role == Role::registers ? Placement(LayoutHint::registers) : Placement{};
        const auto x = cta.alloc(role, {1, n}, f32, placement, "x"), q = cta.alloc(role, {1, n}, f32, placement, "q");
        const auto mean = cta.alloc(Role::shared, {1}, f32, {}, "mean"), scale = cta.alloc(Role::shared, {1}, f32, {}, "scale");
        const auto row = Interval(t.index[0], 1);
        cta.copy(x, X(row, all)).sync();
        cta.sum(mean, x, 1).sync();
        cta.map(Function::mul, mean, {mean, S}).sync();
        cta.map(Function::sub, x, {x, mean.repeated(1, n)}).sync();
        cta.map(Function::mul, q, {x, x}).sync();
        cta.sum(scale, q, 1).sync();
        cta.map(Function::mul, scale, {scale, S}).sync().map(Function::rsqrt, scale, {scale}).sync();
        cta.map(Function::mul, x, {x, scale.repeated(1, n)}).sync();
        cta.copy(Y(row, all), x);
    });
    return k.program().value();
}

/// softmax(scale · Q·Kᵀ)·V, a tile of the keys after the other, with running maxima and sums.
Program attention(std::int64_t d, std::int64_t keys, int warps)
{
    constexpr std::int64_t rows = 64, tile = 64;
    Kernel k("attention", machines::sm90);
    const auto Q = k.input("Q", {rows, d}, f16), K = k.input("K", {keys, d}, f16), V = k.input("V", {keys, d}, f16),
               S = k.input("S", {1}, f32), O = k.output("O", {rows, d}, f32);
    k.cta(
        tiles(O, {rows, d}),
        [&](Scope cta, const Tile& t) {
            const auto q = cta.alloc(Role::shared, {rows, d}, f16, conflict_free, "q"),
                       key = cta.alloc(Role::shared, {tile, d}, f16, conflict_free, "key"),
                       value = cta.alloc(Role::shared, {tile, d}, f16, conflict_free, "value"),
                       weights = cta.alloc(Role::shared, {rows, tile}, f16, conflict_free, "weights");
            const auto out = cta.alloc(Role::accumulator, {rows, d}, f32, accumulator, "out"),
                       scores = cta.alloc(Role::accumulator, {rows, tile}, f32, accumulator, "scores");
            const auto vector = [&](const char* name) { return cta.alloc(Role::shared, {rows}, f32, {}, name); };
            const auto most = vector("most"), next = vector("next"), shrink = vector("shrink"), sum = vector("sum"),
                       part = vector("part");
            cta.copy(q, Q(t.rows, all)).fill(out, 0).fill(most, -1e30).fill(sum, 0).sync();
            cta.loop(tiles(keys, tile), [&](Interval i) {
                cta.copy(key, K(i, all)).copy(value, V(i, all)).sync();
                cta.gemm(scores, q, key, {.accumulate = false, .transpose_b = true});
                cta.map(Function::mul, scores, {scores, S.repeated(0, rows)(all, Interval(0)).repeated(1, tile)});
                cta.reduce(Function::max, next, scores, {1}).sync();
                cta.map(Function::max, next, {next, most}).sync();
                cta.map(Function::sub, shrink, {most, next}).map(Function::exp, shrink, {shrink}).sync();
                cta.copy(most, next).sync();
                cta.map(Function::sub, scores, {scores, next.repeated(1, tile)}).map(Function::exp, scores, {scores});
                cta.sum(part, scores, 1).sync();
                cta.map(Function::fma, sum, {sum, shrink, part});
                cta.map(Function::mul, out, {out, shrink.repeated(1, d)});
                cta.copy(weights, scores).sync();
                cta.gemm(out, weights, value).sync();
            });
            cta.map(Function::div, out, {out, sum.repeated(1, d)});
            cta.copy(O(t), out);
        },
        warps);
    return k.program().value();
}

} // namespace

TEST_CASE("layernorm of 4,097 and 8,192 columns, staged in shared memory or in registers", "[lifetimes]")
{
    for (const std::int64_t n : {4097, 8192})
        for (const Role role : {Role::shared, Role::registers}) {
            INFO(n << " columns in " << name(role));
            check_right(layernorm(n, role));
        }
}

TEST_CASE("attention with heads of 128", "[lifetimes]")
{
    check_right(attention(128, 128, 4));
    check_right(attention(128, 192, 8));
}

TEST_CASE("a long chain with a tile of shared memory for each stage", "[lifetimes]")
{
    Kernel k("stages", machines::sm80);
    const auto A = k.input("A", {64, 256}, f32), C = k.output("C", {64, 256}, f32);
    const auto write = [&](Scope cta, const Tile&) {
        auto from = cta.alloc(Role::shared, {64, 256}, f32, {}, "stage0");
        cta.copy_async(from, A).commit().wait().sync();
        for (int i = 1; i < 10; ++i) { // 64 KB each
            const auto to = cta.alloc(Role::shared, {64, 256}, f32, {}, "stage" + std::to_string(i));
            cta.map(i % 2 == 0 ? Function::neg : Function::abs, to, {from}).sync();
            from = to;
        }
        cta.copy(C, from);
    };
    k.cta(tiles(C, {64, 256}), write, 8);
    check_right(k.program().value());
}
