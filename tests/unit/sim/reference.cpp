// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/sim/reference/reference.hpp>
#include <axe/target/machines.hpp>
#include <axe/target/targets.hpp>
#include <catch.hpp>
#include <tests/unit/sim/references.hpp>
#include <tests/without_lines.hpp>

using namespace axe;
using enum DType;
using arrays::counting;
using namespace references;

namespace {

/// A machine of four devices.
Machine four()
{
    Machine m = machines::sm80;
    m.scopes[0].count = 4;
    return m;
}

} // namespace

TEST_CASE("a program without outputs has a reference without tensors")
{
    const auto r = run(Kernel("nothing", machines::cpu));
    REQUIRE(r);
    CHECK(r->tensors.empty());
    CHECK(r->find("C") == nullptr);
}

TEST_CASE("loops run from begin to below end, by steps, also not at all")
{
    Kernel k("loops", machines::cpu);
    const auto C = k.output("C", {10}, f32);
    k.fill(C, 0);
    k.loop(1, 9, 3, [&](const Affine& i) { k.fill(C(i), 1); });
    k.loop(5, 5, 1, [&](const Affine& i) { k.fill(C(i), 2); });
    k.loop(0, 2, 1, [&](const Affine& i) { k.loop(i, 2, 1, [&](const Affine& j) { k.fill(C(i * 2 + j + 6), 3); }); });
    CHECK(values(run(k)) == Numbers{0, 1, 0, 0, 1, 0, 3, 3, 0, 3});
}

TEST_CASE("while, break, continue and if, on scalars and loaded elements")
{
    Kernel k("flow", machines::cpu);
    const auto A = k.input("A", {8}, i32), C = k.output("C", {3}, f32), L = k.output("L", {6}, f32);
    const auto i = k.scalar("i"), odd = k.scalar("odd"), seen = k.scalar("seen");
    k.loop_while(Expression(i) < Expression(8), [&] {
        k.assign(i, Expression(i) + 1);
        k.assign(seen, Expression(seen) + load(A(0)));
        k.when(equals(floor_mod(i, 2), 0), [&] { k.continue_loop(); });
        k.assign(odd, Expression(odd) + 1);
        k.when(equals(i, 5), [&] { k.break_loop(); });
    });
    k.fill(C, 0);
    k.when(equals(i, 5), [&] { k.fill(C(0), 1); }, [&] { k.fill(C(0), -1); });
    k.when(both(equals(odd, 3), equals(seen, 50)), [&] { k.fill(C(1), 1); });
    k.when(either(differs(odd, 3), negation(Expression(seen) <= 50)), [&] { k.fill(C(2), -1); }, [&] { k.fill(C(2), 1); });
    k.fill(L, 0);
    k.loop(0, 6, 1, [&](const Affine& j) {
        k.when(equals(Expression(j), 1), [&] { k.continue_loop(); });
        k.when(load(A(j)) < Expression(13), [&] { k.fill(L(j), 1); }, [&] { k.break_loop(); });
    });
    const auto r = run(k, given("A", arrays::of({8}, i32, {10, 11, 12, 13, 14, 15, 16, 17})));
    CHECK(values(r) == Numbers{1, 1, 1});
    CHECK(values(r, "L") == Numbers{1, 0, 1, 0, 0, 0});
}

TEST_CASE("a grid covers shapes that are not multiples of its tiles")
{
    Kernel k("gemm", machines::sm80);
    const std::int64_t M = 13, N = 9, K = 11;
    const auto A = k.input("A", {M, K}, f16), B = k.input("B", {K, N}, f16), C = k.output("C", {M, N}, f32);
    k.cta(tiles(C, {8, 4}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {8, 4}, f16), b = cta.alloc(Role::shared, {4, 4}, f16);
        const auto acc = cta.alloc(Role::accumulator, {8, 4}, f32);
        cta.fill(acc, 0);
        cta.loop(tiles(K, 4), [&](const Interval& s) {
            cta.copy_async(a, A(t.rows, s));
            cta.copy_async(b, B(s, t.cols));
            cta.commit().wait().sync();
            cta.gemm(acc, a, b);
            cta.sync();
        });
        cta.copy(C(t), acc);
    });
    laws::Random random(3);
    Bindings in;
    in.set("A", arrays::random({M, K}, f16, random)).set("B", arrays::random({K, N}, f16, random));
    const auto r = reference(k.program().value(), in);
    REQUIRE(r);
    for (std::int64_t i = 0; i < M; ++i)
        for (std::int64_t j = 0; j < N; ++j) {
            double sum = 0;
            for (std::int64_t x = 0; x < K; ++x) sum += in.find("A")->at({i, x}) * in.find("B")->at({x, j});
            const Bounded b = r->find("C")->at({i, j});
            CAPTURE(i, j, sum, b.value, b.low, b.high);
            CHECK(b.allows(sum));
            CHECK(b.high - b.low < 1e-5);
        }
}

