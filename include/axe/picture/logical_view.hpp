// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_LOGICAL_VIEW_HPP
#define AXE_PICTURE_LOGICAL_VIEW_HPP

#include <axe/picture/element_points.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// What is shown of the elements of a layout: the same axes in the same order in every cell.
class ElementLabels {
  public:
    ElementLabels(const ElementPoints& points, const Axis& color)
        : points_(points), computed_(is_computed_bank(points.tile(), color)), lines_{color}
    {
        for (const Axis& axis : moving_axes(points.tile().layout))
            if (!(axis == color)) lines_.push_back(axis);
    }

    [[nodiscard]] std::string key() const { return listed(lines_); }

    void fill(PictureCell& cell, const Point& base, const std::string& name) const
    {
        cell.kind = PictureCell::Kind::filled;
        cell.several = points_.count() > 1;
        for (const Axis& axis : lines_) {
            const bool leads = cell.label.empty();
            auto values = points_.on_axis(base, leads && computed_ ? points_.tile().axis : axis);
            if (leads && computed_) to_banks(values);
            if (leads) cell.value = values.some[0];
            cell.label += leads ? "" : "\n";
            for (std::size_t i = 0; i < values.some.size(); ++i) cell.label += (i > 0 ? "," : "") + text_of(values.some[i]);
            const auto rest = values.count - static_cast<std::int64_t>(values.some.size());
            if (rest > 0) cell.label += leads && computed_ ? " +" : " +" + text_of(rest); // copies may share a bank
        }
        std::vector<std::string> some;
        for (std::size_t i = 0; i < points_.held(); ++i) some.push_back(text_of(points_.point(base, i)));
        cell.tip = name + ": " + listed(some, points_.count());
    }

  private:
    void to_banks(ElementPoints::Values& values) const
    {
        auto& some = values.some;
        const bool all = values.count == static_cast<std::int64_t>(some.size());
        for (auto& v : some) v = bank_of_element(points_.tile(), v);
        std::sort(some.begin(), some.end());
        some.erase(std::unique(some.begin(), some.end()), some.end());
        if (all) values.count = static_cast<std::int64_t>(some.size());
    }

    const ElementPoints& points_;
    bool computed_; ///< the first line is the bank
    std::vector<Axis> lines_;
};

/// The tensor's grid: rank 1 in lines, rank 2 as rows and columns, higher ranks as panels of the last two dimensions.
inline Result<Picture> logical_view(const Swizzled<Layout>& tile, const Shape& shape, const PictureOptions& options)
{
    Result<Picture> result;
    Picture& picture = *result;
    const auto color = color_axis(tile.layout, options);
    if (!color) return color.error();
    const int rank = shape.size();
    const std::int64_t size = *volume(shape);
    if (size > max_picture_cells) return too_many_cells();
    const std::int64_t columns = rank == 0 ? 1 : rank == 1 ? line_length(size) : shape[rank - 1];
    const std::int64_t rows = rank < 2 ? (size + columns - 1) / columns : shape[rank - 2];
    const std::int64_t panels = rank < 2 ? 1 : size / (rows * columns);
    if (panels > max_picture_panels) return too_many_panels();

    const auto points = ElementPoints::make(tile, most_shown);
    if (!points) return points.error();
    const ElementLabels labels(*points, *color);
    for (std::int64_t p = 0; p < panels; ++p) {
        PicturePanel panel;
        panel.rows = numbers(0, rows, rank < 2 ? columns : 1);
        panel.columns = numbers(0, columns);
        if (rank >= 2) panel.row_name = "dim " + text_of(rank - 2);
        if (rank >= 1) panel.column_name = "dim " + text_of(rank - 1);
        if (rank > 2) {
            const auto first = coordinate(shape, p * rows * columns);
            for (int d = 0; d < rank - 2; ++d) panel.title += text_of(first[d]) + ",";
            panel.title = "(" + panel.title + ":,:)";
        }
        panel.cells.resize(static_cast<std::size_t>(rows * columns));
        for (std::int64_t i = 0; i < rows * columns; ++i) {
            const std::int64_t index = p * rows * columns + i;
            if (index >= size) break;
            const auto base = points->base(index);
            if (!base) return base.error();
            labels.fill(panel.cells[static_cast<std::size_t>(i)], *base, text_of(coordinate(shape, index)));
        }
        picture.panels.push_back(std::move(panel));
    }
    picture.color = text_of(*color);
    picture.cell_key = labels.key();
    picture.value_leads = true;
    picture.subtitle = "tensor of shape " + text_of(shape) + ", colored by " + picture.color;
    note_constants(picture, *points);
    if (points->count() > 1)
        picture.corner = "an element with several points, here " + text_of(points->count()) + " each and colored by the first";
    return result;
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
