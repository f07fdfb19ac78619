// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/tensors.hpp>

/// Products into tensor memory, and what touches their operands and sums.
namespace {

using namespace races;

constexpr double expected_sum = 49 * columns; ///< of operands that are 7

/// A block with acc, a and b, of which agent 0 starts acc = a·b.
struct One {
    TensorBlock& b;
    TensorRef acc, a, bt;
    explicit One(TensorBlock& block, const std::vector<int>& arrivals = {1})
        : b(block), acc(block.tensor("acc")), a(block.operand("a", rows)), bt(block.operand("b", columns))
    {
        b.set_up(arrivals);
    }
    [[nodiscard]] int product(Scope w, int on = -1, bool accumulate = false) const
    {
        return b.product(w, acc, a, bt, on, accumulate);
    }
};

/// Expects the bytes of a tile of f16, and starts a bulk copy of it; returns the copy's statement.
int bring(const TensorBlock& b, Scope w, const ViewRef& s, const ViewRef& g, int on)
{
    w.mbarrier(expect(on, bytes(s) / 2));
    const int out = b.at();
    w.copy_async(s, g, completes_on(on));
    return out;
}

} // namespace

TEST_CASE("jax-tc-mma-read-acc")
{
    enum class Form { early, right, committed, committed_early, nothing };
    const auto kernel = [](Form form) {
        return tensors(
            [form](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const One one(b);
                b.written_before({one.a, one.bt});
                b.agent(0, [&](Scope w) {
                    const int product = one.product(w, form == Form::early || form == Form::right ? 0 : -1);
                    if (form == Form::committed || form == Form::committed_early) TensorBlock::commit(w, 0);
                    if (form == Form::right || form == Form::committed) TensorBlock::see(w, 0);
                    sites = {{product, b.load(w, 0, quarter(one.acc), &out)}};
                    if (form == Form::nothing) TensorBlock::commit(w, 0);
                    if (form != Form::right && form != Form::committed) w.mbarrier(wait_for(0));
                });
            },
            {{"out", always(expected_sum)}});
    };
    race(kernel(Form::early));
    SECTION("the wait is between") { ok(kernel(Form::right)); }
    SECTION("a commit, and its wait, are between") { ok(kernel(Form::committed)); }
    SECTION("a commit is between, and its wait is after") { race(kernel(Form::committed_early)); }
    SECTION("neither is before") { race(kernel(Form::nothing)); }
}

TEST_CASE("jax-tc-mma-then-st-acc")
{
    const auto kernel = [](bool waits) {
        return tensors(
            [waits](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const One one(b);
                b.written_before({one.a, one.bt});
                b.agent(0, [&](Scope w) {
                    const int product = one.product(w, 0);
                    if (waits) TensorBlock::see(w, 0);
                    sites = {{product, b.store(w, 0, quarter(one.acc), 3)}};
                    w.wait_tensor_stores();
                    static_cast<void>(b.load(w, 0, quarter(one.acc), &out));
                    if (!waits) w.mbarrier(wait_for(0));
                });
            },
            {{"out", always(3)}});
    };
    race(kernel(false));
    SECTION("the wait is between") { ok(kernel(true)); }
}

TEST_CASE("jax-tc-ld-overwrite")
{
    const auto kernel = [](bool waits, bool copies) {
        return tensors(
            [waits, copies](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const One one(b);
                const auto s = b.source("src");
                b.written_before({one.a, one.bt, s});
                b.written_before_in(one.acc, 5);
                b.agent(0, [&](Scope w) {
                    const int load = b.load(w, 0, quarter(one.acc), &out);
                    if (waits) w.wait_tensor_loads();
                    sites = {{load, copies ? b.copy(w, one.acc, s, 0) : one.product(w, 0)}};
                    w.mbarrier(wait_for(0));
                });
            },
            {{"out", always(5)}});
    };
    race(kernel(false, false));
    SECTION("a wait for loads is between") { ok(kernel(true, false)); }
    SECTION("a copy overwrites it") { race(kernel(false, true)); }
    SECTION("a copy after a wait for loads") { ok(kernel(true, true)); }
}