TEST_CASE("blocks, agents and lanes have tensors of their own, and blocks scalars, which lanes assign in step")
{
    Kernel k("own", machines::sm80);
    const auto C = k.output("C", {2, 2, 4}, f32), S = k.output("S", {2}, f32);
    const auto n = k.scalar("n", 5);
    k.cta(tiles(2, 1), [&](Scope cta, const Tile& t) {
        const auto all_of = cta.alloc(Role::shared, {2, 4}, f32);
        cta.assign(n, Expression(n) + Expression(t.index[0]) * 10);
        cta.when(equals(n, 5), [&] { cta.fill(S(t.index[0]), 1); });
        cta.when(equals(n, 15), [&] { cta.fill(S(t.index[0]), 2); });
        cta.each_agent({2}, [&](Scope agent, const std::vector<Affine>& w) {
            agent.each_thread({4}, [&](Scope lane, const std::vector<Affine>& l) {
                const auto mine = lane.alloc(Role::registers, {1}, f32);
                lane.fill(mine, 1);
                lane.loop(0, l[0], 1, [&](const Affine&) { lane.binary(Function::add, mine, mine, mine); }); // 2^lane
                lane.when(equals(Expression(w[0]), 1), [&] { lane.unary(Function::neg, mine, mine); });
                lane.assign(n, 99);
                lane.copy(all_of(w[0], l[0]).repeated(0, 1)(0), mine(0));
            });
        });
        // A scalar is the agent's: after the lanes it has what they assigned.
        cta.when(equals(n, 99), [&] { cta.copy(C(t.index[0], all, all), all_of); });
    });
    const auto r = run(k);
    CHECK(values(r) == Numbers{1, 2, 4, 8, -1, -2, -4, -8, 1, 2, 4, 8, -1, -2, -4, -8});
    CHECK(values(r, "S") == Numbers{1, 2});
}

TEST_CASE("lanes do their statements in step: what one writes before a barrier the others read after it")
{
    Kernel k("neighbors", machines::sm80);
    const auto A = k.input("A", {32}, f32), C = k.output("C", {32}, f32);
    k.cta(tiles(32, 32), [&](Scope cta, const Tile&) {
        const auto s = cta.alloc(Role::shared, {32}, f32);
        cta.each_thread({32}, [&](Scope lane, const std::vector<Affine>& l) {
            const auto x = lane.alloc(Role::registers, {1}, f32);
            lane.copy(s(l[0]), A(l[0]));
            lane.sync();
            lane.copy(x(0), s(Affine(31) - l[0]));
            lane.copy(C(l[0]), x(0));
        });
    });
    const auto r = run(k, given("A", counting({32}, f32)));
    REQUIRE(r);
    for (std::int64_t i = 0; i < 32; ++i) CHECK(r->find("C")->at(i).value == static_cast<double>(31 - i));
}

TEST_CASE("lanes may leave a loop one by one")
{
    Kernel k("leaving", machines::sm80);
    const auto C = k.output("C", {4}, f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        cta.each_thread({4}, [&](Scope lane, const std::vector<Affine>& l) {
            const auto n = lane.scalar("n");
            const auto x = lane.alloc(Role::registers, {1}, f32), one = lane.alloc(Role::registers, {1}, f32);
            lane.fill(x, 0).fill(one, 1);
            lane.loop_while(1, [&] {
                lane.when(equals(n, Expression(l[0])), [&] { lane.break_loop(); });
                lane.assign(n, Expression(n) + 1);
                lane.binary(Function::add, x, x, one);
            });
            lane.copy(C(l[0]), x(0));
        });
    });
    CHECK(values(run(k)) == Numbers{0, 1, 2, 3});
}

