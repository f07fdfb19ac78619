// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/catch.hpp>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

#include <axe/kernels.hpp>
#include <axe/sim/report/trace.hpp>
#include <axe/sim/report/watch.hpp>

#include <algorithm>

using namespace axe;
using Action = Mbarrier::Action;
using sim::FaultKind;

namespace {

sim::Report run_launches(const Kernel& k, const Bindings& inputs = {}, const sim::RunOptions& options = {})
{
    const auto program = required(k.program());
    for (const Problem& p : validate(*program)) FAIL(p.text);
    const auto lowered = required(lower(*program));
    auto report = required(sim::run(lowered->program, inputs, options));
    return std::move(*report);
}

/// The first problem of a kernel, and no other one.
std::string problem_of(const Kernel& k)
{
    const auto program = k.program();
    if (!program) return program.error().text;
    const auto problems = validate(*program);
    CHECK(problems.size() <= 1);
    return problems.empty() ? "" : problems.front().text;
}
bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

Bindings zeros(const char* name, std::int64_t count)
{
    Bindings out;
    out.set(name, Array::make({count}, DType::i32).value());
    return out;
}

} // namespace

TEST_CASE("launches: a request after a reply that there is nothing left is a fault, and one before is none")
{
    for (const bool waits : {true, false}) {
        Kernel k("asks", machines::sm100);
        const auto C = k.output("C", {32}, DType::f32);
        one_block(k, 1, [&](Scope cta) {
            const auto r = cta.alloc(Role::shared, {2, 4}, DType::i32, {}, "r");
            cta.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::init, 1, 1, {}}).fill(C, 1);
            cta.mbarrier({Action::expect_bytes, 0, 16, {}}).try_cancel(r(0, all), 0);
            if (waits) cta.mbarrier({Action::wait, 0, 0, 0});
            cta.mbarrier({Action::expect_bytes, 1, 16, {}}).try_cancel(r(1, all), 1);
            if (!waits) cta.mbarrier({Action::wait, 0, 0, 0});
            cta.mbarrier({Action::wait, 1, 0, 0});
        });
        const sim::Report report = run_launches(k);
        INFO(report.fault.text);
        CHECK(report.fault.kind == (waits ? FaultKind::transaction : FaultKind::none));
        if (waits) CHECK(has(report.fault.text, "agent 0 asks to cancel a launch after a reply that none is left to cancel"));
    }
}

TEST_CASE("launches: replies name each block that did not start once, in its place of the grid")
{
    // Each block counts for its own place, and for those of the replies to it.
    for (const bool clusters : {false, true})
        for (const int resident : {2, 4, 6}) {
            Kernel k("places", machines::sm100);
            const auto C = k.inout("C", {4, 6}, DType::i32);
            const auto more = k.scalar("more", 1), parity = k.scalar("parity");
            const auto write = [&](Scope cta, const Tile& t) {
                const auto reply = cta.alloc(Role::shared, {4}, DType::i32, {}, "reply");
                const auto one = cta.alloc(Role::registers, {1, 1}, DType::i32, {}, "one");
                cta.mbarrier({Action::init, 0, 1, {}}).fill(one, 1).atomic(Function::add, C(t), one);
                if (clusters) cta.cluster_sync();
                cta.loop_while(equals(more, 1), [&] {
                    cta.mbarrier({Action::expect_bytes, 0, 16, {}});
                    if (clusters)
                        cta.when(equals(Expression(t.rank), 0), [&] { cta.try_cancel(reply, 0, true); });
                    else
                        cta.try_cancel(reply, 0);
                    cta.mbarrier({Action::wait, 0, 0, parity}).assign(more, load(reply(0)));
                    cta.when(equals(more, 1), [&] {
                        const Affine i = cta.index(load(reply(1)), 0, 4), j = cta.index(load(reply(2)), 0, 6);
                        const Affine in_row = clusters ? t.in_cluster[0] : Affine(0),
                                     in_column = clusters ? t.in_cluster[1] : Affine(0);
                        cta.atomic(Function::add, C(Interval(i + in_row, 1), Interval(j + in_column, 1)), one);
                    });
                    cta.proxy_fence().assign(parity, Expression(1.0) - parity);
                    if (clusters) cta.cluster_sync();
                });
            };
            if (clusters)
                k.cta(tiles({4, 6}, {1, 1}), {{2, 1}, false}, write, 1);
            else
                k.cta(tiles({4, 6}, {1, 1}), write, 1);
            Bindings in;
            in.set("C", Array::make({4, 6}, DType::i32).value());
            for (const sim::RunOrder order : sim::all_run_orders) {
                sim::RunOptions options;
                options.resident = resident;
                options.order = order;
                const sim::Report report = run_launches(k, in, options);
                INFO(report.fault.text << " " << name(order) << " " << resident << " " << clusters);
                REQUIRE(report.ok());
                for (std::int64_t i = 0; i < 24; ++i) CHECK(report.outputs.find("C")->at(i) == 1);
            }
        }
}

