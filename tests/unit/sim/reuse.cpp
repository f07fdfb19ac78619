// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <catch.hpp>
#include <optional>
#include <tests/required.hpp>
#include <tests/without_lines.hpp>

using namespace axe;
using enum DType;
using sim::FaultKind;

/// Memory that several tensors have one after the other.

namespace {

Program of(const std::function<void(Scope, const TensorRef&)>& write)
{
    Kernel k("k", machines::sm80);
    const auto C = k.inout("C", {128}, f32);
    k.cta(tiles(3, 1), [&](Scope cta, const Tile&) { write(cta, C); });
    return k.program().value();
}
sim::Report ran(const Program& p, const sim::RunOptions& options = {})
{
    CHECK(validate(p).empty());
    const auto lowered = required(lower(p));
    Bindings in;
    in.set("C", Array::make({128}, f32).value());
    auto report = sim::run(lowered->program, in, options);
    INFO((report ? report->fault.text : report.error().text));
    REQUIRE(report.has_value());
    return std::move(*report);
}

} // namespace

TEST_CASE("reused memory is uninitialized for its new owner", "[reuse]")
{
    const auto program = [](bool fills) {
        return of([&](Scope cta, const TensorRef& C) {
            cta.when(Expression(1.0), [&] {
                const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s", 256);
                cta.fill(s, 7).sync();
            });
            cta.when(Expression(1.0), [&] {
                const auto t = cta.alloc(Role::shared, {128}, f32, {}, "t", 256);
                if (fills) cta.fill(t, 8).sync();
                auto r = cta.alloc(Role::registers, {128}, f32, LayoutHint::registers, "r");
                cta.copy(r, t);
                (void)C;
            });
        });
    };
    CHECK(ran(program(true)).ok());
    const sim::Report stale = ran(program(false));
    CHECK(stale.fault.kind == FaultKind::uninitialized);
    CHECK(stale.fault.text.find("of t (smem byte 256) is read and was never written") != std::string::npos);
}

TEST_CASE("the new owner's atomic operations need a first write, too", "[reuse]")
{
    const Program p = of([&](Scope cta, const TensorRef&) {
        for (const char* name : {"s", "t"})
            cta.when(Expression(1.0), [&] {
                const auto s = cta.alloc(Role::shared, {128}, f32, {}, name, 256);
                const auto r = cta.alloc(Role::registers, {128}, f32, LayoutHint::registers, "r");
                if (*name == 's') cta.fill(s, 7).sync();
                cta.fill(r, 1).atomic(Function::add, s, r).sync();
            });
    });
    const sim::Report stale = ran(p);
    CHECK(stale.fault.kind == FaultKind::uninitialized);
    CHECK(stale.fault.statement == 13);
}

TEST_CASE("shifted owners: tensors that overlap in part, in all levels and with several blocks in flight", "[reuse]")
{
    const Program p = of([&](Scope cta, const TensorRef& C) {
        cta.when(Expression(1.0), [&] { // reads of what is 16 and 512 bytes further
            const auto s = cta.alloc(Role::shared, {256}, f32, {}, "s", 0);
            cta.fill(s, 1).sync();
        });
        for (const std::int64_t base : {16, 512})
            cta.when(Expression(1.0), [&] {
                const auto t = cta.alloc(Role::shared, {128}, f16, {}, "t", base);
                cta.fill(t, 2).sync();
                const auto r = cta.alloc(Role::registers, {128}, f32, LayoutHint::registers, "r");
                cta.copy(r, t).sync();
            });
        cta.sync();
        (void)C;
    });
    CHECK(ran(p).ok());
    sim::RunOptions several;
    several.resident = 3;
    several.quantum = 2;
    CHECK(ran(p, several).ok());
    several.level = sim::Level::fast;
    CHECK(ran(p, several).ok());
}

TEST_CASE("registers that a loop allocates are uninitialized in each round", "[reuse]")
{
    const auto program = [](bool always) {
        return of([&](Scope cta, const TensorRef& C) {
            cta.loop(0, 2, 1, [&](const Affine& i) {
                const auto r = cta.alloc(Role::registers, {128}, f32, LayoutHint::registers, "r");
                if (always)
                    cta.fill(r, 3);
                else
                    cta.when(Expression(i) < Expression(1.0), [&] { cta.fill(r, 3); });
                cta.copy(C, r).sync();
            });
        });
    };
    const sim::Report stale = ran(program(false));
    CHECK(stale.fault.kind == FaultKind::uninitialized);
    CHECK(stale.fault.text.find("of r (register 0) is read and was never written") != std::string::npos);
}

TEST_CASE("shared memory that a loop allocates is uninitialized in each round", "[reuse]")
{
    const auto program = [](bool always) {
        return of([&](Scope cta, const TensorRef& C) {
            cta.loop(0, 3, 1, [&](const Affine& i) {
                const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
                if (always)
                    cta.fill(s, 3);
                else
                    cta.when(Expression(i) < Expression(1.0), [&] { cta.fill(s, 3); });
                cta.sync();
                const auto r = cta.alloc(Role::registers, {128}, f32, LayoutHint::registers, "r");
                cta.copy(r, s).sync();
                (void)C;
            });
        });
    };
    CHECK(ran(program(true)).ok());
    const sim::Report stale = ran(program(false));
    CHECK(stale.fault.kind == FaultKind::uninitialized);
    CHECK(stale.fault.text.find("of s (smem byte 0) is read and was never written") != std::string::npos);
    sim::RunOptions several;
    several.resident = 3;
    several.quantum = 1;
    CHECK(ran(program(true), several).ok());
}

TEST_CASE("agents may be in different rounds of a loop that allocates", "[reuse]")
{
    // Each warp has a part of its own; nothing orders its reads and the next round of the others.
    const Program p = of([&](Scope cta, const TensorRef& C) {
        cta.loop(0, 3, 1, [&](const Affine&) {
            const auto s = cta.alloc(Role::shared, {4, 32}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {4, 32}, f32, LayoutHint::registers, "r");
            cta.each_agent({4}, [&](Scope warp, const std::vector<Affine>& n) {
                warp.fill(s(Interval(n[0]), all), 2);
                warp.sync();
                warp.copy(r(Interval(n[0]), all), s(Interval(n[0]), all));
                (void)C;
            });
        });
    });
    CHECK(ran(p).ok());
    sim::RunOptions several;
    several.resident = 2;
    several.quantum = 1;
    CHECK(ran(p, several).ok());
}

TEST_CASE("a tensor of a block that another grid allocates is an error of a run, whatever the checks", "[sim]")
{
    Kernel k("grids", machines::sm80);
    const auto C = k.output("C", {32}, f32);
    std::optional<TensorRef> s;
    k.cta(tiles(32, 32), [&](Scope cta, const Tile&) {
        s = cta.alloc(Role::shared, {32}, f32, {}, "s");
        cta.fill(*s, 1);
    });
    k.cta(tiles(32, 32), [&](Scope cta, const Tile& t) { cta.copy(C(t), *s); });
    const Program p = k.program().value();
    CHECK(!validate(p).empty());
    const auto lowered = lower(p);
    if (!lowered) return;
    for (const sim::Level level : {sim::Level::full, sim::Level::fast}) {
        sim::RunOptions options;
        options.level = level;
        const auto report = sim::run(lowered->program, {}, options);
        REQUIRE(!report.has_value());
        CHECK(without_lines(report.error().text) == "grids, statement 4: s is used outside the body that allocates it");
    }
}
