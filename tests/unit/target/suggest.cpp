// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>

#include <axe/kernels.hpp>
#include <axe/target/suggest.hpp>
#include <axe/text/literals.hpp>
#include <tests/unit/sim/arrays.hpp>
#include <tests/unit/sim/rings.hpp>

using namespace axe;
using namespace axe::literals;
using enum axe::DType;

/// Which barrier or wait repairs a fault.

namespace {

constexpr Layout reversed = "(4,32):(-1@warp,1@lane) + 3@warp"_axe;

Bindings inputs_of(const Program& program)
{
    Bindings in;
    for (const ProgramTensor& t : program.tensors)
        if (t.binding == Binding::input) in.set(t.name, arrays::counting(t.shape, t.dtype));
    return in;
}
sim::Fault fault_of(const Program& program)
{
    const auto lowered = lower(program);
    INFO((lowered ? "" : lowered.error().text));
    REQUIRE(lowered);
    const auto report = sim::run(lowered->program, inputs_of(program));
    INFO((report ? "" : report.error().text));
    REQUIRE(report);
    return report->fault;
}
/// What repairs the program; that it does is run again here.
std::string repair(const Program& program, const SuggestOptions& options = {})
{
    const sim::Fault fault = fault_of(program);
    INFO(fault.text);
    REQUIRE(fault.found());
    const auto found = suggest(program, *targets::find(program.machine.name), inputs_of(program), fault, options);
    if (!found) return "";
    CHECK_FALSE(fault_of(found->program).found());
    CHECK(found->program.statements > program.statements);
    CHECK(found->tries >= 1);
    return found->hint;
}
std::string here(int line) { return " (suggest.cpp:" + std::to_string(line) + ")"; }

/// Tiles through shared memory, whose parts go from one warp to another; `first` and `second`: with the barriers between.
Program through_shared(bool first, bool second, int& copy)
{
    Kernel k("through", machines::sm80);
    const auto A = k.input("A", {3, 128}, f32), C = k.output("C", {3, 128}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
        const auto r = cta.alloc(Role::registers, {128}, f32, reversed, "r");
        cta.loop(0, 3, 1, [&](const Affine& i) {
            cta.copy(s, A(i, all), {.schedule = {}, .vector_bytes = 4});
            if (first) cta.sync();
            copy = __LINE__ + 1;
            cta.copy(r, s);
            cta.copy(C(i, all), r);
            if (second) cta.sync();
        });
    });
    return k.program().value();
}

} // namespace

TEST_CASE("a barrier that is missing before a read is found, with the statement and its line", "[suggest]")
{
    int copy = 0;
    const Program p = through_shared(false, true, copy);
    // The read came before the write of another warp, and the fault is at that write.
    CHECK(repair(p) == "hint: add `sync()` after statement 4: copy s = A[i1, 0 : +128]; vector_bytes 4" + here(copy - 3) +
                           "; the run then has no fault");
}

TEST_CASE("a barrier that is missing before the next round of a loop", "[suggest]")
{
    int copy = 0;
    const std::string hint = repair(through_shared(true, false, copy));
    INFO(hint);
    CHECK(hint.find("hint: add `sync()` after statement 6: copy r = s (suggest.cpp:") == 0);
}

TEST_CASE("a barrier of all, where the accesses are in slices of agents", "[suggest]")
{
    Kernel k("slices", machines::sm90);
    const auto C = k.output("C", {32}, f32);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            cta.warps(0, 1, [&](Scope w) { w.fill(s, 3); });
            cta.warps(1, 1, [&](Scope w) { w.map(Function::neg, C, {s}); });
        },
        2);
    const std::string hint = repair(k.program().value());
    CHECK(hint.find("hint: add `sync()` before statement 4: only 1 agent, from 1 (suggest.cpp:") == 0);
}

TEST_CASE("a wait that is missing after asynchronous copies, and what it needs of barriers", "[suggest]")
{
    const auto program = [](bool barrier) {
        Kernel k("async", machines::sm80);
        const auto A = k.input("A", {128}, f32), C = k.output("C", {128}, f32);
        k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {128}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {128}, f32, reversed, "r");
            cta.copy_async(s, A);
            cta.commit();
            if (barrier) cta.sync();
            cta.copy(r, s);
            cta.copy(C, r);
        });
        return k.program().value();
    };
    const std::string with = repair(program(true)), without = repair(program(false));
    INFO(with << " / " << without);
    CHECK(with.find("hint: add `wait(0)` ") == 0);
    CHECK(without.find("hint: add `wait(0).sync()` ") == 0);
}

TEST_CASE("an mbarrier that is set up without a barrier", "[suggest]")
{
    Kernel k("mbarrier", machines::sm90);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(rings::init(0, 1)); });
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(rings::arrive(0)); });
            cta.warps(1, 1, [&](Scope w) { w.mbarrier(rings::wait_for(0, 0)); });
        },
        2);
    CHECK(repair(k.program().value()).find("hint: add `sync()` ") == 0);
}

TEST_CASE("an arrival that is missing at an mbarrier is found, with its agent and the statement before it", "[suggest]")
{
    rings::Ring ring;
    ring.slip = rings::Slip::no_arrival;
    ring.at = 1;
    const std::string hint = repair(rings::write(ring));
    INFO(hint);
    CHECK(hint.find(
              "hint: add `mbarrier 0 arrive` by agent 0 after statement 12: copy s[0, 0 : +32] = A[1, 0 : +32] (rings.hpp:") == 0);
}

