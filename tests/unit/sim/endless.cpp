// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>
#include <axe/sim/reference/comparison.hpp>
#include <axe/sim/reference/reference.hpp>
#include <axe/tensor/host_memory.hpp>

#include <chrono>

using namespace axe;
using enum axe::DType;
using sim::FaultKind;

/// Runs and verifications that would not end, or for which there is no memory: each ends with a message.

namespace {

/// One agent that waits for a flag that no agent sets.
Program spinning(bool outside)
{
    Kernel k("spin", machines::sm80);
    const auto F = k.inout("F", {1}, f32), D = k.inout("D", {32}, f32);
    const auto x = k.scalar("x");
    const auto grid = [&](bool spins) {
        one_block(k, 1, [&](Scope cta) {
            if (spins) cta.loop_while(equals(load(F(Interval(0))), 0), [&] { cta.assign(x, x + 1); });
            cta.fill(D, 1);
        });
    };
    if (outside) k.loop_while(equals(x, 0), [&] { k.assign(x, x * 1); });
    grid(!outside);
    return k.program().value();
}

Bindings inputs_of(const Program& p)
{
    Bindings in;
    for (const ProgramTensor& t : p.tensors)
        if (t.binding == Binding::input || t.binding == Binding::inout) in.set(t.name, Array::make(t.shape, t.dtype).value());
    return in;
}

Result<sim::Report, Problem> run_lowered(const Program& p, const sim::RunOptions& options = {})
{
    const auto lowered = required(lower(p));
    const Bindings in = inputs_of(p);
    return sim::run(lowered->program, in, options);
}

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

TEST_CASE("an agent or a device that spins ends at a number of steps, and the fault says how to raise it", "[sim][endless]")
{
    CHECK(sim::RunOptions{}.most_steps == 100'000'000);
    for (const bool outside : {false, true})
        for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
            sim::RunOptions options;
            options.level = level;
            options.counters = false;
            options.most_steps = 1000;
            const auto report = run_lowered(spinning(outside), options);
            REQUIRE(report.has_value());
            CHECK(report->fault.kind == FaultKind::endless);
            INFO(report->fault.text);
            CHECK(report->fault.text.find(outside ? "device 0 has run 1000 steps" : "agent 0 has run 1000 steps") !=
                  std::string::npos);
            CHECK(report->fault.text.find("hint: raise `most_steps`") != std::string::npos);
        }
}

TEST_CASE("a long loop without a condition counts its steps, all agents together or each by itself", "[sim][endless]")
{
    Kernel k("long", machines::sm80);
    const auto D = k.output("D", {128}, f32);
    k.cta(tiles(1, 1),
          [&](Scope cta, const Tile&) { cta.loop(0, std::int64_t{1} << 60, 1, [&](const Affine&) { cta.fill(D, 0).sync(); }); });
    const Program p = k.program().value();
    std::string texts[2];
    for (const bool counters : {false, true}) { // without counters, agents go together
        sim::RunOptions options;
        options.level = sim::Level::fast;
        options.counters = counters;
        options.most_steps = 5000;
        const auto report = run_lowered(p, options);
        REQUIRE(report.has_value());
        CHECK(report->fault.kind == FaultKind::endless);
        texts[counters ? 1 : 0] = report->fault.text;
    }
    CHECK(texts[0] == texts[1]);
}

TEST_CASE("progress is asked inside blocks, and stops them", "[sim][endless]")
{
    for (const bool outside : {false, true})
        for (const int threads : {1, 2})
            for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
                sim::RunOptions options;
                options.level = level;
                options.counters = false;
                options.threads = threads;
                options.most_steps = 0;
                const auto start = std::chrono::steady_clock::now();
                int calls = 0;
                options.progress = [&](std::int64_t done, std::int64_t known) {
                    CHECK(done == 0);
                    CHECK(known == (outside ? 0 : 1));
                    return ++calls < 3;
                };
                const auto report = run_lowered(spinning(outside), options);
                REQUIRE(report.has_value());
                CHECK(report->fault.kind == FaultKind::stopped);
                CHECK(report->fault.text.find("the run was stopped") != std::string::npos);
                CHECK(calls == 3);
                CHECK(seconds_since(start) < 5);
            }
}

