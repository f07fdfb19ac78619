// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <catch.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

/// What is not a layout, shape, coordinate, region or axis is refused by every operation that is given one: an error value with the
/// code, the place and a sentence; nothing is stopped, and nothing wraps.
namespace {

using namespace axe::literals;
using axe::errc;
using axe::Error;
using axe::Layout;
using axe::Shape;
using Int = std::int64_t;

struct Operation {
    const char* name;
    std::function<Error(const Layout&, const Shape&)> run; ///< on a layout and a shape of its size, both as first arguments
};

const Layout good = "(2,4):(4,1)"_axe;
const Shape eight{2, 4};

/// Every operation that takes a layout, with and without a shape.
std::vector<Operation> operations()
{
    const Layout one = "1:1"_axe;
    const Shape unit{1, 1};
    return {
        {"canonicalize", [](auto& l, auto&) { return axe::canonicalize(l).error(); }},
        {"size", [](auto& l, auto&) { return axe::size(l).error(); }},
        {"span", [](auto& l, auto&) { return axe::span(l, "m").error(); }},
        {"equal", [](auto& l, auto&) { return axe::equal(l, good).error(); }},
        {"equal, right", [](auto& l, auto&) { return axe::equal(good, l).error(); }},
        {"evaluate", [](auto& l, auto&) { return axe::evaluate(l, 0).error(); }},
        {"points", [](auto& l, auto&) { return axe::points(l, 0).error(); }},
        {"make_evaluator", [](auto& l, auto&) { return axe::make_evaluator(l).error(); }},
        {"inverse", [](auto& l, auto&) { return axe::inverse(l, {"m"}).error(); }},
        {"left_inverse", [](auto& l, auto&) { return axe::left_inverse(l).error(); }},
        {"right_inverse", [](auto& l, auto&) { return axe::right_inverse(l).error(); }},
        {"complement", [](auto& l, auto&) { return axe::complement(l, 16).error(); }},
        {"compose", [](auto& l, auto&) { return axe::compose(l, "1:1"_axe).error(); }},
        {"compose, right", [](auto& l, auto&) { return axe::compose("1000:1"_axe, l).error(); }},
        {"project", [](auto& l, auto&) { return axe::project(l, {"m"}).error(); }},
        {"local", [](auto& l, auto&) { return axe::local(l, {"lane"}).error(); }},
        {"rename", [](auto& l, auto&) { return axe::rename(l, "m", "n").error(); }},
        {"shift", [](auto& l, auto&) { return axe::shift(l, {{"m", 1}}).error(); }},
        {"pack", [](auto& l, auto&) { return axe::pack(l, 2, "m").error(); }},
        {"unpack", [](auto& l, auto&) { return axe::unpack(l, 2, "m").error(); }},
        {"is_injective", [](auto& l, auto&) { return axe::is_injective(l).error(); }},
        {"is_surjective", [](auto& l, auto&) { return axe::is_surjective(l, {{"m", 8}}).error(); }},
        {"is_bijective", [](auto& l, auto&) { return axe::is_bijective(l, {{"m", 8}}).error(); }},
        {"is_contiguous", [](auto& l, auto&) { return axe::is_contiguous(l).error(); }},
        {"evaluate, shape", [](auto& l, auto& s) { return axe::evaluate(l, s, {0, 0}).error(); }},
        {"points, shape", [](auto& l, auto& s) { return axe::points(l, s, {0, 0}).error(); }},
        {"preimage", [](auto& l, auto& s) { return axe::preimage(l, s, {}).error(); }},
        {"group", [](auto& l, auto& s) { return axe::group(l, s).error(); }},
        {"group_many", [](auto& l, auto& s) { return axe::group_many(l, s, s).error(); }},
        {"reshape", [](auto& l, auto& s) { return axe::reshape(l, s).error(); }},
        {"permute", [](auto& l, auto& s) { return axe::permute(l, s, {1, 0}).error(); }},
        {"broadcast", [](auto& l, auto& s) { return axe::broadcast(l, s, 0, 2).error(); }},
        {"slice", [](auto& l, auto& s) { return axe::slice(l, s, {{0, 1}, {0, 1}}).error(); }},
        {"max_vector", [](auto& l, auto& s) { return axe::max_vector(l, s, 1, "m").error(); }},
        {"tile", [=](auto& l, auto& s) { return axe::tile(l, s, one, unit).error(); }},
        {"tile, right", [=](auto& l, auto& s) { return axe::tile(one, unit, l, s).error(); }},
        {"sum", [=](auto& l, auto& s) { return axe::sum(l, s, one, unit).error(); }},
        {"untile", [=](auto& l, auto& s) { return axe::untile(l, s, one, unit).error(); }},
        {"untile, right", [](auto& l, auto& s) { return axe::untile(good, eight, l, s).error(); }},
        {"untile_outer", [=](auto& l, auto& s) { return axe::untile_outer(l, s, one, unit).error(); }},
        {"unsum_left", [=](auto& l, auto& s) { return axe::unsum_left(l, s, one, unit).error(); }},
        {"unsum_right", [=](auto& l, auto& s) { return axe::unsum_right(l, s, one, unit).error(); }},
    };
}

constexpr int with_shape_from = 24; // the operations from here on look at the shape

void refused(const Layout& l, const Shape& s, errc code, int position, int from = 0)
{
    const auto all = operations();
    for (std::size_t i = static_cast<std::size_t>(from); i < all.size(); ++i) {
        INFO(all[i].name);
        const Error e = all[i].run(l, s);
        CHECK(std::string(axe::name(e.code)) == axe::name(code));
        CHECK(e.position == position);
        CHECK(e.message().size > 10);
        CHECK_FALSE(e.is_none());
    }
}

} // namespace

