// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipelined_runs.hpp"

#include <functional>
#include <string>

using namespace axe;
using namespace pipelined_runs;
using enum axe::DType;

/// Loops with stages whose products are those of one agent into tensor memory, which tell mbarriers that they are complete.

namespace {

using namespace axe::literals;

AgentRole warps(const char* name, int first, int count)
{
    return {name, Layout{{{count, 1, Axis{"warp"}}}, {}, {{Axis{"warp"}, first}}}};
}

struct Committed {
    std::int64_t k = 104;
    int stages = 3;
    int products = 1;
    std::vector<AgentRole> roles{};
    int agents = 4;
    std::vector<int> of_groups{}; ///< stages of the copy of A, of B, and of the product; empty: 0, 0, stages − 1
    bool also_read = false;       ///< do lanes store A as well?
    bool bulk = true;
};
/// C = products · A·B, and Y = A.
Program committed(const Committed& z)
{
    Kernel k("committed", machines::sm100);
    const std::int64_t rounds = (z.k + 31) / 32;
    const auto A = k.input("A", {40, z.k}, f16), B = k.input("B", {z.k, 40}, f16), C = k.output("C", {40, 40}, f32);
    const auto Y = k.output("Y", {128, rounds * 32}, f16);
    std::vector<int> in = z.of_groups;
    if (in.empty()) in = {0, 0, z.stages - 1};
    std::vector<AgentRole> roles = z.roles;
    if (!roles.empty()) roles = {roles[0], roles[0], roles[1]};
    k.cta(
        tiles(C, {128, 64}),
        [&](Scope cta, const Tile& t) {
            const auto a = cta.alloc(Role::shared, {128, 32}, f16, conflict_free, "a");
            const auto b = cta.alloc(Role::shared, {32, 64}, f16, conflict_free, "b");
            const auto acc = cta.alloc(Role::accumulator, {128, 64}, f32, accumulator, "acc");
            cta.fill(acc, 0);
            cta.loop(0, rounds, 1, Stages{z.stages, in, {0, 1, 2}, roles, z.bulk}, [&](const Affine& i) {
                cta.pipeline_group(0, [&] { cta.copy(a, A(t.rows, Interval(i * 32, 32))); });
                cta.pipeline_group(1, [&] { cta.copy(b, B(Interval(i * 32, 32), t.cols)); });
                if (roles.empty()) cta.sync();
                cta.pipeline_group(2, [&] {
                    for (int n = 0; n < z.products; ++n) cta.gemm(acc, a, b, {}, {.async = true}).wait_products();
                    if (z.also_read) cta.copy(Y(all, Interval(i * 32, 32)), a);
                });
                if (roles.empty()) cta.sync();
            });
            if (!z.also_read) cta.fill(Y, 0);
            cta.copy(C(t), acc);
        },
        z.agents);
    return k.program().value();
}
bool is_left_going(const Pipelined& made)
{
    bool out = false;
    for (const auto& step : made.loops.at(0).steps) out |= step.left_going;
    return out;
}
template <class What>
int count(const Program& p, const std::function<bool(const What&)>& those = [](const What&) { return true; })
{
    int n = 0;
    for_each_statement(p.body, [&](const Statement& s) {
        const auto* what = std::get_if<What>(&s.what);
        n += what != nullptr && those(*what) ? 1 : 0;
    });
    return n;
}
int products_on_mbarriers(const Program& p)
{
    return count<Operation>(p, [](const Operation& o) { return o.op == Op::gemm && o.options.completes_on >= 0; });
}
int commits(const Program& p)
{
    return count<Mbarrier>(p, [](const Mbarrier& m) { return m.action == Mbarrier::Action::commit; });
}
/// The products of the program that go on in every turn, beside nothing that waits for them at once.
void check_goes_on(const Pipelined& made, int products)
{
    INFO(print(made.program));
    CHECK(is_left_going(made));
    CHECK(products_on_mbarriers(made.program) == products * made.loops[0].turns);
    CHECK(count<Wait>(made.program, [](const Wait& w) { return w.of == Wait::Of::products; }) == 0);
    const auto lowered = lower(made.program);
    REQUIRE(lowered.has_value());
    CHECK(count<Wait>(lowered->program, [](const Wait& w) { return w.of == Wait::Of::products; }) == 0);
    CHECK(count<Instruction>(lowered->program, [](const Instruction& i) { return i.opcode == "tcgen05_mma"; }) > 0);
}
void check_at_once(const Pipelined& made)
{
    INFO(print(made.program));
    CHECK(!is_left_going(made));
    CHECK(products_on_mbarriers(made.program) == 0);
}
/// The program of roles has no order of its own to be compared with: C is A·B.
void check_roles(const Committed& z)
{
    const Program p = committed(z);
    const auto made = pipelined(p, targets::sm100);
    INFO((made ? print(made->program) : made.error().text));
    REQUIRE(made.has_value());
    CHECK(validate(made->program).empty());
    check_goes_on(*made, z.products);
    const Bindings in = numbers(p);
    for (const sim::RunOrder order : sim::all_run_orders) {
        const auto report = run_in(made->program, targets::sm100, in, order);
        INFO(name(order) << ": " << report.fault.text);
        REQUIRE(report.ok());
        CHECK(is_product(report, in, z.products));
    }
}

} // namespace

