// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes pages, and says what the library says of what they show: one request a line on standard input, its fields separated by
// tabs, and one line of JSON for each on standard output.
//   page FILE LAYOUT SHAPE TITLE COLOUR ROWS COLUMNS ACCESS VECTOR WIDTH   writes the page: its size
//   points LAYOUT SHAPE              of each coordinate, row-major: [coordinate, [points]]
//   preimage LAYOUT SHAPE POINT …    of each point: its coordinates
//   forward LAYOUT SHAPE COORD       index, digits, points
//   values LAYOUT SHAPE AXIS         the values on an axis (or `bank`) that occur, ascending: [value, color, color of text]
//   picture VIEW LAYOUT SHAPE COLOUR ROWS COLUMNS ACCESS VECTOR WIDTH      panels as the library's own pictures have them
//   banks LAYOUT ACCESS VECTOR WIDTH            the degree of each phase, and the words wanted of each bank
//   steps FILE                       writes the page of the steps of a run: the trace of that run
//   check KIND TEXT                  layout, shape or access: null, or code, position and message of the mistake
// What has no answer is {"error": code, "message": …}.
#include <axe/axe.hpp>
#include <axe/picture/page.hpp>
#include <axe/picture/palette.hpp>
#include <axe/picture/steps_page.hpp>
#include <tests/unit/sim/pair.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using Tile = axe::Swizzled<axe::Layout>;
using Fields = std::vector<std::string>;
using axe::detail::text_of;

// ---- JSON ----------------------------------------------------------------------------------------------------------------------
std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return out + "\"";
}
template <class List, class Item>
std::string list(const List& items, Item item)
{
    std::string out;
    for (const auto& i : items) out += (out.empty() ? "[" : ",") + item(i);
    return out.empty() ? "[]" : out + "]";
}
std::string number(std::int64_t n) { return quoted(std::to_string(n)); } // as text: JSON has no 64 bits everywhere

struct Failure {
    axe::Error error;
};
template <class T>
T value(const axe::Result<T>& result)
{
    if (!result) throw Failure{result.error()};
    return *result;
}

// ---- Fields --------------------------------------------------------------------------------------------------------------------
int length(const std::string& text) { return static_cast<int>(text.size()); }
Tile tile_of(const std::string& text) { return value(axe::parse_swizzled({text.data(), length(text)})); }
axe::Shape shape_of(const std::string& text) { return value(axe::parse_shape({text.data(), length(text)})); }
axe::Axis axis_of(const std::string& text) { return value(axe::Axis::make(text.data(), length(text))); }

/// The tile as a page has it: a plain layout takes its width from a field of its own.
Tile tile_of(const std::string& text, const std::string& width)
{
    Tile tile = tile_of(text);
    if (tile.swizzle.bits == 0 && tile.axis == axe::Axis{} && tile.width == 1) tile.width = std::stoll(width);
    return tile;
}

/// COLOUR ROWS COLUMNS ACCESS VECTOR, from field `at` on.
axe::PictureOptions options_of(const Fields& f, std::size_t at)
{
    axe::PictureOptions options;
    if (!f[at].empty()) options.color = axis_of(f[at]);
    if (!f[at + 1].empty()) options.rows = axis_of(f[at + 1]);
    if (!f[at + 2].empty()) options.columns = axis_of(f[at + 2]);
    if (!f[at + 3].empty()) options.access = value(axe::parse_layout({f[at + 3].data(), length(f[at + 3])}));
    options.vector = std::stoi(f[at + 4]);
    return options;
}

// ---- The algebra ---------------------------------------------------------------------------------------------------------------
/// The points of a swizzled layout: those of the layout, moved by the operator of the swizzle on byte addresses.
std::vector<axe::Point> points_of(const Tile& tile, std::int64_t index)
{
    std::vector<axe::Point> out;
    for (axe::Point p : axe::points(tile.layout, index)) {
        for (auto& e : p.entries)
            if (e.axis == tile.axis && tile.swizzle.bits > 0) e.value = tile.swizzle(e.value * tile.width) / tile.width;
        out.push_back(p);
    }
    std::sort(out.begin(), out.end(), [](const axe::Point& a, const axe::Point& b) {
        for (int i = 0; i < a.size(); ++i)
            if (a.entries[i].value != b.entries[i].value) return a.entries[i].value < b.entries[i].value;
        return false;
    });
    return out;
}

std::string points(const Fields& f)
{
    const Tile tile = tile_of(f[1]);
    const axe::Shape shape = shape_of(f[2]);
    std::vector<std::int64_t> indices;
    for (std::int64_t x = 0; x < value(axe::size(tile.layout)); ++x) indices.push_back(x);
    return list(indices, [&](std::int64_t x) {
        const auto all = points_of(tile, x);
        if (all.size() == 1) { // the library's own function for swizzled layouts says the same
            Tile single = tile;
            single.layout.replica = {};
            if (tile.layout.replica.empty() && !(value(axe::evaluate(single, x)) == all[0]))
                throw Failure{{axe::errc::ok, 0, "evaluate differs"}};
        }
        return "[" + quoted(text_of(axe::coordinate(shape, x))) + "," +
               list(all, [](const auto& p) { return quoted(text_of(p)); }) + "]";
    });
}

std::string preimage(const Fields& f)
{
    const Tile tile = tile_of(f[1]);
    const axe::Shape shape = shape_of(f[2]);
    return list(Fields(f.begin() + 3, f.end()), [&](const std::string& text) {
        const auto range = axe::preimage(tile, shape, value(axe::parse_point({text.data(), length(text)})));
        if (!range.error().ok()) throw Failure{range.error()};
        Fields coords;
        for (const auto& c : range) coords.push_back(text_of(c));
        return list(coords, quoted);
    });
}

