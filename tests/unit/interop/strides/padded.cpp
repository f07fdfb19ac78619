// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/strides/padded.hpp>
#include <axe/layout/evaluate.hpp>
#include <axe/text/literals.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace axe;
using namespace axe::literals;
using axe::detail::check_padding;
using axe::detail::layout_of;
using axe::detail::PaddedParts;
using axe::detail::place_digits;
using laws::Int;

namespace {

/// The coordinate of an element by its row-major number.
Coord coordinate(const Shape& shape, Int x)
{
    Coord c = shape;
    for (int d = shape.size() - 1; d >= 0; --d) {
        c[d] = x % shape[d];
        x /= shape[d];
    }
    return c;
}

Int at(const Layout& layout, const Shape& shape, const Coord& c) { return evaluate(layout, shape, c).value()[Axis{}]; }

/// The padded tensor: each place once, without gaps, and the elements of the old one where they were.
void check(const Layout& layout, const Shape& shape, const PaddedParts& placed)
{
    const auto padded = layout_of(placed, Axis{});
    REQUIRE(padded);
    REQUIRE(placed.shape.size() == shape.size());
    for (int d = 0; d < shape.size(); ++d) REQUIRE(placed.shape[d] >= shape[d]);
    for (Int x = 0; x < *volume(shape); ++x) {
        const Coord c = coordinate(shape, x);
        REQUIRE(at(*padded, placed.shape, c) == at(layout, shape, c));
    }
    std::vector<bool> seen(static_cast<std::size_t>(*volume(placed.shape)));
    for (Int x = 0; x < *volume(placed.shape); ++x) {
        const Int address = at(*padded, placed.shape, coordinate(placed.shape, x));
        REQUIRE((address >= 0 && address < *volume(placed.shape) && !seen[static_cast<std::size_t>(address)]));
        seen[static_cast<std::size_t>(address)] = true;
    }
    Int inside = 1;
    for (int i = placed.digits.size() - 1; i >= 0; --i) {
        REQUIRE(placed.digits[i].stride == inside);
        inside *= placed.digits[i].extent;
    }
    REQUIRE(inside == *volume(placed.shape));
}

void refused(const axe::Status& e, errc code, int position, const char* sentence)
{
    CHECK(e.code() == code);
    CHECK(e.error().position == position);
    CHECK(std::string(e.error().message().c_str()) == sentence);
}

} // namespace

TEST_CASE("place_digits: what it places is compact, and has the elements where they were", "[interop][strides]")
{
    // All layouts of up to three iters; their shapes cut them in every way.
    int placed = 0, padded = 0, refusals = 0;
    std::vector<Layout> layouts{{}};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        const Layout l = layouts[i];
        for (const Int extent : {2, 3})
            for (const Int stride : {1, 2, 3, 4, 6, 7, 8, 12})
                if (l.shard.size() < 3) {
                    layouts.push_back(l);
                    layouts.back().shard.push_back(Iter(extent, stride));
                }
        const Int n = *size(l);
        for (Int a = 1; a <= n; ++a)
            for (Int b = 1; n % a == 0 && b <= n / a; ++b) {
                if (n / a % b != 0) continue;
                Shape shape{a, b};
                if (a * b != n) shape.push_back(n / a / b);
                if (!detail::check_admission(l, shape).ok()) continue;
                INFO(print(l).c_str() << " on " << print(shape).c_str());
                const auto got = place_digits(l, shape, Axis{});
                ++(got ? placed : refusals);
                if (!got) {
                    REQUIRE((got.code() == errc::no_layout || got.code() == errc::not_grouped));
                    continue;
                }
                padded += !(got->shape == shape);
                check(l, shape, *got);
            }
    }
    CHECK(placed > 300);
    CHECK(padded > 100);
    CHECK(refusals > 300);
}

