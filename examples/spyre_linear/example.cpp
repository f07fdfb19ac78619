// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear layer of odd sizes on IBM Spyre: what the host has in rows the card has in sticks of 64, and what fills them up is multiplied
// with the rest.
#include "../common/example.hpp"

#include <axe/interop/spyre/make.hpp>
#include <axe/interop/spyre/to_axe.hpp>
#include <axe/target/spyre/compiler/divide.hpp>

#include <limits>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

/// The layer's tensors as the card has them: sticks along the last dimension of each, K of W rounded up to whole sticks of X.
struct Plan {
    std::int64_t M = 0, N = 0, K = 0;
    spyre::Tensor x{}, w{}, b{}, y{};
    spyre::Division division{};      ///< of the cores over m, n, k
    std::int64_t rows = 0, cols = 0; ///< of Y, padded, for each core

    [[nodiscard]] std::int64_t padded_k() const noexcept { return x.device.device_size[0] * 64; }
    [[nodiscard]] std::int64_t padded_n() const noexcept { return y.device.device_size[0] * 64; }
};

/// As the compiler's constructor has it. A last dimension of 1 would be one element a stick; here it is padded like any other.
spyre::Tensor on_card(Shape sizes)
{
    if (sizes.back() == 1) sizes.back() = 2;
    return spyre::make_tensor(spyre::contiguous(sizes), spyre::DataFormat::sen169_fp16).value_or(spyre::Tensor{});
}

Result<Plan, axe::Problem> plan_of(const Setting& setting)
{
    Plan p;
    p.M = setting.number("M"), p.N = setting.number("N"), p.K = setting.number("K");
    p.x = on_card({p.M, p.K}), p.w = on_card({p.K, p.N}), p.b = on_card({p.N}), p.y = on_card({p.M, p.N});
    // K is padded, and the back end knows of that only where one core has all of it.
    spyre::DivideOptions options;
    options.cores = setting.number("cores");
    options.divide_padded_sums = false;
    const auto division = spyre::divide(spyre::matmul_work(p.x, p.w, p.y), options);
    if (!division) return Problem(division.error());
    p.division = *division;
    p.w = on_card({p.padded_k(), p.N});
    p.rows = p.M / p.division.splits[0], p.cols = p.padded_n() / p.division.splits[1];
    return p;
}

/// A tensor in a memory of the card: its layout on the shape rounded up.
TensorRef alloc(Scope scope, const char* memory, const spyre::Tensor& tensor, const char* name)
{
    const auto placed = spyre::to_axe(tensor);
    return scope.alloc(memory, placed ? placed->shape : Shape{}, dl16, placed ? Placement(placed->layout) : Placement{}, name);
}
/// The same for a tile of these sizes in the scratchpad.
TensorRef tile(Scope scope, const Shape& sizes, const char* name) { return alloc(scope, "lx", on_card(sizes), name); }

/// Y = X·W + b. On the card X is [M, K'], W [K', N'], Y [M, N'], K' and N' whole sticks.
Result<Program, axe::Problem> spyre_linear_program(const Setting& setting)
{
    const auto planned = plan_of(setting);
    if (!planned) return planned.error();
    const Plan& p = *planned;
    const std::int64_t M = p.M, N = p.N, K = p.K, Kp = p.padded_k(), Np = p.padded_n();
    const Interval rows(0, M), cols(0, N), deep(0, K);
    Kernel k("spyre_linear", setting.machine);
    const auto X = k.input("X", {M, K}, f16), W = k.input("W", {K, N}, f16), b = k.input("b", {N}, f16);
    const auto Y = k.output("Y", {M, N}, f16);
    // Without sticks and padding: what the layer is to be, in the card's type, with the
    // simulator's sums in f32.
    const Formula product = cast(matmul(cast(X, dl16), cast(W, dl16)), dl16);
    k.computes(Y, cast(product + cast(b, dl16), dl16));
    const auto x = alloc(k, "ddr", p.x, "x"), w = alloc(k, "ddr", p.w, "w"), c = alloc(k, "ddr", p.b, "c"),
               y = alloc(k, "ddr", p.y, "y");

    // What fills the sticks up: zeros, but for what X has beyond its columns.
    const std::string& padding = setting.word("padding");
    const double beyond = padding == "nan" ? std::numeric_limits<double>::quiet_NaN() : padding == "finite" ? 1000.0 : 0.0;
    k.cta(
        tiles(1, 1),
        [&](Scope core, const Tile&) {
            const auto line = tile(core, {Np}, "line"), wide = tile(core, {Kp, Np}, "wide");
            core.fill(wide, 0).fill(line, 0).copy(w, wide).copy(c, line);
            if (padding == "none") return;
            const auto deeper = tile(core, {M, Kp}, "deeper");
            core.fill(deeper, beyond).copy(x, deeper);
        },
        1);
    // What the host has, converted on the way.
    k.cta(tiles(1, 1), [&](Scope core, const Tile&) { core.copy(x(rows, deep), X).copy(w(deep, cols), W).copy(c(cols), b); }, 1);
    // A core a part of the rows and sticks of Y.
    k.cta(
        tiles({M, Np}, {p.rows, p.cols}),
        [&](Scope core, const Tile& t) {
            const auto my_x = tile(core, {p.rows, Kp}, "my_x"), my_w = tile(core, {Kp, p.cols}, "my_w"),
                       my_c = tile(core, {p.cols}, "my_c"), my_y = tile(core, {p.rows, p.cols}, "my_y");
            core.copy(my_x, x(t.rows, all)).copy(my_w, w(all, t.cols)).copy(my_c, c(t.cols));
            core.gemm(my_y, my_x, my_w, {.accumulate = false});
            core.binary(Function::add, my_y, my_y, my_c.repeated(0, p.rows));
            core.copy(y(t.rows, t.cols), my_y);
        },
        1);
    k.cta(tiles(1, 1), [&](Scope core, const Tile&) { core.copy(Y, y(rows, cols)); }, 1);
    return k.program();
}

Result<Conclusion, axe::Problem> spyre_linear_conclusion(const Setting& setting, const Ending& end)
{
    const auto planned = plan_of(setting);
    if (!planned) return planned.error();
    Conclusion out;
    char text[200];
    std::snprintf(text, sizeof text, "cores: %lld, m divided by %lld and n by %lld; x has %lld columns on the card, w %lld rows",
                  static_cast<long long>(planned->division.cores()), static_cast<long long>(planned->division.splits[0]),
                  static_cast<long long>(planned->division.splits[1]), static_cast<long long>(planned->padded_k()),
                  static_cast<long long>(planned->padded_k()));
    out.lines.emplace_back(text);
    if (!end.verification.ok() && setting.word("padding") == "nan")
        out.lines.emplace_back("what x has beyond its columns is multiplied with the zeros of w, and 0·NaN is NaN");
    return out;
}

} // namespace

const Example spyre_linear{
    "spyre_linear",
    "a linear layer of odd sizes on sticks, and what its padding may hold",
    {{"M", "37", "rows of X", 512},
     {"N", "75", "columns of W", 512},
     {"K", "150", "columns of X", 512},
     {"cores", "32", "of the card", 32},
     {"padding", "zeros", "what the sticks of X have beyond its columns", 0, {"zeros", "finite", "nan", "none"}}},
    {"spyre"},
    {1},
    spyre_linear_program,
    made_inputs,
    spyre_linear_conclusion};

} // namespace examples
