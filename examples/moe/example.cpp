// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer of experts: a router chooses them, then blocks take tiles of two products from a counter, and a tile of the second one waits, by a
// flag in global memory, until the first one has written the rows that it reads.
#include "choice.hpp"
#include "digits.hpp"

#include <cstring>

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr std::int64_t moe_blocks = 8;

/// Both products go along their summed dimension in steps.
std::int64_t moe_step(std::int64_t width) { return width % 128 == 0 ? 128 : width % 64 == 0 ? 64 : 32; }

/// A tile of H: rows of tokens times the gate's and the other columns of the expert's W1, and SwiGLU of the two. Then its rows have one
/// tile more.
void first_product(Scope cta, const MoeLayer& n, const Affine& i, const Affine& j)
{
    const Affine e = cta.index(load(n.expert(i)), 0, n.E, "e");
    const Interval rows(i * moe_tile, moe_tile), part(j * moe_tile, moe_tile), upper(j * moe_tile + n.inner, moe_tile);
    const Shape tile{moe_tile, moe_tile}, step{moe_tile, moe_step(n.hidden)};
    const auto at = cta.alloc(Role::shared, {moe_tile}, i32, {}, "at");
    const auto x = cta.alloc(Role::shared, step, f16, conflict_free, "x");
    const auto g = cta.alloc(Role::shared, step, f16, conflict_free, "g"),
               u = cta.alloc(Role::shared, step, f16, conflict_free, "u");
    const auto gate = cta.alloc(Role::accumulator, tile, f32, accumulator, "gate");
    const auto up = cta.alloc(Role::accumulator, tile, f32, accumulator, "up");
    const auto t = cta.alloc(Role::accumulator, tile, f32, accumulator, "t"),
               one = cta.alloc(Role::accumulator, tile, f32, accumulator, "one");
    const auto half = cta.alloc(Role::registers, tile, f16, accumulator, "half");
    cta.copy(at, n.token(rows)).fill(gate, 0).fill(up, 0).sync();
    cta.loop(tiles(n.hidden, moe_step(n.hidden)), [&](const Interval& s) {
        cta.gather(x, n.X(all, s).guarded(), at).copy(g, n.W1(e, part, s)).copy(u, n.W1(e, upper, s)).sync(); // token T is zeros
        cta.gemm(gate, x, g, {.transpose_b = true}).gemm(up, x, u, {.transpose_b = true}).sync();
    });
    cta.copy(half, gate).copy(gate, half).copy(half, up).copy(up, half); // rounded to f16
    cta.fill(one, 1).unary(Function::neg, t, gate).unary(Function::exp, t, t).binary(Function::add, t, t, one);
    cta.binary(Function::div, gate, gate, t).binary(Function::mul, gate, gate, up).copy(n.H(rows, part), gate);
    cta.sync();
    cta.warps(0, 1, [&](Scope warp) { warp.add_to_flag(n.ready(Interval(i, 1)), 1); });
}

/// A tile of Z: rows of H, once all their tiles are written, times the expert's W2, times the rows' weights.
void second_product(Scope cta, const MoeLayer& n, const Affine& i, const Affine& j)
{
    const Affine e = cta.index(load(n.expert(i)), 0, n.E, "e");
    const Interval rows(i * moe_tile, moe_tile), part(j * moe_tile, moe_tile);
    const Shape tile{moe_tile, moe_tile}, step{moe_tile, moe_step(n.inner)};
    const auto h = cta.alloc(Role::shared, step, f16, conflict_free, "h"),
               w = cta.alloc(Role::shared, step, f16, conflict_free, "w");
    const auto acc = cta.alloc(Role::accumulator, tile, f32, accumulator, "acc");
    const auto scale = cta.alloc(Role::accumulator, tile, f32, accumulator, "scale");
    cta.fill(acc, 0).copy(scale, n.weight(rows).repeated(1, moe_tile)); // needs no wait
    cta.warps(0, 1, [&](Scope warp) { warp.wait_at_least(n.ready(Interval(i, 1)), static_cast<int>(n.inner / moe_tile)); });
    cta.sync();
    cta.loop(tiles(n.inner, moe_step(n.inner)), [&](const Interval& s) {
        cta.copy(w, n.W2(e, part, s)).copy(h, n.H(rows, s)).sync();
        cta.gemm(acc, h, w, {.transpose_b = true}).sync();
    });
    cta.binary(Function::mul, acc, acc, scale).copy(n.Z(rows, part), acc);
}

