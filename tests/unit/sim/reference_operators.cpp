// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/sim/reference/reference.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>
#include <tests/unit/sim/references.hpp>
#include <tests/without_lines.hpp>

using namespace axe;
using enum DType;
using arrays::counting;
using namespace references;

namespace {

bool exact(const Result<Reference, axe::Problem>& r, const char* tensor = "C")
{
    const ReferenceTensor& t = *r->find(tensor);
    for (std::int64_t i = 0; i < t.size(); ++i)
        if (!t.at(i).is_point()) return false;
    return true;
}
} // namespace

TEST_CASE("fill and copy: views that pick, step, permute, repeat and convert")
{
    Kernel k("views", machines::cpu);
    const auto A = k.input("A", {2, 3}, f32);
    const auto C = k.output("C", {3, 4}, f16);
    k.fill(C, 9);
    k.copy(C(all, 0), A(1, all));                                      // a row becomes a column
    k.copy(C(Interval(0, 2), Interval(1, 2)), A(all, Interval(1, 2))); // a box
    k.copy(C(2, Interval(1, 3)), A(0, Interval(0, 1)).repeated(1, 3)(0, all));
    k.copy(C(Interval(0, 2), 3), A(all, 2));
    const auto r = run(k, given("A", counting({2, 3}, f32)));
    CHECK(values(r) == Numbers{3, 1, 2, 2, 4, 4, 5, 5, 5, 0, 0, 0});
    CHECK(exact(r));
}

TEST_CASE("copy rounds to the type it writes, and permutes")
{
    Kernel k("cast", machines::cpu);
    const auto A = k.input("A", {2, 2}, f32);
    const auto C = k.output("C", {2, 2}, f16), I = k.output("I", {2, 2}, i8);
    k.copy(C, A.permuted({1, 0}));
    k.copy_async(I, A);
    const auto r = run(k, given("A", arrays::of({2, 2}, f32, {0.1, 1e6, -2.5, 7})));
    CHECK(values(r) == Numbers{0.0999755859375, -2.5, ref::inf, 7});
    CHECK(values(r, "I") == Numbers{0, 127, -2, 7});
    CHECK(exact(r));
}

TEST_CASE("map: one rounding of what f32 gives")
{
    Kernel k("map", machines::cpu);
    const auto A = k.input("A", {3}, f32), B = k.input("B", {3}, f32);
    const auto C = k.output("C", {3}, f32), D = k.output("D", {3}, f16), E = k.output("E", {3}, b1), F = k.output("F", {3}, f32);
    k.binary(Function::add, C, A, B);
    k.fma(D, A, B, A);
    k.binary(Function::less, E, A, B);
    k.select(F, E, A, B);
    Bindings in;
    in.set("A", arrays::of({3}, f32, {1, 0x1p24, -3})).set("B", arrays::of({3}, f32, {0x1p-30, 1, 0.5}));
    const auto r = run(k, std::move(in));
    CHECK(values(r) == Numbers{1, 0x1p24, -2.5});
    CHECK(exact(r)); // rounded correctly, so known to the bit
    CHECK(values(r, "D") == Numbers{1, ref::inf, -4.5});
    CHECK(values(r, "E") == Numbers{0, 0, 1});
    CHECK(values(r, "F") == Numbers{0x1p-30, 1, -3});
}

TEST_CASE("map: integers saturate where they are written, mixed operands go through f32")
{
    Kernel k("integers", machines::cpu);
    const auto A = k.input("A", {2}, i32), B = k.input("B", {2}, i32), X = k.input("X", {2}, f32);
    const auto C = k.output("C", {2}, i32), D = k.output("D", {2}, f64), Q = k.output("Q", {2}, i8);
    k.binary(Function::mul, C, A, B);
    k.binary(Function::add, D, A, X);
    k.binary(Function::div, Q, A, B);
    Bindings in;
    in.set("A", arrays::of({2}, i32, {16777217, -7}))
        .set("B", arrays::of({2}, i32, {1000, 2}))
        .set("X", arrays::of({2}, f32, {0, 0.5}));
    const auto r = run(k, std::move(in));
    CHECK(values(r) == Numbers{2147483647, -14});
    CHECK(exact(r));
    CHECK(values(r, "Q") == Numbers{127, -3});
    const ReferenceTensor& d = *r->find("D");
    CHECK(d.at(0).allows(16777216)); // the integer may be rounded first
    CHECK(d.at(0).allows(16777217));
    CHECK_FALSE(d.at(0).allows(16777218));
    CHECK(d.at(1).is_point());
}

