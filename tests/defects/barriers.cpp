// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// What barriers order, and what happens where one is missing, or not all come to it.
namespace {

using namespace defects;

/// 128 elements through shared memory: each warp stores its part, and loads that of another warp. Agents run in order up to the next
/// barrier, so agent 0 is the first to load: what no agent has written yet, or, where the tile was zeroed first, what agent 3 will then
/// write after it.
Pair through_shared(const std::function<void(Scope, bool)>& between, bool zeroed = true, bool load_is_late = false)
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [between, zeroed, load_is_late](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {128}, f32), C = k.output("C", {128}, f32);
        k.cta(tiles(C, {128}), [&](Scope cta, const Tile& t) {
            const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {128}, f32, warps_reversed, "r");
            if (zeroed) cta.fill(s, 0).sync();
            const int stored = next(k);
            cta.copy(s, A(t), single);
            between(cta, defect);
            const int loaded = next(k);
            cta.copy(r, s);
            cta.copy(C(t), r);
            marks = load_is_late ? Marks{loaded, stored} : Marks{stored, loaded};
        });
    };
    return p;
}

} // namespace

TEST_CASE("a missing barrier")
{
    const auto between = [](Scope cta, bool defect) {
        if (!defect) cta.sync();
    };
    check_fault(through_shared(between), FaultKind::race,
                {"block (0): race: lane 0 of agent 2", "element (64) of s (smem byte 256) is written", "read by lane 0 of agent 1",
                 "; no barrier or wait orders the two accesses"});
    check_fault(
        through_shared(between, false), FaultKind::race,
        {"block (0): race: lane 0 of agent 2", "element (64) of s (smem byte 256) is written", "read by lane 0 of agent 1"});
}

TEST_CASE("a barrier of some warps only")
{
    const Pair p = through_shared([](Scope cta, bool defect) {
        if (defect)
            cta.warps(1, 3, [](Scope w) { w.sync(); });
        else
            cta.sync();
    });
    check_fault(p, FaultKind::race, {"lane 0 of agent 3, element (96) of s", "is written", "read by lane 0 of agent 0"});
}

TEST_CASE("a barrier for each half of the block, where data goes across")
{
    const auto between = [](Scope cta, bool defect) {
        if (!defect) return void(cta.sync());
        cta.warps(0, 2, [](Scope w) { w.sync(); });
        cta.warps(2, 2, [](Scope w) { w.sync(); });
    };
    check_fault(through_shared(between, true, true), FaultKind::race,
                {"lane 0 of agent 0, element (96) of s", "is read", "by lane 0 of agent 3"});
}

TEST_CASE("a barrier too few in a loop: the tile is overwritten while others read it")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {4, 128}, f32), C = k.output("C", {4, 128}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {128}, f32, warps_reversed, "r");
            cta.loop(0, 4, 1, [&](const Affine& i) {
                marks.other = next(k);
                cta.copy(s, A(i, all), single);
                cta.sync();
                marks.at = next(k);
                cta.copy(r, s);
                cta.copy(C(i, all), r);
                if (!defect) cta.sync();
            });
        });
    };
    check_fault(p, FaultKind::race, {"of s", "is read here and written by", "in statement"});
}

TEST_CASE("two warps write one element")
{
    Pair p{machines::sm80, {}, {}, {{"C", [](std::int64_t) { return 2.0; }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {32}, f32);
        one_block(k, 2, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            cta.warps(0, 1, [&](Scope w) {
                marks.other = next(k);
                w.fill(s, 1);
            });
            if (!defect) cta.sync();
            cta.warps(1, 1, [&](Scope w) {
                marks.at = next(k);
                w.fill(s, 2);
                w.copy(C, s);
            });
        });
    };
    check_fault(p, FaultKind::race, {"of agent 1", "element (0) of s", "is written", "of agent 0"});
}

TEST_CASE("lanes of one warp exchange through shared memory without a sync")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", [](std::int64_t i) { return counted(31 - i); }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {32}, f32), C = k.output("C", {32}, f32);
        one_block(k, 1, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r");
            cta.copy(r, A);
            marks.other = next(k);
            cta.copy(s, r);
            if (!defect) cta.sync();
            marks.at = next(k);
            cta.call(instruction("move", {taken(r, 1, 1, 32, 1, [](int, int, int l, int) { return l; }),
                                          taken(s, 1, 1, 32, 1, [](int, int, int l, int) { return 31 - l; })}));
            cta.copy(C, r);
        });
    };
    check_fault(p, FaultKind::race, {"lane 0 of agent 0", "element (31) of s", "by lane 31 of agent 0"});
}

TEST_CASE("two lanes write one element in one instruction")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {32}, f32), C = k.output("C", {32}, f32);
        one_block(k, 1, [&](Scope cta) {
            const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r");
            cta.copy(r, A);
            marks.at = marks.other = next(k);
            cta.call(instruction("move", {taken(C, 1, 1, 32, 1, [&](int, int, int l, int) { return defect ? l / 2 : l; }),
                                          taken(r, 1, 1, 32, 1, [](int, int, int l, int) { return l; })}));
        });
    };
    check_fault(p, FaultKind::race, {"lane 1 of agent 0", "element (0) of C", "by lane 0 of agent 0"});
}

