// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>
#include <tests/defects/phases.hpp>

/// A warp that loads and warps that use what it loads, with mbarriers between them.
namespace {

using namespace defects;

enum class Slip { no_arrival, one_expected_more, full_parity, empty_ignored, not_set_up, set_up_unordered, set_up_for_none, bytes };

/// Five tiles through two slots. Warp 0 fills slots, warps 1 and 2 each take half of them. mbarriers 0 and 1: the slot is full; 2 and
/// 3: it is empty again.
Pair ring(Slip slip)
{
    Pair p{machines::sm90, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [slip](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Slip s) { return defect && s == slip; };
        constexpr int n = 5;
        const auto A = k.input("A", {n, 64}, f32), C = k.output("C", {n, 64}, f32);
        one_block(k, 3, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {2, 64}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {64}, f32, "(2,32):(1@warp,1@lane) + 1@warp"_axe, "r");
            cta.warps(0, 1, [&](Scope w) {
                for (int slot = 0; slot < 2; ++slot) {
                    if (is(Slip::set_up_for_none) && slot == 0) marks.at = next(k);
                    if (!is(Slip::not_set_up))
                        w.mbarrier(init(slot, is(Slip::set_up_for_none) ? 0 : is(Slip::one_expected_more) ? 2 : 1));
                    w.mbarrier(init(2 + slot, 2));
                }
            });
            if (!is(Slip::set_up_unordered)) cta.sync();
            int empty = -1, full = -1, arrival = -1, again = -1;
            cta.warps(0, 1, [&](Scope w) {
                for (int i = 0; i < n; ++i) {
                    if (i == 2) empty = next(k);
                    if (!is(Slip::empty_ignored)) w.mbarrier(wait_for(2 + i % 2, (i / 2 + 1) % 2));
                    w.copy(s(i % 2, all), A(i, all), single);
                    if (i == 0) arrival = next(k);
                    if (i == 2) again = next(k);
                    if (is(Slip::bytes) && i == 0)
                        w.mbarrier({Mbarrier::Action::expect_bytes, 0, 256, {}});
                    else if (!is(Slip::no_arrival) || i > 0)
                        w.mbarrier(arrive(i % 2));
                }
            });
            cta.warps(1, 2, [&](Scope w) {
                for (int i = 0; i < n; ++i) {
                    if (i == (slip == Slip::empty_ignored ? 1 : 0)) full = next(k);
                    w.mbarrier(wait_for(i % 2, (i / 2 + (is(Slip::full_parity) ? 1 : 0)) % 2));
                    w.copy(r, s(i % 2, all));
                    w.copy(C(i, all), r);
                    w.mbarrier(arrive(2 + i % 2));
                }
            });
            switch (slip) {
            case Slip::no_arrival:
            case Slip::one_expected_more:
            case Slip::bytes:
            case Slip::full_parity: marks.at = empty; break; // where agent 0 waits
            case Slip::empty_ignored: marks.at = again; break;
            case Slip::not_set_up: marks.at = arrival; break;
            case Slip::set_up_unordered: marks.at = full; break;
            case Slip::set_up_for_none: break;
            }
        });
    };
    return p;
}

} // namespace

TEST_CASE("an arrival is missing, and its phase never ends")
{
    check_fault(ring(Slip::no_arrival), FaultKind::deadlock,
                {"no agent can continue", "agent 1, like agent 2, waits in statement",
                 "for phase 0 of mbarrier 0, which lacks 1 of 1 arrival"});
}

TEST_CASE("an mbarrier is set up for one arrival too many")
{
    check_fault(ring(Slip::one_expected_more), FaultKind::deadlock, {"for phase 0 of mbarrier 0, which lacks 1 of 2 arrivals"});
}

TEST_CASE("an mbarrier expects bytes that no agent brings")
{
    check_fault(ring(Slip::bytes), FaultKind::deadlock, {"for phase 0 of mbarrier 0", "and 256 bytes"});
}

TEST_CASE("a wait for the wrong parity")
{
    // The phase that is over when they come has the other parity: they wait for the next, which asks for a slot that they hold.
    check_fault(ring(Slip::full_parity), FaultKind::deadlock,
                {"agent 1, like agent 2, waits in statement", "for phase 1 of mbarrier 0, which lacks 1 of 1 arrival"}, {},
                {FaultKind::race});
}

TEST_CASE("slots are filled again before anybody has used them")
{
    // Nothing holds warp 0 back: a phase would go by that no wait has seen.
    check_fault(ring(Slip::empty_ignored), FaultKind::transaction,
                {"agent 0 arrives in phase 1 of mbarrier 0; no wait before this arrival has seen phase 0 complete"}, {},
                {FaultKind::race});
}

