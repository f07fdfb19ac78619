// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/picture/palette.hpp>
#include <axe/picture/svg.hpp>
#include <axe/picture/svg_panel.hpp>
#include <axe/text/literals.hpp>
#include <catch.hpp>
#include <tests/random.hpp>

#include "read_svg.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace axe::literals;
using axe::PictureOptions;
using axe::PictureView;
using pictures::Element;
using pictures::read;
using Tile = axe::Swizzled<axe::Layout>;
using Int = std::int64_t;

PictureOptions in(PictureView view)
{
    PictureOptions options;
    options.view = view;
    return options;
}

/// What every picture is: one file that needs nothing else, and scales.
void check_alone(const std::string& xml)
{
    const auto all = read(xml);
    const std::string space = "http://www.w3.org/2000/svg";
    CHECK(all[0]["xmlns"] == space);
    CHECK(all[0]["viewBox"] == "0 0 " + all[0]["width"] + " " + all[0]["height"]);
    CHECK(all[1].name == "title");
    CHECK(all[2].name == "desc");
    CHECK_FALSE(all[2].text.empty());
    for (const auto& e : all) {
        CHECK(e.name != "script");
        CHECK(e.name != "image");
        CHECK(e.name != "foreignObject");
        CHECK(e["href"].empty());
        if (e.name == "style") {
            CHECK(e.text.find("@media (prefers-color-scheme:dark)") != std::string::npos);
            CHECK(e.text.find("url(") == std::string::npos);
            CHECK(e.text.find("@import") == std::string::npos);
        }
    }
    CHECK(xml.find("http", xml.find(space) + space.size()) == std::string::npos);
}

/// The cells that are there, panel by panel.
template <class F>
void each_cell(const axe::Picture& picture, F f)
{
    for (const auto& panel : picture.panels)
        for (std::size_t r = 0; r < panel.rows.size(); ++r)
            for (std::size_t c = 0; c < panel.columns.size(); ++c) f(panel, panel.at(r, c), r, c);
}

