// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/literals.hpp>
#include <axe/text/ostream.hpp>
#include <axe/text/pretty.hpp>
#include <catch.hpp>

#include <iomanip>
#include <sstream>
#include <string>

namespace {

using namespace axe::literals;

template <class T>
std::string written(const T& value)
{
    std::ostringstream out;
    out << value;
    return out.str();
}

} // namespace

TEST_CASE("values are written to a stream as they are printed")
{
    const auto l = "(8,2):(4@lane,1) + [2:4@warp]"_axe;
    CHECK(written(l) == "(8,2):(4@lane,1) + [2:4@warp]");
    CHECK(written(axe::BasicLayout<std::int32_t, 4, 2, 2>{{{8, 1}}}) == "8:1");
    CHECK(written("(8|2):(2|1)"_grouped) == "(8|2):(2|1)");
    CHECK(written("swizzle<3,4,3>(8:1)"_swizzled) == "swizzle<3,4,3>(8:1)");
    CHECK(written(axe::Shape{64, 128}) == "(64,128)");
    CHECK(written(axe::Region{{0, 32}}) == "[0:32]");
    CHECK(written(axe::Point{{"warp", 6}, {"lane", 8}}) == "{lane:8, warp:6}");
    CHECK(written(axe::Iter{8, 1, "lane"}) == "8:1@lane");
    CHECK(written(axe::Axis{"lane"}) == "lane");
    CHECK(written(axe::Layout::Axes{"lane", "reg"}) == "lane,reg");
    CHECK(written(axe::errc::too_hard) == "too_hard");
    CHECK(written(axe::parse_layout("8").error()) == "bad_syntax: expected ':' after the extent at character 1");
    CHECK(written(axe::pretty(l)) == axe::pretty(l).c_str());
}

TEST_CASE("the width, fill and alignment of the stream apply to a value as a whole")
{
    std::ostringstream out;
    out << std::setw(8) << "8:1"_axe << '|' << std::left << std::setfill('.') << std::setw(8) << axe::Shape{1, 2} << '|'
        << std::setw(2) << axe::Shape{1, 2} << '|' << axe::Axis{"P"} << std::setw(6) << axe::errc::ok;
    CHECK(out.str() == "     8:1|(1,2)...|(1,2)|Pok....");
}

TEST_CASE("other things are written as before, also where the names of axe are used without its own")
{
    using namespace axe;
    std::ostringstream out;
    out << "lane" << 'c' << 1 << std::string("s") << true << 2.5;
    CHECK(out.str() == "lanec1s12.5");
}
