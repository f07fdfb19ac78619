// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/tensors.hpp>

/// Loads from tensor memory and stores to it.
namespace {

using namespace races;

} // namespace

TEST_CASE("jax-tc-st-ld")
{
    const auto kernel = [](Between what) {
        return tensors(
            [what](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const auto t = b.tensor("t", {32, columns});
                b.set_up({1});
                b.agent(0, [&](Scope w) {
                    const int store = b.store(w, 0, t, 42);
                    b.between(w, what);
                    sites = {{store, b.load(w, 0, t, &out)}};
                });
            },
            {{"out", always(42)}});
    };
    race(kernel(Between::nothing));
    SECTION("a wait for stores is between") { ok(kernel(Between::stores)); }
    SECTION("a wait for loads is between") { race(kernel(Between::loads)); }
    SECTION("a commit and its wait are between") { race(kernel(Between::commit)); }
}

TEST_CASE("jax-tc-ld-st")
{
    const auto kernel = [](Between what) {
        return tensors(
            [what](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const auto t = b.tensor("t", {32, columns});
                b.set_up({1});
                b.written_before_in(t);
                b.agent(0, [&](Scope w) {
                    const int load = b.load(w, 0, t, &out);
                    b.between(w, what);
                    sites = {{load, b.store(w, 0, t, 42)}};
                    w.wait_tensor_stores();
                });
            },
            {{"out", always(7)}});
    };
    race(kernel(Between::nothing));
    SECTION("a wait for loads is between") { ok(kernel(Between::loads)); }
    SECTION("a wait for stores is between") { race(kernel(Between::stores)); }
    SECTION("a commit and its wait are between") { race(kernel(Between::commit)); }
}

TEST_CASE("jax-tc-st-st")
{
    const auto kernel = [](Between what) {
        return tensors(
            [what](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const auto t = b.tensor("t", {32, columns});
                b.agent(0, [&](Scope w) {
                    const int first = b.store(w, 0, t, 1);
                    b.between(w, what);
                    sites = {{first, b.store(w, 0, t, 2)}};
                    w.wait_tensor_stores();
                    static_cast<void>(b.load(w, 0, t, &out));
                });
            },
            {{"out", always(2)}});
    };
    race(kernel(Between::nothing));
    SECTION("a wait for stores is between") { ok(kernel(Between::stores)); }
}

TEST_CASE("jax-tc-handoff-ld")
{
    const auto kernel = [](Between here, Between there) {
        return tensors(
            [here, there](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const auto t = b.tensor("t", {32, columns});
                b.set_up({1});
                b.written_before_in(t);
                int load = 0;
                b.agent(0, [&](Scope w) {
                    load = b.load(w, 0, t, &out);
                    b.between(w, here);
                    TensorBlock::hand_over(w, 0);
                });
                b.agent(second, [&](Scope w) {
                    TensorBlock::see(w, 0);
                    b.between(w, there);
                    sites = {{load, b.store(w, second, t, 2)}};
                    w.wait_tensor_stores();
                });
            },
            {{"out", always(7)}});
    };
    race(kernel(Between::nothing, Between::nothing));
    SECTION("who loads waits for it before it arrives") { ok(kernel(Between::loads, Between::nothing)); }
    SECTION("the other one waits for its own loads") { race(kernel(Between::nothing, Between::loads)); }
}

TEST_CASE("jax-tc-handoff-st")
{
    const auto kernel = [](Between here, Between there) {
        return tensors(
            [here, there](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const auto t = b.tensor("t", {32, columns});
                b.set_up({1});
                int store = 0;
                b.agent(0, [&](Scope w) {
                    store = b.store(w, 0, t, 1);
                    b.between(w, here);
                    TensorBlock::hand_over(w, 0);
                });
                b.agent(second, [&](Scope w) {
                    TensorBlock::see(w, 0);
                    b.between(w, there);
                    sites = {{store, b.load(w, second, t, &out)}};
                });
            },
            {{"out", always(1)}});
    };
    race(kernel(Between::nothing, Between::nothing));
    SECTION("who stores waits for it before it arrives") { ok(kernel(Between::stores, Between::nothing)); }
    SECTION("the other one waits for its own stores") { race(kernel(Between::nothing, Between::stores)); }
}

TEST_CASE("cn-tmem-disjoint")
{
    const auto kernel = [](bool one_page) {
        return tensors(
            [one_page](Kernel& k, TensorBlock& b, Sites&) {
                const auto out = k.output("out", {32, 64}, f32);
                const Axis tlane{"tlane"}, tcol{"tcol"};
                const auto t = b.tensor("t", {2, 32, 128}, Layout{{{2, 128, tcol}, {32, 1, tlane}, {128, 1, tcol}}});
                b.written_before_in(t(0, all, all));
                b.written_before_in(t(1, all, all));
                b.agent(0, [&](Scope w) { static_cast<void>(b.load(w, 0, t(0, all, Interval(one_page ? 0 : 64, 64)), &out)); });
                b.agent(second, [&](Scope w) {
                    static_cast<void>(b.store(w, second, one_page ? t(0, all, Interval(64, 64)) : t(1, all, Interval(0, 64)), 0));
                    w.wait_tensor_stores();
                });
            },
            {{"out", always(7)}});
    };
    ok(kernel(false));
    SECTION("two parts of one page") { ok(kernel(true)); }
}

TEST_CASE("cs-alias-tmem-war")
{
    const auto kernel = [](bool waits) {
        return tensors(
            [waits](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, 128}, f32);
                const auto t = b.tensor("t", {32, 256});
                b.set_up({1});
                b.written_before_in(t(all, Interval(0, 128)));
                int load = 0;
                b.agent(0, [&](Scope w) {
                    load = b.load(w, 0, t(all, Interval(0, 128)), &out);
                    w.wait_tensor_loads();
                    TensorBlock::hand_over(w, 0);
                });
                b.agent(second, [&](Scope w) {
                    if (waits) TensorBlock::see(w, 0);
                    sites = {{load, b.store(w, second, t(all, Interval(64, 64)), 0)}};
                    w.wait_tensor_stores();
                });
            },
            {{"out", always(7)}});
    };
    race(kernel(false));
    SECTION("the writer waits for the reader") { ok(kernel(true)); }
}
