// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/tensors.hpp>

/// Tensor memory in clusters: copies to several blocks, products of two, commits that arrive in several.
namespace {

using namespace races;

/// A cluster of so many blocks with tensor memory.
Variant in_clusters(int blocks, const std::function<void(Kernel&, TensorBlock&, const Tile&, Sites&)>& body, int agents = 4)
{
    return {[=](Kernel& k, Sites& sites) {
                k.cta(
                    tiles(Shape{blocks}, Shape{1}), {{blocks}, false},
                    [&](Scope cta, const Tile& t) {
                        TensorBlock b{{k, cta}};
                        body(k, b, t, sites);
                    },
                    agents);
            },
            {},
            machines::sm100};
}

Expression is_rank(const Tile& t, int rank) { return equals(Expression(t.rank), rank); }
Options of_pair(int on, int mask = 0)
{
    Options out = completes_on(on);
    out.pair = true;
    out.multicast = static_cast<std::uint16_t>(mask);
    return out;
}
/// Starts a product of the pair.
int start_product(const Kernel& k, Scope w, const ViewRef& d, const ViewRef& a, const ViewRef& b, int on, int mask)
{
    const int out = next(k);
    w.gemm(d, a, b, {.accumulate = false, .transpose_b = true}, of_pair(on, mask));
    return out;
}

} // namespace

TEST_CASE("cs-collapsed-barrier-peer")
{
    const auto kernel = [](bool each_waits) {
        return in_clusters(2, [=](Kernel& k, TensorBlock& b, const Tile& t, Sites& sites) {
            const auto A = k.input("A", {256, 16}, f16), B = k.input("B", {32, 16}, f16);
            const auto a = b.operand("a", 128), c = b.operand("c", 16);
            const auto d = b.tensor("d", {128, 32});
            const auto r = b.cta.alloc(Role::registers, {128, 16}, f16, "(4,32,16):(1@warp,1@lane,1@reg)"_axe, "r");
            const auto back = k.output("back", {256, 16}, f16);
            const int own = (128 + 16) * 16 * 2;
            b.written_before({a});
            // One mbarrier of the pair, or, so that each block waits, one of its own.
            b.cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, each_waits ? 1 : 2)).mbarrier(init(1, 1)); });
            b.cta.cluster_sync();
            int loaded = -1;
            b.cta.warps(0, 1, [&](Scope w) {
                Options how = of_pair(0);
                how.pair = !each_waits;
                if (each_waits)
                    w.mbarrier(expect(0, own));
                else
                    w.mbarrier({Mbarrier::Action::expect_bytes, 0, own, {}, Affine(0)});
                loaded = b.at();
                w.copy_async(a, A(Interval(t.rank * 128, 128), all), how);
                w.copy_async(c, B(Interval(t.rank * 16, 16), all), how);
            });
            if (each_waits)
                b.cta.mbarrier(wait_for(0));
            else
                b.cta.when(is_rank(t, 0), [&] { b.cta.mbarrier(wait_for(0)); });
            sites = {{b.at(), loaded}, {b.at() + 1, loaded}};
            b.cta.copy(r, a).copy(a, r).proxy_fence().cluster_sync();
            b.cta.when(is_rank(t, 0),
                       [&] { b.agent(0, [&](Scope w) { static_cast<void>(start_product(k, w, d, a, c, 1, 0b11)); }); });
            b.cta.mbarrier(wait_for(1));
            b.cta.copy(back(Interval(t.rank * 128, 128), all), r).cluster_sync();
        });
    };
    race(kernel(false));
    SECTION("each block waits") { ok(kernel(true)); }
}

TEST_CASE("cs-commit-multicast-count")
{
    const auto kernel = [](int count) {
        return in_clusters(2, [=](Kernel& k, TensorBlock& b, const Tile& t, Sites& sites) {
            const auto A = k.input("A", {256, 16}, f16), B = k.input("B", {32, 16}, f16);
            const auto a = b.operand("a", 128), c = b.operand("c", 16);
            const auto d = b.tensor("d", {128, 32});
            b.cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)).mbarrier(init(1, count)); });
            b.cta.cluster_sync();
            b.cta.warps(0, 1, [&](Scope w) {
                w.when(is_rank(t, 0), [&] { w.mbarrier(expect(0, 2 * (128 + 16) * 16 * 2)); });
                w.copy_async(a, A(Interval(t.rank * 128, 128), all), of_pair(0));
                w.copy_async(c, B(Interval(t.rank * 16, 16), all), of_pair(0));
                w.when(is_rank(t, 0), [&] {
                    w.mbarrier(wait_for(0));
                    static_cast<void>(start_product(k, w, d, a, c, 1, 0b11));
                });
            });
            sites = {{b.at(), -1}};
            b.cta.mbarrier(wait_for(1)).cluster_sync();
        });
    };
    fault(kernel(2), FaultKind::deadlock);
    SECTION("one arrival") { ok(kernel(1)); }
}

