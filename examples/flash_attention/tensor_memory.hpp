// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_FLASH_ATTENTION_TENSOR_MEMORY_HPP
#define AXE_EXAMPLES_FLASH_ATTENTION_TENSOR_MEMORY_HPP

#include "attention.hpp"

/// Attention with scores, probabilities and sums in tensor memory: each thread of two warpgroups has a query and makes powers of its
/// scores, a third warpgroup rescales the sums, one warp multiplies, one loads, one stores.
namespace examples::attention {

inline constexpr int attention_warps = 16;
inline constexpr Int attention_registers = 128; ///< of each thread, of which the roles take 200, 64 and 48
inline constexpr double attention_growth = 8;   ///< as a power of 2, before sums are rescaled

/// Views of what a block reads and writes, from a query or a key on.
struct AttentionViews {
    std::function<ViewRef(const Affine&, Int)> queries;
    BlockCopies keys, values;
    std::function<ViewRef(const Affine&)> result, logs;
};

/// Two tiles of 128 queries, t = 0 and 1. Mbarriers: rings of keys and values from 0 on, `queries`, then two each of these.
struct AttentionBarriers {
    int first = 4 * ring_stages;
    [[nodiscard]] int queries() const { return first; }
    [[nodiscard]] int scores(int t) const { return first + 1 + t; }       ///< S has come: 1, the multiplier
    [[nodiscard]] int scores_taken(int t) const { return first + 3 + t; } ///< S may be written: 4 warps of softmax
    [[nodiscard]] int ready(int t) const { return first + 5 + t; }        ///< P is there, O is rescaled: 4 + 4 warps
    [[nodiscard]] int sums(int t) const { return first + 7 + t; }         ///< P·V is in O: 1, the multiplier
    [[nodiscard]] int ratio_taken(int t) const { return first + 9 + t; }  ///< the ratios have been read: 4 warps of correction
    [[nodiscard]] int result(int t) const { return first + 11 + t; }      ///< rounded, in shared memory: 4 warps of correction
};

class TensorAttention {
  public:
    TensorAttention(Scope cta, const AttentionSizes& z, const Affine& row, const Affine& count, AttentionViews views)
        : z_(z),
          row_(row),
          count_(count),
          views_(std::move(views)),
          q_(cta.alloc(Role::shared, {2, rows, z.dim}, f16, conflict_free, "q")),
          k_(cta.alloc(Role::shared, {ring_stages, z.block, z.dim}, f16, conflict_free, "k")),
          v_(cta.alloc(Role::shared, {ring_stages, z.block, z.dim}, f16, conflict_free, "v")),
          out_(cta.alloc(Role::shared, {2, rows, z.dim}, f16, conflict_free, "out")),
          ratios_(cta.alloc(Role::shared, {2, rows}, f32, {}, "ratios")),
          s_(cta.alloc("tmem", {2, rows, z.block}, f32, accumulator, "S")),
          p_(cta.alloc("tmem", {2, rows, z.block}, f16, pairs(z.block), "P")),
          o_(cta.alloc("tmem", {2, rows, z.dim}, f32, accumulator, "O.sums"))
    {
    }

    void init(Scope w) const
    {
        keys_.init(w), values_.init(w);
        w.mbarrier({Action::init, at_.queries(), 1, {}});
        for (int t = 0; t < 2; ++t) {
            w.mbarrier({Action::init, at_.scores(t), 1, {}}).mbarrier({Action::init, at_.scores_taken(t), 4, {}});
            w.mbarrier({Action::init, at_.ready(t), 8, {}}).mbarrier({Action::init, at_.sums(t), 1, {}});
            w.mbarrier({Action::init, at_.ratio_taken(t), 4, {}}).mbarrier({Action::init, at_.result(t), 4, {}});
        }
    }

    void load(Scope w) const
    {
        w.mbarrier({Action::expect_bytes, at_.queries(), 2 * rows * z_.dim * 2, {}});
        for (int t = 0; t < 2; ++t)
            w.copy_async(q_(t, all, all), views_.queries(row_ + t * rows, rows), {.completes_on = at_.queries()});
        for_each_block(w, z_, count_, [&](const Pipeline::Turn& turn, const Affine& i) {
            keys_.load(w, turn, views_.keys(w, k_(turn.stage, all, all), key(i)));
            values_.load(w, turn, views_.values(w, v_(turn.stage, all, all), key(i)));
        });
    }

