// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp-specialized product of 8-bit floats. One warp brings tiles of 128 bytes a row through a ring of stages. On Hopper warpgroups
// multiply them into their registers; on Blackwell one warp multiplies them into tensor memory, and four others take the sums from there.
#include "../common/example.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t fp8_tile_k = 128; ///< bytes, the widest row that a swizzle has

/// D = rn(alpha·(A·Bᵀ)), e4m3 summed in f32, rounded to bf16 once.
Result<Program, axe::Problem> fp8_gemm_program(const Setting& setting)
{
    const std::int64_t M = setting.number("M"), N = setting.number("N"), K = setting.number("K"), walk = setting.number("walk");
    const std::int64_t tile_m = std::stoll(setting.word("tile_m")), tile_n = setting.number("tile_n");
    const int stages = static_cast<int>(setting.number("stages"));
    const double alpha = static_cast<float>(std::stod(setting.word("alpha")));
    const bool tensors = std::string(setting.machine.name) == "sm100"; // are sums in tensor memory?
    if (K % 16 != 0)
        return Problem(errc::bad_argument, "fp8_gemm: K is " + std::to_string(K) +
                                               ", not a multiple of 16: a tensor map's rows are of multiples of 16 bytes");
    if (tile_n % 8 != 0)
        return Problem(errc::bad_argument, "fp8_gemm: tile_n is " + std::to_string(tile_n) + ", not a multiple of 8");
    if (tensors && tile_m != 128)
        return Problem(errc::bad_argument,
                       "fp8_gemm: tile_m is " + std::to_string(tile_m) +
                           "; in tensor memory a tile has 128 rows, which four warps take by all of their lanes");
    const std::int64_t rows = (M + tile_m - 1) / tile_m, blocks = (rows + walk - 1) / walk; // of a column of tiles
    const std::int64_t k_steps = (K + fp8_tile_k - 1) / fp8_tile_k;

    Kernel k("fp8_gemm", setting.machine);
    const auto A = k.input("A", {M, K}, e4m3), B = k.input("B", {N, K}, e4m3), D = k.output("D", {M, N}, bf16);
    k.computes(D, cast(alpha * matmul(A, B, {.transpose_b = true}), bf16));

    // Warpgroups with sums in registers, then the warp that brings tiles, then the one that multiplies into tensor memory.
    const int groups = !tensors && tile_m == 128 ? 2 : 1;
    const Axis warp{"warp"}, lane{"lane"}, reg{"reg"}, tlane{"tlane"}, tcol{"tcol"};
    const AgentRole consumers{tensors ? "epilogue" : "consumers", Layout{{{4 * groups, 1, warp}}}};
    const AgentRole store = consumers.part(0, 1, "store");
    const AgentRole producer{"producer", Layout{{}, {}, {{warp, 4 * groups}}}};
    const AgentRole products{"products", Layout{{}, {}, {{warp, 4 * groups + 1}}}};

    // Rows of 128 bytes, swizzled in patterns of 8.
    const auto patterns = [&](std::int64_t n) {
        const Axis m{"m"};
        return Swizzled<Layout>{Swizzle{3, 4, 3}, m, 1,
                                Layout{{{stages, n * fp8_tile_k, m}, {n, fp8_tile_k, m}, {fp8_tile_k, 1, m}}}};
    };
    const auto block = [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {stages, tile_m, fp8_tile_k}, e4m3, patterns(tile_m), "a");
        const auto b = cta.alloc(Role::shared, {stages, tile_n, fp8_tile_k}, e4m3, patterns(tile_n), "b");
        const auto out = cta.alloc(Role::shared, {tile_m, tile_n}, bf16, conflict_free, "out");
        // Stages of tiles; and, in tensor memory, of two accumulators, of which one is multiplied into while the other is taken.
        const Pipeline ring(0, stages, tensors ? 1 : 4 * groups), sums(2 * stages, tensors ? 2 : 1, 4);
        cta.role(producer, [&](Scope w) {
            ring.init(w);
            if (tensors) sums.init(w);
        });
        cta.sync();

        // Tiles i = 0, 1, … of this block: rows, and how often the ring has been gone through before.
        const Interval cols(t.index[1] * tile_n, tile_n);
        using Body = std::function<void(const Interval&, const Affine&, const Pipeline::Turn&)>;
        const auto each_tile = [&](Scope w, const Body& body) {
            sums.loop(w, walk, [&](const Pipeline::Turn& turn, const Affine& i) {
                const Affine row = t.index[0] + i * blocks;
                const auto one = [&] { body({row * tile_m, tile_m}, i, turn); };
                if (walk * blocks == rows)
                    one();
                else
                    w.when(Expression(row) < static_cast<double>(rows), one);
            });
        };
        cta.role(producer, [&](Scope w) {
            each_tile(w, [&](const Interval& rows_of, const Affine& i, const Pipeline::Turn&) {
                ring.loop(w, k_steps, i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    const Interval s(step * fp8_tile_k, fp8_tile_k);
                    ring.load(w, turn, {{a(turn.stage, all, all), A(rows_of, s)}, {b(turn.stage, all, all), B(cols, s)}});
                });
            });
        });
        // What is left of a tile: `take` brings the sums of some columns to registers.
        const auto finish = [&](Scope w, const Interval& rows_of, const std::function<ViewRef(const Interval&)>& take) {
            const bool by_map = N % 8 == 0; // else no tensor map has D's rows
            if (by_map) {
                w.role(store, [&](Scope one) { one.wait_sources(); }); // the tile before has been read
                w.sync();
            }
            for (std::int64_t c = 0; c < tile_n; c += 64) {
                const Interval some(c, std::min<std::int64_t>(64, tile_n - c));
                const ViewRef part = take(some);
                if (alpha != 1) {
                    const auto factor =
                        w.alloc(Role::registers, {1}, f32, Layout{{}, {{4 * groups, 1, warp}, {32, 1, lane}}}, "factor");
                    w.fill(factor, alpha);
                    w.binary(Function::mul, part, part, factor(0).repeated(0, tile_m).repeated(1, some.extent));
                }
                w.copy(by_map ? out(all, some) : D(rows_of, Interval(cols.begin + c, some.extent)), part);
            }
            if (!by_map) return;
            w.proxy_fence().sync();
            w.role(store, [&](Scope one) { one.copy_async(D(rows_of, cols), out).commit(); });
        };
        if (!tensors) {
            cta.role(consumers, [&](Scope w) {
                const auto acc = w.alloc(Role::accumulator, {tile_m, tile_n}, f32, accumulator, "acc");
                each_tile(w, [&](const Interval& rows_of, const Affine& i, const Pipeline::Turn&) {
                    w.fill(acc, 0);
                    ring.loop(w, k_steps, i, [&](const Pipeline::Turn& turn, const Affine&) {
                        ring.wait(w, turn);
                        w.gemm(acc, a(turn.stage, all, all), b(turn.stage, all, all), {.transpose_b = true}, {.async = true});
                        w.wait_products();
                        ring.release(w, turn);
                    });
                    finish(w, rows_of, [&](const Interval& some) { return acc(all, some); });
                });
                if (N % 8 == 0) w.role(store, [&](Scope one) { one.wait_sources(); });
            });
            return;
        }
        const auto acc =
            cta.alloc("tmem", {2, tile_m, tile_n}, f32, Layout{{{2, tile_n, tcol}, {tile_m, 1, tlane}, {tile_n, 1, tcol}}}, "acc");
        cta.role(products, [&](Scope w) {
            each_tile(w, [&](const Interval&, const Affine& i, const Pipeline::Turn& at) {
                w.mbarrier({Mbarrier::Action::wait, sums.empty(at.stage), 0, floor_mod(at.round + 1, 2)}).tensor_fence_after();
                ring.loop(w, k_steps, i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    ring.wait(w, turn);
                    const auto multiply = [&](bool onto) {
                        w.gemm(acc(at.stage, all, all), a(turn.stage, all, all), b(turn.stage, all, all),
                               {.accumulate = onto, .transpose_b = true}, {.completes_on = ring.empty(turn.stage)});
                    };
                    if (turn.stage > 0)
                        multiply(true);
                    else
                        w.when(Expression(step) < 1.0, [&] { multiply(false); }, [&] { multiply(true); });
                });
                w.mbarrier({Mbarrier::Action::commit, sums.full(at.stage), 0, {}});
            });
        });
        cta.role(consumers, [&](Scope w) {
            const std::int64_t widest = std::min<std::int64_t>(64, tile_n);
            const auto d =
                w.alloc(Role::registers, {tile_m, widest}, f32, Layout{{{4, 1, warp}, {32, 1, lane}, {widest, 1, reg}}}, "d");
            each_tile(w, [&](const Interval& rows_of, const Affine&, const Pipeline::Turn& at) {
                sums.wait(w, at);
                w.tensor_fence_after();
                finish(w, rows_of, [&](const Interval& some) {
                    const ViewRef part = d(all, Interval(0, some.extent));
                    w.copy_async(part, acc(at.stage, all, some));
                    if (some.begin.constant() + some.extent == tile_n) { // the accumulator may be multiplied into again
                        w.wait_tensor_loads().tensor_fence_before();
                        sums.release(w, at);
                    }
                    return part;
                });
            });
            if (N % 8 == 0) w.role(store, [&](Scope one) { one.wait_sources(); });
        });
    };
    k.cta(tiles({blocks, (N + tile_n - 1) / tile_n}, {1, 1}), block, 4 * (groups + 1));
    return k.program();
}

} // namespace

const Example fp8_gemm{"fp8_gemm",
                       "a product of 8-bit floats: a ring of tensor map copies, products of warpgroups or into tensor memory",
                       {{"M", "400", "rows of A and D", 1 << 14},
                        {"N", "40", "rows of B, columns of D", 1 << 14},
                        {"K", "400", "columns of A and B, a multiple of 16", 1 << 14},
                        {"tile_m", "128", "rows of D that a block has at a time", 0, {"64", "128"}},
                        {"tile_n", "32", "columns of D that a block has at a time, a multiple of 8", 256},
                        {"stages", "2", "tiles of A and B on their way or in use", 16},
                        {"walk", "4", "tiles of D that a block makes, one after the other", 64},
                        {"alpha", "0.3", "what the product is multiplied by", 0, {"1", "0.3", "-2", "0.0078125"}}},
                       {"sm90", "sm100"},
                       {1},
                       fp8_gemm_program,
                       made_inputs,
                       nullptr};

} // namespace examples