/// Every label, tooltip and color of the model is in the picture, at its place, and no other.
void check_carries(const axe::Picture& picture, bool labels, bool tips)
{
    const std::string xml = axe::draw(picture);
    check_alone(xml);
    const auto all = read(xml);
    const auto ancestor = [&](const Element& e, const std::string& name, const std::string& attribute, const std::string& value) {
        for (int p = e.parent; p >= 0; p = all[static_cast<std::size_t>(p)].parent)
            if (const auto& up = all[static_cast<std::size_t>(p)]; up.name == name && up[attribute] == value) return true;
        return false;
    };

    std::vector<std::string> want, got;
    each_cell(picture, [&](const auto&, const axe::PictureCell& cell, auto, auto) {
        if (tips && !cell.tip.empty()) want.push_back(cell.tip);
    });
    for (const auto& e : all)
        if (e.name == "title" && ancestor(e, "g", "pointer-events", "all")) got.push_back(e.text);
    CHECK(got == want);

    // panels lie on the paper, and not on each other
    struct Box {
        int left, top, right, bottom;
    };
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < all.size(); ++i) {
        int x = 0, y = 0;
        if (std::sscanf(all[i]["transform"].c_str(), "translate(%d,%d)", &x, &y) != 2) continue;
        const axe::detail::CellStyle style(picture);
        const auto& panel = picture.panels.at(boxes.size());
        const Box box{x, y, x + static_cast<int>(panel.columns.size()) * style.width,
                      y + static_cast<int>(panel.rows.size()) * style.height};
        CHECK((box.left >= 16 && box.right + 16 <= std::stoi(all[0]["width"]) && box.bottom + 16 <= std::stoi(all[0]["height"])));
        for (const Box& other : boxes)
            CHECK((box.left >= other.right || other.left >= box.right || box.top >= other.bottom || other.top >= box.bottom));
        boxes.push_back(box);
    }
    CHECK(boxes.size() == picture.panels.size());

    // corners
    std::size_t corners = 0, several = 0;
    for (const auto& e : all)
        if (e.name == "path" && (e["fill"] == "#000" || e["fill"] == "#fff"))
            corners += static_cast<std::size_t>(std::count(e.attributes.begin(), e.attributes.end(), 'M'));
    each_cell(picture, [&](const auto&, const axe::PictureCell& cell, auto, auto) { several += labels && cell.several; });
    CHECK(corners == several);

    // labels: lines joined again; only those of cells stand in a group with a fill
    want.clear();
    got.clear();
    each_cell(picture, [&](const auto&, const axe::PictureCell& cell, auto, auto) {
        if (labels && cell.kind == axe::PictureCell::Kind::filled) want.push_back(cell.label);
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool cell = all[i].name == "text" && (ancestor(all[i], "g", "fill", "#000") || ancestor(all[i], "g", "fill", "#fff"));
        if (!cell) continue;
        std::string text = all[i].text;
        for (std::size_t k = i + 1; k < all.size() && all[k].name == "tspan"; ++k)
            text += (all[k]["dy"].empty() ? "" : "\n") + all[k].text;
        got.push_back(text);
    }
    std::sort(want.begin(), want.end());
    std::sort(got.begin(), got.end());
    CHECK(got == want);

    std::size_t hatched = 0, holed = 0;
    for (const auto& e : all) hatched += e["fill"] == "url(#axe-hole)";
    for (const auto& panel : picture.panels)
        holed += std::any_of(panel.cells.begin(), panel.cells.end(),
                             [](const auto& c) { return c.kind == axe::PictureCell::Kind::hole; });
    CHECK(hatched == holed);

    // colors: the strokes painted back, panel by panel
    std::vector<std::string> painted;
    std::size_t p = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i]["shape-rendering"] != "crispEdges") continue;
        REQUIRE(p < picture.panels.size());
        const auto& panel = picture.panels[p++];
        painted.assign(panel.cells.size(), "");
        for (std::size_t k = i + 1; k < all.size(); ++k) {
            if (all[k].parent != static_cast<int>(i)) continue;
            const std::string d = all[k]["d"];
            for (std::size_t at = 0; at < d.size();) {
                const auto blank = d.find(' ', at), h = d.find('h', at), end = std::min(d.find('M', h), d.size());
                REQUIRE(d[at] == 'M');
                const auto c = std::stoul(d.substr(at + 1, blank - at - 1)), r = std::stoul(d.substr(blank + 1, h - blank - 1));
                for (std::size_t n = std::stoul(d.substr(h + 1, end - h - 1)), j = 0; j < n; ++j) {
                    std::string& cell = painted.at(r * panel.columns.size() + c + j);
                    CHECK(cell.empty());
                    cell = all[k]["stroke"];
                }
                at = end;
            }
        }
        const auto colors = axe::color_count(static_cast<Int>(picture.values.size()));
        for (std::size_t n = 0; n < painted.size(); ++n) {
            std::string expected;
            if (panel.cells[n].kind == axe::PictureCell::Kind::filled) {
                const auto rank =
                    std::find(picture.values.begin(), picture.values.end(), panel.cells[n].value) - picture.values.begin();
                const int index = axe::color_index(rank, static_cast<Int>(picture.values.size()));
                expected = axe::cell_color(index, colors).hex().c_str();
            }
            REQUIRE(painted[n] == expected);
        }
    }
    CHECK(p == picture.panels.size());
}

} // namespace

TEST_CASE("svg: the reader of this test finds what is not well-formed")
{
    const auto wrong = [](const char* xml) {
        std::string why;
        read(xml, why);
        return !why.empty();
    };
    CHECK_FALSE(wrong("<svg a=\"1\" b=\"&lt;\"><g/>x &amp; y</svg>\n"));
    for (const char* xml : {"<svg>", "<svg></g>", "<svg><g></svg></g>", "<svg a=1/>", "<svg a=\"1/>", "<svg>&nbsp;</svg>",
                            "<svg>&</svg>", "<svg/><svg/>", "<svg/>x", "<svg", "<svg> > </svg>", "<svg a=\"&\"/>"})
        CHECK(wrong(xml));
}

