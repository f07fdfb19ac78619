// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Copies that go on by themselves, and waits for them.
namespace {

using namespace defects;

enum class Slip { off_by_one, no_commit, no_wait, no_barrier, no_second_barrier, unfinished, source, overwritten };

/// Five tiles through two buffers: while one is used, the next is on its way.
Pair pipeline(Slip slip)
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Slip s) { return defect && s == slip; };
        constexpr int n = 5;
        const auto A = k.inout("A", {n, 128}, f32), C = k.output("C", {n, 128}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {2, 128}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {128}, f32, warps_reversed, "r");
            std::vector<int> copied, loaded;
            const auto start = [&](int i) {
                copied.push_back(next(k));
                cta.copy_async(s(i % 2, all), A(i, all), single);
                if (!is(Slip::no_commit)) cta.commit();
            };
            start(0);
            for (int i = 0; i < n; ++i) {
                if (i + 1 < n) start(i + 1);
                if (is(Slip::source) && i == 0) {
                    marks.at = next(k);
                    cta.fill(A(0, all), 0);
                }
                if (is(Slip::overwritten) && i == 0) {
                    marks.at = next(k);
                    cta.fill(s(0, all), 0);
                }
                if (!is(Slip::no_wait)) cta.wait((i + 1 < n ? 1 : 0) + (is(Slip::off_by_one) ? 1 : 0));
                if (!is(Slip::no_barrier)) cta.sync();
                loaded.push_back(next(k));
                cta.copy(r, s(i % 2, all));
                cta.copy(C(i, all), r);
                if (!is(Slip::no_second_barrier)) cta.sync();
            }
            if (slip == Slip::unfinished) {
                marks.at = next(k);
                cta.copy_async(s(0, all), A(0, all), single).commit();
                if (!defect) cta.wait(0);
            }
            switch (slip) {
            case Slip::off_by_one:
            case Slip::no_commit:
            case Slip::no_wait: marks = {loaded[0], copied[0]}; break;
            case Slip::no_second_barrier: marks = {loaded[0], copied[2]}; break;
            case Slip::no_barrier: marks = {copied[0], loaded[0]}; break;
            case Slip::source:
            case Slip::overwritten: marks.other = copied[0]; break;
            case Slip::unfinished: marks.other = -1; break;
            }
        });
    };
    return p;
}

const std::vector<std::string> early{"of s", "is read", "written by an asynchronous copy of agent", "in statement"};

} // namespace

TEST_CASE("a wait that leaves one group too many pending") { check_fault(pipeline(Slip::off_by_one), FaultKind::race, early); }

TEST_CASE("a wait for groups that were never committed") { check_fault(pipeline(Slip::no_commit), FaultKind::race, early); }

TEST_CASE("what an asynchronous copy brings is used before any wait")
{
    check_fault(pipeline(Slip::no_wait), FaultKind::race, early);
}

TEST_CASE("each warp waits for its own copies, and uses those of the others without a barrier")
{
    check_fault(pipeline(Slip::no_barrier), FaultKind::race,
                {"lane 0 of agent 2, element (0,64) of s (smem byte 256) is written here", "read by lane 0 of agent 1"});
}

TEST_CASE("a copy into the buffer that others still read")
{
    check_fault(pipeline(Slip::no_second_barrier), FaultKind::race,
                {"lane 0 of agent 2", "of s", "is read", "by an asynchronous copy of agent 1"});
}

TEST_CASE("an asynchronous copy that no agent waits for")
{
    check_fault(pipeline(Slip::unfinished), FaultKind::async_unfinished,
                {"agent 0 ends without a wait for the asynchronous copies"});
}

TEST_CASE("the source of an asynchronous copy is overwritten before the wait")
{
    check_fault(pipeline(Slip::source), FaultKind::race,
                {"element (0,0) of A (gmem byte 0) is written", "read by an asynchronous copy of agent 0"});
}

TEST_CASE("the destination of an asynchronous copy is written before the wait")
{
    check_fault(pipeline(Slip::overwritten), FaultKind::race,
                {"element (0,0) of s (smem byte 0) is written", "by an asynchronous copy of agent 0"});
}

TEST_CASE("a lane uses what another lane of its warp has copied, after a wait, which speaks for each lane alone")
{
    Pair p{machines::sm80, {}, {{"A", counted}}, {{"C", [](std::int64_t i) { return counted(31 - i); }}}};
    p.write = [](Kernel& k, bool defect, Marks& marks) {
        const auto A = k.input("A", {32}, f32), C = k.output("C", {32}, f32);
        one_block(k, 1, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {32}, f32, lanes, "r");
            marks.other = next(k);
            cta.copy_async(s, A, single).commit().wait(0);
            const auto own = [](int, int, int l, int) { return l; };
            const auto other = [](int, int, int l, int) { return 31 - l; };
            cta.call(instruction("move", {taken(r, 1, 1, 32, 1, own), taken(s, 1, 1, 32, 1, own)})); // its own
            if (!defect) cta.sync();
            marks.at = next(k);
            cta.call(instruction("move", {taken(r, 1, 1, 32, 1, own), taken(s, 1, 1, 32, 1, other)}));
            cta.copy(C, r);
        });
    };
    check_fault(p, FaultKind::race, {"lane 0 of agent 0, element (31) of s", "is read", "by an asynchronous copy of agent 0"});
}
