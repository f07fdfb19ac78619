// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of 8-bit floats with a scale of e8m0 for each 32 of them, on Blackwell: one warp brings tiles and scales, one puts the scales in the
// order of tensor memory, one copies them there and multiplies, and a warpgroup rounds the sums and stores them. Of a pair of blocks each has its
// rows of A and half of B, and the scales of both; one multiplies for both, and each stores its rows.
#include "../common/example.hpp"

#include <axe/target/nvidia/tcgen05/scales.hpp>
#include <cmath>
#include <numeric>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;
using Int = std::int64_t;

constexpr Int mx_block = 32;  ///< columns of A and B that have one scale: K of a product
constexpr Int mx_step = 128;  ///< of K, four blocks: what the four bytes of a scale's 32 bits are for
constexpr Int mx_lanes = 128; ///< of tensor memory
constexpr int mx_accumulators = 2;

struct MxSizes {
    Int m, n, k, tile_n;
    int stages;
    Int walk; ///< tiles of a block, below each other
    Int ctas; ///< blocks that multiply together
    /// Tiles of a column, as many as all blocks of a cluster have.
    [[nodiscard]] Int rows() const { return (m + ctas * mx_lanes - 1) / (ctas * mx_lanes) * ctas; }
    [[nodiscard]] Int cols() const { return (n + tile_n - 1) / tile_n; }
    [[nodiscard]] Int blocks() const { return (rows() / ctas + walk - 1) / walk * ctas; } ///< of a column of tiles
    [[nodiscard]] Int steps() const { return (k + mx_step - 1) / mx_step; }
    /// K of the last step, in whole blocks.
    [[nodiscard]] Int tail() const { return (k - (steps() - 1) * mx_step + mx_block - 1) / mx_block * mx_block; }
    /// Columns of B whose scales are brought: 128 by 128.
    [[nodiscard]] Int scale_columns() const { return (tile_n + 127) / 128 * 128; }
    /// Rows of scales in global memory: those of all tiles that blocks have room for, as 128 are copied at a time.
    [[nodiscard]] Int padded_m() const { return blocks() * walk * mx_lanes; }
    [[nodiscard]] Int padded_n() const { return (cols() - 1) * tile_n + scale_columns(); }
    /// Columns that are rounded and stored together.
    [[nodiscard]] Int part() const { return std::gcd(tile_n, Int{64}); }
    /// Columns of tensor memory: the sums, and four scales of each row and column for each stage.
    [[nodiscard]] Int tensor_columns() const { return mx_accumulators * tile_n + stages * (mx_lanes + scale_columns()) / 32; }
};

MxSizes mx_sizes(const Setting& s)
{
    return {s.number("M"),
            s.number("N"),
            s.number("K"),
            s.number("tile_n"),
            static_cast<int>(s.number("stages")),
            s.number("walk"),
            s.word("ctas") == "2" ? 2 : 1};
}

/// A matrix times its scales, which are [⌈K/128⌉, rows, 4]: byte j of group g is that of k from 128·g + 32·j on.
Formula mx_scaled(const TensorRef& x, const TensorRef& scales)
{
    const Int rows = x.shape()[0], k = x.shape()[1], blocks = 4 * scales.shape()[0];
    const Formula by_rows = reshape(permute(scales, {1, 0, 2}), {scales.shape()[1], blocks});
    const Formula spread = broadcast(reshape(slice(by_rows, 0, 0, rows), {rows, blocks, 1}), {rows, blocks, mx_block});
    return x * slice(reshape(spread, {rows, blocks * mx_block}), 1, 0, k);
}

