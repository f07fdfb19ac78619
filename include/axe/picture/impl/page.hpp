// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_IMPL_PAGE_HPP
#define AXE_PICTURE_IMPL_PAGE_HPP

#include <axe/picture/banks_view.hpp>
#include <axe/picture/embedded/algebra_js.hpp>
#include <axe/picture/embedded/draw_js.hpp>
#include <axe/picture/embedded/events_js.hpp>
#include <axe/picture/embedded/model_js.hpp>
#include <axe/picture/embedded/page_css.hpp>
#include <axe/picture/embedded/page_js.hpp>
#include <axe/picture/markup.hpp>
#include <axe/picture/page.hpp>
#include <axe/picture/palette.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// A page takes in a picture for readers without scripts as long as it stays below this.
inline constexpr std::size_t page_budget = 290'000;

/// The policy lets nothing be loaded, and runs the page's own script alone: no handler in a text that slipped into the markup.
inline constexpr char page_head[] = R"html(<!doctype html>
<html lang=en>
<head>
<meta charset=utf-8>
<meta name=viewport content='width=device-width,initial-scale=1'>
<meta http-equiv=Content-Security-Policy
 content='default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; script-src &#39;nonce-axe&#39;;
 form-action &#39;none&#39;'>
<style id=colors></style>
<style>
)html";

inline constexpr char page_form[] = R"html(
<form id=fields aria-label='What is drawn'>
<div class=wide><label for=layout>Layout</label>
<input id=layout autocomplete=off autocapitalize=off spellcheck=false aria-describedby=said></div>
<div class=middle><label for=shape>Shape</label>
<input id=shape autocomplete=off autocapitalize=off spellcheck=false aria-describedby=said></div>
<div class=break></div>
<div class=choice><label for=color>Color by</label><select id=color></select></div>
<div class=choice><label for=rows>Hardware rows</label><select id=rows></select></div>
<div class=choice><label for=columns>Hardware columns</label><select id=columns></select></div>
<div class=choice><label for=cells>Cells</label><select id=cells>
<option value=''>automatic<option value=labeled>with labels<option value=small>small</select></div>
<div class=break></div>
<div class=wide><label for=access>Access of a warp to shared memory, (lane, element) &rarr; linear index; empty for none</label>
<input id=access autocomplete=off autocapitalize=off spellcheck=false aria-describedby=said></div>
<div class=choice><label for=vector>Elements a lane</label>
<input id=vector inputmode=numeric autocomplete=off aria-describedby=said></div>
<div class=choice><label for=width>Bytes an element</label>
<input id=width inputmode=numeric autocomplete=off aria-describedby=said></div>
</form>
</header>
)html";

/// What follows the fields: the message, the legend, the three views, and the maps of one cell.
inline constexpr char page_views[] = R"html(
<div id=say><p id=hello class=lede>Element x lives at the points L(x) = { D(x) + r + O }: its digits over the extents times the
strides, in every copy r of the replicas, moved by the offset O. Edit a field, and the picture follows.</p>
<div aria-live=polite><div id=message hidden><p id=said></p><pre id=place></pre></div></div></div>
<div id=legend></div>
<p id=picked role=status></p>
<div id=work>
<main>
<section id=logical aria-labelledby=logical-name><h2 id=logical-name>Logical view</h2>
<p class=lede>The tensor. <span class=key></span></p><div class=body></div></section>
<section id=hardware aria-labelledby=hardware-name><h2 id=hardware-name>Hardware view</h2>
<p class=lede>The places. <span class=key></span></p><div class=body></div></section>
<section id=banks aria-labelledby=banks-name hidden><h2 id=banks-name>Shared memory</h2>
<p class=lede>One access of a warp to 32 banks of 4 bytes. <span class=key></span>
Below each grid, phase by phase, the different words wanted of each bank.</p><div id=lanes></div><div class=body></div></section>
</main>
<div class=side>
<aside aria-labelledby=map-name><h2 id=map-name>The maps of one cell</h2>
<p id=hint class=lede>Point at a cell, or footprint it with the keyboard.</p><dl id=map></dl></aside>
<p class=keys><kbd>Tab</kbd> leads to a view, the arrow keys from cell to cell, <kbd>Home</kbd> and <kbd>End</kbd> along a row,
<kbd>Page&nbsp;Down</kbd> to the next panel. A click or <kbd>Enter</kbd> highlights all that the owner of a cell holds;
<kbd>Esc</kbd> clears.</p>
</div>
</div>
)html";

