// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// Asynchronous products of a warpgroup, and what touches the tiles that they read. The agent of these rows is a warpgroup, whose first
/// warp starts the copies.
namespace {

using namespace races;

constexpr int rows = 64, columns = 8, depth = 16;
const Scope::Gemm onto{.accumulate = true, .transpose_b = true}, anew{.accumulate = false, .transpose_b = true};

Options asynchronous()
{
    Options out;
    out.async = true;
    return out;
}

/// `repeats` times A·Bᵀ of counted A and B, in f32, one k after the other.
double product(std::int64_t at, int repeats)
{
    float sum = 0;
    for (int r = 0; r < repeats; ++r)
        for (int k = 0; k < depth; ++k) sum += static_cast<float>((at / columns * depth + k) * (at % columns * depth + k));
    return sum;
}

struct Operands {
    TensorRef A, B, C, a, b, d;
};
Operands allocate(Kernel& k, Scope cta, int slots)
{
    const Axis m{"m"};
    const auto ring = [&](std::int64_t mn) {
        return Swizzled<Layout>{Swizzle{1, 4, 3}, m, 2, Layout{{{slots, mn * depth, m}, {mn, depth, m}, {depth, 1, m}}}};
    };
    return {k.input("A", {rows, depth}, f16),
            k.input("B", {columns, depth}, f16),
            k.output("C", {rows, columns}, f32),
            cta.alloc(Role::shared, {slots, rows, depth}, f16, ring(rows), "a"),
            cta.alloc(Role::shared, {slots, columns, depth}, f16, ring(columns), "b"),
            cta.alloc(Role::registers, {rows, columns}, f32, "(4,2,8,4,2):(1@warp,2@reg,4@lane,1@lane,1@reg)"_axe, "d")};
}

/// A and B in slot 0, for asynchronous reads.
void preinitialize(Scope cta, const Operands& t)
{
    cta.copy(t.a(0, all, all), t.A).copy(t.b(0, all, all), t.B).proxy_fence().sync();
}

} // namespace

TEST_CASE("cs-pipeline-wgmma")
{
    const auto kernel = [](int slots) {
        return Variant{
            [slots](Kernel& k, Sites& sites) {
                constexpr int steps = 10;
                block(k, 4, [&](Block& b) {
                    const Operands t = allocate(k, b.cta, slots);
                    // LA of a slot, then LB.
                    b.set_up(std::vector<int>(static_cast<std::size_t>(2 * slots), 1));
                    std::vector<std::pair<int, int>> loads;
                    std::vector<int> products;
                    const auto bring = [&](int slot) {
                        b.cta.warps(0, 1, [&](Scope w) {
                            w.mbarrier(expect(slot, rows * depth * 2)).mbarrier(expect(slots + slot, columns * depth * 2));
                            const int at = b.at();
                            loads.emplace_back(at, at + 1);
                            w.copy_async(t.a(slot, all, all), t.A, completes_on(slot));
                            w.copy_async(t.b(slot, all, all), t.B, completes_on(slots + slot));
                        });
                    };
                    bring(0);
                    for (int i = 0; i < steps; ++i) {
                        const int slot = i % slots;
                        if (i + 1 < steps) bring((i + 1) % slots);
                        b.cta.mbarrier(wait_for(slot, i / slots % 2)).mbarrier(wait_for(slots + slot, i / slots % 2));
                        products.push_back(b.at());
                        b.cta.gemm(t.d, t.a(slot, all, all), t.b(slot, all, all), i == 0 ? anew : onto, asynchronous());
                        b.cta.wait_products(1);
                    }
                    b.cta.wait_products();
                    b.cta.copy(t.C, t.d);
                    // In iteration 1 the tiles of iteration 2 come, into slot 0 where there are two slots.
                    sites = {{loads[2].first, products[0]}, {loads[2].second, products[0]}};
                });
            },
            {{"C", [](std::int64_t i) { return product(i, 10); }}}};
    };
    race(kernel(2));
    SECTION("3 slots") { ok(kernel(3)); }
}

TEST_CASE("cs-wgmma-store")
{
    const auto kernel = [](bool store) {
        return Variant{[store](Kernel& k, Sites& sites) {
                           block(k, 4, [&](Block& b) {
                               const Operands t = allocate(k, b.cta, 1);
                               preinitialize(b.cta, t);
                               const int product = b.at();
                               b.cta.gemm(t.d, t.a(0, all, all), t.b(0, all, all), anew, asynchronous());
                               sites = {{product, b.at()}};
                               if (store) b.cta.fill(t.a, 1);
                               b.cta.wait_products();
                               b.cta.fill(t.a, 2);
                               b.cta.copy(t.C, t.d);
                           });
                       },
                       {{"C", [](std::int64_t i) { return product(i, 1); }}}};
    };
    race(kernel(true));
    SECTION("the store after the wait alone") { ok(kernel(false)); }
}

TEST_CASE("cs-wgmma-store-pending1")
{
    const auto kernel = [](bool store, int pending) {
        return Variant{[store, pending](Kernel& k, Sites& sites) {
                           block(k, 4, [&](Block& b) {
                               const Operands t = allocate(k, b.cta, 1);
                               preinitialize(b.cta, t);
                               b.cta.gemm(t.d, t.a(0, all, all), t.b(0, all, all), anew, asynchronous());
                               const int second = b.at();
                               b.cta.gemm(t.d, t.a(0, all, all), t.b(0, all, all), onto, asynchronous());
                               b.cta.wait_products(pending);
                               sites = {{second, b.at()}};
                               if (store) b.cta.fill(t.a, 1);
                               b.cta.wait_products();
                               b.cta.fill(t.a, 2);
                               b.cta.copy(t.C, t.d);
                           });
                       },
                       {{"C", [](std::int64_t i) { return product(i, 2); }}}};
    };
    race(kernel(true, 1));
    SECTION("the store after the last wait alone") { ok(kernel(false, 1)); }
    SECTION("the first wait is for both") { ok(kernel(true, 0)); }
}