/// D = rn(Σ_k A[m, k]·SFA[m, k/32] · B[n, k]·SFB[n, k/32])
Result<Program, axe::Problem> mx_gemm_program(const Setting& setting)
{
    const MxSizes z = mx_sizes(setting);
    if (z.k % 16 != 0)
        return Problem(errc::bad_argument, "mx_gemm: K is " + std::to_string(z.k) +
                                               ", not a multiple of 16: a tensor map's rows are of multiples of 16 bytes");
    if (z.tile_n % (8 * z.ctas) != 0)
        return Problem(errc::bad_argument,
                       "mx_gemm: tile_n is " + std::to_string(z.tile_n) + ", not a multiple of " + std::to_string(8 * z.ctas));
    const bool paired = z.ctas == 2;
    if (z.tensor_columns() > 512)
        return Problem(errc::capacity, "mx_gemm: 2·" + std::to_string(z.tile_n) + " columns of sums and those of " +
                                           std::to_string(z.stages) + " stages of scales are " +
                                           std::to_string(z.tensor_columns()) + "; tensor memory has 512");

    Kernel k("mx_gemm", setting.machine);
    const auto A = k.input("A", {z.m, z.k}, e4m3), B = k.input("B", {z.n, z.k}, e4m3);
    const auto SFA = k.input("SFA", {z.steps(), z.padded_m(), 4}, e8m0);
    const auto SFB = k.input("SFB", {z.steps(), z.padded_n(), 4}, e8m0);
    const auto D = k.output("D", {z.m, z.n}, bf16);
    k.computes(D, cast(matmul(mx_scaled(A, SFA), mx_scaled(B, SFB), {.transpose_b = true}), bf16));

    const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
    const AgentRole producer{"producer", Layout{}}, multiplier{"multiplier", Layout{{}, {}, {{warp, 1}}}};
    const AgentRole transposer{"transposer", Layout{{}, {}, {{warp, 2}}}};
    const AgentRole epilogue{"epilogue", Layout{{{4, 1, warp}}, {}, {{warp, 4}}}}, store = epilogue.part(0, 1, "store");

    const auto block = [&](Scope cta, const Tile& t) {
        const Shape of_a{z.stages, mx_lanes, 4}, of_b{z.stages, z.scale_columns(), 4};
        const auto a = cta.alloc(Role::shared, {z.stages, mx_lanes, mx_step}, e4m3, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {z.stages, z.tile_n / z.ctas, mx_step}, e4m3, conflict_free, "b");
        const auto raw_a = cta.alloc(Role::shared, of_a, e8m0, {}, "raw_a"),
                   raw_b = cta.alloc(Role::shared, of_b, e8m0, {}, "raw_b");
        const auto sfa = cta.alloc(Role::shared, of_a, e8m0, shared_scale_layout(of_a).value(), "sfa");
        const auto sfb = cta.alloc(Role::shared, of_b, e8m0, shared_scale_layout(of_b).value(), "sfb");
        const auto out = cta.alloc(Role::shared, {2, mx_lanes, z.part()}, bf16, conflict_free, "out");
        const auto sums = cta.alloc("tmem", {mx_accumulators, mx_lanes, z.tile_n}, f32, accumulator, "sums");
        const auto ta = cta.alloc("tmem", of_a, e8m0, tensor_scale_layout(of_a).value(), "ta");
        const auto tb = cta.alloc("tmem", of_b, e8m0, tensor_scale_layout(of_b).value(), "tb");
        Pipeline ring(0, z.stages, 1); // from the producer to the transposer, and back from the multiplier
        const auto with_scales = [&](int stage) { return 2 * z.stages + stage; }; // from the transposer to the multiplier
        Pipeline done(3 * z.stages, mx_accumulators,
                      static_cast<int>(4 * z.ctas)); // from the multiplier to the warps of the epilogues
        // Of a pair the ring is of A and B alone, and its first block waits for both; scales have a barrier in each block.
        const auto scales_here = [&](int stage) { return 3 * z.stages + 2 * mx_accumulators + stage; };
        if (paired) ring = ring.of_pair(t.rank), done = done.of_pair(t.rank);
        cta.role(producer, [&](Scope w) {
            ring.init(w);
            for (int s = 0; s < z.stages; ++s) w.mbarrier({Mbarrier::Action::init, with_scales(s), static_cast<int>(z.ctas), {}});
            done.init(w);
            for (int s = 0; s < z.stages && paired; ++s) w.mbarrier({Mbarrier::Action::init, scales_here(s), 1, {}});
        });
        const auto meet = [&] { paired ? cta.cluster_sync() : cta.sync(); };
        meet();

        // Tiles of this block: a stage of `done` for each, its rows, and how often the ring has been gone through before.
        const Affine col = t.index[1] * z.tile_n;
        const Interval cols(paired ? col + t.rank * (z.tile_n / 2) : col, z.tile_n / z.ctas); // rows of B
        const auto walk = [&](Scope w, const std::function<void(const Pipeline::Turn&, const Interval&, const Affine&)>& body) {
            done.loop(w, z.walk, [&](const Pipeline::Turn& tile, const Affine& i) {
                const Affine row = t.index[0] + i * z.blocks();
                const auto one = [&] { body(tile, {row * mx_lanes, mx_lanes}, i); };
                if (z.walk * z.blocks() == z.rows())
                    one();
                else
                    w.when(Expression(row) < static_cast<double>(z.rows()), one);
            });
        };
        cta.role(producer, [&](Scope w) {
            walk(w, [&](const Pipeline::Turn&, const Interval& rows, const Affine& i) {
                ring.loop(w, z.steps(), i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    const Interval s(step * mx_step, mx_step), g(step, 1), one(turn.stage, 1);
                    Pipeline::Copies tiles{{a(turn.stage, all, all), A(rows, s)}, {b(turn.stage, all, all), B(cols, s)}};
                    const Pipeline::Copies scales{
                        {raw_a(one, all, all), SFA(g, rows, all).guarded(false)},
                        {raw_b(one, all, all), SFB(g, Interval(col, z.scale_columns()), all).guarded(false)}};
                    if (!paired) tiles.insert(tiles.end(), scales.begin(), scales.end());
                    ring.load(w, turn, tiles);
                    if (!paired) return;
                    w.mbarrier({Mbarrier::Action::expect_bytes, scales_here(turn.stage), 4 * (mx_lanes + z.scale_columns()), {}});
                    for (const auto& [to, from] : scales) w.copy_async(to, from, {.completes_on = scales_here(turn.stage)});
                });
            });
        });
        cta.role(transposer, [&](Scope w) {
            // Of each 128 scales lane l has those of 32·i + l, which are 16 bytes of what is copied to tensor memory.
            const auto held = w.alloc(Role::registers, {mx_lanes, 4}, e8m0,
                                      Layout{{{4, 4, reg}, {32, 1, lane}, {4, 1, reg}}, {}, {{warp, 2}}}, "held");
            walk(w, [&](const Pipeline::Turn&, const Interval&, const Affine& i) {
                ring.loop(w, z.steps(), i, [&](const Pipeline::Turn& turn, const Affine&) {
                    if (paired)
                        w.mbarrier({Mbarrier::Action::wait, scales_here(turn.stage), 0, floor_mod(turn.round, 2)});
                    else
                        ring.wait(w, turn);
                    w.copy(held, raw_a(turn.stage, all, all)).copy(sfa(turn.stage, all, all), held);
                    for (Int c = 0; c < z.scale_columns(); c += 128)
                        w.copy(held, raw_b(turn.stage, Interval(c, 128), all)).copy(sfb(turn.stage, Interval(c, 128), all), held);
                    Mbarrier there{Mbarrier::Action::arrive, with_scales(turn.stage), 0, {}};
                    if (paired) there.rank = Affine(0); // who multiplies for both
                    w.proxy_fence().mbarrier(there);
                });
            });
        });
        const auto multiplies = [&](Scope w) {
            walk(w, [&](const Pipeline::Turn& tile, const Interval&, const Affine& i) {
                done.wait_empty(w, tile);
                ring.loop(w, z.steps(), i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    if (paired) ring.wait(w, turn);
                    w.mbarrier({Mbarrier::Action::wait, with_scales(turn.stage), 0, floor_mod(turn.round, 2)});
                    w.tensor_fence_after(); // the scales of this stage that were there before have been read, and so have the sums
                    w.copy_async(ta(turn.stage, all, all), sfa(turn.stage, all, all), {.pair = paired});
                    w.copy_async(tb(turn.stage, all, all), sfb(turn.stage, all, all), {.pair = paired});
                    const auto multiply = [&](bool onto, Int depth) {
                        const Interval s(0, depth), scales(0, depth / mx_block);
                        w.scaled_gemm(sums(tile.stage, all, all), a(turn.stage, all, s), b(turn.stage, all, s),
                                      ta(turn.stage, all, scales), tb(turn.stage, Interval(0, z.tile_n), scales),
                                      {.accumulate = onto, .transpose_b = true}, ring.releasing(turn));
                    };
                    // The first step of a tile begins its sums; the last one may have fewer blocks.
                    const auto of_depth = [&](bool onto) {
                        if (z.tail() == mx_step || turn.stage != (z.steps() - 1) % z.stages)
                            multiply(onto, mx_step);
                        else
                            w.when(
                                Expression(step) < static_cast<double>(z.steps() - 1), [&] { multiply(onto, mx_step); },
                                [&] { multiply(onto, z.tail()); });
                    };
                    if (turn.stage == 0)
                        w.when(Expression(step) < 1.0, [&] { of_depth(false); }, [&] { of_depth(true); });
                    else
                        of_depth(true);
                });
                done.commit(w, tile);
            });
        };
        cta.role(multiplier, [&](Scope w) {
            if (paired) // the first block for both
                w.when(equals(t.rank, 0), [&] { multiplies(w); });
            else
                multiplies(w);
        });
        cta.role(epilogue, [&](Scope w) {
            const auto part = w.alloc(Role::registers, {mx_lanes, z.part()}, f32, accumulator, "part");
            int slot = 0;
            walk(w, [&](const Pipeline::Turn& tile, const Interval& rows, const Affine&) {
                done.wait(w, tile);
                w.tensor_fence_after();
                for (Int first = 0; first < z.tile_n; first += z.part()) {
                    w.copy_async(part, sums(tile.stage, all, Interval(first, z.part()))).wait_tensor_loads();
                    if (first + z.part() == z.tile_n) { // the accumulator may be multiplied into again
                        w.tensor_fence_before();
                        done.release(w, tile);
                    }
                    const auto to = D(rows, Interval(t.index[1] * z.tile_n + first, z.part()));
                    if (z.n % 8 != 0) { // rows of D that no tensor map has
                        w.copy(to, part);
                        continue;
                    }
                    const auto staged = out(slot++ % 2, all, all);
                    w.role(store, [&](Scope one) { one.wait_sources(1); }); // what was there before has been read
                    w.sync();
                    w.copy(staged, part).proxy_fence().sync();
                    w.role(store, [&](Scope one) { one.copy_async(to, staged).commit(); });
                }
            });
            if (z.n % 8 == 0) w.role(store, [&](Scope one) { one.wait_sources(); });
        });
        if (paired) meet(); // neither block ends while the other one uses its memory
    };
    const Tiles grid = tiles({z.blocks(), z.cols()}, {1, 1});
    paired ? k.cta(grid, {{2, 1}}, block, 8) : k.cta(grid, block, 8);
    return k.program();
}

