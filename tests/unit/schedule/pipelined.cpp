// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipelined_runs.hpp"

#include <axe/program/expression_walk.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tests/one_block.hpp>
#include <tests/required.hpp>
#include <tuple>

using namespace axe;
using namespace pipelined_runs;
using enum axe::DType;

/// Loops with stages: the modulo schedule, slots, barriers and waits; and what is refused.

namespace {

Program program_of(const Kernel& k) { return *required(k.program()); }

struct Product {
    std::int64_t m = 40, n = 40, k = 100;
    Stages stages{3};
    bool barriers = true;
    std::int64_t tile = 64;
};
/// C = A·B, tile by tile, as it is written in program order.
Program product(const Machine& machine, const Product& z)
{
    Kernel k("product", machine);
    const auto A = k.input("A", {z.m, z.k}, f16), B = k.input("B", {z.k, z.n}, f16), C = k.output("C", {z.m, z.n}, f32);
    k.computes(C, matmul(A, B));
    k.cta(tiles(C, {z.tile, z.tile}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {z.tile, 32}, f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {32, z.tile}, f16, conflict_free, "b");
        const auto acc = cta.alloc(Role::accumulator, {z.tile, z.tile}, f32, accumulator, "acc");
        cta.fill(acc, 0);
        if (z.barriers) cta.sync();
        cta.loop(tiles(z.k, 32), z.stages, [&](Interval s) {
            cta.copy(a, A(t.rows, s));
            cta.copy(b, B(s, t.cols));
            if (z.barriers) cta.sync();
            cta.gemm(acc, a, b);
            if (z.barriers) cta.sync();
        });
        if (z.barriers) cta.sync();
        cta.copy(C(t), acc);
    });
    return program_of(k);
}

/// Three groups: X(i) is brought, turned around, and added to what is there; what each round has is written, too.
struct Chain {
    std::int64_t rounds = 4, rows = 8;
    Stages stages{2, {0, 0, 1}, {0, 1, 2}};
};
Program chain(const Machine& machine, const Chain& z, int agents = 1)
{
    const std::int64_t n = std::max<std::int64_t>(1, z.rounds);
    Kernel k("chain", machine);
    const auto X = k.input("X", {n, z.rows, 32}, i32);
    const auto Y = k.output("Y", {32, z.rows}, i32), Z = k.inout("Z", {n, 32, z.rows}, i32);
    one_block(k, agents, [&](Scope c) {
        const auto x = c.alloc(Role::shared, {z.rows, 32}, i32, {}, "x");
        const auto t = c.alloc(Role::shared, {32, z.rows}, i32, {}, "t");
        const auto sum = c.alloc(Role::shared, {32, z.rows}, i32, {}, "sum");
        c.fill(sum, 0);
        c.sync();
        c.loop(0, z.rounds, 1, z.stages, [&](const Affine& i) {
            c.pipeline_group(0, [&] { c.copy(x, X(i, all, all)); });
            c.sync();
            c.pipeline_group(1, [&] { c.copy(t, x.permuted({1, 0})); });
            c.sync();
            c.pipeline_group(2, [&] {
                c.binary(Function::add, sum, sum, t);
                c.sync();
                c.copy(Z(i, all, all), sum);
            });
            c.sync();
        });
        c.copy(Y, sum);
    });
    return program_of(k);
}

/// Which statement is done for which round, in the order in which a program of constant loops does it: (statement, round).
std::vector<std::pair<int, std::int64_t>> issued(const Program& p, const std::string& tensor)
{
    std::vector<std::pair<int, std::int64_t>> out;
    std::map<int, std::int64_t> values;
    const auto value = [&](const Affine& a) {
        std::int64_t sum = a.constant();
        for (const auto& t : a.terms()) sum += t.coefficient * values[t.var];
        return sum;
    };
    const auto holds = [&](const Expression& e) {
        double result = 0;
        const auto node = [&](const Expression& n, const double* v, double& r) {
            using Kind = Expression::Kind;
            r = n.kind == Kind::number        ? n.number
                : n.kind == Kind::affine      ? static_cast<double>(value(n.affine))
                : n.kind == Kind::less        ? static_cast<double>(v[0] < v[1])
                : n.kind == Kind::less_equal  ? static_cast<double>(v[0] <= v[1])
                : n.kind == Kind::logical_and ? static_cast<double>(v[0] != 0 && v[1] != 0)
                                              : -1;
            return r >= 0 || n.kind == Kind::affine || n.kind == Kind::number;
        };
        REQUIRE(fold(e, node, result));
        return result != 0;
    };
    const std::function<void(const Body&)> walk = [&](const Body& body) {
        for (const Statement& s : body) {
            if (const auto* loop = std::get_if<For>(&s.what)) {
                for (std::int64_t v = value(loop->begin); v < value(loop->end); v += loop->step) {
                    values[loop->var.id] = v;
                    walk(loop->body);
                }
            } else if (const auto* choice = std::get_if<If>(&s.what)) {
                walk(holds(choice->condition) ? choice->then : choice->otherwise);
            } else if (const auto* o = std::get_if<Operation>(&s.what)) {
                for (const View& v : o->operands)
                    if (p.tensors[static_cast<std::size_t>(v.tensor)].name == tensor) out.emplace_back(s.id, value(v.origin[0]));
            } else {
                for_each_body(s, walk);
            }
        }
    };
    walk(p.body);
    return out;
}

