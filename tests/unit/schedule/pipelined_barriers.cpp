// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipelined_runs.hpp"

#include <functional>
#include <tests/required.hpp>

using namespace axe;
using namespace pipelined_runs;
using enum axe::DType;

/// Barriers that loops with stages have, are given, and keep.

namespace {

int barriers_of(const Program& p)
{
    int n = 0;
    for_each_statement(p.body, [&](const Statement& s) { n += std::holds_alternative<Barrier>(s.what) ? 1 : 0; });
    return n;
}
Program without_barriers(Program p)
{
    const std::function<void(axe::Body&)> walk = [&](axe::Body& body) {
        rewrite(body, [&](Statement& s, axe::Body& out) {
            for_each_body(s, walk);
            if (!std::holds_alternative<Barrier>(s.what)) out.push_back(std::move(s));
        });
    };
    walk(p.body);
    return p;
}

/// Rows of X are turned around and added to Y, in three statements of which each may have barriers beside it.
Program turned(const Stages& stages, bool asynchronous = false)
{
    Kernel k("turned", machines::sm80);
    const auto X = k.input("X", {5, 16, 16}, i32), Y = k.output("Y", {5, 16, 16}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto x = c.alloc(Role::shared, {16, 16}, i32, {}, "x"), t = c.alloc(Role::shared, {16, 16}, i32, {}, "t");
        c.loop(0, 5, 1, stages, [&](const Affine& i) {
            c.pipeline_group(0, [&] {
                if (asynchronous)
                    c.copy_async(x, X(i, all, all)).commit().wait(0);
                else
                    c.copy(x, X(i, all, all));
            });
            c.sync();
            c.pipeline_group(1, [&] { c.copy(t, x.permuted({1, 0})); });
            c.sync();
            c.pipeline_group(2, [&] { c.copy(Y(i, all, all), t.permuted({1, 0})); });
            c.sync();
        });
    });
    return k.program().value();
}

/// In each round two statements have a tensor of their own, and both together do not fit the memory, so that they share its bytes.
Program takes_turns(const Stages& stages)
{
    Kernel k("takes_turns", machines::sm80);
    const auto X = k.input("X", {4, 160, 160}, i32), Y = k.output("Y", {4, 160, 160}, i32), Z = k.output("Z", {4, 160, 160}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto by = [&](const char* name, const TensorRef& to, const Affine& i) {
            c.when(load(X(0, 0, 0)) < 100, [&] {
                const auto s = c.alloc(Role::shared, {160, 160}, i32, {}, name);
                c.copy(s, X(i, all, all)).sync().copy(to(i, all, all), s.permuted({1, 0}));
            });
        };
        c.loop(0, 4, 1, stages, [&](const Affine& i) {
            c.pipeline_group(0, [&] { by("s", Y, i); });
            c.sync();
            c.pipeline_group(1, [&] { by("t", Z, i); });
            c.sync();
        });
    });
    return k.program().value();
}

} // namespace

TEST_CASE("pipelined: loops in the order of the program are given the barriers that they lack", "[pipelined]")
{
    for (const Stages& stages : {Stages{1, {0, 0, 0}}, Stages{3, {1, 1, 1}, {0, 1, 2}}, Stages{2, {0, 0, 1}}}) {
        const Program p = turned(stages);
        check_same(p, targets::sm80);
        const Program bare = without_barriers(p);
        REQUIRE(barriers_of(bare) == 0);
        CHECK(!run_in(in_program_order(bare), targets::sm80, numbers(bare), sim::RunOrder::issue).ok());
        const auto with = insert_barriers(bare, targets::sm80, numbers(bare));
        REQUIRE(with.has_value());
        CHECK((with->inserted.empty() && with->runs == 1));
        const auto made = required(pipelined(bare, targets::sm80));
        CHECK(barriers_of(made->program) > 0);
        for (const sim::RunOrder order : sim::all_run_orders) {
            const auto report = run_in(bare, targets::sm80, numbers(bare), order);
            INFO(name(order) << ": " << report.fault.text);
            CHECK(report.ok());
            CHECK(same_outputs(p, report, run_in(in_program_order(p), targets::sm80, numbers(p), order)));
        }
    }
}

TEST_CASE("insert_barriers: a loop in the order of the program with waits of its own keeps what is inserted",
          "[pipelined][barriers]")
{
    const Program p = turned(Stages{1, {0, 0, 0}}, true);
    check_same(p, targets::sm80);
    CHECK(barriers_of(pipelined(p, targets::sm80)->program) == 3);
    const Program bare = without_barriers(p);
    const auto with = insert_barriers(bare, targets::sm80, numbers(bare));
    INFO((with ? std::string() : with.error().text));
    REQUIRE(with.has_value());
    CHECK((with->inserted.size() >= 2 && with->inserted.size() <= 3));
    check_same(with->program, targets::sm80);
}

TEST_CASE("insert_barriers: in the body of a statement of a loop with stages", "[pipelined][barriers]")
{
    const Program p = takes_turns({2, {0, 1}, {0, 1}});
    const Program bare = without_barriers(p);
    const auto with = insert_barriers(bare, targets::sm80, numbers(bare));
    INFO((with ? std::string() : with.error().text));
    REQUIRE(with.has_value());
    CHECK(with->inserted.size() == 2); // one in the body of each
    check_same(p, targets::sm80);
    for (const sim::RunOrder order : sim::all_run_orders) CHECK(run_in(with->program, targets::sm80, numbers(p), order).ok());
}

TEST_CASE("pipelined: barriers order statements whose tensors may have the same bytes", "[pipelined]")
{
    for (const std::vector<int>& stages : {std::vector<int>{0, 0}, {0, 1}, {1, 0}, {0, 2}})
        for (const std::vector<int>& orders : {std::vector<int>{0, 1}, {1, 0}}) {
            INFO(stages[0] << stages[1] << ", orders " << orders[0] << orders[1]);
            const auto made = check_same(takes_turns({3, stages, orders}), targets::sm80);
            CHECK(made.loops.at(0).turns == 1);
            int in_turn = 0;
            for_each_statement(made.program.body, [&](const Statement& s) {
                const auto* loop = std::get_if<For>(&s.what);
                if (loop == nullptr) return;
                for (const Statement& one : loop->body) in_turn += std::holds_alternative<Barrier>(one.what) ? 1 : 0;
            });
            CHECK(in_turn == 2);
        }
}