/// Blocks take tasks from a counter. A row of tiles has `first` tasks of the first product and `second` of the other; those of the other come
/// after all of the first, or `early`, after those of their own rows. So a block that waits does so for tiles that others have taken, and that
/// they write without waiting.
void both_products(Kernel& k, const MoeLayer& n, bool early)
{
    const int first = static_cast<int>(n.inner / moe_tile), second = static_cast<int>(n.hidden / moe_tile);
    const std::int64_t most = n.row_tiles() * (first + second) + moe_blocks;
    const auto taken = k.scalar("taken"), task = k.scalar("task"), used = k.scalar("used");
    k.cta(
        tiles(moe_blocks, 1),
        [&](Scope cta, const Tile&) {
            const auto told = cta.alloc(Role::shared, {1}, i32, {}, "told");
            const auto take = [&] {
                cta.warps(0, 1, [&](Scope warp) {
                    warp.add_to_flag(n.next(Interval(0, 1)), 1, MemoryOrder::relaxed, Within::device, taken);
                    warp.iota(told, 0, warp.index(taken, 0, most, "n"));
                });
                cta.sync();
                cta.assign(task, load(told(0)));
            };
            const auto tile = [&](const Expression& row, const Expression& column, std::int64_t columns, auto product) {
                const Affine i = cta.index(row, 0, n.row_tiles(), "i"), j = cta.index(column, 0, columns, "j");
                product(cta, n, i, j);
            };
            cta.assign(used, floor_div(load(n.first(n.E)), static_cast<int>(moe_tile)));
            take();
            cta.loop_while(Expression(task) < Expression(used) * (first + second), [&] {
                const Expression firsts = Expression(used) * first, rest = Expression(task) - firsts;
                const Expression row = floor_div(task, first + second), place = floor_mod(task, first + second);
                if (early)
                    cta.when(
                        place < first, [&] { tile(row, place, first, first_product); },
                        [&] { tile(row, place - first, second, second_product); });
                else
                    cta.when(
                        Expression(task) < firsts,
                        [&] { tile(floor_div(task, first), floor_mod(task, first), first, first_product); },
                        [&] { tile(floor_div(rest, second), floor_mod(rest, second), second, second_product); });
                take();
            });
        },
        2);
}

/// Y = the sum of what the experts of each token have given, in their order.
void sum_of_experts(Kernel& k, const MoeLayer& n)
{
    k.cta(
        tiles(n.Y, {moe_tile, moe_tile}),
        [&](Scope cta, const Tile& t) {
            const auto at = cta.alloc(Role::shared, {moe_tile}, i32, {}, "at");
            const auto z = cta.alloc(Role::shared, {moe_tile, moe_tile}, f16, {}, "z");
            const auto y = cta.alloc(Role::registers, {moe_tile, moe_tile}, f32, accumulator, "y");
            const auto part = cta.alloc(Role::registers, {moe_tile, moe_tile}, f32, accumulator, "part");
            cta.fill(y, 0);
            cta.loop(0, n.top, 1, [&](const Affine& slot) {
                cta.copy(at, n.row_of(slot, t.rows).guarded()).sync();
                cta.gather(z, n.Z(all, t.cols), at).sync();
                cta.copy(part, z).binary(Function::add, y, y, part);
            });
            cta.copy(n.Y(t).guarded(), y);
        },
        2);
}

/// The layer, and where its numbers come from.
MoeSizes moe_sizes(const Setting& setting)
{
    MoeSizes n{setting.number("T"), setting.number("hidden"), setting.number("inner"), setting.number("E"), setting.number("top")};
    // Each expert that has a token has less than a tile of rows that no token has.
    n.R = (n.T * n.top + std::min(n.E, n.T * n.top) * (moe_tile - 1)) / moe_tile * moe_tile;
    return n;
}

