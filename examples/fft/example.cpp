// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete Fourier transforms of rows: radix-4 stages between two buffers in shared memory, after a radix-2 stage where log2 N is odd.
#include "../common/bytes.hpp"
#include "registers.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;
using fourier::Planes, fourier::RegisterTransform;

constexpr std::int64_t fft_elements = 512; ///< that a block has at least

/// N = 2^bits; `rows` rows a block.
struct FftSizes {
    std::int64_t M, N, rows;
    int bits;
    [[nodiscard]] std::int64_t blocks() const { return (M + rows - 1) / rows; }
    /// Of stage s, whose butterflies are 2^s apart, exp(−2πi·j/2^(s+1)) for j < 2^s, from 2^s − 1 on.
    [[nodiscard]] std::int64_t twiddles() const { return std::max<std::int64_t>(1, N - 1); }
};

FftSizes fft_sizes(const Setting& setting)
{
    const std::int64_t N = setting.number("N");
    return {setting.number("M"), N, std::max<std::int64_t>(1, fft_elements / N), std::countr_zero(static_cast<std::uint64_t>(N))};
}

/// The butterflies of one block, `width` of a row.
class Butterflies {
  public:
    Butterflies(Scope cta, const FftSizes& z, std::int64_t width)
        : cta_(cta),
          shape_{z.rows, width},
          row_(of(i32, "row")),
          place_(of(i32, "place")),
          number_(of(i32, "number")),
          constant_(of(i32, "constant"))
    {
        cta_.iota(row_, 0);
    }
    [[nodiscard]] Planes planes() { return {of(f32, "re"), of(f32, "im")}; }

    /// Butterfly j has the elements (j div L)·radix·L + j mod L and those L, 2·L, … behind it.
    void begin(std::int64_t L, int radix)
    {
        const double step = static_cast<double>(L);
        cta_.iota(place_, 1).fill(constant_, step - 1).binary(Function::bit_and, number_, place_, constant_);
        cta_.binary(Function::sub, place_, place_, number_).fill(constant_, std::countr_zero(static_cast<unsigned>(radix)));
        cta_.binary(Function::shift_left, place_, place_, constant_).binary(Function::add, place_, place_, number_);
        cta_.fill(constant_, step);
    }
    void next() { cta_.binary(Function::add, place_, place_, constant_); }
    void load(const Planes& to, const Planes& from)
    {
        cta_.gather_at(to.re, from.re, {row_, place_}).gather_at(to.im, from.im, {row_, place_});
    }
    void store(const Planes& to, const Planes& from)
    {
        cta_.scatter_at(to.re, {row_, place_}, from.re).scatter_at(to.im, {row_, place_}, from.im);
    }
    /// The twiddle of butterfly j, at first + j mod L of the table; after `begin`.
    void twiddle(const Planes& to, const Planes& table, std::int64_t first)
    {
        const auto at = of(i32, "at");
        cta_.fill(at, static_cast<double>(first)).binary(Function::add, at, at, number_);
        cta_.gather(to.re, table.re, at).gather(to.im, table.im, at);
    }
    /// x = x·w
    void multiply(const Planes& x, const Planes& w)
    {
        const auto a = of(f32, "a"), b = of(f32, "b");
        cta_.binary(Function::mul, a, x.re, w.re).binary(Function::mul, b, x.im, w.im);
        cta_.binary(Function::mul, x.im, x.im, w.re).fma(x.im, x.re, w.im, x.im).binary(Function::sub, x.re, a, b);
    }
    /// (x, y) = (x + y, x − y); `turned`: of −i·y instead of y.
    void combine(const Planes& x, const Planes& y, bool turned = false)
    {
        const auto re = of(f32, "sum_re"), im = of(f32, "sum_im");
        if (turned) {
            cta_.binary(Function::add, re, x.re, y.im).binary(Function::sub, im, x.im, y.re);
            cta_.binary(Function::sub, x.re, x.re, y.im).binary(Function::add, x.im, x.im, y.re);
        } else {
            cta_.binary(Function::add, re, x.re, y.re).binary(Function::add, im, x.im, y.im);
            cta_.binary(Function::sub, x.re, x.re, y.re).binary(Function::sub, x.im, x.im, y.im);
        }
        cta_.copy(y.re, x.re).copy(y.im, x.im).copy(x.re, re).copy(x.im, im);
    }

  private:
    [[nodiscard]] TensorRef of(DType type, const char* name)
    {
        return cta_.alloc(Role::registers, shape_, type, LayoutHint::registers, name);
    }
    Scope cta_;
    Shape shape_;
    TensorRef row_, place_, number_, constant_; ///< of each butterfly: its row, the place of an element there, j mod L
};