int count_of(const Pipelined& made, const std::string& tensor)
{
    for (const auto& s : made.loops.at(0).slots)
        if (s.tensor == tensor) return s.count;
    return 0;
}
std::string refusal_of(const Program& p, const Target& target = targets::sm80)
{
    const auto made = pipelined(p, target);
    return made ? std::string("none") : made.error().text;
}

} // namespace

TEST_CASE("pipelined: statements of three groups in stages 0, 0, 1 are issued turn by turn", "[pipelined]")
{
    // Every statement of the loop names a round: by what it reads of X, or writes of Y.
    Kernel k("order", machines::sm80);
    const auto X = k.inout("X", {4, 3, 128}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        c.loop(0, 4, 1, Stages{2, {0, 0, 1}, {0, 1, 2}}, [&](const Affine& i) {
            c.pipeline_group(0, [&] { c.fill(X(i, 0, all), 1); });
            c.pipeline_group(1, [&] { c.fill(X(i, 1, all), 2); });
            c.pipeline_group(2, [&] { c.fill(X(i, 2, all), 3); });
        });
    });
    const auto made = check_same(program_of(k), targets::sm80);
    std::string text;
    std::map<int, int> group{
        {made.loops[0].steps[0].statement, 0}, {made.loops[0].steps[1].statement, 1}, {made.loops[0].steps[2].statement, 2}};
    for (const auto& [statement, round] : issued(made.program, "X"))
        text += "it" + std::to_string(round) + "." + std::to_string(group[statement]) + " ";
    CHECK(text == "it0.0 it0.1 it1.0 it1.1 it0.2 it2.0 it2.1 it1.2 it3.0 it3.1 it2.2 it3.2 ");
}

TEST_CASE("pipelined: a product in program order becomes a ring of asynchronous copies", "[pipelined]")
{
    const auto made = check_same(product(machines::sm80, {}), targets::sm80);
    REQUIRE(made.loops.size() == 1);
    const PipelinedLoop& loop = made.loops[0];
    CHECK(loop.turns == 3);
    REQUIRE(loop.steps.size() == 3);
    CHECK((loop.steps[0].asynchronous && loop.steps[1].asynchronous && !loop.steps[2].asynchronous));
    CHECK((loop.steps[0].stage == 0 && loop.steps[2].stage == 2));
    CHECK(count_of(made, "a") == 3);
    CHECK(count_of(made, "b") == 3);
    CHECK(count_of(made, "acc") == 0);
    // A turn has one wait, for all but the youngest group, and one barrier.
    int waits = 0, barriers = 0, commits = 0;
    for_each_statement(made.program.body, [&](const Statement& s) {
        const auto* f = std::get_if<For>(&s.what);
        if (f == nullptr) return;
        for (const Statement& one : f->body) {
            if (const auto* w = std::get_if<Wait>(&one.what)) {
                ++waits;
                CHECK(w->pending == 1);
            }
            barriers += std::holds_alternative<Barrier>(one.what) ? 1 : 0;
            commits += std::holds_alternative<Commit>(one.what) ? 1 : 0;
        }
    });
    CHECK((waits == 3 && barriers == 3 && commits == 3));
}

TEST_CASE("pipelined: a product without barriers is given them", "[pipelined]")
{
    Product z;
    z.barriers = false;
    const Program p = product(machines::sm80, z);
    const Bindings in = numbers(p);
    CHECK(!run_in(in_program_order(p), targets::sm80, in, sim::RunOrder::issue).ok());
    for (const sim::RunOrder order : sim::all_run_orders) {
        const auto report = run_in(p, targets::sm80, in, order);
        INFO(report.fault.text);
        CHECK(report.ok());
        CHECK(verify(p, in, report.outputs)->ok());
    }
}

TEST_CASE("pipelined: products on every machine, in 2 to 4 stages", "[pipelined]")
{
    const auto check = [](const Target& target, int stages, std::int64_t k) {
        INFO(target.machine.name << ", " << stages << " stages, k = " << k);
        Product z;
        z.n = 24, z.k = k, z.tile = std::string(target.machine.name) == "sm100" ? 128 : 64;
        z.stages = {stages};
        const auto made = check_same(product(target.machine, z), target);
        CHECK(count_of(made, "a") == std::min<std::int64_t>(stages, (k + 31) / 32));
    };
    Product plain;
    plain.stages = {1};
    CHECK(!has_stages(product(machines::sm80, plain)));
    for (const int stages : {2, 4}) check(targets::sm80, stages, 33 * stages);
    for (const Target* target : {&targets::sm90, &targets::sm100, &targets::trn1, &targets::trn2, &targets::cpu})
        check(*target, 3, 130);
}

