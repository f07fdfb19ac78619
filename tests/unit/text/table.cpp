// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/literals.hpp>
#include <axe/text/table.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace axe::literals;
using Int = std::int64_t;
using Points = std::set<std::vector<Int>>; // one number an axis, in the order of the legend

template <class L>
std::string drawn(const L& layout, const axe::Shape& shape, int rows = 32, int columns = 32, int width = 200)
{
    const auto t = axe::table(layout, shape, rows, columns, width);
    return t ? *t : std::string(axe::print(t.error()).c_str());
}

std::vector<std::string> split(const std::string& text, char at)
{
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);) out.push_back(part);
    return out;
}
std::vector<std::string> words(const std::string& line)
{
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string word; in >> word;) out.push_back(word);
    return out;
}

/// `8.1.{6,10}`, read back: the product of its sets.
Points cell_points(const std::string& cell)
{
    Points points{{}};
    if (cell == "{}") return points;
    std::size_t i = 0;
    while (i <= cell.size()) {
        std::vector<Int> values;
        std::size_t end;
        if (cell[i] == '{') {
            end = cell.find('}', i) + 1;
            const std::string inside = cell.substr(i + 1, end - i - 2);
            const std::size_t dots = inside.find("..");
            if (dots != std::string::npos && inside.find(',') == std::string::npos)
                for (Int v = std::stoll(inside); v <= std::stoll(inside.substr(dots + 2)); ++v) values.push_back(v);
            else
                for (const std::string& v : split(inside, ',')) values.push_back(std::stoll(v));
        } else {
            end = std::min(cell.find('.', i), cell.size());
            values.push_back(std::stoll(cell.substr(i, end - i)));
        }
        Points longer;
        for (const auto& p : points)
            for (const Int v : values) {
                longer.insert(p);
                auto extended = p;
                extended.push_back(v);
                longer.insert(extended);
                longer.erase(p);
            }
        points = longer;
        i = end + 1;
    }
    return points;
}

/// The points of an element as the library enumerates them, moved by the swizzle.
Points points_of(const axe::Swizzled<axe::Layout>& s, Int index, const std::vector<axe::Axis>& axes)
{
    Points out;
    for (const auto& p : axe::points(s.layout, index)) {
        std::vector<Int> values;
        for (const auto& axis : axes) values.push_back(axis == s.axis ? s.swizzle(p[axis] * s.width) / s.width : p[axis]);
        out.insert(values);
    }
    return out;
}

/// Reads the whole table back, and compares every cell. Returns what is wrong.
std::string wrong(const std::string& text, const axe::Swizzled<axe::Layout>& s, const axe::Shape& shape)
{
    auto lines = split(text, '\n');
    std::vector<axe::Axis> axes;
    const axe::Point first = *axe::points(s.layout, Int{0}).begin();
    if (!first.empty()) {
        for (const auto& word : words(lines[0]))
            if (word != ".") axes.push_back(axe::Axis::make(word.data(), static_cast<int>(word.size())).value());
        lines.erase(lines.begin());
        if (static_cast<int>(axes.size()) != first.size()) return "the legend does not name the axes";
        for (int a = 0; a < first.size(); ++a)
            if (!(axes[static_cast<std::size_t>(a)] == first.entries[a].axis)) return "the legend names other axes";
    }
    if (shape.empty()) return lines.size() == 1 && cell_points(lines[0]) == points_of(s, 0, axes) ? "" : "the one cell";
    const Int rows = shape.size() == 2 ? shape[0] : 1, columns = shape[shape.size() - 1];
    if (static_cast<Int>(lines.size()) != 2 + rows) return "not one line a row";
    for (const auto& line : lines)
        if (line.size() != lines[0].size()) return "lines of different lengths";
    for (std::size_t l = 0; l < lines.size(); ++l) {
        if (l == 1) continue;
        auto cells = words(lines[l]);
        if (shape.size() == 2) {
            if (lines[l].find('|') != lines[0].find('|')) return "bars not aligned";
            if (l > 1 && cells[0] != std::to_string(l - 2)) return "a row is not called by its number";
            cells.erase(cells.begin(), cells.begin() + (l > 1 ? 2 : 1));
        }
        if (static_cast<Int>(cells.size()) != columns) return "not one cell a column";
        for (Int c = 0; c < columns; ++c) {
            const auto& cell = cells[static_cast<std::size_t>(c)];
            if (l == 0 && cell != std::to_string(c)) return "a column is not called by its number";
            if (l > 1 && cell_points(cell) != points_of(s, static_cast<Int>(l - 2) * columns + c, axes))
                return "the cell " + cell + " of row " + std::to_string(l - 2) + ", column " + std::to_string(c);
        }
    }
    return "";
}

} // namespace

