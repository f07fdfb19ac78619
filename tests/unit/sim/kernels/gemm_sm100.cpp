// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/required.hpp>
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

/// D = A·Bᵀ by one block of one CTA a tile. Warp 4 brings tiles of A and B through a ring, warp 5 multiplies them into tensor memory, warps 0
/// to 3 take the sums from there, and write D through shared memory.
Program gemm(std::int64_t M, std::int64_t N, std::int64_t K, int stages)
{
    Kernel k("gemm_sm100", machines::sm100);
    const auto A = k.input("A", {M, K}, f16), B = k.input("B", {N, K}, f16), D = k.output("D", {M, N}, f32);
    k.computes(D, matmul(A, B, {.transpose_b = true}));
    k.cta(
        tiles({M, N}, {tile_m, tile_n}),
        [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::shared, {stages, tile_m, tile_k}, f16, patterns(stages, tile_m), "a");
            const auto b = cta.alloc(Role::shared, {stages, tile_n, tile_k}, f16, patterns(stages, tile_n), "b");
            const auto out = cta.alloc(Role::shared, {tile_m, tile_n}, f32, {}, "out");
            const auto sums = cta.alloc("tmem", {tile_m, tile_n}, f32, {}, "sums");
            const Pipeline ring(0, stages, 1);
            const int complete = 2 * stages;
            cta.warps(4, 1, [&](Scope w) {
                ring.init(w);
                w.mbarrier({Mbarrier::Action::init, complete, 1, {}});
            });
            cta.sync();
            const std::int64_t steps = (K + tile_k - 1) / tile_k;
            cta.warps(4, 1, "producer", [&](Scope w) {
                ring.loop(w, steps, [&](const Pipeline::Turn& turn, const Affine& i) {
                    const Interval at(i * tile_k, tile_k);
                    ring.load(w, turn, {{a(turn.stage, all, all), A(t.rows, at)}, {b(turn.stage, all, all), B(t.cols, at)}});
                });
            });
            cta.warps(5, 1, "products", [&](Scope w) {
                ring.loop(w, steps, [&](const Pipeline::Turn& turn, const Affine& i) {
                    ring.wait(w, turn);
                    const auto multiply = [&](bool onto) {
                        w.gemm(sums, a(turn.stage, all, all), b(turn.stage, all, all), {.accumulate = onto, .transpose_b = true},
                               {.completes_on = ring.empty(turn.stage)});
                    };
                    w.when(Expression(i) < 1.0, [&] { multiply(false); }, [&] { multiply(true); });
                });
                w.mbarrier({Mbarrier::Action::commit, complete, 0, {}});
            });
            cta.warps(0, 4, "epilogue", [&](Scope w) {
                const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
                const auto d =
                    w.alloc(Role::registers, {tile_m, tile_n}, f32, Layout{{{4, 1, warp}, {32, 1, lane}, {tile_n, 1, reg}}}, "d");
                w.mbarrier({Mbarrier::Action::wait, complete, 0, 0}).tensor_fence_after();
                w.copy_async(d, sums).wait_tensor_loads();
                w.copy(out, d).proxy_fence().sync();
                w.warps(0, 1, "store", [&](Scope one) { one.copy_async(D(t), out).commit().wait(); });
            });
        },
        6);
    return trial::written(k);
}

Bindings inputs(std::int64_t M, std::int64_t N, std::int64_t K)
{
    laws::Random r(100);
    const auto numbers = [&](const Shape& shape) {
        Array out = Array::make(shape, f16).value();
        for (std::int64_t i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(r.in(-4, 4)));
        return out;
    };
    Array a = numbers({M, K}), b = numbers({N, K});
    return trial::given({{"A", &a}, {"B", &b}});
}

} // namespace

TEST_CASE("a warp-specialized product of bulk copies and tensor memory is what its specification says, odd sizes too")
{
    struct Size {
        std::int64_t m, n, k;
        int stages;
    };
    for (const Size s :
         {Size{128, 64, 64, 1}, Size{128, 64, 192, 2}, Size{256, 128, 320, 3}, Size{200, 84, 264, 2}, Size{72, 4, 8, 4}}) {
        INFO(s.m << " x " << s.n << " x " << s.k << ", " << s.stages << " stages");
        trial::check_right(gemm(s.m, s.n, s.k, s.stages), inputs(s.m, s.n, s.k));
    }
}

TEST_CASE("with tensor memory the best forms are chosen, and no order changes a bit")
{
    const Program p = gemm(136, 68, 200, 2);
    const auto lowered = required(lower(p, LowerOptions{.only_fastest = true}));
    int bulk = 0, products = 0, loads = 0;
    for (const Choice& c : lowered->choices) {
        bulk += c.schedule == "bulk_copy" ? 1 : 0;
        products += c.schedule == "tcgen05" ? 1 : 0;
        loads += c.schedule == "tcgen05_ld_st" ? 1 : 0;
    }
    CHECK(bulk == 2 * 2 + 1);
    CHECK(products == 4);
    CHECK(loads == 1);
    const Bindings in = inputs(136, 68, 200);
    const Bindings first = trial::ran(p, in);
    auto ready = required(sim::prepare(lowered->program));
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        turns::each([&](sim::RunOptions options) {
            options.level = level;
            const auto report = without_fault(ready->run(in, options));
            const Array &x = *report->outputs.find("D"), &y = *first.find("D");
            std::int64_t differ = 0;
            for (std::int64_t i = 0; i < x.size(); ++i) differ += x.at(i) != y.at(i) ? 1 : 0;
            CHECK(differ == 0);
        });
}