TEST_CASE("pipelined: chains of three groups, of 0 to 7 rounds, in stages that are allowed", "[pipelined]")
{
    const std::vector<std::pair<std::vector<int>, std::vector<int>>> choices = {
        {{0, 0, 1}, {0, 1, 2}}, {{0, 1, 1}, {0, 1, 2}}, {{0, 1, 2}, {0, 1, 2}}, {{0, 1, 2}, {2, 1, 0}},
        {{0, 0, 0}, {0, 1, 2}}, {{0, 2, 3}, {1, 0, 2}}, {{1, 2, 2}, {0, 1, 2}}, {{0, 0, 1}, {1, 2, 0}},
    };
    for (const Target* target : {&targets::sm80, &targets::cpu})
        for (const auto& [stages, orders] : choices)
            for (std::int64_t rounds = 0; rounds <= 7; ++rounds) {
                INFO(target->machine.name << ", stages " << stages[0] << stages[1] << stages[2] << ", orders " << orders[0]
                                          << orders[1] << orders[2] << ", " << rounds << " rounds");
                check_same(chain(target->machine, {rounds, 8, {4, stages, orders}}), *target);
            }
    for (const std::int64_t rows : {1, 3, 5, 7, 31})
        check_same(chain(machines::sm80, {5, rows, {3, {0, 1, 2}, {0, 1, 2}}}, 4), targets::sm80);
}

TEST_CASE("pipelined: which stages and orders of a chain are legal, of all", "[pipelined]")
{
    const std::vector<std::vector<int>> permutations = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int legal = 0;
    for (int code = 0; code < 27; ++code)
        for (const auto& orders : permutations) {
            const std::vector<int> stages = {code % 3, code / 3 % 3, code / 9};
            const auto later = [&](std::size_t a, std::size_t b) {
                return std::pair(stages[a], orders[a]) < std::pair(stages[b], orders[b]);
            };
            const bool expected = later(0, 1) && later(1, 2);
            const auto made = pipelined(chain(machines::sm80, {6, 8, {3, stages, orders}}), targets::sm80);
            INFO(stages[0] << stages[1] << stages[2] << " " << orders[0] << orders[1] << orders[2]);
            CHECK(made.has_value() == expected);
            if (!made) continue;
            ++legal;
            // x is in use from the group that brings it to the one that turns it, t from there to the sum.
            const auto needed = [&](std::size_t a, std::size_t b) {
                return stages[b] - stages[a] + (orders[b] < orders[a] ? 0 : 1);
            };
            CHECK(count_of(*made, "x") == std::max(1, needed(0, 1)));
            CHECK(count_of(*made, "t") == std::max(1, needed(1, 2)));
            CHECK(count_of(*made, "sum") == 0);
        }
    CHECK(legal > 20);
}

TEST_CASE("pipelined: with one slot less than rounds need, runs find a race", "[pipelined]")
{
    Product z;
    z.n = 8;
    const Program p = product(machines::sm80, z);
    for (const std::string tensor : {"a", "b"}) {
        const auto made = pipelined(p, targets::sm80, {{{tensor, 2}}});
        REQUIRE(made.has_value());
        CHECK(count_of(*made, tensor) == 2);
        const auto report = run_in(made->program, targets::sm80, numbers(p), sim::RunOrder::issue);
        CHECK(report.fault.kind == sim::FaultKind::race);
        INFO(report.fault.text);
        CHECK(report.fault.text.find("race: ") != std::string::npos);
    }
    // One more does no harm.
    check_same(p, targets::sm80, {{{"a", 4}, {"b", 5}}});
}

