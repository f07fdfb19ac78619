// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/sim/reference/comparison.hpp>
#include <axe/sim/reference/operators.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>
#include <tests/unit/sim/arrays.hpp>

/// Whatever order a correct run takes, and wherever it rounds, its result is within the reference's bounds; and these are not wide.
using namespace axe;
using enum DType;
using laws::Random;

namespace {

/// A number of f32, of any size now and then.
double number(Random& random)
{
    const double plain = static_cast<double>(random.in(-2'000'000, 2'000'000)) / 1e6;
    switch (random.in(0, 11)) {
    case 0: return 0;
    case 1: return static_cast<double>(random.in(-5, 5));
    case 2: return static_cast<double>(static_cast<float>(std::ldexp(plain, static_cast<int>(random.in(-150, 120)))));
    case 3: return static_cast<double>(static_cast<float>(std::ldexp(plain, static_cast<int>(random.in(-20, 17)))));
    default: return static_cast<double>(static_cast<float>(plain));
    }
}
double special(Random& random)
{
    const double all_of[] = {ref::inf, -ref::inf, std::nan(""), 0.0, -0.0, 0x1p-149, 3.4028234663852886e38};
    return all_of[random.in(0, 6)];
}
/// An interval, and a number of it.
struct Draw {
    Bounded of;
    double one;
};
Draw draw(Random& random)
{
    if (random.one_in(6)) {
        const double x = special(random);
        return {ref::exactly(x), x};
    }
    double a = number(random), b = random.one_in(2) ? number(random) : a * (1 + static_cast<double>(random.in(0, 8)) * 0x1p-23);
    b = static_cast<double>(static_cast<float>(b));
    if (random.one_in(3)) b = a;
    if (a > b) std::swap(a, b);
    const double share = static_cast<double>(random.in(0, 4)) / 4;
    auto within = [&](double s) { return std::clamp(static_cast<double>(static_cast<float>(a + s * (b - a))), a, b); };
    const bool nan = random.one_in(20);
    return {{within(0.5), a, b, nan}, nan && random.one_in(2) ? std::nan("") : within(share)};
}

double in_type(DType type, double x) { return ref::rounded(type, x); }

/// A sum in the type, every partial sum rounded to it, in an order that the number chooses.
double summed(std::vector<double> terms, DType type, Random& random)
{
    const auto how = random.in(0, 3);
    if (how == 0) std::sort(terms.begin(), terms.end());
    if (how >= 2)
        for (std::size_t i = terms.size() - 1; i > 0; --i)
            std::swap(terms[i], terms[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(i)))]);
    if (how < 3) { // one after the other
        double sum = terms[0];
        for (std::size_t i = 1; i < terms.size(); ++i) sum = in_type(type, sum + terms[i]);
        return sum;
    }
    while (terms.size() > 1) { // any two
        const auto a = static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(terms.size()) - 2));
        terms[a] = in_type(type, terms[a] + terms.back());
        terms.pop_back();
    }
    return terms[0];
}

} // namespace