TEST_CASE("launches: what a dependent grid knows goes from the agent that has waited to those that it tells")
{
    // Agent 0 of block 0 waits for the grid before; agent 1 of each block reads what that one wrote.
    enum Telling { nothing, barrier, flag };
    for (const Telling telling : {nothing, barrier, flag}) {
        Kernel k("tells", machines::sm90);
        const auto p = k.output("p", {32}, DType::f32), out = k.output("out", {2, 32}, DType::f32);
        const auto f = k.inout("f", {1}, DType::i32);
        one_block(k, 1, [&](Scope cta) { cta.fill(p, 5).launch_dependents(); });
        k.cta(
            tiles(2, 1),
            [&](Scope cta, const Tile& t) {
                cta.warps(0, 1, [&](Scope w) {
                    if (telling == flag)
                        w.when(
                            equals(Expression(t.index[0]), 0), [&] { w.wait_for_grids().set_flag(f, 1); },
                            [&] { w.wait_at_least(f, 1).wait_for_grids(); });
                    else
                        w.wait_for_grids();
                });
                if (telling == barrier) cta.sync();
                cta.warps(1, 1, [&](Scope w) {
                    if (telling == flag) w.wait_at_least(f, 1);
                    w.copy(out(t.index[0], all), p);
                });
            },
            2);
        k.dependent_launch();
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.order = order;
            const sim::Report report = run_launches(k, zeros("f", 1), options);
            INFO(report.fault.text << " " << telling);
            CHECK(report.fault.kind == (telling == nothing ? FaultKind::race : FaultKind::none));
            if (telling == nothing) CHECK(has(report.fault.text, "written by a block of a grid before this one"));
        }
    }
}

TEST_CASE("launches: a dependent grid must not write what the grid before reads")
{
    for (const bool waits : {true, false}) {
        Kernel k("writes", machines::sm90);
        const auto p = k.inout("p", {4, 32}, DType::f32);
        const auto out = k.output("out", {4, 32}, DType::f32);
        k.cta(tiles(4, 1), [&](Scope cta, const Tile& t) { cta.copy(out(t.index[0], all), p(0, all)); }, 1);
        one_block(k, 1, [&](Scope cta) {
            if (waits) cta.wait_for_grids();
            cta.fill(p(0, all), 3);
            if (!waits) cta.wait_for_grids();
        });
        k.dependent_launch();
        Bindings in;
        in.set("p", Array::make({4, 32}, DType::f32).value());
        const sim::Report report = run_launches(k, in);
        INFO(report.fault.text);
        CHECK(report.fault.kind == (waits ? FaultKind::none : FaultKind::race));
    }
}

