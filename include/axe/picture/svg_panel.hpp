// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_SVG_PANEL_HPP
#define AXE_PICTURE_SVG_PANEL_HPP

#include <axe/picture/cells.hpp>
#include <axe/picture/markup.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Widths of fixed-pitch text: 6.6 pixels a character at size 11, 6 at size 10.
inline int label_width(int characters) noexcept { return (characters * 66 + 9) / 10; }
inline int number_width_px(int characters) noexcept { return characters * 6; }

inline int color_of(const Picture& picture, std::int64_t value)
{
    const auto at = std::lower_bound(picture.values.begin(), picture.values.end(), value) - picture.values.begin();
    return color_index(at, static_cast<std::int64_t>(picture.values.size()));
}
inline int colors_of(const Picture& picture) { return color_count(static_cast<std::int64_t>(picture.values.size())); }

/// How much of the cells is drawn, and how large, in pixels.
struct CellStyle {
    bool labels = false; ///< up to 2^12 cells
    bool tips = false;   ///< up to 2^10 cells
    int width = 0;
    int height = 0;

    explicit CellStyle(const Picture& picture)
    {
        std::size_t cells = 0, columns = 1, rows = 1;
        int widest = 1, lines = 1;
        bool corner = false;
        for (const auto& panel : picture.panels) {
            cells += panel.cells.size();
            columns = std::max(columns, panel.columns.size());
            rows = std::max(rows, panel.rows.size());
            for (const auto& cell : panel.cells) {
                int line = 1;
                std::string_view rest = cell.label;
                for (std::size_t end = 0; end != std::string_view::npos; ++line) {
                    end = rest.find('\n');
                    widest = std::max(widest, characters(rest.substr(0, end)));
                    if (end != std::string_view::npos) rest.remove_prefix(end + 1);
                }
                lines = std::max(lines, line - 1);
                corner = corner || cell.several;
            }
        }
        width = std::max(24, label_width(widest) + (corner ? 12 : 8));
        height = std::max(20, 12 * lines + 8);
        labels = cells <= (std::size_t{1} << 12) && static_cast<std::int64_t>(columns) * width <= 4096;
        tips = cells <= (std::size_t{1} << 10);
        if (labels) return;
        const std::size_t panels = std::min<std::size_t>(picture.panels.size(), 4);
        const std::size_t room = panels < 2 ? 768 : 1120 / panels - 48;
        width = height = static_cast<int>(std::clamp<std::size_t>(room / std::max(rows, columns), 2, 16));
    }
};

/// One panel: the grid with its numbers. Everything is drawn in layers, cells of one color as one path, so that a large grid is small.
class PanelDrawing {
  public:
    PanelDrawing(const Picture& picture, const PicturePanel& panel, const CellStyle& style)
        : picture_(picture),
          panel_(panel),
          style_(style),
          rows_(static_cast<int>(panel.rows.size())),
          columns_(static_cast<int>(panel.columns.size()))
    {
        int widest = characters(panel.row_name);
        if (rows_ > 1 || !panel.row_name.empty())
            for (const auto n : panel.rows) widest = std::max(widest, static_cast<int>(text_of(n).size()));
        for (const auto& tally : panel.tallies) widest = std::max(widest, characters(tally.name));
        left_ = widest > 0 ? number_width_px(widest) + 8 : 0;
        top_ = (panel.title.empty() ? 0 : 20) + (panel.column_name.empty() ? 0 : 14) + 14;
    }

    [[nodiscard]] int width() const { return std::max(left_ + columns_ * style_.width, label_width(characters(panel_.title)) + 8); }
    [[nodiscard]] int height() const
    {
        return top_ + rows_ * style_.height + (panel_.tallies.empty() ? 0 : 10 + 14 * static_cast<int>(panel_.tallies.size()));
    }

    void draw(Markup& out, int x, int y) const
    {
        out << "<g transform=\"translate(" << x + left_ << "," << y + top_ << ")\">\n";
        edges(out);
        holes(out);
        fills(out);
        lines(out);
        if (style_.labels) {
            corners(out);
            labels(out);
        } else {
            block_labels(out);
        }
        tallies(out);
        if (style_.tips) tips(out);
        out << "</g>\n";
    }

  private:
    const Picture& picture_;
    const PicturePanel& panel_;
    const CellStyle& style_;
    int rows_, columns_;
    int left_ = 0, top_ = 0;

    [[nodiscard]] const PictureCell& cell(int r, int c) const
    {
        return panel_.at(static_cast<std::size_t>(r), static_cast<std::size_t>(c));
    }
    [[nodiscard]] bool filled(int r, int c) const { return cell(r, c).kind == PictureCell::Kind::filled; }
    [[nodiscard]] Color color(int r, int c) const { return cell_color(color_of(picture_, cell(r, c).value), colors_of(picture_)); }
    [[nodiscard]] bool white_text(int r, int c) const { return text_color(color(r, c)).red != 0; }

