// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Copies of lanes (cp.async) that complete on an mbarrier: the agent arrives when they are done, or the phase includes them.
namespace {

using namespace defects;
using Action = Mbarrier::Action;

enum class Slip { none, plain_arrival, early_arrival, no_arrival, no_wait };

/// Five tiles through two slots. Warp 0 starts copies into slots, warps 1 and 2 each take half of them. mbarriers 0 and 1: the slot is
/// full; 2 and 3: it is empty. `includes`: the phase includes the copies, and the warp arrives by itself.
Pair ring(const Machine& machine, Slip slip, bool includes = false)
{
    Pair p{machine, {}, {{"A", counted}}, {{"C", counted}}};
    p.write = [slip, includes](Kernel& k, bool defect, Marks& marks) {
        const auto is = [&](Slip s) { return defect && s == slip; };
        constexpr int n = 5;
        const auto A = k.input("A", {n, 64}, f32), C = k.output("C", {n, 64}, f32);
        one_block(k, 3, [&](Scope cta) {
            const auto s = cta.alloc(Role::shared, {2, 64}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {64}, f32, "(2,32):(1@warp,1@lane) + 1@warp"_axe, "r");
            cta.warps(0, 1, [&](Scope w) {
                for (int slot = 0; slot < 2; ++slot)
                    w.mbarrier({Action::init, slot, 1, {}}).mbarrier({Action::init, 2 + slot, 2, {}});
            });
            cta.sync();
            int copied = -1, read = -1, last = -1;
            cta.warps(0, 1, [&](Scope w) {
                for (int i = 0; i < n; ++i) {
                    w.mbarrier({Action::wait, 2 + i % 2, 0, (i / 2 + 1) % 2});
                    const auto arrive = [&] {
                        if (is(Slip::plain_arrival) && i == 0)
                            w.mbarrier({Action::arrive, 0, 0, {}});
                        else if (includes)
                            w.mbarrier({Action::include_copies, i % 2, 0, {}});
                        else
                            w.mbarrier({Action::arrive_after_copies, i % 2, 0, {}});
                        if (includes && !(is(Slip::no_arrival) && i == 2)) w.mbarrier({Action::arrive, i % 2, 0, {}});
                    };
                    if (is(Slip::early_arrival) && i == 0) arrive();
                    if (i == 0) copied = next(k);
                    last = next(k);
                    w.copy_async(s(i % 2, all), A(i, all), single);
                    if (!(is(Slip::early_arrival) && i == 0)) arrive();
                }
                if (is(Slip::plain_arrival) || is(Slip::early_arrival)) w.commit().wait();
            });
            cta.warps(1, 2, [&](Scope w) {
                for (int i = 0; i < n - (is(Slip::no_wait) ? 1 : 0); ++i) {
                    w.mbarrier({Action::wait, i % 2, 0, i / 2 % 2});
                    if (i == 0) read = next(k);
                    w.copy(r, s(i % 2, all)).copy(C(i, all), r).mbarrier({Action::arrive, 2 + i % 2, 0, {}});
                }
            });
            switch (slip) {
            case Slip::plain_arrival:
            case Slip::early_arrival: marks = {read, copied}; break;
            case Slip::no_wait: marks.at = last; break;
            case Slip::no_arrival:
            case Slip::none: break;
            }
        });
    };
    return p;
}

} // namespace

TEST_CASE("copies of lanes complete on mbarriers of a ring")
{
    for (const Machine& machine : {machines::sm80, machines::sm90})
        for (const bool includes : {false, true}) check_sound(ring(machine, Slip::none, includes));
}

TEST_CASE("an arrival that does not wait for the copies of its agent")
{
    check_fault(ring(machines::sm80, Slip::plain_arrival), FaultKind::race,
                {"is read here and written by an asynchronous copy of agent 0"});
}

TEST_CASE("an arrival after copies covers those before it, and not the next one")
{
    check_fault(ring(machines::sm80, Slip::early_arrival), FaultKind::race,
                {"is read here and written by an asynchronous copy of agent 0"});
}

TEST_CASE("a phase that includes copies still waits for its arrivals")
{
    Marks marks;
    const Found f = find(ring(machines::sm90, Slip::no_arrival, true), true, marks);
    INFO(f.text);
    CHECK(f.fault.kind == FaultKind::deadlock);
    CHECK(missing(f.text, {"for phase 1 of mbarrier 0, which lacks 1 of 1 arrival"}).empty());
}

TEST_CASE("a block ends, and no wait has seen the phase on which copies of lanes complete")
{
    check_fault(ring(machines::sm80, Slip::no_wait), FaultKind::async_unfinished,
                {"the block ends without a wait for phase 2 of mbarrier 0, on which this copy completes"});
}
