// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_PICTURE_HPP
#define AXE_PICTURE_PICTURE_HPP

#include <axe/picture/banks_view.hpp>
#include <axe/picture/hardware_view.hpp>
#include <axe/picture/logical_view.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// An option of another view is a mistake, and said.
inline Error check_options(const PictureOptions& options) noexcept
{
    if (options.view != PictureView::hardware && (options.rows || options.columns))
        return Error(errc::bad_argument, -1, "rows and columns are chosen for the hardware view only");
    if (options.view != PictureView::banks && (options.access || options.vector != 1))
        return Error(errc::bad_argument, -1, "an access is drawn by the banks view only");
    if (options.view == PictureView::banks && options.colour && !(*options.colour == Axis{"lane"}))
        return Error(errc::bad_argument, -1, "the banks view is coloured by lane");
    return {};
}

} // namespace detail

/// The cells of a picture of a layout on a shape: what `svg` draws.
///
/// Errors: those of `check`; `errc::size_mismatch` when the shape is not admitted; `errc::unknown_axis` and `errc::bad_argument` for the
/// options; those of `warp_access` for an access; `errc::capacity` beyond `max_picture_cells`, `max_picture_panels` or
/// `max_picture_points`; `errc::too_hard` for replica sets that cannot be counted.
/// Cost: linear in the cells, holes included, and for a hardware view in the points; texts are made for each.
inline Result<Picture> picture(const Swizzled<Layout>& tile, const Shape& shape, const PictureOptions& options = {})
{
    if (const Error e = check(tile)) return e;
    if (const Error e = detail::check_admission(tile.layout, shape)) return e;
    if (const Error e = detail::check_options(options)) return e;
    auto result = options.view == PictureView::logical    ? detail::logical_view(tile, shape, options)
                  : options.view == PictureView::hardware ? detail::hardware_view(tile, shape, options)
                                                          : detail::banks_view(tile, shape, options);
    if (!result) return result;
    result->layout = detail::text_of_tile(tile);
    result->title = options.title.empty() ? result->layout : options.title;
    detail::collect_values(*result);
    return result;
}
inline Result<Picture> picture(const Layout& layout, const Shape& shape, const PictureOptions& options = {})
{
    return picture(picture_of(layout, options), shape, options);
}

} // namespace v0
} // namespace axe

#endif