TEST_CASE("a table of rank 2 has the coordinates at its head")
{
    CHECK(drawn("(2,3):(3,1)"_axe, {2, 3}) == "m\n"
                                              "  | 0 1 2\n"
                                              "--+------\n"
                                              "0 | 0 1 2\n"
                                              "1 | 3 4 5");
    CHECK(drawn("(2,2):(4@lane,1@reg) + [2:4@warp] + 5@warp"_axe, {2, 2}) == "lane . reg . warp\n"
                                                                             "  |         0         1\n"
                                                                             "--+--------------------\n"
                                                                             "0 | 0.0.{5,9} 0.1.{5,9}\n"
                                                                             "1 | 4.0.{5,9} 4.1.{5,9}");
    CHECK(drawn("(11,2):(-1,100)"_axe, {11, 2}).substr(0, 53) == "m\n"
                                                                 "   |   0   1\n"
                                                                 "---+--------\n"
                                                                 " 0 |   0 100\n"
                                                                 " 1 |  -1  99");
}

TEST_CASE("a table of rank 1 is one row, of rank 0 one cell")
{
    CHECK(drawn("4:3@lane"_axe, {4}) == "lane\n"
                                        " 0 1 2 3\n"
                                        "--------\n"
                                        " 0 3 6 9");
    CHECK(drawn("():() + 3@lane + -1@reg"_axe, {}) == "lane . reg\n3.-1");
    CHECK(drawn("():()"_axe, {}) == "{}");
    CHECK(drawn("():()"_axe, {1}) == "  0\n---\n {}");
}

TEST_CASE("sets of values are short: runs, up to eight values, or the first four and their number")
{
    CHECK(drawn("():() + [32:1@lane] + 2@lane"_axe, {}) == "lane\n{2..33}");
    CHECK(drawn("():() + [2:1@lane]"_axe, {}) == "lane\n{0,1}");
    CHECK(drawn("():() + [3:-1@lane]"_axe, {}) == "lane\n{-2..0}");
    CHECK(drawn("():() + [2:1, 2:3, 2:9]"_axe, {}) == "m\n{0,1,3,4,9,10,12,13}");
    CHECK(drawn("():() + [8:2]"_axe, {}) == "m\n{0,2,4,6,8,10,12,14}");
    CHECK(drawn("():() + [9:2, 4:1@P]"_axe, {}) == "P . m\n{0..3}.{0,2,4,6,...}\n4 of the 9 values are shown on m");
    CHECK(drawn("():() + [1152921504606846976:2]"_axe, {}) ==
          "m\n{0,2,4,6,...}\n4 of the 1152921504606846976 values are shown on m");
    CHECK(drawn("():() + [1152921504606846976:1]"_axe, {}) == "m\n{0..1152921504606846975}");
    CHECK(drawn("swizzle<1,0,1>(():() + [4:1])"_swizzled, {}) == "m\n{0,1,2,3}"); // a run that a swizzle permutes
    CHECK(drawn("swizzle<1,0,2>(():() + [3:2])"_swizzled, {}) == "m\n{0,2,5}");
}

TEST_CASE("what there is no room for is marked and counted")
{
    CHECK(drawn("(64,128):(128,1)"_axe, {64, 128}, 2, 3) == "m\n"
                                                            "  |   0   1   2 ...\n"
                                                            "--+----------------\n"
                                                            "0 |   0   1   2 ...\n"
                                                            "1 | 128 129 130 ...\n"
                                                            "...\n"
                                                            "2 of the 64 rows are shown\n"
                                                            "3 of the 128 columns are shown");
    CHECK(drawn("64:1"_axe, {64}, 32, 3) == "m\n 0 1 2 ...\n----------\n 0 1 2 ...\n3 of the 64 elements are shown");
    CHECK(drawn("(12,1):(1,1)"_axe, {12, 1}, 11) == "m\n"
                                                    "   |  0\n"
                                                    "---+---\n"
                                                    " 0 |  0\n"
                                                    " 1 |  1\n"
                                                    " 2 |  2\n"
                                                    " 3 |  3\n"
                                                    " 4 |  4\n"
                                                    " 5 |  5\n"
                                                    " 6 |  6\n"
                                                    " 7 |  7\n"
                                                    " 8 |  8\n"
                                                    " 9 |  9\n"
                                                    "10 | 10\n"
                                                    "...\n"
                                                    "11 of the 12 rows are shown");
    // 2^60 elements cost what is drawn of them
    const std::string huge = drawn("(1073741824,1073741824):(1073741824,1)"_axe, {1073741824, 1073741824});
    CHECK(huge.find("32 of the 1073741824 rows are shown\n16 of the 1073741824 columns are shown") != std::string::npos);
    const std::string wide = drawn("1152921504606846976:1"_axe, {1152921504606846976}, 1, std::numeric_limits<int>::max());
    CHECK(split(wide, '\n')[1].size() <= 200); // no more columns than the width holds, however many are asked for
    CHECK(drawn("1152921504606846976:1"_axe, {1152921504606846976}, 1, 1) ==
          "m\n 0 ...\n------\n 0 ...\n1 of the 1152921504606846976 elements are shown");
}