std::string forward(const Fields& f)
{
    const Tile tile = tile_of(f[1]);
    const axe::Shape shape = shape_of(f[2]);
    const auto index = value(axe::linear_index(shape, value(axe::parse_coord({f[3].data(), length(f[3])}))));
    axe::Shape extents;
    for (const auto& it : tile.layout.shard) extents.push_back(it.extent);
    return "{\"index\":" + number(index) + ",\"digits\":" + quoted(text_of(axe::coordinate(extents, index))) +
           ",\"points\":" + list(points_of(tile, index), [](const auto& p) { return quoted(text_of(p)); }) + "}";
}

std::string values(const Fields& f)
{
    const Tile tile = tile_of(f[1], f[4]);
    const axe::Axis axis = axis_of(f[3]);
    const bool bank = axe::detail::is_computed_bank(tile, axis);
    std::set<std::int64_t> found;
    for (std::int64_t x = 0; x < value(axe::size(tile.layout)); ++x)
        for (const auto& p : points_of(tile, x)) found.insert(bank ? axe::bank_of(p[tile.axis] * tile.width) : p[axis]);
    std::int64_t rank = 0;
    const auto count = static_cast<std::int64_t>(found.size());
    return list(found, [&](std::int64_t n) {
        const axe::Color color = axe::cell_color(axe::color_index(rank++, count), axe::color_count(count));
        return "[" + number(n) + "," + quoted(color.hex().c_str()) + "," + quoted(axe::text_color(color).hex().c_str()) + "]";
    });
}

// ---- Pictures ------------------------------------------------------------------------------------------------------------------
std::string page(const Fields& f)
{
    axe::PictureOptions options = options_of(f, 5);
    options.title = f[4];
    const std::string text = value(axe::page(tile_of(f[2], f[10]), shape_of(f[3]), options));
    std::ofstream(f[1], std::ios::binary) << text;
    return std::to_string(text.size());
}

/// The page that steps through a run, and the run's trace.
std::string steps(const Fields& f)
{
    axe::sim::Trace trace;
    axe::sim::RunOptions options;
    options.trace = &trace;
    const pair::Run run = pair::run(options);
    std::ofstream(f[1], std::ios::binary) << axe::steps_page(run.lowered.program, trace);
    std::string text = trace.json(run.lowered.program);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::string picture(const Fields& f)
{
    axe::PictureOptions options = options_of(f, 4);
    options.view = f[1] == "logical"    ? axe::PictureView::logical
                   : f[1] == "hardware" ? axe::PictureView::hardware
                                        : axe::PictureView::banks;
    const auto drawn = value(axe::picture(tile_of(f[2], f[9]), shape_of(f[3]), options));
    return list(drawn.panels, [](const axe::PicturePanel& panel) {
        const auto cells = list(panel.cells, [](const axe::PictureCell& cell) {
            if (cell.kind == axe::PictureCell::Kind::absent) return std::string("null");
            return "[" + quoted(cell.label) + "," + (cell.several ? "true" : "false") + "]";
        });
        return "{\"title\":" + quoted(panel.title) + ",\"row_name\":" + quoted(panel.row_name) +
               ",\"column_name\":" + quoted(panel.column_name) + ",\"rows\":" + list(panel.rows, number) +
               ",\"columns\":" + list(panel.columns, number) + ",\"cells\":" + cells + "}";
    });
}

std::string banks(const Fields& f)
{
    const auto access = value(axe::warp_access(tile_of(f[1], f[4]), tile_of(f[2]).layout, std::stoi(f[3])));
    const auto conflicts = value(axe::bank_conflicts(access));
    std::vector<int> phases;
    for (int p = 0; p < conflicts.phases; ++p) phases.push_back(p);
    return list(phases, [&](int p) {
        return "{\"degree\":" + std::to_string(conflicts.degree[p]) +
               ",\"words\":" + list(axe::bank_load(access, p).words, [](int n) { return std::to_string(n); }) + "}";
    });
}

std::string check(const Fields& f)
{
    axe::Error e;
    if (f[1] == "layout") e = axe::parse_swizzled({f[2].data(), length(f[2])}).error();
    if (f[1] == "access") e = axe::parse_layout({f[2].data(), length(f[2])}).error();
    if (f[1] == "shape") e = axe::parse_shape({f[2].data(), length(f[2])}).error();
    if (e.ok()) return "null";
    return "[" + quoted(axe::name(e.code)) + "," + std::to_string(e.position) + "," + quoted(e.message().c_str()) + "]";
}

} // namespace

int main()
{
    const std::map<std::string, std::string (*)(const Fields&)> answers = {
        {"page", page},       {"points", points}, {"preimage", preimage}, {"forward", forward}, {"values", values},
        {"picture", picture}, {"banks", banks},   {"check", check},       {"steps", steps},
    };
    for (std::string line; std::getline(std::cin, line);) {
        Fields fields(1);
        for (const char c : line)
            if (c == '\t')
                fields.emplace_back();
            else
                fields.back() += c;
        try {
            std::cout << answers.at(fields[0])(fields) << std::endl;
        } catch (const Failure& failure) {
            std::cout << "{\"error\":" << quoted(axe::name(failure.error.code))
                      << ",\"message\":" << quoted(failure.error.message().c_str()) << "}" << std::endl;
        }
    }
}
