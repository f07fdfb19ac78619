// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <tests/unit/sim/formulas.hpp>

#include <limits>
#include <numeric>

using namespace axe;
using enum DType;
using formulas::Given;
using formulas::is_near;

namespace {

const double none = std::nan("");
const double infinity = std::numeric_limits<double>::infinity();

/// An array's element by its coordinate.
double at(const Given& g, const char* name, const Coord& c) { return g.in.find(name)->at(c); }

} // namespace

TEST_CASE("formulas: every function of elements, of odd shapes that broadcast")
{
    laws::Random random(1);
    int tried = 0;
    for (const FunctionRow& row : function_rows) {
        const Function f{row};
        if (f == Function::bit_cast) continue; // what is computed has no bits
        const bool bits = row.domain == Domain::bits;
        Given g;
        const DType type = bits ? i32 : f32;
        const auto numbers = [&](const Shape& shape) {
            Array out = Array::make(shape, type).value();
            for (std::int64_t i = 0; i < out.size(); ++i)
                out.set(i, bits ? static_cast<double>(random.in(-100, 100)) : static_cast<double>(random.in(1, 4000)) / 1000);
            return out;
        };
        const auto A = g.tensor("A", numbers({3, 1, 5})), B = g.tensor("B", numbers({7, 1})), C = g.tensor("C", numbers({}));
        std::vector<Formula> operands{A};
        if (row.arity > 1) operands.emplace_back(B);
        if (row.arity > 2) operands.emplace_back(C);
        const Shape shape = row.arity > 1 ? Shape{3, 7, 5} : Shape{3, 1, 5};
        const ReferenceTensor d = g.made(shape, bits ? i32 : f64, elementwise(f, operands));
        for (std::int64_t i = 0; i < d.size(); ++i) {
            const Coord c = coordinate(shape, i);
            const double a = at(g, "A", {c[0], 0, c[2]}), b = at(g, "B", {c[1], 0}), z = at(g, "C", {});
            const double want = row.apply(a, b, z);
            CAPTURE(row.name, a, b, z, want, d.at(i).value, d.at(i).low, d.at(i).high);
            CHECK(is_near(d.at(i), want, 4e-5));
            // As a run in f32 has it.
            if (!bits)
                CHECK(d.at(i).allows(
                    static_cast<double>(row.apply_f32(static_cast<float>(a), static_cast<float>(b), static_cast<float>(z)))));
        }
        ++tried;
    }
    CHECK(tried == static_cast<int>(std::size(function_rows)) - 1);
}

TEST_CASE("formulas: integers are exact, and saturate in their type")
{
    Given g;
    const auto A = g.of("A", {4}, i32, {7, -8, 2000000000, 5}), B = g.of("B", {4}, i32, {2, 3, 2000000000, 0});
    const auto values = [&](const Formula& f, DType type) {
        const ReferenceTensor d = g.made({4}, type, f);
        std::vector<double> out;
        for (std::int64_t i = 0; i < 4; ++i) {
            CHECK(d.at(i).is_point());
            out.push_back(d.at(i).value);
        }
        return out;
    };
    CHECK(values(A + B, i32) == std::vector<double>{9, -5, 2147483647, 5});
    CHECK(values(A * B - 1, i32) == std::vector<double>{13, -25, 2147483646, -1});
    CHECK(values(A / 2, i32) == std::vector<double>{3, -4, 1000000000, 2});
    CHECK(values(A < B, i32) == std::vector<double>{0, 1, 0, 0});
    CHECK(values(A + 1, i8) == std::vector<double>{8, -7, 127, 6});
    CHECK(values(select(B, A, -1), i32) == std::vector<double>{7, -8, 2000000000, -1});
    CHECK(values(elementwise(Function::bit_and, {A, 6}), i32) == std::vector<double>{6, 0, 2000000000 & 6, 4});
}

