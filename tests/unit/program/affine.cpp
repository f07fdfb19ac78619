// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/affine.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <limits>

using axe::Affine;
using axe::Var;

TEST_CASE("equal functions are equal values, however they were written")
{
    const Var i{0}, j{3};
    CHECK(i * 2 + j == j + i * 2);
    CHECK(i + j - Affine(j) == Affine(i));
    CHECK((i * 0).is_constant());
    CHECK(i * 3 - i * 3 == Affine(0));
    CHECK(2 * i + 1 == 1 + i * 2);
    CHECK(i + 1 - Affine(1) == Affine(i));
    CHECK(3 - i == (i - 3) * -1);
    CHECK_FALSE(Affine(i) == Affine(j));
    CHECK((4 * (i + j) + 5).terms() == std::vector<Affine::Term>{{0, 4}, {3, 4}});
    CHECK((4 * (i + j) + 5).constant() == 5);
}

TEST_CASE("sums, differences and multiples evaluate as such")
{
    laws::Random r(11);
    std::vector<std::int64_t> values(5);
    for (int n = 0; n < 2000; ++n) {
        for (auto& v : values) v = r.in(-50, 50);
        Affine built;
        std::int64_t naive = 0;
        for (int step = 0; step < 6; ++step) {
            const Var v{static_cast<int>(r.in(0, 4))};
            const std::int64_t c = r.in(-4, 4), factor = r.in(-3, 3);
            const std::int64_t at = values[static_cast<std::size_t>(v.id)];
            switch (r.in(0, 3)) {
            case 0: built = built + v * c, naive += at * c; break;
            case 1: built = Affine(c) - built, naive = c - naive; break;
            case 2: built *= factor, naive *= factor; break;
            default: built += Affine(v) - c, naive += at - c; break;
            }
        }
        REQUIRE(built(values) == naive);
        for (std::size_t t = 0; t < built.terms().size(); ++t) {
            REQUIRE(built.terms()[t].coefficient != 0);
            if (t > 0) REQUIRE(built.terms()[t - 1].var < built.terms()[t].var);
        }
    }
}

TEST_CASE("affine: what leaves 64 bits is far outside, and no undefined behavior", "[program][affine]")
{
    constexpr std::int64_t far = std::int64_t{1} << 62, most = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> values{most, -most};
    CHECK((Affine(most) + Affine(1)) == Affine(far));
    CHECK((Affine(-most) - Affine(most)) == Affine(-far));
    CHECK(Affine(most) * 2 == Affine(far));
    CHECK((Affine(Var{0}) * most + Affine(Var{0}) * most)(std::vector<std::int64_t>{1}) == far);
    CHECK((Affine(Var{0}) * 2)(values) == far);
    CHECK((Affine(Var{1}) * 2)(values) == -far);
    CHECK((Affine(Var{0}) + Affine(5))(values) == far);
    CHECK((Affine(Var{0}) + Affine(Var{1}))(values) == 0);
}