/// x[rows, k] as e4m3 with a scale for each 32 columns: sf = max(amax, 10⁻⁴)/448 up to a power of two, q = rn(x·(1/sf)).
void quantize_mx(std::vector<double>& x, Int k, std::vector<double>& scales)
{
    scales.clear();
    for (std::size_t begin = 0; begin < x.size(); begin += static_cast<std::size_t>(k))
        for (Int first = 0; first < k; first += mx_block) {
            double amax = 1e-4;
            const auto at = [&](Int i) -> double& { return x[begin + static_cast<std::size_t>(i)]; };
            const Int last = std::min(first + mx_block, k);
            for (Int i = first; i < last; ++i) amax = std::max(amax, std::fabs(at(i)));
            int exponent = 0;
            const double sf = std::frexp(amax / 448, &exponent) == 0.5 ? amax / 448 : std::ldexp(1.0, exponent);
            for (Int i = first; i < last; ++i) at(i) = decode(e4m3, encode(e4m3, at(i) / sf, Overflow::saturate));
            scales.push_back(sf);
        }
}

/// Numbers in [−1, 1), by the constants of Knuth's MMIX generator; `data` says what becomes of them.
std::vector<double> mx_numbers(const std::string& data, Int rows, Int columns, std::uint64_t state)
{
    std::vector<double> out;
    for (Int i = 0; i < rows; ++i)
        for (Int j = 0; j < columns; ++j) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            double x = static_cast<double>(state >> 41) / 0x1p22 - 1;
            if (data == "powers") x *= std::ldexp(1.0, static_cast<int>((i + j / mx_block) % 7) - 3);
            if (data == "zeros" && i < mx_lanes && j < mx_step) x = 0;
            if (data == "largest") x = j % mx_block == i % 16 ? 448 : 400 * x;
            out.push_back(x);
        }
    return out;
}