TEST_CASE("formulas: NaN and infinities come through")
{
    Given g;
    const auto A = g.of("A", {5}, f32, {none, infinity, -infinity, 0, 1});
    const auto check = [&](const Formula& f, const std::vector<double>& want) {
        const ReferenceTensor d = g.made({5}, f64, f);
        for (std::int64_t i = 0; i < 5; ++i) {
            CAPTURE(i, d.at(i).value, d.at(i).low, d.at(i).high);
            CHECK(is_near(d.at(i), want[static_cast<std::size_t>(i)], 4e-6));
        }
    };
    check(A + 1, {none, infinity, -infinity, 1, 2});
    check(A - A, {none, none, none, 0, 0});
    check(A * 0, {none, none, none, 0, 0});
    check(1 / A, {none, 0, -0.0, infinity, 1});
    check(exp(A), {none, infinity, 0, 1, std::exp(1.0)});
    check(max(A, 0), {none, infinity, 0, 0, 1});
    check(cumsum(A, 0), {none, none, none, none, none});
    check(softmax(A, 0), {none, none, none, none, none});
    check(broadcast(sum(slice(A, 0, 1, 4), 0), {5}), {none, none, none, none, none});
    check(broadcast(maximum_of(slice(A, 0, 1, 4), 0), {5}), {infinity, infinity, infinity, infinity, infinity});
    CHECK(is_near(g.made({1, 1}, f32, matmul(reshape(slice(A, 0, 2, 2), {1, 2}), reshape(slice(A, 0, 3, 2), {2, 1}))).at(0), none));
}

TEST_CASE("formulas: a result may be rounded to its working type, and need not")
{
    Given g;
    const auto A = g.of("A", {1}, f32, {1}), B = g.of("B", {1}, f32, {0x1p-30}), C = g.of("C", {1}, f64, {0x1p-30});
    const Bounded sum = g.made({1}, f64, A + B).at(0);
    CHECK(sum.low == 1);
    CHECK(sum.high == 1 + 0x1p-30);
    CHECK(g.made({1}, f64, A + C).at(0).is_point()); // f64 where an operand is
    const Bounded half = g.made({1}, f64, (A + 0x1p-12).in(f16)).at(0);
    CHECK(half.low == 1);
    CHECK(half.high == 1 + 0x1p-12);
    // A number may be rounded to the working type.
    const Bounded tenth = g.made({1}, f64, A * 0.1).at(0);
    CHECK(tenth.allows(0.1));
    CHECK(tenth.allows(static_cast<double>(0.1F)));
    CHECK_FALSE(tenth.allows(0.1 + 1e-7));
    const auto N = g.tensor("N", arrays::counting({80}, f32));
    const ReferenceTensor tenths = g.made({80}, f64, N * 0.1);
    for (std::int64_t i = 0; i < 80; ++i)
        CHECK(tenths.at(i).allows(static_cast<double>(static_cast<float>(i)) * static_cast<double>(0.1F)));
    // Exponentials may be computed by each other, quotients by a reciprocal.
    const ReferenceTensor e = g.made({80}, f64, exp(N)), two = g.made({80}, f64, exp2(N * 0.9)), thirds = g.made({80}, f64, N / 3);
    for (std::int64_t i = 0; i < 80; ++i) {
        const auto x = static_cast<float>(i);
        CHECK(e.at(i).allows(static_cast<double>(std::exp2(x * 1.44269504F))));
        CHECK(two.at(i).allows(static_cast<double>(std::exp(x * 0.9F * 0.693147181F))));
        CHECK(thirds.at(i).allows(static_cast<double>(x * (1 / 3.0F))));
        CHECK_FALSE(thirds.at(i).allows(static_cast<double>(x) / 3 * (1 + 1e-5) + 1e-30));
    }
    // Results are rounded to the output's type.
    CHECK(g.made({1}, f16, A * 0.1).at(0).value == decode(f16, encode(f16, 0.1)));
}

TEST_CASE("formulas: cast is the one rounding, and rounded is any error of its size")
{
    Given g;
    const auto A = g.of("A", {4}, f32, {0.1, 300.7, -1e-9, 0});
    const ReferenceTensor cast_to = g.made({4}, f64, cast(A, f16)), near = g.made({4}, f64, rounded(A, f16));
    for (std::int64_t i = 0; i < 4; ++i) {
        const double x = at(g, "A", {i}), once = decode(f16, encode(f16, x));
        CHECK(cast_to.at(i).is_point());
        CHECK(cast_to.at(i).value == once);
        CHECK(near.at(i).value == x);
        CHECK(near.at(i).allows(once));
        // At another scale: 3·x rounded, divided by 3.
        CHECK(near.at(i).allows(decode(f16, encode(f16, 3 * x)) / 3));
        CHECK_FALSE(near.at(i).allows(x * 1.001 + 1e-7));
    }
    CHECK(g.made({4}, i8, cast(A * 10, i8)).at(1).value == 127);
    CHECK(g.made({4}, i32, cast(A, i8) + 100).at(1).value == 227);
}

