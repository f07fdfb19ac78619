// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/tensor/problem.hpp>
#include <axe/text/fmt.hpp>
#include <axe/text/ostream.hpp>
#include <axe/text/to_string.hpp>

#include <catch.hpp>

#include <sstream>
#include <string_view>

using namespace axe::literals;
using axe::to_string;

namespace {

/// The three ways to a text agree.
template <class T>
std::string shown(const T& value)
{
    std::ostringstream out;
    axe::operator<<(out, value);
    CHECK(out.str() == to_string(value));
    CHECK(fmt::format("{}", value) == to_string(value));
    return to_string(value);
}

} // namespace

TEST_CASE("to_string: any value, and what came of a question")
{
    CHECK(shown(axe::Shape{64, 128}) == "(64,128)");
    CHECK(shown(axe::Region{{0, 2}, {1, 3}}) == "[0:2, 1:3]");
    CHECK(shown(axe::Axis("lane")) == "lane");
    CHECK(shown(axe::Point{{"lane", 8}}) == "{lane:8}");
    CHECK(shown("(8,2):(1@lane,1)"_axe) == "(8,2):(1@lane,1)");
    CHECK(shown("(8|2):(1@lane|1)"_grouped) == "(8|2):(1@lane|1)");
    CHECK(shown("swizzle<2,0,3>(8:1)"_swizzled) == "swizzle<2,0,3>(8:1)");

    CHECK(shown(axe::size("8:1"_axe).transform([](std::int64_t n) { return axe::Shape{n}; })) == "(8)");
    CHECK(shown(axe::group("(6,8):(100,1)"_axe, {2, 24})) == to_string(*axe::group("(6,8):(100,1)"_axe, {2, 24})));
    const auto none = axe::group("(6,8):(100,1)"_axe, {4, 12});
    CHECK(shown(none) == to_string(none.error()));
    CHECK(shown(none).rfind("not_grouped: ", 0) == 0);
    CHECK(shown(axe::check("8:1"_axe)) == "ok");
    CHECK(shown(axe::check(axe::Layout{{{0, 1}}, {}, {}})) == "bad_extent: the extent of iter 0 is 0; it must be at least 1");

    CHECK(shown(axe::equal("(2,4):(4,1)"_axe, "8:1"_axe)) == "yes");
    CHECK(shown(axe::equal("(2,4):(4,1)"_axe, "(4,2):(1,4)"_axe)) == "no, at 1");
    CHECK(shown(axe::equal("8:1"_axe, "4:1"_axe)) == "no");
    CHECK(shown(axe::equal("8:1"_axe, axe::Layout{{{0, 1}}, {}, {}})) ==
          "undecided: bad_extent: the extent of iter 0 is 0; it must be at least 1");
}

TEST_CASE("to_string: intervals, swizzles, and results of numbers")
{
    CHECK(shown(axe::Range{-3, 32}) == "-3:32");
    CHECK(shown(axe::BasicRange<std::int32_t>{0, 4}) == "0:4");
    CHECK(shown(axe::Swizzle{3, 4, -3}) == "swizzle<3,4,-3>");
    CHECK(shown(axe::size("(8,2):(1@lane,1)"_axe)) == "16");
    CHECK(shown(axe::size(axe::Layout{{{0, 1}}, {}, {}})) == "bad_extent: the extent of iter 0 is 0; it must be at least 1");
    CHECK(shown(axe::parse_integer("-9223372036854775808")) == "-9223372036854775808");
    CHECK(shown(axe::Result<int>(7)) == "7");
    static_assert(axe::print(axe::size("8:1"_axe)) == "8");
    static_assert(axe::print(axe::Range{0, 32}) == "0:32");
}

TEST_CASE("to_string: problems, and results that have them for an error")
{
    using axe::Problem;
    using axe::Result;
    const Problem bad(axe::errc::bad_argument, "A: no such thing"), open(axe::errc::too_hard, "A: 2^20 steps");
    CHECK(shown(bad) == "bad_argument: A: no such thing");
    CHECK(shown(open) == "too_hard: not decided: A: 2^20 steps");
    CHECK(shown(Problem()) == "ok");
    CHECK(shown(Result<axe::Layout, Problem>("8:1@lane"_axe)) == "8:1@lane");
    CHECK(shown(Result<axe::Layout, Problem>(bad)) == "bad_argument: A: no such thing");
    CHECK(shown(Result<std::int64_t, Problem>(std::int64_t{-4})) == "-4");
    CHECK(shown(Result<std::int64_t, Problem>(bad)) == "bad_argument: A: no such thing");
    CHECK(shown(Result<std::string, Problem>(std::string("text"))) == "text");
    CHECK(shown(Result<void, Problem>()) == "ok");
    CHECK(shown(Result<void, Problem>(bad)) == "bad_argument: A: no such thing");
}

TEST_CASE("texts are read from a string, a view, a literal, and a pointer with a length")
{
    const std::string text = "(8,2):(1@lane,1)";
    CHECK(*axe::parse_layout(text) == "(8,2):(1@lane,1)"_axe);
    CHECK(*axe::parse_layout(std::string_view(text)) == "(8,2):(1@lane,1)"_axe);
    CHECK(*axe::parse_layout(text.c_str()) == "(8,2):(1@lane,1)"_axe);
    CHECK(*axe::parse_layout("(8,2):(1@lane,1)") == "(8,2):(1@lane,1)"_axe);
    CHECK(*axe::parse_shape({text.data(), 5}) == axe::Shape{8, 2});
    CHECK(axe::parse_layout("").code() == axe::errc::bad_syntax);
    static_assert(axe::parse_shape("(2,3)").value() == axe::Shape{2, 3});
    // A zero within a view is a character like others, and no end.
    CHECK(axe::parse_shape(std::string_view("8\0", 2)).code() == axe::errc::bad_syntax);

    struct Long { // of 2^31 characters, without the memory
        const char* data() const { return "8"; }
        std::size_t size() const { return std::size_t{1} << 31; }
    };
    for (const auto& error : {axe::parse_layout(Long{}).error(), axe::parse_shape(Long{}).error(), axe::parse_axes(Long{}).error(),
                              axe::parse_integer(Long{}).error()}) {
        CHECK(error.code == axe::errc::capacity);
        CHECK(to_string(error) == "capacity: a text of 2^31 characters or more cannot be read");
    }
}
