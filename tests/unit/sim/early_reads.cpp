// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>
#include <axe/text/literals.hpp>
#include <set>
#include <tests/required.hpp>
#include <tests/turns.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using sim::FaultKind;

/// Reads of what is written later: a race where nothing orders the two, named with both statements, and else a read of what was never
/// written.
namespace {

sim::Fault early_fault(const Program& program, const Bindings& inputs, const sim::RunOptions& options = {})
{
    const auto lowered = required(lower(program));
    const auto report = required(sim::run(lowered->program, inputs, options));
    return report->fault;
}

Bindings counted_d(std::int64_t n)
{
    Bindings in;
    in.set("D", arrays::counting({n}, i32));
    return in;
}

struct EarlyWritten {
    Program program{};
    int read = -1, write = -1;
};

/// Warp 0 reads what warp 1 writes, in `blocks` blocks; with a barrier between the two or without.
EarlyWritten of_two_warps(std::int64_t blocks, bool ordered, bool read_first = false)
{
    EarlyWritten out;
    Kernel k("early", machines::sm80);
    const auto D = k.inout("D", {blocks}, i32);
    k.cta(tiles(blocks, 1), [&](Scope cta, const Tile& t) {
        const auto s = cta.alloc(Role::shared, {1}, i32, {}, "s");
        const auto r = cta.alloc(Role::registers, {1}, i32, "1:1@reg"_axe, "r");
        const auto reads = [&] {
            cta.warps(0, 1, [&](Scope w) {
                out.read = k.program().value().statements;
                w.copy(r, s);
                w.copy(D(Interval(t.index[0], 1)), r);
            });
        };
        const auto writes = [&] {
            cta.warps(1, 1, [&](Scope w) {
                out.write = k.program().value().statements;
                w.fill(s, 1);
            });
        };
        read_first ? reads() : writes();
        if (ordered) cta.sync();
        read_first ? writes() : reads();
    });
    out.program = k.program().value();
    return out;
}

} // namespace

TEST_CASE("early reads: a read and a write that nothing orders are one race in each order, with both statements", "[sim]")
{
    for (const bool read_first : {false, true}) {
        const EarlyWritten w = of_two_warps(3, false, read_first);
        turns::each([&](const sim::RunOptions& options) {
            const sim::Fault f = early_fault(w.program, counted_d(3), options);
            INFO(f.text);
            CHECK(f.kind == FaultKind::race);
            CHECK(std::set<int>{f.statement, f.other_statement} == std::set<int>{w.read, w.write});
            CHECK(f.text.find("element (0) of s") != std::string::npos);
            CHECK(f.lines.size() == 2);
        });
    }
}

TEST_CASE("early reads: a write that comes after a barrier does not make them a race", "[sim]")
{
    CHECK(early_fault(of_two_warps(3, true).program, counted_d(3)).kind == FaultKind::none);
    const EarlyWritten w = of_two_warps(3, true, true);
    turns::each([&](const sim::RunOptions& options) {
        const sim::Fault f = early_fault(w.program, counted_d(3), options);
        CHECK(f.kind == FaultKind::uninitialized);
        CHECK(f.statement == w.read);
        CHECK(f.other_statement == -1);
        CHECK(f.text.find("lane 0 of agent 0, element (0) of s") != std::string::npos);
    });
}

TEST_CASE("early reads: nothing that comes of what was read hides them", "[sim]")
{
    // The agent that has read goes on for ever, waits for what nobody does, or leaves an element: what it read came first.
    for (const int then : {0, 1, 2, 3}) {
        Kernel k("early", machines::sm80);
        const auto D = k.inout("D", {4}, i32);
        int read = -1;
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {1}, i32, {}, "s");
            const auto r = cta.alloc(Role::registers, {1}, i32, "1:1@reg"_axe, "r");
            cta.warps(0, 1, [&](Scope w) {
                read = k.program().value().statements;
                w.copy(r, s);
                if (then == 0) w.copy(D(Interval(0, 1)), r);
                if (then == 1) {
                    const auto going = w.scalar("going", 1);
                    w.loop_while(Expression(0.0) < Expression(going), [&] { w.assign(going, Expression(going) + 1.0); });
                }
                if (then == 2) w.copy(D(Interval(4, 1)), r);
                if (then == 3) w.sync();
            });
        });
        sim::RunOptions options;
        for (const int threads : {1, 4}) {
            options.threads = threads;
            const sim::Fault f = early_fault(k.program().value(), counted_d(4), options);
            INFO(then << ": " << f.text);
            CHECK(f.kind == FaultKind::uninitialized);
            CHECK(f.statement == read);
            CHECK(f.waits.empty());
        }
    }
}

