// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in one pass over the keys, forward. Scores and probabilities stay in registers: a product's result is the next one's left
// operand. On Hopper one warp brings keys and values by tensor maps, and two warpgroups take turns to multiply and to exponentiate.
#include "../common/example.hpp"
#include "../common/online_softmax.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;
using Int = std::int64_t;

constexpr Int rows_of_group = 64; ///< queries of four warps
constexpr int ring_stages = 2;    ///< of keys, and of values

struct AttentionSizes {
    Int batch, sq, sk, heads, kv_heads, dim, block;
    KeyMask mask{};
    bool hopper = false;
    [[nodiscard]] int groups() const { return hopper ? 2 : 1; } ///< of four warps
    [[nodiscard]] Int rows() const { return rows_of_group * groups(); }
    [[nodiscard]] Int blocks() const { return (sk + block - 1) / block; }
    [[nodiscard]] double scale() const { return 1 / std::sqrt(static_cast<double>(dim)); }
};

AttentionSizes attention_sizes(const Setting& s)
{
    AttentionSizes z{s.number("B"),
                     s.number("Sq"),
                     s.number("Sk"),
                     s.number("Hq"),
                     s.number("Hk"),
                     std::stoll(s.word("D")),
                     std::stoll(s.word("block"))};
    z.mask = {z.sq, z.sk, s.word("mask") != "none", s.word("mask") == "window" ? s.number("window") : 0};
    z.hopper = std::string_view(s.machine.name) != "sm80";
    return z;
}

/// The scores of all heads of a group of keys' heads under each other, and what they come to.
void state_attention(Kernel& k, const AttentionSizes& z, const TensorRef& Q, const TensorRef& K, const TensorRef& V,
                     const TensorRef& O, const TensorRef& lse)
{
    const Int shared = z.heads / z.kv_heads;
    const auto by_head = [](const TensorRef& t) { return permute(t, Order{0, 2, 1, 3}); };
    const Formula q = reshape(by_head(Q), {z.batch, z.kv_heads, shared * z.sq, z.dim});
    const Formula products = z.scale() * matmul(q, by_head(K), {.transpose_b = true});
    const Formula scores = select(z.mask.formula(), reshape(products, {z.batch, z.kv_heads, shared, z.sq, z.sk}),
                                  -std::numeric_limits<double>::infinity());
    const Formula most = maximum_of(scores, 4, true), seen = -std::numeric_limits<double>::infinity() < most;
    const Formula p = reshape(rounded(axe::softmax(scores, 4), f16), {z.batch, z.kv_heads, shared * z.sq, z.sk});
    const Formula sums = reshape(matmul(p, by_head(V)), {z.batch, z.kv_heads, shared, z.sq, z.dim});
    k.computes(O, permute(reshape(cast(select(seen, sums, 0), f16), {z.batch, z.heads, z.sq, z.dim}), Order{0, 2, 1, 3}));
    const Formula logs = most + log(sum(exp(scores - most), 4, true));
    k.computes(lse, reshape(select(seen, logs, -std::numeric_limits<double>::infinity()), {z.batch, z.heads, z.sq}));
}

/// What 64 queries have in the registers of four warps, and what becomes of it block by block.
struct Queries {
    Scope w;
    const AttentionSizes& z;
    Affine first; ///< the first query
    TensorRef s, p, o;
    TensorRef allowed, column, from, to; ///< coordinates: of a block's keys; of each query, the first and the last key that it sees
    OnlineSoftmax softmax;

    /// Row r of four warps: 16 rows each, of each warp r mod 8 in lanes 4r to 4r + 3, which have pairs of columns.
    static Layout tile(int group, Int columns)
    {
        const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
        return {
            {{4, 1, warp}, {2, 2, reg}, {8, 4, lane}, {columns / 8, 4, reg}, {4, 1, lane}, {2, 1, reg}}, {}, {{warp, 4 * group}}};
    }
    static Layout of_rows(int group)
    {
        const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
        return {{{4, 1, warp}, {2, 1, reg}, {8, 4, lane}}, {{4, 1, lane}}, {{warp, 4 * group}}};
    }
    static Layout of_columns(int group, Int columns)
    {
        const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
        return {{{columns / 8, 2, reg}, {4, 1, lane}, {2, 1, reg}}, {{4, 1, warp}, {8, 4, lane}}, {{warp, 4 * group}}};
    }
    static TensorRef registers(Scope w, const Shape& shape, DType type, const Layout& layout, const char* name)
    {
        return w.alloc(Role::registers, shape, type, layout, name);
    }

