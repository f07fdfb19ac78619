// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include "arrays.hpp"

#include <axe/kernels.hpp>
#include <axe/sim/reference/reference.hpp>
#include <axe/text/literals.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tests/unit/sim/rings.hpp>
#include <tests/without_lines.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;
using rings::arrive;
using rings::init;
using rings::wait_for;

/// The reference, of blocks whose agents wait for each other: it does what they do in an order that their waits allow.

namespace {

using Numbers = std::vector<double>;

/// What C should be, or the problem.
std::pair<Numbers, std::string> result_of(const Kernel& k, const Bindings& in = {}, const ReferenceOptions& options = {})
{
    const auto program = k.program();
    if (!program) return {{}, without_lines(program.error().text)};
    const auto r = reference(*program, in, options);
    if (!r) return {{}, without_lines(r.error().text)};
    Numbers out;
    for (std::int64_t i = 0; i < r->tensors[0].size(); ++i) out.push_back(r->tensors[0].at(i).value);
    return {out, ""};
}
errc code_of(const Kernel& k) { return reference(k.program().value(), {}).error().code; }

/// A kernel of one block of four agents, with a C of `count` numbers and `count` numbers in shared memory.
template <class Body>
void block(Kernel& k, std::int64_t count, Body body, int agents = 4)
{
    const auto C = k.output("C", {count}, i32);
    one_block(k, agents, [&](Scope cta) { body(cta, C, cta.alloc(Role::shared, {count}, i32, {}, "s")); });
}

} // namespace

TEST_CASE("a ring of one slot is verified, whichever of producer and consumer is written first", "[sim][reference]")
{
    for (const bool consumer_first : {false, true}) {
        rings::Ring ring;
        ring.tiles = 2;
        ring.consumers_first = consumer_first;
        const rings::Found found = rings::find(ring);
        INFO(consumer_first << ": " << found.text());
        CHECK(found.runs);
        CHECK(found.verified);
    }
}

TEST_CASE("random rings: what runs without a fault is verified", "[sim][reference]")
{
    laws::Random r(20);
    for (int n = 0; n < static_cast<int>(60 * laws::scale()); ++n) {
        const rings::Ring ring = rings::random(r);
        const rings::Found found = rings::find(ring);
        INFO("ring " << n << ": " << ring.text() << ": " << found.text());
        REQUIRE(found.runs);
        REQUIRE(found.verified);
    }
}

TEST_CASE("random rings with one mistake: the run or the verification finds it, and both end", "[sim][reference]")
{
    laws::Random r(21);
    int by_run = 0;
    for (int n = 0; n < static_cast<int>(120 * laws::scale()); ++n) {
        const rings::Ring ring = rings::random_slip(r);
        const rings::Found found = rings::find(ring);
        INFO("ring " << n << ": " << ring.text() << ": " << found.text());
        REQUIRE_FALSE((found.runs && found.verified));
        by_run += found.runs ? 0 : 1;
        // What the run says of waits that never end, the reference says without it.
        if (found.kind == sim::FaultKind::deadlock && ring.always_waits())
            REQUIRE(found.problem.find("no agent can continue") != std::string::npos);
    }
    CHECK(by_run > static_cast<int>(110 * laws::scale()));
}

TEST_CASE("the consumer may be written before the producer, and run ahead in a loop around both", "[sim][reference]")
{
    // In round i the consumer takes what the producer brings in round i + 1.
    Kernel k("ahead", machines::sm90);
    block(k, 4, [](Scope cta, const TensorRef& C, const TensorRef& s) {
        cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)).mbarrier(init(1, 1)); }).sync();
        cta.loop(0, 5, 1, [&](const Affine& i) {
            cta.when(Expression(i) < 4, [&] {
                cta.warps(0, 1, [&](Scope w) {
                    w.mbarrier(wait_for(0, floor_mod(Expression(i), 2)));
                    w.copy(C(i), s(0));
                    w.mbarrier(arrive(1));
                });
            });
            cta.when(Expression(0) < Expression(i), [&] {
                cta.warps(1, 1, [&](Scope w) {
                    w.mbarrier(wait_for(1, floor_mod(Expression(i), 2)));
                    w.fill(s(0), 7);
                    w.mbarrier(arrive(0));
                });
            });
        });
    });
    const auto [values, problem] = result_of(k);
    INFO(problem);
    CHECK(values == Numbers{7, 7, 7, 7});
}