Result<Program, axe::Problem> moe_program(const Setting& setting)
{
    Kernel k("moe", setting.machine);
    const MoeSizes s = moe_sizes(setting);
    for (const auto& [name, value] : {std::pair{"hidden", s.hidden}, {"inner", s.inner}})
        if (value % moe_tile != 0)
            return axe::Problem(errc::bad_argument,
                                std::string("moe: ") + name + " is " + std::to_string(value) + "; it must be a multiple of 32");
    if (s.top > s.E)
        return axe::Problem(errc::bad_argument, "moe: top is " + std::to_string(s.top) + "; there " +
                                                    (s.E == 1 ? "is 1 expert" : "are " + std::to_string(s.E) + " experts"));
    const auto local = [&](const Shape& shape, DType type, const char* name) {
        return k.alloc(Role::global, shape, type, {}, name);
    };
    const MoeLayer n{s,
                     k.input("X", {s.T, s.hidden}, f16),
                     k.input("Wg", {s.E, s.hidden}, f16),
                     k.input("W1", {s.E, 2 * s.inner, s.hidden}, f16),
                     k.input("W2", {s.E, s.hidden, s.inner}, f16),
                     k.inout("arrived", {1}, i32),
                     k.output("ids", {s.top, s.T}, i32),
                     k.output("weights", {s.top, s.T}, f32),
                     k.output("first", {s.E + 1}, i32),
                     k.output("Y", {s.T, s.hidden}, f16),
                     local({s.E + 1}, i32, "counts"),
                     local({s.R}, i32, "token"),
                     local({s.R}, f32, "weight"),
                     local({s.top, s.T}, i32, "row_of"),
                     local({s.row_tiles()}, i32, "expert"),
                     local({1}, i32, "next"),
                     local({s.row_tiles()}, i32, "ready"),
                     local({s.R, s.inner}, f16, "H"),
                     local({s.R, s.hidden}, f16, "Z")};
    moe_specify(k, n);
    moe_route(k, n);
    both_products(k, n, setting.word("second") == "early");
    sum_of_experts(k, n);
    return k.program();
}

/// Multiples of 1/8 between −2 and 2, divided: as large as activations and weights are.
Array moe_numbers(const Shape& shape, double divisor, std::uint64_t state)
{
    Array out = Array::make(shape, f16).value();
    std::uint16_t codes[32];
    for (int i = 0; i < 32; ++i) codes[i] = static_cast<std::uint16_t>(encode(f16, (i - 16) / (8 * divisor)));
    std::byte* to = out.data();
    for (std::int64_t i = 0; i < out.size(); ++i, to += 2) {
        state = state * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX generator
        std::memcpy(to, &codes[state >> 33 & 31u], 2);
    }
    return out;
}

/// Which experts tokens have: what their numbers say, or the `first` ones, since the logit of expert e is −e/4, or those of `equal` logits.
Result<Bindings, axe::Problem> moe_made(const Setting& setting, const Program& program)
{
    const MoeSizes n = moe_sizes(setting);
    Bindings out;
    Array X = moe_numbers({n.T, n.hidden}, 4, 1), Wg = moe_numbers({n.E, n.hidden}, 8, 2);
    if (setting.word("routing") != "spread") {
        Wg = Array::make({n.E, n.hidden}, f16).value();
        for (std::int64_t t = 0; t < n.T; ++t) X.set(t * n.hidden, 1);
        for (std::int64_t e = 0; e < n.E && setting.word("routing") == "first"; ++e)
            Wg.set(e * n.hidden, -0.25 * static_cast<double>(e));
    }
    out.set("X", std::move(X)).set("Wg", std::move(Wg));
    out.set("W1", moe_numbers({n.E, 2 * n.inner, n.hidden}, 32, 3)).set("W2", moe_numbers({n.E, n.hidden, n.inner}, 32, 4));
    out.set("arrived", Array::make({1}, i32).value());
    for (const ProgramTensor& t : program.tensors) {
        if (out.find(t.name) == nullptr || setting.files.path(t.name).empty()) continue;
        auto read = setting.files.read(t.name, t.shape, t.dtype);
        if (!read) return read.error();
        out.set(t.name, std::move(*read));
    }
    for (const std::string& name : setting.files.names())
        if (out.find(name) == nullptr)
            return Problem(errc::bad_argument, setting.files.path(name) + ": moe takes X, Wg, W1, W2 and arrived, and no " + name);
    return out;
}

