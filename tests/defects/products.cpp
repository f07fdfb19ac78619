// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>

/// Asynchronous products of a warpgroup, of tiles that bulk copies bring.
namespace {

using namespace defects;

enum class Slip {
    no_full_wait,
    no_product_wait,
    released_early,
    one_wait_less,
    no_empty_wait,
    not_waited,
    register_read,
    register_written,
    none
};

constexpr int depth = 4, slots = 2, k_tile = 64, columns = 32;
double left(std::int64_t i) { return static_cast<double>(i * 7 % 11 - 5); }
double right(std::int64_t i) { return static_cast<double>(i * 5 % 13 - 6); }
double product(std::int64_t at)
{
    double sum = 0;
    for (int k = 0; k < depth * k_tile; ++k)
        sum += left(at / columns * (depth * k_tile) + k) * right(at % columns * (depth * k_tile) + k);
    return sum;
}

/// C = A·Bᵀ, 64 × 32 × 256, in f16 and f32. Warp 4 brings tiles of A and B to two slots; warps 0 to 3 multiply. mbarriers 0 and 1: the slot
/// is full; 2 and 3: it is empty again.
Pair ring(Slip slip)
{
    Pair p{machines::sm90, {}, {{"A", left}, {"B", right}}, {{"C", product}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Slip s) { return defect && s == slip; };
        const auto A = k.input("A", {64, depth * k_tile}, f16), B = k.input("B", {columns, depth * k_tile}, f16),
                   C = k.output("C", {64, columns}, f32);
        one_block(k, 5, [&](Scope cta) {
            const auto a =
                cta.alloc(Role::shared, {slots, 64, k_tile}, f16, "swizzle<3,4,3>/2((2,64,64):(4096,64,1))"_swizzled, "a");
            const auto b =
                cta.alloc(Role::shared, {slots, columns, k_tile}, f16, "swizzle<3,4,3>/2((2,32,64):(2048,64,1))"_swizzled, "b");
            const auto d =
                cta.alloc(Role::registers, {64, columns}, f32, "(4,2,8,4,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)"_axe, "d");
            cta.warps(0, 1, [&](Scope w) {
                for (int slot = 0; slot < slots; ++slot) w.mbarrier(init(slot, 1)).mbarrier(init(2 + slot, 4));
            });
            cta.sync();
            std::vector<int> loads, multiplied;
            cta.warps(4, 1, "producer", [&](Scope w) {
                for (int i = 0; i < depth; ++i) {
                    const int slot = i % slots;
                    if (!is(Slip::no_empty_wait)) w.mbarrier(wait_for(2 + slot, (i / slots + 1) % 2));
                    w.mbarrier(expect(slot, (64 + columns) * k_tile * 2));
                    loads.push_back(next(k));
                    w.copy_async(a(slot, all, all), A(all, Interval(k_tile * i, k_tile)), completes_on(slot));
                    w.copy_async(b(slot, all, all), B(all, Interval(k_tile * i, k_tile)), completes_on(slot));
                }
            });
            cta.warps(0, 4, "consumers", [&](Scope w) {
                for (int i = 0; i < depth; ++i) {
                    const int slot = i % slots;
                    if (!(is(Slip::no_full_wait) && i == 1)) w.mbarrier(wait_for(slot, i / slots % 2));
                    multiplied.push_back(next(k));
                    w.gemm(d, a(slot, all, all), b(slot, all, all), {.accumulate = i > 0, .transpose_b = true}, asynchronous());
                    if (is(Slip::register_written) && i == 1) {
                        marks = {next(k), multiplied[1]};
                        w.fill(d(Interval(0, 64), Interval(0, 8)), 0);
                    }
                    // One product stays on its way while the slot of the one before is given back.
                    if (i > 0) {
                        if (!is(Slip::released_early)) w.wait_products(is(Slip::one_wait_less) ? 2 : 1);
                        w.mbarrier(arrive(2 + (i - 1) % slots));
                    }
                }
                if (!is(Slip::no_product_wait) && !is(Slip::not_waited)) w.wait_products(0);
                if (is(Slip::no_product_wait)) marks = {next(k), multiplied[3]};
                if (slip != Slip::not_waited || !defect) w.copy(C, d);
            });
            switch (slip) {
            case Slip::no_full_wait: marks = {multiplied[1], loads[1]}; break;
            case Slip::released_early:
            case Slip::one_wait_less: marks = {loads[2], multiplied[0]}; break;
            case Slip::no_empty_wait: marks.at = loads[2] - 1; break;
            case Slip::not_waited: marks.at = multiplied[3]; break;
            default: break;
            }
        });
    };
    return p;
}

} // namespace

TEST_CASE("a ring of bulk copies and products is right in every order") { check_sound(ring(Slip::none)); }

TEST_CASE("a product reads a slot that is not full")
{
    check_fault(ring(Slip::no_full_wait), FaultKind::race,
                {"is read here and written by an asynchronous copy that completes on mbarrier 1"});
}

TEST_CASE("a slot is given back before the product has read it")
{
    check_fault(ring(Slip::released_early), FaultKind::race, {"read by an asynchronous product of agents 0 to 3"});
    check_fault(ring(Slip::one_wait_less), FaultKind::race, {"read by an asynchronous product of agents 0 to 3"});
}

TEST_CASE("a slot is filled while a product may read it")
{
    check_fault(ring(Slip::no_empty_wait), FaultKind::transaction, {"no wait before this arrival"});
}

TEST_CASE("a product's registers are read before a wait")
{
    check_fault(ring(Slip::no_product_wait), FaultKind::race,
                {"which the asynchronous product of statement", "hint: add wait_products()"});
}

TEST_CASE("a product's registers are written before a wait")
{
    check_fault(ring(Slip::register_written), FaultKind::race, {"which the asynchronous product of statement"});
}

TEST_CASE("an agent ends without a wait for its product")
{
    check_fault(ring(Slip::not_waited), FaultKind::async_unfinished, {"ends without a wait for the asynchronous product"});
}

TEST_CASE("a product of tiles that ordinary copies brought sees to the proxy fence itself, one that is left going does not")
{
    const auto pair = [](bool leave) {
        Pair p{machines::sm90, {}, {{"A", left}, {"B", right}}, {}};
        p.write = [leave](Kernel& k, bool defect, Marks& marks) {
            const auto A = k.input("A", {64, 64}, f16), B = k.input("B", {64, 64}, f16), C = k.output("C", {64, 64}, f32);
            one_block(k, 4, [&](Scope cta) {
                const auto a = cta.alloc(Role::shared, {64, 64}, f16, "swizzle<3,4,3>/2((64,64):(64,1))"_swizzled, "a");
                const auto b = cta.alloc(Role::shared, {64, 64}, f16, "swizzle<3,4,3>/2((64,64):(64,1))"_swizzled, "b");
                const auto d =
                    cta.alloc(Role::registers, {64, 64}, f32, "(4,2,8,8,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)"_axe, "d");
                cta.copy(a, A);
                marks.other = next(k) - 1;
                cta.copy(b, B);
                if (!defect && leave) cta.proxy_fence();
                cta.sync();
                marks.at = next(k);
                cta.gemm(d, a, b, {.accumulate = false}, leave ? asynchronous() : Options{});
                if (leave) cta.wait_products();
                cta.copy(C, d);
            });
        };
        return p;
    };
    check_sound(pair(false)); // B is MN-major here
    check_fault(pair(true), FaultKind::proxy, {"is read here by an asynchronous operation and was written by lane"});
}
