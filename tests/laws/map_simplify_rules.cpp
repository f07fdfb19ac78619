// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/evaluate.hpp>
#include <axe/map/print.hpp>
#include <axe/map/simplify.hpp>
#include <catch.hpp>

/// Each rule of simplify by enumeration: all small coefficients, divisors and bounds, negative ones included.
namespace {

using namespace axe;
using Int = std::int64_t;

/// The map of x and y, with the values that simplify must keep.
template <class Make>
void keeps(Int x_low, Int x_high, Int y_low, Int y_high, Make make)
{
    IndexingMap m;
    m.dimensions = 2;
    m.variables = {{{x_low, x_high}, {}, IndexKind::none}, {{y_low, y_high}, {}, IndexKind::none}};
    make(m);
    const IndexingMap s = simplify(m);
    int wrong = 0;
    for (Int x = x_low; x <= x_high; ++x)
        for (Int y = y_low; y <= y_high; ++y) {
            const bool inside = contains(m, {x, y}).yes();
            if (inside != contains(s, {x, y}).yes() ||
                (inside && evaluate_anywhere(m, {x, y}).value() != evaluate_anywhere(s, {x, y}).value()))
                ++wrong;
        }
    if (wrong != 0) {
        INFO(print(m));
        INFO(print(s));
        FAIL_CHECK(wrong);
    }
}

IndexExpr linear(IndexingMap& m, Int a, Int b, Int c)
{
    return m.pool.add(m.pool.add(m.pool.mul(m.dimension(0), a), m.pool.mul(m.dimension(1), b)), c);
}

constexpr Int divisors[] = {-7, -6, -4, -3, -2, 2, 3, 4, 5, 6, 8, 12};

} // namespace

TEST_CASE("rules: multiples leave a division, parts within a window go, for all small forms")
{
    for (const Int k : divisors)
        for (Int a = -7; a <= 7; ++a)
            for (Int b = -4; b <= 4; ++b)
                for (const Int c : {-5, -1, 0, 1, 3})
                    keeps(-2, 4, 0, 2, [&](IndexingMap& m) {
                        const IndexExpr e = linear(m, a, b, c);
                        m.results = {m.pool.floor_div(e, k), m.pool.mod(e, k)};
                    });
    SUCCEED();
}

TEST_CASE("rules: divisions and remainders of divisions and remainders")
{
    for (const Int k : divisors)
        for (const Int n : divisors)
            for (Int a = -3; a <= 3; ++a)
                for (const Int sign : {-2, -1, 1, 2})
                    keeps(-9, 14, 0, 1, [&](IndexingMap& m) {
                        const IndexExpr x = m.dimension(0), rest = m.pool.mul(m.dimension(1), a);
                        const IndexExpr d = m.pool.add(m.pool.mul(m.pool.floor_div(x, k), sign), rest);
                        const IndexExpr r = m.pool.add(m.pool.mul(m.pool.mod(x, k), sign), rest);
                        m.results = {m.pool.floor_div(d, n), m.pool.mod(d, n), m.pool.floor_div(r, n), m.pool.mod(r, n)};
                    });
    SUCCEED();
}

TEST_CASE("rules: what quotient and remainder make together, whatever their weights")
{
    for (const Int k : divisors)
        for (Int p = -6; p <= 6; ++p)
            for (Int q = -12; q <= 12; ++q)
                keeps(-8, 13, -1, 1, [&](IndexingMap& m) {
                    const IndexExpr e = m.pool.add(m.dimension(0), m.pool.mul(m.dimension(1), 3));
                    m.results = {m.pool.add(m.pool.mul(m.pool.mod(e, k), p), m.pool.mul(m.pool.floor_div(e, k), q)),
                                 m.pool.add(m.pool.mul(e, p), m.pool.mul(m.pool.floor_div(e, k), q))};
                });
    SUCCEED();
}

TEST_CASE("rules: constraints on quotients, remainders and sums, alone and in pairs")
{
    for (const Int k : divisors)
        for (const Int n : divisors)
            for (Int low = -3; low <= 3; ++low)
                for (const Int width : {0, 1, 4})
                    keeps(-9, 12, -2, 2, [&](IndexingMap& m) {
                        const IndexExpr x = m.dimension(0);
                        m.results = {x, m.pool.floor_div(linear(m, 1, 1, 0), n)};
                        m.constraints = {{m.pool.mod(x, k), {low, low + width}},
                                         {m.pool.mod(m.pool.add(x, 1), n), {low - 1, low}},
                                         {m.pool.floor_div(linear(m, 2, k, low), n), {-width, width}}};
                    });
    SUCCEED();
}
