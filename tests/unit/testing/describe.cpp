// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/slice.hpp>
#include <axe/testing/describe.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

namespace {

using namespace axe::literals;
using laws::Int;

constexpr auto fragment = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The lines of a text from the first that begins with a label on, up to the next label.
std::string labeled(const std::string& text, const std::string& label)
{
    std::string out;
    bool on = false;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        if (line.size() > 12 && line.substr(0, 12) != std::string(12, ' '))
            on = line.substr(0, 12) == "  " + label + std::string(10 - label.size(), ' ');
        if (on) out += line.substr(12) + (end < text.size() && text.substr(end + 1, 12) == std::string(12, ' ') ? " " : "");
        if (on && out.size() > 0 && text.substr(end, 13) != "\n" + std::string(12, ' ')) return out;
        at = end + 1;
    }
    return out;
}

std::vector<axe::Point> listed(const axe::Layout& l, Int x)
{
    std::vector<axe::Point> out;
    for (const auto& p : axe::points(l, x)) out.push_back(p);
    return out;
}
/// In the order of points, on the axes that the random layouts have.
bool before(const axe::Point& a, const axe::Point& b) { return a["lane"] != b["lane"] ? a["lane"] < b["lane"] : a["m"] < b["m"]; }
/// The first 64 and the count.
std::string shown(const std::vector<axe::Point>& points)
{
    std::string out = axe::print(points[0]).c_str();
    for (std::size_t i = 1; i < points.size() && i < 64; ++i) out += std::string(" ") + axe::print(points[i]).c_str();
    return points.size() > 64 ? out + " ... " + std::to_string(points.size()) + " points" : out;
}

} // namespace

TEST_CASE("describe_equals_map: both layouts, the first index that differs, both sets")
{
    CHECK(axe::describe_equals_map(fragment, "(8,2,4,2):(4@lane,1@warp,1@lane,2@reg) + [2:4@warp] + 5@warp"_axe) ==
          "different maps\n"
          "  actual    (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp\n"
          "  expected  (8,2,4,2):(4@lane,1@warp,1@lane,2@reg) + [2:4@warp] + 5@warp\n"
          "first at index 1, coordinate (0,0,0,1) of (8,2,4,2)\n"
          "  actual    {lane:0, reg:1, warp:5} {lane:0, reg:1, warp:9}\n"
          "  expected  {lane:0, reg:2, warp:5} {lane:0, reg:2, warp:9}\n"
          "  extra     {lane:0, reg:1, warp:5}");
    // one point on each side shows itself; of one iter, the index says all
    CHECK(axe::describe_equals_map("(8,8):(8,1)"_axe, "64:2"_axe) == "different maps\n"
                                                                     "  actual    (8,8):(8,1)\n"
                                                                     "  expected  64:2\n"
                                                                     "first at index 1\n"
                                                                     "  actual    {m:1}\n"
                                                                     "  expected  {m:2}");
    CHECK(axe::describe_equals_map("64:1"_axe, "(8,8):(9,1)"_axe) == "different maps\n"
                                                                     "  actual    64:1\n"
                                                                     "  expected  (8,8):(9,1)\n"
                                                                     "first at index 8, coordinate (1,0) of (8,8)\n"
                                                                     "  actual    {m:8}\n"
                                                                     "  expected  {m:9}");
    CHECK(axe::describe_equals_map("(8,8):(8,1)"_axe, "(8,9):(9,1)"_axe) == "the layouts have 64 and 72 elements\n"
                                                                            "  actual    (8,8):(8,1)\n"
                                                                            "  expected  (8,9):(9,1)");
    CHECK(axe::describe_equals_map("(8,8):(8,1)"_axe, "64:1"_axe) == "one map\n"
                                                                     "  actual    (8,8):(8,1)\n"
                                                                     "  expected  64:1");
    CHECK(axe::describe_equals_map("():()"_axe, "():() + 1@lane"_axe) == "different maps\n"
                                                                         "  actual    ():()\n"
                                                                         "  expected  ():() + 1@lane\n"
                                                                         "first at index 0\n"
                                                                         "  actual    {}\n"
                                                                         "  expected  {lane:1}");
    CHECK(axe::describe_equals_map(axe::group(fragment, {8, 15}), "64:1"_axe) ==
          "no answer: size_mismatch: the shape has 120 elements, the layout 128\n"
          "  actual    refused\n"
          "  expected  64:1");
    CHECK(axe::describe_equals_map("8:1 + [2:1]"_axe, axe::Swizzled<axe::Layout>{{1, 0, 1}, {}, 1, "8:1 + [2:1]"_axe}) ==
          "no answer: too_hard: not decided: different swizzles of layouts with replicas are not compared\n"
          "  actual    8:1 + [2:1]\n"
          "  expected  swizzle<1,0,1>(8:1 + [2:1])");
}

