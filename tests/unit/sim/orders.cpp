// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>
#include <axe/text/literals.hpp>
#include <set>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using sim::RunOrder;
using Action = Mbarrier::Action;

/// Orders of a run. What tells them apart are programs that lack a wait or a barrier, run without checks.
namespace {

sim::Report run_in(const Program& program, const Bindings& inputs, sim::RunOptions options)
{
    const auto lowered = required(lower(program));
    auto report = sim::run(lowered->program, inputs, options);
    INFO((report ? report->fault.text : report.error().text));
    REQUIRE(report.has_value());
    return std::move(*report);
}
sim::RunOptions unchecked(RunOrder order, std::uint64_t seed = 0)
{
    sim::RunOptions options;
    options.level = sim::Level::fast;
    options.order = order;
    options.seed = seed;
    return options;
}
Bindings numbered(const char* name, const Shape& shape, DType type)
{
    Bindings inputs;
    Array a = Array::make(shape, type).value();
    for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i + 1));
    inputs.set(name, std::move(a));
    return inputs;
}
Options completes_on(int id)
{
    Options out;
    out.completes_on = id;
    return out;
}

/// `body` in one block, whose agents set up mbarrier 0 for one arrival before.
Program with_mbarrier(int agents, const std::function<void(Kernel&, Scope)>& body)
{
    Kernel k("orders", machines::sm90);
    one_block(k, agents, [&](Scope cta) {
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Action::init, 0, 1, {}}); });
        cta.sync();
        body(k, cta);
    });
    return k.program().value();
}

/// Every agent writes its number to D(0) and to D(1 + number).
Program writers(int agents)
{
    return with_mbarrier(agents, [&](Kernel& k, Scope cta) {
        const auto D = k.output("D", {1 + agents}, i32);
        for (int a = 0; a < agents; ++a)
            cta.warps(a, 1, [&](Scope w) { w.fill(D(Interval(0, 1)), a).fill(D(Interval(1 + a, 1)), a); });
    });
}

} // namespace

TEST_CASE("orders: a name for each, and back", "[sim][orders]")
{
    for (const RunOrder order : sim::all_run_orders) CHECK(sim::run_order(name(order)) == order);
    CHECK_FALSE(sim::run_order("last").has_value());
    CHECK_FALSE(sim::run_order("").has_value());
}

TEST_CASE("orders: agents have turns by their numbers, reversed, or by chance, which the seed repeats", "[sim][orders]")
{
    const Program program = writers(4);
    const auto last = [&](RunOrder order, std::uint64_t seed) {
        const sim::Report report = run_in(program, {}, unchecked(order, seed));
        for (int a = 0; a < 4; ++a) CHECK(report.outputs.find("D")->at(1 + a) == a);
        return report.outputs.find("D")->at(0);
    };
    for (const RunOrder order : {RunOrder::issue, RunOrder::early, RunOrder::late}) CHECK(last(order, 7) == 3);
    CHECK(last(RunOrder::reversed, 7) == 0);
    std::set<double> found;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        found.insert(last(RunOrder::random, seed));
        CHECK(last(RunOrder::random, seed) == last(RunOrder::random, seed));
    }
    CHECK(found == std::set<double>{0, 1, 2, 3});
}

TEST_CASE("orders: a copy to shared memory arrives at its start, or when a wait for its phase needs it", "[sim][orders]")
{
    const Program program = with_mbarrier(1, [&](Kernel& k, Scope cta) {
        const auto A = k.input("A", {32}, f32), D = k.output("D", {2, 32}, f32);
        const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
        cta.fill(s, -1).proxy_fence();
        cta.mbarrier({Action::expect_bytes, 0, 128, {}}).copy_async(s, A, completes_on(0));
        cta.copy(D(0, all), s).mbarrier({Action::wait, 0, 0, 0}).copy(D(1, all), s);
    });
    const Bindings inputs = numbered("A", {32}, f32);
    for (const RunOrder order : sim::all_run_orders) {
        const sim::Report report = run_in(program, inputs, unchecked(order));
        CAPTURE(name(order));
        const Array& D = *report.outputs.find("D");
        CHECK(D.at(32) == 1);
        if (order == RunOrder::random) continue;
        CHECK(D.at(0) == (order == RunOrder::late || order == RunOrder::reversed ? -1 : 1));
    }
    // With checks each order finds the race, and in the same words.
    std::set<std::string> texts;
    for (const RunOrder order : sim::all_run_orders) {
        sim::RunOptions options;
        options.order = order;
        const sim::Report report = run_in(program, inputs, options);
        CHECK(report.fault.kind == sim::FaultKind::race);
        texts.insert(report.fault.text);
    }
    CHECK(texts.size() == 1);
}

TEST_CASE("orders: a copy to global memory reads its source as late as a wait for sources, and writes as late as a wait",
          "[sim][orders]")
{
    // What is in the source when the copy starts is 1; before the wait for sources 2; after it 3.
    const Program program = with_mbarrier(1, [&](Kernel& k, Scope cta) {
        const auto D = k.inout("D", {32}, f32), seen = k.output("seen", {32}, f32);
        const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
        cta.fill(s, 1).proxy_fence().copy_async(D, s).commit();
        cta.fill(s, 2).wait_sources().fill(s, 3);
        cta.copy(seen, D).wait();
    });
    for (const RunOrder order : {RunOrder::issue, RunOrder::early, RunOrder::late}) {
        CAPTURE(name(order));
        const sim::Report report = run_in(program, numbered("D", {32}, f32), unchecked(order));
        const bool late = order == RunOrder::late;
        CHECK(report.outputs.find("D")->at(0) == (late ? 2 : 1));
        CHECK(report.outputs.find("seen")->at(0) == 1);
        CHECK(report.outputs.find("seen")->at(1) == (late ? 2 : 1)); // what D had before was 1, 2, 3, …
    }
}