TEST_CASE("pipelined: products into tensor memory go on over a round, and give slots back by themselves", "[pipelined][commits]")
{
    for (const int stages : {1, 2, 3})
        for (const std::int64_t k : {24, 104, 200}) {
            if (k != 104 && stages != 2) continue;
            INFO(stages << " stages, k = " << k);
            const auto made = check_same(committed({k, stages}), targets::sm100);
            check_goes_on(made, 1);
            CHECK(commits(made.program) == 1); // for the last of all; the others are those of the products
            for (const auto& slots : made.loops[0].slots) CHECK(slots.count == std::min<std::int64_t>(stages + 1, (k + 31) / 32));
        }
}

TEST_CASE("pipelined: several products of a round into the same sums of tensor memory go on", "[pipelined][commits]")
{
    check_goes_on(check_same(committed({104, 2, 2}), targets::sm100), 2);
}

TEST_CASE("pipelined: operands that come in different stages have slots of their own, and a product gives back both",
          "[pipelined][commits]")
{
    const auto made = check_same(committed({136, 3, 1, {}, 4, {0, 1, 2}}), targets::sm100);
    check_goes_on(made, 1);
    CHECK(made.loops[0].slots.at(0).needed != made.loops[0].slots.at(1).needed);
    CHECK(commits(made.program) == made.loops[0].turns + 1);
}

TEST_CASE("pipelined: slots that lanes read, too, come back when both are done with them", "[pipelined][commits]")
{
    for (const int stages : {1, 3}) {
        const auto made = check_same(committed({104, stages, 1, {}, 4, {}, true}), targets::sm100);
        check_goes_on(made, 1);
        CHECK(count<Mbarrier>(made.program, [](const Mbarrier& m) { return m.number == 5; }) > 0); // arrivals: 4 warps, 1 product
    }
}

TEST_CASE("pipelined: products of a role go on beside copies of another one into tensor memory", "[pipelined][commits]")
{
    for (const std::int64_t k : {24, 136})
        for (const bool bulk : {false, true})
            for (const int products : {1, 2})
                if (k != 24 || (bulk && products == 1))
                    check_roles({k, 3, products, {warps("producer", 4, 1), warps("multiplier", 0, 4)}, 5, {}, false, bulk});
    check_roles({136, 2, 1, {warps("all", 0, 4), warps("all", 0, 4)}, 4});
}

TEST_CASE("pipelined: a single warp multiplies into tensor memory that a kernel names", "[pipelined][commits]")
{
    Kernel k("named", machines::sm100);
    const auto A = k.input("A", {128, 160}, f16), B = k.input("B", {160, 32}, f16), C = k.output("C", {128, 32}, f32);
    const AgentRole producer = warps("producer", 4, 1), multiplier = warps("multiplier", 5, 1);
    k.computes(C, matmul(A, B));
    k.cta(
        tiles(1, 1),
        [&](Scope c, const Tile&) {
            const auto a = c.alloc(Role::shared, {128, 32}, f16, conflict_free, "a");
            const auto b = c.alloc(Role::shared, {32, 32}, f16, conflict_free, "b");
            const auto sums = c.alloc("tmem", {128, 32}, f32, accumulator, "sums");
            c.loop(0, 5, 1, Stages{3, {0, 2}, {0, 1}, {producer, multiplier}, true}, [&](const Affine& i) {
                const Interval s(i * 32, 32);
                c.pipeline_group(0, [&] { c.copy(a, A(all, s)).copy(b, B(s, all)); });
                c.pipeline_group(1, [&] { c.gemm(sums, a, b, {.unless_zero = i}, {.async = true}).wait_products(); });
            });
            c.warps(0, 4, [&](Scope w) {
                const auto d = w.alloc(Role::registers, {128, 32}, f32, accumulator, "d");
                w.copy(d, sums).copy(C, d);
            });
        },
        6);
    const Program p = k.program().value();
    const auto made = pipelined(p, targets::sm100);
    INFO((made ? print(made->program) : made.error().text));
    REQUIRE(made.has_value());
    check_goes_on(*made, 1);
    const Bindings in = numbers(p);
    for (const sim::RunOrder order : sim::all_run_orders) {
        const auto report = run_in(made->program, targets::sm100, in, order);
        INFO(name(order) << ": " << report.fault.text);
        REQUIRE(report.ok());
        CHECK(verify(p, in, report.outputs)->ok());
    }
}