TEST_CASE("place_digits: digits of which the outermost of each dimension is not full are placed always", "[interop][strides]")
{
    laws::Random r(51);
    int padded = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const int rank = static_cast<int>(r.in(1, 3));
        std::vector<std::vector<Iter>> dims(static_cast<std::size_t>(rank)); // innermost first
        Int stride = 1;
        for (Int i = r.in(1, 5); i > 0 && stride < 200; --i) {
            const Int extent = r.in(2, 4);
            dims[static_cast<std::size_t>(r.in(0, rank - 1))].push_back(Iter(extent, stride));
            stride *= extent;
        }
        Layout layout;
        Shape shape;
        for (auto& digits : dims) {
            if (!digits.empty()) digits.back().extent = r.in(2, digits.back().extent);
            std::reverse(digits.begin(), digits.end());
            shape.push_back(1);
            for (const Iter& it : digits) {
                layout.shard.push_back(it);
                shape.back() *= it.extent;
            }
        }
        INFO(print(layout).c_str() << " on " << print(shape).c_str());
        const auto got = place_digits(layout, shape, Axis{});
        REQUIRE(got);
        check(layout, shape, *got);
        padded += !(got->shape == shape);
    }
    CHECK(padded > 300);
}

TEST_CASE("place_digits: refusals, and where they are", "[interop][strides]")
{
    const auto no = [](const Layout& layout, const Shape& shape, errc code, int position, const char* sentence) {
        const auto got = place_digits(layout, shape, Axis{});
        REQUIRE_FALSE(got);
        refused(got.error(), code, position, sentence);
    };
    no("4:1 + 3@m"_axe, {4}, errc::no_layout, -1, "the first element is at 3; this format starts at 0");
    no("(2,4):(4,-1)"_axe, {2, 4}, errc::no_layout, 1, "dimension 1 has stride -1; this format needs strides of at least 1");
    no("(2,4):(0,1)"_axe, {2, 4}, errc::no_layout, 0, "dimension 0 has stride 0; this format needs strides of at least 1");
    no("(2,4):(3,1)"_axe, {2, 4}, errc::no_layout, 0, "stride 3 of dimension 0 is less than the 4 elements inside it");
    no("(2,2):(6,1)"_axe, {4}, errc::no_layout, 0,
       "stride 6 of dimension 0 leaves a gap above 2 elements that no padded dimension fills");
    no("(2,2,3):(7,1,2)"_axe, {4, 3}, errc::no_layout, 0,
       "stride 7 of dimension 0 leaves a gap above 6 elements that no padded dimension fills");
    CHECK(place_digits("(2,2):(2,1@lane)"_axe, {2, 2}, Axis{}).code() != errc::ok);
    CHECK(place_digits("4:1"_axe, {5}, Axis{}).code() == errc::size_mismatch);
    CHECK(place_digits("4:1"_axe, {0}, Axis{}).code() == errc::bad_extent);
    // The padded shape, too, is within the integer.
    CHECK_FALSE(place_digits(Layout{{Iter(4, INT64_C(1) << 61), Iter(2, 1)}}, {4, 2}, Axis{}));
    // Of several dimensions that could be padded it is one without elements.
    CHECK(place_digits("(2,2):(6,1)"_axe, {4, 1}, Axis{})->shape == Shape{4, 3});
    CHECK(place_digits("(2,2,2):(24,4,1)"_axe, {4, 2, 1}, Axis{}).code() == errc::ok);
    CHECK(place_digits(Layout{}, {}, Axis{})->digits.empty());
    CHECK(place_digits("(2,3):(3@x,1@x)"_axe, {2, 3}, Axis{"x"})->digits.size() == 2);
}

TEST_CASE("Padded: a scalar as long as nothing is filled in", "[interop][strides]")
{
    Padded p;
    CHECK(p.elements == 1);
    CHECK((p.layout == Layout{} && p.shape.empty() && p.valid.empty()));
    p.valid.push_back({0, 3});
    CHECK_FALSE(p == Padded{});
}

TEST_CASE("check_padding: no extent is padded to less", "[interop][strides]")
{
    CHECK(check_padding({}, {}).ok());
    CHECK(check_padding({4, 8}, {3, 8}).ok());
    refused(check_padding({4}, {3, 8}), errc::rank_mismatch, -1, "the padded shape has 1 dimension, the tensor 2");
    refused(check_padding({4, 7}, {3, 8}), errc::bad_argument, 1, "dimension 1 of extent 8 is padded to 7, which is less");
    CHECK(check_padding({4, 8}, {3, 0}).code() == errc::bad_extent);
    CHECK(check_padding({4, 8}, {3, 0}).error().position == 1);
    for (Int a = 1; a < 4; ++a)
        for (Int b = 1; b < 4; ++b)
            for (Int c = 1; c < 4; ++c)
                for (Int d = 1; d < 4; ++d) CHECK(check_padding({a, b}, {c, d}).ok() == (a >= c && b >= d));
}