TEST_CASE("pipelined: a choice that is not legal names the two statements, stages and orders", "[pipelined]")
{
    const auto stages = [](std::vector<int> s, std::vector<int> o = {0, 1, 2}) {
        return refusal_of(chain(machines::sm80, {4, 8, {3, std::move(s), std::move(o)}}));
    };
    const auto has = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    };
    has(stages({1, 0, 1}), "(stage 0, order 1) must come after statement ");
    has(stages({1, 0, 1}),
        "(stage 1, order 0) of the same round, for x: put it into stage 1 with a later order, or into a later stage");
    has(stages({0, 1, 0}), "(stage 0, order 2) must come after statement ");
    has(stages({0, 0, 0}, {0, 2, 1}), "(stage 0, order 1) must come after statement ");
    has(stages({0, 0, 3}), "a group is in stage 3; the loop has 3 stages, from 0 on");
    has(stages({0, 0}), "the loop has 2 stages; its groups are 0 to 2, and each needs one");
    has(stages({0, 0, 1}, {0, 1}), "the loop has 2 orders; its groups are 0 to 2, and each needs one");
    has(stages({}), "the loop has 0 stages; its groups are 0 to 2, and each needs one");

    // What a round takes from the round before cannot be in a later stage than what needs it, by more than that one round.
    const auto carried = [&](std::vector<int> s) {
        Kernel k("carried", machines::sm80);
        const auto X = k.inout("X", {9, 128}, i32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto a = c.alloc(Role::shared, {128}, i32, {}, "a");
            const auto b = c.alloc(Role::shared, {128}, i32, {}, "b");
            c.loop(0, 6, 1, Stages{4, s}, [&](const Affine& i) {
                c.pipeline_group(0, [&] { c.copy(a, X(i, all)); });
                c.sync();
                c.pipeline_group(1, [&] { c.copy(b, a); });
                c.sync();
                c.pipeline_group(2, [&] { c.copy(X(i + 2, all), b); });
                c.sync();
            });
        });
        return program_of(k);
    };
    check_same(carried({0, 0, 1}), targets::sm80);
    check_same(carried({1, 1, 2}), targets::sm80);
    has(refusal_of(carried({0, 1, 2})), "(stage 0, order 0) must come after statement ");
    has(refusal_of(carried({0, 1, 2})), "of 2 rounds before, for X: put it into stage 0 with a later order, or into a later stage");
    has(refusal_of(carried({0, 1, 3})), "of 2 rounds before, for X: put it into stage 1 with");
}

TEST_CASE("pipelined: what a loop with stages cannot have", "[pipelined]")
{
    const auto of = [](const std::function<void(Scope, const TensorRef&, const TensorRef&)>& body, const Stages& stages = {2}) {
        Kernel k("loop", machines::sm80);
        const auto X = k.inout("X", {4, 128}, i32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
            c.loop(0, 4, 1, stages, [&](const Affine& i) {
                c.copy(s, X(i, all));
                body(c, X, s);
            });
        });
        const auto p = k.program();
        if (!p) return p.error().text;
        return refusal_of(*p);
    };
    const auto has = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    };
    const std::string rest = " is in a loop with stages, which places what waits and signals itself; take it out of the loop";
    has(of([](Scope c, auto&, auto&) { c.mbarrier({Mbarrier::Action::arrive, 0, 0, {}}); }), "an mbarrier" + rest);
    has(of([](Scope c, auto&, auto&) { c.tensor_fence_before(); }), "a fence" + rest);
    has(of([](Scope c, auto&, auto&) { c.when(1, [&] { c.proxy_fence(); }); }), "a fence" + rest);
    has(of([](Scope c, auto&, auto&) { c.break_loop(); }), "a break" + rest);
    has(of([](Scope c, auto&, auto&) { c.when(1, [&] { c.wait_products(); }); }),
        "a commit or wait in the body of another statement" + rest);
    has(of([](Scope c, auto&, auto&) { c.wait_sources(); }), "a commit or wait in the body of another statement" + rest);
    has(of([](Scope c, auto&, auto&) { c.when(1, [&] { c.commit(); }); }),
        "a commit or wait in the body of another statement" + rest);
    has(of([](Scope c, auto& X, auto& s) { c.when(1, [&] { c.copy_async(s, X(0, all)); }); }),
        "an asynchronous operator in the body of another statement" + rest);
    has(of([](Scope c, auto& X, auto& s) { c.copy_async(s, X(0, all), {.completes_on = 0}); }),
        "an operator that completes on an mbarrier" + rest);
    has(of([](Scope c, auto&, auto&) { c.loop(0, 2, 1, Stages{2}, [](const Affine&) {}); }), "another loop with stages" + rest);
    has(of([](Scope c, auto&, auto& s) { c.pipeline_group(0, [&] { c.fill(s, 0); }); }, {2, {0}}),
        "it is in no pipeline_group; the loop around has groups 0 to 0");
    has(of([](Scope, auto&, auto&) {}, {2, {0}}), "the loop has stages of groups, and no pipeline_group in its body");
    has(of([](Scope c, auto& X, auto&) {
            const Affine at = c.index(load(X(0, 0)), 0, 4, "at");
            c.fill(X(at, all), 1);
        }),
        "the index is read from what statements after it write; a loop with stages needs it to stay");
    has(of([](Scope, auto&, auto&) {}, {0}), "a loop has 0 stages; it must have at least 1");
    has(of([](Scope c, auto&, auto&) { c.pipeline_group(1, [&] { c.pipeline_group(0, {}); }); }, {2, {0, 0}}),
        "pipeline_group(0) is not directly in a loop with stages; its groups are not nested");
}

