// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/nvidia/tcgen05/scales.hpp>
#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>

#include <cmath>

/// Products with block scales: one warp stores scales to shared memory, one copies them to tensor memory and multiplies.
namespace {

using namespace defects;

enum class ScaleSlip {
    no_proxy_fence,
    no_wait,
    never_copied,
    copied_over_before_read,
    no_fence_after,
    copied_by_other_without_fence,
    overwritten_before_copied,
    none
};

constexpr int scaled_rows = 128, scaled_columns = 16, scaled_depth = 128, scale_rounds = 2;
constexpr int scales_here = 0, scales_handed_over = 1, scales_read = 2,
              product_done = 3; // mbarriers; one of the last for each round
double scaled_left(std::int64_t i) { return static_cast<double>(i * 7 % 9 - 4); }
double scaled_right(std::int64_t i) { return static_cast<double>(i * 5 % 7 - 3); }
double scale_of_left(std::int64_t i) { return std::ldexp(1.0, static_cast<int>(i * 3 % 7) - 3); }
double scale_of_right(std::int64_t i) { return std::ldexp(1.0, static_cast<int>(i * 5 % 7) - 3); }
/// The sum over both rounds, which have scales of their own.
double scaled_sum(std::int64_t at)
{
    double sum = 0;
    for (int round = 0; round < scale_rounds; ++round)
        for (int k = 0; k < scaled_depth; ++k) {
            const std::int64_t row = at / scaled_columns, column = at % scaled_columns, s = k / 32;
            sum += scaled_left(row * scaled_depth + k) * scaled_right(column * scaled_depth + k) *
                   scale_of_left((round * 128 + row) * 4 + s) * scale_of_right(column * 4 + s);
        }
    return sum;
}

Pair scaled_rounds(ScaleSlip slip)
{
    Pair p{machines::sm100,
           {},
           {{"A", scaled_left}, {"B", scaled_right}, {"SFA", scale_of_left}, {"SFB", scale_of_right}},
           {{"D", scaled_sum}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](ScaleSlip s) { return defect && s == slip; };
        const auto A = k.input("A", {scaled_rows, scaled_depth}, e4m3), B = k.input("B", {scaled_columns, scaled_depth}, e4m3);
        const auto SFA = k.input("SFA", {scale_rounds, 128, 4}, e8m0), SFB = k.input("SFB", {128, 4}, e8m0);
        const auto D = k.output("D", {scaled_rows, scaled_columns}, f32);
        one_block(k, 7, [&](Scope cta) {
            const auto a = cta.alloc(Role::shared, A.shape(), e4m3, "swizzle<3,4,3>/1((128,128):(128,1))"_swizzled, "a");
            const auto b = cta.alloc(Role::shared, B.shape(), e4m3, "swizzle<3,4,3>/1((16,128):(128,1))"_swizzled, "b");
            const auto shared = shared_scale_layout({128, 4}).value(), in_tensors = tensor_scale_layout({128, 4}).value();
            const auto sa = cta.alloc(Role::shared, {128, 4}, e8m0, shared, "sa"),
                       sb = cta.alloc(Role::shared, {128, 4}, e8m0, shared, "sb");
            const auto ta = cta.alloc("tmem", {128, 4}, e8m0, in_tensors, "ta"),
                       tb = cta.alloc("tmem", {128, 4}, e8m0, in_tensors, "tb");
            const auto d = cta.alloc("tmem", {scaled_rows, scaled_columns}, f32, "(128,16):(1@tlane,1@tcol)"_axe, "d");
            const auto r =
                cta.alloc(Role::registers, {scaled_rows, scaled_columns}, f32, "(4,32,16):(1@warp,1@lane,1@reg)"_axe, "r");
            cta.warps(0, 1, [&](Scope w) {
                w.mbarrier(init(scales_here, 1)).mbarrier(init(product_done, 1)).mbarrier(init(product_done + 1, 1));
                w.mbarrier(init(scales_handed_over, 1)).mbarrier(init(scales_read, 1));
            });
            cta.warps(0, 4, [&](Scope w) { w.copy(a, A).copy(b, B).copy(sb, SFB).proxy_fence(); });
            cta.sync();
            std::vector<int> stores, copies, products;
            int load = -1;
            cta.warps(5, 1, "scaler", [&](Scope w) {
                const auto held = w.alloc(Role::registers, {128, 4}, e8m0, "(4,32,4):(4@reg,1@lane,1@reg) + 5@warp"_axe, "held");
                for (int i = 0; i < scale_rounds; ++i) {
                    w.copy(held, SFA(i, all, all));
                    if (i > 0 && !is(ScaleSlip::overwritten_before_copied)) w.mbarrier(wait_for(scales_read, 0));
                    stores.push_back(next(k));
                    w.copy(sa, held);
                    if (!is(ScaleSlip::no_proxy_fence)) w.proxy_fence();
                    w.mbarrier(arrive(scales_here));
                }
            });
            if (is(ScaleSlip::copied_by_other_without_fence))
                cta.warps(6, 1, "other", [&](Scope w) {
                    copies.push_back(next(k));
                    w.copy_async(tb, sb, asynchronous()).mbarrier(arrive(scales_handed_over));
                });
            cta.warps(4, 1, "products", [&](Scope w) {
                if (is(ScaleSlip::copied_by_other_without_fence))
                    w.mbarrier(wait_for(scales_handed_over, 0));
                else if (!is(ScaleSlip::never_copied))
                    w.copy_async(tb, sb);
                for (int i = 0; i < scale_rounds; ++i) {
                    if (i > 0 && !is(ScaleSlip::copied_over_before_read)) w.mbarrier(wait_for(product_done, 0));
                    if (!is(ScaleSlip::no_wait)) w.mbarrier(wait_for(scales_here, i));
                    if (i > 0 && !is(ScaleSlip::no_fence_after)) w.tensor_fence_after();
                    copies.push_back(next(k));
                    w.copy_async(ta, sa, completes_on(scales_read));
                    products.push_back(next(k));
                    w.scaled_gemm(d, a, b, ta, tb(Interval(0, scaled_columns), all), {.accumulate = i > 0, .transpose_b = true},
                                  completes_on(product_done + i));
                }
            });
            cta.warps(0, 4, "sums", [&](Scope w) {
                w.mbarrier(wait_for(product_done + 1, 0)).tensor_fence_after();
                load = next(k);
                w.copy_async(r, d).wait_tensor_loads().copy(D, r);
            });
            switch (slip) {
            case ScaleSlip::no_proxy_fence: marks = {copies[0], stores[0]}; break;
            case ScaleSlip::no_wait: marks = {stores[0], copies[0]}; break;
            case ScaleSlip::never_copied: marks = {products[0], -1}; break;
            case ScaleSlip::no_fence_after: marks.at = copies[1]; break;
            case ScaleSlip::copied_over_before_read: marks = {copies[1], products[0]}; break;
            case ScaleSlip::copied_by_other_without_fence: marks = {products[0], copies[0]}; break;
            case ScaleSlip::overwritten_before_copied: marks.at = stores[1] + 2; break; // an arrival too many
            default: break;
            }
        });
    };
    return p;
}

} // namespace

