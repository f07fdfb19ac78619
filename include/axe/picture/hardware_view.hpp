// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_HARDWARE_VIEW_HPP
#define AXE_PICTURE_HARDWARE_VIEW_HPP

#include <axe/picture/element_points.hpp>

#include <map>

namespace axe {
inline namespace v0 {
namespace detail {

/// The places of a layout that hold something, as (panel, row, column), with the elements that live there.
class OccupiedCells {
  public:
    struct OccupiedCell {
        std::vector<std::int64_t> elements{}; ///< the first few
        std::int64_t count = 0;
        std::int64_t value = 0; ///< on the color axis
    };
    /// Least and greatest coordinate.
    struct Extent {
        std::int64_t least = 0;
        std::int64_t most = 0;
        /// `errc::capacity` when they are farther apart than a picture is wide.
        [[nodiscard]] Result<std::int64_t> count() const
        {
            std::int64_t n = 0;
            if (!sub(most, least, n) || n >= max_picture_cells) return too_many_cells();
            return n + 1;
        }
    };
    using Panel = std::map<std::pair<std::int64_t, std::int64_t>, OccupiedCell>;

    explicit OccupiedCells(const GridAxes& grid) : grid_(grid) {}

    void add(const Point& point, std::int64_t element, std::int64_t value)
    {
        const std::int64_t row = on(grid_.rows, point), column = on(grid_.columns, point);
        std::vector<std::int64_t> key;
        for (const Axis& a : grid_.panels) key.push_back(point[a]);
        if (panels.empty()) {
            rows = {row, row};
            columns = {column, column};
        }
        rows = {std::min(rows.least, row), std::max(rows.most, row)};
        columns = {std::min(columns.least, column), std::max(columns.most, column)};
        OccupiedCell& place = panels[key][{row, column}];
        if (place.count++ < most_shown) place.elements.push_back(element);
        place.value = value;
    }

    Extent rows{};
    Extent columns{};
    std::map<std::vector<std::int64_t>, Panel> panels{};

  private:
    GridAxes grid_;
    static std::int64_t on(const std::optional<Axis>& axis, const Point& point) { return axis ? point[*axis] : 0; }
};

/// `(2,9)` as written in a cell, which has little room.
inline std::string bare(const Coord& coord)
{
    const std::string text = text_of(coord);
    return coord.empty() ? text : text.substr(1, text.size() - 2);
}

inline void fill(PictureCell& cell, const OccupiedCells::OccupiedCell& place, const Shape& shape)
{
    cell.kind = PictureCell::Kind::filled;
    cell.several = place.count > 1;
    cell.value = place.value;
    std::vector<std::string> some;
    for (const auto element : place.elements) {
        const auto coord = coordinate(shape, element);
        some.push_back(text_of(coord));
        if (place.count > most_shown && some.size() > 1) continue; // in the label the first, and how many more
        cell.label += (cell.label.empty() ? "" : "\n") + bare(coord);
    }
    if (place.count > most_shown) cell.label += "\n+" + text_of(place.count - 1);
    cell.tip += listed(some, place.count);
}

/// One panel: `width` columns, and `height` rows or lines.
inline PicturePanel place_panel(const GridAxes& grid, const OccupiedCells& places, const std::vector<std::int64_t>& key,
                                const OccupiedCells::Panel& held, std::int64_t width, std::int64_t height, const Shape& shape)
{
    PicturePanel panel;
    const std::int64_t left = places.columns.least, top = places.rows.least;
    for (int a = 0; a < grid.panels.size(); ++a)
        panel.title += (a > 0 ? ", " : "") + text_of(grid.panels[a]) + " " + text_of(key[static_cast<std::size_t>(a)]);
    if (grid.rows) panel.row_name = text_of(*grid.rows);
    if (grid.columns) panel.column_name = text_of(*grid.columns);
    panel.rows = grid.rows ? numbers(top, height) : numbers(left, height, width);
    panel.columns = numbers(grid.rows ? left : 0, width);
    panel.cells.resize(static_cast<std::size_t>(width * height));
    for (std::int64_t i = 0; i < width * height; ++i) {
        if (!grid.rows && i > places.columns.most - left) break;
        const std::int64_t row = grid.rows ? top + i / width : 0, column = left + (grid.rows ? i % width : i);
        PictureCell& cell = panel.cells[static_cast<std::size_t>(i)];
        const auto say = [&](const std::string& part) { cell.tip += (cell.tip.empty() ? "" : ", ") + part; };
        if (grid.rows) say(panel.row_name + " " + text_of(row));
        if (grid.columns) say(panel.column_name + " " + text_of(column));
        if (!panel.title.empty()) say(panel.title);
        cell.tip += cell.tip.empty() ? "here: " : ": ";
        if (const auto place = held.find({row, column}); place != held.end()) {
            fill(cell, place->second, shape);
        } else {
            cell.kind = PictureCell::Kind::hole;
            cell.tip += "nothing";
        }
    }
    return panel;
}

/// The grid of two axes, one panel for each combination of the other axes in which something lives.
inline Result<Picture> hardware_view(const Swizzled<Layout>& tile, const Shape& shape, const PictureOptions& options)
{
    Result<Picture> result;
    Picture& picture = *result;
    const auto color = color_axis(tile.layout, options);
    if (!color) return color.error();
    const bool computed = is_computed_bank(tile, *color);
    const auto grid = grid_axes(tile.layout, options);
    if (!grid) return grid.error();

    const std::int64_t size = *volume(shape);
    const Error crowded = too_many_points();
    const auto points = ElementPoints::make(tile, max_picture_points / size + 1);
    if (!points) return points.error();
    if (points->count() > max_picture_points / size) return crowded;
    OccupiedCells places(*grid);
    for (std::int64_t x = 0; x < size; ++x) {
        const auto base = points->base(x);
        if (!base) return base.error();
        for (std::size_t i = 0; i < points->held(); ++i) {
            const Point p = points->point(*base, i);
            places.add(p, x, computed ? bank_of_element(tile, p[tile.axis]) : p[*color]);
        }
        if (places.panels.size() > static_cast<std::size_t>(max_picture_panels)) return too_many_panels();
    }

    const auto rows = places.rows.count(), columns = places.columns.count();
    if (!rows) return rows.error();
    if (!columns) return columns.error();
    const std::int64_t width = grid->rows ? *columns : line_length(*columns);
    const std::int64_t height = grid->rows ? *rows : (*columns + width - 1) / width;
    if (width * height * static_cast<std::int64_t>(places.panels.size()) > max_picture_cells) return too_many_cells();
    bool holes = false;
    for (const auto& [key, held] : places.panels) {
        picture.panels.push_back(place_panel(*grid, places, key, held, width, height, shape));
        const auto total = grid->rows ? width * height : *columns;
        holes = holes || static_cast<std::int64_t>(held.size()) < total;
    }
    picture.color = text_of(*color);
    picture.cell_key = "the coordinates that live there";
    picture.subtitle = "tensor of shape " + text_of(shape) + ", colored by " + picture.color;
    picture.corner = "a place of several elements";
    note_constants(picture, *points);
    if (points->count() > 1) picture.notes.push_back("Each element lives at " + text_of(points->count()) + " places.");
    if (holes) picture.notes.push_back("Hatched: nothing lives there.");
    return result;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