TEST_CASE("pipelined: slots that do not fit the memory are counted", "[pipelined]")
{
    Product z;
    z.stages = {24};
    z.k = 32 * 30;
    const std::string text = refusal_of(product(machines::sm80, z));
    INFO(text);
    CHECK(text.find("the loop's slots, 24 of tensor a, 24 of tensor b, do not fit: ") != std::string::npos);

    Kernel k("placed", machines::sm80);
    const auto X = k.input("X", {4, 128}, i32), Y = k.output("Y", {4, 128}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {128}, i32, {}, "s", 1024);
        c.loop(0, 4, 1, Stages{3}, [&](const Affine& i) {
            c.copy(s, X(i, all));
            c.copy(Y(i, all), s);
        });
    });
    const std::string placed = refusal_of(program_of(k));
    INFO(placed);
    CHECK(placed.find("s is at byte 1024, and the loop needs 3 of it; allocate it without a place") != std::string::npos);
}

TEST_CASE("pipelined: what is read after the loop, or from the round before, stays one tensor", "[pipelined]")
{
    // `s` holds the last round's values after the loop: it cannot have slots, and nothing overlaps.
    Kernel k("last", machines::sm80);
    const auto X = k.input("X", {4, 128}, i32), Y = k.output("Y", {4, 128}, i32), Z = k.output("Z", {128}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
        c.loop(0, 4, 1, Stages{3}, [&](const Affine& i) {
            c.copy(s, X(i, all));
            c.sync();
            c.copy(Y(i, all), s);
            c.sync();
        });
        c.copy(Z, s);
    });
    const auto made = check_same(program_of(k), targets::sm80);
    CHECK(made.loops[0].slots.empty());
    CHECK(made.loops[0].steps[0].stage == made.loops[0].steps[1].stage);

    // The loop around reads it when it comes again.
    Kernel k1("again", machines::sm80);
    const auto V = k1.input("V", {12, 128}, i32), W = k1.output("W", {12, 128}, i32), U = k1.output("U", {3, 128}, i32);
    k1.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
        c.fill(s, 5);
        c.sync();
        c.loop(0, 3, 1, [&](const Affine& j) {
            c.copy(U(j, all), s);
            c.sync();
            c.loop(0, 4, 1, Stages{3}, [&](const Affine& i) {
                c.copy(s, V(j * 4 + i, all));
                c.sync();
                c.copy(W(j * 4 + i, all), s);
                c.sync();
            });
        });
    });
    CHECK(check_same(program_of(k1), targets::sm80).loops[0].slots.empty());

    // In two loops one after the other, and in a loop around them, each writes it first.
    Kernel k2("twice", machines::sm80);
    const auto A = k2.input("A", {12, 128}, i32), B = k2.output("B", {24, 128}, i32);
    k2.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
        c.loop(0, 3, 1, [&](const Affine& j) {
            for (const int part : {0, 1})
                c.loop(0, 4, 1, Stages{3}, [&](const Affine& i) {
                    c.copy(s, A(j * 4 + i, all));
                    c.sync();
                    c.copy(B(j * 8 + part * 4 + i, all), s);
                    c.sync();
                });
        });
    });
    const auto twice = check_same(program_of(k2), targets::sm80);
    REQUIRE(twice.loops.size() == 2);
    CHECK((count_of(twice, "s") == 3 && twice.loops[1].slots.at(0).needed == 3));
}

TEST_CASE("pipelined: loops by steps, from a number, up to a number of the block, and with indices", "[pipelined]")
{
    Kernel k("steps", machines::sm80);
    const auto X = k.input("X", {32, 128}, i32), Y = k.output("Y", {4, 32, 128}, i32);
    const auto rows = k.input("rows", {32}, i32);
    k.cta(tiles({4, 1}, {1, 1}), [&](Scope c, const Tile& t) {
        c.fill(Y(t.index[0], all, all), -1);
        c.sync();
        c.loop(t.index[0] + 3, t.index[0] * 5 + 9, 2, Stages{3}, [&](const Affine& i) {
            const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
            c.copy(s, X(i, all));
            c.sync();
            c.copy(Y(t.index[0], i, all), s);
            c.sync();
        });
    });
    check_same(program_of(k), targets::sm80);

    Kernel k2("indices", machines::sm80);
    const auto P = k2.input("P", {11, 128}, i32), D = k2.output("D", {6, 128}, i32);
    const auto page = k2.input("page", {6}, i32);
    k2.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
        c.loop(0, 6, 1, Stages{2}, [&](const Affine& i) {
            const Affine at = c.index(load(page(i)) + 5.0, 0, 11, "at");
            c.copy(s, P(at, all));
            c.sync();
            c.copy(D(i, all), s);
            c.sync();
        });
    });
    const auto made = check_same(program_of(k2), targets::sm80);
    CHECK((made.loops[0].steps[0].stage == 0 && made.loops[0].steps[0].asynchronous && count_of(made, "s") == 2));
}