/// Element j of a row goes to the place that has the bits of j in reverse.
void load_reversed(Scope cta, const FftSizes& z, const Tile& t, const Planes& to, const Planes& X)
{
    const auto of = [&](DType type, const char* name) {
        return cta.alloc(Role::registers, {z.rows, z.N}, type, LayoutHint::registers, name);
    };
    const Planes x{of(f32, "x_re"), of(f32, "x_im")};
    const auto row = of(i32, "row"), rest = of(i32, "rest"), reversed = of(i32, "reversed"), bit = of(i32, "bit"),
               one = of(i32, "one");
    cta.copy(x.re, X.re(t)).copy(x.im, X.im(t)).iota(row, 0).iota(rest, 1).fill(reversed, 0).fill(one, 1);
    cta.loop(0, z.bits, 1, [&](const Affine&) {
        cta.binary(Function::shift_left, reversed, reversed, one).binary(Function::bit_and, bit, rest, one);
        cta.binary(Function::bit_or, reversed, reversed, bit).binary(Function::shift_right, rest, rest, one);
    });
    cta.scatter_at(to.re, {row, reversed}, x.re).scatter_at(to.im, {row, reversed}, x.im);
}

/// Two stages at once, of butterflies L and 2·L apart: b = x0 ± w1·x1, c = x2 ± w1·x3, then b ± w2·c, whose second twiddle is −i·w2.
void radix_4(Scope cta, const FftSizes& z, std::int64_t L, const Planes& to, const Planes& from, const Planes& table)
{
    Butterflies all(cta, z, z.N / 4);
    const Planes x[] = {all.planes(), all.planes(), all.planes(), all.planes()};
    const Planes w = all.planes();
    all.begin(L, 4);
    for (const Planes& element : x) {
        all.load(element, from);
        all.next();
    }
    all.twiddle(w, table, L - 1);
    all.multiply(x[1], w);
    all.multiply(x[3], w);
    all.combine(x[0], x[1]);
    all.combine(x[2], x[3]);
    all.twiddle(w, table, 2 * L - 1);
    all.multiply(x[2], w);
    all.multiply(x[3], w);
    all.combine(x[0], x[2]);
    all.combine(x[1], x[3], true);
    all.begin(L, 4);
    for (const Planes& element : x) {
        all.store(to, element);
        all.next();
    }
}

/// The first stage, whose twiddles are 1.
void radix_2(Scope cta, const FftSizes& z, const Planes& to, const Planes& from)
{
    Butterflies all(cta, z, z.N / 2);
    const Planes x = all.planes(), y = all.planes();
    all.begin(1, 2);
    all.load(x, from);
    all.next();
    all.load(y, from);
    all.combine(x, y);
    all.begin(1, 2);
    all.store(to, x);
    all.next();
    all.store(to, y);
}

/// Y[m, f] = Σ_j X[m, j]·exp(−2πi·j·f/N), in f64 by its definition.
///
/// With t stages in units u = 2^−24 and twiddles with errors of up to u, the error of all of a row, as a vector, is t·η/(1 − t·η) of Y's length, which is
/// √N times that of X; η = u + γ·(√2 + u), γ = 4u/(1 − 4u).      [Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2]
void fft_state(const FftSizes& z, bool imaginary, const std::vector<const Array*>& operands, std::vector<Estimate>& out)
{
    const auto N = static_cast<std::size_t>(z.N);
    constexpr double u = 0x1p-24, gamma = 4 * u / (1 - 4 * u), eta = u + gamma * (std::numbers::sqrt2 + u);
    const double stages = z.bits * eta / (1 - z.bits * eta);
    std::vector<double> cosine(N), sine(N), re(N), im(N);
    for (std::size_t j = 0; j < N; ++j) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(N);
        cosine[j] = std::cos(angle), sine[j] = std::sin(angle);
    }
    for (std::int64_t m = 0; m < z.M; ++m) {
        double squares = 0;
        for (std::size_t j = 0; j < N; ++j) {
            const std::int64_t at = m * z.N + static_cast<std::int64_t>(j);
            re[j] = operands[0]->at(at), im[j] = operands[1]->at(at);
            squares += re[j] * re[j] + im[j] * im[j];
        }
        const double length = std::sqrt(static_cast<double>(N) * squares);
        for (std::size_t f = 0; f < N; ++f) {
            double value = 0;
            for (std::size_t j = 0; j < N; ++j) {
                const std::size_t turn = j * f % N;
                value += imaginary ? re[j] * sine[turn] + im[j] * cosine[turn] : re[j] * cosine[turn] - im[j] * sine[turn];
            }
            out[static_cast<std::size_t>(m) * N + f] = {value, length * (stages + static_cast<double>(N) * 0x1p-50), 0};
        }
    }
}

