// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>
#include <axe/text/literals.hpp>
#include <tests/required.hpp>
#include <tests/turns.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using sim::FaultKind;

/// Several blocks in flight, and agents that stop in the middle of what they do.

namespace {

constexpr Layout by_thread = "(4,32):(1@warp,1@lane)"_axe, reversed = "(4,32):(-1@warp,1@lane) + 3@warp"_axe;

sim::Report run_all(const Program& program, const Bindings& inputs, const sim::RunOptions& options)
{
    const auto lowered = required(lower(program));
    auto report = required(sim::run(lowered->program, inputs, options));
    return std::move(*report);
}

/// Eleven blocks; each turns five tiles through shared memory, whose parts go from one warp to another.
Program turned()
{
    Kernel k("turned", machines::sm80);
    const auto A = k.input("A", {11, 5, 128}, f32), C = k.output("C", {11, 5, 128}, f32);
    k.cta(tiles(11, 1), [&](Scope cta, const Tile& t) {
        const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {128}, f32, reversed, "r");
        cta.loop(0, 5, 1, [&](const Affine& i) {
            cta.copy(s, A(t.index[0], i, all), {.schedule = {}, .vector_bytes = 4});
            cta.sync();
            cta.copy(r, s).copy(C(t.index[0], i, all), r).sync();
        });
    });
    return k.program().value();
}

/// `count` blocks of four warps over an inout D of `count` elements, `body` in each.
Program over(std::int64_t count, const std::function<void(Scope, const Tile&, const TensorRef&)>& body)
{
    Kernel k("over", machines::sm80);
    const auto D = k.inout("D", {count}, i32);
    k.cta(tiles(count, 1), [&](Scope cta, const Tile& t) { body(cta, t, D); });
    return k.program().value();
}

} // namespace

TEST_CASE("blocks in flight: outputs and counts are those of one block after the other", "[sim][turns]")
{
    Bindings in;
    in.set("A", arrays::counting({11, 5, 128}, f32));
    const Program k = turned();
    const sim::Report want = run_all(k, in, {});
    REQUIRE(want.ok());
    for (const sim::Level level : {sim::Level::full, sim::Level::fast})
        turns::each([&](sim::RunOptions options) {
            options.level = level;
            std::int64_t blocks = 0;
            options.progress = [&](std::int64_t done, std::int64_t) { // for each block, and while it runs
                const bool next = done == blocks || done == blocks + 1;
                blocks = done;
                return next;
            };
            const sim::Report got = without_fault(run_all(k, in, options));
            CHECK(blocks == 11);
            CHECK(got.total == want.total);
            CHECK(got.statements == want.statements);
            for (std::int64_t i = 0; i < 11 * 5 * 128; ++i)
                if (got.outputs.find("C")->at(i) != static_cast<double>(i)) FAIL("element " << i);
        });
}

TEST_CASE("blocks in flight: a race between two of them is found, and both are named", "[sim][turns]")
{
    Bindings in;
    in.set("D", arrays::counting({7}, i32));
    // Block 5 writes what block 2 reads.
    const Program k = over(7, [](Scope cta, const Tile& t, const TensorRef& D) {
        const auto r = cta.alloc(Role::registers, {1}, i32, "1:1@reg"_axe, "r");
        cta.warps(0, 1, [&](Scope w) {
            w.fill(r, 0);
            cta.when(equals(Expression(t.index[0]), 2), [&] { w.copy(r, D(Interval(3, 1))); });
            cta.when(equals(Expression(t.index[0]), 5), [&] { w.copy(D(Interval(3, 1)), r); });
        });
    });
    turns::each([&](const sim::RunOptions& options) {
        const sim::Report got = run_all(k, in, options);
        INFO(got.fault.text);
        CHECK(got.fault.kind == FaultKind::race);
        CHECK(got.fault.text.find("block (2)") != std::string::npos);
        CHECK(got.fault.text.find("block (5)") != std::string::npos);
    });
}