/// A page without scripts says so; what it holds is in the two texts that follow.
inline constexpr char page_without_script[] = R"html(
<noscript><style>#fields,#work,#legend{display:none}</style>
<p>This page draws with a script, and scripts are switched off here. It shows the layout
)html";

/// The lists and limits that the script shares with the library, as an object of the script.
inline void put_facts(Markup& out)
{
    const auto axes = [&](const char* name, const auto& list) {
        out << name << ":[";
        for (const Axis& axis : list) out << "'" << axis.name().c_str() << "',";
        out << "],\n";
    };
    const auto colors = [&](const char* name, const auto& list) {
        out << name << ":[";
        for (const Color& c : list) out << "[" << c.red << "," << c.green << "," << c.blue << "],";
        out << "],\n";
    };
    out << "const facts={cells:" << max_picture_cells << ",panels:" << max_picture_panels << ",points:" << max_picture_points
        << ",colors:" << max_colors << ",\n";
    axes("owners", owner_axes);
    axes("places", place_axes);
    colors("hues", hues);
    colors("ramp", ramp);
    out << "};";
}

inline void put_page_theme(Markup& out, const Theme& theme)
{
    out << ":root{--paper:" << theme.paper << ";--ink:" << theme.ink << ";--soft:" << theme.soft << ";--hole:" << theme.hole << "}";
}

} // namespace detail

AXE_DECL Result<std::string> page(const Swizzled<Layout>& tile, const Shape& shape, const PictureOptions& options)
{
    PictureOptions still; // for readers without scripts; and its errors are those of the page
    still.color = options.color;
    still.title = options.title;
    const auto cells = picture(tile, shape, still);
    if (!cells) return cells.error();
    const auto copies = points(tile.layout, 0).count();
    if (!copies) return copies.error();
    if (*copies > max_picture_points / *volume(shape)) return detail::too_many_points();
    if (const auto grid = grid_axes(tile.layout, options); !grid) return grid.error();
    const bool banks = options.access || options.view == PictureView::banks;
    const Layout access = options.access ? *options.access : detail::whole_access(*volume(shape), options.vector);
    if (banks)
        if (const auto lanes = warp_access(tile, access, options.vector); !lanes) return lanes.error();

    const bool plain = tile.swizzle.bits == 0 && tile.axis == Axis{};
    const std::string layout = plain ? detail::text_of(tile.layout) : detail::text_of(tile), shape_text = detail::text_of(shape);
    const std::string heading = options.title.empty() ? layout : options.title;
    const auto name = [](const std::optional<Axis>& axis) { return axis ? detail::text_of(*axis) : std::string(); };

    detail::Markup out;
    out << detail::page_head;
    detail::put_page_theme(out, light_theme);
    out << "\n@media (prefers-color-scheme:dark){";
    detail::put_page_theme(out, dark_theme);
    (out << "}\n" << detail::page_css << "</style>\n<title>").text(heading) << "</title>\n</head>\n<body>\n<header><h1 id=title>";
    out.text(heading) << "</h1>\n<div id=start hidden";
    const auto start = [&](const char* key, const std::string& value) { (out << " data-" << key << "=\"").text(value) << "\""; };
    start("title", options.title);
    start("layout", layout);
    start("shape", shape_text);
    start("color", name(options.color));
    start("rows", name(options.rows));
    start("columns", name(options.columns));
    start("access", banks ? detail::text_of(access) : std::string());
    start("vector", std::to_string(options.vector));
    start("width", std::to_string(tile.width));
    out << "></div>" << detail::page_form << detail::page_views << detail::page_without_script << "<pre>";
    out.text(layout) << "\n";
    out.text(shape_text) << "</pre>\n";

    detail::Markup script;
    script << "</noscript>\n<script nonce=axe>\n'use strict';\n{\nperformance.mark('axe: start');\n";
    detail::put_facts(script);
    for (const char* part : {detail::algebra_js, detail::model_js, detail::draw_js, detail::page_js, detail::events_js})
        script << "\n" << part;
    script << "}\n</script>\n</body>\n</html>\n";
    const std::string drawing = draw(*cells);
    if (out.str().size() + script.str().size() + drawing.size() < detail::page_budget) out << drawing;
    return out.str() + script.str();
}

AXE_DECL Result<std::string> page(const Layout& layout, const Shape& shape, const PictureOptions& options)
{
    return page(picture_of(layout, options), shape, options);
}

} // namespace v0
} // namespace axe

#endif