TEST_CASE("bad input: the operations accept what is good")
{
    for (const auto& op : operations()) {
        INFO(op.name);
        const errc code = op.run(good, eight).code;
        CHECK((code == errc::ok || code == errc::no_layout || code == errc::unknown_axis)); // an answer, not a complaint
    }
}

TEST_CASE("bad input: extents below 1")
{
    refused({{{2, 4}, {0, 1}, {4, 1}}, {}, {}}, eight, errc::bad_extent, 1);
    refused({{{-2, 4}, {-4, 1}}, {}, {}}, eight, errc::bad_extent, 0);
    refused({{{2, 4}, {4, 1}}, {{2, 1}, {0, 3}}, {}}, eight, errc::bad_extent, 1);
    const Error e = axe::canonicalize(Layout{{{2, 4}, {-7, 1}}, {}, {}}).error();
    CHECK(std::string(e.message().c_str()) == "the extent of iter 1 is -7; it must be at least 1");
}

TEST_CASE("bad input: numbers that overflow 64 bits")
{
    const Int most = std::numeric_limits<Int>::max(), least = std::numeric_limits<Int>::min();
    refused({{{most, 1}, {2, 1}}, {}, {}}, eight, errc::overflow, 1);
    refused({{{2, most}, {3, most}, {1, 1}}, {}, {}}, {6, 1}, errc::overflow, 0);
    refused({{{2, least}}, {}, {}}, {2, 1}, errc::overflow, 0);
    refused({{{2, 1}}, {{3, most}}, {}}, {2, 1}, errc::overflow, 0);
    refused({{{2, 1}}, {}, {{"m", least}}}, {2, 1}, errc::overflow, 0);
    // an iter of extent 1 moves nothing, however large its stride
    const Layout fine{{{1, least}, {2, 1}, {1, most, "lane"}}, {{1, least}}, {}};
    CHECK(check(fine).ok());
    CHECK(*axe::canonicalize(fine) == "2:1"_axe);
    CHECK(*axe::span(fine, "m") == 2);
    CHECK((*axe::evaluate(fine, 1))["m"] == 1);
}