TEST_CASE("describe_equals_map: the first 64 points and the count, the point on one side only, lines that fit")
{
    const auto text = axe::describe_equals_map("8:1000 + [100:1]"_axe, "8:1000 + [99:1]"_axe);
    const std::string first = "{m:0} {m:1} {m:2} {m:3} {m:4} {m:5} {m:6} {m:7} {m:8} {m:9}\n            {m:10} {m:11}";
    CHECK(contains(text, "\n  actual    " + first));
    CHECK(contains(text, "\n  expected  " + first));
    CHECK(contains(text, " {m:63}\n            ... 100 points\n"));
    CHECK(contains(text, " {m:63}\n            ... 99 points\n  extra     {m:99}"));
    CHECK_FALSE(contains(text, "{m:64}"));
    CHECK(contains(axe::describe_equals_map("8:1000 + [63:1]"_axe, "8:1000 + [64:1]"_axe), "{m:63}\n  missing   {m:63}"));
    CHECK_FALSE(contains(axe::describe_equals_map("8:1000 + [63:1]"_axe, "8:1000 + [64:1]"_axe), "..."));

    // too many to be counted, and alike as far as one looks
    const auto hard = axe::describe_equals_map("8:1 + [2097152:3, 3:2]"_axe, "8:2"_axe);
    CHECK(contains(hard, "\n            ... and more\n"));
    const auto far = axe::describe_equals_map("2:1@lane + [1099511627776:1]"_axe, "2:1@lane + [1099511627777:1]"_axe);
    CHECK(contains(far, "... 1099511627776 points\n"));
    CHECK_FALSE((contains(far, "missing") || contains(far, "extra")));

    // points that a swizzle puts out of order, too many to put back
    const axe::Swizzled<axe::Layout> many{{1, 0, 1}, {}, 1, "2:1 + [5000:1]"_axe}, moved{{1, 0, 1}, {}, 1, "2:2 + [5000:1]"_axe};
    CHECK(axe::describe_equals_map(many, moved) == "different maps\n"
                                                   "  actual    swizzle<1,0,1>(2:1 + [5000:1])\n"
                                                   "  expected  swizzle<1,0,1>(2:2 + [5000:1])\n"
                                                   "first at index 1\n"
                                                   "  actual    too_hard: not decided: a swizzle reorders 5000 points of one\n"
                                                   "            index; at most 4096 can be sorted\n"
                                                   "  expected  too_hard: not decided: a swizzle reorders 5000 points of one\n"
                                                   "            index; at most 4096 can be sorted");

    // a point longer than a line stays where it begins
    const auto long_point = axe::describe_equals_map(
        "():() + 1@aaaaaaaaaaaaaaa + 1@bbbbbbbbbbbbbbb + 1@ccccccccccccccc + 1@ddddddddddddddd"_axe, "():()"_axe);
    CHECK(contains(long_point, "\n  actual    {aaaaaaaaaaaaaaa:1, bbbbbbbbbbbbbbb:1, ccccccccccccccc:1, ddddddddddddddd:1}\n"));

    // longer than a line: broken after a comma, and continued below the beginning
    const auto sixteen = "(4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4):(1@abcdefghijklmno,4@abcdefghijklmno,1@b,4@b,1@c,4@c,1@d,4@d,1@e,4@e,"
                         "1@f,4@f,1@g,4@g,1@h,4@h)"_axe;
    const auto wide = axe::describe_equals_map(sixteen, "4294967296:1"_axe);
    CHECK(contains(wide, "\n  actual    (4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4):(1@abcdefghijklmno,\n"
                         "            4@abcdefghijklmno,1@b,4@b,1@c,4@c,1@d,4@d,1@e,4@e,1@f,4@f,1@g,\n"
                         "            4@g,1@h,4@h)\n  expected  4294967296:1\n"));
}

