// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of floats of 8, 6 or 4 bits with a scale for each 32 or 16 of them, on Blackwell: one warp brings tiles and scales, one puts the
// scales in the order of tensor memory, one copies them there and multiplies, and a warpgroup rounds the sums and stores them. Of a pair of blocks
// each has its rows of A and half of B, and the scales of both; one multiplies for both, and each stores its rows. Where A has few rows, it has the
// columns of tiles and B the rows.
#include "../common/example.hpp"
#include "../common/tensor_tiles.hpp"

#include <axe/target/nvidia/tcgen05/scales.hpp>
#include <cmath>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;
using Int = std::int64_t;

struct MxSizes : TensorTiles { ///< A has the rows of tiles and B the columns, or, where they are swapped, B and A
    Int k;
    int stages;
    bool swapped;
    DType a, b, scale;
    Int block;                                                   ///< columns of A and B that have one scale
    bool packed;                                                 ///< two elements are in a byte
    [[nodiscard]] Int step() const { return 4 * block; }         ///< what the four bytes of a scale's 32 bits are for
    [[nodiscard]] Int depth() const { return packed ? 64 : 32; } ///< K of a product
    [[nodiscard]] Int steps() const { return (k + step() - 1) / step(); }
    /// K of the last step, in whole products.
    [[nodiscard]] Int tail() const { return (k - (steps() - 1) * step() + depth() - 1) / depth() * depth(); }
    /// Columns whose scales are brought: 128 by 128.
    [[nodiscard]] Int scale_columns() const { return (width + 127) / 128 * 128; }
    /// Rows of scales in global memory: those of all tiles that blocks have room for, as 128 are copied at a time.
    [[nodiscard]] Int padded_rows() const { return blocks() * walk * lanes; }
    [[nodiscard]] Int padded_columns() const { return (cols() - 1) * width + scale_columns(); }
    /// Columns of tensor memory: the sums, and four scales of each row and column for each stage.
    [[nodiscard]] Int tensor_columns() const { return accumulators * width + stages * (lanes + scale_columns()) / 32; }
    [[nodiscard]] Int size() const { return rows() * lanes * cols() * width; } ///< of all tiles
    /// Has a tensor map of [rows, K] of the type: the stride of a row is a multiple of 16 bytes, of 32 where 16 elements of 4 or 6 bits take
    /// 16 bytes of shared memory, and of those the map has a multiple of 128.
    [[nodiscard]] bool by_map(DType type) const { return bits(type) == 8 || k % (packed ? 32 : 128) == 0; }
    /// Rows of K elements in each stage, in patterns of 128 bytes where an element takes one: the layout that says two do not is its own.
    [[nodiscard]] Placement operand(Int rows) const
    {
        if (!packed) return conflict_free;
        const Axis memory{"m"};
        return Swizzled<Layout>{Swizzle{step() == 128 ? 2 : 1, 5, 3}, memory, 1,
                                Layout{{{stages, rows * step(), memory}, {rows, step(), memory}, {step(), 1, memory}}}};
    }
};

MxSizes mx_sizes(const Setting& s)
{
    const auto of = [&](bool swapped) {
        MxSizes z{{s.number(swapped ? "N" : "M"), s.number(swapped ? "M" : "N"), s.number("tile_n"), s.number("walk"),
                   s.word("ctas") == "2" ? 2 : 1},
                  s.number("K"),
                  static_cast<int>(s.number("stages")),
                  swapped,
                  parse_dtype(s.word("a")).value(),
                  parse_dtype(s.word("b")).value(),
                  e8m0,
                  32,
                  s.word("kind") != "mxf8f6f4"};
        if (s.word("kind") == "mxf4nvf4") z.scale = ue4m3, z.block = 16;
        return z;
    };
    // Few rows of A leave most of the 128 lanes of a tile empty, but not many columns.
    const MxSizes plain = of(false), swapped = of(true);
    if (s.word("swap") == "fitting") return plain.m < plain.lanes && swapped.size() < plain.size() ? swapped : plain;
    return s.word("swap") == "yes" ? swapped : plain;
}

/// A matrix times its scales, which are [⌈K/4V⌉, rows, 4], one for V columns: byte j of group g is that of k from V·(4·g + j) on.
Formula mx_scaled(const TensorRef& x, const TensorRef& scales, Int block)
{
    const Int rows = x.shape()[0], k = x.shape()[1], blocks = 4 * scales.shape()[0];
    const Formula by_rows = reshape(permute(scales, {1, 0, 2}), {scales.shape()[1], blocks});
    const Formula spread = broadcast(reshape(slice(by_rows, 0, 0, rows), {rows, blocks, 1}), {rows, blocks, block});
    return x * slice(reshape(spread, {rows, blocks * block}), 1, 0, k);
}

