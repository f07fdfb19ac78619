// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/common/words.hpp>
#include <catch.hpp>

#include <cstdint>
#include <limits>
#include <string>

using axe::detail::worded;

TEST_CASE("worded: texts and whole numbers of any type stand where the sentence names them")
{
    const std::string text = "tensor";
    CHECK(worded("{1} of {0}, {1}", {text, std::string_view("row")}) == "row of tensor, row");
    CHECK(worded("{0} {1}", {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) ==
          "-9223372036854775808 9223372036854775807");
    CHECK(worded("{0}", {std::numeric_limits<std::uint64_t>::max()}) == "18446744073709551615");
    CHECK(worded("{0} {1}", {std::int8_t{-128}, std::uint8_t{255}}) == "-128 255");
}

TEST_CASE("worded: what 1 counts is in the singular")
{
    CHECK(worded("{0} takes {1} indices, {2} bytes", {"T", 1, 2}) == "T takes 1 index, 2 bytes");
    CHECK(worded("{0} bytes, there are {1} dimensions", {"1", std::uint8_t{1}}) == "1 byte, there is 1 dimension");
    CHECK(worded("{0} elements", {"11"}) == "11 elements");
    CHECK(worded("{0} elements are wrong", {1}) == "1 element is wrong");
    CHECK(worded("here are {9} elements", {1}) == "here are {9} elements");
}

TEST_CASE("worded: a place without a word stays, and words are not read for places")
{
    CHECK(worded("{0} {3} {} {x} {", {"{1}", 2}) == "{1} {3} {} {x} {");
    CHECK(worded("{0}", {}) == "{0}");
    CHECK(worded("", {1}).empty());
    CHECK(worded("a{0}b", {""}) == "ab");
}