TEST_CASE("an mbarrier is used that no agent has set up")
{
    check_fault(ring(Slip::not_set_up), FaultKind::transaction, {"mbarrier 0 is used by agent 0 before it is initialized"});
}

TEST_CASE("an mbarrier is used without anything that orders its set-up before")
{
    check_fault(ring(Slip::set_up_unordered), FaultKind::transaction,
                {"mbarrier 0 is waited for by agent 1", "its initialization by agent 0"});
}

TEST_CASE("an mbarrier is set up for no arrivals")
{
    check_fault(ring(Slip::set_up_for_none), FaultKind::transaction, {"expects 0 arrivals"});
}

namespace {

/// A block of agents with one mbarrier, which agent 0 has initialized.
Pair with_mbarrier(int arrivals, int agents, const std::function<void(Kernel&, Scope, const TensorRef&, bool, Marks&)>& body)
{
    Pair p{machines::sm90, {}, {}, {{"C", [](std::int64_t) { return 0.0; }}}};
    p.write = [=](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {4}, f32);
        one_block(k, agents, [&](Scope cta) {
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, arrivals)); });
            cta.sync();
            body(k, cta, C, defect, marks);
        });
    };
    return p;
}

} // namespace

TEST_CASE("an mbarrier is invalidated before an agent has waited for it")
{
    const Pair p = with_mbarrier(2, 2, [](Kernel& k, Scope cta, const TensorRef& C, bool defect, Marks& marks) {
        cta.mbarrier(arrive(0)).mbarrier(wait_for(0, 0));
        if (!defect) cta.sync();
        cta.warps(0, 1, [&](Scope w) {
            marks.at = next(k);
            w.mbarrier({Mbarrier::Action::invalidate, 0, 0, {}}).fill(C, 0);
        });
    });
    // Where agent 1 comes later, it waits for an mbarrier that is not there.
    check_fault(p, FaultKind::transaction,
                {"mbarrier 0 is invalidated by agent 0; no barrier or wait orders this after a wait of agent 1"});
}

TEST_CASE("an mbarrier is invalidated without a wait for an arrival")
{
    const Pair p = with_mbarrier(1, 2, [](Kernel& k, Scope cta, const TensorRef& C, bool defect, Marks& marks) {
        cta.warps(0, 1, [&](Scope w) { w.mbarrier(arrive(0)).fill(C, 0); });
        cta.warps(1, 1, [&](Scope w) {
            if (!defect) w.mbarrier(wait_for(0, 0));
            marks.at = next(k);
            w.mbarrier({Mbarrier::Action::invalidate, 0, 0, {}});
        });
    });
    check_fault(p, FaultKind::transaction,
                {"mbarrier 0 is invalidated by agent 1; no barrier or wait orders this after an arrival of agent 0"});
}

TEST_CASE("an mbarrier is invalidated while its phase waits for bytes, or has too many")
{
    for (const bool many : {false, true}) {
        const Pair p = with_mbarrier(1, 1, [many](Kernel& k, Scope cta, const TensorRef& C, bool defect, Marks& marks) {
            const auto s = cta.alloc(Role::shared, {4}, f32, {}, "s");
            cta.fill(C, 0).proxy_fence();
            Options on_mbarrier;
            on_mbarrier.completes_on = 0;
            if (many) cta.copy_async(s, C, on_mbarrier);
            if (many ? !defect : defect) cta.mbarrier({Mbarrier::Action::expect_more, 0, 16, {}});
            if (!defect) cta.mbarrier(arrive(0)).mbarrier(wait_for(0, 0));
            marks.at = next(k);
            cta.mbarrier({Mbarrier::Action::invalidate, 0, 0, {}});
        });
        check_fault(p, FaultKind::transaction,
                    {many ? "mbarrier 0 is invalidated, and its phase 0 has 16 bytes too many"
                          : "mbarrier 0 is invalidated, and its phase 0 still waits for 16 bytes"});
    }
}

TEST_CASE("a phase never ends, and the others wait at a barrier for the agent that waits for it")
{
    const Pair p = with_mbarrier(1, 3, [](Kernel& k, Scope cta, const TensorRef& C, bool defect, Marks& marks) {
        if (!defect) cta.warps(2, 1, [&](Scope w) { w.mbarrier(arrive(0)); });
        cta.warps(1, 1, [&](Scope w) {
            marks.at = next(k);
            w.mbarrier(wait_for(0, 0));
        });
        cta.sync();
        cta.fill(C, 0);
    });
    check_fault(p, FaultKind::deadlock,
                {"agent 1 waits in statement", "for phase 0 of mbarrier 0", "agent 0, like agent 2, waits at the barrier"});
}
