// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/picture/picture.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace axe::literals;
using axe::Picture;
using axe::PictureCell;
using axe::PictureOptions;
using axe::PictureView;
using Tile = axe::Swizzled<axe::Layout>;
using Int = std::int64_t;
using Kind = PictureCell::Kind;

Tile plain(const axe::Layout& layout) { return {{}, {}, 1, layout}; }

PictureOptions in(PictureView view)
{
    PictureOptions options;
    options.view = view;
    return options;
}

Int moved(const Tile& t, const axe::Axis& axis, Int v)
{
    return axis == t.axis ? t.swizzle(v * t.width) / t.width : v; // none of the tests has a negative coordinate under a swizzle
}

/// The points of an element, from the library's own range.
std::vector<axe::Point> points_of(const Tile& t, Int x)
{
    std::vector<axe::Point> out;
    for (axe::Point p : axe::points(t.layout, x)) {
        for (auto& e : p.entries) e.value = moved(t, e.axis, e.value);
        out.push_back(p);
    }
    return out;
}

std::string joined(const std::vector<std::string>& items, const char* between)
{
    std::string out;
    for (const auto& item : items) out += (out.empty() ? "" : between) + item;
    return out;
}

/// Up to four of a list, and how many there are.
std::string first_four(std::vector<std::string> items)
{
    const auto count = items.size();
    items.resize(std::min<std::size_t>(count, 4));
    return joined(items, " ") + (count > 4 ? " and more, " + std::to_string(count) + " in all" : "");
}

/// The axes of a layout in the order of a label: the color, then those that move.
std::vector<axe::Axis> label_axes(const axe::Layout& l, const axe::Axis& color)
{
    std::vector<axe::Axis> out{color};
    for (const axe::Axis& a : {axe::Axis{"lane"}, axe::Axis{"warp"}, axe::Axis{"gpuid"}, axe::Axis{"m"}, axe::Axis{"reg"}}) {
        bool moves = false;
        for (const auto& it : l.shard) moves = moves || (it.axis == a && it.extent > 1 && it.stride != 0);
        for (const auto& it : l.replica) moves = moves || (it.axis == a && it.extent > 1 && it.stride != 0);
        if (moves && !(a == color)) out.push_back(a);
    }
    return out;
}

void check_logical(const Tile& t, const axe::Shape& shape, const axe::Axis& color)
{
    auto options = in(PictureView::logical);
    options.color = color;
    const auto result = axe::picture(t, shape, options);
    REQUIRE(result);
    const auto axes = label_axes(t.layout, color);
    Int x = 0;
    std::set<Int> values;
    for (const auto& panel : result->panels) {
        REQUIRE(panel.cells.size() == panel.rows.size() * panel.columns.size());
        for (const auto& cell : panel.cells) {
            if (cell.kind == Kind::absent) continue;
            const auto points = points_of(t, x);
            std::vector<std::string> texts, lines;
            for (const auto& p : points) texts.push_back(axe::print(p).c_str());
            for (const auto& axis : axes) {
                std::set<Int> on_axis;
                for (const auto& p : points) on_axis.insert(p[axis]);
                std::vector<std::string> numbers;
                for (const Int v : on_axis) numbers.push_back(std::to_string(v));
                const auto more = static_cast<Int>(numbers.size()) - 1;
                // of many, the one that comes first, which under a swizzle need not be the least
                lines.push_back(more < 4 ? joined(numbers, ",") : std::to_string(points[0][axis]) + " +" + std::to_string(more));
            }
            REQUIRE(cell.kind == Kind::filled);
            REQUIRE(cell.several == (points.size() > 1));
            REQUIRE(cell.label == joined(lines, "\n"));
            REQUIRE(cell.value == std::stoll(lines[0]));
            REQUIRE(cell.tip == std::string(axe::print(axe::coordinate(shape, x)).c_str()) + ": " + first_four(texts));
            values.insert(cell.value);
            ++x;
        }
    }
    REQUIRE(x == axe::volume(shape).value());
    REQUIRE(result->values == std::vector<Int>(values.begin(), values.end()));
}