TEST_CASE("pipelined: groups by different agents, with mbarriers between them", "[pipelined]")
{
    const AgentRole producer{"producer", Layout{{}, {}, {{Axis{"warp"}, 4}}}},
        consumers{"consumers", Layout{{{4, 1, Axis{"warp"}}}}};
    for (const Target* target : {&targets::sm80, &targets::sm90, &targets::sm100})
        for (const std::int64_t depth : {20, 200})
            for (const int last : {0, 2}) {
                if (target != &targets::sm80 && (depth == 20 || last == 0)) continue;
                INFO(target->machine.name << ", depth " << depth << ", stage " << last);
                const Program p = grouped_product(target->machine, {40, 40, depth, 3, {producer, consumers}, false, last});
                const auto made = pipelined(p, *target);
                INFO((made ? print(made->program) : made.error().text));
                REQUIRE(made.has_value());
                CHECK(validate(made->program).empty());
                const Bindings in = numbers(p);
                for (const sim::RunOrder order : sim::all_run_orders) {
                    const auto report = run_in(made->program, *target, in, order);
                    INFO(name(order) << ": " << report.fault.text);
                    REQUIRE(report.ok());
                    const auto right = verify(p, in, report.outputs);
                    REQUIRE(right.has_value());
                    CHECK(right->ok());
                }
                CHECK(count_of(*made, "a") == std::min<std::int64_t>(last + 1, (depth + 31) / 32));
            }
}

TEST_CASE("pipelined: on Trainium, DMA goes on beside products, and engines meet once in a turn", "[pipelined]")
{
    const auto lowered = required(lower(product(machines::trn1, {}), targets::trn1));
    int turns = 0, barriers = 0, waits = 0, copies = 0, products = 0;
    for_each_statement(lowered->program.body, [&](const Statement& s) {
        const auto* f = std::get_if<For>(&s.what);
        if (f == nullptr) return;
        turns += static_cast<int>(f->step);
        for_each_statement(f->body, [&](const Statement& one) {
            barriers += std::holds_alternative<Barrier>(one.what) ? 1 : 0;
            if (const auto* w = std::get_if<Wait>(&one.what)) waits += w->pending == 1 ? 1 : 0;
            const auto* i = std::get_if<Instruction>(&one.what);
            if (i == nullptr) return;
            copies += i->opcode == "dma" && i->async ? 1 : 0;
            products += i->opcode == "nc_matmul" ? 1 : 0;
        });
    });
    CHECK((turns == 3 && barriers == 3 && waits == 3 && copies == 6 && products == 3));
}

TEST_CASE("pipelined: a copy that no asynchronous instruction does stays as it is, others do not", "[pipelined]")
{
    // Rows of A have 33 elements of 2 bytes: cp.async takes 4 at least, from multiples of 4. Those of B have 24.
    Product z;
    z.n = 24, z.k = 33;
    const auto made = check_same(product(machines::sm80, z), targets::sm80);
    CHECK((!made.loops[0].steps[0].asynchronous && made.loops[0].steps[1].asynchronous));
    const auto none = check_same(product(machines::sm80, z), targets::sm80, {{}, false});
    CHECK((!none.loops[0].steps[0].asynchronous && !none.loops[0].steps[1].asynchronous));
}

TEST_CASE("pipelined: slots whose common multiple is large are made equal", "[pipelined]")
{
    const auto slots = [](const std::vector<int>& stages) {
        const auto made = check_same(chain(machines::sm80, {9, 8, {8, stages, {0, 1, 2}}}), targets::sm80);
        return std::tuple(count_of(made, "x"), count_of(made, "t"), made.loops[0].turns);
    };
    CHECK(slots({0, 1, 3}) == std::tuple(2, 3, 6));
    CHECK(slots({0, 2, 5}) == std::tuple(4, 4, 4));
}

TEST_CASE("pipelined: a loop of grids", "[pipelined]")
{
    Kernel k("grids", machines::sm80);
    const auto X = k.input("X", {5, 128}, i32), Y = k.output("Y", {5, 128}, i32), T = k.inout("T", {6, 128}, i32);
    k.loop(0, 5, 1, Stages{3, {0, 2}, {0, 1}}, [&](const Affine& i) {
        k.pipeline_group(0, [&] {
            k.cta(tiles(1, 1), [&](Scope c, const Tile&) { c.binary(Function::add, T(i, all), X(i, all), X(i, all)); });
        });
        k.pipeline_group(1, [&] { k.cta(tiles(1, 1), [&](Scope c, const Tile&) { c.copy(Y(i, all), T(i, all)); }); });
    });
    const Program p = program_of(k);
    check_same(p, targets::sm80);
    CHECK(print(p).find("for i0 = 0 .. 5; 3 stages: 1..2 in 0 at 0, 3..4 in 2 at 1") != std::string::npos);
    CHECK(!has_stages(in_program_order(p)));
}

