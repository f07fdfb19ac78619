// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// mbarriers alone: their lives, arrivals and phases.
namespace {

using namespace races;

/// What agent 0 does with mbarriers 0 and 1; the fault is at its statement number `faulty` of these.
Variant actions(const std::vector<Mbarrier>& list, std::size_t faulty = 0)
{
    return {[list, faulty](Kernel& k, Sites& sites) {
                const auto out = k.output("out", {4, 32}, f32);
                k.cta(
                    tiles(4, 1),
                    [&](Scope cta, const Tile& t) {
                        Block b{k, cta};
                        b.agent(0, [&](Scope w) {
                            for (std::size_t i = 0; i < list.size(); ++i) {
                                if (i == faulty) sites = {{b.at(), -1}};
                                w.mbarrier(list[i]);
                            }
                            w.fill(out(t.index[0], all), 1);
                        });
                    },
                    1);
            },
            {{"out", always(1)}}};
}

} // namespace

TEST_CASE("cs-barrier-no-init")
{
    fault(actions({wait_for(0)}), FaultKind::transaction);
    SECTION("arrive") { fault(actions({arrive(0)}), FaultKind::transaction); }
    SECTION("arrive and expect bytes") { fault(actions({expect(0, 16)}), FaultKind::transaction); }
    SECTION("invalidate") { fault(actions({invalidate(0)}), FaultKind::transaction); }
}

TEST_CASE("cs-barrier-after-inval")
{
    fault(actions({init(0, 1), invalidate(0), wait_for(0)}, 2), FaultKind::transaction);
    SECTION("arrive") { fault(actions({init(0, 1), invalidate(0), arrive(0)}, 2), FaultKind::transaction); }
    SECTION("arrive and expect bytes") { fault(actions({init(0, 1), invalidate(0), expect(0, 16)}, 2), FaultKind::transaction); }
}

TEST_CASE("cs-barrier-reinit")
{
    fault(actions({init(0, 1), init(0, 1), invalidate(0)}, 1), FaultKind::transaction);
    SECTION("it is invalidated between") { ok(actions({init(0, 1), invalidate(0), init(0, 1), invalidate(0)})); }
}

TEST_CASE("cs-barrier-underflow")
{
    // An arrival counts 1 here: two in a row. The second comes in a phase whose predecessor its agent has not waited for.
    fault({[](Kernel& k, Sites& sites) {
              const auto out = k.output("out", {32}, f32);
              block(k, 2, [&](Block& b) {
                  b.set_up({1, 1});
                  b.agent(0, [&](Scope w) {
                      w.mbarrier(arrive(1));
                      sites = {{b.at(), -1}};
                      w.mbarrier(arrive(1)).mbarrier(wait_for(0)).fill(out, 0);
                  });
                  b.agent(1, [&](Scope w) { w.mbarrier(wait_for(1)); });
              });
          }},
          FaultKind::transaction);
}

TEST_CASE("cs-deadlock-overarrival")
{
    // The row: deadlock at the wait. "Decided here": a phase that no wait has seen before the next arrival is a fault of the mbarrier.
    fault(actions({init(0, 1), arrive(0), arrive(0), wait_for(0)}, 2), FaultKind::transaction);
    SECTION("one arrival") { ok(actions({init(0, 1), arrive(0), wait_for(0)})); }
}

TEST_CASE("cs-deadlock-three-of-four")
{
    fault({[](Kernel& k, Sites& sites) {
              const auto out = k.output("out", {32}, f32);
              block(k, 7, [&](Block& b) {
                  b.set_up({1});
                  b.cta.warps(0, 4, "P0", [&](Scope w) { w.fill(out, 0); });
                  for (int a = 4; a < 7; ++a)
                      b.agent(a, [&](Scope w) {
                          sites.emplace_back(b.at(), -1);
                          w.mbarrier(wait_for(0));
                      });
              });
          }},
          FaultKind::deadlock);
}

TEST_CASE("cs-deadlock-after-return")
{
    const auto kernel = [](bool waits, bool meets) {
        return Variant{[waits, meets](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {32}, f32);
                           block(k, 3, [&](Block& b) {
                               b.set_up({1, 1});
                               b.agent(0, [&](Scope w) { w.fill(out, 0); });
                               b.agent(1, [&](Scope w) {
                                   sites = {{b.at(), -1}};
                                   if (waits) w.mbarrier(wait_for(0));
                               });
                               b.agent(2, [&](Scope w) { w.mbarrier(arrive(1)); });
                               if (meets) b.cta.sync().sync(); // of the block, which stands for its cluster
                           });
                       },
                       {{"out", always(0)}}};
    };
    fault(kernel(true, false), FaultKind::deadlock);
    SECTION("no agent waits, and two barriers follow") { ok(kernel(false, true)); }
    SECTION("agent 1 waits, and two barriers follow") { fault(kernel(true, true), FaultKind::deadlock); }
}