TEST_CASE("reduce: over any dimensions, by any of the operations, with what was there")
{
    Kernel k("reduce", machines::cpu);
    const auto A = k.input("A", {2, 3, 2}, f32);
    const auto C = k.output("C", {3}, f32), M = k.output("M", {2, 2}, f32), P = k.output("P", {2, 3}, f32),
               S = k.inout("S", {3}, f32);
    k.reduce(Function::add, C, A, {0, 2});
    k.reduce(Function::max, M, A, {1});
    k.reduce(Function::mul, P, A, {2});
    k.reduce(Function::min, S, A, {2, 0}, true);
    Bindings in;
    in.set("A", counting({2, 3, 2}, f32)).set("S", arrays::of({3}, f32, {-1, 100, 4}));
    const auto r = run(k, std::move(in));
    CHECK(values(r) == Numbers{0 + 1 + 6 + 7, 2 + 3 + 8 + 9, 4 + 5 + 10 + 11});
    CHECK(exact(r)); // small integers: every order gives the same
    CHECK(values(r, "M") == Numbers{4, 5, 10, 11});
    CHECK(values(r, "P") == Numbers{0, 6, 20, 42, 72, 110});
    CHECK(values(r, "S") == Numbers{-1, 2, 4});
}

TEST_CASE("reduce: integers and truth values")
{
    Kernel k("reduce", machines::cpu);
    const auto A = k.input("A", {4}, i8), B = k.input("B", {4}, b1);
    const auto C = k.output("C", {}, i32), S = k.output("S", {}, i8), O = k.output("O", {}, b1), N = k.output("N", {}, b1);
    k.reduce(Function::add, C, A, {0});
    k.reduce(Function::add, S, A, {0});
    k.reduce(Function::bit_or, O, B, {0});
    k.reduce(Function::bit_and, N, B, {0});
    Bindings in;
    in.set("A", arrays::of({4}, i8, {100, 100, -100, 1})).set("B", arrays::of({4}, b1, {0, 1, 0, 1}));
    const auto r = run(k, std::move(in));
    CHECK(values(r) == Numbers{101});
    CHECK(exact(r));
    CHECK_FALSE(exact(r, "S")); // 100 + 100 saturates first in some orders
    CHECK(values(r, "O") == Numbers{1});
    CHECK(values(r, "N") == Numbers{0});
}

TEST_CASE("gemm: transposed operands, accumulating and not")
{
    const auto product = [](bool ta, bool tb, bool accumulate) {
        Kernel k("gemm", machines::cpu);
        const auto A = k.input("A", ta ? Shape{3, 2} : Shape{2, 3}, f16), B = k.input("B", tb ? Shape{2, 3} : Shape{3, 2}, f16);
        const auto C = k.inout("C", {2, 2}, f32);
        k.gemm(C, A, B, Scope::Gemm{accumulate, ta, tb});
        Bindings in;
        in.set("A", arrays::of(ta ? Shape{3, 2} : Shape{2, 3}, f16, ta ? Numbers{1, 4, 2, 5, 3, 6} : Numbers{1, 2, 3, 4, 5, 6}));
        in.set("B",
               arrays::of(tb ? Shape{2, 3} : Shape{3, 2}, f16, tb ? Numbers{1, 0, 2, -1, 1, 0.5} : Numbers{1, -1, 0, 1, 2, 0.5}));
        in.set("C", arrays::of({2, 2}, f32, {100, 200, 300, 400}));
        return values(run(k, std::move(in)));
    };
    for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
            CHECK(product(ta, tb, false) == Numbers{7, 2.5, 16, 4});
            CHECK(product(ta, tb, true) == Numbers{107, 202.5, 316, 404});
        }
}

