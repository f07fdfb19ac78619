// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/defects/harness.hpp>

/// Named barriers: agents of different scopes meet, or hand over without a wait.
namespace {

using namespace defects;
using Action = NamedBarrier::Action;

NamedBarrier come(Action action, int id, std::int64_t threads) { return {action, id, threads}; }

enum class Slip { none, no_wait, no_arrival, count, odd_count, one_too_many, other_number, no_release, release_for_wait };

/// Five tiles through two slots. Warp 0 fills slots, warps 1 and 2 each take half of them. Barriers 1 and 2: the slot is full; 3 and 4: it is
/// empty. Whoever hands over arrives; whoever takes over waits.
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
            int copied = -1, first = -1, full = -1, read = -1, arrival = -1, second = -1, last = -1;
            cta.warps(0, 1, "producer", [&](Scope w) {
                for (int i = 0; i < n; ++i) {
                    if (i >= 2 && !is(Slip::no_release)) w.named_barrier(come(Action::sync, 3 + i % 2, 96));
                    if (i == 0) copied = next(k);
                    w.copy(s(i % 2, all), A(i, all), single);
                    if (i == 0) arrival = next(k);
                    if (i == 2) second = next(k);
                    if (i == 4) last = next(k);
                    if (is(Slip::no_arrival) && i == 4) continue;
                    w.named_barrier(come(Action::arrive, is(Slip::other_number) && i == 4 ? 7 : 1 + i % 2,
                                         is(Slip::odd_count) && i == 0 ? 80 : 96));
                }
            });
            cta.warps(1, 2, "consumers", [&](Scope w) {
                for (int i = 0; i < n; ++i) {
                    full = next(k);
                    if (i == 0) first = full;
                    if (!is(Slip::no_wait) || i > 0)
                        w.named_barrier(come(is(Slip::release_for_wait) && i == 0 ? Action::arrive : Action::sync, 1 + i % 2,
                                             is(Slip::count)                    ? 128
                                             : is(Slip::one_too_many) && i == 4 ? 128
                                                                                : 96));
                    if (i == 0) read = next(k);
                    w.copy(r, s(i % 2, all));
                    w.copy(C(i, all), r);
                    if (i + 2 < n) w.named_barrier(come(Action::arrive, 3 + i % 2, 96));
                }
            });
            switch (slip) {
            case Slip::no_arrival:
            case Slip::other_number: marks.at = full; break;
            case Slip::no_wait:
            case Slip::release_for_wait: marks = {read, copied}; break;
            case Slip::no_release: marks = {second, arrival}; break;
            case Slip::odd_count: marks.at = arrival; break;
            case Slip::count: marks.at = first; break;
            case Slip::one_too_many: marks.at = last; break;
            case Slip::none: break;
            }
        });
    };
    return p;
}

} // namespace

TEST_CASE("named barriers: a ring of slots, full and empty") { check_sound(ring(Slip::none)); }

TEST_CASE("named barriers: what a ring gives is what its reference gives, which its agents go through each for itself")
{
    Marks marks;
    const Pair pair = ring(Slip::none);
    Kernel k("ring", pair.machine);
    pair.write(k, false, marks);
    const Program program = k.program().value();
    const Bindings inputs = inputs_of(program, pair.given);
    CHECK(verified(program, inputs, find(program, inputs).outputs).empty());
}

TEST_CASE("named barriers: a slot is read without a wait")
{
    check_fault(ring(Slip::no_wait), FaultKind::race, {"no barrier or wait orders the two accesses"});
}

TEST_CASE("named barriers: those who take over arrive, where they should wait")
{
    check_fault(ring(Slip::release_for_wait), FaultKind::race, {"no barrier or wait orders the two accesses"});
}

TEST_CASE("named barriers: an arrival is missing, and the others wait for ever")
{
    check_fault(
        ring(Slip::no_arrival), FaultKind::deadlock,
        {"agent 1 (consumers), like agent 2, waits in statement", "at named barrier 1, to which 64 of 96 threads have come"});
}

TEST_CASE("named barriers: an arrival goes to another barrier")
{
    check_fault(ring(Slip::other_number), FaultKind::deadlock, {"at named barrier 1, to which 64 of 96 threads have come"});
}

TEST_CASE("named barriers: the counts of those that come differ")
{
    check_fault(ring(Slip::count), FaultKind::divergence, {"comes to named barrier 1 for", "those before it came for"});
    check_fault(ring(Slip::one_too_many), FaultKind::divergence, {"comes to named barrier 1 for", "those before it came for"});
}

TEST_CASE("named barriers: a count that is not whole agents")
{
    check_fault(ring(Slip::odd_count), FaultKind::divergence,
                {"named barrier 1 is for 80 threads; it must be a multiple of 32, the lanes of an agent"}, {});
}