Result<Bindings, axe::Problem> mx_gemm_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in) return in;
    const MxSizes z = mx_sizes(setting);
    const auto put = [&](const char* name, const char* scales_name, Int rows, Int high, std::uint64_t seed) {
        std::vector<double> x = mx_numbers(setting.word("data"), rows, z.k, seed), scales;
        quantize_mx(x, z.k, scales);
        if (setting.files.path(name).empty()) {
            Array numbers = Array::make({rows, z.k}, e4m3).value();
            for (Int i = 0; i < numbers.size(); ++i) numbers.set(i, x[static_cast<std::size_t>(i)]);
            in->set(name, std::move(numbers));
        }
        if (!setting.files.path(scales_name).empty()) return;
        const Int blocks = (z.k + mx_block - 1) / mx_block;
        Array numbers = Array::make({z.steps(), high, 4}, e8m0).value();
        for (Int i = 0; i < numbers.size(); ++i) { // what is beside the matrix is NaN, which must not count
            const Int row = i / 4 % high, b = i / (4 * high) * 4 + i % 4;
            numbers.set(i, row < rows && b < blocks ? scales[static_cast<std::size_t>(row * blocks + b)] : std::nan(""));
        }
        in->set(scales_name, std::move(numbers));
    };
    put("A", "SFA", z.m, z.padded_m(), 1);
    put("B", "SFB", z.n, z.padded_n(), 2);
    return in;
}

