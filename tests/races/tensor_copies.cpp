// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/tensors.hpp>

/// Copies from shared memory to tensor memory.
namespace {

using namespace races;

} // namespace

TEST_CASE("jax-tc-cp-ld")
{
    const auto kernel = [](bool waits) {
        return tensors(
            [waits](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const auto t = b.tensor("t");
                const auto s = b.source("src");
                b.set_up({1});
                b.written_before({s});
                b.agent(0, [&](Scope w) {
                    const int copy = b.copy(w, t, s);
                    if (waits) b.between(w, Between::commit);
                    sites = {{copy, b.load(w, 0, quarter(t), &out)}};
                    if (!waits) b.between(w, Between::commit);
                });
            },
            {{"out", always(7)}});
    };
    race(kernel(false));
    SECTION("a commit and its wait are between") { ok(kernel(true)); }
}

TEST_CASE("jax-tc-cp-then-write")
{
    const auto kernel = [](bool copies) {
        return tensors([copies](Kernel&, TensorBlock& b, Sites& sites) {
            const auto t = b.tensor("t");
            const auto s = b.source("src");
            b.set_up({1});
            b.written_before({s});
            b.agent(0, [&](Scope w) {
                const int copy = b.copy(w, t, s);
                sites = {{copy, copies ? b.copy(w, t, s) : b.store(w, 0, quarter(t), 0)}};
                w.wait_tensor_stores();
                b.between(w, Between::commit);
            });
        });
    };
    race(kernel(false));
    SECTION("the write is another copy") { race(kernel(true)); }
}

TEST_CASE("jax-tc-overwrite-cp-source")
{
    const auto kernel = [](bool waits) {
        return tensors([waits](Kernel&, TensorBlock& b, Sites& sites) {
            const auto t = b.tensor("t");
            const auto s = b.source("src");
            b.set_up({1});
            b.written_before({s});
            b.agent(0, [&](Scope w) {
                const int copy = b.copy(w, t, s);
                if (waits) b.between(w, Between::commit);
                sites = {{copy, b.at()}};
                w.fill(s, 0);
                if (!waits) b.between(w, Between::commit);
            });
        });
    };
    race(kernel(false));
    SECTION("a commit and its wait are between") { ok(kernel(true)); }
}

TEST_CASE("cn-reader-generation")
{
    const auto kernel = [](bool waits, bool late) {
        return tensors([waits, late](Kernel&, TensorBlock& b, Sites& sites) {
            const auto t = b.tensor("t");
            const auto s = b.source("s");
            b.set_up({1});
            b.written_before({s});
            b.agent(0, [&](Scope w) {
                static_cast<void>(b.copy(w, t(all, Interval(0, 8)), s(all, Interval(0, 8)), 0));
                if (!late) TensorBlock::see(w, 0);
                const int copy = b.copy(w, t(all, Interval(8, 8)), s(all, Interval(8, 8)));
                if (late) TensorBlock::see(w, 0);
                if (waits) b.between(w, Between::commit, 0, 1);
                sites = {{copy, b.at()}};
                w.fill(s, 0);
                if (!waits) b.between(w, Between::commit, 0, 1);
            });
        });
    };
    race(kernel(false, false));
    SECTION("a commit and its wait are between") { ok(kernel(true, false)); }
    SECTION("the first commit is waited for after the second copy") { race(kernel(false, true)); }
}

TEST_CASE("cn-reader-relay")
{
    const auto kernel = [](bool commits) {
        return tensors([commits](Kernel&, TensorBlock& b, Sites& sites) {
            const auto t1 = b.tensor("t1"), t2 = b.tensor("t2");
            const auto s = b.source("s");
            b.set_up({1, 1, 1});
            b.written_before({s});
            int copy = 0;
            b.agent(0, [&](Scope w) { static_cast<void>(b.copy(w, t1, s, 0)); });
            b.agent(1, [&](Scope w) {
                TensorBlock::see(w, 0);
                copy = b.copy(w, t2, s);
                if (commits) {
                    TensorBlock::commit(w, 1);
                } else {
                    w.mbarrier(arrive(1));
                    TensorBlock::commit(w, 2);
                    w.mbarrier(wait_for(2));
                }
            });
            b.agent(2, [&](Scope w) {
                w.mbarrier(wait_for(1));
                sites = {{copy, b.at()}};
                w.fill(s, 0);
            });
        });
    };
    race(kernel(false));
    SECTION("the second reader commits to the mbarrier") { ok(kernel(true)); }
}

TEST_CASE("jax-tc-two-children")
{
    ok(tensors(
        [](Kernel& k, TensorBlock& b, Sites&) {
            const auto out = k.output("out", {32, columns}, f32);
            const auto acc1 = b.tensor("acc1"), acc2 = b.tensor("acc2");
            const auto at = b.cta.alloc("tmem", {rows, columns}, f16, {}, "A");
            const auto a = b.operand("a", rows), b1 = b.operand("b1", columns), b2 = b.operand("b2", columns);
            b.set_up({1, 1});
            b.written_before({a, b1, b2});
            b.agent(0, [&](Scope w) {
                static_cast<void>(b.copy(w, at, a));
                static_cast<void>(b.product(w, acc1, at, b1, 0));
                static_cast<void>(b.product(w, acc2, at, b2, 1));
                TensorBlock::see(w, 0);
                TensorBlock::see(w, 1);
                const auto x = w.alloc(Role::registers, {32, columns}, f32, registers_of(0), "x");
                const auto y = w.alloc(Role::registers, {32, columns}, f32, registers_of(0), "y");
                w.copy_async(x, quarter(acc1));
                w.copy_async(y, quarter(acc2));
                w.map(Function::add, x, {x, y});
                w.copy(out, x);
            });
        },
        {{"out", always(2 * 16 * 49)}}));
}
