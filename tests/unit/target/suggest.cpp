// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include <axe/kernels.hpp>
#include <axe/target/suggest.hpp>
#include <axe/text/literals.hpp>
#include <tests/unit/sim/arrays.hpp>
#include <tests/unit/sim/rings.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;

/// Which barrier or wait repairs a fault.

namespace {

constexpr Layout reversed = "(4,32):(-1@warp,1@lane) + 3@warp"_axe;

Bindings inputs_of(const Program& program)
{
    Bindings in;
    for (const ProgramTensor& t : program.tensors)
        if (t.binding == Binding::input) in.set(t.name, arrays::counting(t.shape, t.dtype));
    return in;
}
sim::Fault fault_of(const Program& program)
{
    const auto lowered = lower(program);
    INFO((lowered ? "" : lowered.error().text));
    REQUIRE(lowered);
    const auto report = sim::run(lowered->program, inputs_of(program));
    INFO((report ? "" : report.error().text));
    REQUIRE(report);
    return report->fault;
}
/// What repairs the program; that it does is run again here.
std::string repair(const Program& program, const SuggestOptions& options = {})
{
    const sim::Fault fault = fault_of(program);
    INFO(fault.text);
    REQUIRE(fault.found());
    const auto found = suggest(program, *targets::find(program.machine.name), inputs_of(program), fault, options);
    if (!found) return "";
    CHECK_FALSE(fault_of(found->program).found());
    CHECK(found->program.statements > program.statements);
    CHECK(found->tries >= 1);
    return found->hint;
}
std::string here(int line) { return " (suggest.cpp:" + std::to_string(line) + ")"; }

/// Tiles through shared memory, whose parts go from one warp to another; `first` and `second`: with the barriers between.
Program through_shared(bool first, bool second, int& copy)
{
    Kernel k("through", machines::sm80);
    const auto A = k.input("A", {3, 128}, f32), C = k.output("C", {3, 128}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {128}, f32, reversed, "r");
        cta.loop(0, 3, 1, [&](const Affine& i) {
            cta.copy(s, A(i, all), {.schedule = {}, .vector_bytes = 4});
            if (first) cta.sync();
            copy = __LINE__ + 1;
            cta.copy(r, s);
            cta.copy(C(i, all), r);
            if (second) cta.sync();
        });
    });
    return k.program().value();
}

} // namespace

TEST_CASE("a barrier that is missing before a read is found, with the statement and its line", "[suggest]")
{
    int copy = 0;
    const Program p = through_shared(false, true, copy);
    CHECK(repair(p) == "hint: add `sync()` before statement 5: copy r = s" + here(copy) + "; the run then has no fault");
}

TEST_CASE("a barrier that is missing before the next round of a loop", "[suggest]")
{
    int copy = 0;
    const std::string hint = repair(through_shared(true, false, copy));
    INFO(hint);
    CHECK(hint.find("hint: add `sync()` after statement 6: copy r = s (suggest.cpp:") == 0);
}

TEST_CASE("a barrier of all, where the accesses are in slices of agents", "[suggest]")
{
    Kernel k("slices", machines::sm90);
    const auto C = k.output("C", {32}, f32);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            cta.warps(0, 1, [&](Scope w) { w.fill(s, 3); });
            cta.warps(1, 1, [&](Scope w) { w.map(Function::neg, C, {s}); });
        },
        2);
    const std::string hint = repair(k.program().value());
    CHECK(hint.find("hint: add `sync()` before statement 4: only 1 agent, from 1 (suggest.cpp:") == 0);
}

TEST_CASE("a wait that is missing after asynchronous copies, and what it needs of barriers", "[suggest]")
{
    const auto program = [](bool barrier) {
        Kernel k("async", machines::sm80);
        const auto A = k.input("A", {128}, f32), C = k.output("C", {128}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {128}, f32, reversed, "r");
            cta.copy_async(s, A);
            cta.commit();
            if (barrier) cta.sync();
            cta.copy(r, s);
            cta.copy(C, r);
        });
        return k.program().value();
    };
    const std::string with = repair(program(true)), without = repair(program(false));
    INFO(with << " / " << without);
    CHECK(with.find("hint: add `wait(0)` ") == 0);
    CHECK(without.find("hint: add `wait(0).sync()` ") == 0);
}

TEST_CASE("an mbarrier that is set up without a barrier", "[suggest]")
{
    Kernel k("mbarrier", machines::sm90);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(rings::init(0, 1)); });
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(rings::arrive(0)); });
            cta.warps(1, 1, [&](Scope w) { w.mbarrier(rings::wait_for(0, 0)); });
        },
        2);
    CHECK(repair(k.program().value()).find("hint: add `sync()` ") == 0);
}

TEST_CASE("nothing is said where no barrier or wait repairs the fault, or within no tries", "[suggest]")
{
    rings::Ring ring;
    ring.slip = rings::Slip::no_arrival;
    CHECK(repair(rings::write(ring)).empty());

    Kernel k("outside", machines::sm80);
    const auto C = k.output("C", {64}, f32);
    k.cta(tiles(96, 32), [&](Scope cta, const Tile& t) { cta.fill(C(Interval(t.index[0] * 32, 32)).guarded(false), 1); }, 1);
    CHECK(repair(k.program().value()).empty());

    int copy = 0;
    CHECK(repair(through_shared(false, true, copy), {.most_tries = 0}).empty());
    CHECK(repair(through_shared(false, true, copy), {.seconds = -1}).empty());
    CHECK_FALSE(repair(through_shared(false, true, copy), {.most_tries = 1}).empty());
}
