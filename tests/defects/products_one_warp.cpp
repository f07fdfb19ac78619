// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Products of a warpgroup of which one warp alone knows that an operand is there.
namespace {

using namespace defects;
using Action = Mbarrier::Action;

/// A and B arrive by bulk copies on mbarriers 0 and 1; all warps wait for both, or for B only those from `first` on.
Pair waited_for_by(int first, int count)
{
    Pair p{machines::sm90,
           {},
           {{"A", [](std::int64_t i) { return static_cast<double>(i % 5); }},
            {"B", [](std::int64_t i) { return i % 65 == 0 ? 1.0 : 0.0; }}},
           {}};
    p.wanted["C"] = [](std::int64_t i) { return static_cast<double>((i / 32 * 64 + i % 32) % 5); };
    p.write = [=](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {64, 64}, f16), B = k.input("B", {32, 64}, f16), C = k.output("C", {64, 32}, f32);
        one_block(k, 5, [&](Scope cta) {
            const auto a = cta.alloc(Role::shared, {64, 64}, f16, "swizzle<3,4,3>/2((64,64):(64,1))"_swizzled, "a");
            const auto b = cta.alloc(Role::shared, {32, 64}, f16, "swizzle<3,4,3>/2((32,64):(64,1))"_swizzled, "b");
            const auto d =
                cta.alloc(Role::registers, {64, 32}, f32, "(4,2,8,4,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)"_axe, "d");
            cta.warps(0, 1, [&](Scope w) { w.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::init, 1, 1, {}}); });
            cta.sync();
            cta.warps(4, 1, "producer", [&](Scope w) {
                w.mbarrier({Action::expect_bytes, 0, 64 * 64 * 2, {}}).copy_async(a, A, {.completes_on = 0});
                w.mbarrier({Action::expect_bytes, 1, 32 * 64 * 2, {}});
                marks.other = next(k);
                w.copy_async(b, B, {.completes_on = 1});
            });
            cta.warps(0, 4, "consumers", [&](Scope w) {
                w.mbarrier({Action::wait, 0, 0, 0});
                w.warps(defect ? first : 0, defect ? count : 4, [&](Scope some) { some.mbarrier({Action::wait, 1, 0, 0}); });
                marks.at = next(k);
                w.gemm(d, a, b, {.accumulate = false, .transpose_b = true}, {.async = true}).wait_products();
                w.copy(C, d);
            });
        });
    };
    return p;
}

} // namespace

TEST_CASE("products: each warp of a warpgroup is to know that B is there")
{
    for (int first = 0; first < 4; ++first)
        for (int count = 1; first + count <= 4 && count < 4; ++count) {
            INFO("warps " << first << " to " << first + count - 1 << " wait");
            Marks marks;
            const Found f = find(waited_for_by(first, count), true, marks);
            CHECK(std::string(name(f.fault.kind)) == name(FaultKind::race));
            CHECK(f.fault.statement == marks.at);
            CHECK(f.fault.other_statement == marks.other);
            const int unaware = first > 0 ? 0 : count; // the first warp that has not waited
            CHECK(missing(f.text, {"agent " + std::to_string(unaware)}) == std::vector<std::string>{});
        }
    check_sound(waited_for_by(0, 4));
}
