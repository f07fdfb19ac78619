// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/axis_names.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <string>

namespace {

using namespace axe::literals;
namespace cute = axe::cute;

std::string words(const axe::Error& e) { return e.message().c_str(); }
std::string words(const axe::Status& e) { return words(e.error()); }

} // namespace

TEST_CASE("cute axis_names: a basis has an axis of its own, and back")
{
    STATIC_REQUIRE(*cute::detail::default_axis({}) == axe::Axis{});
    STATIC_REQUIRE(*cute::detail::default_axis({0}) == axe::Axis{"c0"});
    STATIC_REQUIRE(*cute::detail::default_axis({1, 0}) == axe::Axis{"c1.0"});
    STATIC_REQUIRE(*cute::detail::default_axis({2, 0, 17}) == axe::Axis{"c2.0.17"});
    for (const cute::Basis& basis : {cute::Basis{0}, cute::Basis{1, 0}, cute::Basis{2, 0, 17}, cute::Basis{2097150}})
        CHECK(cute::detail::default_basis(*cute::detail::default_axis(basis)) == basis);
    for (const axe::Axis& other : {axe::Axis{"c"}, axe::Axis{"c01"}, axe::Axis{"c1."}, axe::Axis{"m"}, axe::Axis{"c1.2.3.4"},
                                   axe::Axis{"c2097151"}, axe::Axis{"lane"}})
        CHECK(cute::detail::default_basis(other).path.empty());
    CHECK(cute::detail::default_axis({2097150, 2097150}).code() == axe::errc::bad_axis); // 16 characters
}

TEST_CASE("cute axis_names: lists that name bases")
{
    constexpr auto plain = cute::plain_on("smem");
    STATIC_REQUIRE(*cute::detail::axis_of(plain, {}) == axe::Axis{"smem"});
    STATIC_REQUIRE(*cute::detail::axis_of(plain, {3}) == axe::Axis{"c3"});
    constexpr auto two = cute::bases_on({"lane", "reg"});
    STATIC_REQUIRE(two.size() == 2);
    STATIC_REQUIRE(*cute::detail::axis_of(two, {1}) == axe::Axis{"reg"});
    CHECK(cute::detail::check_names(two).ok());

    CHECK(words(cute::detail::check_names(cute::bases_on({"lane", "lane"}))) ==
          "basis-axis pair 1 repeats the basis or the axis of pair 0; each may occur once");
    cute::AxisNames twice = two;
    twice.push_back({cute::Basis{0}, "warp"});
    CHECK(cute::detail::check_names(twice).error().position == 2);
    const auto many = cute::bases_on({"a", "b", "c", "d", "e", "f", "g", "h", "i"});
    CHECK(words(cute::detail::check_names(many)) == "at most 8 bases can be given axes, not 9");
}

TEST_CASE("cute axis_names: two bases on one axis are refused, where both move")
{
    const auto names = cute::bases_on({"c1"}); // s@0 on the name that s@1 has by itself
    CHECK(words(cute::detail::check_axes_apart("(4,8):(1@0,1@1)"_cute, names)) ==
          "leaf 1 would move on the axis of leaf 0, whose basis is different");
    CHECK(cute::detail::check_axes_apart("(4,8):(1@0,0@1)"_cute, names).ok());
    CHECK(cute::detail::check_axes_apart("(4,8):(1@0,1@2)"_cute, names).ok());
    CHECK(cute::detail::check_axes_apart("8:1@2097150@2097150"_cute, {}).code() == axe::errc::bad_axis);
}