TEST_CASE("pipelined: three roles hand tensors on, again in each round of a loop around", "[pipelined]")
{
    const auto warp = [](const char* name, int n) { return AgentRole{name, Layout{{}, {}, {{Axis{"warp"}, n}}}}; };
    const std::vector<AgentRole> roles = {warp("loads", 0), warp("turns", 1), warp("sums", 2)};
    for (const std::vector<int>& stages : {std::vector<int>{0, 0, 1}, {0, 1, 2}, {0, 0, 0}})
        for (const std::int64_t rounds : {0, 1, 4, 7}) {
            INFO(stages[1] << stages[2] << ", " << rounds << " rounds");
            check_same(chain(machines::sm80, {rounds, 8, {4, stages, {0, 1, 2}, roles}}, 4), targets::sm80);
        }

    Kernel k("again", machines::sm80);
    const auto X = k.input("X", {12, 128}, i32), Y = k.output("Y", {12, 128}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
        c.loop(0, 3, 1, [&](const Affine& j) {
            c.loop(0, 4, 1, Stages{2, {0, 1}, {0, 1}, {roles[2], roles[0]}}, [&](const Affine& i) {
                c.pipeline_group(0, [&] { c.copy(s, X(j * 4 + i, all)); });
                c.sync();
                c.pipeline_group(1, [&] { c.copy(Y(j * 4 + i, all), s); });
                c.sync();
            });
        });
    });
    const auto made = check_same(program_of(k), targets::sm80);
    CHECK(count_of(made, "s") == 2);
    // A slot less: who fills it waits until it is empty, so it is slower, and right.
    check_same(program_of(k), targets::sm80, {{{"s", 1}}});
}

TEST_CASE("pipelined: what roles cannot share", "[pipelined]")
{
    const AgentRole a{"A", Layout{{}, {}, {{Axis{"warp"}, 0}}}}, b{"B", Layout{{}, {}, {{Axis{"warp"}, 1}}}};
    struct Parts {
        TensorRef r, q, s, t;
    };
    using Write = std::function<void(Scope, const Parts&)>;
    const auto refusal = [&](const Write& before, const Write& first, const Write& second, const Write& after) {
        Kernel k("shared", machines::sm80);
        one_block(k, 2, [&](Scope c) {
            const Parts p{c.alloc(Role::registers, {32}, i32, LayoutHint::registers, "r"),
                          c.alloc(Role::registers, {32}, i32, LayoutHint::registers, "q"),
                          c.alloc(Role::shared, {32}, i32, {}, "s"), c.alloc(Role::shared, {32}, i32, {}, "t")};
            before(c, p);
            c.loop(0, 4, 1, Stages{2, {0, 1}, {0, 1}, {a, b}}, [&](const Affine&) {
                c.pipeline_group(0, [&] { first(c, p); });
                c.pipeline_group(1, [&] { second(c, p); });
            });
            after(c, p);
        });
        return refusal_of(program_of(k));
    };
    const auto has = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    };
    const Write none = [](Scope, const Parts&) {};
    const auto fills = [](TensorRef Parts::* d) { return Write([d](Scope c, const Parts& p) { c.fill(p.*d, 1); }); };
    const auto copies = [](TensorRef Parts::* d, TensorRef Parts::* x) {
        return Write([d, x](Scope c, const Parts& p) { c.copy(p.*d, p.*x); });
    };
    has(refusal(none, fills(&Parts::r), copies(&Parts::s, &Parts::r), none),
        "r is used by A and by B, and each agent has its own; put what they share into shared memory");
    has(refusal(none, fills(&Parts::s), fills(&Parts::s), none),
        "s is used by A and by B; one of them must write all of it in each round, before the other one reads it");
    has(refusal(none, fills(&Parts::r), fills(&Parts::q), copies(&Parts::r, &Parts::q)), "uses registers of A and of B");
    has(refusal([](Scope c, const Parts& p) { c.copy(p.r, p.t).fill(p.t, 2); }, fills(&Parts::r), copies(&Parts::s, &Parts::t),
                none),
        " is of A alone, and statement ");
    CHECK(refusal(copies(&Parts::r, &Parts::t), fills(&Parts::r), copies(&Parts::s, &Parts::t), none) == "none");
}

TEST_CASE("pipelined: roles hand tensors on where the machine has mbarriers", "[pipelined]")
{
    for (const Target* target : {&targets::sm80, &targets::sm90, &targets::sm100, &targets::trn1, &targets::trn2}) {
        const std::string name = target->machine.name;
        const Axis agent = target->machine.scopes[levels_of(target->machine).agent].axis;
        const AgentRole a{"A", Layout{{}, {}, {{agent, 0}}}}, b{"B", Layout{{}, {}, {{agent, 1}}}};
        Kernel k("hands", target->machine);
        const auto X = k.input("X", {4, 128}, f32), Y = k.output("Y", {4, 128}, f32);
        one_block(k, 2, [&](Scope c) {
            const auto s = c.alloc(Role::shared, {128}, f32, {}, "s");
            c.loop(0, 4, 1, Stages{2, {0, 1}, {0, 1}, {a, b}}, [&](const Affine& i) {
                c.pipeline_group(0, [&] { c.copy(s, X(i, all)); });
                c.pipeline_group(1, [&] { c.copy(Y(i, all), s); });
            });
        });
        const auto p = k.program();
        INFO(name << ": " << (p ? std::string() : p.error().text));
        REQUIRE(p.has_value());
        const std::string text = refusal_of(*p, *target);
        if (name.starts_with("sm"))
            CHECK(text == "none");
        else
            CHECK(text.find("s is used by A and by B; " + name + " has no mbarriers, by which roles hand tensors on") !=
                  std::string::npos);
    }
}