TEST_CASE("a loop that all agents go through together is stopped, too", "[sim][endless]")
{
    Kernel k("long", machines::sm80);
    const auto D = k.output("D", {128}, f32);
    k.cta(tiles(1, 1),
          [&](Scope cta, const Tile&) { cta.loop(0, std::int64_t{1} << 60, 1, [&](const Affine&) { cta.fill(D, 0).sync(); }); });
    sim::RunOptions options;
    options.level = sim::Level::fast;
    options.counters = false;
    options.most_steps = 0;
    options.progress = [](std::int64_t, std::int64_t) { return false; };
    const auto report = run_lowered(k.program().value(), options);
    REQUIRE(report.has_value());
    CHECK(report->fault.kind == FaultKind::stopped);
}

TEST_CASE("a reference is stopped inside an operator and between statements", "[sim][endless]")
{
    const auto stopped_within = [](const Program& p, double most) {
        const Bindings in = inputs_of(p);
        ReferenceOptions options;
        auto asked = std::chrono::steady_clock::now();
        std::int64_t calls = 0;
        options.progress = [&](std::int64_t statements) {
            CHECK(statements >= 0);
            asked = std::chrono::steady_clock::now();
            return ++calls < 2;
        };
        const auto start = std::chrono::steady_clock::now();
        const auto found = reference(p, in, options);
        REQUIRE(!found.has_value());
        CHECK(found.error().code == errc::too_hard);
        CHECK(found.error().text.find("the caller stopped the reference") != std::string::npos);
        CHECK(calls == 2);
        CHECK(seconds_since(asked) < most);
        CHECK(seconds_since(start) < 10);
    };
    { // a loop of very many statements
        Kernel k("loop", machines::sm80);
        const auto D = k.inout("D", {32}, f32);
        one_block(k, 1, [&](Scope cta) {
            cta.loop(0, std::int64_t{1} << 50, 1, [&](const Affine&) { cta.unary(Function::neg, D, D); });
        });
        stopped_within(k.program().value(), 1);
    }
    { // one operator that takes minutes
        Kernel k("product", machines::sm80);
        const auto A = k.input("A", {3000, 3000}, f16), B = k.input("B", {3000, 3000}, f16), C = k.output("C", {3000, 3000}, f32);
        one_block(k, 1, [&](Scope cta) { cta.gemm(C, A, B, {.accumulate = false}); });
        stopped_within(k.program().value(), 2);
    }
    { // and the comparison
        Kernel k("fill", machines::sm80);
        const auto D = k.output("D", {4000, 1000}, f32);
        one_block(k, 1, [&](Scope cta) { cta.fill(D, 1); });
        const auto should = reference(k.program().value(), {});
        REQUIRE(should.has_value());
        Bindings out;
        out.set("D", Array::make({4000, 1000}, f32).value());
        ReferenceOptions options;
        options.progress = [](std::int64_t) { return false; };
        CHECK(!verify(*should, out, options).has_value());
        CHECK(verify(*should, out).has_value());
    }
}

TEST_CASE("more memory than there is: run and reference say how much", "[sim][memory]")
{
    const auto said = [](const std::function<void(Kernel&)>& write) {
        Kernel k("big", machines::sm80);
        write(k);
        const auto p = required(k.program());
        const auto lowered = required(lower(*p));
        const auto report = sim::run(lowered->program, {});
        REQUIRE(!report.has_value());
        CHECK(report.error().code == errc::capacity);
        const auto found = reference(*p, {});
        REQUIRE(!found.has_value());
        CHECK(found.error().code == errc::capacity);
        CHECK(found.error().text.find("bytes of memory") != std::string::npos);
        return report.error().text;
    };
    for (const std::int64_t bytes :
         {std::int64_t{1} << 50, std::int64_t{1} << 60, available_memory() * 2 + (std::int64_t{1} << 36)}) {
        const std::string text = said([&](Kernel& k) {
            const auto D = k.output("D", {bytes / 32, 32}, i8);
            k.cta(tiles(32, 32), [&](Scope cta, const Tile&) { cta.fill(D(Interval(0), all), 0); }, 1);
        });
        INFO(text);
        CHECK(text.find("run of big: it takes ") == 0);
        CHECK(text.find(" bytes of memory; this computer has ") != std::string::npos);
    }
    // Of several devices, and a tensor that the program keeps for itself.
    Kernel k("big", mesh(machines::sm80, Shape{4}).value());
    const auto L = k.alloc(Role::global, {std::int64_t{1} << 48}, i8);
    one_block(k, 1, [&](Scope cta) { cta.fill(L(Interval(0, 32)), 0); });
    const auto lowered = required(lower(k.program().value()));
    const auto report = sim::run(lowered->program, {});
    REQUIRE(!report.has_value());
    CHECK(report.error().code == errc::capacity);
}
