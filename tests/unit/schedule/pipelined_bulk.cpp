// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipelined_runs.hpp"

#include <functional>
#include <map>
#include <string>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

using namespace axe;
using namespace pipelined_runs;
using enum axe::DType;

/// Loops with stages whose slots are filled by bulk copies, which complete on mbarriers.

namespace {

/// How many of each are in a lowered program.
std::map<std::string, int> counted(const Program& p, const Target& target)
{
    std::map<std::string, int> out;
    const auto lowered = required(lower(p, target));
    for_each_statement(lowered->program.body, [&](const Statement& s) {
        if (const auto* i = std::get_if<Instruction>(&s.what)) ++out[i->opcode];
        if (const auto* m = std::get_if<Mbarrier>(&s.what)) ++out[m->action == Mbarrier::Action::init ? "init" : "mbarrier"];
        if (std::holds_alternative<Commit>(s.what)) ++out["commit"];
    });
    return out;
}
int bulk_copies(const Pipelined& made)
{
    int n = 0;
    for (const auto& step : made.loops.at(0).steps) n += step.bulk ? 1 : 0;
    return n;
}
void check_product(const Program& p, const Target& target, int bulk)
{
    INFO(target.machine.name);
    const auto made = pipelined(p, target);
    INFO((made ? print(made->program) : made.error().text));
    REQUIRE(made.has_value());
    CHECK(validate(made->program).empty());
    CHECK(bulk_copies(*made) == bulk);
    const Bindings in = numbers(p);
    for (const sim::RunOrder order : sim::all_run_orders) {
        const auto report = run_in(made->program, target, in, order);
        INFO(name(order) << ": " << report.fault.text);
        REQUIRE(report.ok());
        const auto right = verify(p, in, report.outputs);
        REQUIRE(right.has_value());
        CHECK(right->ok());
    }
}
AgentRole warps(const char* name, int first, int count)
{
    return {name, Layout{{{count, 1, Axis{"warp"}}}, {}, {{Axis{"warp"}, first}}}};
}

} // namespace

TEST_CASE("pipelined: bulk copies fill the slots of a product", "[pipelined][bulk]")
{
    for (const Target* target : {&targets::sm90, &targets::sm100})
        for (const int stages : {2, 3, 4})
            for (const std::int64_t k : {24, 104}) {
                if ((target == &targets::sm100 && k == 24) || (stages != 3 && (target == &targets::sm100 || k == 24))) continue;
                INFO(target->machine.name << ", " << stages << " stages, k = " << k);
                const Program p = grouped_product(target->machine, {40, 40, k, stages, {}, true});
                const auto made = check_same(p, *target);
                CHECK(bulk_copies(made) == 2);
                const auto slots = static_cast<int>(std::min<std::int64_t>(stages, (k + 31) / 32));
                auto of = counted(p, *target);
                CHECK(of["init"] == 2 * slots); // full and empty, of both tensors
                CHECK(of["bulk_copy"] == 2 * slots);
                CHECK((of["cp_async"] == 0 && of["commit"] == 0));
            }
}

TEST_CASE("pipelined: a copy that no bulk copy does is one of the other kinds", "[pipelined][bulk]")
{
    // A tensor map takes rows of multiples of 16 bytes: those of A have 140.
    const Program p = grouped_product(machines::sm90, {40, 40, 70, 3, {}, true});
    const auto made = check_same(p, targets::sm90);
    CHECK((!made.loops[0].steps[0].bulk && made.loops[0].steps[0].asynchronous));
    CHECK((made.loops[0].steps[1].bulk && !made.loops[0].steps[1].asynchronous));
    // Without the request, and on machines without bulk copies, there are none.
    for (const Target* target : {&targets::sm80, &targets::trn1, &targets::cpu}) {
        INFO(target->machine.name);
        CHECK(bulk_copies(check_same(grouped_product(target->machine, {40, 40, 104, 3, {}, true}), *target)) == 0);
    }
    CHECK(bulk_copies(check_same(grouped_product(machines::sm90, {40, 40, 104, 3, {}, false}), targets::sm90)) == 0);
}

