// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts drawn, into files.
#include "drawing_file.hpp"
#include "operation.hpp"
#include "settings.hpp"

#include <axe/picture/page.hpp>
#include <axe/picture/svg.hpp>

namespace axe_cli {
namespace {
namespace picture_table {

using axe::PictureOptions;

template <class T, class To>
axe::Status parse_into(axe::Result<T> (*parse)(axe::TextView), std::string_view text, To& out)
{
    const auto value = parse(text);
    if (value) out = *value;
    return value.error();
}

axe::Status read_view(std::string_view text, PictureOptions& options)
{
    if (text == "logical")
        options.view = axe::PictureView::logical;
    else if (text == "hardware")
        options.view = axe::PictureView::hardware;
    else if (text == "banks")
        options.view = axe::PictureView::banks;
    else
        return axe::Error(axe::errc::bad_syntax, 0, "a view is logical, hardware or banks");
    return {};
}

axe::Status read_vector(std::string_view text, PictureOptions& options)
{
    std::int64_t n = 0;
    if (const axe::Status e = parse_into(axe::parse_integer, text, n); !e.ok()) return e;
    if (n < 1 || n > 1 << 20) return axe::Error(axe::errc::bad_argument, -1, "{0} elements are not a vector", n);
    options.vector = static_cast<int>(n);
    return {};
}

axe::Status read_color(std::string_view text, PictureOptions& options) { return parse_into(axe::parse_axis, text, options.color); }

constexpr Key<PictureOptions> keys[] = {
    {"view", read_view},
    {"color", read_color},
    {"color", read_color}, // the British spelling
    {"rows", [](std::string_view text, PictureOptions& o) { return parse_into(axe::parse_axis, text, o.rows); }},
    {"columns", [](std::string_view text, PictureOptions& o) { return parse_into(axe::parse_axis, text, o.columns); }},
    {"access", [](std::string_view text, PictureOptions& o) { return parse_into(axe::parse_layout, text, o.access); }},
    {"vector", read_vector},
    {"width", [](std::string_view text, PictureOptions& o) { return parse_into(axe::parse_integer, text, o.width); }},
    {"title",
     [](std::string_view text, PictureOptions& o) -> axe::Status {
         o.title = text;
         return {};
     }},
};
constexpr std::string_view key_words[] = {"view=", "color=", "rows=", "columns=", "access=", "vector=", "width=", "title="};

void picture(Reply& reply, const SwizzledLayout& layout, const axe::Shape& shape, std::string_view file,
             const std::vector<Setting>& settings)
{
    if (!is_drawing_name(reply, 3, file, true)) return;
    const bool page = file.ends_with(".html");
    PictureOptions options;
    for (const Setting& setting : settings)
        if (!set(reply, setting, keys, options)) return;
    const auto draw = [&](const auto& drawn) { return page ? axe::page(drawn, shape, options) : axe::svg(drawn, shape, options); };
    const auto content = is_plain(layout) ? draw(layout.layout) : draw(layout);
    if (!content) return reply.refuse(content.error());
    give_drawing(reply, file, *content);
}

constexpr Operation rows[] = {
    operation("picture", "L S FILE [KEY=VALUE ...]", "a drawing: FILE.svg, or FILE.html to explore in a browser",
              "view=logical     the tensor: in each cell the location of that element (the default)\n"
              "view=hardware    the hardware: in each cell the elements stored there; rows=AXIS columns=AXIS choose the grid\n"
              "view=banks       shared memory: the conflicts of access=LAYOUT, from (lane, element) to the index of an element;\n"
              "                 vector=N elements per lane, width=BYTES of an element\n"
              "color=AXIS       the axis that determines the colors of the cells\n"
              "title=TEXT       the title; the layout by default",
              "size_mismatch, unknown_axis, capacity (too large to be drawn), cannot_write",
              "picture; (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp; (8,16); tile.svg; color=warp", "ok: tile.svg",
              [](Reply& reply, const SwizzledLayout& l, const axe::Shape& s, const std::string_view& file,
                 const std::vector<Setting>& settings) { picture(reply, l, s, file, settings); }),
};

} // namespace picture_table
} // namespace

constinit const std::span<const Operation> picture_operations = picture_table::rows;
const std::span<const std::string_view> picture_keys = picture_table::key_words;

} // namespace axe_cli