TEST_CASE("cs-multicast-mma-missing-commit")
{
    const auto kernel = [](bool to_all) {
        return in_clusters(4, [=](Kernel& k, TensorBlock& b, const Tile& t, Sites& sites) {
            const auto A = k.input("A", {4, 256, 16}, f16), B = k.input("B", {4, 64, 16}, f16);
            const auto a = b.operand("a", 128), c = b.operand("c", 16);
            const auto d = b.tensor("d", {128, 32});
            b.cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)).mbarrier(init(1, to_all ? 2 : 1)); });
            b.cta.cluster_sync();
            b.agent(0, [&](Scope w) {
                std::vector<int> loads, products;
                for (int i = 0; i < 4; ++i) {
                    if (i > 0) w.mbarrier(wait_for(1, (i - 1) % 2)); // the products of the tile before
                    for (const int first : {0, 2})
                        w.when(is_rank(t, first), [&] { w.mbarrier(expect(0, 2 * (128 + 16) * 16 * 2)); });
                    for (const int rank : {0, 1}) // the first pair brings the rows of A for both
                        w.when(is_rank(t, rank), [&] {
                            loads.push_back(b.at());
                            w.copy_async(a, A(i, Interval(rank * 128, 128), all), of_pair(0, 0b101 << rank));
                        });
                    w.copy_async(c, B(i, Interval(t.rank * 16, 16), all), of_pair(0));
                    for (const int first : {0, 2})
                        w.when(is_rank(t, first), [&] {
                            w.mbarrier(wait_for(0, i % 2));
                            products.push_back(start_product(k, w, d, a, c, 1, to_all ? 0b1111 : 3 << first));
                        });
                }
                for (const int load : loads) { // nor does the first pair know of the copy before
                    for (const int product : products) sites.push_back({load, product});
                    for (const int before : loads) sites.push_back({load, before});
                }
                w.mbarrier(wait_for(1, 1));
            });
            b.cta.cluster_sync();
        });
    };
    race(kernel(false));
    SECTION("commits to all blocks") { ok(kernel(true)); }
}

TEST_CASE("cn-cluster-barrier-pending-cp")
{
    const auto kernel = [](bool waits) {
        return in_clusters(2, [=](Kernel& k, TensorBlock& b, const Tile& t, Sites& sites) {
            const auto in = k.input("in", {128, 16}, f32);
            const auto s = b.source("s"), t0 = b.tensor("t0");
            const auto r = b.cta.alloc(Role::registers, {32, 16}, f32, "(32,16):(1@lane,1@reg)"_axe, "r");
            b.cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)).mbarrier(init(1, 1)); });
            b.written_before({s});
            b.cta.cluster_sync();
            int copied = -1;
            const auto complete = [&](Scope w) {
                TensorBlock::commit(w, 1);
                w.mbarrier(wait_for(1));
            };
            b.agent(0, [&](Scope w) {
                w.copy(r, s(Interval(0, 32), all)).proxy_fence();
                copied = b.copy(w, t0, s);
                if (waits) complete(w);
            });
            b.cta.cluster_sync().proxy_fence();
            b.agent(0, [&](Scope w) {
                w.mbarrier(expect(0, 128 * 16 * 4));
                w.when(is_rank(t, 0), [&] {
                    Options how = completes_on(0);
                    how.multicast = 0b11;
                    sites = {{b.at(), copied}};
                    w.copy_async(s, in, how);
                });
                w.mbarrier(wait_for(0));
                if (!waits) complete(w);
            });
            b.cta.cluster_sync();
        });
    };
    race(kernel(false));
    SECTION("the copy is complete before") { ok(kernel(true)); }
}