TEST_CASE("no line is longer than the width, as long as it holds one column")
{
    const auto l = "(4,64):(1000000,1@lane)"_axe;
    for (int width = 1; width < 300; ++width) {
        const std::string text = drawn(l, {4, 64}, 32, 100, width);
        const auto lines = split(text, '\n');
        std::size_t longest = 0;
        for (std::size_t i = 1; i < 7; ++i) longest = std::max(longest, lines[i].size());
        const int columns = static_cast<int>(words(lines[1]).size()) - 1 - (lines[1].find("...") != std::string::npos ? 1 : 0);
        INFO(width << "\n" << text);
        CHECK(columns >= 1);
        if (columns > 1) CHECK(static_cast<int>(longest) <= width);
        // one more would not have fitted: a column is as wide as its widest cell and a space
        const int column = static_cast<int>(longest - 3) / (columns > 0 ? columns : 1);
        if (columns < 64 && columns > 1) CHECK(static_cast<int>(longest) + column > width);
        CHECK((columns < 64) == (text.find("of the 64 columns are shown") != std::string::npos));
    }
    CHECK(split(drawn("(2,10):(10,1)"_axe, {2, 10}, 32, 32, 33), '\n')[1] == "  |  0  1  2  3  4  5  6  7  8  9"); // 33 to the last
    CHECK(split(drawn("(2,10):(10,1)"_axe, {2, 10}, 32, 32, 32), '\n')[1] == "  |  0  1  2  3  4  5  6  7 ...");
}

TEST_CASE("layouts of another integer and of other capacities have tables, too")
{
    using Small = axe::BasicLayout<std::int32_t, 4, 2, 2>;
    const Small l{{{2, -4, "lane"}, {2, 1}}, {{2, 4}}, {{"lane", -1}}};
    CHECK(axe::table(l, {2, 2}).value() == "lane . m\n"
                                           "  |        0        1\n"
                                           "--+------------------\n"
                                           "0 | -1.{0,4} -1.{1,5}\n"
                                           "1 | -5.{0,4} -5.{1,5}");
}

TEST_CASE("what is not a table is refused")
{
    CHECK(drawn("8:1"_axe, {2, 2, 2}) == "bad_argument: a table has at most 2 dimensions, the shape has 3");
    CHECK(drawn("8:1"_axe, {3}) == "size_mismatch: the shape has 3 elements, the layout 8");
    CHECK(drawn("8:1"_axe, {8, 0}).substr(0, 10) == "bad_extent");
    CHECK(drawn("8:1"_axe, {8}, 0) == "bad_argument: a table needs room: 0 rows, 32 columns and a width of 200");
    CHECK(drawn("8:1"_axe, {8}, 1, -1).substr(0, 12) == "bad_argument");
    CHECK(drawn("8:1"_axe, {8}, 1, 1, 0).substr(0, 12) == "bad_argument");
    CHECK(drawn(axe::Layout{{{0, 1}}}, {1}).substr(0, 10) == "bad_extent");
    CHECK(drawn("():() + [1009:100003, 1013:100019, 1019:100043, 1021:100049]"_axe, {}).substr(0, 8) == "too_hard");
    axe::Swizzled<axe::Layout> s{{3, 4, 3}, {}, 2, "8:1"_axe};
    s.swizzle.shift = 2;
    CHECK(drawn(s, {8}).substr(0, 12) == "bad_argument");
}

TEST_CASE("a table read back holds the points of every element")
{
    laws::Random r(31);
    int tables = 0, runs = 0, lists = 0;
    for (Int i = laws::cases(3'000); i > 0; --i) {
        laws::Kind kind;
        kind.axes = static_cast<int>(r.in(1, 3));
        kind.largest_size = 200;
        kind.extent_one = kind.offset = true;
        kind.replicas = r.one_in(2);
        axe::Swizzled<axe::Layout> s;
        s.layout = laws::random_layout(r, kind);
        if (r.one_in(3)) {
            s.swizzle = {static_cast<int>(r.in(1, 3)), static_cast<int>(r.in(0, 2)),
                         static_cast<int>(r.in(3, 4) * (r.one_in(2) ? 1 : -1))};
            s.axis = laws::random_axis(r, 3);
            s.width = Int{1} << r.in(0, s.swizzle.base);
        }
        if (!axe::check(s).ok()) continue;
        Int copies = 1;
        for (const auto& it : s.layout.replica) copies *= it.extent;
        if (copies > 8) continue; // or not every value is listed
        const Int n = axe::size(s.layout).value();
        Int rows = r.in(1, n);
        while (n % rows != 0) --rows;
        for (const axe::Shape& shape : {axe::Shape{rows, n / rows}, axe::Shape{n}}) {
            const std::string text = drawn(s, shape, 1000, 1000, 1'000'000);
            const std::string fault = wrong(text, s, shape);
            if (!fault.empty())
                FAIL_CHECK(axe::print(s).c_str() << " on " << axe::print(shape).c_str() << ": " << fault << "\n" << text);
            ++tables;
            runs += text.find("..") != std::string::npos;
            lists += text.find(',') != std::string::npos;
        }
        if (s.swizzle.bits == 0 && drawn(s, {n}) != drawn(s.layout, {n}))
            FAIL_CHECK("a swizzle that moves nothing moves something");
    }
    CHECK(tables > 1000);
    CHECK(runs > 10);
    CHECK(lists > 100);
}