TEST_CASE("each arrival of an agent counts: a phase of three ends with three agents", "[sim][reference]")
{
    for (const int expected : {1, 2, 3}) {
        Kernel k("arrivals", machines::sm90);
        block(k, 1, [&](Scope cta, const TensorRef& C, const TensorRef&) {
            cta.warps(3, 1, [&](Scope w) { w.mbarrier(init(0, expected)); }).sync();
            cta.warps(3, 1, [&](Scope w) {
                w.mbarrier(wait_for(0, 0));
                w.fill(C, 1);
            });
            cta.warps(0, 3, [&](Scope w) { w.mbarrier(arrive(0)); });
        });
        const auto [values, problem] = result_of(k);
        INFO(expected << ": " << problem);
        // Of two expected arrivals the third is of the next phase; of one, three phases are over, and the third has parity 0.
        CHECK(values == Numbers{1});
    }
}

TEST_CASE("agents meet at the barriers of a slice, and at those of a slice of it", "[sim][reference]")
{
    Kernel k("barriers", machines::sm90);
    block(k, 3, [](Scope cta, const TensorRef& C, const TensorRef& s) {
        cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)); }).sync();
        cta.warps(0, 3, [&](Scope three) {
            three.warps(0, 1, [&](Scope w) { w.mbarrier(wait_for(0, 0)); });
            three.sync();
            three.copy(C(0), s(0));
            three.agents(0, 2, 2, [&](Scope two) { two.sync().copy(C(1), s(1)); });
        });
        cta.warps(3, 1, [&](Scope w) {
            w.fill(s, 5);
            w.mbarrier(arrive(0));
        });
        cta.sync().copy(C(2), s(2));
    });
    const auto [values, problem] = result_of(k);
    INFO(problem);
    CHECK(values == Numbers{5, 5, 5});
}

TEST_CASE("waits that never end: who waits where for what, and who would have to bring it", "[sim][reference]")
{
    Kernel k("crossed", machines::sm90);
    block(
        k, 1,
        [](Scope cta, const TensorRef& C, const TensorRef&) {
            cta.fill(C, 0);
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)).mbarrier(init(1, 2)); }).sync();
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(wait_for(0, 0)).mbarrier(arrive(1)); });
            cta.warps(1, 1, [&](Scope w) { w.mbarrier(wait_for(1, 0)).mbarrier(arrive(0)); });
        },
        3);
    const auto [values, problem] = result_of(k);
    CHECK(values.empty());
    CHECK(
        problem ==
        "crossed, statement 8: no agent can continue: agent 0 waits in statement 8 for phase 0 of mbarrier 0, which lacks 1 of 1 "
        "arrival: the next arrivals are statement 12 of agent 1, after its own wait; agent 1 waits in statement 11 for phase 0 of "
        "mbarrier 1, which lacks 2 of 2 arrivals: the next arrivals are statement 9 of agent 0, after its own wait; agent 2 has "
        "ended\n"
        "  statement 8: mbarrier 0 wait 0\n"
        "  statement 11: mbarrier 1 wait 0");
    CHECK(code_of(k) == errc::out_of_domain);
}

TEST_CASE("a wait for an arrival that comes after an operator of both is not decided", "[sim][reference]")
{
    Kernel k("operator", machines::sm90);
    block(
        k, 1,
        [](Scope cta, const TensorRef& C, const TensorRef&) {
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)); }).sync();
            cta.warps(1, 1, [&](Scope w) { w.mbarrier(wait_for(0, 0)); });
            cta.fill(C, 0);
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(arrive(0)); });
        },
        2);
    const auto [values, problem] = result_of(k);
    CHECK(values.empty());
    INFO(problem);
    CHECK(problem.find("agent 0 waits for agent 1 to come to statement 7, which they do together") != std::string::npos);
    CHECK(code_of(k) == errc::too_hard);
}