TEST_CASE("launches: problems of programs")
{
    const auto with = [](const std::function<void(Kernel&, Scope)>& write, bool dependent = false) {
        Kernel k("wrong", machines::sm100);
        const auto C = k.output("C", {32}, DType::f32);
        one_block(k, 1, [&](Scope cta) { cta.fill(C, 1), write(k, cta); });
        if (dependent) k.dependent_launch();
        return problem_of(k);
    };
    const auto reply = [](Scope cta, const Shape& shape, DType type) { return cta.alloc(Role::shared, shape, type, {}, "r"); };
    CHECK(with([&](Kernel&, Scope cta) { cta.try_cancel(reply(cta, {4}, DType::i32), 0); }).empty());
    CHECK(
        has(with([&](Kernel&, Scope cta) { cta.try_cancel(reply(cta, {4}, DType::i32), -1); }), "its mbarrier is -1; it must be"));
    CHECK(has(with([&](Kernel&, Scope cta) { cta.try_cancel(reply(cta, {4}, DType::f32), 0); }), "those of a reply are i32"));
    CHECK(
        has(with([&](Kernel&, Scope cta) { cta.try_cancel(reply(cta, {2}, DType::i32), 0); }), "the reply to a request takes 128"));
    CHECK(has(with([&](Kernel&, Scope cta) { cta.try_cancel(reply(cta, {4}, DType::i32), 0, true); }), "the grid has no clusters"));
    CHECK(has(with([&](Kernel&, Scope cta) { cta.wait_for_grids(); }), "the grid is not a dependent one"));
    CHECK(with([&](Kernel&, Scope cta) { cta.wait_for_grids(); }, true).empty());
    CHECK(has(with([&](Kernel&, Scope cta) { cta.place_mbarrier(0, 1, reply(cta, {1}, DType::i32)); }), "an mbarrier takes 64"));
    Kernel old("old", machines::sm90);
    old.cta(tiles(1, 1), [&](Scope cta, const Tile&) { cta.try_cancel(reply(cta, {4}, DType::i32), 0); });
    CHECK(has(problem_of(old), "sm90 has no requests to cancel a launch"));
    Kernel early("early", machines::sm90);
    early.dependent_launch();
    CHECK(has(problem_of(early), "no grid comes before it"));
    Kernel outside("outside", machines::sm90);
    outside.launch_dependents();
    CHECK(has(problem_of(outside), "a dependency of grids is for agents of a block; this is outside a block"));
}

TEST_CASE("launches: in the text of a program")
{
    Kernel k("text", machines::sm100);
    const auto C = k.output("C", {32}, DType::f32);
    one_block(k, 1, [&](Scope cta) { cta.fill(C, 1).launch_dependents(); });
    k.cta(
        tiles(2, 1), {{2}, false},
        [&](Scope cta, const Tile&) {
            const auto r = cta.alloc(Role::shared, {4}, DType::i32, {}, "r");
            const auto b = cta.alloc(Role::shared, {2}, DType::i32, {}, "b");
            cta.wait_for_grids().place_mbarrier(1, 3, b).try_cancel(r, 1, true);
        },
        1);
    k.dependent_launch();
    const std::string text = print(k.program().value());
    INFO(text);
    CHECK(has(text, "launch dependents\n"));
    CHECK(has(text, "wait for the grids before\n"));
    CHECK(has(text, "; dependent\n"));
    CHECK(has(text, "mbarrier 1 init 3 in b"));
    CHECK(has(text, "try_cancel r"));
    CHECK(has(text, "; completes on mbarrier 1 of each block\n"));
}

TEST_CASE("launches: the bytes of an mbarrier are in one piece at a multiple of 8")
{
    for (const int first : {0, 1, 2}) {
        Kernel k("places", machines::sm90);
        const auto C = k.output("C", {32}, DType::f32);
        one_block(k, 1, [&](Scope cta) {
            const auto b = cta.alloc(Role::shared, {8}, DType::i32, {}, "b", 0);
            cta.place_mbarrier(0, 1, b(Interval(first, 2))).mbarrier({Action::invalidate, 0, 0, {}}).fill(C, 1);
        });
        const sim::Report report = run_launches(k);
        CHECK(report.fault.kind == (first == 1 ? FaultKind::misaligned : FaultKind::none));
    }
}

