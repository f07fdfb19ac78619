// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipelined_runs.hpp"

#include <string>

using namespace axe;
using namespace pipelined_runs;
using enum axe::DType;

/// Loops with stages whose products are asynchronous, and may be left going until the next ones are started.

namespace {

enum class Needs { after_the_loop, in_the_round, in_the_next_round };
struct LeftProduct {
    std::int64_t k = 104;
    int stages = 3;
    bool bulk = false;
    std::vector<int> orders{0, 1};
    int products = 1;
    std::vector<AgentRole> roles{};
    Needs sums = Needs::after_the_loop;
};
/// C = A·B, with asynchronous products that program order waits for at once; where rounds need the sums, S has them after each.
Program left_product(const LeftProduct& z)
{
    Kernel k("left", machines::sm90);
    const std::int64_t rounds = (z.k + 31) / 32;
    const auto A = k.input("A", {40, z.k}, f16), B = k.input("B", {z.k, 40}, f16), C = k.output("C", {40, 40}, f32);
    const auto S = k.output("S", {rounds, 64, 64}, f32);
    k.cta(
        tiles(C, {64, 64}),
        [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::shared, {64, 32}, f16, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, {32, 64}, f16, conflict_free, "b");
            const auto acc = cta.alloc(Role::accumulator, {64, 64}, f32, accumulator, "acc");
            cta.fill(acc, 0);
            cta.loop(0, rounds, 1, Stages{z.stages, {0, z.stages - 1}, z.orders, z.roles, z.bulk}, [&](const Affine& i) {
                const auto sync = [&] {
                    if (z.roles.empty()) cta.sync();
                };
                cta.pipeline_group(0,
                                   [&] { cta.copy(a, A(t.rows, Interval(i * 32, 32))).copy(b, B(Interval(i * 32, 32), t.cols)); });
                sync();
                cta.pipeline_group(1, [&] {
                    // S(r) is of the sums before round r, or after it.
                    if (z.sums == Needs::in_the_next_round) cta.copy(S(i, all, all), acc);
                    for (int n = 0; n < z.products; ++n) cta.proxy_fence().gemm(acc, a, b, {}, {.async = true}).wait_products();
                    if (z.sums == Needs::in_the_round) cta.copy(S(i, all, all), acc);
                });
                sync();
            });
            if (z.sums == Needs::after_the_loop) cta.fill(S, 0);
            cta.copy(C(t), acc);
        },
        z.roles.empty() ? 4 : 5);
    return k.program().value();
}
bool is_left_going(const Pipelined& made)
{
    bool out = false;
    for (const auto& step : made.loops.at(0).steps) out |= step.left_going;
    return out;
}
std::vector<int> waits_in_turns(const Program& p)
{
    std::vector<int> out;
    for_each_statement(p.body, [&](const Statement& s) {
        const auto* wait = std::get_if<Wait>(&s.what);
        if (wait != nullptr && wait->of == Wait::Of::products) out.push_back(wait->pending);
    });
    return out;
}

} // namespace

TEST_CASE("pipelined: products go on until the next ones are started, of which one slot more is in use", "[pipelined][products]")
{
    for (const bool bulk : {false, true})
        for (const int stages : {1, 2, 3})
            for (const std::int64_t k : {24, 104}) {
                INFO((bulk ? "bulk, " : "by lanes, ") << stages << " stages, k = " << k);
                const auto made = check_same(left_product({k, stages, bulk}), targets::sm90);
                CHECK(is_left_going(made));
                for (const auto& slots : made.loops[0].slots)
                    CHECK(slots.count == std::min<std::int64_t>(stages + 1, (k + 31) / 32));
                const auto waits = waits_in_turns(made.program);
                REQUIRE(waits.size() == static_cast<std::size_t>(made.loops[0].turns) + 1);
                for (std::size_t i = 0; i + 1 < waits.size(); ++i) CHECK(waits[i] == 1);
                CHECK(waits.back() == 0);
            }
}

TEST_CASE("pipelined: several products of a round on the same sums are left going", "[pipelined][products]")
{
    for (const bool bulk : {false, true}) {
        const auto made = check_same(left_product({104, 2, bulk, {0, 1}, 2}), targets::sm90);
        CHECK(is_left_going(made));
        CHECK(waits_in_turns(made.program).front() == 2);
    }
}

TEST_CASE("pipelined: a product whose sums its round needs is waited for at once", "[pipelined][products]")
{
    for (const Needs sums : {Needs::in_the_round, Needs::in_the_next_round})
        for (const bool bulk : {false, true}) {
            const auto made = check_same(left_product({104, 3, bulk, {0, 1}, 1, {}, sums}), targets::sm90);
            CHECK(!is_left_going(made));
            for (const int pending : waits_in_turns(made.program)) CHECK(pending == 0);
            for (const auto& slots : made.loops[0].slots) CHECK(slots.count == 3);
        }
}