TEST_CASE("formulas: reductions over any axes, with and without the dimensions that go")
{
    laws::Random random(2);
    Given g;
    const Shape shape{3, 5, 7};
    const auto A = g.random("A", shape, f32, random);
    const auto reduced = [&](Function f, bool over0, bool over1, bool over2, std::int64_t i, std::int64_t j, std::int64_t k) {
        bool first = true;
        double out = 0;
        for (std::int64_t x = over0 ? 0 : i; x < (over0 ? 3 : i + 1); ++x)
            for (std::int64_t y = over1 ? 0 : j; y < (over1 ? 5 : j + 1); ++y)
                for (std::int64_t z = over2 ? 0 : k; z < (over2 ? 7 : k + 1); ++z) {
                    const double a = at(g, "A", {x, y, z});
                    out = first ? a : f.row().apply(out, a, 0);
                    first = false;
                }
        return out;
    };
    for (const Function f : {Function::add, Function::mul, Function::max, Function::min}) {
        const ReferenceTensor one = g.made({3, 7}, f64, reduce(f, A, {1})),
                              kept = g.made({3, 1, 7}, f64, reduce(f, A, {-2}, keep_dims));
        const ReferenceTensor two = g.made({5}, f64, reduce(f, A, {2, 0})), all_of = g.made({}, f64, reduce(f, A, {0, 1, 2}));
        for (std::int64_t i = 0; i < 3; ++i)
            for (std::int64_t k = 0; k < 7; ++k) {
                CHECK(is_near(one.at({i, k}), reduced(f, false, true, false, i, 0, k), 1e-3));
                CHECK(is_near(kept.at({i, 0, k}), reduced(f, false, true, false, i, 0, k), 1e-3));
            }
        for (std::int64_t j = 0; j < 5; ++j) CHECK(is_near(two.at(j), reduced(f, true, false, true, 0, j, 0), 1e-2));
        CHECK(is_near(all_of.at(0), reduced(f, true, true, true, 0, 0, 0), 1));
    }
    // What has no reduced axes is as it was.
    CHECK(g.made(shape, f64, sum(A, InlineVector<int, max_rank>{})).at({2, 4, 6}).value == at(g, "A", {2, 4, 6}));
    // Sums of f32 in any order, but no other sum.
    float up = 0, down = 0;
    for (std::int64_t i = 0; i < 105; ++i) up += static_cast<float>(g.in.find("A")->at(i));
    for (std::int64_t i = 104; i >= 0; --i) down += static_cast<float>(g.in.find("A")->at(i));
    const Bounded total = g.made({}, f32, sum(A, {0, 1, 2})).at(0);
    CHECK(total.allows(static_cast<double>(up)));
    CHECK(total.allows(static_cast<double>(down)));
    CHECK_FALSE(total.allows(static_cast<double>(up) + 1e-3));
}

TEST_CASE("formulas: matrix products, transposed and in batches")
{
    laws::Random random(3);
    const std::int64_t m = 5, n = 7, k = 9;
    for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
            Given g;
            const auto A = g.random("A", ta ? Shape{2, 1, k, m} : Shape{2, 1, m, k}, f16, random);
            const auto B = g.random("B", tb ? Shape{3, n, k} : Shape{3, k, n}, f16, random);
            const ReferenceTensor d = g.made({2, 3, m, n}, f32, matmul(A, B, {ta, tb}));
            CHECK(d.size() == 2 * 3 * m * n);
            for (std::int64_t e = 0; e < d.size(); ++e) {
                const Coord c = coordinate(d.shape, e);
                double want = 0;
                float run = 0;
                for (std::int64_t x = 0; x < k; ++x) {
                    const double a = at(g, "A", ta ? Coord{c[0], 0, x, c[2]} : Coord{c[0], 0, c[2], x});
                    const double b = at(g, "B", tb ? Coord{c[1], c[3], x} : Coord{c[1], x, c[3]});
                    want += a * b;
                    run += static_cast<float>(a * b);
                }
                CHECK(std::fabs(d.at(e).value - want) <= 1e-7 * (1 + std::fabs(want)));
                CHECK(d.at(e).allows(static_cast<double>(run)));
                CHECK_FALSE(d.at(e).allows(want + 1e-4));
            }
        }
}