TEST_CASE("two blocks write one tile")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {256}, f32), C = k.output("C", {256}, f32);
        k.cta(tiles(C, {128}), [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r");
            cta.copy(r, A(t));
            marks.at = marks.other = next(k);
            cta.copy(defect ? C(Interval(0, 128)) : C(t), r);
        });
    };
    check_fault(p, FaultKind::race, {"block (1)", "element (0) of C", "is written", "by lane 0 of agent 0 of block (0)"});
}

TEST_CASE("a block reads what another block of the grid writes")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"A", [](std::int64_t i) { return 2.0 * counted(i); }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.inout("A", {256}, f32);
        k.cta(tiles(A, {128}), [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r");
            marks.at = next(k);
            cta.copy(r, defect ? A(Interval(128 + -128 * t.index[0], 128)) : A(t));
            cta.binary(Function::add, r, r, r);
            marks.other = next(k);
            cta.copy(A(t), r);
        });
    };
    check_fault(p, FaultKind::race, {"block (1)", "of A", "is read", "of block (0)"});
}

TEST_CASE("a barrier under a condition that not all warps meet")
{
    Pair p{machines::sm80, {}, {}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {1}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto x = cta.scalar("x");
            cta.warps(0, defect ? 2 : 4, [&](Scope w) { w.assign(x, 1); });
            cta.when(x, [&] {
                marks.at = next(k);
                cta.sync();
            });
            cta.fill(C, 0);
        });
    };
    check_fault(p, FaultKind::divergence,
                {"no agent can continue", "agent 0, like agent 1, waits at the barrier", "agent 2, like agent 3, has ended"});
}

TEST_CASE("warps that go round a loop of barriers a different number of times")
{
    Pair p{machines::sm80, {}, {}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {1}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto x = cta.scalar("x"), n = cta.scalar("n", 3);
            cta.warps(3, 1, [&](Scope w) { w.assign(n, defect ? 4 : 3); });
            cta.loop_while(Expression(x) < n, [&] {
                marks.at = next(k);
                cta.sync();
                cta.assign(x, Expression(x) + 1);
            });
            cta.fill(C, 0);
        });
    };
    check_fault(p, FaultKind::divergence, {"agent 0, like agents 1, 2, has ended", "agent 3 waits at the barrier"});
}

TEST_CASE("two barriers that wait for each other")
{
    Pair p{machines::sm80, {}, {}, {{"C", counted}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {1}, f32);
        one_block(k, 2, [&](Scope cta) {
            const auto x = cta.scalar("x");
            if (defect) cta.warps(0, 1, [&](Scope w) { w.assign(x, 1); });
            cta.when(
                x,
                [&] {
                    marks.at = next(k);
                    cta.sync();
                },
                [&] { cta.sync(); });
            cta.fill(C, 0);
        });
    };
    check_fault(p, FaultKind::divergence,
                {"agent 0 waits at the barrier of statement", "agent 1 waits at the barrier of statement"});
}

TEST_CASE("an atomic operation beside a plain one")
{
    Pair p{machines::sm80,
           {},
           {{"A", counted}, {"C", [](std::int64_t) { return 0.0; }}},
           {{"C", [](std::int64_t i) { return counted(i) + counted(i + 128); }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {256}, f32), C = k.inout("C", {128}, f32);
        k.cta(tiles(A, {128}), [&](Scope cta, const Tile& t) {
            const auto r = cta.alloc(Role::registers, {128}, f32, threads, "r"),
                       q = cta.alloc(Role::registers, {128}, f32, threads, "q");
            cta.copy(r, A(t));
            cta.when(
                defect ? equals(t.index[0], 0) : Expression(1),
                [&] {
                    marks.other = next(k);
                    cta.atomic(Function::add, C, r);
                },
                [&] {
                    marks.at = next(k);
                    cta.copy(q, C);
                    cta.binary(Function::add, q, q, r);
                    cta.copy(C, q);
                });
        });
    };
    check_fault(p, FaultKind::race, {"block (1)", "element (0) of C", "is read", "of block (0)"});
}

TEST_CASE("a shuffle, which orders registers and no memory, in place of a sync")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", [](std::int64_t i) { return counted(31 - i); }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {32}, f32), C = k.output("C", {32}, f32);
        one_block(k, 1, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r"), q = cta.alloc(Role::registers, {32}, f32, lanes, "q");
            const auto own = [](int, int, int l, int) { return l; };
            const auto other = [](int, int, int l, int) { return 31 - l; };
            cta.copy(r, A);
            marks.other = next(k);
            cta.copy(s, r);
            cta.call(instruction("shuffle", {taken(q, 1, 1, 32, 1, own), taken(r, 1, 1, 32, 1, other)}));
            if (!defect) cta.sync();
            marks.at = next(k);
            cta.call(instruction("move", {taken(r, 1, 1, 32, 1, own), taken(s, 1, 1, 32, 1, other)}));
            cta.copy(C, r);
        });
    };
    check_fault(p, FaultKind::race, {"lane 0 of agent 0", "element (31) of s", "by lane 31 of agent 0"});
}