TEST_CASE("blocks in flight: of several readers the other one is named", "[sim][turns]")
{
    Bindings in;
    in.set("D", arrays::counting({2}, i32));
    // Both read, then one writes.
    const Program k = over(2, [](Scope cta, const Tile& t, const TensorRef& D) {
        const auto r = cta.alloc(Role::registers, {1}, i32, "1:1@reg"_axe, "r");
        cta.warps(0, 1, [&](Scope w) {
            w.copy(r, D(Interval(0, 1)));
            cta.when(equals(Expression(t.index[0]), 1), [&] { w.copy(D(Interval(0, 1)), r); });
        });
    });
    turns::each([&](const sim::RunOptions& options) {
        const sim::Report got = run_all(k, in, options);
        INFO(got.fault.text);
        CHECK(got.fault.kind == FaultKind::race);
        CHECK(got.fault.text.find("block (1): ") != std::string::npos);
        CHECK(got.fault.text.find("of block (0) in statement") != std::string::npos);
    });
}

TEST_CASE("blocks in flight: one that cannot go on is named, whatever the others do", "[sim][turns]")
{
    Bindings in;
    in.set("D", arrays::counting({7}, i32));
    const Program k = over(7, [](Scope cta, const Tile& t, const TensorRef&) {
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Mbarrier::Action::init, 0, 1, {}}); });
        cta.sync();
        cta.when(differs(Expression(t.index[0]), 3),
                 [&] { cta.warps(0, 1, [&](Scope w) { w.mbarrier({Mbarrier::Action::arrive, 0, 0, {}}); }); });
        cta.warps(1, 1, [&](Scope w) { w.mbarrier({Mbarrier::Action::wait, 0, 0, 0}); });
    });
    turns::each([&](const sim::RunOptions& options) {
        const sim::Report got = run_all(k, in, options);
        INFO(got.fault.text);
        CHECK(got.fault.kind == FaultKind::deadlock);
        CHECK(got.fault.text.find("block (3): ") != std::string::npos);
    });
}

TEST_CASE("blocks in flight: one that goes on for ever is named", "[sim][turns]")
{
    Bindings in;
    in.set("D", arrays::counting({7}, i32));
    const Program k =
        over(7, [](Scope cta, const Tile& t, const TensorRef&) { cta.loop_while(equals(Expression(t.index[0]), 4), [] {}); });
    turns::each([&](sim::RunOptions options) {
        options.most_steps = 100;
        const sim::Report got = run_all(k, in, options);
        INFO(got.fault.text);
        CHECK(got.fault.kind == FaultKind::endless);
        CHECK(got.fault.text.find("block (4): agent ") != std::string::npos);
    });
}

TEST_CASE("an agent that polls lets the others go on, if it has turns of some steps", "[sim][turns]")
{
    Bindings in;
    in.set("D", Array::make({2}, i32).value());
    // Block 0 polls what block 1 writes.
    const Program k = over(2, [](Scope cta, const Tile& t, const TensorRef& D) {
        const auto r = cta.alloc(Role::registers, {1}, i32, "1:1@reg"_axe, "r");
        cta.when(
            equals(Expression(t.index[0]), 0), [&] { cta.loop_while(equals(load(D(1)), 0), [] {}); },
            [&] {
                cta.warps(0, 1, [&](Scope w) {
                    w.fill(r, 1);
                    w.copy(D(Interval(1, 1)), r);
                });
            });
    });
    sim::RunOptions options;
    options.level = sim::Level::fast;
    options.most_steps = 100;
    for (const auto& [resident, quantum] : {std::pair{1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 3}}) {
        options.resident = resident;
        options.quantum = quantum;
        CAPTURE(resident, quantum);
        const bool ends = resident == 2 && quantum > 0;
        CHECK(run_all(k, in, options).fault.kind == (ends ? FaultKind::none : FaultKind::endless));
    }
}

