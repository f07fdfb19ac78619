// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer of experts in one kernel: blocks take tiles of two products from a counter, and a tile of the second one waits, by a flag in global
// memory, until the first one has written the rows that it reads.
#include "../common/example.hpp"

#include <algorithm>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t moe_tile = 32, moe_blocks = 8;

/// Which experts a token has, and where its rows are. Rows are sorted by expert, those of each from a multiple of a tile on.
struct Routing {
    std::vector<std::vector<int>> experts{}; ///< by token
    std::vector<std::int64_t> first{};       ///< row of each expert; one more, the end
};

Routing routing_of(const Setting& setting)
{
    const std::int64_t T = setting.number("T"), E = setting.number("E"), top = setting.number("top");
    Routing out;
    for (std::int64_t t = 0; t < T; ++t) {
        std::vector<int> of;
        for (std::int64_t slot = 0; slot < top; ++slot) {
            const std::int64_t step = setting.word("routing") == "spread" ? 5 * t + slot : slot;
            of.push_back(static_cast<int>(step % E));
        }
        out.experts.push_back(std::move(of));
    }
    out.first.push_back(0);
    for (int e = 0; e < static_cast<int>(E); ++e) {
        std::int64_t rows = 0;
        for (const auto& of : out.experts) rows += std::count(of.begin(), of.end(), e);
        out.first.push_back(out.first.back() + (rows + moe_tile - 1) / moe_tile * moe_tile);
    }
    return out;
}

/// The tensors of the layer.
struct Layer {
    std::int64_t T, hidden, inner, E, top, R; ///< R rows in all
    TensorRef X, W1, W2, token, expert, weight, row_of, numbers, next, ready, H, Z, Y;
    [[nodiscard]] std::int64_t row_tiles() const { return R / moe_tile; }
    [[nodiscard]] std::int64_t first_tasks() const { return row_tiles() * (inner / moe_tile); }
    [[nodiscard]] std::int64_t second_tasks() const { return row_tiles() * (hidden / moe_tile); }
};

/// What H, Z and Y are to be: of the products of all rows with all experts, each row's own.
void specify_layer(Kernel& k, const Layer& n)
{
    const auto own = [&](const Formula& products, std::int64_t width) {
        const Formula row = iota({n.R}, 0), of_row = gather(n.expert, row / static_cast<int>(moe_tile));
        return gather(reshape(products, {n.E * n.R, width}), of_row * static_cast<int>(n.R) + row);
    };
    const Formula both = own(matmul(gather(n.X, n.token), n.W1, {.transpose_b = true}), 2 * n.inner);
    const Formula gate = cast(rounded(slice(both, 1, 0, n.inner), f16), f32);
    const Formula up = cast(rounded(slice(both, 1, n.inner, n.inner), f16), f32);
    // Each block is told once that no task is left.
    k.computes(n.next, n.next + static_cast<int>(n.first_tasks() + n.second_tasks() + moe_blocks));
    k.computes(n.ready, n.ready + static_cast<int>(n.inner / moe_tile));
    k.computes(n.H, rounded(gate / (exp(-gate) + 1) * up, f16));
    const Formula h = cast(rounded(gate / (exp(-gate) + 1) * up, f16), f32);
    const Formula z = rounded(own(matmul(h, n.W2, {.transpose_b = true}), n.hidden) * reshape(n.weight, {n.R, 1}), f16);
    k.computes(n.Z, z);
    k.computes(n.Y, rounded(sum(cast(gather(z, n.row_of), f32), {0}), f16));
}

/// A tile of H: rows of tokens times the gate's and the other columns of the expert's W1, and SwiGLU of the two. Then its rows have one
/// tile more.
void first_product(Scope cta, const Layer& n, ScalarRef task)
{
    const int columns = static_cast<int>(n.inner / moe_tile);
    const Affine i = cta.index(floor_div(Expression(task), columns), 0, n.row_tiles(), "i");
    const Affine j = cta.index(floor_mod(Expression(task), columns), 0, columns, "j");
    const Affine e = cta.index(load(n.expert(i)), 0, n.E, "e");
    const Interval rows(i * moe_tile, moe_tile), part(j * moe_tile, moe_tile), upper(j * moe_tile + n.inner, moe_tile);
    const Shape tile{moe_tile, moe_tile};
    const auto at = cta.alloc(Role::shared, {moe_tile}, i32, {}, "at");
    const auto x = cta.alloc(Role::shared, {moe_tile, n.hidden}, f16, {}, "x");
    const auto g = cta.alloc(Role::shared, {moe_tile, n.hidden}, f16, {}, "g");
    const auto u = cta.alloc(Role::shared, {moe_tile, n.hidden}, f16, {}, "u");
    const auto gate = cta.alloc(Role::accumulator, tile, f32, accumulator, "gate");
    const auto up = cta.alloc(Role::accumulator, tile, f32, accumulator, "up");
    const auto t = cta.alloc(Role::accumulator, tile, f32, accumulator, "t"),
               one = cta.alloc(Role::accumulator, tile, f32, accumulator, "one");
    const auto half = cta.alloc(Role::registers, tile, f16, accumulator, "half");
    cta.copy(at, n.token(rows)).sync();
    cta.gather(x, n.X, at).copy(g, n.W1(e, part, all)).copy(u, n.W1(e, upper, all)).sync();
    cta.gemm(gate, x, g, {.accumulate = false, .transpose_b = true});
    cta.gemm(up, x, u, {.accumulate = false, .transpose_b = true});
    cta.copy(half, gate).copy(gate, half).copy(half, up).copy(up, half); // rounded to f16
    cta.fill(one, 1).unary(Function::neg, t, gate).unary(Function::exp, t, t).binary(Function::add, t, t, one);
    cta.binary(Function::div, gate, gate, t).binary(Function::mul, gate, gate, up).copy(n.H(rows, part), gate);
    cta.sync();
    cta.warps(0, 1, [&](Scope warp) { warp.add_to_flag(n.ready(Interval(i, 1)), 1); });
}

