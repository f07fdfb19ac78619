// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>
#include <tests/required.hpp>

/// Rings of stages as kernels in use have them, without a defect: D = A·Bᵀ, tiles brought by one warp, multiplied by warpgroups.
namespace {

using namespace defects;
using Int = std::int64_t;

constexpr Int k_tile = 64, columns = 16, rows = 64;

double left(Int i) { return static_cast<double>(i * 7 % 11 - 5); }
double right(Int i) { return static_cast<double>(i * 5 % 13 - 6); }
Numbers product(Int depth)
{
    return [depth](Int at) {
        double sum = 0;
        for (Int k = 0; k < depth; ++k) sum += left(at / columns * depth + k) * right(at % columns * depth + k);
        return sum;
    };
}

struct Ring {
    int tiles = 2, steps = 3, slots = 2;
    int groups = 2;           ///< warpgroups that multiply
    int behind = 0;           ///< products that go on while a stage before is given back
    bool ping_pong = false;   ///< tiles go to the warpgroups in turn; else each has rows of all tiles
    bool by_bulk = false;     ///< D goes to global memory through shared memory
    bool apart = false;       ///< A and B on mbarriers of their own
    bool one_arrives = false; ///< for all warps of a warpgroup, after they have met
};

class Writer {
  public:
    Writer(Kernel& k, const Ring& ring) : k_(k), r_(ring) {}

    void write()
    {
        const Int depth = r_.steps * k_tile, height = r_.ping_pong ? rows : rows * r_.groups;
        const auto A = k_.input("A", {r_.tiles * height, depth}, f16), B = k_.input("B", {columns, depth}, f16);
        const auto D = k_.output("D", {r_.tiles * height, columns}, f32);
        one_block(k_, 4 * r_.groups + 1, [&](Scope cta) {
            const auto a = cta.alloc(Role::shared, {r_.slots, height, k_tile}, f16, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, {r_.slots, columns, k_tile}, f16, conflict_free, "b");
            const auto out = cta.alloc(Role::shared, {r_.groups, rows, columns}, f32, {}, "out");
            cta.warps(4 * r_.groups, 1, [&](Scope w) { initialize(w); });
            cta.sync();
            cta.warps(4 * r_.groups, 1, "producer", [&](Scope w) {
                for (int i = 0; i < r_.tiles * r_.steps; ++i) {
                    const Interval of_a(i / r_.steps * height, height), s(i % r_.steps * k_tile, k_tile);
                    const int slot = i % r_.slots, turn = i / r_.slots;
                    w.mbarrier(wait_for(empty(slot), (turn + 1) % 2));
                    const int of_b = static_cast<int>(columns * k_tile * 2), of_all = static_cast<int>(height * k_tile * 2) + of_b;
                    w.mbarrier(expect(slot, r_.apart ? of_all - of_b : of_all));
                    w.copy_async(a(slot, all, all), A(of_a, s), completes_on(slot));
                    if (r_.apart) w.mbarrier(expect(full_b(slot), of_b));
                    w.copy_async(b(slot, all, all), B(all, s), completes_on(r_.apart ? full_b(slot) : slot));
                }
            });
            for (int g = 0; g < r_.groups; ++g)
                cta.warpgroups(g, 1, "math" + std::to_string(g), [&](Scope w) { multiply(w, g, a, b, D, out); });
        });
    }

  private:
    [[nodiscard]] int empty(int slot) const { return r_.slots + slot; }
    [[nodiscard]] int full_b(int slot) const { return 2 * r_.slots + slot; }
    [[nodiscard]] int order(int group) const { return 3 * r_.slots + group; }

    void initialize(Scope w) const
    {
        const int releases = r_.ping_pong ? 1 : r_.groups; // warpgroups that release a stage
        for (int slot = 0; slot < r_.slots; ++slot) {
            w.mbarrier(init(slot, 1)).mbarrier(init(empty(slot), releases * (r_.one_arrives ? 1 : 4)));
            if (r_.apart) w.mbarrier(init(full_b(slot), 1));
        }
        if (r_.ping_pong)
            for (int g = 0; g < r_.groups; ++g) w.mbarrier(init(order(g), 4));
    }

    void release(Scope w, int group, int i) const
    {
        const auto arrive_at = [&](Scope s) { s.mbarrier(arrive(empty(i % r_.slots))); };
        if (!r_.one_arrives) return arrive_at(w);
        w.sync();
        w.warps(4 * group, 1, arrive_at);
    }