/// D = rn(Σ_k A[m, k]·SFA[m, k/V] · B[n, k]·SFB[n, k/V])
Result<Program, axe::Problem> mx_gemm_program(const Setting& setting)
{
    const MxSizes z = mx_sizes(setting);
    if (z.packed && (z.a != e2m1 || z.b != e2m1))
        return Problem(errc::bad_argument, "mx_gemm: a is " + std::string(name(z.a)) + " and b " + name(z.b) + "; kind " +
                                               setting.word("kind") + " is of two e2m1 in a byte");
    if (z.k % 16 != 0)
        return Problem(errc::bad_argument, "mx_gemm: K is " + std::to_string(z.k) +
                                               ", not a multiple of 16: a tensor map's rows are of multiples of 16 bytes");
    if (z.width % (8 * z.ctas) != 0)
        return Problem(errc::bad_argument,
                       "mx_gemm: tile_n is " + std::to_string(z.width) + ", not a multiple of " + std::to_string(8 * z.ctas));
    const bool paired = z.paired();
    if (z.tensor_columns() > 512)
        return Problem(errc::capacity, "mx_gemm: 2·" + std::to_string(z.width) + " columns of sums and those of " +
                                           std::to_string(z.stages) + " stages of scales are " +
                                           std::to_string(z.tensor_columns()) + "; tensor memory has 512");

    Kernel k("mx_gemm", setting.machine);
    const Int M = z.swapped ? z.n : z.m, N = z.swapped ? z.m : z.n;
    const auto A = k.input("A", {M, z.k}, z.a), B = k.input("B", {N, z.k}, z.b);
    const auto SFA = k.input("SFA", {z.steps(), z.swapped ? z.padded_columns() : z.padded_rows(), 4}, z.scale);
    const auto SFB = k.input("SFB", {z.steps(), z.swapped ? z.padded_rows() : z.padded_columns(), 4}, z.scale);
    const auto D = k.output("D", {M, N}, bf16);
    k.computes(D, cast(matmul(mx_scaled(A, SFA, z.block), mx_scaled(B, SFB, z.block), {.transpose_b = true}), bf16));
    // Dᵀ = B·Aᵀ where they are swapped: X has the rows of tiles.
    const TensorRef X = z.swapped ? B : A, Y = z.swapped ? A : B, SFX = z.swapped ? SFB : SFA, SFY = z.swapped ? SFA : SFB;
    const bool x_by_map = z.by_map(X.dtype()), y_by_map = z.by_map(Y.dtype()); // else lanes copy

    const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
    const AgentRole producer{"producer", Layout{}}, multiplier{"multiplier", Layout{{}, {}, {{warp, 1}}}};
    const AgentRole transposer{"transposer", Layout{{}, {}, {{warp, 2}}}};
    const AgentRole epilogue{"epilogue", Layout{{{4, 1, warp}}, {}, {{warp, 4}}}}, store = epilogue.part(0, 1, "store");

    const auto block = [&](Scope cta, const Tile& t) {
        const Shape of_x{z.stages, z.lanes, 4}, of_y{z.stages, z.scale_columns(), 4};
        const Int y_rows = z.width / z.ctas;
        const auto x = cta.alloc(Role::shared, {z.stages, z.lanes, z.step()}, X.dtype(), z.operand(z.lanes), "x");
        const auto y = cta.alloc(Role::shared, {z.stages, y_rows, z.step()}, Y.dtype(), z.operand(y_rows), "y");
        const auto raw_x = cta.alloc(Role::shared, of_x, z.scale, {}, "raw_x"),
                   raw_y = cta.alloc(Role::shared, of_y, z.scale, {}, "raw_y");
        const auto sfx = cta.alloc(Role::shared, of_x, z.scale, shared_scale_layout(of_x).value(), "sfx");
        const auto sfy = cta.alloc(Role::shared, of_y, z.scale, shared_scale_layout(of_y).value(), "sfy");
        const auto out = z.staging(cta, bf16, z.swapped);
        const auto sums = cta.alloc("tmem", {z.accumulators, z.lanes, z.width}, f32, accumulator, "sums");
        const auto tx = cta.alloc("tmem", of_x, z.scale, tensor_scale_layout(of_x).value(), "tx");
        const auto ty = cta.alloc("tmem", of_y, z.scale, tensor_scale_layout(of_y).value(), "ty");
        Pipeline ring(0, z.stages, 1); // from the producer to the transposer, and back from the multiplier
        const auto with_scales = [&](int stage) { return 2 * z.stages + stage; }; // from the transposer to the multiplier
        Pipeline done = z.done(3 * z.stages); // from the multiplier to the warps of the epilogues
        // Of a pair the ring is of X and Y alone, and its first block waits for both; scales have a barrier in each block.
        const bool apart = paired && (x_by_map || y_by_map);
        const auto scales_here = [&](int stage) { return apart ? 3 * z.stages + 2 * z.accumulators + stage : ring.full(stage); };
        if (paired) ring = ring.of_pair(t.rank), done = done.of_pair(t.rank);
        cta.role(producer, [&](Scope w) {
            ring.init(w);
            for (int s = 0; s < z.stages; ++s) w.mbarrier({Mbarrier::Action::init, with_scales(s), static_cast<int>(z.ctas), {}});
            done.init(w);
            for (int s = 0; s < z.stages && apart; ++s) w.mbarrier({Mbarrier::Action::init, scales_here(s), 1, {}});
        });
        z.meet(cta);

        // The ring is gone through once for each tile: i times before that one.
        const Affine col = t.index[1] * z.width;
        const Interval cols(paired ? col + t.rank * (z.width / 2) : col, z.width / z.ctas); // rows of Y
        cta.role(producer, [&](Scope w) {
            z.each(w, t, done, [&](const Pipeline::Turn&, const Interval& rows, const Affine& i) {
                ring.loop(w, z.steps(), i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    const Interval s(step * z.step(), z.step()), g(step, 1), one(turn.stage, 1);
                    Pipeline::Copies tiles;
                    if (x_by_map) tiles.push_back({x(turn.stage, all, all), X(rows, s)});
                    if (y_by_map) tiles.push_back({y(turn.stage, all, all), Y(cols, s)});
                    const Pipeline::Copies scales{
                        {raw_x(one, all, all), SFX(g, rows, all).guarded(false)},
                        {raw_y(one, all, all), SFY(g, Interval(col, z.scale_columns()), all).guarded(false)}};
                    if (!paired) tiles.insert(tiles.end(), scales.begin(), scales.end());
                    if (tiles.empty())
                        ring.wait_empty(w, turn);
                    else
                        ring.load(w, turn, tiles);
                    if (!paired) return;
                    w.mbarrier({Mbarrier::Action::expect_bytes, scales_here(turn.stage), 4 * (z.lanes + z.scale_columns()), {}});
                    for (const auto& [to, from] : scales) w.copy_async(to, from, {.completes_on = scales_here(turn.stage)});
                });
            });
        });
        cta.role(transposer, [&](Scope w) {
            // Of each 128 scales lane l has those of 32·i + l, which are 16 bytes of what is copied to tensor memory.
            const auto held = w.alloc(Role::registers, {z.lanes, 4}, z.scale,
                                      Layout{{{4, 4, reg}, {32, 1, lane}, {4, 1, reg}}, {}, {{warp, 2}}}, "held");
            z.each(w, t, done, [&](const Pipeline::Turn&, const Interval& rows, const Affine& i) {
                ring.loop(w, z.steps(), i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    w.mbarrier({Mbarrier::Action::wait, scales_here(turn.stage), 0, floor_mod(turn.round, 2)});
                    const Interval s(step * z.step(), z.step());
                    if (!x_by_map) w.copy(x(turn.stage, all, all), X(rows, s));
                    if (!y_by_map) w.copy(y(turn.stage, all, all), Y(cols, s));
                    w.copy(held, raw_x(turn.stage, all, all)).copy(sfx(turn.stage, all, all), held);
                    for (Int c = 0; c < z.scale_columns(); c += 128)
                        w.copy(held, raw_y(turn.stage, Interval(c, 128), all)).copy(sfy(turn.stage, Interval(c, 128), all), held);
                    Mbarrier there{Mbarrier::Action::arrive, with_scales(turn.stage), 0, {}};
                    if (paired) there.rank = Affine(0); // who multiplies for both
                    w.proxy_fence().mbarrier(there);
                });
            });
        });
        const auto multiplies = [&](Scope w) {
            z.each(w, t, done, [&](const Pipeline::Turn& tile, const Interval&, const Affine& i) {
                done.wait_empty(w, tile);
                ring.loop(w, z.steps(), i, [&](const Pipeline::Turn& turn, const Affine& step) {
                    if (apart) ring.wait(w, turn);
                    w.mbarrier({Mbarrier::Action::wait, with_scales(turn.stage), 0, floor_mod(turn.round, 2)});
                    w.tensor_fence_after(); // the scales of this stage that were there before have been read, and so have the sums
                    w.copy_async(tx(turn.stage, all, all), sfx(turn.stage, all, all), {.pair = paired});
                    w.copy_async(ty(turn.stage, all, all), sfy(turn.stage, all, all), {.pair = paired});
                    const auto multiply = [&](bool onto, Int depth) {
                        const Interval s(0, depth), scales(0, depth / z.block);
                        w.scaled_gemm(sums(tile.stage, all, all), x(turn.stage, all, s), y(turn.stage, all, s),
                                      tx(turn.stage, all, scales), ty(turn.stage, Interval(0, z.width), scales),
                                      {.accumulate = onto, .transpose_b = true}, ring.releasing(turn));
                    };
                    // The first step of a tile begins its sums; the last one may have fewer blocks.
                    const auto of_depth = [&](bool onto) {
                        if (z.tail() == z.step() || turn.stage != (z.steps() - 1) % z.stages)
                            multiply(onto, z.step());
                        else
                            w.when(
                                Expression(step) < static_cast<double>(z.steps() - 1), [&] { multiply(onto, z.step()); },
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
        cta.role(multiplier, [&](Scope w) { z.by_first(w, t, [&] { multiplies(w); }); });
        cta.role(epilogue, [&](Scope w) { z.store_each(w, t, done, sums, out, store, D, z.swapped); });
        if (paired) z.meet(cta); // neither block ends while the other one uses its memory
    };
    z.launch(k, block, 8);
    return k.program();
}

double largest_of(DType type) { return decode(type, encode(type, 1e9, Overflow::saturate)); }

/// x[rows, k] as numbers of a type with a scale for each V columns: q = rn(x/sf), where max(amax, 10⁻⁴)/largest becomes sf, of e8m0 up to a
/// power of two, of ue4m3 the nearest.
void quantize_mx(std::vector<double>& x, DType type, const MxSizes& z, std::vector<double>& scales)
{
    scales.clear();
    const double most = largest_of(type);
    for (std::size_t begin = 0; begin < x.size(); begin += static_cast<std::size_t>(z.k))
        for (Int first = 0; first < z.k; first += z.block) {
            double amax = 1e-4;
            const auto at = [&](Int i) -> double& { return x[begin + static_cast<std::size_t>(i)]; };
            const Int last = std::min(first + z.block, z.k);
            for (Int i = first; i < last; ++i) amax = std::max(amax, std::fabs(at(i)));
            int exponent = 0;
            double sf = std::frexp(amax / most, &exponent) == 0.5 ? amax / most : std::ldexp(1.0, exponent);
            if (z.scale == ue4m3) sf = std::max(decode(ue4m3, encode(ue4m3, amax / most)), 0x1p-9); // its smallest
            for (Int i = first; i < last; ++i) at(i) = decode(type, encode(type, at(i) / sf, Overflow::saturate));
            scales.push_back(sf);
        }
}

/// Numbers in [−1, 1), by the constants of Knuth's MMIX generator; `data` says what becomes of them.
std::vector<double> mx_numbers(const std::string& data, DType type, const MxSizes& z, Int rows, std::uint64_t state)
{
    std::vector<double> out;
    const double most = largest_of(type);
    for (Int i = 0; i < rows; ++i)
        for (Int j = 0; j < z.k; ++j) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            double x = static_cast<double>(state >> 41) / 0x1p22 - 1;
            if (data == "powers") x *= std::ldexp(1.0, static_cast<int>((i + j / z.block) % 7) - 3);
            if (data == "zeros" && i < z.lanes && j < z.step()) x = 0;
            if (data == "largest") x = j % z.block == i % z.block ? most : most * 0.875 * x;
            out.push_back(x);
        }
    return out;
}

Result<Bindings, axe::Problem> mx_gemm_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in) return in;
    const MxSizes z = mx_sizes(setting);
    const auto put = [&](const char* name, const char* scales_name, std::uint64_t seed) {
        const Int rows = in->find(name)->shape()[0], high = in->find(scales_name)->shape()[1];
        const DType type = in->find(name)->dtype();
        std::vector<double> x = mx_numbers(setting.word("data"), type, z, rows, seed), scales;
        quantize_mx(x, type, z, scales);
        if (setting.files.path(name).empty()) {
            Array numbers = Array::make({rows, z.k}, type).value();
            for (Int i = 0; i < numbers.size(); ++i) numbers.set(i, x[static_cast<std::size_t>(i)]);
            in->set(name, std::move(numbers));
        }
        if (!setting.files.path(scales_name).empty()) return;
        const Int blocks = (z.k + z.block - 1) / z.block, multiplied = ((z.steps() - 1) * z.step() + z.tail()) / z.block;
        Array numbers = Array::make({z.steps(), high, 4}, z.scale).value();
        for (Int i = 0; i < numbers.size();
             ++i) { // what is beside the matrix is NaN, which must not count, but where zeros are multiplied
            const Int row = i / 4 % high, b = i / (4 * high) * 4 + i % 4;
            const bool there = row < rows && b < blocks, zeros = row < rows && b < multiplied;
            numbers.set(i, there ? scales[static_cast<std::size_t>(row * blocks + b)] : zeros ? 1 : std::nan(""));
        }
        in->set(scales_name, std::move(numbers));
    };
    put("A", "SFA", 1);
    put("B", "SFB", 2);
    return in;
}

/// How far D is from the product of the numbers before they were quantized: 1 − 2·x·y/(x·x + y·y).      [DeepGEMM 54e2261]
///
/// Half of it comes from each operand. Of e4m3, of three bits, DeepGEMM allows 0.001; a bit less doubles what rounding adds to a number.
Result<Conclusion, axe::Problem> mx_gemm_conclusion(const Setting& setting, const Ending& ending)
{
    for (const char* name : {"A", "B", "SFA", "SFB"})
        if (!setting.files.path(name).empty()) return Conclusion{};
    const MxSizes z = mx_sizes(setting);
    const Array& d = *ending.outputs.find("D");
    const Int M = d.shape()[0], N = d.shape()[1];
    const std::vector<double> a = mx_numbers(setting.word("data"), z.a, z, M, 1),
                              b = mx_numbers(setting.word("data"), z.b, z, N, 2);
    double xx = 0, yy = 0, xy = 0, allowed = 0;
    for (const DType type : {z.a, z.b}) allowed += 0.0005 * std::pow(8 * (decode(type, encode(type, 1) + 1) - 1), 2);
    for (Int m = 0; m < M; ++m)
        for (Int n = 0; n < N; ++n) {
            double x = 0;
            for (Int l = 0; l < z.k; ++l) x += a[static_cast<std::size_t>(m * z.k + l)] * b[static_cast<std::size_t>(n * z.k + l)];
            const double y = d.at(m * N + n);
            xx += x * x, yy += y * y, xy += x * y;
        }
    const double difference = xx + yy == 0 ? 0 : 1 - 2 * xy / (xx + yy);
    char line[120];
    std::snprintf(line, sizeof line, "difference to the product of the numbers before they were quantized: %.6f of %g", difference,
                  allowed);
    return Conclusion{{line}, difference < allowed};
}

} // namespace

const Example mx_gemm{"mx_gemm",
                      "a product of 8-, 6- or 4-bit floats with a scale for each 32 or 16 of them, in tensor memory",
                      {{"M", "200", "rows of A and D", 1 << 14},
                       {"N", "136", "rows of B, columns of D", 1 << 14},
                       {"K", "640", "columns of A and B, a multiple of 16", 1 << 14},
                       {"tile_n", "64", "columns of D that a block has at a time, a multiple of 8", 240},
                       {"stages", "3", "tiles of A and B with their scales, on their way or in use", 16},
                       {"walk", "2", "tiles of D that a block makes, one after the other", 64},
                       {"ctas", "1", "blocks that multiply together", 0, {"1", "2"}},
                       {"a", "e4m3", "elements of A", 0, {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"}},
                       {"b", "e4m3", "elements of B", 0, {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"}},
                       {"kind", "mxf8f6f4", "of products", 0, {"mxf8f6f4", "mxf4", "mxf4nvf4"}},
                       {"swap", "fitting", "do rows of tiles have columns of D?", 0, {"fitting", "no", "yes"}},
                       {"data", "random", "what is multiplied", 0, {"random", "powers", "zeros", "largest"}}},
                      {"sm100"},
                      {1},
                      mx_gemm_program,
                      mx_gemm_inputs,
                      mx_gemm_conclusion};

} // namespace examples
