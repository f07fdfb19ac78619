// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

using namespace axe;
using enum DType;

namespace {

/// A layer of experts: token t goes to `top` of E experts, each of which multiplies by W1 (gate, then up), by SwiGLU, and by W2; their
/// results are added with weights. Rows are sorted by expert, those of each from a multiple of a tile on; rows between are of a token of zeros.
struct MoeSizes {
    std::int64_t tokens = 5, hidden = 64, inner = 64, experts = 4, top = 2;
    std::vector<std::vector<int>> chosen{}; ///< of each token, its experts
    [[nodiscard]] std::int64_t row_tiles() const
    {
        std::int64_t out = 0;
        for (int e = 0; e < experts; ++e) out += (count(e) + 31) / 32;
        return out;
    }
    [[nodiscard]] std::int64_t count(int expert) const
    {
        std::int64_t out = 0;
        for (const auto& of : chosen) out += std::count(of.begin(), of.end(), expert);
        return out;
    }
};

/// What orders the two products; a test leaves out one of it.
enum class MoeNeeded { all, meeting_before_release, release, wait, meeting_after_wait };

/// One kernel for both products: blocks take tasks from a counter, those of the first product before those of the second, which wait
/// until the rows that they need are ready. A second one adds what each token's experts have given.
Program moe_layer(const MoeSizes& n, MoeNeeded left_out = MoeNeeded::all, bool early = false)
{
    const auto has = [&](MoeNeeded what) { return what != left_out; };
    const std::int64_t R = 32 * n.row_tiles(), columns1 = n.inner / 32, columns2 = n.hidden / 32, blocks = 3;
    const std::int64_t tasks1 = n.row_tiles() * columns1, tasks = tasks1 + n.row_tiles() * columns2;
    Kernel k("moe", machines::sm80);
    const auto X = k.input("X", {n.tokens + 1, n.hidden}, f16), W1 = k.input("W1", {n.experts, 2 * n.inner, n.hidden}, f16);
    const auto W2 = k.input("W2", {n.experts, n.hidden, n.inner}, f16);
    const auto token = k.input("token", {R}, i32), expert = k.input("expert", {n.row_tiles()}, i32),
               weight = k.input("weight", {R}, f32);
    const auto row_of = k.input("row_of", {n.top, n.tokens}, i32), numbers = k.input("numbers", {tasks + blocks}, i32);
    const auto next = k.inout("next", {1}, i32), ready = k.inout("ready", {n.row_tiles()}, i32);
    const auto H = k.output("H", {R, n.inner}, f16), Z = k.output("Z", {R, n.hidden}, f16),
               Y = k.output("Y", {n.tokens, n.hidden}, f16);
    // Row r times the matrices of its expert: of all products with all experts, the one that counts.
    const auto of_its_expert = [&](const Formula& products, std::int64_t width) {
        const Formula row = iota({R}, 0);
        return gather(reshape(products, {n.experts * R, width}), gather(expert, row / 32) * static_cast<int>(R) + row);
    };
    const Formula both = of_its_expert(matmul(gather(X, token), W1, {.transpose_b = true}), 2 * n.inner);
    const Formula gate = cast(rounded(slice(both, 1, 0, n.inner), f16), f32);
    const Formula up = cast(rounded(slice(both, 1, n.inner, n.inner), f16), f32);
    k.computes(H, rounded(gate / (exp(-gate) + 1) * up, f16));
    const auto taken = k.scalar("taken"), mine = k.scalar("mine");
    k.cta(
        tiles(blocks, 1),
        [&](Scope cta, const Tile&) {
            const auto told = cta.alloc(Role::shared, {1}, i32, {}, "told");
            const auto take = [&] {
                cta.warps(0, 1, [&](Scope w) {
                    w.add_to_flag(next(Interval(0, 1)), 1, MemoryOrder::relaxed, Within::device, taken);
                    w.copy(told, numbers(Interval(w.index(taken, 0, tasks + blocks), 1)));
                });
                cta.sync();
                cta.assign(mine, load(told(Interval(0))));
            };
            const auto first = [&] {
                const Affine tile =
                    cta.index(early ? Expression(mine) - static_cast<int>(tasks - tasks1) : Expression(mine), 0, tasks1);
                const Affine i = cta.index(floor_div(Expression(tile), static_cast<int>(columns1)), 0, n.row_tiles());
                const Affine j = cta.index(floor_mod(Expression(tile), static_cast<int>(columns1)), 0, columns1);
                const Affine e = cta.index(load(expert(i)), 0, n.experts);
                const Interval rows(i * 32, 32), columns(j * 32, 32);
                const auto at = cta.alloc(Role::shared, {32}, i32, {}, "at");
                const auto x = cta.alloc(Role::shared, {32, n.hidden}, f16, {}, "x");
                const auto g = cta.alloc(Role::shared, {32, n.hidden}, f16, {}, "g"),
                           u = cta.alloc(Role::shared, {32, n.hidden}, f16, {}, "u");
                const auto gates = cta.alloc(Role::accumulator, {32, 32}, f32, accumulator, "gates");
                const auto ups = cta.alloc(Role::accumulator, {32, 32}, f32, accumulator, "ups");
                const auto t = cta.alloc(Role::accumulator, {32, 32}, f32, accumulator, "t");
                const auto half = cta.alloc(Role::registers, {32, 32}, f16, accumulator, "half");
                const auto one = cta.alloc(Role::accumulator, {32, 32}, f32, accumulator, "one");
                cta.copy(at, token(rows)).sync();
                cta.gather(x, X, at).copy(g, W1(e, columns, all)).copy(u, W1(e, Interval(j * 32 + n.inner, 32), all)).sync();
                cta.gemm(gates, x, g, {.accumulate = false, .transpose_b = true});
                cta.gemm(ups, x, u, {.accumulate = false, .transpose_b = true});
                cta.copy(half, gates).copy(gates, half).copy(half, ups).copy(ups, half);
                cta.fill(one, 1).unary(Function::neg, t, gates).unary(Function::exp, t, t).binary(Function::add, t, t, one);
                cta.binary(Function::div, gates, gates, t).binary(Function::mul, gates, gates, ups);
                cta.copy(H(rows, columns), gates);
                if (has(MoeNeeded::meeting_before_release)) cta.sync();
                cta.warps(0, 1, [&](Scope w) {
                    w.add_to_flag(ready(Interval(i, 1)), 1, has(MoeNeeded::release) ? MemoryOrder::release : MemoryOrder::relaxed);
                });
            };
            const auto second = [&] {
                const Affine tile =
                    cta.index(early ? Expression(mine) : Expression(mine) - static_cast<int>(tasks1), 0, tasks - tasks1);
                const Affine i = cta.index(floor_div(Expression(tile), static_cast<int>(columns2)), 0, n.row_tiles());
                const Affine j = cta.index(floor_mod(Expression(tile), static_cast<int>(columns2)), 0, columns2);
                const Affine e = cta.index(load(expert(i)), 0, n.experts);
                const Interval rows(i * 32, 32), columns(j * 32, 32);
                const auto h = cta.alloc(Role::shared, {32, n.inner}, f16, {}, "h"),
                           w2 = cta.alloc(Role::shared, {32, n.inner}, f16, {}, "w2");
                const auto acc = cta.alloc(Role::accumulator, {32, 32}, f32, accumulator, "acc");
                const auto scale = cta.alloc(Role::accumulator, {32, 32}, f32, accumulator, "scale");
                cta.copy(w2, W2(e, columns, all)); // does not wait
                if (has(MoeNeeded::wait))
                    cta.warps(0, 1, [&](Scope w) { w.wait_at_least(ready(Interval(i, 1)), static_cast<int>(columns1)); });
                if (has(MoeNeeded::meeting_after_wait)) cta.sync();
                cta.copy(h, H(rows, all)).sync();
                cta.gemm(acc, h, w2, {.accumulate = false, .transpose_b = true});
                cta.copy(scale, weight(rows).repeated(1, 32)).binary(Function::mul, acc, acc, scale).copy(Z(rows, columns), acc);
            };
            take();
            cta.loop_while(Expression(mine) < static_cast<int>(tasks), [&] {
                cta.when(Expression(mine) < static_cast<int>(early ? tasks - tasks1 : tasks1),
                         early ? std::function<void()>(second) : first, early ? std::function<void()>(first) : second);
                take();
            });
        },
        2);
    k.cta(
        tiles({n.tokens, n.hidden}, {32, 32}),
        [&](Scope cta, const Tile& t) {
            const auto at = cta.alloc(Role::shared, {32}, i32, {}, "at");
            const auto z = cta.alloc(Role::shared, {32, n.hidden}, f16, {}, "z");
            const auto sum = cta.alloc(Role::registers, {32, 32}, f32, accumulator, "sum");
            const auto part = cta.alloc(Role::registers, {32, 32}, f32, accumulator, "part");
            cta.fill(sum, 0).fill(at, 0).sync();
            cta.loop(0, n.top, 1, [&](const Affine& slot) {
                cta.copy(at, row_of(slot, t.rows).guarded()).sync();
                cta.gather(z, Z, at).sync();
                cta.copy(part, z(all, t.cols)).binary(Function::add, sum, sum, part).sync();
            });
            cta.copy(Y(t).guarded(), sum);
        },
        2);
    return trial::written(k);
}

/// The routing of the sizes as what the kernel takes, and random numbers.
Bindings moe_inputs(const MoeSizes& n)
{
    laws::Random random(52);
    const std::int64_t R = 32 * n.row_tiles();
    Array X = arrays::random({n.tokens + 1, n.hidden}, f16, random),
          W1 = arrays::random({n.experts, 2 * n.inner, n.hidden}, f16, random);
    Array W2 = arrays::random({n.experts, n.hidden, n.inner}, f16, random), weight = Array::make({R}, f32).value();
    for (std::int64_t i = 0; i < n.hidden; ++i) X.set(n.tokens * n.hidden + i, 0);
    for (std::int64_t i = 0; i < W1.size(); ++i) W1.set(i, W1.at(i) / 64);
    for (std::int64_t i = 0; i < W2.size(); ++i) W2.set(i, W2.at(i) / 64);
    Array token = Array::make({R}, i32).value(), expert = Array::make({n.row_tiles()}, i32).value();
    Array row_of = Array::make({n.top, n.tokens}, i32).value();
    std::int64_t row = 0;
    for (std::int64_t r = 0; r < R; ++r) token.set(r, static_cast<double>(n.tokens));
    for (int e = 0; e < n.experts; ++e) {
        const std::int64_t begin = row;
        for (std::size_t t = 0; t < n.chosen.size(); ++t)
            for (std::size_t slot = 0; slot < n.chosen[t].size(); ++slot)
                if (n.chosen[t][slot] == e) {
                    token.set(row, static_cast<double>(t));
                    weight.set(row, 0.25 * static_cast<double>(slot + 1));
                    row_of.set(static_cast<std::int64_t>(slot) * n.tokens + static_cast<std::int64_t>(t), static_cast<double>(row));
                    ++row;
                }
        row = (row + 31) / 32 * 32;
        for (std::int64_t tile = begin / 32; tile < row / 32; ++tile) expert.set(tile, e);
    }
    const std::int64_t tasks = n.row_tiles() * (n.inner / 32 + n.hidden / 32);
    Array numbers = Array::make({tasks + 3}, i32).value(), next = Array::make({1}, i32).value();
    Array ready = Array::make({n.row_tiles()}, i32).value();
    for (std::int64_t i = 0; i < numbers.size(); ++i) numbers.set(i, static_cast<double>(i));
    return trial::given({{"X", &X},
                         {"W1", &W1},
                         {"W2", &W2},
                         {"token", &token},
                         {"expert", &expert},
                         {"weight", &weight},
                         {"row_of", &row_of},
                         {"numbers", &numbers},
                         {"next", &next},
                         {"ready", &ready}});
}

/// Tokens of which each has two experts of four, by `how`.
MoeSizes moe_sizes(std::int64_t tokens, int how)
{
    MoeSizes out;
    out.tokens = tokens;
    for (int t = 0; t < tokens; ++t)
        out.chosen.push_back(how == 0   ? std::vector<int>{t % 4, (t + 1) % 4}
                             : how == 1 ? std::vector<int>{1, 3} // two experts have none
                                        : std::vector<int>{2, 2});
    return out;
}

} // namespace

