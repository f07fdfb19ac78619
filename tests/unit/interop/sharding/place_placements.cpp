// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/sharding/dtensor.hpp>
#include <axe/interop/sharding/place_placements.hpp>
#include <axe/layout/points.hpp>
#include <tests/unit/interop/sharding/chunks.hpp>
#include <tests/unit/interop/sharding/said.hpp>

#include <set>
#include <utility>

using namespace axe;
using namespace axe::sharding;

namespace {

using Int = std::int64_t;
using Point2 = std::pair<Int, Int>; // device, place on it

Placements placements(std::string_view text) { return parse_dtensor(text).value(); }

/// The points of every element, from lists that are chunked.
std::vector<std::set<Point2>> truth(const Placements& words, const std::vector<Int>& sizes, const std::vector<Int>& device_at,
                                    const Shape& shape)
{
    std::vector<std::set<Point2>> out(static_cast<std::size_t>(*volume(shape)));
    const int rank = shape.size();
    for (std::size_t k = 0; k < device_at.size(); ++k) {
        std::vector<chunks::List> held;
        Int count = 1;
        for (int d = 0; d < rank; ++d) {
            held.push_back(chunks::held(words, sizes, shape[d], rank, d, static_cast<Int>(k)));
            count *= static_cast<Int>(held.back().size());
        }
        for (Int at = 0; at < count; ++at) {
            Int rest = at, x = 0, weight = 1;
            for (int d = rank - 1; d >= 0; --d) {
                const chunks::List& list = held[static_cast<std::size_t>(d)];
                x += list[static_cast<std::size_t>(rest % static_cast<Int>(list.size()))] * weight;
                rest /= static_cast<Int>(list.size());
                weight *= shape[d];
            }
            out[static_cast<std::size_t>(x)].insert({device_at[k], at});
        }
    }
    return out;
}

/// Is there any layout with these points? The sets must be one set, moved, and what moves it a sum of digits, each on one axis.
bool some_layout_lies_so(const std::vector<std::set<Point2>>& points)
{
    std::vector<Point2> at;
    for (const auto& set : points) {
        at.push_back(*set.begin());
        std::set<Point2> moved;
        for (const Point2& p : set)
            moved.insert({p.first - at.back().first + at.front().first, p.second - at.back().second + at.front().second});
        if (moved != points.front()) return false;
    }
    const auto step = [](const Point2& a, const Point2& b) { return Point2(b.first - a.first, b.second - a.second); };
    while (at.size() > 1) {
        const Point2 first = step(at[0], at[1]);
        if (first.first != 0 && first.second != 0) return false;
        std::size_t n = 1;
        while (n < at.size() && step(at[n - 1], at[n]) == first) ++n;
        if (at.size() % n != 0) return false;
        for (std::size_t i = 0; i < at.size(); ++i)
            if (step(at[i - i % n], at[i]) != step(at[0], at[i % n])) return false;
        std::vector<Point2> outer;
        for (std::size_t i = 0; i < at.size(); i += n) outer.push_back(at[i]);
        at = outer;
    }
    return true;
}

/// Compares with enumeration; says whether it is a layout.
bool compare(const Placements& words, const Mesh& mesh, const std::vector<Int>& sizes, const std::vector<Int>& device_at,
             const Shape& shape)
{
    const auto placed = place(words, mesh, shape);
    const auto points_of = truth(words, sizes, device_at, shape);
    INFO(print_dtensor(words).c_str() << " on " << print(shape).c_str());
    if (placed.has_value() != some_layout_lies_so(points_of)) FAIL("a layout exists, and is not given, or the other way");
    if (!placed) {
        if (placed.code() != errc::no_layout) FAIL(placed.error().message().c_str());
        return false;
    }
    if (*size(placed->layout) != static_cast<Int>(points_of.size())) FAIL("of another size");
    for (std::size_t x = 0; x < points_of.size(); ++x) {
        std::set<Point2> got;
        for (const Point& p : points(placed->layout, static_cast<Int>(x))) got.insert({p[Axis{"gpuid"}], p[Axis{"m"}]});
        if (got != points_of[x]) FAIL("element " << x << " lies elsewhere: " << print(placed->layout).c_str());
    }
    return true;
}

/// The devices in the order of the places.
std::vector<Int> devices_of(const Mesh& mesh)
{
    std::vector<Int> out;
    for (Int at = 0; at < device_count(mesh); ++at) {
        Int device = mesh.first, rest = at;
        for (int k = mesh.digits.size() - 1; k >= 0; --k) {
            device += rest % mesh.digits[k].extent * mesh.digits[k].stride;
            rest /= mesh.digits[k].extent;
        }
        out.push_back(device);
    }
    return out;
}

std::string layout_of(std::string_view text, const Mesh& mesh, const Shape& shape)
{
    const auto placed = place(placements(text), mesh, shape);
    return placed ? said::text(placed->layout) : std::string(placed.error().message().c_str());
}

} // namespace

TEST_CASE("place of placements: a layout iff there is one, in one dimension, by enumeration")
{
    int layouts = 0, others = 0, uneven = 0;
    for (const auto& sizes : chunks::meshes())
        for (const bool transposed : {false, true}) {
            if (transposed && sizes.size() < 2) continue;
            Mesh mesh = chunks::row_major(sizes);
            if (transposed)
                mesh = *make_mesh(mesh.axes, {Iter(sizes[0], 1), Iter(sizes[1], -sizes[0])}, sizes[0] * sizes[1] - sizes[0]);
            const auto device_at = devices_of(mesh);
            for (const Placements& words : chunks::all_placements(static_cast<int>(sizes.size()), 1))
                for (Int n = 1; n <= 24; ++n) {
                    const bool is_layout = compare(words, mesh, sizes, device_at, {n});
                    ++(is_layout ? layouts : others);
                    const auto spec = to_spec(words, mesh, 1);
                    uneven += is_layout && (!spec || !place(*spec, {n})) ? 1 : 0;
                }
        }
    CHECK(layouts > 5000);
    CHECK(others > 5000);
    CHECK(uneven > 500); // layouts of dimensions that do not divide
}