TEST_CASE("flags: accesses whose scopes do not cover each other race, whatever they order")
{
    // Two blocks add to one flag; nothing else is shared.
    struct Case {
        Within one, other;
        bool sound, clusters;
    };
    for (const Case& c : {Case{Within::device, Within::device, true, false},
                          {Within::block, Within::device, false, false},
                          {Within::device, Within::block, false, false},
                          {Within::cluster, Within::cluster, true, true},
                          {Within::cluster, Within::device, true, true},
                          {Within::block, Within::cluster, false, true},
                          {Within::system, Within::device, true, false},
                          {Within::cluster, Within::cluster, false, false}}) {
        Kernel k("scopes", machines::sm90);
        const auto f = k.inout("f", {1}, DType::i32);
        const auto write = [&](Scope cta, const Tile& t) {
            cta.when(
                equals(Expression(t.index[0]), 0), [&] { cta.add_to_flag(f, 1, MemoryOrder::relaxed, c.one); },
                [&] { cta.add_to_flag(f, 1, MemoryOrder::relaxed, c.other); });
        };
        if (c.clusters)
            k.cta(tiles(2, 1), {{2}, false}, write, 1);
        else
            k.cta(tiles(2, 1), write, 1);
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.order = order;
            const sim::Report report = run_launches(k, zeros("f", 1), options);
            INFO(report.fault.text << " " << static_cast<int>(c.one) << " " << static_cast<int>(c.other));
            CHECK(report.fault.kind == (c.sound ? FaultKind::none : FaultKind::race));
            if (!c.sound) CHECK(has(report.fault.text, "element (0) of f, a flag, is accessed by agent 0 within its "));
        }
    }
}

TEST_CASE("flags: a watch has their reads and writes")
{
    Kernel k("watched", machines::sm90);
    const auto f = k.inout("f", {2}, DType::i32);
    k.cta(
        tiles(2, 1),
        [&](Scope cta, const Tile& t) {
            cta.when(
                equals(Expression(t.index[0]), 0), [&] { cta.set_flag(f(Interval(1, 1)), 3); },
                [&] {
                    cta.wait_at_least(f(Interval(1, 1)), 3).add_to_flag(f(Interval(1, 1)), 4).add_to_flag(f(Interval(0, 1)), 9);
                });
        },
        1);
    std::vector<std::pair<bool, double>> seen;
    const sim::Watch watch{"f", {1}, [&](const sim::WatchedAccess& a) { seen.emplace_back(a.writing, a.value); }};
    sim::RunOptions options;
    options.watch = &watch;
    CHECK(run_launches(k, zeros("f", 2), options).ok());
    CHECK(seen == std::vector<std::pair<bool, double>>{{true, 3}, {false, 3}, {true, 7}});
}

TEST_CASE("a deadlock names copies that complete on the mbarrier as what is still to come")
{
    Kernel k("late", machines::sm90);
    const auto A = k.input("A", {32}, DType::f32), C = k.output("C", {32}, DType::f32);
    int copied = -1;
    one_block(k, 1, [&](Scope cta) {
        const auto s = cta.alloc(Role::shared, {32}, DType::f32, {}, "s");
        cta.mbarrier({Action::init, 0, 1, {}}).mbarrier({Action::expect_bytes, 0, 128, {}});
        cta.mbarrier({Action::wait, 0, 0, 0});
        copied = k.program()->statements;
        Options options;
        options.completes_on = 0;
        cta.copy_async(s, A, options).copy(C, s);
    });
    Bindings in;
    in.set("A", Array::make({32}, DType::f32).value());
    const sim::Report report = run_launches(k, in);
    CHECK(report.fault.kind == FaultKind::deadlock);
    INFO(report.fault.text);
    CHECK(has(report.fault.text, "statement " + std::to_string(copied) + " of the agent itself, after this wait"));
}

TEST_CASE("orders: a copy to several blocks comes to each of them as late as its own wait")
{
    // Without a wait, and without checks, each block finds what was there before, or what the copy brings.
    for (const sim::RunOrder order : {sim::RunOrder::early, sim::RunOrder::late})
        for (const bool waits : {false, true}) {
            Kernel k("several", machines::sm90);
            const auto A = k.input("A", {32}, DType::f32), C = k.output("C", {2, 40}, DType::f32);
            k.cta(
                tiles(2, 1), {{2}, false},
                [&](Scope cta, const Tile& t) {
                    const auto s = cta.alloc(Role::shared, {40}, DType::f32, {}, "s");
                    cta.mbarrier({Action::init, 0, 1, {}}).fill(s, -1).proxy_fence().cluster_sync();
                    cta.mbarrier({Action::expect_bytes, 0, 160, {}});
                    Options options;
                    options.completes_on = 0;
                    options.multicast = 3;
                    cta.when(equals(Expression(t.rank), 0), [&] { cta.copy_async(s, A(Interval(0, 40)).guarded(), options); });
                    cta.cluster_sync();
                    if (waits) cta.mbarrier({Action::wait, 0, 0, 0});
                    cta.copy(C(t.rank, all), s).cluster_sync();
                },
                1);
            Bindings in;
            Array a = Array::make({32}, DType::f32).value();
            for (std::int64_t i = 0; i < 32; ++i) a.set(i, static_cast<double>(i + 1));
            in.set("A", std::move(a));
            sim::RunOptions options;
            options.order = order;
            options.level = waits ? sim::Level::full : sim::Level::fast;
            const sim::Report report = run_launches(k, in, options);
            INFO(report.fault.text << " " << name(order) << " " << waits);
            REQUIRE(report.ok());
            const bool before = !waits && order == sim::RunOrder::late;
            for (std::int64_t i = 0; i < 80; ++i)
                CHECK(report.outputs.find("C")->at(i) == (before ? -1.0 : i % 40 < 32 ? static_cast<double>(i % 40 + 1) : 0.0));
        }
}

