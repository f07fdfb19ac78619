// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/pipeline.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/kernels/trial.hpp>

/// A pipeline expects the bytes that its copies bring, whatever the bits of their elements.
using namespace axe;
using enum DType;

TEST_CASE("pipeline: the bytes of types whose bits do not fill theirs are counted as they are copied")
{
    for (const DType type : {tf32, f16, e8m0, ue4m3}) {
        INFO(name(type));
        Kernel k("ring", machines::sm90);
        const auto A = k.input("A", {4, 8, 64}, type), D = k.output("D", {4, 8, 64}, type);
        one_block(k, 2, [&](Scope cta) {
            const auto a = cta.alloc(Role::shared, {2, 8, 64}, type, {}, "a");
            trial::through_two_stages(cta, D, a, A, 4);
        });
        const Program p = trial::written(k);
        const auto lowered = required(lower(p));
        CHECK(print(lowered->program).find("mbarrier::complete_tx::bytes") != std::string::npos);
        Bindings in;
        Array x = Array::make({4, 8, 64}, type).value();
        for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, static_cast<double>(1 << i % 4));
        in.set("A", std::move(x));
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.order = order;
            const auto report = without_fault(sim::run(lowered->program, in, options));
            for (std::int64_t i = 0; i < 4 * 8 * 64; ++i) REQUIRE(report->outputs.find("D")->at(i) == 1 << i % 4);
        }
    }
}
