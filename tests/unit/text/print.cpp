// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/literals.hpp>
#include <axe/text/parse.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <cctype>
#include <limits>
#include <string>

namespace {

using namespace axe::literals;
using Int = std::int64_t;

constexpr Int least = std::numeric_limits<Int>::min();
constexpr Int most = std::numeric_limits<Int>::max();

template <class T>
std::string text(const T& value)
{
    return axe::print(value).c_str();
}

/// A number that is often at an end of its range.
Int extreme(laws::Random& r)
{
    switch (r.in(0, 4)) {
    case 0: return least;
    case 1: return most;
    case 2: return static_cast<Int>(r.next());
    case 3: return 0;
    default: return r.in(-1000, 1000);
    }
}

axe::Axis any_axis(laws::Random& r)
{
    static const char* const names[] = {"m", "lane", "P", "a", "z.Z_9", "abcdefghijklmno", "ABCDEFGH", "abcdefgh1", "TCol", "m0"};
    const std::string name = names[r.in(0, 9)];
    return axe::Axis::make(name.data(), static_cast<int>(name.size())).value();
}

/// Any layout that passes `check`, its numbers as large as they may be.
axe::Layout any_layout(laws::Random& r)
{
    while (true) {
        axe::Layout l;
        for (Int i = r.in(0, 16); i > 0; --i)
            l.shard.push_back({r.one_in(3) ? r.in(1, Int{1} << r.in(0, 40)) : 1, extreme(r), any_axis(r)});
        for (Int i = r.in(0, 8); i > 0; --i) l.replica.push_back({r.one_in(3) ? r.in(1, 9) : 1, extreme(r), any_axis(r)});
        for (Int i = r.in(0, 8); i > 0; --i)
            if (Int* entry = l.offset.entry(any_axis(r))) *entry = extreme(r);
        for (auto& it : l.shard)
            if (it.extent > 1 && r.one_in(2)) it.stride = r.in(-4, 4);
        while (!axe::check(l).ok() && !l.shard.empty()) l.shard.pop_back();
        if (axe::check(l).ok()) return l;
    }
}

} // namespace

TEST_CASE("layouts are printed in their canonical spelling")
{
    CHECK(text(axe::Layout{}) == "():()");
    CHECK(text(axe::Layout{{{64, 1}}}) == "64:1");
    CHECK(text(axe::Layout{{{64, -2, "lane"}}}) == "64:-2@lane");
    CHECK(text(axe::Layout{{{8, 16}, {16, 1, "m"}}}) == "(8,16):(16,1)");
    CHECK(text(axe::Layout{{{8, 4, "lane"}, {2, 1}}, {{2, 4, "warp"}, {1, 1, "gpuid"}}, {{"warp", 5}, {"P", -3}, {"m", 7}}}) ==
          "(8,2):(4@lane,1) + [2:4@warp, 1:1@gpuid] + -3@P + 7@m + 5@warp");
    CHECK(text(axe::Layout{{}, {{2, 1}}}) == "():() + [2:1]");
    CHECK(text(axe::Layout{{{2, 0, "lane"}}}) == "2:0@lane");
}

TEST_CASE("layouts of another integer and of other capacities are printed too")
{
    using Small = axe::BasicLayout<std::int32_t, 4, 2, 2>;
    CHECK(text(Small{{{8, -4, "lane"}, {2, 1}}, {{2, 4}}, {{"lane", -1}}}) == "(8,2):(-4@lane,1) + [2:4] + -1@lane");
    CHECK(text(Small::Shape{4, 2}) == "(4,2)");
    CHECK(text(Small::Region{{0, 2}}) == "[0:2]");
    CHECK(text(Small::Point{{"lane", 3}}) == "{lane:3}");
}

TEST_CASE("grouped layouts show their blocks")
{
    const auto grouped = [](const axe::Layout& l, const axe::Shape& s) { return text(axe::group(l, s).value()); };
    CHECK(grouped("(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)"_axe, {8, 16}) == "(8|2,4,2):(4@lane|1@warp,1@lane,1@reg)");
    CHECK(grouped("8:1"_axe, {1, 8, 1}) == "(|8|):(|1|)");
    CHECK(grouped("8:1"_axe, {8}) == "(8):(1)");
    CHECK(grouped("8:1"_axe, {8, 1, 1}) == "(8||):(1||)");
    CHECK(grouped("8:1 + [2:8] + 1@P"_axe, {2, 4}) == "(2|4):(4|1) + [2:8] + 1@P");
    CHECK(grouped("():()"_axe, {}) == "():()");
    CHECK(grouped("():()"_axe, {1, 1}) == "(|):(|)");
}