TEST_CASE("orders: blocks in flight have their turns in the order of the run")
{
    // Each block takes a number from a counter.
    Kernel k("numbers", machines::sm90);
    const auto f = k.inout("f", {1}, DType::i32), C = k.output("C", {4}, DType::i32);
    const auto mine = k.scalar("mine");
    k.cta(
        tiles(4, 1),
        [&](Scope cta, const Tile& t) {
            cta.add_to_flag(f, 1, MemoryOrder::relaxed, Within::device, mine);
            for (int i = 0; i < 4; ++i) cta.when(equals(Expression(mine), i), [&] { cta.fill(C(Interval(t.index[0], 1)), i); });
        },
        1);
    const auto numbers = [&](sim::RunOrder order, std::uint64_t seed) {
        sim::RunOptions options;
        options.order = order;
        options.seed = seed;
        const sim::Report report = run_launches(k, zeros("f", 1), options);
        REQUIRE(report.ok());
        std::vector<double> out;
        for (std::int64_t i = 0; i < 4; ++i) out.push_back(report.outputs.find("C")->at(i));
        return out;
    };
    CHECK(numbers(sim::RunOrder::issue, 0) == std::vector<double>{0, 1, 2, 3});
    CHECK(numbers(sim::RunOrder::late, 0) == std::vector<double>{0, 1, 2, 3});
    CHECK(numbers(sim::RunOrder::reversed, 0) == std::vector<double>{3, 2, 1, 0});
    std::vector<std::vector<double>> seen;
    for (std::uint64_t seed = 0; seed < 16; ++seed) seen.push_back(numbers(sim::RunOrder::random, seed));
    CHECK(numbers(sim::RunOrder::random, 3) == seen[3]);
    std::sort(seen.begin(), seen.end());
    CHECK(std::unique(seen.begin(), seen.end()) - seen.begin() > 4);
}

TEST_CASE("flags: an agent that waits for one in a trace goes on at its last write")
{
    Kernel k("traced", machines::sm90);
    const auto f = k.inout("f", {1}, DType::i32);
    const auto C = k.output("C", {2, 32}, DType::f32);
    k.cta(
        tiles(2, 1),
        [&](Scope cta, const Tile& t) {
            cta.when(
                equals(Expression(t.index[0]), 0),
                [&] {
                    for (int i = 0; i < 5; ++i) cta.fill(C(0, all), i);
                    cta.set_flag(f, 1);
                },
                [&] { cta.wait_at_least(f, 1).fill(C(1, all), 7); });
        },
        1);
    sim::Trace trace;
    sim::RunOptions options;
    options.trace = &trace;
    CHECK(run_launches(k, zeros("f", 1), options).ok());
    std::int64_t last_fill = 0, wait_end = -1, next = -1;
    for (const sim::Trace::Event& e : trace.events(0)) {
        if (e.kind == sim::Trace::Kind::instruction && e.block == 0) last_fill = std::max(last_fill, e.begin + e.length);
        if (e.kind == sim::Trace::Kind::wait && e.block == 1) wait_end = e.begin + e.length;
        if (e.kind == sim::Trace::Kind::instruction && e.block == 1) next = e.begin;
    }
    CHECK(last_fill > 0);
    CHECK(wait_end == last_fill);
    CHECK(next == wait_end);
}