    Queries(Scope scope, const AttentionSizes& sizes, int group, const Affine& row)
        : w(scope),
          z(sizes),
          first(row),
          s(registers(w, {rows_of_group, z.block}, f32, tile(group, z.block), "s")),
          p(registers(w, {rows_of_group, z.block}, f16, tile(group, z.block), "p")),
          o(registers(w, {rows_of_group, z.dim}, f32, tile(group, z.dim), "o")),
          allowed(registers(w, {rows_of_group, z.block}, f32, tile(group, z.block), "allowed")),
          column(registers(w, {z.block}, f32, of_columns(group, z.block), "column")),
          from(registers(w, {rows_of_group}, f32, of_rows(group), "from")),
          to(registers(w, {rows_of_group}, f32, of_rows(group), "to")),
          softmax(w, rows_of_group, of_rows(group), z.scale())
    {
        w.fill(o, 0).fill(from, static_cast<double>(z.sk - 1)).copy(to, from);
        if (!z.mask.causal) return;
        w.iota(to, 0, first + z.mask.shift()).binary(Function::min, to, to, from);
        if (z.mask.window > 0) w.iota(from, 0, first + (z.mask.shift() + 1 - z.mask.window));
    }

    /// The scores of a block of keys become probabilities; those that are not to be seen are none.
    void exponentiate(const Affine& key)
    {
        w.when(z.mask.cuts(first, rows_of_group, key, z.block), [&] {
            w.iota(column, 0, key);
            const auto mask = [&](const ViewRef& least, const ViewRef& most) {
                w.binary(Function::less_equal, allowed, least, most);
                w.select(s, allowed, s, softmax.low().repeated(1, z.block));
            };
            mask(column.repeated(0, rows_of_group), to.repeated(1, z.block));
            if (z.mask.window > 0) mask(from.repeated(1, z.block), column.repeated(0, rows_of_group));
        });
        softmax.step(w, s);
    }
    void store(const ViewRef& O, const ViewRef& lse)
    {
        softmax.finish(w, o, from);
        w.copy(O, o).copy(lse, from);
    }
};

/// One warp's instructions: each block is multiplied when its copies are complete, and the next one's are on the way.
void by_warps(Scope cta, const AttentionSizes& z, const Affine& row, const Affine& count, const ViewRef& Q,
              const std::function<ViewRef(const Affine&)>& K, const std::function<ViewRef(const Affine&)>& V, const ViewRef& O,
              const ViewRef& lse)
{
    const auto shared = [&](Int rows, const char* name) {
        return cta.alloc(Role::shared, {rows, z.dim}, f16, conflict_free, name);
    };
    const auto q = shared(rows_of_group, "q"), k = shared(z.block, "k"), v = shared(z.block, "v");
    Queries t(cta, z, 0, row);
    const auto block = [&](const Affine& i) { return (count - 1 - i) * z.block; };
    cta.when(Expression(0.0) < Expression(count), [&] { cta.copy_async(q, Q).copy_async(k, K(block(0))); });
    cta.commit();
    cta.loop(0, count, 1, [&](const Affine& i) {
        cta.wait().sync();
        cta.copy_async(v, V(block(i))).commit();
        cta.gemm(t.s, q, k, {.accumulate = false, .transpose_b = true});
        t.exponentiate(block(i));
        t.softmax.rescale(cta, t.o);
        cta.copy(t.p, t.s);
        cta.wait().sync();
        cta.when(Expression(i + 1) < Expression(count), [&] { cta.copy_async(k, K(block(i + 1))).commit(); });
        cta.gemm(t.o, t.p, v);
    });
    t.store(O, lse);
}

