// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_IMPL_SVG_HPP
#define AXE_PICTURE_IMPL_SVG_HPP

#include <axe/picture/embedded/svg_css.hpp>
#include <axe/picture/svg.hpp>
#include <axe/picture/svg_panel.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

inline constexpr int picture_margin = 16;
/// Panels flow in lines of this width; texts have at least the other.
inline constexpr int flow_width = 1120;
inline constexpr int least_width = 480;

inline void put_theme(Markup& out, const Theme& theme)
{
    out << ".axe .paper{fill:" << theme.paper << "}.axe .ink,.axe .title,.axe .worst{fill:" << theme.ink
        << "}.axe .soft,.axe .edge{fill:" << theme.soft << "}.axe .line{stroke:" << theme.line
        << "}.axe .hole{stroke:" << theme.hole << "}";
}

/// The style of a drawing, with its colors on light and on dark pages.
inline void put_style(Markup& out)
{
    out << "<style>" << svg_css;
    put_theme(out, light_theme);
    out << "@media (prefers-color-scheme:dark){";
    put_theme(out, dark_theme);
    out << "}</style>\n";
}

/// What the colors stand for: a box for each value up to 32 of them, else the ramp from the least to the greatest.
inline int draw_legend(Markup& out, const Picture& picture, int y, int width)
{
    const int colors = colors_of(picture);
    const auto& values = picture.values;
    if (values.empty()) return y;
    int x = picture_margin + label_width(characters(picture.color)) + 10;
    const int left = x;
    (out << "<g class=\"label\"><text class=\"ink\" text-anchor=\"start\" x=\"" << picture_margin << "\" y=\"" << y + 13 << "\">")
            .text(picture.color)
        << "</text>\n";
    const auto box = [&](int w, Color color) {
        out << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << w << "\" height=\"18\" fill=\"" << color << "\"/>";
    };
    if (values.size() <= 32) {
        int least = 0;
        for (const auto v : values) least = std::max(least, label_width(static_cast<int>(text_of(v).size())) + (v < 0 ? 7 : 3));
        // as wide as there is room for, in as few lines as it takes, all of one length
        const int count = static_cast<int>(values.size()), room = picture_margin + width - left;
        const int fit = std::max(1, room / least), lines = (count + fit - 1) / fit;
        const int on_line = (count + lines - 1) / lines, w = std::clamp(room / on_line, least, least + 9);
        for (const auto v : values) {
            if (x == left + on_line * w) {
                x = left;
                y += 20;
            }
            const Color color = cell_color(color_of(picture, v), colors);
            box(w, color);
            out << "<text fill=\"" << text_color(color) << "\" x=\"" << x + w / 2 << "\" y=\"" << y + 13 << "\">" << v
                << "</text>\n";
            x += w;
        }
    } else {
        const std::string least = text_of(values.front());
        out << "<text class=\"ink\" text-anchor=\"start\" x=\"" << x << "\" y=\"" << y + 13 << "\">" << least << "</text>\n";
        x += label_width(static_cast<int>(least.size())) + 6;
        for (int k = 0; k < 32; ++k) {
            box(8, cell_color(k * (colors - 1) / 31, colors));
            x += 8;
        }
        out << "<text class=\"ink\" text-anchor=\"start\" x=\"" << x + 6 << "\" y=\"" << y + 13 << "\">" << values.back()
            << "</text>\n";
    }
    out << "</g>\n";
    return y + 18;
}

inline std::vector<std::string> captions(const Picture& picture, const CellStyle& style)
{
    std::vector<std::string> out = picture.notes;
    if (!style.labels) {
        out.push_back("There are too many cells for labels: blocks carry their " + picture.color + " where there is room.");
        return out;
    }
    bool several = false, cut = false;
    for (const auto& panel : picture.panels)
        for (const auto& cell : panel.cells) {
            several = several || cell.several;
            cut = cut || cell.label.find('+') != std::string::npos;
        }
    const bool stacked = picture.value_leads && picture.cell_key != picture.color;
    out.push_back((stacked ? "In each cell, from the top: " : "In each cell: ") + picture.cell_key +
                  (several ? ". The corner marks " + picture.corner + "." : ".") + (cut ? " +n stands for n more." : ""));
    return out;
}

/// Where panels go: they flow like words, in lines of `flow_width`, or as wide as the widest.
struct Flow {
    std::vector<int> x{};
    std::vector<int> y{};
    int width = 0;
    int height = 0;

    explicit Flow(const std::vector<PanelDrawing>& panels)
    {
        int room = flow_width, at = 0, top = 0;
        for (const auto& panel : panels) room = std::max(room, panel.width());
        for (const auto& panel : panels) {
            if (at > 0 && at + panel.width() > room) {
                at = 0;
                top = height + 20;
            }
            x.push_back(at);
            y.push_back(top);
            width = std::max(width, at + panel.width());
            height = std::max(height, top + panel.height());
            at += panel.width() + 28;
        }
    }
};

} // namespace detail

AXE_DECL std::string draw(const Picture& picture)
{
    using detail::picture_margin;
    const detail::CellStyle style(picture);
    std::vector<detail::PanelDrawing> panels;
    for (const auto& panel : picture.panels) panels.emplace_back(picture, panel, style);
    const detail::Flow flow(panels);
    const int width = std::max(detail::least_width, flow.width);

    detail::Markup body;
    int line = picture_margin;
    const auto paragraph = [&](const std::string& text, const char* kind, int pitch, int character, std::size_t most) {
        for (const auto& part : detail::wrapped(text, width * 10 / character, most)) {
            line += pitch;
            (body << "<text class=\"" << kind << "\" x=\"" << picture_margin << "\" y=\"" << line - 4 << "\">").text(part)
                << "</text>\n";
        }
    };
    paragraph(picture.title, "head ink", 20, 90, 4);
    if (picture.layout != picture.title) paragraph(picture.layout, "ink", 17, 66, 8);
    paragraph(picture.subtitle, "soft", 17, 66, 4);
    const int top = line + 12;
    for (std::size_t i = 0; i < panels.size(); ++i) panels[i].draw(body, picture_margin + flow.x[i], top + flow.y[i]);
    line = detail::draw_legend(body, picture, top + flow.height + 16, width) + 6;
    std::string every = picture.layout + ", " + picture.subtitle + ".";
    for (const auto& caption : detail::captions(picture, style)) {
        paragraph(caption, "soft", 17, 66, 8);
        every += " " + caption;
    }

    const int full_width = width + 2 * picture_margin, full_height = line + picture_margin;
    detail::Markup out;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"axe\" role=\"img\" width=\"" << full_width << "\" height=\""
        << full_height << "\" viewBox=\"0 0 " << full_width << " " << full_height << "\">\n<title>";
    out.text(picture.title) << "</title>\n<desc>";
    out.text(every) << "</desc>\n";
    detail::put_style(out);
    out << "<defs><pattern id=\"axe-hole\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
           "<path class=\"hole\" d=\"M-1 1L1-1M0 6L6 0M5 7L7 5\"/></pattern></defs>\n"
           "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
        << body.str() << "</svg>\n";
    return out.str();
}

AXE_DECL Result<std::string> svg(const Swizzled<Layout>& tile, const Shape& shape, const PictureOptions& options)
{
    const auto cells = picture(tile, shape, options);
    if (!cells) return cells.error();
    return draw(*cells);
}

AXE_DECL Result<std::string> svg(const Layout& layout, const Shape& shape, const PictureOptions& options)
{
    return svg(picture_of(layout, options), shape, options);
}

} // namespace v0
} // namespace axe

#endif