    /// Names and numbers along the upper and the left edge, as many as there is room for.
    void edges(Markup& out) const
    {
        if (!panel_.title.empty())
            (out << "<text class=\"title\" x=\"" << -left_ << "\" y=\"" << 11 - top_ << "\">").text(panel_.title) << "</text>\n";
        out << "<g class=\"edge\" text-anchor=\"middle\">";
        if (!panel_.column_name.empty())
            (out << "<text class=\"name\" text-anchor=\"start\" x=\"0\" y=\"-18\">").text(panel_.column_name) << "</text>";
        int widest = 1, step = 1;
        for (const auto n : panel_.columns) widest = std::max(widest, static_cast<int>(text_of(n).size()));
        while (step * style_.width < number_width_px(widest) + (step == 1 ? 4 : 14)) step *= 2;
        for (int c = 0; c < columns_; c += step)
            out << "<text x=\"" << c * style_.width + style_.width / 2 << "\" y=\"-4\">"
                << panel_.columns[static_cast<std::size_t>(c)] << "</text>";
        out << "</g>\n";
        if (left_ == 0) return;
        out << "<g class=\"edge\" text-anchor=\"end\">";
        if (!panel_.row_name.empty()) (out << "<text class=\"name\" x=\"-6\" y=\"-4\">").text(panel_.row_name) << "</text>";
        for (step = 1; step * style_.height < (step == 1 ? 12 : 24);) step *= 2;
        for (int r = 0; r < rows_; r += step)
            out << "<text x=\"-6\" y=\"" << r * style_.height + style_.height / 2 + 4 << "\">"
                << panel_.rows[static_cast<std::size_t>(r)] << "</text>";
        out << "</g>\n";
    }

    /// The cells of a color as strokes along the runs of a row, in units of cells.
    void fills(Markup& out) const
    {
        std::vector<std::string> path(static_cast<std::size_t>(colors_of(picture_)));
        std::vector<std::int64_t> value(path.size());
        for (int r = 0; r < rows_; ++r)
            for (int c = 0, end = 0; c < columns_; c = end) {
                end = c + 1;
                if (!filled(r, c)) continue;
                const int k = color_of(picture_, cell(r, c).value);
                while (end < columns_ && filled(r, end) && color_of(picture_, cell(r, end).value) == k) ++end;
                path[static_cast<std::size_t>(k)] += "M" + text_of(c) + " " + text_of(r) + "h" + text_of(end - c);
                value[static_cast<std::size_t>(k)] = cell(r, c).value;
            }
        out << "<g fill=\"none\" shape-rendering=\"crispEdges\" transform=\"scale(" << style_.width << "," << style_.height
            << ") translate(0,.5)\">\n";
        for (std::size_t k = 0; k < path.size(); ++k) {
            if (path[k].empty()) continue;
            out << "<path stroke=\"" << cell_color(static_cast<int>(k), static_cast<int>(path.size())) << "\" d=\"" << path[k];
            if (style_.tips)
                out << "\"/>\n";
            else
                (out << "\"><title>").text(picture_.color + " " + text_of(value[k])) << "</title></path>\n";
        }
        out << "</g>\n";
    }

    /// Hatching of the whole grid, where nothing lives somewhere in it; filled cells are painted over it.
    void holes(Markup& out) const
    {
        const auto is_hole = [](const PictureCell& c) { return c.kind == PictureCell::Kind::hole; };
        if (std::none_of(panel_.cells.begin(), panel_.cells.end(), is_hole)) return;
        const int w = style_.width, h = style_.height, last = last_line();
        out << "<path fill=\"url(#axe-hole)\" d=\"M0 0h" << columns_ * w << "v" << (rows_ - 1) * h << "h" << (last - columns_) * w
            << "v" << h << "h" << -last * w << "z\"/>\n";
    }

    /// The cells of the last row that exist: all cells of the other rows do.
    [[nodiscard]] int last_line() const
    {
        int last = 0;
        while (last < columns_ && cell(rows_ - 1, last).kind != PictureCell::Kind::absent) ++last;
        return last;
    }

    /// Outlines: of each cell where it is large enough, else of the whole.
    void lines(Markup& out) const
    {
        const int w = style_.width, h = style_.height, last = last_line();
        const bool each = w >= 8;
        out << "<path class=\"line\" d=\"";
        for (int r = 0; r <= rows_; ++r)
            if (each || r == 0 || (r == rows_ - 1 && last < columns_) || r == rows_)
                out << "M0 " << r * h << "h" << (r == rows_ ? last : columns_) * w;
        for (int c = 0; c <= columns_; ++c)
            if (each || c == 0 || c == last || c == columns_) out << "M" << c * w << " 0v" << (c <= last ? rows_ : rows_ - 1) * h;
        out << "\"/>\n";
    }