TEST_CASE("bad input: more than a layout holds")
{
    Layout iters, replicas, offsets, axes;
    for (int i = 0; i < 17; ++i) {
        iters.shard.push_back({2, Int{3} << i, i % 2 == 0 ? axe::Axis{"a"} : axe::Axis{"b"}});
        if (i < 9 && !replicas.replica.push_back({2, Int{3} << i})) ++replicas.replica.count;
    }
    refused(iters, eight, errc::capacity, Layout::max_shard);
    refused(replicas, eight, errc::capacity, Layout::max_replica);
    for (const char name : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'}) {
        const axe::Axis axis = *axe::Axis::make(&name, 1);
        axes.shard.push_back({2, 1, axis});
    }
    refused(axes, eight, errc::capacity, Layout::max_axes);
}

TEST_CASE("bad input: an offset that names an axis twice")
{
    refused({{{2, 1}}, {}, {{"lane", 1}, {"lane", 2}}}, {2, 1}, errc::bad_axis, 1);
}

TEST_CASE("bad input: shapes")
{
    refused(good, {2, 0}, errc::bad_extent, 1, with_shape_from);
    refused(good, {-2, -4}, errc::bad_extent, 0, with_shape_from);
    refused(good, {2, 5}, errc::size_mismatch, -1, with_shape_from);
    refused(good, {Int{1} << 40, Int{1} << 40}, errc::overflow, 1, with_shape_from);
    Shape long_shape;
    for (int i = 0; i < 17; ++i) long_shape.push_back(1);
    refused(good, long_shape, errc::capacity, axe::max_rank, with_shape_from);
}

TEST_CASE("bad input: ranks, coordinates, regions, dimensions and orders")
{
    CHECK(axe::evaluate(good, eight, {0}).code() == errc::rank_mismatch);
    CHECK(axe::evaluate(good, eight, {0, 4}).code() == errc::out_of_domain);
    CHECK(axe::evaluate(good, eight, {0, 4}).error().position == 1);
    CHECK(axe::evaluate(good, eight, {-1, 0}).error().position == 0);
    CHECK(axe::evaluate(good, 8).code() == errc::out_of_domain);
    CHECK(axe::evaluate(good, -1).code() == errc::out_of_domain);
    CHECK(axe::points(good, 8).error().code == errc::out_of_domain);
    CHECK(axe::evaluate("8:1 + [2:8]"_axe, 0).code() == errc::not_single_valued);
    CHECK(axe::slice(good, eight, {{0, 1}}).code() == errc::rank_mismatch);
    CHECK(axe::slice(good, eight, {{0, 1}, {2, 5}}).code() == errc::out_of_domain);
    CHECK(axe::slice(good, eight, {{0, 1}, {2, 5}}).error().position == 1);
    CHECK(axe::slice(good, eight, {{0, 1}, {2, 2}}).code() == errc::bad_extent);
    CHECK(axe::slice(good, eight, {{0, 1}, {3, 2}}).code() == errc::bad_extent);
    CHECK(axe::slice(good, eight, {{-1, 1}, {0, 4}}).error().position == 0);
    CHECK(axe::tile(good, eight, good, {8}).code() == errc::rank_mismatch);
    CHECK(axe::untile(good, eight, good, {8}).code() == errc::rank_mismatch);
    CHECK(axe::permute(good, eight, {0}).code() == errc::rank_mismatch);
    CHECK(axe::permute(good, eight, {0, 0}).code() == errc::bad_argument);
    CHECK(axe::permute("(3,8):(8,1)"_axe, {4, 6}, {0}).code() == errc::rank_mismatch); // nor does the shape group the layout
    CHECK(axe::permute(good, eight, {0, 2}).error().position == 1);
    CHECK(axe::broadcast(good, eight, 3, 2).code() == errc::bad_argument);
    CHECK(axe::broadcast(good, eight, -1, 2).code() == errc::bad_argument);
    CHECK(axe::broadcast(good, eight, 0, 0).code() == errc::bad_extent);
    CHECK(axe::broadcast(good, eight, 0, Int{1} << 62).code() == errc::overflow);
    CHECK(axe::max_vector(good, eight, 2, "m").code() == errc::bad_argument);
    CHECK(axe::complement(good, 0).code() == errc::bad_extent);
    CHECK(axe::pack(good, 0, "m").code() == errc::bad_extent);
    CHECK(axe::unpack(good, -1, "m").code() == errc::bad_extent);
    CHECK(axe::is_surjective(good, {{"m", 0}}).error().code == errc::bad_extent);
    CHECK(axe::intersect(axe::Iter{0, 1}, axe::Iter{2, 1}).code() == errc::bad_extent);
}