/// How far D is from the product of the numbers before they were quantized: 1 − 2·x·y/(x·x + y·y).      [DeepGEMM 54e2261]
Result<Conclusion, axe::Problem> mx_gemm_conclusion(const Setting& setting, const Ending& ending)
{
    for (const char* name : {"A", "B", "SFA", "SFB"})
        if (!setting.files.path(name).empty()) return Conclusion{};
    const MxSizes z = mx_sizes(setting);
    const std::vector<double> a = mx_numbers(setting.word("data"), z.m, z.k, 1), b = mx_numbers(setting.word("data"), z.n, z.k, 2);
    const Array& d = *ending.outputs.find("D");
    double xx = 0, yy = 0, xy = 0;
    for (Int m = 0; m < z.m; ++m)
        for (Int n = 0; n < z.n; ++n) {
            double x = 0;
            for (Int l = 0; l < z.k; ++l) x += a[static_cast<std::size_t>(m * z.k + l)] * b[static_cast<std::size_t>(n * z.k + l)];
            const double y = d.at(m * z.n + n);
            xx += x * x, yy += y * y, xy += x * y;
        }
    const double difference = xx + yy == 0 ? 0 : 1 - 2 * xy / (xx + yy);
    char line[120];
    std::snprintf(line, sizeof line, "difference to the product of the numbers before they were quantized: %.6f of 0.001",
                  difference);
    return Conclusion{{line}, difference < 0.001};
}

} // namespace

const Example mx_gemm{"mx_gemm",
                      "a product of 8-bit floats with a scale for each 32 of them, in tensor memory",
                      {{"M", "200", "rows of A and D", 1 << 14},
                       {"N", "136", "rows of B, columns of D", 1 << 14},
                       {"K", "640", "columns of A and B, a multiple of 16", 1 << 14},
                       {"tile_n", "64", "columns of D that a block has at a time, a multiple of 8", 240},
                       {"stages", "3", "tiles of A and B with their scales, on their way or in use", 16},
                       {"walk", "2", "tiles of D that a block makes, one after the other", 64},
                       {"ctas", "1", "blocks that multiply together", 0, {"1", "2"}},
                       {"data", "random", "what is multiplied", 0, {"random", "powers", "zeros", "largest"}}},
                      {"sm100"},
                      {1},
                      mx_gemm_program,
                      mx_gemm_inputs,
                      mx_gemm_conclusion};

} // namespace examples
