// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_IMPL_PICTURE_HPP
#define AXE_PICTURE_IMPL_PICTURE_HPP

#include <axe/picture/banks_view.hpp>
#include <axe/picture/hardware_view.hpp>
#include <axe/picture/logical_view.hpp>
#include <axe/picture/picture.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// An option of another view is a mistake, and said.
inline Status check_options(const PictureOptions& options) noexcept
{
    if (options.view != PictureView::hardware && (options.rows || options.columns))
        return Error(errc::bad_argument, -1, "rows and columns are chosen for the hardware view only");
    if (options.view != PictureView::banks && (options.access || options.vector != 1))
        return Error(errc::bad_argument, -1, "an access is drawn by the banks view only");
    if (options.view == PictureView::banks && options.color && !(*options.color == Axis{"lane"}))
        return Error(errc::bad_argument, -1, "the banks view is colored by lane");
    return {};
}

} // namespace detail

AXE_DECL Result<Picture> picture(const Swizzled<Layout>& tile, const Shape& shape, const PictureOptions& options)
{
    if (const Status e = check(tile); !e.ok()) return e;
    if (const Status e = detail::check_admission(tile.layout, shape); !e.ok()) return e;
    if (const Status e = detail::check_options(options); !e.ok()) return e;
    auto result = options.view == PictureView::logical    ? detail::logical_view(tile, shape, options)
                  : options.view == PictureView::hardware ? detail::hardware_view(tile, shape, options)
                                                          : detail::banks_view(tile, shape, options);
    if (!result) return result;
    result->layout = detail::text_of_tile(tile);
    result->title = options.title.empty() ? result->layout : options.title;
    detail::collect_values(*result);
    return result;
}

AXE_DECL Result<Picture> picture(const Layout& layout, const Shape& shape, const PictureOptions& options)
{
    return picture(picture_of(layout, options), shape, options);
}

} // namespace v0
} // namespace axe

#endif