TEST_CASE("swizzled layouts show their swizzle: the axis m and a width of 1 are left out")
{
    using Swizzled = axe::Swizzled<axe::Layout>;
    CHECK(text(Swizzled{{3, 4, 3}, {}, 1, "(8,64):(64,1)"_axe}) == "swizzle<3,4,3>((8,64):(64,1))");
    CHECK(text(Swizzled{{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe}) == "swizzle<3,4,3>/2((8,64):(64,1))");
    CHECK(text(Swizzled{{2, 4, -3}, "smem", 1, "8:1@smem + 5@smem"_axe}) == "swizzle<2,4,-3>@smem(8:1@smem + 5@smem)");
    CHECK(text(Swizzled{{1, 6, 1}, "P", 16, {}}) == "swizzle<1,6,1>@P/16(():())");
    CHECK(text(Swizzled{}) == "swizzle<0,0,0>(():())");
}

TEST_CASE("errors show their code and their sentence")
{
    CHECK(text(axe::group("8:1"_axe, {3}).error()) == "size_mismatch: the shape has 3 elements, the layout 8");
    CHECK(text(axe::Error{}) == "ok");
    CHECK(text(axe::errc::not_single_valued) == "not_single_valued");
    for (int code = 0; code <= static_cast<int>(axe::errc::bad_syntax); ++code) // none is cut
        CHECK(text(static_cast<axe::errc>(code)) == axe::name(static_cast<axe::errc>(code)));
}

TEST_CASE("shapes, regions, points, iters and axes")
{
    CHECK(text(axe::Shape{64, 128}) == "(64,128)");
    CHECK(text(axe::Shape{64}) == "(64)");
    CHECK(text(axe::Shape{}) == "()");
    CHECK(text(axe::Region{{0, 32}, {64, 128}}) == "[0:32, 64:128]");
    CHECK(text(axe::Point{{"warp", 6}, {"lane", 8}, {"P", 0}}) == "{P:0, lane:8, warp:6}");
    CHECK(text(axe::Point{}) == "{}");
    CHECK(text(axe::Iter{8, 1, "lane"}) == "8:1@lane");
    CHECK(text(axe::Iter{8, 1}) == "8:1");
    CHECK(text(axe::Axis{}) == "m");
    CHECK(text(axe::Layout::Axes{"lane", "reg"}) == "lane,reg");
}

TEST_CASE("reading what was printed gives the same layout")
{
    laws::Random r(7);
    int large = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        const axe::Layout l = any_layout(r);
        const auto printed = axe::print(l);
        const auto back = axe::parse_layout({printed.c_str(), printed.size});
        large += printed.size > 500;
        if (!back || !(*back == l) || back->offset.size() != l.offset.size())
            FAIL_CHECK(printed.c_str() << ": " << back.error().message().c_str());
    }
    CHECK(large > 0);
}

TEST_CASE("reading what was printed gives the same grouped layout")
{
    laws::Random r(9);
    int many_blocks = 0, empty_blocks = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        axe::Grouped<axe::Layout> g;
        g.layout = any_layout(r);
        int end = 0;
        for (Int d = r.in(0, 16); d > 0; --d) {
            end += r.one_in(2) ? 0 : static_cast<int>(r.in(0, g.layout.shard.size() - end));
            g.ends.push_back(end);
        }
        if (g.ends.empty() && !g.layout.shard.empty()) g.ends.push_back(0);
        if (!g.ends.empty()) g.ends.back() = g.layout.shard.size();
        if (g.rank() == 1 && g.layout.shard.empty()) g.ends.clear(); // written as rank 0 is
        const auto printed = axe::print(g);
        const auto back = axe::parse_grouped({printed.c_str(), printed.size});
        if (!back || !(*back == g)) FAIL_CHECK(printed.c_str() << ": " << back.error().message().c_str());
        many_blocks += g.rank() > 8;
        for (int d = 0; d < g.rank(); ++d) empty_blocks += g.begin(d) == g.end(d);
    }
    CHECK(many_blocks > 100);
    CHECK(empty_blocks > 100);
}