TEST_CASE("products with block scales that a warp stores, and another copies to tensor memory, are right in every order")
{
    check_sound(scaled_rounds(ScaleSlip::none));
}

TEST_CASE("scales are copied to tensor memory that were stored without a proxy fence")
{
    check_fault(scaled_rounds(ScaleSlip::no_proxy_fence), FaultKind::proxy, {"of sa"});
}

TEST_CASE("scales are copied to tensor memory before they are stored")
{
    check_fault(scaled_rounds(ScaleSlip::no_wait), FaultKind::race, {"of sa"});
}

TEST_CASE("a product reads scales in tensor memory that have no value")
{
    check_fault(scaled_rounds(ScaleSlip::never_copied), FaultKind::uninitialized, {"row, scale (0,0) of tb"});
}

TEST_CASE("scales in tensor memory are copied over before a product has read them")
{
    check_fault(scaled_rounds(ScaleSlip::copied_over_before_read), FaultKind::race,
                {"row, scale (0,0) of ta", "read by an operation of tensor memory of agent 4"});
}

TEST_CASE("scales in tensor memory are copied over after a wait for the product that reads them, without a fence")
{
    check_fault(scaled_rounds(ScaleSlip::no_fence_after), FaultKind::proxy,
                {"of ta", "without the fences of tensor memory between"});
}

TEST_CASE("a product reads scales in tensor memory that another agent has copied, without fences between")
{
    check_fault(scaled_rounds(ScaleSlip::copied_by_other_without_fence), FaultKind::proxy,
                {"of tb", "without the fences of tensor memory between"});
}

TEST_CASE("scales in shared memory are overwritten before they are copied")
{
    check_fault(scaled_rounds(ScaleSlip::overwritten_before_copied), FaultKind::transaction, {"no wait before this arrival"}, {},
                {FaultKind::race});
}
