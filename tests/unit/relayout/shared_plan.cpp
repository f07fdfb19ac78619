// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/relayout.hpp>
#include <axe/relayout/threads.hpp>
#include <catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using namespace axe::literals;

} // namespace

TEST_CASE("a plan is run by several threads at once, each with buffers of its own, some with a pool between them")
{
    axe::RelayoutOptions filled;
    filled.padding = 7;
    const axe::Swizzled<axe::Layout> swizzled{{3, 4, 3}, {}, 4, "(120,130):(130,1)"_axe};
    const axe::RelayoutPlan plans[] = {
        axe::plan_relayout("(120,130):(1,120)"_axe, "(120,130):(130,1)"_axe, {120, 130}).value(),
        axe::plan_relayout({"(8,16,130):(2080,1,16)"_axe, {128, 130}}, "(120,130):(130,1)"_axe, {120, 130}, filled).value(),
        axe::plan_relayout(swizzled, "(120,130):(130,1)"_axe, {120, 130}).value(),
    };
    constexpr std::size_t elements = 128 * 136;
    std::vector<std::int32_t> source(elements);
    for (std::size_t i = 0; i < elements; ++i) source[i] = static_cast<std::int32_t>(i);
    std::vector<std::vector<std::int32_t>> expected;
    for (const auto& plan : plans) {
        expected.emplace_back(elements, -1);
        REQUIRE(plan.run(expected.back().data(), 4 * elements, source.data(), 4 * elements).ok());
    }
    axe::ThreadPool pool(2); // callers take turns
    std::atomic<int> wrong{0};
    const auto work = [&](std::size_t self) {
        for (std::size_t round = 0; round < 20; ++round) {
            const std::size_t which = (self + round) % 3;
            std::vector<std::int32_t> target(elements, -1);
            const bool shares = round % 2 == 0;
            const axe::Result<void, axe::Problem> p =
                shares ? plans[which].run(target.data(), 4 * elements, source.data(), 4 * elements, 3, pool)
                       : plans[which].run(target.data(), 4 * elements, source.data(), 4 * elements);
            if (!p.ok() || target != expected[which]) ++wrong;
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < 4; ++t) threads.emplace_back(work, t);
    }
    CHECK(wrong == 0);
}