TEST_CASE("svg: pictures carry their cells")
{
    constexpr auto fragment = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe;
    check_carries(axe::picture(fragment, {8, 16}).value(), true, true);
    check_carries(axe::picture(fragment, {8, 16}, in(PictureView::hardware)).value(), true, true);
    check_carries(axe::picture("(4,8):(-20,2) + 7@m"_axe, {32}, in(PictureView::hardware)).value(), true, true);
    check_carries(axe::picture("(8,4):(2@lane,1@lane)"_axe, {8, 4}, in(PictureView::hardware)).value(), true, true);
    check_carries(axe::picture("():()"_axe, {}).value(), true, true);
    check_carries(axe::picture("():()"_axe, {}, in(PictureView::hardware)).value(), true, true);
    check_carries(axe::picture("1024:1"_axe, {32, 32}).value(), true, true);
    check_carries(axe::picture("1025:1"_axe, {41, 25}).value(), true, false);
    check_carries(axe::picture("4096:1"_axe, {64, 64}).value(), true, false);
    check_carries(axe::picture("960:1"_axe, {60, 4, 4}).value(), true, true); // many panels
    check_carries(axe::picture("4097:1"_axe, {17, 241}).value(), false, false);
    check_carries(axe::picture("(2,32,2,64):(1@gpuid,64@m,2@gpuid,1@m)"_axe, {64, 128}).value(), false, false);
    check_carries(axe::picture("(2,32,2,64):(1@gpuid,64@m,2@gpuid,1@m)"_axe, {64, 128}, in(PictureView::hardware)).value(), false,
                  false);
    auto options = in(PictureView::banks);
    options.access = "(8,8):(64,1)"_axe;
    options.vector = 8;
    check_carries(axe::picture(Tile{{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe}, {8, 64}, options).value(), true, true);
}

TEST_CASE("svg: pictures of random layouts are well-formed and carry their cells")
{
    laws::Random r(40);
    for (Int n = laws::cases(60); n > 0; --n) {
        const laws::Kind kind{
            .largest_size = 60, .iters = 4, .axes = 3, .extent = 5, .extent_one = true, .replicas = true, .offset = true};
        const auto layout = laws::random_layout(r, kind);
        const auto shape = laws::random_shape(r, axe::size(layout).value(), 4);
        for (const PictureView view : {PictureView::logical, PictureView::hardware}) {
            const auto picture = axe::picture(layout, shape, in(view)).value();
            const axe::detail::CellStyle style(picture);
            std::size_t cells = 0, columns = 0;
            for (const auto& panel : picture.panels) {
                cells += panel.cells.size();
                columns = std::max(columns, panel.columns.size());
            }
            REQUIRE((style.labels || cells > 4096 || columns > 40)); // wide labels in a long row are left out
            REQUIRE(style.tips == (cells <= 1024));
            check_carries(picture, style.labels, style.tips);
        }
    }
}

TEST_CASE("svg: titles, names and numbers along the edges, the legend and the captions")
{
    constexpr auto layout = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe;
    auto options = in(PictureView::hardware);
    options.title = "Four warps";
    const auto all = read(axe::svg(layout, {8, 16}, options).value());
    std::vector<std::string> titles, names, numbers, legend, lines;
    for (const auto& e : all) {
        if (e.name != "text") continue;
        const auto parent = all[static_cast<std::size_t>(e.parent)]["class"];
        if (e["class"] == "title") titles.push_back(e.text);
        if (e["class"] == "name") names.push_back(e.text);
        if (parent == "edge" && e["class"].empty()) numbers.push_back(e.text);
        if (parent == "label" && !e["fill"].empty()) legend.push_back(e.text);
        if (parent == "axe") lines.push_back(e.text);
    }
    using List = std::vector<std::string>;
    CHECK(titles == List{"warp 5", "warp 6", "warp 9", "warp 10"});
    CHECK(names == List{"reg", "lane", "reg", "lane", "reg", "lane", "reg", "lane"});
    REQUIRE(numbers.size() == 4 * (2 + 32));
    CHECK(numbers[1] == "1");
    CHECK(numbers[2 + 31] == "31");
    REQUIRE(legend.size() == 32);
    CHECK(legend[7] == "7");
    CHECK(lines == List{"Four warps", "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp",
                        "tensor of shape (8,16), colored by lane", "Each element lives at 2 places.",
                        "In each cell: the coordinates that live there."});
    std::string plain;
    for (const auto& e : read(axe::svg(layout, {8, 16}).value()))
        plain += e["class"] == "ink" || e["class"] == "head ink" ? e.text : "";
    CHECK(plain == std::string(axe::print(layout).c_str()) + "lane"); // the layout is not said twice
    CHECK(all[2].text == lines[1] + ", " + lines[2] + ". " + lines[3] + " " + lines[4]);
}

TEST_CASE("svg: cells are as large as their labels, with room for a corner: hatching ends where the cells do")
{
    using axe::detail::CellStyle;
    const CellStyle small(axe::picture("8:1"_axe, {8}).value()), wide(axe::picture("8:1000"_axe, {8}).value());
    CHECK((small.width == 24 && small.height == 20));
    CHECK((wide.width == 27 + 8 && wide.height == 20)); // 4 · 6.6
    const CellStyle corner(axe::picture("8:1000 + [2:1@lane]"_axe, {8}).value());
    CHECK((corner.width == 27 + 12 && corner.height == 32));
    const auto xml = axe::svg("(4,8):(-20,2) + 7@m"_axe, {32}, in(PictureView::hardware)).value();
    CHECK(xml.find("d=\"M0 0h768v40h-504v20h-264z\"") != std::string::npos); // 32 columns, and 11 on the last of 3 lines
}

TEST_CASE("svg: blocks of cells too small for labels carry their value in the middle")
{
    const auto all = read(axe::svg("(2,32,2,64):(1@gpuid,64@m,2@gpuid,1@m)"_axe, {64, 128}).value());
    std::vector<std::string> blocks; // cells are 6 pixels wide and high
    for (const auto& e : all)
        if (e.name == "text" && !e["fill"].empty() && all[static_cast<std::size_t>(e.parent)]["class"] == "label")
            blocks.push_back(e["x"] + " " + e["y"] + " " + e.text);
    REQUIRE(blocks.size() == 4 + 4); // and the legend
    blocks.resize(4);
    CHECK(blocks == std::vector<std::string>{"192 100 0", "576 100 2", "192 292 1", "576 292 3"});
}

TEST_CASE("svg: conflicts are written below the banks")
{
    auto options = in(PictureView::banks);
    options.width = 4;
    options.access = "32:2"_axe;
    const auto xml = axe::svg("64:1"_axe, {64}, options).value();
    int twos = 0, dots = 0;
    for (const auto& e : read(xml)) {
        twos += e["class"] == "worst" && e.text == "2";
        dots += e.text == "\u00b7";
    }
    CHECK(twos == 16);
    CHECK(dots == 16);
    CHECK(xml.find("2-way conflict") != std::string::npos);
}

TEST_CASE("svg: a grid of 128 x 128 cells stays below 300 KB, however the colors fall")
{
    const axe::Shape shape{128, 128};
    std::size_t most = 0;
    for (const axe::Layout& l :
         {"(128,128):(1@lane,1@reg)"_axe, "(128,128):(1@a,1@a)"_axe, "(128,128):(97@a,55@a)"_axe, "16384:1"_axe,
          "(64,2,64,2):(1@reg,1@lane,64@reg,2@lane)"_axe, "(128,128):(-1,1000000000000000)"_axe}) {
        most = std::max(most, axe::svg(l, shape)->size());
        check_alone(*axe::svg(l, shape));
    }
    CHECK(most < 300'000);
    CHECK(most > 100'000); // one of them is the worst there is: no two neighbors of one color
    CHECK(axe::svg("(128,128):(1@P,1@F)"_axe, shape, in(PictureView::hardware))->size() < 300'000);
    CHECK(axe::svg("(128,128):(1@P,2@F)"_axe, shape, in(PictureView::hardware))->size() < 300'000); // every other place a hole
    check_alone(*axe::svg("65536:1"_axe, {256, 256}));
}

TEST_CASE("svg: any title is a title")
{
    const auto title = [](const std::string& text) {
        PictureOptions options;
        options.title = text;
        const auto xml = axe::svg("8:1"_axe, {8}, options).value();
        check_alone(xml);
        return read(xml)[1].text;
    };
    const std::string fffd = "\xef\xbf\xbd";
    CHECK(title("</title><script>alert('&amp;')</script>\"") == "</title><script>alert('&amp;')</script>\"");
    CHECK(title("]]> <!-- -->") == "]]> <!-- -->");
    CHECK(title("\u00fcber \u2192 \U0001F600") == "\u00fcber \u2192 \U0001F600");
    CHECK(title("a\nb\tc\r") == "a b c ");
    CHECK(title(std::string("a\0b\x01\x1f", 5)) == "a" + fffd + "b" + fffd + fffd);
    CHECK(title("\xff\xc0\x80\xe2\x28\xa1\xf0\x9f\x98") == fffd + fffd + fffd + fffd + "(" + fffd + fffd + fffd + fffd);
    const auto replaced = [&](int count) {
        std::string out;
        while (count-- > 0) out += fffd;
        return out;
    };
    CHECK(title("\xed\xa0\x80\xed\xbf\xbf\xf4\x90\x80\x80") == replaced(10)); // surrogates, and a code past the last one
    CHECK(title("\xef\xbf\xbe\xef\xbf\xbf") == replaced(6));                  // codes that XML excludes
    CHECK(title("\xe0\x80\x80\xf0\x80\x80\x80\xc1\xbf") == replaced(9));      // overlong spellings
    CHECK(title("\ued7f\ue000\U0010ffff") == "\ued7f\ue000\U0010ffff");
    CHECK(title(std::string(100000, 'x')) == std::string(100000, 'x'));
    for (int c = 0; c < 256; ++c) title(std::string("a") + static_cast<char>(c) + "b");
}

TEST_CASE("svg: long titles and texts are broken, and what is shown of them is bounded")
{
    PictureOptions options;
    for (int i = 0; i < 1000; ++i) options.title += "words and words ";
    const auto all = read(axe::svg("8:1"_axe, {8}, options).value());
    int lines = 0;
    for (const auto& e : all) lines += e["class"] == "head ink";
    CHECK(lines == 4);
    CHECK(std::stoi(all[0]["height"]) < 300);
    using axe::detail::wrapped;
    using List = std::vector<std::string>;
    CHECK(wrapped("", 5, 3).empty());
    CHECK(wrapped("ab cd ef", 5, 3) == List{"ab ", "cd ef"});
    CHECK(wrapped("(8,2):(4,1)", 6, 9) == List{"(8,", "2):(4,", "1)"});
    CHECK(wrapped("abcdefgh", 3, 9) == List{"abc", "def", "gh"});
    CHECK(wrapped("abcdefgh", 3, 2) == List{"abc", "def\u2026"});
    CHECK(wrapped("\u00fc\u00fc\u00fc\u00fc", 2, 9) == List{"\u00fc\u00fc", "\u00fc\u00fc"});
}

TEST_CASE("svg: one picture, one text: and errors are passed on")
{
    constexpr auto layout = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)"_axe;
    CHECK(axe::svg(layout, {8, 16}).value() == axe::svg(layout, {8, 16}).value());
    CHECK(axe::svg(Tile{{}, {}, 1, layout}, {8, 16}).value() == axe::svg(layout, {8, 16}).value());
    CHECK(axe::svg(layout, {8, 15}).code() == axe::errc::size_mismatch);
    CHECK(axe::svg(axe::Layout{{{Int{1} << 60, 1}}}, {Int{1} << 60}).code() == axe::errc::capacity);
}