TEST_CASE("gemm: infinities and NaN go where they go, and overflow is known")
{
    Kernel k("gemm", machines::cpu);
    const auto A = k.input("A", {3, 2}, f16), B = k.input("B", {2, 2}, f16), C = k.output("C", {3, 2}, f16);
    k.gemm(C, A, B, Scope::Gemm{false, false, false});
    Bindings in;
    in.set("A", arrays::of({3, 2}, f16, {ref::inf, 1, 1, 2, 300, 200})).set("B", arrays::of({2, 2}, f16, {1, 0, 2, 300}));
    const auto r = run(k, std::move(in));
    const ReferenceTensor& c = *r->find("C");
    CHECK(c.at({0, 0}).value == ref::inf);
    CHECK(c.at({0, 0}).is_point());
    CHECK(c.at({0, 1}).never_number()); // ∞·0
    CHECK(c.at({1, 0}).value == 5);
    CHECK(c.at({2, 0}).value == 700);
    CHECK(c.at({1, 1}).value == 600);
    CHECK(c.at({2, 1}).value == 60000);
    Kernel large("gemm", machines::cpu);
    const auto X = large.input("X", {1, 2}, f16), Y = large.input("Y", {2, 1}, f16), Z = large.output("C", {1, 1}, f16);
    large.gemm(Z, X, Y, Scope::Gemm{false, false, false});
    Bindings other;
    other.set("X", arrays::of({1, 2}, f16, {300, 1})).set("Y", arrays::of({2, 1}, f16, {300, -30000}));
    const auto overflow = run(large, std::move(other));
    CHECK(overflow->find("C")->at(0).allows(ref::inf));
    CHECK(overflow->find("C")->at(0).allows(60000));
}

TEST_CASE("gather and scatter go by an index: what is outside of a guarded view is 0 or dropped")
{
    Kernel k("rows", machines::cpu);
    const auto A = k.input("A", {4, 2}, f32), I = k.input("I", {3}, i32);
    const auto C = k.output("C", {3, 2}, f32), D = k.inout("D", {4, 2}, f32);
    k.gather(C, A, I);
    k.scatter(D.guarded(), I, A(Interval(0, 3), all));
    const auto rows = [&](const Numbers& index) {
        Bindings in;
        in.set("A", counting({4, 2}, f32)).set("I", arrays::of({3}, i32, index)).set("D", arrays::of({4, 2}, f32, Numbers(8, -1)));
        return run(k, std::move(in));
    };
    const auto r = rows({3, 0, 2});
    CHECK(values(r) == Numbers{6, 7, 0, 1, 4, 5});
    CHECK(values(r, "D") == Numbers{2, 3, -1, -1, 4, 5, 0, 1});
    CHECK(without_lines(rows({3, 4, 2}).error().text) ==
          "rows, statement 0, gather: index 1, from I, is 4; the view of A has 4 rows and is not guarded");
    CHECK(rows({3, -1, 2}).error().code == errc::out_of_domain);
    CHECK(without_lines(rows({3, 0, 3}).error().text) ==
          "rows, statement 1, scatter: row 3 of D is written by the indices 0 and 2 with different "
          "values; their order is not defined");

    Kernel g("rows", machines::cpu);
    const auto GA = g.input("A", {4, 2}, f32), GI = g.input("I", {3}, i32), GC = g.output("C", {3, 2}, f32),
               GD = g.inout("D", {4, 2}, f32);
    g.gather(GC, GA.guarded(), GI);
    g.scatter(GD.guarded(), GI, GA(Interval(0, 3), all));
    Bindings in;
    in.set("A", counting({4, 2}, f32)).set("I", arrays::of({3}, i32, {3, -1, 9})).set("D", arrays::of({4, 2}, f32, Numbers(8, -1)));
    const auto guarded = run(g, std::move(in));
    CHECK(values(guarded) == Numbers{6, 7, 0, 0, 0, 0});
    CHECK(values(guarded, "D") == Numbers{-1, -1, -1, -1, -1, -1, 0, 1});
}

TEST_CASE("atomics: what all of them do, in any order")
{
    Kernel k("atomics", machines::sm80);
    const auto A = k.input("A", {8, 2}, f32), I = k.input("I", {8}, i32), N = k.inout("N", {1}, i32);
    const auto C = k.inout("C", {2}, f32), X = k.inout("X", {1}, i32), M = k.inout("M", {1}, i32);
    k.cta(tiles(8, 1), [&](Scope cta, const Tile& t) {
        cta.atomic(Function::add, C, A(t.rows.begin, all));
        cta.atomic(Function::add, N, I(t.rows));
        cta.atomic(Function::identity, X, I(t.rows));
        cta.atomic(Function::max, M, I(t.rows));
    });
    Bindings in;
    in.set("A", arrays::of({8, 2}, f32, {0.1, 1, 0.1, 2, 0.1, 3, 0.1, 4, 0.1, 5, 0.1, 6, 0.1, 7, 0.1, 8}));
    in.set("I", arrays::of({8}, i32, {5, 1, 9, 2, 8, 3, 7, 4}))
        .set("N", arrays::of({1}, i32, {100}))
        .set("C", arrays::of({2}, f32, {0, 0}));
    in.set("X", arrays::of({1}, i32, {77})).set("M", arrays::of({1}, i32, {6}));
    const auto r = run(k, std::move(in));
    const ReferenceTensor& c = *r->find("C");
    CHECK(c.at(0).value == static_cast<double>(static_cast<float>(8 * static_cast<double>(0.1f))));
    CHECK(c.at(0).high > c.at(0).value); // no order is said
    CHECK(c.at(0).high < c.at(0).value + 16 * 0x1p-24);
    CHECK(c.at(1).value == 36);
    CHECK(values(r, "N") == Numbers{139});
    CHECK(exact(r, "N"));
    CHECK(r->find("X")->at(0).low == 1); // the last one's, whichever that is
    CHECK(r->find("X")->at(0).high == 9);
    CHECK(values(r, "M") == Numbers{9});
}

