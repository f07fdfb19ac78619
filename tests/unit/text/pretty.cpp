// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/literals.hpp>
#include <axe/text/pretty.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace {

using namespace axe::literals;
using Int = std::int64_t;

template <class T>
std::string text(const T& value)
{
    return axe::pretty(value).c_str();
}

/// The notation, put together again from the columns: they must begin at the same places of both lines, two spaces apart.
std::string from_columns(const std::string& pretty)
{
    const std::size_t newline = pretty.find('\n');
    std::string upper = pretty.substr(0, newline), lower = pretty.substr(newline + 1);
    std::string extents, strides, replicas, offset;
    const std::size_t plus = lower.find(" + ");
    if (plus != std::string::npos) {
        offset = lower.substr(plus);
        lower.erase(plus);
    }
    if (upper.size() != lower.size()) return "lines of different lengths";
    std::size_t i = 0;
    const auto word = [&](const std::string& line) { return line.substr(i, line.find(' ', i) - i); };
    const auto same = [&](const char* s) { // both lines go on with it
        const std::size_t n = std::string(s).size();
        if (upper.compare(i, n, s) != 0 || lower.compare(i, n, s) != 0) return false;
        i += n;
        return true;
    };
    const auto iter = [&](std::string& a, std::string& b) {
        const std::string above = word(upper), below = word(lower);
        const std::size_t width = std::max(above.size(), below.size());
        if (upper.substr(i, width) != above + std::string(width - above.size(), ' ')) return false;
        if (lower.substr(i, width) != below + std::string(width - below.size(), ' ')) return false;
        a += above;
        b += below;
        i += width;
        return true;
    };
    if (!same("(")) return "no (";
    for (bool first = true; !same(" )");) {
        if (same(" |")) {
            extents += '|';
            strides += '|';
            first = true;
            continue;
        }
        if (!same(first ? " " : "  ")) return "no column";
        if (!first) {
            extents += ',';
            strides += ',';
        }
        first = false;
        if (!iter(extents, strides)) return "no iter";
    }
    if (same(" [")) {
        bool first = true;
        for (; !same(" ]"); first = false) {
            if (!same(first ? " " : "  ")) return "no replica";
            std::string n, s;
            if (!iter(n, s)) return "no iter";
            replicas += (first ? " + [" : ", ") + n + ":" + s;
        }
        replicas += "]";
    }
    if (i != upper.size()) return "something after the end";
    return "(" + extents + "):(" + strides + ")" + replicas + offset;
}

} // namespace