TEST_CASE("place of placements: a layout iff there is one, in two dimensions, by enumeration")
{
    int layouts = 0, others = 0;
    for (const std::vector<Int>& sizes : {std::vector<Int>{2, 2}, {3, 2}, {2, 3}, {4, 2}})
        for (const Placements& words : chunks::all_placements(2, 2))
            for (Int a = 1; a <= 6; ++a)
                for (Int b = 1; b <= 6; ++b) {
                    const Mesh mesh = chunks::row_major(sizes);
                    ++(compare(words, mesh, sizes, devices_of(mesh), {a, b}) ? layouts : others);
                }
    CHECK(layouts > 1000);
    CHECK(others > 1000);
}

TEST_CASE("place of placements: where all divide, the layout of their spec")
{
    const Mesh square = *make_mesh({{"dp", 2}, {"tp", 2}});
    for (const char* text : {"[Shard(0), Shard(0)]", "[_StridedShard(0, split_factor=2), Shard(0)]", "[Shard(1), Partial(max)]",
                             "[Partial(sum), Partial(sum)]", "[_StridedShard(1, split_factor=4), Replicate()]"}) {
        const auto mine = place(placements(text), square, {8, 8});
        const auto other = place(*to_spec(placements(text), square, 2), {8, 8});
        REQUIRE(mine);
        REQUIRE(other);
        CHECK(sharding::equal(*mine, *other));
        CHECK(mine->terms == other->terms);
    }
}

TEST_CASE("place of placements: dimensions that do not divide and are layouts, and those that are none")
{
    const Mesh two = *make_mesh({{"x", 2}}), four = *make_mesh({{"x", 4}}), square = *make_mesh({{"a", 2}, {"b", 2}});
    CHECK(layout_of("[Shard(0)]", four, {6}) == "(3,2):(1@gpuid,1)"); // the last device holds nothing
    CHECK(layout_of("[Shard(0)]", four, {6, 5}) == "(3,2,5):(1@gpuid,5,1)");
    CHECK(layout_of("[Shard(0)]", four, {2}) == "2:1@gpuid");
    CHECK(layout_of("[Shard(0)]", four, {1}) == "():()");
    CHECK(layout_of("[Shard(0), Shard(0)]", square, {3}) == "3:1@gpuid"); // 1 1 1 and nothing
    CHECK(layout_of("[Shard(0), Partial(sum)]", square, {1, 4}) == "4:1 + [2:1@gpuid]");
    CHECK(layout_of("[Shard(0)]", four, {7}) ==
          "dimension 0 is not a layout: 7 elements leave a remainder over 4 parts\nhint: boxes_of lists the boxes");
    CHECK(layout_of("[Shard(0), Shard(0)]", square, {4, 10}) == "(2,2,10):(2@gpuid,1@gpuid,1)");
    CHECK(layout_of("[Shard(0), Shard(1)]", square, {4, 5}) ==
          "dimension 1 is not a layout: 5 elements leave a remainder over 2 parts\nhint: boxes_of lists the boxes");
    CHECK(layout_of("[_StridedShard(0, split_factor=2)]", two, {5}) ==
          "dimension 0 is not a layout: 5 elements leave a remainder over 4 parts\nhint: boxes_of lists the boxes");
    // four chunks of 3 among two, then six of 2: 3 and 2 do not divide each other
    CHECK(layout_of("[_StridedShard(0, split_factor=4), _StridedShard(0, split_factor=3)]", square, {24}) ==
          "dimension 0 is not a layout: the parts of one placement cross those of another\nhint: boxes_of lists the boxes");
}

TEST_CASE("place of placements: far out, and what is refused")
{
    constexpr Int huge = INT64_MAX;
    const Mesh two = *make_mesh({{"x", 2}}), vast = *make_mesh({{"x", Int{1} << 62}});
    CHECK(layout_of("[_StridedShard(0, split_factor=1152921504606846976)]", two, {Int{1} << 62}) ==
          "(1152921504606846976,2,2):(2,1@gpuid,1)");
    CHECK(
        layout_of("[Shard(0)]", two, {huge}) ==
        "dimension 0 is not a layout: 9223372036854775807 elements leave a remainder over 2 parts\nhint: boxes_of lists the boxes");
    CHECK(layout_of("[Shard(0)]", vast, {6}) == "6:1@gpuid");
    CHECK(place(placements("[_StridedShard(0, split_factor=1152921504606846976)]"), two, {huge}).code() == errc::too_hard);
    CHECK(place(placements("[Shard(0)]"), vast, {huge}).code() == errc::too_hard);
    CHECK(place(placements("[Shard(1)]"), two, {5}).code() == errc::bad_argument);
    CHECK(place(placements("[Shard(0)]"), two, {0}).code() == errc::bad_extent);
    CHECK(place(placements("[Shard(0), R]"), two, {4}).code() == errc::rank_mismatch);
    // An even dimension of any size beside an uneven one.
    CHECK(layout_of("[Shard(1), _StridedShard(0, split_factor=1073741824)]", *make_mesh({{"a", 4}, {"b", 2}}), {Int{1} << 32, 6}) ==
          "(1073741824,2,2,3,2):(4,1@gpuid,2,2@gpuid,1)");
}