TEST_CASE("named barriers: an agent that only arrives goes on to the next round")
{
    // Without the wait for the slot to be empty nothing shows the producer that its last arrival was counted.
    check_fault(ring(Slip::no_release), FaultKind::divergence,
                {"agent 0 comes to named barrier 1 again; no wait has seen it complete since statement"}, {}, {FaultKind::race});
}

namespace {

/// `body` of a block with so many agents, which has an output C of 64 numbers, 5.
Pair small(int agents, const std::function<void(Kernel&, Scope, const TensorRef&, bool, Marks&)>& body)
{
    Pair p{machines::sm90, {}, {}, {{"C", [](std::int64_t) { return 5.0; }}}};
    p.write = [=](Kernel& k, bool defect, Marks& marks) {
        const auto C = k.output("C", {64}, f32);
        one_block(k, agents, [&](Scope cta) { body(k, cta, C, defect, marks); });
    };
    return p;
}

} // namespace

TEST_CASE("named barriers: halves of a block have turns, each gives the other its turn")
{
    // The defect: the second half begins without its first turn.
    check_fault(small(2,
                      [](Kernel& k, Scope cta, const TensorRef& C, bool defect, Marks& marks) {
                          const auto s = cta.alloc(Role::shared, {64}, f32, {}, "s");
                          cta.fill(s, 0).sync();
                          for (int half = 0; half < 2; ++half)
                              cta.warps(half, 1, [&](Scope w) {
                                  if (half == 1) w.named_barrier(come(Action::arrive, 1, 64));
                                  for (int i = 0; i < 3; ++i) {
                                      if (!defect || half == 0) w.named_barrier(come(Action::sync, 1 + half, 64));
                                      w.fill(s, i == 2 && half == 1 ? 5 : i);
                                      if (half == 1 && i == 0) marks.at = next(k);
                                      if (half == 0 || i < 2) w.named_barrier(come(Action::arrive, 2 - half, 64));
                                  }
                              });
                          cta.sync();
                          cta.copy(C, s);
                      }),
                FaultKind::divergence, {"agent 1 comes to named barrier 1 again"}, {}, {FaultKind::race});
}

TEST_CASE("named barriers: all of a block at one, again and again, and parts of it at another")
{
    check_sound(small(4, [](Kernel&, Scope cta, const TensorRef& C, bool, Marks&) {
        const auto s = cta.alloc(Role::shared, {64}, f32, {}, "s");
        cta.warps(0, 1, [&](Scope w) { w.fill(s, 4); });
        cta.named_barrier(come(Action::sync, 15, 128));
        cta.agents(1, 2, 2, [&](Scope w) { w.named_barrier(come(Action::sync, 14, 64)); });
        cta.named_barrier(come(Action::sync, 15, 128));
        cta.warps(3, 1, [&](Scope w) { w.fill(s, 5); });
        cta.named_barrier(come(Action::sync, 15, 128));
        cta.warps(1, 1, [&](Scope w) { w.copy(C, s); });
    }));
}

TEST_CASE("named barriers: an agent that has arrived is not ordered after those that wait")
{
    check_fault(small(2,
                      [](Kernel& k, Scope cta, const TensorRef& C, bool defect, Marks& marks) {
                          const auto s = cta.alloc(Role::shared, {64}, f32, {}, "s");
                          int filled = -1;
                          cta.warps(0, 1, [&](Scope w) {
                              filled = next(k);
                              w.fill(s, 5).named_barrier(come(Action::sync, 0, 64));
                          });
                          cta.warps(1, 1, [&](Scope w) {
                              w.named_barrier(come(defect ? Action::arrive : Action::sync, 0, 64));
                              marks = {next(k), filled};
                              w.copy(C, s);
                          });
                      }),
                FaultKind::race, {"no barrier or wait orders the two accesses"});
}

TEST_CASE("named barriers: an ordinary write before one, and a copy of the asynchronous proxy after it, need a fence")
{
    check_fault(small(2,
                      [](Kernel& k, Scope cta, const TensorRef& C, bool defect, Marks& marks) {
                          const auto s = cta.alloc(Role::shared, {64}, f32, {}, "s");
                          cta.warps(0, 1, [&](Scope w) {
                              w.fill(s, 5);
                              if (!defect) w.proxy_fence();
                              w.named_barrier(come(Action::arrive, 2, 64));
                          });
                          cta.warps(1, 1, [&](Scope w) {
                              w.named_barrier(come(Action::sync, 2, 64));
                              marks.at = next(k);
                              w.copy_async(C, s).commit().wait();
                          });
                      }),
                FaultKind::proxy, {"without a proxy fence between"});
}