axe::Axis axis_of(const std::string& name) { return axe::Axis::make(name.data(), static_cast<int>(name.size())).value(); }

/// The place of a cell, read off the edges and the title of its panel; axes that do not move are where element 0 is.
axe::Point place_of(const axe::PicturePanel& panel, std::size_t r, std::size_t c, axe::Point at)
{
    const auto put = [&](const std::string& name, Int v) { *at.entry(axis_of(name)) = v; };
    if (!panel.row_name.empty()) put(panel.row_name, panel.rows[r]);
    if (!panel.column_name.empty()) put(panel.column_name, (panel.row_name.empty() ? panel.rows[r] : 0) + panel.columns[c]);
    for (std::size_t from = 0; from < panel.title.size();) {
        const auto blank = panel.title.find(' ', from), comma = std::min(panel.title.find(',', from), panel.title.size());
        put(panel.title.substr(from, blank - from), std::stoll(panel.title.substr(blank + 1, comma - blank - 1)));
        from = comma + 2;
    }
    return at;
}

void check_hardware(const Tile& t, const axe::Shape& shape, const PictureOptions& options)
{
    const auto result = axe::picture(t, shape, options);
    REQUIRE(result);
    const axe::Axis color = axis_of(result->color);
    std::set<std::string> places;
    for (Int x = 0; x < axe::volume(shape).value(); ++x)
        for (const auto& p : points_of(t, x)) places.insert(axe::print(p).c_str());
    std::size_t filled = 0, largest = 0;
    std::set<std::size_t> edges; // 4·panel side: something lives on each side of some panel
    for (const auto& panel : result->panels) {
        const std::size_t rows = panel.rows.size(), columns = panel.columns.size();
        REQUIRE(panel.cells.size() == rows * columns);
        bool any = false;
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c) {
                const PictureCell& cell = panel.at(r, c);
                if (cell.kind == Kind::absent) {
                    REQUIRE((panel.row_name.empty() && r + 1 == rows));
                    continue;
                }
                const axe::Point at = place_of(panel, r, c, points_of(t, 0)[0]);
                std::vector<std::string> coords;
                for (const auto& coord : axe::preimage(t, shape, at)) coords.push_back(axe::print(coord).c_str());
                REQUIRE((cell.kind == Kind::hole) == coords.empty());
                const std::string said = cell.tip.substr(cell.tip.find(": ") + 2);
                if (coords.empty()) {
                    REQUIRE(said == "nothing");
                    continue;
                }
                REQUIRE(said == first_four(coords));
                REQUIRE(cell.several == (coords.size() > 1));
                REQUIRE(cell.value == at[color]);
                const auto count = coords.size();
                for (auto& coord : coords)
                    if (coord != "()") coord = coord.substr(1, coord.size() - 2);
                REQUIRE(cell.label == (count <= 4 ? joined(coords, "\n") : coords[0] + "\n+" + std::to_string(count - 1)));
                ++filled;
                any = true;
                if (r == 0) edges.insert(0);
                if (r + 1 == rows) edges.insert(1);
                if (c == 0) edges.insert(2);
                if (c + 1 == columns) edges.insert(3);
                largest = std::max(largest, columns);
            }
        REQUIRE(any); // no panel in which nothing lives
    }
    REQUIRE(filled == places.size());
    if (options.rows && options.columns) REQUIRE(edges.size() == 4); // no farther than something lives
}

} // namespace