TEST_CASE("whatever group gives is read back, a shape of rank 1 and extent 1 as rank 0")
{
    laws::Random r(10);
    int grouped = 0, of_one_element = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        laws::Kind kind;
        kind.axes = 3;
        kind.replicas = kind.offset = true;
        const axe::Layout l = r.one_in(20) ? axe::Layout{{{1, 3}}, {{2, 1}}, {}} : laws::random_layout(r, kind);
        axe::Shape shape;
        Int rest = axe::size(l).value();
        while (rest > 1 || r.one_in(3)) {
            if (shape.size() == 16) break;
            Int extent = r.in(1, rest);
            while (rest % extent != 0) --extent;
            shape.push_back(extent);
            rest /= extent;
        }
        const auto g = axe::group(l, shape);
        if (!g) continue;
        const auto printed = axe::print(*g);
        const auto back = axe::parse_grouped({printed.c_str(), printed.size});
        const bool one = shape == axe::Shape{1};
        if (!back || !(back->layout == g->layout) || !(one ? back->rank() == 0 : back->ends == g->ends))
            FAIL_CHECK(printed.c_str() << ": " << back.error().message().c_str());
        ++grouped;
        of_one_element += one;
    }
    CHECK(grouped > 1000);
    CHECK(of_one_element > 0);
}

TEST_CASE("reading what was printed gives the same swizzled layout")
{
    laws::Random r(11);
    int checked = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        axe::Swizzled<axe::Layout> s;
        const auto small = [&](Int lo, Int hi) { return static_cast<int>(r.in(lo, hi)); };
        s.swizzle = {small(0, 20), small(0, 40), small(-60, 60)};
        s.axis = any_axis(r);
        s.width = r.one_in(3) ? 1 : Int{1} << r.in(0, 62);
        s.layout = any_layout(r);
        if (!axe::check(s).ok()) continue;
        const auto printed = axe::print(s);
        const auto back = axe::parse_swizzled({printed.c_str(), printed.size});
        if (!back || !(*back == s)) FAIL_CHECK(printed.c_str() << ": " << back.error().message().c_str());
        ++checked;
    }
    CHECK(checked > 500);
}

TEST_CASE("reading what was printed gives the same shape, coordinate, region, point, iter and axis")
{
    laws::Random r(8);
    int checked = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        axe::Coord coord;
        axe::Region region;
        axe::Point point;
        axe::Layout::Axes axes;
        for (Int k = r.in(0, 16); k > 0; --k) coord.push_back(extreme(r));
        for (Int k = r.in(0, 16); k > 0; --k) region.push_back({extreme(r), extreme(r)});
        for (Int k = r.in(0, 8); k > 0; --k)
            if (Int* entry = point.entry(any_axis(r))) *entry = extreme(r);
        for (Int k = r.in(1, 8); k > 0; --k) axes.push_back(any_axis(r));
        const axe::Iter iter{1, extreme(r), any_axis(r)};

        const auto c = axe::print(coord);
        const auto g = axe::print(region);
        const auto p = axe::print(point);
        const auto a = axe::print(axes);
        const auto t = axe::print(iter);
        const auto x = axe::print(iter.axis);
        const auto point_back = axe::parse_point({p.c_str(), p.size});
        const bool same =
            axe::parse_coord({c.c_str(), c.size}).value() == coord && axe::parse_region({g.c_str(), g.size}).value() == region &&
            point_back && point_back->entries == point.entries && axe::parse_axes({a.c_str(), a.size}).value() == axes &&
            axe::parse_iter({t.c_str(), t.size}).value() == iter && axe::parse_axis({x.c_str(), x.size}).value() == iter.axis;
        if (!same) FAIL_CHECK(c.c_str() << " " << g.c_str() << " " << p.c_str() << " " << a.c_str() << " " << t.c_str());
        ++checked;
    }
    CHECK(checked > 0);
}