    void multiply(Scope w, int g, const TensorRef& a, const TensorRef& b, const TensorRef& D, const TensorRef& out) const
    {
        const auto d = w.alloc(Role::accumulator, {rows, columns}, f32, accumulator, "d" + std::to_string(g));
        const Interval mine(r_.ping_pong ? 0 : g * rows, rows);
        for (int tile = r_.ping_pong ? g : 0; tile < r_.tiles; tile += r_.ping_pong ? r_.groups : 1) {
            const int round = tile / r_.groups;
            // The products of one tile come before those of the next, whoever multiplies it.
            if (r_.ping_pong) w.mbarrier(wait_for(order(g), (round + (g == 0 ? 1 : 0)) % 2));
            for (int step = 0; step < r_.steps; ++step) {
                const int i = tile * r_.steps + step, slot = i % r_.slots;
                w.mbarrier(wait_for(slot, i / r_.slots % 2));
                if (r_.apart) w.mbarrier(wait_for(full_b(slot), i / r_.slots % 2));
                w.gemm(d, a(slot, mine, all), b(slot, all, all), {.accumulate = step > 0, .transpose_b = true}, asynchronous());
                w.wait_products(r_.behind);
                if (step >= r_.behind) release(w, g, i - r_.behind);
            }
            if (r_.ping_pong && tile + 1 < r_.tiles) w.mbarrier(arrive(order((g + 1) % r_.groups)));
            w.wait_products(0);
            for (int late = std::min(r_.behind, r_.steps); late > 0; --late) release(w, g, (tile + 1) * r_.steps - late);
            const Int height = r_.ping_pong ? rows : rows * r_.groups;
            const ViewRef to = D(Interval(tile * height + (r_.ping_pong ? 0 : g * rows), rows), all);
            if (!r_.by_bulk) {
                w.copy(to, d);
                continue;
            }
            w.warps(4 * g, 1, [&](Scope one) { one.wait_sources(0); });
            w.sync();
            w.copy(out(g, all, all), d).proxy_fence().sync();
            w.warps(4 * g, 1, [&](Scope one) { one.copy_async(to, out(g, all, all)).commit(); });
        }
        if (r_.by_bulk) w.warps(4 * g, 1, [&](Scope one) { one.wait_sources(0); });
    }

    Kernel& k_;
    Ring r_;
};

/// As `check_sound`, lowered once.
void check(const Ring& ring)
{
    Pair p{machines::sm90, {}, {{"A", left}, {"B", right}}, {{"D", product(ring.steps * k_tile)}}};
    Kernel k("ring", p.machine);
    Writer(k, ring).write();
    const auto program = required(k.program());
    CHECK(validate(*program).empty());
    const auto lowered = required(lower(*program));
    const Bindings inputs = inputs_of(*program, p.given);
    auto ready = required(sim::prepare(lowered->program));
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        turns::each([&](sim::RunOptions options) {
            options.level = level;
            const auto report = without_fault(ready->run(inputs, options));
            CHECK(wrong(p, report->outputs) == 0);
        });
}

} // namespace

// [DeepGEMM 54e2261, deep_gemm/include/deep_gemm/impls/sm90_bf16_gemm.cuh]
TEST_CASE("two warpgroups that wait for each product before they release its stage")
{
    check({.tiles = 2, .steps = 3, .slots = 2});
}
TEST_CASE("the same, which stores D by bulk copies, each warpgroup its rows")
{
    check({.tiles = 3, .steps = 2, .slots = 3, .by_bulk = true});
}

// [CUTLASS 7107b055, cutlass/gemm/kernel/sm90_gemm_tma_warpspecialized_cooperative.hpp]
TEST_CASE("cooperative: a stage is released while the next product goes on")
{
    check({.tiles = 2, .steps = 4, .slots = 3, .behind = 1});
}
TEST_CASE("cooperative: two products go on") { check({.tiles = 2, .steps = 4, .slots = 4, .behind = 2}); }
TEST_CASE("cooperative: fewer steps than stages") { check({.tiles = 3, .steps = 1, .slots = 2, .behind = 1, .by_bulk = true}); }

// [CUTLASS 7107b055, cutlass/gemm/kernel/sm90_gemm_tma_warpspecialized_pingpong.hpp]
TEST_CASE("ping-pong: the warpgroups take tiles in turn, in order of their products")
{
    check({.tiles = 4, .steps = 2, .slots = 3, .ping_pong = true});
}
TEST_CASE("ping-pong: an odd number of tiles, stores by bulk copies, a product that goes on")
{
    check({.tiles = 3, .steps = 3, .slots = 2, .behind = 1, .ping_pong = true, .by_bulk = true});
}
TEST_CASE("ping-pong of three warpgroups") { check({.tiles = 5, .steps = 1, .slots = 2, .groups = 3, .ping_pong = true}); }

TEST_CASE("A and B on mbarriers of their own") { check({.tiles = 2, .steps = 3, .slots = 2, .apart = true}); }
TEST_CASE("one warp releases a stage for its warpgroup") { check({.tiles = 2, .steps = 3, .slots = 2, .one_arrives = true}); }
TEST_CASE("one warpgroup, one stage") { check({.tiles = 2, .steps = 2, .slots = 1, .groups = 1}); }