TEST_CASE("the pretty form puts extents over strides, in aligned columns")
{
    CHECK(text("(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe) ==
          "( 8       2       4       2     ) [ 2      ]\n"
          "( 4@lane  1@warp  1@lane  1@reg ) [ 4@warp ] + 5@warp");
    CHECK(text("(1024,2):(1,1)"_axe) == "( 1024  2 )\n"
                                        "( 1     1 )");
    CHECK(text("8:1"_axe) == "( 8 )\n( 1 )");
    CHECK(text("():()"_axe) == "( )\n( )");
    CHECK(text("():() + [2:4@warp, 3:-1]"_axe) == "( ) [ 2       3  ]\n"
                                                  "( ) [ 4@warp  -1 ]");
    CHECK(text("8:1 + -3@warp + 0@P"_axe) == "( 8 )\n( 1 ) + 0@P + -3@warp");
}

TEST_CASE("dimension groups are parted by bars in the pretty form")
{
    CHECK(text("(8|2,4,2):(4@lane|1@warp,1@lane,1@reg)"_grouped) == "( 8      | 2       4       2     )\n"
                                                                    "( 4@lane | 1@warp  1@lane  1@reg )");
    CHECK(text("(|8|):(|1|)"_grouped) == "( | 8 | )\n( | 1 | )");
    CHECK(text("(||):(||)"_grouped) == "( | | )\n( | | )");
    CHECK(text("(8,2):(2,1)"_grouped) == text("(8,2):(2,1)"_axe));
    CHECK(text("():()"_grouped) == "( )\n( )");
}

TEST_CASE("a swizzle stands before the upper line, and the lower line is indented")
{
    CHECK(text("swizzle<3,4,3>@smem/2((8,64):(64@smem,1@smem) + 8@smem)"_swizzled) ==
          "swizzle<3,4,3>@smem/2 ( 8        64     )\n"
          "                      ( 64@smem  1@smem ) + 8@smem");
    CHECK(text("swizzle<3,4,3>(():())"_swizzled) == "swizzle<3,4,3> ( )\n"
                                                    "               ( )");
}

TEST_CASE("the columns hold the layout")
{
    laws::Random r(3);
    int blocks = 0;
    for (Int i = laws::cases(5'000); i > 0; --i) {
        laws::Kind kind;
        kind.axes = 3;
        kind.extent_one = kind.replicas = kind.offset = true;
        axe::Grouped<axe::Layout> g;
        g.layout = laws::random_layout(r, kind);
        for (auto& it : g.layout.shard) it.stride *= r.one_in(3) ? 1'000'003 : 1;
        int end = 0;
        for (Int d = r.in(1, 5); d > 0; --d) {
            end += static_cast<int>(r.in(0, g.layout.shard.size() - end));
            g.ends.push_back(d == 1 ? g.layout.shard.size() : end);
        }
        const std::string want = axe::print(g).c_str(), shown = text(g);
        if (from_columns(shown) != want) FAIL_CHECK(want << " is shown as\n" << shown << "\nwhich is " << from_columns(shown));
        const axe::Swizzled<axe::Layout> s{{3, 4, -3}, "smem", 2, g.layout};
        const std::string behind = text(s), prefix = "swizzle<3,4,-3>@smem/2 ", blank(prefix.size(), ' ');
        const std::size_t newline = text(g.layout).find('\n');
        if (behind != prefix + text(g.layout).substr(0, newline + 1) + blank + text(g.layout).substr(newline + 1))
            FAIL_CHECK(behind);
        blocks += g.rank() > 2;
    }
    CHECK(blocks > 0);
}

TEST_CASE("the longest pretty form fits")
{
    constexpr Int least = std::numeric_limits<Int>::min();
    axe::Grouped<axe::Layout> g;
    for (int i = 0; i < 16; ++i) g.layout.shard.push_back({least, least, "abcdefghijklmno"});
    for (int i = 0; i < 8; ++i) g.layout.replica.push_back({least, least, "abcdefghijklmno"});
    const char* const names[] = {"aaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbb", "ccccccccccccccc", "ddddddddddddddd",
                                 "eeeeeeeeeeeeeee", "fffffffffffffff", "ggggggggggggggg", "hhhhhhhhhhhhhhh"};
    for (const char* name : names) *g.layout.offset.entry(axe::Axis::make(name, 15).value()) = least;
    for (int d = 0; d < 16; ++d) g.ends.push_back(d < 15 ? 0 : 16);
    const std::string shown = text(g);
    CHECK(from_columns(shown) == axe::print(g).c_str());
    CHECK(shown.substr(shown.size() - 15) == "hhhhhhhhhhhhhhh");

    constexpr int lowest = std::numeric_limits<int>::min();
    const std::string behind = text(axe::Swizzled<axe::Layout>{{lowest, lowest, lowest}, "abcdefghijklmno", least, g.layout});
    CHECK(behind.substr(behind.size() - 15) == "hhhhhhhhhhhhhhh");
}

namespace {

static_assert(axe::pretty("(8,2):(2@lane,1)"_axe) == "( 8       2 )\n( 2@lane  1 )");
static_assert(axe::pretty("(|8):(|1)"_grouped) == "( | 8 )\n( | 1 )");
static_assert(axe::pretty("swizzle<1,2,1>(8:1)"_swizzled) == "swizzle<1,2,1> ( 8 )\n               ( 1 )");

} // namespace