Result<Program, axe::Problem> fft_program(const Setting& setting)
{
    if (!std::has_single_bit(static_cast<std::uint64_t>(setting.number("N"))))
        return Problem(errc::bad_argument, "fft: N is " + setting.word("N") + "; it must be a power of two");
    const FftSizes z = fft_sizes(setting);
    if (setting.word("form") == "registers" && z.bits < RegisterTransform::lane_bits)
        return Problem(errc::bad_argument,
                       "fft: N is " + setting.word("N") + "; a row in the registers of a warp has at least 32 numbers");
    Kernel k("fft", setting.machine);
    const Planes X{k.input("X_re", {z.M, z.N}, f32), k.input("X_im", {z.M, z.N}, f32)};
    const Planes table{k.input("twiddle_re", {z.twiddles()}, f32), k.input("twiddle_im", {z.twiddles()}, f32)};
    const Planes Y{k.output("Y_re", {z.M, z.N}, f32), k.output("Y_im", {z.M, z.N}, f32)};
    const auto state = [&](const char* name, bool imaginary) {
        return by_function(
            name, [=](const std::vector<const Array*>& of, std::vector<Estimate>& out) { fft_state(z, imaginary, of, out); },
            {X.re, X.im}, {z.M, z.N}, f32);
    };
    k.computes(Y.re, state("dft_re", false)).computes(Y.im, state("dft_im", true));
    if (setting.word("form") == "registers") {
        k.cta(tiles(z.M, RegisterTransform::rows), [&](Scope cta, const Tile& t) {
            RegisterTransform(cta, z.bits).run(X, table, Y, t.index[0] * RegisterTransform::rows);
        });
        return k.program();
    }
    k.cta(tiles(Y.re, {z.rows, z.N}), [&](Scope cta, const Tile& t) {
        const auto buffer = [&](const char* name) { return cta.alloc(Role::shared, {z.rows, z.N}, f32, {}, name); };
        Planes from{buffer("a_re"), buffer("a_im")}, to{buffer("b_re"), buffer("b_im")};
        const auto done = [&] {
            cta.sync();
            std::swap(from, to);
        };
        load_reversed(cta, z, t, to, X);
        done();
        if (z.bits % 2 == 1) {
            radix_2(cta, z, to, from);
            done();
        }
        for (std::int64_t L = z.bits % 2 == 1 ? 2 : 1; L < z.N; L *= 4) {
            radix_4(cta, z, L, to, from, table);
            done();
        }
        cta.copy(Y.re(t), from.re).copy(Y.im(t), from.im);
    });
    return k.program();
}

/// Numbers between −2 and 2, or of each row an impulse: 1 at the row's number; and the twiddles.
Result<Bindings, axe::Problem> fft_inputs(const Setting& setting, const Program& program)
{
    const FftSizes z = fft_sizes(setting);
    auto in = made_inputs(setting, program);
    if (!in) return in;
    for (const char* name : {"X_re", "X_im"}) {
        if (setting.word("data") != "impulse" || !setting.files.path(name).empty()) continue;
        Array& x = *in->find(name);
        for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, name[2] == 'r' && i % z.N == i / z.N % z.N ? 1 : 0);
    }
    for (std::int64_t half = 1; half < z.N; half *= 2)
        for (std::int64_t j = 0; j < half; ++j) {
            const double angle = -std::numbers::pi * static_cast<double>(j) / static_cast<double>(half);
            in->find("twiddle_re")->set(half - 1 + j, std::cos(angle));
            in->find("twiddle_im")->set(half - 1 + j, std::sin(angle));
        }
    return in;
}

/// Each number is read and written once; two twiddles of each butterfly of four are read. In registers it is one for each butterfly of two but
/// those of the first stage, and by both lanes where they have one number each.
Result<Conclusion, axe::Problem> fft_conclusion(const Setting& setting, const Ending& end)
{
    const FftSizes z = fft_sizes(setting);
    std::int64_t twiddles = z.blocks() * z.rows * (z.N / 4) * (z.bits / 2) * 2;
    if (setting.word("form") == "registers") {
        constexpr std::int64_t rows = RegisterTransform::rows, lanes = RegisterTransform::lane_bits;
        const std::int64_t of_registers = std::max<std::int64_t>(0, z.bits - lanes - 1),
                           of_lanes = std::min<std::int64_t>(lanes, z.bits - 1);
        twiddles = (z.M + rows - 1) / rows * rows * (of_registers * z.N / 2 + of_lanes * z.N);
    }
    return global_bytes(end.total, z.M * z.N * 8 + twiddles * 8, z.M * z.N * 8);
}

} // namespace

const Example fft{"fft",
                  "discrete Fourier transforms of rows of 2^k complex numbers, in stages of radix 4",
                  {{"M", "70", "rows", 1 << 14},
                   {"N", "8", "columns, a power of two", 1 << 10},
                   {"form", "shared", "where a row is between stages", 0, {"shared", "registers"}},
                   {"data", "random", "what rows are", 0, {"random", "impulse"}}},
                  {"sm80", "sm90", "sm100"},
                  {1},
                  fft_program,
                  fft_inputs,
                  fft_conclusion};

} // namespace examples