TEST_CASE("an arrival that is missing in a loop of the program, of the agents that empty slots, by their role", "[suggest]")
{
    const std::int64_t tiles_of_a = 5;
    int read = 0;
    Kernel k("looped", machines::sm90);
    const auto A = k.input("A", {tiles_of_a, 32}, f32), C = k.output("C", {tiles_of_a, 32}, f32);
    k.cta(
        tiles(1, 1),
        [&](Scope cta, const Tile&) {
            const auto s = cta.alloc(Role::shared, {32}, f32, {}, "s");
            const auto r = cta.alloc(Role::registers, {32}, f32, "32:1@lane + 1@warp"_axe, "r");
            cta.warps(0, 1, [&](Scope w) { w.mbarrier(rings::init(0, 1)).mbarrier(rings::init(1, 1)); }).sync();
            cta.loop(0, tiles_of_a, 1, [&](const Affine& i) {
                cta.warps(0, 1, "producer", [&](Scope w) {
                    w.mbarrier(rings::wait_for(1, floor_mod(Expression(i) + 1, 2)));
                    w.copy(s, A(i, all));
                    w.mbarrier(rings::arrive(0));
                });
                cta.warps(1, 1, "consumer", [&](Scope w) {
                    w.mbarrier(rings::wait_for(0, floor_mod(Expression(i), 2)));
                    read = __LINE__ + 1;
                    w.copy(r, s);
                    w.copy(C(i, all), r);
                });
            });
        },
        2);
    const std::string hint = repair(k.program().value());
    INFO(hint);
    CHECK(hint.find("hint: add `mbarrier 1 arrive` by agent 1 (consumer) after statement ") == 0);
    CHECK(hint.find(": copy r = s" + here(read) + "; the run then has no fault") != std::string::npos);
}

TEST_CASE("the arrivals that random rings lack are found, and the rings then bring all tiles", "[suggest]")
{
    laws::Random random(41);
    int rings_tried = 0;
    while (rings_tried < laws::cases(12)) {
        rings::Ring ring = rings::random(random);
        if (ring.parted) continue; // all producers would lack one
        ring.looped = false;
        ring.slip = rings::Slip::no_arrival;
        ring.at = random.in(0, ring.tiles - 1);
        ++rings_tried;
        const Program program = rings::write(ring);
        const sim::Fault fault = fault_of(program);
        const auto found = suggest(program, *targets::find("sm90"), inputs_of(program), fault);
        INFO(ring.text() << ": " << fault.text);
        REQUIRE(found);
        CHECK(found->hint.find("arrive` by agent ") != std::string::npos);
        const auto report = sim::run(lower(found->program)->program, inputs_of(program));
        REQUIRE(report);
        REQUIRE(report->ok());
        const Bindings in = inputs_of(program);
        for (std::int64_t e = 0; e < in.find("A")->size(); ++e) REQUIRE(report->outputs.find("C")->at(e) == in.find("A")->at(e));
    }
}

TEST_CASE("nothing is said where no barrier or wait repairs the fault, or within no tries", "[suggest]")
{
    rings::Ring ring;
    ring.slip = rings::Slip::one_expected_more;
    CHECK(repair(rings::write(ring)).empty());

    Kernel k("outside", machines::sm80);
    const auto C = k.output("C", {64}, f32);
    k.cta(tiles(96, 32), [&](Scope cta, const Tile& t) { cta.fill(C(Interval(t.index[0] * 32, 32)).guarded(false), 1); }, 1);
    CHECK(repair(k.program().value()).empty());

    int copy = 0;
    CHECK(repair(through_shared(false, true, copy), {.most_tries = 0}).empty());
    CHECK(repair(through_shared(false, true, copy), {.seconds = -1}).empty());
    CHECK_FALSE(repair(through_shared(false, true, copy), {.most_tries = 2}).empty());
}

TEST_CASE("a proxy fence that is missing between a write and a copy of the asynchronous proxy", "[suggest]")
{
    // With a barrier, and with an mbarrier between the writer and the copy; in a loop, so that one fence repairs all rounds.
    for (const bool barrier : {true, false}) {
        int write = 0;
        Kernel k("store", machines::sm90);
        const auto A = k.input("A", {3, 64}, f32), C = k.output("C", {3, 64}, f32);
        k.cta(
            tiles(1, 1),
            [&](Scope cta, const Tile&) {
                const auto s = cta.alloc(Role::shared, {64}, f32, {}, "s");
                const auto r = cta.alloc(Role::registers, {64}, f32, "(2,32):(1@warp,1@lane)"_axe, "r");
                cta.warps(0, 1, [&](Scope w) { w.mbarrier({Mbarrier::Action::init, 0, 2, {}}); });
                cta.sync();
                cta.loop(0, 3, 1, [&](const Affine& i) {
                    cta.copy(r, A(i, all));
                    write = __LINE__ + 1;
                    cta.copy(s, r);
                    if (barrier)
                        cta.sync();
                    else
                        cta.mbarrier({Mbarrier::Action::arrive, 0, 0, {}});
                    cta.warps(0, 1, [&](Scope w) {
                        if (!barrier) w.mbarrier({Mbarrier::Action::wait, 0, 0, floor_mod(i, 2)});
                        w.copy_async(C(i, all), s).commit().wait_sources(0);
                    });
                    cta.sync();
                });
                cta.warps(0, 1, [&](Scope w) { w.wait(0); });
            },
            2);
        const Program p = k.program().value();
        CHECK(fault_of(p).kind == sim::FaultKind::proxy);
        const std::string hint = repair(p);
        INFO(hint);
        CHECK(hint.find("hint: add `proxy_fence()` after statement ") == 0);
        CHECK(hint.find(": copy s = r" + here(write) + "; the run then has no fault") != std::string::npos);
    }
}
