// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/relayout/options.hpp>
#include <catch.hpp>

namespace {

using axe::DType;
using axe::errc;
using axe::RelayoutOptions;

void refused(const RelayoutOptions& o, const std::string& sentence)
{
    const auto widths = axe::detail::element_widths(o);
    CHECK_FALSE(widths);
    CHECK(widths.error().code == errc::bad_argument);
    CHECK(widths.error().text == sentence);
}

} // namespace

TEST_CASE("relayout options: bits")
{
    for (const int bits : {8, 16, 32, 64, 128}) {
        RelayoutOptions o;
        o.bits = bits;
        const auto widths = axe::detail::element_widths(o);
        REQUIRE(widths);
        CHECK(widths->to == bits / 8);
        CHECK(widths->from == bits / 8);
        CHECK_FALSE(widths->nibbles);
        CHECK_FALSE(widths->finish.any);
    }
    RelayoutOptions o;
    o.bits = 4;
    CHECK(axe::detail::element_widths(o)->nibbles);
    for (const int bits : {0, -8, 1, 24, 256}) {
        o.bits = bits;
        refused(o, "elements of " + std::to_string(bits) + (bits == 1 ? " bit" : " bits") +
                       " cannot be copied; 4, 8, 16, 32, 64 and 128 can");
    }
}

TEST_CASE("relayout options: types")
{
    RelayoutOptions o;
    o.bits = 77; // says nothing
    o.from_type = DType::f32;
    CHECK_FALSE(axe::detail::element_widths(o)->finish.any); // a copy
    CHECK(axe::detail::element_widths(o)->to == 4);
    o.to_type = DType::e4m3;
    CHECK(axe::detail::element_widths(o)->finish.any);
    CHECK(axe::detail::element_widths(o)->to == 1);
    CHECK(axe::detail::element_widths(o)->from == 4);
    o.to_type = {};
    o.scale = -1;
    CHECK(axe::detail::element_widths(o)->finish.any);
    o.scale = 1;
    o.accumulate = true;
    CHECK(axe::detail::element_widths(o)->finish.any);

    o = {};
    o.to_type = DType::f16;
    refused(o, "the destination's type is given, the source's is not: a conversion needs both");
    o = {};
    o.scale = 0.5;
    refused(o, "scaling and accumulating need values; give the type of the elements, not only their bits");
    o = {};
    o.accumulate = true;
    refused(o, "scaling and accumulating need values; give the type of the elements, not only their bits");
}