TEST_CASE("picture: the paper's first example, cell by cell")
{
    constexpr auto layout = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe;
    const auto logical = axe::picture(layout, {8, 16}).value();
    REQUIRE(logical.panels.size() == 1);
    const PictureCell& cell = logical.panels[0].at(2, 9);
    CHECK(cell.label == "8\n6,10\n1");
    CHECK(cell.tip == "(2,9): {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}");
    CHECK(cell.value == 8);
    CHECK(cell.several);
    CHECK(logical.cell_key == "lane, warp and reg");
    CHECK(logical.values.size() == 32);
    CHECK(logical.title == "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp");

    const auto hardware = axe::picture(layout, {8, 16}, in(PictureView::hardware)).value();
    REQUIRE(hardware.panels.size() == 4); // warps 5, 6, 9 and 10; nothing lives in 7 and 8
    CHECK(hardware.panels[1].title == "warp 6");
    CHECK(hardware.panels[3].title == "warp 10");
    CHECK(hardware.panels[3].at(8, 1).label == "2,9");
    CHECK(hardware.panels[3].at(8, 1).tip == "lane 8, reg 1, warp 10: (2,9)");

    check_logical(plain(layout), {8, 16}, axe::Axis{"lane"});
    check_logical(plain(layout), {8, 16}, axe::Axis{"warp"});
    check_logical(plain(layout), {2, 4, 4, 4}, axe::Axis{"reg"});
    check_logical(plain(layout), {128}, axe::Axis{"lane"});
    check_hardware(plain(layout), {8, 16}, in(PictureView::hardware));
}

TEST_CASE("picture: both views of random layouts, against points and preimages")
{
    laws::Random r(30);
    for (Int n = laws::cases(400); n > 0; --n) {
        const laws::Kind kind{.largest_size = 100,
                              .iters = 4,
                              .axes = static_cast<int>(r.in(1, 3)),
                              .extent = 5,
                              .replicas = r.one_in(2),
                              .offset = true};
        const Tile t = plain(laws::random_layout(r, kind));
        const Int size = axe::size(t.layout).value();
        const axe::Shape shape = laws::random_shape(r, size, 4);
        const axe::Axis m{};
        auto options = in(PictureView::hardware);
        const auto axes = axe::moving_axes(t.layout);
        if (!axes.empty() && r.one_in(2)) options.rows = axes[static_cast<int>(r.in(0, axes.size() - 1))];
        if (!axes.empty() && r.one_in(2)) options.columns = axes[static_cast<int>(r.in(0, axes.size() - 1))];
        if (options.rows == options.columns) options.columns.reset();
        check_logical(t, shape, axes.empty() ? m : axes[static_cast<int>(r.in(0, axes.size() - 1))]);
        check_hardware(t, shape, options);
    }
}

TEST_CASE("picture: axes that occur without moving leave room for those that move")
{
    const Tile t = plain("(1,1,1,1,1,1,1,1,3):(1@a,1@b,1@c,1@d,1@e,1@f,1@g,1@h,1@lane) + [2:5@warp, 2:-3@gpuid]"_axe);
    check_logical(t, {3}, axe::Axis{"lane"});
    check_hardware(t, {3}, in(PictureView::hardware));
}

TEST_CASE("picture: both views of swizzled layouts")
{
    for (const axe::Swizzle s : {axe::Swizzle{3, 4, 3}, axe::Swizzle{2, 4, 3}, axe::Swizzle{1, 4, 3}, axe::Swizzle{3, 4, -3}}) {
        const Tile t{s, {}, 2, "(8,64):(64,1)"_axe};
        check_logical(t, {8, 64}, axe::Axis{});
        check_hardware(t, {8, 64}, in(PictureView::hardware));
        const Tile odd{s, {}, 2, "(3,5,7):(200,13,3) + [2:1000, 3:1@warp] + 77@m"_axe};
        check_logical(odd, {15, 7}, axe::Axis{"warp"});
        check_hardware(odd, {15, 7}, in(PictureView::hardware));
        const Tile many{s, {}, 2, "(3,5):(40,8) + [9:1]"_axe};
        check_logical(many, {3, 5}, axe::Axis{});
        check_hardware(many, {3, 5}, in(PictureView::hardware));
        check_hardware(many, {15}, in(PictureView::hardware));
        const Tile turned{s, {}, 2, "(8,2):(64,16) + [2:8, 2:32]"_axe}; // the least of the points is not the first
        check_logical(turned, {8, 2}, axe::Axis{});
        check_hardware(turned, {8, 2}, in(PictureView::hardware));
    }
}

