// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/tile.hpp>
#include <tests/turns.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

constexpr std::int64_t tile_m = 128, tile_n = 64, tile_k = 64;

/// Patterns of 8 rows × 128 bytes, [rows/8] below each other, `stages` of them.
Swizzled<Layout> patterns(std::int64_t stages, std::int64_t rows)
{
    const Axis m{"m"};
    return {Swizzle{3, 4, 3}, m, 2, Layout{{{stages, rows * tile_k, m}, {rows, tile_k, m}, {tile_k, 1, m}}}};
}

/// D = A·Bᵀ. Warp 8 brings tiles of A and B through a ring; two warpgroups multiply 64 rows each, and write D through shared memory.
Program gemm(std::int64_t M, std::int64_t N, std::int64_t K, int stages)
{
    Kernel k("gemm_sm90", machines::sm90);
    const auto A = k.input("A", {M, K}, f16), B = k.input("B", {N, K}, f16), D = k.output("D", {M, N}, f32);
    k.computes(D, matmul(A, B, {.transpose_b = true}));
    k.cta(
        tiles({M, N}, {tile_m, tile_n}),
        [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::shared, {stages, tile_m, tile_k}, f16, patterns(stages, tile_m), "a");
            const auto b = cta.alloc(Role::shared, {stages, tile_n, tile_k}, f16, patterns(stages, tile_n), "b");
            const auto out = cta.alloc(Role::shared, {tile_m, tile_n}, f32, {}, "out");
            const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
            const Layout atom{{{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {tile_n / 8, 4, reg}, {4, 1, lane}, {2, 1, reg}}};
            const auto d = cta.alloc(Role::registers, {tile_m, tile_n}, f32,
                                     tile(Layout{{{2, 1, warp}}}, Shape{2, 1}, atom, Shape{64, tile_n}), "d");
            const Pipeline ring(0, stages, 8);
            cta.warps(8, 1, [&](Scope w) { ring.init(w); });
            cta.sync();
            const std::int64_t steps = (K + tile_k - 1) / tile_k;
            cta.warps(8, 1, "producer", [&](Scope w) {
                ring.loop(w, steps, [&](const Pipeline::Turn& turn, const Affine& i) {
                    const Interval at(i * tile_k, tile_k);
                    ring.load(w, turn, {{a(turn.stage, all, all), A(t.rows, at)}, {b(turn.stage, all, all), B(t.cols, at)}});
                });
            });
            cta.warps(0, 8, "consumers", [&](Scope w) {
                w.fill(d, 0);
                ring.loop(w, steps, [&](const Pipeline::Turn& turn, const Affine&) {
                    ring.wait(w, turn);
                    w.gemm(d, a(turn.stage, all, all), b(turn.stage, all, all), {.transpose_b = true}, {.async = true});
                    w.wait_products();
                    ring.release(w, turn);
                });
                w.copy(out, d).proxy_fence().sync();
                w.warps(0, 1, "store", [&](Scope one) { one.copy_async(D(t), out).commit().wait(); });
            });
        },
        9);
    return trial::written(k);
}

Bindings inputs(std::int64_t M, std::int64_t N, std::int64_t K)
{
    laws::Random r(90);
    const auto numbers = [&](const Shape& shape) {
        Array out = Array::make(shape, f16).value();
        for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(r.in(-4, 4)));
        return out;
    };
    Array a = numbers({M, K}), b = numbers({N, K});
    return trial::given({{"A", &a}, {"B", &b}});
}

} // namespace

TEST_CASE("a warp-specialized product of bulk copies and warpgroups is what its specification says, odd sizes too")
{
    struct Size {
        std::int64_t m, n, k;
        int stages;
    };
    for (const Size s :
         {Size{128, 64, 64, 1}, Size{128, 64, 192, 2}, Size{256, 128, 448, 3}, Size{200, 84, 264, 2}, Size{72, 4, 8, 4}}) {
        INFO(s.m << " x " << s.n << " x " << s.k << ", " << s.stages << " stages");
        trial::check_right(gemm(s.m, s.n, s.k, s.stages), inputs(s.m, s.n, s.k));
    }
}

TEST_CASE("the best forms are chosen, and no order changes a bit")
{
    const Program p = gemm(136, 68, 200, 2);
    const auto lowered = lower(p, LowerOptions{.only_fastest = true});
    INFO(lowered.error().text);
    REQUIRE(lowered);
    int bulk = 0, products = 0;
    for (const Choice& c : lowered->choices) {
        bulk += c.schedule == "bulk_copy" ? 1 : 0;
        products += c.schedule == "wgmma" ? 1 : 0;
    }
    CHECK(bulk == 2 * 2 + 1);
    CHECK(products == 2);
    const Bindings in = inputs(136, 68, 200);
    const Bindings first = trial::ran(p, in);
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        turns::each([&](sim::RunOptions options) {
            options.level = level;
            const auto report = sim::run(lowered->program, in, options);
            REQUIRE(report);
            INFO(report->fault.text);
            REQUIRE(report->ok());
            const Array &x = *report->outputs.find("D"), &y = *first.find("D");
            std::int64_t differ = 0;
            for (std::int64_t i = 0; i < x.size(); ++i) differ += x.at(i) != y.at(i) ? 1 : 0;
            CHECK(differ == 0);
        });
}