/// A tile of Z: rows of H, once all their tiles are written, times the expert's W2, times the rows' weights.
void second_product(Scope cta, const Layer& n, ScalarRef task)
{
    const int columns = static_cast<int>(n.hidden / moe_tile);
    const Expression number = Expression(task) - static_cast<int>(n.first_tasks());
    const Affine i = cta.index(floor_div(number, columns), 0, n.row_tiles(), "i");
    const Affine j = cta.index(floor_mod(number, columns), 0, columns, "j");
    const Affine e = cta.index(load(n.expert(i)), 0, n.E, "e");
    const Interval rows(i * moe_tile, moe_tile), part(j * moe_tile, moe_tile);
    const auto h = cta.alloc(Role::shared, {moe_tile, n.inner}, f16, {}, "h");
    const auto w = cta.alloc(Role::shared, {moe_tile, n.inner}, f16, {}, "w");
    const auto acc = cta.alloc(Role::accumulator, {moe_tile, moe_tile}, f32, accumulator, "acc");
    const auto scale = cta.alloc(Role::accumulator, {moe_tile, moe_tile}, f32, accumulator, "scale");
    cta.copy(w, n.W2(e, part, all)).copy(scale, n.weight(rows).repeated(1, moe_tile)); // these need no wait
    cta.warps(0, 1, [&](Scope warp) { warp.wait_at_least(n.ready(Interval(i, 1)), static_cast<int>(n.inner / moe_tile)); });
    cta.sync();
    cta.copy(h, n.H(rows, all)).sync();
    cta.gemm(acc, h, w, {.accumulate = false, .transpose_b = true});
    cta.binary(Function::mul, acc, acc, scale).copy(n.Z(rows, part), acc);
}

/// Blocks take tasks from a counter: all of the first product, then those of the second. So a block that waits does so for tiles that others
/// have taken, and that they write without waiting.
void both_products(Kernel& k, const Layer& n)
{
    const auto taken = k.scalar("taken"), task = k.scalar("task");
    const auto tasks = n.first_tasks() + n.second_tasks();
    k.cta(
        tiles(moe_blocks, 1),
        [&](Scope cta, const Tile&) {
            const auto told = cta.alloc(Role::shared, {1}, i32, {}, "told");
            const auto take = [&] {
                cta.warps(0, 1, [&](Scope warp) {
                    warp.add_to_flag(n.next(Interval(0, 1)), 1, MemoryOrder::relaxed, Within::device, taken);
                    warp.copy(told, n.numbers(Interval(warp.index(taken, 0, tasks + moe_blocks, "n"), 1)));
                });
                cta.sync();
                cta.assign(task, load(told(Interval(0))));
            };
            take();
            cta.loop_while(Expression(task) < static_cast<int>(tasks), [&] {
                cta.when(
                    Expression(task) < static_cast<int>(n.first_tasks()), [&] { first_product(cta, n, task); },
                    [&] { second_product(cta, n, task); });
                take();
            });
        },
        2);
}

/// Y = the sum of what the experts of each token have given, in their order.
void sum_of_experts(Kernel& k, const Layer& n)
{
    k.cta(
        tiles(n.Y, {moe_tile, moe_tile}),
        [&](Scope cta, const Tile& t) {
            const auto at = cta.alloc(Role::shared, {moe_tile}, i32, {}, "at");
            const auto z = cta.alloc(Role::shared, {moe_tile, n.hidden}, f16, {}, "z");
            const auto y = cta.alloc(Role::registers, {moe_tile, moe_tile}, f32, accumulator, "y");
            const auto part = cta.alloc(Role::registers, {moe_tile, moe_tile}, f32, accumulator, "part");
            cta.fill(y, 0);
            cta.loop(0, n.top, 1, [&](const Affine& slot) {
                cta.copy(at, n.row_of(slot, t.rows).guarded()).sync();
                cta.gather(z, n.Z, at).sync();
                cta.copy(part, z(all, t.cols)).binary(Function::add, y, y, part);
            });
            cta.copy(n.Y(t).guarded(), y);
        },
        2);
}

