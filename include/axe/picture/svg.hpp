// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PICTURE_SVG_HPP
#define AXE_PICTURE_SVG_HPP

#include <axe/picture/picture.hpp>

namespace axe {
inline namespace v0 {

/// The picture as a separate file: SVG 1.1, no scripts, fonts or links, legible on light and dark pages.
///
/// Up to 2^12 cells carry their labels, up to 2^10 also a tooltip with all there is to say; of more cells, blocks of one value carry
/// it. A grid of 128 × 128 cells takes less than 300 KB. The same picture gives the same bytes, on every machine.
AXE_DECL std::string draw(const Picture& picture);

/// The picture of a layout on a shape: `draw(picture(layout, shape, options))`. Errors: those of `picture`.
AXE_DECL Result<std::string> svg(const Swizzled<Layout>& tile, const Shape& shape, const PictureOptions& options = {});
AXE_DECL Result<std::string> svg(const Layout& layout, const Shape& shape, const PictureOptions& options = {});

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/picture/impl/svg.hpp>
#endif

#endif