TEST_CASE("bad input: axes")
{
    CHECK(axe::Axis::make("", 0).code() == errc::bad_axis);
    CHECK(axe::Axis::make("a23456789012345", 15).has_value());
    CHECK(axe::Axis::make("a234567890123456", 16).code() == errc::bad_axis);
    // Found by fuzzing: the least integer as an extent, points off the box of an inverse, values off the interval of a complement.
    const auto least_integer = std::numeric_limits<std::int64_t>::min();
    CHECK(axe::make_layout({{least_integer, 0}}).code() == errc::bad_extent);
    CHECK(axe::make_layout({{2, 1}}, {{least_integer, 0}}).code() == errc::bad_extent);
    CHECK(axe::inverse("4:1 + 5@warp"_axe, {{"m"}}).code() == errc::no_layout);
    CHECK(axe::inverse("4:1 + 5@warp"_axe, {"m", "warp"}).code() == errc::no_layout);
    CHECK(axe::complement("4:1 + 20@m"_axe, 8).code() == errc::out_of_domain);
    CHECK(axe::complement("4:1 + -1@m"_axe, 8).code() == errc::out_of_domain);
    CHECK(axe::complement("4:1 + 4@m"_axe, 8));
    CHECK(axe::complement("4:1 + 5@m"_axe, 8).code() == errc::out_of_domain);

    // A none of the whole layout has no position, one of a dimension has that one.
    CHECK(axe::untile("(2,4):(4,1) + 3@m"_axe, {8}, "4:1"_axe, {4}).error().position == -1);
    CHECK(axe::untile("(2,3,4):(12@lane,4,1)"_axe, {2, 12}, "(2,3):(1,2)"_axe, {2, 3}).error().position == 0);
    CHECK(axe::Axis::make("la ne", 5).error().position == 2);
    CHECK(axe::Axis::make("9lane", 5).error().position == 0);
    CHECK(axe::rename(good, "lane", "warp").code() == errc::unknown_axis);
    CHECK(axe::rename("(2,4):(1@lane,1)"_axe, "m", "lane").code() == errc::bad_axis);
    CHECK(axe::max_vector(good, eight, 1, "lane").code() == errc::unknown_axis);
    CHECK(axe::inverse(good, {"m", "lane", "m"}).code() == errc::bad_axis);
    CHECK(axe::compose(good, "2:1@lane"_axe).code() == errc::bad_axis);
    CHECK(axe::compose(good, "2:1 + [2:1]"_axe).code() == errc::not_single_valued);
    CHECK(axe::compose(good, "2:8"_axe).code() == errc::out_of_domain);
    CHECK(axe::compose(good, "2:-1"_axe).code() == errc::out_of_domain);
    CHECK(axe::shift(good, {{"lane", 1}, {"lane", 2}}).code() == errc::bad_axis);
    CHECK(axe::shift("2:1 + 9223372036854775800@m"_axe, {{"m", 100}}).code() == errc::overflow);
}
