// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>

/// Copies of tiles that one agent starts, through the asynchronous proxy: loads that complete on mbarriers, stores in groups.
namespace {

using namespace defects;

enum class Load {
    no_bytes,
    few_bytes,
    many_bytes,
    no_full_wait,
    no_empty_wait,
    no_fence,
    ahead,
    twice,
    not_set_up,
    no_wait_at_end,
    still_expected
};

/// Five tiles of 256 bytes through two slots. Warp 0 starts the copies, warps 1 and 2 take half of each tile. mbarriers 0 and 1: the slot is
/// full; 2 and 3: it is empty again.
Pair ring(Load slip)
{
    Pair p{machines::sm90, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Load s) { return defect && s == slip; };
        constexpr int n = 5;
        const auto A = k.input("A", {n, 64}, f32), C = k.output("C", {n, 64}, f32);
        one_block(k, 3, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {2, 64}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {64}, f32, "(2,32):(1@warp,1@lane) + 1@warp"_axe, "r");
            cta.warps(0, 1, [&](Scope w) {
                for (int slot = 0; slot < 2; ++slot) {
                    if (!is(Load::not_set_up)) w.mbarrier(init(slot, 1));
                    w.mbarrier(init(2 + slot, 2));
                }
            });
            cta.sync();
            std::vector<int> empty, started, full, read;
            cta.warps(0, 1, "producer", [&](Scope w) {
                for (int i = 0; i < n; ++i) {
                    empty.push_back(next(k));
                    if (!is(Load::no_empty_wait) && !is(Load::ahead)) w.mbarrier(wait_for(2 + i % 2, (i / 2 + 1) % 2));
                    const int bytes = is(Load::few_bytes) && i == 0 ? 240 : is(Load::many_bytes) && i == 0 ? 272 : 256;
                    if (is(Load::ahead)) w.copy_async(s(i % 2, all), A(i, all), completes_on(i % 2));
                    if (is(Load::ahead)) started.push_back(next(k) - 1);
                    if (is(Load::ahead)) w.mbarrier(wait_for(2 + i % 2, (i / 2 + 1) % 2));
                    w.mbarrier(is(Load::no_bytes) && i == 0 ? arrive(i % 2)
                                                            : expect(i % 2, is(Load::twice) && i == 0 ? 512 : bytes));
                    started.push_back(next(k));
                    if (!is(Load::ahead)) w.copy_async(s(i % 2, all), A(i, all), completes_on(i % 2));
                    if (is(Load::twice) && i == 0) w.copy_async(s(i % 2, all), A(i, all), completes_on(i % 2));
                    if (is(Load::still_expected) && i == n - 1) w.mbarrier({Mbarrier::Action::expect_more, 1, 16, {}});
                }
            });
            cta.warps(1, 2, "consumers", [&](Scope w) {
                for (int i = 0; i < n; ++i) {
                    full.push_back(next(k));
                    const bool last = i == n - 1;
                    if (!(is(Load::no_full_wait) && i == 1) && !(is(Load::no_wait_at_end) && last))
                        w.mbarrier(wait_for(i % 2, i / 2 % 2));
                    read.push_back(next(k));
                    if (slip != Load::no_wait_at_end || !last) w.copy(r, s(i % 2, all));
                    if (slip == Load::no_wait_at_end && last) w.copy(r, A(i, all));
                    w.copy(C(i, all), r);
                    if (!is(Load::no_fence)) w.proxy_fence();
                    if (slip != Load::no_wait_at_end || !last) w.mbarrier(arrive(2 + i % 2));
                }
            });
            switch (slip) {
            case Load::no_bytes: marks = {read[0], started[0]}; break;
            case Load::few_bytes:
            case Load::many_bytes: marks.at = empty[2]; break; // where agent 0 waits
            case Load::no_full_wait: marks = {read[1], started[1]}; break;
            case Load::no_fence: marks = {started[2], read[0]}; break;
            case Load::ahead: marks = {started[4], started[0]}; break;
            case Load::twice: marks = {started[0] + 1, started[0]}; break;
            case Load::not_set_up: marks.at = empty[0] + 1; break;
            case Load::no_wait_at_end: marks.at = started[4]; break;
            case Load::no_empty_wait: marks.at = empty[2]; break;
            case Load::still_expected: marks.at = started[3]; break;
            }
        });
    };
    return p;
}

} // namespace

TEST_CASE("a bulk copy brings bytes that its mbarrier does not expect")
{
    // The phase is over with the arrival, before the copy has begun.
    check_fault(ring(Load::no_bytes), FaultKind::race,
                {"is read here and written by an asynchronous copy that completes on mbarrier 0"});
}

TEST_CASE("an mbarrier expects fewer bytes than a bulk copy brings")
{
    check_fault(ring(Load::few_bytes), FaultKind::deadlock, {"for phase 0 of mbarrier 0", "has 16 bytes too many"});
}

