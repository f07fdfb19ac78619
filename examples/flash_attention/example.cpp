// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in one pass over the keys, forward. Scores and probabilities stay in registers: a product's result is the next one's left
// operand. On Hopper one warp brings keys and values by tensor maps, and two warpgroups take turns to multiply and to exponentiate. On
// Blackwell (tensor_memory.hpp) warps and warpgroups of five kinds hand them to each other through tensor memory.
#include "attention.hpp"
#include "tensor_memory.hpp"

namespace examples {
namespace {

using namespace attention;

/// The scores of all heads of a group of keys' heads under each other, and what they come to.
void state_attention(Kernel& k, const AttentionSizes& z, const TensorRef& Q, const Formula& K, const Formula& V, const TensorRef& O,
                     const TensorRef& lse)
{
    const Int shared = z.heads / z.kv_heads;
    const auto by_head = [](const Formula& t) { return permute(t, Order{0, 2, 1, 3}); };
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

/// Keys or values of one sequence after the other, as their pages have them.
Formula of_sequences(const AttentionSizes& z, const TensorRef& t, const std::optional<TensorRef>& table)
{
    if (!table) return t;
    return slice(reshape(gather(t, *table), {z.batch, z.pages() * z.page, z.kv_heads, z.dim}), 1, 0, z.sk);
}

/// 64 queries in the registers of four warps: scores, and the sums that they become.
struct Queries : Scores {
    TensorRef o;

    Queries(Scope scope, const AttentionSizes& sizes, int group, const Affine& row)
        : Scores(scope, sizes, scores_of_matrix_instructions(group, sizes.block), row),
          o(registers(w, {rows, z.dim}, f32, scores_of_matrix_instructions(group, z.dim).tile, "o"))
    {
        w.fill(o, 0);
    }
    void store(const ViewRef& O, const ViewRef& lse)
    {
        softmax.finish(w, o, from);
        w.copy(O, o).copy(lse, from);
    }
};

/// One warp's instructions: each block is multiplied when its copies are complete, and the next one's are on the way.
void by_warps(Scope cta, const AttentionSizes& z, const Affine& row, const Affine& count, const ViewRef& Q, const BlockCopies& K,
              const BlockCopies& V, const ViewRef& O, const ViewRef& lse)
{
    const auto shared = [&](Int rows, const char* name) {
        return cta.alloc(Role::shared, {rows, z.dim}, f16, conflict_free, name);
    };
    const auto q = shared(z.rows_of_one(), "q"), k = shared(z.block, "k"), v = shared(z.block, "v");
    Queries t(cta, z, 0, row);
    const auto block = [&](const Affine& i) { return (count - 1 - i) * z.block; };
    const auto start = [&](const BlockCopies& copies, const TensorRef& to, const Affine& i) {
        for (const auto& [d, a] : copies(cta, to, block(i))) cta.copy_async(d, a);
    };
    cta.when(Expression(0.0) < Expression(count), [&] {
        cta.copy_async(q, Q);
        start(K, k, 0);
    });
    cta.commit();
    cta.loop(0, count, 1, [&](const Affine& i) {
        cta.wait().sync();
        start(V, v, i);
        cta.commit();
        cta.gemm(t.s, q, k, {.accumulate = false, .transpose_b = true});
        t.exponentiate(block(i));
        t.softmax.rescale(cta, t.o);
        cta.copy(t.p, t.s);
        cta.wait().sync();
        cta.when(Expression(i + 1) < Expression(count), [&] {
            start(K, k, i + 1);
            cta.commit();
        });
        cta.gemm(t.o, t.p, v);
    });
    t.store(O, lse);
}

/// Warpgroups and a producer. The scores of a block are multiplied together with the probabilities of the one before and its values.
void by_warpgroups(Scope cta, const AttentionSizes& z, const Affine& row, const Affine& count,
                   const std::function<ViewRef(const Affine&, Int)>& Q, const BlockCopies& K, const BlockCopies& V,
                   const std::function<ViewRef(const Affine&)>& O, const std::function<ViewRef(const Affine&)>& lse)
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
    cta.warps(producer, 1, "producer", [&](Scope w) {
        w.mbarrier({Action::expect_bytes, queries_come, z.rows() * z.dim * 2, {}});
        w.copy_async(q, Q(row, z.rows()), {.completes_on = queries_come});
        for_each_block(w, z, count, [&](const Pipeline::Turn& turn, const Affine& i) {
            keys.load(w, turn, K(w, k(turn.stage, all, all), block(i)));
            values.load(w, turn, V(w, v(turn.stage, all, all), block(i)));
        });
    });
    for (int g = 0; g < z.groups(); ++g)
        cta.warpgroups(g, 1, g == 0 ? "first queries" : "second queries", [&](Scope w) {
            const Affine first = row + g * z.rows_of_one();
            Queries t(w, z, g, first);
            const auto mine = q(Interval(g * z.rows_of_one(), z.rows_of_one()), all);
            // The groups start their products by turns: while one multiplies, the other exponentiates.
            const auto turn_of = [](int group) { return NamedBarrier{NamedBarrier::Action::sync, 1 + group, 256}; };
            const auto pass = [&] { w.named_barrier({NamedBarrier::Action::arrive, 2 - g, 256}); };
            const auto add_values = [&](const Pipeline::Turn& turn) {
                values.wait(w, turn);
                w.gemm(t.o, t.p, v(turn.stage, all, all), {}, {.async = true});
            };
            if (g == 1) pass();
            w.mbarrier({Action::wait, queries_come, 0, 0.0});
            for_each_block(w, z, count, [&](const Pipeline::Turn& turn, const Affine& i) {
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
    const auto Q = k.input("Q", {z.batch, z.sq, z.heads, z.dim}, f16), K = k.input("K", z.stored(), f16);
    const auto V = k.input("V", z.stored(), f16), O = k.output("O", {z.batch, z.sq, z.heads, z.dim}, f16);
    const auto lse = k.output("lse", {z.batch, z.heads, z.sq}, f32);
    if (z.by == AttentionSizes::By::tensor_memory) k.thread_registers(attention_registers);
    const Int tiles_of_rows = (z.sq + z.rows() - 1) / z.rows();
    std::optional<TensorRef> table;
    if (z.page > 0) table = k.input("pages", {z.batch, z.pages()}, i32);
    state_attention(k, z, Q, of_sequences(z, K, table), of_sequences(z, V, table), O, lse);
    const Int shared = z.heads / z.kv_heads;
    k.cta(
        tiles({z.batch, z.kv_heads, shared, tiles_of_rows}, {1, 1, 1, 1}),
        [&](Scope cta, const Tile& t) {
            const Affine b = t.index[0], kv = t.index[1], h = kv * shared + t.index[2];
            // The longest first: under a causal mask the last queries see the most keys.
            const Affine row = (tiles_of_rows - 1 - t.index[3]) * z.rows();
            const Affine count = cta.index(z.mask.blocks(row, z.rows(), z.block), 0, z.blocks() + 1, "count");
            const BlockCopies keys = copies_of(z, K, table, b, kv), values = copies_of(z, V, table, b, kv);
            const auto queries = [&](const Affine& at, Int rows) { return Q(b, Interval(at, rows), h, all); };
            const auto result = [&](const Affine& at) { return O(b, Interval(at, z.rows_of_one()), h, all); };
            const auto logs = [&](const Affine& at) { return lse(b, h, Interval(at, z.rows_of_one())); };
            if (z.by == AttentionSizes::By::tensor_memory)
                by_tensor_memory(cta, z, row, count, {queries, keys, values, result, logs});
            else if (z.by == AttentionSizes::By::warpgroups)
                by_warpgroups(cta, z, row, count, queries, keys, values, result, logs);
            else
                by_warps(cta, z, row, count, queries(row, z.rows_of_one()), keys, values, result(row), logs(row));
        },
        z.by == AttentionSizes::By::warps        ? 4
        : z.by == AttentionSizes::By::warpgroups ? 4 * z.groups() + 1
                                                 : attention_warps);
    return k.program();
}

/// Random numbers, but for `large`, a score of 10,000, and `infinite`, scores of −∞. Pages are in an order of their own, every other one unused.
Result<Bindings, axe::Problem> flash_attention_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in) return in;
    const AttentionSizes z = attention_sizes(setting);
    if (z.page > 0) { // 5 is prime to every count of pages but multiples of it
        Array& pages = *in->find("pages");
        const Int step = pages.size() % 5 == 0 ? 7 : 5;
        for (Int i = 0; i < pages.size(); ++i) pages.set(i, static_cast<double>(2 * (i * step % pages.size()) + 1));
    }
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

const Example flash_attention{
    "flash_attention",
    "attention in one pass over the keys: scores and probabilities in registers, an online softmax",
    {{"B", "1", "sequences", 64},
     {"Sq", "130", "queries", 1 << 14},
     {"Sk", "257", "keys and values", 1 << 14},
     {"Hq", "2", "heads of queries", 128},
     {"Hk", "1", "heads of keys and values, which divide those", 128},
     {"D", "64", "numbers of a head", 0, {"64", "128"}},
     {"block", "64", "keys that are multiplied at a time", 0, {"32", "64"}},
     {"page", "0", "keys of a page, which a table numbers; 0: whole sequences", 0, {"0", "16", "64", "128"}},
     {"mask", "causal", "which keys a query sees", 0, {"none", "causal", "window"}},
     {"window", "48", "of mask=window: how many keys, the last of which is the causal one", 1 << 14},
     {"data", "random", "what scores are like", 0, {"random", "large", "infinite"}}},
    {"sm80", "sm90", "sm100"},
    {1},
    flash_attention_program,
    flash_attention_inputs,
    nullptr};

} // namespace examples