TEST_CASE("spaces between the tokens of a text change nothing, and what is read is printed in one way")
{
    laws::Random r(12);
    const auto spaced = [&](const std::string& text) {
        std::string out;
        const auto joined = [](char a, char b) { // the characters of one token: a name, or a number and its sign
            const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
            return (part(a) || a == '-') && part(b);
        };
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (i == 0 || i == text.size() || !joined(text[i - 1], text[i]))
                for (Int n = r.in(0, 2); n > 0; --n) out += " \t\n\r"[r.in(0, 3)];
            if (i < text.size() && text[i] != ' ') out += text[i];
        }
        return out;
    };
    int checked = 0;
    const auto check = [&](const auto& value, auto parse) {
        const std::string printed = text(value), wide = spaced(printed);
        const auto back = parse(wide);
        if (!back || text(*back) != printed) FAIL_CHECK(wide << ": " << back.error().message().c_str());
        ++checked;
    };
    for (Int i = laws::cases(5'000); i > 0; --i) {
        const axe::Layout l = any_layout(r);
        const int half = l.shard.size() / 2;
        check(l, axe::parse_layout);
        check(axe::Grouped<axe::Layout>{l, {0, half, half, l.shard.size()}}, axe::parse_grouped);
        check(axe::Swizzled<axe::Layout>{{3, 4, -5}, any_axis(r), 4, l}, axe::parse_swizzled);
        check(l.offset, axe::parse_point);
        check(axe::Region{{extreme(r), extreme(r)}, {0, 1}}, axe::parse_region);
        check(axe::Coord{extreme(r), extreme(r)}, axe::parse_coord);
        check(axe::Shape{r.in(1, 1000), 2}, axe::parse_shape);
        check(axe::Layout::Axes{any_axis(r), any_axis(r)}, axe::parse_axes);
        check(axe::Iter{1, extreme(r), any_axis(r)}, axe::parse_iter);
    }
    CHECK(checked > 0);
}

TEST_CASE("the longest texts fit")
{
    axe::Layout l;
    for (int i = 0; i < 16; ++i) l.shard.push_back({least, least, "abcdefghijklmno"});
    for (int i = 0; i < 8; ++i) l.replica.push_back({least, least, "abcdefghijklmno"});
    const char* const names[] = {"aaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbb", "ccccccccccccccc", "ddddddddddddddd",
                                 "eeeeeeeeeeeeeee", "fffffffffffffff", "ggggggggggggggg", "hhhhhhhhhhhhhhh"};
    for (const char* name : names) *l.offset.entry(axe::Axis::make(name, 15).value()) = least;
    const std::string whole = text(l);
    const std::string end = "-9223372036854775808@hhhhhhhhhhhhhhh";
    CHECK(whole.substr(whole.size() - end.size()) == end);
    // extents, strides, punctuation; replicas; offsets
    CHECK(whole.size() == 16 * (20 + 36) + 2 * 15 + 5 + 8 * 57 + 7 * 2 + 5 + 8 * (36 + 3));
    CHECK(axe::print(l).size <= axe::print(l).capacity);

    axe::Grouped<axe::Layout> grouped;
    grouped.layout = l;
    for (int d = 0; d < 16; ++d) grouped.ends.push_back(d < 15 ? 0 : 16);
    CHECK(text(grouped).size() == whole.size() + 2 * 15);

    constexpr int lowest = std::numeric_limits<int>::min();
    const axe::Swizzled<axe::Layout> swizzled{{lowest, lowest, lowest}, "abcdefghijklmno", least, l};
    const std::string front = "swizzle<-2147483648,-2147483648,-2147483648>@abcdefghijklmno/-9223372036854775808(";
    CHECK(text(swizzled) == front + whole + ")");
}

TEST_CASE("a list that claims more than it holds is printed as far as it goes")
{
    axe::Shape shape;
    for (int i = 0; i < 16; ++i) shape.push_back(1);
    shape.count = 20;
    CHECK(text(shape) == "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)");

    axe::Grouped<axe::Layout> grouped;
    grouped.layout = "8:1"_axe;
    grouped.ends = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    CHECK(text(grouped) == "(|||||||||||||||8):(|||||||||||||||1)");
}

namespace {

static_assert(axe::print("(8,16):(16@m,1)"_axe) == "(8,16):(16,1)");
static_assert(axe::print("(|8):(|16)"_grouped) == "(|8):(|16)");
static_assert(axe::print("swizzle<3,4,3>@m/1(8:1)"_swizzled) == "swizzle<3,4,3>(8:1)");
static_assert(axe::print(axe::parse_layout("8").error()) == "bad_syntax: expected ':' after the extent at character 1");
static_assert(axe::print(axe::Shape{1, 2}) == "(1,2)");
static_assert(!(axe::print(axe::Shape{1, 2}) == "(1,2"));
static_assert(!(axe::print(axe::Shape{1, 2}) == "(1,2) "));

} // namespace
