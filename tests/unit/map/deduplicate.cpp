// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/deduplicate.hpp>
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>

#include <catch.hpp>

namespace {

axe::IndexingMap read(const char* text) { return axe::parse_map(text).value(); }

} // namespace

TEST_CASE("deduplicate: maps that are one after simplification")
{
    const auto out = axe::deduplicate({
        read("(d0) -> (d0 * 2 + 0 * d0, d0), domain: d0 in [0, 9]"), read("(d0) -> (d0 + 1, d0), domain: d0 in [0, 9]"),
        read("(x) -> (x + x, x mod 10), domain: x in [0, 9]"), // the first, by another name
        read("(d0) -> (d0 * 2, d0), domain: d0 in [0, 8]"),    // another domain
    });
    REQUIRE(out.has_value());
    REQUIRE(out->size() == 3);
    CHECK(axe::print((*out)[0]) == "(d0) -> (d0 * 2, d0), domain: d0 in [0, 9]");
    CHECK(axe::print((*out)[1]) == "(d0) -> (d0 + 1, d0), domain: d0 in [0, 9]");
    CHECK(axe::print((*out)[2]) == "(d0) -> (d0 * 2, d0), domain: d0 in [0, 8]");
    CHECK(axe::deduplicate({})->empty());
}

TEST_CASE("deduplicate: constraints in any order, and what differs by one number")
{
    const char* const first = "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 * 2 + d1 in [3, 8], d0 + d1 * 3 in [2, 20]";
    const char* const second =
        "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 * 3 in [2, 20], d0 * 2 + d1 in [3, 8]";
    const char* const third = "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 * 3 in [2, 20], d0 * 2 + d1 in [3, 7]";
    CHECK(axe::deduplicate({read(first), read(second)})->size() == 1);
    CHECK(axe::deduplicate({read(first), read(second), read(third)})->size() == 2);
}

TEST_CASE("deduplicate: kinds of variables count, and undefined maps are one")
{
    CHECK(axe::deduplicate({read("(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]"),
                            read("(d0, d1) -> (d1), domain: d0 in [0, 1], d1 in [0, 1]")})
              ->size() == 2);
    const auto u = axe::IndexingMap::undefined();
    CHECK(axe::deduplicate({u, read("(d0) -> (d0), domain: d0 in [0, 1]"), u})->size() == 2);
}