    void corners(Markup& out) const
    {
        std::string path[2];
        for (int r = 0; r < rows_; ++r)
            for (int c = 0; c < columns_; ++c)
                if (filled(r, c) && cell(r, c).several)
                    path[white_text(r, c) ? 1 : 0] +=
                        "M" + text_of((c + 1) * style_.width - 7) + " " + text_of(r * style_.height) + "h7v7z";
        for (int white = 0; white < 2; ++white)
            if (!path[white].empty())
                out << "<path fill=\"" << (white != 0 ? "#fff" : "#000") << "\" d=\"" << path[white] << "\"/>\n";
    }

    void labels(Markup& out) const
    {
        for (int white = 0; white < 2; ++white) {
            out << "<g class=\"label\" fill=\"" << (white != 0 ? "#fff" : "#000") << "\">\n";
            for (int r = 0; r < rows_; ++r)
                for (int c = 0; c < columns_; ++c)
                    if (filled(r, c) && white_text(r, c) == (white != 0)) label(out, r, c);
            out << "</g>\n";
        }
    }

    void label(Markup& out, int r, int c) const
    {
        const std::string& text = cell(r, c).label;
        const int count = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
        const int x = c * style_.width + style_.width / 2;
        out << "<text x=\"" << x << "\" y=\"" << r * style_.height + style_.height / 2 + 4 - 6 * (count - 1);
        out << (picture_.value_leads && count > 1 ? "\"><tspan class=\"lead\">" : "\">");
        std::string_view rest = text;
        for (int line = 0; line < count; ++line) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            if (line > 0) out << "<tspan x=\"" << x << "\" dy=\"12\">";
            out.text(rest.substr(0, end));
            if (line > 0 || (picture_.value_leads && count > 1)) out << "</tspan>";
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        out << "</text>\n";
    }

    /// Where cells are too small, blocks of one value carry it, if they are large enough.
    void block_labels(Markup& out) const
    {
        std::vector<bool> seen(panel_.cells.size());
        const auto free = [&](int r, int c, std::int64_t value) {
            return filled(r, c) && cell(r, c).value == value && !seen[static_cast<std::size_t>(r * columns_ + c)];
        };
        out << "<g class=\"label\">\n";
        for (int r = 0; r < rows_; ++r)
            for (int c = 0; c < columns_; ++c) {
                const std::int64_t value = cell(r, c).value;
                if (!free(r, c, value)) continue;
                int right = c + 1, below = r + 1;
                while (right < columns_ && free(r, right, value)) ++right;
                const auto row_is_free = [&](int row) {
                    for (int k = c; k < right; ++k)
                        if (!free(row, k, value)) return false;
                    return true;
                };
                while (below < rows_ && row_is_free(below)) ++below;
                for (int row = r; row < below; ++row)
                    for (int k = c; k < right; ++k) seen[static_cast<std::size_t>(row * columns_ + k)] = true;
                const std::string text = text_of(value);
                if ((right - c) * style_.width < label_width(static_cast<int>(text.size())) + 4 || (below - r) * style_.height < 14)
                    continue;
                out << "<text x=\"" << (c + right) * style_.width / 2 << "\" y=\"" << (r + below) * style_.height / 2 + 4
                    << "\" fill=\"" << text_color(color(r, c)) << "\">" << text << "</text>\n";
            }
        out << "</g>\n";
    }

    void tallies(Markup& out) const
    {
        int y = rows_ * style_.height + 20;
        for (const auto& tally : panel_.tallies) {
            (out << "<g class=\"edge\" text-anchor=\"middle\"><text text-anchor=\"end\" x=\"-6\" y=\"" << y << "\">")
                    .text(tally.name)
                << "</text>";
            for (int c = 0; c < columns_; ++c) {
                const int n = tally.counts[static_cast<std::size_t>(c)];
                out << "<text" << (n > 1 && n == tally.worst ? " class=\"worst\"" : "") << " x=\""
                    << c * style_.width + style_.width / 2 << "\" y=\"" << y << "\">"
                    << (n == 0 ? std::string("\u00b7") : text_of(n)) << "</text>";
            }
            out << "</g>\n";
            y += 14;
        }
    }

    /// Invisible and on top, so that the pointer finds them.
    void tips(Markup& out) const
    {
        out << "<g fill=\"none\" pointer-events=\"all\">\n";
        for (int r = 0; r < rows_; ++r)
            for (int c = 0; c < columns_; ++c)
                if (!cell(r, c).tip.empty())
                    (out << "<rect x=\"" << c * style_.width << "\" y=\"" << r * style_.height << "\" width=\"" << style_.width
                         << "\" height=\"" << style_.height << "\"><title>")
                            .text(cell(r, c).tip)
                        << "</title></rect>\n";
        out << "</g>\n";
    }
};

} // namespace detail
} // namespace v0
} // namespace axe

#endif