TEST_CASE("pipelined: loops with products that commit are run again and again, also of different lengths", "[pipelined][commits]")
{
    Kernel k("again", machines::sm100);
    const auto A = k.input("A", {128, 160}, f16), B = k.input("B", {160, 32}, f16), C = k.output("C", {6, 128, 32}, f32);
    k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
        const auto a = c.alloc(Role::shared, {128, 32}, f16, conflict_free, "a");
        const auto b = c.alloc(Role::shared, {32, 32}, f16, conflict_free, "b");
        const auto acc = c.alloc(Role::accumulator, {128, 32}, f32, accumulator, "acc");
        c.loop(0, 6, 1, [&](const Affine& j) { // j rounds, of none to 5
            c.fill(acc, 1);
            c.loop(Affine(0), j, 1, Stages{.count = 2, .bulk = true}, [&](const Affine& i) {
                const Interval s(i * 32, 32);
                c.copy(a, A(all, s)).copy(b, B(s, all)).sync();
                c.gemm(acc, a, b, {}, {.async = true}).wait_products().sync();
            });
            c.copy(C(j, all, all), acc);
        });
    });
    check_goes_on(check_same(k.program().value(), targets::sm100), 1);
}

TEST_CASE("pipelined: what mbarriers alone do not order is waited for at once", "[pipelined][commits]")
{
    SECTION("copies of lanes fill the slots")
    {
        const auto made = check_same(committed({104, 3, 1, {}, 4, {}, false, false}), targets::sm100);
        check_at_once(made);
        for (const auto& slots : made.loops[0].slots) CHECK(slots.count == 3);
    }
    struct Tensors {
        TensorRef a, b, held, acc, C;
    };
    const auto with = [](const std::function<void(Scope, const Affine&, const Tensors&)>& body) {
        Kernel k("at_once", machines::sm100);
        const auto A = k.input("A", {128, 128}, f16), B = k.input("B", {128, 32}, f16), C = k.output("C", {4, 128, 32}, f32);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto a = c.alloc(Role::shared, {128, 32}, f16, conflict_free, "a");
            const auto b = c.alloc(Role::shared, {32, 32}, f16, conflict_free, "b");
            const auto held = c.alloc(Role::shared, {128, 32}, f16, conflict_free, "held");
            const auto acc = c.alloc(Role::accumulator, {128, 32}, f32, accumulator, "acc");
            c.fill(acc, 0).fill(C, 0).copy(b, B(Interval(0, 32), all)).copy(held, A(all, Interval(0, 32))).sync();
            c.loop(0, 4, 1, Stages{.count = 2, .bulk = true}, [&](const Affine& i) {
                c.copy(a, A(all, Interval(i * 32, 32))).sync();
                body(c, i, {a, b, held, acc, C});
            });
            c.copy(C(3, all, all), acc);
        });
        return check_same(k.program().value(), targets::sm100);
    };
    const Options goes_on{.async = true};
    SECTION("its round needs the sums")
    {
        check_at_once(with([&](Scope c, const Affine& i, const Tensors& t) {
            c.gemm(t.acc, t.a, t.b, {}, goes_on).wait_products().copy(t.C(i, all, all), t.acc).sync();
        }));
    }
    SECTION("the sums begin anew in each round")
    {
        check_at_once(with([&](Scope c, const Affine&, const Tensors& t) {
            c.fill(t.acc, 1).gemm(t.acc, t.a, t.b, {}, goes_on).wait_products().sync();
        }));
    }
    SECTION("lanes change what a bulk copy has brought")
    {
        check_at_once(with([&](Scope c, const Affine&, const Tensors& t) {
            c.binary(Function::add, t.a, t.a, t.a).sync().gemm(t.acc, t.a, t.b, {}, goes_on).wait_products().sync();
        }));
    }
    SECTION("nothing of it is brought in the loop")
    {
        check_at_once(with(
            [&](Scope c, const Affine&, const Tensors& t) { c.gemm(t.acc, t.held, t.b, {}, goes_on).wait_products().sync(); }));
    }
    SECTION("one operand of it is, and that suffices")
    {
        const auto made =
            with([&](Scope c, const Affine&, const Tensors& t) { c.gemm(t.acc, t.a, t.b, {}, goes_on).wait_products().sync(); });
        check_goes_on(made, 1);
    }
}

