// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_VIEW_HPP
#define AXE_PICTURE_VIEW_HPP

#include <axe/layout/span.hpp>
#include <axe/layout/swizzle.hpp>

#include <optional>
#include <string>

/// What a picture shows: the options that every kind of picture takes, and what is chosen where they are silent.
namespace axe {
inline namespace v0 {

enum class PictureView : std::uint8_t {
    logical,  ///< the tensor's grid; in each cell the points of that element
    hardware, ///< the grid of two axes; in each cell the elements that live there
    banks,    ///< shared memory, 32 banks wide; in each cell the lanes that touch the word
};

/// How to draw a layout. Everything may be left out.
struct PictureOptions {
    PictureView view = PictureView::logical;
    /// The axis that colors the cells. `bank` is the bank of the word in shared memory, where the layout has no axis of that name.
    std::optional<Axis> color{};
    /// Hardware view: the axes of the grid; one panel for each combination of the others.
    std::optional<Axis> rows{};
    std::optional<Axis> columns{};
    /// Banks: (lane, element of the vector), row-major, to the linear index of the tensor on m.
    std::optional<Layout> access{};
    /// Banks: the elements that a lane takes in one access.
    int vector = 1;
    /// The bytes of an element of a plain layout. A swizzled layout has a separate width.
    std::int64_t width = 1;
    /// Shown above the picture; the layout's text where it is empty. Any text: it is escaped, invalid UTF-8 is replaced.
    std::string title{};
};

/// The most cells of a picture, holes included; the most panels; the most points that a hardware view places.
inline constexpr std::int64_t max_picture_cells = std::int64_t{1} << 16;
inline constexpr std::int64_t max_picture_panels = 256;
inline constexpr std::int64_t max_picture_points = std::int64_t{1} << 17;

namespace detail {

constexpr Error too_many_points() noexcept
{
    return Error(errc::capacity, -1, "a picture places at most {0} points", max_picture_points);
}

} // namespace detail

/// A plain layout as a swizzled one that moves nothing: all pictures are drawn of these.
constexpr Swizzled<Layout> picture_of(const Layout& layout, const PictureOptions& options) noexcept
{
    return {Swizzle{}, Axis{}, options.width, layout};
}

namespace detail {

/// The axes that pictures know, from the owner of a value outward, then the places inside an owner, largest first. An axis that is
/// not here stands between the two.
inline constexpr Axis owner_axes[] = {"lane", "P", "TLane", "warp", "warpgroup", "cta", "cluster", "gpuid", "device"};
inline constexpr Axis place_axes[] = {"Bank", "bank", "m", "TCol", "F", "reg"};

constexpr bool moves(const Iter& it) noexcept { return it.extent > 1 && it.stride != 0; }

template <class List>
constexpr bool has(const List& axes, const Axis& axis) noexcept
{
    for (const Axis& a : axes)
        if (a == axis) return true;
    return false;
}

/// Does the axis occur in the layout at all, moving or not?
constexpr bool occurs(const Layout& layout, const Axis& axis) noexcept
{
    for (const Iter& it : layout.shard)
        if (it.axis == axis) return true;
    for (const Iter& it : layout.replica)
        if (it.axis == axis) return true;
    for (const auto& e : layout.offset)
        if (e.axis == axis) return true;
    return false;
}

} // namespace detail

/// The axes on which a layout moves, owners first:  lane, P, TLane, warp, warpgroup, cta, cluster, gpuid, device; then the ones a
/// picture does not know, in the order of the layout; then the places inside an owner: Bank, bank, m, TCol, F, reg.
///
/// @pre check(layout) passes
constexpr Layout::Axes moving_axes(const Layout& layout) noexcept
{
    Layout::Axes found, out;
    const auto note = [&](const Iter& it) {
        if (detail::moves(it) && !detail::has(found, it.axis)) found.push_back(it.axis);
    };
    for (const Iter& it : layout.shard) note(it);
    for (const Iter& it : layout.replica) note(it);
    for (const Axis& a : detail::owner_axes)
        if (detail::has(found, a)) out.push_back(a);
    for (const Axis& a : found)
        if (!detail::has(detail::owner_axes, a) && !detail::has(detail::place_axes, a)) out.push_back(a);
    for (const Axis& a : detail::place_axes)
        if (detail::has(found, a)) out.push_back(a);
    return out;
}

/// What colors the cells: the axis asked for, else the first of `moving_axes`, else m.
///
/// `errc::unknown_axis` when the layout does not have the axis (`m` and `bank` are always there).
constexpr Result<Axis> color_axis(const Layout& layout, const PictureOptions& options) noexcept
{
    const auto axes = moving_axes(layout);
    if (!options.color) return axes.empty() ? Axis{} : axes[0];
    const Axis axis = *options.color;
    if (!detail::occurs(layout, axis) && !(axis == Axis{}) && !(axis == Axis{"bank"}))
        return Error(errc::unknown_axis, -1, "the layout does not have the axis that the picture is colored by");
    return axis;
}

/// The grid of a hardware view.
struct GridAxes {
    std::optional<Axis> rows{};
    /// Without rows, the columns are wrapped into lines of `line_length`.
    std::optional<Axis> columns{};
    /// The other axes that move: a panel for each combination in which something lives.
    Layout::Axes panels{};
};

/// What the grid of a hardware view is made of: the axes asked for; the rest from `moving_axes`, rows the first and columns the last.
///
/// Without a choice, where the columns are more than 32 and 16 times the rows or more (four devices, 2048 addresses), the rows
/// become panels and the columns are wrapped. `errc::unknown_axis`; `errc::bad_argument` for one axis on both sides.
constexpr Result<GridAxes> grid_axes(const Layout& layout, const PictureOptions& options) noexcept
{
    for (const auto& axis : {options.rows, options.columns})
        if (axis && !detail::occurs(layout, *axis))
            return Error(errc::unknown_axis, -1, "the layout does not have the axis of the rows or columns");
    if (options.rows && options.columns && *options.rows == *options.columns)
        return Error(errc::bad_argument, -1, "rows and columns are the same axis");
    auto rest = moving_axes(layout);
    GridAxes grid{options.rows, options.columns, {}};
    for (int i = rest.size() - 1; i >= 0; --i)
        if (rest[i] == options.rows || rest[i] == options.columns) rest.erase(i);
    if (!grid.columns && !rest.empty()) {
        grid.columns = rest.back();
        rest.pop_back();
    }
    if (!grid.rows && !rest.empty()) {
        const auto rows = detail::span_of(layout, rest[0]), columns = detail::span_of(layout, *grid.columns);
        if (options.columns || columns <= 32 || columns / 16 < rows) {
            grid.rows = rest[0];
            rest.erase(0);
        }
    }
    grid.panels = rest;
    return grid;
}

/// The cells on a line where `count` of them in a row are wrapped: all up to 32, else the least power of two ≥ √count, at least 32.
constexpr std::int64_t line_length(std::int64_t count) noexcept
{
    if (count <= 32) return count;
    std::int64_t length = 32;
    while (length < count / length) length *= 2;
    return length;
}

} // namespace v0
} // namespace axe

#endif
