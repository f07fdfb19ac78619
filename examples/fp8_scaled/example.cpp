// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of 8-bit floats with scales in f32, one for 128 columns of a row of A and one for a 128 x 128 block of B, on Hopper: the sums of
// 128 products are multiplied by both scales before they are added to those of the other blocks.
#include "../common/example.hpp"

#include <cmath>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t scaled_block = 128; ///< columns of a scale: K of a tile, and rows and columns of B's

/// x[rows, columns] as e4m3 with a scale for each box of `high` x 128: sf = max(amax, 10⁻⁴)/448, q = rn(x·(1/sf)).    [DeepGEMM 54e2261]
///
/// q takes x's place; scales are by boxes, row-major; where `powers`, each is the next power of two from there on.
void quantize_fp8(std::vector<float>& x, std::int64_t rows, std::int64_t columns, std::int64_t high, bool powers,
                  std::vector<float>& scales)
{
    const std::int64_t across = (columns + scaled_block - 1) / scaled_block;
    scales.assign(static_cast<std::size_t>((rows + high - 1) / high * across), 1e-4f);
    const auto box = [&](std::int64_t i, std::int64_t j) -> float& {
        return scales[static_cast<std::size_t>(i / high * across + j / scaled_block)];
    };
    const auto at = [&](std::int64_t i, std::int64_t j) -> float& { return x[static_cast<std::size_t>(i * columns + j)]; };
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) box(i, j) = std::max(box(i, j), std::fabs(at(i, j)));
    for (float& scale : scales) {
        scale /= 448;
        int exponent = 0;
        if (powers) scale = std::frexp(scale, &exponent) == 0.5f ? scale : std::ldexp(1.0f, exponent);
    }
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
            at(i, j) = static_cast<float>(decode(e4m3, encode(e4m3, double{at(i, j) * (1 / box(i, j))}, Overflow::saturate)));
}

struct ScaledSizes {
    std::int64_t m, n, k, tile_m, tile_n;
    int stages;
    [[nodiscard]] std::int64_t blocks() const { return (k + scaled_block - 1) / scaled_block; }
    [[nodiscard]] std::int64_t strips() const { return (n + scaled_block - 1) / scaled_block; }
    /// Scales of a block of A, a row each: as many as a tensor map asks for, a multiple of 16 bytes.
    [[nodiscard]] std::int64_t padded() const { return (m + 3) / 4 * 4; }
};

ScaledSizes scaled_sizes(const Setting& s)
{
    return {s.number("M"),      s.number("N"),
            s.number("K"),      std::stoll(s.word("tile_m")),
            s.number("tile_n"), static_cast<int>(s.number("stages"))};
}

/// D = rn(Σ_b (SFA[b, m]·SFB[⌊n/128⌋, b])·Σ_{k of block b} A[m, k]·B[n, k])
Formula scaled_formula(const ScaledSizes& z, const TensorRef& A, const TensorRef& B, const TensorRef& SFA, const TensorRef& SFB)
{
    Formula sum = 0;
    for (std::int64_t b = 0; b < z.blocks(); ++b) {
        const std::int64_t first = b * scaled_block, count = std::min(scaled_block, z.k - first);
        const Formula products = matmul(slice(A, 1, first, count), slice(B, 1, first, count), {.transpose_b = true});
        const Formula of_a = reshape(slice(slice(SFA, 0, b, 1), 1, 0, z.m), {z.m, 1});
        const Formula of_b = reshape(gather(reshape(slice(SFB, 1, b, 1), {z.strips()}), iota({z.n}, 0) / 128), {1, z.n});
        sum = b == 0 ? of_a * of_b * products : sum + of_a * of_b * products;
    }
    return cast(sum, bf16);
}