TEST_CASE("mbarriers that are not set up, or set up for no arrivals, or for bytes that do not come", "[sim][reference]")
{
    const auto text_of = [](std::vector<Mbarrier> actions) {
        Kernel k("wrong", machines::sm90);
        block(
            k, 1,
            [&](Scope cta, const TensorRef& C, const TensorRef&) {
                cta.fill(C, 0);
                for (const Mbarrier& m : actions) cta.mbarrier(m);
                cta.mbarrier(wait_for(1, 0));
            },
            1);
        return result_of(k).second;
    };
    const auto bytes = [](std::int64_t n) { return Mbarrier{Mbarrier::Action::expect_bytes, 1, n, {}}; };
    CHECK(text_of({}) == "wrong, statement 3: mbarrier 1 is waited for by agent 0 before it is initialized");
    CHECK(text_of({arrive(1)}) == "wrong, statement 3: mbarrier 1 is used by agent 0 before it is initialized");
    CHECK(text_of({init(1, 0)}) == "wrong, statement 3: an mbarrier expects 0 arrivals; it must be 1 to 1048575");
    CHECK(text_of({init(1, 1), bytes(0)}).empty());
    CHECK(text_of({init(1, 1), bytes(64)}).find("which lacks 0 of 1 arrival and 64 bytes") != std::string::npos);
    CHECK(text_of({init(1, 1), bytes(64), arrive(1)}) ==
          "wrong, statement 5: mbarrier 1 expects 1 arrival in each phase; this is one more");
    // A second initialization is one of another mbarrier, where the first is invalidated.
    const Mbarrier invalid{Mbarrier::Action::invalidate, 1, 0, {}};
    CHECK(text_of({init(1, 3), invalid, init(1, 1), arrive(1)}).empty());
    CHECK(text_of({init(1, 3), init(1, 1), arrive(1)}) ==
          "wrong, statement 4: mbarrier 1 is initialized and has not been invalidated since its last initialization");
    CHECK(text_of({init(1, 3), invalid, arrive(1)}) ==
          "wrong, statement 5: mbarrier 1 is used by agent 0 before it is initialized");
}

TEST_CASE("each agent has its own scalars and its own round of a loop", "[sim][reference]")
{
    Kernel k("scalars", machines::sm90);
    block(
        k, 6,
        [&](Scope cta, const TensorRef& C, const TensorRef& s) {
            const auto n = cta.scalar("n", 0);
            cta.fill(C, 0).fill(s, 4).sync();
            cta.loop(0, 3, 1, [&](const Affine& i) {
                cta.warps(0, 1, [&](Scope w) {
                    w.assign(n, Expression(n) + 1);
                    w.when(equals(n, Expression(i) + 1), [&] { w.copy(C(i), s(0)); });
                });
                cta.warps(1, 1, [&](Scope w) {
                    w.assign(n, Expression(n) + 2);
                    w.when(equals(n, Expression(i) * 2 + 2), [&] { w.copy(C(i + 3), s(0)); });
                });
            });
        },
        2);
    const auto [values, problem] = result_of(k);
    INFO(problem);
    CHECK(values == Numbers{4, 4, 4, 4, 4, 4});
}

TEST_CASE("what lanes assign in step is the agent's after each_agent and each_thread", "[sim][reference]")
{
    for (const bool waits : {false, true}) {
        Kernel k("assigned", machines::sm90);
        block(k, 1, [&](Scope cta, const TensorRef& C, const TensorRef&) {
            const auto n = cta.scalar("n", 0);
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 4)); }).sync();
            cta.each_thread({128}, [&](Scope t, const std::vector<Affine>&) { t.assign(n, Expression(n) + 3); });
            cta.each_agent({4}, [&](Scope a, const std::vector<Affine>&) {
                a.assign(n, Expression(n) + 1);
                a.mbarrier(arrive(0));
                if (waits) a.mbarrier(wait_for(0, 0));
            });
            cta.fill(C, 0).sync();
            cta.warps(2, 1, [&](Scope w) { w.when(equals(n, 4), [&] { w.fill(C, 1); }); });
        });
        const auto [values, problem] = result_of(k);
        INFO(waits << ": " << problem);
        CHECK(values == Numbers{1});
        const auto lowered = required(lower(k.program().value()));
        const auto report = without_fault(sim::run(lowered->program, {}));
        CHECK(report->outputs.find("C")->at(0) == 1);
    }
}