/// Warpgroups and a producer. The scores of a block are multiplied together with the probabilities of the one before and its values.
void by_warpgroups(Scope cta, const AttentionSizes& z, const Affine& row, const Affine& count,
                   const std::function<ViewRef(const Affine&, Int)>& Q, const std::function<ViewRef(const Affine&)>& K,
                   const std::function<ViewRef(const Affine&)>& V, const std::function<ViewRef(const Affine&)>& O,
                   const std::function<ViewRef(const Affine&)>& lse)
{
    using Action = Mbarrier::Action;
    const auto q = cta.alloc(Role::shared, {z.rows(), z.dim}, f16, conflict_free, "q");
    const auto k = cta.alloc(Role::shared, {ring_stages, z.block, z.dim}, f16, conflict_free, "k");
    const auto v = cta.alloc(Role::shared, {ring_stages, z.block, z.dim}, f16, conflict_free, "v");
    const Pipeline keys(0, ring_stages, 4 * z.groups()), values(2 * ring_stages, ring_stages, 4 * z.groups());
    const int queries_come = 4 * ring_stages;
    const int producer = 4 * z.groups();
    cta.warps(producer, 1, "producer", [&](Scope w) {
        keys.init(w), values.init(w);
        w.mbarrier({Action::init, queries_come, 1, {}});
    });
    cta.sync();
    const auto block = [&](const Affine& i) { return (count - 1 - i) * z.block; };
    // Tiles 0 to count − 1, the stages of a round written out.
    const auto each = [&](Scope w, const std::function<void(const Pipeline::Turn&, const Affine&)>& body) {
        const Affine rounds = w.index(floor_div(Expression(count) + (ring_stages - 1), static_cast<double>(ring_stages)), 0,
                                      (z.blocks() + ring_stages - 1) / ring_stages + 1, "rounds");
        w.loop(0, rounds, 1, [&](const Affine& r) {
            for (int stage = 0; stage < ring_stages; ++stage) {
                const Affine i = r * ring_stages + stage;
                w.when(Expression(i) < Expression(count), [&] { body({stage, Expression(r)}, i); });
            }
        });
    };
    cta.warps(producer, 1, "producer", [&](Scope w) {
        w.mbarrier({Action::expect_bytes, queries_come, z.rows() * z.dim * 2, {}});
        w.copy_async(q, Q(row, z.rows()), {.completes_on = queries_come});
        each(w, [&](const Pipeline::Turn& turn, const Affine& i) {
            keys.load(w, turn, {{k(turn.stage, all, all), K(block(i))}});
            values.load(w, turn, {{v(turn.stage, all, all), V(block(i))}});
        });
    });
    for (int g = 0; g < z.groups(); ++g)
        cta.warpgroups(g, 1, g == 0 ? "first queries" : "second queries", [&](Scope w) {
            const Affine first = row + g * rows_of_group;
            Queries t(w, z, g, first);
            const auto mine = q(Interval(g * rows_of_group, rows_of_group), all);
            // The groups start their products by turns: while one multiplies, the other exponentiates.
            const auto turn_of = [](int group) { return NamedBarrier{NamedBarrier::Action::sync, 1 + group, 256}; };
            const auto pass = [&] { w.named_barrier({NamedBarrier::Action::arrive, 2 - g, 256}); };
            const auto add_values = [&](const Pipeline::Turn& turn) {
                values.wait(w, turn);
                w.gemm(t.o, t.p, v(turn.stage, all, all), {}, {.async = true});
            };
            if (g == 1) pass();
            w.mbarrier({Action::wait, queries_come, 0, 0.0});
            each(w, [&](const Pipeline::Turn& turn, const Affine& i) {
                const Pipeline::Turn before{(turn.stage + ring_stages - 1) % ring_stages,
                                            turn.stage > 0 ? turn.round : turn.round - 1};
                keys.wait(w, turn);
                w.named_barrier(turn_of(g));
                w.gemm(t.s, mine, k(turn.stage, all, all), {.accumulate = false, .transpose_b = true}, {.async = true});
                const auto with_values = [&] {
                    add_values(before);
                    pass();
                    w.wait_products(1);
                };
                const auto alone = [&] {
                    pass();
                    w.wait_products();
                };
                const Expression follows = Expression(0.0) < Expression(i);
                turn.stage > 0 ? with_values() : static_cast<void>(w.when(follows, with_values, alone));
                keys.release(w, turn);
                t.exponentiate(block(i));
                w.wait_products();
                const auto give_back = [&] { values.release(w, before); };
                turn.stage > 0 ? give_back() : static_cast<void>(w.when(follows, give_back));
                t.softmax.rescale(w, t.o);
                w.copy(t.p, t.s);
            });
            for (int stage = 0; stage < ring_stages; ++stage) {
                const Expression last = Expression(count) - 1.0;
                w.when(both(Expression(0.0) < Expression(count), equals(floor_mod(last, ring_stages), stage)), [&] {
                    add_values({stage, floor_div(last, ring_stages)});
                    w.wait_products();
                });
            }
            t.store(O(first), lse(first));
        });
}