TEST_CASE("formulas: a product whose right operand is read by pieces of columns, an infinity in one of them, fractions in another")
{
    // 2^20 / 30011 = 34 columns at once: 34, 34 and 3.
    const std::int64_t m = 2, n = 71, k = 30011;
    for (const bool tb : {false, true}) {
        Array a = Array::make({m, k}, i8).value(), b = Array::make(tb ? Shape{n, k} : Shape{k, n}, f16).value();
        for (std::int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i * 37 % 11 - 5));
        const auto right = [&](std::int64_t x, std::int64_t c) { return tb ? c * k + x : x * n + c; };
        for (std::int64_t x = 0; x < k; ++x)
            for (std::int64_t c = 0; c < n; ++c) b.set(right(x, c), static_cast<double>((x * 13 + c * 29) % 17 - 8));
        b.set(right(k - 1, 40), std::numeric_limits<double>::infinity());
        for (std::int64_t x = 0; x < k; ++x) b.set(right(x, 70), 0x1p-10 + 1); // sums of which are rounded
        Given g;
        const auto A = g.tensor("A", std::move(a)), B = g.tensor("B", std::move(b));
        const ReferenceTensor d = g.made({m, n}, f32, matmul(cast(A, f16), B, {false, tb}));
        for (std::int64_t r = 0; r < m; ++r)
            for (std::int64_t c = 0; c < n; ++c) {
                double want = 0;
                for (std::int64_t x = 0; x < k; ++x)
                    want += static_cast<double>((r * k + x) * 37 % 11 - 5) *
                            (c == 40 && x == k - 1 ? std::numeric_limits<double>::infinity()
                             : c == 70             ? 0x1p-10 + 1
                                                   : static_cast<double>((x * 13 + c * 29) % 17 - 8));
                CHECK(d.at({r, c}).value == want);
                CHECK(d.at({r, c}).is_point() == (c < 68)); // a piece is exact where all of it is
                CHECK(d.at({r, c}).allows(want));
            }
    }
}

TEST_CASE("formulas: products of integers are exact, those of f16 grow in f32 unless another type is stated")
{
    laws::Random random(4);
    Given g;
    Array a = Array::make({3, 77}, i8).value(), b = Array::make({77, 3}, i8).value();
    for (std::int64_t i = 0; i < a.size(); ++i)
        a.set(i, static_cast<double>(random.in(-128, 127))), b.set(i, static_cast<double>(random.in(-128, 127)));
    const auto A = g.tensor("A", std::move(a)), B = g.tensor("B", std::move(b));
    const ReferenceTensor d = g.made({3, 3}, i32, matmul(A, B));
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 3; ++j) {
            double want = 0;
            for (std::int64_t x = 0; x < 77; ++x) want += at(g, "A", {i, x}) * at(g, "B", {x, j});
            CHECK(d.at({i, j}).is_point());
            CHECK(d.at({i, j}).value == want);
        }
    const auto I = g.of("I", {1, 1}, i32, {2000000000}), F = g.of("F", {1, 1}, f32, {1 + 0x1p-20}),
               G = g.of("G", {1, 1}, f32, {1 + 0x1p-10});
    CHECK(g.made({1, 1}, f64, matmul(I, I)).at(0).value == 2147483647);
    // Products of f32 are rounded, those of f16 are exact.
    CHECK(g.made({1, 1}, f64, matmul(F, F)).at(0).allows(1 + 0x1p-19));
    CHECK(g.made({1, 1}, f64, matmul(cast(G, f16), cast(G, f16))).at(0).is_point());
    const auto X = g.of("X", {1, 3}, f16, {1, 0x1p-13, 0x1p-13}), Y = g.of("Y", {3, 1}, f16, {1, 1, 1});
    CHECK_FALSE(g.made({1, 1}, f32, matmul(X, Y)).at(0).allows(1));
    CHECK(g.made({1, 1}, f32, matmul(X, Y).in(f16)).at(0).allows(1));
}