TEST_CASE("jax-barrier-completed-twice")
{
    fault(actions({init(0, 1), arrive(0), arrive(0)}, 2), FaultKind::transaction);
    SECTION("two agents arrive once each")
    {
        fault({[](Kernel& k, Sites& sites) {
                  const auto out = k.output("out", {32}, f32);
                  block(k, 2, [&](Block& b) {
                      b.set_up({1});
                      for (int a = 0; a < 2; ++a)
                          b.agent(a, [&](Scope w) {
                              sites.emplace_back(b.at(), -1);
                              w.mbarrier(arrive(0));
                          });
                      b.cta.fill(out, 0);
                  });
              }},
              FaultKind::transaction);
    }
}

TEST_CASE("jax-barrier-missed-phase")
{
    // The row: barrier_phase. "Decided here": a parity that is waited for one phase late shows as the deadlock that it causes.
    fault({[](Kernel& k, Sites& sites) {
              const auto out = k.output("out", {32}, f32);
              block(k, 3, [&](Block& b) {
                  b.set_up({1, 1});
                  b.agent(0, [&](Scope w) { w.mbarrier(arrive(0)); });
                  b.agent(1, [&](Scope w) { w.mbarrier(wait_for(0)).mbarrier(arrive(0)).mbarrier(arrive(1)); });
                  b.agent(2, [&](Scope w) {
                      w.mbarrier(wait_for(1));
                      sites = {{b.at(), -1}};
                      w.mbarrier(wait_for(0)).fill(out, 0);
                  });
              });
          }},
          FaultKind::deadlock);
}

TEST_CASE("jax-warps-wait-unevenly")
{
    // Parities are written here, not counted by agents: each warp waits for the phase after those that it has waited for.
    // seen: bit 4·phase + warp, the warp waits for the phase by itself. Then all wait for the phase of this number, by each warp's count.
    const auto kernel = [](int seen, int phases, bool group_waits) {
        return Variant{[=](Kernel& k, Sites& sites) {
                           const auto out = k.output("out", {32}, f32);
                           block(k, 4, [&](Block& b) {
                               b.set_up({1});
                               std::vector<int> waited(4, 0);
                               for (int phase = 0; phase < phases; ++phase) {
                                   if (phase > 0) b.cta.sync();
                                   b.agent(phase % 2, [&](Scope w) { w.mbarrier(arrive(0)); });
                                   for (int a = 0; a < 4; ++a)
                                       if ((seen >> (4 * phase + a) & 1) != 0)
                                           b.agent(a, [&](Scope w) {
                                               sites.emplace_back(b.at(), -1);
                                               w.mbarrier(wait_for(0, waited[static_cast<std::size_t>(a)]++ % 2));
                                           });
                               }
                               b.cta.sync();
                               if (group_waits) {
                                   b.agent(0, [&](Scope w) { w.mbarrier(arrive(0)); });
                                   for (int a = 0; a < 4; ++a)
                                       b.agent(a,
                                               [&](Scope w) { w.mbarrier(wait_for(0, waited[static_cast<std::size_t>(a)] % 2)); });
                               } else
                                   for (int a = 0; a < 4; ++a)
                                       b.agent(a, [&](Scope w) {
                                           sites.emplace_back(b.at(), -1);
                                           w.mbarrier(wait_for(0, waited[static_cast<std::size_t>(a)] % 2));
                                       });
                               b.cta.fill(out, 0);
                           });
                       },
                       {{"out", always(0)}}};
    };
    // The row: barrier_phase. "Decided here": the wait for another phase shows as the deadlock that it causes.
    fault(kernel(0b1110, 1, false), FaultKind::deadlock);
    SECTION("all warps see every phase") { ok(kernel(0b1111, 1, true)); }
    SECTION("warps 0 to 2 wait, then warps 1 to 3") { fault(kernel(0b1110'0111, 2, false), FaultKind::deadlock); }
    SECTION("all wait for phase 0, three for phase 1") { fault(kernel(0b0111'1111, 2, false), FaultKind::deadlock); }
    SECTION("all wait for both phases") { ok(kernel(0b1111'1111, 2, true)); }
}