TEST_CASE("jax-tc-st-lhs-mma")
{
    const auto kernel = [](bool waits, bool onto) {
        return tensors(
            [waits, onto](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const auto acc = b.tensor("acc");
                const auto at = b.cta.alloc("tmem", {rows, columns}, f16, {}, "A");
                const auto bt = b.operand("b", columns);
                b.set_up({1});
                b.written_before({bt});
                const Axis warp{"warp"}, lane{"lane"}, reg{"reg"};
                const Layout all_rows{{{4, 1, warp}, {32, 1, lane}, {columns, 1, reg}}};
                const auto x = b.cta.alloc(Role::registers, {rows, columns}, f16, all_rows, "x"),
                           y = b.cta.alloc(Role::registers, {rows, columns}, f32, all_rows, "y");
                b.cta.warps(0, 4, [&](Scope w) { w.fill(x, 2).fill(y, 1).copy(at, x).copy(acc, y).sync().tensor_fence_after(); });
                b.agent(0, [&](Scope w) {
                    const int store = b.at() + 1;
                    if (onto) {
                        static_cast<void>(b.store(w, 0, quarter(acc), 1));
                    } else {
                        const auto z = w.alloc(Role::registers, {32, columns}, f16, registers_of(0), "z");
                        w.fill(z, 3);
                        w.copy_async(at(Interval(0, 32), all), z);
                    }
                    if (waits) w.wait_tensor_stores();
                    sites = {{store + 1, b.product(w, acc, at, bt, 0, onto)}};
                    TensorBlock::see(w, 0);
                    static_cast<void>(b.load(w, 0, quarter(acc), &out));
                });
            },
            {{"out", always(onto ? 1 + 2 * 7 * columns : 3 * 7 * columns)}});
    };
    race(kernel(false, false));
    SECTION("a wait for stores is between") { ok(kernel(true, false)); }
    SECTION("the store is to sums that it adds to") { race(kernel(false, true)); }
    SECTION("the same with a wait for stores") { ok(kernel(true, true)); }
}

TEST_CASE("jax-tc-overwrite-smem-operand")
{
    enum class Write { fill, load };
    const auto kernel = [](bool waits, Write write) {
        return tensors([waits, write](Kernel& k, TensorBlock& b, Sites& sites) {
            const auto g = k.input("g", {columns, columns}, f16);
            const One one(b, {1, 1});
            b.written_before({one.a, one.bt});
            b.agent(0, [&](Scope w) {
                const int product = one.product(w, 0);
                if (waits) w.mbarrier(wait_for(0));
                if (write == Write::fill) {
                    sites = {{product, b.at()}};
                    w.fill(one.bt, 0);
                } else {
                    sites = {{product, bring(b, w, one.bt, g, 1)}};
                    w.mbarrier(wait_for(1));
                }
                if (!waits) w.mbarrier(wait_for(0));
            });
        });
    };
    race(kernel(false, Write::fill));
    SECTION("the wait is between") { ok(kernel(true, Write::fill)); }
    SECTION("a bulk copy overwrites it") { race(kernel(false, Write::load)); }
    SECTION("a bulk copy after the wait") { ok(kernel(true, Write::load)); }
}

TEST_CASE("jax-tc-overwrite-tmem-operand")
{
    const auto kernel = [](bool waits) {
        return tensors([waits](Kernel&, TensorBlock& b, Sites& sites) {
            const One one(b);
            const auto at = b.cta.alloc("tmem", {rows, columns}, f16, {}, "A");
            b.written_before({one.a, one.bt});
            b.agent(0, [&](Scope w) {
                static_cast<void>(b.copy(w, at, one.a));
                const int product = b.product(w, one.acc, at, one.bt, 0);
                if (waits) TensorBlock::see(w, 0);
                const auto z = w.alloc(Role::registers, {32, columns}, f16, registers_of(0), "z");
                w.fill(z, 0);
                sites = {{product, b.at()}};
                w.copy_async(at(Interval(0, 32), all), z);
                if (!waits) sites.emplace_back(product - 1, b.at() - 1);
                w.wait_tensor_stores();
                if (!waits) w.mbarrier(wait_for(0));
            });
        });
    };
    race(kernel(false));
    SECTION("the wait is between") { ok(kernel(true)); }
}