Result<Bindings, axe::Problem> moe_inputs(const Setting& setting, const Program& program)
{
    return setting.word("data") == "made" ? moe_made(setting, program) : moe_digits(setting);
}

/// What the run did beside what the sizes and the routing give: products of the tensor cores, bytes written; and the bytes of X and of the
/// weights of experts that have tokens, each read once. Without counters there is nothing to compare.
Conclusion moe_counts(const MoeSizes& n, const Ending& end)
{
    Conclusion out;
    const auto found = end.total.memories.find("gmem");
    if (found == end.total.memories.end()) return out;
    const sim::MemoryCount& m = found->second;
    const Array& first = *end.outputs.find("first");
    std::int64_t used = 0, products = 0;
    for (std::int64_t e = 0; e < n.E; ++e) used += first.at(e + 1) > first.at(e);
    for (const auto& [name, count] : end.total.by_text) products += name.starts_with("mma.sync") ? count : 0;
    const std::int64_t tiles = static_cast<std::int64_t>(first.at(n.E)) / moe_tile, pairs = n.T * n.top, groups = (n.T + 15) / 16;
    const std::int64_t flops = tiles * moe_tile * 3 * n.inner * n.hidden + groups * moe_tokens * n.columns() * n.hidden;
    const std::int64_t weights = 2 * (n.T * n.hidden + n.E * n.hidden + used * 3 * n.inner * n.hidden);
    const std::int64_t routing = 8 * n.R + 8 * n.row_tiles() + 4 + 20 * pairs + (8 + 4 * moe_routers) * (n.E + 1);
    const std::int64_t written = routing + 2 * tiles * moe_tile * (n.inner + n.hidden) + 2 * n.T * n.hidden;
    const auto text = [](std::int64_t number) { return std::to_string(number); };
    out.lines.push_back("tiles of rows: " + text(tiles) + ", for " + text(pairs) + " pairs of a token and one of " + text(used) +
                        (used == 1 ? " expert" : " experts"));
    if (products > 0) out.lines.push_back("products of 16x8x16: " + text(products) + ", by the equation " + text(flops / 2048));
    out.lines.push_back("global memory: " + text(m.bytes_read) + " bytes read, X and the weights once " + text(weights) + "; " +
                        text(m.bytes_written) + " written, by the equation " + text(written) + "; " + text(m.sectors) +
                        " sectors, full ones would be " + text(m.ideal_sectors));
    out.ok = m.bytes_written == written && (products == 0 || products == flops / 2048);
    return out;
}

Result<Conclusion, axe::Problem> moe_conclusion(const Setting& setting, const Ending& end)
{
    Conclusion out = moe_counts(moe_sizes(setting), end);
    const bool files = setting.files.has_folder() || !setting.files.names().empty();
    if (setting.word("data") == "made" && files) return out; // experts of logits that are nearly equal may differ
    auto read = setting.word("data") == "made" ? Result<Conclusion, axe::Problem>(moe_sample(end.inputs, end.outputs))
                                               : moe_read_digits(end);
    if (!read) return read;
    out.lines.insert(out.lines.begin(), read->lines.begin(), read->lines.end());
    out.ok = out.ok && read->ok;
    return out;
}

} // namespace

const Example moe{
    "moe",
    "a layer of experts: a router, then two products in one kernel, the second beginning where the first one is ready",
    {{"T", "40", "tokens", 1 << 13},
     {"hidden", "64", "width of a token, a multiple of 32", 1 << 13},
     {"inner", "64", "width between the products, a multiple of 32", 1 << 13},
     {"E", "4", "experts", 256},
     {"top", "2", "experts of a token", 8},
     {"routing", "spread", "which experts a token has", 0, {"spread", "first", "equal"}},
     {"second", "late", "when tiles of the second product are taken", 0, {"late", "early"}},
     {"data", "made", "numbers, or digits and the layer trained for them", 0, {"made", "digits"}}},
    {"sm80", "sm90", "sm100"},
    {1},
    moe_program,
    moe_inputs,
    moe_conclusion,
    moe_settle};

} // namespace examples