TEST_CASE("law: a function of numbers in the operands' intervals is in the result's")
{
    Random random(11);
    const DType types[] = {f32, f16, bf16, tf32, e4m3, e5m2, e8m0, ue4m3, e3m2, e2m3, e2m1, i32, i8, b1, f64};
    for (const axe::FunctionRow& row : axe::function_rows) {
        if (row.domain == Domain::bits) continue;
        for (laws::Int c = 0; c < laws::cases(8'000); ++c) {
            const Draw a[3] = {draw(random), draw(random), draw(random)};
            const Bounded of[3] = {a[0].of, a[1].of, a[2].of};
            const double x[3] = {a[0].one, a[1].one, a[2].one};
            const DType type = types[random.in(0, static_cast<laws::Int>(std::size(types)) - 1)];
            const auto s = [&](int i) { return static_cast<float>(x[i]); };
            const double got = in_type(type, static_cast<double>(row.apply_f32(s(0), s(1), s(2))));
            const Bounded b = ref::stored(ref::apply(Function(row), of, f32, false), type, f32);
            if (b.allows(got)) continue;
            CAPTURE(row.name, name(type), x[0], x[1], x[2], got, b.value, b.low, b.high, b.nan, of[0].low, of[0].high, of[1].low,
                    of[1].high, of[2].low, of[2].high);
            CHECK(b.allows(got));
        }
    }
}

TEST_CASE("law: a function of integers in the operands' intervals is in the result's")
{
    Random random(12);
    for (const axe::FunctionRow& row : axe::function_rows) {
        if (row.apply_integer == nullptr) continue;
        for (laws::Int c = 0; c < laws::cases(5'000); ++c) {
            Bounded of[3];
            std::int64_t x[3];
            for (int i = 0; i < 3; ++i) {
                const std::int64_t low = random.in(-130, 130), high = random.one_in(2) ? low : low + random.in(0, 5);
                x[i] = random.in(low, high);
                of[i] = {static_cast<double>(low), static_cast<double>(low), static_cast<double>(high), false};
            }
            const DType type = random.one_in(2) ? i8 : random.one_in(2) ? i32 : u8;
            const double got = decode(type, encode_int(type, row.apply_integer(x[0], x[1], x[2])));
            const Bounded b = ref::stored(ref::apply(Function(row), of, f64, true), type);
            if (b.allows(got)) continue;
            CAPTURE(row.name, name(type), x[0], x[1], x[2], got, b.low, b.high, of[0].low, of[0].high, of[1].low, of[1].high);
            CHECK(b.allows(got));
        }
    }
}

TEST_CASE("law: no order of a sum leaves its bound, which is not wide")
{
    for (const DType type : {f32, f16, bf16}) {
        Random random(13);
        double closest = 0;
        for (laws::Int c = 0; c < laws::cases(6'000); ++c) {
            const auto n = static_cast<std::size_t>(c % 2 == 0 ? 64 : random.in(1, 200));
            const bool positive = random.one_in(2), wild = random.one_in(4);
            std::vector<double> terms;
            for (std::size_t i = 0; i < n; ++i) {
                double t = wild ? number(random) : static_cast<double>(random.in(-1'000'000, 1'000'000)) / 1e6;
                if (wild && type == f16) t = std::fmod(t, 60'000.0);
                terms.push_back(in_type(type, positive ? std::fabs(t) : t));
            }
            ref::Sum sum;
            for (const double t : terms) sum.add(ref::exactly(t));
            const Bounded b = ref::stored(sum.result(0, ref::arithmetic(type, f32, false)), type, f32);
            const double got = summed(terms, type, random);
            if (!b.allows(got)) {
                CAPTURE(name(type), n, got, b.value, b.low, b.high);
                CHECK(b.allows(got));
            }
            if (n == 64 && !wild && b.high > b.value && std::isfinite(b.high))
                closest = std::max(closest, std::fabs(got - b.value) / (b.high - b.value));
        }
        CAPTURE(name(type), closest);
        CHECK(closest > 0.01);
    }
}

TEST_CASE("law: no order of a matrix product leaves its bound, which is not wide")
{
    struct Types {
        DType a, b, d;
    };
    const Types all_types[] = {{f16, f16, f32},   {f16, f16, f16}, {bf16, bf16, f32},
                               {tf32, tf32, f32}, {f32, f32, f32}, {e4m3, e5m2, f32}};
    Random random(14);
    for (const auto& [ta, tb, td] : all_types) {
        double closest = 0;
        for (laws::Int c = 0; c < laws::cases(40); ++c) {
            const std::int64_t m = 5, n = 7, k = c % 2 == 0 ? 64 : random.in(1, 40);
            const bool accumulate = random.one_in(2);
            Kernel kernel("product", machines::cpu);
            const auto A = kernel.input("A", {m, k}, ta), B = kernel.input("B", {k, n}, tb), D = kernel.inout("D", {m, n}, td);
            kernel.gemm(D, A, B, Scope::Gemm{accumulate, false, false});
            Bindings in;
            in.set("A", arrays::random({m, k}, ta, random)).set("B", arrays::random({k, n}, tb, random));
            in.set("D", arrays::random({m, n}, td, random));
            const Reference want = reference(kernel.program().value(), in).value();
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) {
                    std::vector<double> terms;
                    for (std::int64_t x = 0; x < k; ++x)
                        terms.push_back(in_type(td, in.find("A")->at({i, x}) * in.find("B")->at({x, j})));
                    if (accumulate) terms.push_back(in.find("D")->at({i, j}));
                    const double got = summed(terms, td, random);
                    const Bounded b = want.find("D")->at({i, j});
                    if (!b.allows(got)) {
                        CAPTURE(name(ta), name(td), k, got, b.value, b.low, b.high);
                        CHECK(b.allows(got));
                    }
                    if (k == 64 && b.high > b.value) closest = std::max(closest, std::fabs(got - b.value) / (b.high - b.value));
                }
        }
        CAPTURE(name(ta), name(td), closest);
        CHECK(closest > 0.01);
    }
}

TEST_CASE("law: the bounds of a product of intervals hold for all numbers in them")
{
    Random random(15);
    for (laws::Int c = 0; c < laws::cases(200); ++c) {
        const std::int64_t k = random.in(1, 30);
        ref::Values a(k), b(k);
        std::vector<double> sums(1), radius(1), magnitude(1), x(static_cast<std::size_t>(k)), y = x;
        for (std::int64_t i = 0; i < k; ++i) {
            const auto point = [&](ref::Values& v, double& at) {
                const double low = static_cast<double>(random.in(-100, 100)), high = low + static_cast<double>(random.in(0, 3));
                v.set(i, {low + (high - low) / 4, low, high, false});
                at = low + (high - low) * static_cast<double>(random.in(0, 4)) / 4;
            };
            point(a, x[static_cast<std::size_t>(i)]);
            point(b, y[static_cast<std::size_t>(i)]);
        }
        REQUIRE(ref::product_of_finite(nullptr, a, b, 1, 1, k, sums, radius, magnitude).ok());
        double sum = 0, size = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            sum += x[i] * y[i];
            size += std::fabs(x[i] * y[i]);
        }
        CAPTURE(k, sum, sums[0], radius[0]);
        CHECK(std::fabs(sum - sums[0]) <= radius[0] * (1 + 1e-12));
        CHECK(size <= magnitude[0] * (1 + 1e-12));
    }
}