    /// The scores of a block are multiplied before the probabilities of the one before, which are being made meanwhile.
    void multiply(Scope w) const
    {
        wait(w, at_.queries(), 0);
        for_each_block(w, z_, count_, [&](const Pipeline::Turn& turn, const Affine& i) {
            keys_.wait(w, turn);
            for (int t = 0; t < 2; ++t) {
                wait(w, at_.scores_taken(t), Expression(i) + 1);
                w.tensor_fence_after();
                w.gemm(s_(t, all, all), q_(t, all, all), k_(turn.stage, all, all), {.accumulate = false, .transpose_b = true},
                       {.async = true});
                commit(w, at_.scores(t));
            }
            commit(w, keys_.empty(turn.stage));
            const Pipeline::Turn before{(turn.stage + ring_stages - 1) % ring_stages, turn.stage > 0 ? turn.round : turn.round - 1};
            const auto values = [&] {
                add_values(w, before, Expression(i) - 1);
                commit(w, values_.empty(before.stage));
            };
            turn.stage > 0 ? values() : static_cast<void>(w.when(Expression(0.0) < Expression(i), values));
        });
        const Expression last = Expression(count_) - 1;
        for (int stage = 0; stage < ring_stages; ++stage)
            w.when(both(Expression(0.0) < Expression(count_), equals(floor_mod(last, ring_stages), stage)),
                   [&] { add_values(w, {stage, floor_div(last, ring_stages)}, last); });
    }

    void exponentiate(Scope w, int t) const
    {
        w.increase_registers(200);
        const Affine first = row_ + t * rows;
        Scores x(w, z_, scores_of_threads(t, z_.block), first, attention_growth);
        const auto pass = [&](const TensorRef& numbers, const Expression& phase) {
            wait(w, at_.ratio_taken(t), phase + 1);
            w.copy(ratios_(t, all), numbers);
            w.named_barrier({NamedBarrier::Action::arrive, 1 + t, 256});
        };
        w.loop(0, count_, 1, [&](const Affine& i) {
            wait(w, at_.scores(t), i);
            w.tensor_fence_after();
            w.copy_async(x.s, s_(t, all, all)).wait_tensor_loads().tensor_fence_before();
            arrive(w, at_.scores_taken(t));
            x.hide(key(i));
            x.softmax.find_ratio(w, x.s);
            pass(x.softmax.ratio(), i);
            x.softmax.find_powers(w, x.s);
            w.copy(x.p, x.s);
            w.when(Expression(0.0) < Expression(i), [&] { // the last probabilities have been multiplied
                wait(w, at_.sums(t), Expression(i) + 1);
                w.tensor_fence_after();
            });
            w.copy_async(p_(t, all, all), x.p).wait_tensor_stores().tensor_fence_before();
            arrive(w, at_.ready(t));
        });
        pass(x.softmax.total(), count_);
        x.softmax.find_logarithm(w, x.from);
        w.copy(views_.logs(first), x.from);
    }

    /// Of 32 queries of each tile, by one warp, which rescales their sums only where one of them asks for it.
    void correct(Scope w, int warp) const
    {
        constexpr Int queries = 32, part = 32; // columns of the sums at a time
        const Interval mine(warp * queries, queries);
        const auto held = [&](const Shape& shape, const Layout& in, const char* name) {
            return Scores::registers(w, shape, f32, in, name);
        };
        const Axis lane{"lane"}, reg{"reg"};
        const Layout of_rows{{{queries, 1, lane}}, {}, {{Axis{"warp"}, 8 + warp}}};
        const auto o = held({queries, part}, {{{queries, 1, lane}, {part, 1, reg}}, {}, of_rows.offset}, "o");
        const auto none = held({queries}, of_rows, "none"), some = held({queries}, of_rows, "some");
        const auto ratio = held({1, queries}, of_rows, "ratio"),
                   least = held({1}, {{}, {{queries, 1, lane}}, of_rows.offset}, "least");
        const ViewRef factors = ratio(0, all).repeated(1, part);
        w.fill(none, 0);
        const auto take = [&](int t) {
            w.named_barrier({NamedBarrier::Action::sync, 1 + t, 256});
            w.copy(ratio, ratios_(Interval(t, 1), mine));
        };
        w.loop(0, count_, 1, [&](const Affine& i) {
            for (int t = 0; t < 2; ++t) {
                take(t);
                arrive(w, at_.ratio_taken(t));
                w.when(Expression(0.0) < Expression(i), [&] {
                    wait(w, at_.sums(t), Expression(i) + 1);
                    w.tensor_fence_after();
                    w.reduce(Function::min, least, ratio, {1}); // the vote of the warp's lanes
                    w.when(negation(Expression(1.0) <= axe::load(least(0))), [&] {
                        for (Int from = 0; from < z_.dim; from += part) {
                            const auto sums = o_(t, mine, Interval(from, part));
                            w.copy_async(o, sums).wait_tensor_loads();
                            w.binary(Function::mul, o, o, factors);
                            w.copy_async(sums, o);
                        }
                        w.wait_tensor_stores().tensor_fence_before();
                    });
                });
                arrive(w, at_.ready(t));
            }
        });
        for (int t = 0; t < 2; ++t) {
            take(t); // the sums of powers
            w.binary(Function::less, some, none, ratio(0, all));
            w.when(Expression(0.0) < Expression(count_), [&] {
                wait(w, at_.sums(t), Expression(count_) + 1);
                w.tensor_fence_after();
            });
            for (Int from = 0; from < z_.dim; from += part) {
                w.when(
                    Expression(0.0) < Expression(count_),
                    [&] { w.copy_async(o, o_(t, mine, Interval(from, part))).wait_tensor_loads(); }, [&] { w.fill(o, 0); });
                w.binary(Function::div, o, o, factors);
                w.select(o, some.repeated(1, part), o, none.repeated(1, part));
                w.copy(out_(t, mine, Interval(from, part)), o);
            }
            w.proxy_fence();
            arrive(w, at_.result(t));
        }
    }