TEST_CASE("guarded views read 0 outside and write nothing there: others are refused")
{
    Kernel k("edges", machines::cpu);
    const auto A = k.input("A", {5, 3}, f32), C = k.output("C", {5, 3}, f32);
    const auto T = k.alloc(Role::shared, {4, 4}, f32, {}, "T");
    k.copy(T, A(Interval(3, 4), Interval(1, 4)));
    k.fill(C, 7);
    k.copy(C(Interval(2, 4), Interval(0, 4)), T);
    const auto r = run(k, given("A", counting({5, 3}, f32)));
    CHECK(values(r) == Numbers{7, 7, 7, 7, 7, 7, 10, 11, 0, 13, 14, 0, 0, 0, 0});

    Kernel bad("edges", machines::cpu);
    const auto B = bad.input("A", {5, 3}, f32), D = bad.output("C", {4, 4}, f32);
    bad.copy(D, B(Interval(3, 4), Interval(1, 4)).guarded(false));
    CHECK(without_lines(run(bad, given("A", counting({5, 3}, f32))).error().text) ==
          "edges, statement 0, copy: A(3, 3) is outside A, whose shape is (5, 3); the view is not guarded");
    Kernel low("edges", machines::cpu);
    const auto E = low.input("A", {5, 3}, f32), F = low.output("C", {4, 3}, f32);
    low.copy(F, E(Interval(-2, 4), all).guarded(false));
    CHECK(without_lines(run(low, given("A", counting({5, 3}, f32))).error().text) ==
          "edges, statement 0, copy: A(-2, 0) is outside A, whose shape is (5, 3); the view is not guarded");
}

TEST_CASE("bounds go through one operator after the other")
{
    Kernel k("softmax", machines::cpu);
    const auto A = k.input("A", {3, 50}, f32), C = k.output("C", {3, 50}, f32);
    const auto M = k.alloc(Role::shared, {3}, f32, {}, "M"), E = k.alloc(Role::shared, {3, 50}, f32, {}, "E");
    k.reduce(Function::max, M, A, {1});
    k.binary(Function::sub, E, A, M.repeated(1, 50));
    k.unary(Function::exp, E, E);
    k.sum(M, E, 1);
    k.binary(Function::div, C, E, M.repeated(1, 50));
    laws::Random random(5);
    Array a = arrays::random({3, 50}, f32, random);
    for (std::int64_t i = 0; i < 50; ++i) a.set(100 + i, i == 7 ? 3 : -ref::inf); // a row masked but for one
    Bindings in;
    in.set("A", a.view());
    const auto r = run(k, std::move(in));
    const ReferenceTensor& c = *r->find("C");
    for (std::int64_t row = 0; row < 2; ++row) {
        float most = -2, sum = 0, total = 0;
        for (std::int64_t i = 0; i < 50; ++i) most = std::max(most, static_cast<float>(a.at({row, i})));
        for (std::int64_t i = 50; i-- > 0;) sum += std::exp(static_cast<float>(a.at({row, i})) - most);
        for (std::int64_t i = 0; i < 50; ++i) {
            const float got = std::exp(static_cast<float>(a.at({row, i})) - most) / sum;
            total += got;
            const Bounded b = c.at({row, i});
            CAPTURE(row, i, got, b.value, b.low, b.high);
            CHECK(b.allows(static_cast<double>(got)));
            CHECK(b.high - b.low < 1e-5 * b.value);
        }
        CHECK(std::fabs(total - 1) < 1e-6f);
    }
    CHECK(std::fabs(c.at({2, 7}).value - 1) < 1e-6);
    CHECK(c.at({2, 7}).low > 0.99999);
    CHECK(c.at({2, 8}).value == 0);
    CHECK(c.at({2, 8}).is_point());
}