TEST_CASE("an mbarrier expects more bytes than a bulk copy brings")
{
    check_fault(ring(Load::many_bytes), FaultKind::deadlock, {"for phase 0 of mbarrier 0", "and 16 bytes"});
}

TEST_CASE("what a bulk copy brings is read without a wait")
{
    check_fault(ring(Load::no_full_wait), FaultKind::race, {"an asynchronous copy that completes on mbarrier 1"});
}

TEST_CASE("a slot is read, then a bulk copy fills it, without a proxy fence")
{
    check_fault(ring(Load::no_fence), FaultKind::proxy,
                {"is written here by an asynchronous operation and was read by lane", "hint: add proxy_fence()"});
}

TEST_CASE("two bulk copies fill one slot at one time")
{
    check_fault(ring(Load::twice), FaultKind::race, {"is written here and by an asynchronous copy that completes on mbarrier 0"});
}

TEST_CASE("a bulk copy completes on an mbarrier that is not initialized")
{
    check_fault(ring(Load::not_set_up), FaultKind::transaction, {"mbarrier 0 is used by agent 0 before it is initialized"});
}

TEST_CASE("a block ends without a wait for what a bulk copy brings")
{
    check_fault(ring(Load::no_wait_at_end), FaultKind::async_unfinished,
                {"ends without a wait for phase 2 of mbarrier 0, on which this copy completes"});
}

TEST_CASE("a block ends while an mbarrier still expects bytes")
{
    check_fault(ring(Load::still_expected), FaultKind::transaction, {"mbarrier 1 still waits for 16 bytes"});
}

TEST_CASE("a slot is filled before its readers have given it back")
{
    check_fault(ring(Load::no_empty_wait), FaultKind::transaction,
                {"arrives in phase 1 of mbarrier 0; no wait before this arrival"});
    check_fault(ring(Load::ahead), FaultKind::race, {"is written here and by an asynchronous copy that completes on mbarrier 0"});
}

namespace {

enum class Store { no_fence, no_barrier, no_wait_before_reuse, no_wait_at_end, no_commit, twice };

/// Two tiles through one buffer: two warps write it, warp 0 starts a copy to global memory.
Pair staged(Store slip)
{
    Pair p{machines::sm90, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Store s) { return defect && s == slip; };
        const auto A = k.input("A", {2, 64}, f32), C = k.output("C", {2, 64}, f32);
        one_block(k, 2, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {64}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {64}, f32, "(2,32):(1@warp,1@lane)"_axe, "r");
            std::vector<int> written, stored;
            for (int i = 0; i < 2; ++i) {
                cta.copy(r, A(i, all));
                written.push_back(next(k));
                cta.copy(s, r);
                if (!is(Store::no_fence)) cta.proxy_fence();
                if (!is(Store::no_barrier)) cta.sync();
                cta.warps(0, 1, [&](Scope w) {
                    stored.push_back(next(k));
                    w.copy_async(C(i, all), s);
                    if (is(Store::twice) && i == 1) w.copy_async(C(i, all), s);
                    if (!is(Store::no_commit)) w.commit();
                    const bool last = i == 1;
                    if (!(is(Store::no_wait_before_reuse) && !last) && !(is(Store::no_wait_at_end) && last)) w.wait_sources(0);
                });
                cta.sync();
            }
            switch (slip) {
            case Store::no_fence: marks = {stored[0], written[0]}; break;
            case Store::no_barrier: marks = {written[0], stored[0]}; break;
            case Store::no_wait_before_reuse:
            case Store::no_commit: marks = {written[1], stored[0]}; break;
            case Store::no_wait_at_end: marks.at = stored[1]; break;
            case Store::twice: marks = {stored[1] + 1, stored[1]}; break;
            }
        });
    };
    return p;
}

} // namespace

TEST_CASE("a bulk copy reads what was written without a proxy fence")
{
    check_fault(staged(Store::no_fence), FaultKind::proxy, {"is read here by an asynchronous operation and was written by lane"});
}

TEST_CASE("a bulk copy reads what another agent writes, with a proxy fence and no barrier")
{
    check_fault(staged(Store::no_barrier), FaultKind::race, {"is written here and read by an asynchronous copy of agent 0"});
}

TEST_CASE("the source of a bulk copy is written again before it was read")
{
    check_fault(staged(Store::no_wait_before_reuse), FaultKind::race, {"read by an asynchronous copy of agent 0"});
}

TEST_CASE("a wait for a bulk copy that was not committed waits for nothing")
{
    check_fault(staged(Store::no_commit), FaultKind::race, {"read by an asynchronous copy of agent 0"});
}

TEST_CASE("an agent ends before its bulk copies have read their sources")
{
    check_fault(staged(Store::no_wait_at_end), FaultKind::async_unfinished, {"agent 0 ends without a wait"});
}

TEST_CASE("two bulk copies write one tile of global memory")
{
    check_fault(staged(Store::twice), FaultKind::race, {"is written here and by an asynchronous copy of agent 0"});
}
