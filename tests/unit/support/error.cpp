// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/support/error.hpp>

#include <catch.hpp>

#include <cstdint>
#include <limits>
#include <string>

using axe::errc;
using axe::Error;

TEST_CASE("what 1 counts is in the singular")
{
    const auto said = [](const char* words, std::int64_t a, std::int64_t b = 7) {
        return std::string(Error(errc::size_mismatch, -1, words, a, b).message().c_str());
    };
    CHECK(said("the shape has {0} elements, the layout {1}", 1) == "the shape has 1 element, the layout 7");
    CHECK(said("the shape has {0} elements, the layout {1}", 2) == "the shape has 2 elements, the layout 7");
    CHECK(said("the shape has {0} elements, the layout {1}", 0) == "the shape has 0 elements, the layout 7");
    CHECK(said("{0} elements are at one place", 1) == "1 element is at one place");
    CHECK(said("{0} values have a right inverse", 1) == "1 value has a right inverse");
    CHECK(said("{0} indices, {1} axes and", 1, 1) == "1 index, 1 axis and");
    CHECK(said("{0} copies", 1) == "1 copy");
    CHECK(said("{0} entries", 1) == "1 entry");
    CHECK(said("2^{0} elements", 1) == "2^1 elements"); // two of them
    CHECK(said("{1} x {0} elements", 1) == "7 x 1 elements");
    CHECK(said("{0} elements", 11) == "11 elements");
    CHECK(said("{0} names no axis; {1} steps", 1, 1) == "1 names no axis; 1 steps"); // verbs, too
    CHECK(said("{0} bits-wide", 1) == "1 bits-wide");
    // A number that is a name, and what who has it does.
    CHECK(said("agent {0} accesses lanes {1}", 1) == "agent 1 accesses lanes 7");
    CHECK(said("agent {0} copies within its own block", 1) == "agent 1 copies within its own block");
    CHECK(said("lane {0} accesses element {1} of {1} elements", 1, 1) == "lane 1 accesses element 1 of 1 element");
    CHECK(said("it is in statement {0} accesses {1}", 1) == "it is in statement 1 accesses 7");
    CHECK(said("the basis at character {0} nests deeper", 1) == "the basis at character 1 nests deeper");
    CHECK(said("the device {0} dimensions, the agent {0} accesses-list", 1) == "the device 1 dimension, the agent 1 accesses-list");
    CHECK(said("no more than {0} accesses", 1) == "no more than 1 access");
    // Verbs of what is counted, and of what it is a part of.
    CHECK(said("{0} devices hold the tensor, but the mesh has {1}", 1) == "1 device holds the tensor, but the mesh has 7");
    CHECK(said("{0} elements leave a remainder over {1} parts", 1) == "1 element leaves a remainder over 7 parts");
    CHECK(said("{0} registers exceed the {1} entries", 1, 1) == "1 register exceeds the 1 entry");
    CHECK(said("{0} agents ask for columns", 1) == "1 agent asks for columns");
    CHECK(said("{0} devices hold-up", 1) == "1 device hold-up");
    CHECK(said("elements of {0} bits have no {1} parts", 1) == "elements of 1 bit have no 7 parts");
    CHECK(said("elements of {0} bytes were requested", 1) == "elements of 1 byte were requested");
    CHECK(said("{0} bytes", -1) == "-1 bytes");
    CHECK(said("{0}", 1) == "1");
    CHECK(said("the shapes have {0} and {1} dimensions", 2, 1) == "the shapes have 2 and 1 dimensions");
    CHECK(said("{0} axes and {1} extents", 2, 1) == "2 axes and 1 extent");
    CHECK(said("there are {0} operands; the operation takes {1}", 1, 2) == "there is 1 operand; the operation takes 2");
    CHECK(said("there are {0} operands; the operation takes {1}", 2, 1) == "there are 2 operands; the operation takes 1");
    CHECK(said("needs as many, here are {0}", 1) == "needs as many, here is 1");
    CHECK(said("here are {x} and {", 1) == "here are {x} and {");
    for (const auto& noun : axe::detail::counted_nouns) {
        const std::string one = said((std::string("{0} ") + noun.plural).c_str(), 1);
        CHECK(one.size() >= 2 + static_cast<std::size_t>(noun.kept));
        CHECK(one != std::string("1 ") + noun.plural);
    }
}

TEST_CASE("an error puts its numbers into its sentence", "[error]")
{
    const Error e(errc::bad_extent, 3, "{1} before {0}, {2} and {1} again", 7, -8, 9);
    CHECK(e.message().c_str() == std::string("-8 before 7, 9 and -8 again"));
    CHECK(Error(errc::bad_axis, 0, "braces {x} {3} {0").message().c_str() == std::string("braces {x} {3} {0"));
    CHECK(Error().message().c_str() == std::string());
}

TEST_CASE("messages of what was not decided, and of mistakes of the library, begin with words of their own", "[error]")
{
    const auto message = [](errc code) { return std::string(Error(code, -1, "{0} splits", 3).message().c_str()); };
    for (int i = 0; i <= static_cast<int>(errc::internal); ++i) {
        const errc code = static_cast<errc>(i);
        const std::string before = code == errc::too_hard ? "not decided: " : code == errc::internal ? "internal error: " : "";
        CHECK(message(code) == before + "3 splits");
    }
}

TEST_CASE("a hint is the second line of a message, and takes its numbers", "[error]")
{
    const Error e = Error(errc::no_layout, 2, "dimension {0} is not a layout", 2, 1).with_hint("merge {1} dimensions, or {0}");
    CHECK(e.message().c_str() == std::string("dimension 2 is not a layout\nhint: merge 1 dimension, or 2"));
    CHECK((e.code == errc::no_layout && e.position == 2));
    static_assert(Error(errc::overflow, 0, "").with_hint("x").message().size == 8);
}

TEST_CASE("sentences hold the ends of the integer", "[error]")
{
    using limits = std::numeric_limits<std::int64_t>;
    CHECK(Error(errc::overflow, -1, "{0} {1} {2}", limits::min(), limits::max(), 0).message().c_str() ==
          std::string("-9223372036854775808 9223372036854775807 0"));
}

TEST_CASE("a sentence too long is cut, and ends", "[error]")
{
    const std::string words(1000, 'x');
    const axe::Message sentence = Error(errc::bad_syntax, -1, words.c_str()).message();
    CHECK(sentence.size == axe::Message::capacity);
    CHECK(sentence.c_str() == std::string(axe::Message::capacity, 'x'));
}

TEST_CASE("none is told from ill-formed", "[error]")
{
    CHECK(Error(errc::not_grouped, 0, "").is_none());
    CHECK(Error(errc::no_layout, 0, "").is_none());
    CHECK_FALSE(Error(errc::size_mismatch, 0, "").is_none());
    CHECK_FALSE(Error().is_none());
    CHECK(Error().ok());
    CHECK_FALSE(Error(errc::no_layout, 0, "").ok());
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
