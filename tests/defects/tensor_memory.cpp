// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>

/// Products into tensor memory, of tiles that bulk copies bring, and loads of the sums.
namespace {

using namespace defects;

enum class Slip {
    no_full_wait,
    released_early,
    released_by_arrival,
    no_sums_wait,
    no_second_sums_wait,
    no_fence_after_sums_wait,
    no_loads_wait,
    no_fence_before_arrival,
    no_empty_sums_wait,
    no_fence_after_empty_wait,
    first_accumulates,
    sums_never_committed,
    run_adds_first,
    none
};

constexpr int depth = 3, slots = 2, k_tile = 64, columns = 16, tiles_of_rows = 2, rows = 128;
constexpr int full = 0, empty = slots, sums_full = 2 * slots, sums_empty = 2 * slots + 1; // mbarriers
double left(std::int64_t i) { return static_cast<double>(i * 7 % 11 - 5); }
double right(std::int64_t i) { return static_cast<double>(i * 5 % 13 - 6); }
double product(std::int64_t at)
{
    double sum = 0;
    for (int k = 0; k < depth * k_tile; ++k)
        sum += left(at / columns * (depth * k_tile) + k) * right(at % columns * (depth * k_tile) + k);
    return sum;
}

/// C = A·Bᵀ, 256 × 16 × 192, in f16 and f32, 128 rows after the other. Warp 5 brings tiles of A and B to two slots, warp 4 multiplies them,
/// warps 0 to 3 take the sums.
Pair ring(Slip slip)
{
    Pair p{machines::sm100, {}, {{"A", left}, {"B", right}}, {{"C", product}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Slip s) { return defect && s == slip; };
        const auto A = k.input("A", {tiles_of_rows * rows, depth * k_tile}, f16), B = k.input("B", {columns, depth * k_tile}, f16),
                   C = k.output("C", {tiles_of_rows * rows, columns}, f32);
        one_block(k, 6, [&](Scope cta) {
            const auto a =
                cta.alloc(Role::shared, {slots, rows, k_tile}, f16, "swizzle<3,4,3>/2((2,128,64):(8192,64,1))"_swizzled, "a");
            const auto b =
                cta.alloc(Role::shared, {slots, columns, k_tile}, f16, "swizzle<3,4,3>/2((2,16,64):(1024,64,1))"_swizzled, "b");
            const auto sums = cta.alloc("tmem", {rows, columns}, f32, "(128,16):(1@tlane,1@tcol)"_axe, "sums");
            const auto d = cta.alloc(Role::registers, {rows, columns}, f32, "(4,32,16):(1@warp,1@lane,1@reg)"_axe, "d");
            cta.warps(0, 1, [&](Scope w) {
                for (int s = 0; s < slots; ++s) w.mbarrier(init(full + s, 1)).mbarrier(init(empty + s, 1));
                w.mbarrier(init(sums_full, 1)).mbarrier(init(sums_empty, 4));
            });
            cta.sync();
            std::vector<int> copies, products, loads;
            cta.warps(5, 1, "producer", [&](Scope w) {
                for (int i = 0; i < tiles_of_rows * depth; ++i) {
                    const int s = i % slots;
                    w.mbarrier(wait_for(empty + s, (i / slots + 1) % 2));
                    w.mbarrier(expect(full + s, (rows + columns) * k_tile * 2));
                    const Interval at(k_tile * (i % depth), k_tile);
                    copies.push_back(next(k));
                    w.copy_async(a(s, all, all), A(Interval(i / depth * rows, rows), at), completes_on(full + s));
                    w.copy_async(b(s, all, all), B(all, at), completes_on(full + s));
                }
            });
            cta.warps(4, 1, "products", [&](Scope w) {
                for (int t = 0; t < tiles_of_rows; ++t) {
                    if (!(is(Slip::no_empty_sums_wait) && t == 1)) w.mbarrier(wait_for(sums_empty, (t + 1) % 2));
                    if (!(is(Slip::no_fence_after_empty_wait) && t == 1)) w.tensor_fence_after();
                    for (int x = 0; x < depth; ++x) {
                        const int i = t * depth + x, s = i % slots;
                        if (!(is(Slip::no_full_wait) && i == 1)) w.mbarrier(wait_for(full + s, i / slots % 2));
                        if (is(Slip::released_early)) w.mbarrier({Mbarrier::Action::commit, empty + s, 0, {}});
                        products.push_back(next(k));
                        if (slip == Slip::run_adds_first) // what the run says of the first product
                            w.loop(x, x + 1, 1, [&](const Affine& at) {
                                products.back() = next(k);
                                w.gemm(sums, a(s, all, all), b(s, all, all),
                                       {.transpose_b = true, .unless_zero = defect ? at + 1 : at}, asynchronous());
                            });
                        else
                            w.gemm(sums, a(s, all, all), b(s, all, all),
                                   {.accumulate = x > 0 || is(Slip::first_accumulates), .transpose_b = true}, asynchronous());
                        if (is(Slip::released_by_arrival)) w.mbarrier(arrive(empty + s));
                        if (!is(Slip::released_early) && !is(Slip::released_by_arrival))
                            w.mbarrier({Mbarrier::Action::commit, empty + s, 0, {}});
                    }
                    if (!(is(Slip::sums_never_committed) && t == 1)) w.mbarrier({Mbarrier::Action::commit, sums_full, 0, {}});
                }
            });
            int wait = -1;
            cta.warps(0, 4, "epilogue", [&](Scope w) {
                for (int t = 0; t < tiles_of_rows; ++t) {
                    wait = next(k);
                    if (!(is(Slip::no_sums_wait) && t == 0) && !(is(Slip::no_second_sums_wait) && t == 1))
                        w.mbarrier(wait_for(sums_full, t % 2));
                    if (!(is(Slip::no_fence_after_sums_wait) && t == 0)) w.tensor_fence_after();
                    loads.push_back(next(k));
                    w.copy_async(d, sums);
                    if (!is(Slip::no_loads_wait)) w.wait_tensor_loads();
                    if (!is(Slip::no_fence_before_arrival)) w.tensor_fence_before();
                    w.mbarrier(arrive(sums_empty));
                    w.copy(C(Interval(t * rows, rows), all), d);
                }
            });
            switch (slip) {
            case Slip::no_full_wait: marks = {products[1], copies[1]}; break;
            case Slip::released_early:
            case Slip::released_by_arrival: marks = {copies[2], products[0]}; break;
            case Slip::no_sums_wait: marks = {products[0], loads[0]}; break;
            case Slip::no_empty_sums_wait: marks = {loads[0], products[3]}; break;
            case Slip::no_second_sums_wait: marks.at = loads[0] + 3; break; // an arrival too many
            case Slip::no_fence_after_sums_wait: marks = {loads[0], products[2]}; break;
            case Slip::no_loads_wait:
            case Slip::no_fence_before_arrival:
            case Slip::no_fence_after_empty_wait: marks = {products[3], loads[0]}; break;
            case Slip::run_adds_first:
            case Slip::first_accumulates: marks.at = products[0]; break;
            case Slip::sums_never_committed: marks.at = wait; break;
            default: break;
            }
        });
    };
    return p;
}

/// Warp 0 loads 32 lanes of 64, those of a loop's counter.
Pair other_lanes()
{
    Pair p{machines::sm100, {}, {}, {{"C", [](std::int64_t) { return 3.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {32, 16}, f32);
        one_block(k, 2, [&](Scope cta) {
            const auto t = cta.alloc("tmem", {64, 16}, f32, {}, "t");
            const auto both = cta.alloc(Role::registers, {64, 16}, f32, "(2,32,16):(1@warp,1@lane,1@reg)"_axe, "both");
            const auto d = cta.alloc(Role::registers, {32, 16}, f32, "(32,16):(1@lane,1@reg)"_axe, "d");
            cta.fill(both, 3).copy(t, both).sync();
            cta.warps(0, 1, [&](Scope w) {
                w.loop(0, defect ? 2 : 1, 1, [&](const Affine& i) {
                    if (defect) marks.at = next(k);
                    w.copy(d, t(Interval(32 * i, 32), all));
                });
                w.copy(C, d);
            });
        });
    };
    return p;
}

/// Warp 0 stores to lanes 0 to 31 while a product writes the others; with the defect it writes lane 31, too.
Pair beside_a_product()
{
    Pair p{machines::sm100, {}, {{"A", left}, {"B", right}}, {{"C", [](std::int64_t) { return 3.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {128, k_tile}, f16), B = k.input("B", {columns, k_tile}, f16);
        const auto C = k.output("C", {32, columns}, f32);
        one_block(k, 4, [&](Scope cta) {
            const auto a = cta.alloc(Role::shared, {rows, k_tile}, f16, "swizzle<3,4,3>/2((128,64):(64,1))"_swizzled, "a");
            const auto b = cta.alloc(Role::shared, {columns, k_tile}, f16, "swizzle<3,4,3>/2((16,64):(64,1))"_swizzled, "b");
            const auto sums = cta.alloc("tmem", {rows, columns}, f32, "(128,16):(1@tlane,1@tcol)"_axe, "sums");
            const auto d = cta.alloc(Role::registers, {32, columns}, f32, "(32,16):(1@lane,1@reg)"_axe, "d");
            cta.copy(a, A).copy(b, B);
            cta.warps(1, 1, [&](Scope w) { w.mbarrier(init(0, 1)); });
            cta.proxy_fence().sync();
            cta.warps(1, 1, [&](Scope w) {
                marks.at = next(k);
                w.gemm(sums, a, b, {.accumulate = false, .transpose_b = true, .kept_rows = {defect ? 0x7fffffff : ~0u}},
                       completes_on(0));
                w.mbarrier(wait_for(0, 0));
            });
            cta.warps(0, 1, [&](Scope w) {
                w.fill(d, 3);
                marks.other = next(k);
                w.copy(sums(Interval(0, 32), all), d).copy(C, d);
            });
        });
    };
    return p;
}

} // namespace

TEST_CASE("a ring of bulk copies and products into tensor memory is right in every order") { check_sound(ring(Slip::none)); }

TEST_CASE("a product into tensor memory reads a slot that is not full")
{
    check_fault(ring(Slip::no_full_wait), FaultKind::race,
                {"is read here and written by an asynchronous copy that completes on mbarrier 1"});
}

TEST_CASE("a slot is given back before the product into tensor memory has read it")
{
    check_fault(ring(Slip::released_early), FaultKind::race, {"read by an operation of tensor memory of agent 4"});
    check_fault(ring(Slip::released_by_arrival), FaultKind::race, {"read by an operation of tensor memory of agent 4"});
}

TEST_CASE("sums in tensor memory are loaded before they are complete")
{
    check_fault(ring(Slip::no_sums_wait), FaultKind::race, {"of sums"});
    check_fault(ring(Slip::no_second_sums_wait), FaultKind::transaction, {"no wait before this arrival"}, {}, {FaultKind::race});
}

TEST_CASE("sums in tensor memory are loaded after a wait without a fence")
{
    check_fault(ring(Slip::no_fence_after_sums_wait), FaultKind::proxy,
                {"without the fences of tensor memory between", "hint: add tensor_fence_before()"});
}

TEST_CASE("sums in tensor memory are overwritten before they are loaded")
{
    check_fault(ring(Slip::no_loads_wait), FaultKind::race, {"read by an operation of tensor memory of agent"});
    check_fault(ring(Slip::no_empty_sums_wait), FaultKind::race, {"of sums"});
}

TEST_CASE("sums in tensor memory are overwritten after a hand-over without its fences")
{
    check_fault(ring(Slip::no_fence_before_arrival), FaultKind::proxy, {"without the fences of tensor memory between"});
    check_fault(ring(Slip::no_fence_after_empty_wait), FaultKind::proxy, {"without the fences of tensor memory between"});
}

TEST_CASE("a product adds to sums in tensor memory that have no value")
{
    check_fault(ring(Slip::first_accumulates), FaultKind::uninitialized, {"of sums"});
}

TEST_CASE("the run has the first product add to sums in tensor memory that have no value")
{
    check_fault(ring(Slip::run_adds_first), FaultKind::uninitialized, {"of sums"});
}

TEST_CASE("a product writes a lane of tensor memory that a warp stores to, which it was to keep")
{
    check_sound(beside_a_product());
    check_fault(beside_a_product(), FaultKind::race, {"of sums"});
}

TEST_CASE("products into tensor memory are never committed")
{
    check_fault(ring(Slip::sums_never_committed), FaultKind::deadlock, {"for phase 1 of mbarrier 4, which lacks 1 of 1 arrival"});
}

TEST_CASE("a warp loads lanes of tensor memory that are another's")
{
    check_fault(other_lanes(), FaultKind::wrong_owner,
                {"agent 0 accesses lanes 32 to 63 of tensor memory in t; it has lanes 0 to 31"});
}
