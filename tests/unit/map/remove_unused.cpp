// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/map/parse.hpp>
#include <axe/map/print.hpp>
#include <axe/map/remove_unused.hpp>

#include <catch.hpp>

namespace {

std::string without_unused(const char* text, axe::UnusedKind which = axe::UnusedKind::every)
{
    return axe::print(axe::remove_unused(axe::parse_map(text).value(), which).map);
}

} // namespace

TEST_CASE("remove_unused: by kind")
{
    const char* const text = "(d0, d1)[s0, s1]{rt0} -> (d1 + s1), domain: d0 in [0, 1], d1 in [0, 2], s0 in [0, 3], s1 in [0, 4], "
                             "rt0 in [0, 5]";
    CHECK(without_unused(text, axe::UnusedKind::dimensions) ==
          "(d0)[s0, s1]{rt0} -> (d0 + s1), domain: d0 in [0, 2], s0 in [0, 3], s1 in [0, 4], rt0 in [0, 5]");
    CHECK(without_unused(text, axe::UnusedKind::symbols) ==
          "(d0, d1)[s0] -> (d1 + s0), domain: d0 in [0, 1], d1 in [0, 2], s0 in [0, 4]");
    CHECK(without_unused(text) == "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 2], s0 in [0, 4]");
    const auto unused = axe::remove_unused(axe::parse_map(text).value());
    CHECK(unused.removed == std::vector<bool>{true, false, true, false, true});
}

TEST_CASE("remove_unused: a constraint with a needed variable keeps the others that it mentions")
{
    // s0 + s1 in [0, 512] says something of s1 although no result mentions it
    CHECK(without_unused("(d0)[s0, s1] -> (s0), domain: d0 in [0, 1], s0 in [0, 9], s1 in [0, 9], s0 + s1 in [0, 5]") ==
          "()[s0, s1] -> (s0), domain: s0 in [0, 9], s1 in [0, 9], s0 + s1 in [0, 5]");
    // and so through a second constraint
    CHECK(without_unused("()[s0, s1, s2] -> (s0), domain: s0 in [0, 9], s1 in [0, 9], s2 in [0, 9], s0 + s1 in [0, 5], "
                         "s1 + s2 in [3, 4]") ==
          "()[s0, s1, s2] -> (s0), domain: s0 in [0, 9], s1 in [0, 9], s2 in [0, 9], s0 + s1 in [0, 5], s1 + s2 in [3, 4]");
}

TEST_CASE("remove_unused: a constraint goes with its variables when some point satisfies it")
{
    CHECK(without_unused("(d0, d1) -> (d1), domain: d0 in [0, 49], d1 in [0, 59], d0 mod 3 in [0, 0]") ==
          "(d0) -> (d0), domain: d0 in [0, 59]");
    // Tied to one of another kind: d0 may not go, so neither may s0.
    const char* const tied = "(d0)[s0, s1] -> (s1), domain: d0 in [0, 9], s0 in [0, 9], s1 in [0, 3], d0 + s0 in [0, 5]";
    CHECK(without_unused(tied, axe::UnusedKind::symbols) ==
          "(d0)[s0, s1] -> (s1), domain: d0 in [0, 9], s0 in [0, 9], s1 in [0, 3], d0 + s0 in [0, 5]");
    CHECK(without_unused(tied) == "()[s0] -> (s0), domain: s0 in [0, 3]");
}

TEST_CASE("remove_unused: what cannot be satisfied leaves an empty map")
{
    for (const char* const text : {
             "(d0, d1) -> (d1), domain: d0 in [0, 49], d1 in [0, 59], d0 mod 60 in [55, 57]",
             "(d0, d1) -> (d1), domain: d0 in [10, 0], d1 in [0, 59]",
             "()[s0, s1] -> (0), domain: s0 in [0, 6], s1 in [0, 6], s0 * 2 + s1 * 4 in [5, 5]",
         }) {
        INFO(text);
        const auto unused = axe::remove_unused(axe::parse_map(text).value());
        CHECK(unused.map.has_empty_interval());
        CHECK(unused.removed[0]);
    }
}

TEST_CASE("remove_unused: what is not decided stays")
{
    // The square of no number ends on 7: not to be seen from halves of the interval.
    const char* const text = "(d0) -> (), domain: d0 in [0, 1099511627775], (d0 * d0) mod 10 in [7, 7]";
    CHECK(without_unused(text) == text);
    // No point of 2^40 satisfies it, nor values that overflow.
    for (const char* const none :
         {"(d0, d1) -> (), domain: d0 in [0, 1048575], d1 in [0, 1048575], d0 * 2 + d1 * 4 in [77777, 77777]",
          "(d0) -> (), domain: d0 in [4611686018427387904, 4611686018427387905], d0 * 4 in [1, 1]"})
        CHECK(axe::remove_unused(axe::parse_map(none).value()).map.has_empty_interval());
}

TEST_CASE("remove_unused: an undefined map stays one")
{
    CHECK(axe::remove_unused(axe::IndexingMap::undefined()).map.is_undefined);
}