TEST_CASE("orders: a copy that no agent waits for is done when its block ends", "[sim][orders]")
{
    const Program program = with_mbarrier(1, [&](Kernel& k, Scope cta) {
        const auto D = k.output("D", {32}, f32);
        const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
        cta.fill(s, 5).proxy_fence().copy_async(D, s).commit().wait_sources();
    });
    for (const RunOrder order : sim::all_run_orders)
        for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
            sim::RunOptions options = unchecked(order);
            options.level = level;
            const sim::Report report = run_in(program, {}, options);
            CHECK_FALSE(report.fault.found());
            CHECK(report.outputs.find("D")->at(31) == 5);
        }
}

TEST_CASE("orders: variables of an operation that is done later are those of its start", "[sim][orders]")
{
    const Program program = with_mbarrier(1, [&](Kernel& k, Scope cta) {
        const auto A = k.input("A", {8, 32}, f32), D = k.output("D", {8, 32}, f32);
        const auto s = cta.alloc(Role::shared, {8, 32}, f32, {}, "s");
        cta.mbarrier({Action::expect_bytes, 0, 8 * 128, {}});
        cta.loop(0, 8, 1, [&](const Affine& i) { cta.copy_async(s(i, all), A(i, all), completes_on(0)); });
        cta.mbarrier({Action::wait, 0, 0, 0});
        cta.loop(0, 8, 1, [&](const Affine& i) { cta.copy_async(D(i, all), s(i, all)).commit(); });
        cta.wait();
    });
    const Bindings inputs = numbered("A", {8, 32}, f32);
    for (const RunOrder order : sim::all_run_orders)
        for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
            CAPTURE(name(order));
            sim::RunOptions options = unchecked(order, 3);
            options.level = level;
            const sim::Report report = run_in(program, inputs, options);
            REQUIRE_FALSE(report.fault.found());
            for (std::int64_t i = 0; i < 256; ++i) CHECK(report.outputs.find("D")->at(i) == static_cast<double>(i + 1));
        }
}

TEST_CASE("orders: an asynchronous product adds when a wait needs it, from operands as they are then", "[sim][orders]")
{
    constexpr Layout rows = "(4,2,8,2,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)"_axe;
    Kernel k("product", machines::sm90);
    const auto A = k.input("A", {64, 64}, f16), D = k.output("D", {2, 64, 16}, f32);
    one_block(k, 4, [&](Scope cta) {
        const auto a = cta.alloc(Role::shared, {64, 64}, f16, "swizzle<3,4,3>/2((64,64):(64,1))"_swizzled, "a");
        const auto b = cta.alloc(Role::shared, {16, 64}, f16, "swizzle<3,4,3>/2((16,64):(64,1))"_swizzled, "b");
        const auto d = cta.alloc(Role::registers, {64, 16}, f32, rows, "d");
        cta.copy(a, A).fill(b, 1).fill(d, 0).proxy_fence().sync();
        cta.gemm(d, a, b, {.accumulate = true, .transpose_b = true}, {.async = true});
        cta.copy(D(0, all, all), d).wait_products().copy(D(1, all, all), d);
    });
    const Program program = k.program().value();
    const Bindings inputs = [] {
        Bindings out;
        Array x = Array::make({64, 64}, f16).value();
        for (std::int64_t i = 0; i < x.size(); ++i) x.set(i, 1);
        out.set("A", std::move(x));
        return out;
    }();
    for (const RunOrder order : {RunOrder::issue, RunOrder::early, RunOrder::late}) {
        CAPTURE(name(order));
        const sim::Report report = run_in(program, inputs, unchecked(order));
        CHECK(report.outputs.find("D")->at(64 * 16) == 64);
        CHECK(report.outputs.find("D")->at(0) == (order == RunOrder::late ? 0 : 64));
    }
}

TEST_CASE("orders: blocks of a random order do not depend on host threads", "[sim][orders]")
{
    Kernel k("blocks", machines::sm90);
    const auto D = k.output("D", {64}, i32);
    k.cta(
        tiles(64, 1),
        [&](Scope cta, const Tile& t) {
            for (int a = 0; a < 4; ++a) cta.warps(a, 1, [&](Scope w) { w.fill(D(Interval(t.index[0], 1)), a); });
        },
        4);
    const Program program = k.program().value();
    std::set<double> found;
    sim::RunOptions options = unchecked(RunOrder::random, 11);
    const sim::Report one = run_in(program, {}, options);
    options.threads = 3;
    const sim::Report three = run_in(program, {}, options);
    for (std::int64_t i = 0; i < 64; ++i) {
        CHECK(one.outputs.find("D")->at(i) == three.outputs.find("D")->at(i));
        found.insert(one.outputs.find("D")->at(i));
    }
    CHECK(found.size() == 4); // each block has chances of its own
}