TEST_CASE("formulas: other places of the same elements")
{
    laws::Random random(5);
    Given g;
    const auto A = g.random("A", {3, 4, 5}, f32, random), B = g.random("B", {3, 2, 5}, f32, random);
    const ReferenceTensor turned = g.made({5, 3, 4}, f32, permute(A, {2, 0, 1})), other = g.made({6, 10}, f32, reshape(A, {6, 10}));
    const ReferenceTensor part = g.made({3, 2, 5}, f32, slice(A, 1, 1, 2, 2)),
                          moved = g.made({3, 4, 5}, f32, shift(A, {0, 1, -2}, 9));
    const ReferenceTensor wide = g.made({2, 3, 4, 5}, f32, broadcast(A, {2, 3, 4, 5}));
    const ReferenceTensor both = g.made({3, 6, 5}, f32, concat({A, B}, 1)),
                          number = g.made({3, 4, 5}, f32, broadcast(2.5, {3, 4, 5}));
    const ReferenceTensor index = g.made({3, 4, 5}, i32, iota({3, 4, 5}, -2));
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 4; ++j)
            for (std::int64_t k = 0; k < 5; ++k) {
                const double a = at(g, "A", {i, j, k});
                CHECK(is_near(turned.at({k, i, j}), a));
                CHECK(is_near(other.at(i * 20 + j * 5 + k), a));
                if (j % 2 == 1) CHECK(is_near(part.at({i, j / 2, k}), a));
                CHECK(is_near(moved.at({i, j, k}), j + 1 < 4 && k - 2 >= 0 ? at(g, "A", {i, j + 1, k - 2}) : 9));
                CHECK(is_near(wide.at({1, i, j, k}), a));
                CHECK(is_near(both.at({i, j, k}), a));
                if (j < 2) CHECK(is_near(both.at({i, 4 + j, k}), at(g, "B", {i, j, k})));
                CHECK(is_near(number.at({i, j, k}), 2.5));
                CHECK(is_near(index.at({i, j, k}), static_cast<double>(j)));
            }
}

TEST_CASE("formulas: a shift beyond every element, by the largest numbers, is all fill")
{
    Given g;
    const auto A = g.of("A", {3}, f32, {1, 2, 3});
    for (const std::int64_t by :
         {std::int64_t{3}, std::int64_t{-3}, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()})
        for (std::int64_t i = 0; i < 3; ++i) CHECK(is_near(g.made({3}, f32, shift(A, {by}, 7)).at(i), 7));
}

TEST_CASE("formulas: softmax along any axis, by whatever formula")
{
    laws::Random random(6);
    Given g;
    const auto A = g.random("A", {3, 11, 2}, f32, random);
    const ReferenceTensor d = g.made({3, 11, 2}, f32, softmax(20 * A, 1));
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t k = 0; k < 2; ++k) {
            std::vector<double> x;
            for (std::int64_t j = 0; j < 11; ++j) x.push_back(20 * at(g, "A", {i, j, k}));
            double total = 0;
            for (const double y : x) total += std::exp(y);
            // A run that never has the whole row: a running maximum, powers of two, f32.
            float most = -std::numeric_limits<float>::infinity(), sum = 0;
            const float factor = 20 * 1.44269504F;
            for (std::int64_t j = 0; j < 11; ++j) {
                const float y = static_cast<float>(at(g, "A", {i, j, k})) * factor, next = std::max(most, y);
                sum = sum * std::exp2(most - next) + std::exp2(y - next);
                most = next;
            }
            for (std::int64_t j = 0; j < 11; ++j) {
                const double want = std::exp(x[static_cast<std::size_t>(j)]) / total;
                const float run = std::exp2(static_cast<float>(at(g, "A", {i, j, k})) * factor - most) * (1 / sum);
                const Bounded b = d.at({i, j, k});
                CAPTURE(want, run, b.low, b.high);
                CHECK(is_near(b, decode(f32, encode(f32, want)), 2e-4));
                CHECK(b.allows(static_cast<double>(run)));
            }
        }
}

TEST_CASE("formulas: softmax holds what large exponents and long rows lose")
{
    laws::Random random(61);
    Given g;
    Array x = arrays::random({2, 400}, f32, random);
    for (std::int64_t j = 0; j < 400; ++j) x.set({0, j}, 30000 + x.at({0, j})), x.set({1, j}, 1e-4 * x.at({1, j}));
    const auto X = g.tensor("X", std::move(x));
    const ReferenceTensor d = g.made({2, 400}, f64, softmax(X, 1));
    for (std::int64_t i = 0; i < 2; ++i) {
        // Powers of two of products that are rounded before the maximum is taken away; one sum after the other.
        float most = -std::numeric_limits<float>::infinity(), sum = 0;
        const auto scaled = [&](std::int64_t j) { return static_cast<float>(at(g, "X", {i, j})) * 1.44269504F; };
        for (std::int64_t j = 0; j < 400; ++j) most = std::max(most, scaled(j));
        for (std::int64_t j = 0; j < 400; ++j) sum += std::exp2(scaled(j) - most);
        for (std::int64_t j = 0; j < 400; ++j) {
            const auto run = static_cast<double>(std::exp2(scaled(j) - most) / sum);
            CHECK(d.at({i, j}).allows(run));
            CHECK_FALSE(d.at({i, j}).allows(run * (i == 0 ? 1.1 : 1.0003)));
        }
    }
}