TEST_CASE("lanes and agents for themselves, with waits between what they do", "[sim][reference]")
{
    Kernel k("lanes", machines::sm90);
    const auto C = k.output("C", {4, 32}, i32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {4, 32}, i32, {}, "s");
        cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 4)); }).sync();
        cta.each_agent({2, 2}, [&](Scope a, const std::vector<Affine>& w) {
            a.fill(s(w[0] * 2 + w[1], all), 3);
            a.mbarrier(arrive(0)).mbarrier(wait_for(0, 0));
            a.each_thread({32}, [&](Scope t, const std::vector<Affine>& l) {
                const auto r = t.alloc(Role::registers, {1}, i32, {}, "r");
                t.copy(r(0), s(Affine(3) - w[0] * 2 - w[1], l[0]));
                t.mbarrier(arrive(0)).mbarrier(wait_for(0, 1));
                t.copy(C(w[0] * 2 + w[1], l[0]), r(0));
            });
        });
    });
    const auto [values, problem] = result_of(k);
    INFO(problem);
    CHECK(values == Numbers(128, 3));
}

TEST_CASE("an allocation in a loop is another one in each round, for each agent by its own round", "[sim][reference]")
{
    // The producer is a round ahead when the consumer reads.
    Kernel k("rounds", machines::sm90);
    const auto A = k.input("A", {3, 4}, i32), C = k.output("C", {3, 4}, i32);
    one_block(k, 2, [&](Scope cta) {
        cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)); }).sync();
        cta.loop(0, 3, 1, [&](const Affine& i) {
            const auto s = cta.alloc(Role::shared, {4}, i32, {}, "s");
            cta.warps(0, 1, [&](Scope w) {
                w.copy(s, A(i, all));
                w.mbarrier(arrive(0));
            });
            cta.warps(1, 1, [&](Scope w) {
                w.mbarrier(wait_for(0, 0));
                w.copy(C(i, all), s);
            });
        });
    });
    Bindings in;
    in.set("A", arrays::counting({3, 4}, i32));
    const auto [values, problem] = result_of(k, in);
    INFO(problem);
    CHECK(values == Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("loops with waits are left by break, and go on by continue, for each agent by itself", "[sim][reference]")
{
    Kernel k("left", machines::sm90);
    block(
        k, 6,
        [](Scope cta, const TensorRef& C, const TensorRef& s) {
            cta.fill(C, 0);
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)).mbarrier(init(1, 1)); }).sync();
            const auto n = cta.scalar("n", 0);
            cta.warps(0, 1, [&](Scope w) {
                w.loop(0, 6, 1, [&](const Affine& i) {
                    w.mbarrier(wait_for(0, floor_mod(Expression(i), 2)));
                    w.when(equals(Expression(i), 4), [&] { w.break_loop(); });
                    w.when(equals(Expression(i), 1), [&] { w.mbarrier(arrive(1)).continue_loop(); });
                    w.copy(C(i), s(0));
                    w.mbarrier(arrive(1));
                });
                w.copy(C(5), s(0));
            });
            cta.warps(1, 1, [&](Scope w) {
                w.loop_while(Expression(n) < 100, [&] {
                    w.mbarrier(wait_for(1, floor_mod(Expression(n) + 1, 2)));
                    w.fill(s(0), 9);
                    w.assign(n, Expression(n) + 1);
                    w.mbarrier(arrive(0));
                    w.when(equals(n, 5), [&] { w.break_loop(); });
                });
            });
        },
        2);
    const auto [values, problem] = result_of(k);
    INFO(problem);
    CHECK(values == Numbers{9, 0, 9, 9, 0, 9});
}

TEST_CASE("each block has mbarriers of its own", "[sim][reference]")
{
    Kernel k("blocks", machines::sm90);
    const auto C = k.output("C", {5}, i32);
    k.cta(tiles(5, 1), [&](Scope cta, const Tile& t) {
        cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 1)); }).sync();
        cta.warps(1, 1, [&](Scope w) {
            w.mbarrier(wait_for(0, 0));
            w.fill(C(t.index[0]), 2);
        });
        cta.warps(2, 1, [&](Scope w) { w.mbarrier(arrive(0)); });
    });
    const auto [values, problem] = result_of(k);
    INFO(problem);
    CHECK(values == Numbers(5, 2));
}