Result<Program, axe::Problem> fp8_scaled_program(const Setting& setting)
{
    const ScaledSizes z = scaled_sizes(setting);
    if (z.k % 16 != 0)
        return Problem(errc::bad_argument, "fp8_scaled: K is " + std::to_string(z.k) +
                                               ", not a multiple of 16: a tensor map's rows are of multiples of 16 bytes");
    if (z.tile_n % 8 != 0)
        return Problem(errc::bad_argument, "fp8_scaled: tile_n is " + std::to_string(z.tile_n) + ", not a multiple of 8");
    const std::int64_t K = z.blocks();

    Kernel k("fp8_scaled", setting.machine);
    const auto A = k.input("A", {z.m, z.k}, e4m3), B = k.input("B", {z.n, z.k}, e4m3);
    const auto SFA = k.input("SFA", {K, z.padded()}, f32), SFB = k.input("SFB", {z.strips(), K}, f32);
    const auto D = k.output("D", {z.m, z.n}, bf16);
    k.computes(D, scaled_formula(z, A, B, SFA, SFB));

    const int warps = static_cast<int>(z.tile_m / 16);
    const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
    const AgentRole consumers{"consumers", Layout{{{warps, 1, warp}}}}, producer{"producer", Layout{{}, {}, {{warp, warps}}}};
    const AgentRole store = consumers.part(0, 1, "store");
    // Of n columns as a warpgroup has sums: rows in fours of lanes, 8 rows further in the next registers. And what is one number a row, or a column.
    const auto sums = [&](std::int64_t n) {
        return Layout{{{warps, 1, warp}, {2, 2, reg}, {8, 4, lane}, {n / 8, 4, reg}, {4, 1, lane}, {2, 1, reg}}};
    };
    const Layout of_rows{{{warps, 1, warp}, {2, 1, reg}, {8, 4, lane}}, {{4, 1, lane}}};
    const auto of_columns = [&](std::int64_t n) {
        return Layout{{{n / 8, 2, reg}, {4, 1, lane}, {2, 1, reg}}, {{warps, 1, warp}, {8, 4, lane}}};
    };

    const auto block = [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {z.stages, z.tile_m, scaled_block}, e4m3, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {z.stages, z.tile_n, scaled_block}, e4m3, conflict_free, "b");
        const auto out = cta.alloc(Role::shared, {z.tile_m, z.tile_n}, bf16, conflict_free, "out");
        const auto sfa = cta.alloc(Role::shared, {z.stages, z.tile_m}, f32, {}, "sfa");
        const auto sfb = cta.alloc(Role::shared, {K, z.tile_n}, f32, {}, "sfb");
        const Pipeline ring(0, z.stages, warps);
        cta.role(producer, [&](Scope w) { ring.init(w); });
        cta.sync();
        cta.role(producer, [&](Scope w) {
            ring.loop(w, K, [&](const Pipeline::Turn& turn, const Affine& step) {
                const Interval s(step * scaled_block, scaled_block), one(step, 1);
                ring.load(w, turn,
                          {{a(turn.stage, all, all), A(t.rows, s)},
                           {b(turn.stage, all, all), B(t.cols, s)},
                           {sfa(Interval(turn.stage, 1), all), SFA(one, t.rows)}});
            });
        });
        cta.role(consumers, [&](Scope w) {
            // A tile's columns may be of two blocks of B, and the border between them is at a multiple of 8.
            w.loop(0, z.tile_n / 8, 1, [&](const Affine& eight) {
                const Expression column = Expression(t.cols.begin) + Expression(eight * 8);
                const Affine strip = w.index(min(floor_div(column, 128), static_cast<int>(z.strips() - 1)), 0, z.strips(), "strip");
                w.copy(sfb(all, Interval(eight * 8, 8)), SFB(strip, all).repeated(1, 8));
            });
            w.sync();
            const auto acc = w.alloc(Role::registers, {z.tile_m, z.tile_n}, f32, sums(z.tile_n), "acc");
            const auto final = w.alloc(Role::registers, {z.tile_m, z.tile_n}, f32, sums(z.tile_n), "final");
            const auto row = w.alloc(Role::registers, {z.tile_m}, f32, of_rows, "row");
            w.fill(final, 0);
            ring.loop(w, K, [&](const Pipeline::Turn& turn, const Affine& step) {
                ring.wait(w, turn);
                w.gemm(acc, a(turn.stage, all, all), b(turn.stage, all, all), {.accumulate = false, .transpose_b = true},
                       {.async = true});
                w.copy(row, sfa(turn.stage, all)).wait_products();
                ring.release_after_reads(w, turn);
                for (std::int64_t c = 0; c < z.tile_n; c += 64) {
                    const std::int64_t n = std::min<std::int64_t>(64, z.tile_n - c);
                    const Interval some(c, n);
                    const auto column = w.alloc(Role::registers, {n}, f32, of_columns(n), "column");
                    const auto scale = w.alloc(Role::registers, {z.tile_m, n}, f32, sums(n), "scale");
                    w.copy(column, sfb(step, some).guarded(false));
                    w.binary(Function::mul, scale, row.repeated(1, n), column.repeated(0, z.tile_m));
                    w.fma(final(all, some), scale, acc(all, some), final(all, some));
                }
            });
            if (z.n % 8 != 0) { // rows of D that no tensor map has
                w.copy(D(t), final);
                return;
            }
            w.copy(out, final).proxy_fence().sync();
            w.role(store, [&](Scope one) { one.copy_async(D(t), out).commit().wait_sources(); });
        });
    };
    k.cta(tiles({z.m, z.n}, {z.tile_m, z.tile_n}), block, warps + 4);
    return k.program();
}