TEST_CASE("formulas: softmax of rows with −∞, of nothing else, of huge numbers")
{
    Given g;
    const auto A =
        g.of("A", {5, 3}, f32, {-infinity, 0, 0, -infinity, -infinity, -infinity, 3e38, 3e38, -3e38, infinity, 0, 0, 1, none, 0});
    const ReferenceTensor d = g.made({5, 3}, f32, softmax(A, 1));
    CHECK(d.at({0, 0}).is_point());
    CHECK(d.at({0, 0}).value == 0);
    CHECK(is_near(d.at({0, 1}), 0.5, 1e-4));
    for (std::int64_t j = 0; j < 3; ++j) {
        CHECK(is_near(d.at({1, j}), none));
        CHECK(d.at({1, j}).never_number());
    }
    CHECK(d.at({2, 0}).value == 0.5);
    for (std::int64_t j = 0; j < 3; ++j)
        CHECK((d.at({2, j}).low >= 0 && d.at({2, j}).low <= d.at({2, j}).high && d.at({2, j}).high < 1.01));
    // A number below which some may be −∞: the exponential of what is there is as wide as it is elsewhere.
    const auto B = g.of("B", {1}, f32, {80});
    const Bounded wide = g.made({1}, f64, exp(select(B + 0x1p-30 < 80 + 0x1p-30, -infinity, B))).at(0);
    CHECK(wide.allows(static_cast<double>(std::exp2(80 * 1.44269504F))));
    for (std::int64_t j = 0; j < 3; ++j) CHECK(is_near(d.at({3, j}), none));
    for (std::int64_t j = 0; j < 3; ++j) CHECK(is_near(d.at({4, j}), none));
}

TEST_CASE("formulas: rows by an index, and rows added by one")
{
    laws::Random random(7);
    Given g;
    const auto X = g.random("X", {6, 3}, f32, random), V = g.random("V", {2, 5, 3}, f32, random);
    std::vector<double> rows;
    for (int i = 0; i < 10; ++i) rows.push_back(static_cast<double>(random.in(0, 5)));
    const auto index = g.of("index", {2, 5}, i32, rows);
    const ReferenceTensor taken = g.made({2, 5, 3}, f32, gather(X, index)), added = g.made({6, 3}, f64, scatter_add(X, index, V));
    for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t j = 0; j < 5; ++j)
            for (std::int64_t k = 0; k < 3; ++k)
                CHECK(is_near(taken.at({i, j, k}), at(g, "X", {static_cast<std::int64_t>(at(g, "index", {i, j})), k})));
    for (std::int64_t r = 0; r < 6; ++r)
        for (std::int64_t k = 0; k < 3; ++k) {
            double want = at(g, "X", {r, k});
            for (std::int64_t i = 0; i < 10; ++i)
                if (rows[static_cast<std::size_t>(i)] == static_cast<double>(r)) want += at(g, "V", {i / 5, i % 5, k});
            CHECK(is_near(added.at({r, k}), want, 1e-3));
        }
    // The index may be computed: every second row.
    const ReferenceTensor second = g.made({3, 3}, f32, gather(X, 2 * iota({3}, 0)));
    for (std::int64_t r = 0; r < 3; ++r) CHECK(is_near(second.at({r, 1}), at(g, "X", {2 * r, 1})));
}