TEST_CASE("blocks in flight: memory of a block is written before it is read in each of them", "[sim][turns]")
{
    Bindings in;
    in.set("D", arrays::counting({7}, i32));
    // Block 6 reads what the blocks before it have written in theirs.
    const Program k = over(7, [](Scope cta, const Tile& t, const TensorRef& D) {
        const auto s = cta.alloc(Role::shared, {1}, i32, {}, "s");
        const auto r = cta.alloc(Role::registers, {1}, i32, "1:1@reg"_axe, "r");
        cta.warps(0, 1, [&](Scope w) {
            cta.when(differs(Expression(t.index[0]), 6), [&] { w.fill(s, 1); });
            w.copy(r, s);
            w.copy(D(Interval(t.index[0], 1)), r);
        });
    });
    turns::each([&](const sim::RunOptions& options) {
        const sim::Report got = run_all(k, in, options);
        INFO(got.fault.text);
        CHECK(got.fault.kind == FaultKind::uninitialized);
        CHECK(got.fault.text.find("block (6): ") != std::string::npos);
    });
}

TEST_CASE("blocks in flight: atomic operations of all of them add up, and a plain access is a race with them", "[sim][turns]")
{
    Bindings in;
    in.set("D", Array::make({5}, i32).value());
    for (const bool plain : {false, true}) {
        const Program k = over(5, [plain](Scope cta, const Tile& t, const TensorRef& D) {
            const auto r = cta.alloc(Role::registers, {128}, i32, by_thread, "r");
            cta.fill(r, 1);
            cta.loop(0, 3, 1, [&](const Affine&) {
                cta.warps(0, 1, [&](Scope w) { w.atomic(Function::add, D(0), r(0)); });
                cta.sync();
            });
            if (plain) cta.when(equals(Expression(t.index[0]), 2), [&] { cta.warps(0, 1, [&](Scope w) { w.copy(D(0), r(0)); }); });
        });
        turns::each([&](const sim::RunOptions& options) {
            const sim::Report got = run_all(k, in, options);
            INFO(got.fault.text);
            CHECK(got.fault.kind == (plain ? FaultKind::race : FaultKind::none));
            if (!plain) CHECK(got.outputs.find("D")->at(0) == 15);
        });
    }
}

TEST_CASE("blocks in flight: a trace counts what the report counts, and has a track for each slot", "[sim][turns]")
{
    Bindings in;
    in.set("A", arrays::counting({11, 5, 128}, f32));
    const Program k = turned();
    turns::each([&](sim::RunOptions options) {
        sim::Trace trace;
        options.trace = &trace;
        const sim::Report got = run_all(k, in, options);
        REQUIRE(got.ok());
        std::int64_t issues = 0, slots = 0;
        std::map<std::pair<int, int>, std::int64_t> free; // of each slot and agent, from where on
        for (const auto& e : trace.events(0)) {
            if (e.agent < 0) continue;
            issues += e.kind == sim::Trace::Kind::instruction ? e.length : 0;
            slots = std::max<std::int64_t>(slots, e.slot + 1);
            std::int64_t& tick = free[{e.slot, e.agent}];
            CHECK(e.begin >= tick);
            tick = e.begin + e.length;
        }
        CHECK(issues == got.total.instructions);
        CHECK(slots == options.resident);
    });
}

TEST_CASE("blocks in flight and turns are not negative", "[sim][turns]")
{
    const Program k = over(1, [](Scope, const Tile&, const TensorRef&) {});
    Bindings in;
    in.set("D", arrays::counting({1}, i32));
    for (const auto& [resident, quantum] : {std::pair{-1, 0}, {1, -1}}) {
        sim::RunOptions options;
        options.resident = resident;
        options.quantum = quantum;
        CHECK(sim::run(k, in, options).error().code == errc::bad_argument);
    }
}