TEST_CASE("pipelined: agents meet for what they did many rounds before", "[pipelined]")
{
    Kernel k("far", machines::sm80);
    const auto X = k.inout("X", {12, 16, 16}, i32), Y = k.output("Y", {7, 16, 16}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        c.loop(0, 7, 1, Stages{1, {0, 0}, {1, 0}}, [&](const Affine& i) {
            c.pipeline_group(0, [&] { c.copy(Y(i, all, all), X(i, all, all).permuted({1, 0})); });
            c.sync();
            c.pipeline_group(1, [&] { c.binary(Function::add, X(i + 5, all, all), X(i + 5, all, all), X(i + 5, all, all)); });
            c.sync();
        });
    });
    check_same(program_of(k), targets::sm80);
}

TEST_CASE("pipelined: several statements of a role fill and use a tensor, and loops inside are copied", "[pipelined]")
{
    const AgentRole a{"A", Layout{{}, {}, {{Axis{"warp"}, 0}}}}, b{"B", Layout{{}, {}, {{Axis{"warp"}, 1}}}};
    Kernel k("several", machines::sm80);
    const auto X = k.input("X", {6, 128}, i32), Y = k.output("Y", {6, 128}, i32), Z = k.output("Z", {12, 128}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {128}, i32, {}, "s");
        c.loop(0, 6, 1, Stages{2, {0, 1}, {0, 1}, {a, b}}, [&](const Affine& i) {
            c.pipeline_group(0, [&] {
                c.copy(s, X(i, all));
                c.sync();
                c.binary(Function::add, s, s, s);
            });
            c.sync();
            c.pipeline_group(1, [&] {
                c.copy(Y(i, all), s);
                c.loop(0, 2, 1, [&](const Affine& j) { c.copy(Z(i * 2 + j, all), s); });
            });
            c.sync();
        });
    });
    const auto made = check_same(program_of(k), targets::sm80);
    // Each copy of the inner loop counts by a variable of its own.
    std::vector<int> counters;
    for_each_statement(made.program.body, [&](const Statement& s) {
        if (const auto* loop = std::get_if<For>(&s.what)) counters.push_back(loop->var.id);
    });
    CHECK(counters.size() == 4);
    std::sort(counters.begin(), counters.end());
    CHECK(std::adjacent_find(counters.begin(), counters.end()) == counters.end());
}

TEST_CASE("pipelined: what a reduction adds to is not of one round", "[pipelined]")
{
    const auto of = [](const std::vector<int>& orders) {
        Kernel k("sums", machines::sm80);
        const auto X = k.input("X", {6, 8, 32}, i32), Y = k.output("Y", {6, 32}, i32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto x = c.alloc(Role::shared, {8, 32}, i32, {}, "x"), d = c.alloc(Role::shared, {32}, i32, {}, "d");
            c.fill(d, 0);
            c.sync();
            c.loop(0, 6, 1, Stages{3, {0, 1, 2}, orders}, [&](const Affine& i) {
                c.pipeline_group(0, [&] { c.copy(x, X(i, all, all)); });
                c.sync();
                c.pipeline_group(1, [&] { c.reduce(Function::add, d, x, {0}, true); });
                c.sync();
                c.pipeline_group(2, [&] { c.copy(Y(i, all), d); });
                c.sync();
            });
        });
        return program_of(k);
    };
    CHECK(refusal_of(of({0, 1, 2})).find("of 1 round before, for d: put it into stage 1 with a later order") != std::string::npos);
    check_same(of({0, 2, 1}), targets::sm80);
}

TEST_CASE("pipelined: agents meet before and after the loop, where what is beside it needs that", "[pipelined]")
{
    Kernel k("beside", machines::sm80);
    const auto A = k.input("A", {16, 16}, i32), B = k.input("B", {3, 128}, i32);
    const auto Y = k.output("Y", {3, 128}, i32), Z = k.output("Z", {16, 16}, i32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto s = c.alloc(Role::shared, {16, 16}, i32, {}, "s");
        c.copy(s.permuted({1, 0}), A);
        c.loop(0, 3, 1, Stages{1, {0, 0}, {1, 0}}, [&](const Affine& i) {
            c.sync();
            c.pipeline_group(0, [&] { c.copy(Y(i, all), B(i, all)); });
            c.pipeline_group(1, [&] { c.binary(Function::add, s, s, s); });
            c.sync();
        });
        c.copy(Z, s.permuted({1, 0}));
    });
    check_same(program_of(k), targets::sm80);
}