/// Numbers in [−1, 1), by the constants of Knuth's MMIX generator; `data` says what becomes of them.
std::vector<float> scaled_numbers(const std::string& data, std::int64_t rows, std::int64_t columns, std::uint64_t state)
{
    std::vector<float> out;
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            float x = static_cast<float>(static_cast<double>(state >> 41) / 0x1p22 - 1);
            if (data == "powers") x *= std::ldexp(1.0f, static_cast<int>((i / 8 + j / scaled_block) % 7) - 3);
            if (data == "zeros" && i < scaled_block && j < scaled_block) x = 0;
            if (data == "largest") x = j % scaled_block == i % 16 ? 448 : 400 * x;
            out.push_back(x);
        }
    return out;
}

Result<Bindings, axe::Problem> fp8_scaled_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in) return in;
    const ScaledSizes z = scaled_sizes(setting);
    const auto put = [&](const char* name, const Shape& shape, DType type, const auto& value) {
        if (!setting.files.path(name).empty()) return;
        Array numbers = Array::make(shape, type).value();
        for (std::int64_t i = 0; i < numbers.size(); ++i) numbers.set(i, static_cast<double>(value(i)));
        in->set(name, std::move(numbers));
    };
    std::vector<float> a = scaled_numbers(setting.word("data"), z.m, z.k, 1), b = scaled_numbers(setting.word("data"), z.n, z.k, 2);
    std::vector<float> of_a, of_b;
    const bool powers = setting.word("scale") == "power";
    quantize_fp8(a, z.m, z.k, 1, powers, of_a);
    quantize_fp8(b, z.n, z.k, scaled_block, powers, of_b);
    put("A", {z.m, z.k}, e4m3, [&](std::int64_t i) { return a[static_cast<std::size_t>(i)]; });
    put("B", {z.n, z.k}, e4m3, [&](std::int64_t i) { return b[static_cast<std::size_t>(i)]; });
    put("SFA", {z.blocks(), z.padded()}, f32, [&](std::int64_t i) { // along M
        const std::int64_t block = i / z.padded(), row = i % z.padded();
        return row < z.m ? of_a[static_cast<std::size_t>(row * z.blocks() + block)] : 0.0f;
    });
    put("SFB", {z.strips(), z.blocks()}, f32, [&](std::int64_t i) { return of_b[static_cast<std::size_t>(i)]; });
    return in;
}

/// How far D is from the product of the numbers before they were quantized: 1 − 2·x·y/(x·x + y·y).      [DeepGEMM 54e2261]
Result<Conclusion, axe::Problem> fp8_scaled_conclusion(const Setting& setting, const Ending& ending)
{
    for (const char* name : {"A", "B", "SFA", "SFB"})
        if (!setting.files.path(name).empty()) return Conclusion{};
    const ScaledSizes z = scaled_sizes(setting);
    const std::vector<float> a = scaled_numbers(setting.word("data"), z.m, z.k, 1),
                             b = scaled_numbers(setting.word("data"), z.n, z.k, 2);
    const Array& d = *ending.outputs.find("D");
    double xx = 0, yy = 0, xy = 0;
    for (std::int64_t m = 0; m < z.m; ++m)
        for (std::int64_t n = 0; n < z.n; ++n) {
            double x = 0;
            for (std::int64_t l = 0; l < z.k; ++l)
                x += double{a[static_cast<std::size_t>(m * z.k + l)]} * double{b[static_cast<std::size_t>(n * z.k + l)]};
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

const Example fp8_scaled{"fp8_scaled",
                         "a product of 8-bit floats with a scale for each 128 of them",
                         {{"M", "70", "rows of A and D", 1 << 14},
                          {"N", "136", "rows of B, columns of D", 1 << 14},
                          {"K", "640", "columns of A and B, a multiple of 16", 1 << 14},
                          {"tile_m", "64", "rows of D that a block has", 0, {"64", "128"}},
                          {"tile_n", "96", "columns of D that a block has, a multiple of 8", 192},
                          {"stages", "2", "tiles of A and B on their way or in use", 16},
                          {"scale", "any", "numbers, or powers of two alone", 0, {"any", "power"}},
                          {"data", "random", "what is multiplied", 0, {"random", "powers", "zeros", "largest"}}},
                         {"sm90"},
                         {1},
                         fp8_scaled_program,
                         fp8_scaled_inputs,
                         fp8_scaled_conclusion};

} // namespace examples
