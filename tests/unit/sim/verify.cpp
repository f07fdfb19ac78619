// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/sim/reference/comparison.hpp>
#include <axe/sim/verify.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>
#include <tests/unit/sim/arrays.hpp>

using namespace axe;
using enum DType;

namespace {

/// C = A·B, f16 to f32, in tiles with guards.
Program product(std::int64_t M, std::int64_t N, std::int64_t K)
{
    Kernel k("product", machines::sm80);
    const auto A = k.input("A", {M, K}, f16), B = k.input("B", {K, N}, f16), C = k.output("C", {M, N}, f32);
    k.cta(tiles(C, {16, 16}), [&](Scope cta, const Tile& t) {
        const auto a = cta.alloc(Role::shared, {16, 8}, f16), b = cta.alloc(Role::shared, {8, 16}, f16);
        const auto acc = cta.alloc(Role::accumulator, {16, 16}, f32);
        cta.fill(acc, 0);
        cta.loop(tiles(K, 8), [&](const Interval& s) {
            cta.copy(a, A(t.rows, s)).copy(b, B(s, t.cols)).sync();
            cta.gemm(acc, a, b).sync();
        });
        cta.copy(C(t), acc);
    });
    return k.program().value();
}
/// The same by f32 sums; of element (`row`, `col`) the product number `missing` is left out.
Array by_hand(const Bindings& in, std::int64_t row = -1, std::int64_t col = -1, std::int64_t missing = -1)
{
    const Array &a = *in.find("A"), &b = *in.find("B");
    Array c = Array::make({a.shape()[0], b.shape()[1]}, f32).value();
    for (std::int64_t i = 0; i < c.shape()[0]; ++i)
        for (std::int64_t j = 0; j < c.shape()[1]; ++j) {
            float sum = 0;
            for (std::int64_t k = 0; k < a.shape()[1]; ++k)
                if (i != row || j != col || k != missing) sum += static_cast<float>(a.at({i, k}) * b.at({k, j}));
            c.set({i, j}, static_cast<double>(sum));
        }
    return c;
}
Bindings given(const char* name, Array array)
{
    Bindings b;
    b.set(name, std::move(array));
    return b;
}
Bindings operands(std::int64_t M, std::int64_t N, std::int64_t K)
{
    laws::Random random(8);
    Bindings in;
    in.set("A", arrays::random({M, K}, f16, random)).set("B", arrays::random({K, N}, f16, random));
    return in;
}

} // namespace

TEST_CASE("a right result is verified, in f32 sums of another order")
{
    const Program p = product(37, 21, 50);
    const Bindings in = operands(37, 21, 50);
    const auto v = verify(p, in, given("C", by_hand(in)));
    REQUIRE(v);
    CHECK(v->ok());
    REQUIRE(v->tensors.size() == 1);
    const TensorCheck& c = v->tensors[0];
    CHECK(c.elements == 37 * 21);
    CHECK(c.wrong == 0);
    CHECK(c.worst.right);
    CHECK(c.worst.share < 1);
    CHECK(c.worst.share > 0.005);
    CHECK(c.worst.error == std::fabs(c.worst.got - c.worst.want));
}

TEST_CASE("one product that is missing is found, with its element")
{
    const Program p = product(37, 21, 50);
    const Bindings in = operands(37, 21, 50);
    const Reference want = reference(p, in).value();
    laws::Random random(9);
    for (int n = 0; n < 40; ++n) {
        const std::int64_t i = random.in(0, 36), j = random.in(0, 20), k = random.in(0, 49);
        const auto v = verify(want, given("C", by_hand(in, i, j, k)));
        REQUIRE(v);
        CAPTURE(i, j, k, v->text());
        CHECK_FALSE(v->ok());
        CHECK(v->tensors[0].wrong == 1);
        CHECK(v->tensors[0].worst.coord == Coord{i, j});
        CHECK(v->tensors[0].worst.share > 1);
    }
}

TEST_CASE("one element off by a thousand units of its last place is found")
{
    const Program p = product(16, 16, 64);
    const Bindings in = operands(16, 16, 64);
    const Reference want = reference(p, in).value();
    for (std::int64_t i = 0; i < 16; ++i) {
        Array c = by_hand(in);
        const double x = c.at({i, 3});
        if (std::fabs(x) < 1) continue; // sums that cancel have larger errors by themselves
        c.set({i, 3}, x + 1000 * std::ldexp(1.0, std::ilogb(x) - 23));
        const auto v = verify(want, given("C", std::move(c)));
        CHECK(v->tensors[0].wrong == 1);
        CHECK(v->tensors[0].worst.coord == Coord{i, 3});
    }
}