TEST_CASE("pipelined: with one slot less than products that commit need, runs find it", "[pipelined][commits]")
{
    // The first warp waits for the slot that its own product, not started yet, is to give back.
    const Program p = committed({136, 2});
    const auto made = pipelined(p, targets::sm100, {{{"a", 1}, {"b", 1}}});
    REQUIRE(made.has_value());
    CHECK(run_in(made->program, targets::sm100, numbers(p), sim::RunOrder::issue).fault.kind == sim::FaultKind::deadlock);
    // With one less, it waits for the product that it has just started.
    check_same(p, targets::sm100, {{{"a", 2}, {"b", 2}}});
    check_same(p, targets::sm100, {{{"a", 4}, {"b", 5}}});
}

TEST_CASE("pipelined: without any one of the waits, fences and commits around products that commit, runs find it",
          "[pipelined][commits]")
{
    const Program p = committed({200, 2, 1, {}, 4, {}, true});
    const Pipelined made = check_same(p, targets::sm100);
    const auto [unfound, removed] = unfound_removals(made.program, targets::sm100, numbers(p));
    CHECK(removed > 30);
    // No ordinary access comes before these copies; stores and loads of the sums have the same fences; and that an arrival is on its way to an
    // mbarrier which is not used any more is not simulated.
    CHECK(unfound ==
          "proxy fence\ntensor fence before\n"
          "tensor fence after\nmbarrier 3 wait ((1 + 1) mod 2)\nmbarrier 4 wait ((0 + 1) mod 2)\nmbarrier 5 wait ((0 + 1) mod 2)\n"
          "mbarrier 9 wait ((1 + 1) mod 2)\nmbarrier 10 wait ((0 + 1) mod 2)\nmbarrier 11 wait ((0 + 1) mod 2)\n");
}

TEST_CASE("gemm: a product on an mbarrier is declined where none arrives there", "[pipelined][commits]")
{
    for (const Machine& machine : {machines::sm80, machines::sm90, machines::sm100}) {
        Kernel k("on_mbarrier", machine);
        k.cta(tiles(1, 1), [&](Scope c, const Tile&) {
            const auto a = c.alloc(Role::shared, {64, 32}, f16, conflict_free, "a");
            const auto b = c.alloc(Role::shared, {32, 64}, f16, conflict_free, "b");
            const auto acc = c.alloc(Role::registers, {64, 64}, f32, accumulator, "acc");
            c.fill(a, 1).fill(b, 1).fill(acc, 0).sync().gemm(acc, a, b, {}, {.schedule = "fma", .completes_on = 0});
        });
        const auto lowered = lower(k.program().value());
        REQUIRE(!lowered.has_value());
        INFO(lowered.error().text);
        CHECK(lowered.error().text.find("fma does not complete on an mbarrier") != std::string::npos);
    }
}

TEST_CASE("pipelined: a product of a pair of blocks keeps its wait", "[pipelined][commits]")
{
    Kernel k("pair", machines::sm100);
    k.cta(tiles(2, 1), {{2}}, [&](Scope c, const Tile&) {
        const auto a = c.alloc(Role::shared, {128, 32}, f16, conflict_free, "a"),
                   b = c.alloc(Role::shared, {32, 32}, f16, conflict_free, "b");
        const auto sums = c.alloc("tmem", {128, 64}, f32, accumulator, "sums");
        c.loop(0, 3, 1, Stages{.count = 2}, [&](const Affine&) {
            c.fill(a, 1).fill(b, 1).sync();
            c.gemm(sums, a, b, {.accumulate = false}, {.async = true, .pair = true}).wait_products();
        });
    });
    const auto made = pipelined(k.program().value(), targets::sm100);
    INFO((made ? std::string() : made.error().text));
    REQUIRE(made.has_value());
    check_at_once(*made);
    CHECK(count<Operation>(made->program, [](const Operation& o) { return o.op == Op::gemm && o.options.async; }) == 1);
    CHECK(count<Wait>(made->program, [](const Wait& w) { return w.of == Wait::Of::products && w.pending == 0; }) == 1);
}