TEST_CASE("pipelined: a bulk copy does not take a layout with which products are slower", "[pipelined][bulk]")
{
    // Rows of b have 256 bytes, which wgmma takes as columns of 128: a tensor map describes those of N = 192, not those of 152.
    for (const std::int64_t n : {152, 192}) {
        Kernel k("wide", machines::sm90);
        const auto A = k.input("A", {64, 64}, f16), B = k.input("B", {64, n}, f16), C = k.output("C", {64, n}, f32);
        k.cta(tiles(C, {64, 128}), [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::shared, {64, 32}, f16, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, {32, 128}, f16, conflict_free, "b");
            const auto acc = cta.alloc(Role::accumulator, {64, 128}, f32, accumulator, "acc");
            cta.fill(acc, 0);
            cta.loop(tiles(64, 32), Stages{.count = 2, .bulk = true},
                     [&](Interval s) { cta.copy(a, A(t.rows, s)).copy(b, B(s, t.cols)).gemm(acc, a, b); });
            cta.copy(C(t), acc);
        });
        const Program p = k.program().value();
        const auto made = pipelined(p, targets::sm90).value();
        const auto& steps = made.loops.at(0).steps;
        CHECK((steps.at(0).bulk && steps.at(1).bulk == (n == 192) && steps.at(1).asynchronous == (n == 152)));
        CHECK((steps.at(1).why_not_bulk.find("its layout would make products slower: wgmma: ") == 0) == (n == 152));
        CHECK(counted(p, targets::sm90)["wgmma"] > 0);
    }
}

TEST_CASE("pipelined: bulk copies of a role for others", "[pipelined][bulk]")
{
    for (const Target* target : {&targets::sm90, &targets::sm100})
        for (const std::int64_t k : {24, 136})
            for (const auto& [producer, consumers] : {std::pair(warps("producer", 4, 1), warps("consumers", 0, 4)),
                                                      std::pair(warps("all", 0, 4), warps("all", 0, 4))}) {
                if (target == &targets::sm100 && (k == 24 || producer.name == "all")) continue;
                const Program p = grouped_product(target->machine, {40, 40, k, 3, {producer, consumers}, true});
                check_product(p, *target, 2);
            }
}

TEST_CASE("pipelined: bulk copies beside ordinary accesses, in all stages and orders of a chain", "[pipelined][bulk]")
{
    // X(i) is brought, turned around, added to, and stored: lanes read what bulk copies bring, and fill what others overwrite.
    const auto chain = [](std::int64_t rounds, const std::vector<int>& stages, const std::vector<int>& orders, bool in_place) {
        const std::int64_t n = std::max<std::int64_t>(1, rounds);
        Kernel k("chain", machines::sm90);
        const auto X = k.input("X", {n, 8, 32}, i32), Z = k.output("Z", {n, 32, 8}, i32);
        one_block(k, 2, [&](Scope c) {
            const auto x = c.alloc(Role::shared, {8, 32}, i32, {}, "x"), t = c.alloc(Role::shared, {32, 8}, i32, {}, "t");
            if (rounds == 0) c.fill(Z, 0);
            c.loop(0, rounds, 1, Stages{4, stages, orders, {}, true}, [&](const Affine& i) {
                c.pipeline_group(0, [&] { c.copy(x, X(i, all, all)); });
                c.sync();
                c.pipeline_group(1, [&] {
                    if (in_place) c.binary(Function::add, x, x, x).sync();
                    c.copy(t, x.permuted({1, 0}));
                });
                c.sync();
                c.pipeline_group(2, [&] { c.copy(Z(i, all, all), t); });
                c.sync();
            });
        });
        return k.program().value();
    };
    int legal = 0;
    for (int code = 0; code < 27; ++code)
        for (const std::vector<int>& orders : {std::vector<int>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}})
            for (const std::int64_t rounds : {0, 1, 2, 5})
                for (const bool in_place : {false, true}) {
                    const std::vector<int> stages = {code % 3, code / 3 % 3, code / 9};
                    INFO(stages[0] << stages[1] << stages[2] << ", orders " << orders[0] << orders[1] << orders[2] << ", " << rounds
                                   << " rounds, in place: " << in_place);
                    const Program p = chain(rounds, stages, orders, in_place);
                    const auto later = [&](std::size_t a, std::size_t b) {
                        return std::pair(stages[a], orders[a]) < std::pair(stages[b], orders[b]);
                    };
                    const auto made = pipelined(p, targets::sm90);
                    REQUIRE(made.has_value() == (rounds == 0 || (later(0, 1) && later(1, 2))));
                    if (!made) continue;
                    ++legal;
                    if (rounds > 0) CHECK(bulk_copies(*made) == 1);
                    check_same(p, targets::sm90);
                }
    CHECK(legal > 50);
}

