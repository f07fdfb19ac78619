// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/map/rescale.hpp>

#include <catch.hpp>

namespace {

std::string rescaled(const char* text) { return axe::print(axe::rescale(axe::parse_map(text).value())); }

} // namespace

TEST_CASE("rescale: a variable that may take every k-th value")
{
    CHECK(rescaled("()[s0] -> (s0), domain: s0 in [0, 41], s0 mod 6 in [3, 3]") == "()[s0] -> (s0 * 6 + 3), domain: s0 in [0, 6]");
    CHECK(rescaled("()[s0, s1] -> (s0), domain: s0 in [0, 9], s1 in [0, 5], s0 * s1 in [0, 28], s0 mod 6 in [3, 3]") ==
          "()[s0, s1] -> (s0 * 6 + 3), domain: s0 in [0, 1], s1 in [0, 5], (s0 * 6 + 3) * s1 in [0, 28]");
}

TEST_CASE("rescale: intervals below zero, and remainders of negative divisors")
{
    // -21, -15, -9, -3
    CHECK(rescaled("()[s0] -> (s0), domain: s0 in [-21, -2], s0 mod 6 in [3, 3]") ==
          "()[s0] -> (s0 * 6 + 3), domain: s0 in [-4, -1]");
    // s mod -6 = -3 is s ≡ 3 modulo 6
    CHECK(rescaled("()[s0] -> (s0), domain: s0 in [-21, -2], s0 mod -6 in [-3, -3]") ==
          "()[s0] -> (s0 * 6 + 3), domain: s0 in [-4, -1]");
}

TEST_CASE("rescale: affine expressions of the variable, and two constraints")
{
    // 5·s + 2 ≡ 1 (mod 7): s ≡ 4
    CHECK(rescaled("()[s0] -> (s0), domain: s0 in [0, 30], (s0 * 5 + 2) mod 7 in [1, 1]") ==
          "()[s0] -> (s0 * 7 + 4), domain: s0 in [0, 3]");
    // s ≡ 3 (mod 6) and s ≡ 5 (mod 7): s ≡ 33 (mod 42)
    CHECK(rescaled("()[s0] -> (s0), domain: s0 in [0, 99], s0 mod 6 in [3, 3], s0 mod 7 in [5, 5]") ==
          "()[s0] -> ((s0 * 7 + 5) * 6 + 3), domain: s0 in [0, 1]");
    // 4·s ≡ 2 (mod 6): s ≡ 2 (mod 3)
    CHECK(rescaled("()[s0] -> (s0), domain: s0 in [0, 10], (s0 * 4) mod 6 in [2, 2]") ==
          "()[s0] -> (s0 * 3 + 2), domain: s0 in [0, 2]");
}

TEST_CASE("rescale: what all or none satisfy")
{
    CHECK(rescaled("()[s0] -> (s0), domain: s0 in [0, 10], (s0 * 6 + 2) mod 3 in [2, 2]") ==
          "()[s0] -> (s0), domain: s0 in [0, 10]");
    for (const char* const text : {"()[s0] -> (s0), domain: s0 in [0, 10], (s0 * 6 + 2) mod 3 in [1, 1]",
                                   "()[s0] -> (s0), domain: s0 in [0, 10], s0 mod 3 in [3, 3]",
                                   "()[s0] -> (s0), domain: s0 in [0, 10], s0 mod -3 in [1, 1]"}) {
        const auto map = axe::rescale(axe::parse_map(text).value());
        CHECK(map.has_empty_interval());
        CHECK(map.results.size() == 1);
    }
}

TEST_CASE("rescale: what stays")
{
    for (const char* const text : {
             "(d0) -> (d0), domain: d0 in [0, 10], d0 mod 3 in [1, 1]",                             // a dimension
             "(){rt0} -> (rt0), domain: rt0 in [0, 10], rt0 mod 3 in [1, 1]",                       // a run-time variable
             "()[s0] -> (s0), domain: s0 in [0, 10], s0 mod 3 in [1, 2]",                           // no point
             "()[s0, s1] -> (s0), domain: s0 in [0, 10], s1 in [0, 10], (s0 + s1) mod 3 in [1, 1]", // two variables
             "()[s0] -> (s0), domain: s0 in [0, 99], (s0 floordiv 2) mod 3 in [1, 1]",              // not affine
             "()[s0] -> (s0), domain: s0 in [0, 99], s0 mod 4294967296 in [1, 1]",                  // too large a modulus
         })
        CHECK(rescaled(text) == text);
    CHECK(axe::rescale(axe::IndexingMap::undefined()).is_undefined);
}

TEST_CASE("rescale: the widest interval")
{
    CHECK(rescaled("()[s0] -> (s0), domain: s0 in [-9223372036854775808, 9223372036854775807], s0 mod 6 in [1, 1]") ==
          "()[s0] -> (s0 * 6 + 1), domain: s0 in [-1537228672809129301, 1537228672809129301]");
}
