// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/compose.hpp>
#include <tests/unit/interop/linear/read.hpp>

#include <vector>

using namespace linear_tests;
using namespace axe::linear;
using axe::errc;

namespace {

/// All layouts of two bits `a` to dimensions b and c of a bit each; or of another number of bits to one.
std::vector<LinearLayout> all(const Dims& in, const Dims& out)
{
    std::vector<LinearLayout> list(1);
    list[0].in = in;
    list[0].out = out;
    const std::uint64_t words = std::uint64_t{1} << bits_of(out);
    for (int bit = 0; bit < bits_of(in); ++bit) {
        std::vector<LinearLayout> next;
        for (const LinearLayout& l : list)
            for (std::uint64_t basis = 0; basis < words; ++basis) {
                next.push_back(l);
                next.back().bases.push_back(basis);
            }
        list = next;
    }
    return list;
}

} // namespace

TEST_CASE("linear: compose(A, B)(x) = B(A(x)), for all layouts of few bits, with the dimensions between in both orders")
{
    const auto firsts = all({{"a", 2}}, {{"b", 1}, {"c", 1}});
    for (const bool swapped : {false, true}) {
        const auto thens = all(swapped ? Dims{{"c", 1}, {"b", 1}} : Dims{{"b", 1}, {"c", 1}}, {{"d", 2}});
        for (const LinearLayout& first : firsts)
            for (const LinearLayout& then : thens) {
                const auto both = compose(first, then);
                REQUIRE(both);
                if (!(both->in == first.in) || !(both->out == then.out)) FAIL("other dimensions");
                for (std::uint64_t x = 0; x < 4; ++x) {
                    const std::uint64_t y = apply(first, x), z = swapped ? (y >> 1 | (y & 1) << 1) : y;
                    if (apply(*both, x) != apply(then, z)) FAIL(text(first) << " then " << text(then) << " at " << x);
                }
            }
    }
}

TEST_CASE("linear: compositions are associative, and the identity is one")
{
    const auto list = all({{"x", 2}}, {{"x", 2}});
    const LinearLayout identity = line("x=[1,2] -> x:4");
    for (const LinearLayout& a : list) {
        CHECK(*compose(a, identity) == a);
        CHECK(*compose(identity, a) == a);
        for (const LinearLayout& b : list)
            for (const LinearLayout& c : list)
                if (!(*compose(*compose(a, b), c) == *compose(a, *compose(b, c)))) FAIL(text(a) << text(b) << text(c));
    }
}

TEST_CASE("linear: compositions that are none, and smaller dimensions between")
{
    const LinearLayout a = line("x=[1] -> y:2");
    CHECK(text(compose(a, line("y=[(1),(2)] -> z:4"))) == "x=[1] -> z:4"); // into a larger dimension
    CHECK(compose(line("x=[1,2] -> y:4"), line("y=[1] -> z:2")).code() == errc::size_mismatch);
    CHECK(compose(a, line("w=[1] -> z:2")).code() == errc::unknown_axis);
    CHECK(compose(a, line("y=[1] w=[] -> z:2")).code() == errc::rank_mismatch);
    LinearLayout broken;
    broken.bases.push_back(0);
    CHECK(compose(broken, a).code() == errc::size_mismatch);
    CHECK(compose(a, broken).code() == errc::size_mismatch);
    CHECK(text(compose(line("->"), line("->"))) == text(line("->")));
}