TEST_CASE("early reads: an agent that has read does not run ahead of what it should have waited for", "[sim]")
{
    // Warp 1 fills a slot once it is free, which it is at first; warp 0 reads it, as often, and gives it back: two rounds of it would let
    // warp 1 write what warp 0 has not waited for.
    struct Handed {
        Program program{};
        int read = -1, write = -1;
    };
    const auto handed = [](bool waits) {
        Handed out;
        using Action = Mbarrier::Action;
        Kernel k("handed", machines::sm80);
        const auto D = k.inout("D", {3}, i32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {1}, i32, {}, "s");
            const auto r = cta.alloc(Role::registers, {1}, i32, "1:1@reg"_axe, "r");
            constexpr int full = 0, empty = 1;
            cta.warps(0, 1, [&](Scope w) { w.mbarrier({Action::init, full, 1, {}}).mbarrier({Action::init, empty, 1, {}}); });
            cta.sync();
            cta.warps(0, 1, [&](Scope w) {
                w.loop(0, 3, 1, [&](const Affine& i) {
                    if (waits) w.mbarrier({Action::wait, full, 0, floor_mod(Expression(i), 2)});
                    out.read = k.program().value().statements;
                    w.copy(r, s).copy(D(Interval(i, 1)), r).mbarrier({Action::arrive, empty, 0, {}});
                });
            });
            cta.warps(1, 1, [&](Scope w) {
                w.loop(0, 3, 1, [&](const Affine& i) {
                    w.mbarrier({Action::wait, empty, 0, floor_mod(Expression(i) + 1, 2)});
                    out.write = k.program().value().statements;
                    w.fill(s, 1).mbarrier({Action::arrive, full, 0, {}});
                });
            });
        });
        out.program = k.program().value();
        return out;
    };
    CHECK(early_fault(handed(true).program, counted_d(3)).kind == FaultKind::none);
    const Handed h = handed(false);
    turns::each([&](const sim::RunOptions& options) {
        const sim::Fault f = early_fault(h.program, counted_d(3), options);
        INFO(f.text);
        CHECK(f.kind == FaultKind::race);
        CHECK(std::set<int>{f.statement, f.other_statement} == std::set<int>{h.read, h.write});
    });
}

TEST_CASE("early reads: of memory of the device, which another block writes later", "[sim]")
{
    Kernel k("early", machines::sm80);
    const auto D = k.inout("D", {2}, i32);
    const auto B = k.output("B", {1}, i32);
    int read = -1, write = -1;
    k.cta(tiles(2, 1), [&](Scope cta, const Tile& t) {
        const auto r = cta.alloc(Role::registers, {1}, i32, "1:1@reg"_axe, "r");
        cta.warps(0, 1, [&](Scope w) {
            w.when(
                equals(t.index[0], 0),
                [&] {
                    read = k.program().value().statements;
                    w.copy(r, B);
                    w.copy(D(Interval(0, 1)), r);
                },
                [&] {
                    write = k.program().value().statements;
                    w.fill(B, 1);
                });
        });
    });
    turns::each([&](const sim::RunOptions& options) {
        const sim::Fault f = early_fault(k.program().value(), counted_d(2), options);
        INFO(f.text);
        CHECK(f.kind == FaultKind::race);
        CHECK(std::set<int>{f.statement, f.other_statement} == std::set<int>{read, write});
    });
}

TEST_CASE("early reads: the fault is that of the first block, whatever the number of threads", "[sim]")
{
    const EarlyWritten race = of_two_warps(40, false, true), unwritten = of_two_warps(40, true, true);
    for (const EarlyWritten* w : {&race, &unwritten}) {
        sim::RunOptions options;
        const sim::Fault one = early_fault(w->program, counted_d(40), options);
        CHECK(one.text.find("block (0)") != std::string::npos);
        options.threads = 4;
        CHECK(early_fault(w->program, counted_d(40), options).text == one.text);
    }
}