Result<Program, axe::Problem> flash_attention_program(const Setting& setting)
{
    const AttentionSizes z = attention_sizes(setting);
    if (z.heads % z.kv_heads != 0)
        return Problem(errc::bad_argument, "flash_attention: Hq is " + std::to_string(z.heads) + ", not a multiple of Hk, " +
                                               std::to_string(z.kv_heads));
    Kernel k("flash_attention", setting.machine);
    const auto Q = k.input("Q", {z.batch, z.sq, z.heads, z.dim}, f16), K = k.input("K", {z.batch, z.sk, z.kv_heads, z.dim}, f16);
    const auto V = k.input("V", {z.batch, z.sk, z.kv_heads, z.dim}, f16), O = k.output("O", {z.batch, z.sq, z.heads, z.dim}, f16);
    const auto lse = k.output("lse", {z.batch, z.heads, z.sq}, f32);
    const Int tiles_of_rows = (z.sq + z.rows() - 1) / z.rows();
    state_attention(k, z, Q, K, V, O, lse);
    const Int shared = z.heads / z.kv_heads;
    k.cta(
        tiles({z.batch, z.kv_heads, shared, tiles_of_rows}, {1, 1, 1, 1}),
        [&](Scope cta, const Tile& t) {
            const Affine b = t.index[0], kv = t.index[1], h = kv * shared + t.index[2];
            // The longest first: under a causal mask the last queries see the most keys.
            const Affine row = (tiles_of_rows - 1 - t.index[3]) * z.rows();
            const Affine count = cta.index(z.mask.blocks(row, z.rows(), z.block), 0, z.blocks() + 1, "count");
            const auto keys = [&](const Affine& at) { return K(b, Interval(at, z.block), kv, all); };
            const auto values = [&](const Affine& at) { return V(b, Interval(at, z.block), kv, all); };
            const auto queries = [&](const Affine& at, Int rows) { return Q(b, Interval(at, rows), h, all); };
            const auto result = [&](const Affine& at) { return O(b, Interval(at, rows_of_group), h, all); };
            const auto logs = [&](const Affine& at) { return lse(b, h, Interval(at, rows_of_group)); };
            if (z.hopper)
                by_warpgroups(cta, z, row, count, queries, keys, values, result, logs);
            else
                by_warps(cta, z, row, count, queries(row, rows_of_group), keys, values, result(row), logs(row));
        },
        z.hopper ? 4 * z.groups() + 1 : 4);
    return k.program();
}

/// Random numbers, but for `large`, a score of 10,000, and `infinite`, scores of −∞.
Result<Bindings, axe::Problem> flash_attention_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in) return in;
    const AttentionSizes z = attention_sizes(setting);
    const std::string& data = setting.word("data");
    if (data == "random") return in;
    Array &Q = *in->find("Q"), &K = *in->find("K");
    for (Int i = 0; i < Q.size(); i += z.dim)
        if (data == "infinite" || i == 0) Q.set(i, data == "infinite" ? 1 : 400);
    for (Int i = 0; i < K.size(); i += z.dim)
        if (data == "infinite" || i == 0) K.set(i, data == "infinite" ? -std::numeric_limits<double>::infinity() : 25 / z.scale());
    return in;
}

} // namespace

const Example flash_attention{"flash_attention",
                              "attention in one pass over the keys: scores and probabilities in registers, an online softmax",
                              {{"B", "1", "sequences", 64},
                               {"Sq", "130", "queries", 1 << 14},
                               {"Sk", "257", "keys and values", 1 << 14},
                               {"Hq", "2", "heads of queries", 128},
                               {"Hk", "1", "heads of keys and values, which divide those", 128},
                               {"D", "64", "numbers of a head", 0, {"64", "128"}},
                               {"block", "64", "keys that are multiplied at a time", 0, {"32", "64"}},
                               {"mask", "causal", "which keys a query sees", 0, {"none", "causal", "window"}},
                               {"window", "48", "of mask=window: how many keys, the last of which is the causal one", 1 << 14},
                               {"data", "random", "what scores are like", 0, {"random", "large", "infinite"}}},
                              {"sm80", "sm90"},
                              {1},
                              flash_attention_program,
                              flash_attention_inputs,
                              nullptr};

} // namespace examples