TEST_CASE("picture: bank as a color")
{
    const Tile t{{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe};
    auto options = in(PictureView::logical);
    options.color = axe::Axis{"bank"};
    const auto logical = axe::picture(t, {8, 64}, options).value();
    options.view = PictureView::hardware;
    const auto hardware = axe::picture(t, {8, 64}, options).value();
    CHECK(logical.values.size() == 32);
    CHECK(logical.cell_key == "bank and m");
    for (Int x = 0; x < 512; ++x) {
        const Int byte = (2 * x) ^ ((2 * x >> 7 & 7) << 4), bank = byte / 4 % 32;
        const PictureCell& element = logical.panels[0].cells[static_cast<std::size_t>(x)];
        REQUIRE(element.value == bank);
        REQUIRE(element.label == std::to_string(bank) + "\n" + std::to_string(byte / 2));
        const PictureCell& place = hardware.panels[0].cells[static_cast<std::size_t>(byte / 2)];
        REQUIRE(place.value == bank);
        REQUIRE(place.label == std::to_string(x / 64) + "," + std::to_string(x % 64));
    }
    // elements of one word at addresses where address·width overflows, and below 0
    options = in(PictureView::logical);
    options.color = axe::Axis{"bank"};
    options.width = 4;
    CHECK(axe::picture(axe::Layout{{{2, 1}}, {}, {{"m", (Int{1} << 62) + 33}}}, {2}, options)->values == std::vector<Int>{1, 2});
    CHECK(axe::picture("4:-1"_axe, {4}, options)->panels[0].cells[1].value == 31);
    options.width = Int{1} << 62;
    CHECK(axe::picture("8:1"_axe, {8}, options)->values == std::vector<Int>{0});
    options.width = 4;
    // the axis of that name comes first
    CHECK(axe::picture("4:2@bank"_axe, {4}, options)->values == std::vector<Int>{0, 2, 4, 6});
    // replicas on the memory axis: their banks, each once
    CHECK(axe::picture("2:1 + [2:32]"_axe, {2}, options)->panels[0].cells[1].label == "1\n1,33");
    CHECK(axe::picture("2:1 + [2:31]"_axe, {2}, options)->panels[0].cells[1].label == "0,1\n1,32");
}

TEST_CASE("picture: copies that share a bank are not counted as banks")
{
    // Six copies in five banks of two elements: the first is told, and that there are more.
    auto options = in(PictureView::logical);
    options.color = axe::Axis{"bank"};
    options.width = 2;
    const auto drawn = axe::picture(plain("(4,4):(4,1) + [2:8, 3:100]"_axe), {4, 4}, options);
    REQUIRE(drawn);
    const std::string& label = drawn->panels[0].cells[0].label;
    CHECK(label.substr(0, label.find('\n')) == "0 +");
}

TEST_CASE("picture: what is chosen without a choice")
{
    const auto first = [](const axe::Layout& l) { return axe::print(axe::color_axis(l, {}).value()); };
    CHECK(first("(2,8,2):(1@reg,1@lane,2@reg)"_axe) == "lane");
    CHECK(first("(4,2):(1@warp,1@reg)"_axe) == "warp");
    CHECK(first("(4,2):(1@m,1@mine)"_axe) == "mine");
    CHECK(first("(4,2):(1@m,1@F)"_axe) == "m");
    CHECK(first("4:0@lane"_axe) == "m");
    CHECK(first("():() + 3@lane"_axe) == "m");
    CHECK(first("4:1@reg + [2:1@cta]"_axe) == "cta");

    const auto text = [](const axe::Layout& l, const PictureOptions& o) {
        const auto grid = axe::grid_axes(l, o).value();
        const auto name = [](const std::optional<axe::Axis>& a) { return a ? std::string(axe::print(*a).c_str()) : "-"; };
        return name(grid.rows) + " " + name(grid.columns) + " " + axe::print(grid.panels).c_str();
    };
    CHECK(text("(2,8,2,3,2):(1@reg,1@lane,2@reg,1@mine,1@warp)"_axe, {}) == "lane reg warp,mine");
    CHECK(text("(4,2048):(1@gpuid,1)"_axe, {}) == "- m gpuid"); // four lines of 2048 would be no picture
    CHECK(text("(4,32):(1@gpuid,1)"_axe, {}) == "gpuid m ");
    CHECK(text("(128,512):(1@P,1@F)"_axe, {}) == "P F ");
    CHECK(text("64:1"_axe, {}) == "- m ");
    CHECK(text("4:0"_axe, {}) == "- - ");
    PictureOptions o;
    o.columns = axe::Axis{"m"};
    CHECK(text("(4,2048):(1@gpuid,1)"_axe, o) == "gpuid m ");
    o.rows = axe::Axis{"gpuid"};
    CHECK(text("(4,2048):(1@gpuid,1)"_axe, o) == "gpuid m ");
    o = {};
    o.rows = axe::Axis{"m"};
    CHECK(text("64:1"_axe, o) == "m - ");
    CHECK(text("(4,2048):(1@gpuid,1)"_axe, o) == "m gpuid ");
    o.columns = axe::Axis{"m"};
    CHECK(axe::grid_axes("64:1"_axe, o).code() == axe::errc::bad_argument);
    o.columns = axe::Axis{"lane"};
    CHECK(axe::grid_axes("64:1"_axe, o).code() == axe::errc::unknown_axis);

    for (const Int n : {1, 31, 32, 33, 64, 1024, 1025, 2048, 65536}) {
        const Int length = axe::line_length(n);
        if (n <= 32)
            CHECK(length == n);
        else {
            CHECK((length >= 32 && (length & (length - 1)) == 0));
            CHECK(length * length >= n - length);
            CHECK((length == 32 || (length / 2) * (length / 2) < n));
        }
    }
}

TEST_CASE("picture: ranks from 0 to 4")
{
    const auto sizes = [](const axe::Layout& l, const axe::Shape& s) {
        std::string out;
        const auto p = axe::picture(l, s).value();
        for (const auto& panel : p.panels)
            out += panel.title + std::to_string(panel.rows.size()) + "x" + std::to_string(panel.columns.size()) + " ";
        return out;
    };
    CHECK(sizes("():()"_axe, {}) == "1x1 ");
    CHECK(sizes("8:1"_axe, {8}) == "1x8 ");
    CHECK(sizes("40:1"_axe, {40}) == "2x32 ");
    CHECK(sizes("8:1"_axe, {2, 4}) == "2x4 ");
    CHECK(sizes("24:1"_axe, {2, 3, 4}) == "(0,:,:)3x4 (1,:,:)3x4 ");
    CHECK(sizes("24:1"_axe, {2, 1, 3, 4}) == "(0,0,:,:)3x4 (1,0,:,:)3x4 ");
    const auto lines = axe::picture("40:1"_axe, {40}).value();
    CHECK(lines.panels[0].rows == std::vector<Int>{0, 32});
    CHECK(lines.panels[0].at(1, 7).label == "39");
    CHECK(lines.panels[0].at(1, 8).kind == Kind::absent);
}

TEST_CASE("picture: offsets, negative strides and holes in the hardware view")
{
    const auto p = axe::picture("(4,8):(-20,2) + 7@m"_axe, {32}, in(PictureView::hardware)).value();
    REQUIRE(p.panels.size() == 1);
    CHECK(p.panels[0].rows == std::vector<Int>{-53, -21, 11}); // least coordinate 7 − 3·20
    CHECK(p.panels[0].at(0, 0).label == "24");
    CHECK(p.panels[0].at(0, 1).kind == Kind::hole);
    CHECK(p.panels[0].at(0, 1).tip == "m -52: nothing");
    CHECK(p.panels[0].at(2, 10).label == "7");
    CHECK(p.panels[0].at(2, 11).kind == Kind::absent);
    check_hardware(plain("(4,8):(-20,2) + 7@m"_axe), {32}, in(PictureView::hardware));

    const auto shared = axe::picture("(8,4):(2@lane,1@lane)"_axe, {8, 4}, in(PictureView::hardware)).value();
    CHECK(shared.panels[0].at(0, 2).label == "0,2\n1,0");
    const auto all = axe::picture("6:0"_axe, {6}, in(PictureView::hardware)).value();
    CHECK(all.panels[0].cells.at(0).label == "0\n+5");
    CHECK(all.panels[0].cells.at(0).tip == "here: (0) (1) (2) (3) and more, 6 in all");
}

TEST_CASE("picture: a warp's access, word by word")
{
    auto options = in(PictureView::banks);
    options.access = "(8,8):(64,1)"_axe;
    options.vector = 8;
    const Tile t{{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe};
    const auto p = axe::picture(t, {8, 64}, options).value();
    REQUIRE(p.panels.size() == 2);
    CHECK(p.panels[0].title == "without the swizzle: 8-way conflict");
    CHECK(p.panels[1].title == "swizzle<3,4,3>/2: no conflict");
    CHECK(p.panels[0].tallies[0].worst == 8);
    CHECK(p.panels[1].tallies[0].counts == std::vector<int>(32, 1));
    for (std::size_t row = 0; row < 8; ++row)
        for (std::size_t bank = 0; bank < 32; ++bank) {
            const bool without = bank < 4, with = (bank / 4 ^ row) == 0; // row r takes chunk 0, which the swizzle puts at chunk r
            REQUIRE((p.panels[0].at(row, bank).kind == Kind::filled) == without);
            REQUIRE((p.panels[1].at(row, bank).kind == Kind::filled) == with);
            if (with) {
                REQUIRE(p.panels[1].at(row, bank).label == std::to_string(row));
                REQUIRE(p.panels[1].at(row, bank).value == static_cast<Int>(row));
            }
        }

    // several lanes at a word; lines that are not touched are left out
    options = in(PictureView::banks);
    options.width = 2;
    const auto halves = axe::picture("64:1"_axe, {64}, options).value();
    REQUIRE(halves.panels.size() == 1);
    CHECK(halves.panels[0].title == "no conflict");
    CHECK(halves.panels[0].at(0, 5).label == "10,11");
    CHECK(halves.panels[0].at(0, 16).kind == Kind::blank);
    options.width = 1;
    CHECK(axe::picture("64:1"_axe, {64}, options)->panels[0].at(0, 1).label == "4\u20137");
    options.width = 4;
    options.access = "32:100"_axe;
    const auto far = axe::picture("6400:1"_axe, {6400}, options).value();
    CHECK(far.panels[0].rows.size() == 32);
    CHECK(far.panels[0].rows[1] == 384);
    CHECK(far.panels[0].at(1, 4).label == "1");
    CHECK(far.panels[0].title == "4-way conflict");
    options.access = "32:1 + 5@m"_axe;
    CHECK(axe::picture("4096:0"_axe, {4096}, options)->panels[0].at(0, 0).label == "0\u201331");
    options.access = "(2,2):(2,0)"_axe; // lanes 0, 1 and 2, 3 at one word each
    CHECK(axe::picture("4:1"_axe, {4}, options)->panels[0].at(0, 2).label == "2,3");
    options.access = "(2,3):(0,1)"_axe;
    CHECK(axe::picture("4:1"_axe, {4}, options)->panels[0].at(0, 1).tip == "byte 4, bank 1: lanes 1 and 4");
    options.access = "(3,2):(0,1)"_axe;
    CHECK(axe::picture("4:1"_axe, {4}, options)->panels[0].at(0, 1).label == "1 +2"); // lanes 1, 3 and 5
}

TEST_CASE("picture: what cannot be drawn is refused with a reason, and at once")
{
    const auto code = [](const axe::Layout& l, const axe::Shape& s, const PictureOptions& o) {
        return axe::picture(l, s, o).code();
    };
    const auto logical = in(PictureView::logical), hardware = in(PictureView::hardware), banks = in(PictureView::banks);
    using axe::errc;
    const Int huge = Int{1} << 60;
    CHECK(code("8:1"_axe, {9}, logical) == errc::size_mismatch);
    CHECK(code(axe::Layout{{{0, 1}}}, {0}, logical) == errc::bad_extent);
    CHECK(code(axe::Layout{{{huge, 1}}}, {huge}, logical) == errc::capacity);
    CHECK(code(axe::Layout{{{huge, 1}}}, {huge}, hardware) == errc::capacity);
    CHECK(code(axe::Layout{{{huge, 1}}}, {huge}, banks) == errc::ok); // one access, however large the memory
    CHECK(code(axe::Layout{{{65536, 1}}}, {65536}, logical) == errc::ok);
    CHECK(code(axe::Layout{{{65537, 1}}}, {65537}, logical) == errc::capacity);
    CHECK(code(axe::Layout{{{257, 1}}}, {257, 1, 1}, logical) == errc::capacity); // panels
    CHECK(code(axe::Layout{{{257, 1, "a"}, {1, 1, "b"}}, {{2, 1, "c"}, {2, 1, "d"}}}, {257}, hardware) == errc::ok);
    CHECK(code(axe::Layout{{{257, 1, "warp"}, {2, 1, "lane"}, {2, 1, "reg"}}}, {257, 2, 2}, hardware) == errc::capacity);
    // two points far apart: holes are not written out
    CHECK(code(axe::Layout{{{2, huge}}}, {2}, hardware) == errc::capacity);
    CHECK(code(axe::Layout{{{2, huge}, {2, huge, "lane"}}}, {4}, hardware) == errc::capacity);
    CHECK(code(axe::Layout{{{2, 65535}}}, {2}, hardware) == errc::ok);
    CHECK(code(axe::Layout{{{2, 65536}}}, {2}, hardware) == errc::capacity);
    // replicas without end: a count in the logical view, too many places in the other
    const axe::Layout copies{{{4, 1}}, {{huge, 1, "gpuid"}}};
    CHECK(code(copies, {4}, hardware) == errc::capacity);
    const auto p = axe::picture(copies, {4}, logical).value();
    CHECK(p.panels[0].cells[3].label == "0 +1152921504606846975\n3");
    CHECK(p.panels[0].cells[3].tip ==
          "(3): {gpuid:0, m:3} {gpuid:1, m:3} {gpuid:2, m:3} {gpuid:3, m:3} and more, 1152921504606846976 in all");
    CHECK(code(axe::Layout{{}, {{huge, 1, "a"}, {huge, 1, "b"}}}, {}, logical) == errc::overflow);
    CHECK(code(axe::Layout{{{4, 1}}, {{32768, 1, "gpuid"}}}, {4}, hardware) == errc::capacity); // 2^17 points, but too many panels
    CHECK(code(axe::Layout{{{4, 1}}, {{32769, 1, "gpuid"}}}, {4}, hardware) == errc::capacity); // one more than may be placed

    auto options = logical;
    options.color = axe::Axis{"lane"};
    CHECK(code("8:1"_axe, {8}, options) == errc::unknown_axis);
    CHECK(code("8:1 + 3@lane"_axe, {8}, options) == errc::ok);
    options = logical;
    options.rows = axe::Axis{"m"};
    CHECK(code("8:1"_axe, {8}, options) == errc::bad_argument);
    options = hardware;
    options.vector = 2;
    CHECK(code("8:1"_axe, {8}, options) == errc::bad_argument);
    options.vector = 1;
    options.access = "8:1"_axe;
    CHECK(code("8:1"_axe, {8}, options) == errc::bad_argument);
    options.view = PictureView::banks;
    CHECK(code("8:1"_axe, {8}, options) == errc::ok);
    options.color = axe::Axis{"m"};
    CHECK(code("8:1"_axe, {8}, options) == errc::bad_argument);
    options = banks;
    for (const int vector : {0, -1, 3, 9, 1 << 30}) {
        options.vector = vector;
        CHECK(code("8:1"_axe, {8}, options) != errc::ok);
    }
    options.vector = 16;
    CHECK(code("8:1"_axe, {8}, options) != errc::ok); // fewer elements than a vector
    options = logical;
    options.width = 3;
    CHECK(code("8:1"_axe, {8}, options) == errc::bad_argument);
}