TEST_CASE("copies are compared to the bit, NaN and infinities too")
{
    Kernel k("copy", machines::cpu);
    const auto A = k.input("A", {4}, f32), C = k.output("C", {4}, f32);
    k.copy(C, A);
    const double nan = std::nan("");
    const auto check = [&](std::vector<double> got) {
        const auto v = verify(k.program().value(), given("A", arrays::of({4}, f32, {1, nan, ref::inf, -2})),
                              given("C", arrays::of({4}, f32, got)));
        return v.value().tensors[0];
    };
    CHECK(check({1, nan, ref::inf, -2}).ok());
    CHECK(check({1, nan, ref::inf, -2}).worst.error == 0);
    CHECK(check({1 + 0x1p-23, nan, ref::inf, -2}).worst.share == ref::inf);
    CHECK(check({1 + 0x1p-23, nan, ref::inf, -2}).worst.error == 0x1p-23);
    CHECK(check({1, 0, ref::inf, -2}).worst.coord == Coord{1});
    CHECK(check({1, nan, 3e38, -2}).worst.error == ref::inf);
    CHECK(check({1, nan, -ref::inf, -2}).wrong == 1);
    CHECK(check({nan, nan, nan, nan}).wrong == 3);
}

TEST_CASE("a result of f16 is compared after its own rounding")
{
    Kernel k("scale", machines::cpu);
    const auto A = k.input("A", {2}, f32), C = k.output("C", {2}, f16), S = k.output("S", {}, f16);
    k.binary(Function::mul, C, A, A);
    k.sum(S, A, 0);
    const auto check = [&](double a, double b, double sum) {
        Bindings out;
        out.set("C", arrays::of({2}, f16, {a, b})).set("S", arrays::of({}, f16, {sum}));
        return verify(k.program().value(), given("A", arrays::of({2}, f32, {1.1, 300})), out).value();
    };
    CHECK(check(1.2099609375, ref::inf, 301).ok());
    CHECK(check(1.2099609375, ref::inf, 301.25).ok()); // sums may grow in f16
    CHECK_FALSE(check(1.2099609375, ref::inf, 302).ok());
    CHECK_FALSE(check(1.2109375, ref::inf, 301).ok());
    CHECK_FALSE(check(1.2099609375, 65504, 301).ok());
}

TEST_CASE("the text names the tensor, the count and the worst element")
{
    Kernel k("copy", machines::cpu);
    const auto A = k.input("A", {2, 2}, f32), C = k.output("C", {2, 2}, f32), S = k.output("S", {}, f32);
    k.copy(C, A);
    k.reduce(Function::add, S, A, {0, 1});
    Bindings out;
    out.set("C", arrays::of({2, 2}, f32, {1, 2, 3.5, 4})).set("S", arrays::of({}, f32, {10.5}));
    const auto v = verify(k.program().value(), given("A", arrays::of({2, 2}, f32, {1, 2, 3, 4.5})), out);
    CHECK(v->text() == "C (2, 2) f32: inconsistent, 2 of 4 elements wrong; worst C(1, 0): 3.5, should be 3 within 0, error 0.5\n"
                       "S () f32: consistent, 0 of 1 element wrong; worst S(): 10.5, should be 10.5 within 1.91e-06, error 0\n");
}

TEST_CASE("outputs that cannot be compared are refused")
{
    const Program p = product(4, 4, 4);
    const Bindings in = operands(4, 4, 4);
    CHECK(verify(p, in, Bindings()).error().text == "outputs of product: C, an output of the program, (4, 4) of f32, is not given");
    CHECK(verify(p, Bindings(), given("C", by_hand(in))).error().text ==
          "inputs of product: A, an input of the program, (4, 4) of f16, is not given");
    const Reference want = reference(p, in).value();
    CHECK(verify(want, Bindings()).error().text == "output C is not among the arrays to verify");
    CHECK(verify(want, given("C", Array::make({4, 3}, f32).value())).error().text ==
          "C is (4, 4) f32 in the program; the array to verify is (4, 3) f32");
}