TEST_CASE("jax-tc-smem-store-mma-nofence")
{
    const auto kernel = [](bool fences) {
        return tensors(
            [fences](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const One one(b);
                b.written_before({one.bt});
                b.agent(0, [&](Scope w) {
                    const int store = b.at();
                    w.fill(one.a, 1);
                    if (fences) w.proxy_fence();
                    sites = {{store, one.product(w, 0)}};
                    TensorBlock::see(w, 0);
                    static_cast<void>(b.load(w, 0, quarter(one.acc), &out));
                });
            },
            {{"out", always(7 * columns)}});
    };
    fault(kernel(false), FaultKind::proxy);
    SECTION("a proxy fence is between") { ok(kernel(true)); }
}

TEST_CASE("jax-tc-cross-mma-pipelined")
{
    const auto kernel = [](bool commits, bool fences) {
        return tensors(
            [commits, fences](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const One one(b, {1, 1});
                b.written_before({one.a, one.bt});
                int first = 0;
                b.agent(0, [&](Scope w) {
                    first = one.product(w, commits ? 0 : -1);
                    if (!commits && fences) w.tensor_fence_before();
                    if (!commits) w.mbarrier(arrive(0));
                });
                b.agent(second, [&](Scope w) {
                    w.mbarrier(wait_for(0));
                    if (fences) w.tensor_fence_after();
                    sites = {{first, one.product(w, 1, true)}};
                    TensorBlock::see(w, 1);
                    static_cast<void>(b.load(w, second, quarter(one.acc), &out));
                });
            },
            {{"out", always(2 * expected_sum)}});
    };
    ok(kernel(false, true));
    SECTION("the product itself arrives") { ok(kernel(true, true)); }
    SECTION("fences of tensor memory are missing") { fault(kernel(false, false), FaultKind::proxy); }
    SECTION("the fence after the wait is missing") { fault(kernel(true, false), FaultKind::proxy); }
}

TEST_CASE("jax-tc-mma-barrier-other-agent")
{
    const auto kernel = [](bool fences) {
        return tensors(
            [fences](Kernel& k, TensorBlock& b, Sites& sites) {
                const auto out = k.output("out", {32, columns}, f32);
                const One one(b);
                b.written_before({one.a, one.bt});
                int product = 0;
                b.agent(0, [&](Scope w) { product = one.product(w, 0); });
                b.agent(second, [&](Scope w) {
                    w.mbarrier(wait_for(0));
                    if (fences) w.tensor_fence_after();
                    sites = {{product, b.load(w, second, quarter(one.acc), &out)}};
                });
            },
            {{"out", always(expected_sum)}});
    };
    ok(kernel(true));
    SECTION("the fence after the wait is missing") { fault(kernel(false), FaultKind::proxy); }
}

// The row says race, between the product and the load; the second arrival is already one in a phase whose predecessor no wait has seen.
TEST_CASE("jax-tc-shared-barrier-tma-mma")
{
    fault(tensors([](Kernel& k, TensorBlock& b, Sites& sites) {
              const auto g = k.input("g", {32}, f32), out = k.output("out", {32, columns}, f32);
              const One one(b);
              const auto d = b.smem("d");
              b.written_before({one.a, one.bt});
              b.agent(0, [&](Scope w) {
                  load(k, w, d, g, 0);
                  sites = {{one.product(w, 0), -1}};
                  TensorBlock::see(w, 0);
                  static_cast<void>(b.load(w, 0, quarter(one.acc), &out));
                  w.mbarrier(wait_for(0, 1));
              });
          }),
          FaultKind::transaction);
}

TEST_CASE("jax-tc-scope-exit-other-tmem")
{
    ok(tensors(
        [](Kernel& k, TensorBlock& b, Sites&) {
            const auto out = k.output("out", {32, columns}, f32);
            const One one(b);
            b.agent(0, [&](Scope w) {
                w.fill(one.a, 7).fill(one.bt, 7).proxy_fence();
                static_cast<void>(w.alloc("tmem", {rows, columns}, f32, {}, "dummy"));
                static_cast<void>(one.product(w, 0));
                TensorBlock::see(w, 0);
                static_cast<void>(b.load(w, 0, quarter(one.acc), &out));
            });
        },
        {{"out", always(expected_sum)}}));
}