    void store(Scope w) const
    {
        for (int t = 0; t < 2; ++t) {
            wait(w, at_.result(t), 0);
            w.copy_async(views_.result(row_ + t * rows), out_(t, all, all)).commit();
        }
        w.wait_sources();
    }

  private:
    using Action = Mbarrier::Action;
    static constexpr Int rows = 128;

    static Layout pairs(Int block) { return {{{2, block, Axis{"tcol"}}, {rows, 1, Axis{"tlane"}}, {block, 1, Axis{"tcol"}}}}; }
    [[nodiscard]] Affine key(const Affine& i) const { return (count_ - 1 - i) * z_.block; }
    /// For phase 0, 1, 2, …, of which the parity is waited for.
    static void wait(Scope w, int id, const Expression& phase) { w.mbarrier({Action::wait, id, 0, floor_mod(phase, 2)}); }
    static void arrive(Scope w, int id) { w.mbarrier({Action::arrive, id, 0, {}}); }
    static void commit(Scope w, int id) { w.mbarrier({Action::commit, id, 0, {}}); }

    /// O += P·V of block `number`, whose values have a stage and a round.
    void add_values(Scope w, const Pipeline::Turn& turn, const Expression& number) const
    {
        values_.wait(w, turn);
        for (int t = 0; t < 2; ++t) {
            wait(w, at_.ready(t), number);
            w.tensor_fence_after();
            const auto product = [&](bool onto) {
                w.gemm(o_(t, all, all), p_(t, all, all), v_(turn.stage, all, all), {.accumulate = onto}, {.async = true});
            };
            w.when(Expression(0.0) < number, [&] { product(true); }, [&] { product(false); });
            commit(w, at_.sums(t));
        }
    }

    const AttentionSizes& z_;
    Affine row_, count_;
    AttentionViews views_;
    TensorRef q_, k_, v_, out_, ratios_, s_, p_, o_;
    Pipeline keys_{0, ring_stages, 1}, values_{2 * ring_stages, ring_stages, 1};
    AttentionBarriers at_{};
};

/// A block: warpgroups 0 and 1 have the queries, 2 corrects; warps 12 to 14 multiply, load and store.
inline void by_tensor_memory(Scope cta, const AttentionSizes& z, const Affine& row, const Affine& count, AttentionViews views)
{
    const TensorAttention work(cta, z, row, count, std::move(views));
    cta.warps(13, 1, "loads", [&](Scope w) { work.init(w); });
    cta.sync();
    for (int t = 0; t < 2; ++t)
        cta.warpgroups(t, 1, t == 0 ? "first queries" : "second queries", [&](Scope w) { work.exponentiate(w, t); });
    cta.warpgroups(2, 1, "correction", [&](Scope w) { w.decrease_registers(64); });
    for (int warp = 0; warp < 4; ++warp) cta.warps(8 + warp, 1, "correction", [&](Scope w) { work.correct(w, warp); });
    cta.warpgroups(3, 1, "helpers", [&](Scope w) { w.decrease_registers(48); });
    cta.warps(12, 1, "multiplier", [&](Scope w) { work.multiply(w); });
    cta.warps(13, 1, "loads", [&](Scope w) { work.load(w); });
    cta.warps(14, 1, "store", [&](Scope w) { work.store(w); });
}

} // namespace examples::attention

#endif