TEST_CASE("a loop until another agent sets a flag ends, and one that no agent sets is limited", "[sim][reference]")
{
    for (const bool sets : {true, false}) {
        Kernel k("flag", machines::sm90);
        block(
            k, 2,
            [&](Scope cta, const TensorRef& C, const TensorRef& s) {
                cta.fill(s, 0).sync();
                cta.warps(0, 1, [&](Scope w) {
                    w.mbarrier(init(0, 1));
                    cta.loop(0, 2, 1, [&](const Affine&) { w.loop_while(equals(load(s(0)), 0), [] {}); });
                    w.copy(C, s);
                });
                cta.warps(1, 1, [&](Scope w) {
                    w.fill(s(1), 2);
                    if (sets) w.fill(s(0), 1);
                    w.when(Expression(1) < 0, [&] { w.mbarrier(wait_for(0, 0)); });
                });
            },
            2);
        const auto [values, problem] = result_of(k, {}, {.most_rounds = 50});
        CHECK(values == (sets ? Numbers{1, 2} : Numbers{}));
        if (!sets) CHECK(problem == "flag, statement 7: not decided: the loop did not end within 50 rounds (block0 = 0)");
    }
}

TEST_CASE("conditions and places that differ where agents or lanes are in step", "[sim][reference]")
{
    Kernel k("lanes apart", machines::sm90);
    block(
        k, 32,
        [](Scope cta, const TensorRef& C, const TensorRef&) {
            cta.fill(C, 0).mbarrier(init(0, 1));
            cta.each_thread({32}, [&](Scope t, const std::vector<Affine>& l) {
                t.when(Expression(l[0]) < 3, [&] { t.mbarrier(arrive(0)); });
                t.mbarrier(wait_for(0, 0));
            });
        },
        1);
    CHECK(result_of(k).second == "lanes apart, statement 5: the condition differs between the agents or lanes of each_agent or "
                                 "each_thread, which run in step");
    CHECK(code_of(k) == errc::bad_argument);
}

TEST_CASE("agents that come to an operator together in different rounds of a loop", "[sim][reference]")
{
    Kernel k("apart", machines::sm90);
    block(
        k, 4,
        [](Scope cta, const TensorRef& C, const TensorRef&) {
            const auto n = cta.scalar("n", 0);
            cta.warps(0, 1, [&](Scope w) { w.assign(n, 1); });
            cta.loop(0, 4, 1, [&](const Affine& i) {
                cta.when(both(equals(n, 1), equals(Expression(i), 0)), [&] { cta.continue_loop(); });
                cta.fill(C(i), 1);
            });
        },
        2);
    CHECK(result_of(k).second ==
          "apart, statement 7, fill: the agents that run this statement together have operands at different places");
}

TEST_CASE("an each_agent of other than the agents that are there", "[sim][reference]")
{
    for (const bool waits : {false, true}) {
        Kernel k("three", machines::sm90);
        block(
            k, 1,
            [&](Scope cta, const TensorRef& C, const TensorRef&) {
                cta.fill(C, 0);
                cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 2)); }).sync();
                cta.each_agent({3}, [&](Scope a, const std::vector<Affine>&) {
                    if (waits) a.mbarrier(arrive(0));
                });
                cta.mbarrier(wait_for(0, 0));
            },
            2);
        INFO(waits);
        CHECK(result_of(k).second == "three, statement 6: 3 agents or lanes are distributed to 2 agents; each must have as many");
    }
}

TEST_CASE("an operator of several agents that wait is done once, and the rounds of a while are counted anew", "[sim][reference]")
{
    Kernel k("once", machines::sm90);
    const auto N = k.output("N", {1}, i32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto one = cta.alloc(Role::shared, {1}, i32, {}, "one");
        const auto n = cta.scalar("n", 0);
        cta.fill(one, 1).fill(N, 0);
        cta.warps(0, 1, [&](Scope w) { w.mbarrier(init(0, 4)); }).sync();
        cta.mbarrier(arrive(0)).mbarrier(wait_for(0, 0));
        cta.loop(0, 3, 1, [&](const Affine& i) {
            cta.loop_while(Expression(n) < Expression(i) * 20 + 20, [&] { cta.assign(n, Expression(n) + 1); });
            cta.atomic(Function::add, N, one);
        });
    });
    const auto [values, problem] = result_of(k, {}, {.most_rounds = 30});
    INFO(problem);
    CHECK(values == Numbers{3});
}