TEST_CASE("a slice of agents does its operators once, whatever the barriers")
{
    Kernel k("slices", machines::sm90);
    const auto C = k.output("C", {2, 2}, i32), N = k.inout("N", {}, i32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto one = cta.alloc(Role::shared, {}, i32);
        cta.warps(0, 1, [&](Scope w) { w.mbarrier({Mbarrier::Action::init, 0, 2, {}}); });
        cta.fill(one, 1);
        cta.warps(0, 2, [&](Scope two) {
            two.atomic(Function::add, N, one);
            two.each_agent({2}, [&](Scope agent, const std::vector<Affine>& w) {
                agent.atomic(Function::add, N, one);
                agent.fill(C(w[0], all), 5);
            });
            two.mbarrier({Mbarrier::Action::arrive, 0, 0, {}});
        });
        cta.agents(2, 2, 1, [&](Scope others) { others.mbarrier({Mbarrier::Action::wait, 0, 0, Expression(0)}); });
    });
    const auto r = run(k, given("N", arrays::of({}, i32, {0})));
    CHECK(values(r) == Numbers{5, 5, 5, 5});
    CHECK(values(r, "N") == Numbers{3});
}

TEST_CASE("devices do operators together, and each for itself what names its number")
{
    Kernel k("devices", four());
    const auto A = k.input("A", {8}, f32), C = k.output("C", {8}, f32), N = k.inout("N", {}, f32), T = k.output("T", {}, f32);
    const auto one = k.alloc(Role::global, {}, f32, {}, "one");
    k.copy(C(Interval(k.device() * 2, 2)), A(Interval(Affine(6) - k.device() * 2, 2))); // tiles backwards
    k.fill(one, 1);
    k.atomic(Function::add, N, one); // once, not four times
    k.sum(T, A, 0);
    Bindings in;
    in.set("A", counting({8}, f32)).set("N", arrays::of({}, f32, {10}));
    const auto r = run(k, std::move(in));
    CHECK(values(r) == Numbers{6, 7, 4, 5, 2, 3, 0, 1});
    CHECK(values(r, "N") == Numbers{11});
    CHECK(values(r, "T") == Numbers{28});
}

TEST_CASE("grids and slices of devices")
{
    Kernel k("devices", four());
    const auto C = k.output("C", {4, 3}, i32), N = k.inout("N", {}, i32);
    const auto s = k.scalar("s");
    k.assign(s, Expression(k.device()) * 2);
    k.fill(C, -1);
    k.devices(1, 2, [&](Scope) {
        k.cta(tiles(3, 2), [&](Scope cta, const Tile& t) {
            const auto mine = cta.alloc(Role::shared, {2}, i32), one = cta.alloc(Role::shared, {}, i32);
            cta.fill(mine, 7).fill(one, 1);
            cta.copy(C(k.device(), t.rows), mine);
            cta.atomic(Function::add, N, one);
        });
    });
    k.when(equals(s, 6), [&] { k.fill(C(k.device(), all), 3); });
    const auto r = run(k, given("N", arrays::of({}, i32, {0})));
    CHECK(values(r) == Numbers{-1, -1, -1, 7, 7, 7, 7, 7, 7, 3, 3, 3});
    CHECK(values(r, "N") == Numbers{4}); // two blocks on each of two devices
}

