// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_PICTURE_HPP
#define AXE_PICTURE_PICTURE_HPP

#include <axe/picture/cells.hpp>

namespace axe {
inline namespace v0 {

/// The cells of a picture of a layout on a shape: what `svg` draws.
///
/// Errors: those of `check`; `errc::size_mismatch` when the shape is not admitted; `errc::unknown_axis` and `errc::bad_argument` for the
/// options; those of `warp_access` for an access; `errc::capacity` beyond `max_picture_cells`, `max_picture_panels` or
/// `max_picture_points`; `errc::too_hard` for replica sets that cannot be counted.
/// Cost: linear in the cells, holes included, and for a hardware view in the points; texts are made for each.
AXE_DECL Result<Picture> picture(const Swizzled<Layout>& tile, const Shape& shape, const PictureOptions& options = {});
AXE_DECL Result<Picture> picture(const Layout& layout, const Shape& shape, const PictureOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/picture/impl/picture.hpp>
#endif

#endif