TEST_CASE("pipelined: what the loop itself writes is not brought by bulk copies, what came before it is", "[pipelined][bulk]")
{
    const auto of = [](bool inside) {
        Kernel k("written", machines::sm90);
        const auto X = k.inout("X", {9, 128}, i32), Y = k.output("Y", {6, 128}, i32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
            c.loop(0, 2, 1, [&](const Affine& j) {
                c.fill(X(0, all), 7).fill(s, 3).sync().binary(Function::add, X(1, all), s, s).sync();
                c.loop(0, 3, 1, Stages{.count = 2, .bulk = true}, [&](const Affine& i) {
                    c.copy(s, X(i, all));
                    c.sync();
                    c.copy(Y(j * 3 + i, all), s);
                    if (inside) c.fill(X(i + 5, all), 1);
                    c.sync();
                });
                c.sync().copy(X(8, all), s);
                c.sync();
            });
        });
        return k.program().value();
    };
    const auto bulk_in = [](const Program& p) { return bulk_copies(check_same(p, targets::sm90)); };
    CHECK(bulk_in(of(true)) == 0);
    CHECK(bulk_in(of(false)) == 0); // `s` is read after the loop, so it has no slots

    Kernel k("before", machines::sm90);
    const auto X = k.inout("X", {4, 128}, i32), Y = k.output("Y", {8, 128}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
        c.loop(0, 2, 1, [&](const Affine& j) {
            c.fill(s, 3).sync().binary(Function::add, X(1, all), s, s).sync();
            c.loop(0, 4, 1, Stages{.count = 3, .bulk = true}, [&](const Affine& i) {
                c.copy(s, X(i, all));
                c.sync();
                c.copy(Y(j * 4 + i, all), s);
                c.sync();
            });
        });
    });
    CHECK(bulk_in(k.program().value()) == 1);
}

TEST_CASE("pipelined: with one slot less for bulk copies agents wait for each other forever", "[pipelined][bulk]")
{
    const Program p = grouped_product(machines::sm90, {40, 40, 200, 3, {}, true});
    const auto made = pipelined(p, targets::sm90, {{{"a", 2}, {"b", 2}}});
    REQUIRE(made.has_value());
    const auto report = run_in(made->program, targets::sm90, numbers(p), sim::RunOrder::issue);
    CHECK(report.fault.kind == sim::FaultKind::deadlock);
    check_same(p, targets::sm90, {{{"a", 4}, {"b", 5}}});
}

TEST_CASE("pipelined: a loop with bulk copies in a slice of agents, and one stage of them", "[pipelined][bulk]")
{
    for (const int stages : {1, 2}) {
        Kernel k("slice", machines::sm90);
        const auto X = k.input("X", {5, 128}, i32), Y = k.output("Y", {5, 128}, i32), Z = k.output("Z", {128}, i32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
            c.warps(1, 2, [&](Scope w) {
                w.loop(0, 5, 1, Stages{.count = stages, .bulk = true}, [&](const Affine& i) {
                    w.copy(s, X(i, all));
                    w.sync();
                    w.copy(Y(i, all), s);
                    w.sync();
                });
            });
            c.warps(0, 1, [&](Scope w) { w.fill(Z, 1); });
        });
        const Program p = k.program().value();
        CHECK(print(p).find(stages == 1 ? "; 1 stage, bulk copies" : "; 2 stages, bulk copies") != std::string::npos);
        const auto made = check_same(p, targets::sm90);
        CHECK(bulk_copies(made) == 1);
        CHECK(made.loops[0].slots.at(0).count == stages);
    }
}