Result<Program, axe::Problem> moe_program(const Setting& setting)
{
    Kernel k("moe", setting.machine);
    const std::int64_t T = setting.number("T"), width = setting.number("hidden"), inner = setting.number("inner");
    const std::int64_t E = setting.number("E"), top = setting.number("top"), R = routing_of(setting).first.back();
    for (const auto& [name, value] : {std::pair{"hidden", width}, {"inner", inner}})
        if (value % moe_tile != 0)
            return axe::Problem(errc::bad_argument,
                                std::string("moe: ") + name + " is " + std::to_string(value) + "; it must be a multiple of 32");
    const std::int64_t row_tiles = R / moe_tile, tasks = row_tiles * (inner + width) / moe_tile;
    const Layer n{T,
                  width,
                  inner,
                  E,
                  top,
                  R,
                  k.input("X", {T + 1, width}, f16),
                  k.input("W1", {E, 2 * inner, width}, f16),
                  k.input("W2", {E, width, inner}, f16),
                  k.input("token", {R}, i32),
                  k.input("expert", {row_tiles}, i32),
                  k.input("weight", {R}, f32),
                  k.input("row_of", {top, T}, i32),
                  k.input("numbers", {tasks + moe_blocks}, i32),
                  k.inout("next", {1}, i32),
                  k.inout("ready", {row_tiles}, i32),
                  k.output("H", {R, inner}, f16),
                  k.output("Z", {R, width}, f16),
                  k.output("Y", {T, width}, f16)};
    specify_layer(k, n);
    both_products(k, n);
    sum_of_experts(k, n);
    return k.program();
}

/// Numbers, and the routing as the kernel takes it: of each row its token, of each tile its expert, of each token its rows. The last row of X is
/// the token of rows that no token has, zeros.
Result<Bindings, axe::Problem> moe_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in) return in;
    const Routing routing = routing_of(setting);
    const std::int64_t T = setting.number("T"), top = setting.number("top");
    std::map<std::string, Array> made;
    for (const ProgramTensor& t : program.tensors)
        if (t.binding == Binding::input || t.binding == Binding::inout) made.emplace(t.name, Array::make(t.shape, t.dtype).value());
    for (std::int64_t i = 0; i < made.at("numbers").size(); ++i) made.at("numbers").set(i, static_cast<double>(i));
    for (std::int64_t r = 0; r < made.at("token").size(); ++r) made.at("token").set(r, static_cast<double>(T));
    for (std::size_t e = 0; e + 1 < routing.first.size(); ++e) {
        std::int64_t row = routing.first[e];
        for (std::int64_t tile = row / moe_tile; tile < routing.first[e + 1] / moe_tile; ++tile)
            made.at("expert").set(tile, static_cast<double>(e));
        for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t slot = 0; slot < top; ++slot) {
                if (routing.experts[static_cast<std::size_t>(t)][static_cast<std::size_t>(slot)] != static_cast<int>(e)) continue;
                made.at("token").set(row, static_cast<double>(t));
                made.at("weight").set(row, 1.0 / static_cast<double>(std::int64_t{2} << slot));
                made.at("row_of").set(slot * T + t, static_cast<double>(row++));
            }
    }
    for (const char* name : {"token", "expert", "weight", "row_of", "numbers", "next", "ready"})
        if (setting.files.path(name).empty()) in->set(name, std::move(made.at(name)));
    for (const char* name : {"X", "W1", "W2"}) { // as large as activations and weights are
        if (!setting.files.path(name).empty()) continue;
        Array numbers = in->find(name)->clone().value();
        const std::int64_t width = numbers.shape()[numbers.shape().size() - 1];
        for (std::int64_t i = 0; i < numbers.size(); ++i) numbers.set(i, numbers.at(i) / (name[0] == 'X' ? 4 : 32));
        for (std::int64_t i = 0; i < width && name[0] == 'X'; ++i) numbers.set(T * width + i, 0);
        in->set(name, std::move(numbers));
    }
    return in;
}

} // namespace

const Example moe{"moe",
                  "a layer of experts in one kernel: the second product begins where the first one is ready",
                  {{"T", "40", "tokens", 1 << 12},
                   {"hidden", "64", "width of a token, a multiple of 32", 1 << 13},
                   {"inner", "64", "width between the products, a multiple of 32", 1 << 13},
                   {"E", "4", "experts", 256},
                   {"top", "2", "experts of a token", 8},
                   {"routing", "spread", "which experts a token has", 0, {"spread", "first"}}},
                  {"sm80", "sm90"},
                  {1},
                  moe_program,
                  moe_inputs,
                  nullptr};

} // namespace examples
