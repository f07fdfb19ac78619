// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other order of includes than in catch.cpp, and the stream operators besides.
// clang-format off
#include <catch.hpp>
#include <axe/text/ostream.hpp>
#include <axe/testing/catch.hpp>
// clang-format on
#include <axe/text/literals.hpp>

#include <sstream>

using namespace axe::literals;

TEST_CASE("matchers and texts are the same with operator<< there")
{
    const axe::Layout rows = "(4,8):(8,1)"_axe;
    CHECK_THAT(rows, axe::EqualsMap("32:1"_axe) && !axe::TilesBy("8:2"_axe));
    CHECK(Catch::Detail::stringify(rows) == "(4,8):(8,1)");
    CHECK(Catch::Detail::stringify(axe::Shape{4, 8}) == "(4,8)");
    CHECK(Catch::Detail::stringify(axe::Point{{"m", 9}}) == "{m:9}");
    CHECK(Catch::Detail::stringify(axe::errc::too_hard) == "too_hard");
    CHECK(Catch::Detail::stringify(axe::group(rows, {5, 5}).error()) == "size_mismatch: the shape has 25 elements, the layout 32");
    std::ostringstream out;
    out << rows << ' ' << axe::Shape{4, 8};
    CHECK(out.str() == "(4,8):(8,1) (4,8)");
}