TEST_CASE("formulas: elements by an index for each dimension, which broadcast")
{
    laws::Random random(9);
    Given g;
    const auto X = g.random("X", {6, 4, 3}, f32, random);
    std::vector<double> rows, columns;
    for (int i = 0; i < 10; ++i) rows.push_back(static_cast<double>(random.in(0, 5)));
    for (int i = 0; i < 5; ++i) columns.push_back(static_cast<double>(random.in(0, 3)));
    const auto R = g.of("R", {2, 5}, i32, rows), C = g.of("C", {5}, i32, columns), L = g.of("L", {2, 1}, u8, {2, 0});
    const ReferenceTensor lines = g.made({2, 5, 3}, f32, gather_at(X, {R, C})),
                          single = g.made({2, 5}, f32, gather_at(X, {R, C, L}));
    const ReferenceTensor one = g.made({2, 5, 4, 3}, f32, gather_at(X, {R})), same = g.made({2, 5, 4, 3}, f32, gather(X, R));
    const ReferenceTensor diagonal = g.made({3, 3}, f32, gather_at(X, {iota({3}, 0) + 1, iota({3}, 0)}));
    for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t j = 0; j < 5; ++j) {
            const auto r = static_cast<std::int64_t>(at(g, "R", {i, j})), c = static_cast<std::int64_t>(at(g, "C", {j})),
                       l = static_cast<std::int64_t>(at(g, "L", {i, 0}));
            CHECK(is_near(single.at({i, j}), at(g, "X", {r, c, l})));
            for (std::int64_t k = 0; k < 3; ++k) {
                CHECK(is_near(lines.at({i, j, k}), at(g, "X", {r, c, k})));
                CHECK(is_near(one.at({i, j, c, k}), same.at({i, j, c, k}).value));
                CHECK(is_near(diagonal.at({k, l}), at(g, "X", {k + 1, k, l})));
            }
        }
    // Of an index outside, which one it is and where.
    Given h;
    const auto Y = h.of("Y", {2, 3}, f32, {1, 2, 3, 4, 5, 6}), I = h.of("I", {2}, i32, {0, 1}), J = h.of("J", {2}, i32, {2, 3});
    h.k.computes(h.k.output("D", {2}, f32), gather_at(Y, {I, J}));
    const auto outside = specified(h.k.program().value(), h.in);
    REQUIRE_FALSE(outside);
    CHECK(outside.error().code == errc::out_of_domain);
    CHECK(outside.error().text == "formula, specification of D: index 1 of J is 3; dimension 1 of the indexed operand has 3");
}

TEST_CASE("formulas: a histogram counts, and a scan sums, whatever the order")
{
    laws::Random random(8);
    Given g;
    std::vector<double> numbers;
    for (int i = 0; i < 97; ++i) numbers.push_back(static_cast<double>(random.in(0, 12)));
    const auto I = g.of("I", {97}, u8, numbers);
    const ReferenceTensor counts = g.made({13}, i32, histogram(I, 13));
    for (std::int64_t b = 0; b < 13; ++b) {
        CHECK(counts.at(b).is_point());
        CHECK(counts.at(b).value == static_cast<double>(std::count(numbers.begin(), numbers.end(), static_cast<double>(b))));
    }
    const auto X = g.random("X", {3, 31, 2}, f32, random);
    const ReferenceTensor sums = g.made({3, 31, 2}, f32, cumsum(X, 1)), whole = g.made({97}, i32, cumsum(I, 0));
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t k = 0; k < 2; ++k) {
            double want = 0;
            float run = 0;
            for (std::int64_t j = 0; j < 31; ++j) {
                want += at(g, "X", {i, j, k});
                run += static_cast<float>(at(g, "X", {i, j, k}));
                CHECK(std::fabs(sums.at({i, j, k}).value - want) <= 1e-6 * std::fabs(want) + 1e-9);
                CHECK(sums.at({i, j, k}).allows(static_cast<double>(run)));
                CHECK_FALSE(sums.at({i, j, k}).allows(want + 1e-3));
            }
        }
    CHECK(whole.at(96).is_point());
    CHECK(whole.at(96).value == std::accumulate(numbers.begin(), numbers.end(), 0.0));
}

TEST_CASE("formulas: a function of the user's own has its own bounds")
{
    Given g;
    const auto A = g.of("A", {3}, f32, {1, 2, none});
    const FormulaFunction softsign = [](const std::vector<const Array*>& in, std::vector<Estimate>& out) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double x = in[0]->at(static_cast<std::int64_t>(i));
            out[i] = {x / (1 + std::fabs(x)), 0.25, 0.5};
        }
    };
    const ReferenceTensor d = g.made({3}, f64, 2 * by_function("softsign", softsign, {A}, {3}, f64));
    CHECK(std::fabs(d.at(0).low - 0) < 1e-12);
    CHECK(std::fabs(d.at(0).high - 2) < 1e-12);
    CHECK(d.at(1).value == 4.0 / 3);
    CHECK(is_near(d.at(2), none));
    const auto short_one = [](const std::vector<const Array*>&, std::vector<Estimate>& out) { out.pop_back(); };
    g.k.computes(g.k.output("E", {3}, f32), by_function("short", short_one, {A}, {3}, f32));
    const auto wrong = specified(g.k.program().value(), g.in);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().text ==
          "formula, specification of E: function `short` of a specification gives 2 elements; its result has 3");
}