TEST_CASE("cs-mma-then-access")
{
    enum class Then { load, fill, read, store };
    const auto kernel = [](bool waits, Then then) {
        return tensors([waits, then](Kernel& k, TensorBlock& b, Sites& sites) {
            const auto g = k.input("g", {rows, columns}, f16);
            const One one(b, {1, 1});
            b.written_before({one.a, one.bt});
            b.agent(0, [&](Scope w) {
                const int product = one.product(w, 0);
                if (waits) w.mbarrier(wait_for(0));
                switch (then) {
                case Then::load:
                    sites = {{product, bring(b, w, one.a, g, 1)}};
                    w.mbarrier(wait_for(1));
                    break;
                case Then::fill:
                    sites = {{product, b.at()}};
                    w.fill(one.a, 0);
                    break;
                case Then::read: sites = {{product, b.load(w, 0, quarter(one.acc))}}; break;
                case Then::store: sites = {{product, b.store(w, 0, quarter(one.acc), 0)}}; break;
                }
            });
        });
    };
    race(kernel(false, Then::load));
    SECTION("the wait is between") { ok(kernel(true, Then::load)); }
    SECTION("an ordinary store to the operand") { race(kernel(false, Then::fill)); }
    SECTION("a load of the sums") { race(kernel(false, Then::read)); }
    SECTION("a store to the sums") { race(kernel(false, Then::store)); }
}

TEST_CASE("cs-mma-alloc-reuse")
{
    race(tensors([](Kernel& k, TensorBlock& b, Sites& sites) {
        const auto in = k.input("in", {4, rows, columns}, f16);
        const auto acc = b.tensor("acc");
        const auto bt = b.operand("b", columns);
        b.set_up({1});
        b.written_before({bt});
        b.agent(0, [&](Scope w) {
            w.loop(0, 4, 1, [&](const Affine& i) {
                const auto a = w.alloc(Role::shared, {rows, columns}, f16, operand_layout(rows, 2), "a");
                const int store = b.at();
                w.copy(a, in(i, all, all)).proxy_fence();
                sites = {{store, b.product(w, acc, a, bt)}};
            });
            b.between(w, Between::commit);
        });
    }));
}

TEST_CASE("cs-pipeline-tma-mma")
{
    const auto kernel = [](int slots) {
        return tensors([slots](Kernel& k, TensorBlock& b, Sites& sites) {
            constexpr int depth = 10;
            const auto A = k.input("A", {depth, rows, columns}, f16), B = k.input("B", {depth, columns, columns}, f16);
            const auto acc = b.tensor("acc");
            const Axis m{"m"};
            const auto ring = [&](const char* name, std::int64_t n) {
                return b.cta.alloc(
                    Role::shared, {slots, n, columns}, f16,
                    Swizzled<Layout>{Swizzle{1, 4, 3}, m, 2, Layout{{{slots, n * columns, m}, {n, columns, m}, {columns, 1, m}}}},
                    name);
            };
            const auto a = ring("a", rows), bt = ring("b", columns);
            b.set_up(std::vector<int>(static_cast<std::size_t>(2 + slots), 1)); // the products' two, then one for each slot
            b.agent(0, [&](Scope w) {
                std::vector<int> loads, products;
                const auto bring_tiles = [&](int i) {
                    const int s = i % slots;
                    w.mbarrier(expect(2 + s, static_cast<int>((rows + columns) * columns * 2)));
                    loads.push_back(b.at());
                    w.copy_async(a(s, all, all), A(i, all, all), completes_on(2 + s));
                    w.copy_async(bt(s, all, all), B(i, all, all), completes_on(2 + s));
                };
                const auto multiply = [&](int i) {
                    w.mbarrier(wait_for(2 + i % slots, i / slots % 2));
                    products.push_back(b.product(w, acc, a(i % slots, all, all), bt(i % slots, all, all), i % 2, i > 0));
                };
                bring_tiles(0);
                bring_tiles(1);
                multiply(0);
                for (int i = 0; i < depth; ++i) {
                    if (i + 2 < depth) bring_tiles(i + 2);
                    if (i + 1 < depth) multiply(i + 1);
                    w.mbarrier(wait_for(i % 2, i / 2 % 2));
                }
                sites = {{products[0], loads[2]}};
            });
        });
    };
    race(kernel(2));
    SECTION("three slots") { ok(kernel(3)); }
}
