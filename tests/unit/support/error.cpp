// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/support/error.hpp>

#include <catch.hpp>

#include <cstdint>
#include <limits>
#include <string>

using axe::errc;
using axe::Error;

TEST_CASE("an error puts its numbers into its sentence", "[error]")
{
    const Error e(errc::bad_extent, 3, "{1} before {0}, {2} and {1} again", 7, -8, 9);
    CHECK(e.sentence().c_str() == std::string("-8 before 7, 9 and -8 again"));
    CHECK(Error(errc::bad_axis, 0, "braces {x} {3} {0").sentence().c_str() == std::string("braces {x} {3} {0"));
    CHECK(Error().sentence().c_str() == std::string());
}

TEST_CASE("sentences hold the ends of the integer", "[error]")
{
    using limits = std::numeric_limits<std::int64_t>;
    CHECK(Error(errc::overflow, -1, "{0} {1} {2}", limits::min(), limits::max(), 0).sentence().c_str() ==
          std::string("-9223372036854775808 9223372036854775807 0"));
}

TEST_CASE("a sentence too long is cut, and ends", "[error]")
{
    const std::string words(1000, 'x');
    const axe::Sentence sentence = Error(errc::bad_syntax, -1, words.c_str()).sentence();
    CHECK(sentence.size == axe::Sentence::capacity);
    CHECK(sentence.c_str() == std::string(axe::Sentence::capacity, 'x'));
}

TEST_CASE("none is told from ill-formed", "[error]")
{
    CHECK(Error(errc::not_grouped, 0, "").is_none());
    CHECK(Error(errc::no_layout, 0, "").is_none());
    CHECK_FALSE(Error(errc::size_mismatch, 0, "").is_none());
    CHECK_FALSE(Error().is_none());
    CHECK_FALSE(static_cast<bool>(Error()));
    CHECK(static_cast<bool>(Error(errc::no_layout, 0, "")));
}

TEST_CASE("every code has a name of its own", "[error]")
{
    std::string seen = ",";
    for (int i = 0; i <= static_cast<int>(errc::bad_syntax); ++i) {
        const std::string name = axe::name(static_cast<errc>(i));
        CHECK(name != "?");
        CHECK(seen.find("," + name + ",") == std::string::npos);
        seen += name + ",";
    }
}