TEST_CASE(
    "pipelined: a product that a later stage of its round needs is waited for at once, since after the last one there is no other",
    "[pipelined][products]")
{
    for (const bool bulk : {false, true})
        for (const std::int64_t rounds : {1, 4}) {
            INFO((bulk ? "bulk, " : "by lanes, ") << rounds << " rounds");
            Kernel k("each", machines::sm90);
            const auto A = k.input("A", {64, 32 * rounds}, f16), B = k.input("B", {32 * rounds, 64}, f16);
            const auto S = k.output("S", {rounds, 64, 64}, f32);
            k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
                const auto a = c.alloc(Role::shared, {64, 32}, f16, conflict_free, "a");
                const auto b = c.alloc(Role::shared, {32, 64}, f16, conflict_free, "b");
                const auto d = c.alloc(Role::accumulator, {64, 64}, f32, accumulator, "d");
                c.loop(0, rounds, 1, Stages{3, {0, 1, 2}, {0, 1, 2}, {}, bulk}, [&](const Affine& i) {
                    c.pipeline_group(0, [&] { c.copy(a, A(all, Interval(i * 32, 32))).copy(b, B(Interval(i * 32, 32), all)); });
                    c.sync();
                    c.pipeline_group(
                        1, [&] { c.proxy_fence().gemm(d, a, b, {.accumulate = false}, {.async = true}).wait_products(); });
                    c.pipeline_group(2, [&] { c.copy(S(i, all, all), d); });
                    c.sync();
                });
            });
            const auto made = check_same(k.program().value(), targets::sm90);
            CHECK(!is_left_going(made));
            for (const auto& slots : made.loops[0].slots)
                if (slots.tensor == "d") CHECK(slots.count == std::min<std::int64_t>(2, rounds));
        }
}

TEST_CASE("pipelined: with one slot less than products that are left going need, runs find it", "[pipelined][products]")
{
    for (const bool bulk : {false, true}) {
        const Program p = left_product({136, 2, bulk});
        const auto made = pipelined(p, targets::sm90, {{{"a", 2}, {"b", 2}}});
        REQUIRE(made.has_value());
        const auto report = run_in(made->program, targets::sm90, numbers(p), sim::RunOrder::issue);
        INFO(report.fault.text);
        CHECK(report.fault.kind == (bulk ? sim::FaultKind::deadlock : sim::FaultKind::race));
        check_same(p, targets::sm90, {{{"a", 4}, {"b", 5}}});
    }
}

TEST_CASE("pipelined: products of a role are left going beside copies of another one", "[pipelined][products]")
{
    const AgentRole producer{"producer", Layout{{}, {}, {{Axis{"warp"}, 4}}}},
        consumers{"consumers", Layout{{{4, 1, Axis{"warp"}}}}};
    for (const bool bulk : {false, true})
        for (const std::int64_t k : {24, 136}) {
            INFO((bulk ? "bulk, k = " : "by lanes, k = ") << k);
            const Program p = left_product({k, 3, bulk, {0, 1}, 1, {producer, consumers}});
            const auto made = pipelined(p, targets::sm90);
            INFO((made ? print(made->program) : made.error().text));
            REQUIRE(made.has_value());
            CHECK(is_left_going(*made));
            const Bindings in = numbers(p);
            std::string expected;
            for (const sim::RunOrder order : sim::all_run_orders) {
                const auto report = run_in(made->program, targets::sm90, in, order);
                INFO(name(order) << ": " << report.fault.text);
                REQUIRE(report.ok());
                CHECK(is_product(report, in));
            }
        }
}

TEST_CASE("pipelined: asynchronous products on every machine, those that have none do them at once", "[pipelined][products]")
{
    for (const Target* target : {&targets::sm80, &targets::sm90, &targets::sm100, &targets::trn2, &targets::cpu}) {
        INFO(target->machine.name);
        const std::int64_t tile = target == &targets::sm100 ? 128 : 64;
        Kernel k("anywhere", target->machine);
        const auto A = k.input("A", {40, 96}, f16), B = k.input("B", {96, 40}, f16), C = k.output("C", {40, 40}, f32);
        k.computes(C, matmul(A, B));
        k.cta(tiles(C, {tile, tile}), [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::shared, {tile, 32}, f16, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, {32, tile}, f16, conflict_free, "b");
            const auto acc = cta.alloc(Role::accumulator, {tile, tile}, f32, accumulator, "acc");
            cta.fill(acc, 0);
            cta.loop(tiles(96, 32), Stages{2}, [&](Interval s) {
                cta.copy(a, A(t.rows, s)).copy(b, B(s, t.cols)).sync();
                cta.proxy_fence().gemm(acc, a, b, {}, {.async = true}).wait_products().sync();
            });
            cta.copy(C(t), acc);
        });
        const Program p = k.program().value();
        check_same(p, *target);
        const Bindings in = numbers(p);
        CHECK(verify(p, in, run_in(p, *target, in, sim::RunOrder::issue).outputs)->ok());
    }
}