TEST_CASE("describe_equals_map: random pairs, told right")
{
    laws::Random r(20240910);
    Int different = 0;
    for (Int i = laws::cases(2000); i > 0; --i) {
        laws::Kind kind;
        kind.axes = 2;
        kind.largest_size = 60;
        kind.replicas = kind.offset = true;
        const axe::Layout l = laws::random_layout(r, kind);
        axe::Layout m = l;
        if (!m.shard.empty() && r.one_in(2))
            m.shard[static_cast<int>(r.in(0, m.shard.size() - 1))].stride += r.in(-1, 1);
        else
            m.replica.push_back({r.in(1, 3), r.in(1, 3)});
        const auto text = axe::describe_equals_map(l, m);
        const auto same = axe::equals_map(l, m);
        bool good = labeled(text, "actual") == axe::print(l).c_str() && labeled(text, "expected") == axe::print(m).c_str();
        if (same) {
            good = good && contains(text, "one map\n") && !contains(text, "index");
        } else {
            ++different;
            const auto at = text.find("first at index " + std::to_string(same.witness()));
            good = good && at != std::string::npos;
            const auto here = listed(l, same.witness()), there = listed(m, same.witness());
            const auto sets = text.substr(std::min(at, text.size()));
            good = good && labeled(sets, "actual") == shown(here) && labeled(sets, "expected") == shown(there);
            std::vector<axe::Point> odd; // on one side only
            std::set_symmetric_difference(here.begin(), here.end(), there.begin(), there.end(), std::back_inserter(odd), before);
            const bool is_extra = std::binary_search(here.begin(), here.end(), odd.front(), before);
            const bool single = here.size() == 1 && there.size() == 1; // shows itself
            good = good && labeled(sets, is_extra ? "extra" : "missing") == (single ? "" : axe::print(odd.front()).c_str()) &&
                   labeled(sets, is_extra ? "missing" : "extra").empty();
        }
        if (!good) FAIL_CHECK(text);
    }
    CHECK(different > 100);
}

