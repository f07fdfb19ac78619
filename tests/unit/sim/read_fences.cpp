// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>

using namespace axe;
using Action = Mbarrier::Action;
using sim::FaultKind;

/// `RunOptions::reads_need_fence`: a slot that ordinary accesses have read, and a bulk copy fills again.
namespace {

/// Three tiles through one slot: warp 0 brings them; warps 1 and 2 store a half of each, and, if they write, change it before.
Program tiles_of_slot(bool writes)
{
    Kernel k("slot", machines::sm90);
    const auto A = k.input("A", {3, 64}, DType::f32), C = k.output("C", {3, 64}, DType::f32);
    one_block(k, 3, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {64}, DType::f32, {}, "s");
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::init, 1, 2, {}}); }).sync();
        cta.warps(0, 1, [&](Scope w) {
            for (int i = 0; i < 3; ++i) {
                w.mbarrier({Action::wait, 1, 0, (i + 1) % 2}).mbarrier({Action::expect_bytes, 0, 256, {}});
                Options options;
                options.completes_on = 0;
                w.copy_async(s, A(i, all), options);
            }
        });
        for (int half = 0; half < 2; ++half)
            cta.warps(1 + half, 1, [&](Scope w) {
                const Interval mine(32 * half, 32);
                for (int i = 0; i < 3; ++i) {
                    w.mbarrier({Action::wait, 0, 0, i % 2});
                    if (writes) w.unary(Function::neg, s(mine), s(mine)).unary(Function::neg, s(mine), s(mine));
                    w.copy(C(i, mine), s(mine)).mbarrier({Action::arrive, 1, 0, {}});
                }
            });
    });
    return k.program().value();
}

sim::Report run_of(bool writes, const sim::RunOptions& options)
{
    Bindings inputs;
    Array a = Array::make({3, 64}, DType::f32).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i));
    inputs.set("A", std::move(a));
    const auto lowered = required(lower(tiles_of_slot(writes)));
    return sim::run(lowered->program, inputs, options).value();
}

} // namespace

TEST_CASE("reads without a proxy fence before a bulk copy are a fault, and accepted by an option", "[sim]")
{
    for (const sim::RunOrder order : sim::all_run_orders) {
        CAPTURE(name(order));
        sim::RunOptions options;
        options.order = order;
        CHECK(run_of(false, options).fault.kind == FaultKind::proxy);
        options.reads_need_fence = false;
        const sim::Report report = without_fault(run_of(false, options));
        for (std::int64_t i = 0; i < 192; ++i) CHECK(report.outputs.find("C")->at(i) == static_cast<double>(i));
    }
}

TEST_CASE("writes without a proxy fence before a bulk copy are a fault, whatever the option", "[sim]")
{
    sim::RunOptions options;
    for (const bool need : {true, false}) {
        options.reads_need_fence = need;
        CHECK(run_of(true, options).fault.kind == FaultKind::proxy);
    }
}