TEST_CASE("formulas: an index outside, or one that depends on rounding, is a problem that names it")
{
    Given g;
    const auto X = g.of("X", {3}, f32, {1, 2, 3}), I = g.of("I", {2}, i32, {0, 3});
    g.k.computes(g.k.output("D", {2}, f32), gather(X, I));
    const auto outside = specified(g.k.program().value(), g.in);
    REQUIRE_FALSE(outside);
    CHECK(outside.error().code == errc::out_of_domain);
    CHECK(outside.error().text == "formula, specification of D: index 1 of I is 3; the indexed operand has 3 rows");

    Given h;
    const auto Y = h.of("Y", {3}, f32, {0.1, 0.2, 0.6});
    h.k.computes(h.k.output("D", {3}, f32), gather(Y, cast(Y * 10, i32)));
    CHECK(specified(h.k.program().value(), h.in).has_value() == false);
    CHECK(specified(h.k.program().value(), h.in).error().code == errc::out_of_domain);
    Given r;
    const auto Z = r.of("Z", {3}, f32, {0.1, 0.2, 0.7});
    r.k.computes(r.k.output("D", {3}, f32), gather(Z, cast(Z + Z * 5e-8 < Z + Z * 6e-8, i32)));
    const auto either = specified(r.k.program().value(), r.in);
    REQUIRE_FALSE(either);
    CHECK(either.error().code == errc::too_hard);
}

TEST_CASE("formulas: chosen rows are as in the whole, whatever the operations need for them")
{
    laws::Random random(9);
    Given g;
    const auto A = g.random("A", {40, 9}, f16, random), B = g.random("B", {9, 30}, f16, random),
               C = g.random("C", {30, 30}, f32, random);
    std::vector<double> rows;
    for (int i = 0; i < 40; ++i) rows.push_back(static_cast<double>(random.in(0, 39)));
    const auto index = g.of("index", {40}, i32, rows);
    const Formula base = softmax(select(iota({40, 30}, 1) <= iota({40, 30}, 0), matmul(A, B), -infinity), 1);
    const Formula all_of[] = {base, matmul(gather(cumsum(base, 1), index), C, {.transpose_b = true}),
                              shift(scatter_add(base, index, permute(permute(base, {1, 0}), {1, 0})), {-3, 2}),
                              concat({slice(base, 0, 5, 15), slice(base, 0, 0, 25)}, 0) - sum(base, 0),
                              reshape(base, {40, 30}) * maximum_of(base, 1, keep_dims)};
    for (const Formula& f : all_of) {
        const ReferenceTensor whole = g.made({40, 30}, f32, f);
        ReferenceOptions some;
        some.rows = 4;
        const ReferenceTensor part = g.made({40, 30}, f32, f, some);
        REQUIRE(part.rows().size() == 4);
        REQUIRE(part.size() == 4 * 30);
        for (std::int64_t i = 0; i < part.size(); ++i) {
            const Bounded a = part.at(i), b = whole.at(part.element(i));
            CHECK((a.value == b.value && a.low == b.low && a.high == b.high && a.nan == b.nan));
        }
    }
}

TEST_CASE("formulas: rows that are not chosen are not computed")
{
    Given g;
    const auto X = g.of("X", {2, 1}, f32, {1, 2});
    const auto I = g.of("I", {4}, i32, {0, 1, 9, 0}); // the third row does not exist
    g.k.computes(g.k.output("D", {4, 1}, f32), gather(X, I));
    const Program p = g.k.program().value();
    CHECK_FALSE(specified(p, g.in));
    ReferenceOptions options;
    options.rows = 2;
    int fine = 0;
    for (options.seed = 0; options.seed < 100; ++options.seed) {
        const auto some = specified(p, g.in, options);
        if (some) {
            ++fine;
            for (const std::int64_t row : some->tensors[0].rows()) CHECK(row != 2);
        }
    }
    CHECK(fine > 30); // half of them
    CHECK(fine < 70);
}

TEST_CASE("rows are chosen without repeats, each as often as the others, and all where no more are there")
{
    std::vector<int> seen(10);
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const auto rows = ref::chosen_rows(3, 10, seed);
        REQUIRE(rows.size() == 3);
        CHECK(std::is_sorted(rows.begin(), rows.end()));
        CHECK(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
        for (const std::int64_t r : rows) ++seen[static_cast<std::size_t>(r)];
    }
    for (const int n : seen) CHECK((n > 500 && n < 700)); // 600 expected, standard deviation 20
    CHECK(ref::chosen_rows(12, 3, 1) == std::vector<std::int64_t>{0, 1, 2});
    CHECK(ref::chosen_rows(3, 10, 5) == ref::chosen_rows(3, 10, 5));
}