TEST_CASE("describe_maps: place, both sets in order, the point that is missing or extra")
{
    const axe::Point six{{"lane", 8}, {"reg", 1}, {"warp", 6}}, ten{{"lane", 8}, {"reg", 1}, {"warp", 10}};
    const axe::Point eleven{{"lane", 8}, {"reg", 1}, {"warp", 11}};
    const std::string layout = "  layout    (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp\n"
                               "  actual    {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}\n";
    CHECK(axe::describe_maps(fragment, {8, 16}, {2, 9}, {eleven, six, eleven}) ==
          "other points at index 41, coordinate (2,9) of (8,16)\n" + layout +
              "  expected  {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:11}\n"
              "  extra     {lane:8, reg:1, warp:10}");
    CHECK(axe::describe_maps(fragment, {41}, {ten, six, eleven}) ==
          "other points at index 41\n" + layout +
              "  expected  {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}\n"
              "            {lane:8, reg:1, warp:11}\n"
              "  missing   {lane:8, reg:1, warp:11}");
    CHECK(axe::describe_maps(fragment, {2, 1, 0, 1}, {ten, six}) ==
          "these points at index 41, coordinate (2,1,0,1) of (8,2,4,2)\n" + layout +
              "  expected  {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}");
    CHECK(axe::describe_maps("8:1"_axe, {4}, {axe::Point{{"m", 5}}}) == "other points at index 4\n"
                                                                        "  layout    8:1\n"
                                                                        "  actual    {m:4}\n"
                                                                        "  expected  {m:5}");
    CHECK(axe::describe_maps("8:1"_axe, {4}, {}) == "other points at index 4\n"
                                                    "  layout    8:1\n"
                                                    "  actual    {m:4}\n"
                                                    "  expected  none\n"
                                                    "  extra     {m:4}");
    CHECK(axe::describe_maps("(2,4):(4,1)"_axe, {1, 2, 3}, {six}) ==
          "no answer: rank_mismatch: the coordinate has 3 indices; without a shape it has one, or one for each of the 2 iters\n"
          "  layout    (2,4):(4,1)\n"
          "  expected  {lane:8, reg:1, warp:6}");
    // points that are none are shown as they were given
    CHECK(axe::describe_maps("8:1"_axe, {4}, {axe::Point{{"m", 5}, {"m", 4}}}) ==
          "no answer: bad_axis: entry 1 of the offset repeats an axis or is out of order\n"
          "  layout    8:1\n"
          "  expected  {m:5, m:4}");
    CHECK(contains(axe::describe_maps(axe::group(fragment, {8, 15}), {8, 15}, {0, 0}, {}), "layout    refused"));
    axe::Layout bad; // whose size overflows
    for (int i = 0; i < 16; ++i) bad.shard.push_back({1 << 30, 1});
    CHECK(contains(axe::describe_maps(bad, {0}, {}), "no answer: overflow: "));
    CHECK(contains(axe::describe_tiles_by(bad, bad), "no answer: overflow: "));
    bad.shard.count = 20;
    CHECK(contains(axe::describe_maps(bad, {0}, {}), "no answer: capacity: "));
    CHECK(contains(axe::describe_equals_map(bad, bad), "no answer: capacity: "));
}

TEST_CASE("describe_groups_by: the groups, or the dimension that fails and why")
{
    CHECK(axe::describe_groups_by(fragment, {8, 16}) == "grouped by (8,16)\n"
                                                        "  layout    (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp\n"
                                                        "  groups    (8|2,4,2):(4@lane|1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp");
    CHECK(axe::describe_groups_by("(4,6):(7,1)"_axe, {3, 8}) ==
          "not grouped by (3,8)\n"
          "  layout    (4,6):(7,1)\n"
          "  reason    dimension 0 of extent 3 ends inside an iter and does not divide\n"
          "            it");
    CHECK(axe::describe_groups_by("(4,6):(7,1)"_axe, {5, 5}) ==
          "no answer: size_mismatch: the shape has 25 elements, the layout 24\n"
          "  layout    (4,6):(7,1)\n"
          "  shape     (5,5)");
}

TEST_CASE("describe_tiles_by: the C that lays the tile out, or why there is none")
{
    CHECK(axe::describe_tiles_by("(4,8):(16,2)"_axe, "8:2"_axe) ==
          "not tiled, (32) by (8)\n"
          "  layout    (4,8):(16,2)\n"
          "  tile      8:2\n"
          "  reason    dimension 0: a stride is not a multiple of the span 15 of the\n"
          "            tile");
    CHECK(axe::describe_tiles_by("(8,8,8,16):(1024,16,128,1)"_axe, {64, 128}, "(8,16):(16,1)"_axe, {8, 16}) ==
          "tiled, (64,128) by (8,16)\n"
          "  layout    (8,8,8,16):(1024,16,128,1)\n"
          "  tile      (8,16):(16,1)\n"
          "  outer     64:1");
    CHECK(axe::describe_tiles_by("(4,8):(8,1)"_axe, {4, 8}, "8:1"_axe, {8}) ==
          "no answer: rank_mismatch: the two shapes have 2 and 1 dimensions; the numbers must be equal\n"
          "  layout    (4,8):(8,1)\n"
          "  tile      8:1\n"
          "  shapes    (4,8) by (8)");
    CHECK(
        contains(axe::describe_tiles_by(axe::group(fragment, {8, 15}), "8:1"_axe), "no answer: size_mismatch: the shape has 120"));
}