TEST_CASE("mistakes of the program are told with statement, tensor and place")
{
    Kernel unwritten("k", machines::sm80);
    const auto A = unwritten.output("C", {4, 4}, f32);
    unwritten.cta(tiles(A, {2, 2}), [&](Scope cta, const Tile& t) {
        const auto x = cta.alloc(Role::shared, {2, 2}, f32, {}, "x");
        cta.fill(x(0, all), 1);
        cta.copy(A(t), x);
    });
    CHECK(without_lines(run(unwritten).error().text) ==
          "k, statement 3, copy: x(1, 0) is read and was never written (block0 = 0, block1 = 0)");
    CHECK(run(unwritten).error().code == errc::out_of_domain);

    Kernel again("k", machines::sm80); // what an earlier round wrote is not there any more
    const auto B = again.output("C", {2}, f32);
    again.loop(0, 2, 1, [&](const Affine& i) {
        const auto x = again.alloc(Role::global, {1}, f32, {}, "x");
        again.when(equals(Expression(i), 0), [&] { again.fill(x, 1); });
        again.copy(B(i), x(0));
    });
    CHECK(without_lines(run(again).error().text) == "k, statement 4, copy: x(0) is read and was never written");

    Kernel partly("k", machines::cpu);
    const auto C = partly.output("C", {2, 3}, f32);
    partly.fill(C(all, Interval(0, 2)), 1);
    CHECK(without_lines(run(partly).error().text) ==
          "k: C(0, 2), an element of an output, is never written; of 6 elements 2 are not");

    Kernel endless("k", machines::cpu);
    endless.loop_while(1, [] {});
    CHECK(without_lines(reference(endless.program().value(), {}, {100}).error().text) ==
          "k, statement 0: not decided: the loop did not end within 100 rounds");
    CHECK(reference(endless.program().value(), {}, {100}).error().code == errc::too_hard);

    Kernel doubtful("k", four());
    const auto X = doubtful.input("X", {3}, f32), Y = doubtful.output("Y", {}, f32);
    doubtful.sum(Y, X, 0);
    doubtful.when(load(Y) < Expression(0.3), [&] { doubtful.fill(Y, 0); });
    const auto said = run(doubtful, given("X", arrays::of({3}, f32, {0.1, 0.1, 0.1}))).error();
    CHECK(said.code == errc::too_hard);
    CHECK(without_lines(said.text).find(
              "k, statement 1: not decided: the condition depends on rounding: it is between 0 and 1; a correct run may "
              "take either branch") == 0);

    Kernel direct("k", machines::cpu);
    direct.call({"move"});
    CHECK(without_lines(run(direct).error().text) ==
          "k, statement 0: move is an instruction; the reference runs operators, so give it the program before lowering");

    Kernel shapes("k", machines::cpu);
    const auto P = shapes.input("P", {2}, f32), Q = shapes.output("Q", {3}, f32);
    shapes.copy(Q, P);
    const std::string wrong = "k, statement 0: D `Q` is 3, A `P` is 2; their extents must be equal";
    CHECK(without_lines(run(shapes, given("P", counting({2}, f32))).error().text) == wrong);
    CHECK(without_lines(run(shapes).error().text) == wrong); // a program that is wrong is so before its inputs are looked at
    CHECK(without_lines(lower(shapes.program().value()).error().text) == wrong);
}

TEST_CASE("programs that no builder made are not trusted")
{
    Kernel k("k", machines::cpu);
    const auto C = k.output("C", {2}, f32);
    k.fill(C, 1);
    const auto said = [&](auto change) {
        Program p = k.program().value();
        change(p, std::get<Operation>(p.body[0].what));
        return without_lines(reference(p, {}).error().text);
    };
    CHECK(said([](Program& p, Operation&) { p.tensors.push_back(p.tensors[0]), p.tensors[0].binding = Binding::local; }) ==
          "k, statement 0, fill: C is used outside the body that allocates it");
    CHECK(said([](Program&, Operation& o) { o.operands[0].tensor = 5; }) ==
          "k, statement 0: no tensor 5 exists; the program has 1");
    CHECK(said([](Program&, Operation& o) {
              o.operands[0].origin.clear();
          }).find("k, statement 0: `C` has 1 dimension; its view has 0 in the origin") == 0);
    CHECK(said([](Program&, Operation& o) { o.operands[0].dims[0] = 3; }) ==
          "k, statement 0: dimension 0 of the view of `C` is dimension 3 of the tensor, which has 1");
    CHECK(said([](Program& p, Operation&) { p.body[0].what = Assign{3, Expression(1)}; }) ==
          "k, statement 0: no scalar 3 exists; the program has 0");
    CHECK(said([](Program& p, Operation&) { p.body[0].what = For{Var{0}, 0, 1, 1, {}}; }) ==
          "k, statement 0: no variable 0 exists; the program has 0");
    CHECK(said([](Program& p, Operation&) {
              p.variables.push_back({"i", 0, 1});
              p.body[0].what = For{Var{0}, 0, 1, 0, {}};
          }) == "k, statement 0: the loop steps by 0; it must be at least 1");
}