TEST_CASE("a layer of experts in one kernel: the second product begins where the first one is ready, and all is right")
{
    for (const auto& [tokens, how] : {std::pair<std::int64_t, int>{1, 0}, {5, 0}, {33, 1}, {17, 2}}) {
        const MoeSizes sizes = moe_sizes(tokens, how);
        const Program program = moe_layer(sizes);
        const Bindings inputs = moe_inputs(sizes);
        const Bindings outputs = trial::ran(program, inputs);
        // H is compared with its specification, the sums with what they are of.
        const auto v = verify(program, inputs, outputs, {.against = Against::specification});
        REQUIRE(v);
        CAPTURE(v->text(), tokens, how);
        CHECK(v->ok());
        const Array &H = *outputs.find("H"), &Y = *outputs.find("Y"), &W2 = *inputs.find("W2");
        const Array &row_of = *inputs.find("row_of"), &weight = *inputs.find("weight");
        int wrong = 0;
        for (std::int64_t t = 0; t < tokens; ++t)
            for (std::int64_t c = 0; c < sizes.hidden; ++c) {
                double sum = 0;
                for (std::int64_t slot = 0; slot < sizes.top; ++slot) {
                    const auto row = static_cast<std::int64_t>(row_of.at(slot * tokens + t));
                    const int e = sizes.chosen[static_cast<std::size_t>(t)][static_cast<std::size_t>(slot)];
                    double product = 0;
                    for (std::int64_t i = 0; i < sizes.inner; ++i)
                        product += H.at(row * sizes.inner + i) * W2.at((e * sizes.hidden + c) * sizes.inner + i);
                    sum += product * weight.at(row);
                }
                wrong += std::abs(Y.at(t * sizes.hidden + c) - sum) > 4e-3 * std::max(1.0, std::abs(sum)) ? 1 : 0;
            }
        CHECK(wrong == 0);
    }
}

TEST_CASE("a layer of experts whose second product does not wait for the first one as it must is found in each order")
{
    const MoeSizes sizes = moe_sizes(5, 0);
    const Bindings inputs = moe_inputs(sizes);
    for (const MoeNeeded left_out :
         {MoeNeeded::meeting_before_release, MoeNeeded::release, MoeNeeded::wait, MoeNeeded::meeting_after_wait}) {
        const auto lowered = required(lower(moe_layer(sizes, left_out)));
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.order = order;
            const auto report = required(sim::run(lowered->program, inputs, options));
            CAPTURE(static_cast<int>(left_out), name(order), report->fault.text);
            CHECK_FALSE(report->ok());
        }
    }
    // Tasks of the second product before those of the first: with one block, or with as many as have tasks that wait, none goes on.
    const auto lowered = required(lower(moe_layer(sizes, MoeNeeded::all, true)));
    const auto report = required(sim::run(lowered->program, inputs));
    CHECK(report->fault.kind == sim::FaultKind::deadlock);
}
